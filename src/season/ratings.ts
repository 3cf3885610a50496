import type { StatisticsSource } from '../library/player-statistics.ts';

/** How good somebody is: a normal distribution. */
export interface Rating {
  readonly mu: number;
  readonly sigma: number;
}

/** The rating of somebody of whom nothing is known. */
export const NEW_RATING: Rating = { mu: 25, sigma: 25 / 3 };
/** How much of the performance in a match is not skill: the standard deviation of one performance. */
const BETA = 25 / 6;
/** Variances do not fall below this share in one update. */
const KAPPA = 1e-4;
/** Fights of two people that a session needs to say who was better. */
const MIN_FIGHTS = 1;

/** Who beat whom: `score` is 1 for the first, 0 for the second, 0.5 for a draw. */
export interface Comparison {
  readonly first: number;
  readonly second: number;
  readonly score: number;
}

/**
 * Updates ratings by the comparisons of one match: algorithm 1 (Bradley-Terry, full pairs) of Weng and Lin, "A Bayesian
 * Approximation Method for Online Ranking", Journal of Machine Learning Research 12 (2011), with each player as a team and
 * γ = σ/c. All comparisons count from the ratings before the match.
 *
 * @param ratings The ratings before.
 * @param comparisons By index in `ratings`.
 * @returns The ratings after, in the same order.
 * @example
 * const [winner, loser] = updateRatings([NEW_RATING, NEW_RATING], [{ first: 0, second: 1, score: 1 }]);
 */
export function updateRatings(ratings: readonly Rating[], comparisons: readonly Comparison[]): readonly Rating[] {
  const omega = ratings.map(() => 0);
  const delta = ratings.map(() => 0);
  for (const { first, second, score } of comparisons) {
    for (const [i, q, s] of [
      [first, second, score],
      [second, first, 1 - score],
    ] as const) {
      const [own, other] = [ratings[i]!, ratings[q]!];
      const c = spread(own, other);
      const p = 1 / (1 + Math.exp((other.mu - own.mu) / c));
      omega[i]! += (own.sigma ** 2 / c) * (s - p);
      delta[i]! += (own.sigma / c) * (own.sigma / c) ** 2 * p * (1 - p);
    }
  }
  return ratings.map(({ mu, sigma }, i) => ({
    mu: mu + omega[i]!,
    sigma: sigma * Math.sqrt(Math.max(1 - delta[i]!, KAPPA)),
  }));
}

/** How often the first is expected to beat the second. */
export function winProbability(first: Rating, second: Rating): number {
  return 1 / (1 + Math.exp((second.mu - first.mu) / spread(first, second)));
}

function spread(a: Rating, b: Rating): number {
  return Math.sqrt(a.sigma ** 2 + b.sigma ** 2 + 2 * BETA ** 2);
}

/** Somebody with a rating. */
export interface RatedPlayer {
  /** As logs call them: `player`, `opponent Sarge`. */
  readonly name: string;
  readonly rating: Rating;
  /** What can be relied on: μ - 3σ. */
  readonly sure: number;
  readonly sessions: number;
}

/** Two players for a match. */
export interface Pairing {
  readonly first: string;
  readonly second: string;
  /** How often the first is expected to win. */
  readonly probability: number;
}

/**
 * Rates everybody who defeats or is defeated, session by session: of two people whoever defeated the other more often beat him.
 *
 * @returns The best first, by what can be relied on.
 */
export async function ratePlayers({ ask, sessions }: StatisticsSource): Promise<readonly RatedPlayer[]> {
  const { groups = [] } = await ask({
    find: { action: ['defeat'] },
    by: [{ key: 'session' }, { slot: 'subject' }, { slot: 'object' }],
  });
  const bySession = Map.groupBy(groups, ({ labels }) => labels[0]!);
  const rated = new Map<string, { rating: Rating; sessions: number }>();
  for (const { session } of sessions) {
    const fights = new Map<string, { a: string; b: string; wins: number; losses: number }>();
    for (const { labels, count } of bySession.get(session) ?? []) {
      const [, winner = '-', loser = '-'] = labels;
      // Teammates' and one's own mistakes say nothing about skill, nor do those whom no log names.
      if (winner === loser || !isPerson(winner) || !isPerson(loser)) continue;
      const isFirst = winner < loser;
      const [a, b] = isFirst ? [winner, loser] : [loser, winner];
      const fight = fights.get(`${a}\n${b}`) ?? { a, b, wins: 0, losses: 0 };
      fight[isFirst ? 'wins' : 'losses'] += count;
      fights.set(`${a}\n${b}`, fight);
    }
    const people = [...new Set([...fights.values()].flatMap(({ a, b }) => [a, b]))];
    const comparisons = [...fights.values()]
      .filter(({ wins, losses }) => wins + losses >= MIN_FIGHTS)
      .map(({ a, b, wins, losses }) => ({
        first: people.indexOf(a),
        second: people.indexOf(b),
        score: wins === losses ? 0.5 : Number(wins > losses),
      }));
    const before = people.map((name) => rated.get(name)?.rating ?? NEW_RATING);
    for (const [i, rating] of updateRatings(before, comparisons).entries())
      rated.set(people[i]!, { rating, sessions: (rated.get(people[i]!)?.sessions ?? 0) + 1 });
  }
  return [...rated]
    .map(([name, { rating, sessions: count }]) => ({
      name,
      rating,
      sure: rating.mu - 3 * rating.sigma,
      sessions: count,
    }))
    .toSorted((a, b) => b.sure - a.sure);
}

/** The recorded player, or somebody with a name. */
function isPerson(label: string): boolean {
  return label === 'player' || /^(?:opponent|teammate|player) ./.test(label);
}

/**
 * Pairs players so that matches are as even as they can be: neighbors by rating, of all such pairings the one whose expected
 * results are nearest to even. With an odd number somebody is left out.
 */
export function pairPlayers(
  players: readonly { readonly name: string; readonly rating: Rating }[],
): readonly Pairing[] {
  const sorted = players.toSorted((a, b) => b.rating.mu - a.rating.mu);
  const cost = (i: number, j: number): number => Math.abs(winProbability(sorted[i]!.rating, sorted[j]!.rating) - 0.5);
  // Of an odd number the one is left out without whom the others are most even.
  const without = sorted.length % 2 === 0 ? [undefined] : sorted.map((_, i) => i);
  let best: { readonly pairs: readonly (readonly [number, number])[]; readonly total: number } | undefined;
  for (const left of without) {
    const rest = sorted.map((_, i) => i).filter((i) => i !== left);
    const pairs = rest.flatMap((i, at) => (at % 2 === 0 ? [[i, rest[at + 1]!] as const] : []));
    const total = pairs.reduce((sum, [i, j]) => sum + cost(i, j), 0);
    if (!best || total < best.total) best = { pairs, total };
  }
  return (best?.pairs ?? []).map(([i, j]) => ({
    first: sorted[i]!.name,
    second: sorted[j]!.name,
    probability: winProbability(sorted[i]!.rating, sorted[j]!.rating),
  }));
}
