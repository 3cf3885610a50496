import type { Dictionary, Word } from '../../dictionary/dictionary.ts';
import type { WordKind } from '../../dictionary/format.ts';
import { isPropertyStatement, type Slot, type Statement } from '../../events/statement.ts';

/** What words are worth, by kind and id; 0 to about 12. A word without a weight has its nearest ancestor's. */
export type Weights = Readonly<Partial<Record<WordKind, Readonly<Record<string, number>>>>>;

/** For the roots of the common dictionary, and wherever a branch differs from its root. */
export const defaultWeights: Weights = {
  action: {
    happen: 1,
    defeat: 10,
    hurt: 3,
    destroy: 5,
    revive: 8,
    heal: 2,
    obtain: 2,
    steal: 5,
    capture: 8,
    lose: 4,
    'lose#thing': 2,
    use: 0.5,
    unlock: 3,
    attack: 1,
    suffer: 3,
    die: 3,
    move: 0.3,
    appear: 0.5,
    begin: 1,
    end: 1,
    win: 12,
    complete: 8,
    achieve: 8,
    say: 0.2,
    connect: 0.2,
    disconnect: 0.2,
  },
  object: {
    boss: 12,
    weapon: 5,
    'heavy armor': 4,
    'power-up': 6,
    key: 6,
    flag: 7,
    secret: 7,
    award: 8,
    medal: 8,
  },
  property: {
    vitality: 2,
    stock: 0.3,
    lives: 5,
    money: 1,
    result: 2,
    rank: 3,
    kills: 0.1,
    deaths: 0.1,
    equipment: 0.5,
    identity: 0.2,
    'time left': 0.1,
    view: 0.1,
  },
};

const UNKNOWN = 1;

/** The word of a slot. */
export function wordOf(slot: Slot | undefined): string | undefined {
  return typeof slot === 'string' ? slot : slot?.word;
}

/** A word without namespace and sense: `openarena:quad damage` → `quad damage`, `drive#golf` → `drive`. */
export function bareWord(word: string): string {
  return word.replace(/^[^:]*:/, '').replace(/#.*$/, '');
}

/** The ids of a word and its ancestors, nearest first; of an unknown word, its own id alone. */
export function lineage(dictionary: Dictionary, word: string, kind: WordKind): readonly string[] {
  const ids = [word];
  for (let up: Word | undefined = dictionary.find(word, kind)?.parent; up; up = up.parent) ids.push(up.id);
  return ids;
}

/** What makes a weight: the amount, and the word that says so (the word itself or an ancestor). */
export interface Weight {
  readonly weight: number;
  readonly from: string;
  /** From the weights given, not from the built-in ones. */
  readonly given?: boolean;
}

/** What a word is worth; undefined where neither it nor an ancestor has a weight. `weights` go before the defaults. */
export function weightOf(dictionary: Dictionary, word: string, kind: WordKind, weights?: Weights): Weight | undefined {
  for (const id of lineage(dictionary, word, kind)) {
    const given = weights?.[kind]?.[id];
    const weight = given ?? defaultWeights[kind]?.[id];
    if (weight !== undefined) return { weight, from: bareWord(id), ...(given !== undefined && { given: true }) };
  }
  return undefined;
}

/** What a statement is worth before anything is known of what stands around it. */
export function statementWeight(statement: Statement, dictionary: Dictionary, weights?: Weights): Weight {
  if (isPropertyStatement(statement)) {
    const found = weightOf(dictionary, statement.property, 'property', weights);
    const { weight, from } = found ?? { weight: UNKNOWN, from: bareWord(statement.property) };
    return { weight: weight * changeOf(statement.from, statement.to), from };
  }
  const action = weightOf(dictionary, statement.action, 'action', weights);
  let best = action ?? { weight: UNKNOWN, from: bareWord(statement.action) };
  // To obtain a key is worth more than to obtain: what it is about may raise the worth of the action. Who gives an
  // object a weight means it, also where it is less than the action's.
  const object = wordOf(statement.object);
  const about = object === undefined ? undefined : weightOf(dictionary, object, 'object', weights);
  if (about && (about.weight > best.weight || about.given)) best = about;
  return { weight: best.weight * concern(statement), from: best.from };
}

/** Size of a change of a number relative to what it was, 0.1 to 1; 0.5 where it cannot be told. */
function changeOf(from: unknown, to: unknown): number {
  if (typeof from !== 'number' || typeof to !== 'number') return 0.5;
  const size = Math.abs(to - from) / Math.max(Math.abs(from), Math.abs(to), 1);
  return Math.max(0.1, Math.min(1, size * 1.5));
}

/** What others do among themselves is worth less than what the player does or suffers. */
function concern(statement: { readonly subject?: Slot; readonly object?: Slot; readonly to?: Slot }): number {
  const subject = wordOf(statement.subject);
  if (subject === undefined || subject === 'player') return 1;
  return wordOf(statement.object) === 'player' || wordOf(statement.to) === 'player' ? 0.35 : 0.3;
}

/** The class of a statement, for rarity, variety and counting: `kill with railgun`, `obtain key`, `health`. */
export function classOf(statement: Statement): string {
  if (isPropertyStatement(statement)) return bareWord(statement.property);
  const subject = wordOf(statement.subject);
  const who = subject !== undefined && subject !== 'player' ? `${bareWord(subject)} ` : '';
  const tool = wordOf(statement.with);
  const object = wordOf(statement.object);
  const rest = tool !== undefined ? ` with ${bareWord(tool)}` : object !== undefined ? ` ${bareWord(object)}` : '';
  return `${who}${bareWord(statement.action)}${rest}`;
}

/** Whether the player defeats someone. */
export function isDeed(statement: Statement, dictionary: Dictionary): boolean {
  if (isPropertyStatement(statement) || wordOf(statement.subject) !== 'player') return false;
  const object = wordOf(statement.object);
  return object !== undefined && object !== 'player' && isOneOf(dictionary, statement.action, 'action', 'defeat');
}

/** Whether the player dies or is defeated. */
export function isDownfall(statement: Statement, dictionary: Dictionary): boolean {
  if (isPropertyStatement(statement)) return false;
  if (wordOf(statement.object) === 'player') return isOneOf(dictionary, statement.action, 'action', 'defeat');
  return wordOf(statement.subject) === 'player' && isOneOf(dictionary, statement.action, 'action', 'die', 'lose');
}

/** Whether a word is one of those, or stands under one. */
export function isOneOf(dictionary: Dictionary, word: string, kind: WordKind, ...those: readonly string[]): boolean {
  return lineage(dictionary, word, kind).some((id) => those.includes(id));
}
