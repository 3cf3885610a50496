import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { loadBuiltin } from '../../dictionary/files.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { HeaderLine } from '../../events/log.ts';
import { LOG_NAME } from '../../events/reader.ts';
import { LogWriter } from '../../events/writer.ts';
import { type CompiledMapping, loadMapping, recognizeMapping } from '../../events/import/mapping.ts';
import { importLog as importSessions, type ImportedSession } from '../../events/import/import-log.ts';
import { makeFolder } from '../../files/folder.ts';
import type { OutputPolicy } from '../../files/output.ts';
import { VERSION } from '../../version.ts';
import type { RunCommand } from '../command.ts';
import { formatCount, formatIssues } from '../describe-error.ts';
import type * as specs from '../specs.ts';

const MAX_LOG_BYTES = 256 * 2 ** 20;

/** `playbyplay import <game log>` */
export const importLog: RunCommand<typeof specs.importLog> = async (io, options, path) => {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new PlaybyplayError('log-missing', `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  });
  if (bytes.length > MAX_LOG_BYTES)
    throw new PlaybyplayError('log-too-large', `${path} is larger than ${MAX_LOG_BYTES / 2 ** 20} MiB`);
  const text = bytes.toString('utf8');
  const compiled = options.format === undefined ? await recognizeMapping(text) : await loadMapping(options.format);
  const { dictionary } = await loadBuiltin(compiled.mapping.dictionaries, { meaning: false });
  const session = basename(path);
  const { sessions, issues } = importSessions(text, compiled, dictionary, {
    session,
    ...(options.player !== undefined && { player: options.player }),
  });
  io.stderr.write(formatIssues(issues.map((issue) => ({ ...issue, path: `${path}:${issue.path}` }))));
  const folder = options.out ?? `${path}.playbyplay`;
  const dictionaries = dictionary.sources.map(({ name, version }) => ({ name, version, hash: '' }));
  for (const [index, each] of sessions.entries()) {
    const place = sessions.length === 1 ? folder : join(folder, String(index + 1).padStart(3, '0'));
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    await writeLog(
      place,
      each,
      createHeader(compiled, each, { name: session, hash, bytes: bytes.length }, dictionaries),
      { inputs: [path], overwrite: options.overwrite },
    );
    io.stdout.write(`${join(place, LOG_NAME)}\n`);
    io.stderr.write(`  ${each.session}: ${formatCount(each.events.length, 'event')}\n`);
  }
  if (sessions.length === 0)
    throw new PlaybyplayError('empty-log', `${path} contains no session in the format ${compiled.mapping.title}`);
  return 0;
};

function createHeader(
  compiled: CompiledMapping,
  session: ImportedSession,
  file: { name: string; hash: string; bytes: number },
  dictionaries: HeaderLine['dictionaries'],
): HeaderLine {
  return {
    type: 'header',
    format: 'playbyplay/1',
    game: compiled.mapping.game,
    session: session.session,
    media: { ...file, duration: session.duration, width: 0, height: 0, start: 0 },
    profile: { name: compiled.mapping.name, version: compiled.mapping.format, hash: '' },
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
): Promise<void> {
  await makeFolder(folder);
  await using log = await LogWriter.create(join(folder, LOG_NAME), head, policy);
  for (const event of session.events) log.add(event);
  await log.end(0);
}
