// Measures how well speech is distinguished from a game's own sound: sentences spoken by espeak-ng (several voices, languages, speeds and
// pitches), mixed into a recording at known times and levels.
//   node bench/detectors/voices.ts <recording>… [--levels 12,6,0,-6] [--to 90] [--seed 1] [--voices espeak|others|festival] [--list]
// Levels: dB of a sentence over the game's sound during it. Detections without added speech are counted, too; they include the game's voices.
// --voices others: speakers and languages that are not in the training data; festival: another synthesizer. --features <file>: writes the
// input of tools/train/voice.py, a line every 50 ms. Needs the command espeak-ng or text2wave.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { VoiceFeatures, VoiceListener } from '../../src/detectors/sound/voice.ts';
import { SAMPLE_RATE, Spectrogram } from '../../src/detectors/sound/spectrogram.ts';
import { readAudio } from '../../src/media/audio.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    levels: { type: 'string', default: '12,6,0,-6' },
    to: { type: 'string', default: '90' },
    seed: { type: 'string', default: '1' },
    list: { type: 'boolean', default: false },
    voices: { type: 'string', default: 'espeak' },
    features: { type: 'string' },
  },
});
if (positionals.length === 0) {
  process.stderr.write('usage: node bench/detectors/voices.ts <recording>… [--levels 12,6,0,-6] [--to 90]\n');
  process.exit(2);
}

const SENTENCES: readonly (readonly [voice: string, text: string])[] = [
  ['en-gb', 'Enemy behind you, turn around.'],
  ['en-us+f3', 'I need a medic over here, quickly.'],
  ['en-us+m7', 'Reload, reload. Cover me.'],
  ['de', 'Achtung, er kommt von links.'],
  ['de+f2', 'Ich habe keine Munition mehr.'],
  ['fr+f4', 'Attention, il est sur le toit.'],
  ['es', 'Tenemos que volver a la base ahora.'],
  ['ru', 'Осторожно, снайпер на крыше.'],
  ['en-us+f5', 'Nice shot! That was amazing.'],
  ['en-gb+m3', 'Go go go, plant the bomb.'],
];

/** Speakers, languages and sentences that nothing was learnt from. */
const OTHERS: readonly (readonly [voice: string, text: string])[] = [
  ['en-gb-scotland+f1', 'They are capturing our flag, hurry up.'],
  ['it+m2', 'Attenzione alla torre, c’è un cecchino.'],
  ['pl+f3', 'Potrzebuję amunicji, natychmiast.'],
  ['nl+m4', 'Kijk uit, hij staat achter je.'],
  ['pt+f5', 'Vamos pela esquerda, rápido.'],
  ['sv+m6', 'Bra jobbat, nu tar vi dem.'],
  ['tr', 'Dikkat et, bomba kuruldu.'],
  ['en-us+whisperf', 'Stay quiet and follow me.'],
];

interface Span {
  readonly from: number;
  readonly to: number;
}

let state = Number(values.seed) * 2654435761;
/** A number from 0 to 1, the same in every run. */
function chance(): number {
  state = (state * 1664525 + 1013904223) % 2 ** 32;
  return state / 2 ** 32;
}

