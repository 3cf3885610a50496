import { wordSlots, type WordSlot } from '../dictionary/format.ts';
import type { Range } from '../dictionary/sentences/noun-phrases.ts';
import type { FromSchema, Schema } from '../schema/from-schema.ts';

export type { Range };

const ID = { type: 'string', minLength: 1, maxLength: 240 } as const;
const IDS = { type: 'array', maxItems: 200, items: ID } as const;
const NONEMPTY_IDS = { ...IDS, minItems: 1 } as const;
const TEXT = { type: 'string', minLength: 1, maxLength: 400 } as const;
const TEXTS = { type: 'array', minItems: 1, maxItems: 200, items: TEXT } as const;
const NUMBER = { type: 'number' } as const;
const SECONDS = { type: 'number', minimum: 0 } as const;
const COUNT = { type: 'integer', minimum: 1 } as const;
const POSITION = { type: 'integer', not: { const: 0 }, description: 'negative numbers count from the end' } as const;
const FRACTION = { type: 'number', minimum: 0, maximum: 1 } as const;
const BOUNDS = { min: NUMBER, max: NUMBER, above: NUMBER, below: NUMBER } as const;
const RANGE = { $ref: '#/$defs/range' } as const;
const MENTION = { $ref: '#/$defs/mention' } as const;
const MENTIONS = { type: 'array', minItems: 1, maxItems: 200, items: MENTION } as const;
const SLOT = { $ref: '#/$defs/slot' } as const;
const VALUE = { $ref: '#/$defs/value' } as const;
const CONDITION = { $ref: '#/$defs/condition' } as const;
const CONDITIONS = { type: 'array', minItems: 1, maxItems: 200, items: CONDITION } as const;

function describe<const S extends object, const Text extends string>(description: Text, schema: S) {
  return { description, ...schema } as const;
}

/** The schema of an object without further properties. */
function object<const P extends Readonly<Record<string, Schema>>, const R extends readonly (keyof P & string)[] = []>(
  properties: P,
  required?: R,
) {
  return { type: 'object', properties, required: (required ?? []) as R, additionalProperties: false } as const;
}

const WORD_SLOTS = Object.fromEntries(wordSlots.map((slot) => [slot, SLOT])) as Readonly<Record<WordSlot, typeof SLOT>>;

const ACTION = describe(
  'an action and its slots; no word: any action',
  object({ action: IDS, ...WORD_SLOTS, amount: RANGE, unit: NONEMPTY_IDS }, ['action']),
);
const PROPERTY = describe(
  'a property and how it changes; no word: any property',
  object(
    {
      property: IDS,
      subject: SLOT,
      change: { enum: ['rises', 'drops', 'changes'] },
      from: VALUE,
      to: VALUE,
      by: { ...RANGE, description: 'the absolute difference of the values' },
    },
    ['property'],
  ),
);
const MENTIONED = describe('any slot or value mentions it', object({ mentions: SLOT }, ['mentions']));
const TIME = describe(
  'seconds from the start of the session; `first` and `last`: durations from its start and before its end; `part`: fractions of its duration',
  object(
    {
      time: object({
        from: SECONDS,
        to: SECONDS,
        first: SECONDS,
        last: SECONDS,
        part: object({ from: FRACTION, to: FRACTION }, ['from', 'to']),
      }),
    },
    ['time'],
  ),
);
const SCOPE = object({ game: TEXTS, session: TEXTS });
const GAME = { ...SCOPE, required: ['game'] } as const;
const SESSION = object({ session: TEXTS }, ['session']);
const WHILE = describe(
  'the property has such a value at that time, by its last change',
  object({ while: object({ property: NONEMPTY_IDS, subject: SLOT, to: VALUE }, ['property', 'to']) }, ['while']),
);
const PERIOD = describe(
  'during the n-th period of this word (round, half, lap, wave, day) of the session, or during any of them. A period begins ' +
    'where the log says that one begins, else where the one before ended or with the session; it ends where the log says ' +
    'that one ends or is won, lost, drawn or completed, else where the next begins, or something that alternates with ' +
    'it (day and night), or with the session. `having` and `without`: only those in which this happens or does not',
  object({ period: object({ word: NONEMPTY_IDS, nth: POSITION, having: CONDITION, without: CONDITION }, ['word']) }, [
    'period',
  ]),
);
const NTH = describe(
  'the n-th match of a session; negative numbers count from the end',
  object({ nth: { type: 'integer', not: { const: 0 } }, of: CONDITION }, ['nth', 'of']),
);
const CONFIDENCE = object({ confidence: RANGE }, ['confidence']);
const SEQUENCE = describe(
  'steps in this order within one session',
  object(
    {
      sequence: CONDITIONS,
      within: { ...SECONDS, description: 'maximum seconds from the end of a step to the next' },
      span: { ...SECONDS, description: 'maximum seconds from the first step to the last' },
      without: { ...CONDITIONS, description: 'what must not happen between the first step and the last' },
      apart: { const: true, description: 'each event belongs to at most one match' },
      first: { const: true, description: 'only the first match of a session' },
    },
    ['sequence'],
  ),
);
const NEAR_DESCRIPTION = describe(
  'matches of `find` with a match of `near` close to them in the same session',
  object(
    {
      find: CONDITION,
      near: CONDITION,
      side: { enum: ['after', 'before', 'around'], description: '`after`: `find` comes after `near`' },
      within: { ...SECONDS, description: 'maximum seconds between the two' },
      absent: { const: true, description: 'matches of `find` without a match of `near` instead' },
    },
    ['find', 'near', 'side'],
  ),
);
const COMPOSITE_EVENT = describe(
  'a composite event of the dictionary, and who it is about; a log that states such events itself is believed',
  object({ event: NONEMPTY_IDS, subject: SLOT }, ['event']),
);
/** What can be measured of a match. */
export const quantities = [
  'count',
  'amount',
  'change',
  'value',
  'time',
  'duration',
  'gap',
  'life',
  'held',
  'state',
] as const;
const QUANTITY = {
  enum: quantities,
  description:
    '`amount`: of an action. `change`: of a property, absolute. `value`: its new value. Seconds: `time` since the start; ' +
    '`duration` from the first event of the match to its last; `gap` to the next match of the session; `life` since the ' +
    "subject's last spawn; `held`: with `while` or a period, how long it was so. `state`: the value of the property that `state` names.",
} as const;
const MEASURE = describe(
  'a number computed from the matches',
  object({ of: QUANTITY, take: { enum: ['each', 'sum', 'average', 'highest', 'lowest'] } }, ['of', 'take']),
);

