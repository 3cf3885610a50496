import { basename } from 'node:path';
import { PlaybyplayError } from '../../errors.ts';
import { upperMedian } from '../../statistics.ts';
import type { FrameRecord } from '../frame.ts';
import { detectDialect, readRows, splitRow } from './csv.ts';
import { Notes, inMemory, type ReadOptions, type SessionInput } from './session.ts';

/** Whether a line is the header of a MangoHud log's frames (it follows a row of system names and values). */
export function isMangoHudHeader(line: string): boolean {
  const names = splitRow(line, detectDialect(line).delimiter).map((name) => name.trim().toLowerCase());
  return (
    names.includes('fps') &&
    names.includes('frametime') &&
    !names.includes('msbetweenpresents') &&
    !names.includes('cpubusy')
  );
}

/**
 * Reads a MangoHud log: frame times in ms (µs before release 0.6.3) become capture deltas. Logs taken at an interval
 * contain one frame of many; then each row counts as a frame and a warning is added.
 */
export async function readMangoHud(path: string, options: ReadOptions = {}): Promise<SessionInput> {
  const notes = new Notes();
  const rows: { frametime: number | undefined; fps: number | undefined; elapsed: number | undefined }[] = [];
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
    for (const row of batch.rows) {
      rows.push({ frametime: row.number('frametime'), fps: row.number('fps'), elapsed: row.number('elapsed') });
    }
  }
  const unit = frametimeUnit(rows);
  const records: FrameRecord[] = [];
  let clock = 0;
  for (const row of rows) {
    const delta = row.frametime === undefined || row.frametime <= 0 ? undefined : row.frametime * unit;
    clock += delta ?? 0;
    const captured = row.elapsed === undefined ? clock : row.elapsed / 1e6;
    records.push({ frame: records.length, captured, captureDelta: records.length === 0 ? undefined : delta });
  }
  if (records.length === 0) {
    throw new PlaybyplayError('no-frames', `${path} has a header but no valid frames`, {
      issues: notes.issues,
    });
  }
  if (unit !== 1) notes.add('microseconds', 'converted frame times from µs (an old release)', path);
  noteCoarse(records, notes, path);
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

/** 1 for ms, 0.001 for µs: frametime · fps is 1000 in ms, a million in µs. */
function frametimeUnit(rows: readonly { frametime: number | undefined; fps: number | undefined }[]): number {
  const products = rows
    .filter((row) => row.frametime !== undefined && row.fps !== undefined && row.fps > 0)
    .map((row) => row.frametime! * row.fps!);
  return (upperMedian(products) ?? 0) > 30_000 ? 0.001 : 1;
}

function noteCoarse(records: readonly FrameRecord[], notes: Notes, path: string): void {
  const steps = records.slice(1).map((record, i) => record.captured! - records[i]!.captured!);
  const deltas = records.slice(1).map((record) => record.captureDelta ?? 0);
  const step = sum(steps);
  const shown = sum(deltas);
  if (shown > 0 && step > 2 * shown) {
    const seen = ((100 * shown) / step).toFixed(0);
    notes.add(
      'sampled-log',
      `the log was sampled at an interval: its frames cover ${seen} % of the time, and stutters in between are missing`,
      path,
      'Set log_interval=0 to log every frame.',
    );
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
