import type { Rect, Size } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';

/** Lines are found in a picture of so many rows at most: every n-th sample across a line, the exact place of the line itself. */
const ALONG = 270;
/** Levels by which both sides of a line must differ more than their surroundings do. */
const STEP = 6;
/** Samples on either side between which it is measured: recordings are blurred by a pixel or two. */
const WIDE = 2;
/** Share of a line's samples, over all pictures, that must show it. */
const SEEN = 0.45;
/** Lines of one direction that are followed; a game's window has two among what else stands still. */
const LINES = 14;
/** The smallest window, in shares of the frame. */
const LEAST = 0.2;
/** How near a line's ends must come to the lines across it, in shares of the frame. */
const CORNER = 0.02;
/** Outlines that are told. */
const MOST = 12;

/** A line that stands still: between the samples `at - 1` and `at`, from one place along it to another, in pixels. */
interface Line {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly score: number;
}

/**
 * Rectangles whose outline can be seen in all pictures of a recording, whatever moves in them and around: where a picture is shown
 * within another, neighbours on both sides of its border hardly ever agree, and that along the whole border, while inside
 * of either everything passes. In pixels of the frame; the likeliest first, `aspect` being that of a likely one. Sides may be the frame's own.
 */
export function outlinesOf(pictures: readonly Picture[], aspect: number): readonly Rect[] {
  const [frame] = pictures;
  if (!frame || frame.width < 64 || frame.height < 64) return [];
  const upright = linesOf(pictures, frame.width, frame.height, 'upright');
  const level = linesOf(pictures, frame.height, frame.width, 'level');
  const found: { readonly rect: Rect; readonly score: number }[] = [];
  const columns = [edge(0, frame.height), ...upright, edge(frame.width, frame.height)];
  const rows = [edge(0, frame.width), ...level, edge(frame.height, frame.width)];
  for (const left of columns)
    for (const right of columns) {
      if (right.at - left.at < LEAST * frame.width) continue;
      for (const top of rows)
        for (const bottom of rows) {
          if (bottom.at - top.at < LEAST * frame.height) continue;
          const score = scoreOf(left, right, top, bottom, frame);
          if (score === undefined) continue;
          const rect = { x: left.at, y: top.at, width: right.at - left.at, height: bottom.at - top.at };
          const odd = Math.abs(Math.log(rect.width / rect.height / aspect)) > 0.02;
          found.push({ rect, score: score - (odd ? 0.5 : 0) });
        }
    }
  const kept: Rect[] = [];
  for (const { rect } of found.toSorted((a, b) => b.score - a.score)) {
    if (kept.length === MOST) break;
    if (!kept.some((one) => alike(one, rect))) kept.push(rect);
  }
  return kept;
}

/** Nearer to each other than what is tried about either. */
function alike(a: Rect, b: Rect): boolean {
  return near(a.x, b.x) && near(a.y, b.y) && near(a.x + a.width, b.x + b.width) && near(a.y + a.height, b.y + b.height);
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= 2;
}

function edge(at: number, length: number): Line {
  return { at, from: 0, to: length, score: 0 };
}

/** How well four lines make a window: all four as long as it, none missing but where the frame ends. Undefined where they do not. */
function scoreOf(left: Line, right: Line, top: Line, bottom: Line, { width, height }: Size): number | undefined {
  const isEdge = (one: Line): boolean => one.score === 0;
  if ([left, right, top, bottom].every(isEdge)) return undefined;
  let score = 0;
  for (const [line, from, to, whole] of [
    [left, top.at, bottom.at, height],
    [right, top.at, bottom.at, height],
    [top, left.at, right.at, width],
    [bottom, left.at, right.at, width],
  ] as const) {
    if (isEdge(line)) {
      score += 0.5;
      continue;
    }
    const covered = (Math.min(line.to, to) - Math.max(line.from, from)) / (to - from);
    // A webcam may cover a corner of it.
    if (covered < 0.6) return undefined;
    const ends = Math.abs(line.from - from) <= CORNER * whole && Math.abs(line.to - to) <= CORNER * whole;
    score += line.score * covered + (ends ? 0.5 : 0);
  }
  return score;
}

/** The lines of one direction; `across` is the size of the frame at right angles to them. */
function linesOf(
  pictures: readonly Picture[],
  across: number,
  along: number,
  direction: 'upright' | 'level',
): readonly Line[] {
  const step = Math.max(1, Math.floor(along / ALONG));
  const count = Math.floor(along / step);
  const shown = new Uint8Array(across * count);
  for (const { y } of pictures) {
    const [next, nextLine] = direction === 'upright' ? [1, y.stride] : [y.stride, 1];
    for (let n = 0; n < count; n++) countSteps(y.data, n * step * nextLine, next, across, shown.subarray(n * across));
  }
  const lines: Line[] = [];
  for (let at = WIDE; at <= across - WIDE; at++) {
    const line = longest(shown, at, across, count, pictures.length);
    if (line && line.to - line.from >= (LEAST * along) / step)
      lines.push({ ...line, at, from: line.from * step, to: Math.min(along, line.to * step) });
  }
  const kept: Line[] = [];
  for (const line of lines.toSorted((a, b) => weight(b) - weight(a))) {
    if (kept.length === LINES) break;
    if (!kept.some(({ at }) => Math.abs(at - line.at) <= WIDE)) kept.push(line);
  }
  return kept;
}

function weight({ from, to, score }: Line): number {
  return score * Math.sqrt(to - from);
}

/** Adds up where along a row of samples the step to the next one is greater than those beside it. */
function countSteps(data: Uint8Array, from: number, next: number, count: number, shown: Uint8Array): void {
  for (let at = WIDE + 1; at < count - WIDE - 1; at++) {
    const here = from + at * next;
    const jump = Math.abs(data[here]! - data[here - next]!);
    const before = Math.abs(data[here - WIDE * next]! - data[here - (WIDE + 1) * next]!);
    const after = Math.abs(data[here + (WIDE + 1) * next]! - data[here + WIDE * next]!);
    if (jump > STEP && jump > before + after) shown[at]!++;
  }
}

/** The stretch of a line that is seen most surely: the one with the greatest sum of what is seen beyond what is asked for. */
function longest(
  shown: Uint8Array,
  at: number,
  across: number,
  count: number,
  pictures: number,
): { readonly from: number; readonly to: number; readonly score: number } | undefined {
  let [sum, start, best] = [0, 0, 0];
  let found: { from: number; to: number } | undefined;
  for (let n = 0; n < count; n++) {
    sum += shown[n * across + at]! / pictures - SEEN;
    if (sum <= 0) [sum, start] = [0, n + 1];
    else if (sum > best) {
      best = sum;
      found = { from: start, to: n + 1 };
    }
  }
  return found && { ...found, score: best / (found.to - found.from) + SEEN };
}
