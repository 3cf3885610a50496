import { setImmediate as turn } from 'node:timers/promises';
import type { Packet } from 'node-av/lib';
import type { HeaderLine } from '../../events/log.ts';
import type { HudSettings } from '../../geometry.ts';
import { type FeedItem, type FeedItems, LIVE_DEFAULTS, LiveFeed, type LiveFeedOptions } from '../../media/live/feed.ts';
import type { LiveInput, LivePacket } from '../../media/live/input.ts';
import { type LiveSource, nameOfSource } from '../../media/live/source.ts';
import type { Game } from '../game.ts';
import { createHeader } from '../header.ts';
import { fuseStatements, interpretCues, trackCues, writeLines } from '../interpret.ts';
import type {
  ChunkEndMessage,
  DetectMessage,
  SampleMessage,
  SideMessage,
  SummaryMessage,
  WarningMessage,
} from '../messages.ts';
import { SampleReader } from '../reading/sample-reader.ts';
import type { Observations } from '../reading/chunk-readings.ts';
import { announceEarly, withdrawUnconfirmed } from './early.ts';
import { interpolateReadings, toReadings } from './interpolate.ts';
import { OverloadControl, type SampleDecision } from './overload.ts';
import { type LiveSample, LiveSampler } from './sampler.ts';
import { LiveSound } from './sound.ts';

/** Options of `watch`. */
export interface WatchOptions extends Partial<Omit<LiveFeedOptions, 'signal'>> {
  /** Where the HUD lies, if not where the profile has it. */
  readonly hud?: HudSettings | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The log that is continued: its header, and the time up to which it goes. */
  readonly continues?: { readonly header: HeaderLine; readonly t: number } | undefined;
  /** Identifies the session where the log is not continued: 32 hexadecimal digits. */
  readonly identity: string;
  /** The items of the source, where some have been asked for already; default: it is opened. */
  readonly feed?: FeedItems | undefined;
  /** Called with a copy of every packet of video and sound, which the receiver frees. */
  readonly onPacket?: ((packet: StreamPacket) => void) | undefined;
  /** Called when messages about a sample have been given out, and with what the session has cost so far. */
  readonly onSample?: ((timing: SampleTiming) => void) | undefined;
  /** Never leaves out samples: where reading is slower than the recording, it falls behind. For files and standard input. */
  readonly readsAll?: boolean | undefined;
  /** For trials: seconds that the sample at `t` seconds takes longer. */
  readonly slowdownSeconds?: ((t: number) => number) | undefined;
}

/** A packet of a live stream. */
export interface StreamPacket {
  readonly packet: Packet;
  readonly input: LiveInput;
  /** Index of its stream in the container. */
  readonly stream: number;
  /** Decoding of the video can start here. */
  readonly isKey: boolean;
  /** Seconds since the first frame of the session, of the latest frame so far. */
  readonly t: number;
}

/** When a sample was read, in ms of `performance.now()`. */
export interface SampleTiming {
  /** Seconds since the first frame of the session. */
  readonly t: number;
  /** Its packet was read. */
  readonly arrived: number;
  /** Its picture was decoded, and its reading begun. */
  readonly decoded: number;
  /** All that follows from it was given out. */
  readonly done: number;
  /** How far the session is behind, in seconds. */
  readonly lag: number;
  /** Samples that were left out so far. */
  readonly left: number;
}

/** Seconds of the recording between two messages about progress. */
const PROGRESS_SECONDS = 1;

/**
 * Detects the events of a live source while it is watched. The stages are those of `detect`, and so is the log that a recording
 * of the same stream gives, except where samples were left out: `gap` lines say where.
 *
 * @yields The header as soon as the first picture is known, then lines of the log and messages. Leaving the loop, or aborting the
 * signal, closes everything.
 * @throws PlaybyplayError what opening the source throws.
 *
 * @example
 * const game = await openGame('openarena');
 * for await (const message of watch(parseLiveSource('match.mkv'), game, { identity: randomBytes(16).toString('hex') }))
 *   if (message.type === 'early') console.log(message.text);
 */
