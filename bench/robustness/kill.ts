/**
 * Kills `detect`, `highlights`, `import` and `quality` at random moments, and continues or repeats them.
 *
 *   node bench/robustness/kill.ts [recording] [--game freedoom] [--kills 60] [--to 20] [--seed 1] [--only text] [--seconds s]
 *     [--program dist/cli.js] [--again 0.4]
 *
 * Runs of every kind (plans, worker counts, an aligned companion recording, a damaged file, network threads) are completed
 * once, then started again, killed by SIGKILL anywhere between start and end, sometimes several times, and continued with
 * --resume. The kinds whose names begin with "short" read a small recording made for this, so that a kill costs less than a second.
 * Reports how many logs are byte-identical, and whether a killed run left a prefix of that log.
 *
 * The other commands are killed and repeated. Reports whether a killed run left every output whole or absent, and whether the
 * repeated run wrote the same outputs and left nothing else behind. `--only` selects kinds of runs by a part of their name, `--seconds` ends all after that time,
 * `--program` runs a built program, `--again` is the share of killed runs that are killed again when they are resumed. Exit
 * code 1 if anything differs. Needs ffmpeg.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadProfile } from '../../src/profile/load.ts';
import { makeChangingGame, makeChangingRecording } from './changing-recording.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    game: { type: 'string', default: 'freedoom' },
    kills: { type: 'string', default: '60' },
    to: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    seconds: { type: 'string', default: 'Infinity' },
    program: { type: 'string', default: join(import.meta.dirname, '..', '..', 'src', 'cli', 'launch.js') },
    again: { type: 'string', default: '0.4' },
  },
});
const isLate = (): boolean => performance.now() > 1000 * Number(values.seconds);
const media = positionals[0] ?? join(import.meta.dirname, '..', '..', 'test', 'footage', 'freedoom-demo1.mp4');
const launch = values.program;
const folder = mkdtempSync(join(tmpdir(), 'kill-'));

/** Park–Miller generator. */
let seed = Number(values.seed) * 48_271;
const random = (): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
};

/** Creates a later part of the recording, a transport stream with dropped packets, and a pack with a companion profile. */
async function prepare(): Promise<{ second: string; damaged: string; pack: string }> {
  const [second, damaged] = [join(folder, 'second.mp4'), join(folder, 'damaged.ts')];
  ffmpeg('-ss', '3.5', '-i', media, '-c', 'copy', second);
  ffmpeg('-i', media, '-c', 'copy', '-bsf:v', "noise=drop='between(n,100,104)+between(n,400,401)'", damaged);
  const { profile, pack, path, script } = await loadProfile(values.game);
  const to = join(folder, 'pack');
  cpSync(dirname(pack.locate(path)), join(to, 'configs', values.game), { recursive: true });
  const [name, spec] = Object.entries(profile.detectors).find(([, { kind }]) => kind === 'text')!;
  const { screens: _, when: __, ...bare } = spec as unknown as Record<string, unknown>;
  const own = { reference: profile.reference };
  const detectors = { ...profile.detectors, [`second ${name}`]: { ...bare, media: 'second' } };
  const events = [
    ...(profile.events ?? []),
    {
      on: { detector: `second ${name}`, trigger: 'changed' },
      statement: { subject: 'opponent', property: name, from: '$previous', to: '$value' },
    },
  ];
  const json = JSON.stringify({ ...profile, media: { second: own }, detectors, events });
  writeFileSync(join(to, 'configs', values.game, 'profile.json'), json);
  if (script) cpSync(pack.locate('scripts'), join(to, 'scripts'), { recursive: true });
  return { second, damaged, pack: to };
}

function ffmpeg(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** Runs a command and kills it after `ms` milliseconds; returns its exit code, or null if it was killed. */
function run(args: readonly string[], ms = Number.POSITIVE_INFINITY): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [launch, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (data: Buffer) => {
      said += data.toString();
    });
    const timer = Number.isFinite(ms) ? setTimeout(() => child.kill('SIGKILL'), ms) : undefined;
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      if (code !== null && code !== 0) reject(new Error(`${args.join(' ')} ended with ${code}: ${said.slice(-2000)}`));
      else resolve(code);
    });
  });
}

function detect(out: string, args: readonly string[], ms?: number): Promise<number | null> {
  return run(['detect', ...args, '--out', out, '--quiet'], ms);
}

