import { type CallContext, serve } from '../compute/scheduler/serve.ts';
import { type DecodeProblem, isProblem, readPictures } from './decode.ts';
import type { Chunk, PacketIndex } from './packet-index.ts';
import type { Picture } from './picture.ts';
import { type RingMemory, RingWriter } from './picture-ring.ts';
import { openVideo, type VideoDescription, type VideoFile } from './video.ts';

/** What the thread of `DecoderBeside` is asked, one after the other. */
export type BesideRequest =
  | {
      readonly open: {
        readonly path: string;
        readonly described: VideoDescription | undefined;
        readonly ring: RingMemory;
      };
    }
  | { readonly index: PacketIndex; readonly chunk: Chunk; readonly wanted: readonly number[] }
  | { readonly close: true };

/** A picture with memory of its own. */
export type SentPicture = Omit<Picture, typeof Symbol.dispose>;

/** What comes by message, in its turn. */
export type BesideNote = DecodeProblem | SentPicture;

let file: VideoFile | undefined;
let ring: RingWriter | undefined;

serve((request, { note }) => {
  const wanted = request as BesideRequest;
  if ('open' in wanted) {
    file = openVideo(wanted.open.path, wanted.open.described);
    ring = new RingWriter(wanted.open.ring);
  } else if ('close' in wanted) file?.[Symbol.dispose]();
  else decode(file!, ring!, wanted, note);
  return undefined;
});

/** Decodes until all is decoded or the reader has stopped. */
function decode(
  from: VideoFile,
  to: RingWriter,
  { index, chunk, wanted }: { index: PacketIndex; chunk: Chunk; wanted: readonly number[] },
  note: CallContext['note'],
): void {
  try {
    for (const item of readPictures(from, index, chunk, wanted)) {
      if (isProblem(item)) {
        note(item satisfies BesideNote);
        if (!to.message()) return;
        continue;
      }
      using picture = item;
      if (to.fits(picture)) {
        if (!to.picture(picture)) return;
        continue;
      }
      const { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color } = picture;
      const [y, u, v] = [picture.y, picture.u, picture.v].map((one) => ({ ...one, data: Uint8Array.from(one.data) }));
      const sent = { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color, y: y!, u: u!, v: v! };
      note(sent satisfies BesideNote, [y!.data.buffer, u!.data.buffer, v!.data.buffer]);
      if (!to.message()) return;
    }
  } finally {
    to.end();
  }
}
