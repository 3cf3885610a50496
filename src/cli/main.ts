import { ExitCode, run } from '@stricli/core';
import { VERSION } from '../version.ts';
import type { CommandIo } from './command.ts';
import { escapedStream } from './terminal.ts';

/**
 * Runs the program.
 *
 * @param args - The command line without node and file.
 * @returns The exit code: 0 ok, 1 failure, 2 usage, 3 findings, 130 interrupted.
 */
export async function main(args: readonly string[], streams: Omit<CommandIo, 'control'>): Promise<number> {
  const { stdout, stderr, colors } = streams;
  const control = (sequence: string): void => void stderr.write(sequence);
  const io: CommandIo = {
    ...streams,
    stdout: escapedStream(stdout, colors?.stdout),
    stderr: escapedStream(stderr, colors?.stderr),
    control,
  };
  const [first, ...rest] = args;
  if (first === '--version' || first === '-v' || first === '-V') {
    io.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const { app } = await import('./app.ts');
  if (first === '__complete') {
    const { printCompletions } = await import('./completion.ts');
    await printCompletions(app, rest, io);
    return 0;
  }
  const inputs = first === 'help' ? [...rest, '--help'] : args;
  const end = inputs.indexOf('--');
  const options = end < 0 ? inputs : inputs.slice(0, end);
  const helpRequested = options.includes('--help') || options.includes('-h');
  const process: CommandIo & { exitCode?: number; helpRequested: boolean } = { ...io, helpRequested };
  await run(app, inputs, { process });
  const code = process.exitCode ?? 0;
  if (code >= 0) return code;
  if (code !== ExitCode.InvalidArgument && code !== ExitCode.UnknownCommand) return 1;
  io.stderr.write(`See: ${commandName(app.root, inputs)} --help\n`);
  return 2;
}

/** The leading words of a command line that name a command. */
function commandName(root: object, inputs: readonly string[]): string {
  const words = ['playbyplay'];
  let target: object | undefined = root;
  for (const input of inputs) {
    if (!('getRoutingTargetForInput' in target) || typeof target.getRoutingTargetForInput !== 'function') break;
    const next = target.getRoutingTargetForInput(input) as object | undefined;
    if (next === undefined) break;
    words.push(input);
    target = next;
  }
  return words.join(' ');
}
