import type { ColorEncoding, Picture, Plane } from './picture.ts';
import { measureHeap } from './collect.ts';
import type { VideoInfo } from './info.ts';

/**
 * Pictures on their way between two threads: places for some of them in memory that both share. Pictures are given back in any order.
 * What cannot lie in a place (a problem, a picture larger than the recording says) goes by message; its turn is marked here.
 */
export interface RingMemory {
  readonly cells: Int32Array<SharedArrayBuffer>;
  /** Seconds of the picture in each place. */
  readonly times: Float64Array<SharedArrayBuffer>;
  /** The places' pixels, each `bytes` long. */
  readonly pixels: SharedArrayBuffer;
  readonly bytes: number;
  readonly places: number;
}

/** Cells: items written and taken, places given back (counted without end), whether to stop. */
export const WRITTEN = 0;
export const TAKEN = 1;
export const GIVEN_BACK = 2;
export const STOPPED = 3;
const ORDER = 4;
/** Items that may be written and not taken. */
const ITEMS = 64;
const STATE = ORDER + ITEMS;
/** What `ORDER` holds besides numbers of places. */
export const BY_MESSAGE = -1;
export const LAST = -2;

/** Of each place: subsampling, matrix and range, and of each plane stride, width, height and where it begins. */
const COLOR = 4;
const PLANE = 4;
const FORM = COLOR + 3 * PLANE;
const MATRICES = ['bt601', 'bt709', 'bt2020'] as const;
/** Planes begin at multiples of this many bytes. */
const ALIGNED = 64;

/** So many pictures may wait, and bytes of their luma; at least `FEWEST`, as a reader may hold two. */
const MANY = 16;
const MOST_BYTES = 12 << 20;
const FEWEST = 4;

/** Decoders put rows apart by multiples of so many bytes at most. */
const ROW = 128;

/** Memory for pictures of that size. */
export function newRing({
  width,
  height,
  pixelFormat,
}: Pick<VideoInfo, 'width' | 'height' | 'pixelFormat'>): RingMemory {
  const places = Math.min(MANY, Math.max(FEWEST, Math.floor(MOST_BYTES / (width * height))));
  const luma = (width + ROW - (width % ROW)) * height;
  const planes = /420|nv12|p010/.test(pixelFormat) ? 1.5 : /422/.test(pixelFormat) ? 2 : 3;
  const bytes = aligned(luma * planes + 3 * ALIGNED);
  return {
    cells: new Int32Array(new SharedArrayBuffer(4 * (STATE + places * (1 + FORM)))),
    times: new Float64Array(new SharedArrayBuffer(8 * places)),
    pixels: new SharedArrayBuffer(places * bytes),
    bytes,
    places,
  };
}

function bytesOf({ y, u, v }: Picture): number {
  return [y, u, v].reduce((sum, { data }) => sum + aligned(data.length), 0);
}

const aligned = (bytes: number): number => (bytes + ALIGNED - 1) & ~(ALIGNED - 1);

/** The end that writes; it waits, with all of its thread, for room. */
export class RingWriter {
  readonly #memory: RingMemory;
  readonly #pixels: Uint8Array;

  constructor(memory: RingMemory) {
    this.#memory = memory;
    this.#pixels = new Uint8Array(memory.pixels);
  }

  get isStopped(): boolean {
    return Atomics.load(this.#memory.cells, STOPPED) !== 0;
  }

  /** Whether a picture can lie in a place. */
  fits(picture: Picture): boolean {
    return bytesOf(picture) <= this.#memory.bytes && picture.vectors === undefined;
  }

  /** Copies a picture into a place as soon as one is free. False: the reader has stopped. */
  picture(picture: Picture): boolean {
    const place = this.#freePlace();
    if (place === undefined) return false;
    const { cells, times, bytes } = this.#memory;
    const form = formAt(this.#memory, place);
    const { color, chromaShiftX, chromaShiftY } = picture;
    times[place] = picture.t;
    cells.set([chromaShiftX, chromaShiftY, MATRICES.indexOf(color.matrix), color.fullRange ? 1 : 0], form);
    let at = place * bytes;
    for (const [i, { data, stride, width, height }] of [picture.y, picture.u, picture.v].entries()) {
      cells.set([stride, width, height, at], form + COLOR + i * PLANE);
      this.#pixels.set(data, at);
      at += aligned(data.length);
    }
    return this.#write(place);
  }

  /** The turn of something that goes by message. */
  message(): boolean {
    return this.#write(BY_MESSAGE);
  }

  /** Nothing more comes of what was asked for. */
  end(): void {
    this.#write(LAST);
  }

  #freePlace(): number | undefined {
    const { cells, places } = this.#memory;
    for (;;) {
      const back = Atomics.load(cells, GIVEN_BACK);
      if (this.isStopped) return undefined;
      for (let place = 0; place < places; place++)
        if (Atomics.compareExchange(cells, STATE + place, 0, 1) === 0) return place;
      Atomics.wait(cells, GIVEN_BACK, back);
    }
  }

  #write(item: number): boolean {
    const { cells } = this.#memory;
    const written = Atomics.load(cells, WRITTEN);
    for (;;) {
      const back = Atomics.load(cells, GIVEN_BACK);
      if (written - Atomics.load(cells, TAKEN) < ITEMS) break;
      if (this.isStopped && item !== LAST) return false;
      Atomics.wait(cells, GIVEN_BACK, back);
    }
    Atomics.store(cells, ORDER + (written % ITEMS), item);
    Atomics.store(cells, WRITTEN, written + 1);
    Atomics.notify(cells, WRITTEN);
    return true;
  }
}

