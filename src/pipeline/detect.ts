import { availableParallelism } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { type Issue, PlaybyplayError } from '../errors.ts';
import { makeFolder } from '../events/folder.ts';
import { openJournal } from '../events/journal.ts';
import type { EventLine, HeaderLine } from '../events/log.ts';
import { lockFolder } from '../events/lock.ts';
import { readHeader } from '../events/reader.ts';
import { LogWriter } from '../events/writer.ts';
import { DecoderWorker } from '../media/decode/decoder-worker.ts';
import { findMissingFrames } from '../media/decode/missing-frames.ts';
import { type PacketIndex, originSeconds } from '../media/packets/packet-index.ts';
import { scanPacketsAsync } from '../media/packets/scan-packets.ts';
import type { VideoInfo } from '../media/container/info.ts';
import { type VideoFile, openVideo } from '../media/video.ts';
import type { HudSettings } from '../regions/place.ts';
import { formatClock } from '../time.ts';
import { VERSION } from '../version.ts';
import type { ScriptNote } from '../script/script.ts';
import { OtherSources } from './sources/other-sources.ts';
import type { ChunkReadings } from './reading/chunk-readings.ts';
import { Companions, type CompanionSource } from './sources/companions.ts';
import { fingerprintMedia } from './fingerprint.ts';
import { Following, type StreamSource } from './sources/following.ts';
import { ROOT } from '../version.ts';
import { type Game, openGame } from './game.ts';
import { headerOf, journalKey } from './header.ts';
import { hearersOf } from './sources/hearing.ts';
import { Interpreter } from './interpreter.ts';
import { Narration } from './narration.ts';
import { type Decision, decidePlacement, earlierPlacement } from './placement/decide.ts';
import { smallText } from './placement/legible.ts';
import { PictureCache } from '../media/decode/picture-cache.ts';
import { type Portion, planPortions, portionsIn, wantedOf } from './reading/plan.ts';
import type { FreshRun } from './reading/read-fresh.ts';
import { readPortions } from './reading/read-portions.ts';
import { Readers } from './reading/readers.ts';
import { Recognition } from './recognition.ts';
import { sharedLoad } from './reading/sharing.ts';
import { withoutColours } from './colours.ts';
import { withoutVectors } from './vectors.ts';
import { Waking } from './waking.ts';

export interface DetectOptions {
  readonly media: string;
  /** Name of a game, or path of a profile. */
  readonly game: string;
  /** Folder for the log; default `<media name>.playbyplay` beside the media. */
  readonly out?: string;
  readonly plan?: 'full' | 'adaptive';
  /** Reading threads; default one a core. The log does not depend on it. */
  readonly workers?: number;
  /** Seconds: only samples in [from, to). */
  readonly from?: number;
  readonly to?: number;
  /** Go on where a killed run stopped. */
  readonly resume?: boolean;
  /** Where the HUD lies, if that is known. */
  readonly hud?: HudSettings;
  /**
   * Unless `hud` tells: `auto` (default) takes the profile's own place if its elements are seen there, and else searches where
   * they are; `default` takes the profile's own without looking.
   */
  readonly place?: 'auto' | 'default';
  /** Profiles besides the built-in ones (packs, or folders of packs) whose games the recording may show instead. */
  readonly profiles?: readonly string[];
  /** Files beside the recording, by the names that the profile's `stream` detectors know them by. */
  readonly streams?: readonly StreamSource[];
  /** Second recordings of the session, by the names that the profile's detectors know them by (`media`). */
  readonly companions?: readonly CompanionSource[];
  /**
   * Plug-ins that bring further kinds of detectors: paths (absolute, or beginning with a dot) or names of npm packages, both
   * seen from the current folder. Their code is run; a profile cannot name any.
   */
  readonly plugins?: readonly string[];
  /** Languages of the screen (BCP 47), if not the profile's own. */
  readonly language?: string | readonly string[];
  readonly signal?: AbortSignal;
  /** Told after each chunk: seconds done, seconds in all. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Told of events as they become final, in order. */
  readonly onEvent?: (event: EventLine) => void;
  /** Told of the script's and the profile's mistakes as they come up. */
  readonly onProblem?: (issue: Issue) => void;
  /** Told what the script says to its author (`game.note`). */
  readonly onNote?: (note: ScriptNote) => void;
  /** File for a Chrome trace of the run's portions. */
  readonly trace?: string;
  /** Seconds after which a thread that has not finished a picture counts as stuck and another does its work; default 120. */
  readonly stuckAfter?: number;
}

export interface DetectSummary {
  readonly folder: string;
  readonly log: string;
  readonly events: number;
  readonly gaps: readonly { readonly t: number; readonly end: number; readonly reason: string }[];
  readonly samples: number;
  /** Seconds of video that were looked at. */
  readonly duration: number;
  readonly problems: Readonly<Record<string, number>>;
  /** Where the HUD was found, if not where the profile has it by itself. */
  readonly placement?: HeaderLine['placement'];
  /** Nothing of the profile was found: perhaps the recording is of another game, or its HUD is hidden. */
  readonly doubt?: Issue;
  /** Of a game that does not come with the program: detectors that never read anything. */
  readonly silent?: readonly string[];
  /** Why the log may tell less, or less surely, than the recording shows. */
  readonly warnings?: readonly Issue[];
}

