import type { Dictionary } from '../dictionary/dictionary.ts';
import { render } from '../dictionary/sentences/render.ts';
import type { EventLine } from '../events/log.ts';
import { isPropertyStatement, type Slot, type Statement } from '../events/statement.ts';
import type { NewEvent } from '../events/writer.ts';
import type { Happening } from './happenings.ts';

/** The statement that says what happened to the stream, in words of `dictionary/stream.json`. */
function statementOf(happening: Happening): Statement {
  const subject = 'stream:stream';
  switch (happening.kind) {
    case 'freeze':
      return { subject, action: 'stream:freeze', amount: Math.round(happening.ms), unit: 'stream:millisecond' };
    case 'stutter':
      return { subject, action: 'stream:stutter', amount: happening.frames, unit: 'stream:frame' };
    case 'lag':
      return {
        subject,
        action: 'stream:lag',
        amount: Math.round((happening.end - happening.t) * 1000),
        unit: 'stream:millisecond',
      };
    case 'bad':
      return {
        subject,
        action: 'stream:degrade',
        amount: Math.round((happening.end - happening.t) * 1000),
        unit: 'stream:millisecond',
      };
    case 'bitrate':
      return { subject, property: 'stream:bitrate', from: kilobits(happening.from), to: kilobits(happening.to) };
    case 'resolution':
      return { subject, property: 'stream:resolution', from: happening.from, to: happening.to };
  }
}

function kilobits(bits: number): number {
  return Math.round(bits / 1000);
}

/**
 * Happenings as events of an ordinary log. `offset` is the time (s) of the recording at which the session's clock
 * begins; what lies before the recording is left out. A stretch of bad quality says also that the stream recovers.
 */
export function eventsOf(happenings: readonly Happening[], dictionary: Dictionary, offset = 0): NewEvent[] {
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
  for (const happening of happenings) {
    add(happening.t, happening.end, statementOf(happening), measured(happening));
    if (happening.kind === 'bad') {
      add(happening.end, happening.end, { subject: 'stream:stream', action: 'stream:recover' }, 'recovered');
    }
  }
  return events.toSorted((a, b) => a.t - b.t || a.end - b.end);
}

/** The figure that stands as evidence beside the event. */
function measured(happening: Happening): number | string {
  switch (happening.kind) {
    case 'freeze':
    case 'lag':
      return Math.round(happening.ms * 10) / 10;
    case 'stutter':
      return happening.frames;
    case 'bad':
      return Math.round(happening.score * 10) / 10;
    default:
      return happening.to;
  }
}

/** A stretch of a recording in which the stream was bad, and the words for it. Seconds. */
export interface BadStretch {
  readonly t: number;
  readonly end: number;
  readonly text: string;
}

/** The stretches of a log in which the stream faltered: what freezes, stutters, lags or is degraded, with its time. */
export function badStretches(events: readonly EventLine[]): BadStretch[] {
  return events
    .filter(
      ({ statement }) =>
        !isPropertyStatement(statement) && faltering.has(bare(statement.action)) && isStream(statement.subject),
    )
    .map(({ t, end, text }) => ({ t, end, text }));
}

const faltering = new Set(['falter', 'freeze', 'stutter', 'lag', 'degrade']);