export async function* watch(
  source: LiveSource,
  game: Game,
  options: WatchOptions,
): AsyncGenerator<DetectMessage, void, undefined> {
  await using feed = options.feed ?? new LiveFeed(source, { ...LIVE_DEFAULTS, ...options });
  const first = await feed.next();
  if (first?.type !== 'connected') return;
  const header = options.continues?.header ?? makeHeader(source, first.input, game, options);
  yield header;
  yield* unreadInputs(game);
  const clock = new SessionClock(options.continues && startedAt(header));
  await using session = await LiveReading.open(game, first.input, clock.begin(), options);
  const early = announceEarly(readLive(feed, first.input, session, clock, options), game);
  const readings = interpolateReadings(early, game, (seen, due) => session.select(seen, due));
  const cues = trackCues(readings, game, true);
  const statements = interpretCues(cues, game);
  const events = fuseStatements(statements, game);
  yield* withdrawUnconfirmed(writeLines(events, header, []));
}

/** Warns of detectors that read what is not read live. */
function* unreadInputs({ detectors }: Game): Generator<WarningMessage> {
  const names = detectors.filter(({ kind, media }) => media !== undefined || kind.input === 'records');
  if (names.length === 0) return;
  const message = `${names.map(({ name }) => name).join(', ')}: sidecar files and second recordings are not read live`;
  const hint = 'Run detect on the recording afterwards.';
  yield { type: 'warning', about: 'recording', issue: { code: 'not-read-live', message, hint } };
}

function makeHeader(source: LiveSource, input: LiveInput, game: Game, options: WatchOptions): HeaderLine {
  const isFile = source.kind === 'file';
  return createHeader(game, {
    name: nameOfSource(source),
    identity: { hash: options.identity, bytes: 0, duration: undefined },
    info: input.info,
    plan: { kind: 'full', from: undefined, to: undefined },
    streams: [],
    companions: [],
    placement: options.hud,
    live: isFile ? {} : { started: new Date(startOf(options.feed)).toISOString() },
  });
}

/** When the session of a log began, in ms since 1970; undefined where the log does not say. */
function startedAt({ live }: HeaderLine): number | undefined {
  return live?.started === undefined ? undefined : Date.parse(live.started);
}

/** When a session begins, in ms since 1970: with its first packet. */
function startOf(feed: FeedItems | undefined): number {
  return Date.now() - (feed?.arrived === undefined ? 0 : performance.now() - feed.arrived);
}

/** packets → readings, sample by sample. */
async function* readLive(
  feed: FeedItems,
  first: LiveInput,
  session: LiveReading,
  clock: SessionClock,
  { continues, onPacket }: WatchOptions,
): AsyncGenerator<SampleMessage | ChunkEndMessage | SideMessage | SummaryMessage, void, undefined> {
  let connection: LiveInput = first;
  let lost: string | undefined = continues ? 'the program was not running' : undefined;
  if (continues) session.lastT = continues.t;
  yield { type: 'connection', state: 'connected', t: session.latest, text: nameOfSource(first.source) };
  const nextItem = async (): Promise<FeedItem | undefined> => {
    const before = performance.now();
    const item = await feed.next();
    session.waited(performance.now() - before);
    return item;
  };
  for (let item = await nextItem(); item; item = await nextItem()) {
    if (item.type === 'packet') {
      const isVideo = item.stream === connection.video.index;
      const copy = onPacket && item.packet.clone();
      const isKey = isVideo && item.packet.isKeyframe;
      if (item.hasNewCodec) session.changeCodec(connection);
      if (isVideo) yield* session.read(item, lost);
      else {
        yield* session.hear(item);
        item.packet.free();
      }
      if (copy) onPacket?.({ packet: copy, input: connection, stream: item.stream, isKey, t: session.latest });
      if (session.lastT !== undefined && session.hasRead) lost = undefined;
      clock.note(session.latest);
    } else if (item.type === 'lost') {
      yield* session.finishConnection();
      // A port that is still open cannot be opened again.
      await feed.release(connection);
      yield { type: 'connection', state: 'lost', t: session.latest, text: item.reason };
      lost = item.reason;
    } else {
      yield* session.finishConnection();
      await session.connect(item.input, clock.begin());
      await feed.release(connection);
      connection = item.input;
      yield { type: 'connection', state: 'connected', t: session.latest, text: nameOfSource(connection.source) };
    }
  }
  yield* session.finishConnection();
  yield { type: 'progress', done: session.latest, total: session.latest };
  yield { type: 'chunk-end', end: session.latest };
  yield { type: 'summary' };
}

