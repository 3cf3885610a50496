// Learns sounds from some clips and measures their detection in others: precision, recall, time error and processor time.
//   node bench/detectors/sounds.ts --learn <clip folder> --on <clip folder> [--on …] [--examples 14] [--noise <clip folder>] [--level 6] [--activity] [--list]
// Truth: a change of the HUD (a round fired, a pickup) implies its sound; it lacks the same sounds of other players and monsters.
// --heard <folder> takes it from <clip>.json there instead: what the game played (tools/record/doom_sounds.py), all shots included.
// --length shotgun=0.4: seconds to learn of a sound. --lag: seconds by which the sound of the recordings is late (auto: 0.2 s plus one
// frame for OpenArena's recorder, otherwise 0). --noise: adds the sound of another recording at the same level, or --level 6 dB louder.
// --until 60: of a clip that is both learned from and tested, the first minute is for learning and the rest for testing. --only <sound>:
// learns these alone. --crowded: learns also from overlapping occurrences of the same sound. --loud 0.25: ignores sounds that the game
// played more quietly (tools/record/oa_sounds.py: the player's own shots have 0.4, others less with distance).
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { existsSync, readFileSync } from 'node:fs';
import type { AudioObservation, Listener, SoundFrame } from '../../src/detectors/kind.ts';
import { LoudListener, OnsetListener } from '../../src/detectors/sound/activity.ts';
import { VoiceListener } from '../../src/detectors/sound/voice.ts';
import { ClipListener } from '../../src/detectors/sound/clips.ts';
import { readFingerprint, type SoundFingerprint } from '../../src/detectors/sound/fingerprint.ts';
import { SAMPLE_RATE, Spectrogram } from '../../src/detectors/sound/spectrogram.ts';
import { type AudioBlock, readAudio } from '../../src/media/audio.ts';
import { learnSound } from '../../src/pipeline/authoring/learn-sound.ts';
import { upperMedian } from '../../src/statistics.ts';

interface Sound {
  readonly label: string;
  readonly t: number;
  /** It may have sounded or not: neither a miss nor a false one. */
  readonly unsure?: boolean;
}

interface Award {
  readonly t: number;
  readonly what: string;
}

interface Row {
  readonly t: number;
  readonly health: number | null;
  readonly armor: number | null;
  readonly message?: string;
  readonly ammo_table?: readonly (number | null)[];
  readonly weapon?: string;
  readonly ammo?: number | null;
  readonly dead?: boolean;
  readonly rank?: number;
  readonly rank_tied?: boolean;
}

const { values } = parseArgs({
  options: {
    learn: { type: 'string', multiple: true },
    until: { type: 'string', default: 'Infinity' },
    on: { type: 'string', multiple: true },
    examples: { type: 'string', default: '6' },
    length: { type: 'string', multiple: true, default: [] },
    heard: { type: 'string' },
    noise: { type: 'string' },
    level: { type: 'string', default: '0' },
    likeness: { type: 'string', default: '0.45' },
    clear: { type: 'string', default: '10' },
    within: { type: 'string', default: '6' },
    lag: { type: 'string', default: '0' },
    list: { type: 'boolean', default: false },
    activity: { type: 'boolean', default: false },
    loud: { type: 'string', default: '0' },
    only: { type: 'string', multiple: true },
    crowded: { type: 'boolean', default: false },
  },
});
if (!values.learn || !values.on) {
  process.stderr.write('usage: node bench/detectors/sounds.ts --learn <clip folder> --on <clip folder> [--on …]\n');
  process.exit(2);
}

/** What must have been heard in a clip. */
function truthOf(folder: string): Sound[] {
  const truth = JSON.parse(readFileSync(join(folder, 'truth.json'), 'utf8')) as {
    game?: string;
    fps?: number;
    series: Row[];
    awards?: readonly Award[];
  };
  const shown = truth.game?.startsWith('OpenArena')
    ? arenaSounds(truth.series, truth.awards ?? [])
    : doomSounds(truth.series);
  const file = values.heard && join(values.heard, `${basename(folder)}.json`);
  const sounds = file && existsSync(file) ? playedSounds(file, shown) : shown;
  // What the game itself played needs none: it is the recording's own clock.
  const recorder = truth.game?.startsWith('OpenArena') && truth.fps ? 0.2 + 1 / truth.fps : 0;
  const lag = sounds !== shown ? 0 : values.lag === 'auto' ? recorder : Number(values.lag);
  return sounds.map((sound) => ({ ...sound, t: sound.t + lag }));
}

