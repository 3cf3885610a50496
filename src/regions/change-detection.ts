import type { Rect } from '../geometry.ts';
import type { Picture } from '../media/picture.ts';
import { cropLuma, cropPlanes, sameLuma, samePixels } from './crop.ts';

/** What is compared: luma alone, or all planes. */
export type ComparedSamples = 'luma' | 'pixels';

/** Changes in a row after which only every `RESTLESS_COPY_INTERVAL`-th picture is copied for comparison. */
const RESTLESS_CHANGES = 16;
const RESTLESS_COPY_INTERVAL = 4;

/** Tracks the samples of a rectangle for all gates on it: its version grows whenever they change. */
export class SampleTracker {
  readonly #rect: Rect;
  readonly #same: typeof sameLuma;
  readonly #copy: typeof cropLuma;
  #picture: Picture | undefined;
  #previous: Uint8Array | undefined;
  #hasPrevious = false;
  #changesInRow = 0;
  #version = 0;

  constructor(rect: Rect, compared: ComparedSamples) {
    this.#rect = rect;
    this.#same = compared === 'luma' ? sameLuma : samePixels;
    this.#copy = compared === 'luma' ? cropLuma : cropPlanes;
  }

  /** Returns the version after this picture; compares it once however often it is asked. */
  versionAt(picture: Picture): number {
    if (picture === this.#picture) return this.#version;
    this.#picture = picture;
    if (this.#hasPrevious && this.#same(picture, this.#rect, this.#previous!)) {
      this.#changesInRow = 0;
      return this.#version;
    }
    // Over scenery that always moves copies do not pay: a picture that is not compared counts as changed.
    this.#hasPrevious = ++this.#changesInRow <= RESTLESS_CHANGES || this.#changesInRow % RESTLESS_COPY_INTERVAL === 0;
    if (this.#hasPrevious) this.#previous = this.#copy(picture, this.#rect, this.#previous);
    return ++this.#version;
  }
}

/**
 * Reports to one reader whether the samples of a rectangle have changed since it last asked. Equality is exact, so that a reading kept
 * behind the gate is the one that this very picture would give.
 */
export class ChangeGate {
  readonly #tracker: SampleTracker;
  #seen = 0;

  /** Created by `Region.gate`. */
  constructor(tracker: SampleTracker) {
    this.#tracker = tracker;
  }

  /** Whether the samples changed since this gate last asked; true for the first picture. */
  changed(picture: Picture): boolean {
    const version = this.#tracker.versionAt(picture);
    if (version === this.#seen) return false;
    this.#seen = version;
    return true;
  }

  /** Makes the next picture count as changed. */
  reset(): void {
    this.#seen = 0;
  }
}
