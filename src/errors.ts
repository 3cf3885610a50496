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

/** The candidate nearest to `word` by edit distance (Damerau–Levenshtein), if near enough to be a slip. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Optimal string alignment distance; gives up with `limit` once every path costs that much. */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
      if (cost < least) least = cost;
    }
    if (least >= limit) return limit;
    before = previous;
    previous = row;
  }
  return previous[b.length]!;
}
