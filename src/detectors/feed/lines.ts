/** One line of a feed in one sample. */
export interface FeedLine {
  /** 0 is the top line. */
  readonly slot: number;
  /** A character a column, blanks where nothing is. */
  readonly text: string;
  /** Evidence (log likelihood ratio) for each character; 0 for blanks. */
  readonly scores: readonly number[];
  /** Characters that fit nearly as well as the one that was read: column, character, evidence. */
  readonly rivals?: readonly (readonly [column: number, char: string, score: number])[];
}

export interface FeedDetail {
  readonly lines: readonly FeedLine[];
}

export function isFeedDetail(value: unknown): value is FeedDetail {
  return typeof value === 'object' && value !== null && 'lines' in value && Array.isArray(value.lines);
}
