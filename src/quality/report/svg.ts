/** Text that may stand in HTML and in attributes. */
export function escape(text: string): string {
  return text.replace(
    /[&<>"']/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[sign]!,
  );
}

/** A linear scale from a range of values to a range of pixels. */
export type Scale = (value: number) => number;

export function scale(from: number, to: number, start: number, end: number): Scale {
  const span = to - from || 1;
  return (value) => start + ((value - from) / span) * (end - start);
}

/** Round values that divide a range well, about `count` of them. */
export function ticks(from: number, to: number, count: number): number[] {
  const raw = (to - from) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw || 1));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw) ?? power;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step + 1e-9) + 1) }, (_, i) => first + i * step);
}

/** Round times for an axis of seconds. */
export function timeTicks(duration: number, count: number): number[] {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
  const step = steps.find((one) => one >= duration / count) ?? 7200;
  return Array.from({ length: Math.floor(duration / step) + 1 }, (_, i) => i * step);
}

/** A line through points; it breaks where a value is not known. */
export function linePath(points: readonly (readonly [x: number, y: number | undefined])[]): string {
  let path = '';
  let drawing = false;
  for (const [x, y] of points) {
    if (y === undefined) {
      drawing = false;
      continue;
    }
    path += `${drawing ? 'L' : 'M'}${pixel(x)} ${pixel(y)}`;
    drawing = true;
  }
  return path;
}

/** The area between two lines over the same x. */
export function bandPath(
  points: readonly (readonly [x: number, low: number | undefined, high: number | undefined])[],
): string {
  const runs: (readonly [number, number, number])[][] = [];
  let run: (readonly [number, number, number])[] = [];
  for (const [x, low, high] of points) {
    if (low === undefined || high === undefined) {
      if (run.length > 0) runs.push(run);
      run = [];
    } else run.push([x, low, high]);
  }
  if (run.length > 0) runs.push(run);
  return runs
    .map((one) => {
      const there = one.map(([x, low]) => `${pixel(x)} ${pixel(low)}`).join('L');
      const back = one
        .toReversed()
        .map(([x, , high]) => `${pixel(x)} ${pixel(high)}`)
        .join('L');
      return `M${there}L${back}Z`;
    })
    .join('');
}

export function pixel(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A chart's frame: where its plot lies, and its axes as SVG. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Horizontal lines with their values at the left. */
export function valueAxis(frame: Frame, y: Scale, values: readonly number[], unit = ''): string {
  return values
    .map((value) => {
      const at = pixel(y(value));
      const label = `<text class="tick" x="${frame.left - 6}" y="${at}" dy="0.32em" text-anchor="end">${value}${unit}</text>`;
      return `<line class="grid" x1="${frame.left}" x2="${frame.width - frame.right}" y1="${at}" y2="${at}"/>${label}`;
    })
    .join('');
}

/** Times below the plot. */
export function timeAxis(frame: Frame, x: Scale, times: readonly number[], text: (time: number) => string): string {
  const bottom = frame.height - frame.bottom;
  return times
    .map((time) => {
      const at = pixel(x(time));
      return `<line class="grid" x1="${at}" x2="${at}" y1="${frame.top}" y2="${bottom}"/><text class="tick" x="${at}" y="${bottom + 14}" text-anchor="middle">${text(time)}</text>`;
    })
    .join('');
}
