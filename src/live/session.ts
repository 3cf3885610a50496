import type { Dictionary } from '../dictionary/dictionary.ts';
import { PlaybyplayError } from '../errors.ts';
import type { EventLine, GapLine } from '../events/log.ts';
import type { Statement } from '../events/statement.ts';
import { isPropertyStatement } from '../events/statement.ts';
import type { ConnectionMessage, DetectMessage, EarlyMessage, WithdrawnMessage } from '../pipeline/messages.ts';
import { describeSettings } from '../quality/control/settings.ts';
import { compileQuery, createEventTest, type EventLine as QueriedEvent } from '../query/index.ts';
import type { StreamMessage } from './stream-quality.ts';

/** A number that is shown while a session goes on: how many events match a query. */
export interface Counter {
  readonly name: string;
  /** A sentence of the query language about single events: `kills by player`. */
  readonly query: string;
}

/** Counters of a session that names none: those of the dictionary's words that every shooter has. */
const DEFAULT_COUNTERS: readonly Counter[] = [
  { name: 'Kills', query: 'kills by player' },
  { name: 'Deaths', query: 'player dies' },
];

/** What a session came to so far. */
export interface SessionState {
  readonly game: string | undefined;
  readonly session: string | undefined;
  /** Seconds since the first frame. */
  readonly t: number;
  readonly isConnected: boolean;
  /** Where the frames come from, without passwords and keys; or why none come. */
  readonly connection: string;
  readonly events: number;
  readonly gaps: number;
  /** As the streaks, with events that were stated early. */
  readonly counters: readonly { readonly name: string; readonly value: number }[];
  /** Kills by the player since the last death, and the most of them. */
  readonly streak: number;
  readonly bestStreak: number;
  /** Scores, health and other properties of the player that were read last. */
  readonly properties: Readonly<Record<string, string | number>>;
  /** The quality of the stream, from its frame log: combined weighted score, and the settings that fit its network. */
  readonly stream?: { readonly score?: number | undefined; readonly settings?: string | undefined };
  readonly hasEnded: boolean;
}

/** What listeners to a session are sent. */
export type SessionMessage =
  | EarlyMessage
  | WithdrawnMessage
  | EventLine
  | GapLine
  | ConnectionMessage
  | StreamMessage
  | { readonly type: 'state'; readonly state: SessionState };

/** Events that newcomers are sent. */
const MAX_RECENT_EVENTS = 200;
/** Properties of the player that are kept. */
const MAX_PROPERTIES = 50;

/** Follows the messages of a live session: keeps its statistics and recent events, and passes messages on to listeners. */
export class LiveSession {
  readonly #counters: readonly { readonly name: string; readonly test: (event: QueriedEvent) => boolean }[];
  readonly #counts: number[];
  readonly #listeners = new Set<(message: SessionMessage) => void>();
  readonly #recent: EventLine[] = [];
  readonly #properties = new Map<string, string | number>();
  readonly #isKill: ((event: QueriedEvent) => boolean) | undefined;
  readonly #isDeath: ((event: QueriedEvent) => boolean) | undefined;
  /** Early statements that are neither in the log nor withdrawn, by id. They count already: the log comes seconds later. */
  readonly #early = new Map<string, QueriedEvent>();
  #game: string | undefined;
  #session: string | undefined;
  #t = 0;
  #isConnected = false;
  #connection = 'waiting for the first picture';
  #events = 0;
  #gaps = 0;
  #streak = 0;
  #bestStreak = 0;
  #stream: SessionState['stream'];
  #hasEnded = false;

  /** @throws PlaybyplayError `bad-query` if a counter cannot be understood. */
  constructor(dictionary: Dictionary, counters: readonly Counter[] = DEFAULT_COUNTERS) {
    this.#counters = counters.map(({ name, query }) => ({ name, test: compileEventTest(query, dictionary) }));
    this.#counts = counters.map(() => 0);
    this.#isKill = tryCompile('kills by player', dictionary);
    this.#isDeath = tryCompile('player dies', dictionary);
  }