/**
 * What the game itself played when every other sound was silent (tools/record/doom_sounds.py): others' shots, too. Its clock is set by
 * the rounds that leave. What the game cuts off within a tenth of a second may be heard or not.
 */
function playedSounds(file: string, shown: readonly Sound[]): Sound[] {
  const lumps: Readonly<Record<string, string>> = {
    DSPISTOL: 'pistol',
    DSSHOTGN: 'shotgun',
    DSITEMUP: 'item',
    DSWPNUP: 'weapon',
  };
  const played = JSON.parse(readFileSync(file, 'utf8')) as Record<string, [number, number, number][]>;
  return Object.keys(played)
    .flatMap((lump) => {
      const label = lumps[lump] ?? lump;
      const all = played[lump]!.map(([t, level, heard]) => ({
        label,
        t,
        unsure: heard < 0.1 || level < Number(values.loud),
      }));
      const later = all.flatMap((one) => shown.filter((other) => other.label === label).map(({ t }) => t - one.t));
      const near = (offset: number): number => later.filter((one) => Math.abs(one - offset) < 0.02).length;
      const offset = lumps[lump]
        ? later.reduce((best, one) => (near(one) > near(best) ? one : best), later[0] ?? 0)
        : 0;
      return all.map((one) => ({ ...one, t: one.t + offset }));
    })
    .toSorted((a, b) => a.t - b.t);
}

/** Doom: a round that leaves is a shot; every pick-up sounds, weapons otherwise than things. */
function doomSounds(series: readonly Row[]): Sound[] {
  const sounds: Sound[] = [];
  for (const [i, row] of series.entries()) {
    const before = series[i - 1];
    if (!before || row.health === null || before.health === null) continue;
    const fell = (k: number): boolean => (row.ammo_table?.[k] ?? 0) === (before.ammo_table?.[k] ?? 0) - 1;
    if (fell(0)) sounds.push({ label: 'pistol', t: row.t });
    if (fell(1)) sounds.push({ label: 'shotgun', t: row.t });
    const risen =
      row.health > before.health ||
      (row.armor ?? 0) > (before.armor ?? 0) ||
      [0, 1, 2, 3].some((k) => (row.ammo_table?.[k] ?? 0) > (before.ammo_table?.[k] ?? 0));
    const shown = row.message !== before.message && row.message ? row.message : undefined;
    if (shown?.startsWith('YOU GOT')) sounds.push({ label: 'weapon', t: row.t });
    else if (shown && /PICKED|GOT A/.test(shown)) sounds.push({ label: 'item', t: row.t });
    else if (risen) {
      // The message stands already: the same again.
      const label = row.message?.startsWith('YOU GOT') ? 'weapon' : 'item';
      sounds.push({ label, t: row.t, unsure: !row.message });
    }
  }
  return sounds;
}

/** OpenArena: the followed player's rounds; the announcer on changes of the lead. */
function arenaSounds(series: readonly Row[], awards: readonly Award[]): Sound[] {
  const sounds: Sound[] = [];
  // The announcer takes one award after the other, each for three seconds; of those of one moment in a fixed order.
  let free = 0;
  const order = ['capture', 'impressive', 'excellent', 'humiliation', 'defend', 'assist'];
  for (const { t, what } of awards.toSorted((a, b) => a.t - b.t || order.indexOf(a.what) - order.indexOf(b.what))) {
    const at = Math.max(t, free);
    free = at + 3;
    sounds.push({ label: what, t: at });
  }
  for (const [i, row] of series.entries()) {
    const before = series[i - 1];
    if (!before || row.dead || before.dead) continue;
    const shot = row.weapon === before.weapon && row.ammo === (before.ammo ?? 0) - 1;
    if (shot && row.weapon) sounds.push({ label: row.weapon, t: row.t });
    if (row.rank === undefined || (row.rank === before.rank && row.rank_tied === before.rank_tied)) continue;
    const place = (one: Row): string => (one.rank === 1 ? (one.rank_tied ? 'tied' : 'lead') : 'behind');
    if (place(row) === place(before)) continue;
    sounds.push({ label: { lead: 'taken the lead', tied: 'tied', behind: 'lost the lead' }[place(row)]!, t: row.t });
  }
  return sounds;
}

