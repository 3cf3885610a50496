import {
  type ActionStatement,
  isPlural,
  isPropertyStatement,
  type Mention,
  type PropertyStatement,
  type PropertyValue,
  type Slot,
  type Statement,
  toMention,
  type WordId,
} from '../../events/statement.ts';
import type { Dictionary, Word } from '../dictionary.ts';
import { indefiniteArticle } from '../english.ts';
import type { WordKind } from '../format.ts';
import { type Agreement, type Person, type Tense, type VerbForms, verbForms, verbPhrase } from '../inflection.ts';
import { DISPLAY, READING, SECOND } from './function-words.ts';
import { getLexicon, getSenseLabels, type Lexicon, type LexiconMatch, quoteName } from './lexicon.ts';
import { articleOfOwnNoun, repeatsNoun } from './own-nouns.ts';
import { numberWord, tokenize, writeClock } from './tokenize.ts';

/** How a sentence puts a statement. The log's wording is the default. */
export interface Wording {
  readonly tense: Tense;
  readonly person: Person;
  /** `definite` writes "the" where a weapon or a place is mentioned. */
  readonly articles: 'none' | 'indefinite' | 'definite';
  /** The forms of the action's verb, where it is not the action's own name. */
  readonly verb?: VerbForms;
  /** Writes the object first: "opponent was killed by player". */
  readonly isPassive?: boolean;
  /** Characters that are called by their names alone. */
  readonly cast?: readonly Mention[];
  /** Writes names without quotes. */
  readonly isUnquoted?: boolean;
  /** Writes counts up to twelve as words. */
  readonly isSpelledOut?: boolean;
  /** How the change of a property is put. */
  readonly change?: ChangeWording;
}

/** How the change of a property is put. */
export interface ChangeWording {
  /** The verb in the simple past, where it is not the log's. */
  readonly verb?: string;
  /** `owner-first`: "player drops from 87 to 62 health"; `without-property`: "player switches from shotgun to railgun". */
  readonly order?: 'owner-first' | 'without-property';
}

/** The wording of event logs. */
export const logWording: Wording = { tense: 'present', person: 'third', articles: 'none' };

/** Writes a statement as an English sentence without capital and full stop. */
export function writeSentence(statement: Statement, dictionary: Dictionary, wording: Wording = logWording): string {
  const writer = new SentenceWriter(dictionary, wording);
  return isPropertyStatement(statement) ? writer.property(statement) : writer.action(statement);
}

/** The slots after the verb, in written order. */
const slotOrder = ['from', 'to', 'with', 'at'] as const;

/** Where a noun phrase is. `agent`: after "by"; `circumstance`: a weapon, a place, a recipient or a value. */
type Position = 'subject' | 'object' | 'owner' | 'agent' | 'circumstance';

class SentenceWriter {
  private readonly dictionary: Dictionary;
  private readonly lexicon: Lexicon;
  private readonly wording: Wording;
  private readonly tense: Tense;
  private readonly person: Person;

  constructor(dictionary: Dictionary, wording: Wording) {
    this.dictionary = dictionary;
    this.lexicon = getLexicon(dictionary);
    this.wording = wording;
    this.tense = wording.tense;
    this.person = wording.person;
  }

  action(statement: ActionStatement): string {
    const action = this.findWord(statement.action, 'action');
    const rules = action.slots;
    const parts = this.clause(statement, action);
    for (const slot of slotOrder) {
      const filler = statement[slot];
      if (filler === undefined) continue;
      const { preposition } = rules[slot];
      const ofPlace = preposition === 'at' ? this.findWord(toMention(filler).word, 'object').preposition : undefined;
      parts.push(ofPlace ?? preposition, this.nounPhrase(filler, 'object', 'circumstance'));
    }
    if (statement.manner !== undefined) parts.push(this.nounPhrase(statement.manner, 'property'));
    if (statement.amount !== undefined)
      parts.push(rules.amount.preposition, this.amount(statement.amount, statement.unit));
    return parts.filter((part) => part !== '').join(' ');
  }

