import {
  type ActionStatement,
  isPlural,
  type Mention,
  type PropertyStatement,
  type PropertyValue,
  type Slot,
  toMention,
  type WordId,
} from '../../events/statement.ts';
import { DISPLAY, READING } from '../sentences/function-words.ts';
import { EuropeanPhrasing, type Position } from './european.ts';
import type { Entry } from './format.ts';
import { joinWords } from './phrasing.ts';

/** `fa`: feminine, with "el" and "un" in the singular because of its stressed a ("el arma"). */
type Gender = 'm' | 'f' | 'fa' | 'mpl' | 'fpl';

const definite: Readonly<Record<Gender, readonly [singular: string, plural: string]>> = {
  m: ['el', 'los'],
  f: ['la', 'las'],
  fa: ['el', 'las'],
  mpl: ['los', 'los'],
  fpl: ['las', 'las'],
};
const indefinite: Readonly<Record<Gender, string>> = { m: 'un', f: 'una', fa: 'un', mpl: '', fpl: '' };
/**
 * Sentences in Spanish. The grammar is that of the Real Academia Española: "a" before direct objects that are persons, "al" and
 * "del", "el" before feminine nouns with a stressed a, passives with "ser".
 */
export class SpanishPhrasing extends EuropeanPhrasing {
  /** A no-break thin space (Real Academia Española, "Ortografía de la lengua española"). */
  protected override readonly groupSeparator = '\u202F';
  protected override readonly places = { at: 'en', in: 'en', on: 'en', under: 'bajo', near: 'cerca de' };

  protected override action(statement: ActionStatement): string {
    const { subject, object } = statement;
    const { third, plural, participle, options } = this.verb(statement.action);
    const circumstances = this.circumstances(statement, options);
    const government = options.get('object');
    if (subject === undefined) {
      if (object === undefined || government !== undefined) {
        const after = object === undefined ? undefined : this.after(government!, object, 'object');
        const [impersonal, tail] = third.split(' … ');
        return joinWords(
          impersonal!.startsWith('se ') ? impersonal : `se ${impersonal!}`,
          after,
          tail,
          ...circumstances,
        );
      }
      const isSeveral = this.takesPlural(object);
      const agreeing = this.agree(participle, toMention(object).word, isSeveral);
      const who = this.nounPhrase(object, 'subject');
      return joinWords(who, isSeveral ? 'son' : 'es', agreeing, ...circumstances);
    }
    const [finite, tail] = (this.takesPlural(subject) ? plural : third).split(' … ');
    const direct = object === undefined ? options.get('alone') : this.directObject(object, government);
    return joinWords(this.nounPhrase(subject, 'subject'), finite, direct, tail, ...circumstances);
  }

  private directObject(object: Slot, government: string | undefined): string {
    if (government !== undefined) return this.after(government, object, 'object');
    return this.isCharacter(toMention(object).word)
      ? this.after('a', object, 'object')
      : this.nounPhrase(object, 'object');
  }

  private circumstances(statement: ActionStatement, options: Entry['options']): string[] {
    const { to, from, at, manner, amount, unit } = statement;
    return [
      from === undefined ? '' : this.after(options.get('from') ?? 'de', from, 'circumstance'),
      to === undefined ? '' : this.after(options.get('to') ?? 'a', to, 'circumstance'),
      statement.with === undefined ? '' : this.after(options.get('with') ?? 'con', statement.with, 'circumstance'),
      at === undefined ? '' : this.after(options.get('at') ?? this.placePreposition(at), at, 'place'),
      manner === undefined ? '' : this.manner(toMention(manner).word),
      amount === undefined ? '' : this.amount(amount, unit, options.get('amount')),
    ];
  }

