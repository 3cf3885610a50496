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
import { lexiconOf, markersOf, quoteName } from './lexicon.ts';
import { changeForms, verbPhrase, type Person, type Tense } from '../inflection.ts';
import { tokenize } from './tokenize.ts';

/** How a sentence is put. Logs have none of it; it is for people. */
export interface Style {
  /** Default present. */
  readonly tense?: Tense;
  /** "the player kills an opponent" instead of "player kills opponent". */
  readonly articles?: boolean;
  /** Who the player is to the reader: `second` says "you kill …, your health …". Default third. */
  readonly person?: Person;
  /** A capital letter at the beginning and a full stop at the end. */
  readonly sentence?: boolean;
}

/** The slots that follow the verb, in the order in which they are written. */
const order = ['from', 'to', 'with', 'at'] as const;

/**
 * The sentence that says `statement`: without a style in the present tense, without articles, the form that stands in
 * logs and from which `parse` makes the same statement. Throws RangeError for a word that the dictionary does not have.
 */
export function render(statement: Statement, dictionary: Dictionary, style: Style = {}): string {
  const renderer = new Renderer(dictionary, style);
  const text = isPropertyStatement(statement) ? renderer.property(statement) : renderer.action(statement);
  return style.sentence ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.` : text;
}

class Renderer {
  private readonly dictionary: Dictionary;
  private readonly style: Style;

  constructor(dictionary: Dictionary, style: Style) {
    this.dictionary = dictionary;
    this.style = style;
  }

  action(statement: ActionStatement): string {
    const action = this.need(statement.action, 'action');
    const { frame } = action;
    const parts = this.clause(statement, action);
    for (const slot of order) {
      const said = statement[slot];
      if (said !== undefined) parts.push(frame[slot].preposition, this.phrase(said, 'object', 'object'));
    }
    if (statement.manner !== undefined) parts.push(this.phrase(statement.manner, 'property', 'object'));
    if (statement.amount !== undefined) {
      parts.push(frame.amount.preposition, String(statement.amount));
      if (statement.unit !== undefined) {
        const unit = this.need(statement.unit, 'object');
        parts.push(this.marked(unit, statement.amount === 1 ? unit.name : unit.plural));
      }
    }
    return parts.filter((part) => part !== '').join(' ');
  }

  property(statement: PropertyStatement): string {
    const property = this.need(statement.property, 'property');
    const change = this.change(statement, isPluralProperty(property.name));
    return `${this.possessive(statement.subject)} ${this.marked(property, property.name)} ${change}`;
  }

  /** Subject, verb and object. Without a subject the passive; without either, or where a preposition stands between, the bare verb. */
  private clause({ subject, object }: ActionStatement, action: Word): string[] {
    const { frame, forms } = action;
    const { tense = 'present' } = this.style;
    if (subject === undefined && object !== undefined && frame.object.preposition === '') {
      const { person, plural } = this.agreement(object);
      return [
        this.phrase(object, 'object', 'subject'),
        this.marked(action, verbPhrase(forms, tense, person, plural, true)),
      ];
    }
    const { person, plural } =
      subject === undefined ? { person: 'first' as const, plural: true } : this.agreement(subject);
    const verb = this.marked(
      action,
      subject === undefined ? forms.base : verbPhrase(forms, tense, person, plural, false),
    );
    const parts = [subject === undefined ? '' : this.actor(subject, verb), verb];
    if (object !== undefined) parts.push(frame.object.preposition, this.directObject(object, verb));
    return parts;
  }

  /** The subject before its verb. Where the two together would read as another action ("rocket jumps"), it has an article. */
  private actor(subject: Slot, verb: string): string {
    const text = this.phrase(subject, 'object', 'subject');
    const length = tokenize(text).length;
    const longer = lexiconOf(this.dictionary)
      .find('action', tokenize(`${text} ${verb}`), 0)
      .some(({ end, pending }) => end > length && pending === undefined);
    return longer ? `the ${text}` : text;
  }

  /**
   * The object behind its verb. Where the two together would read as another action ("place block"), an article keeps
   * them apart ("places the block").
   */
  private directObject(object: Slot, verb: string): string {
    const text = this.phrase(object, 'object', 'object');
    const tokens = tokenize(`${verb} ${text}`);
    const length = tokenize(verb).length;
    const longer = lexiconOf(this.dictionary)
      .find('action', tokens, 0)
      .some(({ end, pending }) => end > length && pending === undefined);
    return longer ? `the ${text.replace(/^(?:an?|the) /, '')}` : text;
  }

  private change({ from, to }: PropertyStatement, plural: boolean): string {
    const { tense = 'present' } = this.style;
    if (from === undefined) return `${changeForms('become', tense, plural)} ${this.value(to)}`;
    if (typeof from === 'number' && typeof to === 'number') {
      if (from === to) return `${changeForms('stay', tense, plural)} at ${to}`;
      return `${changeForms(to > from ? 'rise' : 'drop', tense, plural)} from ${from} to ${to}`;
    }
    return `${changeForms('change', tense, plural)} from ${this.value(from)} to ${this.value(to)}`;
  }

  private value(said: PropertyValue): string {
    if (typeof said === 'number') return String(said);
    if (typeof said === 'string') return JSON.stringify(said);
    return this.phrase(said, 'any', 'object');
  }

  /** A noun phrase: owner or article, count, word, marker, proper name. */
  private phrase(slot: Slot, kind: WordKind | 'any', place: 'subject' | 'object'): string {
    const mention: Mention = typeof slot === 'string' ? { word: slot } : slot;
    const pronoun = this.pronoun(mention, place);
    if (pronoun !== undefined) return pronoun;
    const word = this.need(mention.word, kind === 'any' ? undefined : kind);
    const noun = isPlural(slot) && word.kind === 'object' ? word.plural : word.name;
    const parts = [
      mention.of === undefined ? this.article(mention, word) : this.possessive(mention.of),
      mention.count === undefined ? '' : String(mention.count),
      this.marked(word, noun, kind === 'any'),
      mention.name === undefined ? '' : quoteName(mention.name, lexiconOf(this.dictionary)),
    ];
    return parts.filter((part) => part !== '').join(' ');
  }

  /** "the player", "an opponent"; nothing before names, counts and what is not counted. */
  private article({ name, count }: Mention, word: Word): string {
    if (!this.style.articles || word.kind !== 'object' || name !== undefined || count !== undefined) return '';
    if (word.id === 'player' || word.id === 'partner') return 'the';
    if (word.plural === word.name) return '';
    return /^(?:[aeio]|u(?!n[iu]|s[eu])|hour)/i.test(word.name) ? 'an' : 'a';
  }

  private possessive(slot: Slot): string {
    const mention: Mention = typeof slot === 'string' ? { word: slot } : slot;
    const pronoun = this.pronoun(mention, 'owner');
    if (pronoun !== undefined) return pronoun;
    const text = this.phrase(slot, 'object', 'object');
    return mention.name === undefined && isPlural(slot) && text.endsWith('s') ? `${text}'` : `${text}'s`;
  }

  private pronoun(mention: Mention, place: 'subject' | 'object' | 'owner'): string | undefined {
    const { person = 'third' } = this.style;
    if (person === 'third' || !isBarePlayer(mention)) return undefined;
    if (person === 'second') return place === 'owner' ? 'your' : 'you';
    return { subject: 'I', object: 'me', owner: 'my' }[place];
  }

  private agreement(slot: Slot): { person: Person; plural: boolean } {
    const mention: Mention = typeof slot === 'string' ? { word: slot } : slot;
    return { person: isBarePlayer(mention) ? (this.style.person ?? 'third') : 'third', plural: isPlural(slot) };
  }

  private marked(word: Word, form: string, anywhere = false): string {
    const markers = markersOf(this.dictionary);
    const marker = (anywhere ? markers.anywhere : markers.inKind).get(word);
    return marker ? `${form} (${marker})` : form;
  }

  private need(id: WordId, kind: WordKind | undefined): Word {
    const word = this.dictionary.find(id, kind);
    if (!word)
      throw new RangeError(`"${id}" is not a known ${kind ?? 'word'}: validate statements before rendering them`);
    return word;
  }
}

/** "lives", "items found", "strokes over par"; but not "progress" or "flag status". */
function isPluralProperty(name: string): boolean {
  return /[^siu]s$/i.test(name.replace(/ (?:left|found|over .+)$/, ''));
}

function isPlural(slot: Slot): boolean {
  return typeof slot !== 'string' && slot.count !== undefined && slot.count !== 1;
}

function isBarePlayer({ word, name, count, of }: Mention): boolean {
  return word === 'player' && name === undefined && count === undefined && of === undefined;
}
