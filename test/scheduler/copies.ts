// Copies beside the work as actors for the explorer: devices that want a region, and the copier.
import * as copies from '../../src/compute/scheduler/copies.ts';
import { planGraph } from '../../src/compute/scheduler/graph.ts';
import type { Words } from '../../src/compute/scheduler/shared-state.ts';
import { type Actor, explore, type Exploration, type Step, Violation } from './explore.ts';

export interface CopyScenario {
  /** What each device does with the region: wait until all of it is there, or start at once. */
  readonly readers: readonly ('waits' | 'starts')[];
  /** Every device asks twice, as when it is prefetched and then needed. */
  readonly twice?: boolean;
  /** The copier says that a block is there before it has copied it. */
  readonly hasty?: boolean;
  /** Blocks of the region; default 2. */
  readonly blocks?: number;
  readonly sabotage?: (words: Words) => Words;
}

/** Explores every interleaving: nobody takes a block for arrived that is not, and all end. */
export function checkCopies({ readers, twice, hasty, blocks = 2, sabotage }: CopyScenario): Exploration {
  const planned = planGraph(
    [{ name: 'writer', space: [1], writes: [{ resource: 'a' }] }],
    [{ name: 'a', regions: [1] }],
    readers.length,
  );
  const layout = copies.createCopyLayout(planned, [blocks], 1);
  const broken = (words: Words) => sabotage?.(words) ?? words;
  /** Notes: how often each block has arrived at each device; the last counts the devices that have ended. */
  const noteOf = (device: number, block: number) => device * blocks + block;
  const actors: Actor[] = readers.map((how, device) => ({
    name: `device ${device}`,
    run: (words) => reader(broken(words), device, how),
  }));
  actors.push({ name: 'copier', run: (words) => copying(broken(words)) });

  function* reader(words: Words, device: number, how: 'waits' | 'starts'): Generator<Step, void, number> {
    copies.requestCopy(words, layout, device, 0);
    if (twice) copies.requestCopy(words, layout, device, 0);
    if (how === 'waits') yield* copies.waitForCopy(words, layout, device, 0);
    for (let block = 0; block < blocks; block++) {
      if (copies.copiedBlocks(words, layout, device, 0) <= block) continue;
      yield { kind: 'look', see: (_, notes) => seen(notes, device, block) };
    }
    // Whoever ends last ends the copies.
    const ended = yield { kind: 'look', see: (_, notes) => ++notes[readers.length * blocks]! };
    if (ended === readers.length) copies.stopCopying(words);
  }

  function seen(notes: Int32Array, device: number, block: number): number {
    if (notes[noteOf(device, block)] === 0)
      throw new Violation(`device ${device} reads block ${block}, which has not arrived`);
    return 0;
  }

  function* copying(words: Words): Generator<Step, void, number> {
    let late: (() => Step) | undefined;
    for (const effect of copies.copyRegions(words, layout)) {
      if (late) yield late();
      late = undefined;
      if (effect.kind === 'wait') {
        yield effect;
        yield { kind: 'forget' };
        continue;
      }
      const copy = (): Step => ({ kind: 'look', see: (_, notes) => ++notes[noteOf(effect.device, effect.block)]! });
      if (hasty) late = copy;
      else yield copy();
    }
  }

  const atEnd = (_: Int32Array, notes: Int32Array, ended: readonly boolean[]) => {
    for (const [i, done] of ended.entries()) if (!done) throw new Violation(`${actors[i]!.name} waits for ever`);
    if (notes.subarray(0, readers.length * blocks).some((times) => times > 1))
      throw new Violation('a block is copied twice');
  };
  const memory = new Int32Array(layout.length);
  // Only the copier writes to what is wanted, and nobody to what has arrived.
  const settled = (at: number, held: Int32Array, actor: number) =>
    at > copies.COPIED && (held[at] === blocks + 1 || (held[at]! > 0 && actor === readers.length));
  return explore(actors, memory, atEnd, { notes: readers.length * blocks + 1, settled });
}
