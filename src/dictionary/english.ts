/** What English says differently from one noun or verb to the next. */

/** "a" or "an", by how the noun sounds. */
export function indefiniteArticle(noun: string): 'a' | 'an' {
  return /^(?:[aeio]|u(?!n[iu]|s[eu])|hour)/i.test(noun) ? 'an' : 'a';
}

/** How many of what cannot be counted itself: "10 rounds of ammunition", "2 pairs of boots". */
const measures: Readonly<Record<string, string>> = {
  ammunition: 'round',
  bread: 'loaf',
  meat: 'piece',
  cloth: 'piece',
  clothing: 'piece',
  loot: 'piece',
  gloves: 'pair',
  boots: 'pair',
  leggings: 'pair',
  binoculars: 'pair',
};

/** What follows a number where the noun itself is not counted: `round of ammunition`, `rounds of ammunition`. */
export function countedNoun(name: string, plural: string): { singular: string; plural: string } | undefined {
  const measure = plural === name && Object.hasOwn(measures, name) ? measures[name]! : undefined;
  if (measure === undefined) return undefined;
  const several = measure === 'loaf' ? 'loaves' : `${measure}s`;
  return { singular: `${measure} of ${name}`, plural: `${several} of ${name}` };
}

/** The noun that an action's name ends with: `golf ball` of `drive golf ball`. */
export function ownNounOf(name: string, verb: string | undefined): string | undefined {
  const [first, ...rest] = name.split(' ');
  if (rest.length === 0 || (verb !== undefined && verb !== first)) return undefined;
  return rest.join(' ');
}

/** What follows the object of an action of several words: `to sleep` of `put to sleep`. */
export function complementOf(name: string): string | undefined {
  return /^\p{L}+ ((?:to|with|into|on|in|under) \p{L}.*)$/u.exec(name)?.[1];
}
