import type { Rect, Size } from '../geometry.ts';
import type { Picture } from '../media/picture.ts';

/** Height, in pixels, to which pictures are reduced. */
const MAX_HEIGHT = 800;
/** Sum of both gradients, in grey levels, from which there is an edge. */
const MIN_GRADIENT = 28;
/** The same between colours of one brightness, in levels of a chroma plane. */
const MIN_COLOUR_GRADIENT = 36;
/** Share of its strength by which an edge may change and still be the same. */
const MAX_GRADIENT_CHANGE = 0.5;
/** Change of a level that is one, and share of the pixels that change at least when the scene moves. */
const MIN_CHANGE = 4;
const MIN_MOVING_SHARE = 0.25;
/** Pixels of which one is looked at to see whether the scene moves. */
const MOVEMENT_STEP = 7;
/** Shortest and longest time between pictures that are compared, in seconds; shorter where pictures are rarer. */
const [MIN_INTERVAL, MAX_INTERVAL] = [1.9, 10];
/** Share of the comparisons in which an edge of the HUD is there, and in which it stays where it is there. */
const MIN_PRESENCE = 0.2;
const MIN_STEADY_SHARE = 0.5;
/** Comparisons without which nothing is said. */
const MIN_COMPARISONS = 4;
/** Gap between characters, in fractions of the picture's height. */
const MAX_GAP = 0.014;
/** Sides of a place, in fractions of the picture's. */
const MIN_SIDE = 0.008;
const [MAX_HEIGHT_SHARE, MAX_WIDTH_SHARE] = [0.3, 0.6];
/** Share of a place's pixels that are edges. */
const MIN_DENSITY = 0.06;
/** Pixels around a line, in heights. */
const MARGIN = 0.14;

/** The grey levels of a reduced picture, and its gradients across and down, interleaved; both 0 where there is no edge. */
export interface EdgePicture {
  readonly levels: Uint8Array;
  readonly edges: Int16Array;
  /** The same of its colours. */
  readonly colourEdges: Int16Array;
}

/** Reduces pictures of one size and finds their edges. */
export class EdgePictures {
  readonly #size: Size;
  /** Pixels of the picture per pixel of the reduced one, and the size of that. */
  readonly factor: number;
  readonly width: number;
  readonly height: number;

  /** @param maxHeight Of reduced pictures, in pixels. */
  constructor(size: Size, maxHeight: number) {
    this.#size = size;
    this.factor = Math.max(1, Math.ceil(size.height / maxHeight));
    this.width = Math.floor(size.width / this.factor);
    this.height = Math.floor(size.height / this.factor);
  }

  /** @returns Undefined for a picture of another size. */
  read(picture: Picture): EdgePicture | undefined {
    if (picture.width !== this.#size.width || picture.height !== this.#size.height) return undefined;
    const levels = this.#reduce(picture);
    return { levels, edges: this.#edgesOf(levels), colourEdges: this.#colourEdgesOf(picture) };
  }

  #reduce({ y: plane }: Picture): Uint8Array {
    const { width, height, factor } = this;
    const levels = new Uint8Array(width * height);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) levels[y * width + x] = plane.data[y * factor * plane.stride + x * factor]!;
    return levels;
  }

