import { createHash } from 'node:crypto';
import { roundTime } from '../time.ts';
import type { EndLine, EventLine, GapLine, LoggedCue } from './log.ts';
import { parseStatement, type Statement } from './statement.ts';

/** An event before it stands in the log. Times in seconds. */
export interface NewEvent {
  readonly t: number;
  readonly end: number;
  readonly text: string;
  readonly statement: Statement;
  /** 0…1. */
  readonly confidence: number;
  readonly cues: readonly LoggedCue[];
  /** The evidence is thin. */
  readonly tentative?: true;
}

type Pending = { readonly t: number; readonly ordinal: number } & (
  | { readonly event: NewEvent }
  | { readonly gap: GapLine }
);

/**
 * Turns events into the lines of a log: in order of time, those of one time in the order in which they were added, gaps first.
 * Lines are held back until `settle` says that nothing earlier can come.
 */
export class LogLines {
  readonly #header: { readonly game: string; readonly session: string };
  #pending: Pending[] = [];
  #ordinal = 0;
  #settled = Number.NEGATIVE_INFINITY;
  #lastT: number | undefined;
  /** How often each statement occurred at the time given out last. */
  #repeats = new Map<string, number>();
  #events = 0;
  #gaps = 0;

  constructor(header: { readonly game: string; readonly session: string }) {
    this.#header = header;
  }

  /** Takes an event; its time must not be settled yet. */
  add(event: NewEvent): void {
    this.#hold({ t: roundTime(event.t), ordinal: this.#ordinal++, event });
  }

  /** Takes a stretch that could not be read. */
  gap(t: number, end: number, reason: string): void {
    const gap: GapLine = { type: 'gap', t: roundTime(t), end: roundTime(end), reason };
    this.#hold({ t: gap.t, ordinal: -1, gap });
  }

  /** Nothing earlier than `until` seconds will be added: returns the lines that are final. */
  settle(until: number): readonly (EventLine | GapLine)[] {
    this.#settled = Math.max(this.#settled, until);
    const ready = this.#pending.filter(({ t }) => t < this.#settled);
    if (ready.length === 0) return [];
    this.#pending = this.#pending.filter(({ t }) => t >= this.#settled);
    ready.sort((a, b) => a.t - b.t || a.ordinal - b.ordinal);
    return ready.map((one) => {
      if ('gap' in one) {
        this.#gaps++;
        return one.gap;
      }
      this.#events++;
      return this.#lineOf(one.event, one.t);
    });
  }

  /** The last line, once everything is settled. */
  end(
    samples: number,
    problems: Readonly<Record<string, number>> = {},
    warnings: NonNullable<EndLine['warnings']> = [],
  ): EndLine {
    const codes = Object.entries(problems).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return {
      type: 'end',
      events: this.#events,
      gaps: this.#gaps,
      samples,
      ...(codes.length === 0 ? {} : { problems: Object.fromEntries(codes) }),
      ...(warnings.length === 0 ? {} : { warnings: warnings.map(({ code, message }) => ({ code, message })) }),
    };
  }

  #hold(pending: Pending): void {
    if (!(pending.t >= this.#settled))
      throw new RangeError(`${pending.t} s is settled already (up to ${this.#settled})`);
    this.#pending.push(pending);
  }

  #lineOf(event: NewEvent, t: number): EventLine {
    if (t !== this.#lastT) this.#repeats = new Map();
    this.#lastT = t;
    const shaped = parseStatement(event.statement);
    if ('issues' in shaped)
      throw new TypeError(`not a statement: ${shaped.issues.map((issue) => issue.message).join('; ')}`);
    const { statement } = shaped;
    const said = JSON.stringify(statement);
    const repeat = this.#repeats.get(said) ?? 0;
    this.#repeats.set(said, repeat + 1);
    return {
      type: 'event',
      id: eventId(t, statement, repeat),
      t,
      end: roundTime(event.end),
      game: this.#header.game,
      session: this.#header.session,
      text: event.text,
      statement,
      confidence: roundConfidence(event.confidence),
      ...(event.tentative ? { tentative: true } : {}),
      cues: event.cues.map(inOrder),
    };
  }
}

/** Hash of time, statement and how many equal statements came before it at that time: 16 hexadecimal digits. */
export function eventId(t: number, statement: Statement, repeat: number): string {
  return createHash('sha256')
    .update(JSON.stringify([t, statement, repeat]))
    .digest('hex')
    .slice(0, 16);
}

function inOrder({ detector, t, trigger, value, previous, confidence, tentative }: LoggedCue): LoggedCue {
  return {
    detector,
    t: roundTime(t),
    trigger,
    ...(value === undefined ? {} : { value }),
    ...(previous === undefined ? {} : { previous }),
    confidence: roundConfidence(confidence),
    ...(tentative ? { tentative } : {}),
  };
}

function roundConfidence(confidence: number): number {
  return Math.round(confidence * 1000) / 1000;
}
