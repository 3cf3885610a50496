import {
  type ActionStatement,
  isPlural,
  isPropertyStatement,
  type Mention,
  type PropertyStatement,
  type Slot,
  type Statement,
  toMention,
  type WordId,
} from '../../events/statement.ts';
import type { Entry } from './format.ts';
import { capitalize, joinWords, Phrasing, writeNumber } from './phrasing.ts';

/** What a noun phrase is in the sentence; `circumstance`: after a preposition; `value`: what a property is. */
export type Position = 'subject' | 'object' | 'circumstance' | 'place' | 'value';

/** What the sentences of languages with articles and inflected nouns have in common. */
export abstract class EuropeanPhrasing extends Phrasing {
  /** Groups the digits of long numbers. */
  protected abstract readonly groupSeparator: string;
  /** The prepositions of places by those of English. */
  protected abstract readonly places: Readonly<Record<string, string>>;

  override write(statement: Statement): string {
    return capitalize(isPropertyStatement(statement) ? this.change(statement) : this.action(statement), statement);
  }

  protected abstract action(statement: ActionStatement): string;
  protected abstract change(statement: PropertyStatement): string;
  /** The noun of an entry in its number, as after a numeral. */
  protected abstract inflect(mention: Mention, entry: Entry): string;

  protected number(value: number): string {
    return writeNumber(value, this.groupSeparator);
  }

  /** The noun in its number; the English one where the language lacks it. */
  protected noun(mention: Mention, inflect = (entry: Entry) => this.inflect(mention, entry)): string {
    const entry = this.find(mention.word, 'object');
    if (entry) return inflect(entry);
    const word = this.word(mention.word, 'object');
    return isPlural(mention) ? word.plural : word.name;
  }

  protected manner(id: WordId): string {
    return this.find(id, 'property')?.forms[0] ?? this.word(id, 'property').name;
  }

  protected placePreposition(slot: Slot): string {
    const { word } = toMention(slot);
    return this.find(word, 'object')?.options.get('at') ?? this.places[this.word(word, 'object').preposition ?? 'at']!;
  }

  protected amount(amount: number, unit: WordId | undefined, preposition: string | undefined): string {
    const noun = unit === undefined ? undefined : this.noun({ word: unit, count: amount });
    const measure = this.clock(amount, unit) ?? joinWords(this.number(amount), noun);
    return preposition === undefined ? `(${measure})` : `${preposition} ${measure}`;
  }

  protected article(word: WordId, entry: Entry, position: Position): 'definite' | 'indefinite' | 'none' {
    if (position === 'value') return 'none';
    if (word === 'player' || word === 'partner' || entry.options.has('the') || position === 'place') return 'definite';
    const isUncountable = entry.forms[1] === '-';
    // "besiegt die Kavallerie", "derrota a la caballería"
    if (isUncountable && this.isCharacter(word)) return 'definite';
    if (position === 'subject') return this.isCharacter(word) ? 'indefinite' : 'definite';
    if (isUncountable) return 'none';
    return position === 'circumstance' ? 'definite' : 'indefinite';
  }
}
