import {
  type ActionStatement,
  isPlural,
  type Mention,
  type PropertyStatement,
  type PropertyValue,
  type Slot,
  toMention,
} from '../../events/statement.ts';
import { DISPLAY, READING } from '../sentences/function-words.ts';
import { EuropeanPhrasing, type Position } from './european.ts';
import type { Entry } from './format.ts';
import { joinWords } from './phrasing.ts';

type Case = 'nom' | 'acc' | 'dat' | 'gen';
type Gender = 'm' | 'f' | 'n' | 'pl';

const cases: readonly Case[] = ['nom', 'acc', 'dat', 'gen'];
const definite: Readonly<Record<Gender, readonly string[]>> = {
  m: ['der', 'den', 'dem', 'des'],
  f: ['die', 'die', 'der', 'der'],
  n: ['das', 'das', 'dem', 'des'],
  pl: ['die', 'die', 'den', 'der'],
};
const indefinite: Readonly<Record<Gender, readonly string[]>> = {
  m: ['ein', 'einen', 'einem', 'eines'],
  f: ['eine', 'eine', 'einer', 'einer'],
  n: ['ein', 'ein', 'einem', 'eines'],
  pl: ['', '', '', ''],
};
const contractions: Readonly<Record<string, string>> = {
  'an dem': 'am',
  'in dem': 'im',
  'bei dem': 'beim',
  'von dem': 'vom',
  'zu dem': 'zum',
  'zu der': 'zur',
  'in das': 'ins',
  'an das': 'ans',
};
/** Sentences in German. The grammar is that of Duden, "Die Grammatik" (declension, government, verbs with separable prefix). */
export class GermanPhrasing extends EuropeanPhrasing {
  protected override readonly groupSeparator = '.';
  protected override readonly places = { at: 'bei', in: 'in', on: 'auf', under: 'unter', near: 'bei' };

  protected override action(statement: ActionStatement): string {
    const { subject, object } = statement;
    const { third, plural, participle, options } = this.verb(statement.action);
    const circumstances = this.circumstances(statement, options);
    if (subject === undefined) {
      const government = options.get('object') ?? 'acc';
      const isDirect = government === 'acc';
      const who = object === undefined ? 'es' : this.governed(object, isDirect ? 'nom' : government, 'subject');
      const verb = isDirect && object !== undefined && this.takesPlural(object) ? 'werden' : 'wird';
      return joinWords(who, verb, ...circumstances, participle);
    }
    const [finite, tail] = (this.takesPlural(subject) ? plural : third).split(' … ');
    const direct =
      object === undefined ? options.get('alone') : this.governed(object, options.get('object') ?? 'acc', 'object');
    // A recipient in the dative precedes the object, after a preposition it follows.
    const [recipient, ...others] = circumstances;
    const beforeObject = options.get('to') === 'dat' ? recipient : undefined;
    const afterObject = beforeObject === undefined ? recipient : undefined;
    const who = this.nounPhrase(subject, 'nom', 'subject');
    return joinWords(who, finite, beforeObject, direct, afterObject, ...others, tail);
  }

  /** The slots besides subject and object. */
  private circumstances(statement: ActionStatement, options: Entry['options']): string[] {
    const { to, from, at, manner, amount, unit } = statement;
    const government = (slot: string, usual: string): string => options.get(slot) ?? usual;
    return [
      to === undefined ? '' : this.governed(to, government('to', 'zu dat'), 'circumstance'),
      from === undefined ? '' : this.governed(from, government('from', 'von dat'), 'circumstance'),
      statement.with === undefined ? '' : this.governed(statement.with, government('with', 'mit dat'), 'circumstance'),
      at === undefined ? '' : this.governed(at, government('at', `${this.placePreposition(at)} dat`), 'place'),
      manner === undefined ? '' : this.manner(toMention(manner).word),
      amount === undefined ? '' : this.amount(amount, unit, options.get('amount')),
    ];
  }

  /** A noun phrase in the case that a verb or a preposition governs: `dat`, or `auf acc`. */
  private governed(slot: Slot, government: string, position: Position): string {
    const parts = government.split(' ');
    const grammaticalCase = parts.pop() as Case;
    const phrase = this.nounPhrase(slot, grammaticalCase, position);
    const [article, ...rest] = phrase.split(' ');
    const contracted = contractions[`${parts.join(' ')} ${article}`];
    return contracted === undefined ? joinWords(...parts, phrase) : joinWords(contracted, ...rest);
  }

