import { basename } from 'node:path';
import { splitRow } from '../../csv.ts';
import { PlaybyplayError } from '../../errors.ts';
import { asObject } from '../../json.ts';
import { jsonText } from '../../schema/json-text.ts';
import { upperMedian } from '../../statistics.ts';
import type { FrameRecord } from '../frame.ts';
import { detectDialect, noteMisspelledColumns, type Row, readRows } from './csv.ts';
import { inMemory, Notes, type ReadOptions, type SessionInput } from './session.ts';
import { readJson } from './text.ts';

// Tables with a row per frame: PresentMon, CapFrameX (the same columns, as CSV or as lists in JSON) and MangoHud.

/** One frame of one process, in ms as given by the columns. */
interface Present {
  /** In the unit of the time column. */
  readonly time?: number | undefined;
  /** Since the frame before. */
  readonly between?: number | undefined;
  /** To the next frame (PresentMon 2.0: FrameTime); stands in the row of the earlier frame. */
  readonly toNext?: number | undefined;
  /** From `time` to the screen; undefined where the frame was not shown. */
  readonly untilShown?: number | undefined;
  readonly betweenShown?: number | undefined;
  /** From the earliest input to the screen. */
  readonly latency?: number | undefined;
}

/** PresentMon's families of column names: 1.x, 2.0 to 2.3.0, and 2.3.1 or later. CapFrameX and OCAT write the first. */
type PresentMonVersion = 1 | 2 | 2.3;

/** Detects the family of a header line; undefined if it is not PresentMon's. */
export function presentMonVersion(line: string): PresentMonVersion | undefined {
  const names = columnNames(line);
  if (names.has('frametime') && (names.has('cpubusy') || [...names].some((name) => name.startsWith('cpustart'))))
    return 2;
  if (!names.has('msbetweenpresents')) return undefined;
  const later = ['msbetweensimulationstart', 'msrenderpresentlatency', 'msbetweenappstart', 'presentruntime'];
  return later.some((name) => names.has(name)) ? 2.3 : 1;
}

/** Whether a line is the header of a MangoHud log's frames (it follows a row of system names and values). */
export function isMangoHudHeader(line: string): boolean {
  const names = columnNames(line);
  return names.has('fps') && names.has('frametime') && !names.has('msbetweenpresents') && !names.has('cpubusy');
}

function columnNames(line: string): ReadonlySet<string> {
  const columns = splitRow(line.replace(/^\uFEFF/, ''), detectDialect(line).delimiter);
  return new Set(columns.map((name) => name.trim().toLowerCase()));
}

/** Columns with the time of a frame, in all versions and options. */
const timeColumns = [
  ...'TimeInSeconds TimeInMs TimeInQPC TimeInDateTime QPCTime CPUStartTime CPUStartTimeInMs'.split(' '),
  ...'CPUStartTimeInSeconds CPUStartQPC CPUStartQPCTime CPUStartQPCTimeInMs CPUStartDateTime'.split(' '),
];

/** Columns with the time from input to screen, best first. */
const latencyColumns = [
  ...'MsAllInputToPhotonLatency AllInputToPhotonLatency MsClickToPhotonLatency ClickToPhotonLatency'.split(' '),
  ...'MsPCLatency PcLatency'.split(' '),
];

const valueColumns = [
  ...'Dropped FrameTime MsBetweenPresents MsUntilDisplayed MsBetweenDisplayChange MsSinceInput'.split(' '),
  ...'DisplayLatency DisplayedTime'.split(' '),
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

/** The frames of one process, or of one swap chain of it. */
interface Chain {
  readonly name: string;
  readonly presents: Present[];
  dropped: number;
}

/** The cells of a row that `readPresent` needs. */
type Cells = Pick<Row, 'number' | 'text'>;

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
      columns = batch.columns.map((name) => name.toLowerCase());
      version = presentMonVersion(columns.join(','))!;
      time = timeColumns.find((name) => columns.includes(name.toLowerCase()));
      const known = [...timeColumns, ...valueColumns, ...latencyColumns, ...otherColumns];
      noteMisspelledColumns(batch.columns, known, path, notes);
    }
    for (const row of batch.rows) {
      const key = ['application', 'processid', 'swapchainaddress'].map((column) => row.text(column) ?? '').join('\n');
      const chain = chains.get(key) ?? { name: row.text('Application') ?? '', presents: [], dropped: 0 };
      chains.set(key, chain);
      addPresent(chain, row, version, time);
    }
  }
  const chain = chooseChain([...chains.values()], options.process, path, notes);
  const name = chain.name || basename(path);
  return chainSession({ format: 'presentmon', name, notes }, chain, version, columns.includes('mssinceinput'));
}

