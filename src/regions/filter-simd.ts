import { FILTER_WASM } from './filter-wasm.ts';
import type { Crop } from './step.ts';
import type { FixedTaps } from './taps.ts';

/** Fraction bits that the first of two passes keeps: levels then fit into 16 bits, overshoot included. */
export const FRACTION = 6;

/** Exports of tools/wasm/filter.wat; every argument is an address or a count. */
interface Kernels {
  readonly memory: WebAssembly.Memory;
  widen(from: number, line: number, lines: number, to: number, pitch: number): void;
  combine(
    from: number,
    pitch: number,
    starts: number,
    weights: number,
    pairs: number,
    lines: number,
    samples: number,
    to: number,
    toPitch: number,
    shift: number,
    bytes: number,
  ): void;
  transpose16(
    from: number,
    pitch: number,
    width: number,
    height: number,
    channels: number,
    to: number,
    toPitch: number,
  ): void;
  transpose8(from: number, pitch: number, width: number, height: number, channels: number, to: number): void;
}

let loaded: Kernels | undefined;

/** One small instance per thread; calls are synchronous, so its memory is free for every call. */
function load(): Kernels {
  if (!loaded) {
    const module = new WebAssembly.Module(Buffer.from(FILTER_WASM, 'base64'));
    loaded = new WebAssembly.Instance(module).exports as unknown as Kernels;
  }
  return loaded;
}

/** Starts, and weights in pairs of 16 bits (a last odd one with 0), as the kernel reads them. */
interface Packed {
  readonly starts: Int32Array;
  readonly weights: Int16Array;
  readonly pairs: number;
}

const packedTaps = new WeakMap<FixedTaps, Packed>();

function packed(taps: FixedTaps): Packed {
  const known = packedTaps.get(taps);
  if (known) return known;
  const { starts, weights, length } = taps;
  const pairs = (length + 1) >> 1;
  const made = { starts, weights: new Int16Array(2 * pairs * starts.length), pairs };
  for (let i = 0; i < starts.length; i++)
    made.weights.set(weights.subarray(i * length, (i + 1) * length), 2 * pairs * i);
  packedTaps.set(taps, made);
  return made;
}

/** Hands out stretches of the kernel's memory, one after the other, each at a multiple of 16 with room to read past its end. */
class Layout {
  end = 16;

  take(bytes: number): number {
    const at = this.end;
    this.end = (at + bytes + 47) & ~15;
    return at;
  }
}

const padded = (samples: number): number => (samples + 7) & ~7;

/**
 * Filters columns by `down`, then rows by `across`, in integers with 128-bit SIMD. Each pass rounds once, halves upwards: the first to
 * `FRACTION` fraction bits, the second to whole levels.
 */
export function filterBySimd(crop: Crop, across: FixedTaps, down: FixedTaps): Crop {
  const kernels = load();
  const { channels } = crop;
  const [columns, rows] = [packed(across), packed(down)];
  const [width, height] = [across.starts.length, down.starts.length];
  const pitch = 2 * padded(crop.width * channels);
  const turnedPitch = 2 * padded(height * channels);
  const layout = new Layout();
  const data = layout.take(crop.data.length);
  // An odd tap's partner lies a line further on: it counts 0, but is read.
  const wide = layout.take(pitch * (crop.height + 1));
  const narrow = layout.take(pitch * height);
  const turned = layout.take(turnedPitch * (crop.width + 1));
  const result = layout.take((turnedPitch / 2) * width);
  const out = layout.take(width * height * channels);
  const taps = [rows, columns].map(({ starts, weights }) => ({
    starts: layout.take(starts.byteLength),
    weights: layout.take(weights.byteLength),
  }));
  const missing = layout.end - kernels.memory.buffer.byteLength;
  if (missing > 0) kernels.memory.grow(Math.ceil(missing / 65536));
  const memory = new Uint8Array(kernels.memory.buffer);
  memory.set(crop.data, data);
  for (const [i, { starts, weights }] of [rows, columns].entries()) {
    memory.set(new Uint8Array(starts.buffer, starts.byteOffset, starts.byteLength), taps[i]!.starts);
    memory.set(new Uint8Array(weights.buffer, weights.byteOffset, weights.byteLength), taps[i]!.weights);
  }
  const line = crop.width * channels;
  kernels.widen(data, line, crop.height, wide, pitch);
  kernels.combine(
    wide,
    pitch,
    taps[0]!.starts,
    taps[0]!.weights,
    rows.pairs,
    height,
    line,
    narrow,
    pitch,
    down.shift - FRACTION,
    0,
  );
  kernels.transpose16(narrow, pitch, crop.width, height, channels, turned, turnedPitch);
  kernels.combine(
    turned,
    turnedPitch,
    taps[1]!.starts,
    taps[1]!.weights,
    columns.pairs,
    width,
    height * channels,
    result,
    turnedPitch / 2,
    across.shift + FRACTION,
    1,
  );
  kernels.transpose8(result, turnedPitch / 2, height, width, channels, out);
  return { data: memory.slice(out, out + width * height * channels), width, height, channels };
}
