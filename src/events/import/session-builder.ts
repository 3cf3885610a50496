import type { Dictionary } from '../../dictionary/dictionary.ts';
import { render } from '../../dictionary/sentences/render.ts';
import { normalizeStatement, validateStatement } from '../../dictionary/statements.ts';
import { PlaybyplayError, type Issue } from '../../errors.ts';
import { plainText } from '../../markup.ts';
import { roundTime } from '../../time.ts';
import type { EventLine } from '../log.ts';
import { isPropertyStatement, parseStatement, type PropertyValue, type Statement } from '../statement.ts';
import { eventId } from '../writer.ts';

/** A session of an imported log, for example one match of a server log. */
export interface ImportedSession {
  readonly session: string;
  /** Time of the last event in seconds. */
  readonly duration: number;
  readonly events: readonly EventLine[];
}

/** The sessions of an imported file. */
export interface Imported {
  readonly sessions: readonly ImportedSession[];
  /** Statements that could not be made, one issue per reason. The path is the place of the first one, such as its line number. */
  readonly issues: readonly Issue[];
}

/** Options of {@link SessionBuilder}. */
export interface SessionBuilderOptions {
  readonly dictionary: Dictionary;
  readonly game: string;
  /** The name of the sessions; what `start` is given is appended. */
  readonly session: string;
}

/** Statements whose sentences are remembered, as logs repeat them. */
const MAX_REMEMBERED_STATEMENTS = 10_000;
/** Different problems that are reported. */
const MAX_PROBLEMS = 1000;
/** Characters of a line that an event quotes. */
const MAX_QUOTED_LENGTH = 2000;
/** Events of a file: those of the longest server logs are a tenth. */
const MAX_EVENTS = 2_000_000;

/** A statement in the dictionary's form, and its sentence; issues and no statement if it is not one. */
interface RenderedStatement {
  readonly issues: readonly Issue[];
  readonly statement: Statement | undefined;
  readonly text: string;
}

interface OpenSession {
  readonly session: string;
  duration: number;
  readonly events: EventLine[];
  /** How often each statement occurs at each time, for event ids. */
  readonly occurrences: Map<string, number>;
}

/**
 * Collects the events of an imported file by session. Statements that the dictionary does not accept are left out and become
 * issues.
 */
export class SessionBuilder {
  readonly #options: SessionBuilderOptions;
  readonly #sessions: OpenSession[] = [];
  readonly #lastValues = new Map<string, PropertyValue>();
  readonly #problems = new Map<string, { issue: Issue; count: number }>();
  readonly #rendered = new Map<string, RenderedStatement>();
  #events = 0;

  constructor(options: SessionBuilderOptions) {
    this.#options = options;
  }

  /** The last value of a property of a subject in this session. */
  lastValue(subject: unknown, property: string): PropertyValue | undefined {
    return this.#lastValues.get(JSON.stringify([subject, property]));
  }

  /**
   * Starts a session; what is added belongs to it from now on.
   *
   * @param suffix Appended to the session's name, such as the map.
   */
  start(suffix = ''): void {
    const number = this.#sessions.length + 1;
    const parts = [this.#options.session, suffix, number > 1 ? `#${number}` : ''];
    this.#sessions.push({
      session: parts.filter((part) => part !== '').join(' '),
      duration: 0,
      events: [],
      occurrences: new Map(),
    });
    this.#lastValues.clear();
  }

  /**
   * Adds an event.
   *
   * @param time Seconds.
   * @param filled Its statement, which need not be valid.
   * @param quote What the file says, for the event's cue.
   * @param place Where the file says it, for issues.
   * @throws PlaybyplayError `log-too-large`.
   */
  add(time: number, filled: Statement, quote: string, place: string): void {
    const { issues, statement, text } = this.#render(filled);
    if (statement === undefined) {
      for (const issue of issues) this.report({ ...issue, path: place });
      return;
    }
    if (isPropertyStatement(statement)) {
      if (statement.from !== undefined && statement.from === statement.to) return;
      this.#lastValues.set(JSON.stringify([statement.subject, statement.property]), statement.to);
    }
    if (++this.#events > MAX_EVENTS)
      throw new PlaybyplayError('log-too-large', `the file has more than ${MAX_EVENTS} events`, {
        hint: 'Split it, or remove what is not needed.',
      });
    if (this.#sessions.length === 0) this.start();
    const session = this.#sessions.at(-1)!;
    const t = roundTime(time);
    const key = JSON.stringify([t, statement]);
    const occurrence = session.occurrences.get(key) ?? 0;
    session.occurrences.set(key, occurrence + 1);
    session.duration = Math.max(session.duration, t);
    session.events.push({
      type: 'event',
      id: eventId(t, statement, occurrence),
      t,
      end: t,
      game: this.#options.game,
      session: session.session,
      text,
      statement,
      confidence: 1,
      cues: [{ detector: 'log', t, trigger: 'found', value: plainText(quote, MAX_QUOTED_LENGTH), confidence: 1 }],
    });
  }

  /** Reports a problem once, with how often it occurs. */
  report(issue: Issue): void {
    const problem = this.#problems.get(issue.message);
    if (problem) problem.count++;
    else if (this.#problems.size < MAX_PROBLEMS) this.#problems.set(issue.message, { issue, count: 1 });
  }

  /** The sessions and problems so far. */
  finish(): Imported {
    const issues = [...this.#problems.values()].map(({ issue, count }) =>
      count === 1 ? issue : { ...issue, message: `${issue.message} (${count} times)` },
    );
    return { sessions: this.#sessions.map(({ session, duration, events }) => ({ session, duration, events })), issues };
  }

  #render(filled: Statement): RenderedStatement {
    const key = JSON.stringify(filled);
    const known = this.#rendered.get(key);
    if (known) return known;
    const parsed = parseStatement(filled);
    const issues = 'issues' in parsed ? parsed.issues : validateStatement(filled, this.#options.dictionary);
    const statement = issues.length === 0 ? normalizeStatement(filled) : undefined;
    const text = statement ? render(statement, this.#options.dictionary) : '';
    const rendered = { issues, statement, text };
    if (this.#rendered.size >= MAX_REMEMBERED_STATEMENTS) this.#rendered.clear();
    this.#rendered.set(key, rendered);
    return rendered;
  }
}