/** The JSON Schema of the structured form of a query, which `compileQuery` takes as well as a sentence. */
export const querySchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:query:1',
  title: 'A query of playbyplay',
  ...object(
    {
      find: CONDITION,
      count: { description: 'only how many', const: true },
      by: {
        description: 'what to count by',
        type: 'array',
        minItems: 1,
        maxItems: 8,
        items: { $ref: '#/$defs/group' },
      },
      distinct: { description: 'only how many groups', const: true },
      top: {
        description: 'only so many of the largest groups or values at a time, and those of equal count',
        ...COUNT,
      },
      bottom: {
        description: 'only so many of the smallest groups or values at a time, and those of equal count',
        ...COUNT,
      },
      sort: {
        description: 'the order of the matches before `first`, `last` and `nth` apply',
        ...object({ of: QUANTITY, order: { enum: ['highest', 'lowest'] } }, ['of', 'order']),
      },
      first: { description: 'only so many from the beginning', ...COUNT },
      last: { description: 'only so many from the end', ...COUNT },
      nth: { description: 'only this one; negative numbers count from the end', type: 'integer', not: { const: 0 } },
      whether: { description: 'only whether there is a match', const: true },
      measure: MEASURE,
      per: {
        description:
          'divides the count or the sum by this time, by the lives of the subject (the player by default), by the sessions or by ' +
          'the periods of this word in all of them',
        oneOf: [
          { enum: ['second', 'minute', 'hour', 'life', 'session'] },
          object({ period: object({ word: NONEMPTY_IDS }, ['word']) }, ['period']),
        ],
      },
      ratio: { description: 'divides the count by the count of this', ...CONDITION },
      share: { description: 'the count in percent of the count of this', ...CONDITION },
      streak: {
        description: 'the most matches of a session in a row without a match of this between them',
        ...CONDITION,
      },
      state: {
        description: 'the value of this property at each match',
        ...object({ property: NONEMPTY_IDS, subject: SLOT }, ['property']),
      },
      at: {
        description:
          'with a property as `find`: its value at this time (seconds), at the start or at the end of each session or of its ' +
          'n-th period',
        oneOf: [
          SECONDS,
          { enum: ['start', 'end'] },
          object(
            {
              period: object({ word: NONEMPTY_IDS, nth: POSITION }, ['word', 'nth']),
              edge: { enum: ['start', 'end'] },
            },
            ['period', 'edge'],
          ),
        ],
      },
      versus: describe(
        'computes the same number of another condition and compares: both numbers, the larger or smaller one, their difference ' +
          '(first minus second), or whether the first is `more`, `fewer` or `equal`',
        object(
          { with: CONDITION, as: { enum: ['both', 'larger', 'smaller', 'difference', 'more', 'fewer', 'equal'] } },
          ['with', 'as'],
        ),
      ),
    },
    ['find'],
  ),
  $defs: {
    range: describe('all bounds hold; min and max are inclusive', object(BOUNDS)),
    mention: describe(
      'any of the words or their descendants, with this name, count and owner',
      object({ words: NONEMPTY_IDS, name: TEXT, count: RANGE, of: MENTION }),
    ),
    slot: describe(
      'any of the mentions and none of the exceptions',
      object({
        any: MENTIONS,
        except: MENTIONS,
        absent: { const: true, description: 'the slot is empty or holds something else' },
        same: {
          type: 'string',
          minLength: 1,
          maxLength: 100,
          description: 'a variable: all slots with it hold the same word and name, in all steps of a sequence',
        },
      }),
    ),
    value: describe(
      'a number in a range, a text, or a word',
      object({ ...BOUNDS, text: { type: 'string', maxLength: 2000 }, any: MENTIONS }),
    ),
    group: {
      description:
        'a slot, a word that the mention descends from, the number of the period it happens in, or a part of the event',
      oneOf: [
        object({ slot: { enum: [...wordSlots, 'property'] } }, ['slot']),
        object({ word: NONEMPTY_IDS }, ['word']),
        object({ period: object({ word: NONEMPTY_IDS }, ['word']) }, ['period']),
        object({ key: { enum: ['action', 'game', 'session', 'name', 'minute', 'life'] } }, ['key']),
      ],
    },
    condition: {
      oneOf: [
        object({ all: CONDITIONS }, ['all']),
        object({ any: CONDITIONS }, ['any']),
        object({ not: CONDITION }, ['not']),
        ACTION,
        PROPERTY,
        MENTIONED,
        TIME,
        WHILE,
        NTH,
        PERIOD,
        GAME,
        SESSION,
        CONFIDENCE,
        SEQUENCE,
        NEAR_DESCRIPTION,
        COMPOSITE_EVENT,
      ],
    },
  },
} as const;

