import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { escapeAttribute } from '../../markup.ts';
import type { RawFrame } from '../frame.ts';

/** When the frames of a session were shown, and how long each took. */
export interface FrameTimes {
  /** Seconds, ascending. */
  readonly t: readonly number[];
  /** Milliseconds since the frame before. */
  readonly ms: readonly number[];
}

/** What is usually asked of a run of frames: FPS and frame times in ms. */
export interface FrameTimeFigures {
  /** Frames per second on average. */
  readonly average: number;
  /** FPS of the slowest 1 % of the frames: the inverse of their mean frame time. */
  readonly low1: number;
  /** The same of the slowest 0.1 %, at least one frame. */
  readonly low01: number;
  /** Frame times that 50, 95, 99 and 99.9 % of the frames do not exceed (nearest rank). */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly longest: number;
}

/** Frames that are kept of a session: nine hours at 60 Hz. */
const MAX_FRAMES = 2_000_000;
/** Frames that a page shows. Of more, the slowest of neighbours is shown. */
const MAX_SHOWN_FRAMES = 100_000;
/** Runs that a page lays over each other. */
const MAX_SHOWN_RUNS = 8;

/** Records the frame times of a session: those of presentation or, where there are none, of capture. */
export class FrameTimeRecorder {
  readonly #present: { t: number[]; ms: number[] } = { t: [], ms: [] };
  readonly #capture: { t: number[]; ms: number[] } = { t: [], ms: [] };

  add({ t, presentDelta, captureDelta }: Pick<RawFrame, 't' | 'presentDelta' | 'captureDelta'>): void {
    for (const [into, ms] of [[this.#present, presentDelta] as const, [this.#capture, captureDelta] as const]) {
      if (ms === undefined || !(ms > 0) || into.t.length >= MAX_FRAMES) continue;
      into.t.push(t);
      into.ms.push(ms);
    }
  }

  /** The frames so far; undefined if there are none. */
  frames(): FrameTimes | undefined {
    if (this.#present.t.length > 0) return this.#present;
    return this.#capture.t.length > 0 ? this.#capture : undefined;
  }
}

/**
 * Computes average, lows and percentiles of frame times.
 *
 * @param ms Frame times in milliseconds, at least one.
 * @example
 * // 99 frames of 10 ms and one of 50: the slowest 1 % is that one.
 * frameTimeFigures([...Array.from({ length: 99 }, () => 10), 50]).low1; // 20
 */
export function frameTimeFigures(ms: readonly number[]): FrameTimeFigures {
  const sorted = Float64Array.from(ms).toSorted();
  const percentile = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length - 1e-9) - 1)]!;
  const low = (share: number): number => {
    const slowest = sorted.subarray(sorted.length - Math.max(1, Math.ceil(share * sorted.length - 1e-9)));
    return (1000 * slowest.length) / slowest.reduce((sum, one) => sum + one, 0);
  };
  return {
    average: low(1),
    low1: low(0.01),
    low01: low(0.001),
    p50: percentile(0.5),
    p95: percentile(0.95),
    p99: percentile(0.99),
    p999: percentile(0.999),
    longest: sorted.at(-1)!,
  };
}

/** Frame times of a run with its name. */
export interface NamedRun {
  readonly name: string;
  readonly frames: FrameTimes;
}

/** A section of a report page: what goes into its body, its script and its styles. */
export interface ReportSection {
  readonly body: string;
  readonly script: string;
  readonly style: string;
}

/**
 * Renders the frame times of runs: figures, a line to zoom into, and a histogram. Several runs lie over each other.
 *
 * @returns Undefined if no run has frame times.
 */
