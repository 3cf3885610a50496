import type { Word } from '../../dictionary/dictionary.ts';
import type { WordKind } from '../../dictionary/format.ts';
import type { PropertyPattern } from '../query.ts';
import type { Display, ParseContext } from '../../dictionary/sentences/parse-context.ts';

/** Words that games use for the same thing, by id: asked with one of them, logs that only have the other answer. */
const actionAlternatives: Readonly<Record<string, readonly string[]>> = {
  eliminate: ['kill', 'knock out'],
  kill: ['eliminate'],
  'knock out': ['eliminate'],
  'pick up': ['obtain'],
  find: ['obtain', 'pick up'],
  obtain: ['pick up', 'buy', 'receive', 'find'],
  take: ['obtain', 'pick up', 'destroy', 'capture'],
  execute: ['kill'],
  'shoot down': ['kill'],
  hit: ['crash'],
  hurt: ['attack'],
  receive: ['obtain', 'pick up'],
  respawn: ['spawn'],
  end: ['cross finish line'],
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
  hero: opponents,
  champion: opponents,
  opponent: ['enemy'],
  enemy: opponents,
};

const alternatives: Readonly<Record<WordKind, Readonly<Record<string, readonly string[]>>>> = {
  action: actionAlternatives,
  property: propertyAlternatives,
  object: objectAlternatives,
};

/** How a log states an action that it has no word for: as the change of a value. */
interface ChangeAlternative {
  /** The action; its descendants too. */
  readonly action: string;
  readonly property: string;
  readonly change: NonNullable<PropertyPattern['change']>;
  /** Whose value changes: who acts, or to whom it is done. */
  readonly of: 'subject' | 'object';
  /** Without an object, is it done to oneself, even if the logs have narrower words of what is done to others? */
  readonly isReflexive?: true;
  /** Does it not stand for narrower words? */
  readonly isExact?: true;
  /** The new value. */
  readonly to?: PropertyPattern['to'];
}

const changeAlternatives: readonly ChangeAlternative[] = [
  { action: 'shoot', property: 'ammunition', change: 'drops', of: 'subject' },
  { action: 'shoot', property: 'ammunition in magazine', change: 'drops', of: 'subject' },
  { action: 'hurt', property: 'health', change: 'drops', of: 'object' },
  { action: 'attack', property: 'health', change: 'drops', of: 'object' },
  { action: 'heal', property: 'health', change: 'rises', of: 'subject', isReflexive: true },
  { action: 'swap', property: 'weapon', change: 'changes', of: 'subject' },
  { action: 'equip', property: 'weapon', change: 'changes', of: 'subject' },
  { action: 'change', property: 'weapon', change: 'changes', of: 'subject' },
  { action: 'level up', property: 'level', change: 'rises', of: 'subject' },
  { action: 'overtake', property: 'rank', change: 'drops', of: 'subject', isExact: true },
  { action: 'lead', property: 'rank', change: 'drops', of: 'subject', isExact: true, to: { min: 1, max: 1 } },
  { action: 'die', property: 'lives', change: 'drops', of: 'subject' },
  { action: 'die', property: 'health', change: 'drops', of: 'subject', to: { max: 0 } },
];

/** The changes of values by which the logs state an action that they do not mention. */
export function changesFor(context: ParseContext, action: Word, hasObject: boolean): readonly ChangeAlternative[] {
  const { dictionary, facts } = context;
  // Whoever revives heals, but who heals without saying whom gains health.
  const isOther = !hasObject && context.mentions(action) && facts?.states(action) === false;
  if ((context.mentions(action) && !isOther) || context.longerActions(action).length > 0) return [];
  return changeAlternatives.filter(({ action: id, property, isReflexive, isExact }) => {
    if ((isOther && !isReflexive) || (isExact && action.id !== id)) return false;
    const word = dictionary.find(property, 'property');
    const isStated = word && (context.mentions(word) || findDisplaysOf(context, property).length > 0);
    return isStated && dictionary.isA(action.id, id, 'action') && context.knowsLogs;
  });
}

/** The displays that show a property that no event states: a gauge with the caption "Health". */
export function findDisplaysOf(context: ParseContext, property: string): readonly Display[] {
  const word = context.dictionary.find(property, 'property');
  if (!word || context.mentions(word)) return [];
  return context.displays.filter(({ name }) => name.toLowerCase() === word.name);
}

/** The words of the logs that stand for one that they do not mention; none if they mention it. */
export function alternativesFor(context: ParseContext, word: Word): readonly Word[] {
  const known = alternatives[word.kind];
  if (context.mentions(word) || !Object.hasOwn(known, word.id)) return [];
  return known[word.id]!.flatMap((id) => context.dictionary.find(id, word.kind) ?? []).filter((each) =>
    context.mentions(each),
  );
}
