import type { PacketIndex } from '../../media/packets/packet-index.ts';
import { scanPacketsAsync } from '../../media/packets/scan-packets.ts';
import { copyPicture, type Picture } from '../../media/picture.ts';
import { openVideo, type VideoFile } from '../../media/video.ts';
import { decodePicture, frameAt } from '../../pipeline/placement/pictures.ts';

/** Pictures that are kept: those around which somebody works. */
const MAX_PICTURES = 12;

/** A recording from which single pictures are taken, at any time and in any order. */
export class RecordingPictures implements Disposable {
  readonly path: string;
  readonly file: VideoFile;
  readonly index: PacketIndex;
  /** By number of the frame, the least recently used first. */
  readonly #pictures = new Map<number, Picture>();

  private constructor(path: string, file: VideoFile, index: PacketIndex) {
    this.path = path;
    this.file = file;
    this.index = index;
  }

  /**
   * Opens a recording.
   *
   * @throws PlaybyplayError if the file cannot be read as a video.
   */
  static async open(path: string, signal?: AbortSignal): Promise<RecordingPictures> {
    const file = openVideo(path);
    try {
      return new RecordingPictures(path, file, await scanPacketsAsync(file, signal ? { signal } : {}));
    } catch (error) {
      file[Symbol.dispose]();
      throw error;
    }
  }

  /** Seconds from the first frame to the last. */
  get duration(): number {
    return this.index.t.at(-1) ?? 0;
  }

  /** The picture shown at `t` seconds, which needs no disposal; undefined where it cannot be decoded. */
  pictureAt(t: number): Picture | undefined {
    const frame = frameAt(this.index, t);
    let picture = this.#pictures.get(frame);
    if (!picture) {
      using decoded = decodePicture(this.file, this.index, frame);
      if (!decoded) return undefined;
      picture = copyPicture(decoded);
    }
    this.#pictures.delete(frame);
    if (this.#pictures.size >= MAX_PICTURES) this.#pictures.delete(this.#pictures.keys().next().value!);
    this.#pictures.set(frame, picture);
    return picture;
  }

  [Symbol.dispose](): void {
    this.#pictures.clear();
    this.file[Symbol.dispose]();
  }
}
