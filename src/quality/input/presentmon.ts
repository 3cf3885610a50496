import { basename } from 'node:path';
import { PlaybyplayError } from '../../errors.ts';
import type { FrameRecord } from '../frame.ts';
import { upperMedian } from '../../statistics.ts';
import { detectDialect, noteMisspelledColumns, readRows, type Row, splitRow } from './csv.ts';
import { Notes, inMemory, type ReadOptions, type SessionInput } from './session.ts';

/** The three families of column names: 1.x, 2.0 to 2.3.0, and 2.3.1 or later. CapFrameX and OCAT write the first. */
export type PresentMonVersion = 1 | 2 | 2.3;

const perProcess = ['application', 'processid', 'swapchainaddress'];

/** Detects the family of a header line; undefined if it is not PresentMon's. */
export function presentMonVersion(line: string): PresentMonVersion | undefined {
  const columns = splitRow(line.replace(/^\uFEFF/, ''), detectDialect(line).delimiter);
  const names = new Set(columns.map((name) => name.trim().toLowerCase()));
  if (names.has('frametime') && (names.has('cpubusy') || [...names].some((name) => name.startsWith('cpustart'))))
    return 2;
  if (!names.has('msbetweenpresents')) return undefined;
  const later = ['msbetweensimulationstart', 'msrenderpresentlatency', 'msbetweenappstart', 'presentruntime'];
  return later.some((name) => names.has(name)) ? 2.3 : 1;
}

/** Columns with the time of a frame, in all versions and options. */
const timeColumns = [
  'TimeInSeconds',
  'TimeInMs',
  'TimeInQPC',
  'TimeInDateTime',
  'QPCTime',
  'CPUStartTime',
  'CPUStartTimeInMs',
  'CPUStartTimeInSeconds',
  'CPUStartQPC',
  'CPUStartQPCTime',
  'CPUStartQPCTimeInMs',
  'CPUStartDateTime',
];

const valueColumns = [
  'Dropped',
  'FrameTime',
  'MsBetweenPresents',
  'MsUntilDisplayed',
  'MsBetweenDisplayChange',
  'MsSinceInput',
  'DisplayLatency',
  'DisplayedTime',
  'MsPCLatency',
  'MsAllInputToPhotonLatency',
  'MsClickToPhotonLatency',
  'AllInputToPhotonLatency',
  'ClickToPhotonLatency',
];

/** Columns that are known and irrelevant to the metric. */
const otherColumns = [
  ...'Application ProcessID SwapChainAddress Runtime PresentRuntime SyncInterval PresentFlags'.split(' '),
  ...'AllowsTearing PresentMode FrameType HybridPresent VidPnSourceId LayerIndex PresentId'.split(' '),
  ...'MsInPresentAPI MsUntilRenderComplete MsUntilRenderStart MsGPUActive MsGPUVideoActive'.split(' '),
  ...'MsBetweenSimulationStart MsRenderPresentLatency MsBetweenAppStart MsDisplayTime MsFlipDelay'.split(' '),
  ...'CPUBusy CPUWait GPULatency GPUTime GPUBusy GPUWait VideoBusy InstrumentedLatency'.split(' '),
  ...'MsCPUBusy MsCPUWait MsGPULatency MsGPUTime MsGPUBusy MsGPUWait MsVideoBusy'.split(' '),
  ...'AnimationError MsAnimationError AnimationTime MsInstrumentedLatency DisplayTimeAbs FrameId'.split(' '),
];

/** One frame of one process, in ms as given by the columns. */
interface Present {
  /** In the unit of the time column. */
  readonly time: number | undefined;
  /** Since the frame before. */
  readonly between: number | undefined;
  /** To the next frame (2.0: FrameTime); stands in the row of the earlier frame. */
  readonly toNext: number | undefined;
  /** From `time` to the screen; undefined where the frame was not shown. */
  readonly untilShown: number | undefined;
  readonly betweenShown: number | undefined;
  /** From the earliest input to the screen. */
  readonly latency: number | undefined;
}

interface Chain {
  readonly name: string;
  readonly presents: Present[];
  dropped: number;
}

