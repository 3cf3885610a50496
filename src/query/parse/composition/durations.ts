import type { Aggregate } from '../questions/answer-forms.ts';
import { stateDuration, aggregateOf } from '../questions/answer-forms.ts';
import { between, firstTime, lives, intervalsWithout } from '../questions/durations.ts';
import { deadTime, timeFrom } from '../questions/moments.ts';
import { lengths } from '../questions/periods.ts';
import type { Reading, Tokens } from '../questions/readings.ts';
import { asSet, holdingVerbs, substitute, word } from '../questions/words.ts';
import { orderClause } from './clauses.ts';
import type { DividedQuestion, PartParser } from './index.ts';
import type { Request } from './requests.ts';

const timeNouns = asSet(
  'time times gap interval stretch wait drought pause break period spell second seconds minute minutes long',
);
const lifeWords = asSet(
  'live lived survive survived last lasted alive life lives lifetime lifespan survival stay stayed',
);
const deathWords = asSet('dead down respawning');
const staying = asSet('spend spent stay stayed remain remained');
const structure = asSet(
  'it take took takes me to i is was were did do does the my a of for in out go went pass passed there between us we',
);
const sessionNouns = asSet('match game level race run session round fight');
const maxOrders = 6;

/** Does the question ask for a time, by "how long" or a noun for a time? */
export function asksForDuration({ ask, extreme, isAverage, clause }: Request, { relation }: DividedQuestion): boolean {
  if (ask === 'how long') return true;
  const isMeasured = extreme !== undefined || isAverage === true;
  const hasNoun = clause.some(({ lower }) => timeNouns.has(lower));
  if (
    hasNoun &&
    (isMeasured || relation?.side === 'between' || relation?.side === 'until' || relation?.side === 'without')
  )
    return true;
  return isMeasured && clause.some(({ lower }) => lifeWords.has(lower));
}

/** How long something takes, lasts or holds. */
export function readDurations(
  { ask, clause: whole, extreme, isAverage, nth, period }: Request,
  { relation }: DividedQuestion,
  parser: PartParser,
): readonly Reading[] {
  const take: Aggregate = isAverage ? 'average' : extreme === undefined ? 'each' : aggregateOf(extreme);
  const sum = take === 'each' ? 'sum' : take;
  const clause = whole.filter(({ lower }) => !timeNouns.has(lower));
  const isEmpty = clause.every(({ lower }) => structure.has(lower));
  const orders = (tokens: Tokens): readonly Tokens[] =>
    tokens.length === 0
      ? []
      : orderClause(parser.contextOf(tokens))
          .toSorted((a, b) => a.cost - b.cost)
          .slice(0, maxOrders)
          .map((each) => each.tokens);
  if (relation) {
    const related = orders(relation.clause);
    const isLasting = clause.every(
      ({ lower }) => structure.has(lower) || lifeWords.has(lower) || sessionNouns.has(lower),
    );
    if (relation.side === 'until' || (relation.side === 'before' && isEmpty))
      return isLasting ? related.flatMap((each) => firstTime(each)) : [];
    if (relation.side === 'after') return related.flatMap((from) => orders(clause).flatMap((to) => timeFrom(from, to)));
    if (relation.side === 'between') return isEmpty ? between(relation.clause, take) : [];
    if (relation.side === 'without') return intervalsWithout(relation.clause, take === 'each' ? 'highest' : take);
    return [];
  }
  const to = clause.findIndex(({ lower }) => lower === 'to');
  const isTaking = clause.some(({ lower }) => /^(?:take|took|takes)$/.test(lower));
  if (to >= 0 && isTaking) {
    const event = clause.slice(to + 1);
    return [...orders(event), ...orders([word('i', event[0]), ...event])].flatMap((each) => firstTime(each));
  }
  if (period)
    return isEmpty || isTaking || clause.every(({ lower }) => lifeWords.has(lower) || structure.has(lower))
      ? lengths(period.noun, period.nth, sum)
      : [];
  const found: Reading[] = [];
  const withoutLife = clause.filter(({ lower }) => !lifeWords.has(lower) && !structure.has(lower));
  const who = clause.filter(
    ({ lower }) =>
      !lifeWords.has(lower) &&
      !deathWords.has(lower) &&
      !/^(?:did|do|does|was|were|is|the|my|each|of|every)$/.test(lower),
  );
  if (clause.some(({ lower }) => lifeWords.has(lower))) {
    if (withoutLife.length === 0)
      found.push(...lives(who.length === 1 ? who : [], [], ask === 'how long' && take === 'each' ? 'each' : take));
    else
      found.push(
        ...lives(
          withoutLife.filter((each) => each.kind !== 'possessive'),
          [],
          take,
        ),
      );
  }
  if (clause.some(({ lower }) => deathWords.has(lower)) && who.length <= 2)
    found.push(...deadTime(who.length > 0 ? who : [word('i', clause[0])], sum));
  if (nth !== undefined && isTaking)
    found.push(
      ...orders(clause.filter(({ lower }) => !/^(?:take|took|takes|did)$/.test(lower))).flatMap((each) =>
        firstTime(each),
      ),
    );
  const [noun] = withoutLife;
  if (noun && withoutLife.length === 1) found.push(...lengths([noun], undefined, take));
  // "how long did I carry the railgun"
  const state = clause.filter(({ lower }) => !staying.has(lower) && !/^(?:did|do|does)$/.test(lower));
  const holding = state.map((each) =>
    holdingVerbs.has(each.lower) && each.lower !== 'had' ? substitute('holding', each) : each,
  );
  const having = state.map((each) => (/^(?:have|has)$/.test(each.lower) ? substitute('had', each) : each));
  for (const form of [state, holding, having]) {
    found.push(...stateDuration(form, sum), ...orders(form).flatMap((each) => stateDuration(each, sum, 0.5)));
    if (!form.some(({ lower }) => /^(?:i|we)$/.test(lower)))
      found.push(...stateDuration([substitute('holding', form[0] ?? word('', undefined)), ...form], sum, 0.5));
    const be = form.findIndex(({ lower }) => /^(?:was|were|is)$/.test(lower));
    if (be >= 0 && form[be + 1])
      found.push(...stateDuration([form[be + 1]!, form[be]!, ...form.slice(be + 2), ...form.slice(0, be)], sum));
  }
  return found;
}
