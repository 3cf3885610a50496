// Measures a library of a season: time to add its logs, bytes an event, and the time of answers, cold and warm.
//   node bench/library/season.ts [--sessions 1000] [--events 1000] [--seed 1] [--folder <folder>] [--asks 20] [--postgres] [--rebuild]
// Writes the logs (about 300 bytes an event) and the library below the folder; both are kept and used again.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { Library } from '../../src/library/library.ts';
import { quantile } from '../../src/statistics.ts';
import { startPostgres } from '../../test/fixtures/postgres.ts';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000' },
    events: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    folder: { type: 'string' },
    asks: { type: 'string', default: '20' },
    /** Keeps the index in a PostgreSQL server, which is started and ended. */
    postgres: { type: 'boolean', default: false },
    /** Adds all logs again, to a second library. */
    rebuild: { type: 'boolean', default: false },
    child: { type: 'string' },
    library: { type: 'string' },
  },
});
const [sessions, events, asks] = [Number(values.sessions), Number(values.events), Number(values.asks)];
const folder = values.folder ?? join(tmpdir(), `playbyplay-season-${sessions}-${events}-${values.seed}`);
const file = values.library ?? join(folder, 'library.sqlite');

/** What is asked: pages of matches, sequences, counts, groups, numbers. */
const QUESTIONS = [
  'kills by player',
  'kills with railgun',
  'kills by Gargoyle42',
  'my deaths',
  'player kills opponent with gun',
  'health drops below 20',
  'kill followed by kill within 4 s',
  'kill followed by death within 5 s',
  'double kill',
  'kills in the first minute',
  'kills while I had less than 30 health',
  'how many kills',
  'how many kills with railgun',
  'count kills by weapon',
  'count kills by opponent',
  'kills per minute',
  'count kills by match',
  'how many times did health drop below 20',
];

/** Numbers from 0 to below 1, the same for a seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function writeLogs(): void {
  const header = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'test', 'cases', 'logs', 'arena.ndjson'), 'utf8').split(
      '\n',
    )[0]!,
  ) as { media: object };
  const random = createRandom(Number(values.seed));
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const weapons = [
    'railgun',
    'rocket launcher',
    'machine gun',
    'shotgun',
    'plasma gun',
    'lightning gun',
    'grenade launcher',
  ];
  const items = ['shotgun', 'railgun', 'health', 'armor', 'ammunition'];
  for (let number = 0; number < sessions; number++) {
    const path = join(folder, `match-${String(number).padStart(5, '0')}.playbyplay`);
    mkdirSync(path, { recursive: true });
    const names = Array.from({ length: 7 }, () => `Gargoyle${Math.floor(random() * 2000)}`);
    const opponent = (): { readonly word: string; readonly name: string } => ({ word: 'opponent', name: pick(names) });
    const lines = [
      JSON.stringify({ ...header, session: `match-${number}`, media: { ...header.media, duration: events } }),
    ];
    const figures: Record<string, number> = { health: 100, ammunition: 50, armor: 0 };
    for (let i = 0; i < events; i++) {
      const kind = random();
      const weapon = pick(weapons);
      let statement: object;
      let text: string;
      const [rival, other, item] = [opponent(), opponent(), pick(items)];
      if (kind < 0.1) {
        statement = { subject: 'player', action: 'kill', object: rival, with: weapon };
        text = `player kills opponent ${rival.name} with ${weapon}`;
      } else if (kind < 0.2) {
        statement = { subject: rival, action: 'kill', object: 'player', with: weapon };
        text = `opponent ${rival.name} kills player with ${weapon}`;
      } else if (kind < 0.3) {
        statement = { subject: rival, action: 'kill', object: other, with: weapon };
        text = `opponent ${rival.name} kills opponent ${other.name} with ${weapon}`;
      } else if (kind < 0.4) {
        statement = { subject: 'player', action: 'pick up', object: item };
        text = `player picks up ${item}`;
      } else if (kind < 0.45) {
        statement = { subject: 'player', action: 'spawn' };
        text = 'player spawns';
      } else {
        const property = pick(['health', 'ammunition', 'armor']);
        const [from, to] = [figures[property]!, Math.floor(random() * 200)];
        figures[property] = to;
        statement = { subject: 'player', property, from, to };
        text = `player's ${property} ${to < from ? 'drops' : 'rises'} from ${from} to ${to}`;
      }
      const t = Math.round((i + random()) * 1e6) / 1e6;
      lines.push(
        JSON.stringify({
          type: 'event',
          id: `${number.toString(16)}-${i.toString(16)}`,
          t,
          end: t,
          game: 'openarena',
          session: `match-${number}`,
          text,
          statement,
          confidence: Math.round(1000 - random() * 100) / 1000,
          cues: [],
        }),
      );
    }
    lines.push(JSON.stringify({ type: 'end', events, gaps: 0, samples: 0 }));
    writeFileSync(join(path, 'events.ndjson'), `${lines.join('\n')}\n`);
  }
}

/** Bytes of the tables and indexes of a schema. */
async function sizeOf(url: string, schema: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  // Rows of transactions that are over take space until the server has removed them.
  for (const table of ['occurrence', 'tally', 'shape', 'string', 'mention', 'session'])
    await client.query(`VACUUM (FULL, ANALYZE) ${schema}.${table}`);
  const sql = `SELECT sum(pg_total_relation_size(oid))::double precision AS bytes FROM pg_class
    WHERE relkind = 'r' AND relnamespace = $1::regnamespace`;
  const { rows } = await client.query<{ bytes: number }>(sql, [schema]);
  await client.end();
  return rows[0]!.bytes;
}

