// The kernels of bench/compute/cores.ts: decoding, preprocessing and a network.
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { GraphKernel } from '../../src/compute/scheduler/device-thread.ts';
import { isGap, decodeFrames } from '../../src/media/decode/decode-frames.ts';
import type { Chunk, PacketIndex } from '../../src/media/packets/packet-index.ts';
import { openVideo, type VideoFile } from '../../src/media/video.ts';
import { cropLuma } from '../../src/regions/crop.ts';
import { compilePreprocess, type Preprocess } from '../../src/regions/preprocess/compile.ts';

export interface Settings {
  readonly media: string;
  readonly chunks: readonly {
    readonly chunk: Chunk;
    readonly index: PacketIndex;
    readonly frames: readonly number[];
  }[];
  readonly width: number;
  readonly height: number;
  readonly model: Uint8Array;
}

let file: VideoFile | undefined;
let filter: Preprocess | undefined;
let session: InferenceSession | undefined;

/** A group of pictures: the luma of its samples. */
const decode: GraphKernel = ({ index, outputs, settings }) => {
  const { media, chunks, width, height } = settings as Settings;
  file ??= openVideo(media);
  const { chunk, index: packets, frames } = chunks[index[0]!]!;
  let at = 0;
  for (const item of decodeFrames(file, packets, chunk, frames)) {
    if (isGap(item)) continue;
    using picture = item;
    cropLuma(picture, { x: 0, y: 0, width, height }, outputs[at++]!);
  }
};

/** What has changed from the sample before to this one, cleaned of noise. */
const clean: GraphKernel = async ({ inputs, outputs, settings }) => {
  const { width, height } = settings as Settings;
  filter ??= compilePreprocess(
    [
      { step: 'denoise', radius: 1 },
      { step: 'blur', sigma: 1.5 },
    ],
    { width, height, scaleX: 1, scaleY: 1 },
  );
  const before = inputs[0]!;
  const now = inputs.at(-1)!;
  const data = Uint8Array.from(now, (level, i) => Math.min(255, Math.max(0, 128 + level - before[i]!)));
  outputs[0]!.set((await filter.run({ data, width, height, channels: 1 })).data);
};

/** The network; a sample in which nothing changed costs nothing (the product's change gate). */
const infer: GraphKernel = async ({ inputs, outputs, settings }) => {
  const { width, height, model } = settings as Settings;
  const changed = inputs[0]!.reduce((count, level) => count + (Math.abs(level - 128) > 8 ? 1 : 0), 0);
  if (changed < 0.02 * width * height) return;
  session ??= await InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 });
  const pixels = Float32Array.from({ length: 3 * width * height }, (_, i) => inputs[0]![i % (width * height)]! / 255);
  const result = await session.run({ image: new Tensor('float32', pixels, [1, 3, height, width]) });
  const [first] = Object.values(result);
  outputs[0]!.set(Uint8Array.from(first!.data as Float32Array, (value) => 255 * value).subarray(0, outputs[0]!.length));
};

export const kernels: Record<string, GraphKernel> = {
  decode,
  clean: Object.assign(clean, { whileCopying: true }),
  infer: Object.assign(infer, { whileCopying: true }),
};