const logOf = (out: string): string => {
  const path = join(out, 'events.ndjson');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

const { second, damaged, pack } = await prepare();
const changing = makeChangingRecording({ folder, minutes: 6, fps: 2, group: 4 });
const short = [changing, '--game', makeChangingGame(folder, 0.5), '--place', 'default'];
const game = ['--game', values.game, '--to', values.to];
const companion = ['--game', pack, '--to', values.to, '--media', `second=${second}@auto`];
const threads = spawnSync(process.execPath, [launch, 'detect', '--help'], { encoding: 'utf8' }).stdout.includes(
  '--network-threads',
);
const kinds = Object.entries<readonly string[]>({
  'full plan, one thread': [media, ...game, '--workers', '1'],
  'full plan, three threads': [media, ...game, '--workers', '3'],
  'adaptive plan, one thread': [media, ...game, '--plan', 'adaptive', '--workers', '1'],
  'adaptive plan, three threads': [media, ...game, '--plan', 'adaptive', '--workers', '3'],
  'companion aligned by sound': [media, ...companion, '--workers', '2'],
  'companion aligned by sound, adaptive plan': [media, ...companion, '--workers', '2', '--plan', 'adaptive'],
  'damaged file, two threads': [damaged, ...game, '--workers', '2'],
  'short recording, full plan, one thread': [...short, '--workers', '1'],
  'short recording, full plan, three threads': [...short, '--workers', '3'],
  'short recording, adaptive plan, one thread': [...short, '--workers', '1', '--plan', 'adaptive'],
  'short recording, adaptive plan, three threads': [...short, '--workers', '3', '--plan', 'adaptive'],
  ...(threads && { 'two threads for networks': [media, ...game, '--workers', '2', '--network-threads', '2'] }),
}).filter(([name]) => values.only === undefined || name.includes(values.only));

/** Commands that write outputs at once, with the arguments that follow the folder of their outputs. */
const commands = Object.entries<(out: string) => readonly string[]>({
  highlights: (out) => ['highlights', log, '--media', media, '--duration', '4', '-o', join(out, 'reel.mp4')],
  import: (out) => ['import', gameLog, '-o', join(out, 'log')],
  quality: (out) => [
    'quality',
    statistics,
    '--report',
    join(out, 'report.html'),
    '--events',
    log,
    '-o',
    join(out, 'copy.ndjson'),
  ],
}).filter(([name]) => values.only === undefined || name.includes(values.only));
const fixtures = join(import.meta.dirname, '..', '..', 'test', 'fixtures');
const [gameLog, statistics] = [
  join(fixtures, 'logs', 'quake3-games.txt'),
  join(fixtures, 'quality', 'presentmon-2.csv'),
];
const log = join(folder, 'log');

/** Hashes of the files in a folder, by path. */
function outputsIn(out: string): ReadonlyMap<string, string> {
  const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(out.length + 1), createHash('sha256').update(readFileSync(path)).digest('hex')];
    }),
  );
}

let [kills, same, logs, beginnings] = [0, 0, 0, 0];
const share = Math.ceil(Number(values.kills) / Math.max(1, kinds.length + commands.length));
for (const [name, args] of kinds) {
  const whole = join(folder, 'whole');
  const began = performance.now();
  await detect(whole, args);
  let lasts = performance.now() - began;
  const expected = logOf(whole);
  const events = expected.split('\n').filter((line) => line.startsWith('{"type":"event"')).length;
  const most = kills + share;
  const first = { kills, same, logs };
  while (kills < most && !isLate()) {
    const out = join(folder, 'killed');
    rmSync(out, { recursive: true, force: true });
    const attempt = async (...more: string[]): Promise<number | null> => {
      const start = performance.now();
      const ended = await detect(out, [...args, ...more], 100 + random() * lasts);
      // On a less busy machine the run may have ended already.
      if (ended !== null) lasts = Math.min(lasts, performance.now() - start);
      return ended;
    };
    let ended = await attempt();
    while (ended === null) {
      kills++;
      const left = logOf(out);
      if (expected.startsWith(left.slice(0, left.lastIndexOf('\n') + 1))) beginnings++;
      else console.log(`  ${name}: the killed run left no prefix of the log`);
      if (kills >= most || isLate() || random() >= Number(values.again)) break;
      ended = await attempt('--resume');
    }
    await detect(out, [...args, '--resume']);
    logs++;
    if (logOf(out) === expected) same++;
    else console.log(`  ${name}: the resumed log DIFFERS`);
  }
  console.log(
    `${name} (${events} events, ${(lasts / 1000).toFixed(1)} s): ${kills - first.kills} kills, ${same - first.same} of ${logs - first.logs} logs the same to the byte`,
  );
  rmSync(whole, { recursive: true });
}
let [repeated, whole, equal] = [0, 0, 0];
if (commands.length > 0) await detect(log, [media, '--game', values.game, '--to', values.to]);
for (const [name, argsFor] of commands) {
  const out = join(folder, 'outputs');
  const renew = (): void => {
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out);
  };
  renew();
  const began = performance.now();
  await run(argsFor(out));
  let lasts = performance.now() - began;
  const expected = outputsIn(out);
  const first = { repeated, whole, equal };
  while (repeated - first.repeated < share && !isLate()) {
    renew();
    const start = performance.now();
    if ((await run(argsFor(out), random() * lasts)) !== null) {
      lasts = Math.min(lasts, performance.now() - start);
      continue;
    }
    repeated++;
    const left = outputsIn(out);
    const torn = [...left].filter(([path, hash]) => expected.has(path) && expected.get(path) !== hash);
    if (torn.length === 0) whole++;
    else console.log(`  ${name}: the killed run left ${torn.map(([path]) => path).join(', ')} incomplete`);
    await run(argsFor(out));
    const after = outputsIn(out);
    const differing = [...new Set([...expected.keys(), ...after.keys()])].filter(
      (path) => expected.get(path) !== after.get(path),
    );
    if (differing.length === 0) equal++;
    else console.log(`  ${name}: the repeated run leaves ${differing.join(', ')} different`);
  }
  console.log(
    `${name} (${expected.size} outputs, ${(lasts / 1000).toFixed(1)} s): ${repeated - first.repeated} kills, ${whole - first.whole} left outputs whole or absent, ${equal - first.equal} repeated runs wrote the same`,
  );
}
console.log(
  `in all: ${kills} kills, ${beginnings} left a beginning of the log, ${same} of ${logs} logs the same to the byte`,
);
if (repeated > 0)
  console.log(
    `other commands: ${repeated} kills, ${whole} left outputs whole or absent, ${equal} repeated runs wrote the same`,
  );
rmSync(folder, { recursive: true });
if (same < logs || beginnings < kills || whole < repeated || equal < repeated) process.exitCode = 1;
