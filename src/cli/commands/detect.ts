import { availableParallelism } from 'node:os';
import type { HudField } from '../../discovery/hud-field.ts';
import { MAX_CHANGES_PER_MINUTE, type SilenceReason } from '../../discovery/draft.ts';
import { type ResolvedGame, resolveGame } from '../../discovery/resolve-game.ts';
import type { HudSettings } from '../../geometry.ts';
import { defaultFolder, type RecordSummary, recordLog } from '../../pipeline/record-log.ts';
import { formatClock } from '../../time.ts';
import type { CommandIo, RunCommand } from '../command.ts';
import { type Companion, parseCompanion } from '../companion.ts';
import { formatCount, formatIssues } from '../describe-error.ts';
import { usageError } from '../options.ts';
import { describePlacement, readPlacement } from '../placement.ts';
import { findPlugins, findProfiles } from '../plugins.ts';
import { PLAIN_INTERVAL_SECONDS, ProgressBar } from '../progress.ts';
import type * as specs from '../specs.ts';
import { formatSentence, style } from '../terminal.ts';

/** `playbyplay detect <recording>` */
export const detect: RunCommand<typeof specs.detect> = async (io, options, media) => {
  const { from, to, out, language, trace, workers = availableParallelism() } = options;
  if (from !== undefined && to !== undefined && !(from < to)) throw usageError('--from must be before --to');
  const placement = await resolvePlacement(options.place, options['hud-scale']);
  const plugins = await findPlugins(options.plugin);
  const profiles = await findProfiles(options.profiles);
  const folder = out ?? defaultFolder(media);
  const { game, isDraft } = await findGame(options, media, { profiles, plugins, folder }, io);
  const bar = new ProgressBar(io, 'detecting', { isRealTime: true });
  const streams = await parseAll('stream', options.stream, media, io);
  const companions = await parseAll('media', options.media, media, io);
  const summary = await recordLog({
    plugins,
    profiles,
    streams,
    companions,
    media,
    game,
    // A draft was measured on this very recording.
    ...(isDraft ? { place: 'default' as const } : placement),
    plan: options.plan,
    workers,
    resume: options.resume,
    signal: io.signal,
    out,
    language,
    from,
    to,
    trace,
    onMessage(message) {
      if (message.type === 'progress') {
        const start = Math.max(0, from ?? 0);
        const end = Math.min(to ?? Number.POSITIVE_INFINITY, message.total ?? Number.POSITIVE_INFINITY);
        if (Number.isFinite(end)) bar.show(Math.min(message.done, end) - start, end - start);
      } else if (message.type === 'warning' && message.about !== 'detectors')
        bar.print(io.stderr, formatIssues([message.issue]));
      else if (message.type === 'note')
        bar.print(io.stderr, `${formatSentence(message.note.t, `(script) ${message.note.text}`)}\n`);
      else if (message.type === 'event' && !options.quiet) {
        const line = options.json ? JSON.stringify(message) : formatSentence(message.t, message.text);
        bar.print(io.stdout, `${line}\n`);
      }
    },
  }).finally(() => bar.clear());
  printSummary(summary, io);
  return summary.doubt ? 3 : 0;
};

/** Finds the profile of the recording's game and says which it is. */
async function findGame(
  { game, resume }: { readonly game: string; readonly resume: boolean },
  media: string,
  settings: { readonly profiles: readonly string[]; readonly plugins: readonly string[]; readonly folder: string },
  io: CommandIo,
): Promise<ResolvedGame> {
  const bar = new ProgressBar(io, 'looking for the HUD', { plainIntervalSeconds: PLAIN_INTERVAL_SECONDS });
  return resolveGame(media, {
    ...settings,
    game,
    resume,
    signal: io.signal,
    onRecognized: ({ game: name, confidence }) => io.stderr.write(`Recognized ${name} (${confidence.toFixed(2)}).\n`),
    onUnknown: () => io.stderr.write('No known game: reading what the screen shows.\n'),
    onProgress: (share) => bar.show(share, 1),
    onDraft: ({ names, silent }) => {
      bar.clear();
      const describe = (fields: Iterable<HudField>): string =>
        [...fields].map((field) => `${field.type} ${names.get(field)}`).join(', ');
      io.stderr.write(
        `Found ${describe(names.keys())}. To name them: playbyplay profile draft ${media} --out ./my-game\n`,
      );
      for (const [reason, fields] of Map.groupBy(silent.keys(), (field) => silent.get(field)!))
        io.stderr.write(`No events of ${describe(fields)}: ${SILENCE[reason]}\n`);
    },
  }).finally(() => bar.clear());
}