export function frameTimeSection(runs: readonly NamedRun[]): ReportSection | undefined {
  if (runs.length === 0) return undefined;
  const shown = runs.slice(0, MAX_SHOWN_RUNS);
  const rows = runs.map(({ name, frames }) => {
    const { average, low1, low01, p50, p95, p99, p999, longest } = frameTimeFigures(frames.ms);
    const cells = [average, low1, low01, p50, p95, p99, p999, longest].map(
      (value, i) => `<td data-label="${COLUMNS[i]}">${value.toFixed(1)}</td>`,
    );
    return `<tr><td>${escapeAttribute(name)}</td>${cells.join('')}</tr>`;
  });
  const notes = [
    'A low is the frame rate of the slowest 1 % or 0.1 % of the frames together; P99 is the frame time that 99 % do not exceed.',
    'Drag over the line to zoom, or over the strip below it; a double click shows everything again.',
    ...(shown.length < runs.length ? [`The charts show the first ${MAX_SHOWN_RUNS} of ${runs.length} sessions.`] : []),
    ...(shown.some(({ frames }) => frames.t.length > MAX_SHOWN_FRAMES)
      ? ['Of long sessions, the charts show the slowest of neighbouring frames.']
      : []),
  ];
  const body = `<h2>Frame times</h2>
<table class="flow"><tr><th>session</th>${COLUMNS.map((name) => `<th>${name}</th>`).join('')}</tr>${rows.join('')}</table>
<p class="legend">${notes.join(' ')}</p>
<div class="plot" id="frame-times"></div><div class="plot" id="frame-overview"></div>
<h2>Distribution of frame times</h2>
<div class="plot" id="frame-histogram"></div>`;
  return { body, script: `${library('uPlot.iife.min.js')}\n${chartScript(shown)}`, style: library('uPlot.min.css') };
}

const COLUMNS = [
  'average FPS',
  '1 % low FPS',
  '0.1 % low FPS',
  'median ms',
  'P95 ms',
  'P99 ms',
  'P99.9 ms',
  'longest ms',
] as const;

