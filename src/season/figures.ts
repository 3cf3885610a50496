import type { Dictionary } from '../dictionary/dictionary.ts';
import { proportion, type Proportion } from '../evaluate/statistics.ts';
import type { EventLine } from '../events/log.ts';
import { isPropertyStatement } from '../events/statement.ts';
import {
  computePlayerStatistics,
  type Moment,
  type PlayerStatistics,
  type StatisticsSource,
} from '../library/player-statistics.ts';
import { median, quantile } from '../statistics.ts';
import { actionOf, collectTimelines, isAction, labelOf, type Life, livesOf, type PlayTimeline } from './timeline.ts';

/** How many of some tries succeed. */
export interface SuccessRate {
  /** What is tried: `shots`, `shots at goal`, `tasks`. */
  readonly of: string;
  readonly tries: number;
  readonly hits: number;
  /** With its 95 % interval (Wilson). */
  readonly rate: Proportion;
  /** By instrument, where the log has it for both; the most used first. */
  readonly by: readonly {
    readonly name: string;
    readonly tries: number;
    readonly hits: number;
    readonly rate: Proportion;
  }[];
}

/** How long a player takes to answer something. */
export interface Reaction {
  readonly cue: string;
  readonly response: string;
  /** Cues that were answered in time. */
  readonly count: number;
  /** Cues in all. */
  readonly cues: number;
  /** Seconds. */
  readonly median: number;
  readonly quartiles: readonly [number, number];
  readonly times: readonly number[];
}

/** How often an action happens: per life, per session and per hour. */
export interface Rates {
  readonly action: string;
  readonly perLife: number | null;
  readonly perSession: number;
  readonly perHour: number;
  /** Median seconds from one to the next within a session; `null` with fewer than two. */
  readonly secondsBetween: number | null;
}

/** Something that a player used or got, with how often. */
export interface UsedObject {
  readonly object: string;
  /** How: `pick up`, `use`, `buy`. */
  readonly action: string;
  readonly count: number;
}

/** A personal record. */
export interface PersonalRecord {
  readonly what: string;
  readonly value: number;
  readonly unit: 'count' | 'seconds' | 'per minute';
  readonly moment: Moment;
}

/** Where a player stands among others, or a session among sessions. */
export interface Standing {
  readonly what: string;
  readonly value: number;
  /** Share of the others whose value is lower, in percent; those of equal value count half. */
  readonly percentile: number;
  /** How many others there are. */
  readonly among: number;
}

/** The figures of one session, for charts over a season. */
export interface SessionFigures {
  readonly session: string;
  readonly name: string;
  readonly game: string;
  /** Seconds. */
  readonly duration: number;
  readonly defeats: number;
  readonly deaths: number;
  readonly streak: number;
}

/** Everything that is computed of a player over some sessions. */
export interface SeasonFigures extends PlayerStatistics {
  readonly games: readonly string[];
  readonly bySession: readonly SessionFigures[];
  readonly rates: readonly Rates[];
  readonly success: readonly SuccessRate[];
  readonly reactions: readonly Reaction[];
  readonly objects: readonly UsedObject[];
  readonly records: readonly PersonalRecord[];
  readonly standings: readonly Standing[];
  /** Seconds of each life that ended with a death. */
  readonly lives: readonly number[];
}

/** Seconds within which a response belongs to its cue. */
const MAX_REACTION_SECONDS = 5;
/** Others that a standing needs. */
const MIN_OTHERS = 4;
/** Actions by which objects are used or got. */
const USES = ['obtain', 'use', 'equip', 'consume', 'place', 'make', 'hurl'];

/** Tries and what makes them hits. A hit that is also a success of another kind counts once: the first list that occurs. */
const TRIES: readonly {
  readonly of: string;
  readonly tries: readonly string[];
  readonly hits: readonly (readonly string[])[];
}[] = [
  { of: 'shots', tries: ['shoot'], hits: [['hurt', 'hit'], ['defeat']] },
  { of: 'shots at goal', tries: ['shoot ball'], hits: [['score goal']] },
  { of: 'shots at the basket', tries: ['shoot basket'], hits: [['score basket']] },
  { of: 'swings', tries: ['swing club'], hits: [['hole golf ball']] },
];
/** What succeeds and what fails without a try of its own. */
const OUTCOMES: readonly {
  readonly of: string;
  readonly hits: readonly string[];
  readonly misses: readonly string[];
}[] = [
  { of: 'matches and rounds', hits: ['win'], misses: ['lose'] },
  { of: 'tasks', hits: ['succeed', 'complete', 'solve'], misses: ['fail'] },
];

