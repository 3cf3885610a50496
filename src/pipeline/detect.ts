import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { Trace } from '../threads/trace.ts';
import type { Reading } from '../detectors/kind.ts';
import { type Issue, PlaybyplayError } from '../errors.ts';
import type { Journal, JournalKey } from '../events/journal.ts';
import type { HeaderLine } from '../events/log.ts';
import type { HudSettings } from '../geometry.ts';
import { checkOutput } from '../files/output.ts';
import { originSeconds, type PacketIndex } from '../media/packets/packet-index.ts';
import { formatClock } from '../time.ts';
import { VERSION } from '../version.ts';
import type { Game } from './game.ts';
import { createHeader, journalKey } from './header.ts';
import { fuseStatements, interpretCues, trackCues, writeLines } from './interpret.ts';
import {
  type ChunkEndMessage,
  type CueBreakpoint,
  type DetectMessage,
  problemMessage,
  type SampleMessage,
  type SideMessage,
  type SummaryMessage,
  type WarningMessage,
} from './messages.ts';
import { decidePlacement, type PlacementDecision, restorePlacement } from './placement/decide-placement.ts';
import { type ChunkReadings, ChunkStitcher, type Gap, readingsOf } from './reading/chunk-readings.ts';
import { CHUNK_SECONDS, type PlannedChunk, planChunks, type SourceChunk } from './reading/plan.ts';
import { readJournaled } from './reading/read-journaled.ts';
import { createDecoders, ReaderPool, type ReaderPoolOptions } from './reading/reader-pool.ts';
import { SampleReader } from './reading/sample-reader.ts';
import type { MediaIdentity, Source } from './source.ts';
import { AudioReader } from './sources/audio.ts';
import { checkCompanionNames, Companion, type CompanionSource, type SourceReadings } from './sources/companion.ts';
import { RecordReader, type StreamSource } from './sources/records.ts';
import { grayscaleVideo, missingMotionVectors, multipleVideoStreams, textTooSmall } from './warnings.ts';

