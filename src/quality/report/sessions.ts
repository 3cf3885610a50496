import { formatClock } from '../../time.ts';
import { mannWhitney } from '../statistics.ts';
import { median, quantile } from '../../statistics.ts';
import { grade, page, type Frame, linePath, pixel, scale, timeAxis, timeTicks, valueAxis } from './page.ts';
import type { SessionAnalysis } from './session.ts';
import { escapeAttribute } from '../../markup.ts';
import { frameTimeSection } from './frame-times.ts';

/** A session and its group (`before`, `after` or none). */
export interface GroupedView extends SessionAnalysis {
  readonly group?: string;
}

const width = 1080;

/**
 * Renders the report page of many sessions: distributions of the groups, all sessions, worst minutes.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 *
 * await writeFile('session.ndjson', '{"fps":60}\n{"frame":0,"captured":0}\n{"frame":1,"captured":17}\n');
 * const [session] = await analyzeFiles(['session.ndjson']);
 * await writeFile('report.html', sessionsReport([{ ...session, group: 'before' }, { ...session, group: 'after' }]));
 * ```
 */
export function sessionsReport(views: readonly GroupedView[]): string {
  const groups = groupViews(views);
  const runs = views.flatMap(({ scored, frameTimes, group }) =>
    frameTimes ? [{ name: group ? `${group}: ${scored.name}` : scored.name, frames: frameTimes }] : [],
  );
  const frames = frameTimeSection(runs);
  const body = [
    `<h1>${views.length} sessions</h1>`,
    `<p class="sub">${[...groups].map(([name, list]) => `${escapeAttribute(name || 'all')}: ${list.length}`).join(' · ')}</p>`,
    '<h2>Distribution of the total</h2>',
    `<div class="charts">${distribution(groups)}</div>`,
    comparison(groups),
    '<h2>Sessions, worst first</h2>',
    table(views),
    worstMinutes(views),
    ...(frames ? [frames.body] : []),
    '<h2>Course of each session</h2>',
    `<div class="charts">${courses(views)}</div>`,
  ].join('\n');
  return page(`Quality of ${views.length} sessions`, body, frames?.script, frames?.style);
}

function groupViews(views: readonly GroupedView[]): Map<string, GroupedView[]> {
  const groups = new Map<string, GroupedView[]>();
  for (const view of views) {
    const name = view.group ?? '';
    groups.set(name, [...(groups.get(name) ?? []), view]);
  }
  return groups;
}

function totals(views: readonly GroupedView[]): number[] {
  return views.map((view) => view.scored.quality.total).filter((total) => total !== null);
}

/** One dot per session; box from the first to the third quartile with the median. */
function distribution(groups: ReadonlyMap<string, readonly GroupedView[]>): string {
  const row = 74;
  const frame: Frame = { width, height: 30 + row * groups.size, left: 90, right: 20, top: 8, bottom: 22 };
  const x = scale(0, 100, frame.left, width - frame.right);
  const parts = [...groups].map(([name, views], i) => {
    const centre = frame.top + row * (i + 0.5);
    const values = totals(views);
    const dots = views
      .filter((view) => view.scored.quality.total !== null)
      .map((view, j) => {
        const total = view.scored.quality.total!;
        const at = centre + ((j % 5) - 2) * 7;
        return `<circle class="dot" cx="${pixel(x(total))}" cy="${pixel(at)}" r="5"><title>${escapeAttribute(view.scored.name)}: ${total.toFixed(1)}</title></circle>`;
      });
    const label = `<text class="name" x="0" y="${centre}" dy="0.32em">${escapeAttribute(name || 'sessions')}</text>`;
    if (values.length === 0) return label;
    const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => x(quantile(values, share)));
    const box = `<rect class="box" x="${pixel(low!)}" y="${centre - 22}" width="${pixel(Math.max(1, high! - low!))}" height="44" rx="3"/><line class="box" x1="${pixel(middle!)}" x2="${pixel(middle!)}" y1="${centre - 22}" y2="${centre + 22}"/>`;
    return label + dots.join('') + box;
  });
  const axis = timeAxis(frame, x, [0, 20, 40, 60, 80, 100], String);
  return `<svg viewBox="0 0 ${width} ${frame.height}" role="img" aria-label="Distribution of the totals">${axis}${parts.join('')}</svg>`;
}

