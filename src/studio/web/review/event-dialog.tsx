import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { checkSentence } from '../../api/log.ts';
import type { RouteResponse } from '../../api/route.ts';
import { call } from '../api-client.ts';
import { ErrorNotice, IssueText } from '../components/basic.tsx';
import { clock, text } from '../strings.ts';
import { MarkedText } from './question-box.tsx';
import type { EventRow, Review } from './review.ts';

const CHECK_MS = 120;

interface EventDialogProps {
  readonly review: Review;
  /** The event to change; undefined to add one. */
  readonly row?: EventRow | undefined;
  readonly onClose: () => void;
}

/** Writes what truly happened, as a sentence that is checked while it is typed. */
export function EventDialog({ review, row, onClose }: EventDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const sentence = useSignal(row?.text ?? '');
  const at = useSignal(row?.t ?? review.player.shown.value?.t ?? review.player.t.value);
  const checked = useSignal<RouteResponse<typeof checkSentence> | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const t = text.review;
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      if (sentence.value.trim() === '') {
        checked.value = undefined;
        return;
      }
      call(checkSentence, { query: { log: review.log, sentence: sentence.value }, signal: controller.signal }).then(
        (result) => {
          checked.value = result;
        },
        () => undefined,
      );
    }, CHECK_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [sentence.value]);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      const what = { sentence: sentence.value, t: at.value };
      if (row) await review.correct([{ type: 'change', id: row.id, ...what }], t.done.changed);
      else await review.correct([{ type: 'add', ...what }], t.done.added);
      dialog.current?.close();
    } catch (problem) {
      error.value = problem;
    }
  };
  const result = checked.value;
  return (
    <dialog ref={dialog} class="event-dialog" aria-labelledby="event-dialog-title" onClose={onClose}>
      <form onSubmit={(event) => void save(event)}>
        <h2 id="event-dialog-title">{row ? t.changeTitle : t.addTitle}</h2>
        <label>
          {t.sentence}
          <input
            value={sentence.value}
            placeholder={t.sentenceExample}
            autoFocus
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => {
              sentence.value = event.currentTarget.value;
            }}
          />
        </label>
        <div class="sentence-check" aria-live="polite">
          {result?.text !== undefined && (
            <p class="good">
              {t.asLogged} <strong>{result.text}</strong>
            </p>
          )}
          {result?.text === undefined &&
            result?.issues.map((issue) => (
              <p class="problem" key={issue.message}>
                <MarkedText text={sentence.value} start={issue.start} end={issue.end} />
                <br />
                <IssueText issue={issue} />
              </p>
            ))}
        </div>
        <div class="time-field">
          <span>{t.time}</span>
          <output>{clock(at.value)}</output>
          <button
            type="button"
            onClick={() => {
              at.value = review.player.shown.value?.t ?? review.player.t.value;
            }}
          >
            {t.takeTime(clock(review.player.t.value))}
          </button>
        </div>
        {error.value !== undefined && <ErrorNotice error={error.value} />}
        <footer>
          <button type="button" onClick={() => dialog.current?.close()}>
            {t.cancel}
          </button>
          <button type="submit" class="primary" disabled={result?.text === undefined}>
            {t.save}
          </button>
        </footer>
      </form>
    </dialog>
  );
}
