import { basename } from 'node:path';
import { PlaybyplayError } from '../../errors.ts';
import type { FrameRecord } from '../frame.ts';
import { Notes, inMemory, type ReadOptions, type SessionInput } from './session.ts';
import { readPresentMon } from './presentmon.ts';
import { asObject, readJson } from './text.ts';

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

const series = [
  'TimeInSeconds',
  'MsBetweenPresents',
  'MsUntilDisplayed',
  'MsBetweenDisplayChange',
  'Dropped',
  'PcLatency',
] as const;
type Series = Partial<Record<(typeof series)[number], readonly unknown[]>>;

/** Reads a CapFrameX JSON file: one session per run. */
export async function readCapFrameXJson(path: string, options: ReadOptions = {}): Promise<SessionInput[]> {
  const json = await readJson(path, 'The capture may be incomplete; export it again.', options.signal);
  const runs = asObject(json)['Runs'];
  if (!Array.isArray(runs) || runs.length === 0) {
    throw new PlaybyplayError('no-runs', `${path} has no runs`, { hint: 'A CapFrameX file contains "Runs".' });
  }
  const info = asObject(json)['Info'];
  const name = text(asObject(info)['GameName']) ?? text(asObject(info)['ProcessName']) ?? basename(path);
  const sessions = runs.map((run, i) =>
    readRun(asObject(run)['CaptureData'], runs.length > 1 ? `${name} run ${i + 1}` : name, `${path}#/Runs/${i}`),
  );
  const resolution = /(\d{3,5})\s*[x×]\s*(\d{3,5})/.exec(text(asObject(info)['ResolutionInfo']) ?? '');
  if (!resolution) return sessions;
  return sessions.map((session) => ({ ...session, width: Number(resolution[1]), height: Number(resolution[2]) }));
}

function readRun(data: unknown, name: string, path: string): SessionInput {
  const notes = new Notes();
  const columns: Series = {};
  for (const key of series) {
    const values = asObject(data)[key];
    if (Array.isArray(values)) columns[key] = values;
    else if (values !== undefined && values !== null) notes.add('not-a-list', `ignored ${key}: it is not a list`, path);
  }
  const between = columns.MsBetweenPresents;
  if (!between || between.length === 0) {
    throw new PlaybyplayError('no-frames', `${path} has no MsBetweenPresents`, { issues: notes.issues });
  }
  for (const [key, values] of Object.entries(columns)) {
    if (values.length !== between.length) {
      notes.add('lengths-differ', `${key} has ${values.length} values for ${between.length} frames`, path);
    }
  }
  const records = toRecords(columns, between, notes, path);
  notes.count('frames', records.length);
  const shown = records.some((record) => record.presented !== undefined);
  const latency = records.some((record) => record.stackLatency !== undefined);
  return {
    format: 'capframex',
    name,
    notes,
    derived: {
      captureDelta: 'MsBetweenPresents',
      ...(shown && { presentDelta: 'MsBetweenDisplayChange' }),
      ...(latency && { stackLatency: 'PcLatency' }),
    },
    missing: {
      ...(!shown && { presentDelta: 'no frame has a display time' }),
      ...(!latency && { stackLatency: 'no frame has an input' }),
      roundTripDelay: 'the session was not streamed',
      picture: 'the file has no bitrate',
    },
    records: () => inMemory(records),
  };
}

function toRecords(columns: Series, between: readonly unknown[], notes: Notes, path: string): FrameRecord[] {
  const number = (key: (typeof series)[number], i: number): number | undefined => {
    const value = columns[key]?.[i];
    if (value === undefined || value === null || value === 'NaN') return undefined;
    if (typeof value === 'number' && Number.isFinite(value)) return value > 0 ? value : undefined;
    notes.count('badValues');
    notes.add('not-a-number', `${key} has a value that is not a number; treated as missing`, `${path}/${key}/${i}`);
    return undefined;
  };
  const records: FrameRecord[] = [];
  let clock = 0;
  for (let frame = 0; frame < between.length; frame++) {
    const delta = number('MsBetweenPresents', frame);
    clock += frame === 0 ? 0 : (delta ?? 0);
    const time = columns.TimeInSeconds?.[frame];
    const captured = typeof time === 'number' && Number.isFinite(time) ? time * 1000 : clock;
    const drop = columns.Dropped?.[frame];
    const dropped = drop === true || drop === 1;
    if (dropped) notes.count('dropped');
    const untilShown = dropped ? undefined : number('MsUntilDisplayed', frame);
    records.push({
      frame,
      captured,
      captureDelta: frame === 0 ? undefined : delta,
      presented: untilShown === undefined ? undefined : captured + untilShown,
      presentDelta: frame === 0 || dropped ? undefined : number('MsBetweenDisplayChange', frame),
      stackLatency: dropped ? undefined : number('PcLatency', frame),
    });
  }
  return records;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
