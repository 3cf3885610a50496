import type { Dictionary, Word } from '../dictionary/dictionary.ts';
import type { WordKind } from '../dictionary/format.ts';
import { type Issue, messageOf, PlaybyplayError } from '../errors.ts';
import type { EventLine } from '../events/log.ts';
import { isPropertyStatement, type Slot, type Statement, wordOf } from '../events/statement.ts';
import { readInputText } from '../files/input.ts';
import { number } from '../schema/build.ts';
import { checkSchema } from '../schema/check.ts';
import type { FromSchema } from '../schema/from-schema.ts';
import type { Reason, Source } from './list.ts';

/** Weights of words by kind and id, 0 to about 12; a word without an entry inherits its nearest ancestor's. */
export type Weights = Readonly<Partial<Record<WordKind, Readonly<Record<string, number>>>>>;

/** Weights of the roots of the common dictionary and of branches that differ from their root. */
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
    message: 4,
    display: 1,
    clock: 2.5,
    counter: 3,
    gauge: 4,
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

const DEFAULT_WEIGHT = 1;

/** Removes namespace and sense: `openarena:quad damage` → `quad damage`, `drive#golf` → `drive`. */
export function unqualified(word: string): string {
  return word.replace(/^[^:]*:/, '').replace(/#.*$/, '');
}

/** Ids of a word and its ancestors, nearest first; for an unknown word its own id alone. */
export function withAncestors(dictionary: Dictionary, word: string, kind: WordKind): readonly string[] {
  const ids = [word];
  for (let up: Word | undefined = dictionary.find(word, kind)?.parent; up; up = up.parent) ids.push(up.id);
  return ids;
}

/** A weight and the word (itself or an ancestor) it comes from. */
interface Weight {
  readonly weight: number;
  readonly from: string;
  /** Whether it comes from the given weights rather than the built-in ones. */
  readonly given?: boolean;
}

/** Looks up the weight of a word or its nearest ancestor with one; `weights` override the defaults. */
function findWeight(dictionary: Dictionary, word: string, kind: WordKind, weights?: Weights): Weight | undefined {
  for (const id of withAncestors(dictionary, word, kind)) {
    const given = weights?.[kind]?.[id];
    const weight = given ?? defaultWeights[kind]?.[id];
    if (weight !== undefined) return { weight, from: unqualified(id), ...(given !== undefined && { given: true }) };
  }
  return undefined;
}

/** Weight of a statement by its words, its size of change and who is involved. */
export function statementWeight(statement: Statement, dictionary: Dictionary, weights?: Weights): Weight {
  const display = displayOf(statement, dictionary);
  if (display !== undefined) {
    const found = findWeight(dictionary, display, 'object', weights);
    const { weight, from } = found ?? { weight: DEFAULT_WEIGHT, from: unqualified(display) };
    const isGauge = isPropertyStatement(statement) && isAnyOf(dictionary, display, 'object', 'gauge');
    return { weight: isGauge ? weight * relativeChange(statement.from, statement.to) : weight, from };
  }
  if (isPropertyStatement(statement)) {
    const found = findWeight(dictionary, statement.property, 'property', weights);
    const { weight, from } = found ?? { weight: DEFAULT_WEIGHT, from: unqualified(statement.property) };
    return { weight: weight * relativeChange(statement.from, statement.to), from };
  }
  const action = findWeight(dictionary, statement.action, 'action', weights);
  let best = action ?? { weight: DEFAULT_WEIGHT, from: unqualified(statement.action) };
  // The object may raise the weight of the action (obtaining a key counts more than obtaining), or lower it where the
  // given weights say so.
  const object = wordOf(statement.object);
  const about = object === undefined ? undefined : findWeight(dictionary, object, 'object', weights);
  if (about && (about.weight > best.weight || about.given)) best = about;
  return { weight: best.weight * involvement(statement), from: best.from };
}

/**
 * The counter, clock or message of which a statement says what it shows: such statements are all that is known of a game without a
 * profile, and they are about what the player does.
 */
export function displayOf({ subject }: Statement, dictionary: Dictionary): string | undefined {
  const word = wordOf(subject);
  return word !== undefined && isAnyOf(dictionary, word, 'object', 'display') ? word : undefined;
}

/** Changes of a display in a minute up to which each is worth showing: goals, laps, lives, but not rounds of ammunition or a gear. */
const SELDOM_PER_MINUTE = 2;
/** The same for a counter that only rises: goals, checkpoints, points. */
const SELDOM_RISES_PER_MINUTE = 4;
/** How much such a counter counts, compared with one that goes up and down like a gear. */
const RISING_FACTOR = 1.5;
/** Lines of players and servers say less of what happens than a banner does. */
const CHAT_FACTOR = 0.2;
/** A line that begins with who says it (`<Ada> …`, `[team] …`, `Ada: …`) or with a mark of the server. */
const CHAT_LINE = /^(?:[<[(*#]|[^\s:]+(?: [^\s:]+)?:\s)/;
/** Words of the longest banner. */
const MAX_BANNER_WORDS = 6;

/** A factor and why. */
interface Interest {
  readonly value: number;
  readonly text: string;
}

/** How often a display changes, and how. */
interface DisplayChanges {
  count: number;
  drops: number;
}

/**
 * Returns how much the statement of a display counts besides its word: less the more often the same display changes, more if it
 * only rises, less if it is a line of a chat. 1 for statements of other kinds.
 */
export function displayInterest(
  { events, header }: Pick<Source, 'events' | 'header'>,
  dictionary: Dictionary,
): (statement: Statement) => Interest {
  const displays = new Map<string, DisplayChanges>();
  for (const { statement } of events) {
    if (displayOf(statement, dictionary) === undefined) continue;
    const key = statementClass(statement, dictionary);
    const changes = displays.get(key) ?? { count: 0, drops: 0 };
    changes.count++;
    if (changeOf(statement) < 0) changes.drops++;
    displays.set(key, changes);
  }
  const minutes = Math.max(1, header.media.duration / 60);
  return (statement) => {
    const display = displayOf(statement, dictionary);
    if (display === undefined) return { value: 1, text: '' };
    const { count, drops } = displays.get(statementClass(statement, dictionary)) ?? { count: 1, drops: 0 };
    const isRising = drops === 0 && changeOf(statement) > 0;
    const seldom = Math.min(1, ((isRising ? SELDOM_RISES_PER_MINUTE : SELDOM_PER_MINUTE) * minutes) / count);
    const isChat = isAnyOf(dictionary, display, 'object', 'message') && isChatLine(nameOf(statement.subject) ?? '');
    return {
      value: seldom * (isRising ? RISING_FACTOR : 1) * (isChat ? CHAT_FACTOR : 1),
      text: isChat ? 'a line of a chat' : seldom < 1 ? 'changes often' : isRising ? 'only rises' : '',
    };
  };
}

function isChatLine(text: string): boolean {
  return CHAT_LINE.test(text) || text.split(/\s+/).length > MAX_BANNER_WORDS;
}

/** By how much the number of a statement rises; 0 if it has none. */
function changeOf(statement: Statement): number {
  if (!isPropertyStatement(statement)) return 0;
  const { from, to } = statement;
  return typeof from === 'number' && typeof to === 'number' ? to - from : 0;
}

function nameOf(slot: Slot | undefined): string | undefined {
  return typeof slot === 'object' && 'name' in slot ? slot.name : undefined;
}

/** Relative size of a numeric change, 0.1 to 1; 0.5 where it is unknown. */
function relativeChange(from: unknown, to: unknown): number {
  if (typeof from !== 'number' || typeof to !== 'number') return 0.5;
  const size = Math.abs(to - from) / Math.max(Math.abs(from), Math.abs(to), 1);
  return Math.max(0.1, Math.min(1, size * 1.5));
}

/** What others do among themselves counts less than what the player does or suffers. */
function involvement(statement: { readonly subject?: Slot; readonly object?: Slot; readonly to?: Slot }): number {
  const subject = wordOf(statement.subject);
  if (subject === undefined || subject === 'player') return 1;
  return wordOf(statement.object) === 'player' || wordOf(statement.to) === 'player' ? 0.35 : 0.3;
}

/** Class of a statement for rarity, variety and counting: `kill with railgun`, `obtain key`, `health`, `counter Laps`. */
export function statementClass(statement: Statement, dictionary: Dictionary): string {
  const display = displayOf(statement, dictionary);
  if (display !== undefined) {
    const { subject } = statement;
    const name = typeof subject === 'object' ? subject.name : undefined;
    return name === undefined ? unqualified(display) : `${unqualified(display)} ${name}`;
  }
  if (isPropertyStatement(statement)) return unqualified(statement.property);
  const subject = wordOf(statement.subject);
  const who = subject !== undefined && subject !== 'player' ? `${unqualified(subject)} ` : '';
  const tool = wordOf(statement.with);
  const object = wordOf(statement.object);
  const rest =
    tool !== undefined ? ` with ${unqualified(tool)}` : object !== undefined ? ` ${unqualified(object)}` : '';
  return `${who}${unqualified(statement.action)}${rest}`;
}

/** Whether the player defeats someone. */
export function isPlayerVictory(statement: Statement, dictionary: Dictionary): boolean {
  if (isPropertyStatement(statement) || wordOf(statement.subject) !== 'player') return false;
  const object = wordOf(statement.object);
  return object !== undefined && object !== 'player' && isAnyOf(dictionary, statement.action, 'action', 'defeat');
}

/** Whether the player dies, loses or is defeated. */
export function isPlayerDefeat(statement: Statement, dictionary: Dictionary): boolean {
  if (isPropertyStatement(statement)) return false;
  if (wordOf(statement.object) === 'player') return isAnyOf(dictionary, statement.action, 'action', 'defeat');
  return wordOf(statement.subject) === 'player' && isAnyOf(dictionary, statement.action, 'action', 'die', 'lose');
}

/** Whether a statement ends the player's life: a defeat, or the last of the health. */
export function endsPlayerLife(statement: Statement, dictionary: Dictionary): boolean {
  if (!isPropertyStatement(statement)) return isPlayerDefeat(statement, dictionary);
  const { subject, property, to } = statement;
  return wordOf(subject) === 'player' && unqualified(property) === 'health' && typeof to === 'number' && to <= 0;
}

/** Whether the player does or suffers what a statement says. */
export function involvesPlayer(statement: Statement): boolean {
  const slots = isPropertyStatement(statement)
    ? [statement.subject]
    : [statement.subject, statement.object, statement.to];
  return slots.some((slot) => wordOf(slot) === 'player');
}

/** Whether a word is one of `ids` or a descendant of one. */
export function isAnyOf(dictionary: Dictionary, word: string, kind: WordKind, ...ids: readonly string[]): boolean {
  return withAncestors(dictionary, word, kind).some((each) => ids.includes(each));
}

/** The JSON Schema of a line of a file of viewer weights. */
export const viewerWeightSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:viewer-weight:1',
  title: 'A viewer weight of playbyplay',
  description: 'A factor on the score of the events in a time span, from viewer reactions.',
  type: 'object',
  required: ['t', 'end', 'weight'],
  properties: {
    session: { type: 'string', description: 'Session it applies to; default: any.' },
    t: number([], 'Start in seconds.'),
    end: number([], 'End in seconds.'),
    weight: number([0, 10], '0: never show; 1: no effect.'),
    why: { type: 'string', description: '`40 messages in 5 s`, `clipped 12 times`.' },
  },
} as const;

/** A factor on the score of the events in a time span, from viewer reactions. */
interface ViewerWeight extends FromSchema<typeof viewerWeightSchema> {}

/**
 * Reads viewer weights from NDJSON, one `{"t", "end", "weight", "session"?, "why"?}` a line.
 *
 * @throws PlaybyplayError `viewers-invalid` with every issue.
 */
export function readViewerWeights(path: string): ViewerWeight[] {
  const text = readInputText(path, 'viewers-invalid');
  const parsed = text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, `${path}:${index + 1}`)]));
  const issues = parsed.flatMap((line) => ('issues' in line ? line.issues : []));
  if (issues.length > 0) throw new PlaybyplayError('viewers-invalid', `${path} has mistakes`, { issues });
  return parsed.flatMap((line) => ('weight' in line ? [line] : []));
}

function parseLine(line: string, place: string): ViewerWeight | { readonly issues: readonly Issue[] } {
  const refuse = (message: string) => ({ issues: [{ code: 'viewers-invalid', path: place, message }] });
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return refuse(`is not JSON: ${messageOf(error)}`);
  }
  const issues = checkSchema(viewerWeightSchema, value, { source: place });
  if (issues.length > 0) return { issues };
  const weight = value as ViewerWeight;
  return weight.end < weight.t ? refuse('"end" is before "t"') : weight;
}

/** Makes a function that returns the factor on an event: of the spans that contain it, the weight farthest from 1. */
export function viewerFactors(weights: readonly ViewerWeight[], sources: readonly Source[]) {
  return (source: number, event: EventLine): Reason[] => {
    const { session } = sources[source]!.header;
    const found = weights
      .filter((each) => (each.session ?? session) === session && event.t >= each.t && event.t <= each.end)
      .toSorted((a, b) => Math.abs(Math.log(b.weight + 1e-9)) - Math.abs(Math.log(a.weight + 1e-9)))[0];
    return found ? [{ kind: 'viewer', value: found.weight, text: `viewers: ${found.why ?? `× ${found.weight}`}` }] : [];
  };
}
