// Measures reading of a companion recording (such as a webcam) with known truth: renders one from a clip of a second game with another start
// and drift and both recordings' sound, aligns it by sound, reads both in one run, and compares the companion's readings with
// its truth at the shifted times and with a run on that clip alone.
//   node bench/accuracy/companion.ts <main clip> <companion clip> [--offset -30.25] [--ppm 150] [--to seconds]
// A clip is a folder with video.mp4 and truth.json. Needs the ffmpeg command.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadLog } from '../../src/events/reader.ts';
import { isPropertyStatement } from '../../src/events/statement.ts';
import { alignSound } from '../../src/pipeline/align/align.ts';
import { type CompanionSource } from '../../src/pipeline/sources/companion.ts';
import { recordLog, type RecordOptions } from '../../src/pipeline/record-log.ts';
import { loadProfile } from '../../src/profile/load.ts';
import type { DetectorSpec, Profile } from '../../src/profile/profile.ts';
import { matchSaid, type Said } from '../../test/truth/match.ts';
import { declaredRules } from '../../test/truth/rules.ts';
import { loadTruth } from '../../test/truth/truth.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    offset: { type: 'string', default: '-30.25' },
    ppm: { type: 'string', default: '150' },
    to: { type: 'string' },
  },
});
const [mainClip, otherClip] = positionals;
if (mainClip === undefined || otherClip === undefined) {
  process.stderr.write('usage: node bench/accuracy/companion.ts <main clip> <companion clip> [--offset s] [--ppm n]\n');
  process.exit(2);
}
const offset = Number(values.offset);
const rate = 1 + Number(values.ppm) / 1e6;
const range = values.to === undefined ? {} : { to: Number(values.to) };
const folder = mkdtempSync(join(tmpdir(), 'companion-'));
const main = join(mainClip, 'video.mp4');
const webcam = join(folder, 'webcam.mp4');

/** The companion: its pictures untouched, its sound with the main recording's as its own clock would have it. */
function render(): void {
  const before = offset >= 0 ? ['-ss', String(offset)] : [];
  const late = offset >= 0 ? '' : `,adelay=${Math.round((-offset / rate) * 1000)}:all=1`;
  const graph = `[0:a]aresample=48000,aformat=channel_layouts=mono,asetrate=${Math.round(48_000 * rate * 1000) / 1000},aresample=48000${late}[x];[1:a]aresample=48000,aformat=channel_layouts=mono[y];[x][y]amix=inputs=2:duration=longest:normalize=0,volume=0.5[a]`;
  const args = [...before, '-i', main, '-i', join(otherClip!, 'video.mp4'), '-filter_complex', graph];
  execFileSync('ffmpeg', [
    '-y',
    '-v',
    'error',
    ...args,
    '-map',
    '1:v',
    '-map',
    '[a]',
    '-c:v',
    'copy',
    '-c:a',
    'aac',
    webcam,
  ]);
}

/** Detectors of the companion's game that are read, with what they rest on. */
const READ = ['health', 'armor', 'ammunition'];

/** A pack: the main game's profile (left out: none), and of the companion's game the figures as the opponent's. */
async function pack(name: string, own: string | undefined, other: string): Promise<string> {
  const theirs = await loadProfile(other);
  const to = join(folder, name, 'configs', name);
  mkdirSync(to, { recursive: true });
  cpSync(dirname(theirs.pack.locate(theirs.path)), join(to, 'cam'), { recursive: true });
  const media = own === undefined ? {} : { media: 'webcam' };
  const renamed = (spec: DetectorSpec): DetectorSpec => {
    const { screens: _, ...rest } = spec as DetectorSpec & { atlas: string };
    return { ...rest, ...media, region: `cam ${spec.region}`, atlas: `cam/${rest.atlas}` };
  };
  const detectors = Object.fromEntries(READ.map((one) => [`cam ${one}`, renamed(theirs.profile.detectors[one]!)]));
  const regions = Object.fromEntries(
    READ.map((one) => [`cam ${one}`, theirs.profile.regions[theirs.profile.detectors[one]!.region!]!]),
  );
  const events = READ.map((one) => ({
    on: { detector: `cam ${one}`, trigger: 'changed' as const },
    statement: { subject: 'opponent', property: one, from: '$previous', to: '$value' },
  }));
  const bare = { format: 'playbyplay/profile/1' as const, title: name, version: '1', fusion: false as const };
  const ours = own === undefined ? undefined : await loadProfile(own);
  if (ours) cpSync(dirname(ours.pack.locate(ours.path)), to, { recursive: true });
  const profile: Profile = {
    ...(ours ? ours.profile : { ...bare, reference: theirs.profile.reference, sampling: theirs.profile.sampling! }),
    game: name,
    ...(ours
      ? { media: { webcam: { reference: theirs.profile.reference } }, dictionaries: [own!] }
      : { dictionaries: [] }),
    regions: { ...ours?.profile.regions, ...regions },
    detectors: { ...ours?.profile.detectors, ...detectors },
    events: [...(ours?.profile.events ?? []), ...events],
  };
  writeFileSync(join(to, 'profile.json'), JSON.stringify(profile));
  if (ours?.script) {
    cpSync(ours.pack.locate('scripts'), join(folder, name, 'scripts'), { recursive: true });
    writeFileSync(join(folder, name, 'scripts', `${name}.js`), ours.script.source);
  }
  return join(folder, name);
}

