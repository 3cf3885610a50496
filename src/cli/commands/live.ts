import { join } from 'node:path';
import type { RecognizedStream, RecognizeLiveOptions } from '../../live/recognize.ts';
import { followStreamQuality, type StreamMessage } from '../../live/stream-quality.ts';
import { readTriggers } from '../../live/triggers.ts';
import { LiveUses } from '../../live/uses.ts';
import { makeFolder } from '../../files/folder.ts';
import { LIVE_DEFAULTS } from '../../media/live/feed.ts';
import { listens, type LiveSource, nameOfSource, parseLiveSource } from '../../media/live/source.ts';
import { openGame } from '../../pipeline/game.ts';
import { recordLive } from '../../pipeline/live/record-live.ts';
import type { WithdrawnMessage } from '../../pipeline/messages.ts';
import { defaultFolder } from '../../pipeline/record-log.ts';
import { knownProfiles } from '../../profile/find.ts';
import { formatClock } from '../../time.ts';
import type { CommandIo, RunCommand } from '../command.ts';
import { formatCount, formatIssues } from '../describe-error.ts';
import { usageError } from '../options.ts';
import { readPlacement } from '../placement.ts';
import { findPlugins, findProfiles } from '../plugins.ts';
import type * as specs from '../specs.ts';
import { formatSentence } from '../terminal.ts';

/** `playbyplay live <source>` */
export const live: RunCommand<typeof specs.live> = async (io, options, name) => {
  if (options.host !== undefined && options.http === undefined) throw usageError('--host needs --http');
  const { early = false, json = false, quiet = false, fps, size, listen, overwrite } = options;
  if (early && !json) throw usageError('--early needs --json: sentences are printed as soon as they are stated anyway');
  if (options.adjust && options.frames === undefined) throw usageError('--adjust needs --frames');
  const source = parseLiveSource(name, { listen, frameRate: fps, size });
  const readsAll = options['read-all'] ?? false;
  if (readsAll && source.kind !== 'file' && source.kind !== 'stdin')
    throw usageError('--read-all is for files and standard input: a sender does not wait');
  const plugins = await findPlugins(options.plugin);
  const profiles = await findProfiles(options.profiles);
  const folder = options.out ?? defaultLiveFolder(source);
  const feedOptions = {
    signal: io.signal,
    ...(options.idle !== undefined && { idleSeconds: options.idle }),
    ...(options.stall !== undefined && { stallSeconds: options.stall }),
    ...(options.reconnect !== undefined && { reconnectSeconds: options.reconnect }),
    onOpen: (opened: LiveSource) =>
      void io.stderr.write(
        `${listens(opened) ? 'Waiting for a sender at' : 'Connecting to'} ${nameOfSource(opened)} …\n`,
      ),
    onRetry: (reason: string, delay: number) => void io.stderr.write(`Trying again in ${delay} s: ${reason}\n`),
  };
  await using resources = new AsyncDisposableStack();
  const hud = await findHud(options.place, options['hud-scale']);
  const recognized =
    options.game === 'auto'
      ? await recognize(source, { feed: { ...LIVE_DEFAULTS, ...feedOptions }, profiles, plugins, folder }, io)
      : undefined;
  if (recognized) resources.use(recognized.feed);
  const known =
    profiles.length === 0 ? undefined : (await knownProfiles(profiles)).find(({ game }) => game === options.game);
  const game = await openGame(recognized?.game.game ?? known?.path ?? options.game, plugins, options.language);
  const onProblem = (message: string): void => void io.stderr.write(`Warning: ${message}\n`);
  await using uses = await LiveUses.open({
    game: game.profile.game,
    dictionary: game.dictionary,
    folder,
    triggers: options.triggers === undefined ? undefined : await readTriggers(options.triggers, game.dictionary),
    server: options.http === undefined ? undefined : { port: options.http, host: options.host },
    onClip: (path) => io.stderr.write(`Clip: ${path}\n`),
    onProblem,
  });
  if (uses.server) io.stderr.write(`Overlay: ${uses.server.address}/overlay\n`);
  const messages = recordLive(source, game, {
    out: folder,
    overwrite,
    readsAll,
    ...feedOptions,
    hud: hud ?? recognized?.hud,
    ...(recognized && { feed: recognized.feed }),
    ...(uses.keepsPackets && { onPacket: (packet) => uses.keep(packet) }),
  });
  const printer = new LivePrinter(io, { early, json, quiet });
  if (options.frames !== undefined) await makeFolder(folder);
  await using stream =
    options.frames === undefined
      ? undefined
      : await followStreamQuality({
          frames: options.frames,
          out: join(folder, 'quality.ndjson'),
          overwrite,
          adjust: options.adjust,
          sessionTime: () => uses.session.state.t,
          onMessage: (message) => {
            printer.printStream(message);
            uses.session.addStream(message);
          },
          onProblem,
        });
  for await (const message of messages) {
    printer.print(message);
    uses.add(message);
  }
  await stream?.stop();
  io.stderr.write(
    `${formatCount(printer.events, 'event')} in ${formatClock(printer.seconds)} → ${join(folder, 'events.ndjson')}\n`,
  );
  return 0;
};

