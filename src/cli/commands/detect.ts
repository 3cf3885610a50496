import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { loadBuiltin } from '../../dictionary/files.ts';
import { discoverHud } from '../../discovery/discover.ts';
import { draftPack, writePack } from '../../discovery/draft.ts';
import { PlaybyplayError } from '../../errors.ts';
import { readFileKind } from '../../files/file-kind.ts';
import type { HudSettings } from '../../geometry.ts';
import { recognizeGame } from '../../pipeline/placement/decide-placement.ts';
import { defaultFolder, recordLog, type RecordSummary } from '../../pipeline/record-log.ts';
import { knownProfiles } from '../../profile/find.ts';
import { formatClock } from '../../time.ts';
import type { CommandIo, RunCommand } from '../command.ts';
import { type Companion, parseCompanion } from '../companion.ts';
import { formatCount, formatIssues } from '../describe-error.ts';
import { usageError } from '../options.ts';
import { describePlacement, readPlacement } from '../placement.ts';
import { findPlugins, findProfiles } from '../plugins.ts';
import { ProgressBar } from '../progress.ts';
import type * as specs from '../specs.ts';
import { style } from '../terminal.ts';

/** `playbyplay detect <recording>` */
export const detect: RunCommand<typeof specs.detect> = async (io, options, media) => {
  const { from, to, out, language, trace, workers = availableParallelism() } = options;
  if (from !== undefined && to !== undefined && !(from < to)) throw usageError('--from must be before --to');
  const placement = await resolvePlacement(options.place, options['hud-scale']);
  const plugins = await findPlugins(options.plugin);
  const profiles = await findProfiles(options.profiles);
  const folder = out ?? defaultFolder(media);
  // The readings of an interrupted run belong to its draft.
  const earlier = options.resume && options.game === 'auto' ? await findDraft(folder) : undefined;
  const known = earlier ? undefined : await resolveGame(options.game, media, { profiles, plugins }, io);
  const game = earlier ?? known ?? (await draftUnknownGame(media, folder, io));
  const bar = new ProgressBar(io, 'detecting', { isRealTime: true });
  const streams = await parseAll('stream', options.stream, media, io);
  const companions = await parseAll('media', options.media, media, io);
  const summary = await recordLog({
    ...(plugins.length > 0 && { plugins }),
    ...(profiles.length > 0 && { profiles }),
    ...(streams.length > 0 && { streams }),
    ...(companions.length > 0 && { companions }),
    media,
    game,
    // A draft was measured on this very recording.
    ...(known === undefined ? { place: 'default' as const } : placement),
    plan: options.plan,
    workers,
    resume: options.resume,
    signal: io.signal,
    ...(out !== undefined && { out }),
    ...(language !== undefined && { language }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(trace !== undefined && { trace }),
    onMessage(message) {
      if (message.type === 'progress') {
        const start = Math.max(0, from ?? 0);
        const end = Math.min(to ?? Number.POSITIVE_INFINITY, message.total ?? Number.POSITIVE_INFINITY);
        if (Number.isFinite(end)) bar.show(Math.min(message.done, end) - start, end - start);
      } else if (message.type === 'warning' && message.about !== 'detectors')
        bar.print(io.stderr, formatIssues([message.issue]));
      else if (message.type === 'note')
        bar.print(io.stderr, `${formatLine(message.note.t, `(script) ${message.note.text}`)}\n`);
      else if (message.type === 'event' && !options.quiet) {
        const line = options.json ? JSON.stringify(message) : formatLine(message.t, message.text);
        bar.print(io.stdout, `${line}\n`);
      }
    },
  }).finally(() => bar.clear());
  printSummary(summary, io);
  return summary.doubt ? 3 : 0;
};

function formatLine(t: number, text: string): string {
  return `${style('dim', formatClock(t).padStart(9))}  ${text}`;
}

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

/** The name or path of the profile: recognized in the recording, one of the user's own, or as given; undefined for an unknown game. */
async function resolveGame(
  name: string,
  media: string,
  { profiles, plugins }: { readonly profiles: readonly string[]; readonly plugins: readonly string[] },
  io: CommandIo,
): Promise<string | undefined> {
  if (name !== 'auto') {
    if (profiles.length === 0) return name;
    return (await knownProfiles(profiles)).find(({ game }) => game === name)?.path ?? name;
  }
  const { found } = await recognizeGame(media, { signal: io.signal, profiles, plugins });
  if (found) io.stderr.write(`Recognized ${found.game} (${found.confidence.toFixed(2)}).\n`);
  return found?.path;
}

/** Game of a log whose profile was drafted from its recording. */
const UNKNOWN_GAME = 'unknown';

/** The profile that was drafted for the log in a folder; undefined where there is none. */
async function findDraft(folder: string): Promise<string | undefined> {
  const profile = join(folder, 'draft', 'configs', UNKNOWN_GAME, 'profile.json');
  return (await readFileKind(profile).catch(() => undefined)) === 'profile' ? profile : undefined;
}

/**
 * Drafts a profile of an unknown game from the recording itself, in the folder `draft` of its log.
 *
 * @returns The path of the profile.
 * @throws PlaybyplayError `unknown-recording` if no HUD is found.
 */
async function draftUnknownGame(media: string, folder: string, io: CommandIo): Promise<string> {
  io.stderr.write('No known game: reading what the screen shows.\n');
  const bar = new ProgressBar(io, 'looking for the HUD');
  const discovery = await discoverHud([media], {
    signal: io.signal,
    onProgress: (share) => bar.show(share, 1),
  }).finally(() => bar.clear());
  const { dictionary } = await loadBuiltin([]);
  const draft = draftPack(discovery, UNKNOWN_GAME, dictionary);
  if (Object.keys(draft.profile['detectors'] as object).length === 0)
    throw new PlaybyplayError(
      'unknown-recording',
      `${media} shows none of the known games, and no text that stays on the screen`,
      {
        hint: `Name the game, or the path of a profile: --game ./my-game. The known games: ${(await knownProfiles([])).map(({ game }) => game).join(', ')}.`,
      },
    );
  io.stderr.write(
    `Found ${[...draft.names].map(([{ type }, name]) => `${type} ${name}`).join(', ')}. To name them: playbyplay profile draft ${media} --out ./my-game\n`,
  );
  return await writePack(join(folder, 'draft'), draft, { inputs: [media] });
}
