import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { loadBuiltin } from '../../dictionary/files.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { HeaderLine } from '../../events/log.ts';
import { LOG_NAME } from '../../events/reader.ts';
import { LogWriter } from '../../events/writer.ts';
import { type CompiledMapping, loadMapping, recognizeMapping } from '../../events/import/mapping.ts';
import { importLog as importSessions, type ImportedSession } from '../../events/import/import-log.ts';
import { readInput } from '../../files/input.ts';
import { type OutputPolicy, produceOutput } from '../../files/output.ts';
import { plainText } from '../../markup.ts';
import { VERSION } from '../../version.ts';
import type { RunCommand } from '../command.ts';
import { formatCount, formatIssues } from '../describe-error.ts';
import type * as specs from '../specs.ts';

const MAX_LOG_BYTES = 256 * 2 ** 20;
const EVENTS_PER_WRITE = 1000;

/** `playbyplay import <game log>` */
export const importLog: RunCommand<typeof specs.importLog> = async (io, options, path) => {
  const bytes = await readInput(path, MAX_LOG_BYTES, 'log-too-large').catch((error: unknown) => {
    if (error instanceof PlaybyplayError) throw error;
    throw new PlaybyplayError('log-missing', `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  });
  const text = bytes.toString('utf8');
  const compiled = options.format === undefined ? await recognizeMapping(text) : await loadMapping(options.format);
  const { dictionary } = await loadBuiltin(compiled.mapping.dictionaries, { meaning: false });
  const session = plainText(basename(path));
  const { sessions, issues } = await importSessions(text, compiled, dictionary, {
    session,
    signal: io.signal,
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
      io.signal,
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
