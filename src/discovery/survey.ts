import { availableParallelism } from 'node:os';
import { clip, type Rect, scaleRect, type Size } from '../geometry.ts';
import type { PacketIndex } from '../media/packets/packet-index.ts';
import { findGroup, groupFirstFrame, scanPacketsAsync, splitIntoChunks } from '../media/packets/scan-packets.ts';
import { decodeFrames, isGap } from '../media/decode/decode-frames.ts';
import type { Picture } from '../media/picture.ts';
import { openVideo, type VideoFile } from '../media/video.ts';
import { frameAt } from '../pipeline/placement/pictures.ts';
import { anyText } from '../recognition/constraint.ts';
import { TextFinder } from '../recognition/text-finder.ts';
import { inputWidth, readLine, type TextRecognizer } from '../recognition/text-recognizer.ts';
import { type Crop, cropRgb } from '../regions/crop.ts';
import { AppearingLines } from './appearing-lines.ts';
import { ChineseEvidence } from './script.ts';
import { SteadyEdges } from './steady-edges.ts';

/** A recording under examination. */
export interface Recording {
  readonly path: string;
  readonly file: VideoFile;
  readonly index: PacketIndex;
  readonly size: Size;
}

/** A line of text found in one frame, in pixels of the reference frame. */
export interface Sighting extends Rect {
  /** Number of the recording, and seconds in it. */
  readonly recording: number;
  readonly t: number;
  /** Number of the surveyed frame, over all recordings. */
  readonly frame: number;
  /** The title of a screen, such as “Finished!”, which is no cell of a table. */
  readonly isTitle?: boolean;
}

/** What the survey of recordings found. */
export interface Survey {
  readonly sightings: readonly Sighting[];
  /** Lines that appeared in front of the scene and stayed for a moment. */
  readonly appeared: readonly Sighting[];
  /** Recording and time of each surveyed frame. */
  readonly frames: readonly { readonly recording: number; readonly t: number }[];
  /** Where edges stay while the scene moves: more lines, and icons and gauges, in pixels of the reference frame. */
  readonly steady: readonly Rect[];
  /** What hangs together among them. */
  readonly shapes: readonly Rect[];
  /** Rectangles that are drawn around something, in pixels of the reference frame. */
  readonly outlines: readonly Rect[];
  /** Symbols without a frame, such as hearts, in pixels of the reference frame. */
  readonly symbols: readonly Rect[];
  /** Whether the game writes Chinese. */
  readonly isChinese: boolean;
}

/** Seconds between surveyed frames, unless that makes too many. */
const SURVEY_INTERVAL_SECONDS = 2;
const MAX_SURVEYED_FRAMES = 150;
const MIN_SURVEYED_FRAMES = 8;
/** Seconds between frames whose edges are compared, where they are decoded anyway. */
const EDGES_INTERVAL_SECONDS = 1;
/** Seconds between frames in which appearing lines are looked for, and seconds of all recordings that are looked through so. */
const APPEARANCE_INTERVAL_SECONDS = 0.5;
const MAX_APPEARANCE_SECONDS = 300;
/** Least duration of a part of a recording that is decoded at a time, in seconds. */
const MIN_CHUNK_SECONDS = 8;
/** Confidence and characters of a text that appeared (“GO!”), and lines that appear at once from which they are a screen, such as a menu. */
const MIN_APPEARED_CONFIDENCE = 0.8;
const APPEARED_TEXT = /[\p{L}\p{N}].*[\p{L}\p{N}].*[\p{L}\p{N}!]|\p{sc=Han}.*\p{sc=Han}/u;
const MIN_SCREEN_LINES = 5;
/** Lines that appeared and are read, as the sum of `inputWidth`: the lines of a console appear all the time. */
const MAX_APPEARED_WIDTH = 700_000;
/** Frames in which lines are searched for, of more that are compared: what stays is found by its edges, too. */
const MAX_SEARCHED_FRAMES = 60;
/** Searched frames whose lines are read to find out in which script the game writes. */
const SCRIPT_FRAMES = 5;
/** Factor by which a second search reduces the picture: the network overlooks single large characters. */
const LARGE_TEXT_REDUCTION = 3;
/** Least height of a line, in fractions of the picture's, that the second search adds. */
const MIN_LARGE_HEIGHT = 0.05;
/** Threads of a network, where the machine has as many: a draft does little else at the time. */
export const NETWORK_THREADS = Math.min(2, availableParallelism());
/** Pictures that are searched at a time. */
const CONCURRENT_SEARCHES = 2;

/**
 * Opens recordings of one game.
 *
 * @throws PlaybyplayError if a file cannot be read as a video.
 */
