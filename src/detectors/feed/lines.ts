/** One line of a feed in one sample. */
export interface FeedLine {
  /** 0 is the top line. */
  readonly slot: number;
  /** One character per column, blank where there is none. */
  readonly text: string;
  /** Log likelihood ratio of each character; 0 for blanks. */
  readonly scores: readonly number[];
  /** Characters that fit nearly as well as the one that was read. */
  readonly rivals?: readonly (readonly [column: number, char: string, score: number])[];
}

/** Detail of a feed's observation. */
export interface FeedDetail {
  readonly lines: readonly FeedLine[];
}

/** Whether an observation's detail is a feed's. */
export function isFeedDetail(value: unknown): value is FeedDetail {
  return typeof value === 'object' && value !== null && 'lines' in value && Array.isArray(value.lines);
}
