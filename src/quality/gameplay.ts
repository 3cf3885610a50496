import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, loadBuiltin } from '../dictionary/files.ts';
import { render } from '../dictionary/sentences/render.ts';
import type { EventLine, GapLine, HeaderLine } from '../events/log.ts';
import { loadLog, locateLog } from '../events/reader.ts';
import { isPropertyStatement, type Slot, type Statement, wordOf } from '../events/statement.ts';
import { LogWriter, type NewEvent } from '../events/writer.ts';
import { checkOutput, type OutputPolicy, produceOutput } from '../files/output.ts';
import { isAnyOf, unqualified } from '../highlights/weights.ts';
import { deadSpans, joinSpans, type Span } from '../highlights/windows.ts';
import type { StreamIncident } from './incidents.ts';

/** Statement about an incident in words of `dictionary/stream.json`. */
function incidentStatement(incident: StreamIncident): Statement {
  const subject = 'stream:stream';
  switch (incident.kind) {
    case 'freeze':
      return { subject, action: 'stream:freeze', amount: Math.round(incident.ms), unit: 'stream:millisecond' };
    case 'stutter':
      return { subject, action: 'stream:stutter', amount: incident.frames, unit: 'stream:frame' };
    case 'lag':
      return {
        subject,
        action: 'stream:lag',
        amount: Math.round((incident.end - incident.t) * 1000),
        unit: 'stream:millisecond',
      };
    case 'bad':
      return {
        subject,
        action: 'stream:degrade',
        amount: Math.round((incident.end - incident.t) * 1000),
        unit: 'stream:millisecond',
      };
    case 'bitrate':
      return { subject, property: 'stream:bitrate', from: kilobits(incident.from), to: kilobits(incident.to) };
    case 'resolution':
      return { subject, property: 'stream:resolution', from: incident.from, to: incident.to };
  }
}

function kilobits(bits: number): number {
  return Math.round(bits / 1000);
}

/**
 * Converts incidents to log events. Incidents before the start of the recording are dropped; the end of a phase of bad
 * quality is an event of its own.
 *
 * @param offset Time of the recording, in seconds, at which the session's clock starts.
 */
export function incidentEvents(incidents: readonly StreamIncident[], dictionary: Dictionary, offset = 0): NewEvent[] {
  const events: NewEvent[] = [];
  const add = (t: number, end: number, statement: Statement, value: number | string): void => {
    if (end + offset < 0) return;
    const start = Math.max(0, t + offset);
    events.push({
      t: start,
      end: Math.max(start, end + offset),
      text: render(statement, dictionary),
      statement,
      confidence: 1,
      cues: [{ detector: 'stream', t: start, trigger: 'found', value, confidence: 1 }],
    });
  };
  for (const incident of incidents) {
    add(incident.t, incident.end, incidentStatement(incident), evidenceValue(incident));
    if (incident.kind === 'bad') {
      add(incident.end, incident.end, { subject: 'stream:stream', action: 'stream:recover' }, 'recovered');
    }
  }
  return events.toSorted((a, b) => a.t - b.t || a.end - b.end);
}

/** Figure recorded as the event's evidence. */
function evidenceValue(incident: StreamIncident): number | string {
  switch (incident.kind) {
    case 'freeze':
    case 'lag':
      return Math.round(incident.ms * 10) / 10;
    case 'stutter':
      return incident.frames;
    case 'bad':
      return Math.round(incident.score * 10) / 10;
    default:
      return incident.to;
  }
}

/** A time span with a faulty stream. Seconds. */
export interface StreamFault {
  readonly t: number;
  readonly end: number;
  readonly text: string;
}

/** Spans of a log in which the stream freezes, stutters, lags or degrades. */
export function findStreamFaults(events: readonly EventLine[]): StreamFault[] {
  return events
    .filter(
      ({ statement }) =>
        !isPropertyStatement(statement) &&
        FAULT_ACTIONS.has(unqualified(statement.action)) &&
        isStream(statement.subject),
    )
    .map(({ t, end, text }) => ({ t, end, text }));
}

const FAULT_ACTIONS = new Set(['falter', 'freeze', 'stutter', 'lag', 'degrade']);

function isStream(slot: Slot | undefined): boolean {
  return unqualified(wordOf(slot) ?? '') === 'stream';
}

/** First fault during `event` or ending at most `after` seconds before it. */
function faultAt(stretches: readonly StreamFault[], event: EventLine, after = 0): StreamFault | undefined {
  return stretches.find((stretch) => stretch.t <= event.t && event.t <= stretch.end + after);
}

/** Seconds around an event that a viewer needs to follow it; a fault there spoils the scene. */
const CONTEXT_SECONDS = { before: 2, after: 1 };

/** First fault that spoils the scene of `event`: during it or close enough to be seen. */
function faultNear(stretches: readonly StreamFault[], event: EventLine): StreamFault | undefined {
  return stretches.find(
    (stretch) =>
      stretch.t <= Math.max(event.t, event.end) + CONTEXT_SECONDS.after &&
      event.t <= stretch.end + CONTEXT_SECONDS.before,
  );
}

