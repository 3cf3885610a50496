/** The three numbers of a version. */
function versionNumbers(version: string): readonly [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return [major, minor, patch];
}

/** Does `version` lie in `range`: exact `1.2.3`, `~1.2.3` (same minor) or `^1.2.3` (same leading non-zero number), as in npm? */
export function satisfies(version: string, range: string): boolean {
  const wanted = versionNumbers(range.replace(/^[\^~]/, ''));
  const given = versionNumbers(version);
  const order = compareVersions(given, wanted);
  if (range.startsWith('~')) return order >= 0 && given[0] === wanted[0] && given[1] === wanted[1];
  if (!range.startsWith('^')) return order === 0;
  if (order < 0) return false;
  if (wanted[0] > 0) return given[0] === wanted[0];
  if (wanted[1] > 0) return given[0] === 0 && given[1] === wanted[1];
  return order === 0;
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}
