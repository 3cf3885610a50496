import { boundsOf, type Rect, scaleRect } from '../geometry.ts';
import { decodeFrames, isGap } from '../media/decode/decode-frames.ts';
import { splitIntoChunks } from '../media/packets/scan-packets.ts';
import { copyPart, type Picture } from '../media/picture.ts';
import type { LineSteps } from '../recognition/decode.ts';
import { cutWholeLine, RowReader, type TextRow } from '../recognition/row-reader.ts';
import { groupRows, TextFinder } from '../recognition/text-finder.ts';
import { inputWidth, readText, type TextReading, type TextRecognizer } from '../recognition/text-recognizer.ts';
import { type Crop, cropRgb, cutCrop } from '../regions/crop.ts';
import { ReadBudget, SteadyReads } from './read-budget.ts';
import { NETWORK_THREADS, type Recording, sampleFrames, wholePixels } from './survey.ts';

/** A place of the screen that is read over time. */
export interface FollowedPlace {
  /** In pixels of the reference frame. */
  readonly rect: Rect;
  /** The text fills it only in part: the widest line is searched for. */
  readonly find?: boolean;
  /** Keeps the pictures, with this many pixels of the reference frame on each side. */
  readonly keep?: number;
  /** Only its pictures are wanted: nothing is read. */
  readonly isPicture?: boolean;
  /** Rows that appear, move and vanish, with icons in them. */
  readonly isFeed?: boolean;
  /** Of a feed: usual height of a row, in pixels of the reference frame. */
  readonly rowHeight?: number;
  /** The only moments near which there is something to read. */
  readonly near?: readonly { readonly recording: number; readonly t: number }[];
}

/** What one place of the screen showed at a time. */
export interface FollowedSample {
  readonly recording: number;
  /** Seconds. */
  readonly t: number;
  /** What the recogniser saw; the same object while the picture does not change. */
  readonly line: LineSteps;
  /** What is read without any constraint; undefined: nothing. */
  readonly reading: TextReading | undefined;
  /** The rows of a feed, in pixels of the reference frame from its upper left corner. */
  readonly rows?: readonly TextRow[];
  /** The picture, if it is kept; the same object while it does not change. */
  readonly area?: PictureArea | undefined;
}

/** A part of a frame. */
export interface PictureArea {
  readonly part: Picture;
  /** Where in the frame its upper left corner lies, and the pixels of the frame per pixel of the reference frame. */
  readonly x: number;
  readonly y: number;
  readonly scaleX: number;
  readonly scaleY: number;
}

/** Seconds between followed samples, unless that makes too many. */
const FOLLOW_INTERVAL_SECONDS = 0.5;
const MAX_FOLLOWED_SAMPLES = 300;
/** Mean difference in grey levels up to which a crop counts as unchanged. */
const MAX_UNCHANGED_LEVELS = 2;
/** Crops that are read at a time. */
const BATCH_SIZE = 32;

/** Reads of a feed, which are costly, and enough to know what it is. */
const MAX_FEED_READS = 100;
/** Seconds between reads of a feed at least: its rows are shown for longer. */
const FEED_INTERVAL_SECONDS = 0.9;
/** Reads of a feed after which it is one, or not read on, and the share of them that must have rows with words. */
const TRIAL_FEED_READS = 15;
const MIN_WORDED_SHARE = 0.2;
/** What is read of a feed, as the sum of `inputWidth`: some 16 s on one core. */
const MAX_FEED_WIDTH = 500_000;
/** Distance of rows, in heights, and reads of each: parts that are unsure are read twice. */
const ROW_DISTANCE = 1.3;
const READS_PER_ROW = 1.5;
/** Seconds around a sighting in which a place is read at least, and samples around it: what stands longer is sighted again. */
const NEAR_SECONDS = 2.5;
const NEAR_SAMPLES = 2;

const EMPTY_LINE: LineSteps = { blank: new Float64Array(0), candidates: [] };

/**
 * Reads places of the screen again and again over whole recordings, each only when its picture changed.
 *
 * @param onSample Called with the share that is done, 0…1.
 * @returns By place: its samples, in order of time.
 */
