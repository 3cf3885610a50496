import type { Query } from '../../query.ts';
import type { Tokens } from '../questions/readings.ts';
import { isBareProperty, isEvent, isProperty, ofPlayer, sameSubject } from '../questions/subjects.ts';
import { asSet, beForms, doForms, haveForms, substitute } from '../questions/words.ts';
import type { Composition, ParsedBody } from './index.ts';

type Comparison = NonNullable<Query['versus']>['as'];

/** Two clauses that differ in one part. */
interface Pair {
  readonly first: Tokens;
  readonly second: Tokens;
  readonly as: Comparison;
  readonly cost: number;
}

const comparatives = asSet('more less fewer higher lower bigger smaller greater often times most highest');
const lesser = asSet('less fewer lower smaller');
const trailing = asSet('do did does have had has was is were');
const maxPartTokens = 5;
/** A part that fits nowhere makes a clause that costs at least as much. */
const maxCost = 20;

/** "did I die more than Major", "more kills in the first half or the second", "who killed more, me or Sable" */
export function composeComparisons(
  tokens: Tokens,
  parse: (clause: Tokens) => readonly ParsedBody[],
): readonly Composition[] {
  return pairsOf(tokens).flatMap(({ first, second, as, cost }): readonly Composition[] => {
    const firsts = parse(first);
    const seconds = parse(second);
    return firsts.flatMap((a) =>
      seconds.flatMap((b): readonly Composition[] => {
        if (a.by || b.by || a.cost + b.cost > maxCost || shapeOf(a.condition) !== shapeOf(b.condition)) return [];
        const query = compare(a, b, as, tokens);
        return query ? [{ query, cost: a.cost + b.cost + cost }] : [];
      }),
    );
  });
}

function compare(a: ParsedBody, b: ParsedBody, as: Comparison, tokens: Tokens): Query | undefined {
  const [first, second] = [a.condition, b.condition];
  if (JSON.stringify(first) === JSON.stringify(second)) return undefined;
  if (isBareProperty(first) && isBareProperty(second))
    return a.hasWords
      ? undefined
      : { find: ofPlayer(first, a.owners), at: 'end', versus: { with: ofPlayer(second, b.owners), as } };
  if (!isEvent(first) || !isEvent(second)) return undefined;
  const isSum =
    isProperty(first) && isProperty(second) && !tokens.some(({ lower }) => lower === 'often' || lower === 'times');
  const find = sameSubject(first);
  const versus = { with: sameSubject(second, find), as };
  return isSum ? { find, measure: { of: 'change', take: 'sum' }, versus } : { find, count: true, versus };
}

/** What a condition consists of, apart from its words. */
function shapeOf(value: unknown): string {
  if (Array.isArray(value))
    return value.length > 0 && typeof value[0] === 'string' ? '' : `[${value.map((each) => shapeOf(each)).join()}]`;
  if (typeof value !== 'object' || value === null) return '';
  const keys = Object.keys(value);
  if (keys.includes('words') || keys.includes('name')) return 'mention';
  if (keys.includes('time') || keys.includes('period')) return 'when';
  return keys
    .toSorted()
    .map((key) => `${key}:${shapeOf((value as Record<string, unknown>)[key])}`)
    .join(' ');
}

function* pairsOfEnds(tokens: Tokens, right: Tokens): Iterable<readonly [Tokens, number]> {
  yield [right, 0.5];
  for (let start = 0; start < tokens.length; start++)
    for (let end = start + 1; end <= Math.min(tokens.length, start + maxPartTokens); end++)
      yield [[...tokens.slice(0, start), ...right, ...tokens.slice(end)], 0.1 * Math.abs(end - start - right.length)];
}

/** A part without the words that only compare or ask. */
function strip(part: Tokens): Tokens {
  return part.filter(
    ({ lower }, index) =>
      !comparatives.has(lower) &&
      lower !== ',' &&
      !(index === 0 && (doForms.has(lower) || beForms.has(lower))) &&
      !/^(?:how|many|much|there|which|what)$/.test(lower),
  );
}

function pairsOf(tokens: Tokens): readonly Pair[] {
  const at = tokens.findIndex(
    ({ lower }) => lower === 'than' || lower === 'vs' || lower === 'versus' || lower === 'or',
  );
  if (at <= 0 || at === tokens.length - 1) return [];
  const link = tokens[at]!.lower;
  const comparative = tokens.find(({ lower }) => comparatives.has(lower));
  const isVersus = link === 'vs' || link === 'versus';
  if (!comparative && !isVersus) return [];
  const isLess = tokens.some(({ lower }) => lesser.has(lower));
  const isDifference = tokens[0]!.lower === 'how' && link === 'than';
  const isWhether = doForms.has(tokens[0]!.lower) || beForms.has(tokens[0]!.lower) || haveForms.has(tokens[0]!.lower);
  const left = strip(tokens.slice(0, at));
  let right = strip(tokens.slice(at + 1));
  while (right.length > 1 && trailing.has(right.at(-1)!.lower)) right = right.slice(0, -1);
  const [only] = right;
  const subjectOf = right.length === 1 && only?.lower === 'me' ? [substitute('i', only)] : right;
  if (link === 'than') {
    if (!isWhether && !isDifference) return [];
    const as = isDifference ? 'difference' : isLess ? 'fewer' : 'more';
    return [right, ...(subjectOf === right ? [] : [subjectOf])].flatMap((each) =>
      [...pairsOfEnds(left, each)].map(([second, cost]) => ({ first: left, second, as, cost }) as const),
    );
  }
  const as: Comparison = isVersus ? 'both' : isLess ? 'smaller' : 'larger';
  const who = tokens.findIndex(({ lower }) => lower === 'who' || lower === 'whom');
  const found: Pair[] = [];
  for (let start = Math.max(0, left.length - maxPartTokens); start < left.length; start++)
    for (let end = 1; end <= Math.min(right.length, maxPartTokens); end++) {
      const [one, other] = [left.slice(start), right.slice(0, end)];
      const rest = right.slice(end);
      const before = left.slice(0, start);
      if (who >= 0) {
        // Who is asked for stands first.
        const index = before.findIndex(({ lower }) => lower === 'who' || lower === 'whom');
        if (index < 0 || rest.length > 0) continue;
        const put = (each: Tokens): Tokens => [
          ...before.slice(0, index),
          ...each.map((token) => (token.lower === 'me' ? substitute('i', token) : token)),
          ...before.slice(index + 1),
        ];
        found.push({ first: put(one), second: put(other), as, cost: 0 });
        continue;
      }
      found.push({
        first: [...before, ...one, ...rest],
        second: [...before, ...other, ...rest],
        as,
        cost: 0.2 * Math.abs(one.length - other.length),
      });
    }
  return found;
}
