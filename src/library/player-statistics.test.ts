import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { loadLogs } from '../query/logs.ts';
import { compileQuery, runQuery } from '../query/run.ts';
import { Library } from './library.ts';
import { computePlayerStatistics, type StatisticsSource } from './player-statistics.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-statistics-'));
afterAll(() => rmSync(folder, { recursive: true }));

const logFile = (name: string): string =>
  fileURLToPath(new URL(`../../test/cases/logs/${name}.ndjson`, import.meta.url));

async function ofLogs(names: readonly string[]): Promise<StatisticsSource> {
  const logs = await loadLogs(names.map(logFile));
  const { durations, events, dictionary } = logs;
  return {
    dictionary,
    sessions: logs.sessions.map((session) => ({ session, name: session, game: '', duration: durations.get(session)! })),
    ask: async (query) => runQuery(compileQuery(query, dictionary, { logs }), events, { durations }),
  };
}

describe('computePlayerStatistics', () => {
  test('counts what the sentences of the log say', async () => {
    // Counted with a text search, independently of statements and queries.
    const texts = readFileSync(logFile('arena'), 'utf8').match(/(?<="text":")[^"]+/g)!;
    const count = (pattern: RegExp): number => texts.filter((text) => pattern.test(text)).length;
    const kills = count(/^player kills /);
    const deaths = count(/kills player\b|^player kills (?:them|him|her)sel|^player kills oneself/);
    const own = count(/^player kills (?:oneself|themselves)/);
    const { actions, ratio, instruments, opponents } = await computePlayerStatistics(await ofLogs(['arena']));
    const total = (action: string): number | undefined => actions.find((one) => one.action === action)?.total;
    expect(total('defeat')).toBe(kills - own);
    expect(total('die')).toBe(deaths);
    expect(ratio).toBeCloseTo((kills - own) / deaths, 10);
    expect(instruments.find(({ name }) => name === 'rocket launcher')).toMatchObject({
      defeats: count(/^player kills opponent .* with rocket launcher/),
      deaths: count(/kills player with rocket launcher/),
    });
    expect(opponents.find(({ name }) => name === 'opponent Sarge')).toMatchObject({
      defeats: count(/^player kills opponent Sarge/),
      deaths: count(/^opponent Sarge kills player/),
    });
  });

  test('of a library are those of its logs, also for somebody else', async () => {
    const names = ['arena', 'arena2', 'moba', 'race'];
    const source = await ofLogs(names);
    await using library = await Library.open(join(folder, 'library.sqlite'), { create: true });
    await library.add(names.map(logFile));
    const inLibrary: StatisticsSource = {
      dictionary: source.dictionary,
      sessions: source.sessions,
      ask: async (query) => library.ask(await library.compile(query), { limit: 1e6 }),
    };
    for (const player of [undefined, 'Gargoyle'])
      expect(await computePlayerStatistics(inLibrary, player)).toEqual(await computePlayerStatistics(source, player));
  });

  test('know a trend from chance', async () => {
    const base = await ofLogs(['arena']);
    const session = base.sessions[0]!;
    const withCounts = (counts: readonly number[]): StatisticsSource => ({
      dictionary: base.dictionary,
      sessions: counts.map((_, i) => ({ ...session, session: `s${i}` })),
      ask: async (query) => ({
        ...(await base.ask(query)),
        groups: counts.map((count, i) => ({ labels: [`s${i}`], count })),
      }),
    });
    const trendOf = async (counts: readonly number[]): Promise<unknown> =>
      (await computePlayerStatistics(withCounts(counts))).actions.find(({ action }) => action === 'defeat')?.trend;
    expect(await trendOf([1, 2, 3, 4, 5, 6, 7])).toBe('rising');
    expect(await trendOf([7, 6, 5, 4, 3, 2, 1])).toBe('falling');
    expect(await trendOf([4, 6, 3, 7, 5, 4, 6])).toBeUndefined();
    expect(await trendOf([1, 2, 3, 4, 5])).toBeUndefined();
  });
});