/** Says at which time of the session a connection begins: at 0, or where the machine's clock has gone meanwhile. */
class SessionClock {
  /** `performance.now()` and seconds of the session, at some moment. */
  #anchor: { readonly now: number; readonly t: number } | undefined;

  /** @param started When the session that is continued began, in ms since 1970. */
  constructor(started: number | undefined) {
    if (started !== undefined) this.#anchor = { now: performance.now(), t: Math.max(0, (Date.now() - started) / 1000) };
  }

  begin(): number {
    return this.#anchor ? this.#anchor.t + (performance.now() - this.#anchor.now) / 1000 : 0;
  }

  /** The session has come to `t` seconds. */
  note(t: number): void {
    this.#anchor = { now: performance.now(), t };
  }
}

/** Reads the samples of a session, over all its connections. */
class LiveReading implements AsyncDisposable {
  readonly #game: Game;
  readonly #options: WatchOptions;
  readonly #overload = new OverloadControl();
  readonly #detectors: readonly string[];
  readonly #sound: LiveSound | undefined;
  /** About the connection, not given out yet. */
  readonly #warnings: SideMessage[] = [];
  #reader: SampleReader;
  #activity: ReturnType<SampleReader['createActivity']>;
  #sampler: LiveSampler;
  /** Detectors that were due in samples that were left out. */
  #owed: Uint8Array;
  #progress = 0;
  #isSkipping = false;
  /** Of a growing file, what was written before the session is behind in no sense. */
  readonly #isFile: boolean;
  /** The last sample was done, and ms for which packets were waited for since. */
  #done = performance.now();
  #idle = 0;
  /** Seconds of the last sample. */
  lastT: number | undefined;
  /** A sample of this connection was read. */
  hasRead = false;

  private constructor(
    game: Game,
    reader: SampleReader,
    sampler: LiveSampler,
    sound: LiveSound | undefined,
    options: WatchOptions,
    isFile: boolean,
  ) {
    this.#game = game;
    this.#sound = sound;
    this.#options = options;
    this.#detectors = game.detectors.map(({ name }) => name);
    this.#reader = reader;
    this.#sampler = sampler;
    this.#activity = reader.createActivity();
    this.#owed = new Uint8Array(game.detectors.length);
    this.#isFile = isFile;
  }

  static async open(game: Game, input: LiveInput, start: number, options: WatchOptions): Promise<LiveReading> {
    const reader = await SampleReader.open(game, input.info, { hud: options.hud });
    const session = new LiveReading(
      game,
      reader,
      new LiveSampler(game, input, start),
      await LiveSound.open(game),
      options,
      input.source.kind === 'file',
    );
    session.#begin(input, start);
    return session;
  }

  /** Seconds since the first frame of the session, at the latest frame. */
  get latest(): number {
    return this.#sampler.latest;
  }

  /** What is read of a sample on which all detectors see what `seen` says, if only those that `due` marks are due. */
  select(seen: Observations, due: ArrayLike<number>): Observations {
    return this.#reader.select(seen, due);
  }

  /** Reads on from another connection, which begins at `start` seconds. */
  async connect(input: LiveInput, start: number): Promise<void> {
    this.#sampler[Symbol.dispose]();
    this.#reader[Symbol.dispose]();
    this.#reader = await SampleReader.open(this.#game, input.info, { hud: this.#options.hud });
    this.#activity = this.#reader.createActivity();
    this.#sampler = new LiveSampler(this.#game, input, start);
    this.#begin(input, start);
    this.hasRead = false;
  }

  /** Reads on with another codec. */
  changeCodec(input: LiveInput): void {
    this.#sampler.changeCodec(input);
  }

  #begin(input: LiveInput, start: number): void {
    const sampler = this.#sampler;
    const heard = this.#sound?.connect(input, (seconds) => sampler.timeOf(seconds));
    this.#warnings.push(...(heard?.warnings ?? []));
    input.select(this.#options.onPacket ? input.audio.map(({ index }) => index) : (heard?.streams ?? []));
    this.#reader.begin(false);
    this.#activity.begin(start, start === 0);
  }

  /** Packets were waited for. */
  waited(ms: number): void {
    this.#idle += ms;
  }