/** The end that reads, in a thread that must not stand still. */
export class RingReader {
  readonly #memory: RingMemory;
  readonly #pixelAspect: number | undefined;
  /** The planes of each place, as the last picture there had them. */
  readonly #planes: (readonly Plane[] | undefined)[];

  constructor(memory: RingMemory, pixelAspect: number | undefined) {
    this.#memory = memory;
    this.#pixelAspect = pixelAspect;
    this.#planes = Array.from({ length: memory.places }, () => undefined);
  }

  /** What comes next: the number of a place, `BY_MESSAGE` or `LAST`; undefined where nothing is there yet. */
  take(): number | undefined {
    const { cells } = this.#memory;
    const taken = Atomics.load(cells, TAKEN);
    if (taken === Atomics.load(cells, WRITTEN)) return undefined;
    const item = Atomics.load(cells, ORDER + (taken % ITEMS));
    Atomics.store(cells, TAKEN, taken + 1);
    if (item < 0) this.#wake();
    return item;
  }

  /** Resolves when there is something to take. */
  async arrival(): Promise<void> {
    const { cells } = this.#memory;
    const waiting = Atomics.waitAsync(cells, WRITTEN, Atomics.load(cells, TAKEN));
    if (waiting.async) await waiting.value;
  }

  /** The picture in a place, which is free again when it is disposed of. */
  picture(place: number): Picture {
    const { cells, times } = this.#memory;
    const form = formAt(this.#memory, place);
    const color = { matrix: MATRICES[cells[form + 2]!]!, fullRange: cells[form + 3] !== 0 };
    const shifts = [cells[form]!, cells[form + 1]!] as const;
    return new RingPicture(times[place]!, this.#planesOf(place, form), shifts, color, this.#pixelAspect, () =>
      this.free(place),
    );
  }

  free(place: number): void {
    Atomics.store(this.#memory.cells, STATE + place, 0);
    this.#wake();
  }

  /** Tells the writer to write no more of what it is at, or that it may again. */
  stop(stopped: boolean): void {
    Atomics.store(this.#memory.cells, STOPPED, stopped ? 1 : 0);
    this.#wake();
  }

  #wake(): void {
    Atomics.add(this.#memory.cells, GIVEN_BACK, 1);
    Atomics.notify(this.#memory.cells, GIVEN_BACK);
  }

  /** Views are made once: a recording's pictures are alike. */
  #planesOf(place: number, form: number): readonly Plane[] {
    const { cells, pixels } = this.#memory;
    const known = this.#planes[place];
    const planes = [0, 1, 2].map((i): Plane => {
      const at = form + COLOR + i * PLANE;
      const [stride, width, height, from] = [cells[at]!, cells[at + 1]!, cells[at + 2]!, cells[at + 3]!];
      const before = known?.[i];
      const isSame = before?.stride === stride && before.width === width && before.height === height;
      if (isSame && before.data.byteOffset === from) return before;
      return { data: Buffer.from(pixels, from, stride * height), stride, width, height };
    });
    this.#planes[place] = planes;
    return planes;
  }
}

function formAt({ places }: RingMemory, place: number): number {
  return STATE + places + place * FORM;
}

/** A picture whose planes lie in shared memory. */
class RingPicture implements Picture {
  readonly t: number;
  readonly width: number;
  readonly height: number;
  readonly pixelAspect: number | undefined;
  readonly chromaShiftX: number;
  readonly chromaShiftY: number;
  readonly color: ColorEncoding;
  readonly #release: () => void;
  #planes: readonly Plane[] | undefined;

  constructor(
    t: number,
    planes: readonly Plane[],
    [shiftX, shiftY]: readonly [number, number],
    color: ColorEncoding,
    pixelAspect: number | undefined,
    release: () => void,
  ) {
    this.t = t;
    this.width = planes[0]!.width;
    this.height = planes[0]!.height;
    this.pixelAspect = pixelAspect;
    this.chromaShiftX = shiftX;
    this.chromaShiftY = shiftY;
    this.color = color;
    this.#planes = planes;
    this.#release = release;
  }

  get y(): Plane {
    return this.#plane(0);
  }

  get u(): Plane {
    return this.#plane(1);
  }

  get v(): Plane {
    return this.#plane(2);
  }

  #plane(i: number): Plane {
    if (!this.#planes) throw new TypeError('the picture has been disposed of');
    return this.#planes[i]!;
  }

  [Symbol.dispose](): void {
    if (!this.#planes) return;
    this.#planes = undefined;
    this.#release();
    measureHeap();
  }
}
