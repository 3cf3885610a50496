import { type DecodeGap, isGap } from '../../media/decode/decode-frames.ts';
import type { Picture } from '../../media/picture.ts';
import { type Chunk, groupFirstFrame } from '../../media/packets/packet-index.ts';
import { type ChunkReadings, ReadingsBuilder } from './chunk-readings.ts';
import { agree, type Probe, type ProbeRule } from './probe.ts';
import { type ChunkContext, type ChunkPlan, gapOf, pause, picturesOf, timeAt, TURN } from './read-chunk.ts';
import { Lively } from './lively.ts';
import type { Sight } from './sample-reader.ts';
import { Shown } from './shown.ts';
import { HELD_BYTES, type Look, Stretch, type Waiting } from './stretch.ts';

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
  for (let group = chunk.firstGroup; group <= chunk.lastGroup; group++) bounds.push(groupFirstFrame(index, group));
  const probes = await readKeyframes(context, chunk, bounds);
  const spacing = Math.min(...rules.map(({ persists }) => persists));
  const lively = new Lively(
    context.reader,
    rules,
    bounds.map((frame) => probes.get(frame)),
  );
  const shown = new Shown(builder, rules, context.reader, probes.get(bounds[0]!)?.seen);
  let next = 0;
  for (let g = 0; g < bounds.length - 1; g++) {
    const from = next;
    while (next < plan.frames.length && plan.frames[next]! < bounds[g + 1]!) next++;
    const [before, after] = [probes.get(bounds[g]!), probes.get(bounds[g + 1]!)];
    const isSample = before !== undefined && plan.frames[from] === bounds[g];
    if (isSample) shown.add(before.t, context.reader.recall(before.seen, plan.due[from]!));
    const first = isSample ? from + 1 : from;
    const part = { frames: plan.frames.slice(first, next), due: plan.due.slice(first, next) };
    const group = { part, before, after, rules, known: lively.knownIn(g), shown };
    if (before && after && settled(before, after, rules) && !shown.bringsNews(before.seen, part, 0))
      recall(context, part, 0, before, shown);
    else if (before && (after?.t ?? chunk.end) - before.t > spacing)
      await readSparsely(context, chunk, { ...group, before, spacing }, builder);
    else await readDensely(context, chunk, group, builder);
  }
  return builder.finish();
}

/**
 * What the detectors see on the keyframes at `bounds`; those that cannot be decoded are missing. The first and the last are read anew, so that
 * it does not matter what was read before the chunk.
 */
async function readKeyframes(
  context: ChunkContext,
  chunk: Chunk,
  bounds: readonly number[],
): Promise<Map<number, Probe>> {
  const { index, reader, carried } = context;
  const probes = new Map<number, Probe>();
  const known = index.firstFrame + index.t.length;
  const frames = bounds.filter((frame) => frame < known);
  const reach = { ...chunk, lastFrame: known };
  let i = 0;
  if (carried?.probe && carried.frame === frames[0] && reader.probedAnew === carried.probe.t)
    probes.set(frames[i++]!, carried.probe);
  else reader.forgetProbes();
  for await (const item of keyframesOf(context, reach, frames.slice(i))) {
    if (isGap(item)) {
      // The keyframe is missing: its neighbours cannot be compared.
      while (i < frames.length && timeAt(index, frames[i]!) < item.end) i++;
      continue;
    }
    using picture = item;
    while (i < frames.length && timeAt(index, frames[i]!) < picture.t) i++;
    const frame = frames[i++]!;
    const seen = await reader.probe(picture, frame === frames.at(-1));
    probes.set(frame, { t: picture.t, seen });
    if (i % TURN === 0) await pause(context);
  }
  const last = frames.at(-1);
  if (carried && last !== undefined) Object.assign(carried, { frame: last, probe: probes.get(last) });
  return probes;
}

/** The pictures of frames, in order; those that were kept are not decoded. */
async function* keyframesOf(
  context: ChunkContext,
  chunk: Chunk,
  frames: readonly number[],
): AsyncGenerator<Picture | DecodeGap, void, undefined> {
  const { kept, index } = context;
  const known = frames.filter((frame) => kept?.has(frame));
  let i = 0;
  const unknown = known.length === 0 ? frames : frames.filter((frame) => !kept?.has(frame));
  for await (const item of picturesOf(context, chunk, unknown)) {
    while (i < known.length && timeAt(index, known[i]!) < item.t) yield kept!.take(known[i++]!)!;
    yield item;
  }
  while (i < known.length) yield kept!.take(known[i++]!)!;
}

interface Group {
  /** Its samples, but for the keyframe. */
  readonly part: ChunkPlan;
  /** Its keyframe and the next, where they could be read. */
  readonly before: Probe | undefined;
  readonly after: Probe | undefined;
  readonly rules: readonly ProbeRule[];
  /** What all its samples show. */
  readonly known: Sight | undefined;
  readonly shown: Shown;
}

/** Samples after which it is tried again whether the rest of a group is known. */
const PATIENCE = 3;

/**
 * Reads a group in which something changed, until a sample shows what the next keyframe shows: the rest is not even decoded. That is
 * asked of the detectors that changed, more often than the others are read.
 */
