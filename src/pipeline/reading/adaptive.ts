import { isProblem } from '../../media/decode.ts';
import { type Chunk, firstFrameOf } from '../../media/packet-index.ts';
import type { Picture } from '../../media/picture.ts';
import { type ChunkReadings, ReadingsBuilder } from './chunk-readings.ts';
import { agree, type ProbeRule } from './probe.ts';
import { type ChunkContext, type ChunkPlan, gapOf, pause, picturesOf, timeAt, TURN } from './read-chunk.ts';
import type { Observations } from './chunk-readings.ts';

/** What all detectors see on one picture. */
interface Probe {
  readonly t: number;
  readonly seen: Observations;
}

/** Bytes of luma that may wait between two probes. */
const HELD_BYTES = 48 << 20;

/**
 * Reads keyframes first, and decodes only the groups of pictures between two of them that do not tell what lies between:
 * some detector reads them differently, or they are further apart than it persists. What lies between two probes that
 * agree is given what both show. A keyframe more than the chunk has, the next chunk's first, closes its last group.
 */
export async function readAdaptively(
  context: ChunkContext,
  chunk: Chunk,
  plan: ChunkPlan,
  rules: readonly ProbeRule[],
): Promise<ChunkReadings> {
  const { index } = context;
  const builder = new ReadingsBuilder();
  const bounds: number[] = [];
  for (let group = chunk.firstGroup; group <= chunk.lastGroup; group++) bounds.push(firstFrameOf(index, group));
  const probes = await readKeyframes(context, chunk, bounds);
  const spacing = Math.min(...rules.map(({ persists }) => persists));
  let next = 0;
  for (let g = 0; g < bounds.length - 1; g++) {
    const from = next;
    while (next < plan.frames.length && plan.frames[next]! < bounds[g + 1]!) next++;
    const part = { frames: plan.frames.slice(from, next), due: plan.due.slice(from, next) };
    const [before, after] = [probes.get(bounds[g]!), probes.get(bounds[g + 1]!)];
    const group = { part, before, after, rules };
    if (before && after && settled(before, after, rules)) recall(context, part, 0, before, builder);
    else if (before && (after?.t ?? chunk.end) - before.t > spacing)
      await readSparsely(context, chunk, { ...group, before, spacing }, builder);
    else await readDensely(context, chunk, group, builder);
  }
  return builder.finish();
}

/** What the detectors see on the keyframes at `bounds`; those that cannot be decoded are missing. */
async function readKeyframes(
  context: ChunkContext,
  chunk: Chunk,
  bounds: readonly number[],
): Promise<Map<number, Probe>> {
  const { index } = context;
  const probes = new Map<number, Probe>();
  const known = index.firstFrame + index.t.length;
  const frames = bounds.filter((frame) => frame < known);
  const reach = { ...chunk, lastFrame: known };
  let i = 0;
  for await (const item of picturesOf(context, reach, frames)) {
    if (isProblem(item)) {
      // The keyframe is missing: its neighbours cannot be compared.
      while (i < frames.length && timeAt(index, frames[i]!) < item.end) i++;
      continue;
    }
    using picture = item;
    while (i < frames.length && timeAt(index, frames[i]!) < picture.t) i++;
    probes.set(frames[i++]!, await probe(context, picture));
    if (i % TURN === 0) await pause(context);
  }
  return probes;
}

async function probe({ reader, detectors }: ChunkContext, picture: Picture): Promise<Probe> {
  return { t: picture.t, seen: await reader.read(picture, new Uint8Array(detectors).fill(1)) };
}

interface Group {
  /** Its samples. */
  readonly part: ChunkPlan;
  /** Its keyframe and the next, where they could be read. */
  readonly before: Probe | undefined;
  readonly after: Probe | undefined;
  readonly rules: readonly ProbeRule[];
}

/** Samples after which it is tried again whether the rest of a group is known. */
const PATIENCE = 3;

