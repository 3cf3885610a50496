import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { escapeAttribute, escapeText } from '../markup.ts';

/** Width of a chart in pixels: that of a phone, so that text keeps its size; wider pages show more charts in a row. */
const WIDTH = 420;
const HEIGHT = 220;

const { document } = parseHTML('<!doctype html><html><body></body></html>');

/** A chart with what it shows in words, for people who do not see it, and its numbers as a table. */
export interface Chart {
  readonly title: string;
  /** What it shows, in a sentence. */
  readonly text: string;
  readonly svg: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

interface Series {
  readonly name: string;
  /** A color of the page: `--defeat`. */
  readonly color: string;
}

const DEFEATS: Series = { name: 'defeats', color: 'var(--good)' };
const DEATHS: Series = { name: 'deaths', color: 'var(--bad)' };

/** The label of a horizontal axis, in the middle below its ticks. */
function axisLabel(label: string): Plot.ScaleOptions {
  return { label, labelAnchor: 'center', labelArrow: 'none', labelOffset: 36 };
}

/** Ticks of an axis of counts: whole numbers. */
function countTicks(most: number): number | readonly number[] {
  return most < 4 ? Array.from({ length: Math.ceil(most) + 1 }, (_, i) => i) : 4;
}

/** Renders marks as an SVG element whose colors are those of the page. */
function draw(title: string, text: string, options: Plot.PlotOptions): string {
  const svg = Plot.plot({
    width: WIDTH,
    height: HEIGHT,
    marginLeft: 44,
    marginBottom: 42,
    style: { background: 'none', fontFamily: 'inherit', fontSize: '13px', overflow: 'visible' },
    ...options,
    document: document as unknown as Document,
  } as Plot.PlotOptions);
  const element = svg as unknown as Element;
  element.setAttribute('role', 'img');
  element.setAttribute('aria-label', `${title}. ${text}`);
  // What is read aloud is the label; the texts of the axes would only repeat it.
  for (const child of element.querySelectorAll('[aria-label]')) child.removeAttribute('aria-label');
  for (const child of element.children) child.setAttribute('aria-hidden', 'true');
  return element.outerHTML
    .replace(/ (?:width|height)="[\d.]+"/, '')
    .replace(/^(<svg[^>]*?) (?:width|height)="[\d.]+"/, '$1');
}

/** Horizontal bars: how often each name, in one or two series. */
export function barChart(
  title: string,
  text: string,
  values: readonly { readonly name: string; readonly defeats: number; readonly deaths?: number }[],
  color = DEFEATS.color,
): Chart {
  const hasPair = values.some(({ deaths }) => deaths !== undefined);
  const rows = values.flatMap(({ name, defeats, deaths }) => [
    { name: shorten(name), value: defeats, series: 0 },
    ...(hasPair ? [{ name: shorten(name), value: deaths ?? 0, series: 1 }] : []),
  ]);
  const height = 34 + values.length * (hasPair ? 34 : 24);
  const svg = draw(title, text, {
    height,
    marginLeft: 130,
    marginTop: 4,
    marginRight: 34,
    marginBottom: 24,
    x: { grid: true, label: null, ticks: countTicks(Math.max(...rows.map(({ value }) => value))) },
    y: hasPair
      ? { axis: null, domain: [0, 1], label: null }
      : { domain: values.map(({ name }) => shorten(name)), label: null, tickSize: 0 },
    ...(hasPair && {
      fy: { domain: values.map(({ name }) => shorten(name)), label: null, axis: 'left' as const, padding: 0.2 },
    }),
    marks: hasPair
      ? [
          Plot.barX(rows, {
            x: 'value',
            y: 'series',
            fy: 'name',
            fill: (row: { series: number }) => (row.series === 0 ? DEFEATS.color : DEATHS.color),
            insetTop: 1,
            insetBottom: 1,
          }),
          Plot.text(rows, {
            x: 'value',
            y: 'series',
            fy: 'name',
            text: 'value',
            dx: 4,
            textAnchor: 'start',
            fill: 'currentColor',
          }),
        ]
      : [
          Plot.barX(rows, { x: 'value', y: 'name', fill: color, insetTop: 2, insetBottom: 2 }),
          Plot.text(rows, { x: 'value', y: 'name', text: 'value', dx: 4, textAnchor: 'start', fill: 'currentColor' }),
        ],
    color: { type: 'identity' },
  });
  const columns = hasPair ? ['', 'defeats', 'deaths'] : ['', 'times'];
  return {
    title,
    text,
    svg,
    columns,
    rows: values.map(({ name, defeats, deaths }) => [name, defeats, ...(hasPair ? [deaths ?? 0] : [])]),
  };
}

/** A line over sessions with its points, for one or two series. */
export function sessionChart(
  title: string,
  text: string,
  values: readonly { readonly name: string; readonly values: readonly (number | null)[] }[],
  series: readonly Series[],
): Chart {
  const points = values.flatMap(({ values: all }, i) =>
    all.flatMap((value, s) => (value === null ? [] : [{ x: i + 1, value, color: series[s]!.color, series: s }])),
  );
  const svg = draw(title, text, {
    x: {
      ...axisLabel('session'),
      ticks: Math.min(values.length, 8),
      tickFormat: (x: number) => (Number.isInteger(x) ? String(x) : ''),
      domain: [1, Math.max(2, values.length)],
    },
    y: { grid: true, label: null, ticks: 5, zero: true },
    color: { type: 'identity' },
    marks: [
      Plot.lineY(points, { x: 'x', y: 'value', z: 'series', stroke: 'color', strokeWidth: 2, curve: 'linear' }),
      ...(values.length <= 60 ? [Plot.dot(points, { x: 'x', y: 'value', fill: 'color', r: 3 })] : []),
    ],
  });
  return {
    title,
    text,
    svg,
    columns: ['session', ...series.map(({ name }) => name)],
    rows: values.map(({ name, values: all }) => [name, ...all.map((value) => (value === null ? '–' : round(value)))]),
  };
}

/** Defeats and deaths over sessions. */
export const FIGHT_SERIES: readonly Series[] = [DEFEATS, DEATHS];

/** How values are distributed, with their median. */
export function histogram(title: string, text: string, values: readonly number[], unit: string): Chart {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)]!;
  const bins = binsOf(sorted);
  const svg = draw(title, text, {
    x: { ...axisLabel(unit), ticks: 6 },
    y: { grid: true, label: null, ticks: 4, zero: true },
    marks: [
      Plot.rectY(bins, { x1: 'from', x2: 'to', y: 'count', fill: 'var(--accent)', insetLeft: 1, insetRight: 1 }),
      Plot.ruleX([middle], { stroke: 'currentColor', strokeDasharray: '4 3' }),
      Plot.text([middle], {
        x: (value: number) => value,
        frameAnchor: 'top',
        dy: -12,
        text: (value: number) => `median ${round(value)}`,
        fill: 'currentColor',
      }),
    ],
    marginTop: 26,
  });
  return {
    title,
    text,
    svg,
    columns: [unit, 'times'],
    rows: bins.map(({ from, to, count }) => [`${round(from)}–${round(to)}`, count]),
  };
}

