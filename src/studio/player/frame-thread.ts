// A thread that reads exact frames of one recording.
import { serve, TransferredResult } from '../../threads/serve.ts';
import { encodePicture, type PictureFormat } from './encode-picture.ts';
import { describeStream } from './describe-stream.ts';
import { type FrameChoice, FrameReader } from './frame-reader.ts';

/** What the thread is asked for. */
export type FrameRequest =
  | { readonly open: string }
  | { readonly read: FrameChoice; readonly format: PictureFormat; readonly width?: number | undefined }
  | { readonly keyframe: number; readonly format: PictureFormat; readonly width: number }
  | { readonly times: { readonly from: number; readonly to: number } }
  | { readonly stream: { readonly from: number; readonly to: number; readonly columns: number } };

/** What opening a recording finds out. */
export interface OpenedRecording {
  readonly frames: number;
  /** Presentation time of the last frame, in seconds. */
  readonly lastTime: number;
  /** Container time of the first frame, in seconds. */
  readonly origin: number;
  readonly keyframes: number;
  /** Why reading ended before the end of the file, if it did. */
  readonly problem?: string;
}

/** A frame as the server sends it. */
export interface EncodedFrame {
  readonly frame: number;
  /** Presentation time in seconds. */
  readonly t: number;
  readonly image?: Uint8Array;
  /** Why there is no image. */
  readonly problem?: string;
}

let reader: FrameReader | undefined;

serve(async (message, { signal }) => {
  const request = message as FrameRequest;
  if ('open' in request) {
    reader = await FrameReader.open(request.open, signal);
    const { index } = reader;
    const opened: OpenedRecording = {
      frames: reader.frameCount,
      lastTime: reader.lastTime,
      origin: reader.origin,
      keyframes: index.packets.starts.length,
      ...(index.problem !== undefined && { problem: index.problem }),
    };
    return opened;
  }
  signal.throwIfAborted();
  if ('times' in request) {
    const first = reader!.frameAt(request.times.from);
    const times = reader!.index.t.slice(first, reader!.frameAt(request.times.to) + 1);
    return new TransferredResult({ first, times }, [times.buffer]);
  }
  if ('stream' in request) {
    const { from, to, columns } = request.stream;
    return describeStream(reader!.index, from, to, columns);
  }
  const read = 'keyframe' in request ? reader!.readKeyframe(request.keyframe) : reader!.read(request.read);
  const { frame, t } = read;
  if ('problem' in read) return { frame, t, problem: read.problem } satisfies EncodedFrame;
  using picture = 'keyframe' in request ? read.picture : undefined;
  const image = await encodePicture(picture ?? read.picture, request.format, request.width);
  return { frame, t, image } satisfies EncodedFrame;
});
