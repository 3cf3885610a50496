import { relative, resolve } from 'node:path';
import { PlaybyplayError } from '../../errors.ts';
import { parseStatement, type Statement } from '../../events/statement.ts';
import { toFileName } from '../../files/file-name.ts';
import { basename } from 'node:path';

/** Something that truly happened. */
export interface Mark {
  /** Seconds. */
  readonly t: number;
  readonly statement: Statement;
}

/** A recording, or a stretch of one, with what truly happens in it: a regression test of a pack. */
export interface TestCase {
  readonly name: string;
  /** Absolute path of the recording. */
  readonly media: string;
  /** Seconds; default the whole recording. */
  readonly from?: number;
  readonly to?: number;
  /** Everything is marked: every other event is wrong. Otherwise only the kinds that are marked are compared. */
  readonly isComplete: boolean;
  readonly marks: readonly Mark[];
}

/** Folder of a pack with its test cases: files that `evaluate` reads as ground truth. */
export const TEST_FOLDER = 'tests';

/** The path of a case's file in its pack. */
export function testPath(name: string): string {
  return `${TEST_FOLDER}/${toFileName(name)}.ndjson`;
}

/** Writes a case: a line about the recording, then a line of ground truth for each mark. */
export function formatTestCase({ media, from, to, isComplete, marks }: TestCase, root: string): string {
  const path = relative(resolve(root, TEST_FOLDER), media).replaceAll('\\', '/');
  const head = {
    type: 'case',
    format: 'playbyplay/case/1',
    media: path,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(isComplete ? { complete: true } : {}),
  };
  const lines = marks.toSorted((a, b) => a.t - b.t).map(({ t, statement }) => ({ type: 'truth', t, statement }));
  return [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/**
 * Reads a case.
 *
 * @param path The path of its file in the pack at `root`.
 * @throws PlaybyplayError `case-broken`.
 */
export function parseTestCase(text: string, path: string, root: string): TestCase {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const broken = (line: number, message: string): PlaybyplayError =>
    new PlaybyplayError('case-broken', `${path}:${line + 1}: ${message}`, {
      hint: 'The first line is {"type":"case","media":"…"}, others are {"t": seconds, "statement": {…}}.',
    });
  const values = lines.map((line, i): Readonly<Record<string, unknown>> => {
    try {
      return JSON.parse(line) as Readonly<Record<string, unknown>>;
    } catch {
      throw broken(i, 'is not JSON');
    }
  });
  const [head, ...rest] = values;
  if (head?.['type'] !== 'case' || typeof head['media'] !== 'string') throw broken(0, 'names no recording');
  const marks = rest.map(({ t, statement }, i): Mark => {
    const shaped = parseStatement(statement);
    if (typeof t !== 'number') throw broken(i + 1, '"t" must be a number of seconds');
    if ('issues' in shaped) throw broken(i + 1, shaped.issues[0]!.message);
    return { t, statement: shaped.statement };
  });
  const { from, to, complete } = head;
  return {
    name: basename(path, '.ndjson'),
    media: resolve(root, TEST_FOLDER, head['media']),
    ...(typeof from === 'number' ? { from } : {}),
    ...(typeof to === 'number' ? { to } : {}),
    isComplete: complete === true,
    marks,
  };
}
