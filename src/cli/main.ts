import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PlaybyplayError } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import { VERSION } from '../version.ts';
import type { Command, CommandIo } from './command.ts';
import { explain } from './explain.ts';

/** `.ts` in the checkout, `.js` in the package: what this very file is. */
const extension = extname(import.meta.filename);
const folder = join(import.meta.dirname, 'commands');

/** The names of all commands: the files in commands/. */
function commandNames(): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(extension) && !name.endsWith('.d.ts') && !name.includes('.test.'))
    .map((name) => name.slice(0, -extension.length))
    .toSorted();
}

async function load(name: string): Promise<Command> {
  const module = (await import(pathToFileURL(join(folder, name + extension)).href)) as Record<
    string,
    Command | undefined
  >;
  const command = Object.values(module).find((one) => one?.name === name);
  if (command === undefined) throw new TypeError(`commands/${name} exports no command of that name`);
  return command;
}

async function overview(): Promise<string> {
  const commands = await Promise.all(commandNames().map(load));
  const width = Math.max(...commands.map(({ name }) => name.length));
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n');
  return `playbyplay ${VERSION} — watches recorded gameplay and writes down what happened

Usage: playbyplay <command> …

${list}

  playbyplay <command> --help   what a command does, with examples
  playbyplay --version
`;
}

/** Runs the program with its arguments (without node and file); the exit code: 0 ok, 1 failure, 2 usage, 3 findings, 130 interrupted. */
export async function main(args: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...rest] = args;
  let command: Command | undefined;
  try {
    if (name === '--version' || name === '-v' || name === '-V') {
      io.stdout.write(`${VERSION}\n`);
      return 0;
    }
    if (name === undefined || name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
      (name === undefined ? io.stderr : io.stdout).write(await overview());
      return name === undefined ? 2 : 0;
    }
    const [wanted, ...its] = name === 'help' ? [rest[0]!, '--help'] : args;
    command = await load(known(wanted!));
    if (its.includes('--help') || its.includes('-h')) {
      io.stdout.write(command.help.endsWith('\n') ? command.help : `${command.help}\n`);
      return 0;
    }
    return await command.run(its, io);
  } catch (error) {
    const { text, exitCode } = explain(error, {
      command,
      aborted: io.signal.aborted,
      color: io.isTty && !process.env['NO_COLOR'],
    });
    io.stderr.write(text);
    return exitCode;
  }
}

function known(name: string): string {
  const names = commandNames();
  if (names.includes(name)) return name;
  throw new PlaybyplayError('usage', `there is no command “${name}”`, {
    hint: suggestSpelling(name, names) ?? `The commands are ${names.join(', ')}.`,
  });
}
