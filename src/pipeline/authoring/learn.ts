import { dirname, resolve } from 'node:path';
import type { Atlas } from '../../detectors/text/atlas.ts';
import { type LabelledLine, learnFixed, type LearnOptions as FixedOptions } from '../../detectors/text/learn-fixed.ts';
import { type Channel, type LineImage, sampleLine } from '../../detectors/text/line-image.ts';
import { GlyphReader } from '../../detectors/text/glyph-reader.ts';
import { learnProportional, type LearnProportionalOptions } from '../../detectors/text/learn-proportional.ts';
import { type LightFile, lightFrom, LightMeter, lightPlanes, relight } from '../../detectors/text/light.ts';
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

/** One line of a label file: what a detector's region shows at a time. `plain` marks pictures in plain light. */
export interface Label {
  /** Recording, relative to the label file. */
  readonly media: string;
  /** Seconds. */
  readonly t: number;
  readonly detector: string;
  readonly text: string;
  readonly plain?: boolean;
}

/** Reads NDJSON labels. Throws PlaybyplayError `bad-labels` with the line. */
export function parseLabels(text: string, name: string): Label[] {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    try {
      const label = JSON.parse(line) as Label;
      if (typeof label.media === 'string' && typeof label.t === 'number' && typeof label.detector === 'string')
        return [{ ...label, text: String(label.text ?? '') }];
    } catch {
      // Reported below like every other line that is not a label.
    }
    throw new PlaybyplayError('bad-labels', `${name}, line ${i + 1} is not a label`, {
      hint: 'A label is {"media": "clip.mp4", "t": 12.3, "detector": "health", "text": "87"}.',
    });
  });
}

/** How a font is to be learnt: with a `pitch` one of equal cells, else one whose characters have widths of their own. */
export type LearnOptions = Omit<FixedOptions, 'layout' | 'pitch' | 'channel'> & {
  readonly pitch?: number;
  /** Without it, of a font without pitch, the one in which labels are read best by a font learnt from others; else luma. */
  readonly channel?: Channel;
};

/** Channels that are tried. */
const CHANNELS = ['luma', 'red', 'green', 'blue', 'saturation red'] as const;
/** Least deviation of a pixel with which they are. */
const TRIED_AT = 14;

/** A learnt font, and how well it reads what it was learnt from. */
export interface LearntFont {
  readonly atlas: Atlas;
  /** How many labels it was learnt from. */
  readonly labels: number;
  /** Least deviation of a pixel, where it was chosen by how well other labels than those learnt from are read. */
  readonly noise?: number;
  /** Characters of which fewer than two were labelled. */
  readonly rare: readonly string[];
  /** Labels that could not be cut into characters. */
  readonly uncut: readonly Label[];
  /** Labels that the font itself reads otherwise. */
  readonly misread: readonly { readonly label: Label; readonly text: string; readonly confidence: number }[];
  /** Pixels of the reference frame by which the text begins right of its region's left edge, where a left-aligned detector would miss it. */
  readonly lead: number | undefined;
}

/** Crops the labelled regions at the atlas's resolution and learns the font of the named detectors from them. */
export async function learnAtlas(
  loaded: LoadedProfile,
  labels: readonly Label[],
  labelFile: string,
  detectors: readonly string[],
  options: LearnOptions,
): Promise<LearntFont> {
  const wanted = labels.filter((label) => detectors.includes(label.detector));
  const { pitch, align, channel, ...shape } = options;
  const channels: readonly Channel[] = channel ? [channel] : pitch === undefined ? CHANNELS : ['luma'];
  const byChannel = channels.map((): Labelled[] => []);
  const meters = new Map<string, LightMeter>();
  for (const name of detectors) {
    const light = textSpec(loaded, name).light;
    if (light && !meters.has(light.file))
      meters.set(
        light.file,
        new LightMeter(Buffer.from(await loaded.assets.read(light.file)).toString('utf8'), light.file),
      );
  }
  for (const { label, picture } of labelledPictures(wanted, labelFile)) {
    const spec = textSpec(loaded, label.detector);
    const meter = spec.light && meters.get(spec.light.file);
    const region = meter && loaded.profile.regions[spec.light!.region]!;
    const place = region && placeRegion(region, picture, resolveReferenceSize(loaded.profile, spec.media));
    const light = place && meter.measure(picture, place);
    if (light && light.likeness < 0.8) continue;
    const order = convertReadingOrder(
      splitGraphemes(label.text),
      toLanguageTags(spec.language ?? loaded.profile.language),
    );
    for (const [i, one] of channels.entries()) {
      const image = cropLine(picture, loaded, spec, { ...shape, channel: one });
      if (light) relight(image, light, one, picture.color.matrix);
      byChannel[i]!.push({ image, text: order.join(''), label });
    }
  }
  const taken = channels.length > 1 ? bestChannel(byChannel, channels, shape) : 0;
  const lines = byChannel[taken]!;
  if (lines.length === 0)
    throw new PlaybyplayError('no-labels', `no label of ${detectors.join(', ')} could be used`, {
      hint: 'Are the detectors named as in the profile, and the times inside the recordings?',
    });
  const rest = { ...shape, channel: channels[taken]! };
  if (pitch !== undefined)
    return examined(lines, learnFixed(lines, { ...rest, pitch, align, layout: 'fixed' }), align, options.margin);
  const noise = rest.noise ?? fittingNoise(lines, rest);
  const learnt = learnProportional(lines, { ...rest, noise });
  if (!learnt)
    throw new PlaybyplayError('no-labels', `no label of ${detectors.join(', ')} could be cut into its characters`, {
      hint: 'Label moments with a plain ground behind the text and characters that do not touch, choose the --channel in which the text stands out, or give the --pitch of a font of equal cells.',
    });
  const isLeft = detectors.some((name) => (textSpec(loaded, name).align ?? 'left') === 'left');
  const lead = isLeft && learnt.lead > options.margin ? learnt.lead / options.pixels.x : undefined;
  const font = examined(lines, learnt.atlas, isLeft && lead === undefined ? 'left' : 'centre', options.margin);
  const uncut = lines.flatMap(({ label }, i) => (learnt.segmented[i] ? [] : [label]));
  return { ...font, uncut, noise, lead };
}

