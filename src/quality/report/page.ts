import { contentSecurityPolicy, escapeAttribute } from '../../markup.ts';

/** Maps a value to pixels. */
export type Scale = (value: number) => number;

/** Makes a linear scale. */
export function scale(from: number, to: number, start: number, end: number): Scale {
  const span = to - from || 1;
  return (value) => start + ((value - from) / span) * (end - start);
}

/** About `count` round values in a range. */
export function ticks(from: number, to: number, count: number): number[] {
  const raw = (to - from) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw || 1));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw) ?? power;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step + 1e-9) + 1) }, (_, i) => first + i * step);
}

/** Round times for a time axis in seconds. */
export function timeTicks(duration: number, count: number): number[] {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
  const step = steps.find((one) => one >= duration / count) ?? 7200;
  return Array.from({ length: Math.floor(duration / step) + 1 }, (_, i) => i * step);
}

/** SVG path through points; breaks where a value is unknown. */
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

/** SVG path of the area between two lines. */
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

/** Formats a coordinate with one decimal. */
export function pixel(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Size and margins of a chart. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Horizontal grid lines with values at the left. */
export function valueAxis(frame: Frame, y: Scale, values: readonly number[], unit = ''): string {
  return values
    .map((value) => {
      const at = pixel(y(value));
      const label = `<text class="tick" x="${frame.left - 6}" y="${at}" dy="0.32em" text-anchor="end">${value}${unit}</text>`;
      return `<line class="grid" x1="${frame.left}" x2="${frame.width - frame.right}" y1="${at}" y2="${at}"/>${label}`;
    })
    .join('');
}

/** Vertical grid lines with labels below the plot. */
export function timeAxis(frame: Frame, x: Scale, times: readonly number[], text: (time: number) => string): string {
  const bottom = frame.height - frame.bottom;
  return times
    .map((time) => {
      const at = pixel(x(time));
      return `<line class="grid" x1="${at}" x2="${at}" y1="${frame.top}" y2="${bottom}"/><text class="tick" x="${at}" y="${bottom + 14}" text-anchor="middle">${text(time)}</text>`;
    })
    .join('');
}

/** Wraps a body in a self-contained HTML page: styles and script are inline, nothing is fetched. */
export function page(title: string, body: string, script = '', styles = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${contentSecurityPolicy(...(script === '' ? [] : [script]))}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeAttribute(title)}</title>
<style>${styles}${style}</style>
</head>
<body>
<main>
${body}
</main>
${script === '' ? '' : `<script>${script}</script>`}
</body>
</html>
`;
}

const style = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --soft: #5b6570; --line: #dfe3e8; --good: #1a7f4b;
  --fair: #9a6700; --bad: #c62f3b; --blue: #2563c9; --band: #2563c926; --bad-band: #c62f3b1f; --other: #8250df; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --ink: #e8ebee; --soft: #9aa4ae; --line: #2c333b;
  --good: #4fc285; --fair: #d9a441; --bad: #f2727b; --blue: #6ea8ff; --band: #6ea8ff2b; --bad-band: #f2727b29; --other: #b392f0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 22px; margin: 0 0 2px; }
h2 { font-size: 16px; margin: 34px 0 8px; }
.sub { color: var(--soft); margin: 0 0 22px; }
.figures { display: flex; flex-wrap: wrap; gap: 14px 40px; align-items: flex-end; }
.figure b { display: block; font-size: 26px; line-height: 1.1; font-variant-numeric: tabular-nums; }
.figure.big b { font-size: 54px; }
.figure span { color: var(--soft); font-size: 13px; }
.good { color: var(--good); } .fair { color: var(--fair); } .bad { color: var(--bad); }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
svg text.name { font-size: 12px; font-weight: 600; fill: var(--ink); }
.grid { stroke: var(--line); stroke-width: 1; }
.mean { fill: none; stroke: var(--blue); stroke-width: 1.5; stroke-linejoin: round; }
.second { fill: none; stroke: var(--other); stroke-width: 1.2; stroke-dasharray: 4 3; }
.area { fill: var(--band); stroke: none; }
.limit { stroke: var(--bad); stroke-width: 1; stroke-dasharray: 3 3; }
.stretch { fill: var(--bad-band); }
.freeze { fill: var(--bad); }
.event { stroke: var(--soft); stroke-width: 1; }
.loss { stroke: var(--bad); fill: var(--bad); } .win { stroke: var(--good); fill: var(--good); } .other { stroke: var(--soft); fill: var(--soft); }
svg text.loss { fill: var(--bad); stroke: none; } svg text.win { fill: var(--good); stroke: none; }
.dot { fill: var(--blue); fill-opacity: 0.55; } .box { fill: none; stroke: var(--ink); stroke-width: 1.5; }
.cursor { stroke: var(--ink); stroke-width: 1; visibility: hidden; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); font-weight: 400; }
th { color: var(--soft); font-size: 13px; } td:first-child, th:first-child, td.text, th.text { text-align: left; }
.read { color: var(--soft); min-height: 1.5em; font-variant-numeric: tabular-nums; }
.legend { color: var(--soft); font-size: 13px; } .legend i { display: inline-block; width: 18px; height: 0; margin: 0 5px 3px 14px; border-top: 2px solid var(--blue); }
.legend i.second { border-top: 2px dashed var(--other); } .legend i.patch { height: 10px; border: 0; background: var(--bad-band); margin-bottom: -1px; }
ul { padding-left: 20px; }
.plot { min-width: 0; overflow: hidden; } .plot .uplot { width: 100%; } .uplot .u-legend tr { white-space: normal; } .uplot { font: 13px system-ui, sans-serif; } .uplot .u-legend { color: var(--soft); font-variant-numeric: tabular-nums; }
.u-legend th, .u-legend td { border: 0; padding: 2px 4px; } .u-select { background: var(--band); border-inline: 1px solid var(--blue); }
#frame-overview { margin-top: -4px; } .u-hz .u-cursor-x, .u-hz .u-cursor-y { border-color: var(--soft); }
.legend i.freeze { height: 10px; width: 12px; border: 0; background: var(--bad); margin-bottom: -1px; }
.legend b { font-weight: 400; margin-left: 14px; }
@media (max-width: 640px) { main { padding: 18px 14px 40px; } .figures { gap: 12px 24px; }
  .charts { overflow-x: auto; margin: 0 -14px; padding: 14px 14px 0; } .charts svg { min-width: 640px; margin-bottom: 12px; }
  svg text { font-size: 18px; } svg text.name { font-size: 18px; } svg text.loss, svg text.win { display: none; }
  table { display: block; overflow-x: auto; white-space: nowrap; } td.text { white-space: normal; min-width: 9em; }
  table.flow, table.flow tbody { display: block; white-space: normal; } table.flow tr:first-child { display: none; }
  table.flow tr { display: grid; grid-template-columns: 1fr 1fr; gap: 2px 18px; padding: 8px 0; border-bottom: 1px solid var(--line); }
  table.flow td { display: flex; justify-content: space-between; border: 0; padding: 2px 0; }
  table.flow td:first-child, table.flow td.text { grid-column: 1 / -1; justify-content: flex-start; gap: 8px; overflow-wrap: anywhere; }
  table.flow td:first-child { font-weight: 600; }
  table.flow td:first-child::before { content: none; } .uplot .u-legend { white-space: normal; overflow: visible; }
  table.flow td:not(:first-child)::before { content: attr(data-label); color: var(--soft); font-size: 13px; } }
@media print { :root { color-scheme: light; --paper: #fff; --ink: #000; --soft: #444; --line: #ccc; } main { max-width: none; padding: 0; }
  h2 { break-after: avoid; } svg, .plot, tr { break-inside: avoid; } .cursor, .read, #frame-overview, .u-legend { display: none; } }
`;

/** CSS class of a score. */
export function grade(score: number | null | undefined): 'good' | 'fair' | 'bad' | '' {
  if (score === null || score === undefined) return '';
  if (score >= 70) return 'good';
  return score >= 45 ? 'fair' : 'bad';
}
