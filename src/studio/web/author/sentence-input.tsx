import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { composeRule } from '../../api/authoring.ts';
import type { RouteResponse } from '../../api/route.ts';
import { call } from '../api-client.ts';
import { IssueText } from '../components/basic.tsx';
import type { Authoring } from './authoring.ts';
import { authorText } from './strings.ts';

/** What the server understands of a sentence. */
export type Composed = RouteResponse<typeof composeRule>;

interface SentenceProps {
  readonly authoring: Authoring;
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** Called with what the sentence says. */
  readonly onComposed: (composed: Composed | undefined) => void;
  readonly example?:
    | { readonly value?: string | number | boolean; readonly previous?: string | number | boolean }
    | undefined;
  readonly onSubmit?: (() => void) | undefined;
  readonly placeholder?: string;
}

/** A sentence that is completed while it is typed, with how the log will say it and what is wrong with it. */
export function SentenceInput({
  authoring,
  id,
  label,
  value,
  onValue,
  onComposed,
  example,
  onSubmit,
  placeholder,
}: SentenceProps) {
  const input = useRef<HTMLInputElement>(null);
  const composed = useSignal<Composed | undefined>(undefined);
  const isOpen = useSignal(false);
  const chosen = useSignal(-1);
  const controller = useRef<AbortController | undefined>(undefined);
  const t = authorText.rules;
  const compose = async (sentence: string, cursor: number): Promise<void> => {
    controller.current?.abort();
    controller.current = new AbortController();
    try {
      const body = { ...authoring.id, sentence, cursor, ...(example ? { example } : {}) };
      const answer = await call(composeRule, { body, signal: controller.current.signal });
      composed.value = answer;
      chosen.value = -1;
      onComposed(sentence.trim() === '' ? undefined : answer);
    } catch {
      // The next letter asks again.
    }
  };
  useEffect(() => {
    void compose(value, value.length);
    return () => controller.current?.abort();
  }, [JSON.stringify(example)]);
  const options = isOpen.value ? (composed.value?.completions.options ?? []) : [];
  const take = (index: number): void => {
    const { start } = composed.value!.completions;
    const option = options[index]!;
    const cursor = input.current!.selectionStart ?? value.length;
    const before = option.joins === true ? value.slice(0, start).trimEnd() : value.slice(0, start);
    const inserted = `${before}${option.text}${option.text.endsWith(' ') ? '' : ' '}`;
    const next = `${inserted}${value.slice(cursor).trimStart()}`;
    onValue(next);
    void compose(next, inserted.length);
    requestAnimationFrame(() => {
      input.current!.focus();
      input.current!.setSelectionRange(inserted.length, inserted.length);
    });
  };
  const key = (event: KeyboardEvent): void => {
    const count = options.length;
    if (event.key === 'Enter') {
      event.preventDefault();
      if (chosen.value >= 0 && count > 0) take(chosen.value);
      else {
        isOpen.value = false;
        onSubmit?.();
      }
    } else if (
      event.key === 'Tab' &&
      !event.shiftKey &&
      count > 0 &&
      value.trim() !== '' &&
      !composed.value?.statement
    ) {
      event.preventDefault();
      take(Math.max(0, chosen.value));
    } else if (count > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      chosen.value = (chosen.value + step + count + (chosen.value < 0 && step < 0 ? 1 : 0)) % count;
    } else if (event.key === 'Escape' && count > 0) {
      event.stopPropagation();
      isOpen.value = false;
    }
  };
  const [issue] = composed.value?.issues ?? [];
  return (
    <div class="sentence">
      <label class="field">
        <span>{label}</span>
        <input
          ref={input}
          id={id}
          role="combobox"
          aria-expanded={options.length > 0}
          aria-controls={`${id}-completions`}
          aria-autocomplete="list"
          aria-activedescendant={chosen.value >= 0 ? `${id}-${chosen.value}` : undefined}
          aria-describedby={`${id}-reading`}
          autocomplete="off"
          spellcheck={false}
          placeholder={placeholder ?? t.sentenceExample}
          value={value}
          onFocus={() => {
            isOpen.value = true;
          }}
          onInput={(event) => {
            isOpen.value = true;
            const { value: next, selectionStart } = event.currentTarget;
            onValue(next);
            void compose(next, selectionStart ?? next.length);
          }}
          onKeyDown={key}
          onBlur={() => {
            isOpen.value = false;
          }}
        />
      </label>
      <ul
        id={`${id}-completions`}
        class="completions"
        role="listbox"
        aria-label={t.completions}
        hidden={options.length === 0}
      >
        {options.map((option, index) => (
          <li
            key={option.text}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen.value}
            title={option.example ?? ''}
            onPointerDown={(event) => {
              event.preventDefault();
              take(index);
            }}
          >
            <strong>{option.text}</strong>
            <span>{option.definition}</span>
          </li>
        ))}
      </ul>
      <p id={`${id}-reading`} class="sentence-reading" aria-live="polite">
        {composed.value?.sentence !== undefined ? (
          <>
            <span class="hint">{t.asLogged}</span> <strong>{composed.value.sentence}</strong>
          </>
        ) : (
          value.trim() !== '' &&
          issue && (
            <span class="problem">
              <IssueText issue={issue} />
            </span>
          )
        )}
      </p>
    </div>
  );
}
