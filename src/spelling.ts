/** Nearest spellings for error hints. */

/**
 * Finds the candidate that `word` is most likely a misspelling of, ignoring case.
 *
 * @returns The nearest candidate by edit distance, or `undefined` when none is within a third of the length of `word`.
 */
export function findNearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * Writes the hint of an error about an unknown name.
 *
 * @returns `Did you mean "x"?`, or `undefined` when no candidate is near.
 * @example
 * const hint = suggestSpelling(name, games) ?? `Available games: ${games.join(', ')}.`;
 */
export function suggestSpelling(word: string, candidates: Iterable<string>): string | undefined {
  const nearest = findNearest(word, candidates);
  return nearest === undefined ? undefined : didYouMean(nearest);
}

/** The wording of a spelling suggestion. */
export function didYouMean(word: string): string {
  return `Did you mean "${word}"?`;
}

/**
 * Optimal string alignment distance (Damerau–Levenshtein without edits inside a transposition).
 *
 * @param limit Returned as soon as the distance is known to reach it.
 */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let rowMinimum = i;
    for (let j = 1; j <= b.length; j++) {
      const substitution = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforePrevious[j - 2]! + 1);
      row.push(cost);
      if (cost < rowMinimum) rowMinimum = cost;
    }
    if (rowMinimum >= limit) return limit;
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.length]!;
}
