import type { Issue } from '../errors.ts';

const MOST_OF_A_KIND = 20;
const MOST = 100;

/** Collects what goes wrong while a script runs: every kind is counted, the first ones of each are told. */
export class ProblemList {
  readonly counts: Record<string, number> = {};
  readonly #source: string;
  readonly #seen = new Set<string>();
  readonly #told: Record<string, number> = {};
  #total = 0;
  #fresh: Issue[] = [];

  /** `source`: the file that the problems lie in. */
  constructor(source: string) {
    this.#source = source;
  }

  /** Adds a problem; it is told unless one of the same `kind` in the same `place` was told before. */
  add(issue: Issue, place = this.#source, kind: string = issue.message): void {
    this.counts[issue.code] = (this.counts[issue.code] ?? 0) + 1;
    const path = issue.path ?? place;
    const key = `${issue.code} ${path} ${kind}`;
    const told = this.#told[issue.code] ?? 0;
    if (this.#seen.has(key) || told >= MOST_OF_A_KIND || this.#total >= MOST) return;
    this.#seen.add(key);
    this.#told[issue.code] = told + 1;
    this.#total += 1;
    this.#fresh.push({ ...issue, path });
  }

  /** The problems told since the last call. */
  take(): readonly Issue[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}