type Line = Said & { readonly text: string };

async function read(
  out: string,
  options: Omit<RecordOptions, 'out'>,
): Promise<{ bytes: string; events: readonly Line[]; cpu: number }> {
  const before = process.cpuUsage();
  const { log } = await recordLog({ ...options, out: join(folder, out), place: 'default' });
  const { user, system } = process.cpuUsage(before);
  const { events } = await loadLog(join(folder, out));
  return { bytes: readFileSync(log, 'utf8'), events, cpu: (user + system) / 1e6 };
}

const isTheirs = ({ statement }: Said): boolean => isPropertyStatement(statement) && statement.subject === 'opponent';

try {
  render();
  const [mainTruth, truth] = [await loadTruth(mainClip), await loadTruth(otherClip)];
  const found = alignSound(main, webcam);
  process.stdout.write(
    `clock: ${offset} s, ${values.ppm} ppm; found by ${found.by}: ${found.offset} s, ${found.drift} ppm\n`,
  );
  if (!found.matched) throw new Error('the companion could not be aligned');
  const both = await pack('both', mainTruth.game, truth.game);
  const alone = await pack('alone', undefined, truth.game);
  const clock = { offset: found.offset, rate: 1 + found.drift / 1e6 };
  const pairs = [0, 1000].map((t): [number, number] => [t, clock.offset + clock.rate * t]);
  const companions: CompanionSource[] = [{ name: 'webcam', path: webcam, pairs }];
  const run = { media: main, game: both, companions, ...range };
  const one = await read('one', { ...run, workers: 1 });
  const plain = await read('plain', { media: main, game: mainTruth.game, workers: 1, ...range });
  const single = await read('single', { media: join(otherClip, 'video.mp4'), game: alone, workers: 1 });
  const theirs = one.events.filter(isTheirs);
  const end = Math.min(range.to ?? Number.POSITIVE_INFINITY, mainTruth.frames / mainTruth.fps);
  const within = (t: number): boolean => t >= 1 && t < end - 1;
  const exact = single.events
    .map((event) => ({ ...event, t: clock.offset + clock.rate * event.t }))
    .filter(({ t }) => within(t));
  const twins = matchSaid(
    exact,
    theirs.filter(({ t }) => within(t)),
    2e-6,
  );
  const { profile } = await loadProfile(truth.game);
  const shifted = truth
    .reduce(declaredRules(join(otherClip, 'video.mp4'), profile))
    .flatMap(({ t, statement }) =>
      isPropertyStatement(statement) && READ.includes(statement.property)
        ? [{ t: offset + rate * t, statement: { ...statement, subject: 'opponent' } }]
        : [],
    )
    .filter(({ t }) => within(t));
  const judged = matchSaid(
    shifted,
    theirs.filter(({ t }) => within(t)),
    0.3,
  );
  const errors = judged.pairs.map(({ truth: a, event: b }) => Math.abs(a.t - b.t)).toSorted((a, b) => a - b);
  const rest = one.events.filter((event) => !isTheirs(event)).map(({ t, text }) => `${t} ${text}`);
  const report = [
    `against truth: precision ${judged.pairs.length}/${judged.pairs.length + judged.extra.length}, recall ${judged.pairs.length}/${shifted.length}, time error median ${errors[errors.length >> 1]?.toFixed(4)} s, worst ${errors.at(-1)?.toFixed(3)} s`,
    `as alone: ${twins.pairs.length} of ${exact.length} at the very time, ${twins.extra.length} more`,
    `the main recording's ${plain.events.length} events ${rest.join('\n') === plain.events.map(({ t, text }) => `${t} ${text}`).join('\n') ? 'are the same' : 'DIFFER'} with and without it`,
  ];
  for (const [name, options] of [
    ['three workers', { workers: 3 }],
    ['adaptive plan', { plan: 'adaptive' }],
    ['adaptive, three workers', { plan: 'adaptive', workers: 3 }],
  ] as const) {
    const again = await read(name, { ...run, ...options });
    const lines = (events: readonly Line[]): string => events.map(({ t, text }) => `${t} ${text}`).join('\n');
    const same = 'plan' in options ? lines(again.events) === lines(one.events) : again.bytes === one.bytes;
    report.push(`${name}: ${same ? 'the same' : 'ANOTHER'} ${'plan' in options ? 'events' : 'bytes'}`);
  }
  report.push(
    `CPU: ${one.cpu.toFixed(1)} s with, ${plain.cpu.toFixed(1)} s without the companion, ${single.cpu.toFixed(1)} s for all of it alone`,
  );
  process.stdout.write(`${report.join('\n')}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
