import { describe, expect, it } from 'vitest';
import type { KernelCall } from '../../src/compute/scheduler/graph.ts';
import type { Words } from '../../src/compute/scheduler/shared-state.ts';
import { checkCopies } from '../fixtures/scheduler/copies.ts';
import { check, type Scenario } from '../fixtures/scheduler/protocol.ts';

/** A call that reads what another writes; larger spaces are explored by bench/compute/interleavings.ts. */
const resources = [{ name: 'a', regions: [1] }];
const writer: KernelCall = { name: 'writer', space: [1], writes: [{ resource: 'a' }] };
const reader: KernelCall = { name: 'reader', space: [1], reads: [{ resource: 'a' }] };
const early: KernelCall = { ...reader, reads: [{ resource: 'a', grain: 'region' }] };
const pair = { calls: [writer, reader], resources, devices: 2 };
const single = { calls: [writer], resources, devices: 2 };
const twins: KernelCall = { name: 'twins', space: [2] };

describe('the dependency protocol, in every interleaving', () => {
  const scenarios: readonly (readonly [string, Scenario])[] = [
    ['a call that reads what another writes', pair],
    ['a region published before its portion is done', { ...pair, calls: [writer, early], early: true }],
    ['several portions claimed at once', { calls: [twins], devices: 2, options: { batch: 2 } }],
    ['cancellation at any step', { ...single, cancelled: true }],
    ['a device that is reserved for other work and returned', { ...single, reserved: true }],
    ['a device that dies at any step', { ...single, fault: 'dies' }],
    ['a device that dies with its memory', { ...single, fault: 'dies with its memory', options: { stay: true } }],
    ['a device that is considered stuck and continues', { ...single, fault: 'is retired alive' }],
  ];
  it.each(scenarios)('holds: %s', (_, scenario) => {
    const result = check(scenario);
    expect(result.counterexample).toBeUndefined();
    expect(result.complete).toBe(true);
    expect(result.ends).toBeGreaterThan(0);
  });
});

const silent = (words: Words): Words => ({ ...words, notify: () => {} });

describe('concurrent copies, in every interleaving', () => {
  it.each([
    ['a reader that waits for all of it', { readers: ['waits'] }],
    ['a reader that starts while it arrives', { readers: ['starts'] }],
    ['a reader that wants it twice', { readers: ['waits'], twice: true }],
    ['two devices', { readers: ['waits', 'starts'], blocks: 1 }],
  ] as const)('hold: %s', (_, scenario) => {
    const result = checkCopies(scenario);
    expect(result.counterexample).toBeUndefined();
    expect(result.complete).toBe(true);
    expect(result.ends).toBeGreaterThan(0);
  });

  it('are found wrong if a block is announced before it is copied, and if no reader is notified', () => {
    const hasty = checkCopies({ readers: ['starts'], hasty: true });
    expect(hasty.counterexample?.message).toMatch(/^device 0 reads block \d, which has not arrived$/);
    const mute = checkCopies({ readers: ['waits'], sabotage: silent });
    expect(mute.counterexample?.message).toMatch(/waits for ever/);
  });
});

const tornExchange = (words: Words): Words => ({
  ...words,
  exchange: (at, expected, value) => {
    const held = words.load(at);
    if (held === expected) words.store(at, value);
    return held;
  },
});

describe('the explorer', () => {
  it('finds a non-atomic claim', () => {
    const { counterexample } = check({ ...single, sabotage: tornExchange });
    expect(counterexample?.message).toMatch(/not its own|counted 2 times/);
    expect(counterexample?.steps.length).toBeGreaterThan(5);
  });

  it('finds a lost wake-up', () => {
    expect(check({ ...pair, sabotage: silent }).counterexample?.message).toMatch(/waits for ever/);
  });

  it('finds a reader that does not wait', () => {
    expect(check({ ...pair, unguarded: true }).counterexample?.message).toBe(
      'portion 1 reads region 0 before it is written',
    );
  });

  it('finds that a device which exits when all portions are done cannot replace a later loss', () => {
    const { counterexample } = check({ ...single, fault: 'dies with its memory' });
    expect(counterexample?.message).toBe('portion 0 is lost');
  });
});