/** Reads a group sample by sample, until one shows what the next keyframe shows: the rest is not even decoded. */
async function readDensely(
  context: ChunkContext,
  chunk: Chunk,
  { part, after, rules }: Group,
  builder: ReadingsBuilder,
): Promise<void> {
  const { index, reader } = context;
  let i = 0;
  let tried = Number.NEGATIVE_INFINITY;
  for await (const item of picturesOf(context, chunk, part.frames)) {
    if (isProblem(item)) {
      builder.gap(gapOf(item));
      continue;
    }
    using picture = item;
    while (i < part.frames.length && timeAt(index, part.frames[i]!) < picture.t) i++;
    const seen = await reader.read(picture, part.due[i]!);
    builder.add(picture.t, seen);
    if (++i % TURN === 0) await pause(context);
    if (!after || i - tried < PATIENCE || !compatible(seen, after, rules)) continue;
    tried = i;
    const here = await probe(context, picture);
    if (settled(here, after, rules)) return recall(context, part, i, here, builder);
  }
}

interface SparseGroup extends Group {
  readonly before: Probe;
  /** Seconds: no two probes may lie further apart. */
  readonly spacing: number;
}

/**
 * Reads a group that is longer than readings persist. A picture inside it cannot be had without those before it, so
 * it is decoded once, in order: pictures wait until the probe after them tells whether they have to be read. As soon as a
 * probe and the next keyframe are near enough to prove the rest, it is tried whether they agree: then that is not even decoded.
 */
async function readSparsely(
  context: ChunkContext,
  chunk: Chunk,
  { part: plan, before, after, rules, spacing }: SparseGroup,
  builder: ReadingsBuilder,
): Promise<void> {
  const { index, reader } = context;
  const held: { readonly picture: Picture; readonly sample: number }[] = [];
  let last: Probe = before;
  const release = async (seen: Observations | undefined): Promise<void> => {
    for (const { picture, sample } of held.splice(0)) {
      using one = picture;
      const due = plan.due[sample]!;
      builder.add(one.t, seen ? reader.recall(seen, due) : await reader.read(one, due));
    }
  };
  const rest = (sample: number): boolean =>
    after !== undefined && settled(last, after, rules) && sample < plan.frames.length;
  /** Seconds from which on a probe may tell the rest of the group: each that does not halves what is left. */
  let closing = after ? after.t - spacing : Number.POSITIVE_INFINITY;
  try {
    let i = 0;
    if (rest(0)) return recall(context, plan, 0, last, builder);
    for await (const item of picturesOf(context, chunk, plan.frames)) {
      if (isProblem(item)) {
        await release(undefined);
        builder.gap(gapOf(item));
        continue;
      }
      while (i < plan.frames.length && timeAt(index, plan.frames[i]!) < item.t) i++;
      held.push({ picture: item, sample: i++ });
      const most = Math.max(2, Math.floor(HELD_BYTES / (item.width * item.height)));
      const follows = i < plan.frames.length ? timeAt(index, plan.frames[i]!) : Number.POSITIVE_INFINITY;
      const closes = item.t >= closing;
      if (!closes && follows - last.t <= spacing && held.length < most) continue;
      const here = await probe(context, item);
      if (closes) closing = (item.t + after!.t) / 2;
      await release(settled(last, here, rules) ? here.seen : undefined);
      last = here;
      await pause(context);
      if (rest(i)) return recall(context, plan, i, last, builder);
    }
    await release(undefined);
  } finally {
    for (const { picture } of held) picture[Symbol.dispose]();
  }
}

/** Gives the samples of a plan from number `from` on what a probe shows. */
function recall(
  { index, reader }: ChunkContext,
  plan: ChunkPlan,
  from: number,
  { seen }: Probe,
  builder: ReadingsBuilder,
): void {
  for (let i = from; i < plan.frames.length; i++)
    builder.add(timeAt(index, plan.frames[i]!), reader.recall(seen, plan.due[i]!));
}

/** Whether what lies between two probes is what both show, by the rules of every detector. */
function settled(before: Probe, after: Probe, rules: readonly ProbeRule[]): boolean {
  const apart = after.t - before.t;
  return before.seen.every((one, d) => {
    const { persists, confidence } = rules[d]!;
    return apart <= persists && agree(one, after.seen[d], confidence);
  });
}

/** Whether what was read of a sample, be it not everything, is what a probe shows. */
function compatible(seen: Observations, { seen: shown }: Probe, rules: readonly ProbeRule[]): boolean {
  return seen.every((one, d) => one === undefined || agree(one, shown[d], rules[d]!.confidence));
}
