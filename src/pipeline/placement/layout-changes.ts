import { setImmediate as turn } from 'node:timers/promises';
import type { HudSettings } from '../../geometry.ts';
import { decodeFrames, isGap } from '../../media/decode/decode-frames.ts';
import {
  createChunk,
  findGroup,
  frameTime,
  groupFirstFrame,
  type PacketIndex,
} from '../../media/packets/packet-index.ts';
import type { Picture } from '../../media/picture.ts';
import { ElementReader, MIN_ELEMENT_CONFIDENCE } from './evidence.ts';
import { decodePicture, frameAt, type HudSource, type TimeSpan } from './pictures.ts';
import { decodeSearchedPictures, searchPlacement } from './search-placement.ts';

/** Spacing of the checkpoints, which follows from the length of the recording and their intended number. */
const MIN_CHECKPOINT_SECONDS = 7;
const MAX_CHECKPOINT_SECONDS = 20;
const INTENDED_CHECKPOINTS = 80;
/** Checkpoints in a row without the HUD, and seconds they span, from which the HUD is searched elsewhere. */
const MIN_MISSES = 3;
const MIN_SEARCH_SECONDS = 10;
/** Seconds from which borders and outlines are searched, which is fast; and from which the whole picture is, which is slow. */
const MIN_OUTLINE_SEARCH_SECONDS = 3;
const MIN_FULL_SEARCH_SECONDS = 60;
/** Shortest part without the HUD that is reported. */
const MIN_LOST_SECONDS = 30;
/** Spacing and number of the checkpoints added around a short run of misses, and how many runs get some. */
const MIN_ADDED_SPACING_SECONDS = 1;
const ADDED_CHECKPOINTS = 8;
const MAX_REFINED_RUNS = 6;
/** Elements that confirm a layout. */
const CONFIRMING_ELEMENTS = 2;
/** Searches without a result after which none are made: each takes seconds. */
const MAX_FAILED_SEARCHES = 3;
/** Share of a run's checkpoints at which a found layout must be confirmed. */
const MIN_CONFIRMED_SHARE = 0.5;
/** Precision of the time of a change. */
const CHANGE_PRECISION_SECONDS = 0.05;

/** The placement of the HUD from a time on. */
export interface Layout {
  readonly t: number;
  readonly hud: HudSettings;
  readonly confidence: number;
}

/** Changes of the HUD's placement in a recording. */
export interface LayoutChanges {
  /** Layouts after the first, in order of time. */
  readonly changes: readonly Layout[];
  /** Parts without the HUD. */
  readonly lost: readonly TimeSpan[];
}

/** A frame at which the layout is checked. */
interface Checkpoint {
  readonly t: number;
  /** Index of the layout seen; −1: none. */
  layout: number;
}

/**
 * Finds changes of the placement in a recording. Checks the first layout at checkpoints spread over the recording; where it is
 * missing for long, tries the other known layouts, then searches for a new one. Deterministic.
 */
export async function findLayoutChanges(source: HudSource, first: Omit<Layout, 't'>): Promise<LayoutChanges> {
  const { index, game } = source;
  const checkpoints = spreadCheckpoints(index);
  if (checkpoints.length < MIN_MISSES) return { changes: [], lost: [] };
  using reader = await ElementReader.open(game);
  const survey: Survey = { ...source, reader, layouts: [first] };
  await markFirstLayout(survey, checkpoints);
  // Without a single confirmation there is nothing to compare with.
  if (checkpoints.every(({ layout }) => layout < 0)) return { changes: [], lost: [] };
  const lost: TimeSpan[] = [];
  let failedSearches = 0;
  let refinableRuns = MAX_REFINED_RUNS;
  for (let from = 0; from < checkpoints.length; from++) {
    let to = from;
    while (to < checkpoints.length && checkpoints[to]!.layout < 0) to++;
    const run = checkpoints.slice(from, to);
    if (run.length > 0) {
      if (run.length < MIN_MISSES && refinableRuns > 0) {
        refinableRuns--;
        const refined = await addCheckpoints(survey, checkpoints[from - 1]?.t ?? 0, run, checkpoints[to]?.t);
        if (refined.length > run.length) {
          checkpoints.splice(from, run.length, ...refined);
          from--;
          continue;
        }
      }
      const seconds = run.length < MIN_MISSES ? 0 : run.at(-1)!.t - run[0]!.t;
      const search =
        seconds >= MIN_SEARCH_SECONDS ? 'all' : seconds >= MIN_OUTLINE_SEARCH_SECONDS ? 'outlines' : undefined;
      if (await assignLayouts(survey, run, failedSearches < MAX_FAILED_SEARCHES ? search : undefined)) {
        // Process the rest of the run again.
        from--;
        continue;
      }
      if (search) failedSearches++;
      const part = { t: run[0]!.t, end: checkpoints[to]?.t ?? index.t[index.t.length - 1]! };
      if (part.end - part.t >= MIN_LOST_SECONDS) lost.push(part);
    }
    from = to;
  }
  return { changes: await listChanges(survey, checkpoints), lost };
}

