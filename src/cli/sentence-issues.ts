import type { Issue } from '../errors.ts';

/** Issues with a sentence: the sentence, carets below the place, the message and the hint. */
export function formatSentenceIssues(sentence: string, issues: readonly Issue[]): string {
  return issues
    .map((issue) => {
      const { start, end } = issue as Issue & { start?: number; end?: number };
      const places = start === undefined ? [] : [{ start, end: end ?? start }];
      return `${underline(sentence, places)}\n${issue.message}${issue.hint === undefined ? '' : ` — ${issue.hint}`}\n`;
    })
    .join('');
}

/** The sentence with carets below the given ranges of characters. */
export function underline(
  sentence: string,
  places: readonly { readonly start: number; readonly end: number }[],
): string {
  const shown = `  ${sentence.replaceAll(/\s/g, ' ')}`;
  if (places.length === 0) return shown;
  const marked = new Set<number>();
  for (const { start, end } of places) for (let at = start; at < Math.max(end, start + 1); at++) marked.add(at);
  // Offsets count UTF-16 units; terminal columns do not.
  let carets = '';
  let at = 0;
  for (const { segment } of new Intl.Segmenter().segment(`${sentence} `)) {
    carets += (marked.has(at) ? '^' : ' ').repeat(columnWidth(segment));
    at += segment.length;
  }
  return `${shown}\n  ${carets.trimEnd()}`;
}

/** Terminal columns of a grapheme: two for East Asian letters and emoji. */
function columnWidth(grapheme: string): number {
  return /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(
    grapheme,
  )
    ? 2
    : 1;
}
