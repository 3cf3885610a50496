import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadBuiltin } from '../../dictionary/files.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { HeaderLine } from '../../events/log.ts';
import { LOG_NAME } from '../../events/reader.ts';
import { LogWriter } from '../../events/writer.ts';
import { loadMapping, recognizeMapping, type CompiledMapping } from '../../events/import/mapping.ts';
import { importLog, type ImportedSession } from '../../events/import/import-log.ts';
import { VERSION } from '../../version.ts';
import type { Command } from '../command.ts';
import { counted, formatIssues } from '../explain.ts';

const help = `playbyplay import <log of a game> [options]

Reads a log that a game or its server wrote as events, so that it can be queried like what was seen on the screen.
Each match becomes a log of its own.

  --format <name>     quake3 (games.log), levelstat (PrBoom+, dsda-doom), or the path of a mapping; default: recognised
  --player <name>     whose session it is; everybody else is an opponent or a teammate
  -o, --out <folder>  where the logs go (default <log>.playbyplay)

Examples:
  playbyplay import games.log --player Grunt
  playbyplay query "count kills by weapon" games.log.playbyplay
  playbyplay import levelstat.txt -o doom
`;

const options = {
  format: { type: 'string' },
  player: { type: 'string' },
  out: { type: 'string', short: 'o' },
  help: { type: 'boolean', short: 'h' },
} as const;

const largest = 256 * 2 ** 20;

export const importCommand: Command = {
  name: 'import',
  summary: 'read a log that a game wrote as events',
  help,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [path, ...more] = positionals;
    if (path === undefined || more.length > 0)
      throw new PlaybyplayError('usage', 'which log?', { hint: 'Give one file.' });
    const bytes = await readFile(path).catch((error: unknown) => {
      throw new PlaybyplayError('log-missing', `cannot read ${path}: ${messageOf(error)}`, { cause: error });
    });
    if (bytes.length > largest)
      throw new PlaybyplayError('log-too-large', `${path} is larger than ${largest / 2 ** 20} MiB`);
    const text = bytes.toString('utf8');
    const compiled = values.format === undefined ? await recognizeMapping(text) : await loadMapping(values.format);
    const { dictionary } = await loadBuiltin(compiled.mapping.dictionaries, { definitions: false });
    const session = basename(path);
    const { sessions, issues } = importLog(text, compiled, dictionary, {
      session,
      ...(values.player !== undefined && { player: values.player }),
    });
    io.stderr.write(formatIssues(issues.map((issue) => ({ ...issue, path: `${path}:${issue.path}` }))));
    const folder = values.out ?? `${path}.playbyplay`;
    const dictionaries = dictionary.sources.map(({ name, version }) => ({ name, version, hash: '' }));
    for (const [index, each] of sessions.entries()) {
      const place = sessions.length === 1 ? folder : join(folder, String(index + 1).padStart(3, '0'));
      const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
      await write(place, each, header(compiled, each, { name: session, hash, bytes: bytes.length }, dictionaries));
      io.stdout.write(`${join(place, LOG_NAME)}\n`);
      io.stderr.write(`  ${each.session}: ${counted(each.events.length, 'event')}\n`);
    }
    if (sessions.length === 0)
      throw new PlaybyplayError('empty-log', `${path} holds nothing that ${compiled.mapping.title} speaks of`);
    return 0;
  },
};

function header(
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

async function write(folder: string, session: ImportedSession, head: HeaderLine): Promise<void> {
  await mkdir(folder, { recursive: true });
  await using log = await LogWriter.create(join(folder, LOG_NAME), head);
  for (const event of session.events) log.add(event);
  await log.end(0);
}
