import { stat } from 'node:fs/promises';
import { countLeading } from '../../binary-search.ts';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import { parse } from '../../dictionary/sentences/parse.ts';
import { render } from '../../dictionary/sentences/render.ts';
import { normalizeStatement } from '../../dictionary/statements.ts';
import { type Issue, PlaybyplayError } from '../../errors.ts';
import { type Correction, correctionsPath, readCorrections } from '../../events/corrections.ts';
import type { EventLine, GapLine, HeaderLine } from '../../events/log.ts';
import { readLog } from '../../events/reader.ts';
import { isPropertyStatement, type Statement } from '../../events/statement.ts';
import { explainQuery } from '../../query/explain.ts';
import { loadLogDictionaries } from '../../query/logs.ts';
import { collectNames } from '../../query/names.ts';
import { type CompiledQuery, compileQuery, type QueryResult, runQuery } from '../../query/run.ts';
import { findAbsentWords, findExcludingParts, findUnknownNames, suggestBroaderWords } from '../../query/suggestions.ts';
import { didYouMean } from '../../spelling.ts';
import { formatClock } from '../../time.ts';

/** What a person said of an event. */
export type ReviewStatus = 'approved' | 'changed' | 'deleted' | 'added';

/** An event with what a person said of it: as corrected, or as the log has it. */
export interface ReviewedEvent {
  readonly event: EventLine;
  readonly status?: ReviewStatus;
  /** The event before it was changed. */
  readonly original?: EventLine;
}

/** Which events are listed. */
export type ReviewFilter = 'all' | 'open' | 'uncertain' | 'corrected';

/** How a question is understood, and what it finds. */
export interface AskedQuestion {
  /** Indices of the events, ascending; undefined where the question is not understood. */
  readonly found: readonly number[] | undefined;
  /** Why it is not understood, with places in the text. */
  readonly issues: readonly Issue[];
  /** The reading as indented lines. */
  readonly reading: readonly string[];
  /** Words that were read as others. */
  readonly corrections: readonly { readonly written: string; readonly read: string }[];
  /** The answer in words, where it is more than the events. */
  readonly answers: readonly string[];
  /** What else to ask where nothing is found. */
  readonly suggestions: readonly string[];
}

const NO_CUES: EventLine['cues'] = [];
const MAX_ANSWERS = 40;
const MAX_SUGGESTIONS = 4;
/** Questions whose results are kept: a person goes back and forth. */
const MAX_KEPT_QUESTIONS = 12;

/** A log with the corrections of a person, in memory. */
export class ReviewedLog {
  readonly path: string;
  /** Size and time of log and corrections. */
  readonly version: string;
  readonly header: HeaderLine;
  /** In order of time. */
  readonly events: readonly ReviewedEvent[];
  readonly gaps: readonly { readonly t: number; readonly end: number; readonly reason?: string | undefined }[];
  readonly corrections: ReadonlyMap<string, Correction>;
  readonly dictionary: Dictionary;
  /** The proper names that the events mention. */
  readonly names: readonly string[];
  readonly #asked = new Map<string, AskedQuestion>();
  readonly #indexById: ReadonlyMap<string, number>;
  /** Those that are not deleted: one list, as what is found out about it holds for all questions. */
  readonly #askable: readonly EventLine[];
  readonly #askableNames: readonly string[];

  private constructor(
    fields: Pick<ReviewedLog, 'path' | 'version' | 'header' | 'events' | 'gaps' | 'corrections' | 'dictionary'>,
  ) {
    this.path = fields.path;
    this.version = fields.version;
    this.header = fields.header;
    this.events = fields.events;
    this.gaps = fields.gaps;
    this.corrections = fields.corrections;
    this.dictionary = fields.dictionary;
    this.names = collectNames(fields.events.map(({ event }) => event));
    this.#askable = fields.events.flatMap(({ event, status }) => (status === 'deleted' ? [] : [event]));
    this.#askableNames = this.#askable.length === fields.events.length ? this.names : collectNames(this.#askable);
    this.#indexById = new Map(fields.events.map(({ event }, index) => [event.id, index]));
  }