/** Least deviations of a pixel from which one is chosen, in grey levels. */
const NOISES = [6, 10, 14, 20];

/** The least deviation with which fonts learnt from either half of the lines read most of the other half; of several the one in the middle. */
function fittingNoise(lines: readonly Labelled[], options: LearnProportionalOptions): number {
  const right = NOISES.map((noise) => crossed(lines, { ...options, noise }));
  const best = NOISES.filter((_, i) => right[i] === Math.max(...right));
  return best[(best.length - 1) >> 1]!;
}

/** Share of the lines by which two channels may differ and count as equally good: few labels tell little, contrast more. */
const EQUAL = 0.5;

/** Of the channels in which most lines are read, give or take a few, the one in which ink and ground are farthest apart. */
function bestChannel(
  byChannel: readonly (readonly Labelled[])[],
  channels: readonly Channel[],
  options: Omit<LearnProportionalOptions, 'channel'>,
): number {
  const tried = channels.map((channel, i) => {
    const full = { noise: TRIED_AT, ...options, channel };
    const { level = 0, ink = 0 } = learnProportional(byChannel[i]!, full)?.atlas.file.ground ?? {};
    return { i, right: crossed(byChannel[i]!, full), contrast: Math.abs(ink - level) };
  });
  const enough = Math.max(...tried.map(({ right }) => right)) - EQUAL * byChannel[0]!.length;
  const good = tried.filter(({ right }) => right >= enough);
  return good.toSorted((one, other) => other.contrast - one.contrast)[0]!.i;
}

/** How many lines fonts learnt from either half of them read in the other, and one learnt from all reads in all. */
function crossed(lines: readonly Labelled[], options: LearnProportionalOptions): number {
  const halves = [0, 1].map((rest) => lines.filter((_, i) => i % 2 === rest));
  const trials = [[lines, lines] as const, ...halves.map((half, n) => [half, halves[1 - n]!] as const)];
  return trials.reduce((sum, [known, asked]) => {
    const learnt = learnProportional(known, options);
    return learnt ? sum + asked.length - examined(asked, learnt.atlas, 'centre', options.margin).misread.length : sum;
  }, 0);
}

type Labelled = LabelledLine & { readonly label: Label };

/** Appearances of which on a character is known well enough. */
const OFTEN = 2;

/** Readings that are less sure do not count. */
const SURE = 0.5;

/** Reads the labelled lines with the font that was learnt from them: a wrong label, or too few, are seen by that. */
function examined(lines: readonly Labelled[], atlas: Atlas, align: FixedOptions['align'], margin: number): LearntFont {
  const reader = new GlyphReader(atlas);
  const misread = lines.flatMap(({ image, text, label }) => {
    const line = reader.read(image, align, margin);
    const same = spaced(line.text) === spaced(text) && line.confidence >= SURE;
    return same ? [] : [{ label, text: line.text, confidence: line.confidence }];
  });
  const seen = Map.groupBy(
    lines.flatMap(({ text }) => splitGraphemes(text)),
    (char) => char,
  );
  const rare = [...seen].flatMap(([char, { length }]) => (length < OFTEN && char.trim() !== '' ? [char] : []));
  return {
    atlas,
    rare: rare.toSorted(),
    labels: lines.length,
    uncut: [],
    misread,
    lead: undefined,
  };
}

function spaced(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/g, ' ');
}

/** Learns what a region that never changes looks like in plain light, from the labels marked `plain` (else from all). */
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

/** The pictures of the labels, file by file; each is valid until the next. */
export function* labelledPictures(
  labels: readonly Label[],
  labelFile: string,
): Generator<{ label: Label; picture: Picture }> {
  for (const [media, own] of Map.groupBy(labels, (label) => label.media)) {
    using file = openVideo(resolve(dirname(labelFile), media));
    const index = scanPackets(file);
    const byFrame = Map.groupBy(own, (label) => nearestFrame(index.t, label.t));
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

function nearestFrame(times: Float64Array, t: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < t) low = middle + 1;
    else high = middle;
  }
  return low > 0 && t - times[low - 1]! < times[low]! - t ? low - 1 : low;
}

function textSpec({ profile }: LoadedProfile, name: string): DetectorSpec & TextOptions {
  const spec = profile.detectors[name];
  if (!spec) throw new PlaybyplayError('unknown-detector', `the profile has no detector ${name}`);
  if (spec.region !== undefined && profile.regions[spec.region]?.relative)
    throw new PlaybyplayError('unknown-region', `the region of ${name} follows what is found`, {
      hint: 'Learn the font from a detector whose region has a place of its own.',
    });
  return spec as DetectorSpec & TextOptions;
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