function soundOf(path: string, to: number): Float32Array {
  const parts: Float32Array[] = [];
  for (const { samples } of readAudio(path, { sampleRate: SAMPLE_RATE, from: 0, to })) parts.push(samples.slice());
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function power(samples: Float32Array): number {
  return samples.reduce((sum, value) => sum + value * value, 0) / Math.max(1, samples.length);
}

/** The sentences as they are spoken, without the silence around them. */
function sentences(folder: string): Float32Array[] {
  return (values.voices === 'espeak' ? SENTENCES : OTHERS).flatMap(([voice, text]) =>
    [150, 190].map((speed, i) => {
      const path = join(folder, `${voice}-${speed}.wav`);
      const args = ['-v', voice, '-s', String(speed), '-p', String(35 + 30 * i), '-w', path, text];
      if (values.voices === 'festival')
        execFileSync('text2wave', ['-o', path], { input: text.normalize('NFD').replaceAll(/[^ -~]/g, '') });
      else execFileSync('espeak-ng', args, { stdio: 'ignore' });
      const samples = soundOf(path, 30);
      const loud = [...samples.keys()].filter((at) => Math.abs(samples[at]!) > 0.02);
      return samples.slice(loud[0], loud.at(-1)! + 1);
    }),
  );
}

/** What is taken for a voice. */
function heard(samples: Float32Array): Span[] {
  const listener = new VoiceListener(-45);
  const spectrograph = new Spectrogram();
  const spans: Span[] = [];
  let from: number | undefined;
  const block = SAMPLE_RATE;
  for (let at = 0; at < samples.length; at += block) {
    for (const frame of spectrograph.push({ t: at / SAMPLE_RATE, samples: samples.subarray(at, at + block) })) {
      for (const { t, observation } of listener.hear(frame)) {
        if (observation.state === 'seen') from ??= t;
        else if (from !== undefined) {
          spans.push({ from, to: t });
          from = undefined;
        }
      }
    }
  }
  if (from !== undefined) spans.push({ from, to: samples.length / SAMPLE_RATE });
  return spans;
}

/** A line for every fifth frame: whether somebody speaks, and the features. */
function note(samples: Float32Array, truth: readonly Span[], group: string): void {
  const described = new VoiceFeatures();
  const spectrograph = new Spectrogram();
  const lines: string[] = [];
  let count = 0;
  for (let at = 0; at < samples.length; at += SAMPLE_RATE) {
    for (const frame of spectrograph.push({ t: at / SAMPLE_RATE, samples: samples.subarray(at, at + SAMPLE_RATE) })) {
      const found = described.push(frame);
      if (!found || count++ % 5 !== 0) continue;
      const spoken = truth.some(({ from, to }) => found.t >= from && found.t <= to) ? 1 : 0;
      lines.push(`${JSON.stringify([group, spoken, ...found.features.map((one) => Math.round(1e4 * one) / 1e4)])}\n`);
    }
  }
  appendFileSync(values.features!, lines.join(''));
}

function overlap(a: Span, b: Span): boolean {
  return a.from < b.to && b.from < a.to;
}

function formatShare(count: number, of: number): string {
  return `${count}/${of} (${((100 * count) / of).toFixed(0)} %)`;
}

function clock(spans: readonly Span[]): string {
  return spans.map(({ from, to }) => `${from.toFixed(1)}–${to.toFixed(1)}`).join(' ');
}

const folder = mkdtempSync(join(tmpdir(), 'voices-'));
try {
  const spoken = sentences(folder);
  for (const path of positionals) {
    const game = soundOf(path, Number(values.to));
    const name = basename(path) === 'video.mp4' ? basename(dirname(path)) : basename(path);
    const alone = heard(game);
    if (values.features !== undefined) note(game, [], name);
    process.stdout.write(
      `${name}, ${(game.length / SAMPLE_RATE).toFixed(0)} s: without added speech ${alone.length} voices\n`,
    );
    if (values.list) process.stdout.write(`  ${clock(alone)}\n`);
    for (const level of values.levels.split(',').map(Number)) {
      const samples = game.slice();
      const truth: Span[] = [];
      let next = 1;
      for (let i = 0; ; i++) {
        const sentence = spoken[(7 * i) % spoken.length]!;
        const at = Math.round((next + chance()) * SAMPLE_RATE);
        if (at + sentence.length + SAMPLE_RATE > samples.length) break;
        const gain = Math.sqrt(power(game.subarray(at, at + sentence.length)) / power(sentence)) * 10 ** (level / 20);
        for (let k = 0; k < sentence.length; k++) samples[at + k]! += gain * sentence[k]!;
        truth.push({ from: at / SAMPLE_RATE, to: (at + sentence.length) / SAMPLE_RATE });
        next = (at + sentence.length) / SAMPLE_RATE + 1.5;
      }
      if (values.features !== undefined) note(samples, truth, name);
      const found = heard(samples);
      // What the game itself sounds like is in both.
      const own = found.filter(
        (span) => truth.some((one) => overlap(one, span)) || !alone.some((one) => overlap(one, span)),
      );
      const right = own.filter((span) => truth.some((one) => overlap(one, span)));
      const known = truth.filter((one) => found.some((span) => overlap(one, span)));
      const late = known
        .map((one) => Math.abs(found.find((span) => overlap(one, span))!.from - one.from))
        .toSorted((a, b) => a - b);
      process.stdout.write(
        `  ${level} dB: precision ${formatShare(right.length, own.length)}, recall ${formatShare(known.length, truth.length)}, begins ${late[late.length >> 1]?.toFixed(2)} s off\n`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
