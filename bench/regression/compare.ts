// Runs the same commands with a baseline checkout and with this one, and compares what they write:
//   node bench/regression/compare.ts <baseline checkout> <recording>… [--work <folder>] [--only logs,queries,…]
// A recording's game is the folder of its path that names a game profile; without one the game is detected.
// Results stay in the work folder, and baseline results found there are reused. Needs the ffmpeg command.
// Exit code 3 if anything differs.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';

const CONCURRENT_COMMANDS = 2;
const SAVED_RESULT = '.result';
/** Encoded frames vary between two runs of one version on a busy machine (56 dB were measured with 0.1). */
const MIN_ENCODED_PSNR_DB = 45;
const candidate = join(import.meta.dirname, '..', '..');
const areas = ['logs', 'queries', 'highlights', 'exports', 'quality'] as const;
type Area = (typeof areas)[number];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { work: { type: 'string' }, only: { type: 'string' } },
});
const [baselineArgument, ...recordings] = positionals.map((path) => resolve(path));
if (baselineArgument === undefined || recordings.length === 0) {
  throw new RangeError('usage: compare.ts <baseline checkout> <recording>… [--work <folder>] [--only logs,queries]');
}
const baseline = baselineArgument;
const work = resolve(values.work ?? join(tmpdir(), 'playbyplay-regression'));
const selected = new Set(values.only?.split(',') ?? areas);

/**
 * Intended differences between 0.1 and 0.2: a text that matches in the baseline's output is replaced before comparing.
 * Each entry is named in CHANGELOG.md.
 */
const intendedChanges: readonly { readonly area: Area; readonly from: RegExp; readonly to: string }[] = [
  // Marker classes are victory and defeat instead of deed and downfall.
  { area: 'exports', from: /("class": "|note="|<comment>)deed\b/g, to: '$1victory' },
  { area: 'exports', from: /("class": "|note="|<comment>)downfall\b/g, to: '$1defeat' },
  // JSON fields have standard names.
  { area: 'quality', from: /\/happenings\//g, to: '/incidents/' },
  { area: 'quality', from: /\/agreements\//g, to: '/rankCorrelations/' },
  // Numbers have units.
  { area: 'queries', from: /^\{"count":(\d+)\}$/gm, to: '{"value":$1,"unit":null}' },
];

/** One comparison: a command and what of its results must stay the same. */
interface Check {
  readonly area: Area;
  readonly name: string;
  /** Arguments of the program; `out` is an empty folder of this check and side. */
  readonly args: (out: string) => readonly string[];
  /** Text to compare, from standard output and the files in `out`; default: standard output. */
  readonly result?: (out: string, stdout: string) => Promise<string> | string;
}

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, args: readonly string[], cwd?: string): Promise<Finished> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(cwd && { cwd }) });
    const [stdout, stderr]: Buffer[][] = [[], []];
    child.stdout.on('data', (data: Buffer) => stdout!.push(data));
    child.stderr.on('data', (data: Buffer) => stderr!.push(data));
    child.on('error', fail);
    child.on('close', (code) =>
      done({ code: code ?? -1, stdout: `${Buffer.concat(stdout!)}`, stderr: `${Buffer.concat(stderr!)}` }),
    );
  });
}

function playbyplay(checkout: string, args: readonly string[]): Promise<Finished> {
  const { bin } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { bin: { playbyplay: string } };
  const program = join(checkout, bin.playbyplay);
  if (!existsSync(program)) throw new Error(`${program} does not exist: run npm run build in ${checkout}`);
  return run(join(checkout, 'node_modules', '.bin', 'node'), [program, ...args]);
}

function gameOf(recording: string): string | undefined {
  const games = new Set(readdirSync(join(baseline, 'configs')));
  return dirname(recording)
    .split(sep)
    .findLast((folder) => games.has(folder));
}

/** Hashes of every decoded frame and sound packet, captions, chapters and metadata of a media file. */
async function mediaContent(path: string): Promise<string> {
  const read = async (...args: string[]): Promise<string> => {
    const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', path, ...args, '-']);
    return stdout;
  };
  const frames = await read('-map', '0:v', '-map', '0:a?', '-f', 'framemd5');
  if (!/\.(?:mp4|mkv|webm)$/.test(path)) return frames;
  return `${frames}\n${await read('-map', '0:s?', '-f', 'webvtt')}\n${await read('-f', 'ffmetadata')}`;
}

