import { loadBuiltin } from '../dictionary/files.ts';
import { loadLog } from '../events/reader.ts';
import type { Span } from '../highlights/windows.ts';
import { findStillSpans } from '../quality/gameplay.ts';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { readInputText } from '../files/input.ts';
import { parseConstants } from '../quality/constants.ts';
import { readVideo } from '../quality/input/video.ts';
import type { FileOptions, ScoredInput } from '../quality/score.ts';
import type { CommandIo } from './command.ts';
import { formatIssues } from './describe-error.ts';
import type { OptionValues } from './options.ts';
import type * as specs from './specs.ts';

/** Converts command-line options to those of the scorer. */
export function scorerOptions(
  options: OptionValues<typeof specs.scoringOptions> & { readonly events?: string | undefined },
  signal: AbortSignal,
): FileOptions {
  const { fps, size, bitrate, process, constants } = options;
  return {
    fps,
    width: size?.width,
    height: size?.height,
    targetBitrate: bitrate,
    process,
    ...(constants !== undefined && { constants: parseConstants(readJson(constants), constants) }),
    video: async (path, reading) => readVideo(path, { ...reading, still: await readStillSpans(path, options.events) }),
    signal,
  };
}

/**
 * Where a log says that the picture may stand still: the one that was named, or that of the recording itself, in it or next to it.
 * A log that nobody named and that cannot be read says nothing.
 */
async function readStillSpans(recording: string, named: string | undefined): Promise<readonly Span[]> {
  try {
    const { events } = await loadLog(named ?? recording);
    const { dictionary } = await loadBuiltin(undefined, { meaning: false });
    return findStillSpans(events, dictionary);
  } catch (error) {
    if (named === undefined && error instanceof PlaybyplayError) return [];
    throw error;
  }
}

function readJson(path: string): unknown {
  const text = readInputText(path, 'not-json');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PlaybyplayError('not-json', `${path} cannot be read: ${messageOf(error)}`);
  }
}

/** Issues that do not affect the figures. */
const HARMLESS_CODES = new Set(['rate-estimated', 'other-process', 'other-stream', 'microseconds', 'out-of-turn']);

/** Prints the issues of the files. Returns exit code 3 if they may affect the figures. */
export function reportIssues(scored: readonly ScoredInput[], io: CommandIo): number {
  const issues = scored.flatMap((one) => one.issues);
  if (issues.length > 0) io.stderr.write(formatIssues(issues));
  return issues.some((issue) => !HARMLESS_CODES.has(issue.code)) ? 3 : 0;
}