/** Finds out which game a stream shows, and says so. */
async function recognize(
  source: LiveSource,
  options: Omit<RecognizeLiveOptions, 'onStep' | 'onRecognized' | 'onUnknown' | 'onDraft'>,
  { stderr }: CommandIo,
): Promise<RecognizedStream> {
  const { recognizeLiveGame } = await import('../../live/recognize.ts');
  return await recognizeLiveGame(source, {
    ...options,
    onStep: (text) => stderr.write(`${text} …\n`),
    onRecognized: ({ game, confidence }) => stderr.write(`Recognized ${game} (${confidence.toFixed(2)}).\n`),
    onUnknown: () => stderr.write('No known game: looking for what its screen shows.\n'),
    onDraft: ({ names }) =>
      stderr.write(`Found ${[...names].map(([{ type }, name]) => `${type} ${name}`).join(', ')}.\n`),
  });
}

type LiveMessage = ReturnType<typeof recordLive> extends AsyncGenerator<infer Message> ? Message : never;

/** Prints what a session says: sentences as soon as they are stated, or lines of the log. */
class LivePrinter {
  readonly #io: CommandIo;
  readonly #options: { readonly early: boolean; readonly json: boolean; readonly quiet: boolean };
  /** Ids of sentences that were printed before they were certain. */
  readonly #printed = new Set<string>();
  events = 0;
  seconds = 0;

  constructor(io: CommandIo, options: { readonly early: boolean; readonly json: boolean; readonly quiet: boolean }) {
    this.#io = io;
    this.#options = options;
  }

  print(message: LiveMessage): void {
    const { stderr } = this.#io;
    if (message.type === 'progress') this.seconds = message.done;
    else if (message.type === 'warning') {
      if (message.about !== 'detectors') stderr.write(formatIssues([message.issue]));
    } else if (message.type === 'note')
      stderr.write(`${formatSentence(message.note.t, `(script) ${message.note.text}`)}\n`);
    else if (message.type === 'connection')
      stderr.write(
        `${formatClock(message.t)} ${message.state === 'connected' ? 'Watching' : 'Lost'}: ${message.text}\n`,
      );
    else if (this.#options.json) this.#printJson(message);
    else if (message.type === 'gap')
      stderr.write(`${formatClock(message.t)} to ${formatClock(message.end)} was not read: ${message.reason}\n`);
    else if (message.type === 'event' || message.type === 'early') this.#printSentence(message);
    else if (message.type === 'withdrawn') this.#printWithdrawal(message);
    if (message.type === 'event') this.events++;
  }

  /** Prints incidents of the stream and settings that fit it, and with --json its figures. */
  printStream(message: StreamMessage): void {
    if (this.#options.quiet) return;
    if (this.#options.json) this.#io.stdout.write(`${JSON.stringify(message)}\n`);
    else if (message.type !== 'quality') this.#io.stdout.write(`${formatSentence(message.t, message.text)}\n`);
  }

  #printJson(message: Exclude<LiveMessage, { readonly type: 'progress' | 'warning' | 'note' | 'connection' }>): void {
    if (this.#options.quiet || (isEarly(message) && !this.#options.early)) return;
    this.#io.stdout.write(`${JSON.stringify(message)}\n`);
  }

  /** Prints a sentence once: when it is stated, or else when it stands in the log. */
  #printSentence({ type, id, t, text, tentative }: Extract<LiveMessage, { readonly type: 'event' | 'early' }>): void {
    if (this.#options.quiet || tentative) return;
    if (type === 'early' ? this.#printed.has(id) : this.#printed.delete(id)) return;
    if (type === 'early') this.#printed.add(id);
    this.#io.stdout.write(`${formatSentence(t, text)}\n`);
  }

  /** Prints a sentence that was printed and does not stand in the log again, marked. */
  #printWithdrawal({ id, t, text }: WithdrawnMessage): void {
    if (this.#printed.delete(id)) this.#io.stdout.write(`${formatSentence(t, `withdrawn: ${text}`)}\n`);
  }
}

function isEarly({ type }: LiveMessage): boolean {
  return type === 'early' || type === 'withdrawn';
}

async function findHud(place: string | undefined, scale: number | undefined) {
  if (scale !== undefined && place !== undefined) throw usageError('--place and --hud-scale cannot be combined');
  if (scale !== undefined) return { scale };
  return place === undefined || place === 'default' ? undefined : await readPlacement(place);
}

/** Next to a growing file, where `detect` puts its log; else a new folder in the current one. */
function defaultLiveFolder(source: LiveSource): string {
  if (source.kind === 'file') return defaultFolder(source.path);
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[:T]/g, '-');
  return `live-${time}.playbyplay`;
}
