import {
  isPropertyStatement,
  type Mention,
  type PropertyStatement,
  type Slot,
  type Statement,
  type WordId,
  wordOf,
} from '../../events/statement.ts';
import type { Dictionary } from '../dictionary.ts';
import { wordKinds } from '../format.ts';
import { type Person, verbForms } from '../inflection.ts';
import type { Language } from '../languages/language.ts';
import { normalizeStatement } from '../statements.ts';
import { functionWords } from './function-words.ts';
import { getLexicon } from './lexicon.ts';
import { means } from './parse.ts';
import { logWording, type Wording, writeSentence } from './sentence-writer.ts';
import { tokenize } from './tokenize.ts';

/** How a caster describes an event. */
export interface CasterOptions {
  /** Chooses among the wordings, so that the same event always has the same one: the event's id. Default: the statement. */
  readonly seed?: string | undefined;
  readonly person?: Person | undefined;
}

/** Synonyms that casters use. The dictionary has them as synonyms too: that a sentence reads back is checked. */
const casterVerbs: Readonly<Record<WordId, readonly string[]>> = {
  kill: ['frag'],
  attack: ['assault'],
  hurt: ['wound'],
  defeat: ['overcome'],
  destroy: ['wreck'],
  smash: ['shatter'],
  revive: ['resurrect'],
  heal: ['cure'],
  rescue: ['bring to safety'],
  capture: ['conquer'],
  obtain: ['get', 'acquire'],
  'pick up': ['grab', 'collect'],
  buy: ['purchase'],
  craft: ['assemble'],
  build: ['construct'],
  deploy: ['set up'],
  enter: ['go into'],
  leave: ['exit'],
  reach: ['get to', 'arrive at'],
  jump: ['leap'],
  climb: ['scale'],
  chase: ['pursue'],
  retreat: ['fall back'],
  disappear: ['vanish'],
  respawn: ['come back to life'],
  die: ['perish'],
  begin: ['start'],
  end: ['finish'],
  resume: ['continue'],
  surrender: ['give up'],
  explode: ['go off', 'detonate'],
  find: ['discover'],
  see: ['spot'],
  cheer: ['celebrate'],
};

const risingVerbs = { ofProperty: ['rose', 'climbed', 'increased'], ofOwner: ['rose', 'climbed', 'went'] };
const fallingVerbs = { ofProperty: ['dropped', 'fell', 'sank'], ofOwner: ['dropped', 'fell', 'went'] };

/**
 * Puts a statement as a caster would: in the past tense, with articles, characters called by their names, and varied from
 * one event to the next. Of the possible wordings, it uses those that `parse` reads back as the same statement when
 * given the characters (`cast`).
 */
export function writeAsCaster(statement: Statement, dictionary: Dictionary, options: CasterOptions = {}): string {
  return casterSentences(statement, dictionary, options).next().value!;
}

/** What sentences `casterSentences` may write. */
interface SentenceLimits {
  readonly mayUse?: (sentence: string) => boolean;
  /** Only in the active voice, and "health dropped" rather than "the player dropped". */
  readonly isDirect?: boolean;
}

/** The sentences for a statement that read back as it, the one to use first. There is always one. */
function* casterSentences(
  statement: Statement,
  dictionary: Dictionary,
  { seed, person = 'third' }: CasterOptions,
  { mayUse = () => true, isDirect = false }: SentenceLimits = {},
): Generator<string, string> {
  const cast = collectCast(statement, dictionary);
  const isSame = (text: string): boolean => means(text, statement, dictionary, { cast });
  const wordings = casterWordings(statement, dictionary).filter(
    (wording) => !isDirect || isDirectWording(statement, wording),
  );
  const first = hash(seed ?? JSON.stringify(normalizeStatement(statement))) % wordings.length;
  const ordered = [...wordings.slice(first), ...wordings.slice(0, first)];
  const base: Wording = { tense: 'past', person, articles: 'definite', isSpelledOut: true, cast };
  const tried = new Set<string>();
  const manners: readonly Partial<Wording>[] = [
    { isUnquoted: true },
    // What a name alone or without quotes would make ambiguous.
    {},
    { cast: [] },
    // For captions that are too long otherwise.
    { isUnquoted: true, articles: 'none' },
  ];
  for (const manner of manners)
    for (const wording of ordered) {
      const text = writeSentence(statement, dictionary, { ...base, ...manner, ...wording });
      if (tried.has(text)) continue;
      tried.add(text);
      const sentence = startsWithName(text, cast) ? text : capitalize(text);
      // Reading a sentence takes much longer than writing it.
      if (mayUse(sentence) && isSame(sentence)) yield sentence;
    }
  const plain = capitalize(writeSentence(statement, dictionary, { ...logWording, tense: 'past', person }));
  if (mayUse(plain) && isSame(plain)) yield plain;
  // The sentence of the log always reads back.
  yield writeSentence(statement, dictionary);
  return '';
}