/** Bars of the events of each part of the sessions, above and below a line. */
export function activityChart(
  title: string,
  text: string,
  parts: readonly { readonly minute: number; readonly defeats: number; readonly deaths: number }[],
): Chart {
  const svg = draw(title, text, {
    x: { ...axisLabel('minute of the session'), ticks: 8 },
    y: { grid: true, label: null, ticks: 5, tickFormat: (value: number) => String(Math.abs(value)) },
    marks: [
      Plot.rectY(parts, {
        x1: 'minute',
        x2: (part: { minute: number }) => part.minute + 1,
        y: 'defeats',
        fill: DEFEATS.color,
        insetLeft: 0.5,
        insetRight: 0.5,
      }),
      Plot.rectY(parts, {
        x1: 'minute',
        x2: (part: { minute: number }) => part.minute + 1,
        y: (part: { deaths: number }) => -part.deaths,
        fill: DEATHS.color,
        insetLeft: 0.5,
        insetRight: 0.5,
      }),
      Plot.ruleY([0], { stroke: 'currentColor' }),
    ],
  });
  return {
    title,
    text,
    svg,
    columns: ['minute', 'defeats', 'deaths'],
    rows: parts.map(({ minute, defeats, deaths }) => [minute, defeats, deaths]),
  };
}

/** Ticks of an axis of ratios. */
const RATIO_TICKS = [0.1, 0.25, 0.5, 1, 2, 4, 10];

