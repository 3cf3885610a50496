import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { completeQuestion } from '../../api/log.ts';
import type { RouteResponse } from '../../api/route.ts';
import { call } from '../api-client.ts';
import { IssueText } from '../components/basic.tsx';
import { text } from '../strings.ts';
import type { Review } from './review.ts';

type Completions = RouteResponse<typeof completeQuestion>;

/** The question that filters the list: completed while it is typed, with how it is understood. */
export function QuestionBox({ review }: { readonly review: Review }) {
  const input = useRef<HTMLInputElement>(null);
  const offered = useSignal<Completions | undefined>(undefined);
  const chosen = useSignal(-1);
  const controller = useRef<AbortController | undefined>(undefined);
  const t = text.review;
  useEffect(() => () => controller.current?.abort(), []);

  const complete = async (): Promise<void> => {
    const { value, selectionStart } = input.current!;
    controller.current?.abort();
    controller.current = new AbortController();
    const before = value.slice(0, selectionStart ?? value.length);
    try {
      const found = await call(completeQuestion, {
        query: { log: review.log, before },
        signal: controller.current.signal,
      });
      chosen.value = -1;
      offered.value = found.completions.length > 0 ? found : undefined;
    } catch {
      // A question is asked without completions, too.
    }
  };
  const take = (index: number): void => {
    const { from, completions } = offered.value!;
    const caret = input.current!.selectionStart ?? review.question.value.length;
    const word = completions[index]!.text;
    const before = review.question.value.slice(0, from) + word;
    review.setQuestion(`${before} ${review.question.value.slice(caret).trimStart()}`);
    offered.value = undefined;
    requestAnimationFrame(() => {
      input.current!.focus();
      input.current!.setSelectionRange(before.length + 1, before.length + 1);
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const count = offered.value?.completions.length ?? 0;
    if (event.key === 'Enter') {
      event.preventDefault();
      if (count > 0 && chosen.value >= 0) take(chosen.value);
      else {
        offered.value = undefined;
        void review.ask();
      }
    } else if (event.key === 'Tab' && count > 0 && !event.shiftKey) {
      event.preventDefault();
      take(Math.max(0, chosen.value));
    } else if (count > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      chosen.value = (chosen.value + step + count + (chosen.value < 0 && step < 0 ? 1 : 0)) % count;
    } else if (event.key === 'Escape' && count > 0) {
      event.stopPropagation();
      offered.value = undefined;
    }
  };
  const completions = offered.value?.completions ?? [];
  return (
    <div class="question-box">
      <input
        ref={input}
        id="question"
        role="combobox"
        aria-label={t.question}
        aria-expanded={completions.length > 0}
        aria-controls="question-completions"
        aria-autocomplete="list"
        aria-activedescendant={chosen.value >= 0 ? `completion-${chosen.value}` : undefined}
        aria-describedby="question-reading"
        autocomplete="off"
        spellcheck={false}
        placeholder={t.questionExample}
        value={review.question.value}
        onInput={(event) => {
          review.setQuestion(event.currentTarget.value);
          void complete();
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          offered.value = undefined;
        }}
      />
      <ul id="question-completions" role="listbox" aria-label={t.completions} hidden={completions.length === 0}>
        {completions.map(({ text: word, about }, index) => (
          <li
            key={word}
            id={`completion-${index}`}
            role="option"
            aria-selected={index === chosen.value}
            onPointerDown={(event) => {
              event.preventDefault();
              take(index);
            }}
          >
            <strong>{word}</strong>
            <span>{about}</span>
          </li>
        ))}
      </ul>
      <Understanding review={review} />
    </div>
  );
}

/** How the question is read, what it answers, and why it is not understood. */
function Understanding({ review }: { readonly review: Review }) {
  const t = text.review;
  const asked = review.list.value?.asked;
  const { value: question } = review.question;
  if (!asked || question.trim() === '') return <div id="question-reading" />;
  return (
    <div id="question-reading" class="understanding" aria-live="polite">
      {asked.issues.map((issue) => (
        <div class="not-understood" key={issue.message}>
          <p>
            <MarkedText text={question.trim()} start={issue.start} end={issue.end} />
          </p>
          <p>
            <IssueText issue={issue} />
          </p>
        </div>
      ))}
      {asked.corrections.map(({ written, read }) => (
        <p key={written}>{t.readAs(written, read)}</p>
      ))}
      {asked.answers.length > 0 && (
        <ul class="answers">
          {asked.answers.map((answer) => (
            <li key={answer}>{answer}</li>
          ))}
        </ul>
      )}
      {asked.suggestions.length > 0 && (
        <ul class="suggestions">
          {asked.suggestions.map((suggestion) => (
            <li key={suggestion}>{suggestion}</li>
          ))}
        </ul>
      )}
      {asked.reading.length > 0 && (
        <details>
          <summary>{t.reading}</summary>
          <pre>{asked.reading.join('\n')}</pre>
        </details>
      )}
    </div>
  );
}

/** A text in which the characters from `start` to `end` are marked. */
export function MarkedText(props: {
  readonly text: string;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}) {
  const { text: all, start, end = (start ?? 0) + 1 } = props;
  if (start === undefined) return <>{all}</>;
  return (
    <>
      {all.slice(0, start)}
      <mark>{all.slice(start, end) || ' '}</mark>
      {all.slice(end)}
    </>
  );
}