function* soundOf(folder: string): Generator<AudioBlock> {
  yield* readAudio(join(folder, 'video.mp4'), { sampleRate: SAMPLE_RATE, stereo: true });
}

/** Mean square of a clip's sound. */
function power(path: string): number {
  let [sum, count] = [0, 0];
  for (const { samples } of soundOf(path)) {
    for (const sample of samples) sum += sample * sample;
    count += samples.length;
  }
  return sum / count;
}

/** A clip's sound with another's added at the same mean power. */
function* mixed(folder: string, noise: string, decibels: number): Generator<AudioBlock> {
  const gain = Math.sqrt(power(folder) / power(noise)) * 10 ** (decibels / 20);
  const other: number[] = [];
  for (const { samples } of soundOf(noise)) for (const sample of samples) other.push(sample * gain);
  let at = 0;
  for (const { t, samples } of soundOf(folder)) {
    const sum = samples.map((sample) => sample + other[at++ % other.length]!);
    yield { t, samples: sum, sides: [sum, sum] };
  }
}

interface Hit extends Sound {
  readonly likeness: number;
  readonly gain: number;
}

function hear(blocks: Iterable<AudioBlock>, prints: readonly SoundFingerprint[]): { hits: Hit[]; seconds: number } {
  const spectrograph = new Spectrogram();
  const listener = new ClipListener(prints, {
    likeness: Number(values.likeness),
    clear: Number(values.clear),
    within: Number(values.within),
  });
  const hits: Hit[] = [];
  let frames = 0;
  const note = (heard: ReturnType<ClipListener['hear']>): void => {
    for (const { t, observation } of heard) {
      if (observation.state !== 'seen') continue;
      const { likeness, clear, gain } = observation.detail as { likeness?: number; clear?: number; gain: number };
      hits.push({ label: String(observation.value), t, likeness: likeness ?? clear ?? 0, gain });
    }
  };
  const take = (frame: SoundFrame): void => {
    frames++;
    note(listener.hear(frame));
  };
  for (const block of blocks) for (const frame of spectrograph.push(block)) take(frame);
  note(listener.pause());
  return { hits, seconds: frames / 100 };
}

/** Learns every sound that is heard often enough from its occurrences that nothing else interrupts. */
function learnAll(folders: readonly string[]): SoundFingerprint[] {
  const occurrences = new Map<string, { media: string; from: number; to: number }[]>();
  const given = new Map(values.length.map((one) => one.split('=') as [string, string]));
  const lengthOf = (label: string): number => Number(given.get(label) ?? 0.4);
  for (const folder of folders) {
    const truth = truthOf(folder);
    for (const { label, t, unsure } of truth) {
      const length = lengthOf(label);
      if (
        unsure ||
        (values.only && !values.only.includes(label)) ||
        t >= Number(values.until) ||
        t > truth.at(-1)!.t - 1 ||
        (!values.crowded && truth.some((other) => other.t !== t && other.t > t - 0.3 && other.t < t + length))
      )
        continue;
      const list = occurrences.get(label) ?? [];
      occurrences.set(label, list);
      list.push({ media: join(folder, 'video.mp4'), from: Math.round((t - 0.05) * 100) / 100, to: t - 0.05 + length });
    }
  }
  return [...occurrences].flatMap(([label, list]) => {
    const step = Math.max(1, Math.floor(list.length / Number(values.examples)));
    const chosen = list.filter((_, i) => i % step === 0).slice(0, Number(values.examples));
    if (chosen.length < Math.min(2, Number(values.examples))) return [];
    return [{ ...readFingerprint(JSON.stringify(learnSound(label, chosen)), label), label }];
  });
}

function median(list: readonly number[]): number {
  return upperMedian(list) ?? Number.NaN;
}

