import {
  isPropertyStatement,
  type ActionStatement,
  type Mention,
  type PropertyStatement,
  type PropertyValue,
  type Slot,
  type Statement,
  type WordId,
} from '../../events/statement.ts';
import type { Dictionary, Word } from '../dictionary.ts';
import type { WordKind } from '../format.ts';
import { verbForms, verbPhrase, type Agreement, type Person, type Tense } from '../inflection.ts';
import { DISPLAY, READING } from './function-words.ts';
import { getLexicon, getSenseLabels, quoteName, type Lexicon } from './lexicon.ts';
import { tokenize } from './tokenize.ts';

/** The style of a rendered sentence. */
export interface Style {
  /** Default `present`. */
  readonly tense?: Tense;
  /** Writes articles: "the player kills an opponent". Default false. */
  readonly articles?: boolean;
  /** How the sentence refers to the player: `second` writes "you kill …, your health …". Default `third`. */
  readonly person?: Person;
  /** Starts with a capital letter and ends with a full stop. Default false. */
  readonly sentence?: boolean;
}

/**
 * Renders a statement as an English sentence.
 *
 * Without a style it writes the canonical form of event logs: present tense, no articles, readable by {@link parse}.
 *
 * @throws RangeError for a word that the dictionary does not have; call {@link validateStatement} first.
 * @example
 * const { dictionary } = await loadBuiltin();
 * const statement = { subject: 'player', action: 'kill', object: 'opponent', with: 'railgun' };
 * render(statement, dictionary); // 'player kills opponent with railgun'
 * render(statement, dictionary, { tense: 'past', articles: true, sentence: true });
 * // 'The player killed an opponent with a railgun.'
 */
