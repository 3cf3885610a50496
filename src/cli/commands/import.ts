import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import { loadBuiltin } from '../../dictionary/files.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { HeaderLine } from '../../events/log.ts';
import { LOG_NAME } from '../../events/reader.ts';
import { LogWriter } from '../../events/writer.ts';
import { foreignFormats, importForeign, recognizeForeign } from '../../events/import/foreign/index.ts';
import type { ForeignFormat } from '../../events/import/foreign/format.ts';
import { loadMapping, recognizeMapping } from '../../events/import/mapping.ts';
import { importLog as importSessions } from '../../events/import/import-log.ts';
import type { Imported, ImportedSession } from '../../events/import/session-builder.ts';
import { readInput } from '../../files/input.ts';
import { type OutputPolicy, produceOutput } from '../../files/output.ts';
import { plainText } from '../../markup.ts';
import { VERSION } from '../../version.ts';
import type { RunCommand } from '../command.ts';
import { formatCount, formatIssues } from '../describe-error.ts';
import type * as specs from '../specs.ts';

const MAX_LOG_BYTES = 256 * 2 ** 20;
const EVENTS_PER_WRITE = 1000;

/** An imported file, with what the headers of its logs say. */
interface ImportedFile extends Imported {
  readonly dictionary: Dictionary;
  readonly game: string;
  readonly title: string;
  /** The mapping or format. */
  readonly reader: { readonly name: string; readonly version: string };
}

/** `playbyplay import <game log>` */
export const importLog: RunCommand<typeof specs.importLog> = async (io, options, path) => {
  const session = plainText(basename(path));
  const { player } = options;
  const imported = await importFile(path, options.format, { session, player, signal: io.signal });
  const { sessions, issues, dictionary, title } = imported;
  io.stderr.write(formatIssues(issues.map((issue) => ({ ...issue, path: `${path}:${issue.path}` }))));
  const folder = options.out ?? `${path}.playbyplay`;
  const dictionaries = dictionary.sources.map(({ name, version }) => ({ name, version, hash: '' }));
  const file = { name: session, ...(await fingerprint(path)) };
  for (const [index, each] of sessions.entries()) {
    const place = sessions.length === 1 ? folder : join(folder, String(index + 1).padStart(3, '0'));
    await writeLog(
      place,
      each,
      createHeader(imported, each, file, dictionaries),
      { inputs: [path], overwrite: options.overwrite },
      io.signal,
    );
    io.stdout.write(`${join(place, LOG_NAME)}\n`);
    io.stderr.write(`  ${each.session}: ${formatCount(each.events.length, 'event')}\n`);
  }
  if (sessions.length === 0)
    throw new PlaybyplayError('empty-log', `${path} contains no event that playbyplay reads in the format ${title}`);
  return 0;
};

/** Imports by a format of another program, recognized by content or named, or else by a mapping of lines. */
async function importFile(
  path: string,
  name: string | undefined,
  options: { readonly session: string; readonly player: string | undefined; readonly signal: AbortSignal },
): Promise<ImportedFile> {
  const format = await findForeign(path, name).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (format) {
    const mapping = name === undefined || name === format.name ? undefined : await loadMapping(name);
    const imported = await importForeign(path, format, { ...options, mapping });
    const game = mapping?.mapping.game ?? format.game;
    return { ...imported, game, title: format.title, reader: { name: format.name, version: '1' } };
  }
  const text = await readInput(path, MAX_LOG_BYTES, 'log-too-large').then(
    (bytes) => bytes.toString('utf8'),
    (error: unknown) => {
      throw unreadable(path, error);
    },
  );
  const compiled = name === undefined ? await recognizeMapping(text) : await loadMapping(name);
  const { mapping } = compiled;
  const { dictionary } = await loadBuiltin(mapping.dictionaries, { meaning: false });
  const { player, ...rest } = options;
  const imported = await importSessions(text, compiled, dictionary, {
    ...rest,
    ...(player !== undefined && { player }),
  });
  return {
    ...imported,
    dictionary,
    game: mapping.game,
    title: mapping.title,
    reader: { name: mapping.name, version: mapping.format },
  };
}

/** The format of another program that is named, or that the file has. A mapping that is named is for the file's format, or for lines. */
async function findForeign(path: string, name: string | undefined): Promise<ForeignFormat | undefined> {
  return foreignFormats.find((format) => format.name === name) ?? (await recognizeForeign(path));
}

function unreadable(path: string, error: unknown): PlaybyplayError {
  if (error instanceof PlaybyplayError) return error;
  return new PlaybyplayError('log-missing', `cannot read ${path}: ${messageOf(error)}`, { cause: error });
}

/** Hash of the content and size of a file, read as a stream. */
async function fingerprint(path: string): Promise<{ readonly hash: string; readonly bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { hash: hash.digest('hex').slice(0, 16), bytes };
}

function createHeader(
  { game, reader }: ImportedFile,
  session: ImportedSession,
  file: { name: string; hash: string; bytes: number },
  dictionaries: HeaderLine['dictionaries'],
): HeaderLine {
  return {
    type: 'header',
    format: 'playbyplay/1',
    game,
    session: session.session,
    media: { ...file, duration: session.duration, width: 0, height: 0, start: 0 },
    profile: { ...reader, hash: '' },
    dictionaries,
    plan: { kind: 'full', interval: 1 },
    program: VERSION,
  };
}

async function writeLog(
  folder: string,
  session: ImportedSession,
  head: HeaderLine,
  policy: OutputPolicy,
  signal: AbortSignal,
): Promise<void> {
  const write = async (temporaryPath: string): Promise<void> => {
    await using log = await LogWriter.create(temporaryPath, head);
    const events = session.events.toSorted((a, b) => a.t - b.t);
    for (let from = 0; from < events.length; from += EVENTS_PER_WRITE) {
      signal.throwIfAborted();
      await log.write(events.slice(from, from + EVENTS_PER_WRITE));
    }
    await log.write([{ type: 'end', events: events.length, gaps: 0, samples: 0 }]);
  };
  await produceOutput(join(folder, LOG_NAME), write, { kind: 'event log', ...policy });
}
