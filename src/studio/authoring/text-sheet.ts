import { GeneralReader } from '../../detectors/text/general-reader.ts';
import type { AtlasFile } from '../../detectors/text/atlas.ts';
import { type LineImage, sampleLine } from '../../detectors/text/line-image.ts';
import type { TextOptions } from '../../detectors/text/options.ts';
import { PlaybyplayError } from '../../errors.ts';
import { toLanguageTags } from '../../language/tags.ts';
import { convertReadingOrder, splitGraphemes } from '../../language/text.ts';
import { decodeFrames, isGap } from '../../media/decode/decode-frames.ts';
import { splitIntoChunks } from '../../media/packets/scan-packets.ts';
import { copyPart, type Picture } from '../../media/picture.ts';
import { CHANNELS, type LabelledImage, learnFont } from '../../pipeline/authoring/learn.ts';
import { frameAt } from '../../pipeline/placement/pictures.ts';
import type { DetectorSpec, Profile, RegionSpec } from '../../profile/profile.ts';
import { withFractionalRegions } from '../../profile/units.ts';
import { type Crop, cropRgb } from '../../regions/crop.ts';
import { placeRegion } from '../../regions/place.ts';
import type { RecordingPictures } from './recording.ts';

/** Crops of a text element that show the same, to be labelled together. */
export interface TextCluster {
  readonly id: number;
  /** Seconds of its crops, in order. */
  readonly times: readonly number[];
  /** The crop that shows it best, in RGB. */
  readonly crop: Crop;
  /** What the general reader sees; empty where it reads nothing. */
  readonly suggestion: string;
  /** How sure it is, 0…1; of nothing, too. */
  readonly confidence: number;
}

/** What typed labels have come to. */
export interface LearnedText {
  readonly atlas: AtlasFile;
  /** Labelled pictures, and those of them that the font reads differently, with the cluster that they belong to. */
  readonly labels: number;
  readonly misread: readonly { readonly cluster: number; readonly label: string; readonly text: string }[];
  /** Characters with one example only. */
  readonly rare: readonly string[];
  /** The detector must read from the middle of its region, as text starts further right than its left edge. */
  readonly isOffset: boolean;
}

/** Which characters of an element were labelled. */
export interface Coverage {
  readonly known: readonly string[];
  /** Of digits, if figures are labelled, and of suggested texts: those that no label has. */
  readonly neverSeen: readonly string[];
}

/** Options of collecting crops. */
export interface CollectOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the share that is done, 0…1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/** Crops that are looked at. */
const MAX_CROPS = 300;
/** Seconds between crops of short recordings. */
const INTERVAL_SECONDS = 0.25;
/** Mean difference of neighbouring crops, in grey levels, up to which they show the same. */
const MAX_SAME_LEVELS = 3;
/** Confidence from which equal suggestions make one cluster. */
const MIN_SUGGESTION_CONFIDENCE = 0.5;
/** Probability of an empty line from which crops without text make one cluster. */
const MIN_EMPTINESS = 0.5;
/** Crops of a cluster that a font is learnt from: more teach it nothing new. */
const MAX_EXAMPLES = 6;
/** Clusters that are shown. */
const MAX_CLUSTERS = 60;
/** Pixels around the text box of a line image within which it may be displaced. */
const MARGIN = 1;
/** Height, in pixels, to which glyphs are reduced. */
const MAX_GLYPH_HEIGHT = 32;
/** How much text on a HUD may be tinted and faded. */
const ILLUMINATION = { gain: 0.15, offset: 15 } as const;
const DIGITS = '0123456789';