  #edgesOf(levels: Uint8Array): Int16Array {
    const { width, height } = this;
    const edges = new Int16Array(2 * width * height);
    for (let y = 1; y < height - 1; y++)
      for (let x = 1; x < width - 1; x++) {
        const at = y * width + x;
        const across = levels[at + 1]! - levels[at - 1]!;
        const down = levels[at + width]! - levels[at - width]!;
        if (Math.abs(across) + Math.abs(down) < MIN_GRADIENT) continue;
        edges[2 * at] = across;
        edges[2 * at + 1] = down;
      }
    return edges;
  }

  /** Edges between colours, which may have one brightness, such as those of a yellow bar on a bright scene. */
  #colourEdgesOf({ u, v, chromaShiftX, chromaShiftY }: Picture): Int16Array {
    const { width, height, factor } = this;
    const edges = new Int16Array(2 * width * height);
    // Gradients reach over a pixel of the chroma planes on either side.
    const [stepX, stepY] = [Math.max(1, factor >> chromaShiftX), Math.max(1, factor >> chromaShiftY)];
    const [planeU, planeV] = [u.data, v.data];
    const [downU, downV] = [stepY * u.stride, stepY * v.stride];
    // Written without arrays: this runs for every pixel of many pictures.
    for (let y = 1; y < height - 1; y++) {
      const row = (y * factor) >> chromaShiftY;
      if (row < stepY || row + stepY >= u.height) continue;
      for (let x = 1; x < width - 1; x++) {
        const column = (x * factor) >> chromaShiftX;
        if (column < stepX || column + stepX >= u.width) continue;
        const i = row * u.stride + column;
        const j = row * v.stride + column;
        const ux = planeU[i + stepX]! - planeU[i - stepX]!;
        const uy = planeU[i + downU]! - planeU[i - downU]!;
        const vx = planeV[j + stepX]! - planeV[j - stepX]!;
        const vy = planeV[j + downV]! - planeV[j - downV]!;
        const strengthU = Math.abs(ux) + Math.abs(uy);
        const strengthV = Math.abs(vx) + Math.abs(vy);
        if (strengthU < MIN_COLOUR_GRADIENT && strengthV < MIN_COLOUR_GRADIENT) continue;
        const at = 2 * (y * width + x);
        edges[at] = strengthU >= strengthV ? ux : vx;
        edges[at + 1] = strengthU >= strengthV ? uy : vy;
      }
    }
    return edges;
  }
}

/**
 * Finds what is drawn on the screen and not in the scene: edges that stay where they are while the scene moves, and change only now
 * and then. Unlike a text finder it sees single large figures, and characters of any shape.
 */
export class SteadyEdges {
  readonly #pictures: EdgePictures;
  /** Those of the recording that further pictures are compared with. */
  #before: (EdgePicture & { readonly t: number; readonly recording: number })[] = [];
  /** Comparisons of pictures between which the scene moved, and of others. */
  readonly #moving: EdgeCounts;
  readonly #still: EdgeCounts;

  /** @param size Of all pictures. */
  constructor(size: Size) {
    this.#pictures = new EdgePictures(size, MAX_HEIGHT);
    const { width, height } = this.#pictures;
    this.#moving = new EdgeCounts({ width, height });
    this.#still = new EdgeCounts({ width, height });
  }

  /** Takes the next picture of a recording; pictures of another size are left out. */
  add(picture: Picture, recording: number): void {
    const own = this.#pictures.read(picture);
    if (!own) return;
    const { t } = picture;
    const at = this.#before.findLastIndex((one) => one.recording === recording && t - one.t >= MIN_INTERVAL);
    const before = this.#before[at];
    this.#before = [...this.#before.slice(Math.max(0, at)), { t, recording, ...own }];
    if (!before || t - before.t > MAX_INTERVAL) return;
    (isMoving(before.levels, own.levels) ? this.#moving : this.#still).add(before, own);
  }

  /** What is compared: where the scene hardly ever moves, as in a card game, all of it stays with the HUD. */
  get #counts(): EdgeCounts {
    return this.#moving.comparisons >= MIN_COMPARISONS ? this.#moving : this.#still;
  }