/** Where `detect` writes unless told otherwise. */
function defaultFolder(media: string): string {
  return join(dirname(media), `${basename(media, extname(media))}.playbyplay`);
}

/**
 * Recordings that differ in their ending alone (match.mp4, match.mkv) have one default folder: the log of one never takes the place of the
 * other's. Throws PlaybyplayError `other-log`.
 */
async function keepOthers(folder: string, media: string): Promise<void> {
  const log = await readHeader(folder).catch(() => undefined);
  if (!log || log.media.name === basename(media)) return;
  if (log.media.hash === (await fingerprintMedia(media)).hash) return;
  throw new PlaybyplayError('other-log', `${folder} holds the log of ${log.media.name}`, {
    hint: `Name a folder for that of ${basename(media)} with --out.`,
  });
}

/**
 * The main job: watches a recording and writes its event log. Readings are made by threads, chunk by chunk, and kept in
 * a journal; cues, script and log run here, once, in order. Throws PlaybyplayError `wrong-game` before anything is read where the
 * recording plainly shows another known game.
 */
export async function detect(options: DetectOptions): Promise<DetectSummary> {
  const { media, plan = 'full', resume = false, signal } = options;
  const game = await openGame(options.game, options.plugins, options.language);
  using file = openVideo(media);
  const folder = options.out ?? defaultFolder(media);
  if (options.out === undefined) await keepOthers(folder, media);
  await makeFolder(folder);
  await using resources = new AsyncDisposableStack();
  resources.use(await lockFolder(folder));
  const outlook = await lookThrough(options, game, file, folder, resources);
  const { print, index, duration, range, portions, following, companions, readers, shared } = outlook;
  const { hud, doubt, placement } = outlook.decision;
  const warnings: Issue[] = [];
  const warn = (issue: Issue | undefined): void => {
    if (!issue) return;
    warnings.push(issue);
    options.onProblem?.(issue);
  };
  for (const remark of outlook.decision.remarks ?? []) warn(remark);
  warn(doubt ? undefined : await smallText(game, file.info, hud ?? {}));
  warn(await withoutVectors(game, file, index));
  warn(await withoutColours(game, file, index));
  warn(severalVideos(file.info));
  const recognition = doubt ? undefined : await Recognition.open(game);
  const header = headerOf(game, options, {
    print,
    info: file.info,
    duration,
    streams: following.prints,
    companions: companions.prints,
    placement,
  });
  await using journal = await openJournal<ChunkReadings>(join(folder, 'readings.journal'), journalKey(header, hud), {
    resume,
  });
  await using log = await LogWriter.create(join(folder, 'events.ndjson'), header, { resume });
  using waking = new Waking(file, game, hud, index, portions);
  using interpreter = await Interpreter.open(
    game,
    (issue) => options.onProblem?.(issue),
    (wants, places) => companions.wake(wants, places, (own) => waking.read(own, places, signal)),
    (note) => options.onNote?.(note),
  );
  const others = resources.use(
    await OtherSources.open(
      media,
      game,
      { following, companions, journal },
      { origin: originSeconds(index), ...range, signal },
      (issue) => interpreter.note(issue),
    ),
  );
  const narration = new Narration(interpreter, others, log, options.onEvent);
  const { from = 0, to = Number.POSITIVE_INFINITY } = range;
  // Stretches that the file lost without a trace: no packet tells of them.
  for (const hole of findMissingFrames(index, file.info)) if (hole.end > from && hole.t < to) narration.gap(hole);
  const run: FreshRun = { game, options, index, plan, readers, shared };
  for await (const { portion, readings } of readPortions(run, portions, journal)) {
    await narration.take(readings, portion.chunk.end);
    warn(recognition?.add(readings));
    options.onProgress?.(portion.chunk.end, duration);
  }
  await narration.finish(duration);
  const problems = interpreter.problems;
  warn(recognition?.end());
  const { events, samples } = await log.end(interpreter.samples, problems, warnings);
  return {
    folder,
    log: log.path,
    events,
    gaps: narration.gaps,
    samples,
    duration: Math.max(0, Math.min(duration, to) - from),
    problems,
    ...(hud && { placement }),
    ...(doubt && { doubt }),
    ...(warnings.length > 0 && { warnings }),
    ...(game.pack.name !== ROOT && interpreter.silent.length > 0 && { silent: interpreter.silent }),
  };
}

