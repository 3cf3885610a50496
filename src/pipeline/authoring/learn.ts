import { countLeading } from '../../binary-search.ts';
import { dirname, resolve } from 'node:path';
import type { Atlas } from '../../detectors/text/atlas.ts';
import { type LabelledLine, learnFixed, type LearnOptions as FixedOptions } from '../../detectors/text/learn-fixed.ts';
import {
  type Channel,
  type LightFile,
  lightFrom,
  LightMeter,
  lightPlanes,
  type LineImage,
  normalizeLight,
  sampleLine,
} from '../../detectors/text/line-image.ts';
import { GlyphReader } from '../../detectors/text/glyph-reader.ts';
import { learnProportional, type LearnProportionalOptions } from '../../detectors/text/learn-proportional.ts';
import type { TextOptions } from '../../detectors/text/options.ts';
import { PlaybyplayError } from '../../errors.ts';
import { toLanguageTags } from '../../language/tags.ts';
import { splitGraphemes, convertReadingOrder } from '../../language/text.ts';
import { isGap, decodeFrames } from '../../media/decode/decode-frames.ts';
import { splitIntoChunks, scanPackets } from '../../media/packets/scan-packets.ts';
import type { Picture } from '../../media/picture.ts';
import { openVideo } from '../../media/video.ts';
import type { LoadedProfile } from '../../profile/load.ts';
import { resolveReferenceSize } from '../../profile/defaults.ts';
import type { DetectorSpec } from '../../profile/profile.ts';
import { placeRegion } from '../../regions/place.ts';

/** A line of a label file: the text in a detector's region at a time, or at several `times`. `plain` marks pictures in neutral light. */
export interface Label {
  /** Recording, relative to the label file. */
  readonly media: string;
  /** Seconds. */
  readonly t: number;
  readonly detector: string;
  readonly text: string;
  readonly plain?: boolean;
}

/**
 * Parses NDJSON labels.
 *
 * @throws PlaybyplayError `bad-labels` with the line.
 */
export function parseLabels(text: string, name: string): Label[] {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    try {
      const label = JSON.parse(line) as Label;
      if (typeof label.media === 'string' && typeof label.t === 'number' && typeof label.detector === 'string')
        return expandLabel(label);
    } catch {
      // Reported below like every other line that is not a label.
    }
    throw new PlaybyplayError('bad-labels', `${name}, line ${i + 1} is not a label`, {
      hint: 'A label is {"media": "clip.mp4", "t": 12.3, "detector": "health", "text": "87"}.',
    });
  });
}

/** A label for each time. */
function expandLabel({ times, ...label }: Label & { readonly times?: readonly number[] }): Label[] {
  const text = String(label.text ?? '');
  const all = Array.isArray(times) && times.every((t) => typeof t === 'number') ? times : [label.t];
  return all.map((t) => ({ ...label, t, text }));
}

/** Options of learning a font: monospaced with a `pitch`, else proportional. */
export type LearnOptions = Omit<FixedOptions, 'layout' | 'pitch' | 'channel'> & {
  readonly pitch?: number;
  /** Default: for proportional fonts the channel with the best cross-validation, else luma. */
  readonly channel?: Channel;
};

/** Channels tried by default. */
export const CHANNELS = ['luma', 'red', 'green', 'blue', 'saturation red'] as const;
/** Smallest pixel deviation, in grey levels, with which the channels are compared. */
const CHANNEL_TRIAL_NOISE = 14;
/** Likeness of a picture's light below which a label is skipped. */
const MIN_LIGHT_LIKENESS = 0.8;

/** A label that its font reads differently. */
export interface Misreading {
  readonly label: Label;
  readonly text: string;
  readonly confidence: number;
}

/** A learnt font, and how well it reads its labels. */
export interface LearnedFont {
  readonly atlas: Atlas;
  /** Number of labels used. */
  readonly labels: number;
  /** Smallest pixel deviation, if chosen by cross-validation. */
  readonly noise?: number;
  /** Characters with fewer than two examples. */
  readonly rare: readonly string[];
  /** Labels that could not be segmented into characters. */
  readonly uncut: readonly Label[];
  /** Labels that the font reads differently. */
  readonly misread: readonly Misreading[];
  /** Where detectors were learned together: those whose labels a font of their own reads better. */
  readonly apart: readonly { readonly detector: string; readonly labels: number; readonly misread: number }[];
  /** Distance in reference pixels from the region's left edge to the text, if a left-aligned detector would miss it. */
  readonly lead: number | undefined;
}

