import { basename, dirname, resolve, sep } from 'node:path';

/** What logs are called in a folder of theirs: the name of the folder, not this. */
const INSIDE = /^events(?:\.\w+)?\.ndjson$/;

/**
 * What a person calls each log: the folder it lies in without `.playbyplay`, else its own name; where several are called the same, with
 * as many folders above as tell them apart. Paths are distinct.
 */
export function nameLogs(paths: readonly string[]): string[] {
  const parts = paths.map((path) => {
    const whole = resolve(path);
    const named = INSIDE.test(basename(whole)) ? dirname(whole) : whole;
    return named.replace(/\.(?:playbyplay|ndjson|jsonl)$/, '').split(sep);
  });
  const depths = parts.map(() => 1);
  for (;;) {
    const names = parts.map((each, i) => each.slice(-depths[i]!).join('/'));
    const counts = new Map<string, number>();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    let deeper = false;
    for (const [i, name] of names.entries()) {
      if (counts.get(name) === 1 || depths[i]! >= parts[i]!.length) continue;
      depths[i]!++;
      deeper = true;
    }
    if (!deeper) return names;
  }
}

/** A session's name that no other of `taken` has: that of its log behind it, where it is needed. Adds it to them. */
export function uniqueSessionName(session: string, log: string, taken: Set<string>): string {
  let name = session;
  for (let n = 2; taken.has(name); n++) name = `${session} (${basename(dirname(log))}${n > 2 ? ` ${n}` : ''})`;
  taken.add(name);
  return name;
}