/** Which of several pictures of a file is read. */
function severalVideos({ width, height, otherVideos = 0 }: VideoInfo): Issue | undefined {
  if (otherVideos === 0) return undefined;
  return {
    code: 'several-videos',
    message: `the file holds ${otherVideos + 1} videos; the largest is read, of ${width} × ${height} pixels`,
    hint: 'To have another one read, copy it out: ffmpeg -i <media> -map 0:v:1 -map 0:a? -c copy other.mkv.',
  };
}

/** What is known of a recording before it is read, and who will read it. */
interface Outlook {
  readonly print: Awaited<ReturnType<typeof fingerprintMedia>>;
  readonly index: PacketIndex;
  /** Seconds. */
  readonly duration: number;
  readonly range: { readonly from?: number; readonly to?: number };
  readonly portions: readonly Portion[];
  readonly following: Following;
  readonly companions: Companions;
  readonly decision: Decision;
  readonly readers: Readers;
  /** Whether threads share dear readings. */
  readonly shared: boolean;
}

/** Scans the file, plans what is to be read, and finds where the HUD lies, while the threads start. */
async function lookThrough(
  options: DetectOptions,
  game: Game,
  file: VideoFile,
  folder: string,
  resources: AsyncDisposableStack,
): Promise<Outlook> {
  const { media, plan = 'full', resume = false, signal, from, to } = options;
  const most = options.workers ?? availableParallelism();
  // The adaptive plan often stops before it has seen all that it asked for.
  const beside = plan === 'full' && availableParallelism() > 1 ? resources.use(new DecoderWorker(file)) : undefined;
  const kept = plan === 'adaptive' ? new PictureCache() : undefined;
  const reading = { ...options, beside, kept };
  let readers = resources.use(new Readers(file, game, options.hud, most, reading));
  const shared = await sharing(options, game, file.info.duration);
  if (!resume) readers.start(shared ? most : portionsIn(secondsIn(options, file.info.duration), plan));
  const print = await fingerprintMedia(media);
  const index = await scanPacketsAsync(file, signal ? { signal } : {});
  const duration = index.t.at(-1) ?? 0;
  if (index.t.length === 1 && findMissingFrames(index, file.info).length === 0)
    throw new PlaybyplayError('not-a-video', `${media} is a single picture, not a recording`, {
      hint: 'What a profile reads in a picture: playbyplay profile try <game> <picture> --at 0.',
    });
  if (from !== undefined && from > duration)
    throw new PlaybyplayError(
      'nothing-to-read',
      `${media} ends at ${formatClock(duration)}, before --from ${formatClock(from)}`,
    );
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const hearers = await hearersOf(game.profile, game.plugins);
  const portions = planPortions(index, game.profile, range, plan, hearers);
  if (!resume && portions[0]) beside?.announce(wantedOf(index, portions[0]));
  const following = await Following.open(options.streams ?? []);
  const companions = resources.use(
    await Companions.open(options.companions ?? [], game, { ...options, duration, workers: most, plan }),
  );
  const about = { media: print, profile: game.fingerprint, program: VERSION };
  const decision = await placementOf(
    options,
    () => earlierPlacement(folder, game, about),
    () => decidePlacement(file, index, game, signal, options.profiles, most === 1 ? kept : undefined),
  );
  const { hud, doubt } = decision;
  // Reading on would only write a log of nothing; whoever knows better says `place: 'default'`.
  if (doubt?.code === 'wrong-game')
    throw new PlaybyplayError('wrong-game', `${doubt.message}; nothing was read`, { hint: doubt.hint });
  if (doubt) options.onProblem?.(doubt);
  // The threads that started meanwhile have the profile's own place.
  if (hud && !options.hud) readers = resources.use(new Readers(file, game, hud, most, reading));
  return { print, index, duration, range, portions, following, companions, decision, readers, shared };
}

/** The placement that the options give, an earlier run found, or `decide` finds. */
async function placementOf(
  { hud, place = 'auto', resume = false }: DetectOptions,
  earlier: () => Promise<Decision | undefined>,
  decide: () => Promise<Decision>,
): Promise<Decision> {
  if (hud) return { hud, placement: hud };
  if (place === 'default') return { hud, placement: undefined };
  return (resume ? await earlier() : undefined) ?? (await decide());
}

/** Seconds of computing from which on it pays to let threads share the readings of a chunk. */
const WORTH_SHARING = 1;

/** Whether threads are to share dear readings: with several of them, and a plan that knows its samples beforehand. */
async function sharing(options: DetectOptions, game: Game, duration: number | undefined): Promise<boolean> {
  const { plan = 'full', workers = availableParallelism() } = options;
  if (plan !== 'full' || workers < 2) return false;
  return (await sharedLoad(game)) * (secondsIn(options, duration) ?? Number.POSITIVE_INFINITY) >= WORTH_SHARING;
}

/** Seconds of a recording of this duration that are to be looked at; undefined: as many as there are. */
function secondsIn({ from = 0, to }: DetectOptions, duration: number | undefined): number | undefined {
  const end = to === undefined || (duration !== undefined && duration < to) ? duration : to;
  return end === undefined ? undefined : Math.max(0, end - from);
}