/**
 * Learns the font of the named detectors from labelled pictures.
 *
 * @throws PlaybyplayError `no-labels`, `unknown-detector`, `unknown-region`.
 */
export async function learnAtlas(
  loaded: LoadedProfile,
  labels: readonly Label[],
  labelFile: string,
  detectors: readonly string[],
  options: LearnOptions,
): Promise<LearnedFont> {
  const wanted = labels.filter((label) => detectors.includes(label.detector));
  const { pitch, align, channel, ...shape } = options;
  const channels: readonly Channel[] = channel ? [channel] : pitch === undefined ? CHANNELS : ['luma'];
  const byChannel = channels.map((): LabelledImage[] => []);
  const meters = new Map<string, LightMeter>();
  for (const name of detectors) {
    const light = getTextSpec(loaded, name).light;
    if (light && !meters.has(light.file))
      meters.set(
        light.file,
        new LightMeter(Buffer.from(await loaded.assets.read(light.file)).toString('utf8'), light.file),
      );
  }
  for (const { label, picture } of labelledPictures(wanted, labelFile)) {
    const spec = getTextSpec(loaded, label.detector);
    const meter = spec.light && meters.get(spec.light.file);
    const region = meter && loaded.profile.regions[spec.light!.region]!;
    const place = region && placeRegion(region, picture, resolveReferenceSize(loaded.profile, spec.media));
    const light = place && meter.measure(picture, place);
    if (light && light.likeness < MIN_LIGHT_LIKENESS) continue;
    const order = convertReadingOrder(
      splitGraphemes(label.text),
      toLanguageTags(spec.language ?? loaded.profile.language),
    );
    for (const [i, one] of channels.entries()) {
      const image = cropLine(picture, loaded, spec, { ...shape, channel: one });
      if (light) normalizeLight(image, light, one, picture.color.matrix);
      byChannel[i]!.push({ image, text: order.join(''), label });
    }
  }
  const isLeft = detectors.some((name) => (getTextSpec(loaded, name).align ?? 'left') === 'left');
  return learnFont(byChannel, channels, detectors, {
    ...shape,
    ...(pitch === undefined ? {} : { pitch }),
    align,
    isLeft,
  });
}

/**
 * Learns a font from labelled lines, and says how well it reads them.
 *
 * @param byChannel The lines, in each of `channels`.
 * @param options `isLeft`: a detector reads from the left edge of its region.
 * @throws PlaybyplayError `no-labels`.
 */
export function learnFont(
  byChannel: readonly (readonly LabelledImage[])[],
  channels: readonly Channel[],
  detectors: readonly string[],
  { pitch, align, isLeft, ...shape }: Omit<LearnOptions, 'channel'> & { readonly isLeft: boolean },
): LearnedFont {
  const taken = channels.length > 1 ? selectChannel(byChannel, channels, shape) : 0;
  const lines = byChannel[taken]!;
  if (lines.length === 0)
    throw new PlaybyplayError('no-labels', `no label of ${detectors.join(', ')} could be used`, {
      hint: 'Are the detectors named as in the profile, and the times inside the recordings?',
    });
  const rest = { ...shape, channel: channels[taken]! };
  const learn = (own: readonly LabelledImage[]): LearnedFont | undefined => {
    if (pitch !== undefined) {
      return evaluateFont(own, learnFixed(own, { ...rest, pitch, align, layout: 'fixed' }), align, shape.margin);
    }
    const noise = rest.noise ?? selectNoise(own, rest);
    const learnt = learnProportional(own, { ...rest, noise });
    if (!learnt) return undefined;
    const lead = isLeft && learnt.lead > shape.margin ? learnt.lead / shape.pixels.x : undefined;
    const side = isLeft && lead === undefined ? 'left' : 'centre';
    const font = evaluateFont(own, learnt.atlas, side, shape.margin);
    const uncut = own.flatMap(({ label }, i) => (learnt.segmented[i] ? [] : [label]));
    return { ...font, uncut, noise, lead };
  };
  const font = learn(lines);
  if (!font)
    throw new PlaybyplayError('no-labels', `no label of ${detectors.join(', ')} could be segmented into characters`, {
      hint: 'Label moments with a plain background and separate characters, choose the --channel with the most contrast, or give the --pitch of a monospaced font.',
    });
  if (detectors.length === 1 || font.misread.length === 0) return font;
  // Two fonts learned as one read neither: each alone says whether that is the reason.
  const apart = detectors.flatMap((detector) => {
    const own = lines.filter(({ label }) => label.detector === detector);
    const before = font.misread.filter(({ label }) => label.detector === detector).length;
    const misread = own.length === 0 ? before : (learn(own)?.misread.length ?? own.length);
    return 2 * misread <= before && before > 0 ? [{ detector, labels: own.length, misread }] : [];
  });
  return { ...font, apart };
}