/** The characters of a statement that a name alone identifies. */
export function collectCast(statement: Statement, dictionary: Dictionary): Mention[] {
  const { subject } = statement;
  const slots = isPropertyStatement(statement)
    ? [subject, ...[statement.from, statement.to].filter((value) => typeof value === 'object')]
    : [subject, statement.object, statement.with, statement.to, statement.from, statement.at];
  const named = new Map<string, Mention[]>();
  const collect = (slot: Slot | undefined): void => {
    if (typeof slot !== 'object') return;
    const { word, name, of } = slot;
    collect(of);
    if (name === undefined || isAmbiguousName(name, dictionary)) return;
    if (!dictionary.isA(word, 'character', 'object')) return;
    const same = named.get(name) ?? [];
    if (!same.some((each) => each.word === word)) same.push({ word, name });
    named.set(name, same);
  };
  for (const slot of slots) collect(slot);
  return [...named.values()].flatMap((same) => (same.length === 1 ? same : []));
}

/** Would the name alone be read as a word, or contain one that structures a sentence? */
function isAmbiguousName(name: string, dictionary: Dictionary): boolean {
  const tokens = tokenize(name);
  const lexicon = getLexicon(dictionary);
  return (
    tokens.some(({ lower }) => functionWords.has(lower)) ||
    wordKinds.some((kind) => lexicon.find(kind, tokens, 0).some(({ end }) => end === tokens.length))
  );
}

function startsWithName(text: string, cast: readonly Mention[]): boolean {
  return cast.some(({ name }) => text.startsWith(name!));
}

function casterWordings(statement: Statement, dictionary: Dictionary): readonly Partial<Wording>[] {
  if (isPropertyStatement(statement)) return changeWordings(statement);
  const { subject, object, action } = statement;
  const { slots } = dictionary.find(action, 'action')!;
  const verbs = (Object.hasOwn(casterVerbs, action) ? casterVerbs[action]! : []).map((name) => verbForms(name));
  const active: Partial<Wording>[] = [{}, ...verbs.map((verb) => ({ verb }))];
  const isAboutCharacter = object !== undefined && dictionary.isA(wordOf(object), 'character', 'object');
  if (subject === undefined || !isAboutCharacter || slots.object.preposition !== '') return active;
  // Two thirds are active.
  return active.flatMap((wording) => [wording, wording, { ...wording, isPassive: true }]);
}

function isDirectWording(statement: Statement, { isPassive, change }: Partial<Wording>): boolean {
  if (!isPropertyStatement(statement)) return isPassive !== true;
  return typeof statement.to !== 'number' || change?.order !== 'owner-first';
}

function changeWordings({ from, to }: PropertyStatement): readonly Partial<Wording>[] {
  if (from === undefined) return [{}, { change: { verb: 'was now' } }];
  if (typeof from !== 'number' || typeof to !== 'number')
    return [{ change: { verb: 'switched', order: 'without-property' } }, { change: { order: 'owner-first' } }, {}];
  if (from === to) return [{}, { change: { verb: 'remained at' } }];
  const { ofProperty, ofOwner } = to > from ? risingVerbs : fallingVerbs;
  return [
    {},
    ...ofProperty.map((verb) => ({ change: { verb } })),
    ...ofOwner.map((verb) => ({ change: { verb, order: 'owner-first' } as const })),
  ];
}

function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** FNV-1a (Fowler, Noll, Vo) of the UTF-16 code units, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  // The low bits of FNV-1a alone are uneven for short texts.
  return (value ^ (value >>> 15)) >>> 0;
}

/** The size of a caption, and its language. */
export interface CaptionSize {
  /** Characters per line; default 32. A Chinese character counts as two. */
  readonly width?: number;
  /** Default 2. */
  readonly lines?: number;
  /** Another language than English. Its sentences have one wording, of which nothing is left out. */
  readonly language?: Language;
}

/** What a caption leaves out first where it is too long. */
const dispensableSlots = ['at', 'manner', 'amount', 'from', 'to', 'with'] as const;

/**
 * Puts a statement as a caster would, within the lines of a caption, and in the active voice: it is shorter.
 *
 * Of the wordings for the event it takes one that fits. Where none does, it leaves out the place, the manner and so on, one
 * by one; then it shortens the longest name. A caption never says anything else than the statement. Of a counter or message it
 * gives what the screen shows; a picture that is known by a number alone, as the icons of a drafted profile are, is left out.
 *
 * @returns One line or more, each of at most `width` characters.
 * @example
 * const { dictionary } = await loadBuiltin();
 * const statement = { subject: 'player', action: 'kill', object: { word: 'opponent', name: 'Sarge' }, with: 'railgun' };
 * renderCaption(statement, dictionary, { seed: 'a1' });
 */
