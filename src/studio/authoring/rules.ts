import { type Dictionary, isOpen, type Word } from '../../dictionary/dictionary.ts';
import type { SentenceIssue } from '../../dictionary/sentences/parse-errors.ts';
import { DISPLAY } from '../../dictionary/sentences/function-words.ts';
import { parse } from '../../dictionary/sentences/parse.ts';
import { render } from '../../dictionary/sentences/render.ts';
import { validateStatement } from '../../dictionary/statements.ts';
import type { DictionaryFile, WordEntry, WordKind } from '../../dictionary/format.ts';
import { parseStatement, type Statement } from '../../events/statement.ts';
import type { CueValue } from '../../events/log.ts';
import type { Issue } from '../../errors.ts';
import { Pattern } from '../../pattern.ts';
import type { EventMapping } from '../../profile/profile.ts';

/** When a rule applies, in the author's words. */
export type RuleTrigger = 'appears' | 'shows' | 'changes' | 'rises' | 'falls' | 'disappears';

/** A declarative rule: when an element does something, a statement is true. */
export interface Rule {
  readonly element: string;
  readonly trigger: RuleTrigger;
  /** Only values that match this regular expression. */
  readonly match?: string;
  /** Only changes by this much. */
  readonly by?: number;
  /** Only when the number goes below or above a threshold. */
  readonly below?: number;
  readonly above?: number;
  /** The statement, with placeholders. */
  readonly statement: Readonly<Record<string, unknown>>;
}

/** A rule of a profile. */
export interface ListedRule extends Rule {
  /** Which entries of the profile's `events` it stands for. */
  readonly indices: readonly number[];
  /** The sentence as it stands in the log, with the example's values; undefined where the statement has a mistake. */
  readonly sentence?: string;
  readonly issues: readonly Issue[];
  /** It has options that only the profile's text shows (`once`, `lasts`, `streak` …). */
  readonly isDetailed: boolean;
}

/** A cue by which a rule is shown. */
export interface ExampleCue {
  readonly value?: CueValue | undefined;
  readonly previous?: CueValue | undefined;
}

/** Writes a rule as entries of a profile's `events`. */
export function toEvents({ element, trigger, match, by, below, above, statement }: Rule): readonly EventMapping[] {
  const limit = below !== undefined ? { crosses: { below } } : above !== undefined ? { crosses: { above } } : {};
  const condition = {
    detector: element,
    ...(match === undefined || match === '' ? {} : { match }),
    ...(by === undefined ? {} : { by }),
    ...limit,
  };
  const event = (on: Pick<EventMapping['on'], 'trigger' | 'change'>): EventMapping => ({
    on: { ...condition, ...on },
    statement,
  });
  switch (trigger) {
    case 'appears':
      return [event({ trigger: 'found' })];
    case 'shows':
      return [event({ trigger: 'found' }), event({ trigger: 'changed' })];
    case 'disappears':
      return [event({ trigger: 'lost' })];
    case 'rises':
      return [event({ trigger: 'changed', change: 'rise' })];
    case 'falls':
      return [event({ trigger: 'changed', change: 'fall' })];
    case 'changes':
      return [event({ trigger: 'changed' })];
  }
}

/** Lists the rules of a profile; two entries that differ in their trigger only are one rule. */
export function listRules(
  events: readonly EventMapping[],
  dictionary: Dictionary,
  exampleOf: (element: string) => ExampleCue | undefined = () => undefined,
): readonly ListedRule[] {
  const rules: ListedRule[] = [];
  const taken = new Set<number>();
  for (const [index, event] of events.entries()) {
    if (taken.has(index)) continue;
    const { on, statement, ...options } = event;
    const { detector, trigger, change, match, by, crosses, final } = on;
    const twin = events.findIndex(
      (other, at) =>
        at > index &&
        !taken.has(at) &&
        trigger === 'found' &&
        other.on.trigger === 'changed' &&
        JSON.stringify({ ...other, on: { ...other.on, trigger } }) === JSON.stringify(event),
    );
    const indices = twin < 0 ? [index] : [index, twin];
    for (const one of indices) taken.add(one);
    const words = { rise: 'rises', fall: 'falls' } as const;
    const byTrigger = { found: 'appears', changed: 'changes', lost: 'disappears' } as const;
    rules.push({
      indices,
      element: detector,
      trigger: twin >= 0 ? 'shows' : change === undefined ? byTrigger[trigger ?? 'changed'] : words[change],
      ...(match === undefined ? {} : { match }),
      ...(typeof by === 'number' ? { by } : {}),
      ...(crosses?.below === undefined ? {} : { below: crosses.below }),
      ...(crosses?.above === undefined ? {} : { above: crosses.above }),
      statement,
      isDetailed: Object.keys(options).length > 0 || typeof by === 'object' || final === true,
      ...describeStatement(statement, dictionary, exampleOf(detector), match),
    });
  }
  return rules;
}