function bare(id: string): string {
  return id.replace(/^[^:]*:/, '').replace(/#.*$/, '');
}

function isStream(slot: Slot | undefined): boolean {
  return bare(wordOf(slot) ?? '') === 'stream';
}

function wordOf(slot: Slot | undefined): string | undefined {
  return typeof slot === 'string' ? slot : slot?.word;
}

/** The first stretch that was over at most `after` seconds before `event`, or during which it happened. */
function stretchAt(stretches: readonly BadStretch[], event: EventLine, after = 0): BadStretch | undefined {
  return stretches.find((stretch) => stretch.t <= event.t && event.t <= stretch.end + after);
}

/** Seconds before and after an event that one has to see to follow it: pictures that stand still there spoil the scene. */
const seen = { before: 2, after: 1 };

/** The first stretch that spoils the scene of `event`: it is bad then, or so shortly before or after that it is seen. */
function spoiling(stretches: readonly BadStretch[], event: EventLine): BadStretch | undefined {
  return stretches.find(
    (stretch) => stretch.t <= Math.max(event.t, event.end) + seen.after && event.t <= stretch.end + seen.before,
  );
}

/**
 * A factor on a scene's score for each event that a bad stream spoils: pictures that stand still or lag are no
 * highlight. `factor` is 0.5 unless given.
 */
export function streamFactors(
  logs: readonly { readonly events: readonly EventLine[] }[],
  factor = 0.5,
): (source: number, event: EventLine) => { readonly kind: string; readonly value: number; readonly text: string }[] {
  const stretches = logs.map(({ events }) => badStretches(events));
  return (source, event) => {
    const stretch = spoiling(stretches[source] ?? [], event);
    if (!stretch) return [];
    const when = stretchAt([stretch], event) ? 'while' : event.t > stretch.end ? 'just after' : 'just before';
    return [{ kind: 'quality', value: factor, text: `${when} ${stretch.text}` }];
  };
}

/** The events of the logs that a bad stream spoils (and those that tell of it). */
export function spoiledEvents(logs: readonly { readonly events: readonly EventLine[] }[]): ReadonlySet<EventLine> {
  return new Set(
    logs.flatMap(({ events }) => {
      const stretches = badStretches(events);
      return stretches.length === 0 ? [] : events.filter((event) => spoiling(stretches, event));
    }),
  );
}

/** How often something happened while the stream was good and while it was bad. */
export interface Share {
  readonly total: number;
  /** While the stream was bad or within `after` seconds behind it. */
  readonly underBadQuality: number;
  /** Of these: shortly after a freeze. */
  readonly afterFreeze: number;
  readonly underGoodQuality: number;
  /** Per minute of bad and of good quality; null where there was no such minute. */
  readonly rateBad: number | null;
  readonly rateGood: number | null;
}

/** How the play went while the stream was good and while it was bad. */
export interface PlayReport {
  /** Seconds. */
  readonly duration: number;
  readonly bad: number;
  /** The player died or was defeated. */
  readonly losses: Share;
  /** The player defeated someone. */
  readonly wins: Share;
  /** The losses under bad quality, each with the reason. */
  readonly excused: readonly { readonly t: number; readonly text: string; readonly because: string }[];
}

export interface PlayOptions {
  /** Seconds behind a bad stretch in which a loss still counts as under it; default 2. */
  readonly after?: number;
  /** A freeze is at least this long, ms; default 400. */
  readonly freezeMs?: number;
}

/** Tells the losses and wins of a player under bad quality from the others. */
export function playReport(
  events: readonly EventLine[],
  duration: number,
  dictionary: Dictionary,
  options: PlayOptions = {},
): PlayReport {
  const after = options.after ?? 2;
  const stretches = badStretches(events);
  const freezes = badStretches(events.filter((event) => isFreeze(event, options.freezeMs ?? 400)));
  const bad = union(stretches.map(({ t, end }) => [t, Math.min(duration, end + after)]));
  const share = (chosen: readonly EventLine[]): Share => {
    const under = chosen.filter((event) => stretchAt(stretches, event, after));
    return {
      total: chosen.length,
      underBadQuality: under.length,
      afterFreeze: chosen.filter((event) => stretchAt(freezes, event, after)).length,
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
      const stretch = stretchAt(freezes, event, after) ?? stretchAt(stretches, event, after);
      return stretch ? [{ t: event.t, text: event.text, because: stretch.text }] : [];
    }),
  };
}

function perMinute(count: number, seconds: number): number | null {
  return seconds > 0 ? (60 * count) / seconds : null;
}

function isFreeze({ statement }: EventLine, ms: number): boolean {
  return !isPropertyStatement(statement) && bare(statement.action) === 'freeze' && (statement.amount ?? 0) >= ms;
}

/** What an event means for the player: death or defeat, a victory over someone, or neither. */
export function outcomeOf(statement: Statement, dictionary: Dictionary): 'loss' | 'win' | 'other' {
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

/** Seconds that the stretches cover together. */
function union(stretches: readonly (readonly [number, number])[]): number {
  let covered = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const [t, end] of stretches.toSorted((a, b) => a[0] - b[0])) {
    if (end <= until) continue;
    covered += end - Math.max(t, until);
    until = end;
  }
  return covered;
}
