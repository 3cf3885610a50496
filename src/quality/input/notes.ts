import type { Issue } from '../../errors.ts';

/**
 * What was wrong in a file, gathered while it is read: the same fault in a thousand lines is one issue with a count and
 * the place where it was first met.
 */
export class Notes {
  readonly #found = new Map<string, { issue: Issue; count: number }>();
  /** Figures of the reading, by name (`lines`, `malformed`, `outOfOrder` …). */
  readonly counts: Record<string, number> = {};

  /** Records a fault; `path` is kept of the first one only. */
  add(code: string, message: string, path?: string, hint?: string): void {
    const key = `${code}\n${message}`;
    const known = this.#found.get(key);
    if (known) known.count++;
    else this.#found.set(key, { issue: { code, message, ...(path && { path }), ...(hint && { hint }) }, count: 1 });
  }

  count(name: string, by = 1): void {
    this.counts[name] = (this.counts[name] ?? 0) + by;
  }

  has(code: string): boolean {
    return this.issues.some((issue) => issue.code === code);
  }

  /** In the order of their first appearance. */
  get issues(): readonly Issue[] {
    return [...this.#found.values()].map(({ issue, count }) =>
      count === 1 ? issue : { ...issue, message: `${issue.message} (${count} times)` },
    );
  }
}
