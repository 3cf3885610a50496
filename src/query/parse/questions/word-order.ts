import type { Tokens } from './readings.ts';
import { achievementVerbs, asSubject, beForms, doForms, haveForms, word, owner, substitute } from './words.ts';

const maxSubjectTokens = 5;

/** The statements that a clause in the word order of a question can be: "was Sarge killed" is "Sarge was killed". */
export function declarative(tokens: Tokens): readonly Tokens[] {
  const [first, ...rest] = tokens;
  if (!first || first.kind !== 'word') return [tokens];
  if (doForms.has(first.lower)) return rest.length > 0 ? [asSubject(rest)] : [];
  if (!haveForms.has(first.lower) && !beForms.has(first.lower)) return [asSubject(tokens)];
  const ends = Array.from({ length: Math.min(maxSubjectTokens, rest.length) }, (_, i) => i + 1);
  return ends.map((end) => [...asSubject(rest.slice(0, end)), first, ...rest.slice(end)]);
}

/** What one holds is a weapon, whatever one calls it. */
export function weaponInHand(noun: Tokens): Tokens {
  return noun.length === 1 && /^(?:guns?|weapons?|firearm|item|thing)$/.test(noun[0]!.lower)
    ? [substitute('weapon', noun[0]!)]
    : noun;
}

/** A clause in which what was asked for stands at its place. */
export interface PlacedNoun {
  readonly tokens: Tokens;
  readonly cost: number;
  /** Does the noun stand as an object, rather than name the event itself? */
  readonly isObject?: true;
}

/**
 * The statements in which what was asked for stands at its place: "how many opponents did I kill with the railgun" is about
 * "I kill opponents with the railgun", "how many kills did Sarge get" about "Sarge's kills".
 */
export function withObject(noun: Tokens, clause: Tokens, auxiliary: Tokens = []): readonly PlacedNoun[] {
  const found: PlacedNoun[] = [];
  for (let end = 1; end <= Math.min(maxSubjectTokens, clause.length); end++) {
    const subject = clause.slice(0, end);
    const rest = [...auxiliary, ...clause.slice(end)];
    let verb = 0;
    while (verb < rest.length && achievementVerbs.has(rest[verb]!.lower)) verb++;
    if (verb > 0 || (rest.length === 0 && end <= 2))
      found.push({ tokens: [...owner(subject), ...noun, ...rest.slice(verb)], cost: 0 });
    for (let at = 1; at <= Math.min(3, rest.length); at++)
      found.push({
        tokens: [...asSubject(subject), ...rest.slice(0, at), ...noun, ...rest.slice(at)],
        cost: 0.5,
        isObject: true,
      });
    // "which weapon did I kill Sarge with"
    if (/^(?:with|to|from|by|at|in|on|of|for|against)$/.test(rest.at(-1)?.lower ?? ''))
      found.push({ tokens: [...asSubject(subject), ...rest, ...noun], cost: 0.5 });
    if (rest.length > 1)
      found.push({ tokens: [...asSubject(subject), ...rest, word('with', rest.at(-1)), ...noun], cost: 4 });
  }
  return found;
}
