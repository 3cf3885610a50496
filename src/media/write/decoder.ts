import { AV_CODEC_FLAG2_SKIP_MANUAL } from 'node-av/constants';
import { Codec, CodecContext, FFmpegError, type Stream } from 'node-av/lib';
import { PlaybyplayError } from '../../errors.ts';

/** A decoder that conceals damage: a reel rather has a poor frame than none. */
export function openDecoder(stream: Stream): CodecContext {
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  if (!codec) throw new PlaybyplayError('unknown-codec', 'there is no decoder for this stream');
  const decoder = new CodecContext();
  decoder.allocContext3(codec);
  FFmpegError.throwIfError(decoder.parametersToContext(stream.codecpar), 'decoder parameters');
  decoder.pktTimebase = stream.timeBase;
  // A track that an edit list shortens is told to skip its beginning, behind each seek once more: times decide here.
  decoder.flags2 = (decoder.flags2 | AV_CODEC_FLAG2_SKIP_MANUAL) as typeof decoder.flags2;
  FFmpegError.throwIfError(decoder.open2Sync(codec, null), 'open decoder');
  return decoder;
}