interface Survey extends HudSource {
  readonly reader: ElementReader;
  readonly layouts: Omit<Layout, 't'>[];
}

/** Spreads checkpoints over the recording, at keyframes where there are enough. */
function spreadCheckpoints(index: PacketIndex): Checkpoint[] {
  const count = index.t.length;
  if (count === 0) return [];
  const end = index.t[count - 1]!;
  const step = Math.min(MAX_CHECKPOINT_SECONDS, Math.max(MIN_CHECKPOINT_SECONDS, end / INTENDED_CHECKPOINTS));
  const times = new Set<number>();
  let previous: number | undefined;
  for (let t = step / 2; t < end; t += step) {
    const frame = frameAt(index, t);
    const key = groupFirstFrame(index, findGroup(index, frame));
    // Keyframes may be further apart than checkpoints.
    times.add(frameTime(index, frameTime(index, key) > t - step ? key : frame));
    // Over a pause, whose length is only a number in the file, there is nothing more to check.
    if (frame === previous) t += step * Math.max(0, Math.floor((frameTime(index, frame + 1) - t) / step) - 1);
    previous = frame;
  }
  return [...times].toSorted((a, b) => a - b).map((t) => ({ t, layout: -1 }));
}

/** Checks the first layout at all checkpoints. Those of one group of pictures are decoded in one pass, however long it is. */
async function markFirstLayout(survey: Survey, checkpoints: readonly Checkpoint[]): Promise<void> {
  const { file, index, signal } = survey;
  const frameOf = ({ t }: Checkpoint): number => frameAt(index, t);
  for (const [group, own] of Map.groupBy(checkpoints, (checkpoint) => findGroup(index, frameOf(checkpoint)))) {
    const left = new Set(own);
    const chunk = createChunk(index, group, group + 1);
    for (const item of decodeFrames(file, index, chunk, own.map(frameOf))) {
      if (isGap(item)) continue;
      using picture = item;
      const checkpoint = own.find(({ t }) => t === picture.t);
      if (checkpoint && (await showsLayout(survey, picture, 0))) checkpoint.layout = 0;
      if (checkpoint) left.delete(checkpoint);
      await turn();
      signal?.throwIfAborted();
    }
    // Behind a damaged picture, others may be readable that do not need it.
    for (const checkpoint of left) {
      if (await isSeen(survey, checkpoint.t, 0)) checkpoint.layout = 0;
      await turn();
      signal?.throwIfAborted();
    }
  }
}

/** Adds checkpoints to a run of misses, up to the confirmed ones before and after it. */
async function addCheckpoints(
  survey: Survey,
  after: number,
  run: readonly Checkpoint[],
  before?: number,
): Promise<Checkpoint[]> {
  const { index, signal } = survey;
  const end = before ?? index.t[index.t.length - 1]!;
  const step = Math.max(MIN_ADDED_SPACING_SECONDS, (end - after) / (ADDED_CHECKPOINTS + 1));
  const checkpoints = [...run];
  for (let t = after + step; t < end - step / 2; t += step) {
    const frame = frameAt(index, t);
    const key = frameTime(index, groupFirstFrame(index, findGroup(index, frame)));
    const at = key > t - step / 2 && key > after ? key : frameTime(index, frame);
    if (checkpoints.some((checkpoint) => Math.abs(checkpoint.t - at) < step / 2)) continue;
    checkpoints.push({ t: at, layout: (await isSeen(survey, at, 0)) ? 0 : -1 });
    signal?.throwIfAborted();
  }
  return checkpoints.toSorted((a, b) => a.t - b.t);
}