  /** Reads a log and its corrections. Throws as `readLog` and `readCorrections`. */
  static async load(path: string): Promise<ReviewedLog> {
    const version = await versionOfLog(path);
    let header: HeaderLine | undefined;
    const events: EventLine[] = [];
    const gaps: GapLine[] = [];
    for await (const line of readLog(path, { withoutCorrections: true, onIssue: () => undefined }))
      if (line.type === 'header') header = line;
      // Cues take most of the memory, and nothing here shows them.
      else if (line.type === 'event') events.push({ ...line, cues: NO_CUES });
      else if (line.type === 'gap') gaps.push(line);
    if (!header) throw new PlaybyplayError('log-invalid', `${path} has no header`);
    const corrections = await readCorrections(path);
    const names = new Map(header.dictionaries.map(({ name, hash }) => [name, hash]));
    const { dictionary } = await loadLogDictionaries(names, [path]);
    const reviewed = review(events, corrections, header);
    return new ReviewedLog({ path, version, header, events: reviewed, gaps, corrections, dictionary });
  }

  /** The index of an event; -1 where there is none of this id. */
  indexOf(id: string): number {
    return this.#indexById.get(id) ?? -1;
  }

  /** Indices of the events that a question and a filter leave, ascending. */
  list(
    question: string,
    filter: ReviewFilter,
  ): { readonly indices: readonly number[]; readonly asked: AskedQuestion | undefined } {
    const asked = question.trim() === '' ? undefined : this.ask(question);
    const indices = asked ? (asked.found ?? []) : this.events.keys().toArray();
    return {
      indices: filter === 'all' ? indices : indices.filter((index) => passes(this.events[index]!, filter)),
      asked,
    };
  }

  /** Asks a question about the events that are not deleted, uncertain ones included. */
  ask(question: string): AskedQuestion {
    const key = question.trim();
    const known = this.#asked.get(key);
    if (known) return known;
    const asked = this.#ask(key);
    this.#asked.set(key, asked);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > MAX_KEPT_QUESTIONS) this.#asked.delete(oldest!);
    return asked;
  }

  #ask(question: string): AskedQuestion {
    const events = this.#askable;
    const names = this.#askableNames;
    const { game, session, media } = this.header;
    const logs = new Map([[session, { path: this.path, name: media.name }]]);
    const nothing = { reading: [], corrections: [], answers: [], suggestions: [] };
    let compiled: CompiledQuery;
    try {
      compiled = compileQuery(question, this.dictionary, { names, logs: { events, games: [game], logs } });
    } catch (error) {
      if (!(error instanceof PlaybyplayError) || error.code !== 'bad-query') throw error;
      return { ...nothing, found: undefined, issues: error.issues };
    }
    const durations = new Map([[session, media.duration]]);
    const result = runQuery(compiled, events, { durations });
    const ids = new Set(result.matches.flatMap((match) => match.events.map(({ id }) => id)));
    const found = this.events.flatMap(({ event }, index) => (ids.has(event.id) ? [index] : []));
    return {
      found,
      issues: [],
      reading: explainQuery(compiled.query, this.dictionary).lines,
      corrections: compiled.corrections.map(({ written, read }) => ({ written, read })),
      answers: describeAnswers(result),
      suggestions: result.count === 0 ? suggest(compiled, events, durations) : [],
    };
  }

  /** The sentence of a statement, as a log has it. */
  render(statement: Statement): string {
    return render(statement, this.dictionary);
  }

  /** Reads a sentence as a statement of this game. */
  parse(sentence: string): {
    readonly statement: Statement | undefined;
    /** The sentence as a log has it. */
    readonly text: string | undefined;
    readonly issues: readonly Issue[];
  } {
    const { statement, issues } = parse(sentence, this.dictionary, { game: this.header.game });
    if (!statement) return { statement: undefined, text: undefined, issues };
    const normal = normalizeStatement(statement);
    return { statement: normal, text: render(normal, this.dictionary), issues };
  }
}