  property({ subject, property, from, to }: PropertyStatement): string {
    const word = this.findWord(property, 'property');
    const { change } = this.wording;
    const name = this.withSenseLabel(word, word.name);
    const isOwnerFirst = change?.order !== undefined;
    const agreement = isOwnerFirst
      ? this.agreement(subject)
      : ({ person: 'third', plural: isPluralProperty(word.name) } as const);
    const write = (verb: string): string => change?.verb ?? verbPhrase(verbForms(verb), this.tense, agreement, false);
    if (isOwnerFirst) {
      const owner = this.nounPhrase(subject, 'object', 'subject');
      if (typeof from === 'number') return `${owner} ${write('go')} from ${from} to ${this.value(to)} ${name}`;
      const what = change.order === 'without-property' ? '' : `${name} `;
      return `${owner} ${write('change')} ${what}from ${this.value(from!)} to ${this.value(to)}`;
    }
    // What a display shows is said of the display itself: "counter Laps rises from 1 to 2".
    const head = this.isReading(subject, word)
      ? this.nounPhrase(subject, 'object', 'subject')
      : `${this.possessive(subject)} ${name}`;
    if (from === undefined) return `${head} ${write('become')} ${this.value(to)}`;
    if (typeof from !== 'number' || typeof to !== 'number')
      return `${head} ${write('change')} from ${this.value(from)} to ${this.value(to)}`;
    if (from === to) return `${head} ${write('stay')} at ${to}`;
    if (word.isLowerBetter) return `${head} ${write(to < from ? 'improve' : 'worsen')} from ${from} to ${to}`;
    return `${head} ${write(to > from ? 'rise' : 'drop')} from ${from} to ${to}`;
  }

  private isReading(subject: Slot, property: Word): boolean {
    const word = this.findWord(toMention(subject).word, 'object');
    return property.id === READING && this.dictionary.isA(word.id, DISPLAY, 'object');
  }

  /** Writes how much: "25 points", "250 meters", "1:24.7" for seconds from a minute on. */
  private amount(amount: number, unitId: WordId | undefined): string {
    if (unitId === undefined) return String(amount);
    const unit = this.findWord(unitId, 'object');
    const clock = unit.id === SECOND ? writeClock(amount) : undefined;
    return clock ?? `${amount} ${this.withSenseLabel(unit, this.noun(unit, amount))}`;
  }

  /** The noun that follows a number: "1 opponent", "2 opponents", "10 rounds of ammunition". */
  private noun(word: Word, count: number): string {
    if (word.counted !== undefined) return count === 1 ? word.counted.singular : word.counted.plural;
    return count === 1 ? word.name : word.plural;
  }

  /**
   * Writes subject, verb and object. Without a subject the clause is passive; without either, or where a preposition
   * introduces the object, it has the base form of the verb.
   */
  private clause({ subject, object }: ActionStatement, action: Word): string[] {
    const { preposition } = action.slots.object;
    const forms = this.wording.verb ?? action.forms;
    const isElided = object !== undefined && repeatsNoun(action, toMention(object).word, this.dictionary);
    const withNoun = (verb: string): string =>
      isElided ? leaveOutNoun(verb, action) : this.withNounArticle(action, verb);
    const inflect = (isPassive: boolean, agreement: Agreement): string =>
      withNoun(verbPhrase(forms, this.tense, agreement, isPassive));
    if (object !== undefined && preposition === '' && (subject === undefined || this.wording.isPassive)) {
      const verb = inflect(true, this.agreement(object));
      const parts = [this.nounPhrase(object, 'object', 'subject'), this.withSenseLabel(action, verb)];
      if (subject !== undefined) parts.push('by', this.nounPhrase(subject, 'object', 'agent'));
      return parts;
    }
    const form = subject === undefined ? withNoun(forms.base) : inflect(false, this.agreement(subject));
    const verb = this.withSenseLabel(action, form.replace(/\boneself\b/, this.reflexive(subject)));
    const parts = [subject === undefined ? '' : this.subject(subject, verb), verb];
    if (object === undefined) return parts;
    const { complement } = action;
    // "puts enemy to sleep"
    if (complement !== undefined && preposition === '' && verb.endsWith(` ${complement}`))
      return [parts[0]!, verb.slice(0, -complement.length - 1), this.nounPhrase(object, 'object'), complement];
    return [...parts, preposition, this.directObject(object, verb)];
  }

  /** "drove a golf ball", "crossed the finish line": in prose the noun of an action has an article. */
  private withNounArticle(action: Word, verb: string): string {
    const { ownNoun } = action;
    if (this.wording.articles === 'none' || ownNoun === undefined || !verb.endsWith(` ${ownNoun}`)) return verb;
    const article = articleOfOwnNoun(ownNoun, this.dictionary);
    return article === '' ? verb : `${verb.slice(0, -ownNoun.length)}${article} ${ownNoun}`;
  }

  /** Writes the subject, with an article where subject and verb would read as another action ("rocket jumps"). */
  private subject(slot: Slot, verb: string): string {
    const text = this.nounPhrase(slot, 'object', 'subject');
    return this.findLongerAction(text, verb) ? `the ${text}` : text;
  }

  /** Writes the object, with an article where verb and object would read as another action ("place block"). */
  private directObject(slot: Slot, verb: string): string {
    const text = this.nounPhrase(slot, 'object');
    const longer = this.findLongerAction(verb, text);
    if (!longer) return text;
    // The article that the other action does not have.
    const noun = text.replace(/^(?:an?|the) /, '');
    return longer.entry.nounArticle === 'the' ? `${indefiniteArticle(noun)} ${noun}` : `the ${noun}`;
  }

