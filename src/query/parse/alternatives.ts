import type { Word } from '../../dictionary/dictionary.ts';
import type { WordKind } from '../../dictionary/format.ts';
import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';

/** Words that games use for the same thing, by id: asked with one of them, logs that only have the other answer. */
const actionAlternatives: Readonly<Record<string, readonly string[]>> = {
  eliminate: ['kill', 'knock out'],
  kill: ['eliminate'],
  'knock out': ['eliminate'],
  'pick up': ['obtain'],
  respawn: ['spawn'],
};

const propertyAlternatives: Readonly<Record<string, readonly string[]>> = {
  position: ['rank'],
  money: ['gold'],
  gold: ['money'],
  ammunition: ['ammunition in magazine'],
};

const opponents = ['opponent'];
const objectAlternatives: Readonly<Record<string, readonly string[]>> = {
  'storm circle': ['battle-royale:safe zone'],
  car: opponents,
  driver: opponents,
  racer: opponents,
  rider: opponents,
  fighter: opponents,
};

const alternatives: Readonly<Record<WordKind, Readonly<Record<string, readonly string[]>>>> = {
  action: actionAlternatives,
  property: propertyAlternatives,
  object: objectAlternatives,
};

/** The words of the logs that stand for one that they do not mention; none if they mention it. */
export function alternativesFor(context: ParseContext, word: Word): readonly Word[] {
  const known = alternatives[word.kind];
  if (context.mentions(word) || !Object.hasOwn(known, word.id)) return [];
  return known[word.id]!.flatMap((id) => context.dictionary.find(id, word.kind) ?? []).filter((each) =>
    context.mentions(each),
  );
}