  protected override change({ subject, property, from, to }: PropertyStatement): string {
    const entry = this.find(property, 'property');
    const word = this.word(property, 'property');
    const gender = genderOf(entry);
    const isDisplay = property === READING && this.dictionary.isA(toMention(subject).word, DISPLAY, 'object');
    const isSeveral = !isDisplay && (gender === 'mpl' || gender === 'fpl');
    const head = isDisplay
      ? this.nounPhrase(subject, 'subject')
      : joinWords(definite[gender][isSeveral ? 1 : 0], nameOf(entry) ?? word.name, this.after('de', subject, 'place'));
    const verb = (third: string, plural: string): string => (isSeveral ? plural : third);
    if (from === undefined) return `${head} ${verb('pasa', 'pasan')} a ser ${this.value(to)}`;
    if (typeof from !== 'number' || typeof to !== 'number')
      return `${head} ${verb('cambia', 'cambian')} de ${this.value(from)} a ${this.value(to)}`;
    const [before, after] = [this.number(from), this.number(to)];
    if (from === to) return `${head} ${verb('se mantiene', 'se mantienen')} en ${after}`;
    const isUp = to > from;
    const how = word.isLowerBetter
      ? verb(isUp ? 'empeora' : 'mejora', isUp ? 'empeoran' : 'mejoran')
      : verb(isUp ? 'sube' : 'baja', isUp ? 'suben' : 'bajan');
    return `${head} ${how} de ${before} a ${after}`;
  }

  private value(value: PropertyValue): string {
    if (typeof value === 'number') return this.number(value);
    if (typeof value === 'string') return `«${value}»`;
    const kind = this.kindOf(value.word);
    if (kind === 'object') return this.nounPhrase(value, 'value');
    const entry = this.find(value.word, kind);
    return (kind === 'action' ? entry?.forms[0] : nameOf(entry)) ?? this.word(value.word).name;
  }

  /** A noun phrase after a preposition: "del jugador", "al jugador". */
  private after(preposition: string, slot: Slot, position: Position): string {
    const phrase = this.nounPhrase(slot, position);
    const text = `${preposition} ${phrase}`;
    return text.replace(/\b(de|a) el /, (_, short: string) => `${short}l `);
  }

  private nounPhrase(slot: Slot, position: Position): string {
    const mention = toMention(slot);
    const { word, name, count, of } = mention;
    const entry = this.find(word, 'object');
    const noun = this.noun(mention);
    const owner = of === undefined ? undefined : this.after('de', of, 'place');
    if (count !== undefined) return joinWords(this.number(count), noun, name, owner);
    if (entry === undefined) return joinWords(noun, name, owner);
    const gender = genderOf(entry);
    const isNamed = name !== undefined || owner !== undefined;
    const article = isNamed && position !== 'value' ? 'definite' : this.article(word, entry, position);
    const written = {
      definite: definite[gender][gender === 'mpl' || gender === 'fpl' ? 1 : 0],
      indefinite: indefinite[gender],
      none: undefined,
    }[article];
    return joinWords(written, noun, name, owner);
  }

  protected override inflect(mention: Mention, entry: Entry): string {
    const [singular, plural] = [nameOf(entry)!, entry.forms[1] ?? '-'];
    const [one, several] = entry.options.get('count')?.split('|') ?? [singular, plural === '-' ? singular : plural];
    return mention.count === undefined ? singular : isPlural(mention) ? several! : one!;
  }

  /** "eliminado", "eliminada", "eliminados", "eliminadas". */
  private agree(participle: string, noun: WordId, isSeveral: boolean): string {
    const gender = genderOf(this.find(noun, 'object'));
    return participle.replace(/o\b/, `${gender.startsWith('f') ? 'a' : 'o'}${isSeveral ? 's' : ''}`);
  }

  private takesPlural(slot: Slot): boolean {
    const mention = toMention(slot);
    return isPlural(mention) || genderOf(this.find(mention.word, 'object')).endsWith('pl');
  }
}

function genderOf(entry: Entry | undefined): Gender {
  const gender = entry?.forms[0]!.split(' ', 1)[0];
  return gender === 'f' || gender === 'fa' || gender === 'mpl' || gender === 'fpl' ? gender : 'm';
}

function nameOf(entry: Entry | undefined): string | undefined {
  return entry?.forms[0]!.replace(/^(?:m|f|fa|mpl|fpl) /, '');
}
