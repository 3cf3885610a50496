import { basename, dirname, resolve, sep } from 'node:path';

/** A log with this name is called by the name of its folder. */
const GENERIC_LOG_NAME = /^events(?:\.\w+)?\.ndjson$/;

/**
 * Makes short names for logs: the folder without `.playbyplay`, else the file name; where names coincide, with as many parent
 * folders as distinguish them.
 *
 * @param paths Distinct paths.
 */
export function nameLogs(paths: readonly string[]): string[] {
  const parts = paths.map((path) => {
    const whole = resolve(path);
    const named = GENERIC_LOG_NAME.test(basename(whole)) ? dirname(whole) : whole;
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

/** Makes the name of a session unique, by adding that of its log's folder if needed, and adds it to `taken`. */
export function uniqueSessionName(session: string, log: string, taken: Set<string>): string {
  let name = session;
  for (let n = 2; taken.has(name); n++) name = `${session} (${basename(dirname(log))}${n > 2 ? ` ${n}` : ''})`;
  taken.add(name);
  return name;
}
