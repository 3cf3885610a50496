import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlaybyplayError } from '../../errors.ts';
import type { HeaderLine } from '../../events/log.ts';
import { loadLog, LOG_NAME } from '../../events/reader.ts';
import { LogWriter } from '../../events/writer.ts';
import { makeFolder, removeEmptyFolder } from '../../files/folder.ts';
import { lockFolder } from '../../files/lock-folder.ts';
import { openInput } from '../../files/input.ts';
import { AppendFile } from '../../files/append-file.ts';
import { checkOutput, type OutputPolicy } from '../../files/output.ts';
import { type LiveSource, nameOfSource } from '../../media/live/source.ts';
import type { Game } from '../game.ts';
import type { DetectMessage } from '../messages.ts';
import { watch, type WatchOptions } from './watch.ts';

/** Options of `recordLive`. */
export interface RecordLiveOptions extends Omit<WatchOptions, 'identity' | 'continues'> {
  /** Folder for the log. A log in it that did not end is continued. */
  readonly out: string;
  /** Replaces outputs that are of another kind or symbolic links, and a log that has ended. */
  readonly overwrite?: boolean | undefined;
}

/** The file of what was stated early: so nothing is lost that was reported, where the program is killed before it is certain. */
const EARLY_NAME = 'early.ndjson';
/** Bytes at the beginning of a growing file by which it is recognized. */
const IDENTITY_BYTES = 1024;
/** How long that many bytes are waited for. */
const IDENTITY_MS = 5000;

/**
 * Watches a live source and writes the log of its events. Lines are on disk when they are given out.
 *
 * A log that did not end is continued: that of a growing file as if nothing had happened, because the file is read again from
 * its beginning; that of another source with a gap.
 *
 * @throws PlaybyplayError `other-log` if the folder holds the log of something else, and what `watch` throws.
 */
export async function* recordLive(
  source: LiveSource,
  game: Game,
  { out, overwrite, ...options }: RecordLiveOptions,
): AsyncGenerator<DetectMessage, void, undefined> {
  const path = join(out, LOG_NAME);
  const inputs = source.kind === 'file' ? [source.path] : [];
  const policy = { inputs, overwrite };
  await checkOutput(path, { kind: 'event log', ...policy });
  const isNew = !existsSync(out);
  await makeFolder(out);
  await using resources = new AsyncDisposableStack();
  // A source that could not be opened leaves nothing behind; a folder with files stays.
  if (isNew) resources.defer(() => removeEmptyFolder(out));
  resources.use(await lockFolder(out));
  const isFile = source.kind === 'file';
  const known = overwrite ? undefined : await findKnownLog(out, source, game);
  const continues = isFile || known?.hasEnded ? undefined : known;
  const identity = isFile ? await identifyFile(source.path) : randomBytes(16).toString('hex');
  const watching = watch(source, game, { ...options, identity, continues });
  let log: LogWriter | undefined;
  let header: HeaderLine | undefined;
  let duration = 0;
  let early: AppendFile | undefined;
  for await (const message of watching) {
    if (message.type === 'header') {
      // A file that was read before has a log with its duration.
      const isKnown = known?.header.media.hash === message.media.hash;
      header = isKnown ? withDuration(message, known.header.media.duration) : message;
      log = resources.use(
        continues
          ? await LogWriter.append(path, header, policy)
          : await LogWriter.create(path, header, { resume: isFile && !overwrite, ...policy }),
      );
      early = resources.use(await openEarly(join(out, EARLY_NAME), continues !== undefined, policy));
    } else if (message.type === 'early' || message.type === 'withdrawn')
      await early!.append(Buffer.from(`${JSON.stringify(message)}\n`));
    else if (message.type === 'event' || message.type === 'gap' || message.type === 'end') await log!.write([message]);
    else if (message.type === 'progress') duration = message.done;
    if (message.type === 'end' && header) await log!.replaceHeader(withDuration(header, duration));
    yield message;
  }
}

function withDuration(header: HeaderLine, duration: number): HeaderLine {
  return { ...header, media: { ...header.media, duration } };
}

/** Opens the file of what was stated before it was certain; that of a log that is continued is continued, too. */
async function openEarly(path: string, isContinued: boolean, policy: OutputPolicy): Promise<AppendFile> {
  const size = isContinued ? ((await stat(path).catch(() => undefined))?.size ?? 0) : 0;
  return await AppendFile.open(path, size, { kind: 'JSON', ...policy });
}

/** The log of this session or growing file in a folder, and the time up to which it goes. */
async function findKnownLog(
  folder: string,
  source: LiveSource,
  game: Game,
): Promise<{ readonly header: HeaderLine; readonly t: number; readonly hasEnded: boolean } | undefined> {
  const log = await loadLog(join(folder, LOG_NAME)).catch((error: unknown) => {
    if (error instanceof PlaybyplayError && error.code === 'log-missing') return undefined;
    throw error;
  });
  if (!log) return undefined;
  const { header, lines } = log;
  const isSame = header.live && header.game === game.profile.game && header.media.name === nameOfSource(source);
  const hasEnded = lines.some(({ type }) => type === 'end');
  if (isSame && (!hasEnded || source.kind === 'file') && header.profile.hash === game.fingerprint.hash) {
    const t = Math.max(0, ...lines.map((line) => ('t' in line ? line.t : 0)));
    return { header, t, hasEnded };
  }
  if (isSame && source.kind === 'file') return undefined;
  throw new PlaybyplayError(
    'other-log',
    `${folder} holds the log of ${header.media.name}${hasEnded ? ', which has ended' : ''}`,
    {
      hint: 'Name another folder with --out, or replace the log with --overwrite.',
    },
  );
}

/** A file is recognized by its beginning, as the rest of it is still to come. */
async function identifyFile(path: string): Promise<string> {
  const buffer = Buffer.alloc(IDENTITY_BYTES);
  const patience = performance.now() + IDENTITY_MS;
  let length = 0;
  while (length < IDENTITY_BYTES && performance.now() < patience) {
    await using file = await openInput(path).catch(() => undefined);
    if (!file) break;
    ({ bytesRead: length } = await file.read(buffer, 0, IDENTITY_BYTES, 0));
    if (length < IDENTITY_BYTES) await sleep(50);
  }
  return createHash('sha256').update(buffer.subarray(0, length)).digest('hex').slice(0, 32);
}