export async function followPlaces(
  recordings: readonly Recording[],
  places: readonly FollowedPlace[],
  recognizer: TextRecognizer,
  options: {
    readonly signal?: AbortSignal | undefined;
    readonly onSample?: ((share: number) => void) | undefined;
  } = {},
): Promise<readonly (readonly FollowedSample[])[]> {
  const reference = recordings[0]!.size;
  const followed: FollowedSample[][] = places.map(() => []);
  const total = recordings.reduce((sum, { index }) => sum + (index.t.at(-1) ?? 0), 0);
  const interval = Math.max(FOLLOW_INTERVAL_SECONDS, total / MAX_FOLLOWED_SAMPLES);
  let before = 0;
  const budget = new ReadBudget(places.length);
  const nearSeconds = Math.max(NEAR_SECONDS, NEAR_SAMPLES * interval);
  const steady = places.map(() => new SteadyReads());
  const feedReads = places.map((): ReturnType<RowReader['read']>[] => []);
  const isNoFeed = new Set<number>();
  using finders = new Finders();
  using rowReader = new RowReader(recognizer);
  for (const [recording, { file, index, size }] of recordings.entries()) {
    const [scaleX, scaleY] = [size.width / reference.width, size.height / reference.height];
    const rects = places.map(({ rect }) => wholePixels(scaleRect(rect, scaleX, scaleY), size));
    /** By place: the crop read last, and the samples that show it. */
    const last: ({ crop: Crop; seen: Promise<Omit<FollowedSample, 'recording' | 't'>> } | undefined)[] = places.map(
      () => undefined,
    );
    /** By place: when its feed was read last. */
    const feedTimes: number[] = [];
    let queue: { crop: Crop; find: boolean; take: (line: LineSteps) => void }[] = [];
    const waiting: Promise<void>[] = [];
    const settle = async (): Promise<void> => {
      const batch = queue;
      queue = [];
      const crops = await Promise.all(batch.map(({ crop, find }) => (find ? findWidestLine(crop, finders) : [crop])));
      const lines = await recognizer.recognize(crops.flat());
      let next = 0;
      for (const [i, { take }] of batch.entries()) take(surestLine(crops[i]!.map(() => lines[next++]!)));
    };
    const duration = index.t.at(-1) ?? 0;
    for (const chunk of splitIntoChunks(index, { minSeconds: 8 })) {
      options.signal?.throwIfAborted();
      const frames = sampleFrames(index, chunk, interval);
      for (const item of decodeFrames(file, index, chunk, frames)) {
        if (isGap(item)) continue;
        using picture = item;
        for (const [p, rect] of rects.entries()) {
          if (rect.width < 2 || rect.height < 2) continue;
          const { near, keep, isPicture = false, isFeed = false } = places[p]!;
          if (near && !near.some((one) => one.recording === recording && Math.abs(one.t - picture.t) <= nearSeconds)) {
            followed[p]!.push({ recording, t: picture.t, line: EMPTY_LINE, reading: undefined });
            continue;
          }
          const crop = { data: cropRgb(picture, rect), width: rect.width, height: rect.height, channels: 3 as const };
          const known = last[p];
          let seen = known?.seen;
          const isChanged = !known || !seen || meanDifference(known.crop, crop) > MAX_UNCHANGED_LEVELS;
          if (isChanged && isFeed) {
            const reads = feedReads[p]!;
            if (reads.length === TRIAL_FEED_READS && !isWorded(await Promise.all(reads))) isNoFeed.add(p);
            const most = maxFeedReads(places[p]!);
            // Rows are followed from read to read: fewer reads are not further apart.
            const isSoon = picture.t - (feedTimes[p] ?? Number.NEGATIVE_INFINITY) < FEED_INTERVAL_SECONDS;
            if (isSoon || isNoFeed.has(p) || reads.length >= most) continue;
            feedTimes[p] = picture.t;
            const rows = rowReader.read([crop]);
            reads.push(rows);
            seen = rows.then(([own]) => ({
              line: EMPTY_LINE,
              reading: undefined,
              rows: own!.map((row) => ({ ...row, rect: scaleRect(row.rect, 1 / scaleX, 1 / scaleY) })),
            }));
            last[p] = { crop, seen };
          } else if (
            isChanged &&
            (!seen ||
              isPicture ||
              (steady[p]!.isDue() && budget.take(p, inputWidth(crop), (before + picture.t) / total)))
          ) {
            const { promise, resolve } = Promise.withResolvers<LineSteps>();
            if (isPicture) resolve(EMPTY_LINE);
            else queue.push({ crop, find: places[p]!.find ?? false, take: resolve });
            const area = keep === undefined ? undefined : cutArea(picture, rect, keep, { scaleX, scaleY });
            seen = promise.then((line) => {
              const reading = isPicture ? undefined : readText(line);
              steady[p]!.add(reading);
              return { line, reading, ...(area ? { area } : {}) };
            });
            last[p] = { crop, seen };
          }
          const { t } = picture;
          waiting.push(seen!.then((found) => void followed[p]!.push({ recording, t, ...found })));
        }
        if (queue.length >= BATCH_SIZE) await settle();
        options.onSample?.((before + picture.t) / Math.max(1e-9, total));
      }
      // The decoder's memory is freed when the event loop turns.
      await new Promise(setImmediate);
    }
    await settle();
    await Promise.all(waiting);
    before += duration;
  }
  return followed.map((samples) => samples.toSorted((a, b) => a.recording - b.recording || a.t - b.t));
}

