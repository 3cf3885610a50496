// What the benchmarks of questions share: the cases, their logs, and random numbers.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadLogs, type LoadedLogs } from '../../src/query/logs.ts';

interface Case {
  /** Names of logs, joined by `+`. */
  readonly log: string;
  readonly questions: readonly string[];
}

const path = (name: string): string => fileURLToPath(new URL(`../../test/cases/${name}`, import.meta.url));

/** The cases of `test/cases/questions.json`. */
export const { cases } = JSON.parse(readFileSync(path('questions.json'), 'utf8')) as { cases: readonly Case[] };

/** Loads the logs of all cases, by their names. */
export async function loadCaseLogs(): Promise<ReadonlyMap<string, LoadedLogs>> {
  const logs = new Map<string, LoadedLogs>();
  for (const name of new Set(cases.map(({ log }) => log)))
    logs.set(name, await loadLogs(name.split('+').map((each) => path(`logs/${each}.ndjson`))));
  return logs;
}

/** Numbers from 0 to below a limit, by a linear congruential generator: the same for a seed. */
export function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
