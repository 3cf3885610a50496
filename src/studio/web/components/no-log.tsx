import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { detectEvents, listJobs } from '../../api/job.ts';
import { call } from '../api-client.ts';
import type { Player } from '../player/player.ts';
import { text } from '../strings.ts';
import { EmptyState, ErrorNotice } from './basic.tsx';
import { FollowedJob, type Job, JobStatus } from './job.tsx';

/** What stands in the place of the events of a recording without a log: a button that detects them. */
export function NoLog({ player }: { readonly player: Player }) {
  const t = text.noLog;
  const job = useMemo(() => new FollowedJob(), [player]);
  const error = useSignal<unknown>(undefined);
  const follow = async (begin: () => Promise<Job | undefined>): Promise<void> => {
    try {
      error.value = undefined;
      const started = await begin();
      const ended = started && (await job.follow(started));
      if (ended?.state === 'done') await player.refresh();
    } catch (problem) {
      error.value = problem;
    }
  };
  const detect = (): Promise<void> => follow(() => call(detectEvents, { body: { path: player.path } }));
  useEffect(() => {
    // It may have been begun before the page was loaded.
    const log = `${player.path.replace(/\.[^./]*$/, '')}.playbyplay/`;
    void follow(async () => (await call(listJobs, {})).jobs.find(({ path }) => path.startsWith(log)));
    return () => job.close();
  }, [job]);
  return (
    <EmptyState title={t.title}>
      <p class="hint">{t.explain}</p>
      <button
        type="button"
        class="primary"
        disabled={job.state.value?.state === 'running'}
        onClick={() => void detect()}
      >
        {t.detect}
      </button>
      <JobStatus job={job} />
      {error.value !== undefined && <ErrorNotice error={error.value} />}
    </EmptyState>
  );
}
