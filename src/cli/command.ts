import { type MediaLimits, setMediaLimits } from '../media/limits.ts';
import { buildCommand, type CommandBuilderArguments, type CommandContext } from '@stricli/core';
import { resolve } from 'node:path';
import { PlaybyplayError } from '../errors.ts';
import { checkNotInput } from '../files/output.ts';
import { type Option, type Options, type OptionValues, type Proposals, usageError } from './options.ts';

/** Where a command writes, and how it is cancelled. Data goes to `stdout`, everything else to `stderr`. */
export interface CommandIo {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Whether stderr is a terminal. Progress is shown only there. */
  readonly isTty: boolean;
  /** Whether styled text is shown in colors, per stream. Default: no. */
  readonly colors?: Readonly<Record<'stdout' | 'stderr', boolean>>;
  /** Moves the cursor of the terminal: what it is given is not escaped, and therefore never comes from a file. */
  readonly control: (sequence: string) => void;
  readonly signal: AbortSignal;
}

/** What the parser hands to a command: its streams, and where it puts the exit code. */
export interface Context extends CommandContext {
  readonly process: CommandIo & { exitCode?: number | string | null };
}

/**
 * The declaration of a command: the single source of its parser, its help, its shell completion and its reference page.
 *
 * @typeParam O - The options by name.
 * @typeParam A - The names of the required arguments.
 * @typeParam R - The name of the repeatable last argument, if any.
 */
export interface CommandSpec<
  O extends Options = Options,
  A extends readonly string[] = readonly string[],
  R extends string | undefined = string | undefined,
> {
  /** One line for the list of commands. */
  readonly summary: string;
  /** Paragraphs below the usage line of the help. */
  readonly description?: string;
  readonly arguments: A;
  readonly rest?: R;
  /** How many values `rest` needs. Default: 1. */
  readonly minimumRest?: number;
  readonly options: O;
  /** What completion proposes for every argument. */
  readonly propose?: () => Proposals;
  /** Command lines without the program's name. */
  readonly examples?: readonly string[];
}

/** The function that runs a command. Its result is the exit code: 0 ok, 1 failure, 2 usage, 3 findings, 130 interrupted. */
export type RunCommand<S extends CommandSpec> = (
  io: CommandIo,
  options: OptionValues<S['options']>,
  ...args: ArgumentValues<S>
) => number | Promise<number>;

type Strings<A extends readonly string[]> = { -readonly [K in keyof A]: string };

type ArgumentValues<S extends CommandSpec> = [
  ...Strings<S['arguments']>,
  ...(S['rest'] extends string ? string[] : []),
];

/** Declares a command. At run time it only returns its argument; it infers the literal types that {@link RunCommand} needs. */
export function declare<
  const O extends Options,
  const A extends readonly string[],
  const R extends string | undefined = undefined,
>(spec: CommandSpec<O, A, R>): CommandSpec<O, A, R> {
  return spec;
}

/** Refuses to write to a file that another argument or option names, before anything is read. */
async function refuseInputsAsOutputs(
  spec: CommandSpec,
  values: Readonly<Record<string, unknown>>,
  args: readonly string[],
): Promise<void> {
  const outputs: string[] = [];
  const inputs: string[] = [...args];
  for (const [name, { isOutput = false, parameter }] of Object.entries(spec.options)) {
    const texts = [values[name]].flat().filter((text) => typeof text === 'string');
    if (isOutput && parameter.placeholder !== 'folder') outputs.push(...texts);
    else if (isOutput) continue;
    // name=file@clock
    else
      inputs.push(
        ...texts.flatMap((text) => [text, text.replace(/^[^=]*=/, ''), text.replace(/^[^=]*=|@[^@]*$/g, '')]),
      );
  }
  const [twice] = outputs.filter(
    (path, index) => outputs.findIndex((other) => resolve(other) === resolve(path)) < index,
  );
  if (twice !== undefined) throw usageError(`${twice} is given for two outputs`);
  for (const path of outputs) await checkNotInput(path, inputs);
}

/** Separates the names of several arguments in the one placeholder that the parser knows for a list. */
export const ARGUMENT_SEPARATOR = '> <';

/** Builds the parser of a command. The module that runs it is imported when the command is called. */
export function command<S extends CommandSpec>(spec: S, load: () => Promise<RunCommand<S>>) {
  const entries: [string, Option][] = Object.entries(spec.options);
  const builder = {
    docs: { brief: spec.summary },
    parameters: {
      flags: Object.fromEntries(entries.map(([name, { parameter }]) => [name, parameter])),
      aliases: Object.fromEntries(entries.flatMap(([name, { short }]) => (short === undefined ? [] : [[short, name]]))),
      positional: {
        kind: 'array',
        minimum: spec.arguments.length + (spec.rest === undefined ? 0 : (spec.minimumRest ?? 1)),
        ...(spec.rest === undefined && { maximum: spec.arguments.length }),
        parameter: {
          brief: '',
          placeholder: [...spec.arguments, ...(spec.rest === undefined ? [] : [spec.rest])].join(ARGUMENT_SEPARATOR),
          parse: String,
          ...(spec.propose && { proposeCompletions: spec.propose }),
        },
      },
    },
    async loader() {
      const run = await load();
      return async function (this: Context, options: OptionValues<S['options']>, ...args: string[]) {
        const { process } = this;
        const limits = (options as { readonly limit?: readonly Partial<MediaLimits>[] }).limit ?? [];
        if (limits.length > 0) setMediaLimits(Object.assign({}, ...limits) as Partial<MediaLimits>);
        try {
          await refuseInputsAsOutputs(spec, options, args);
          process.exitCode = await run(process, options, ...(args as unknown as ArgumentValues<S>));
        } catch (error) {
          // What fails after an interruption fails because of it.
          throw process.signal.aborted && !isLoss(error) ? process.signal.reason : error;
        }
      };
    },
  };
  // The parser's types derive each option's declaration from a hand-written type of its values; here it is the other way round.
  const built = buildCommand<Record<string, unknown>, string[], Context>(
    builder as unknown as CommandBuilderArguments<Record<string, unknown>, string[], Context>,
  );
  return Object.assign(built, { spec });
}

/** Whether an error says that output is incomplete: the user must know of it even where the command was ended at the same time. */
function isLoss(error: unknown): boolean {
  return error instanceof PlaybyplayError && (error.code === 'disk-full' || error.code === 'write-failed');
}
