import { join } from 'node:path';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { makeFolder } from '../files/folder.ts';
import type { StreamPacket } from '../pipeline/live/watch.ts';
import type { DetectMessage } from '../pipeline/messages.ts';
import { ActionRunner } from './actions.ts';
import { ClipRecorder } from './clips.ts';
import { ObsClient } from './obs.ts';
import { type LiveServer, startLiveServer } from './server.ts';
import { LiveSession } from './session.ts';
import { TriggerMatcher, type TriggersFile } from './triggers.ts';
import { Webhooks } from './webhook.ts';

/** What is done with the events of a live session besides its log. */
export interface LiveUsesOptions {
  readonly game: string;
  readonly dictionary: Dictionary;
  /** Folder of the log; clips are written to `clips` in it. */
  readonly folder: string;
  readonly triggers?: TriggersFile | undefined;
  /** Port and address of a server for overlays and other programs. */
  readonly server?: { readonly port: number; readonly host?: string | undefined } | undefined;
  readonly onClip?: ((path: string) => void) | undefined;
  readonly onProblem: (message: string) => void;
}

/** Where OBS listens unless the file says otherwise. */
const OBS_ADDRESS = 'ws://127.0.0.1:4455';
/** Seconds of the stream that are kept beyond what clips need: a group of pictures. */
const CLIP_MARGIN_SECONDS = 12;

/** Passes the messages of a live session on to overlays, triggers and clips. Nothing of it makes the session wait. */
export class LiveUses implements AsyncDisposable {
  readonly session: LiveSession;
  readonly server: LiveServer | undefined;
  readonly #matcher: TriggerMatcher | undefined;
  readonly #runner: ActionRunner | undefined;
  readonly #clips: ClipRecorder | undefined;
  readonly #resources: AsyncDisposableStack;

  private constructor(
    session: LiveSession,
    server: LiveServer | undefined,
    triggers: { readonly matcher: TriggerMatcher; readonly runner: ActionRunner } | undefined,
    clips: ClipRecorder | undefined,
    resources: AsyncDisposableStack,
  ) {
    this.session = session;
    this.server = server;
    this.#matcher = triggers?.matcher;
    this.#runner = triggers?.runner;
    this.#clips = clips;
    this.#resources = resources;
  }

  /** @throws PlaybyplayError `bad-query`, `port-in-use`. */
  static async open(options: LiveUsesOptions): Promise<LiveUses> {
    const { game, dictionary, folder, triggers, server: serving, onClip, onProblem } = options;
    await using resources = new AsyncDisposableStack();
    const session = new LiveSession(dictionary, triggers?.counters);
    const server = serving && resources.use(await startLiveServer({ session, dictionary, ...serving }));
    const specs = triggers?.triggers ?? [];
    if (specs.length === 0) return new LiveUses(session, server, undefined, undefined, resources.move());
    const matcher = new TriggerMatcher(specs, dictionary);
    const stop = new AbortController();
    const obs = resources.use(
      new ObsClient({ address: triggers?.obs?.address ?? OBS_ADDRESS, password: triggers?.obs?.password, onProblem }),
    );
    const webhooks = resources.use(new Webhooks({ onProblem }));
    const lengths = specs.flatMap((spec) =>
      spec.do.flatMap((one) => (one.action === 'clip' ? [(one.before ?? 10) + (one.after ?? 5)] : [])),
    );
    const clipFolder = join(folder, 'clips');
    if (lengths.length > 0) await makeFolder(clipFolder);
    const seconds = Math.max(0, ...lengths) + CLIP_MARGIN_SECONDS;
    const clips = resources.use(new ClipRecorder({ folder: clipFolder, seconds, onClip, onProblem }));
    const runner = resources.use(new ActionRunner({ obs, webhooks, clips, game, signal: stop.signal }, onProblem));
    // What waits for a moment to come does not wait any more when the session ends.
    resources.defer(() => stop.abort());
    return new LiveUses(session, server, { matcher, runner }, lengths.length > 0 ? clips : undefined, resources.move());
  }

  /** Whether packets of the stream are needed. */
  get keepsPackets(): boolean {
    return this.#clips !== undefined;
  }

  /** Takes the next message of the session. */
  add(message: DetectMessage): void {
    this.session.add(message);
    if (message.type !== 'event') return;
    for (const match of this.#matcher?.add(message) ?? []) this.#runner?.run(match);
  }

  /** Takes a packet of the stream. */
  keep(packet: StreamPacket): void {
    this.#clips?.add(packet);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources[Symbol.asyncDispose]();
  }
}
