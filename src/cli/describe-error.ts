import {
  AliasNotFoundError,
  ArgumentParseError,
  EnumValidationError,
  ExitCode,
  FlagNotFoundError,
  UnexpectedFlagError,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
  UnsatisfiedPositionalError,
} from '@stricli/core';
import { existsSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { type Issue, messageOf, PlaybyplayError } from '../errors.ts';
import { didYouMean, suggestSpelling } from '../spelling.ts';
import { ROOT } from '../version.ts';
import { ARGUMENT_SEPARATOR } from './command.ts';

const MAX_PRINTED_ISSUES = 50;

/** The text on stderr for an error that ended a command, without the last line break. */
export function describeError(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError') return 'playbyplay: interrupted';
  if (error instanceof PlaybyplayError) {
    const { message, issues, hint } = error;
    const isSaid = issues.some((issue) => issue.hint === hint);
    return `playbyplay: ${message}\n${formatIssues(issues)}${isSaid ? '' : (hint ?? '')}`.trimEnd();
  }
  const missing = describeMissingPackage(error);
  if (missing !== undefined) return `playbyplay: ${missing}`;
  const refusal = describeSystemError(error);
  if (refusal !== undefined) return `playbyplay: ${refusal}`;
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `playbyplay: internal error (please report it)\n${trace}`;
}

/** The exit code of an error that ended a command; `ExitCode.InvalidArgument` for a mistake in the command line. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Error && error.name === 'AbortError') return 130;
  if (!(error instanceof PlaybyplayError)) return 1;
  if (error.code === 'usage') return ExitCode.InvalidArgument;
  return error.code === 'wrong-game' ? 3 : 1;
}

/** What is wrong with an argument or option, and what to write instead. */
export function describeArgumentError(error: unknown): string {
  const [message, hint] = argumentMistake(error);
  return `playbyplay: ${message}${hint === undefined ? '' : `\n${hint}`}`;
}

function argumentMistake(error: unknown): readonly [message: string, hint?: string | undefined] {
  if (error instanceof FlagNotFoundError) {
    const [near] = error.corrections;
    return [`unknown option --${error.input}`, near === undefined ? undefined : didYouMean(`--${near}`)];
  }
  if (error instanceof AliasNotFoundError)
    return [`unknown option -${error.input}`, `For a file whose name starts with a dash, write ./-${error.input}….`];
  if (error instanceof UnexpectedPositionalError) return [`unexpected argument "${error.input}"`];
  if (error instanceof UnsatisfiedPositionalError) {
    const names = error.placeholder.split(ARGUMENT_SEPARATOR);
    return [`missing argument <${names[Math.min(error.limit?.[1] ?? 0, names.length - 1)]}>`];
  }
  if (error instanceof UnsatisfiedFlagError) {
    const { externalFlagName: name, nextFlagName: next } = error;
    return [`missing value of --${name}${next === undefined ? '' : ` before --${next}`}`];
  }
  if (error instanceof UnexpectedFlagError) return [`--${error.externalFlagName} is given more than once`];
  if (error instanceof EnumValidationError) {
    const { externalFlagName: name, values, input } = error;
    return [`--${name} must be one of ${values.join(', ')}, not "${input}"`, suggestSpelling(input, values)];
  }
  if (error instanceof ArgumentParseError) {
    const { externalFlagNameOrPlaceholder: name, exception, input } = error;
    // Values are parsed by the functions of options.ts, except those of options that take none.
    if (exception instanceof RangeError) return [`--${name} must be ${exception.message}, not "${input}"`];
    return [`--${name} takes no value`];
  }
  return [messageOf(error)];
}

/** What works without a package that the platform or the installation may lack. */
const WORKS_WITHOUT: Readonly<Record<string, string>> = {
  'node-av': 'query, summary, evaluate, import, dictionary, kernel, model, graph, completion',
  sharp:
    'query, summary, export, evaluate, import, align, quality, dictionary, detectors, kernel, model, graph, completion, profile check, profile list; detect where a profile compares no pictures',
  'onnxruntime-node': 'everything but networks, the general reader of text and `profile draft`',
};

/** What an error says about a package that is not installed, or not for this platform; `undefined` for any other error. */
function describeMissingPackage(error: unknown): string | undefined {
  const [, name = ''] =
    /^(?:Cannot find package '|Could not load the "?)(node-av|sharp|onnxruntime-node)\b/.exec(messageOf(error)) ?? [];
  const works = WORKS_WITHOUT[name];
  if (works === undefined) return undefined;
  return `this needs the package ${name}, which is not installed or not for ${process.platform} ${process.arch}\nInstall it: npm install --ignore-scripts ${name}. What works without it: ${works}.`;
}

/** The program's own files: what is missing there is not the user's mistake. */
const OWN_FOLDERS = ['src', 'dist', 'configs', 'dictionary', 'scripts', 'node_modules'].map(
  (name) => join(ROOT, name) + sep,
);

/** What the system refused about a file that the user named; `undefined` for any other error. */
function describeSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  if (path !== undefined && OWN_FOLDERS.some((folder) => resolve(path).startsWith(folder))) return undefined;
  const file = path ?? 'the file';
  switch (error.code) {
    case 'ENOENT':
      if (path === undefined) return undefined;
      return existsSync(dirname(resolve(path))) ? `there is no file ${path}` : `there is no folder ${dirname(path)}`;
    case 'EISDIR':
      return path === undefined ? 'a folder was given where a file is expected' : `${path} is a folder, not a file`;
    case 'ENOTDIR':
      return `${file} cannot be opened: a part of its path is a file, not a folder`;
    case 'EACCES':
    case 'EPERM':
      return `${file} cannot be opened: permission denied`;
    case 'ENAMETOOLONG':
      return `${file.length > 80 ? `${file.slice(0, 60)}…` : file} cannot be opened: the name is too long`;
    case 'ELOOP':
      return `${file} cannot be opened: the link leads back to itself`;
    case 'EMFILE':
    case 'ENFILE':
      return `${file} cannot be opened: too many open files`;
    case 'EROFS':
      return `${file} cannot be written: the file system is read-only`;
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return `${file} cannot be written: the disk is full`;
    default:
      return undefined;
  }
}

/** Issues as lines: where, what, and what to do. */
export function formatIssues(issues: readonly Issue[]): string {
  const lines = issues.slice(0, MAX_PRINTED_ISSUES).map(({ path, message, hint }) => {
    const where = path === undefined || path === '' ? '' : `${path}: `;
    return `  ${where}${message}${hint === undefined ? '' : ` — ${hint}`}\n`;
  });
  if (issues.length > MAX_PRINTED_ISSUES) lines.push(`  … and ${issues.length - MAX_PRINTED_ISSUES} more\n`);
  return lines.join('');
}

/** `1 event`, `3 events`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