/**
 * Makes a function that returns the score factor of an event near a stream fault: a frozen or lagging picture is no
 * highlight.
 *
 * @param factor Default 0.5.
 */
export function streamFactors(
  logs: readonly { readonly events: readonly EventLine[] }[],
  factor = 0.5,
): (source: number, event: EventLine) => { readonly kind: string; readonly value: number; readonly text: string }[] {
  const stretches = logs.map(({ events }) => findStreamFaults(events));
  return (source, event) => {
    const stretch = faultNear(stretches[source] ?? [], event);
    if (!stretch) return [];
    const when = faultAt([stretch], event) ? 'while' : event.t > stretch.end ? 'just after' : 'just before';
    return [{ kind: 'quality', value: factor, text: `${when} ${stretch.text}` }];
  };
}

/** Events that a stream fault spoils, including the events about the faults. */
export function eventsNearFaults(logs: readonly { readonly events: readonly EventLine[] }[]): ReadonlySet<EventLine> {
  return new Set(
    logs.flatMap(({ events }) => {
      const stretches = findStreamFaults(events);
      return stretches.length === 0 ? [] : events.filter((event) => faultNear(stretches, event));
    }),
  );
}

/** Counts of an outcome under good and bad stream quality. */
export interface OutcomeCounts {
  readonly total: number;
  /** During a fault or within `after` seconds of its end. */
  readonly underBadQuality: number;
  /** Of these: during or shortly after a freeze. */
  readonly afterFreeze: number;
  readonly underGoodQuality: number;
  /** Per minute of bad and of good quality; null without such a minute. */
  readonly rateBad: number | null;
  readonly rateGood: number | null;
}

/** Outcomes of the play under good and bad stream quality. */
export interface GameplayReport {
  /** Seconds. */
  readonly duration: number;
  readonly bad: number;
  /** The player died or was defeated. */
  readonly losses: OutcomeCounts;
  /** The player defeated someone. */
  readonly wins: OutcomeCounts;
  /** Losses under bad quality with the fault. */
  readonly excused: readonly { readonly t: number; readonly text: string; readonly because: string }[];
}

/** Options of `reportGameplay`. */
export interface GameplayOptions {
  /** Seconds after a fault in which a loss still counts as under bad quality; default 2. */
  readonly after?: number | undefined;
  /** Minimum ms of a freeze; default 400. */
  readonly freezeMs?: number | undefined;
}

/** Counts the player's losses and wins under good and bad stream quality. */
function reportGameplay(
  events: readonly EventLine[],
  duration: number,
  dictionary: Dictionary,
  options: GameplayOptions = {},
): GameplayReport {
  const after = options.after ?? 2;
  const stretches = findStreamFaults(events);
  const freezes = findStreamFaults(events.filter((event) => isFreeze(event, options.freezeMs ?? 400)));
  const bad = coveredSeconds(stretches.map(({ t, end }) => [t, Math.min(duration, end + after)]));
  const share = (chosen: readonly EventLine[]): OutcomeCounts => {
    const under = chosen.filter((event) => faultAt(stretches, event, after));
    return {
      total: chosen.length,
      underBadQuality: under.length,
      afterFreeze: chosen.filter((event) => faultAt(freezes, event, after)).length,
      underGoodQuality: chosen.length - under.length,
      rateBad: perMinute(under.length, bad),
      rateGood: perMinute(chosen.length - under.length, duration - bad),
    };
  };
  const losses = events.filter((event) => isLoss(event.statement, dictionary));
  return {
    duration,
    bad,
    losses: share(losses),
    wins: share(events.filter((event) => isWin(event.statement, dictionary))),
    excused: losses.flatMap((event) => {
      const stretch = faultAt(freezes, event, after) ?? faultAt(stretches, event, after);
      return stretch ? [{ t: event.t, text: event.text, because: stretch.text }] : [];
    }),
  };
}

function perMinute(count: number, seconds: number): number | null {
  return seconds > 0 ? (60 * count) / seconds : null;
}

function isFreeze({ statement }: EventLine, ms: number): boolean {
  return !isPropertyStatement(statement) && unqualified(statement.action) === 'freeze' && (statement.amount ?? 0) >= ms;
}

/**
 * Finds the parts of a session in which the picture may stand still although nothing is wrong: the player is dead, a menu, score
 * table or other display is open, or the game pauses.
 *
 * @returns Seconds, ascending, without overlaps; the last part may end at infinity.
 */
