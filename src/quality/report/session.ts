import type { EventLine } from '../../events/log.ts';
import { formatClock } from '../../time.ts';
import type { StreamIncident } from '../incidents.ts';
import type { MinuteStatistics, TimelinePoint } from '../timeline.ts';
import type { ScoredInput } from '../score.ts';
import { componentTitles } from '../summary.ts';
import {
  grade,
  page,
  bandPath,
  type Frame,
  linePath,
  pixel,
  scale,
  ticks,
  timeAxis,
  timeTicks,
  valueAxis,
} from './page.ts';
import { escapeAttribute } from '../../markup.ts';
import { type FrameTimes, frameTimeSection } from './frame-times.ts';

/** A scored session with what its report shows. */
export interface SessionAnalysis {
  readonly scored: ScoredInput;
  readonly points: readonly TimelinePoint[];
  readonly worst: readonly MinuteStatistics[];
  /** Undefined if the file has no frames. */
  readonly frameTimes?: FrameTimes;
  readonly incidents: readonly StreamIncident[];
  /** Game events on the session's timeline with their outcome for the player. */
  readonly play?: readonly { readonly event: EventLine; readonly kind: 'loss' | 'win' | 'other' }[];
}

/**
 * Renders the report page of one session: figures, timeline with game events, components, worst minutes.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 *
 * await writeFile('session.ndjson', '{"fps":60}\n{"frame":0,"captured":0}\n{"frame":1,"captured":17}\n');
 * const [session] = await analyzeFiles(['session.ndjson']);
 * await writeFile('report.html', sessionReport(session));
 * ```
 */
export function sessionReport(view: SessionAnalysis): string {
  const { scored } = view;
  const { quality } = scored;
  const rate = `${Math.round(quality.fps * 100) / 100} Hz${scored.fpsFrom === 'estimated' ? ' (estimated)' : ''}`;
  const size = scored.info.width && scored.info.height ? ` · ${scored.info.width}×${scored.info.height}` : '';
  const frames = view.frameTimes && frameTimeSection([{ name: scored.name, frames: view.frameTimes }]);
  const body = [
    `<h1>${escapeAttribute(scored.name)}</h1>`,
    `<p class="sub">${escapeAttribute(scored.format)} · ${quality.frames} frames · ${formatClock(quality.duration)} · ${rate}${size}</p>`,
    figures(view),
    '<p class="legend">Stutter–latency is base − offset. The base is the mean of the frames’ combined scores less six times their deviation: a few bad frames weigh more than the mean scores of the components below suggest, and it may be negative. Only the total is limited to 0–100.</p>',
    ...(frames ? [frames.body] : []),
    '<h2>Course of the session</h2>',
    quality.frames > 1 ? charts(view) : '<p>The file contains no frames.</p>',
    playTable(view),
    components(scored),
    worstMinutes(view.worst),
    notes(scored),
  ].join('\n');
  const scripts = [...(frames ? [frames.script] : []), ...(quality.frames > 1 ? [script(view.points)] : [])];
  return page(`Quality of ${scored.name}`, body, scripts.join('\n'), frames?.style);
}

function figures({ scored: { quality } }: SessionAnalysis): string {
  return `<div class="figures">${[
    figure('total, 0–100', quality.total, true),
    figure(quality.pictureFrom === 'qp' ? 'picture (from QP)' : 'picture', quality.picture),
    figure('stutter–latency', quality.stutterLatency),
    figure('base', quality.base, false, false),
    figure('− offset', quality.offset, false, false),
    figure('raw', quality.raw, false, false),
  ].join('')}</div>`;
}

function figure(name: string, value: number | null, big = false, graded = true): string {
  const text = value === null ? '–' : value.toFixed(1);
  return `<div class="figure${big ? ' big' : ''}"><b class="${graded ? grade(value) : ''}">${text}</b><span>${name}</span></div>`;
}

const width = 1080;
const margins = { left: 46, right: 14 };

function charts(view: SessionAnalysis): string {
  const duration = Math.max(view.scored.quality.duration, 0.1);
  const parts = [course(view, duration)];
  for (const name of Object.keys(view.scored.quality.components)) parts.push(component(view, name, duration));
  const played = view.play?.length
    ? '<b><span class="good">▲</span> win</b><b><span class="bad">▼</span> loss</b><b>short ticks: other events of the play</b>'
    : '';
  return `<p class="legend"><i></i>combined weighted score, mean and least<i class="second"></i>base (mean − 6 · deviation)<i class="patch"></i>bad quality<i class="freeze"></i>freeze (tall), stutter${played}</p>
<p class="read" id="read">&nbsp;</p>
<div id="charts" class="charts">${parts.join('\n')}</div>`;
}