function addPresent(chain: Chain, row: Cells, version: PresentMonVersion, time: string | undefined): void {
  const wasDropped = /^(?:1|true)$/i.test(row.text('Dropped') ?? '');
  const untilShown = positive(row.number(version === 2 ? 'DisplayLatency' : 'MsUntilDisplayed'));
  // 2.0 writes `NA` in DisplayedTime for a frame that was not shown, in some releases with a latency next to it.
  const isHidden = wasDropped || (version === 2 && row.text('DisplayedTime')?.toUpperCase() === 'NA');
  const shown = isHidden ? undefined : untilShown;
  const sinceInput = positive(row.number('MsSinceInput'));
  const latency =
    latencyColumns.map((column) => positive(row.number(column))).find((value) => value !== undefined) ??
    (sinceInput !== undefined && shown !== undefined ? sinceInput + shown : undefined);
  if (shown === undefined) chain.dropped++;
  chain.presents.push({
    time: time === undefined ? undefined : parseRowTime(row, time),
    ...(version === 2
      ? { toNext: positive(row.number('FrameTime')) }
      : { between: positive(row.number('MsBetweenPresents')) }),
    untilShown: shown,
    betweenShown: shown === undefined ? undefined : positive(row.number('MsBetweenDisplayChange')),
    latency: shown === undefined ? undefined : latency,
  });
}

/** PresentMon writes 0 (1.x) or `NA` (2.x) for unknown values. */
function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

function parseRowTime(row: Cells, column: string): number | undefined {
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
  if (ordered.length === 0) throw noFrames(path, notes);
  const chosen = wanted ? ordered.find((one) => one.name.toLowerCase().includes(wanted.toLowerCase())) : ordered[0];
  if (!chosen) {
    const names = [...new Set(ordered.map((one) => one.name))].join(', ');
    throw new PlaybyplayError('no-process', `${path} has no process "${wanted}"`, { hint: `it has ${names}` });
  }
  for (const other of ordered) {
    if (other === chosen) continue;
    notes.count('otherProcesses');
    const message = `frames of ${other.name || 'another swap chain'} left out: ${other.presents.length}`;
    notes.add('other-process', message, path, 'Select it with --process.');
  }
  return chosen;
}

function noFrames(path: string, notes: Notes): PlaybyplayError {
  return new PlaybyplayError('no-frames', `${path} has a header but no valid frames`, {
    issues: notes.issues,
    hint: 'Its rows are empty, cut off or not numbers: record again, or give another file.',
  });
}

/** The session of a chain, with what its columns provide. */
function chainSession(
  base: Pick<SessionInput, 'format' | 'name' | 'notes'>,
  chain: Chain,
  version: PresentMonVersion,
  hasSinceInput: boolean,
): SessionInput {
  const { notes } = base;
  const { presents } = chain;
  const records = toRecords(presents, notes);
  notes.count('frames', records.length);
  notes.count('dropped', chain.dropped);
  const isShown = presents.some((present) => present.untilShown !== undefined);
  const hasLatency = presents.some((present) => present.latency !== undefined);
  const shownBy =
    version === 2 ? 'time of display (CPU start + DisplayLatency), differences' : 'MsBetweenDisplayChange';
  const latencyBy = hasSinceInput ? 'msSinceInput + msUntilDisplayed' : 'input to photon latency';
  return {
    ...base,
    derived: {
      captureDelta: version === 2 ? 'FrameTime of the frame before' : 'MsBetweenPresents',
      ...(isShown && { presentDelta: shownBy }),
      ...(hasLatency && { stackLatency: latencyBy }),
    },
    missing: {
      roundTripDelay: 'the session was not streamed',
      picture: 'the table has no bitrate',
      ...(!isShown && { presentDelta: 'no frame has a display time' }),
      ...(!hasLatency && { stackLatency: 'no frame has an input' }),
    },
    records: () => inMemory(records),
  };
}

