// The process of a video encoder (encoder-process.ts): opens it with the first request and encodes with the others.
import { AV_PIX_FMT_YUV420P, AV_PKT_FLAG_KEY } from 'node-av/constants';
import { Frame } from 'node-av/lib';
import { serveParent } from '../../threads/guard-process.ts';
import type { Rational } from '../../time.ts';
import { VideoEncoder, type VideoEncoding } from './encoder.ts';
import type { EncoderReply, EncoderRequest } from './encoder-process.ts';
import { withoutRoot } from './without-root.ts';

let encoder: VideoEncoder | undefined;
let size: { readonly width: number; readonly height: number; readonly timeBase: Rational };

function open(encoding: VideoEncoding): EncoderReply {
  const { width, height, timeBase } = encoding;
  size = { width, height, timeBase };
  encoder = withoutRoot(
    () =>
      new VideoEncoder({ ...encoding, planes: 3 }, ({ data, pts, flags }) => {
        const encoded = { data: Uint8Array.from(data!), pts, isKey: (flags & AV_PKT_FLAG_KEY) !== 0 };
        process.send?.({ encoded } satisfies EncoderReply);
      }),
  );
  const { codecId, extraData } = encoder.context;
  return { opened: { codecId, extradata: extraData === null ? undefined : Uint8Array.from(extraData) } };
}

serveParent(async (request: EncoderRequest): Promise<EncoderReply> => {
  if (request === 'finish') await encoder!.finish();
  else if ('open' in request) return open(request.open);
  else {
    const { frame: planes, pts, isKey } = request;
    using frame = Frame.fromVideoBuffer(Buffer.from(planes), { ...size, format: AV_PIX_FMT_YUV420P });
    await encoder!.encode(frame, pts, isKey);
  }
  return { done: true };
});
