import { join } from 'node:path';
import type { Packet } from 'node-av/lib';
import { type ResolvedGame, resolveGame, type ResolveGameOptions } from '../discovery/resolve-game.ts';
import { PlaybyplayError } from '../errors.ts';
import { TemporaryFolder } from '../files/output.ts';
import { type FeedItem, type FeedItems, LiveFeed, type LiveFeedOptions } from '../media/live/feed.ts';
import type { LiveInput } from '../media/live/input.ts';
import { type LiveSource, nameOfSource } from '../media/live/source.ts';
import { Muxer } from '../media/write/muxer.ts';
import { recognizeGame, type RecognizedGame } from '../pipeline/placement/decide-placement.ts';

/** Options of `recognizeLiveGame`. */
export interface RecognizeLiveOptions
  extends Pick<ResolveGameOptions, 'profiles' | 'plugins' | 'folder' | 'onRecognized' | 'onUnknown' | 'onDraft'> {
  readonly feed: LiveFeedOptions;
  /** Called with what is being done, and how many seconds of the stream were watched for it. */
  readonly onStep?: ((text: string) => void) | undefined;
}

/** The game of a live stream, and the stream from its beginning on, which the receiver disposes of. */
export interface RecognizedStream {
  readonly game: ResolvedGame;
  /** Where the HUD of a known game lies, if not where its profile has it. */
  readonly hud: RecognizedGame['hud'];
  readonly feed: FeedItems;
}

/** Seconds of the stream after which known games are looked for, each time from its beginning. */
const RECOGNITION_SECONDS: readonly number[] = [6, 15, 30];
/** Seconds of the stream from which the HUD of an unknown game is drafted. */
const DRAFT_SECONDS = 60;
/** Bytes of the stream that are kept meanwhile. */
const MAX_KEPT_BYTES = 192 << 20;

/**
 * Finds out which game a live stream shows. Looks for known games in its first seconds; where none is found in half a minute, the
 * profile of an unknown game is drafted from its first minute. The stream is kept meanwhile, and is read from its beginning
 * afterwards.
 *
 * @throws PlaybyplayError `unknown-recording` if no HUD is found, and what opening the source throws.
 */
export async function recognizeLiveGame(source: LiveSource, options: RecognizeLiveOptions): Promise<RecognizedStream> {
  const { profiles = [], plugins = [], folder, onStep } = options;
  await using resources = new AsyncDisposableStack();
  const kept = resources.use(new KeptStream(new LiveFeed(source, options.feed)));
  await using temporary = await TemporaryFolder.create();
  const { signal } = options.feed;
  for (const [i, seconds] of [...RECOGNITION_SECONDS, DRAFT_SECONDS].entries()) {
    onStep?.(
      i === 0
        ? `Looking for a known game in the first ${seconds} s`
        : seconds < DRAFT_SECONDS
          ? `No known game so far: watching up to ${seconds} s`
          : `No known game in ${RECOGNITION_SECONDS.at(-1)} s: watching the first minute, to find its HUD`,
    );
    const isOver = await kept.watch(seconds);
    signal?.throwIfAborted();
    const recording = join(temporary.path, `${seconds}.mkv`);
    kept.write(recording, nameOfSource(source));
    if (!isOver && seconds < DRAFT_SECONDS) {
      const { found } = await recognizeGame(recording, { profiles, plugins, ...(signal && { signal }) });
      if (!found) continue;
      options.onRecognized?.(found);
      return finish({ game: found.path, isDraft: false }, found.hud);
    }
    let hud: RecognizedGame['hud'];
    const game = await resolveGame(recording, {
      ...options,
      game: 'auto',
      folder,
      resume: true,
      ...(signal && { signal }),
      onRecognized(found) {
        hud = found.hud;
        options.onRecognized?.(found);
      },
    });
    return finish(game, hud);
  }
  throw new TypeError('the last step resolves the game');

  function finish(game: ResolvedGame, hud: RecognizedGame['hud']): RecognizedStream {
    kept.replay();
    // From now on it belongs to the caller.
    resources.move();
    return { game, hud, feed: kept };
  }
}

/** A stream whose items are kept while it is watched, and given out from the beginning afterwards. */
class KeptStream implements FeedItems {
  readonly #feed: LiveFeed;
  readonly #items: FeedItem[] = [];
  #input: LiveInput | undefined;
  #bytes = 0;
  #origin: number | undefined;
  #seconds = 0;
  #isOver = false;
  /** `performance.now()` of the first packet, and up to which packets were kept waiting. */
  #arrived: number | undefined;
  #until = Number.NEGATIVE_INFINITY;

  constructor(feed: LiveFeed) {
    this.#feed = feed;
  }

  get arrived(): number | undefined {
    return this.#arrived;
  }

  /** Watches up to so many seconds of the first connection. @returns Whether no more of it can be watched. */
  async watch(seconds: number): Promise<boolean> {
    while (!this.#isOver && this.#seconds < seconds && this.#bytes < MAX_KEPT_BYTES) {
      const item = await this.#feed.next();
      if (!item) break;
      this.#items.push(item);
      if (item.type === 'connected') this.#input ??= item.input;
      if (item.type === 'lost') this.#isOver = true;
      if (item.type === 'packet') this.#note(item.packet, item.stream, item.arrived);
    }
    if (this.#seconds < seconds) this.#isOver = true;
    return this.#isOver;
  }

  #note(packet: Packet, stream: number, arrived: number): void {
    this.#arrived ??= arrived;
    this.#bytes += packet.size;
    const { video } = this.#input!;
    if (stream !== video.index || packet.dts < 0n) return;
    const t = (Number(packet.dts) * video.timeBase.num) / video.timeBase.den;
    this.#origin ??= t;
    this.#seconds = Math.max(this.#seconds, t - this.#origin);
  }

  /** Writes the video of what is kept. @throws PlaybyplayError `not-a-video` where there is none. */
  write(path: string, name: string): void {
    const { video, info } = this.#input ?? {};
    const packets = this.#items.flatMap((item) =>
      item.type === 'packet' && item.stream === video?.index ? [item.packet] : [],
    );
    const start = packets.findIndex(({ isKeyframe }) => isKeyframe);
    if (!video || !info || start < 0) throw new PlaybyplayError('not-a-video', `no picture came from ${name}`);
    using muxer = new Muxer(path, 'matroska');
    const output = muxer.addCopiedStream(video.codecpar, undefined, video.timeBase, info.frameRate);
    muxer.start();
    for (const packet of packets.slice(start)) {
      const copy = packet.clone();
      if (copy) muxer.write(copy, output, video.timeBase);
      copy?.free();
    }
    muxer.finish();
  }

  /** From now on gives out what was kept, and then what comes. Nothing of what had to wait for it counts as late. */
  replay(): void {
    this.#until = performance.now() + 1000 * this.#seconds;
  }

  async next(): Promise<FeedItem | undefined> {
    const item = this.#items.shift() ?? (await this.#feed.next());
    if (item?.type !== 'packet' || item.arrived > this.#until) return item;
    return { ...item, isLive: false, isKept: true };
  }

  async release(input: LiveInput): Promise<void> {
    await this.#feed.release(input);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const item of this.#items.splice(0)) if (item.type === 'packet') item.packet.free();
    await this.#feed[Symbol.asyncDispose]();
  }
}