/** Smallest pixel deviations tried, in grey levels. */
const NOISE_LEVELS = [6, 10, 14, 20];

/** Selects the smallest pixel deviation by cross-validation; of equally good ones the middle. */
function selectNoise(lines: readonly LabelledImage[], options: LearnProportionalOptions): number {
  const right = NOISE_LEVELS.map((noise) => crossValidate(lines, { ...options, noise }));
  const best = NOISE_LEVELS.filter((_, i) => right[i] === Math.max(...right));
  return best[(best.length - 1) >> 1]!;
}

/** Share of the lines by which equally good channels may differ; with few labels, contrast is the better criterion. */
const CHANNEL_TOLERANCE = 0.5;

/** Selects, among the channels in which most lines are read, the one with the greatest contrast of ink and background. */
function selectChannel(
  byChannel: readonly (readonly LabelledImage[])[],
  channels: readonly Channel[],
  options: Omit<LearnProportionalOptions, 'channel'>,
): number {
  const tried = channels.map((channel, i) => {
    const full = { noise: CHANNEL_TRIAL_NOISE, ...options, channel };
    const { level = 0, ink = 0 } = learnProportional(byChannel[i]!, full)?.atlas.file.ground ?? {};
    return { i, right: crossValidate(byChannel[i]!, full), contrast: Math.abs(ink - level) };
  });
  const enough = Math.max(...tried.map(({ right }) => right)) - CHANNEL_TOLERANCE * byChannel[0]!.length;
  const good = tried.filter(({ right }) => right >= enough);
  return good.toSorted((one, other) => other.contrast - one.contrast)[0]!.i;
}

/** Counts the lines read by fonts learnt from the other half of the lines, plus those read by a font learnt from all. */
function crossValidate(lines: readonly LabelledImage[], options: LearnProportionalOptions): number {
  const halves = [0, 1].map((rest) => lines.filter((_, i) => i % 2 === rest));
  const trials = [[lines, lines] as const, ...halves.map((half, n) => [half, halves[1 - n]!] as const)];
  return trials.reduce((sum, [known, asked]) => {
    const learnt = learnProportional(known, options);
    return learnt
      ? sum + asked.length - evaluateFont(asked, learnt.atlas, 'centre', options.margin).misread.length
      : sum;
  }, 0);
}

/** A line of text with its label. */
export type LabelledImage = LabelledLine & { readonly label: Label };

/** Examples from which a character is known well enough. */
const MIN_EXAMPLES = 2;

/** Lowest confidence of a correct reading. */
const MIN_CONFIDENCE = 0.5;

/** Reads the labelled lines with a font, which reveals wrong or too few labels. */
function evaluateFont(
  lines: readonly LabelledImage[],
  atlas: Atlas,
  align: FixedOptions['align'],
  margin: number,
): LearnedFont {
  const reader = new GlyphReader(atlas);
  const misread = lines.flatMap(({ image, text, label }) => {
    const line = reader.read(image, align, margin);
    const same = normalizeSpaces(line.text) === normalizeSpaces(text) && line.confidence >= MIN_CONFIDENCE;
    return same ? [] : [{ label, text: line.text, confidence: line.confidence }];
  });
  const seen = Map.groupBy(
    lines.flatMap(({ text }) => splitGraphemes(text)),
    (char) => char,
  );
  const rare = [...seen].flatMap(([char, { length }]) => (length < MIN_EXAMPLES && char.trim() !== '' ? [char] : []));
  return {
    atlas,
    rare: rare.toSorted(),
    labels: lines.length,
    uncut: [],
    misread,
    apart: [],
    lead: undefined,
  };
}