/** Size and time of change of a log and of its corrections. */
export async function versionOfLog(path: string): Promise<string> {
  const parts = await Promise.all(
    [path, correctionsPath(path)].map(async (each) => {
      const info = await stat(each).catch(() => undefined);
      return info ? `${info.size}-${Math.round(info.mtimeMs)}` : 'none';
    }),
  );
  return parts.join('_');
}

function passes({ event, status }: ReviewedEvent, filter: ReviewFilter): boolean {
  if (filter === 'open') return status === undefined;
  if (filter === 'uncertain') return event.tentative === true;
  return filter === 'all' || status !== undefined;
}

function review(
  events: readonly EventLine[],
  corrections: ReadonlyMap<string, Correction>,
  { game, session }: HeaderLine,
): readonly ReviewedEvent[] {
  const reviewed = events.map((event): ReviewedEvent => {
    const correction = corrections.get(event.id);
    if (!correction) return { event };
    if (correction.type === 'approve') return { event: withoutDoubt(event), status: 'approved' };
    if (correction.type === 'delete') return { event, status: 'deleted' };
    if (!('event' in correction)) return { event };
    return { event: { ...withoutDoubt(event), ...correction.event }, status: 'changed', original: event };
  });
  const added = [...corrections.values()].flatMap((correction): ReviewedEvent[] =>
    correction.type === 'add'
      ? [
          {
            status: 'added',
            event: { type: 'event', id: correction.id, game, session, ...correction.event, confidence: 1, cues: [] },
          },
        ]
      : [],
  );
  return [...reviewed, ...added].toSorted((a, b) => a.event.t - b.event.t);
}

function withoutDoubt(event: EventLine): EventLine {
  const { tentative: _, ...sure } = event;
  return sure;
}

/** The answer of a question that is about more than which events there are. */
function describeAnswers({ answer, groups, values, matches }: QueryResult): readonly string[] {
  if (groups) return groups.slice(0, MAX_ANSWERS).map(({ labels, count }) => `${labels.join(' · ')}: ${count}`);
  if (values)
    return values
      .slice(0, MAX_ANSWERS)
      .map(({ t, value, match }) =>
        [formatClock(t), formatValue(value), match?.events[0] ? `(${match.events[0].text})` : ''].join('  ').trim(),
      );
  if (!answer) return [];
  if (answer.value === true) return [`yes (${matches.length})`];
  if (answer.value === false) return ['no'];
  return [`${formatValue(answer.value)}${answer.unit === undefined ? '' : ` ${answer.unit}`}`];
}

function formatValue(value: unknown): string {
  if (typeof value === 'number') return String(Number(value.toFixed(2)));
  if (typeof value !== 'object' || value === null) return String(value ?? 'unknown');
  const { word, name, count } = value as { readonly word?: string; readonly name?: string; readonly count?: number };
  return [count, word, name].filter((part) => part !== undefined).join(' ');
}

function suggest(
  compiled: CompiledQuery,
  events: readonly EventLine[],
  durations: ReadonlyMap<string, number>,
): readonly string[] {
  const unknown = findUnknownNames(compiled.query, events).map(
    ({ name, nearest }) => `no event names “${name}”${nearest === undefined ? '' : `. ${didYouMean(nearest)}`}`,
  );
  const absent = findAbsentWords(compiled, events).map((name) => `no event mentions “${name}”`);
  const excluding =
    unknown.length > 0
      ? []
      : findExcludingParts(compiled, events, { durations }).map(({ part, count }) => `without “${part}”: ${count}`);
  const broader = suggestBroaderWords(compiled, events, { durations }).map(
    ({ word, instead, count }) => `“${instead}” in the place of “${word}”: ${count}`,
  );
  return [...unknown, ...absent, ...excluding, ...broader].slice(0, MAX_SUGGESTIONS);
}

