import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { readStream } from '../../detectors/stream/read-stream.ts';
import { PlaybyplayError } from '../../errors.ts';
import { originSeconds } from '../../media/packets/packet-index.ts';
import { scanPackets } from '../../media/packets/scan-packets.ts';
import { openVideo } from '../../media/video.ts';
import { type Candidate, type Envelope, envelopeOf, momentsOf, Places } from './envelope.ts';
import { consensus, fitted, type Line, type Measured, on, scatter } from './line.ts';
import { LENGTH, phaseOffset, type Sounding } from './waveform.ts';

/** How the clock of a second record of a session runs against the recording's. */
export interface ClockAlignment {
  /** Whether the two belong together; if not, the rest says nothing. */
  readonly matched: boolean;
  /** Seconds of the recording at which the second's clock shows 0. */
  readonly offset: number;
  /** Parts per million by which the recording's clock runs ahead: recording = offset + (1 + drift/10⁶) · second. */
  readonly drift: number;
  /** 0 to 1: how many of the places that were compared agree, and how clearly. */
  readonly confidence: number;
  /** Places compared and those that agree. */
  readonly places: number;
  readonly agreeing: number;
  /** Seconds by which those differ from the alignment (root mean square). */
  readonly scatter: number;
  /** What was compared: the waveforms of two sound tracks, what sets in in them, or moments with what sets in. */
  readonly by: 'waveform' | 'onsets' | 'moments';
}

/** Options of `align`. */
export interface AlignOptions {
  /** Sound tracks, from 0. */
  readonly track?: number;
  readonly otherTrack?: number;
  readonly signal?: AbortSignal;
}

/** Frames of the stretches that are looked for, at most as many, and how many of the clearest places of each are kept. */
const STRETCH = { least: 800, most: 4000, count: 20, kept: 3 };
/** Seconds within which places of stretches agree: what drift moves within one, and the frames. */
const NEAR = 0.04;
/** Least clearness of a place. */
const CLEAR = 4.5;
/** Waveforms that are compared, least clearness, and seconds within which they agree. */
const FINE = { count: 40, clear: 7, near: 0.004 };
/** Seconds over which drift shows. */
const SHORTEST = 20;
/** Fewest places that must agree, and the share of those compared: music of one tempo and kit made 3 of 16 agree. */
const ENOUGH = { places: 4, share: 0.35 };

/** Aligns two recordings by what is heard in both. Throws what opening them throws. */
export function alignSound(first: string, second: string, options: AlignOptions = {}): ClockAlignment {
  const a = soundingOf(first, options.track ?? 0);
  const b = soundingOf(second, options.otherTrack ?? 0);
  const [whole, other] = [a, b].map((one) => envelopeOf(one.path, one.origin, one.track, options.signal)) as [
    Envelope,
    Envelope,
  ];
  const coarse = consensus(candidates(whole, other), NEAR);
  if (!coarse) return unmatched('onsets', 0);
  const line = fitted(coarse.members, SHORTEST);
  const length = other.frames / 100 - LENGTH;
  const measured: Measured[] = [];
  let compared = 0;
  const count = Math.max(4, Math.min(FINE.count, Math.floor(length / 2)));
  for (let i = 0; i < count; i++) {
    options.signal?.throwIfAborted();
    const at = Math.max(0, (length * (i + 0.5)) / count);
    const offset = on(line, at);
    if (at + offset < 0.3 || at + offset + LENGTH > whole.frames / 100) continue;
    compared++;
    const found = phaseOffset(a, b, at, offset);
    // Drift moves what is heard in the middle of a stretch.
    if (found && found.clear >= FINE.clear) measured.push({ at: at + LENGTH / 2, ...found });
  }
  const fine = consensus(measured, FINE.near);
  if (fine && fine.members.length >= Math.max(ENOUGH.places, ENOUGH.share * compared))
    return result('waveform', fine.members, compared);
  return byOnsets(coarse.members, whole, other);
}

/** Aligns a log (keys, events, subtitles) with what is heard in a recording when its records are. Throws `bad-stream`. */
export async function alignMoments(media: string, log: string, options: AlignOptions = {}): Promise<ClockAlignment> {
  const { entries } = readStream(await readFile(log, 'utf8'), basename(log));
  if (entries.length < 8)
    throw new PlaybyplayError('bad-stream', `${log} has ${entries.length} records, too few to be aligned by`);
  const sounding = soundingOf(media, options.track ?? 0);
  const whole = envelopeOf(sounding.path, sounding.origin, sounding.track, options.signal);
  const moments = momentsOf(entries.map(({ t }) => t));
  const coarse = consensus(candidates(whole, moments), NEAR);
  return coarse ? { ...byOnsets(coarse.members, whole, moments), by: 'moments' } : unmatched('moments', 0);
}

function byOnsets(members: readonly Measured[], whole: Envelope, other: Envelope): ClockAlignment {
  const places = stretches(whole, other).length;
  const clear = members.reduce((sum, one) => sum + one.clear, 0) / members.length;
  // By chance two or three stretches lie on a line; one alone must stand out by far.
  const enough = members.length >= Math.max(4, 0.5 * places) || (members.length >= 0.5 * places && clear > 8);
  return enough ? result('onsets', members, places) : unmatched('onsets', places);
}

function result(by: ClockAlignment['by'], members: readonly Measured[], places: number): ClockAlignment {
  const line: Line = fitted(members, SHORTEST);
  return {
    matched: true,
    offset: rounded(line.offset, 1e4),
    drift: rounded(line.drift * 1e6, 10),
    confidence: rounded(1 - Math.exp((-members.length * members.length) / Math.max(places, members.length) / 2), 1e3),
    places,
    agreeing: members.length,
    scatter: rounded(scatter(line, members), 1e5),
    by,
  };
}

function unmatched(by: ClockAlignment['by'], places: number): ClockAlignment {
  return { matched: false, offset: 0, drift: 0, confidence: 0, places, agreeing: 0, scatter: 0, by };
}

function stretches(whole: Envelope, other: Envelope): [from: number, to: number][] {
  const length = Math.min(other.frames, Math.max(STRETCH.least, Math.min(STRETCH.most, Math.floor(whole.frames / 4))));
  const count = Math.max(1, Math.min(STRETCH.count, Math.floor((2 * other.frames) / length) - 1));
  return Array.from({ length: count }, (_, i) => {
    const from = count === 1 ? 0 : Math.floor(((other.frames - length) * i) / (count - 1));
    return [from, from + length];
  });
}

function candidates(whole: Envelope, other: Envelope): Candidate[] {
  const parts = stretches(whole, other);
  const places = new Places(whole, Math.max(...parts.map(([from, to]) => to - from)));
  return parts.flatMap(([from, to]) => places.of(other, from, to, STRETCH.kept)).filter(({ clear }) => clear >= CLEAR);
}

/** A recording's sound, on its video's clock; a file without video has its own. */
function soundingOf(path: string, track: number): Sounding {
  try {
    using file = openVideo(path);
    return { path, track, origin: originSeconds(scanPackets(file)) };
  } catch (error) {
    if (error instanceof PlaybyplayError && error.code === 'no-video-stream') return { path, track, origin: 0 };
    throw error;
  }
}

function rounded(value: number, per: number): number {
  return Math.round(value * per) / per;
}
