// Players' names: those that several lines show correct misreadings of others.

/** Lines that must show a name to correct another by it. */
const MIN_LINES = 2;
/** Characters from which one may be misread. */
const MIN_LENGTH = 4;

/** Counts the lines that show each name. */
export function countNames({ killer, victim, player }, game) {
  const names = (game.state.names ??= {});
  for (const name of new Set([killer, victim, player])) if (name !== undefined) names[name] = (names[name] ?? 0) + 1;
}

/** The player's name as other lines show it: the name itself, or one that differs in one character other than a digit; else undefined. */
export function findName(name, game) {
  const { names = {} } = game.state;
  if (names[name] !== undefined) return name;
  if (name.length < MIN_LENGTH) return undefined;
  const near = Object.keys(names).filter((other) => {
    if (other.length !== name.length || names[other] < MIN_LINES) return false;
    const differing = [...other].filter((char, i) => char !== name[i]);
    return differing.length === 1 && !/\d/.test(differing[0]);
  });
  return near.length === 1 ? near[0] : undefined;
}
