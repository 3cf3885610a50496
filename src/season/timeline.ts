import type { Dictionary } from '../dictionary/dictionary.ts';
import type { EventLine } from '../events/log.ts';
import { isPropertyStatement, type PropertyValue, type Slot } from '../events/statement.ts';
import type { PlayedSession, StatisticsSource } from '../library/player-statistics.ts';
import type { Condition, SlotPattern } from '../query/query.ts';

/** What happened to a player in one session, by what it means. All lists are in order of time. */
export interface PlayTimeline {
  readonly session: PlayedSession;
  /** What the player did. */
  readonly actions: readonly EventLine[];
  /** What was done to the player. */
  readonly suffered: readonly EventLine[];
  /** Changes of the player's properties. */
  readonly changes: readonly EventLine[];
  /** Seconds. */
  readonly defeats: readonly EventLine[];
  readonly deaths: readonly EventLine[];
  /** When a life began: spawns, and the start of the session unless one comes at once. */
  readonly starts: readonly number[];
}

/** A life, from its start to a death or the end of the session. */
export interface Life {
  readonly session: PlayedSession;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  /** The event that ended it; `undefined` where the session did. */
  readonly death: EventLine | undefined;
}

/** Whom statistics are about: a name, or the player whose screen was recorded. */
function subjectPattern(player: string | undefined): SlotPattern {
  return { any: [player === undefined ? { words: ['player'] } : { name: player }] };
}

/**
 * Collects what happened to a player, session by session.
 *
 * @param player The name of somebody in the logs. Default: the player whose screen was recorded.
 */
export async function collectTimelines(source: StatisticsSource, player?: string): Promise<readonly PlayTimeline[]> {
  const subject = subjectPattern(player);
  const find = async (condition: Condition): Promise<ReadonlyMap<string, readonly EventLine[]>> => {
    const { matches } = await source.ask({ find: condition });
    const events = matches.map((match) => match.events[0]!).toSorted((a, b) => a.t - b.t);
    return Map.groupBy(events, ({ session }) => session);
  };
  const actions = await find({ action: [], subject });
  const suffered = await find({ action: [], object: subject });
  const changes = await find({ property: [], subject });
  const defeats = await find({ action: ['defeat'], subject });
  const deaths = await find({ action: ['die'], subject });
  const spawns = await find({ action: ['spawn'], subject });
  return source.sessions.map((session) => {
    const of = (events: ReadonlyMap<string, readonly EventLine[]>): readonly EventLine[] =>
      events.get(session.session) ?? [];
    return {
      session,
      actions: of(actions),
      suffered: of(suffered),
      changes: of(changes),
      defeats: of(defeats),
      deaths: of(deaths),
      starts: findStarts(of(spawns), of(deaths)),
    };
  });
}

/** Where lives begin: at spawns; without any, at the start and after each death. */
function findStarts(spawns: readonly EventLine[], deaths: readonly EventLine[]): readonly number[] {
  const times = spawns.map(({ t }) => t);
  if (times.length === 0) return [0, ...deaths.map(({ t }) => t)];
  const first = Math.min(times[0]!, deaths[0]?.t ?? Number.POSITIVE_INFINITY);
  return first > 0 ? [0, ...times] : times;
}

/** Splits a session into lives. A death without a life before it (a second reading of one) ends none. */
export function livesOf({ session, starts, deaths }: PlayTimeline): readonly Life[] {
  const lives: Life[] = [];
  let alive: number | undefined;
  const moments = [
    ...starts.map((t) => ({ t, death: undefined })),
    ...deaths.map((death) => ({ t: death.t, death })),
  ].toSorted((a, b) => a.t - b.t || Number(b.death !== undefined) - Number(a.death !== undefined));
  for (const { t, death } of moments) {
    if (!death) alive ??= t;
    else if (alive !== undefined) {
      lives.push({ session, start: alive, end: t, death });
      alive = undefined;
    }
  }
  if (alive !== undefined && session.duration > alive)
    lives.push({ session, start: alive, end: session.duration, death: undefined });
  return lives;
}

/** The value of a property over a session. */
export interface PropertyTrack {
  readonly property: string;
  /** Each value holds until the next one. */
  readonly values: readonly { readonly t: number; readonly value: PropertyValue }[];
}

/** The values of the properties of a player over a session; the value before the first change holds from the start. */
export function tracksOf({ changes }: PlayTimeline): readonly PropertyTrack[] {
  const tracks = new Map<string, { t: number; value: PropertyValue }[]>();
  for (const { t, statement } of changes) {
    if (!isPropertyStatement(statement)) continue;
    const { property, from, to } = statement;
    const values = tracks.get(property) ?? [];
    if (values.length === 0 && from !== undefined) values.push({ t: 0, value: from });
    values.push({ t, value: to });
    tracks.set(property, values);
  }
  return [...tracks].map(([property, values]) => ({ property, values }));
}

/** The action of an event; `undefined` for a change of a property. */
export function actionOf({ statement }: EventLine): string | undefined {
  return isPropertyStatement(statement) ? undefined : statement.action;
}

/** Whether an event is an action of one of these words or a kind of them. */
export function isAction(event: EventLine, words: readonly string[], dictionary: Dictionary): boolean {
  const action = actionOf(event);
  return action !== undefined && words.some((word) => dictionary.isA(action, word, 'action'));
}

/** A slot or value as people read it: the proper name after the word. */
export function labelOf(slot: Slot | PropertyValue | undefined, dictionary: Dictionary): string {
  if (slot === undefined) return '';
  if (typeof slot === 'number') return String(slot);
  const { word, name } = typeof slot === 'string' ? { word: slot, name: undefined } : slot;
  const shown = dictionary.find(word)?.name ?? word;
  return name === undefined ? shown : `${shown} ${name}`;
}