/** Options of `detect`. */
export interface DetectOptions {
  /** `full` (default) reads every sample; `adaptive` reads in full only between keyframes that differ. */
  readonly plan?: 'full' | 'adaptive' | undefined;
  /** Reading threads; default one a core. The log does not depend on it. */
  readonly workers?: number | undefined;
  /** Seconds: only samples in [from, to). */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Where the HUD lies, if that is known. */
  readonly hud?: HudSettings | undefined;
  /**
   * Without `hud`: `auto` (default) uses the profile's own place if its elements are seen there, and else locates them; `default` uses
   * the profile's own without looking.
   */
  readonly place?: 'auto' | 'default' | undefined;
  /** Profiles besides the built-in ones (packs, or folders of packs) whose games the recording may show instead. */
  readonly profiles?: readonly string[] | undefined;
  /** Files that accompany the recording, by the names under which the profile's `stream` detectors know them. */
  readonly streams?: readonly StreamSource[] | undefined;
  /** Second recordings of the session, by the names under which the profile's detectors know them (`media`). */
  readonly companions?: readonly CompanionSource[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** File for a Chrome trace of what was read when. */
  readonly trace?: string | undefined;
  /** Replaces outputs that are of another kind or symbolic links. */
  readonly overwrite?: boolean | undefined;
  /** Seconds without a sign of life after which a thread is replaced; default 120. */
  readonly stuckAfter?: number | undefined;
  /** Opens the journal in which readings are stored, and from which those of an interrupted run are taken. */
  readonly openJournal?: ((key: JournalKey) => Promise<Journal<ChunkReadings>>) | undefined;
  /** Cues at which a `stop` message says what is known: readings, state of the script, what was stated. */
  readonly breakpoints?: readonly CueBreakpoint[] | undefined;
  /** The header of the interrupted run that is continued. */
  readonly resumes?: HeaderLine | undefined;
}

/**
 * Detects the events of a recording.
 *
 * frames → readings → cues → statements → events → log
 *
 * The messages are the lines of the log in order, with warnings, notes and progress between them. Leaving the loop, or aborting
 * the signal, closes everything that was opened; the caller closes `source`.
 *
 * @param source The recording: see `openSource`.
 * @param game The game that it shows: see `openGame`.
 * @throws PlaybyplayError `wrong-game` before anything is read if the recording plainly shows another known game.
 *
 * @example
 * using source = await openSource('match.mp4');
 * const game = await openGame('openarena');
 * for await (const message of detect(source, game, { plan: 'adaptive' })) {
 *   if (message.type === 'event') console.log(message.t, message.text);
 *   if (message.type === 'warning') console.warn(message.issue.message);
 * }
 */
export async function* detect(
  source: Source,
  game: Game,
  options: DetectOptions = {},
): AsyncGenerator<DetectMessage, void, undefined> {
  await using run = await prepareRun(source, game, options);
  yield run.header;
  yield* run.warnings;
  const readings = readSamples(run);
  const cues = trackCues(readings, game, run.fits);
  const statements = interpretCues(cues, game, { breakpoints: options.breakpoints ?? [] });
  const events = fuseStatements(statements, game);
  const warnings = run.warnings.filter(({ about }) => about === 'recording').map(({ issue }) => issue);
  yield* writeLines(events, run.header, warnings);
}

/** One of several shares of the work of reading a recording, counted from 0. */
export interface Share {
  readonly index: number;
  readonly count: number;
}

/** So many chunks in a row belong to one share: about a minute, as a reader that skips chunks has to warm up again. */
const MAX_CHUNKS_PER_BLOCK = 8;

/**
 * Reads a share of a recording into the journal, for another process or machine to make the log of all shares. Chunks begin at
 * keyframes, so that shares do not depend on each other.
 *
 * @param options As of `detect`; `openJournal` must be given.
 */
export async function* readShare(
  source: Source,
  game: Game,
  options: DetectOptions,
  { index, count }: Share,
): AsyncGenerator<Extract<DetectMessage, { type: 'progress' }>, void, undefined> {
  await using run = await prepareRun(source, game, options);
  const { pool, journal, duration, signal } = run;
  const all = await planSource(run, () => undefined);
  const chunks = (duration ?? Number.POSITIVE_INFINITY) / CHUNK_SECONDS[options.plan ?? 'full'];
  const blockLength = Math.max(1, Math.min(MAX_CHUNKS_PER_BLOCK, Math.floor(chunks / (2 * count))));
  async function* own(): AsyncGenerator<PlannedChunk, void, undefined> {
    for await (const chunk of all) if (Math.floor(chunk.number / blockLength) % count === index) yield chunk;
  }
  for await (const { request } of readJournaled(own(), pool, journal, { signal }))
    yield { type: 'progress', done: request.chunk.end, total: duration };
}

/** The files that a run reads, besides those of its game. */
export function inputsOf(source: Source, { streams = [], companions = [] }: DetectOptions): readonly string[] {
  return [source.path, ...[...streams, ...companions].map(({ path }) => path)];
}

/** What is known of a recording before it is read, and what reads it. */
interface PreparedRun extends AsyncDisposable {
  readonly source: Source;
  readonly game: Game;
  readonly options: DetectOptions;
  readonly header: HeaderLine;
  readonly warnings: readonly WarningMessage[];
  /** Whether the HUD was found, so that it is worth watching whether the profile fits. */
  readonly fits: boolean;
  /** Seconds; undefined where the source does not know it. */
  readonly duration: number | undefined;
  readonly pool: ReaderPool;
  readonly journal: Journal<ChunkReadings> | undefined;
  readonly others: OtherSources;
  readonly trace: Trace | undefined;
  /** Aborted when the run is left, too. */
  readonly signal: AbortSignal;
}

/** Examines the source, locates the HUD and opens everything, while the reading threads start. */
async function prepareRun(source: Source, game: Game, options: DetectOptions): Promise<PreparedRun> {
  const { plan = 'full', workers = availableParallelism(), signal, from, to, stuckAfter } = options;
  await using resources = new AsyncDisposableStack();
  checkCompanionNames(options.companions ?? [], game);
  const trace = options.trace === undefined ? undefined : new Trace();
  const tracePolicy = { inputs: inputsOf(source, options), overwrite: options.overwrite };
  if (options.trace !== undefined) await checkOutput(options.trace, { kind: 'JSON', ...tracePolicy });
  const decoders = createDecoders(source.video, plan, workers, stuckAfter).map((decoder) => resources.use(decoder));
  const poolOptions: ReaderPoolOptions = { plan, workers, hud: options.hud, stuckAfter, decoders, trace };
  let pool = resources.use(new ReaderPool(source.video, game, poolOptions));
  const expectedSeconds = (to ?? source.video.info.duration ?? Number.POSITIVE_INFINITY) - (from ?? 0);
  const expectedChunks = Math.ceil(expectedSeconds / CHUNK_SECONDS[plan]);
  if (!options.resumes) pool.start(expectedChunks);
  const index = await source.preview(signal);
  const identity = await source.identify();
  const { duration } = identity;
  if (from !== undefined && duration !== undefined && from > duration)
    throw new PlaybyplayError(
      'nothing-to-read',
      `${basename(source.path)} ends at ${formatClock(duration)}, before --from ${formatClock(from)}`,
    );
  const decision = await choosePlacement(source, index, game, identity, options);
  const { hud, doubt, placement } = decision;
  // Reading on would only write an empty log; whoever knows better says `place: 'default'`.
  if (doubt?.code === 'wrong-game')
    throw new PlaybyplayError('wrong-game', `${doubt.message}; nothing was read`, { hint: doubt.hint });
  // Threads that have started meanwhile know the profile's own place.
  if (hud && !options.hud) {
    pool = resources.use(new ReaderPool(source.video, game, { ...poolOptions, hud }));
    if (!options.resumes) pool.start(expectedChunks);
  }
  const others = resources.use(await OtherSources.open(source, index, game, duration, options));
  const warnings = await findWarnings(source, index, game, decision, others);
  const header = createHeader(game, {
    name: basename(source.path),
    identity,
    info: source.video.info,
    plan: { kind: plan, from, to },
    streams: others.records.headers,
    companions: others.companions.map((companion) => companion.header),
    placement,
  });
  const key = journalKey(
    header,
    hud,
    game.detectors.map(({ name }) => name),
  );
  const journal = options.openJournal && resources.use(await options.openJournal(key));
  const stop = new AbortController();
  const owned = resources.move();
  return {
    source,
    game,
    options,
    header,
    warnings,
    fits: !doubt,
    duration,
    pool,
    journal,
    others,
    trace,
    signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await owned[Symbol.asyncDispose]();
      if (trace) await trace.write(options.trace!, tracePolicy);
    },
  };
}

