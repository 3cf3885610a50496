import { findNearest } from '../spelling.ts';
import type { Query } from './query.ts';

/** A name in a query that no event or session has, and the nearest that one has. */
export interface UnknownName {
  readonly name: string;
  readonly nearest: string | undefined;
}

/** Session ids by lower-case name: the id, the name of the log, its last path segment, and that without file extension. */
export type SessionNames = ReadonlyMap<string, readonly string[]>;

/**
 * Collects the names by which a query can refer to the sessions of logs.
 *
 * @example
 * const { dictionary, logs } = await loadLogs(['match.playbyplay']);
 * compileQuery('kills in session match', dictionary, { sessions: collectSessionNames(logs) });
 */
export function collectSessionNames(logs: ReadonlyMap<string, { readonly name: string }>): SessionNames {
  const names = new Map<string, string[]>();
  for (const [session, { name }] of logs) {
    const segment = name.split('/').at(-1)!;
    for (const each of new Set([session, name, segment, segment.replace(/\.\w{2,4}$/, '')])) {
      const key = each.toLowerCase();
      const ids = names.get(key) ?? [];
      if (!ids.includes(session)) names.set(key, [...ids, session]);
    }
  }
  return names;
}

/** Replaces the session names of a query by ids; unknown names stay. */
export function resolveSessionNames(query: Query, names: SessionNames): Query {
  const toIds = (name: string): readonly string[] => names.get(name.toLowerCase()) ?? [name];
  const resolve = (value: unknown): unknown => {
    // Parts without session names must stay the same objects, because source spans are recorded by object.
    if (collectScopes(value).length === 0) return value;
    if (Array.isArray(value)) return value.map(resolve);
    return Object.fromEntries(
      Object.entries(value as object).map(([key, inner]) => [
        key,
        key === 'session' ? (inner as string[]).flatMap(toIds) : resolve(inner),
      ]),
    );
  };
  return { ...query, find: resolve(query.find) as Query['find'] };
}

/** Finds session names in a query that no session has. */
export function findUnknownSessions({ find }: Query, names: SessionNames): readonly UnknownName[] {
  return collectScopes(find)
    .filter((name) => !names.has(name.toLowerCase()))
    .map((name) => ({ name, nearest: findNearest(name.toLowerCase(), names.keys()) }));
}

function collectScopes(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'session' && Array.isArray(inner) ? (inner as string[]) : collectScopes(inner),
  );
}