/**
 * A PresentMon table: frame times become capture deltas, display times present deltas, input latencies stack latency.
 * Of several processes or swap chains the one with most frames is taken, or the one that `process` names.
 */
export async function readPresentMon(
  path: string,
  options: ReadOptions & { readonly comments?: (line: string) => void } = {},
): Promise<SessionInput> {
  const notes = new Notes();
  const chains = new Map<string, Chain>();
  let columns: readonly string[] = [];
  let version: PresentMonVersion = 1;
  let time: string | undefined;
  for await (const batch of readRows(path, {
    isHeader: (line) => presentMonVersion(line) !== undefined,
    notes,
    onOther: options.comments ?? (() => undefined),
    signal: options.signal,
  })) {
    if (columns.length === 0) {
      columns = batch.columns;
      version = presentMonVersion(columns.join(','))!;
      const names = new Set(columns.map((name) => name.toLowerCase()));
      time = timeColumns.find((name) => names.has(name.toLowerCase()));
      noteMisspelledColumns(columns, [...timeColumns, ...valueColumns, ...otherColumns], path, notes);
    }
    for (const row of batch.rows) addRow(chains, row, version, time);
  }
  const chain = chooseChain([...chains.values()], options.process, path, notes);
  const has = (name: string): boolean => columns.some((column) => column.toLowerCase() === name.toLowerCase());
  const records = toRecords(chain, notes);
  notes.count('frames', records.length);
  notes.count('dropped', chain.dropped);
  return {
    format: 'presentmon',
    name: chain.name || basename(path),
    notes,
    ...describeColumns(version, has, chain.presents),
    records: () => inMemory(records),
  };
}

function addRow(chains: Map<string, Chain>, row: Row, version: PresentMonVersion, time: string | undefined): void {
  const name = row.text('Application') ?? '';
  const key = perProcess.map((column) => row.text(column) ?? '').join('\n');
  let chain = chains.get(key);
  if (!chain) {
    chain = { name, presents: [], dropped: 0 };
    chains.set(key, chain);
  }
  const dropped = row.text('Dropped');
  const wasDropped = dropped !== undefined && /^(?:1|true)$/i.test(dropped);
  const shownColumn = version === 2 ? 'DisplayLatency' : 'MsUntilDisplayed';
  const untilShown = wasDropped ? undefined : positive(row.number(shownColumn));
  // 2.0 writes `NA` in DisplayedTime for a frame that was not shown, in some releases with a latency next to it.
  const shown = version === 2 && row.text('DisplayedTime')?.toUpperCase() === 'NA' ? undefined : untilShown;
  const sinceInput = positive(row.number('MsSinceInput'));
  const latency =
    positive(row.number('MsAllInputToPhotonLatency')) ??
    positive(row.number('AllInputToPhotonLatency')) ??
    positive(row.number('MsClickToPhotonLatency')) ??
    positive(row.number('ClickToPhotonLatency')) ??
    positive(row.number('MsPCLatency')) ??
    (sinceInput !== undefined && shown !== undefined ? sinceInput + shown : undefined);
  if (shown === undefined) chain.dropped++;
  chain.presents.push({
    time: time === undefined ? undefined : parseRowTime(row, time),
    between: version === 2 ? undefined : positive(row.number('MsBetweenPresents')),
    toNext: version === 2 ? positive(row.number('FrameTime')) : undefined,
    untilShown: shown,
    betweenShown: shown === undefined ? undefined : positive(row.number('MsBetweenDisplayChange')),
    latency: shown === undefined ? undefined : latency,
  });
}

/** PresentMon writes 0 (1.x) or `NA` (2.x) for unknown values. */
function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

function parseRowTime(row: Row, column: string): number | undefined {
  if (!column.endsWith('DateTime')) return row.number(column);
  const parts = /^(\d+)-(\d+)-(\d+)[ T](\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(row.text(column) ?? '');
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number);
  return Date.UTC(year!, month! - 1, day, hour, minute) + second! * 1000;
}

