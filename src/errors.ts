/** A mistake in a user's data (profile, dictionary, script, media, arguments). Issues are collected and reported all at once. */
export interface Issue {
  /** Permanent identifier in kebab case, never reused: `unknown-word`, `region-outside-frame`. */
  readonly code: string;
  /** File, followed by a JSON pointer, line or time: `configs/doom/profile.json#/regions/health/width`. */
  readonly path?: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** What to do, or the nearest valid spelling. */
  readonly hint?: string;
}

/** An error that the user can resolve. Programming errors throw a plain `TypeError` or `RangeError`. */
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

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