/** Reads of a feed that its budget allows: fewer where it has many wide rows. */
function maxFeedReads({ rect: { width, height }, rowHeight = height }: FollowedPlace): number {
  const rows = Math.max(1, height / (ROW_DISTANCE * rowHeight));
  const each = READS_PER_ROW * rows * inputWidth({ width, height: rowHeight });
  return Math.max(MIN_READS, Math.min(MAX_FEED_READS, Math.floor(MAX_FEED_WIDTH / each)));
}

/** Reads of a feed at least. */
const MIN_READS = 20;

const WORD = /\p{L}.*\p{L}/u;

/** Whether enough reads of what may be a feed have rows with words. */
function isWorded(reads: readonly (readonly (readonly TextRow[])[])[]): boolean {
  const worded = reads.filter((pictures) =>
    pictures.flat().some(({ parts }) => parts.some(({ text }) => WORD.test(text))),
  );
  return worded.length >= MIN_WORDED_SHARE * reads.length;
}

/** Copies a rectangle of a frame with a margin in pixels of the reference frame. */
function cutArea(
  picture: Picture,
  { x, y, width, height }: Rect,
  margin: number,
  scale: { readonly scaleX: number; readonly scaleY: number },
): PictureArea {
  const [across, down] = [margin * scale.scaleX, margin * scale.scaleY];
  const rect = { x: x - across, y: y - down, width: width + 2 * across, height: height + 2 * down };
  return { ...copyPart(picture, rect), ...scale };
}

/** Finders by size of crop. */
class Finders implements Disposable {
  readonly #finders = new Map<string, Promise<TextFinder>>();

  of({ width, height }: Crop): Promise<TextFinder> {
    const key = `${width} ${height}`;
    let finder = this.#finders.get(key);
    if (!finder) this.#finders.set(key, (finder = TextFinder.open({ width, height, threads: NETWORK_THREADS })));
    return finder;
  }

  [Symbol.dispose](): void {
    for (const finder of this.#finders.values()) void finder.then((one) => one[Symbol.dispose]()).catch(() => {});
  }
}

/** The widest row of words in a crop, cut with several margins; a crop without text is a single row, in which nothing is read. */
async function findWidestLine(crop: Crop, finders: Finders): Promise<readonly Crop[]> {
  const rows = groupRows(await (await finders.of(crop)).find(crop)).map(boundsOf);
  const widest = rows.reduce<Rect | undefined>(
    (best, one) => (best && best.width >= one.width ? best : one),
    undefined,
  );
  return widest ? cutWholeLine(crop, widest) : [cutCrop(crop, { x: 0, y: 0, width: crop.width, height: 1 })];
}

/** The line that is read most surely. */
function surestLine(lines: readonly LineSteps[]): LineSteps {
  if (lines.length === 1) return lines[0]!;
  return lines.reduce((best, one) => (confidenceOf(one) > confidenceOf(best) ? one : best));
}

function confidenceOf(line: LineSteps): number {
  return readText(line)?.confidence ?? 0;
}

function meanDifference(a: Crop, b: Crop): number {
  let sum = 0;
  for (let i = 0; i < a.data.length; i++) sum += Math.abs(a.data[i]! - b.data[i]!);
  return sum / a.data.length;
}