export function findStillSpans(events: readonly EventLine[], dictionary: Dictionary): Span[] {
  const ordered = events.toSorted((a, b) => a.t - b.t);
  const does = ({ statement }: EventLine, ...actions: readonly string[]): boolean =>
    !isPropertyStatement(statement) && isAnyOf(dictionary, statement.action, 'action', ...actions);
  const isOfDisplay = ({ statement }: EventLine): boolean =>
    !isPropertyStatement(statement) &&
    [statement.subject, statement.object].some((slot) => {
      const word = wordOf(slot);
      return word !== undefined && isAnyOf(dictionary, word, 'object', 'display');
    });
  const displayed = ordered
    .filter((event) => does(event, 'pause') || (does(event, 'appear', 'open') && isOfDisplay(event)))
    .map((begin): Span => {
      const end = ordered.find(
        (event) =>
          event.t > begin.t &&
          (does(event, 'resume', 'continue') || (does(event, 'disappear', 'close') && isOfDisplay(event))),
      );
      return { start: begin.t, end: end?.t ?? Number.POSITIVE_INFINITY };
    });
  return joinSpans([...deadSpans(events, dictionary), ...displayed]);
}

/** Outcome of an event for the player. */
export function eventOutcome(statement: Statement, dictionary: Dictionary): 'loss' | 'win' | 'other' {
  if (isLoss(statement, dictionary)) return 'loss';
  return isWin(statement, dictionary) ? 'win' : 'other';
}

function isLoss(statement: Statement, dictionary: Dictionary): boolean {
  if (isPropertyStatement(statement)) return false;
  if (dictionary.isA(statement.action, 'die', 'action')) return wordOf(statement.subject) === 'player';
  return dictionary.isA(statement.action, 'defeat', 'action') && wordOf(statement.object) === 'player';
}

function isWin(statement: Statement, dictionary: Dictionary): boolean {
  if (isPropertyStatement(statement) || wordOf(statement.subject) !== 'player') return false;
  return dictionary.isA(statement.action, 'defeat', 'action') && wordOf(statement.object) !== 'player';
}

/** Seconds covered by the union of the spans. */
function coveredSeconds(stretches: readonly (readonly [number, number])[]): number {
  let covered = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const [t, end] of stretches.toSorted((a, b) => a[0] - b[0])) {
    if (end <= until) continue;
    covered += end - Math.max(t, until);
    until = end;
  }
  return covered;
}

/** A game's log with the stream's incidents, and the outcomes under good and bad quality. */
export interface MergedLog {
  readonly header: HeaderLine;
  readonly events: readonly EventLine[];
  readonly report: GameplayReport;
  /** The built-in dictionaries that the log names. */
  readonly dictionary: Dictionary;
}

/**
 * Merges the incidents of a stream into a game's log and writes the result to `out`; incidents that the log contains from
 * an earlier run are replaced.
 *
 * @param out Another file than the log.
 * @throws PlaybyplayError `output-is-input`, `output-exists`, and as `loadLog`.
 *
 * @example
 * ```ts
 * const incidents = [{ kind: 'freeze', t: 2, end: 2.5, ms: 500 }];
 * const { events } = await mergeIntoLog('match.playbyplay', incidents, 'merged.ndjson');
 * events.find(({ t }) => t === 2).text; // 'stream freezes for 500 milliseconds'
 * ```
 */
export async function mergeIntoLog(
  log: string,
  incidents: readonly StreamIncident[],
  out: string,
  options: GameplayOptions & { readonly offset?: number; readonly signal?: AbortSignal } & OutputPolicy = {},
): Promise<MergedLog> {
  const inputs = [...(options.inputs ?? []), log, (await locateLog(log)).path];
  const output = { inputs, overwrite: options.overwrite };
  await checkOutput(out, { kind: 'event log', ...output });
  const { header, events, lines } = await loadLog(log, {
    withoutCorrections: true,
    signal: options.signal,
  });
  const merged: HeaderLine = {
    ...header,
    dictionaries: [...header.dictionaries.filter(({ name }) => name !== 'stream'), streamFingerprint()],
  };
  const known = new Set(await dictionaryNames());
  const names = merged.dictionaries.map(({ name }) => name).filter((name) => known.has(name));
  const { dictionary } = await loadBuiltin(names, { meaning: false });
  const end = lines.find((line) => line.type === 'end');
  const write = async (temporaryPath: string): Promise<readonly EventLine[]> => {
    await using writer = await LogWriter.create(temporaryPath, merged);
    for (const event of events) if (!event.cues.some((cue) => cue.detector === 'stream')) writer.add(event);
    for (const line of lines) if (line.type === 'gap') addGap(writer, line);
    for (const event of incidentEvents(incidents, dictionary, options.offset)) writer.add(event);
    const settled = await writer.settle(Number.POSITIVE_INFINITY);
    await writer.end(end?.samples ?? 0, end?.problems);
    return settled;
  };
  const written = await produceOutput(out, write, { kind: 'event log', ...output });
  return {
    header: merged,
    events: written,
    report: reportGameplay(written, header.media.duration, dictionary, options),
    dictionary,
  };
}

function addGap(writer: LogWriter, gap: GapLine): void {
  writer.gap(gap.t, gap.end, gap.reason);
}

function streamFingerprint(): HeaderLine['dictionaries'][number] {
  const text = readFileSync(join(builtinFolder, 'stream.json'), 'utf8');
  const { name, version } = JSON.parse(text) as { name: string; version: string };
  return { name, version, hash: createHash('sha256').update(text).digest('hex').slice(0, 16) };
}