  /** What the session came to so far. */
  get state(): SessionState {
    const counts = [...this.#counts];
    let [streak, bestStreak] = [this.#streak, this.#bestStreak];
    for (const event of [...this.#early.values()].toSorted((a, b) => a.t - b.t)) {
      for (const [i, { test }] of this.#counters.entries()) if (test(event)) counts[i]!++;
      streak = this.#continueStreak(streak, event);
      bestStreak = Math.max(bestStreak, streak);
    }
    return {
      game: this.#game,
      session: this.#session,
      t: this.#t,
      isConnected: this.#isConnected,
      connection: this.#connection,
      events: this.#events,
      gaps: this.#gaps,
      counters: this.#counters.map(({ name }, i) => ({ name, value: counts[i]! })),
      streak,
      bestStreak,
      properties: Object.fromEntries(this.#properties),
      ...(this.#stream && { stream: this.#stream }),
      hasEnded: this.#hasEnded,
    };
  }

  /** The last events, oldest first. */
  get recent(): readonly EventLine[] {
    return this.#recent;
  }

  /** Calls `listener` with every message from now on. @returns A function that ends this. */
  listen(listener: (message: SessionMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes the next message of the session. */
  add(message: DetectMessage): void {
    if (message.type === 'header') {
      this.#game = message.game;
      this.#session = message.session;
    } else if (message.type === 'progress') this.#t = Math.max(this.#t, message.done);
    else if (message.type === 'connection') {
      this.#isConnected = message.state === 'connected';
      this.#connection = message.text;
    } else if (message.type === 'early') {
      if (!message.tentative) this.#early.set(message.id, asEvent(message));
    } else if (message.type === 'withdrawn') this.#early.delete(message.id);
    else if (message.type === 'end') {
      this.#hasEnded = true;
      this.#isConnected = false;
    } else if (message.type === 'gap') this.#gaps++;
    else if (message.type === 'event') this.#count(message);
    else return;
    if (message.type !== 'header' && message.type !== 'progress' && message.type !== 'end') this.#send(message);
    if (message.type !== 'gap') this.#send({ type: 'state', state: this.state });
  }

  /** Takes what the frame log of the stream says. */
  addStream(message: StreamMessage): void {
    if (message.type === 'quality') this.#stream = { ...this.#stream, score: message.score };
    else if (message.type === 'settings')
      this.#stream = { ...this.#stream, settings: describeSettings(message.settings) };
    this.#send(message);
    if (message.type !== 'incident') this.#send({ type: 'state', state: this.state });
  }

  #count(event: EventLine): void {
    this.#t = Math.max(this.#t, event.t);
    this.#recent.push(event);
    if (this.#recent.length > MAX_RECENT_EVENTS) this.#recent.shift();
    this.#early.delete(event.id);
    if (event.tentative) return;
    this.#events++;
    for (const [i, { test }] of this.#counters.entries()) if (test(event)) this.#counts[i]!++;
    this.#streak = this.#continueStreak(this.#streak, event);
    this.#bestStreak = Math.max(this.#bestStreak, this.#streak);
    this.#noteProperty(event.statement);
  }

  /** The streak after an event. */
  #continueStreak(streak: number, event: QueriedEvent): number {
    if (this.#isDeath?.(event)) return 0;
    return this.#isKill?.(event) ? streak + 1 : streak;
  }

  #noteProperty(statement: Statement): void {
    if (!isPropertyStatement(statement) || statement.subject !== 'player') return;
    const { property, to } = statement;
    const value = typeof to === 'object' ? (to.name ?? to.word) : to;
    if (!this.#properties.has(property) && this.#properties.size >= MAX_PROPERTIES) return;
    this.#properties.set(property, value);
  }

  #send(message: SessionMessage): void {
    for (const listener of this.#listeners) listener(message);
  }
}

/** An early statement as the event that it will be. */
export function asEvent(message: EarlyMessage): QueriedEvent {
  return { ...message, type: 'event', game: '', session: '', cues: [] };
}

/** Compiles a query about single events. @throws PlaybyplayError `bad-query`, also for a query about several events. */
export function compileEventTest(query: string, dictionary: Dictionary): (event: QueriedEvent) => boolean {
  const test = createEventTest(compileQuery(query, dictionary, { exactSpelling: true }));
  if (test) return test;
  throw new PlaybyplayError('bad-query', `"${query}" is not about single events`, {
    hint: 'Name the events one by one, such as: kills by player. Only triggers can ask for several events.',
  });
}

function tryCompile(query: string, dictionary: Dictionary): ((event: QueriedEvent) => boolean) | undefined {
  try {
    return compileEventTest(query, dictionary);
  } catch {
    // A dictionary without the word has no such events.
    return undefined;
  }
}
