import type { TokenSpan } from '../dictionary/sentences/noun-phrases.ts';
import type { ParseContext } from '../dictionary/sentences/parse-context.ts';

/** A stretch of the sentence: offsets, the end exclusive. */
export interface Place {
  readonly start: number;
  readonly end: number;
  /** What stands there. */
  readonly text: string;
}

// Beside the query, not in it: the structured form is the same whether it was a sentence or not.
const places = new WeakMap<readonly string[], Place>();

/** Notes that these ids of a query were read from those tokens. */
export function placed(
  ids: readonly string[],
  { tokens, sentence }: ParseContext,
  extent: TokenSpan,
): readonly string[] {
  const first = tokens[extent.start];
  const last = tokens[extent.end - 1];
  if (first && last)
    places.set(ids, { start: first.start, end: last.end, text: sentence.slice(first.start, last.end) });
  return ids;
}

/** Where the ids of a query stand in its sentence; undefined if it was none. */
export function placeOf(ids: readonly string[]): Place | undefined {
  return places.get(ids);
}