  protected override change({ subject, property, from, to }: PropertyStatement): string {
    const entry = this.find(property, 'property');
    const word = this.word(property, 'property');
    const noun = { gender: genderOf(entry), singular: nameOf(entry) ?? word.name };
    const isDisplay = property === READING && this.dictionary.isA(toMention(subject).word, DISPLAY, 'object');
    const head = isDisplay
      ? this.nounPhrase(subject, 'nom', 'subject')
      : joinWords(entry?.options.get('def') ?? `${definite[noun.gender][0]!} ${noun.singular}`, this.owner(subject));
    const verb = (third: string, plural: string): string => (noun.gender === 'pl' && !isDisplay ? plural : third);
    if (from === undefined) return `${head} ${verb('ist', 'sind')} jetzt ${this.value(to, 'nom')}`;
    if (typeof from !== 'number' || typeof to !== 'number')
      return joinWords(head, verb('wechselt', 'wechseln'), this.valueAfter('von', from), this.valueAfter('zu', to));
    const [before, after] = [this.number(from), this.number(to)];
    if (from === to) return `${head} ${verb('bleibt', 'bleiben')} bei ${after}`;
    const isBetter = to < from;
    const how = word.isLowerBetter
      ? verb(isBetter ? 'verbessert sich' : 'verschlechtert sich', isBetter ? 'verbessern sich' : 'verschlechtern sich')
      : to > from
        ? verb('steigt', 'steigen')
        : verb('sinkt', 'sinken');
    return `${head} ${how} von ${before} auf ${after}`;
  }

  private value(value: PropertyValue, grammaticalCase: Case): string {
    if (typeof value === 'number') return this.number(value);
    if (typeof value === 'string') return `„${value}“`;
    const kind = this.kindOf(value.word);
    if (kind === 'object') return this.nounPhrase(value, grammaticalCase, 'circumstance');
    const entry = this.find(value.word, kind);
    return (kind === 'action' ? entry?.forms[1]?.replace(' … ', ' ') : nameOf(entry)) ?? this.word(value.word).name;
  }

  private valueAfter(preposition: 'von' | 'zu', value: PropertyValue): string {
    if (typeof value !== 'object' || this.kindOf(value.word) !== 'object')
      return `${preposition} ${this.value(value, 'dat')}`;
    return this.governed(value, `${preposition} dat`, 'circumstance');
  }

  /** "des Spielers", "von Gegner Sarge". */
  private owner(slot: Slot): string {
    const mention = toMention(slot);
    const entry = this.find(mention.word, 'object');
    if (mention.name !== undefined || entry === undefined || mention.count !== undefined)
      return this.governed(slot, 'von dat', 'circumstance');
    return this.nounPhrase(slot, 'gen', 'circumstance');
  }

  private nounPhrase(slot: Slot, grammaticalCase: Case, position: Position): string {
    const mention = toMention(slot);
    const { word, name, count, of } = mention;
    const entry = this.find(word, 'object');
    const noun = this.nounForm(mention, grammaticalCase);
    const owner = of === undefined ? undefined : this.owner(of);
    if (count !== undefined) return joinWords(this.number(count), noun, name, owner);
    if (name !== undefined || entry === undefined) return joinWords(noun, name, owner);
    const forms = { definite, indefinite, none: undefined }[
      owner === undefined ? this.article(word, entry, position) : 'definite'
    ];
    return joinWords(forms?.[genderOf(entry)][cases.indexOf(grammaticalCase)], noun, owner);
  }

  /** The noun in its case and number. */
  private nounForm(mention: Mention, grammaticalCase: Case): string {
    return this.noun(mention, (entry) => this.inflect(mention, entry, grammaticalCase));
  }

  protected override inflect(mention: Mention, entry: Entry, grammaticalCase: Case = 'acc'): string {
    const [singular, plural, oblique] = [nameOf(entry)!, entry.forms[1]!, entry.forms[2]];
    if (mention.count !== undefined && entry.options.has('count')) return entry.options.get('count')!;
    if (entry.options.has('decl')) return decline(isPlural(mention) ? plural : singular, grammaticalCase);
    if (isPlural(mention) || genderOf(entry) === 'pl') {
      const several = plural === '-' ? singular : plural;
      return grammaticalCase === 'dat' && /(?:e|el|er)$/.test(several) && plural !== '-' ? `${several}n` : several;
    }
    if (grammaticalCase === 'nom') return singular;
    if (oblique !== undefined) return oblique;
    if (grammaticalCase !== 'gen' || genderOf(entry) === 'f' || mention.name !== undefined) return singular;
    return genitive(singular);
  }

  private takesPlural(slot: Slot): boolean {
    const mention = toMention(slot);
    return isPlural(mention) || genderOf(this.find(mention.word, 'object')) === 'pl';
  }
}

/** "m Spieler": the gender precedes the noun. */
function genderOf(entry: Entry | undefined): Gender {
  const gender = entry?.forms[0]!.split(' ', 1)[0];
  return gender === 'm' || gender === 'f' || gender === 'pl' ? gender : 'n';
}

function nameOf(entry: Entry | undefined): string | undefined {
  return entry?.forms[0]!.replace(/^(?:m|f|n|pl) /, '');
}

/** "blaue Schlüsselkarte", "der blauen Schlüsselkarte": a feminine noun after an adjective, with an article. */
function decline(phrase: string, grammaticalCase: Case): string {
  return grammaticalCase === 'dat' || grammaticalCase === 'gen' ? phrase.replace(/e /, 'en ') : phrase;
}

/** The genitive of a masculine or neuter noun: "-es" after sibilants, "-s" otherwise (Duden, "Die Grammatik": Genitiv). */
function genitive(noun: string): string {
  if (noun.endsWith('nis')) return `${noun}ses`;
  return /(?:s|ß|x|z|sch|st)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
