/** Ordinal words and the position that each names, negative from the end. */
export const ordinals: Readonly<Record<string, number>> = {
  first: 1,
  '1st': 1,
  earliest: 1,
  opening: 1,
  second: 2,
  '2nd': 2,
  third: 3,
  '3rd': 3,
  fourth: 4,
  '4th': 4,
  fifth: 5,
  '5th': 5,
  sixth: 6,
  '6th': 6,
  seventh: 7,
  '7th': 7,
  eighth: 8,
  '8th': 8,
  ninth: 9,
  '9th': 9,
  tenth: 10,
  '10th': 10,
  last: -1,
  latest: -1,
  final: -1,
};

/** The position that an ordinal names, negative from the end; `undefined` for other words. */
export function ordinalValue(word: string): number | undefined {
  return Object.hasOwn(ordinals, word) ? ordinals[word] : undefined;
}
