import type { Rect, Size } from '../geometry.ts';
import type { PacketIndex } from '../media/packets/packet-index.ts';
import { scanPacketsAsync } from '../media/packets/scan-packets.ts';
import type { Picture } from '../media/picture.ts';
import { openVideo, type VideoFile } from '../media/video.ts';
import { decodePicture, spreadFrames } from '../pipeline/placement/pictures.ts';
import { TextFinder } from '../recognition/text-finder.ts';
import { type Crop, cropRgb } from '../regions/crop.ts';
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
}

/** What the survey of recordings found. */
export interface Survey {
  readonly sightings: readonly Sighting[];
  /** Recording and time of each surveyed frame. */
  readonly frames: readonly { readonly recording: number; readonly t: number }[];
  /** Where edges stay while the scene moves: more lines, and icons and gauges, in pixels of the reference frame. */
  readonly steady: readonly Rect[];
  /** What hangs together among them. */
  readonly shapes: readonly Rect[];
  /** Rectangles that are drawn around something, in pixels of the reference frame. */
  readonly outlines: readonly Rect[];
}

/** Seconds between surveyed frames, unless that makes too many. */
const SURVEY_INTERVAL_SECONDS = 2;
const MAX_SURVEYED_FRAMES = 150;
/** Frames from which lines are searched for in every second one only; what stays is found by its edges. */
const MIN_FRAMES_TO_SKIP = 75;
/** Factor by which a second search reduces the picture: the network overlooks single large characters. */
const LARGE_TEXT_REDUCTION = 3;
/** Least height of a line, in fractions of the picture's, that the second search adds. */
const MIN_LARGE_HEIGHT = 0.05;
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
 * @param onFrame Called after each frame with the number of frames done and of all.
 */
export async function surveyText(
  recordings: readonly Recording[],
  options: {
    readonly signal?: AbortSignal | undefined;
    readonly memoryBudget?: number | undefined;
    readonly onFrame?: ((done: number, total: number) => void) | undefined;
  } = {},
): Promise<Survey> {
  const { signal, memoryBudget, onFrame } = options;
  const reference = recordings[0]!.size;
  const share = Math.floor(MAX_SURVEYED_FRAMES / recordings.length);
  const wanted = recordings.flatMap(({ index }, recording) => {
    const count = Math.min(share, Math.max(8, Math.ceil((index.t.at(-1) ?? 0) / SURVEY_INTERVAL_SECONDS)));
    return spreadFrames(index, count).map((frame) => ({ recording, frame }));
  });
  wanted.sort((a, b) => a.recording - b.recording || a.frame - b.frame);
  const sightings: Sighting[] = [];
  const frames: { recording: number; t: number }[] = [];
  const running = new Set<Promise<void>>();
  const edges = new SteadyEdges(reference);
  const searchEvery = wanted.length >= MIN_FRAMES_TO_SKIP ? 2 : 1;
  let finders: { readonly size: Size; readonly fine: TextFinder; readonly coarse: TextFinder } | undefined;
  try {
    for (const [number, { recording, frame }] of wanted.entries()) {
      signal?.throwIfAborted();
      const { file, index, size } = recordings[recording]!;
      using picture = decodePicture(file, index, frame);
      if (!picture) continue;
      edges.add(picture, recording);
      if (number % searchEvery !== 0) continue;
      if (finders?.size.width !== picture.width || finders.size.height !== picture.height) {
        await Promise.all(running);
        finders?.fine[Symbol.dispose]();
        finders?.coarse[Symbol.dispose]();
        finders = await openFinders(picture, memoryBudget);
      }
      const at = frames.push({ recording, t: picture.t }) - 1;
      const [scaleX, scaleY] = [reference.width / size.width, reference.height / size.height];
      const { t } = picture;
      const search = findLines(finders, wholePicture(picture)).then((boxes) => {
        for (const { x, y, width, height } of boxes)
          sightings.push({
            recording,
            t,
            frame: at,
            x: x * scaleX,
            y: y * scaleY,
            width: width * scaleX,
            height: height * scaleY,
          });
        onFrame?.(number + 1, wanted.length);
      });
      const tracked = search.finally(() => running.delete(tracked));
      running.add(tracked);
      if (running.size >= CONCURRENT_SEARCHES) await Promise.race(running);
    }
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
    finders?.fine[Symbol.dispose]();
    finders?.coarse[Symbol.dispose]();
  }
  // Searches end in any order.
  sightings.sort((a, b) => a.frame - b.frame || a.y - b.y || a.x - b.x);
  return { sightings, frames, steady: edges.findPlaces(), shapes: edges.findShapes(), outlines: edges.findFrames() };
}

async function openFinders(
  { width, height }: Size,
  memoryBudget: number | undefined,
): Promise<{ readonly size: Size; readonly fine: TextFinder; readonly coarse: TextFinder }> {
  const budget = memoryBudget === undefined ? {} : { memoryBudget };
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
