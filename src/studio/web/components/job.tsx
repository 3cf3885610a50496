import { signal } from '@preact/signals';
import { cancelJob, showJob } from '../../api/job.ts';
import type { RouteResponse } from '../../api/route.ts';
import { call } from '../api-client.ts';
import { text } from '../strings.ts';

/** Something that takes minutes, as the server describes it. */
export type Job = RouteResponse<typeof showJob>;

const POLL_MS = 400;

/** A job, followed until it ends. */
export class FollowedJob {
  readonly state = signal<Job | undefined>(undefined);
  #isClosed = false;

  /** Asks how far a job is until it ends. Returns how it ended; undefined where the page was left. */
  async follow(job: Job): Promise<Job | undefined> {
    this.state.value = job;
    while (this.state.value.state === 'running') {
      await new Promise((resolve) => void setTimeout(resolve, POLL_MS));
      if (this.#isClosed) return undefined;
      this.state.value = await call(showJob, { query: { id: job.id } });
    }
    return this.state.value;
  }

  /** Stops the job. */
  async cancel(): Promise<void> {
    const id = this.state.value?.id;
    if (id !== undefined) await call(cancelJob, { query: { id } });
  }

  /** Stops asking; the job goes on. */
  close(): void {
    this.#isClosed = true;
  }
}

/** How far a job is, with a button to stop it. */
export function JobStatus({ job }: { readonly job: FollowedJob }) {
  const { value: current } = job.state;
  const t = text.job;
  if (!current) return null;
  const { state, path, name, problem, hint, done, total } = current;
  return (
    <div class="job" role="status">
      <span class={state === 'failed' ? 'problem' : ''}>
        {t.states[state](state === 'done' ? path : name)}
        {problem !== undefined && `: ${problem}`}
        {hint !== undefined && `. ${hint}`}
      </span>
      {state === 'running' && (
        <>
          <progress aria-label={t.progress} {...(total > 0 && { value: done, max: total })} />
          <button type="button" onClick={() => void job.cancel()}>
            {text.job.cancel}
          </button>
        </>
      )}
    </div>
  );
}