/** A file of the chart library, whose license asks for its notice; addresses in it are no links of the page. */
function library(name: string): string {
  const text = readFileSync(createRequire(import.meta.url).resolve(`uplot/dist/${name}`), 'utf8');
  return text.replaceAll(/https?:\/\//g, '').trim();
}

/** The slowest of neighbouring frames, so that at most `limit` remain. */
function thin({ t, ms }: FrameTimes, limit: number): FrameTimes {
  const step = Math.ceil(t.length / limit);
  if (step <= 1) return { t, ms };
  const kept = Array.from({ length: Math.ceil(t.length / step) }, (_, i) => {
    let slowest = i * step;
    for (let at = slowest; at < Math.min(t.length, (i + 1) * step); at++) if (ms[at]! > ms[slowest]!) slowest = at;
    return slowest;
  });
  return { t: kept.map((at) => t[at]!), ms: kept.map((at) => ms[at]!) };
}

/** Bins of a histogram. */
const BINS = 60;

/**
 * Counts frame times in bins of equal width, on common edges for all runs. The last bin holds everything beyond.
 *
 * @returns Lower edges in ms, and per run the share of its frames in each bin, in percent.
 */
export function frameTimeHistogram(runs: readonly (readonly number[])[]): {
  readonly edges: readonly number[];
  readonly shares: readonly (readonly number[])[];
} {
  const end = Math.max(...runs.map((ms) => 1.25 * frameTimeFigures(ms).p99));
  const width = end / BINS;
  const shares = runs.map((ms) => {
    const counts = Array.from({ length: BINS }, () => 0);
    for (const one of ms) counts[Math.min(BINS - 1, Math.floor(one / width))]!++;
    return counts.map((count) => (100 * count) / ms.length);
  });
  return { edges: Array.from({ length: BINS }, (_, i) => i * width), shares };
}

function round(values: readonly number[], unit: number): number[] {
  return values.map((value) => Math.round(value * unit) / unit);
}

function chartScript(runs: readonly NamedRun[]): string {
  const histogram = frameTimeHistogram(runs.map(({ frames }) => frames.ms));
  const data = {
    runs: runs.map(({ name, frames }) => {
      const { t, ms } = thin(frames, MAX_SHOWN_FRAMES);
      return { name, t: round(t, 1000), ms: round(ms, 100) };
    }),
    edges: round(histogram.edges, 100),
    shares: histogram.shares.map((one) => round(one, 1000)),
  };
  return `(()=>{const data=${JSON.stringify(data).replaceAll('<', '\\u003c')};
const byId=(id)=>document.getElementById(id);
const css=(name)=>getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colors=['--blue','--other','--good','--fair','--bad'];
const color=(i)=>()=>css(colors[i%colors.length]);
const dash=(i)=>i<colors.length?[]:[6,4];
const axis=(more)=>({stroke:()=>css('--soft'),grid:{stroke:()=>css('--line'),width:1},ticks:{show:false},font:'12px system-ui, sans-serif',...more});
const clock=(t)=>{if(t===null||t===undefined)return '–';const m=Math.floor(t/60);return m+':'+(t-60*m).toFixed(1).padStart(4,'0');};
const unit=(text)=>(_,values)=>values.map((value)=>value===null?'':value+text);
const line=(run,i)=>({label:run.name,stroke:color(i),width:1,dash:dash(i),spanGaps:true,points:{show:false},value:(_,v)=>v===null||v===undefined?'–':v.toFixed(1)+' ms'});
const lines=data.runs.length===1?[data.runs[0].t,data.runs[0].ms]:uPlot.join(data.runs.map((run)=>[run.t,run.ms]));
const plots=[];
const plot=(id,height,options,values)=>{const place=byId(id);const made=new uPlot({width:place.clientWidth,height,...options},values,place);plots.push([made,place,height]);return made;};
let overview;
const mark=(main)=>{if(!overview)return;const {min,max}=main.scales.x;const left=overview.valToPos(min,'x'),right=overview.valToPos(max,'x');
overview.setSelect({left,top:0,width:right-left,height:overview.over.clientHeight},false);};
const main=plot('frame-times',280,{series:[{label:'at',value:(_,t)=>clock(t)},...data.runs.map(line)],
scales:{x:{time:false},y:{range:(_,low,high)=>[0,(high||1)*1.05]}},axes:[axis({values:(_,values)=>values.map(clock),space:70}),axis({values:unit(' ms'),size:64})],padding:[8,16,0,0],
cursor:{drag:{x:true,y:false}},hooks:{setScale:[(self,key)=>{if(key==='x')mark(self);}]}},lines);
overview=plot('frame-overview',56,{legend:{show:false},series:[{},...data.runs.map(line)],scales:{x:{time:false},y:{range:(_,low,high)=>[0,(high||1)*1.05]}},
axes:[axis({show:false}),axis({size:64,values:()=>[],grid:{show:false}})],padding:[0,16,0,0],cursor:{x:false,y:false,points:{show:false},drag:{setScale:false,x:true,y:false}},
hooks:{setSelect:[(self)=>{const {left,width}=self.select;if(width>2)main.setScale('x',{min:self.posToVal(left,'x'),max:self.posToVal(left+width,'x')});}],
ready:[(self)=>self.over.addEventListener('dblclick',()=>main.setData(main.data))]}},lines);
mark(main);
const single=data.runs.length===1;
plot('frame-histogram',220,{series:[{label:'frame time',value:(_,v)=>v===null||v===undefined?'–':'from '+v.toFixed(1)+' ms'},...data.runs.map((run,i)=>({label:run.name,stroke:color(i),dash:dash(i),width:single?0:1.5,
fill:single?color(i):undefined,points:{show:false},paths:single?uPlot.paths.bars({size:[0.9],align:1}):uPlot.paths.stepped({align:1}),value:(_,v)=>v===null||v===undefined?'–':v.toFixed(1)+' %'}))],
scales:{x:{time:false},y:{range:(_,low,high)=>[0,(high||1)*1.05]}},axes:[axis({values:unit(' ms'),space:60}),axis({values:unit(' %'),size:64})],cursor:{drag:{x:false,y:false}}},[data.edges,...data.shares]);
new ResizeObserver(()=>{for(const [one,place,height] of plots)if(place.clientWidth!==one.width)one.setSize({width:place.clientWidth,height});mark(main);}).observe(document.querySelector('main'));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change',()=>{for(const [one] of plots)one.redraw(false);});
})();`;
}