  private findLongerAction(first: string, second: string): LexiconMatch | undefined {
    const length = tokenize(first).length;
    return this.lexicon
      .find('action', tokenize(`${first} ${second}`), 0)
      .find(({ end, pendingParticle }) => end > length && pendingParticle === undefined);
  }

  private value(value: PropertyValue): string {
    if (typeof value === 'number') return String(value);
    return typeof value === 'string' ? JSON.stringify(value) : this.nounPhrase(value, 'any', 'circumstance');
  }

  /** Writes owner or article, count, word, sense label and proper name. */
  private nounPhrase(slot: Slot, kind: WordKind | 'any', position: Position = 'object'): string {
    const mention = toMention(slot);
    const pronoun = this.pronoun(mention, position);
    if (pronoun !== undefined) return pronoun;
    const name = mention.name === undefined ? '' : this.name(mention.name);
    if (name !== '' && this.wording.cast?.some((each) => isSameMention(each, mention))) return name;
    const word = this.findWord(mention.word, kind === 'any' ? undefined : kind);
    const noun = mention.count === undefined || word.kind !== 'object' ? word.name : this.noun(word, mention.count);
    const parts = [
      mention.of === undefined ? this.article(mention, word, position) : this.possessive(mention.of),
      mention.count === undefined ? '' : this.count(mention.count),
      this.withSenseLabel(word, noun, kind === 'any'),
      name,
    ];
    return parts.filter((part) => part !== '').join(' ');
  }

  private name(name: string): string {
    return this.wording.isUnquoted ? name : quoteName(name, this.lexicon);
  }

  private count(count: number): string {
    return (this.wording.isSpelledOut ? numberWord(count) : undefined) ?? String(count);
  }

  /** Names, counted nouns and uncountable nouns have no article. */
  private article({ name, count }: Mention, word: Word, position: Position): string {
    const { articles } = this.wording;
    if (articles === 'none' || word.kind !== 'object' || name !== undefined || count !== undefined) return '';
    if (word.id === 'player' || word.id === 'partner') return 'the';
    if (word.plural === word.name) return '';
    if (articles === 'definite' && position !== 'object') return 'the';
    return indefiniteArticle(word.name);
  }

  private possessive(slot: Slot): string {
    const mention = toMention(slot);
    const pronoun = this.pronoun(mention, 'owner');
    if (pronoun !== undefined) return pronoun;
    const text = this.nounPhrase(slot, 'object', 'owner');
    return mention.name === undefined && isPlural(mention) && text.endsWith('s') ? `${text}'` : `${text}'s`;
  }

  private pronoun(mention: Mention, position: Position): string | undefined {
    if (this.person === 'third' || !isUnqualifiedPlayer(mention)) return undefined;
    if (this.person === 'second') return position === 'owner' ? 'your' : 'you';
    return position === 'subject' ? 'I' : position === 'owner' ? 'my' : 'me';
  }

  /** The pronoun for "oneself". Of whom a log does not know the gender, it says "themselves". */
  private reflexive(subject: Slot | undefined): string {
    if (subject === undefined) return 'oneself';
    if (this.person === 'third' || !isUnqualifiedPlayer(toMention(subject))) return 'themselves';
    return this.person === 'second' ? 'yourself' : 'myself';
  }

  private agreement(slot: Slot): Agreement {
    const mention = toMention(slot);
    return { person: isUnqualifiedPlayer(mention) ? this.person : 'third', plural: isPlural(mention) };
  }

  private withSenseLabel(word: Word, form: string, anyKind = false): string {
    const labels = getSenseLabels(this.dictionary);
    const label = (anyKind ? labels.anyKind : labels.sameKind).get(word);
    return label ? `${form} (${label})` : form;
  }

  private findWord(id: WordId, kind: WordKind | undefined): Word {
    const word = typeof id === 'string' ? this.dictionary.find(id, kind) : undefined;
    if (!word)
      throw new RangeError(
        `the dictionary has no ${kind ?? 'word'} ${JSON.stringify(id)}; validate statements before rendering`,
      );
    return word;
  }
}

/** "plays spell card", of the action "play card". */
function leaveOutNoun(verb: string, { ownNoun }: Word): string {
  return verb.endsWith(` ${ownNoun!}`) ? verb.slice(0, -ownNoun!.length - 1) : verb;
}

/** "lives", "items found", "strokes over par"; but not "progress" or "flag status". */
function isPluralProperty(name: string): boolean {
  return /[^siu]s$/i.test(name.replace(/ (?:left|found|over .+)$/, ''));
}

function isUnqualifiedPlayer({ word, name, count, of }: Mention): boolean {
  return word === 'player' && name === undefined && count === undefined && of === undefined;
}

function isSameMention(cast: Mention, { word, name, count, of }: Mention): boolean {
  return cast.word === word && cast.name === name && count === undefined && of === undefined;
}