/** Cues and responses: who sees the cue and how it is answered. */
const REACTIONS: readonly {
  readonly cue: string;
  readonly response: string;
  readonly isCue: (event: EventLine, dictionary: Dictionary) => boolean;
  readonly from: 'suffered' | 'changes' | 'actions';
  readonly responses: readonly string[];
}[] = [
  {
    cue: 'being hit',
    response: 'attack or defeat',
    from: 'changes',
    isCue: ({ statement }) =>
      isPropertyStatement(statement) &&
      statement.property === 'health' &&
      typeof statement.from === 'number' &&
      typeof statement.to === 'number' &&
      statement.to < statement.from &&
      statement.to > 0,
    responses: ['attack', 'hurt', 'defeat'],
  },
  {
    cue: 'being attacked',
    response: 'defence',
    from: 'suffered',
    isCue: (event, dictionary) => isAction(event, ['attack'], dictionary),
    responses: ['defend'],
  },
  {
    cue: 'spawning',
    response: 'first attack or defeat',
    from: 'actions',
    isCue: (event, dictionary) => isAction(event, ['spawn'], dictionary),
    responses: ['attack', 'hurt', 'defeat'],
  },
];

/**
 * Computes what a player did: the statistics of `computePlayerStatistics`, rates, success, reactions, records and where the
 * sessions stand among others.
 *
 * @param library What standings compare with. Default: the sessions themselves.
 * @example
 * ```ts
 * const { success, records } = await computeSeason(source);
 * ```
 */
export async function computeSeason(
  source: StatisticsSource,
  player?: string,
  library: StatisticsSource = source,
): Promise<SeasonFigures> {
  const statistics = await computePlayerStatistics(source, player);
  const timelines = await collectTimelines(source, player);
  const { dictionary } = source;
  const lives = timelines.flatMap((timeline) => livesOf(timeline));
  const ended = lives.filter(({ death }) => death);
  const bySession = timelines.map((timeline) => sessionFigures(timeline));
  return {
    ...statistics,
    games: [...new Set(source.sessions.map(({ game }) => game))],
    bySession,
    rates: findRates(statistics, timelines, ended.length, dictionary),
    success: findSuccess(timelines, dictionary),
    reactions: findReactions(timelines, dictionary),
    objects: findObjects(timelines, dictionary),
    records: findRecords(statistics, bySession, ended, timelines),
    standings: await findStandings(statistics, bySession, library),
    lives: ended.map(({ start, end }) => end - start),
  };
}

function sessionFigures({ session, defeats, deaths }: PlayTimeline): SessionFigures {
  return {
    session: session.session,
    name: session.name,
    game: session.game,
    duration: session.duration,
    defeats: defeats.length,
    deaths: deaths.length,
    streak: streakOf(defeats, deaths).length,
  };
}

/** The longest run of defeats without a death between them. */
function streakOf(defeats: readonly EventLine[], deaths: readonly EventLine[]): readonly EventLine[] {
  let best: readonly EventLine[] = [];
  let run: EventLine[] = [];
  const isDeath = new Set(deaths);
  for (const event of [...defeats, ...deaths].toSorted((a, b) => a.t - b.t)) {
    if (isDeath.has(event)) run = [];
    else run = [...run, event];
    if (run.length > best.length) best = run;
  }
  return best;
}

function findRates(
  { actions, sessions, duration }: PlayerStatistics,
  timelines: readonly PlayTimeline[],
  lives: number,
  dictionary: Dictionary,
): readonly Rates[] {
  return actions.map(({ action, total }) => {
    const gaps = timelines.flatMap(({ actions: done, deaths }) => {
      const times = (action === 'die' ? deaths : done.filter((event) => isAction(event, [action], dictionary))).map(
        ({ t }) => t,
      );
      return times.slice(1).map((t, i) => t - times[i]!);
    });
    return {
      action,
      perLife: lives === 0 ? null : total / lives,
      perSession: total / sessions,
      perHour: (total / duration) * 3600,
      secondsBetween: gaps.length === 0 ? null : median(gaps),
    };
  });
}

