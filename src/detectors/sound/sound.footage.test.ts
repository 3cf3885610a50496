import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AudioBlock, readAudio } from '../../media/audio.ts';
import { learnSound } from '../../pipeline/authoring/learn-sound.ts';
import type { AudioObservation, Listener, SoundFrame } from '../kind.ts';
import { LoudListener, OnsetListener } from './activity.ts';
import { VoiceListener } from './voice.ts';
import { ClipListener } from './clips.ts';
import { type Example, learnFingerprint, readFingerprint, type SoundFingerprint } from './fingerprint.ts';
import { SAMPLE_RATE, Spectrogram } from './spectrogram.ts';

/** Numbers of a linear congruential generator, −1…1: the same every time. */
function noise(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Sound without end that is silent but for what is put into it. */
class Tape {
  readonly samples: Float32Array;

  constructor(seconds: number) {
    this.samples = new Float32Array(Math.round(seconds * SAMPLE_RATE));
  }

  /** Adds what `wave` gives at `s` seconds from `t` on. */
  add(t: number, length: number, wave: (s: number) => number): this {
    const first = Math.round(t * SAMPLE_RATE);
    for (let i = 0; i < length * SAMPLE_RATE && first + i < this.samples.length; i++)
      this.samples[first + i]! += wave(i / SAMPLE_RATE);
    return this;
  }

  /** As a decoder hands it over, in blocks of a size. */
  *blocks(size = 1024, t = 0): Generator<AudioBlock> {
    for (let at = 0; at < this.samples.length; at += size)
      yield { t: t + at / SAMPLE_RATE, samples: this.samples.subarray(at, at + size) };
  }
}

function frames(blocks: Iterable<AudioBlock>): SoundFrame[] {
  const spectrograph = new Spectrogram();
  return [...blocks].flatMap((block) => [...spectrograph.push(block)]);
}

function listen(listener: Listener, blocks: Iterable<AudioBlock>): AudioObservation[] {
  const spectrograph = new Spectrogram();
  const heard: AudioObservation[] = [];
  for (const block of blocks) for (const frame of spectrograph.push(block)) heard.push(...listener.hear(frame));
  return [...heard, ...listener.pause()];
}

/** A shot: a burst of noise that dies away, with the seed's own colour. */
function shot(seed: number): (s: number) => number {
  const next = noise(seed);
  let low = 0;
  const color = 0.15 + ((seed * 37) % 60) / 100;
  return (s) => {
    low += color * (next() - low);
    return 0.5 * low * Math.exp(-s * 9);
  };
}

/** Three tones that go up. */
function pickUp(s: number): number {
  const hertz = [660, 880, 1320][Math.min(2, Math.floor(s / 0.08))]!;
  return 0.12 * Math.sin(2 * Math.PI * hertz * s) * Math.exp(-s * 4);
}

/** Music: chords that change. */
function music(s: number): number {
  const root = [110, 131, 98, 147][Math.floor(s / 0.7) % 4]!;
  return [1, 1.25, 1.5, 2, 3].reduce((sum, part) => sum + 0.03 * Math.sin(2 * Math.PI * root * part * s), 0);
}

/** A vowel: harmonics of a pitch that moves, two formants, syllables. */
function voice(s: number): number {
  const hertz = 140 + 12 * Math.sin(2 * Math.PI * 3 * s);
  let sum = 0;
  for (let k = 1; k <= 24; k++) {
    const formant = Math.exp(-(((k * hertz - 600) / 500) ** 2)) + 0.6 * Math.exp(-(((k * hertz - 1700) / 600) ** 2));
    sum +=
      (0.03 + 0.2 * formant) * Math.sin(2 * Math.PI * k * 140 * s + (k * 12 * (1 - Math.cos(6 * Math.PI * s))) / 3);
  }
  return sum * (0.4 + 0.6 * Math.sin(2 * Math.PI * 4 * s) ** 2);
}

/** Shots that follow each other every tenth of a second, about, in a little noise. */
function burst(seed: number, times: number): { readonly tape: Tape; readonly at: readonly number[] } {
  const [next, hiss] = [noise(seed), noise(seed + 90)];
  const at = Array.from({ length: times }, (_, i) => 0.6 + 0.1 * i + Math.round(1.5 * next()) / 60);
  const tape = new Tape(at.at(-1)! + 1).add(0, 9, () => 0.02 * hiss());
  for (const t of at) tape.add(t, 0.4, shot(3));
  return { tape, at };
}

function printOf(label: string, length: number, wave: (s: number) => number): SoundFingerprint {
  const before = 40;
  const all = frames(new Tape(1 + length).add(0.5, length, wave).blocks());
  const first = all.findIndex(({ t }) => t >= 0.5 - 1e-9);
  const example: Example = {
    frames: all.slice(first - before).map(({ bands }) => bands),
    before,
    length: Math.round(length * 100),
  };
  return readFingerprint(JSON.stringify(learnFingerprint(label, [example])), label);
}

function said(heard: readonly AudioObservation[]): (readonly [number, unknown])[] {
  return heard.map(({ t, observation }) => [t, observation.state === 'seen' ? observation.value : observation.state]);
}

describe('frames of sound', () => {
  it('are at multiples of 10 ms, wherever the sound starts and however it is split', () => {
    const tape = new Tape(0.5).add(0, 0.5, music);
    const whole = frames(tape.blocks(1e6, 0.0123));
    expect(whole[0]!.t).toBe(0.04);
    expect(whole.map(({ t }) => Math.round(t * 100))).toEqual(whole.map((_, i) => 4 + i));
    const cut = frames(tape.blocks(777, 0.0123));
    expect(cut.map(({ bands }) => [...bands])).toEqual(whole.map(({ bands }) => [...bands]));
    expect(cut.map(({ loudness }) => loudness.toFixed(6)).slice(0, 40)).toEqual(
      whole.map(({ loudness }) => loudness.toFixed(6)).slice(0, 40),
    );
  });

  it('have the loudness that EBU Tech 3341 demands: a sine at −23 dB on both sides is −23 LUFS', () => {
    const sine = new Tape(2).add(0, 2, (s) => 10 ** (-23 / 20) * Math.sin(2 * Math.PI * 1000 * s));
    expect(Math.abs(frames(sine.blocks()).at(-1)!.loudness + 23)).toBeLessThan(0.1);
    // Of 3 s of which 2 sound.
    expect(Math.abs(frames(sine.blocks()).at(-1)!.shortTerm + 23 - 10 * Math.log10(2 / 3))).toBeLessThan(0.1);
  });
});

describe('a learnt sound', () => {
  const prints = [printOf('shot', 0.35, shot(3)), printOf('pick-up', 0.3, pickUp)];

  it('is found at its times, quieter and louder, and other sounds are not', () => {
    const tape = new Tape(5)
      .add(1, 0.4, (s) => 0.4 * pickUp(s))
      .add(3, 0.4, (s) => 2 * pickUp(s))
      .add(4, 0.3, (s) => 0.3 * Math.sin(2 * Math.PI * 500 * s));
    const again = shot(3);
    tape.add(2, 0.4, (s) => 0.5 * again(s));
    const heard = said(listen(new ClipListener(prints, { likeness: 0.5 }), tape.blocks()));
    expect(heard.map(([, what]) => what)).toEqual(['pick-up', 'shot', 'pick-up']);
    for (const [i, t] of [1, 2, 3].entries()) expect(Math.abs(heard[i]![0] - t)).toBeLessThan(0.03);
  });

  it('is found through music as loud as itself', () => {
    const tape = new Tape(6).add(0, 6, music);
    for (const t of [1.3, 2.9, 4.4]) tape.add(t, 0.4, pickUp).add(t + 0.7, 0.4, shot(3));
    const heard = said(listen(new ClipListener(prints, { likeness: 0.5 }), tape.blocks()));
    expect(heard.map(([, what]) => what)).toEqual(['pick-up', 'shot', 'pick-up', 'shot', 'pick-up', 'shot']);
    for (const [i, t] of [1.3, 2, 2.9, 3.6, 4.4, 5.1].entries()) expect(Math.abs(heard[i]![0] - t)).toBeLessThan(0.03);
  });

  it('is found next to another sound that starts with it', () => {
    const wave = shot(3);
    const both = new Tape(3).add(1.5, 0.4, pickUp).add(1.55, 0.4, (s) => 0.3 * wave(s));
    const heard = said(listen(new ClipListener(prints, { likeness: 0.35 }), both.blocks()));
    expect(heard.map(([, what]) => what).toSorted()).toEqual(['pick-up', 'shot']);
  });

  it('does not depend on how the sound is cut into blocks', () => {
    const tape = new Tape(3).add(0, 3, music).add(1.5, 0.4, pickUp);
    const [one, other] = [500, 4096].map((size) =>
      listen(new ClipListener(prints, { likeness: 0.3 }), tape.blocks(size)),
    );
    expect(one).toEqual(other);
  });

  describe('by its waveform', () => {
    const rain = noise(11);
    const rains = (size: number): Float32Array => Float32Array.from({ length: size }, () => 0.25 * rain());
    /** An occurrence with other sound as loud as itself, half a second before it and after. */
    const occurrence = (wave: (s: number) => number): { frames: Float32Array[]; samples: Float32Array } => {
      const tape = new Tape(1.4).add(0.5, 0.4, wave).add(0, 1.4, () => 0.1 * rain());
      const all = frames(tape.blocks()).filter(({ t }) => t > 0.095);
      const samples = Float32Array.from(
        all.flatMap((one) => [...tape.samples.subarray(Math.round(one.t * SAMPLE_RATE)).subarray(0, 240)]),
      );
      return { frames: all.map(({ bands }) => bands), samples };
    };
    const learn = (waves: readonly ((s: number) => number)[]): SoundFingerprint => {
      const examples = waves.map((wave) => {
        const { frames: seen, samples } = occurrence(wave);
        return { frames: seen, before: 40, length: 35, recorded: { samples, start: 40 * 240 } };
      });
      return readFingerprint(JSON.stringify(learnFingerprint('shot', examples)), 'shot');
    };
    const learnt = learn([shot(3), shot(3), shot(3), shot(3)]);

    it('is found beneath noise that is louder than it, to the hundredth of a second', () => {
      expect(learnt.waves).toHaveLength(1);
      const tape = new Tape(8);
      for (const t of [1.234, 3.1, 3.3, 7.4]) tape.add(t, 0.4, shot(3));
      for (const t of [2, 4.5, 6]) tape.add(t, 0.4, shot(8));
      for (const [i, value] of rains(tape.samples.length).entries()) tape.samples[i]! += value;
      const heard = listen(new ClipListener([learnt]), tape.blocks());
      expect(heard).toHaveLength(4);
      for (const [i, t] of [1.234, 3.1, 3.3, 7.4].entries()) expect(Math.abs(heard[i]!.t - t)).toBeLessThan(0.01);
      const gains = heard.map(({ observation }) => (observation as { detail?: { gain?: number } }).detail?.gain);
      for (const gain of gains) expect(Math.abs(Number(gain))).toBeLessThan(3);
    });

    it('has its own loudness in silence, even if learned together with another sound', () => {
      const turn = (2 * Math.PI * 100) / SAMPLE_RATE;
      const waves = learnt.waves.map((wave) => wave.map((value, i) => value + 0.1 * Math.sin(turn * i)));
      const humming = { ...learnt, waves };
      const heard = listen(new ClipListener([humming]), new Tape(4).add(2.5, 0.4, shot(3)).blocks());
      const gains = heard.map(({ observation }) => (observation as { detail?: { gain?: number } }).detail?.gain);
      expect(gains).toHaveLength(1);
      expect(Math.abs(Number(gains[0]))).toBeLessThan(2);
    });

    it('is heard the same however the sound is cut, and from wherever one begins to listen', () => {
      const tape = new Tape(6).add(2.5, 0.4, shot(3)).add(4.81, 0.4, shot(3));
      const [one, other] = [500, 4096].map((size) => listen(new ClipListener([learnt]), tape.blocks(size)));
      expect(one).toEqual(other);
      expect(one).toHaveLength(2);
      const later = new Tape(4.7);
      later.samples.set(tape.samples.subarray(Math.round(1.3 * SAMPLE_RATE)));
      expect(said(listen(new ClipListener([learnt]), later.blocks(1000, 1.3)))).toEqual(said(one!));
    });

    it('is separated from its own repetitions if it lasts longer than the pause between them', () => {
      const first = burst(1, 6);
      const every = frames(first.tape.blocks());
      const examples = first.at.map((t) => {
        const all = every.filter((one) => one.t > t - 0.435 && one.t < t + 0.515);
        const samples = Float32Array.from(
          all.flatMap((one) => [...first.tape.samples.subarray(Math.round(one.t * SAMPLE_RATE)).subarray(0, 240)]),
        );
        const before = all.findIndex((one) => one.t > t - 0.035);
        return {
          frames: all.map(({ bands }) => bands),
          before,
          length: 30,
          recorded: { samples, start: before * 240 },
        };
      });
      const print = readFingerprint(JSON.stringify(learnFingerprint('shot', examples)), 'shot');
      expect(print.waves).toHaveLength(1);
      const { tape, at } = burst(8, 7);
      const heard = listen(new ClipListener([print]), tape.blocks());
      const found = at.filter((t) => heard.some((one) => Math.abs(one.t - t) < 0.01));
      expect(found.length).toBe(at.length);
      expect(heard.length).toBe(at.length);
    });

    it('is not learned if every occurrence differs', () => {
      expect(learn([shot(3), shot(4), shot(5), shot(6)]).waves).toEqual([]);
    });
  });

  it('is refused if nothing stands out, or for another version', () => {
    const flat = frames(new Tape(1).blocks()).map(({ bands }) => bands);
    expect(() => learnFingerprint('nothing', [{ frames: flat, before: 40, length: 30 }])).toThrow(/does not differ/);
    expect(() => readFingerprint('{"format":"playbyplay/sound/0"}', 'old.json')).toThrow(/old.json has 8 mistakes/);
    expect(() => readFingerprint('no JSON', 'old.json')).toThrow(/old.json is not JSON/);
  });
});

describe('listening for activity', () => {
  it('finds sudden loudness and its end', () => {
    const tape = new Tape(8).add(0, 8, music).add(5, 1, (s) => 0.5 * Math.sin(2 * Math.PI * 800 * s));
    const heard = listen(new LoudListener(6, -50), tape.blocks());
    expect(said(heard).map(([, what]) => what)).toEqual(['loud', 'absent']);
    expect(Math.abs(heard[0]!.t - 5)).toBeLessThan(0.3);
    expect(Math.abs(heard[1]!.t - 6)).toBeLessThan(0.5);
  });

  it('finds sustained loudness by short-term loudness, not short peaks', () => {
    const bang = new Tape(12).add(0, 12, music).add(5, 0.2, (s) => 0.5 * Math.sin(2 * Math.PI * 800 * s));
    const stretch = new Tape(12).add(0, 12, music).add(5, 3, (s) => 0.5 * Math.sin(2 * Math.PI * 800 * s));
    expect(listen(new LoudListener(12, -50), bang.blocks()).length).toBeGreaterThan(0);
    expect(listen(new LoudListener(12, -50, 'short-term'), bang.blocks())).toEqual([]);
    expect(said(listen(new LoudListener(12, -50, 'short-term'), stretch.blocks()))[0]![1]).toBe('loud');
  });

  it('finds onsets within two hundredths of a second', () => {
    const tape = new Tape(4).add(0, 4, (s) => 0.02 * Math.sin(2 * Math.PI * 200 * s));
    for (const t of [1, 1.5, 3]) tape.add(t, 0.3, shot(5));
    const heard = listen(new OnsetListener(4, 0.08), tape.blocks());
    expect(heard).toHaveLength(3);
    for (const [i, t] of [1, 1.5, 3].entries()) expect(Math.abs(heard[i]!.t - t)).toBeLessThan(0.025);
  });

  it('distinguishes a voice from noise and chords', () => {
    const spoken = listen(new VoiceListener(-45), new Tape(4).add(1, 1.5, voice).blocks());
    expect(said(spoken)[0]![1]).toMatch(/speech|shout/);
    expect(Math.abs(spoken[0]!.t - 1)).toBeLessThan(0.4);
    const shots = new Tape(4);
    for (const t of [0.5, 1.2, 2.4]) shots.add(t, 0.4, shot(7));
    expect(listen(new VoiceListener(-45), shots.blocks())).toEqual([]);
  });
});

describe('on a recording', () => {
  const footage = join(import.meta.dirname, '../../../test/footage');
  const media = join(footage, 'freedoom-demo1.mp4');

  it('a shot learnt from five occurrences is found wherever a shell leaves the gun', () => {
    const truth = JSON.parse(readFileSync(join(footage, 'freedoom-demo1.truth.json'), 'utf8')) as {
      series: { t: number; ammo_table?: number[] }[];
    };
    const shots = truth.series.filter((row, i) => {
      const before = truth.series[i - 1]?.ammo_table?.[1];
      return before !== undefined && row.ammo_table?.[1] === before - 1;
    });
    const learnt = shots.filter((_, i) => i % 5 === 2).map(({ t }) => ({ media, from: t - 0.05, to: t + 0.35 }));
    const print = readFingerprint(JSON.stringify(learnSound('shotgun', learnt)), 'shotgun');
    const heard = listen(
      new ClipListener([print], { within: 6 }),
      readAudio(media, { sampleRate: SAMPLE_RATE, stereo: true }),
    );
    const missed = shots.filter(({ t }) => !heard.some((one) => Math.abs(one.t - t) < 0.06));
    expect(shots.length).toBeGreaterThan(5);
    expect(missed.length).toBeLessThanOrEqual(Math.ceil(shots.length / 10));
    // Some of the others are the enemies' shotguns.
    expect(heard.length).toBeLessThan(2 * shots.length);
  });
});