/** Values that stand for what nobody has seen yet. */
const ASSUMED: Required<ExampleCue> = { value: 3, previous: 4 };

/** Renders a statement with an example's values in place of its placeholders, and checks it. */
function describeStatement(
  template: Readonly<Record<string, unknown>>,
  dictionary: Dictionary,
  example: ExampleCue | undefined,
  match: string | undefined,
): { readonly sentence?: string; readonly issues: readonly Issue[] } {
  const filled = fill(template, example ?? ASSUMED, match);
  const shaped = parseStatement(filled);
  if ('issues' in shaped) return { issues: shaped.issues.map((issue) => ({ ...issue, code: 'statement-shape' })) };
  const issues = validateStatement(shaped.statement, dictionary);
  if (issues.length > 0) return { issues };
  return { sentence: render(shaped.statement, dictionary), issues: [] };
}

/** @param match The regular expression of the rule, to whose groups `$1`… refer. */
function fill(
  template: unknown,
  { value = ASSUMED.value, previous = ASSUMED.previous }: ExampleCue,
  match: string | undefined,
): unknown {
  const groups = groupsOf(match, String(value));
  const change = Math.abs(Number(value) - Number(previous));
  const values: Readonly<Record<string, unknown>> = {
    value,
    previous,
    change: Number.isFinite(change) ? change : 1,
    count: 3,
  };
  const replace = (one: unknown): unknown => {
    if (typeof one === 'string') {
      const whole = /^\$(value|previous|change|count)$/.exec(one)?.[1];
      if (whole !== undefined) return values[whole];
      return one
        .replaceAll(/\$(value|previous|change|count)\b/g, (_, name: string) => String(values[name]))
        .replaceAll(/\$(\d)/g, (_, group: string) => groups?.[Number(group)] ?? String(value))
        .replaceAll(/\$\([^()]+\)/g, () => String(value));
    }
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one;
    const entries = Object.entries(one).map(([key, inner]) => [key, replace(inner)] as const);
    // A name is a text, also where it shows a number.
    return Object.fromEntries(entries.map(([key, inner]) => [key, key === 'name' ? String(inner) : inner]));
  };
  return replace(template);
}

/** What the groups of a regular expression match in an example; undefined where it does not match, or is broken. */
function groupsOf(match: string | undefined, value: string): readonly (string | undefined)[] | undefined {
  if (match === undefined) return undefined;
  try {
    return new Pattern(match).exec(value);
  } catch {
    // A mistake of the profile, which its check reports.
    return undefined;
  }
}

/** What a sentence that an author writes says. */
export interface ComposedStatement {
  /** The statement with placeholders where it says what the example shows. */
  readonly statement?: Readonly<Record<string, unknown>>;
  /** The sentence as it will stand in the log. */
  readonly sentence?: string;
  readonly issues: readonly SentenceIssue[];
}

/**
 * Understands a sentence about an example: numbers and texts that the example shows become placeholders, so that the rule says
 * them of every cue. `$value`, `$previous` and `$change` can be written, too.
 *
 * @example
 * composeStatement("player's rank rises from 4 to 3", { previous: 4, value: 3 }, dictionary).statement;
 * // { subject: 'player', property: 'rank', from: '$previous', to: '$value' }
 */
