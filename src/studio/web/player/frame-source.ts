import { readFrame, readPreview } from '../../api/recording.ts';
import { send } from '../api-client.ts';

/** A picture with its place in the recording. */
export interface Shown {
  readonly image: ImageBitmap | HTMLVideoElement;
  /** Number of the frame; -1 where it is not known. */
  readonly frame: number;
  /** Presentation time in seconds. */
  readonly t: number;
  /** Whether this is the frame that was asked for, and not a keyframe near it. */
  readonly isExact: boolean;
}

interface Stored {
  readonly blob: Blob;
  readonly frame: number;
  readonly t: number;
}

/** A keyframe with the time for which it is known to be the nearest one. */
interface Keyframe {
  readonly shown: Shown;
  readonly image: ImageBitmap;
  until: number;
}

/** Encoded frames that are kept: about 30 MB. */
const MAX_STORED = 160;
/** Decoded keyframes that are kept: 2 MB each at 960×540. */
const MAX_KEYFRAMES = 24;

/**
 * Fetches frames of a recording, and keeps those that were shown: exact frames encoded, keyframes decoded, because dragging comes back
 * to the same ones.
 */
export class FrameSource {
  readonly #path: string;
  readonly #version: string;
  readonly #stored = new Map<number, Stored>();
  readonly #ahead = new Set<number>();
  /** By their times, the one that was shown last at the end. */
  readonly #keyframes = new Map<number, Keyframe>();

  constructor(path: string, version: string) {
    this.#path = path;
    this.#version = version;
  }

  /** The frame of a number, or the one shown at a time, exactly. */
  async exact(
    choice: { readonly frame: number } | { readonly t: number },
    signal: AbortSignal,
    width?: number,
  ): Promise<Shown> {
    const stored = await this.#load(choice, signal, width);
    return { ...stored, image: await createImageBitmap(stored.blob), isExact: true };
  }

  /** The keyframe at or before a time, whose picture belongs to this source. */
  async preview(t: number, width: number, signal: AbortSignal): Promise<Shown> {
    const known = this.#keyframes.values().find(({ shown, until }) => shown.t <= t && t <= until);
    if (known) return this.#useKeyframe(known).shown;
    const response = await send(readPreview, { query: { path: this.#path, t, width, version: this.#version }, signal });
    const at = place(response);
    const same = this.#keyframes.get(at.t);
    if (same) {
      same.until = Math.max(same.until, t);
      return this.#useKeyframe(same).shown;
    }
    const image = await createImageBitmap(await response.blob());
    return this.#useKeyframe({ shown: { ...at, image, isExact: false }, image, until: t }).shown;
  }

  #useKeyframe(keyframe: Keyframe): Keyframe {
    this.#keyframes.delete(keyframe.shown.t);
    this.#keyframes.set(keyframe.shown.t, keyframe);
    const [oldest] = this.#keyframes.values();
    if (this.#keyframes.size > MAX_KEYFRAMES) this.#drop(oldest!);
    return keyframe;
  }

  #drop({ shown, image }: Keyframe): void {
    this.#keyframes.delete(shown.t);
    image.close();
  }

  /** Releases the pictures of keyframes. */
  close(): void {
    for (const keyframe of this.#keyframes.values()) this.#drop(keyframe);
  }

  /** Fetches frames that are likely to be asked for next. */
  readAhead(frames: readonly number[]): void {
    for (const frame of frames) {
      if (this.#stored.has(frame) || this.#ahead.has(frame)) continue;
      this.#ahead.add(frame);
      this.#load({ frame }, new AbortController().signal)
        .catch(() => undefined)
        .finally(() => this.#ahead.delete(frame));
    }
  }

  async #load(
    choice: { readonly frame: number } | { readonly t: number },
    signal: AbortSignal,
    width?: number,
  ): Promise<Stored> {
    const known = 'frame' in choice && width === undefined ? this.#stored.get(choice.frame) : undefined;
    if (known) return known;
    const query = { path: this.#path, version: this.#version, ...choice, ...(width !== undefined && { width }) };
    const response = await send(readFrame, { query, signal });
    const stored = { ...place(response), blob: await response.blob() };
    if (width === undefined) {
      this.#stored.set(stored.frame, stored);
      const [oldest] = this.#stored.keys();
      if (this.#stored.size > MAX_STORED) this.#stored.delete(oldest!);
    }
    return stored;
  }
}

function place(response: Response): { readonly frame: number; readonly t: number } {
  return { frame: Number(response.headers.get('x-frame')), t: Number(response.headers.get('x-time')) };
}
