import { isPropertyStatement, type Slot } from '../../events/statement.ts';
import type { ReviewedLog } from './reviewed-log.ts';

/** A word that continues what is being typed. */
export interface Completion {
  readonly text: string;
  /** What the word means, or what kind of word it is. */
  readonly about: string;
}

/** Words of questions that no dictionary holds. */
const FRAMES: readonly (readonly [text: string, about: string])[] = [
  ['followed by', 'one event, then another'],
  ['within', 'seconds between events'],
  ['before', 'earlier than'],
  ['after', 'later than'],
  ['between', 'two times or events'],
  ['without', 'events that lack something'],
  ['count', 'how many'],
  ['how many', 'a number'],
  ['by weapon', 'one group per weapon'],
  ['by opponent', 'one group per opponent'],
  ['first', 'the earliest'],
  ['last', 'the latest'],
  ['when', 'the time of'],
];
const MAX_COMPLETIONS = 12;

/**
 * Completes the last word of a question: names and words that the log mentions come first, then other words of the dictionary.
 *
 * @param before The question up to the caret.
 * @returns The completions of its last word, and where that begins.
 */
export function completeQuestion(
  log: ReviewedLog,
  before: string,
): { readonly from: number; readonly completions: readonly Completion[] } {
  const [word = ''] = /[\p{L}\p{N}'’-]*$/u.exec(before) ?? [];
  const from = before.length - word.length;
  const start = word.toLowerCase();
  if (start === '') return { from, completions: [] };
  const mentioned = mentionedWords(log);
  const candidates: (Completion & { readonly rank: number })[] = [
    ...log.names.map((text) => ({ text, about: 'a name in this log', rank: 0 })),
    ...FRAMES.map(([text, about]) => ({ text, about, rank: 2 })),
    ...log.dictionary.ordered.map(({ id, name, definition, kind }) => ({
      text: name,
      about: definition === '' ? kind : definition,
      rank: mentioned.has(id) ? 1 : 3,
    })),
  ];
  const fitting = candidates.filter(({ text }) => text.toLowerCase().startsWith(start));
  // A word that is complete: what is offered would hide how the question is understood.
  if (fitting.some(({ text }) => text.toLowerCase() === start)) return { from, completions: [] };
  const seen = new Set<string>();
  const completions = fitting
    .toSorted((a, b) => a.rank - b.rank || a.text.length - b.text.length)
    .filter(({ text }) => !seen.has(text) && seen.add(text))
    .slice(0, MAX_COMPLETIONS)
    .map(({ text, about }) => ({ text, about }));
  return { from, completions };
}

const wordsOfLogs = new WeakMap<ReviewedLog, ReadonlySet<string>>();

/** The ids of the words that the events of a log mention. */
function mentionedWords(log: ReviewedLog): ReadonlySet<string> {
  const known = wordsOfLogs.get(log);
  if (known) return known;
  const ids = new Set<string>();
  const add = (slot: Slot | undefined): void => {
    if (typeof slot === 'string') ids.add(slot);
    else if (slot && 'word' in slot) ids.add(slot.word);
  };
  for (const { event } of log.events) {
    const { statement } = event;
    add(statement.subject);
    if (isPropertyStatement(statement)) ids.add(statement.property);
    else {
      ids.add(statement.action);
      add(statement.object);
      add(statement.with);
    }
  }
  wordsOfLogs.set(log, ids);
  return ids;
}
