import { otherCommandRules } from './other-commands.ts';
import { listRules } from './lists.ts';
import { rankingRules } from './rankings.ts';
import { streakRules } from './streaks.ts';
import { comparisonRules } from './comparisons.ts';
import { momentRules } from './moments.ts';
import { periodRules } from './periods.ts';
import { groupRules } from './groups.ts';
import { valueRules } from './values.ts';
import { amountRules } from './amounts.ts';
import { durationRules } from './durations.ts';
import { occurrenceRules } from './occurrences.ts';
import { rateRules } from './rates.ts';
import { countRules } from './counts.ts';
import { requestRules } from './requests.ts';
import { matchTemplate } from '../templates.ts';
import { countGroups, edgeOf, isValueNearThing, withGroups } from './answer-forms.ts';
import { isBareProperty, isProperty } from './subjects.ts';
import { originalOf, structuralWords } from './words.ts';
import {
  combineReadings,
  type Interpretation,
  reading,
  type Reading,
  type Redirection,
  type Rule,
  type Tokens,
} from './readings.ts';

// Of equally cheap readings the first is meant.
const rules: readonly Rule[] = [
  ...requestRules,
  ...countRules,
  ...rateRules,
  ...occurrenceRules,
  ...durationRules,
  ...amountRules,
  ...valueRules,
  ...groupRules,
  ...periodRules,
  ...momentRules,
  ...comparisonRules,
  ...streakRules,
  ...rankingRules,
  ...listRules,
  ...otherCommandRules,
];

/** The words that questions are made of, in addition to those of the dictionary. */
export const questionWords: ReadonlySet<string> = new Set([
  ...rules.flatMap(({ template }) => template.words),
  ...'someone anyone everyone something anything everything somebody anybody everybody nobody nothing whoever whatever whom mine never not event events mark half middle halfway moment recording video enemies later onwards onward while whilst having holding wielding carrying equipped'.split(
    ' ',
  ),
]);

/** Longer questions are read as conditions only, so that reading takes time in proportion to their length. */
const maxTokens = 60;

/** The ways to read a question, as which parts of it are conditions; what stands in none of them the rules understand. */
export function readQuestion(tokens: Tokens): readonly (Reading | Redirection)[] {
  return interpret(tokens, new Map());
}

/** @param known The interpretations of parts of the question, by their tokens. */
function interpret(
  tokens: Tokens,
  known: Map<string, readonly (Reading | Redirection)[]>,
): readonly (Reading | Redirection)[] {
  const plain = reading([tokens], (body) =>
    // The values of a property have no number.
    isValueNearThing(body.condition) || (body.by && isProperty(body.condition) && isBareProperty(body.condition))
      ? undefined
      : countGroups({ ...withGroups(body), ...edgeOf(body.condition) }),
  );
  if (tokens.length > maxTokens || tokens.length === 0) return plain;
  const key = tokens.map(({ kind, text, start }) => `${kind} ${start} ${text}`).join(' ');
  const existing = known.get(key);
  if (existing) return existing;
  const found = rules.flatMap(({ template, read, cost }) =>
    matchTemplate(template, tokens).flatMap((part) =>
      read(part)
        .filter((each) => accountsForAll(each, part.open))
        .flatMap((each): readonly (Reading | Redirection)[] => {
          if ('question' in each) return interpret(each.question, known).flatMap(each.adapt);
          if (!('questions' in each)) return [each];
          const [first, second] = each.questions;
          return combineReadings(each, interpret(first, known), interpret(second, known));
        })
        .map((each) => ({ ...each, cost: each.cost + cost - part.literals })),
    ),
  );
  const all = [...plain, ...found];
  known.set(key, all);
  return all;
}

/** No word may be ignored: does an interpretation use every token that a template left open? */
function accountsForAll(interpretation: Interpretation, open: Tokens): boolean {
  if ('command' in interpretation) return true;
  const parts =
    'question' in interpretation
      ? interpretation.question
      : 'questions' in interpretation
        ? interpretation.questions.flat()
        : interpretation.bodies.flat();
  const used = new Set([...parts, ...(interpretation.understood ?? [])].map((token) => originalOf(token)));
  return open.every((token) => structuralWords.has(token.lower) || used.has(originalOf(token)));
}