async function readDensely(
  context: ChunkContext,
  chunk: Chunk,
  { part, before, after, rules, known, shown }: Group,
  builder: ReadingsBuilder,
): Promise<void> {
  const { index, reader } = context;
  using stretch = new Stretch({ reader, rules, shown }, before && lookOf(before), known);
  const end = after && new Ending(stretch, before, after, rules);
  let tried = Number.NEGATIVE_INFINITY;
  let i = 0;
  for await (const item of picturesOf(context, chunk, part.frames)) {
    if (isGap(item)) {
      await stretch.finish();
      stretch.forget();
      builder.gap(gapOf(item));
      continue;
    }
    while (i < part.frames.length && timeAt(index, part.frames[i]!) < item.t) i++;
    const one = stretch.add(item, part.due[i]!);
    if (++i % TURN === 0) await pause(context);
    if (end && i - tried >= PATIENCE && (await end.isNear(one))) {
      tried = i;
      await stretch.look(one, new Uint8Array(rules.length).fill(1));
      if (settled(one, after, rules)) {
        await stretch.finish(one);
        if (!shown.bringsNews(one.seen, part, i)) return recall(context, part, i, one, shown);
      }
    }
    if (i < part.frames.length) await stretch.advance(timeAt(index, part.frames[i]!));
  }
  await stretch.finish(after && lookOf(after));
}

/** How often in the time for which a stretch may wait it is asked whether the group may be left. */
const OFTEN = 7;

/** Tells when a group may show what the next keyframe shows. */
class Ending {
  readonly #stretch: Stretch;
  readonly #after: Probe;
  readonly #rules: readonly ProbeRule[];
  /** The detectors that the two keyframes tell apart, the one first that was last asked in vain; undefined: no sample can agree with the second. */
  readonly #changed: number[] | undefined;
  #asked = Number.NEGATIVE_INFINITY;

  constructor(stretch: Stretch, before: Probe | undefined, after: Probe, rules: readonly ProbeRule[]) {
    this.#stretch = stretch;
    this.#after = after;
    this.#rules = rules;
    const agrees = (one: Probe | undefined, d: number) => agree(one?.seen[d], after.seen[d], rules[d]!.confidence);
    const all = [...rules.keys()];
    this.#changed = all.every((d) => agrees(after, d)) ? all.filter((d) => !agrees(before, d)) : undefined;
  }

  async isNear(one: Waiting): Promise<boolean> {
    const changed = this.#changed;
    if (!changed || one.t - this.#asked < this.#stretch.window / OFTEN) return false;
    this.#asked = one.t;
    for (const [n, d] of changed.entries()) {
      const wanted = new Uint8Array(this.#rules.length);
      wanted[d] = 1;
      if (!one.read[d]) await this.#stretch.look(one, wanted);
      if (agree(one.seen[d], this.#after.seen[d], this.#rules[d]!.confidence)) continue;
      changed.splice(n, 1);
      changed.unshift(d);
      return false;
    }
    return true;
  }
}

function lookOf({ t, seen }: Probe): Look {
  return { t, seen, read: new Uint8Array(seen.length).fill(1) };
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
  { part: plan, before, after, rules, spacing, shown }: SparseGroup,
  builder: ReadingsBuilder,
): Promise<void> {
  const { index, reader } = context;
  const all = new Uint8Array(rules.length).fill(1);
  using stretch = new Stretch({ reader, rules, shown }, lookOf(before));
  let last: Probe = before;
  const rest = (sample: number): boolean =>
    after !== undefined &&
    settled(last, after, rules) &&
    sample < plan.frames.length &&
    !shown.bringsNews(last.seen, plan, sample);
  /** Seconds from which on a probe may tell the rest of the group: each that does not halves what is left. */
  let closing = after ? after.t - spacing : Number.POSITIVE_INFINITY;
  let i = 0;
  if (rest(0)) return recall(context, plan, 0, last, shown);
  for await (const item of picturesOf(context, chunk, plan.frames)) {
    if (isGap(item)) {
      await stretch.finish();
      stretch.forget();
      builder.gap(gapOf(item));
      continue;
    }
    while (i < plan.frames.length && timeAt(index, plan.frames[i]!) < item.t) i++;
    const one = stretch.add(item, plan.due[i++]!);
    const most = Math.max(2, Math.floor(HELD_BYTES / (item.width * item.height)));
    const follows = i < plan.frames.length ? timeAt(index, plan.frames[i]!) : Number.POSITIVE_INFINITY;
    const closes = item.t >= closing;
    if (!closes && follows - last.t <= spacing && stretch.waiting.length < most) continue;
    await stretch.look(one, all);
    if (closes) closing = (item.t + after!.t) / 2;
    if (settled(last, one, rules) && !stretch.bringsNews(one)) stretch.recall(one);
    else await stretch.finish(one);
    last = one;
    await pause(context);
    if (rest(i)) return recall(context, plan, i, last, shown);
  }
  await stretch.finish(after && lookOf(after));
}

/** Gives the samples of a plan from number `from` on what a probe shows. */
function recall({ index, reader }: ChunkContext, plan: ChunkPlan, from: number, { seen }: Probe, shown: Shown): void {
  for (let i = from; i < plan.frames.length; i++)
    shown.add(timeAt(index, plan.frames[i]!), reader.recall(seen, plan.due[i]!));
}

/** Whether what lies between two probes is what both show, by the rules of every detector. */
function settled(before: Probe, after: Probe, rules: readonly ProbeRule[]): boolean {
  const apart = after.t - before.t;
  return before.seen.every((one, d) => {
    const { persists, confidence } = rules[d]!;
    return apart <= persists && agree(one, after.seen[d], confidence);
  });
}
