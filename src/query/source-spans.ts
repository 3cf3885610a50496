import type { TokenSpan } from '../dictionary/sentences/noun-phrases.ts';
import type { ParseContext } from '../dictionary/sentences/parse-context.ts';

/** A part of a query sentence: offsets, `end` exclusive. */
export interface SourceSpan {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

// Kept outside the query, whose structured form does not depend on whether it was a sentence.
const spans = new WeakMap<readonly string[], SourceSpan>();

/** Records the tokens that the ids of a query were parsed from; returns the ids. */
export function recordSpan(
  ids: readonly string[],
  { tokens, sentence }: ParseContext,
  { start, end }: TokenSpan,
): readonly string[] {
  const first = tokens[start];
  const last = tokens[end - 1];
  if (first && last) spans.set(ids, { start: first.start, end: last.end, text: sentence.slice(first.start, last.end) });
  return ids;
}

/** The part of the sentence that the ids of a query were parsed from; `undefined` for a structured query. */
export function findSpan(ids: readonly string[]): SourceSpan | undefined {
  return spans.get(ids);
}