function findSuccess(timelines: readonly PlayTimeline[], dictionary: Dictionary): readonly SuccessRate[] {
  const done = timelines.flatMap(({ actions }) => actions);
  const of = (words: readonly string[]): readonly EventLine[] =>
    done.filter((event) => isAction(event, words, dictionary));
  const tried = TRIES.flatMap(({ of: name, tries, hits }): SuccessRate[] => {
    const attempts = of(tries);
    const succeeded = hits.map((words) => of(words)).find(({ length }) => length > 0) ?? [];
    // Without the one the other says nothing, and a log may have hits whose tries the screen does not show.
    if (attempts.length === 0 || succeeded.length === 0 || succeeded.length > attempts.length) return [];
    return [
      {
        of: name,
        tries: attempts.length,
        hits: succeeded.length,
        rate: proportion(succeeded.length, attempts.length),
        by: byInstrument(attempts, succeeded, dictionary),
      },
    ];
  });
  const outcomes = OUTCOMES.flatMap(({ of: name, hits, misses }): SuccessRate[] => {
    const [won, lost] = [of(hits).length, of(misses).length];
    return won === 0 || lost === 0
      ? []
      : [{ of: name, tries: won + lost, hits: won, rate: proportion(won, won + lost), by: [] }];
  });
  return [...tried, ...outcomes];
}

function byInstrument(
  tries: readonly EventLine[],
  hits: readonly EventLine[],
  dictionary: Dictionary,
): SuccessRate['by'] {
  const count = (events: readonly EventLine[]): ReadonlyMap<string, number> => {
    const instruments = events.map(({ statement }) =>
      isPropertyStatement(statement) ? '' : labelOf(statement.with, dictionary),
    );
    return new Map([...Map.groupBy(instruments, (name) => name)].map(([name, all]) => [name, all.length]));
  };
  const [tried, hit] = [count(tries), count(hits)];
  return [...tried]
    .filter(([name, all]) => name !== '' && hit.has(name) && hit.get(name)! <= all)
    .map(([name, all]) => ({ name, tries: all, hits: hit.get(name)!, rate: proportion(hit.get(name)!, all) }))
    .toSorted((a, b) => b.tries - a.tries);
}

function findReactions(timelines: readonly PlayTimeline[], dictionary: Dictionary): readonly Reaction[] {
  return REACTIONS.flatMap(({ cue, response, from, isCue, responses }): Reaction[] => {
    let cues = 0;
    const times = timelines.flatMap((timeline) => {
      const answers = timeline.actions.filter((event) => isAction(event, responses, dictionary)).map(({ t }) => t);
      let last = Number.NEGATIVE_INFINITY;
      return timeline[from].flatMap((event) => {
        // Several hits in a row are one cue: the first one is answered.
        const isFirst = event.t - last > MAX_REACTION_SECONDS;
        if (!isCue(event, dictionary)) return [];
        last = event.t;
        if (!isFirst) return [];
        cues++;
        const answer = answers.find((t) => t > event.t);
        return answer !== undefined && answer - event.t <= MAX_REACTION_SECONDS ? [answer - event.t] : [];
      });
    });
    if (times.length < MIN_OTHERS) return [];
    return [
      {
        cue,
        response,
        count: times.length,
        cues,
        median: median(times),
        quartiles: [quantile(times, 0.25), quantile(times, 0.75)],
        times,
      },
    ];
  });
}

function findObjects(timelines: readonly PlayTimeline[], dictionary: Dictionary): readonly UsedObject[] {
  const used = timelines.flatMap(({ actions }) =>
    actions.flatMap((event) => {
      const { statement } = event;
      if (isPropertyStatement(statement) || statement.object === undefined) return [];
      const action = actionOf(event)!;
      return USES.some((word) => dictionary.isA(action, word, 'action'))
        ? [{ action, object: labelOf(statement.object, dictionary) }]
        : [];
    }),
  );
  return [...Map.groupBy(used, (one) => `${one.action} ${one.object}`).values()]
    .map((all) => ({ ...all[0]!, count: all.length }))
    .toSorted((a, b) => b.count - a.count || (a.object < b.object ? -1 : 1));
}