async function contentOf(folder: string): Promise<string> {
  const parts: string[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(folder, name);
    if (/\.(?:mp4|mkv|webm|png|jpg|gif|webp)$/.test(name)) parts.push(name, await mediaContent(path));
    else if (/\.[a-z]+$/.test(name) && name !== SAVED_RESULT) parts.push(name, readFileSync(path, 'utf8'));
  }
  return parts.join('\n');
}

function eventLines(out: string): string {
  const lines = readFileSync(join(out, 'events.ndjson'), 'utf8').split('\n');
  return lines.filter((line) => /^\{"type":"(?:event|gap|end)"/.test(line)).join('\n');
}

/** The numbers of a JSON text with their paths, to nine digits: labels and explanations are prose and may be reworded. */
function jsonNumbers(text: string): string {
  const lines: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) visit(inner, `${path}/${key}`);
    else if (typeof value === 'number') lines.push(`${path} ${Number(value.toPrecision(9))}`);
    else if (typeof value !== 'string') lines.push(`${path} ${value}`);
  };
  visit(JSON.parse(text), '');
  return lines.join('\n');
}

/** Geometry and figures of a report page. */
function chartNumbers(out: string): string {
  const page = readFileSync(join(out, 'report.html'), 'utf8');
  return [...page.matchAll(/ (?:d|[xy][12]?|c[xy]|width|height)="[^"]*"|>[\d.,:–−% ]+</g)]
    .map(([text]) => text)
    .join('\n');
}

const logFolder = (recording: string): string => join(work, 'baseline', `logs ${clipOf(recording)} full 1`);

function clipOf(recording: string): string {
  return basename(dirname(recording));
}

function logChecks(recording: string): Check[] {
  const game = gameOf(recording);
  return ['full', 'adaptive'].flatMap((plan) =>
    ['1', '2'].map((workers): Check => {
      const options = ['--plan', plan, '--workers', workers, ...(game === undefined ? [] : ['--game', game])];
      return {
        area: 'logs',
        name: `${clipOf(recording)} ${plan} ${workers}`,
        args: (out) => ['detect', recording, ...options, '--out', out],
        result: eventLines,
      };
    }),
  );
}

function queryChecks(): Check[] {
  const cases = JSON.parse(readFileSync(join(baseline, 'test', 'cases', 'queries.json'), 'utf8')) as Record<
    'matches' | 'counts' | 'rejected',
    readonly { readonly query: string }[]
  >;
  const queries = [...cases.matches, ...cases.counts, ...cases.rejected].map(({ query }) => query);
  return [...new Set(queries)].map((query) => ({
    area: 'queries',
    name: query,
    args: () => ['query', '--json', query, ...recordings.map(logFolder)],
  }));
}

function mediaOptions(list: readonly string[]): string[] {
  return list.flatMap((recording) => ['--media', recording]);
}

function highlightCheck(name: string, list: readonly string[], args: (out: string) => readonly string[]): Check {
  return {
    area: 'highlights',
    name,
    args: (out) => ['highlights', ...list.map(logFolder), ...mediaOptions(list), ...args(out)],
    result: contentOf,
  };
}

function highlightChecks(): Check[] {
  const each = recordings.flatMap((recording) => [
    highlightCheck(`${clipOf(recording)} reel`, [recording], (out) => [
      '-o',
      join(out, 'reel.mp4'),
      '-o',
      join(out, 'list.json'),
      '-o',
      join(out, 'sheet.png'),
    ]),
    highlightCheck(`${clipOf(recording)} short`, [recording], (out) => [
      '--preset',
      'short',
      '-o',
      join(out, 'short.mp4'),
    ]),
    highlightCheck(`${clipOf(recording)} stills`, [recording], (out) => [
      '--duration',
      '15',
      '-o',
      join(out, 'preview.gif'),
      '--thumbnails',
      join(out, 'thumbnails'),
      '--clips',
      join(out, 'clips'),
    ]),
    highlightCheck(`${clipOf(recording)} query`, [recording], (out) => [
      '--query',
      'player dies',
      '--before',
      '4',
      '--title',
      'Deaths',
      '--aspect',
      '1:1',
      '--layout',
      'blur',
      '--duration',
      '12',
      '-o',
      join(out, 'deaths.mkv'),
    ]),
  ]);
  return [
    ...each,
    highlightCheck('all recordings', recordings, (out) => ['--preset', 'montage', '-o', join(out, 'all.mp4')]),
  ];
}

function exportChecks(): Check[] {
  const formats =
    'otio edl fcpxml xmeml mlt losslesscut losslesscut-csv resolve-edl resolve-csv recording-otio vtt srt reel-vtt reel-srt youtube markdown text play-by-play json';
  const summaries = ['text', 'markdown', 'post', 'json'];
  return [...recordings.map((recording) => [recording]), recordings].flatMap((list) => {
    const name = list.length === 1 ? clipOf(list[0]!) : 'all recordings';
    const logs = [...list.map(logFolder), ...mediaOptions(list)];
    return [
      ...formats.split(' ').map(
        (format): Check => ({
          area: 'exports',
          name: `${name} ${format}`,
          args: () => ['export', ...logs, '-f', format],
        }),
      ),
      ...summaries.map(
        (format): Check => ({
          area: 'exports',
          name: `${name} summary ${format}`,
          args: () => ['summary', ...logs, '--format', format],
        }),
      ),
    ];
  });
}

/** A streamed session of two minutes in two halves, with jitter, freezes, drops and a change of bitrate. */
function writeSessionHalves(folder: string): [server: string, client: string] {
  let state = 12_345;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const server = ['{"fps":60,"width":1280,"height":720,"targetBitrate":8000000}'];
  const client: string[] = [];
  for (let frame = 0, captured = 1000; frame < 7200; frame++) {
    captured += 1000 / 60 + (random() < 0.01 ? 60 * random() : 0) + (frame % 2000 === 1500 ? 700 : 0);
    const transmitted = captured + 8 + 2 * random();
    const received = transmitted + 15 + 10 * random() ** 4 + 5e6;
    const presented = received + 6 + 8 * random();
    const lost = random() < 0.005;
    const returned = lost ? null : transmitted + (presented - received) + 30 + 5 * random();
    const settings = frame === 4000 ? { targetBitrate: 3e6 } : {};
    server.push(JSON.stringify({ frame, captured, transmitted, returned, ...settings }));
    const inputs = random() < 0.1 ? [presented - 60 - 40 * random()] : [];
    if (!lost) client.push(JSON.stringify({ frame, received, presented, inputs }));
  }
  mkdirSync(folder, { recursive: true });
  const paths: [string, string] = [join(folder, 'server.ndjson'), join(folder, 'client.ndjson')];
  writeFileSync(paths[0], `${server.join('\n')}\n`);
  writeFileSync(paths[1], `${client.join('\n')}\n`);
  return paths;
}

type QualityResult = NonNullable<Check['result']>;

function qualityCheck(name: string, args: (out: string) => readonly string[], result: QualityResult): Check {
  return { area: 'quality', name, args: (out) => ['quality', ...args(out)], result };
}

const numbers: QualityResult = (_, stdout) => jsonNumbers(stdout);

function qualityChecks(): Check[] {
  const folder = join(baseline, 'test', 'fixtures', 'quality');
  const halves = writeSessionHalves(join(work, 'session'));
  const sessions = [...readdirSync(folder).map((name) => [join(folder, name)]), halves, [recordings[0]!]];
  return [
    ...sessions.flatMap((paths) => [
      qualityCheck(`${basename(paths[0]!)} figures`, () => [...paths, '--json'], numbers),
      qualityCheck(`${basename(paths[0]!)} series`, () => [...paths, '--json', '--series'], numbers),
      qualityCheck(
        `${basename(paths[0]!)} report`,
        (out) => [...paths, '--report', join(out, 'report.html')],
        chartNumbers,
      ),
    ]),
    qualityCheck(
      'many sessions report',
      (out) => [
        join(folder, 'presentmon-1.csv'),
        join(folder, 'mangohud.csv'),
        ...halves,
        '--before',
        join(folder, 'presentmon-2.csv'),
        '--before',
        join(folder, 'capframex.csv'),
        '--report',
        join(out, 'report.html'),
      ],
      chartNumbers,
    ),
    qualityCheck(
      'stream events in a log',
      (out) => [...halves, '--events', logFolder(recordings[0]!), '-o', join(out, 'events.ndjson')],
      eventLines,
    ),
    qualityCheck('advise', () => ['advise', ...halves, '--json'], numbers),
    qualityCheck('compare', () => ['compare', ...halves, '--json'], numbers),
    qualityCheck('simulate', () => ['simulate', '--seeds', '2', '--minutes', '1', '--json'], numbers),
    qualityCheck('simulate one', () => ['simulate', '--seed', '3', '--minutes', '2', '--json'], numbers),
  ];
}

function folderOf(side: 'baseline' | 'candidate', check: Check): string {
  return join(work, side, `${check.area} ${check.name}`.replaceAll(/[^\w. ()-]/g, '_').slice(0, 120));
}

async function resultOf(side: 'baseline' | 'candidate', check: Check): Promise<string> {
  const folder = folderOf(side, check);
  const saved = join(folder, SAVED_RESULT);
  if (side === 'baseline' && existsSync(saved)) return readFileSync(saved, 'utf8');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { code, stdout, stderr } = await playbyplay(side === 'baseline' ? baseline : candidate, check.args(folder));
  let result: string;
  try {
    result = `exit ${code}\n${await (check.result?.(folder, stdout) ?? stdout)}`;
  } catch {
    result = `exit ${code}\n${stderr}`;
  }
  writeFileSync(saved, result);
  return result;
}

function withoutHashes(text: string): string {
  return text.replaceAll(/^(0,.*), [\da-f]{32}$/gm, '$1');
}

/**
 * Whether two results differ in frames of encoded videos only, of which each is at least `MIN_ENCODED_PSNR_DB` like its
 * counterpart.
 */
async function differsByEncodingOnly(check: Check, before: string, after: string): Promise<boolean> {
  if (withoutHashes(before) !== withoutHashes(after)) return false;
  const folder = folderOf('baseline', check);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(?:mp4|mkv)$/.test(name)) continue;
    const inputs = ['-i', join(folder, name), '-i', join(folderOf('candidate', check), name)];
    const { stderr } = await run('ffmpeg', ['-v', 'info', ...inputs, '-lavfi', 'psnr', '-f', 'null', '-']);
    const [, lowest] = / min:(\S+)/.exec(stderr) ?? [];
    if (lowest === undefined || (lowest !== 'inf' && Number(lowest) < MIN_ENCODED_PSNR_DB)) return false;
  }
  return true;
}