function course(view: SessionAnalysis, duration: number): string {
  const marked = (view.play ?? []).filter(({ kind }) => kind !== 'other');
  const frame: Frame = {
    ...margins,
    width,
    height: marked.length > 0 ? 290 : 250,
    top: marked.length > 0 ? 58 : 18,
    bottom: 22,
  };
  const x = scale(0, duration, frame.left, width - frame.right);
  // The base (mean − 6 · deviation) of an unsteady session goes far below zero.
  const least = Math.min(0, 25 * Math.floor(Math.min(...view.points.map((point) => point.base ?? 0)) / 25));
  const y = scale(least, 100, frame.height - frame.bottom, frame.top);
  const inside = (value: number | undefined): number | undefined =>
    value === undefined ? undefined : y(Math.min(100, value));
  const middle = ({ t, end }: TimelinePoint): number => x(Math.min(duration, (t + end) / 2));
  const band = bandPath(view.points.map((point) => [middle(point), inside(point.cwsMin), inside(point.cws)]));
  const mean = linePath(view.points.map((point) => [middle(point), inside(point.cws)]));
  const base = linePath(view.points.map((point) => [middle(point), inside(point.base)]));
  return svg(
    frame,
    [
      stretches(view.incidents, x, frame),
      valueAxis(frame, y, ticks(least, 100, 5)),
      timeAxis(frame, x, timeTicks(duration, 12), (time) => formatClock(time, 0)),
      `<path class="area" d="${band}"/><path class="mean" d="${mean}"/><path class="second" d="${base}"/>`,
      gameplayMarks(view, x, frame),
      `<text class="name" x="${frame.left}" y="10">Quality; 100 is best, the base may be negative</text>`,
    ].join(''),
    `Quality of the session over ${formatClock(duration)}`,
  );
}

/** Bad stretches as bands, freezes as bars at the foot. */
function stretches(incidents: readonly StreamIncident[], x: (t: number) => number, frame: Frame): string {
  const bottom = frame.height - frame.bottom;
  return incidents
    .map((one) => {
      const from = x(one.t);
      const wide = Math.max(1.5, x(one.end) - from);
      const title = `<title>${formatClock(one.t)} ${describe(one)}</title>`;
      if (one.kind === 'bad' || one.kind === 'lag') {
        return `<rect class="stretch" x="${pixel(from)}" y="${frame.top}" width="${pixel(wide)}" height="${bottom - frame.top}">${title}</rect>`;
      }
      if (one.kind !== 'freeze' && one.kind !== 'stutter') return '';
      const tall = one.kind === 'freeze' ? 12 : 6;
      return `<rect class="freeze" x="${pixel(from)}" y="${bottom - tall}" width="${pixel(wide)}" height="${tall}">${title}</rect>`;
    })
    .join('');
}

function describe(one: StreamIncident): string {
  switch (one.kind) {
    case 'freeze':
      return `freeze of ${Math.round(one.ms)} ms`;
    case 'stutter':
      return `stutter, ${one.frames} late frames`;
    case 'lag':
      return `delay up to ${Math.round(one.ms)} ms`;
    case 'bad':
      return `bad quality, mean ${one.score.toFixed(0)}, for ${(one.end - one.t).toFixed(1)} s`;
    default:
      return `${one.kind} ${one.from} → ${one.to}`;
  }
}