function normalizeSpaces(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/g, ' ');
}

/** Learns the appearance of a static region in neutral light from the labels marked `plain`, or else from all. */
export function learnLight(
  loaded: LoadedProfile,
  labels: readonly Label[],
  labelFile: string,
  region: string,
  size: { readonly width: number; readonly height: number },
): LightFile {
  const spec = loaded.profile.regions[region];
  if (!spec) throw new PlaybyplayError('unknown-region', `the profile has no region ${region}`);
  const plain = labels.some((label) => label.plain) ? labels.filter((label) => label.plain) : labels;
  const planes: LineImage[][] = [];
  for (const { picture } of labelledPictures(plain, labelFile))
    planes.push(lightPlanes(picture, placeRegion(spec, picture, loaded.profile.reference), size.width, size.height));
  if (planes.length === 0) throw new PlaybyplayError('no-labels', 'no label could be used');
  return lightFrom(planes);
}

/** Decodes the pictures of labels, file by file. Each is valid until the next. */
export function* labelledPictures(
  labels: readonly Label[],
  labelFile: string,
): Generator<{ label: Label; picture: Picture }> {
  for (const [media, own] of Map.groupBy(labels, (label) => label.media)) {
    using file = openVideo(resolve(dirname(labelFile), media));
    const index = scanPackets(file);
    const byFrame = Map.groupBy(own, (label) => findNearestFrame(index.t, label.t));
    for (const chunk of splitIntoChunks(index, { minSeconds: 8 })) {
      const frames = [...byFrame.keys()].filter((frame) => frame >= chunk.firstFrame && frame < chunk.lastFrame);
      frames.sort((a, b) => a - b);
      let next = 0;
      for (const item of decodeFrames(file, index, chunk, frames)) {
        if (isGap(item)) continue;
        using picture = item;
        while (next < frames.length && index.t[frames[next]!]! < picture.t) next++;
        for (const label of byFrame.get(frames[next]!) ?? []) yield { label, picture };
      }
    }
  }
}

function findNearestFrame(times: Float64Array, t: number): number {
  const next = Math.min(
    times.length - 1,
    countLeading(times.length, (i) => times[i]! < t),
  );
  return next > 0 && t - times[next - 1]! < times[next]! - t ? next - 1 : next;
}

function getTextSpec({ profile }: LoadedProfile, name: string): DetectorSpec & TextOptions {
  const spec = profile.detectors[name];
  if (!spec) throw new PlaybyplayError('unknown-detector', `the profile has no detector ${name}`);
  if (spec.region !== undefined && profile.regions[spec.region]?.relative)
    throw new PlaybyplayError('unknown-region', `the region of ${name} follows another detector`, {
      hint: 'Learn the font from a detector whose region has a fixed place.',
    });
  return spec as DetectorSpec & TextOptions;
}

/** The region of a text detector in grey, in pixels of the reference frame. */
export function cropDetector(picture: Picture, loaded: LoadedProfile, detector: string): LineImage {
  const spec = getTextSpec(loaded, detector);
  const place = placeRegion(
    loaded.profile.regions[spec.region ?? '']!,
    picture,
    resolveReferenceSize(loaded.profile, spec.media),
  );
  const height = Math.max(1, Math.round(place.inner.height / place.scaleY));
  return cropLine(picture, loaded, spec, { pixels: { x: 1, y: 1 }, margin: 0, height, channel: 'luma' });
}

function cropLine(
  picture: Picture,
  { profile }: LoadedProfile,
  spec: DetectorSpec,
  options: Pick<FixedOptions, 'pixels' | 'margin' | 'height' | 'channel'>,
): LineImage {
  const place = placeRegion(profile.regions[spec.region ?? '']!, picture, resolveReferenceSize(profile, spec.media));
  const stepX = place.scaleX / options.pixels.x;
  const stepY = place.scaleY / options.pixels.y;
  const width = Math.max(1, Math.round(place.inner.width / stepX)) + 2 * options.margin;
  const height = options.height + 2 * options.margin;
  const box = {
    x: place.inner.x - options.margin * stepX,
    y: place.inner.y - options.margin * stepY,
    width: width * stepX,
    height: height * stepY,
  };
  return sampleLine(picture, box, width, height, options.channel);
}
