import { formatClock } from '../../time.ts';
import { Library } from '../../library/library.ts';
import type { LibrarySession } from '../../library/store.ts';
import type { CommandIo, RunCommand } from '../command.ts';
import { formatCount, formatIssues } from '../describe-error.ts';
import { usageError } from '../options.ts';
import { ProgressBar } from '../progress.ts';
import type * as specs from '../specs.ts';

/** `playbyplay library add [<log or folder>…]` */
export const add: RunCommand<typeof specs.libraryAdd> = async (io, { library: path, json }, ...paths) => {
  await using library = await Library.open(path, { create: true });
  return await addLogs(library, paths, json, io);
};

/** `playbyplay library rebuild` */
export const rebuild: RunCommand<typeof specs.libraryRebuild> = async (io, { library: path, json }) => {
  await using library = await Library.open(path, { empty: true });
  return await addLogs(library, [], json, io);
};

async function addLogs(library: Library, paths: readonly string[], json: boolean, io: CommandIo): Promise<number> {
  const bar = new ProgressBar(io, 'reading logs');
  const { issues, ...result } = await library.add(paths, {
    signal: io.signal,
    onProgress: ({ done, total }) => bar.show(done, total),
  });
  bar.clear();
  if (issues.length > 0) io.stderr.write(formatIssues(issues));
  const { sessions, events } = sumUp(await library.sessions());
  if (json) io.stdout.write(`${JSON.stringify({ ...result, failed: issues.length, sessions, events })}\n`);
  else {
    const changes = [
      [result.added, 'added'],
      [result.updated, 'updated'],
      [result.removed, 'removed'],
      [result.unchanged, 'unchanged'],
      [issues.length, 'not read'],
    ] as const;
    const shown = changes.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
    io.stdout.write(
      `${shown.length === 0 ? 'no logs' : shown.join(', ')}; the library has ${describeTotal(sessions, events)}\n`,
    );
  }
  return issues.length > 0 ? 3 : 0;
}

/** `playbyplay library remove <log or folder>…` */
export const remove: RunCommand<typeof specs.libraryRemove> = async (io, { library: path }, ...paths) => {
  await using library = await Library.open(path, { create: true });
  const count = await library.remove(paths);
  if (count === 0) throw usageError('no session of the library lies there', 'List them with: playbyplay library list');
  const { sessions, events } = sumUp(await library.sessions());
  io.stdout.write(`${formatCount(count, 'session')} removed; the library has ${describeTotal(sessions, events)}\n`);
  return 0;
};

/** `playbyplay library list` */
export const listSessions: RunCommand<typeof specs.libraryList> = async (io, { library: path, json }) => {
  await using library = await Library.open(path);
  const all = await library.sessions();
  if (json) for (const session of all) io.stdout.write(`${JSON.stringify(session)}\n`);
  else printSessions(all, io);
  return 0;
};

function printSessions(all: readonly LibrarySession[], io: CommandIo): void {
  const rows = all.map(({ name, game, duration, events }) => [name, game, formatClock(duration, 0), String(events)]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
  for (const row of rows)
    io.stdout.write(
      `${row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')} events\n`,
    );
  const { sessions, events } = sumUp(all);
  io.stdout.write(`${describeTotal(sessions, events)}\n`);
}

function sumUp(all: readonly LibrarySession[]): { readonly sessions: number; readonly events: number } {
  return { sessions: all.length, events: all.reduce((sum, { events }) => sum + events, 0) };
}

function describeTotal(sessions: number, events: number): string {
  return `${formatCount(sessions, 'session')} with ${formatCount(events, 'event')}`;
}
