import { basename } from 'node:path';
import { PlaybyplayError } from '../errors.ts';
import { findMissingFrames } from '../media/decode/missing-frames.ts';
import type { PacketIndex } from '../media/packets/packet-index.ts';
import { scanPacketsAsync } from '../media/packets/scan-packets.ts';
import { openVideo, type VideoFile } from '../media/video.ts';
import { fingerprintMedia } from './fingerprint.ts';
import { indexChunks, type SourceChunk } from './reading/plan.ts';

/** What identifies a recording in the header of its log. */
export interface MediaIdentity {
  /** Hash of the content. */
  readonly hash: string;
  readonly bytes: number;
  /** Seconds of video; undefined where the end is not known yet. */
  readonly duration: number | undefined;
}

/**
 * A recording whose events are to be detected: a file, a file that still grows, or a stream without a known end. Nothing but
 * `preview` and `chunks` says which frames there are, so nothing has to be known of the end beforehand.
 */
export interface Source extends Disposable {
  /** Path of the file that holds what is there so far. Worker threads open it again. */
  readonly path: string;
  readonly video: VideoFile;
  identify(): Promise<MediaIdentity>;
  /** The frames that are known at once, by which the HUD is located: of a file, all. */
  preview(signal?: AbortSignal): Promise<PacketIndex>;
  /**
   * The frames in chunks of at least `minSeconds` (but the last), in order, each as soon as it and the group of pictures after it
   * are there. A source that waits for more stops when the signal is aborted.
   */
  chunks(minSeconds: number, signal?: AbortSignal): AsyncIterable<SourceChunk>;
}

/**
 * Opens a recording in a file. Dispose of the source when everything has been read.
 *
 * @throws PlaybyplayError if the file cannot be read as a video.
 *
 * @example
 * using source = await openSource('match.mp4');
 * for await (const message of detect(source, await openGame('openarena')))
 *   if (message.type === 'event') console.log(message.text);
 */
export async function openSource(path: string): Promise<Source> {
  return new FileSource(path);
}

class FileSource implements Source {
  readonly path: string;
  readonly video: VideoFile;
  #index: Promise<PacketIndex> | undefined;

  constructor(path: string) {
    this.path = path;
    this.video = openVideo(path);
  }

  async identify(): Promise<MediaIdentity> {
    const [{ hash, bytes }, { t }] = await Promise.all([fingerprintMedia(this.path), this.preview()]);
    return { hash, bytes, duration: t.at(-1) ?? 0 };
  }

  preview(signal?: AbortSignal): Promise<PacketIndex> {
    this.#index ??= this.#scan(signal);
    return this.#index;
  }

  async *chunks(minSeconds: number, signal?: AbortSignal): AsyncGenerator<SourceChunk, void, undefined> {
    const index = await this.preview(signal);
    yield* indexChunks(index, minSeconds, findMissingFrames(index, this.video.info));
  }

  async #scan(signal: AbortSignal | undefined): Promise<PacketIndex> {
    const index = await scanPacketsAsync(this.video, signal ? { signal } : {});
    if (index.t.length === 0)
      throw new PlaybyplayError('not-a-video', `${basename(this.path)} holds no pictures`, {
        hint:
          'It is damaged, or a QuickTime movie that keeps its pictures in another file. Make one file of it with the ' +
          `program ffmpeg: ffmpeg -i ${basename(this.path)} -c copy one-file.mkv`,
      });
    if (index.t.length === 1 && findMissingFrames(index, this.video.info).length === 0)
      throw new PlaybyplayError('not-a-video', `${basename(this.path)} is a single picture, not a recording`, {
        hint: 'To see what a profile reads in a picture: playbyplay profile try <game> <picture> --at 0.',
      });
    return index;
  }

  [Symbol.dispose](): void {
    this.video[Symbol.dispose]();
  }
}