/** @param scale ms per unit of the time column; by default estimated from the frame times. */
function toRecords(presents: readonly Present[], notes: Notes, scale = timeScale(presents)): FrameRecord[] {
  if (scale === undefined) notes.add('no-clock', 'the table has no usable clock; times are sums of the frame times');
  let clock = 0;
  return presents.map(({ time, between, untilShown, betweenShown, latency }, frame): FrameRecord => {
    const delta = frame === 0 ? undefined : (between ?? presents[frame - 1]!.toNext);
    clock += delta ?? 0;
    const captured = scale !== undefined && time !== undefined ? time * scale : clock;
    const presented = untilShown === undefined ? undefined : captured + untilShown;
    return {
      frame,
      captured,
      captureDelta: delta,
      presented,
      presentDelta: frame === 0 ? undefined : betweenShown,
      inputs: presented !== undefined && latency !== undefined ? [presented - latency] : undefined,
    };
  });
}

/**
 * ms per unit of the time column (seconds, ms, or ticks), from the frame times. The median ratio is robust against
 * gaps.
 */
function timeScale(presents: readonly Present[]): number | undefined {
  const ratios = presents.slice(1).flatMap((now, i) => {
    const before = presents[i]!;
    const delta = now.between ?? before.toNext;
    if (delta === undefined || now.time === undefined || before.time === undefined) return [];
    return now.time > before.time ? [delta / (now.time - before.time)] : [];
  });
  const ratio = upperMedian(ratios);
  if (ratio === undefined) return undefined;
  return [1, 1000, 1e-4, 1 / 3_579.545].find((unit) => Math.abs(ratio / unit - 1) < 0.03) ?? ratio;
}

/** Reads a CapFrameX CSV: comment lines `//Name=value`, then a table like PresentMon's. */
export async function readCapFrameXCsv(path: string, options: ReadOptions = {}): Promise<SessionInput> {
  const info: Record<string, string> = {};
  const input = await readPresentMon(path, {
    ...options,
    comments: (line) => {
      const pair = /^(?:\uFEFF)?\/\/\s*([^=]+)=(.*)$/.exec(line);
      if (pair) info[pair[1]!.trim()] = pair[2]!.trim();
    },
  });
  const name = info['GameName'] ?? info['ProcessName'] ?? input.name;
  return { ...input, format: 'capframex', name, extra: { info } };
}

/** Reads a CapFrameX JSON file: one session per run. */
export async function readCapFrameXJson(path: string, options: ReadOptions = {}): Promise<SessionInput[]> {
  const json = asObject(await readJson(path, 'The capture may be incomplete; export it again.', options.signal));
  const runs = json['Runs'];
  if (!Array.isArray(runs) || runs.length === 0) {
    throw new PlaybyplayError('no-runs', `${path} has no runs`, { hint: 'A CapFrameX file contains "Runs".' });
  }
  const info = asObject(json['Info']);
  const name = [info['GameName'], info['ProcessName']].find((text) => typeof text === 'string' && text !== '');
  const title = jsonText(name ?? basename(path));
  const size = /(\d{3,5})\s*[x×]\s*(\d{3,5})/.exec(jsonText(info['ResolutionInfo'] ?? ''));
  return runs.map((run, i) => ({
    ...readRun(asObject(run)['CaptureData'], runs.length > 1 ? `${title} run ${i + 1}` : title, `${path}#/Runs/${i}`),
    ...(size && { width: Number(size[1]), height: Number(size[2]) }),
  }));
}

const jsonColumns = 'TimeInSeconds MsBetweenPresents MsUntilDisplayed MsBetweenDisplayChange Dropped PcLatency';