/** What happens along the time of a recording, as rows of marks. */
export interface Lane {
  readonly name: string;
  readonly kind: 'chapters' | 'events' | 'values' | 'gaps';
  /** Single marks, if they are few. */
  readonly marks?: readonly { readonly id?: string; readonly t: number; readonly end: number; readonly text: string }[];
  /** Numbers of events in equal parts of the stretch, if they are many. */
  readonly bins?: readonly number[];
  /** Changes of a number; the first is what holds at the beginning. */
  readonly points?: readonly { readonly t: number; readonly value: number }[];
}

const MAX_EVENT_LANES = 7;
const MAX_VALUE_LANES = 6;
const MAX_MARKS = 300;
/** Chapters with room for their names. */
const MAX_CHAPTERS = 60;
const MAX_POINTS = 600;

/** Describes a stretch of a log as lanes: the commonest kinds of events, numbers that change, and gaps. */
export function lanesOf(log: ReviewedLog, from: number, to: number, bins: number): readonly Lane[] {
  const { actions, values, chapters } = groupEvents(log);
  const byCount = byFrequency(actions);
  const shown = byCount.slice(0, MAX_EVENT_LANES);
  const rest = byCount.slice(MAX_EVENT_LANES).flatMap(([, events]) => events);
  const eventLanes = [...shown, ...(rest.length > 0 ? [['others', rest] as const] : [])];
  const { gaps } = log;
  // Each lasts until the next: the one that the stretch begins in is part of it.
  const sections = chapters.map(({ event: { id, t, text } }, i) => {
    const end = chapters[i + 1]?.event.t ?? Math.max(t, log.header.media.duration);
    return { id, t, end, text };
  });
  return [
    ...(sections.length > 0 ? [markLane('chapters', sections, { from, to, bins, most: MAX_CHAPTERS })] : []),
    ...eventLanes.map(([name, events]) => eventLane(name, events, from, to, bins)),
    ...byFrequency(values)
      .slice(0, MAX_VALUE_LANES)
      .map(([name, events]) => valueLane(name, events, from, to)),
    ...(gaps.length > 0
      ? [
          markLane(
            'gaps',
            gaps.map(({ t, end, reason = '' }) => ({ t, end, text: reason })),
            { from, to, bins, most: MAX_MARKS },
          ),
        ]
      : []),
  ];
}

/** A lane of single marks, or of their numbers in equal parts of the stretch where they are more than `most`. */
function markLane(
  kind: 'chapters' | 'gaps',
  all: NonNullable<Lane['marks']>,
  {
    from,
    to,
    bins,
    most,
  }: { readonly from: number; readonly to: number; readonly bins: number; readonly most: number },
): Lane {
  const marks = all.filter(({ t, end }) => end >= from && t <= to);
  return { name: kind, kind, ...(marks.length <= most ? { marks } : { bins: countIn(marks, from, to, bins) }) };
}

/** How many of some moments begin in each of equal parts of a stretch. */
function countIn(moments: readonly { readonly t: number }[], from: number, to: number, bins: number): number[] {
  const counts = Array.from({ length: bins }, () => 0);
  for (const { t } of moments) {
    const bin = Math.max(0, Math.min(bins - 1, Math.floor(((t - from) / (to - from)) * bins)));
    counts[bin] = counts[bin]! + 1;
  }
  return counts;
}

/** Kinds of events, the commonest first. */
function byFrequency(lanes: ReadonlyMap<string, ReviewedEvent[]>) {
  return [...lanes].toSorted((a, b) => b[1].length - a[1].length);
}

/** The events of a log by what happens, and by the number that changes. */
interface GroupedEvents {
  readonly actions: ReadonlyMap<string, ReviewedEvent[]>;
  readonly values: ReadonlyMap<string, ReviewedEvent[]>;
  /** Beginnings of levels, matches, rounds and the like. */
  readonly chapters: readonly ReviewedEvent[];
}

/** The action of the common dictionary with which parts of a session begin. */
const BEGIN = 'begin';