/** Events of the play above the plot; losses and wins with their words while there is room. */
function gameplayMarks(view: SessionAnalysis, x: (t: number) => number, frame: Frame): string {
  const bottom = frame.height - frame.bottom;
  const rows: (readonly [from: number, to: number])[][] = [[], [], []];
  return (view.play ?? [])
    .map(({ event, kind }) => {
      const at = x(event.t);
      const title = `<title>${formatClock(event.t)} ${escapeAttribute(event.text)}</title>`;
      if (kind === 'other') {
        return `<line class="event" x1="${pixel(at)}" x2="${pixel(at)}" y1="${frame.top - 5}" y2="${frame.top}">${title}</line>`;
      }
      const words = event.text.length > 34 ? `${event.text.slice(0, 33)}…` : event.text;
      const wide = words.length * 6 + 6;
      const right = at + wide > width - frame.right;
      const [from, to] = right ? [at - wide, at] : [at, at + wide];
      const row = rows.findIndex((taken) => taken.every((other) => to + 4 < other[0] || other[1] + 4 < from));
      rows[row]?.push([from, to]);
      const label =
        row < 0
          ? ''
          : `<text class="${kind}" x="${pixel(right ? at - 6 : at + 6)}" y="${22 + 12 * row}"${right ? ' text-anchor="end"' : ''}>${escapeAttribute(words)}</text>`;
      const tip = frame.top - 2;
      const mark = kind === 'loss' ? `M${pixel(at - 4)} ${tip - 7}h8l-4 7z` : `M${pixel(at - 4)} ${tip}h8l-4 -7z`;
      return `<g class="${kind}"><line stroke-opacity="0.45" x1="${pixel(at)}" x2="${pixel(at)}" y1="${tip}" y2="${bottom}"/><path d="${mark}"/>${title}</g>${label}`;
    })
    .join('');
}

function component(view: SessionAnalysis, name: string, duration: number): string {
  const summary = view.scored.quality.components[name]!;
  const frame: Frame = { ...margins, width, height: 132, top: 20, bottom: 20 };
  const delta = name.endsWith('Delta');
  const limit = delta ? 1500 / view.scored.quality.fps : 100;
  const most = Math.max(1.3 * limit, Math.min(summary.max * 1.05, Math.max(summary.mean + 8 * summary.std, 2 * limit)));
  const x = scale(0, duration, frame.left, width - frame.right);
  const y = scale(0, most, frame.height - frame.bottom, frame.top);
  const cut = (value: number | undefined): number | undefined =>
    value === undefined ? undefined : y(Math.min(most, value));
  const middle = ({ t, end }: TimelinePoint): number => x(Math.min(duration, (t + end) / 2));
  const known = delta ? view.points : held(view.points, name, Math.max(2, duration / 200));
  const band = bandPath(known.map((point) => [middle(point), cut(point.raw[name]?.mean), cut(point.raw[name]?.max)]));
  const mean = linePath(known.map((point) => [middle(point), cut(point.raw[name]?.mean)]));
  const at = pixel(y(limit));
  return svg(
    frame,
    [
      valueAxis(frame, y, ticks(0, most, 4)),
      timeAxis(frame, x, timeTicks(duration, 12), (time) => formatClock(time, 0)),
      `<path class="area" d="${band}"/><path class="mean" d="${mean}"/>`,
      `<line class="limit" x1="${frame.left}" x2="${width - frame.right}" y1="${at}" y2="${at}"><title>${delta ? 'least stutter' : 'score 0'}: ${limit.toFixed(0)} ms</title></line>`,
      `<text class="name" x="${frame.left}" y="10">${escapeAttribute(componentTitles[name] ?? name)}, ms — mean and greatest (${summary.max.toFixed(0)}); dashed: ${delta ? 'a stutter from here' : 'score 0 from here'}</text>`,
    ].join(''),
    `${componentTitles[name] ?? name} in ms`,
  );
}

/** The play's losses and wins in words, each with what the stream did then or just before. */
function playTable({ play = [], incidents }: SessionAnalysis): string {
  const marked = play.filter(({ kind }) => kind !== 'other');
  if (marked.length === 0) return '';
  const rows = marked.map(({ event, kind }) => {
    const shared = incidents.filter((one) => one.kind !== 'bitrate' && one.kind !== 'resolution');
    const near = shared.find(({ t, end }) => t <= event.t && event.t <= end + 2);
    const says = near
      ? `${describe(near)}, ${event.t <= near.end ? 'meanwhile' : `${(event.t - near.end).toFixed(1)} s before`}`
      : '';
    return `<tr><td>${formatClock(event.t)}</td><td class="text ${kind === 'loss' ? 'bad' : 'good'}">${escapeAttribute(event.text)}</td><td class="text">${escapeAttribute(says)}</td></tr>`;
  });
  return `<h2>Losses and wins</h2><table><tr><th>at</th><th class="text">what</th><th class="text">the stream then</th></tr>${rows.join('')}</table>`;
}

/** The points with a delay, and one without after `gap` seconds without any, so that the line breaks. */
function held(points: readonly TimelinePoint[], name: string, gap: number): TimelinePoint[] {
  let last = Number.NEGATIVE_INFINITY;
  return points.flatMap((point) => {
    if (!point.raw[name]) return [];
    const breaks = point.t - last > gap && last > Number.NEGATIVE_INFINITY;
    last = point.end;
    return breaks ? [{ ...point, raw: {} }, point] : [point];
  });
}

