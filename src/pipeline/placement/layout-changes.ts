import { setImmediate as turn } from 'node:timers/promises';
import { groupFirstFrame, findGroup, type PacketIndex, frameTime } from '../../media/packets/packet-index.ts';
import type { VideoFile } from '../../media/video.ts';
import type { HudSettings } from '../../regions/place.ts';
import type { Game } from '../game.ts';
import { MIN_ELEMENT_CONFIDENCE } from './evidence.ts';
import { searchPlacement } from './search.ts';
import { WitnessReader } from './witness-reader.ts';
import { frameAt, decodePicture, type TimeSpan } from './sample-pictures.ts';

/** Seconds between two looks: many enough for a minute, few enough for hours. */
const LEAST_STEP = 7;
const MOST_STEP = 20;
const LOOKS = 80;
/** Seconds, and looks in a row, for which nothing must be seen before the HUD is looked for elsewhere. */
const LONG = 10;
const LOOKS_LOST = 3;
/** Seconds for which nothing must be seen to be worth a look at borders and outlines, which costs little. */
const SHORT = 3;
/** Seconds between the looks where one look saw nothing, and how many there are between two that did. */
const CLOSER = 1;
const LOOKS_BETWEEN = 8;
/** Seconds for which nothing must be seen to be told. */
const LOST = 30;
/** Seconds for which nothing must be seen to be worth a look at every place, which costs much. */
const EVERYWHERE = 60;
/** Elements by which a placement is known again. */
const KNOWN_BY = 2;
/** Searches that find nothing, after which no more are made: they cost seconds each. */
const MOST_VAIN = 3;
/** Stretches that are looked at more closely, as each of them costs some pictures. */
const MOST_CLOSER = 6;
/** Looks of a stretch at which a placement must be known again: of those where anything is to be seen it is nearly all. */
const SHARE = 0.5;
/** Seconds to which the time of a change is found. */
const EXACT = 0.05;

/** Where the HUD lies from a time on. */
export interface Layout {
  readonly t: number;
  readonly hud: HudSettings;
  readonly confidence: number;
}

/** How the layout of a recording changes. */
export interface Survey {
  /** After the first, in order of time. */
  readonly changes: readonly Layout[];
  /** Stretches in which nothing was seen for long, neither where it was nor elsewhere. */
  readonly lost: readonly TimeSpan[];
}

interface Look {
  readonly t: number;
  /** The layout that is seen, by number; −1: none. */
  layout: number;
}

/**
 * Looks through a recording whose HUD lies at `hud` somewhere: whether its elements stay there. Where they are gone for long they
 * are looked for where they were before, then anywhere. Depends on recording, profile and program alone.
 */
export async function findLayoutChanges(
  file: VideoFile,
  index: PacketIndex,
  game: Game,
  { hud, confidence }: { readonly hud: HudSettings; readonly confidence: number },
  signal?: AbortSignal,
): Promise<Survey> {
  const looks = looksOf(index);
  if (looks.length < LOOKS_LOST) return { changes: [], lost: [] };
  using fit = await WitnessReader.open(game);
  const watch: Watch = { file, index, game, fit, layouts: [{ hud, confidence }], signal };
  for (const look of looks) {
    if (await isSeen(watch, look.t, 0)) look.layout = 0;
    await turn();
    signal?.throwIfAborted();
  }
  // Nothing is known of a recording in which hardly anything was seen anywhere.
  if (looks.every(({ layout }) => layout < 0)) return { changes: [], lost: [] };
  const lost: TimeSpan[] = [];
  let vain = 0;
  let closer = MOST_CLOSER;
  for (let from = 0; from < looks.length; from++) {
    let to = from;
    while (to < looks.length && looks[to]!.layout < 0) to++;
    const run = looks.slice(from, to);
    if (run.length > 0) {
      if (run.length < LOOKS_LOST && closer > 0) {
        closer--;
        const between = await looksBetween(watch, looks[from - 1]?.t ?? 0, run, looks[to]?.t);
        if (between.length > run.length) {
          looks.splice(from, run.length, ...between);
          from--;
          continue;
        }
      }
      const lasts = run.length < LOOKS_LOST ? 0 : run.at(-1)!.t - run[0]!.t;
      const search = lasts >= LONG ? 'all' : lasts >= SHORT ? 'outlines' : undefined;
      if (await knownAgain(watch, run, vain < MOST_VAIN ? search : undefined)) {
        // Perhaps a part of it: what is left is looked at again.
        from--;
        continue;
      }
      if (search) vain++;
      const stretch = { t: run[0]!.t, end: looks[to]?.t ?? index.t[index.t.length - 1]! };
      if (stretch.end - stretch.t >= LOST) lost.push(stretch);
    }
    from = to;
  }
  return { changes: await changesOf(watch, looks), lost };
}