type Definitions = (typeof querySchema)['$defs'];
type From<S> = FromSchema<S, typeof querySchema>;

/** The structured form of a query. */
export interface Query extends From<Omit<typeof querySchema, '$schema' | '$id' | 'title' | '$defs'>> {}

/** What a query searches for. */
export type Condition = From<Definitions['condition']>;

/** A pattern for a noun: one of the words or a descendant, with this name, count and owner. */
export interface MentionPattern extends From<Definitions['mention']> {}

/** A pattern for a slot: any of the mentions and none of the exceptions. */
export interface SlotPattern extends From<Definitions['slot']> {}

/** A pattern for a value: a number in a range, a text, or a word. */
export interface ValuePattern extends From<Definitions['value']> {}

/** A pattern for an action statement; an empty `action` matches any action. */
export interface ActionPattern extends From<typeof ACTION> {}

/** A pattern for a property statement; an empty `property` matches any property. */
export interface PropertyPattern extends From<typeof PROPERTY> {}

/** A statement that mentions something in any slot or value. */
export interface MentionCondition extends From<typeof MENTIONED> {}

/** Seconds from the start of the session; `first` and `last` are durations from its start and before its end. */
export interface TimeCondition extends From<typeof TIME> {}

/** The games and sessions of an event. */
export interface ScopeCondition extends From<typeof SCOPE> {}

/** The confidence of an event. */
export interface ConfidenceCondition extends From<typeof CONFIDENCE> {}

/** Steps in order, within one session. */
export interface SequenceCondition extends From<typeof SEQUENCE> {}

/** Matches of `find` with a match of `near` close to them in the same session. */
export interface NearCondition extends From<typeof NEAR_DESCRIPTION> {}

/** A property that has a value at the time of an event. */
export interface WhileCondition extends From<typeof WHILE> {}

/** The n-th period of a session, such as its second round. */
export interface PeriodCondition extends From<typeof PERIOD> {}

/** The n-th match of a session. */
export interface NthCondition extends From<typeof NTH> {}

/** A composite event of the dictionary, by id. */
export interface EventCondition extends From<typeof COMPOSITE_EVENT> {}

/** What results are grouped by: a slot, a word that the mention descends from, or a part of the event. */
export type GroupKey = From<Definitions['group']>;

/** The alternatives of an `any` condition; `undefined` for other conditions. */
export function alternativesOf(condition: Condition): readonly Condition[] | undefined {
  return 'any' in condition ? (condition.any as readonly Condition[]) : undefined;
}

/** The conditions that a condition directly consists of. */
export function childConditions(condition: Condition): readonly Condition[] {
  if ('all' in condition) return condition.all;
  if ('not' in condition) return [condition.not];
  if ('period' in condition) {
    const { having, without } = condition.period;
    return [having, without].filter((each) => each !== undefined);
  }
  if ('nth' in condition) return [condition.of];
  if ('sequence' in condition) return [...condition.sequence, ...(condition.without ?? [])];
  if ('near' in condition) return [condition.find, condition.near];
  return alternativesOf(condition) ?? [];
}

/** Does the condition describe what happens, rather than restrict when, where or to whom? */
export function isAboutEvent(condition: Condition): boolean {
  if ('action' in condition) return (condition as ActionPattern).action.length > 0;
  const alternatives = alternativesOf(condition);
  if (alternatives) return alternatives.every((each) => isAboutEvent(each));
  if ('period' in condition) return false;
  if ('nth' in condition) return isAboutEvent(condition.of);
  return 'property' in condition || 'event' in condition || 'sequence' in condition;
}

/** Whom a condition is about: the subject of its first pattern that names one. */
export function subjectOf(condition: Condition): SlotPattern | undefined {
  if ('subject' in condition && condition.subject) return condition.subject;
  // Whom a period is about is not whom what happens in it is about.
  if ('period' in condition) return undefined;
  for (const child of childConditions(condition)) {
    const subject = subjectOf(child);
    if (subject) return subject;
  }
  return undefined;
}