/** A value with its interval per name, against a line. */
export function intervalChart(
  title: string,
  text: string,
  values: readonly { readonly name: string; readonly value: number; readonly low: number; readonly high: number }[],
  { line, scale, unit }: { readonly line?: number; readonly scale?: 'log' | 'linear'; readonly unit: string },
): Chart {
  const rows = values.map((one) => ({ ...one, name: shorten(one.name, 22) }));
  const least = Math.min(0.5, ...values.map(({ low }) => low));
  const most = Math.max(2, ...values.map(({ high }) => high));
  const svg = draw(title, text, {
    height: 50 + values.length * 26,
    marginLeft: 160,
    marginTop: 4,
    x: {
      ...axisLabel(unit),
      grid: true,
      ticks: 4,
      ...(scale === 'log' && {
        type: 'log' as const,
        domain: [least, most],
        ticks: RATIO_TICKS.filter((tick) => tick >= least && tick <= most),
        tickFormat: (value: number) => String(value),
      }),
    },
    y: { domain: rows.map(({ name }) => name), label: null, tickSize: 0, type: 'band' },
    marks: [
      ...(line === undefined ? [] : [Plot.ruleX([line], { stroke: 'currentColor', strokeDasharray: '4 3' })]),
      Plot.link(rows, {
        x1: 'low',
        x2: 'high',
        y1: 'name',
        y2: 'name',
        stroke: 'var(--accent)',
        strokeWidth: 3,
        strokeOpacity: 0.5,
      }),
      Plot.dot(rows, { x: 'value', y: 'name', fill: 'var(--accent)', r: 5 }),
    ],
  });
  return {
    title,
    text,
    svg,
    columns: ['', unit, '95 % from', 'to'],
    rows: values.map(({ name, value, low, high }) => [name, round(value), round(low), round(high)]),
  };
}

/** A line over the seconds of a session, with a band of its interval. */
export function timeChart(
  title: string,
  text: string,
  points: readonly { readonly t: number; readonly value: number; readonly low: number; readonly high: number }[],
  unit: string,
): Chart {
  const shown = points.map((point) => ({ ...point, minute: point.t / 60 }));
  const svg = draw(title, text, {
    x: { ...axisLabel('minute'), ticks: 8 },
    y: { grid: true, label: null, domain: [0, 1], ticks: 5, percent: false },
    marks: [
      Plot.areaY(shown, { x: 'minute', y1: 'low', y2: 'high', fill: 'var(--accent)', fillOpacity: 0.18 }),
      Plot.ruleY([0.5], { stroke: 'currentColor', strokeDasharray: '4 3' }),
      Plot.lineY(shown, { x: 'minute', y: 'value', stroke: 'var(--accent)', strokeWidth: 2 }),
    ],
  });
  return {
    title,
    text,
    svg,
    columns: ['minute', unit],
    rows: shown
      .filter((_, i) => i % Math.ceil(shown.length / 20) === 0)
      .map(({ minute, value }) => [round(minute), round(value)]),
  };
}

/** The chart on a page: title, what it shows, picture, legend and the table of its numbers. */
export function renderChart(chart: Chart, legend: readonly Series[] = []): string {
  const head = chart.columns.map((column) => `<th scope="col">${escapeText(column)}</th>`).join('');
  const body = chart.rows
    .map(
      (row) =>
        `<tr>${row.map((cell, i) => (i === 0 ? `<th scope="row">${escapeText(String(cell))}</th>` : `<td>${escapeText(String(cell))}</td>`)).join('')}</tr>`,
    )
    .join('');
  const keys = legend
    .map(
      ({ name, color }) =>
        `<span class="key"><i style="background:${escapeAttribute(color)}"></i>${escapeText(name)}</span>`,
    )
    .join('');
  return `<figure class="card"><figcaption><h3>${escapeText(chart.title)}</h3><p>${escapeText(chart.text)}</p>${keys === '' ? '' : `<div class="legend" aria-hidden="true">${keys}</div>`}</figcaption>${chart.svg}<details><summary>Numbers</summary><div class="scroll" tabindex="0" role="region" aria-label="${escapeAttribute(chart.title)}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div></details></figure>`;
}

/** Rounds to three significant digits. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}

function shorten(name: string, length = 18): string {
  const characters = [...name];
  return characters.length <= length ? name : `${characters.slice(0, length - 1).join('')}…`;
}

/** About twelve bins of round width. */
function binsOf(
  sorted: readonly number[],
): readonly { readonly from: number; readonly to: number; readonly count: number }[] {
  const [least, most] = [sorted[0]!, sorted.at(-1)!];
  const raw = Math.max((most - least) / 12, 1e-3);
  const power = 10 ** Math.floor(Math.log10(raw));
  const width = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw)!;
  const start = Math.floor(least / width);
  const end = Math.max(start + 1, Math.floor(most / width) + 1);
  return Array.from({ length: end - start }, (_, i) => {
    const [from, to] = [(start + i) * width, (start + i + 1) * width];
    return { from, to, count: sorted.filter((value) => value >= from && value < to).length };
  });
}
