import { basename, dirname, extname, join } from 'node:path';
import type { Issue } from '../errors.ts';
import { PlaybyplayError } from '../errors.ts';
import { mergeJournals, openJournal } from '../events/journal.ts';
import { makeFolder } from '../files/folder.ts';
import { lockFolder } from '../files/lock-folder.ts';
import { checkOutput, removeFiles } from '../files/output.ts';
import type { HeaderLine } from '../events/log.ts';
import { LOG_NAME, readHeader } from '../events/reader.ts';
import { LogWriter } from '../events/writer.ts';
import { ROOT } from '../version.ts';
import { detect, type DetectOptions, inputsOf, readShare, type Share } from './detect.ts';
import { fingerprintMedia } from './fingerprint.ts';
import { openGame } from './game.ts';
import type { DetectMessage } from './messages.ts';
import type { ChunkReadings } from './reading/chunk-readings.ts';
import { openSource } from './source.ts';

/** Name of the file with the readings, in the folder of a log. */
export const JOURNAL_NAME = 'readings.journal';

/** Options of `recordLog`. */
export interface RecordOptions extends Omit<DetectOptions, 'openJournal' | 'resumes'> {
  readonly media: string;
  /** Name of a game, or path of a profile. */
  readonly game: string;
  /** Folder for the log; default `<media name>.playbyplay` next to the media. */
  readonly out?: string | undefined;
  /** Continue where an interrupted run stopped. */
  readonly resume?: boolean | undefined;
  /**
   * Plug-ins that bring further kinds of detectors: paths (absolute, or beginning with a dot) or names of npm packages, both
   * relative to the current folder. Their code is run; a profile cannot name any.
   */
  readonly plugins?: readonly string[] | undefined;
  /** Languages of the screen (BCP 47), if not the profile's own. */
  readonly language?: string | readonly string[] | undefined;
  /** Called with every message, in order; events are on disk when they are reported. */
  readonly onMessage?: ((message: DetectMessage) => void) | undefined;
}

/** What a finished run came to. */
export interface RecordSummary {
  readonly folder: string;
  readonly log: string;
  readonly events: number;
  readonly gaps: readonly { readonly t: number; readonly end: number; readonly reason: string }[];
  readonly samples: number;
  /** Seconds of video that were read. */
  readonly duration: number;
  /** Problems of script, profile and plug-ins, by code. */
  readonly problems: Readonly<Record<string, number>>;
  /** Where the HUD was found, if not where the profile has it. */
  readonly placement?: HeaderLine['placement'];
  /** Nothing of the profile was found: the recording may show another game, or its HUD is hidden. */
  readonly doubt?: Issue;
  /** Detectors that never read anything, of a game that does not come with the program. */
  readonly silent?: readonly string[];
  /** Of such a game: for each detector that could use hardly any sample, why. */
  readonly unused?: readonly Issue[];
  /** Why the log may say less, or less reliably, than the recording shows. */
  readonly warnings?: readonly Issue[];
}

/**
 * Detects the events of a recording and writes their log: `events.ndjson`, and the journal by which an interrupted run is
 * continued, in a folder that it locks meanwhile.
 *
 * @throws PlaybyplayError `other-log` if the default folder holds the log of another recording, and what `detect` throws.
 *
 * @example
 * const { log, events } = await recordLog({ media: 'match.mp4', game: 'openarena' });
 * console.log(`${events} events in ${log}`);
 */
export async function recordLog(options: RecordOptions): Promise<RecordSummary> {
  const { media, resume = false, overwrite, onMessage } = options;
  const game = await openGame(options.game, options.plugins, options.language);
  using source = await openSource(media);
  const folder = options.out ?? defaultFolder(media);
  if (options.out === undefined) await refuseOtherLog(folder, media);
  const [path, journal] = [join(folder, LOG_NAME), join(folder, JOURNAL_NAME)];
  const inputs = inputsOf(source, options);
  const policy = { inputs, overwrite };
  await checkOutput(path, { kind: 'event log', ...policy });
  await makeFolder(folder);
  await using resources = new AsyncDisposableStack();
  resources.use(await lockFolder(folder));
  const summary = new SummaryCollector(game.pack.name !== ROOT);
  const messages = detect(source, game, {
    ...options,
    resumes: resume ? await readHeader(folder).catch(() => undefined) : undefined,
    openJournal: (key) => openJournal<ChunkReadings>(journal, key, { resume, inputs }),
  });
  let log: LogWriter | undefined;
  for await (const message of messages) {
    if (message.type === 'header') log = resources.use(await LogWriter.create(path, message, { resume, ...policy }));
    else if (message.type === 'event' || message.type === 'gap' || message.type === 'end') await log!.write([message]);
    summary.add(message);
    onMessage?.(message);
  }
  return { folder, log: log!.path, ...summary.finish(options) };
}