export function composeStatement(
  sentence: string,
  example: ExampleCue | undefined,
  dictionary: Dictionary,
  game?: string,
): ComposedStatement {
  const { value = ASSUMED.value, previous = ASSUMED.previous } = example ?? {};
  const change = Math.abs(Number(value) - Number(previous));
  const shown: Readonly<Record<string, string>> = {
    $value: typeof value === 'number' ? String(value) : `"${String(value)}"`,
    $previous: typeof previous === 'number' ? String(previous) : `"${String(previous)}"`,
    $change: String(Number.isFinite(change) ? change : 1),
  };
  const written = sentence.replaceAll(/\$(?:value|previous|change)\b/g, (name) => shown[name]!);
  const { statement, issues } = parse(written, dictionary, game === undefined ? {} : { game });
  if (!statement) return { issues };
  return {
    statement: generalize(statement, { value, previous }),
    sentence: render(statement, dictionary),
    issues: [],
  };
}

/** Replaces what an example shows by placeholders. */
function generalize(statement: Statement, { value, previous }: ExampleCue): Readonly<Record<string, unknown>> {
  const change = Math.abs(Number(value) - Number(previous));
  const placeholderOf = (one: unknown): unknown => {
    if (one === value || (typeof one === 'string' && one === String(value))) return '$value';
    if (one === previous || (typeof one === 'string' && one === String(previous))) return '$previous';
    if (typeof one === 'number' && typeof value === 'number' && one === change) return '$change';
    return one;
  };
  const entries = Object.entries(statement).map(([key, one]: [string, unknown]) => {
    if (key === 'action' || key === 'property' || key === 'unit') return [key, one];
    if (typeof one !== 'object' || one === null) return [key, typeof one === 'number' ? placeholderOf(one) : one];
    const mention = one as { readonly name?: unknown; readonly count?: unknown };
    return [
      key,
      {
        ...mention,
        ...(mention.name === undefined ? {} : { name: placeholderOf(mention.name) }),
        ...(mention.count === undefined ? {} : { count: placeholderOf(mention.count) }),
      },
    ];
  });
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
}

/** A way to continue a sentence. */
export interface Completion {
  /** What is inserted in place of the part from `start` to the cursor. */
  readonly text: string;
  readonly kind: WordKind | 'phrase';
  readonly definition: string;
  readonly example?: string;
  /** It replaces the space in front of the cursor, too. */
  readonly joins?: true;
}

/** The completions at a place of a sentence. */
export interface Completions {
  /** Offset of the part that they replace. */
  readonly start: number;
  readonly options: readonly Completion[];
}

const MAX_COMPLETIONS = 12;
/** Words that are begun with most often. */
const USUAL_SUBJECTS = [
  'player',
  'enemy',
  'opponent',
  'teammate',
  'team',
  'match',
  'round',
  'clock',
  'counter',
  'message',
];
const USUAL_OBJECTS = ['weapon', 'item', 'ammunition', 'life', 'point', 'coin', 'key', 'lap', 'goal'];
const USUAL_ACTIONS = ['obtain', 'lose#thing', 'kill', 'die', 'win', 'lose', 'score', 'start', 'end', 'appear'];
const USUAL_PROPERTIES = ['health', 'score', 'ammunition', 'rank', 'money', 'level', 'speed', 'armor'];

/**
 * Completes a sentence: subjects first, then verbs or properties, then what the verb takes by its rules.
 *
 * @param cursor Offset of the cursor; what stands behind it is ignored.
 */