function readRun(data: unknown, name: string, path: string): SessionInput {
  const notes = new Notes();
  const columns: Record<string, readonly unknown[]> = {};
  for (const key of jsonColumns.split(' ')) {
    const values = asObject(data)[key];
    if (Array.isArray(values)) columns[key] = values;
    else if (values !== undefined && values !== null) notes.add('not-a-list', `ignored ${key}: it is not a list`, path);
  }
  const count = columns['MsBetweenPresents']?.length ?? 0;
  if (count === 0) {
    throw new PlaybyplayError('no-frames', `${path} has no MsBetweenPresents`, { issues: notes.issues });
  }
  for (const [key, { length }] of Object.entries(columns)) {
    if (length !== count) notes.add('lengths-differ', `${key} has ${length} values for ${count} frames`, path);
  }
  const chain: Chain = { name, presents: [], dropped: 0 };
  for (let i = 0; i < count; i++) {
    const text = (column: string): string => jsonText(columns[column]?.[i] ?? '');
    const number = (column: string): number | undefined => {
      const value = columns[column]?.[i];
      if (value === undefined || value === null || value === 'NaN') return undefined;
      if (typeof value === 'number' && Number.isFinite(value)) return value;
      notes.count('badValues');
      notes.add(
        'not-a-number',
        `${column} has a value that is not a number; treated as missing`,
        `${path}/${column}/${i}`,
      );
      return undefined;
    };
    addPresent(chain, { text, number }, 1, 'TimeInSeconds');
  }
  return chainSession({ format: 'capframex', name, notes }, chain, 1, false);
}

/**
 * Reads a MangoHud log: frame times in ms (µs before release 0.6.3) become capture deltas. Logs taken at an interval
 * contain one frame of many; then each row counts as a frame and a warning is added.
 */
export async function readMangoHud(path: string, options: ReadOptions = {}): Promise<SessionInput> {
  const notes = new Notes();
  const rows: { between: number | undefined; fps: number | undefined; time: number | undefined }[] = [];
  let system: string[] = [];
  let headings: string[] = [];
  for await (const batch of readRows(path, {
    isHeader: isMangoHudHeader,
    notes,
    onOther: (line) => {
      const cells = splitRow(line, ',').map((cell) => cell.trim());
      if (cells.includes('os')) headings = cells;
      else if (headings.length > 0 && cells.length >= headings.length) system = cells;
    },
    signal: options.signal,
  })) {
    for (const row of batch.rows)
      rows.push({ between: positive(row.number('frametime')), fps: row.number('fps'), time: row.number('elapsed') });
  }
  if (rows.length === 0) throw noFrames(path, notes);
  // frametime · fps is 1000 in ms, a million in µs.
  const products = rows.flatMap(({ between, fps }) => (between && fps && fps > 0 ? [between * fps] : []));
  const isMicroseconds = (upperMedian(products) ?? 0) > 30_000;
  const unit = isMicroseconds ? 0.001 : 1;
  const presents = rows.map(({ between, time }) => ({
    time,
    between: between === undefined ? between : between * unit,
  }));
  const records = toRecords(presents, notes, 1e-6);
  if (isMicroseconds) notes.add('microseconds', 'converted frame times from µs (an old release)', path);
  noteSampledLog(records, notes, path);
  notes.count('frames', records.length);
  const info = Object.fromEntries(headings.map((name, i) => [name, system[i] ?? '']));
  return {
    format: 'mangohud',
    name: basename(path),
    notes,
    derived: { captureDelta: 'frametime' },
    missing: {
      presentDelta: 'the log has no display times',
      roundTripDelay: 'the session was not streamed',
      stackLatency: 'the log has no inputs',
      picture: 'the log has no bitrate',
    },
    extra: { info },
    records: () => inMemory(records),
  };
}

function noteSampledLog(records: readonly FrameRecord[], notes: Notes, path: string): void {
  const elapsed = records.at(-1)!.captured! - records[0]!.captured!;
  const covered = records.reduce((sum, { captureDelta = 0 }) => sum + captureDelta, 0);
  if (covered <= 0 || elapsed <= 2 * covered) return;
  const share = ((100 * covered) / elapsed).toFixed(0);
  const message = `the log was sampled at an interval: its frames cover ${share} % of the time, and stutters in between are missing`;
  notes.add('sampled-log', message, path, 'Set log_interval=0 to log every frame.');
}
