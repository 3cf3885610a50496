import type { Issue } from '../errors.ts';

const MAX_ISSUES_PER_CODE = 20;
const MAX_ISSUES = 100;

/** Collects the issues of a running script: all are counted, and the first different ones of each code are reported. */
export class IssueCollector {
  /** Number of issues by code. */
  readonly counts: Record<string, number> = {};
  readonly #source: string;
  readonly #seen = new Set<string>();
  readonly #reported: Record<string, number> = {};
  #total = 0;
  #pending: Issue[] = [];

  /** @param source The file that issues without a path belong to. */
  constructor(source: string) {
    this.#source = source;
  }

  /** Adds an issue; of several with the same code, place and kind only the first is reported. */
  add(issue: Issue, place = this.#source, kind: string = issue.message): void {
    this.counts[issue.code] = (this.counts[issue.code] ?? 0) + 1;
    const path = issue.path ?? place;
    const key = `${issue.code} ${path} ${kind}`;
    const reported = this.#reported[issue.code] ?? 0;
    if (this.#seen.has(key) || reported >= MAX_ISSUES_PER_CODE || this.#total >= MAX_ISSUES) return;
    this.#seen.add(key);
    this.#reported[issue.code] = reported + 1;
    this.#total += 1;
    this.#pending.push({ ...issue, path });
  }

  /** Returns the issues to report since the last call. */
  take(): readonly Issue[] {
    const pending = this.#pending;
    this.#pending = [];
    return pending;
  }
}