export function completeSentence(sentence: string, cursor: number, dictionary: Dictionary): Completions {
  const before = sentence.slice(0, cursor);
  const expectation = expectationAt(before, dictionary);
  const { start, typed } = expectation;
  const fits = (text: string): boolean =>
    text.toLowerCase().startsWith(typed.toLowerCase()) && text.length > typed.length;
  const options: Completion[] = [];
  const add = (text: string, word: Word): void => {
    if (options.length >= MAX_COMPLETIONS || !fits(text) || options.some((one) => one.text === text)) return;
    const [example] = word.examples;
    options.push({ text, kind: word.kind, definition: word.definition, ...(example === undefined ? {} : { example }) });
  };
  const addWords = (usual: readonly string[], kind: WordKind, form: (word: Word) => string): void => {
    for (const id of usual) {
      const word = dictionary.find(id, kind);
      if (word) add(form(word), word);
    }
    if (typed !== '') for (const word of shortestFirst(dictionary.words(kind), fits, form)) add(form(word), word);
  };
  switch (expectation.expects) {
    case 'subject':
      addWords(USUAL_SUBJECTS, 'object', ({ name }) => name);
      break;
    case 'verb':
      if (expectation.isDisplay)
        for (const [text, definition] of CHANGES) if (fits(text)) options.push({ text, kind: 'phrase', definition });
      if (typed === '')
        options.push({ text: "'s ", kind: 'phrase', definition: 'A value of it: health, score, rank.', joins: true });
      addWords(USUAL_ACTIONS, 'action', ({ forms }) => forms.third);
      break;
    case 'property':
      addWords(USUAL_PROPERTIES, 'property', ({ name }) => name);
      break;
    case 'change':
      for (const [text, definition] of CHANGES) if (fits(text)) options.push({ text, kind: 'phrase', definition });
      break;
    case 'object': {
      const { rule } = expectation;
      const accepted = rule.length > 0 ? rule.flatMap((id) => [dictionary.find(id, 'object') ?? []].flat()) : undefined;
      const words = accepted
        ? accepted.flatMap((word) => [word, ...dictionary.descendants(word.id, 'object')])
        : dictionary.words('object');
      for (const id of [...USUAL_SUBJECTS, ...USUAL_OBJECTS]) {
        const word = dictionary.find(id, 'object');
        if (word && (!accepted || rule.some((one) => dictionary.isA(id, one, 'object')))) add(word.name, word);
      }
      if (typed !== '' || accepted)
        for (const word of shortestFirst(words, fits, ({ name }) => name)) add(word.name, word);
      break;
    }
    case 'preposition':
      for (const [text, definition] of expectation.phrases)
        if (fits(text)) options.push({ text, kind: 'phrase', definition });
      break;
    case 'nothing':
      break;
  }
  return { start, options: options.slice(0, MAX_COMPLETIONS) };
}

const CHANGES: readonly (readonly [string, string])[] = [
  ['changes from $previous to $value', 'In whichever direction.'],
  ['rises from $previous to $value', 'The value becomes greater.'],
  ['drops from $previous to $value', 'The value becomes smaller.'],
  ['is $value', 'The value, however it was before.'],
];

function shortestFirst(
  words: readonly Word[],
  fits: (text: string) => boolean,
  form: (word: Word) => string,
): readonly Word[] {
  return words
    .filter((word) => fits(form(word)))
    .toSorted((a, b) => form(a).length - form(b).length || a.order - b.order);
}

type Expectation = { readonly start: number; readonly typed: string } & (
  | { readonly expects: 'subject' | 'property' | 'change' | 'nothing' }
  | { readonly expects: 'verb'; readonly isDisplay: boolean }
  | { readonly expects: 'object'; readonly rule: readonly string[] }
  | { readonly expects: 'preposition'; readonly phrases: readonly (readonly [string, string])[] }
);

