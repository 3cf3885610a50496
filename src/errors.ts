/** One thing wrong with a person's data (profile, dictionary, script, media, arguments). Collected, reported all at once. */
export interface Issue {
  /** Permanent, kebab-case, never reused: `unknown-word`, `region-outside-frame`. */
  readonly code: string;
  /** Where: a file, then a JSON path, line or time (`configs/doom/profile.json#/regions/health/width`). */
  readonly path?: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** What to do, or the nearest right spelling. */
  readonly hint?: string;
}

/** A failure that a person can do something about. A programmer's mistake throws a plain `TypeError` or `RangeError`. */
export class PlaybyplayError extends Error {
  override readonly name = 'PlaybyplayError';
  readonly code: string;
  readonly hint: string | undefined;
  readonly issues: readonly Issue[];

  constructor(
    code: string,
    message: string,
    options: { hint?: string | undefined; issues?: readonly Issue[]; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.issues = options.issues ?? [];
  }
}

/** The message of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