const groupsOfLogs = new WeakMap<ReviewedLog, GroupedEvents>();

function groupEvents(log: ReviewedLog): GroupedEvents {
  const known = groupsOfLogs.get(log);
  if (known) return known;
  const actions = new Map<string, ReviewedEvent[]>();
  const values = new Map<string, ReviewedEvent[]>();
  const chapters: ReviewedEvent[] = [];
  for (const reviewed of log.events) {
    if (reviewed.status === 'deleted') continue;
    const { statement } = reviewed.event;
    if (!isPropertyStatement(statement) && statement.action === BEGIN) chapters.push(reviewed);
    const isValue = isPropertyStatement(statement) && typeof statement.to === 'number';
    const name = isPropertyStatement(statement)
      ? [subjectOf(statement.subject), nameOf(log, statement.property, 'property')].join(' ')
      : nameOf(log, statement.action, 'action');
    const lanes = isValue ? values : actions;
    const lane = lanes.get(name);
    if (lane) lane.push(reviewed);
    else lanes.set(name, [reviewed]);
  }
  const grouped = { actions, values, chapters };
  groupsOfLogs.set(log, grouped);
  return grouped;
}

function subjectOf(subject: unknown): string {
  if (typeof subject === 'string') return subject;
  const { word = '', name = '' } = (subject ?? {}) as { readonly word?: string; readonly name?: string };
  return `${word} ${name}`.trim();
}

function nameOf({ dictionary }: ReviewedLog, id: string, kind: 'action' | 'property'): string {
  return dictionary.find(id, kind)?.name ?? id;
}

function eventLane(name: string, events: readonly ReviewedEvent[], from: number, to: number, bins: number): Lane {
  const inside = events.filter(({ event }) => event.end >= from && event.t <= to);
  if (inside.length <= MAX_MARKS) {
    const marks = inside.map(({ event: { id, t, end, text } }) => ({ id, t, end, text }));
    return { name, kind: 'events', marks };
  }
  const moments = inside.map(({ event }) => event);
  return { name, kind: 'events', bins: countIn(moments, from, to, bins) };
}

function valueLane(name: string, events: readonly ReviewedEvent[], from: number, to: number): Lane {
  const all = events.flatMap(({ event: { t, statement } }) =>
    isPropertyStatement(statement) && typeof statement.to === 'number' ? [{ t, value: statement.to }] : [],
  );
  const [earliest] = events;
  const before = earliest && isPropertyStatement(earliest.event.statement) ? earliest.event.statement.from : undefined;
  // What the number was before it changed for the first time.
  if (typeof before === 'number') all.unshift({ t: 0, value: before });
  const first = countLeading(all.length, (index) => all[index]!.t < from);
  const last = countLeading(all.length, (index) => all[index]!.t <= to);
  const inside = all.slice(Math.max(0, first - 1), last);
  const step = Math.ceil(inside.length / MAX_POINTS);
  const points = step <= 1 ? inside : inside.filter((_, index) => index % step === 0 || index === inside.length - 1);
  return { name, kind: 'values', points };
}

/** Logs that are kept in memory. */
const MAX_LOGS = 3;

/** Loads logs as pages ask for them, again where log or corrections have changed. */
export class ReviewedLogs {
  readonly #loaded = new Map<string, Promise<ReviewedLog>>();

  /** The log at a real path. Throws as `ReviewedLog.load`. */
  async get(path: string): Promise<ReviewedLog> {
    const known = this.#loaded.get(path);
    if (known) {
      const log = await known.catch(() => undefined);
      if (log?.version === (await versionOfLog(path))) return log;
    }
    const loading = ReviewedLog.load(path);
    this.#loaded.delete(path);
    this.#loaded.set(path, loading);
    loading.catch(() => this.#loaded.delete(path));
    const [oldest] = this.#loaded.keys();
    if (this.#loaded.size > MAX_LOGS) this.#loaded.delete(oldest!);
    return await loading;
  }
}