/** The placement that the options give, the interrupted run found, or this one finds. */
async function choosePlacement(
  source: Source,
  index: PacketIndex,
  game: Game,
  identity: MediaIdentity,
  { hud, place = 'auto', resumes, signal, profiles }: DetectOptions,
): Promise<PlacementDecision> {
  if (hud) return { hud, placement: hud };
  if (place === 'default') return { hud, placement: undefined };
  const about = { media: identity, profile: game.fingerprint, program: VERSION };
  return (
    restorePlacement(resumes, game, about) ??
    (await decidePlacement({ file: source.video, index, game, signal }, profiles))
  );
}

async function findWarnings(
  { video }: Source,
  index: PacketIndex,
  game: Game,
  { hud, doubt, remarks = [] }: PlacementDecision,
  others: OtherSources,
): Promise<readonly WarningMessage[]> {
  const issues = [
    ...remarks,
    doubt ? undefined : await textTooSmall(game, video.info, hud ?? {}),
    missingMotionVectors(game, video, index),
    await grayscaleVideo(game, video, index),
    multipleVideoStreams(video.info),
  ].filter((issue) => issue !== undefined);
  return [
    ...(doubt ? [{ type: 'warning', about: 'placement', issue: doubt } as const] : []),
    ...issues.map((issue) => ({ type: 'warning', about: 'recording', issue }) as const),
    ...others.issues.map(problemMessage),
  ];
}

/** frames → readings: samples in order of time, together with the readings of other sources. */
async function* readSamples(
  run: PreparedRun,
): AsyncGenerator<SampleMessage | ChunkEndMessage | SideMessage | SummaryMessage, void, undefined> {
  const { game, pool, journal, others, duration, options } = run;
  const { from = 0, to = Number.POSITIVE_INFINITY, signal } = options;
  const detectors = game.detectors.map(({ name }) => name);
  const stitcher = new ChunkStitcher(game);
  const missing: Gap[] = [];
  const chunks = await planSource(run, (gap) => gap.end > from && gap.t < to && missing.push(gap));
  others.start(journal);
  let end = 0;
  for await (const { request, readings } of readJournaled(chunks, pool, journal, { signal })) {
    const { chunk } = request;
    yield* gapMessages([...missing.splice(0), ...readings.gaps]);
    const other = await others.until(chunk.end);
    yield* gapMessages(other.gaps);
    const stitched = stitcher.stitch(readings);
    const frames = stitched.t.map((t, i) => ({ t, readings: readingsOf(stitched, i, detectors) }));
    yield* mergeByTime(frames, other.readings);
    yield { type: 'chunk-end' };
    yield { type: 'progress', done: chunk.end, total: duration };
    end = Math.max(end, chunk.end);
    // The decoder, which works on the next chunk already, may have finished a packet.
    await turn();
  }
  yield* gapMessages(missing.splice(0));
  const rest = await others.until(Number.POSITIVE_INFINITY);
  yield* gapMessages(rest.gaps);
  yield* mergeByTime([], rest.readings);
  yield { type: 'chunk-end' };
  yield { type: 'chunk-end', end: duration ?? end };
  yield { type: 'summary', problems: countCodes(others.issues) };
}