interface Watch {
  readonly file: VideoFile;
  readonly index: PacketIndex;
  readonly game: Game;
  readonly fit: WitnessReader;
  readonly layouts: { readonly hud: HudSettings; readonly confidence: number }[];
  readonly signal: AbortSignal | undefined;
}

/** Keyframes spread over the recording. */
function looksOf(index: PacketIndex): Look[] {
  const count = index.t.length;
  if (count === 0) return [];
  const end = index.t[count - 1]!;
  const step = Math.min(MOST_STEP, Math.max(LEAST_STEP, end / LOOKS));
  const times = new Set<number>();
  for (let t = step / 2; t < end; t += step) {
    const frame = frameAt(index, t);
    const key = groupFirstFrame(index, findGroup(index, frame));
    // Keyframes may be sparse.
    times.add(frameTime(index, frameTime(index, key) > t - step ? key : frame));
  }
  return [...times].toSorted((a, b) => a - b).map((t) => ({ t, layout: -1 }));
}

/** A run of looks that saw nothing with further ones between, as far as those around it reach. */
async function looksBetween(watch: Watch, after: number, run: readonly Look[], before?: number): Promise<Look[]> {
  const { index, signal } = watch;
  const end = before ?? index.t[index.t.length - 1]!;
  const step = Math.max(CLOSER, (end - after) / (LOOKS_BETWEEN + 1));
  const looks = [...run];
  for (let t = after + step; t < end - step / 2; t += step) {
    const frame = frameAt(index, t);
    const key = frameTime(index, groupFirstFrame(index, findGroup(index, frame)));
    const at = key > t - step / 2 && key > after ? key : frameTime(index, frame);
    if (looks.some((look) => Math.abs(look.t - at) < step / 2)) continue;
    looks.push({ t: at, layout: (await isSeen(watch, at, 0)) ? 0 : -1 });
    signal?.throwIfAborted();
  }
  return looks.toSorted((a, b) => a.t - b.t);
}

async function isSeen({ file, index, fit, layouts }: Watch, t: number, layout: number): Promise<boolean> {
  const frame = frameAt(index, t);
  using picture = decodePicture(file, index, frame);
  if (!picture) return false;
  const least = Math.min(KNOWN_BY, fit.names.length);
  const seen = await fit.read(picture, layouts[layout]!.hud, { enough: least });
  return seen.filter((confidence) => confidence >= MIN_ELEMENT_CONFIDENCE).length >= least;
}

/** Says which looks of a run show a layout: one that was seen elsewhere, or one that is found anew. */
async function knownAgain(
  watch: Watch,
  run: readonly Look[],
  search: 'all' | 'outlines' | undefined,
): Promise<boolean> {
  const mark = async (layout: number): Promise<number> => {
    let seen = 0;
    for (const look of run) {
      if (look.layout >= 0 || !(await isSeen(watch, look.t, layout))) continue;
      look.layout = layout;
      seen++;
      watch.signal?.throwIfAborted();
    }
    return seen;
  };
  let seen = 0;
  for (let layout = 1; layout < watch.layouts.length; layout++) seen += await mark(layout);
  if (seen > 0) return true;
  if (!search) return false;
  const { file, index, game, signal, layouts } = watch;
  const within = { t: run[0]!.t, end: run.at(-1)!.t };
  const everywhere = within.end - within.t >= EVERYWHERE;
  const how = search === 'all' ? { everywhere } : { outlinesOnly: true };
  const found = await searchPlacement(file, index, game, { signal, within, ...how });
  if (!found) return false;
  layouts.push(found);
  seen = await mark(layouts.length - 1);
  if (seen >= Math.min(LOOKS_LOST, SHARE * run.length)) return true;
  layouts.pop();
  for (const look of run) if (look.layout === layouts.length) look.layout = -1;
  return false;
}

/** When one layout takes another's place. */
async function changesOf(watch: Watch, looks: readonly Look[]): Promise<Layout[]> {
  const changes: Layout[] = [];
  let before: Look | undefined;
  for (const look of looks) {
    if (look.layout < 0) continue;
    // What was seen first holds from the beginning.
    const layout = before?.layout ?? 0;
    if (look.layout !== layout) {
      const t = await timeOfChange(watch, before?.t ?? 0, look);
      changes.push({ t, ...watch.layouts[look.layout]! });
    }
    before = look;
  }
  return changes;
}

/** The first time between two looks at which the later one's layout is seen. */
async function timeOfChange(watch: Watch, from: number, { t, layout }: Look): Promise<number> {
  let [low, high] = [from, t];
  while (high - low > EXACT) {
    const middle = (low + high) / 2;
    if (await isSeen(watch, middle, layout)) high = middle;
    else low = middle;
    watch.signal?.throwIfAborted();
  }
  const { index } = watch;
  const frame = frameAt(index, high);
  return frameTime(index, frame);
}
