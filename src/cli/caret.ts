import type { Issue } from '../errors.ts';

/** Issues about a sentence: the sentence, a caret under the place, what is wrong and what to do. */
export function showPlace(sentence: string, issues: readonly Issue[]): string {
  return issues
    .map((issue) => {
      const { start, end } = issue as Issue & { start?: number; end?: number };
      const shown = sentence.replaceAll(/\s/g, ' ');
      const mark =
        start === undefined ? '' : `  ${' '.repeat(start)}${'^'.repeat(Math.max(1, (end ?? start) - start))}\n`;
      return `  ${shown}\n${mark}${issue.message}${issue.hint === undefined ? '' : ` — ${issue.hint}`}\n`;
    })
    .join('');
}
