import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { collectCrops, learnFont } from '../../api/authoring.ts';
import type { RouteResponse } from '../../api/route.ts';
import { call } from '../api-client.ts';
import { ErrorNotice } from '../components/basic.tsx';
import { type Authoring, trackProgress } from './authoring.ts';
import { Png, Progress } from './png.tsx';
import { authorText } from './strings.ts';

type Sheet = RouteResponse<typeof collectCrops>;
type Learnt = RouteResponse<typeof learnFont>;

/** Crops of an element, alike ones together: type what one shows, Enter, next. The font is learnt meanwhile. */
export function SheetDialog({
  authoring,
  name,
  recording,
  onClose,
}: {
  readonly authoring: Authoring;
  readonly name: string;
  readonly recording: string;
  readonly onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const sheet = useSignal<Sheet | undefined>(undefined);
  const labels = useSignal<ReadonlyMap<number, string>>(new Map());
  const learnt = useSignal<Learnt | undefined>(undefined);
  const share = useSignal(0);
  const error = useSignal<unknown>(undefined);
  const isLearning = useSignal(false);
  const wanted = useRef(false);
  const t = authorText.sheet;
  useEffect(() => {
    dialog.current?.showModal();
    const controller = new AbortController();
    const progress = trackProgress(share);
    call(collectCrops, {
      body: { ...authoring.id, name, media: [recording], job: progress.job },
      signal: controller.signal,
    })
      .then((found) => {
        sheet.value = found;
      })
      .catch((problem: unknown) => {
        if (!controller.signal.aborted) error.value = problem;
      })
      .finally(progress.stop);
    return () => {
      controller.abort();
      progress.stop();
    };
  }, []);
  useEffect(() => {
    if (sheet.value) document.querySelector<HTMLInputElement>('#label-0')?.select();
  }, [sheet.value]);

  /** Learns the newest labels until there are no newer ones. */
  const learn = async (): Promise<void> => {
    wanted.current = true;
    if (isLearning.value) return;
    isLearning.value = true;
    try {
      while (wanted.current) {
        wanted.current = false;
        const own = [...labels.value].map(([cluster, written]) => ({ cluster, text: written }));
        if (own.every((one) => one.text === '')) continue;
        const body = { ...authoring.id, name, sheet: sheet.value!.sheet, media: recording, labels: own };
        learnt.value = await call(learnFont, { body });
        if (learnt.value.pack) authoring.take(learnt.value.pack);
      }
    } catch (problem) {
      error.value = problem;
    } finally {
      isLearning.value = false;
    }
  };
  const label = (cluster: number, written: string): void => {
    labels.value = new Map(labels.value).set(cluster, written.trim());
    void learn();
  };
  const coverage = learnt.value?.coverage ?? sheet.value?.coverage;
  const misread = new Map(learnt.value?.misread.map((one) => [one.cluster, one.text]));
  return (
    <dialog ref={dialog} class="sheet-dialog" aria-labelledby="sheet-title" onClose={onClose}>
      <header>
        <div>
          <h2 id="sheet-title">{t.title(name)}</h2>
          <p class="hint">{t.explain}</p>
        </div>
        <button type="button" class="primary" onClick={() => dialog.current?.close()}>
          {t.close}
        </button>
      </header>
      {error.value !== undefined && <ErrorNotice error={error.value} />}
      {!sheet.value && error.value === undefined && <Progress share={share.value} label={t.collecting} />}
      {sheet.value && (
        <>
          <div class="sheet-state" role="status">
            <span>{t.labels(labels.value.size, sheet.value.clusters.length)}</span>
            {isLearning.value ? (
              <span class="tag">{t.learning}</span>
            ) : (
              learnt.value &&
              (learnt.value.isLearnt ? (
                <span class={learnt.value.misread.length === 0 ? 'tag tag-good' : 'tag tag-warn'}>
                  {t.learnt(learnt.value.labels - learnt.value.misread.length, learnt.value.labels)}
                </span>
              ) : (
                <span class="tag tag-warn">{t.notLearnt}</span>
              ))
            )}
            {coverage &&
              (coverage.neverSeen.length > 0 ? (
                <span class="coverage">
                  {t.never}{' '}
                  {coverage.neverSeen.map((char) => (
                    <kbd key={char}>{char}</kbd>
                  ))}
                </span>
              ) : (
                <span class="tag tag-good">{t.all}</span>
              ))}
          </div>
          <ol class="sheet-rows">
            {sheet.value.clusters.map(({ id, png, width, height, suggestion, times }, i) => (
              <li key={id} data-labelled={labels.value.has(id)} data-misread={misread.has(id)}>
                <span class="sheet-crop">
                  <Png data={png} alt={t.crop(i + 1, suggestion)} width={width} height={height} />
                </span>
                <input
                  id={`label-${i}`}
                  aria-label={t.crop(i + 1, suggestion)}
                  autocomplete="off"
                  spellcheck={false}
                  placeholder={t.skip}
                  defaultValue={labels.value.get(id) ?? suggestion}
                  onFocus={(event) => event.currentTarget.select()}
                  onKeyDown={(event) => {
                    if (event.key !== 'Enter') return;
                    event.preventDefault();
                    label(id, event.currentTarget.value);
                    const next = document.querySelector<HTMLInputElement>(`#label-${i + 1}`);
                    if (next) next.focus();
                  }}
                />
                <span class="hint numbers">
                  {misread.has(id) ? t.misread(misread.get(id)!) : t.times(times.length)}
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </dialog>
  );
}
