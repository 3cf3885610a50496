import { expect, it } from 'vitest';
import type { PacketIndex } from '../../media/packets/packet-index.ts';
import { describeStream } from './describe-stream.ts';

/** Four frames a second for 8 s, a keyframe every 2 s; the third group has twice the bytes, and the frame at 6.5 s stays for a second. */
function index(): PacketIndex {
  const t = Array.from({ length: 32 }, (_, i) => i / 4).filter((at) => at <= 6.5 || at >= 7.5);
  const count = t.length;
  const size = t.map((at) => (at % 2 === 0 ? 8000 : 1000) * (at >= 4 && at < 6 ? 2 : 1));
  return {
    t: Float64Array.from(t),
    key: Uint8Array.from(t, (at) => (at % 2 === 0 ? 1 : 0)),
    packet: Uint32Array.from({ length: count }, (_, i) => i),
    firstPacket: 0,
    packets: { size: Uint32Array.from(size) },
  } as unknown as PacketIndex;
}

it('spreads the bits of a group over its time, and finds the picture that stays longest', () => {
  const { rates, stays, usualStay } = describeStream(index(), 0, 8, 8);
  expect(usualStay).toBe(250);
  // A group has 8000 + 7 · 1000 bytes in 2 s: 60 kbit/s.
  expect(rates.slice(0, 6)).toEqual([60, 60, 60, 60, 120, 120]);
  // The last group lacks three frames: (8000 + 4 · 1000) · 8 bits in 2 s.
  expect(rates.slice(6)).toEqual([48, 48]);
  expect(stays).toEqual([250, 250, 250, 250, 250, 250, 1000, 250]);
});

it('takes in the group in which a stretch begins', () => {
  expect(describeStream(index(), 5, 6, 2).rates).toEqual([120, 120]);
});