/** What needs no learning: how many true sounds begin with an onset, and how often each is reported. */
function activity(folder: string): string {
  const listeners: readonly (readonly [string, Listener])[] = [
    ['onsets', new OnsetListener(4, 0.08)],
    ['bursts of loudness', new LoudListener(6, -50)],
    ['voices', new VoiceListener(-45)],
  ];
  const heard = new Map<string, AudioObservation[]>(listeners.map(([name]) => [name, []]));
  const spectrograph = new Spectrogram();
  let frames = 0;
  for (const block of soundOf(folder)) {
    for (const frame of spectrograph.push(block)) {
      frames++;
      for (const [name, listener] of listeners) heard.get(name)!.push(...listener.hear(frame));
    }
  }
  const truth = truthOf(folder).filter(({ unsure }) => !unsure);
  const onsets = heard.get('onsets')!;
  const begun = truth.filter(({ t }) => onsets.some((one) => Math.abs(one.t - t) <= 0.05)).length;
  const counts = [...heard].map(([name, list]) => {
    const found = list.filter(({ observation }) => observation.state === 'seen').length;
    return `${((6000 * found) / frames).toFixed(1)} ${name}`;
  });
  return `${basename(folder)}: ${begun} of ${truth.length} sounds begin with an onset within 50 ms; a minute has ${counts.join(', ')}`;
}

const prints = learnAll(values.learn);
for (const { label, frames, onset, at, waves } of prints)
  process.stdout.write(
    `learnt ${label}: ${frames} frames, onset ${onset}, ${at.length} cells, ${waves.length} waveforms\n`,
  );
process.stdout.write(
  '\n| sound | clip | precision | recall | median error | worst | likeness of right and wrong ones |\n',
);
process.stdout.write('|---|---|---|---|---|---|---|\n');
let [cpu, heard] = [0, 0];
for (const folder of values.on) {
  const shown = truthOf(folder);
  // What was learnt from is not judged.
  const since = values.learn.includes(folder) && Number.isFinite(Number(values.until)) ? Number(values.until) : 0;
  const before = process.cpuUsage();
  const blocks = values.noise ? mixed(folder, values.noise, Number(values.level)) : soundOf(folder);
  const all = hear(blocks, prints);
  const { seconds } = all;
  const hits = all.hits.filter(({ t }) => t >= since);
  const { user, system } = process.cpuUsage(before);
  cpu += (user + system) / 1000;
  heard += seconds;
  const truth = shown.filter(({ t }) => t >= since);
  for (const { label } of prints) {
    const wanted = truth.filter((one) => one.label === label);
    const found = hits.filter((one) => one.label === label);
    const pairs = wanted
      .flatMap((one) => found.map((other) => ({ one, other, apart: other.t - one.t })))
      .filter(({ apart }) => Math.abs(apart) <= 0.15)
      .toSorted((a, b) => Math.abs(a.apart) - Math.abs(b.apart));
    const used = new Set<Sound>();
    const errors: number[] = [];
    const right: number[] = [];
    const gains: number[] = [];
    let unsure = 0;
    for (const { one, other, apart } of pairs) {
      if (used.has(one) || used.has(other)) continue;
      used.add(one).add(other);
      if (one.unsure) unsure++;
      else errors.push(apart);
      right.push(other.likeness);
      gains.push(other.gain);
    }
    const sure = wanted.filter((one) => !one.unsure);
    const wrong = found.filter((one) => !used.has(one));
    const list = (ones: readonly number[]): string =>
      ones.length === 0
        ? '–'
        : `${Math.min(...ones).toFixed(2)}…${median(ones).toFixed(2)}…${Math.max(...ones).toFixed(2)}`;
    const worst = Math.max(0, ...errors.map(Math.abs));
    process.stdout.write(
      `| ${label} | ${basename(folder)} | ${errors.length}/${found.length - unsure} | ${errors.length}/${sure.length} | ${(1000 * median(errors)).toFixed(0)} ms | ${(1000 * worst).toFixed(0)} ms | ${list(right)}; ${list(wrong.map((one) => one.likeness))} |\n`,
    );
    if (!values.list) continue;
    const missed = sure.filter((one) => !used.has(one));
    process.stdout.write(`  right at ${gains.map((gain, i) => `${right[i]!.toFixed(2)}/${gain}`).join(' ')}\n`);
    process.stdout.write(`  missed ${missed.map(({ t }) => t.toFixed(2)).join(' ')}\n`);
    process.stdout.write(
      `  wrong ${wrong.map(({ t, likeness, gain }) => `${t.toFixed(2)}:${likeness.toFixed(2)}/${gain}`).join(' ')}\n`,
    );
  }
}
process.stdout.write(
  `\n${(cpu / heard).toFixed(1)} ms of CPU a second of sound, decoding included (${heard.toFixed(0)} s)\n`,
);
if (values.activity) for (const folder of values.on) process.stdout.write(`${activity(folder)}\n`);