const milliseconds = (since: number): number => performance.now() - since;

/** The time of one answer. */
async function time(library: Library, question: string): Promise<{ readonly ms: number; readonly found: number }> {
  const start = performance.now();
  const result = await library.ask(await library.compile(question));
  return { ms: milliseconds(start), found: Number(result.answer?.value ?? result.count) };
}

if (values.child !== undefined) {
  // A fresh process: from opening the library to the answer, without the start of Node.
  const start = performance.now();
  await using library = await Library.open(file);
  await time(library, values.child);
  process.stdout.write(String(milliseconds(start)));
} else {
  if (!existsSync(join(folder, `match-${String(sessions - 1).padStart(5, '0')}.playbyplay`, 'events.ndjson')))
    writeLogs();
  await using server = values.postgres ? await startPostgres({ isDurable: true }) : undefined;
  const location = server?.url ?? file;
  await using library = await Library.open(location, { create: true });
  let start = performance.now();
  const { added } = await library.add([folder]);
  const adding = milliseconds(start) / 1000;
  start = performance.now();
  await library.add();
  const updating = milliseconds(start) / 1000;
  const total = (await library.sessions()).reduce((sum, session) => sum + session.events, 0);
  const bytes = server ? await sizeOf(server.url, 'playbyplay') : statSync(file).size;
  console.log(
    `${sessions} sessions, ${total} events; ${added} logs added in ${adding.toFixed(1)} s; unchanged, looked at in ${updating.toFixed(2)} s`,
  );
  console.log(`${(bytes / total).toFixed(1)} bytes an event (${(bytes / 2 ** 20).toFixed(1)} MiB)`);
  if (values.rebuild) {
    start = performance.now();
    await using again = await Library.open(server ? `${server.url}?library=again` : `${file}.again`, { create: true });
    await again.add([folder]);
    console.log(`rebuilt in ${(milliseconds(start) / 1000).toFixed(1)} s`);
  }
  console.log('\n| question | found | warm p50 ms | warm p99 ms | cold ms |\n|---|---:|---:|---:|---:|');
  for (const question of QUESTIONS) {
    const cold = Number(
      execFileSync(
        process.execPath,
        [...process.execArgv, import.meta.filename, '--folder', folder, '--library', location, '--child', question],
        { encoding: 'utf8' },
      ),
    );
    const runs: number[] = [];
    let found = 0;
    for (let run = 0; run <= asks; run++) {
      const one = await time(library, question);
      if (run > 0) runs.push(one.ms);
      found = one.found;
    }
    console.log(
      `| ${question} | ${found} | ${quantile(runs, 0.5).toFixed(1)} | ${quantile(runs, 0.99).toFixed(1)} | ${cold.toFixed(0)} |`,
    );
  }
}
