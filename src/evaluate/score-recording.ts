import { PlaybyplayError } from '../errors.ts';
import { isPropertyStatement, type Statement } from '../events/statement.ts';
import { alignTruth, applyClock, resolutionOf, type TruthClock } from './align-truth.ts';
import { evaluate, type Evaluation, type TruthLine } from './evaluate.ts';
import { agree, kindOf, type Timed, type WordRelation } from './match.ts';

/** Options of {@link scoreRecording}. */
export interface ScoreRecordingOptions {
  /** Greatest time difference of an event from its truth, in seconds; truth of whole seconds adds to it. */
  readonly tolerance: number;
  /** Whether word `a` is a `b` by the dictionary. */
  readonly isA: WordRelation;
  /** Seconds of the recording that were read. */
  readonly from: number;
  readonly to: number;
  /** Where the truth's clock begins in the recording, in seconds. Default: found by the events. */
  readonly offset?: number | undefined;
  /** Counts what the log never says as missed, too. */
  readonly all?: boolean | undefined;
}

/** A log measured by the truth of another program. */
export interface RecordingScore {
  /** Which session of the truth the recording shows, from 0. */
  readonly session: number;
  /** `matched` and `byChance` are 0 for a clock that was given. */
  readonly clock: TruthClock;
  readonly evaluation: Evaluation;
  /** Kinds of the truth that the log never says, with how often they happened: not counted, unless `all` is given. */
  readonly unread: Readonly<Record<string, number>>;
}

/**
 * Measures a log by the truth of another program: finds the truth's clock and counts per kind what was detected.
 *
 * An event is a hit where its statement agrees with the truth's, see `agree`.
 *
 * @param sessions The sessions of the truth, one of which the recording shows.
 * @throws PlaybyplayError `truth-not-aligned` where no clock fits.
 */
export function scoreRecording(
  events: readonly Timed[],
  sessions: readonly (readonly TruthLine[])[],
  options: ScoreRecordingOptions,
): RecordingScore {
  const { from, to, isA, offset } = options;
  const tried = sessions.map((truth, session) => {
    const tolerance = options.tolerance + resolutionOf(truth) / 2;
    const clock =
      offset === undefined
        ? alignTruth(events, truth, { tolerance, isA })
        : { offset, rate: 1, matched: 0, byChance: 0 };
    return clock && { session, clock, tolerance, truth };
  });
  const found = tried.filter((one) => one !== undefined);
  const best = found.reduce<(typeof found)[number] | undefined>(
    (a, b) => (a && a.clock.matched >= b.clock.matched ? a : b),
    undefined,
  );
  if (!best)
    throw new PlaybyplayError(
      'truth-not-aligned',
      'the ground truth cannot be aligned with the recording: no offset matches clearly more events than chance',
      {
        hint: 'Check that it is of this recording and who the player is (--player), or give its start in the recording: --offset.',
      },
    );
  const { session, clock, tolerance } = best;
  // What lies just outside still has events inside; `evaluate` cuts.
  const placed = applyClock(best.truth, clock);
  const said = new Set(events.map(({ statement }) => groupOf(statement)));
  const isRead = ({ statement }: Timed): boolean =>
    said.has(groupOf(statement)) || events.some((event) => agree(statement, event.statement, isA));
  const unread: Record<string, number> = {};
  const truth = placed.filter((one) => {
    if (isRead(one)) return true;
    const group = groupOf(one.statement);
    if (one.t >= from && one.t < to) unread[group] = (unread[group] ?? 0) + 1;
    return options.all === true;
  });
  const evaluation = evaluate([{ events, truth }], { tolerance, isA, agreeing: true, from, to });
  return { session, clock, evaluation, unread };
}

/** The kind of a statement, and whether it is about the player or others: screens show more of the player. */
function groupOf(statement: Statement): string {
  const kind = kindOf(statement);
  if (isPropertyStatement(statement) || statement.subject === undefined) return kind;
  const word = typeof statement.subject === 'string' ? statement.subject : statement.subject.word;
  return `${kind} by ${word}`;
}