/** The chunks of the source and their samples; `onGap` is called for stretches that the recording lacks. */
async function planSource(run: PreparedRun, onGap: (gap: Gap) => void): Promise<AsyncIterable<PlannedChunk>> {
  const { source, game, options, signal } = run;
  const { plan = 'full', from, to } = options;
  async function* sourceChunks(): AsyncGenerator<SourceChunk, void, undefined> {
    for await (const chunk of source.chunks(CHUNK_SECONDS[plan], signal)) {
      for (const gap of chunk.gaps) onGap(gap);
      yield chunk;
    }
  }
  return planChunks(sourceChunks(), game, { range: { from, to }, warmUp: SampleReader.warmUpOf(game) });
}

function* gapMessages(gaps: readonly Gap[]): Generator<SideMessage> {
  for (const gap of gaps) yield { type: 'gap', gap };
}

/** Frames in order of time, with the readings of other sources among them; those of one moment come together. */
function* mergeByTime(
  frames: readonly { readonly t: number; readonly readings: Iterable<Reading> }[],
  others: readonly Reading[],
): Generator<SampleMessage> {
  let next = 0;
  const take = (t: number): readonly Reading[] => {
    const first = next;
    while (next < others.length && others[next]!.t === t) next++;
    return others.slice(first, next);
  };
  function* takeUntil(t: number): Generator<SampleMessage> {
    while (next < others.length && others[next]!.t < t) {
      const own = others[next]!.t;
      yield { type: 'sample', t: own, readings: take(own), isFrame: false };
    }
  }
  for (const { t, readings } of frames) {
    yield* takeUntil(t);
    yield { type: 'sample', t, readings: [...readings, ...take(t)], isFrame: true };
  }
  yield* takeUntil(Number.POSITIVE_INFINITY);
}

function countCodes(issues: readonly Issue[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { code } of issues) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

/** What is read besides the frames of the recording: its sound, files with clocks of their own, companion recordings. */
class OtherSources implements AsyncDisposable {
  readonly records: RecordReader;
  readonly companions: readonly Companion[];
  /** What the profile asks for and the session does not have. */
  readonly issues: readonly Issue[];
  readonly #audio: AudioReader;
  readonly #resources: AsyncDisposableStack;

  private constructor(
    records: RecordReader,
    companions: readonly Companion[],
    audio: AudioReader,
    issues: readonly Issue[],
    resources: AsyncDisposableStack,
  ) {
    this.records = records;
    this.companions = companions;
    this.issues = issues;
    this.#audio = audio;
    this.#resources = resources;
  }

  static async open(
    source: Source,
    index: PacketIndex,
    game: Game,
    duration: number | undefined,
    options: DetectOptions,
  ): Promise<OtherSources> {
    const { from = 0, to = Number.POSITIVE_INFINITY, plan = 'full', workers = availableParallelism() } = options;
    const issues: Issue[] = [];
    await using resources = new AsyncDisposableStack();
    const audioRange = { origin: originSeconds(index), from: options.from, to: options.to, signal: options.signal };
    const audio = resources.use(
      await AudioReader.open(source.path, game, audioRange, ({ code, message }) => {
        issues.push({ code, message: `${message}; audio detectors are left out` });
      }),
    );
    const records = await RecordReader.open(options.streams ?? []);
    records.read(game, { from, to }, (detector, stream) =>
      issues.push({ code: 'no-such-stream', message: `“${detector}” reads “${stream}”, which is not given` }),
    );
    const run = { ...options, plan, workers, duration: duration ?? Number.POSITIVE_INFINITY };
    const companions: Companion[] = [];
    for (const one of options.companions ?? []) companions.push(resources.use(await Companion.open(one, game, run)));
    for (const { name, media } of game.detectors)
      if (media !== undefined && !companions.some((companion) => companion.name === media))
        issues.push({ code: 'no-such-media', message: `“${name}” needs “${media}”, which is not given (--media)` });
    issues.push(...companions.flatMap((companion) => companion.issues));
    return new OtherSources(records, companions, audio, issues, resources.move());
  }

  start(journal: Journal<ChunkReadings> | undefined): void {
    for (const companion of this.companions) companion.start(journal);
  }

  /** What lies before `t` seconds and was not given out yet; readings in order of time. */
  async until(t: number): Promise<SourceReadings> {
    const readings: Reading[] = [...this.#audio.until(t), ...this.records.until(t)];
    const gaps: Gap[] = [];
    for (const companion of this.companions) {
      const own = await companion.until(t);
      readings.push(...own.readings);
      gaps.push(...own.gaps);
    }
    return { readings: readings.toSorted((a, b) => a.t - b.t), gaps };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources[Symbol.asyncDispose]();
  }
}