export function renderCaption(
  statement: Statement,
  dictionary: Dictionary,
  options: CasterOptions & CaptionSize = {},
): string[] {
  const { width = 32, lines = 2, language } = options;
  const shown = shownText(statement, dictionary);
  if (shown !== undefined) return truncateLines(shown, width, lines);
  if (language) return truncateLines(language.write(statement), width, lines);
  const named = withoutNumberedPicture(statement, dictionary);
  let shortest = named;
  for (const each of shorterStatements(named, dictionary)) {
    const fits = (sentence: string): boolean => {
      const wrapped = wrapLines(sentence, width);
      return wrapped.length <= lines && wrapped.every((line) => widthOf(line) <= width);
    };
    const sentence = casterSentences(each, dictionary, options, { mayUse: fits, isDirect: true }).next().value!;
    if (fits(sentence)) return wrapLines(sentence, width);
    shortest = each;
  }
  return truncateLines(writeAsCaster(shortest, dictionary, options), width, lines);
}

/** What a counter or message with a name shows: "RED 2", "HALF TIME". A caster says that, and not what shows it. */
function shownText(statement: Statement, dictionary: Dictionary): string | undefined {
  const { subject } = statement;
  if (typeof subject !== 'object' || subject.name === undefined) return undefined;
  if (isPropertyStatement(statement)) {
    const { property, to } = statement;
    return property === 'reading' && typeof to !== 'object' ? `${subject.name} ${to}` : undefined;
  }
  const isMessage = statement.action === 'appear' && dictionary.isA(subject.word, 'message', 'object');
  return isMessage ? subject.name : undefined;
}

/** Leaves out a means of which only a picture with a number is known: "with icon 3" tells a viewer nothing. */
function withoutNumberedPicture(statement: Statement, dictionary: Dictionary): Statement {
  if (isPropertyStatement(statement)) return statement;
  const { with: tool, ...rest } = statement;
  const isNumbered = typeof tool === 'object' && 'name' in tool && /^\d+$/.test(tool.name ?? '');
  if (!isNumbered || !dictionary.isA(tool.word, 'display', 'object')) return statement;
  return dictionary.find(statement.action, 'action')?.slots.with.use === 'required' ? statement : rest;
}

/** The statement, then what is left of it without one more dispensable slot each. */
function* shorterStatements(statement: Statement, dictionary: Dictionary): Generator<Statement> {
  yield statement;
  if (isPropertyStatement(statement)) return;
  const { slots } = dictionary.find(statement.action, 'action')!;
  let left = statement;
  for (const slot of dispensableSlots) {
    if (left[slot] === undefined || slots[slot].use === 'required') continue;
    const { [slot]: _, ...rest } = left;
    if (slot === 'amount') delete (rest as { unit?: WordId }).unit;
    left = rest as typeof statement;
    yield left;
  }
}

/** Breaks a text into as few lines as possible; two lines are as equal in length as possible. */
function wrapLines(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const parts = splitForLines(text);
  const halves = parts
    .slice(1)
    .map((_, index) => [joinParts(parts.slice(0, index + 1)), joinParts(parts.slice(index + 1))] as const)
    .map((pair) => ({ pair, longest: Math.max(...pair.map((line) => widthOf(line))) }))
    .filter(({ longest }) => longest <= width)
    .toSorted((a, b) => a.longest - b.longest)[0];
  if (halves) return [...halves.pair];
  const lines: string[] = [];
  for (const part of parts) {
    const longer = lines.length === 0 ? undefined : joinParts([lines.at(-1)!, part]);
    if (longer !== undefined && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(part.trim());
  }
  return lines;
}

/** Parts between which a line may end: after spaces, and between Chinese characters, but not before their punctuation. */
function splitForLines(text: string): string[] {
  return text.match(/\p{Script=Han}[，。）”]*|[（“]\p{Script=Han}|[^\s\p{Script=Han}（“]+\s*|[（“]/gu) ?? [text];
}

function joinParts(parts: readonly string[]): string {
  return parts
    .map((part, index) => (index > 0 && needsSpace(parts[index - 1]!, part) ? ` ${part}` : part))
    .join('')
    .trim();
}

/** A line that was trimmed is followed by another word. */
function needsSpace(before: string, after: string): boolean {
  return /[^\s\p{Script=Han}，。（）“”]$/u.test(before) && /^[^\s\p{Script=Han}，。（）“”]/u.test(after);
}

function widthOf(text: string): number {
  return [...text].reduce((sum, each) => sum + (/[\p{Script=Han}，。（）]/u.test(each) ? 2 : 1), 0);
}

function truncateLines(text: string, width: number, lines: number): string[] {
  const wrapped = wrapLines(
    splitForLines(text)
      .map((part) => cut(part, width))
      .join(''),
    width,
  );
  if (wrapped.length <= lines) return wrapped;
  return [...wrapped.slice(0, lines - 1), cut(joinParts(wrapped.slice(lines - 1)), width).trimEnd()];
}

function cut(text: string, width: number): string {
  if (widthOf(text.trimEnd()) <= width) return text;
  let kept = '';
  for (const each of text) {
    if (widthOf(kept + each) > width - 1) break;
    kept += each;
  }
  return `${kept.trimEnd()}… `;
}
