import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtinFolder, loadBuiltin } from '../dictionary/files.ts';
import { PlaybyplayError } from '../errors.ts';
import type { EventLine, GapLine, HeaderLine } from '../events/log.ts';
import { loadLog } from '../events/reader.ts';
import { LogWriter } from '../events/writer.ts';
import type { Happening } from './happenings.ts';
import { eventsOf, type PlayOptions, type PlayReport, playReport } from './play.ts';

/** The game's log with the stream's happenings in it, and what the one says about the other. */
export interface MergedLog {
  readonly header: HeaderLine;
  readonly events: readonly EventLine[];
  readonly report: PlayReport;
}

/**
 * Brings the happenings of a stream and the events of a game's log on one time line and writes both as one log to
 * `out`, which may be the game's log itself: happenings that an earlier run wrote there are replaced.
 */
export async function mergeIntoLog(
  log: string,
  happenings: readonly Happening[],
  out: string,
  options: PlayOptions & { readonly offset?: number; readonly signal?: AbortSignal } = {},
): Promise<MergedLog> {
  const { header, events, lines } = await loadLog(log, options.signal ? { signal: options.signal } : {});
  const { dictionary, issues } = await loadBuiltin();
  if (issues.length > 0) {
    throw new PlaybyplayError('dictionary-damaged', 'the dictionaries have mistakes', { issues });
  }
  const merged: HeaderLine = {
    ...header,
    dictionaries: [...header.dictionaries.filter(({ name }) => name !== 'stream'), streamFingerprint()],
  };
  const end = lines.find((line) => line.type === 'end');
  const writer = await LogWriter.create(out, merged);
  await using _ = writer;
  for (const event of events) if (!event.cues.some((cue) => cue.detector === 'stream')) writer.add(event);
  for (const line of lines) if (line.type === 'gap') addGap(writer, line);
  for (const event of eventsOf(happenings, dictionary, options.offset)) writer.add(event);
  const written = await writer.settle(Number.POSITIVE_INFINITY);
  await writer.end(end?.samples ?? 0, end?.problems);
  return { header: merged, events: written, report: playReport(written, header.media.duration, dictionary, options) };
}

function addGap(writer: LogWriter, gap: GapLine): void {
  writer.gap(gap.t, gap.end, gap.reason);
}

function streamFingerprint(): HeaderLine['dictionaries'][number] {
  const text = readFileSync(join(builtinFolder, 'stream.json'), 'utf8');
  const { name, version } = JSON.parse(text) as { name: string; version: string };
  return { name, version, hash: createHash('sha256').update(text).digest('hex').slice(0, 16) };
}