export function render(statement: Statement, dictionary: Dictionary, style: Style = {}): string {
  const renderer = new Renderer(dictionary, style);
  const text = isPropertyStatement(statement) ? renderer.property(statement) : renderer.action(statement);
  return style.sentence ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.` : text;
}

/** The slots after the verb, in written order. */
const slotOrder = ['from', 'to', 'with', 'at'] as const;

class Renderer {
  private readonly dictionary: Dictionary;
  private readonly lexicon: Lexicon;
  private readonly style: Style;
  private readonly tense: Tense;
  private readonly person: Person;

  constructor(dictionary: Dictionary, style: Style) {
    this.dictionary = dictionary;
    this.lexicon = getLexicon(dictionary);
    this.style = style;
    this.tense = style.tense ?? 'present';
    this.person = style.person ?? 'third';
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
      parts.push(ofPlace ?? preposition, this.nounPhrase(filler, 'object'));
    }
    if (statement.manner !== undefined) parts.push(this.nounPhrase(statement.manner, 'property'));
    if (statement.amount !== undefined) {
      parts.push(rules.amount.preposition, String(statement.amount));
      if (statement.unit !== undefined) {
        const unit = this.findWord(statement.unit, 'object');
        parts.push(this.withSenseLabel(unit, statement.amount === 1 ? unit.name : unit.plural));
      }
    }
    return parts.filter((part) => part !== '').join(' ');
  }

  property({ subject, property, from, to }: PropertyStatement): string {
    const word = this.findWord(property, 'property');
    const agreement: Agreement = { person: 'third', plural: isPluralProperty(word.name) };
    const write = (verb: string): string => verbPhrase(verbForms(verb), this.tense, agreement, false);
    // What a display shows is said of the display itself: "counter Laps rises from 1 to 2".
    const head = this.isReading(subject, word)
      ? this.nounPhrase(subject, 'object', 'subject')
      : `${this.possessive(subject)} ${this.withSenseLabel(word, word.name)}`;
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

  /**
   * Writes subject, verb and object. Without a subject the clause is passive; without either, or where a preposition
   * introduces the object, it has the base form of the verb.
   */
  private clause({ subject, object }: ActionStatement, action: Word): string[] {
    const { preposition } = action.slots.object;
    if (subject === undefined && object !== undefined && preposition === '') {
      const verb = verbPhrase(action.forms, this.tense, this.agreement(object), true);
      return [this.nounPhrase(object, 'object', 'subject'), this.withSenseLabel(action, verb)];
    }
    const form =
      subject === undefined ? action.forms.base : verbPhrase(action.forms, this.tense, this.agreement(subject), false);
    const verb = this.withSenseLabel(action, form.replace(/\boneself\b/, this.reflexive(subject)));
    const parts = [subject === undefined ? '' : this.subject(subject, verb), verb];
    if (object !== undefined) parts.push(preposition, this.directObject(object, verb));
    return parts;
  }

  /** Writes the subject, with an article where subject and verb would read as another action ("rocket jumps"). */
  private subject(slot: Slot, verb: string): string {
    const text = this.nounPhrase(slot, 'object', 'subject');
    return this.startsLongerAction(text, verb) ? `the ${text}` : text;
  }

  /** Writes the object, with an article where verb and object would read as another action ("place block"). */
  private directObject(slot: Slot, verb: string): string {
    const text = this.nounPhrase(slot, 'object');
    return this.startsLongerAction(verb, text) ? `the ${text.replace(/^(?:an?|the) /, '')}` : text;
  }

  private startsLongerAction(first: string, second: string): boolean {
    const length = tokenize(first).length;
    return this.lexicon
      .find('action', tokenize(`${first} ${second}`), 0)
      .some(({ end, pendingParticle }) => end > length && pendingParticle === undefined);
  }

  private value(value: PropertyValue): string {
    if (typeof value === 'number') return String(value);
    return typeof value === 'string' ? JSON.stringify(value) : this.nounPhrase(value, 'any');
  }

  /** Writes owner or article, count, word, sense label and proper name. */
  private nounPhrase(slot: Slot, kind: WordKind | 'any', position: 'subject' | 'object' = 'object'): string {
    const mention = toMention(slot);
    const pronoun = this.pronoun(mention, position);
    if (pronoun !== undefined) return pronoun;
    const word = this.findWord(mention.word, kind === 'any' ? undefined : kind);
    const noun = isPlural(mention) && word.kind === 'object' ? word.plural : word.name;
    const parts = [
      mention.of === undefined ? this.article(mention, word) : this.possessive(mention.of),
      mention.count === undefined ? '' : String(mention.count),
      this.withSenseLabel(word, noun, kind === 'any'),
      mention.name === undefined ? '' : quoteName(mention.name, this.lexicon),
    ];
    return parts.filter((part) => part !== '').join(' ');
  }

  /** Names, counted nouns and uncountable nouns have no article. */
  private article({ name, count }: Mention, word: Word): string {
    if (!this.style.articles || word.kind !== 'object' || name !== undefined || count !== undefined) return '';
    if (word.id === 'player' || word.id === 'partner') return 'the';
    if (word.plural === word.name) return '';
    return /^(?:[aeio]|u(?!n[iu]|s[eu])|hour)/i.test(word.name) ? 'an' : 'a';
  }

  private possessive(slot: Slot): string {
    const mention = toMention(slot);
    const pronoun = this.pronoun(mention, 'owner');
    if (pronoun !== undefined) return pronoun;
    const text = this.nounPhrase(slot, 'object');
    return mention.name === undefined && isPlural(mention) && text.endsWith('s') ? `${text}'` : `${text}'s`;
  }

  private pronoun(mention: Mention, position: 'subject' | 'object' | 'owner'): string | undefined {
    if (this.person === 'third' || !isUnqualifiedPlayer(mention)) return undefined;
    if (this.person === 'second') return position === 'owner' ? 'your' : 'you';
    return { subject: 'I', object: 'me', owner: 'my' }[position];
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

function toMention(slot: Slot): Mention {
  return typeof slot === 'string' ? { word: slot } : slot;
}

/** "lives", "items found", "strokes over par"; but not "progress" or "flag status". */
function isPluralProperty(name: string): boolean {
  return /[^siu]s$/i.test(name.replace(/ (?:left|found|over .+)$/, ''));
}

function isPlural({ count }: Mention): boolean {
  return count !== undefined && count !== 1;
}

function isUnqualifiedPlayer({ word, name, count, of }: Mention): boolean {
  return word === 'player' && name === undefined && count === undefined && of === undefined;
}
