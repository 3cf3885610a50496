import { availableParallelism } from 'node:os';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import { PlaybyplayError } from '../../errors.ts';
import { report } from '../../evaluate/report.ts';
import { type RecordingScore, scoreRecording } from '../../evaluate/score-recording.ts';
import { readForeignTruth, readTruth } from '../../evaluate/truth.ts';
import type { TruthLine } from '../../evaluate/evaluate.ts';
import type { EventLine, HeaderLine } from '../../events/log.ts';
import { detect } from '../../pipeline/detect.ts';
import { openGame } from '../../pipeline/game.ts';
import { openSource } from '../../pipeline/source.ts';
import { formatClock } from '../../time.ts';
import type { CommandIo, RunCommand } from '../command.ts';
import { formatCount, formatIssues } from '../describe-error.ts';
import { ProgressBar } from '../progress.ts';
import type * as specs from '../specs.ts';
import { sampleInterval, statementFormatter, TOLERANCE_SAMPLES } from './evaluate.ts';

/** `playbyplay profile score <game or path> <recording> --truth <file>` */
export const score: RunCommand<typeof specs.profileScore> = async (io, options, name, media) => {
  const { from = 0, to, player } = options;
  const sessions = await readSessions(options.truth, player, options.format, io);
  const game = await openGame(name);
  using source = await openSource(media);
  const { header, events } = await detectEvents(io, source, game, options);
  const { dictionary } = game;
  const result = scoreRecording(
    events.filter(({ tentative }) => options.tentative || tentative !== true),
    sessions,
    {
      tolerance: options.tolerance ?? TOLERANCE_SAMPLES * sampleInterval(header),
      isA: (a, b) => dictionary.isA(a, b),
      from,
      to: Math.min(to ?? Number.POSITIVE_INFINITY, header.media.duration),
      offset: options.offset,
      all: options.all,
    },
  );
  if (options.json) io.stdout.write(`${JSON.stringify(result)}\n`);
  else io.stdout.write(describeScore(result, sessions.length, dictionary));
  return result.evaluation.misses.length + result.evaluation.falseEvents.length > 0 ? 3 : 0;
};

/** The sessions of the truth: of another program's file, or of ground truth as `evaluate` reads it. */
async function readSessions(
  path: string,
  player: string | undefined,
  format: string | undefined,
  io: CommandIo,
): Promise<readonly (readonly TruthLine[])[]> {
  const foreign = await readForeignTruth(path, { player, format });
  if (!foreign) return [await readTruth(path)];
  const { sessions, issues, title } = foreign;
  io.stderr.write(formatIssues(issues.map((issue) => ({ ...issue, path: `${path}:${issue.path}` }))));
  const statements = sessions.reduce((sum, { length }) => sum + length, 0);
  if (statements === 0) throw new PlaybyplayError('empty-log', `${path} contains no event in the format ${title}`);
  io.stderr.write(
    `  Truth: ${title}, ${formatCount(statements, 'event')} in ${formatCount(sessions.length, 'session')}.\n`,
  );
  return sessions;
}

async function detectEvents(
  io: CommandIo,
  source: Parameters<typeof detect>[0],
  game: Parameters<typeof detect>[1],
  {
    from,
    to,
    plan,
    workers = availableParallelism(),
  }: {
    readonly from?: number | undefined;
    readonly to?: number | undefined;
    readonly plan: 'full' | 'adaptive';
    readonly workers?: number | undefined;
  },
): Promise<{ readonly header: HeaderLine; readonly events: readonly EventLine[] }> {
  const bar = new ProgressBar(io, 'detecting', { isRealTime: true });
  const events: EventLine[] = [];
  let header: HeaderLine | undefined;
  const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  try {
    for await (const message of detect(source, game, { plan, workers, signal: io.signal, ...range })) {
      if (message.type === 'header') header = message;
      else if (message.type === 'event') events.push(message);
      else if (message.type === 'warning') bar.print(io.stderr, formatIssues([message.issue]));
      else if (message.type === 'progress' && message.total !== undefined) {
        const start = Math.max(0, from ?? 0);
        const end = Math.min(to ?? Number.POSITIVE_INFINITY, message.total);
        bar.show(Math.min(message.done, end) - start, end - start);
      }
    }
  } finally {
    bar.clear();
  }
  return { header: header!, events };
}

function describeScore(
  { session, clock, evaluation, unread }: RecordingScore,
  sessions: number,
  dictionary: Dictionary,
): string {
  const { offset, rate, matched, byChance } = clock;
  const where =
    offset < 0
      ? `${formatClock(-offset, 3)} before the recording begins`
      : `at ${formatClock(offset, 3)} of the recording`;
  const drift = rate === 1 ? '' : `; it is ${Math.abs((rate - 1) * 1e6).toFixed(0)} ppm ${rate > 1 ? 'slow' : 'fast'}`;
  const how = matched === 0 ? '' : ` (${formatCount(matched, 'event')} agree, by chance ${byChance})`;
  const which = sessions > 1 ? `Session ${session + 1} of ${sessions} of the truth. ` : '';
  const lines = [`${which}The truth's clock starts ${where}${drift}${how}.`, ''];
  const others = Object.entries(unread).toSorted(([, a], [, b]) => b - a);
  const text = report(evaluation, statementFormatter(dictionary));
  if (others.length === 0) return `${lines.join('\n')}\n${text}`;
  const shown = others.map(([kind, count]) => `${kind} (${count})`).join(', ');
  return `${lines.join('\n')}\n${text}\nNever said by the log, and not counted as missed (--all counts them): ${shown}.\n`;
}