function svg(frame: Frame, content: string, label: string): string {
  const cursor = `<line class="cursor" y1="${frame.top}" y2="${frame.height - frame.bottom}"/>`;
  return `<svg viewBox="0 0 ${frame.width} ${frame.height}" role="img" aria-label="${escapeAttribute(label)}">${content}${cursor}</svg>`;
}

function components(scored: ScoredInput): string {
  const rows = Object.entries(scored.quality.components).map(([name, one]) => {
    const titles = ['mean ms', 'std ms', 'max ms'];
    const cells = [one.mean, one.std, one.max].map(
      (value, i) => `<td data-label="${titles[i]}">${value.toFixed(1)}</td>`,
    );
    return `<tr><td>${escapeAttribute(componentTitles[name] ?? name)}</td>${cells.join('')}<td data-label="measured">${one.measured}</td><td data-label="score" class="${grade(one.score)}">${one.score.toFixed(1)}</td><td data-label="from" class="text">${escapeAttribute(scored.derived[name] ?? '')}</td></tr>`;
  });
  if (rows.length === 0) return '';
  return `<h2>Components</h2><table class="flow"><tr><th>value</th><th>mean ms</th><th>std ms</th><th>max ms</th><th>measured</th><th>score</th><th class="text">from</th></tr>${rows.join('')}</table>`;
}

function worstMinutes(worst: readonly MinuteStatistics[]): string {
  if (worst.length < 2) return '';
  const rows = worst.map(
    ({ minute, cws, base, longest }) =>
      `<tr><td>${formatClock(minute * 60, 0)}</td><td class="${grade(cws)}">${cws.toFixed(1)}</td><td>${base.toFixed(1)}</td><td>${longest.toFixed(0)}</td></tr>`,
  );
  return `<h2>Worst minutes</h2><table><tr><th>from</th><th>combined weighted score</th><th>base</th><th>longest without a new picture, ms</th></tr>${rows.join('')}</table>`;
}

function notes(scored: ScoredInput): string {
  const missing = Object.entries(scored.missing).map(
    ([name, why]) => `<li>no ${escapeAttribute(componentTitles[name] ?? name)}: ${escapeAttribute(why)}</li>`,
  );
  const issues = scored.issues.map(
    ({ message, hint }) => `<li>${escapeAttribute(message)}${hint ? ` — ${escapeAttribute(hint)}` : ''}</li>`,
  );
  const lists = [
    missing.length > 0 ? `<h2>Not in the file</h2><ul>${missing.join('')}</ul>` : '',
    issues.length > 0 ? `<h2>Warnings</h2><ul>${issues.join('')}</ul>` : '',
  ];
  return lists.join('\n');
}

function tenths(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 10) / 10;
}

/** Script: a cursor line across all charts, with the values at the pointer as text. */
function script(points: readonly TimelinePoint[]): string {
  const data = points.map((point) => [
    tenths(point.t),
    tenths(point.end),
    tenths(point.cws),
    tenths(point.cwsMin),
    Object.entries(point.raw)
      .map(([name, { max }]) => `${componentTitles[name] ?? name} ${max.toFixed(0)} ms`)
      .join(' · '),
  ]);
  return `const data=${JSON.stringify(data).replaceAll('<', '\\u003c')};
const charts=document.getElementById('charts'),read=document.getElementById('read');
const duration=data.at(-1)[1],left=${margins.left},right=${width - margins.right};
charts.addEventListener('pointermove',(e)=>{const svg=e.target.closest('svg');if(!svg)return;
const box=svg.getBoundingClientRect(),x=(e.clientX-box.left)/box.width*${width},t=(x-left)/(right-left)*duration;
const p=data.findLast((p)=>p[0]<=t);if(!p||t<0||x>right)return;
for(const line of charts.querySelectorAll('.cursor')){line.setAttribute('x1',x);line.setAttribute('x2',x);line.style.visibility='visible';}
const m=Math.floor(t/60),s=(t-60*m).toFixed(1).padStart(4,'0');
read.textContent=m+':'+s+'  quality '+(p[2]??'–')+' (least '+(p[3]??'–')+')'+(p[4]?' · '+p[4]:'');});
charts.addEventListener('pointerleave',()=>{for(const line of charts.querySelectorAll('.cursor'))line.style.visibility='hidden';read.textContent='\\u00a0';});`;
}
