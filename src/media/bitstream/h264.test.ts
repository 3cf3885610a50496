import { expect, test } from 'vitest';
import { H264HeaderReader } from './h264.ts';
import { BitWriter as Writer } from '../../../test/fixtures/bit-writer.ts';

// Baseline-like sequence: 4-bit frame numbers, 6-bit output order, frames only.
const SEQUENCE = new Writer()
  .u(8, 77)
  .u(16, 30)
  .ue(0, 0, 0, 2, 3)
  .u(1, 0)
  .ue(7, 5)
  .u(1, 1)
  .u(1, 1)
  .u(1, 0)
  .u(1, 0)
  .nal(0x67);
const picture = (weighted: 0 | 1) =>
  new Writer().ue(0, 0).u(2, 0).ue(0, 1, 0).u(1, weighted).u(2, 0).se(0, 0, 0).u(3, 0).nal(0x68);

interface Slice {
  readonly number: number;
  readonly order: number;
  readonly type?: 'I' | 'P' | 'B';
  readonly reference?: boolean;
  readonly instant?: boolean;
  readonly weighted?: boolean;
  /** Memory management operations, without the closing 0. */
  readonly operations?: readonly number[];
}

function slice({ number, order, type = 'P', reference = true, instant = false, weighted, operations }: Slice) {
  const writer = new Writer().ue(0, { P: 5, B: 6, I: 7 }[type], 0).u(4, number);
  if (instant) writer.ue(0);
  writer.u(6, order);
  if (type === 'B') writer.u(1, 1);
  if (type !== 'I') writer.u(1, 1).ue(1);
  if (type === 'B') writer.ue(0);
  if (type !== 'I') writer.u(1, 1).ue(0, 2, 1, 0, 3);
  if (type === 'B') writer.u(1, 0);
  if (weighted) writer.ue(5, 5).u(1, 1).se(30, -4).u(1, 0).u(1, 0).u(1, 1).se(1, 2, 3, 4);
  if (reference) {
    if (instant) writer.u(2, 0);
    else if (operations) writer.u(1, 1).ue(...operations, 0);
    else writer.u(1, 0);
  }
  return writer.nal((reference ? 0x60 : 0) | (instant ? 5 : 1));
}

function read(slices: readonly Slice[], weighted: 0 | 1 = 0) {
  const pictures = new H264HeaderReader();
  pictures.read(SEQUENCE, 0);
  pictures.read(picture(weighted), 0);
  return slices.map((each) => {
    expect(pictures.read(slice(each), 0)).toBe(true);
    return { gap: pictures.gap, reference: pictures.reference, order: pictures.order };
  });
}

const KEY: Slice = { number: 0, order: 0, type: 'I', instant: true };

test('a jump of frame_num is a gap, its wrap-around is not', () => {
  const numbers = [...Array.from({ length: 18 }, (_, i) => (i + 1) % 16), 4];
  const gaps = read([KEY, ...numbers.map((number, i) => ({ number, order: (2 * i + 2) % 64 }))]).map(({ gap }) => gap);
  expect(gaps.slice(0, -1)).toEqual(gaps.slice(0, -1).map(() => false));
  expect(gaps.at(-1)).toBe(true);
});

test('non-reference pictures do not advance frame_num', () => {
  const seen = read([
    KEY,
    { number: 1, order: 8 },
    { number: 2, order: 4, type: 'B', reference: false },
    { number: 2, order: 6, type: 'B', reference: false },
    { number: 2, order: 16 },
    { number: 4, order: 12, type: 'B', reference: false },
  ]);
  expect(seen.map(({ gap }) => gap)).toEqual([false, false, false, false, false, true]);
  expect(seen.map(({ reference }) => reference)).toEqual([true, true, false, false, true, false]);
});

test('output order: low bits wrap and restart at every IDR picture', () => {
  const orders = [0, 8, 4, 30, 56, 10, 6];
  const seen = read([
    KEY,
    ...orders.slice(1).map((order, i) => ({ number: i + 1, order })),
    { ...KEY, order: 0 },
    { number: 1, order: 4 },
  ]).map(({ order }) => order);
  // In units of the stream: 0 8 4 30 56 74 70, then the next era.
  const rank = seen.toSorted((a, b) => a - b);
  expect(seen.map((order) => rank.indexOf(order))).toEqual([0, 2, 1, 3, 4, 6, 5, 7, 8]);
});

test.each([0, 1] as const)(
  'a picture that resets the numbers is followed by 1 without a gap (weights: %i)',
  (weighted) => {
    const w = weighted === 1;
    const reset: Slice = { number: 3, order: 24, weighted: w, operations: [1, 0, 3, 1, 0, 5] };
    const before: Slice[] = [KEY, { number: 1, order: 8, weighted: w }, { number: 2, order: 16, weighted: w }];
    const kept = read(
      [...before, { ...reset, operations: [1, 0, 3, 1, 0] }, { number: 1, order: 2, weighted: w }],
      weighted,
    );
    expect(kept.map(({ gap }) => gap)).toEqual([false, false, false, false, true]);
    const seen = read([...before, reset, { number: 1, order: 2, weighted: w }], weighted);
    expect(seen.map(({ gap }) => gap)).toEqual([false, false, false, false, false]);
    expect(seen.map(({ order }) => order)).toEqual(seen.map(({ order }) => order).toSorted((a, b) => a - b));
  },
);

test('ends where the reordering of references does not', () => {
  const pictures = new H264HeaderReader();
  pictures.read(SEQUENCE, 0);
  pictures.read(picture(0), 0);
  pictures.read(slice(KEY), 0);
  // Ones are commands to change the order (§7.3.3.1). Of eight lengths, one ends at the end of a byte.
  for (let ones = 0; ones < 8; ones++) {
    const open = new Writer()
      .ue(0, 5, 0)
      .u(4, 1)
      .u(6, 2)
      .u(1, 1)
      .ue(1)
      .u(1, 1)
      .u(8, 255)
      .u(ones, 2 ** ones - 1);
    expect(pictures.read(open.nal(0x61), 0)).toBe(true);
    expect(pictures.reference).toBe(true);
  }
});