/** Median of each group; for two groups also the difference and its significance. */
function comparison(groups: ReadonlyMap<string, readonly GroupedView[]>): string {
  const rows = [...groups].map(([name, views]) => {
    const values = totals(views);
    if (values.length === 0)
      return `<tr><td>${escapeAttribute(name || 'all')}</td><td>${views.length}</td><td colspan="4">–</td></tr>`;
    const cells = [median(values), quantile(values, 0.25), quantile(values, 0.75), Math.min(...values)];
    return `<tr><td>${escapeAttribute(name || 'all')}</td><td>${views.length}</td>${cells.map((value) => `<td class="${grade(value)}">${value.toFixed(1)}</td>`).join('')}</tr>`;
  });
  const head =
    '<tr><th>group</th><th>sessions</th><th>median</th><th>first quartile</th><th>third quartile</th><th>worst</th></tr>';
  const [first, second] = [...groups];
  let verdict = '';
  if (first && second && groups.size === 2) {
    const [a, b] = [totals(first[1]), totals(second[1])];
    if (a.length > 0 && b.length > 0) {
      const { p, superiority } = mannWhitney(a, b);
      const gain = median(b) - median(a);
      verdict = `<p>Median ${escapeAttribute(second[0])} − ${escapeAttribute(first[0])}: <b class="${gain >= 0 ? 'good' : 'bad'}">${gain >= 0 ? '+' : ''}${gain.toFixed(1)}</b>. A session of ${escapeAttribute(second[0])} is better than one of ${escapeAttribute(first[0])} in ${(100 * superiority).toFixed(0)} % of the pairs (Mann–Whitney, p = ${p < 0.001 ? '< 0.001' : p.toFixed(3)}).</p>`;
    }
  }
  return `<table>${head}${rows.join('')}</table>${verdict}`;
}

function table(views: readonly GroupedView[]): string {
  const order = views.toSorted((a, b) => rank(a) - rank(b));
  const rows = order.map(({ scored: { name, quality, format }, group }) => {
    return `<tr><td>${escapeAttribute(name)}</td><td data-label="group" class="text">${escapeAttribute(group ?? '')}</td><td data-label="format" class="text">${escapeAttribute(format)}</td><td data-label="length">${formatClock(quality.duration, 0)}</td>${cell('total', quality.total)}${cell('picture', quality.picture)}${cell('stutter–latency', quality.stutterLatency)}<td data-label="raw">${quality.raw === null ? '–' : quality.raw.toFixed(1)}</td></tr>`;
  });
  return `<table class="flow"><tr><th>session</th><th class="text">group</th><th class="text">format</th><th>length</th><th>total</th><th>picture</th><th>stutter–latency</th><th>raw</th></tr>${rows.join('')}</table>`;
}

function cell(label: string, value: number | null): string {
  return `<td data-label="${label}" class="${grade(value)}">${value === null ? '–' : value.toFixed(1)}</td>`;
}

/** Sort key: bad sessions are ordered by the unclamped figure. */
function rank(view: GroupedView): number {
  return view.scored.quality.raw ?? view.scored.quality.stutterLatency ?? Number.POSITIVE_INFINITY;
}

function worstMinutes(views: readonly GroupedView[]): string {
  const all = views
    .flatMap((view) => view.worst.map((minute) => ({ ...minute, name: view.scored.name })))
    .toSorted((a, b) => a.cws - b.cws)
    .slice(0, 10);
  if (all.length === 0) return '';
  const rows = all.map(
    ({ name, minute, cws, longest }) =>
      `<tr><td>${escapeAttribute(name)}</td><td>${formatClock(minute * 60, 0)}</td><td class="${grade(cws)}">${cws.toFixed(1)}</td><td>${longest.toFixed(0)}</td></tr>`,
  );
  return `<h2>Worst minutes</h2><table><tr><th>session</th><th>from</th><th>combined weighted score</th><th>longest without a new picture, ms</th></tr>${rows.join('')}</table>`;
}

/** A small chart per session on a common time scale. */
function courses(views: readonly GroupedView[]): string {
  const duration = Math.max(1, ...views.map((view) => view.scored.quality.duration));
  return views
    .slice(0, 60)
    .map(({ scored, points }, i, all) => {
      const last = i === all.length - 1;
      const frame: Frame = { width, height: last ? 90 : 74, left: 46, right: 14, top: 16, bottom: last ? 22 : 6 };
      const x = scale(0, duration, frame.left, width - frame.right);
      const y = scale(0, 100, frame.height - frame.bottom, frame.top);
      const line = linePath(
        points.map((point) => [x((point.t + point.end) / 2), point.cws === undefined ? undefined : y(point.cws)]),
      );
      const axes =
        valueAxis(frame, y, [0, 50, 100]) +
        timeAxis(frame, x, timeTicks(duration, 12), (time) => (last ? formatClock(time, 0) : ''));
      return `<svg viewBox="0 0 ${width} ${frame.height}" role="img" aria-label="${escapeAttribute(scored.name)}">${axes}<path class="mean" d="${line}"/><text class="name" x="${frame.left}" y="10">${escapeAttribute(scored.name)} — ${scored.quality.total?.toFixed(1) ?? '–'}</text></svg>`;
    })
    .join('\n');
}