function findRecords(
  { actions }: PlayerStatistics,
  bySession: readonly SessionFigures[],
  lives: readonly Life[],
  timelines: readonly PlayTimeline[],
): readonly PersonalRecord[] {
  const records: PersonalRecord[] = [];
  const run = most(
    timelines.map(({ defeats, deaths }) => streakOf(defeats, deaths)),
    ({ length }) => length,
  );
  if (run && run.length > 1)
    records.push({ what: 'longest streak', value: run.length, unit: 'count', moment: momentOf(run.at(-1)!) });
  const life = most(lives, ({ start, end }) => end - start);
  if (life)
    records.push({
      what: 'longest life',
      value: life.end - life.start,
      unit: 'seconds',
      moment: { session: life.session.session, t: life.start },
    });
  const gaps = timelines.flatMap(({ defeats }) =>
    defeats.slice(1).map((event, i) => ({ event, gap: event.t - defeats[i]!.t })),
  );
  const fastest = most(gaps, ({ gap }) => -gap);
  if (fastest)
    records.push({ what: 'two defeats fastest', value: fastest.gap, unit: 'seconds', moment: momentOf(fastest.event) });
  const kd = most(
    bySession.filter(({ defeats, deaths }) => defeats > 0 && deaths > 0),
    ({ defeats, deaths }) => defeats / deaths,
  );
  if (kd && bySession.length > 1)
    records.push({
      what: 'best defeats by deaths',
      value: kd.defeats / kd.deaths,
      unit: 'count',
      moment: { session: kd.session, t: 0 },
    });
  if (bySession.length > 1)
    for (const { action, best } of actions.slice(0, 6))
      records.push({
        what: `most in a session: ${action}`,
        value: best.count,
        unit: 'count',
        moment: { session: best.session, t: 0 },
      });
  return records;
}

/** The one with the highest value, the first of equal ones. */
function most<T>(all: readonly T[], value: (one: T) => number): T | undefined {
  return all.reduce<T | undefined>(
    (best, one) => (best === undefined || value(one) > value(best) ? one : best),
    undefined,
  );
}

function momentOf({ session, t }: EventLine): Moment {
  return { session, t };
}

/** Among the sessions of the library, or for a named player among the people of these sessions. */
async function findStandings(
  { actions, player: name }: PlayerStatistics,
  bySession: readonly SessionFigures[],
  library: StatisticsSource,
): Promise<readonly Standing[]> {
  if (name !== undefined) return findStandingsOfPerson(library, name);
  const own = new Set(bySession.map(({ session }) => session));
  const games = new Set(bySession.map(({ game }) => game));
  const others = library.sessions.filter(
    ({ session, game, duration }) => !own.has(session) && games.has(game) && duration > 0,
  );
  if (others.length < MIN_OTHERS) return [];
  const standings: Standing[] = [];
  const minutes = bySession.reduce((sum, { duration }) => sum + duration, 0) / 60;
  for (const { action, total } of actions.slice(0, 8)) {
    const { groups = [] } = await library.ask({
      find: { action: [action], subject: { any: [{ words: ['player'] }] } },
      by: [{ key: 'session' }],
    });
    const counts = new Map(groups.map(({ labels, count }) => [labels[0]!, count]));
    const rates = others.map(({ session, duration }) => ((counts.get(session) ?? 0) / duration) * 60);
    standings.push(standing(`${action} per minute`, total / minutes, rates));
  }
  return standings;
}

async function findStandingsOfPerson(library: StatisticsSource, player: string): Promise<readonly Standing[]> {
  const count = async (
    find: Parameters<StatisticsSource['ask']>[0]['find'],
    slot: 'subject' | 'object',
  ): Promise<ReadonlyMap<string, number>> => {
    const { groups = [] } = await library.ask({ find, by: [{ slot }] });
    return new Map(groups.map(({ labels, count: n }) => [labels[0] ?? '-', n]));
  };
  const defeats = await count({ action: ['defeat'] }, 'subject');
  const deaths = await count({ action: ['die'] }, 'subject');
  const people = new Set([...defeats.keys(), ...deaths.keys()].filter((label) => label !== '-'));
  const isPlayer = (label: string): boolean => label.endsWith(` ${player}`) || label.endsWith(` "${player}"`);
  const self = [...people].find((label) => isPlayer(label));
  const others = [...people].filter((label) => !isPlayer(label));
  if (self === undefined || others.length < MIN_OTHERS) return [];
  const ratio = (label: string): number => (defeats.get(label) ?? 0) / Math.max(1, deaths.get(label) ?? 0);
  return [
    standing(
      'defeats',
      defeats.get(self) ?? 0,
      others.map((label) => defeats.get(label) ?? 0),
    ),
    standing(
      'defeats by deaths',
      ratio(self),
      others.map((label) => ratio(label)),
    ),
  ];
}

function standing(what: string, value: number, others: readonly number[]): Standing {
  const below = others.filter((other) => other < value).length;
  const equal = others.filter((other) => other === value).length;
  return { what, value, percentile: (100 * (below + equal / 2)) / others.length, among: others.length };
}
