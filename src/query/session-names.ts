import { findNearest } from '../spelling.ts';
import type { Condition, Query } from './query.ts';

/** Ids of the sessions that go by a name, in lower case: the id, the name of the log, its last part, and that without a file's ending. */
export type SessionNames = ReadonlyMap<string, readonly string[]>;

/** The names by which the sessions of some logs can be asked for. */
export function sessionNames(logs: ReadonlyMap<string, { readonly name: string }>): SessionNames {
  const names = new Map<string, string[]>();
  for (const [session, { name }] of logs) {
    const last = name.split('/').at(-1)!;
    for (const each of new Set([session, name, last, last.replace(/\.\w{2,4}$/, '')].map((one) => one.toLowerCase()))) {
      const ids = names.get(each);
      if (ids) ids.push(session);
      else names.set(each, [session]);
    }
  }
  return names;
}

/** The query with ids in the place of sessions' names; those that no session goes by stay. */
export function withSessions(query: Query, names: SessionNames): Query {
  return { ...query, find: replaced(query.find, names) as Condition };
}

/** Names in a query that no session goes by, with the one that may be meant. */
export function unmetSessions(
  { find }: Query,
  names: SessionNames,
): { readonly name: string; readonly near: string | undefined }[] {
  return asked(find)
    .filter((name) => !names.has(name.toLowerCase()))
    .map((name) => ({ name, near: findNearest(name.toLowerCase(), names.keys()) }));
}

/** What holds no session stays the same object: places in the sentence are known by it. */
function replaced(value: unknown, names: SessionNames): unknown {
  if (asked(value).length === 0) return value;
  if (Array.isArray(value)) return value.map((one) => replaced(one, names));
  return Object.fromEntries(
    Object.entries(value as object).map(([key, inner]) => [
      key,
      key === 'session' ? (inner as string[]).flatMap(idsOf(names)) : replaced(inner, names),
    ]),
  );
}

function idsOf(names: SessionNames): (name: string) => readonly string[] {
  return (name) => names.get(name.toLowerCase()) ?? [name];
}

function asked(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'session' && Array.isArray(inner) ? (inner as string[]) : asked(inner),
  );
}