/** Whether a layout is confirmed at a time. */
async function isSeen(survey: Survey, t: number, layout: number): Promise<boolean> {
  const { file, index } = survey;
  using picture = decodePicture(file, index, frameAt(index, t));
  return picture !== undefined && (await showsLayout(survey, picture, layout));
}

async function showsLayout({ reader, layouts }: Survey, picture: Picture, layout: number): Promise<boolean> {
  const required = Math.min(CONFIRMING_ELEMENTS, reader.names.length);
  const seen = await reader.read(picture, layouts[layout]!.hud, { stopAfter: required });
  return seen.filter((confidence) => confidence >= MIN_ELEMENT_CONFIDENCE).length >= required;
}

/**
 * Finds which checkpoints of a run show a known layout, or else a layout that a search finds.
 *
 * @returns Whether any do.
 */
async function assignLayouts(
  survey: Survey,
  run: readonly Checkpoint[],
  search: 'all' | 'outlines' | undefined,
): Promise<boolean> {
  const mark = async (layout: number): Promise<number> => {
    let seen = 0;
    for (const checkpoint of run) {
      if (checkpoint.layout >= 0 || !(await isSeen(survey, checkpoint.t, layout))) continue;
      checkpoint.layout = layout;
      seen++;
      survey.signal?.throwIfAborted();
    }
    return seen;
  };
  let seen = 0;
  for (let layout = 1; layout < survey.layouts.length; layout++) seen += await mark(layout);
  if (seen > 0) return true;
  if (!search) return false;
  const { layouts } = survey;
  const within = { t: run[0]!.t, end: run.at(-1)!.t };
  const everywhere = within.end - within.t >= MIN_FULL_SEARCH_SECONDS;
  const options = search === 'all' ? { everywhere } : { outlinesOnly: true };
  const found = await searchPlacement(survey, { pictures: decodeSearchedPictures(survey, within), ...options });
  if (!found) return false;
  layouts.push(found);
  seen = await mark(layouts.length - 1);
  if (seen >= Math.min(MIN_MISSES, MIN_CONFIRMED_SHARE * run.length)) return true;
  layouts.pop();
  for (const checkpoint of run) if (checkpoint.layout === layouts.length) checkpoint.layout = -1;
  return false;
}

/** Lists the changes from one layout to another, with their times. */
async function listChanges(survey: Survey, checkpoints: readonly Checkpoint[]): Promise<Layout[]> {
  const changes: Layout[] = [];
  let before: Checkpoint | undefined;
  for (const checkpoint of checkpoints) {
    if (checkpoint.layout < 0) continue;
    // The first layout applies from the beginning.
    const layout = before?.layout ?? 0;
    if (checkpoint.layout !== layout) {
      const t = await findChangeTime(survey, before?.t ?? 0, checkpoint);
      changes.push({ t, ...survey.layouts[checkpoint.layout]! });
    }
    before = checkpoint;
  }
  return changes;
}

/** Finds the first time after `from` at which the layout of a checkpoint is seen, by bisection. */
async function findChangeTime(survey: Survey, from: number, { t, layout }: Checkpoint): Promise<number> {
  let [low, high] = [from, t];
  while (high - low > CHANGE_PRECISION_SECONDS) {
    const middle = (low + high) / 2;
    if (await isSeen(survey, middle, layout)) high = middle;
    else low = middle;
    survey.signal?.throwIfAborted();
  }
  const { index } = survey;
  const frame = frameAt(index, high);
  return frameTime(index, frame);
}
