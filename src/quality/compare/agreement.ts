import { kendall, ranks, spearman } from '../statistics.ts';
import type { Judgement } from './compare.ts';

/** A session with its name, for a comparison over many. */
export interface Judged {
  readonly name: string;
  readonly judgement: Judgement;
}

/** How two scores order the same sessions. */
export interface Agreement {
  readonly a: string;
  readonly b: string;
  /** Null where one score is the same for all sessions. */
  readonly spearman: number | null;
  readonly kendall: number | null;
}

/** A session that the metric and another model place far apart, and what of the metric explains it. */
export interface Disagreement {
  readonly name: string;
  readonly other: 'G.1072' | 'rtcscore';
  /** Place by either, as a share of the sessions from worst (0) to best (1). */
  readonly here: number;
  readonly there: number;
  readonly because: string;
}

const scores: Readonly<Record<string, (one: Judgement) => number>> = {
  'metric (raw)': ({ quality }) => quality.raw ?? Number.NaN,
  'G.1072': ({ g1072 }) => g1072.rating,
  rtcscore: ({ rtcScore }) => rtcScore,
  'no stutter (CapFrameX)': ({ stutterShare }) => -stutterShare,
};

/** Rank correlations of all pairs of scores over the sessions. */
export function agreements(sessions: readonly Judged[]): Agreement[] {
  const names = Object.keys(scores);
  const values = new Map(names.map((name) => [name, sessions.map(({ judgement }) => scores[name]!(judgement))]));
  return names.flatMap((a, i) =>
    names.slice(i + 1).map((b) => {
      const [one, other] = [values.get(a)!, values.get(b)!];
      return { a, b, spearman: known(spearman(one, other)), kendall: known(kendall(one, other)) };
    }),
  );
}

/** The sessions on whose place the metric and a model differ most, by at least a quarter of them. */
export function disagreements(sessions: readonly Judged[], most = 8): Disagreement[] {
  const here = places(sessions.map(({ judgement }) => scores['metric (raw)']!(judgement)));
  return (['G.1072', 'rtcscore'] as const)
    .flatMap((other) => {
      const there = places(sessions.map(({ judgement }) => scores[other]!(judgement)));
      return sessions.map(({ name, judgement }, i) => ({
        name,
        other,
        here: here[i]!,
        there: there[i]!,
        because: reason(judgement, here[i]! > there[i]!),
      }));
    })
    .filter(({ here: a, there: b }) => Math.abs(a - b) >= 0.25)
    .toSorted((a, b) => Math.abs(b.here - b.there) - Math.abs(a.here - a.there))
    .slice(0, most);
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** Place of each value from the least (0) to the greatest (1). */
function places(values: readonly number[]): number[] {
  return ranks(values).map((rank) => (rank - 1) / Math.max(1, values.length - 1));
}

/** What in the session moves the metric away from models that see means only. */
function reason({ quality, means }: Judgement, better: boolean): string {
  const { base, offset, picture, components } = quality;
  const stack = components['stackLatency'];
  const level = ['captureDelta', 'presentDelta', 'roundTripDelay', 'stackLatency'].map(
    (name) => components[name]?.score ?? 100,
  );
  const poor = Math.min(...level);
  if (better) {
    if (means.roundTrip > 100 || means.lost > 0.2) {
      return `hopeless all the time (${means.roundTrip.toFixed(0)} ms round trip, ${(100 * means.lost).toFixed(0)} % not shown): without unrest the base stays near 0, and the target bitrate gives the picture ${picture?.toFixed(0)} whatever arrives`;
    }
    return `even (offset ${offset?.toFixed(1)}) and the picture counts by its bits alone (${picture?.toFixed(0)}), whatever its size (${means.height.toFixed(0)} lines)`;
  }
  if (base !== null && poor - base > 45) {
    const from =
      stack && stack.std > 8
        ? `the delay from input to picture wavers by ${stack.std.toFixed(0)} ms`
        : 'delay and frame times waver';
    return `unrest that means do not show: ${from}, so six deviations take the base to ${base.toFixed(0)}`;
  }
  if (stack && stack.score < 40) {
    return `input to picture takes ${stack.mean.toFixed(0)} ms; the others see the network's ${means.roundTrip.toFixed(0)} ms only`;
  }
  return `stutter and delay weigh as they are felt: the weakest component scores ${poor.toFixed(0)}`;
}
