import { existsSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { styleText } from 'node:util';
import { PlaybyplayError, type Issue } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import type { Command } from './command.ts';

export interface Explanation {
  /** What to print on stderr. */
  readonly text: string;
  readonly exitCode: number;
}

const MOST_ISSUES = 50;

/** What a person is told about an error that ended a command, and the exit code. */
export function explain(
  error: unknown,
  context: { readonly command: Command | undefined; readonly aborted: boolean; readonly color: boolean },
): Explanation {
  if (context.aborted || (error instanceof Error && error.name === 'AbortError')) {
    return { text: 'playbyplay: interrupted\n', exitCode: 130 };
  }
  const usage = usageOf(error, context.command);
  if (usage !== undefined) {
    const more = context.command === undefined ? 'playbyplay --help' : `playbyplay ${context.command.name} --help`;
    return { text: `playbyplay: ${usage.message}\n${hintLine(usage.hint)}See: ${more}\n`, exitCode: 2 };
  }
  if (error instanceof PlaybyplayError) {
    const message = context.color ? styleText('bold', error.message, { validateStream: false }) : error.message;
    return {
      text: `playbyplay: ${message}\n${formatIssues(error.issues)}${hintLine(error.hint)}`,
      exitCode: error.code === 'wrong-game' ? 3 : 1,
    };
  }
  const refused = refusalOf(error);
  if (refused !== undefined) return { text: `playbyplay: ${refused}\n`, exitCode: 1 };
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text: `playbyplay: a mistake in the program itself\n${trace}\n`, exitCode: 1 };
}

/** Where the program's own files lie: what is missing there no person has named. */
const OWN = ['src', 'dist', 'configs', 'dictionary', 'scripts', 'node_modules'].map(
  (name) => resolve(import.meta.dirname, '../..', name) + sep,
);

/** What the system refused about a file that a person named; undefined where it is none of that. */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  if (path !== undefined && OWN.some((own) => resolve(path).startsWith(own))) return undefined;
  const it = path ?? 'what was named';
  switch (error.code) {
    case 'ENOENT':
      if (path === undefined) return undefined;
      return existsSync(dirname(resolve(path))) ? `there is no file ${path}` : `there is no folder ${dirname(path)}`;
    case 'EISDIR':
      return path === undefined ? 'a folder was named where a file is wanted' : `${path} is a folder, not a file`;
    case 'ENOTDIR':
      return `${it} lies below a file, which is no folder`;
    case 'EACCES':
    case 'EPERM':
      return `${it} may not be opened: permission is denied`;
    case 'ENAMETOOLONG':
      return `${it.length > 80 ? `${it.slice(0, 60)}…` : it} cannot be opened: the name is too long`;
    case 'ELOOP':
      return `${it} is a link that leads back to itself`;
    case 'EMFILE':
    case 'ENFILE':
      return `${it} cannot be opened: too many files are open`;
    case 'EROFS':
      return `${it} cannot be written: the file system is read-only`;
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return `${it} cannot be written: the disk is full`;
    default:
      return undefined;
  }
}

/** Issues as lines: where, what, and what to do about it. */
export function formatIssues(issues: readonly Issue[]): string {
  const lines = issues.slice(0, MOST_ISSUES).map(({ path, message, hint }) => {
    const where = path === undefined || path === '' ? '' : `${path}: `;
    return `  ${where}${message}${hint === undefined ? '' : ` — ${hint}`}\n`;
  });
  if (issues.length > MOST_ISSUES) lines.push(`  … and ${issues.length - MOST_ISSUES} more\n`);
  return lines.join('');
}

function hintLine(hint: string | undefined): string {
  return hint === undefined ? '' : `${hint}\n`;
}

function usageOf(
  error: unknown,
  command: Command | undefined,
): { message: string; hint: string | undefined } | undefined {
  if (error instanceof PlaybyplayError && error.code === 'usage') return { message: error.message, hint: error.hint };
  if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('ERR_PARSE_ARGS_'))
    return undefined;
  const option = /'(-{1,2}[^' ]+)/.exec(error.message)?.[1];
  if (error.code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || option === undefined) {
    return { message: plainly(error.message), hint: undefined };
  }
  const offered = new Set(command?.help.match(/--[a-z][a-z-]*/g));
  const suggestion = suggestSpelling(option, offered);
  if (suggestion !== undefined) return { message: `unknown option ${option}`, hint: suggestion };
  const file = option.startsWith('--') ? undefined : `A file whose name begins so is written ./${option}….`;
  return { message: `unknown option ${option}`, hint: file };
}

/** What the parser of arguments says, in the form of all other errors: a clause. */
function plainly(message: string): string {
  const [first] = message.split(/\.?\n|\. |\.$/) as [string];
  const clause = first
    .replace(/^Option '([^' ]+)[^']*' argument missing$/, '$1 needs a value')
    .replace(
      /^Option '([^' ]+)[^']*' argument is ambiguous$/,
      '$1 needs a value, which begins with no dash ($1=-… if it does)',
    )
    .replace(/^Option '(?:-\w, )?([^' ]+)[^']*' does not take an argument$/, '$1 takes no value');
  return `${clause[0]!.toLowerCase()}${clause.slice(1)}`;
}

/** `1 event`, `3 events`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