export async function openRecordings(paths: readonly string[], signal?: AbortSignal): Promise<Recording[]> {
  const recordings: Recording[] = [];
  for (const path of paths) {
    const file = openVideo(path);
    const index = await scanPacketsAsync(file, signal ? { signal } : {});
    recordings.push({ path, file, index, size: { width: file.info.width, height: file.info.height } });
  }
  return recordings;
}

/**
 * Finds the lines of text in frames spread over the recordings.
 *
 * @param recognizers For Latin script alone, and for Chinese, too.
 * @param onFrame Called after each frame with the number of frames done and of all.
 */
export async function surveyText(
  recordings: readonly Recording[],
  recognizers: { readonly latin: TextRecognizer; readonly chinese: TextRecognizer },
  options: {
    readonly signal?: AbortSignal | undefined;
    readonly memoryBudget?: number | undefined;
    readonly onFrame?: ((done: number, total: number) => void) | undefined;
  } = {},
): Promise<Survey> {
  const { signal, memoryBudget, onFrame } = options;
  const reference = recordings[0]!.size;
  const total = recordings.reduce((sum, { index }) => sum + (index.t.at(-1) ?? 0), 0);
  const interval = Math.min(
    Math.max(SURVEY_INTERVAL_SECONDS, total / MAX_SURVEYED_FRAMES),
    total / MIN_SURVEYED_FRAMES / recordings.length,
  );
  const wanted = Math.ceil(total / interval);
  const appearanceEvery = Math.max(1, Math.ceil(total / MAX_APPEARANCE_SECONDS));
  const sightings: Sighting[] = [];
  const appeared: Sighting[] = [];
  const frames: { recording: number; t: number }[] = [];
  const running = new Set<Promise<void>>();
  const edges = new SteadyEdges(reference);
  const lines = new AppearingLines(reference);
  const script = new ChineseEvidence(recognizers.chinese);
  const searchEvery = Math.ceil(wanted / MAX_SEARCHED_FRAMES);
  const scriptEvery = Math.max(1, Math.floor(wanted / searchEvery / SCRIPT_FRAMES));
  let number = 0;
  let appearedWidth = 0;
  let finders: { readonly size: Size; readonly fine: TextFinder; readonly coarse: TextFinder } | undefined;
  const start = async (search: Promise<void>): Promise<void> => {
    const tracked = search.finally(() => running.delete(tracked));
    running.add(tracked);
    if (running.size >= CONCURRENT_SEARCHES) await Promise.race(running);
  };
  try {
    for (const [recording, { file, index, size }] of recordings.entries()) {
      const [scaleX, scaleY] = [reference.width / size.width, reference.height / size.height];
      const toReference = (rect: Rect): Rect => scaleRect(rect, scaleX, scaleY);
      for (const [n, chunk] of splitIntoChunks(index, { minSeconds: MIN_CHUNK_SECONDS }).entries()) {
        const isDense = n % appearanceEvery === 0;
        const sampled = sampleFrames(index, chunk, interval);
        // Elsewhere keyframes do, which need no other frame.
        const surveyed = new Set(
          isDense ? sampled : sampled.map((frame) => groupFirstFrame(index, findGroup(index, frame))),
        );
        const dense = new Set(isDense ? sampleFrames(index, chunk, APPEARANCE_INTERVAL_SECONDS) : []);
        const compared = isDense ? new Set(sampleFrames(index, chunk, EDGES_INTERVAL_SECONDS)) : surveyed;
        const decoded = [...new Set([...surveyed, ...compared, ...dense])].toSorted((a, b) => a - b);
        for (const item of decodeFrames(file, index, chunk, decoded)) {
          signal?.throwIfAborted();
          if (isGap(item)) continue;
          using picture = item;
          const { t } = picture;
          const frame = frameAt(index, t);
          if (dense.has(frame)) {
            const found = lines.add(picture, recording);
            const at = frames.length - 1;
            appearedWidth += found.reduce((sum, line) => sum + inputWidth(line), 0);
            if (found.length > 0 && at >= 0 && appearedWidth <= MAX_APPEARED_WIDTH)
              await start(
                readAppeared(picture, found, script.isChinese ? recognizers.chinese : recognizers.latin).then(
                  (boxes) => {
                    appeared.push(...boxes.map((box) => ({ recording, t, frame: at, ...toReference(box) })));
                  },
                ),
              );
          }
          if (compared.has(frame)) edges.add(picture, recording);
          if (!surveyed.has(frame)) continue;
          if (number++ % searchEvery !== 0) continue;
          if (finders?.size.width !== picture.width || finders.size.height !== picture.height) {
            await Promise.all(running);
            finders?.fine[Symbol.dispose]();
            finders?.coarse[Symbol.dispose]();
            finders = await openFinders(picture, memoryBudget);
          }
          const at = frames.push({ recording, t }) - 1;
          const done = number;
          const whole = wholePicture(picture);
          // What is read from here on depends on the script: it is waited for.
          const isScriptSample = !script.isChinese && at % scriptEvery === 0;
          if (isScriptSample) await Promise.all(running);
          await start(
            findLines(finders, whole).then(async (boxes) => {
              if (isScriptSample) await script.add(whole, boxes);
              sightings.push(...boxes.map((box) => ({ recording, t, frame: at, ...toReference(box) })));
              onFrame?.(Math.min(done, wanted), wanted);
            }),
          );
          if (isScriptSample) await Promise.all(running);
        }
        // The decoder's memory is freed when the event loop turns.
        await new Promise(setImmediate);
      }
    }
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
    finders?.fine[Symbol.dispose]();
    finders?.coarse[Symbol.dispose]();
  }
  // Searches end in any order.
  for (const found of [sightings, appeared])
    found.sort((a, b) => a.frame - b.frame || a.t - b.t || a.y - b.y || a.x - b.x);
  return {
    sightings,
    appeared,
    frames,
    steady: edges.findPlaces(),
    shapes: edges.findShapes(),
    outlines: edges.findFrames(),
    symbols: edges.findSymbols(),
    isChinese: script.isChinese,
  };
}