/** A kept picture of the element. */
interface Example {
  readonly t: number;
  readonly part: Picture;
  /** The element in the part, in its pixels. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly scaleX: number;
  readonly scaleY: number;
  readonly crop: Crop;
}

/**
 * The crops of a text element over recordings, alike ones in clusters. Whoever labels the clusters teaches the element's font;
 * pictures are kept, so that learning decodes nothing.
 *
 * @example
 * const sheet = await TextSheet.collect([recording], profile, detector, region);
 * const labels = new Map(sheet.clusters.slice(0, 10).map(({ id, suggestion }) => [id, suggestion]));
 * const font = sheet.learn('score', labels);
 */
export class TextSheet {
  readonly clusters: readonly TextCluster[];
  readonly #examples: ReadonlyMap<number, readonly Example[]>;
  readonly #detector: DetectorSpec & TextOptions;

  private constructor(
    clusters: readonly TextCluster[],
    examples: ReadonlyMap<number, readonly Example[]>,
    detector: DetectorSpec,
  ) {
    this.clusters = clusters;
    this.#examples = examples;
    this.#detector = detector as DetectorSpec & TextOptions;
  }

  /** Collects the crops of an element; the clusters with the most new characters come first. */
  static async collect(
    recordings: readonly RecordingPictures[],
    profile: Profile,
    detector: DetectorSpec,
    region: RegionSpec,
    options: CollectOptions = {},
  ): Promise<TextSheet> {
    const { regions, reference } = withFractionalRegions({ ...profile, detectors: {}, regions: { region } });
    const runs: { examples: Example[]; times: number[] }[] = [];
    for (const [number, recording] of recordings.entries()) {
      let last: Example | undefined;
      const onShare = (share: number): void => options.onProgress?.((0.8 * (number + share)) / recordings.length);
      for await (const picture of samplePictures(recording, MAX_CROPS / recordings.length, onShare, options.signal)) {
        const example = cutExample(picture, regions['region']!, reference);
        if (!example) continue;
        if (last && meanDifference(last.crop, example.crop) <= MAX_SAME_LEVELS) {
          const run = runs.at(-1)!;
          run.times.push(example.t);
          if (run.examples.length < MAX_EXAMPLES) run.examples.push(example);
        } else runs.push({ examples: [example], times: [example.t] });
        last = example;
      }
    }
    const read = await suggestTexts(
      runs.map(({ examples }) => examples[0]!.crop),
      detector,
    );
    options.onProgress?.(1);
    const clusters = new Map<string, { runs: number[]; suggestion: string; confidence: number }>();
    for (const [i, { text, confidence }] of read.entries()) {
      const isSure = text !== '' && confidence >= MIN_SUGGESTION_CONFIDENCE;
      const key = isSure ? `text ${text}` : text === '' && confidence >= MIN_EMPTINESS ? 'nothing' : `run ${i}`;
      const known = clusters.get(key);
      if (known) {
        if (confidence > known.confidence) known.runs.unshift(i);
        else known.runs.push(i);
        known.confidence = Math.max(known.confidence, confidence);
      } else clusters.set(key, { runs: [i], suggestion: text, confidence });
    }
    const ordered = orderByNovelty([...clusters.values()]).slice(0, MAX_CLUSTERS);
    const examples = new Map<number, readonly Example[]>();
    const shown = ordered.map(({ runs: members, suggestion, confidence }, id): TextCluster => {
      const own = members.map((i) => runs[i]!);
      examples.set(
        id,
        spread(
          own.flatMap((run) => run.examples),
          MAX_EXAMPLES,
        ),
      );
      const times = own.flatMap((run) => run.times).toSorted((a, b) => a - b);
      return { id, times, crop: own[0]!.examples[0]!.crop, suggestion, confidence };
    });
    return new TextSheet(shown, examples, detector);
  }

