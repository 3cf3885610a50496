// Thread that copies regions between the memories of a graph run's devices while they work.
import { parentPort, workerData } from 'node:worker_threads';
import { COPIED, copyRegions, type CopyLayout, MemoryMap } from './copies.ts';
import type { Plan } from './graph.ts';
import * as state from './shared-state.ts';
import { now, type Span } from '../../threads/trace.ts';

/** Data that the copy thread starts with. */
export interface CopySetup {
  readonly plan: Plan;
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly cells: Int32Array<SharedArrayBuffer>;
  readonly layout: CopyLayout;
  /** Bytes per block. */
  readonly block: number;
  readonly memories: readonly SharedArrayBuffer[];
  /** Bytes of a region, by resource. */
  readonly bytes: readonly number[];
  readonly traced: boolean;
}

/** A copy, for the trace. */
export type CopyMessage = { readonly kind: 'span'; readonly to: number; readonly span: Omit<Span, 'device'> };

const { plan, words, cells, layout, block, memories, bytes, traced } = workerData as CopySetup;
const { regions } = state.stateLayout(plan);
const map = new MemoryMap(plan, bytes);
let start = 0;

for (const effect of copyRegions(state.atomicWords(cells), layout)) {
  if (effect.kind === 'wait') {
    Atomics.wait(cells, effect.at, effect.value);
    continue;
  }
  const { device, region, block: number } = effect;
  if (number === 0) start = now();
  const holder = Atomics.load(words, regions + region) - 1;
  const [from, to] = [number * block, (number + 1) * block];
  if (holder >= 0 && holder !== device)
    map.view(memories[device]!, region).set(map.view(memories[holder]!, region).subarray(from, to), from);
  if (traced && number === layout.blocks[region]! - 1) {
    const details = { region, from: `device ${holder + 1}`, number: Atomics.load(cells, COPIED) };
    const span = { activity: 'copy', name: `region ${region}`, start, end: now(), details } as const;
    parentPort!.postMessage({ kind: 'span', to: device, span } satisfies CopyMessage, []);
  }
}