/** Says what can stand at the end of a text: the grammar is that of `parse`, of which this follows the usual order. */
function expectationAt(text: string, dictionary: Dictionary): Expectation {
  const clean = text.replaceAll('’', "'");
  const possessive = /^(.*?)'s?\s+(.*)$/.exec(clean);
  if (possessive) {
    const rest = possessive[2]!;
    const start = clean.length - rest.length;
    const property = longestStart(rest, (name) => dictionary.find(name, 'property') !== undefined);
    if (property === undefined) return { expects: 'property', start, typed: rest };
    const from = start + property.length + 1;
    return { expects: 'change', start: from, typed: clean.slice(from) };
  }
  const subject = longestStart(clean.replace(/^the\s+/i, ''), (name) => isNoun(name, dictionary));
  if (subject === undefined) return { expects: 'subject', start: 0, typed: clean };
  const named = /^\s*"[^"]*"/.exec(clean.slice(clean.indexOf(subject) + subject.length))?.[0] ?? '';
  const afterSubject = skipSpaces(clean, clean.indexOf(subject) + subject.length + named.length);
  const rest = clean.slice(afterSubject);
  const begins = (word: Word): boolean => word.forms.third.startsWith(rest.toLowerCase());
  // “completes l” may become “completes lap”.
  const isBegun = /\S\s+\S+$/.test(rest) && dictionary.words('action').some(begins);
  const verb = isBegun ? undefined : longestStart(rest, (name) => findAction(name, dictionary) !== undefined);
  if (verb === undefined) {
    const isDisplay = dictionary.isA(subject, DISPLAY, 'object');
    return { expects: 'verb', start: afterSubject, typed: rest, isDisplay };
  }
  const action = findAction(verb, dictionary)!;
  const afterVerb = skipSpaces(clean, afterSubject + verb.length);
  const tail = clean.slice(afterVerb);
  const opened = [...tail.matchAll(/(?:^|\s)(with|to|from|at|for|in)\s+/g)].at(-1);
  const prepositions = (['with', 'to', 'from', 'at', 'amount'] as const).filter((slot) => isOpen(action.slots[slot]));
  if (opened) {
    const slot = prepositions.find((one) => action.slots[one].preposition === opened[1]);
    const start = afterVerb + opened.index + opened[0].length;
    const rule = slot === undefined ? [] : action.slots[slot].accepts;
    return { expects: 'object', start, typed: clean.slice(start), rule };
  }
  const noun = tail.replace(/^(?:an?|the|\d+)\s+/, '');
  const isNounBegun =
    /\S$/.test(noun) && dictionary.words('object').some(({ name }) => name.startsWith(noun.toLowerCase()));
  const object = isNounBegun ? undefined : longestStart(noun, (name) => isNoun(name, dictionary));
  if (object === undefined && isOpen(action.slots.object)) {
    const lead = /^(?:(?:an?|the|\d+)\s+)?/.exec(tail)![0].length;
    return { expects: 'object', start: afterVerb + lead, typed: tail.slice(lead), rule: action.slots.object.accepts };
  }
  const end = object === undefined ? afterVerb : skipSpaces(clean, clean.lastIndexOf(object) + object.length);
  const phrases = prepositions.map((slot) => [`${action.slots[slot].preposition} `, SLOT_MEANINGS[slot]] as const);
  if (phrases.length === 0) return { expects: 'nothing', start: end, typed: clean.slice(end) };
  return { expects: 'preposition', start: end, typed: clean.slice(end), phrases };
}

const SLOT_MEANINGS = {
  with: 'by which means',
  to: 'where to, or to whom',
  from: 'where from, or from whom',
  at: 'where',
  amount: 'how much',
} as const;

function skipSpaces(text: string, at: number): number {
  let next = at;
  while (text[next] === ' ') next++;
  return next;
}

/** The longest beginning of a text, up to four whole words followed by more, that is something. */
function longestStart(text: string, is: (start: string) => boolean): string | undefined {
  const ends = [...text.matchAll(/[\s"]/g)].map(({ index }) => index).slice(0, 5);
  return ends.map((end) => text.slice(0, end)).findLast((start) => start !== '' && is(start));
}

function isNoun(name: string, dictionary: Dictionary): boolean {
  if (dictionary.find(name, 'object')) return true;
  const lower = name.toLowerCase();
  return dictionary.words('object').some((word) => word.plural === lower || word.synonyms.includes(lower));
}

function findAction(name: string, dictionary: Dictionary): Word | undefined {
  const lower = name.toLowerCase();
  return dictionary
    .words('action')
    .find(({ forms, name: own, synonyms }) => forms.third === lower || own === lower || synonyms.includes(lower));
}

/** Adds a word to a dictionary file of a game, which is made where there is none. */
export function addWord(
  file: DictionaryFile | undefined,
  game: string,
  kind: WordKind,
  entry: Pick<WordEntry, 'name' | 'parent' | 'definition'>,
): DictionaryFile {
  const own: DictionaryFile = file ?? {
    format: 'playbyplay/dictionary/1',
    name: game,
    version: '1.0.0',
    title: game,
    description: 'Words of this game.',
    extends: { common: '^1.0.0' },
  };
  const list = ({ object: 'objects', action: 'actions', property: 'properties' } as const)[kind];
  return { ...own, [list]: [...((own[list] as readonly WordEntry[] | undefined) ?? []), entry] } as DictionaryFile;
}