/** Undefined if both are equal, else the first line that differs. */
function firstDifference(area: Area, before: string, after: string): string | undefined {
  const expected = intendedChanges
    .filter((change) => change.area === area)
    .reduce((text, { from, to }) => text.replaceAll(from, to), before);
  // A check's files are named with their side's folder.
  const actual = after.replaceAll(join(work, 'candidate'), join(work, 'baseline'));
  if (expected === actual) return undefined;
  const [a, b] = [expected.split('\n'), actual.split('\n')];
  const line = a.findIndex((text, index) => text !== b[index]);
  return `line ${line + 1}: ${a[line]?.slice(0, 160) ?? '(end)'}  →  ${b[line]?.slice(0, 160) ?? '(end)'}`;
}

const checks = [
  ...recordings.flatMap(logChecks),
  ...queryChecks(),
  ...highlightChecks(),
  ...exportChecks(),
  ...qualityChecks(),
].filter(({ area }) => selected.has(area));

const differences = new Map<Check, string>();
const reencoded = new Set<Check>();
// The other areas read the baseline's logs.
for (const check of recordings.flatMap(logChecks)) if (check.name.endsWith('full 1')) await resultOf('baseline', check);
const queue = checks.values();
await Promise.all(
  Array.from({ length: CONCURRENT_COMMANDS }, async () => {
    for (const check of queue) {
      const [before, after] = [await resultOf('baseline', check), await resultOf('candidate', check)];
      const difference = firstDifference(check.area, before, after);
      if (difference === undefined) continue;
      if (check.area === 'highlights' && (await differsByEncodingOnly(check, before, after))) reencoded.add(check);
      else differences.set(check, difference);
      if (process.stderr.isTTY) process.stderr.write(`\r${check.area}: ${check.name}`.slice(0, 78).padEnd(78));
    }
  }),
);
if (process.stderr.isTTY) process.stderr.write('\r'.padEnd(79));

process.stdout.write('| what | compared | equal | equal but for encoding | different |\n|---|---|---|---|---|\n');
for (const area of areas.filter((each) => selected.has(each))) {
  const own = checks.filter((check) => check.area === area);
  const different = own.filter((check) => differences.has(check)).length;
  const similar = own.filter((check) => reencoded.has(check)).length;
  const equal = own.length - different - similar;
  process.stdout.write(`| ${area} | ${own.length} | ${equal} | ${similar} | ${different} |\n`);
}
for (const [{ area, name }, difference] of differences) process.stdout.write(`\n${area}: ${name}\n  ${difference}\n`);
process.exitCode = differences.size > 0 ? 3 : 0;
