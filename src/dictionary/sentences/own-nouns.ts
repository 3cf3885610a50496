import type { WordId } from '../../events/statement.ts';
import { isOpen, type Dictionary, type Word } from '../dictionary.ts';
import { indefiniteArticle } from '../english.ts';

/** The nouns that actions of several words end with: "drive golf ball", "cross finish line", "play card". */

const words = (text: string): ReadonlySet<string> => new Set(text.split(', '));

/** Nouns of actions that there is one of, so that it needs no introduction. */
const definiteNouns = words(
  'ball, flag, game, track, turn, guard, finish line, lead, board, engine, lock, puck, match, enemy base, initiative',
);

/** Nouns of actions that are no words themselves but countable. */
const countableNouns = words(
  'foul, trick, penalty, pass, shot, jump, free kick, corner kick, pit stop, free throw, three, touchdown, donut, ' +
    'wheelie, manual, reward, kill, series, bet, prize, basket, ace, tackle, header, cross, save, deal, vote, quest',
);

/** The article that the noun of an action ("drive golf ball") has in prose; empty for none ("take cover"). */
export function articleOfOwnNoun(noun: string, dictionary: Dictionary): '' | 'a' | 'an' | 'the' {
  if (definiteNouns.has(noun)) return 'the';
  const word = dictionary.find(noun, 'object');
  const isCountable = word ? word.plural !== word.name && word.name === noun : countableNouns.has(noun);
  if (!isCountable || uncountableInActions.has(noun)) return '';
  return indefiniteArticle(noun);
}

/** Nouns that are countable elsewhere, but not in an action: "to take cover", "to play music". */
const uncountableInActions = words('cover, music, damage, fire, water, guard, recoil');

/**
 * Does the object say what the action's own noun says ("play card" and "spell card"), so that the noun is left out?
 *
 * Not where the verb alone is another action: "place stone" is not "place block" with a stone.
 */
export function repeatsNoun(action: Word, object: WordId, dictionary: Dictionary): boolean {
  return canOmitNoun(action, dictionary) && dictionary.isA(object, action.ownNoun!, 'object');
}

/** Can an object say what the action's own noun says? See {@link repeatsNoun}. */
export function canOmitNoun({ ownNoun, slots, name }: Word, dictionary: Dictionary): boolean {
  if (ownNoun === undefined || slots.object.preposition !== '' || !isOpen(slots.object)) return false;
  const verb = name.slice(0, -ownNoun.length - 1);
  return dictionary.find(ownNoun, 'object') !== undefined && dictionary.find(verb, 'action') === undefined;
}