  /** Takes a packet of the video. @param lost Why nothing was read before this connection. */
  async *read(
    item: LivePacket,
    lost: string | undefined,
  ): AsyncGenerator<SampleMessage | ChunkEndMessage | SideMessage> {
    const { packet, arrived, isLive, isKept } = item;
    const isSkipped =
      !this.#options.readsAll && this.#overload.skips(this.#sampler.latest, performance.now(), packet.isKeyframe);
    if (isSkipped && !this.#isSkipping) this.#sampler.skip('overload: nothing is read up to a keyframe');
    this.#isSkipping = isSkipped;
    const samples = await this.#sampler.add({ packet, arrived }, isSkipped);
    if (isLive) this.#overload.arrived(this.#sampler.latest, arrived);
    else if (!this.#isFile && !isKept) this.#overload.began(this.#sampler.latest, arrived);
    yield* this.#addSound(this.#readSamples(samples, lost));
  }

  /** Takes a packet of another stream, which the caller frees. */
  *hear({ packet, stream }: LivePacket): Generator<SampleMessage | ChunkEndMessage | SideMessage> {
    if (this.#sound) yield* this.#sound.hear(packet, stream);
  }

  /** Reads what is left of a connection. */
  async *finishConnection(): AsyncGenerator<SampleMessage | ChunkEndMessage | SideMessage> {
    yield* this.#addSound(this.#readSamples(await this.#sampler.end(), undefined, true));
    if (this.#sound) yield* this.#sound.finish();
  }

  async *#addSound(
    messages: AsyncIterable<SampleMessage | ChunkEndMessage | SideMessage>,
  ): AsyncGenerator<SampleMessage | ChunkEndMessage | SideMessage> {
    for (const warning of this.#warnings.splice(0)) yield warning;
    if (!this.#sound) yield* messages;
    else for await (const message of messages) yield* this.#sound.add(message);
  }

  async *#readSamples(
    samples: readonly LiveSample[],
    lost: string | undefined,
    isOver = false,
  ): AsyncGenerator<SampleMessage | ChunkEndMessage | SideMessage> {
    const { readsAll = false } = this.#options;
    for (const gap of this.#sampler.takeGaps()) if (gap.t >= (this.lastT ?? 0)) yield { type: 'gap', gap };
    for (const sample of samples) {
      using picture = sample.picture;
      const { t, due, group, arrived } = sample;
      if (!this.hasRead && lost !== undefined && this.lastT !== undefined && t > this.lastT)
        yield { type: 'gap', gap: { t: this.lastT, end: t, reason: lost } };
      if (this.lastT !== undefined && t <= this.lastT) continue;
      this.hasRead = true;
      const decoded = performance.now();
      const lag = this.#overload.lag(t, decoded);
      const { isRead, gap }: SampleDecision = isOver || readsAll ? { isRead: true } : this.#overload.decide(t, decoded);
      if (gap) yield { type: 'gap', gap };
      for (const [d, one] of due.entries()) if (one) this.#owed[d] = 1;
      const other = Math.max(0, decoded - this.#done - this.#idle);
      this.#done = decoded;
      this.#idle = 0;
      if (!isRead) {
        this.#overload.took({ reading: undefined, other });
        continue;
      }
      const owed = this.#owed;
      this.#owed = new Uint8Array(owed.length);
      const seen = await this.#reader.read(picture, owed, { activity: this.#activity });
      const slowdown = this.#options.slowdownSeconds?.(t) ?? 0;
      while (performance.now() - decoded < 1000 * slowdown);
      this.lastT = t;
      const readings = toReadings(t, seen, this.#detectors);
      yield { type: 'sample', t, readings, isFrame: true, frame: { t, due: owed, group, seen } };
      yield { type: 'chunk-end' };
      const done = performance.now();
      this.#overload.took({ reading: done - decoded, other });
      this.#done = done;
      this.#options.onSample?.({ t, arrived, decoded, done, lag, left: this.#overload.left });
      if (t - this.#progress < PROGRESS_SECONDS) continue;
      this.#progress = t;
      yield { type: 'progress', done: t, total: undefined };
      await turn();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#sound?.[Symbol.dispose]();
    this.#sampler[Symbol.dispose]();
    this.#reader[Symbol.dispose]();
  }
}