  /** By pixel whether an edge is drawn there, between colours, too. */
  #mask(): Uint8Array {
    const colours = this.#counts.colourMask();
    return this.#counts.mask().map((one, i) => one | colours[i]!);
  }

  /** The places where a rectangle is drawn around something, in pixels of the pictures: icons, cells, small maps. */
  findFrames(): readonly Rect[] {
    if (this.#counts.comparisons < MIN_COMPARISONS) return [];
    const { width, height, factor } = this.#pictures;
    // Edges between colours are blurred: frames that lie close would hang together.
    const mask = this.#counts.mask();
    return boundsOfGroups(mask, mask, width, height)
      .map(({ rect }) => rect)
      .filter(
        (rect) =>
          Math.min(rect.width, rect.height) >= MIN_FRAME_SIDE * height &&
          rect.height <= MAX_FRAME_SIDE * height &&
          rect.width <= MAX_WIDTH_SHARE * width &&
          isOutlined(mask, width, rect),
      )
      .flatMap((rect) => divideFrame(mask, width, rect))
      .map((rect) => ({
        // An edge marks a pixel on either side.
        x: (rect.x + 1) * factor,
        y: (rect.y + 1) * factor,
        width: (rect.width - 2) * factor,
        height: (rect.height - 2) * factor,
      }));
  }

  /** What hangs together, in pixels of the pictures, however near other things are: bars and rings. */
  findShapes(): readonly Rect[] {
    if (this.#counts.comparisons < MIN_COMPARISONS) return [];
    const { width, height, factor } = this.#pictures;
    const mask = this.#mask();
    return boundsOfGroups(mask, mask, width, height)
      .filter(
        ({ rect }) =>
          Math.max(rect.width, rect.height) >= MIN_SHAPE_SIDE * height &&
          Math.min(rect.width, rect.height) >= MIN_SIDE * height &&
          rect.height <= MAX_HEIGHT_SHARE * height &&
          rect.width <= MAX_WIDTH_SHARE * width,
      )
      .toSorted((a, b) => b.edges - a.edges)
      .map(({ rect: { x, y, width: wide, height: high } }) => ({
        x: x * factor,
        y: y * factor,
        width: wide * factor,
        height: high * factor,
      }));
  }

  /** What hangs together and is about as wide as high, in pixels of the pictures: hearts, lives, stars. */
  findSymbols(): readonly Rect[] {
    if (this.#counts.comparisons < MIN_COMPARISONS) return [];
    const { width, height, factor } = this.#pictures;
    // Edges between colours are blurred: symbols that lie close would hang together.
    const mask = this.#counts.mask();
    return boundsOfGroups(mask, mask, width, height)
      .map(({ rect }) => rect)
      .filter(({ width: wide, height: high }) => {
        const [short, long] = [Math.min(wide, high), Math.max(wide, high)];
        return (
          short >= MIN_SYMBOL_SIDE * height && long <= MAX_SYMBOL_SIDE * height && long <= MAX_SYMBOL_ASPECT * short
        );
      })
      .map(({ x, y, width: wide, height: high }) => ({
        x: x * factor,
        y: y * factor,
        width: wide * factor,
        height: high * factor,
      }));
  }

  /** The places where something is drawn, in pixels of the pictures, those with the most edges first. */
  findPlaces(): readonly Rect[] {
    if (this.#counts.comparisons < MIN_COMPARISONS) return [];
    const { width, height, factor } = this.#pictures;
    const mask = this.#mask();
    const lines = boundsOfGroups(bridgeGaps(mask, width, height, Math.round(MAX_GAP * height)), mask, width, height);
    return lines
      .filter(
        ({ rect, edges }) =>
          rect.height >= MIN_SIDE * height &&
          rect.width >= MIN_SIDE * height &&
          rect.height <= MAX_HEIGHT_SHARE * height &&
          rect.width <= MAX_WIDTH_SHARE * width &&
          edges >= MIN_DENSITY * rect.width * rect.height,
      )
      .toSorted((a, b) => b.edges - a.edges)
      .map(({ rect }) => {
        const margin = MARGIN * rect.height;
        const [left, top] = [Math.max(0, rect.x - margin), Math.max(0, rect.y - margin)];
        return {
          x: left * factor,
          y: top * factor,
          width: (Math.min(width, rect.x + rect.width + margin) - left) * factor,
          height: (Math.min(height, rect.y + rect.height + margin) - top) * factor,
        };
      });
  }
}

/** Sides of a symbol, in fractions of the picture's height, and its longer side in shorter ones. */
const [MIN_SYMBOL_SIDE, MAX_SYMBOL_SIDE] = [0.024, 0.1];
const MAX_SYMBOL_ASPECT = 1.5;
/** Longer side of a shape, in fractions of the picture's height. */
const MIN_SHAPE_SIDE = 0.045;
/** Sides of a frame, in fractions of the picture's height, and share of each side that must be drawn. */
const [MIN_FRAME_SIDE, MAX_FRAME_SIDE] = [0.014, 0.25];
const MIN_OUTLINE_SHARE = 0.75;
/** Pixels within which a side may lie. */
const OUTLINE_DEPTH = 3;

/** Whether edges run along all four sides of a rectangle. */
function isOutlined(mask: Uint8Array, width: number, { x, y, width: wide, height: high }: Rect): boolean {
  const share = (length: number, at: (i: number, depth: number) => number): number => {
    let drawn = 0;
    for (let i = 0; i < length; i++)
      for (let depth = 0; depth < OUTLINE_DEPTH; depth++)
        if (mask[at(i, depth)] === 1) {
          drawn++;
          break;
        }
    return drawn / length;
  };
  const at = (column: number, row: number): number => (y + row) * width + x + column;
  return [
    share(wide, (i, depth) => at(i, depth)),
    share(wide, (i, depth) => at(i, high - 1 - depth)),
    share(high, (i, depth) => at(depth, i)),
    share(high, (i, depth) => at(wide - 1 - depth, i)),
  ].every((one) => one >= MIN_OUTLINE_SHARE);
}

/** Cells that a frame is divided into at most, and pixels around the place where they meet. */
const MAX_FRAME_CELLS = 20;
const CELL_BORDER_REACH = 3;
/** Width of a row of cells, in heights: an icon with a bar or a digit in its middle is no row. */
const MIN_CELLS_ASPECT = 1.3;

/** Divides a frame into the equal cells that edges divide it into, where it is a row of cells that touch each other. */
function divideFrame(mask: Uint8Array, width: number, rect: Rect): readonly Rect[] {
  const { x, y, width: wide, height: high } = rect;
  if (wide < MIN_CELLS_ASPECT * high) return [rect];
  const isBorder = (at: number): boolean => {
    let most = 0;
    for (let column = Math.round(at) - CELL_BORDER_REACH; column <= Math.round(at) + CELL_BORDER_REACH; column++) {
      let drawn = 0;
      for (let row = y; row < y + high; row++) drawn += mask[row * width + column]!;
      most = Math.max(most, drawn);
    }
    return most >= MIN_OUTLINE_SHARE * high;
  };
  for (let count = Math.min(MAX_FRAME_CELLS, Math.floor((2 * wide) / high)); count > 1; count--) {
    const side = wide / count;
    if (side < 3 * CELL_BORDER_REACH) continue;
    const borders = Array.from({ length: count - 1 }, (_, i) => x + (i + 1) * side);
    // What has edges everywhere is text.
    if (!borders.every(isBorder) || borders.some((at) => isBorder(at - side / 2))) continue;
    return Array.from({ length: count }, (_, i) => ({
      x: Math.round(x + i * side),
      y,
      width: Math.floor(side),
      height: high,
    }));
  }
  return [rect];
}

/** A place without the pixels around its edges. */
export function withoutMargin({ x, y, width, height }: Rect): Rect {
  const margin = (MARGIN * height) / (1 + 2 * MARGIN);
  return { x: x + margin, y: y + margin, width: width - 2 * margin, height: height - 2 * margin };
}

/** Whether two pictures have the same edge at a pixel; undefined where neither has one. */
export function isSameEdge(one: Int16Array, other: Int16Array, pixel: number): boolean | undefined {
  const [ax, ay, bx, by] = [one[2 * pixel]!, one[2 * pixel + 1]!, other[2 * pixel]!, other[2 * pixel + 1]!];
  const strength = Math.max(Math.abs(ax) + Math.abs(ay), Math.abs(bx) + Math.abs(by));
  if (strength === 0) return undefined;
  return Math.abs(ax - bx) + Math.abs(ay - by) <= MAX_GRADIENT_CHANGE * strength;
}

/** Comparisons of edges, pixel by pixel. */
class EdgeCounts {
  readonly #width: number;
  readonly #levels: PixelCounts;
  readonly #colours: PixelCounts;
  comparisons = 0;

  constructor({ width, height }: Size) {
    this.#width = width;
    this.#levels = new PixelCounts(width * height);
    this.#colours = new PixelCounts(width * height);
  }

  add(one: EdgePicture, other: EdgePicture): void {
    this.comparisons++;
    this.#levels.add(one.edges, other.edges, (at) => this.#isSameSide(one.levels, other.levels, at));
    this.#colours.add(one.colourEdges, other.colourEdges, () => false);
  }

  /** By pixel whether it often has an edge, mostly the same. */
  mask(): Uint8Array {
    return this.#levels.mask(this.comparisons);
  }

  /** The same for edges between colours. */
  colourMask(): Uint8Array {
    return this.#colours.mask(this.comparisons);
  }

  /**
   * Whether both pictures have the same difference between a pixel and one of its neighbours: on one side of a thin outline nothing
   * changes while a bar fills, or the scene moves, on the other.
   */
  #isSameSide(one: Uint8Array, other: Uint8Array, at: number): boolean {
    const width = this.#width;
    for (let side = 0; side < 4; side++) {
      const next = at + (side === 0 ? 1 : side === 1 ? -1 : side === 2 ? width : -width);
      const [a, b] = [one[at]! - one[next]!, other[at]! - other[next]!];
      const strength = Math.max(Math.abs(a), Math.abs(b));
      if (strength >= MIN_GRADIENT && Math.abs(a - b) <= MAX_GRADIENT_CHANGE * strength) return true;
    }
    return false;
  }
}

/** By pixel: comparisons in which it has an edge in either picture, and the same in both. */
class PixelCounts {
  readonly #either: Uint16Array;
  readonly #both: Uint16Array;

  constructor(count: number) {
    this.#either = new Uint16Array(count);
    this.#both = new Uint16Array(count);
  }

  /** @param isSameAnyhow Asked where the edges of a pixel differ. */
  add(one: Int16Array, other: Int16Array, isSameAnyhow: (at: number) => boolean): void {
    for (let i = 0; i < this.#either.length; i++) {
      const same = isSameEdge(one, other, i);
      if (same === undefined) continue;
      this.#either[i]!++;
      if (same || isSameAnyhow(i)) this.#both[i]!++;
    }
  }

  mask(comparisons: number): Uint8Array {
    return Uint8Array.from(this.#both, (both, i) =>
      both >= MIN_PRESENCE * comparisons && both >= MIN_STEADY_SHARE * this.#either[i]! ? 1 : 0,
    );
  }
}

/** Whether a part of the picture differs that is larger than a HUD. */
function isMoving(one: Uint8Array, other: Uint8Array): boolean {
  let moved = 0;
  for (let i = 0; i < one.length; i += MOVEMENT_STEP) if (Math.abs(one[i]! - other[i]!) > MIN_CHANGE) moved++;
  return moved >= (MIN_MOVING_SHARE * one.length) / MOVEMENT_STEP;
}

/** Fills gaps in rows, and one pixel between rows, so that the characters of a line hang together. */
export function bridgeGaps(mask: Uint8Array, width: number, height: number, gap: number): Uint8Array {
  const filled = Uint8Array.from(mask);
  for (let y = 0; y < height; y++) {
    let last = -1;
    for (let x = 0; x < width; x++) {
      if (mask[y * width + x] === 0) continue;
      if (last >= 0 && x - last <= gap) filled.fill(1, y * width + last, y * width + x);
      last = x;
    }
  }
  const out = Uint8Array.from(filled);
  for (let i = width; i < out.length - width; i++) if (filled[i - width] === 1 && filled[i + width] === 1) out[i] = 1;
  return out;
}

/** Connected pixels: their bounds, and the number of edges among them. */
export interface Group {
  readonly rect: Rect;
  readonly edges: number;
}

/** The bounds of connected pixels (8 neighbours), and the number of edge pixels in them. */
export function boundsOfGroups(filled: Uint8Array, mask: Uint8Array, width: number, height: number): readonly Group[] {
  const seen = new Uint8Array(filled.length);
  const stack: number[] = [];
  const groups: Group[] = [];
  for (let start = 0; start < filled.length; start++) {
    if (filled[start] === 0 || seen[start] === 1) continue;
    let [left, right, top, bottom, edges] = [width, 0, height, 0, 0];
    seen[start] = 1;
    stack.push(start);
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)];
      edges += mask[at]!;
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
      for (let ny = Math.max(0, y - 1); ny <= Math.min(height - 1, y + 1); ny++)
        for (let nx = Math.max(0, x - 1); nx <= Math.min(width - 1, x + 1); nx++) {
          const next = ny * width + nx;
          if (filled[next] === 0 || seen[next] === 1) continue;
          seen[next] = 1;
          stack.push(next);
        }
    }
    groups.push({ rect: { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }, edges });
  }
  return groups;
}