/** Rank of a swap chain: its frames, with the desktop compositor far behind. */
function chainWeight(chain: Chain): number {
  return chain.presents.length * (/^dwm(?:\.exe)?$/i.test(chain.name) ? 0.1 : 1);
}

function chooseChain(chains: readonly Chain[], wanted: string | undefined, path: string, notes: Notes): Chain {
  const ordered = chains.toSorted((a, b) => chainWeight(b) - chainWeight(a));
  const matching = wanted ? ordered.filter((one) => one.name.toLowerCase().includes(wanted.toLowerCase())) : ordered;
  const names = [...new Set(ordered.map((one) => one.name))].join(', ');
  if (ordered.length === 0) {
    throw new PlaybyplayError('no-frames', `${path} has a header but no valid frames`, {
      issues: notes.issues,
    });
  }
  if (matching.length === 0) {
    throw new PlaybyplayError('no-process', `${path} has no process "${wanted}"`, { hint: `it has ${names}` });
  }
  for (const other of ordered) {
    if (other === matching[0]) continue;
    notes.count('otherProcesses');
    notes.add(
      'other-process',
      `frames of ${other.name || 'another swap chain'} left out: ${other.presents.length}`,
      path,
      'Select it with --process.',
    );
  }
  return matching[0]!;
}

function toRecords(chain: Chain, notes: Notes): FrameRecord[] {
  const { presents } = chain;
  const scale = timeScale(presents);
  if (scale === undefined) notes.add('no-clock', 'the table has no usable clock; times are sums of the frame times');
  const records: FrameRecord[] = [];
  let clock = 0;
  let previous: Present | undefined;
  for (const [frame, present] of presents.entries()) {
    const delta = frame === 0 ? undefined : (present.between ?? previous?.toNext);
    clock += delta ?? 0;
    const captured = scale !== undefined && present.time !== undefined ? present.time * scale : clock;
    const presented = present.untilShown === undefined ? undefined : captured + present.untilShown;
    records.push({
      frame,
      captured,
      captureDelta: delta,
      presented,
      presentDelta: frame === 0 ? undefined : present.betweenShown,
      inputs: presented !== undefined && present.latency !== undefined ? [presented - present.latency] : undefined,
    });
    previous = present;
  }
  return records;
}

/**
 * ms per unit of the time column (seconds, ms, or ticks), from the frame times. The median ratio is robust against
 * gaps.
 */
function timeScale(presents: readonly Present[]): number | undefined {
  const ratios: number[] = [];
  for (let i = 1; i < presents.length; i++) {
    const now = presents[i]!;
    const before = presents[i - 1]!;
    const delta = now.between ?? before.toNext;
    if (delta === undefined || now.time === undefined || before.time === undefined) continue;
    if (now.time > before.time) ratios.push(delta / (now.time - before.time));
  }
  const ratio = upperMedian(ratios);
  if (ratio === undefined) return undefined;
  return [1, 1000, 1e-4, 1 / 3_579.545].find((unit) => Math.abs(ratio / unit - 1) < 0.03) ?? ratio;
}

/** Describes which components the columns provide. */
function describeColumns(
  version: PresentMonVersion,
  has: (column: string) => boolean,
  presents: readonly Present[],
): Pick<SessionInput, 'derived' | 'missing'> {
  const derived: Record<string, string> = {
    captureDelta: version === 2 ? 'FrameTime of the frame before' : 'MsBetweenPresents',
  };
  const missing: Record<string, string> = {
    roundTripDelay: 'the session was not streamed',
    picture: 'the table has no bitrate',
  };
  if (presents.some((present) => present.untilShown !== undefined)) {
    derived['presentDelta'] =
      version === 2 ? 'time of display (CPU start + DisplayLatency), differences' : 'MsBetweenDisplayChange';
  } else {
    missing['presentDelta'] = 'no frame has a display time';
  }
  if (presents.some((present) => present.latency !== undefined)) {
    derived['stackLatency'] = has('MsSinceInput') ? 'msSinceInput + msUntilDisplayed' : 'input to photon latency';
  } else {
    missing['stackLatency'] = 'no frame has an input';
  }
  return { derived, missing };
}