const SILENCE: Readonly<Record<SilenceReason, string>> = {
  restless: `more than ${MAX_CHANGES_PER_MINUTE} changes a minute. In a profile of your own, "crosses" reports when such a figure passes a threshold.`,
  translucent: 'the scene shows through, and what is behind may pass for its level.',
  unsteady: 'most of what is read there is taken back at once.',
};

async function parseAll(
  option: 'stream' | 'media',
  values: readonly string[] = [],
  recording: string,
  io: CommandIo,
): Promise<readonly Companion[]> {
  const companions: Companion[] = [];
  for (const value of values) companions.push(await parseCompanion(option, value, recording, io));
  return companions;
}

/** Issues of recordings and files that are missing. */
const MISSING_INPUT_CODES = ['no-such-media', 'no-such-stream', 'no-such-audio-track'];

/** Prints placement, gaps, problems and totals at the end of a run. */
function printSummary(summary: RecordSummary, io: CommandIo): void {
  const { events, gaps, log, duration, problems, placement, doubt, silent = [], unused = [], warnings = [] } = summary;
  const lines: string[] = [];
  if (placement?.confidence !== undefined)
    lines.push(`  The HUD was found ${describePlacement(placement)} (${placement.confidence.toFixed(2)}).`);
  for (const { t, confidence = 0, ...later } of placement?.changes ?? [])
    lines.push(`  From ${formatClock(t)} on it was ${describePlacement(later)} (${confidence.toFixed(2)}).`);
  for (const gap of gaps)
    lines.push(`  ${formatClock(gap.t)} to ${formatClock(gap.end)} could not be read: ${gap.reason}`);
  const total = Object.values(problems).reduce((sum, count) => sum + count, 0);
  const failed = problems['plugin-failed'] ?? 0;
  if (failed > 0) lines.push(`  ${formatCount(failed, 'reading')} missing because a plug-in failed.`);
  const withoutInput = MISSING_INPUT_CODES.reduce((sum, code) => sum + (problems[code] ?? 0), 0);
  if (withoutInput > 0) lines.push(`  ${formatCount(withoutInput, 'detector')} without input.`);
  const rejected = total - failed - withoutInput;
  if (rejected > 0)
    lines.push(`  ${formatCount(rejected, 'mistake')} of script or profile; the statements concerned are left out.`);
  if (silent.length > 0)
    lines.push(`  No accepted value from ${silent.join(', ')}: "profile try" shows what they read.`);
  for (const { message } of unused) lines.push(`  ${message}.`);
  lines.push(`${formatCount(events, 'event')} in ${formatClock(duration)} of video → ${log}`);
  for (const { message, hint } of [...warnings, ...(doubt ? [doubt] : [])])
    lines.push(`${style('yellow', 'Warning:')} ${message}. ${hint ?? ''}`.trimEnd());
  io.stderr.write(`${lines.join('\n')}\n`);
}

/** Combines `--place` and `--hud-scale`. */
async function resolvePlacement(
  place: string | undefined,
  scale: number | undefined,
): Promise<{ readonly place?: 'auto' | 'default'; readonly hud?: HudSettings }> {
  if (scale !== undefined) {
    if (place !== undefined) throw usageError('--place and --hud-scale cannot be combined');
    return { hud: { scale } };
  }
  if (place === undefined || place === 'auto' || place === 'default') return { place: place ?? 'auto' };
  return { hud: await readPlacement(place) };
}