/** The lines among places where something appeared that can be read; none where a whole screen of them appeared. */
async function readAppeared(
  picture: Picture,
  places: readonly Rect[],
  recognizer: TextRecognizer,
): Promise<readonly Rect[]> {
  const crops = places.map((place): Crop => {
    const rect = wholePixels(place, picture);
    return { data: cropRgb(picture, rect), width: rect.width, height: rect.height, channels: 3 };
  });
  const seen = await recognizer.recognize(crops);
  const read = places.filter((_, i) => {
    const reading = readLine(seen[i]!, anyText());
    return reading && reading.confidence >= MIN_APPEARED_CONFIDENCE && APPEARED_TEXT.test(reading.text);
  });
  return read.length >= MIN_SCREEN_LINES ? [] : read;
}

/** The frames of a chunk on a grid of `interval` seconds. */
export function sampleFrames(
  index: PacketIndex,
  { firstFrame, lastFrame }: { readonly firstFrame: number; readonly lastFrame: number },
  interval: number,
): number[] {
  const times = index.t;
  const frames = new Set<number>();
  const [from, end] = [times[firstFrame]!, times[Math.min(times.length, lastFrame) - 1]!];
  for (let tick = Math.ceil(from / interval); tick * interval <= end; tick++) {
    const frame = frameAt(index, tick * interval);
    if (frame >= firstFrame && frame < lastFrame) frames.add(frame);
  }
  return [...frames].toSorted((a, b) => a - b);
}

/** Rounds a rectangle outwards to whole pixels inside the picture. */
export function wholePixels({ x, y, width, height }: Rect, size: Size): Rect {
  const left = Math.floor(x);
  const top = Math.floor(y);
  return clip({ x: left, y: top, width: Math.ceil(x + width) - left, height: Math.ceil(y + height) - top }, size);
}

async function openFinders(
  { width, height }: Size,
  memoryBudget: number | undefined,
): Promise<{ readonly size: Size; readonly fine: TextFinder; readonly coarse: TextFinder }> {
  const budget = { threads: NETWORK_THREADS, ...(memoryBudget === undefined ? {} : { memoryBudget }) };
  const fine = await TextFinder.open({ width, height, ...budget });
  const maxSide = Math.max(width, height) / LARGE_TEXT_REDUCTION;
  return { size: { width, height }, fine, coarse: await TextFinder.open({ width, height, maxSide, ...budget }) };
}

/** Finds lines of all sizes: those of the fine search, and large ones that it overlooks. */
async function findLines(
  { fine, coarse }: { readonly fine: TextFinder; readonly coarse: TextFinder },
  picture: Crop,
): Promise<readonly Rect[]> {
  const small = await fine.find(picture);
  const large = (await coarse.find(picture)).filter(
    (box) => box.height >= MIN_LARGE_HEIGHT * picture.height && !small.some((other) => overlap(box, other) > 0),
  );
  return [...small, ...large];
}

/** A whole picture as RGB. */
export function wholePicture(picture: Picture): Crop {
  const { width, height } = picture;
  return { data: cropRgb(picture, { x: 0, y: 0, width, height }), width, height, channels: 3 };
}

/** Area that two rectangles share, divided by that of the smaller. */
export function overlap(a: Rect, b: Rect): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / Math.max(1e-9, Math.min(a.width * a.height, b.width * b.height));
}

/** Area that two rectangles share, divided by what either covers. */
export function shareInCommon(a: Rect, b: Rect): number {
  const common = overlap(a, b) * Math.min(a.width * a.height, b.width * b.height);
  return common / Math.max(1e-9, a.width * a.height + b.width * b.height - common);
}
