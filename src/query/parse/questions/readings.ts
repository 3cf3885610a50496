import type { Token } from '../../../dictionary/sentences/tokenize.ts';
import type { Mention } from '../../../events/statement.ts';
import type { Condition, GroupKey, Query } from '../../query.ts';
import { type Bindings, compileTemplate, type Template } from '../templates.ts';

/** A part of a question that the grammar of conditions reads, as read. */
export interface Body {
  readonly condition: Condition;
  /** The groups at its end ("by weapon"). */
  readonly by: readonly GroupKey[] | undefined;
  /** Of a property: are lower values better? */
  readonly isLowerBetter?: boolean;
  /** Of a noun: do the logs say when one of these begins or ends, as of rounds, halves or laps? */
  readonly isPeriod?: boolean;
  /** Of a property: of whom the logs state it. */
  readonly owners?: readonly Mention[];
  /** Of a property: do the logs only have words as its values? */
  readonly hasWords?: boolean;
}

/** What a part of a question is where it is no condition. */
export type BodyKind = 'noun' | 'property';

/** A way to read a question: the parts to parse, and the query that they make. */
export interface Reading {
  readonly bodies: readonly (readonly Token[])[];
  /** Of all readings that parse, the one of the least total cost is meant. */
  readonly cost: number;
  /** What the parts are: "weapon" can be a thing or a property, "score" a property or an action. */
  readonly kinds?: readonly (BodyKind | undefined)[];
  /** Is the answer a number of matches? "by opponent" then groups them. */
  readonly isCount?: true;
  /** `undefined` if the parts do not have the form that this reading needs. */
  readonly build: (...bodies: readonly Body[]) => Query | undefined;
  /** What stands in no body and this reading understands itself: "minute" in "which minute had the most kills". */
  readonly understood?: Tokens;
}

/** Another command that answers the question. */
export interface Redirection {
  /** The command that answers it; `undefined` if none does. */
  readonly command: string | undefined;
  readonly cost: number;
}

/** A part of a question. */
export type Tokens = readonly Token[];

/** What a rule makes of a question that its template matches. */
export type Interpretation = Reading | Question | QuestionPair | Redirection;

type Read = (part: Bindings) => readonly Interpretation[];

/** A form of question, and what it means. */
export interface Rule {
  readonly template: Template;
  readonly read: Read;
  readonly cost: number;
}

/** A reading of a question whose parts are conditions. */
export function reading(bodies: readonly Tokens[], build: Reading['build'], cost = 0): readonly Reading[] {
  return bodies.every((body) => body.length > 0) ? [{ bodies, cost, build }] : [];
}

/** A reading whose first body is a noun. */
export function nounReading(bodies: readonly Tokens[], build: Reading['build'], cost = 0): readonly Reading[] {
  return reading(bodies, build, cost).map((one) => ({ ...one, kinds: ['noun'] as const }));
}

/** A reading whose first body is about a property. */
export function propertyReading(bodies: readonly Tokens[], build: Reading['build'], cost = 0): readonly Reading[] {
  return reading(bodies, build, cost).map((one) => ({ ...one, kinds: ['property'] as const }));
}

/** Readings that understand some tokens themselves, in addition to what stands in their bodies. */
export function understanding<Each extends Reading | Question | QuestionPair>(
  tokens: Tokens,
  interpretations: readonly Each[],
): readonly Each[] {
  return interpretations.map((each) => ({ ...each, understood: [...(each.understood ?? []), ...tokens] }));
}

/** The interpretations of several forms of a part. */
export function anyOf<Item>(
  items: readonly Item[],
  make: (item: Item) => readonly Interpretation[],
): readonly Interpretation[] {
  return items.flatMap(make);
}

/** A question within the question: each of its interpretations becomes others. */
export interface Question {
  readonly question: Tokens;
  /** What stands outside of the question and this interpretation understands itself. */
  readonly understood?: Tokens;
  readonly adapt: (inner: Reading | Redirection) => readonly (Reading | Redirection)[];
}

/** Two questions within the question, which make one query. */
export interface QuestionPair {
  readonly questions: readonly [Tokens, Tokens];
  readonly understood?: Tokens;
  readonly cost: number;
  readonly combine: (first: Query, second: Query) => Query | undefined;
}

/** The most readings of each of two questions that are combined. */
const maxCombined = 5;

/** The readings of two questions together. */
export function combineReadings(
  { cost, combine }: QuestionPair,
  firsts: readonly (Reading | Redirection)[],
  seconds: readonly (Reading | Redirection)[],
): readonly Reading[] {
  const cheapest = (all: readonly (Reading | Redirection)[]): readonly Reading[] =>
    all
      .flatMap((each) => ('command' in each ? [] : [each]))
      .toSorted((a, b) => a.cost - b.cost)
      .slice(0, maxCombined);
  return cheapest(firsts).flatMap((a) =>
    cheapest(seconds).map((b): Reading => {
      const count = a.bodies.length;
      return {
        bodies: [...a.bodies, ...b.bodies],
        kinds: [...a.bodies.map((_, index) => a.kinds?.[index]), ...(b.kinds ?? [])],
        cost: a.cost + b.cost + cost,
        build: (...bodies) => {
          const [first, second] = [a.build(...bodies.slice(0, count)), b.build(...bodies.slice(count))];
          return first && second && combine(first, second);
        },
      };
    }),
  );
}

/** Asks a part of the question, and changes the query that it makes. */
export function ask(question: Tokens, change: (query: Query) => Query | undefined, cost = 0): readonly Question[] {
  const adapt: Question['adapt'] = (inner) =>
    'command' in inner
      ? [inner]
      : [
          {
            ...inner,
            cost: inner.cost + cost,
            build: (...bodies) => {
              const query = inner.build(...bodies);
              return query && change(query);
            },
          },
        ];
  return [{ question, adapt }];
}

/** Asks a part of the question about a noun of it, and changes the query that it makes. */
export function askOf(
  question: Tokens,
  noun: Tokens,
  change: (query: Query, noun: Body) => Query | undefined,
  cost = 0,
): readonly Question[] {
  if (question.length === 0 || noun.length === 0) return [];
  const adapt: Question['adapt'] = (inner) =>
    'command' in inner
      ? []
      : [
          {
            ...inner,
            cost: inner.cost + cost,
            bodies: [noun, ...inner.bodies],
            kinds: ['noun', ...(inner.kinds ?? [])],
            build: (first, ...bodies) => {
              const query = inner.build(...bodies);
              return query && first && change(query, first);
            },
          },
        ];
  return [{ question, adapt, understood: noun }];
}

/** Makes a rule; {@link compileTemplate} describes templates. */
export function rule(template: string, read: Read, cost = 0): Rule {
  return { template: compileTemplate(template), read, cost };
}