/**
 * Reads a share of a recording, for `mergeShares` to combine. Shares can be read at the same time, by any machine that sees the
 * recording and the folder of its log; an interrupted one continues where it stopped.
 *
 * @param options As of `recordLog`. `onMessage` is called with progress alone.
 */
export async function recordShare(options: RecordOptions, share: Share): Promise<void> {
  const { media, onMessage } = options;
  const game = await openGame(options.game, options.plugins, options.language);
  using source = await openSource(media);
  const folder = options.out ?? defaultFolder(media);
  if (options.out === undefined) await refuseOtherLog(folder, media);
  await makeFolder(folder);
  await using _ = await lockFolder(folder, `detect-${share.index + 1}.lock`);
  const inputs = inputsOf(source, options);
  const messages = readShare(
    source,
    game,
    { ...options, openJournal: (key) => openJournal(shareJournal(folder, share), key, { resume: true, inputs }) },
    share,
  );
  for await (const message of messages) onMessage?.(message);
}

/**
 * Combines the shares of a recording, so that `recordLog` with `resume` makes its log without reading the recording: the same,
 * byte for byte, as of one run.
 *
 * @throws PlaybyplayError `resume-mismatch` where shares were read with different inputs.
 */
export async function mergeShares(folder: string, count: number): Promise<void> {
  const paths = Array.from({ length: count }, (_, index) => shareJournal(folder, { index, count }));
  await using _ = await lockFolder(folder);
  if (!(await mergeJournals(join(folder, JOURNAL_NAME), paths))) return;
  await removeFiles(paths);
}

function shareJournal(folder: string, { index, count }: Share): string {
  return join(folder, `readings-${index + 1}-of-${count}.journal`);
}

/** Collects from the messages what the caller wants to know at the end. */
class SummaryCollector {
  readonly #reportsSilent: boolean;
  readonly #gaps: RecordSummary['gaps'][number][] = [];
  readonly #warnings: Issue[] = [];
  #header: HeaderLine | undefined;
  #end: Extract<DetectMessage, { type: 'end' }> | undefined;
  #doubt: Issue | undefined;
  readonly #silent: string[] = [];
  readonly #unused: Issue[] = [];

  constructor(reportsSilent: boolean) {
    this.#reportsSilent = reportsSilent;
  }

  add(message: DetectMessage): void {
    if (message.type === 'header') this.#header = message;
    else if (message.type === 'end') this.#end = message;
    else if (message.type === 'gap') this.#gaps.push({ t: message.t, end: message.end, reason: message.reason });
    else if (message.type !== 'warning') return;
    else if (message.about === 'recording') this.#warnings.push(message.issue);
    else if (message.about === 'placement') this.#doubt = message.issue;
    else if (message.about === 'detectors') {
      if (message.issue.code === 'seldom-read') this.#unused.push(message.issue);
      else this.#silent.push(...(message.detectors ?? []));
    }
  }

  finish({ from = 0, to = Number.POSITIVE_INFINITY, hud }: RecordOptions): Omit<RecordSummary, 'folder' | 'log'> {
    const { media, placement } = this.#header!;
    const { events, samples, problems = {} } = this.#end!;
    const [doubt, warnings, silent] = [this.#doubt, this.#warnings, this.#silent];
    const isPlaced = hud !== undefined || (placement !== undefined && hasPlace(placement));
    return {
      events,
      gaps: this.#gaps,
      samples,
      duration: Math.max(0, Math.min(media.duration, to) - from),
      problems,
      ...(isPlaced && { placement }),
      ...(doubt && { doubt }),
      ...(warnings.length > 0 && { warnings }),
      ...(this.#reportsSilent && silent.length > 0 && { silent }),
      ...(this.#reportsSilent && this.#unused.length > 0 && { unused: this.#unused }),
    };
  }
}

/** Whether a placement says more than where the HUD was lost. */
function hasPlace(placement: NonNullable<HeaderLine['placement']>): boolean {
  return Object.keys(placement).some((key) => key !== 'confidence' && key !== 'lost');
}

/** The folder of a recording's log where none is named: next to the recording. */
export function defaultFolder(media: string): string {
  return join(dirname(media), `${basename(media, extname(media))}.playbyplay`);
}

/**
 * Recordings that differ in their extension alone (match.mp4, match.mkv) share a default folder: the log of one must not
 * replace that of the other.
 */
async function refuseOtherLog(folder: string, media: string): Promise<void> {
  const log = await readHeader(folder).catch(() => undefined);
  if (!log || log.media.name === basename(media)) return;
  if (log.media.hash === (await fingerprintMedia(media)).hash) return;
  throw new PlaybyplayError('other-log', `${folder} holds the log of ${log.media.name}`, {
    hint: `Name another folder for ${basename(media)} with --out.`,
  });
}
