import type { Issue } from '../errors.ts';

/** Issues about a sentence: the sentence, a caret under the place, what is wrong and what to do. */
export function showPlace(sentence: string, issues: readonly Issue[]): string {
  return issues
    .map((issue) => {
      const { start, end } = issue as Issue & { start?: number; end?: number };
      const places = start === undefined ? [] : [{ start, end: end ?? start }];
      return `${underline(sentence, places)}\n${issue.message}${issue.hint === undefined ? '' : ` — ${issue.hint}`}\n`;
    })
    .join('');
}

/** The sentence on a line of its own and, below it, carets under these stretches. */
export function underline(
  sentence: string,
  places: readonly { readonly start: number; readonly end: number }[],
): string {
  const shown = `  ${sentence.replaceAll(/\s/g, ' ')}`;
  if (places.length === 0) return shown;
  const marked = new Set<number>();
  for (const { start, end } of places) for (let at = start; at < Math.max(end, start + 1); at++) marked.add(at);
  // Offsets count UTF-16 units, columns of a terminal do not.
  let carets = '';
  let at = 0;
  for (const { segment } of new Intl.Segmenter().segment(`${sentence} `)) {
    carets += (marked.has(at) ? '^' : ' ').repeat(width(segment));
    at += segment.length;
  }
  return `${shown}\n  ${carets.trimEnd()}`;
}

/** Columns of a terminal that a grapheme takes: two for East Asian letters and emoji. */
function width(grapheme: string): number {
  return /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(
    grapheme,
  )
    ? 2
    : 1;
}