  /** The moments that a label of a cluster stands for. */
  momentsOf(cluster: number): readonly number[] {
    return (this.#examples.get(cluster) ?? []).map(({ t }) => t);
  }

  /**
   * Learns the font of the element from labelled clusters.
   *
   * @param labels Texts by cluster; an empty one says that nothing is drawn.
   * @returns Undefined if no label could be segmented into characters.
   */
  learn(name: string, labels: ReadonlyMap<number, string>): LearnedText | undefined {
    const written = [...labels].filter(([, text]) => text.trim() !== '');
    const examples = written.flatMap(([cluster, text]) =>
      (this.#examples.get(cluster) ?? []).map((example) => ({ example, cluster, text })),
    );
    const [first] = examples;
    if (!first) return undefined;
    const region = first.example.box.height / first.example.scaleY;
    const scale = Math.min(1, MAX_GLYPH_HEIGHT / region);
    const height = Math.max(1, Math.round(region * scale));
    const pixels = { x: scale, y: height / region };
    const languages = toLanguageTags(this.#detector.language);
    const byChannel = CHANNELS.map((channel) =>
      examples.map(({ example, cluster, text }): LabelledImage => {
        const order = convertReadingOrder(splitGraphemes(text.normalize('NFC').trim()), languages);
        const label = { media: String(cluster), t: example.t, detector: name, text };
        return { image: sampleExample(example, pixels, height, channel), text: order.join(''), label };
      }),
    );
    const isLeft = (this.#detector.align ?? 'left') === 'left';
    try {
      const font = learnFont(byChannel, CHANNELS, [name], {
        name,
        pixels,
        height,
        margin: MARGIN,
        align: this.#detector.align ?? 'left',
        illumination: ILLUMINATION,
        isLeft,
      });
      return {
        atlas: font.atlas.file,
        labels: font.labels,
        misread: font.misread.map(({ label, text }) => ({ cluster: Number(label.media), label: label.text, text })),
        rare: font.rare,
        isOffset: font.lead !== undefined,
      };
    } catch (error) {
      if (error instanceof PlaybyplayError && error.code === 'no-labels') return undefined;
      throw error;
    }
  }

  /** Which characters labels have shown, and which the element shows or may show besides. */
  coverage(labels: ReadonlyMap<number, string>): Coverage {
    const known = charactersOf(labels.values());
    const suggested = charactersOf(
      this.clusters.flatMap(({ id, suggestion, confidence }) =>
        labels.has(id) || confidence < MIN_SUGGESTION_CONFIDENCE ? [] : [suggestion],
      ),
    );
    const digits = [...known].some((char) => DIGITS.includes(char)) ? [...DIGITS] : [];
    const neverSeen = [...new Set([...digits, ...suggested])].filter((char) => !known.has(char));
    return { known: [...known].toSorted(), neverSeen: neverSeen.toSorted() };
  }
}

function charactersOf(texts: Iterable<string>): Set<string> {
  const chars = new Set<string>();
  for (const text of texts)
    for (const char of splitGraphemes(text.normalize('NFC'))) if (char.trim() !== '') chars.add(char);
  return chars;
}

/** Pictures spread over a recording, in order: on a grid, or keyframes of a long recording. Each is valid until the next. */
async function* samplePictures(
  { file, index, duration }: RecordingPictures,
  maxCount: number,
  onShare: (share: number) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<Picture> {
  const interval = Math.max(INTERVAL_SECONDS, duration / maxCount);
  for (const chunk of splitIntoChunks(index, { minSeconds: 8 })) {
    signal?.throwIfAborted();
    const [from, end] = [index.t[chunk.firstFrame]!, index.t[Math.min(index.t.length, chunk.lastFrame) - 1]!];
    const frames = new Set<number>();
    for (let tick = Math.ceil(from / interval); tick * interval <= end; tick++) {
      const frame = frameAt(index, tick * interval);
      if (frame >= chunk.firstFrame && frame < chunk.lastFrame) frames.add(frame);
    }
    for (const item of decodeFrames(
      file,
      index,
      chunk,
      [...frames].toSorted((a, b) => a - b),
    )) {
      if (isGap(item)) continue;
      using picture = item;
      yield picture;
    }
    onShare(end / Math.max(1e-9, duration));
    // The decoder's memory is freed when the event loop turns.
    await new Promise(setImmediate);
  }
}

function cutExample(picture: Picture, region: RegionSpec, reference: Profile['reference']): Example | undefined {
  const { rect, inner, scaleX, scaleY } = placeRegion(region, picture, reference);
  if (rect.width < 2 || rect.height < 2) return undefined;
  const [marginX, marginY] = [2 * MARGIN * scaleX + 2, 2 * MARGIN * scaleY + 2];
  const around = {
    x: inner.x - marginX,
    y: inner.y - marginY,
    width: inner.width + 2 * marginX,
    height: inner.height + 2 * marginY,
  };
  const { part, x, y } = copyPart(picture, around);
  const crop: Crop = { data: cropRgb(picture, rect), width: rect.width, height: rect.height, channels: 3 };
  return { t: picture.t, part, box: { ...inner, x: inner.x - x, y: inner.y - y }, scaleX, scaleY, crop };
}

/** Samples an element as a detector with an atlas does. */
function sampleExample(
  { part, box, scaleX, scaleY }: Example,
  pixels: { readonly x: number; readonly y: number },
  height: number,
  channel: (typeof CHANNELS)[number],
): LineImage {
  const [stepX, stepY] = [scaleX / pixels.x, scaleY / pixels.y];
  const columns = Math.max(1, Math.round(box.width / stepX)) + 2 * MARGIN;
  const rows = height + 2 * MARGIN;
  const area = {
    x: box.x - MARGIN * stepX,
    y: box.y - MARGIN * stepY,
    width: columns * stepX,
    height: rows * stepY,
  };
  return sampleLine(part, area, columns, rows, channel);
}

function meanDifference(a: Crop, b: Crop): number {
  if (a.data.length !== b.data.length) return Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let i = 0; i < a.data.length; i++) sum += Math.abs(a.data[i]! - b.data[i]!);
  return sum / a.data.length;
}

/** What the general reader sees in crops; nothing where it is not installed or does not know the script. */
async function suggestTexts(
  crops: readonly Crop[],
  { charset, language, pattern, find }: DetectorSpec & TextOptions,
): Promise<readonly { readonly text: string; readonly confidence: number }[]> {
  const nothing = crops.map(() => ({ text: '', confidence: 0 }));
  if (crops.length === 0) return nothing;
  try {
    // A pattern with a caption shows only what counts, but all of it is written.
    const whole = pattern?.replaceAll(/\((?!\?)/g, '(?:');
    using reader = await GeneralReader.open({ languages: toLanguageTags(language), charset, pattern: whole, find });
    const read = await reader.read(crops);
    return read.map((one) => ('text' in one ? one : { text: '', confidence: one.absent }));
  } catch (error) {
    if (error instanceof PlaybyplayError) return nothing;
    throw error;
  }
}

/** Takes in turns the cluster with the most characters that have fewest examples; those without a suggestion come last. */
function orderByNovelty<
  T extends { readonly suggestion: string; readonly confidence: number; readonly runs: readonly number[] },
>(clusters: readonly T[]): readonly T[] {
  const counts = new Map<string, number>();
  const left = new Set(clusters);
  const ordered: T[] = [];
  while (left.size > 0) {
    let best: T | undefined;
    let most = Number.NEGATIVE_INFINITY;
    for (const one of left) {
      const chars = new Set(splitGraphemes(one.suggestion).filter((char) => char.trim() !== ''));
      const gain = [...chars].reduce((sum, char) => sum + 1 / (1 + (counts.get(char) ?? 0)) ** 2, 0);
      const value = one.suggestion === '' ? -1 : gain * one.confidence;
      if (value > most) [best, most] = [one, value];
    }
    left.delete(best!);
    ordered.push(best!);
    for (const char of new Set(splitGraphemes(best!.suggestion))) counts.set(char, (counts.get(char) ?? 0) + 1);
  }
  return ordered;
}

function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]!);
}
