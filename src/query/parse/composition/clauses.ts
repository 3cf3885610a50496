import type { LexiconMatch } from '../../../dictionary/sentences/lexicon.ts';
import type { ParseContext } from '../../../dictionary/sentences/parse-context.ts';
import { parsePropertyHeads } from '../../../dictionary/sentences/property-clauses.ts';
import { parseFilter, parseStateFilter } from '../filters.ts';
import { parseNounLists } from '../noun-lists.ts';
import { ordinalValue } from '../ordinals.ts';
import { parseSlotFragments, parseWithout } from '../patterns.ts';
import type { Tokens } from '../questions/readings.ts';
import {
  achievementVerbs,
  asSet,
  beForms,
  doForms,
  haveForms,
  owner,
  possessive,
  substitute,
  word,
} from '../questions/words.ts';

/** A clause in an order that the grammar of conditions reads, and how far it is from the order that it had. */
export interface OrderedClause {
  readonly tokens: Tokens;
  readonly cost: number;
}

/**
 * A unit of a clause: a noun, who it is about, what somebody does, or what restricts it (with what, where, when).
 *
 * `case`: "I" is a subject, "me" an object, "my" an owner, wherever they stand.
 */
interface Unit {
  readonly kind: 'verb' | 'noun' | 'property' | 'adjunct' | 'filter' | 'other';
  readonly tokens: Tokens;
  readonly at: number;
  readonly case?: 'subject' | 'object' | 'owner';
  readonly matches?: readonly LexiconMatch[];
}

const subjects = asSet('i we you he she they');
const objects = asSet('me us him them');
const anybody = asSet('someone somebody anyone anybody everyone everybody something anything who people');
const owners = asSet('my our your mine');
/** Words that carry no part of what a clause says. */
const empty = asSet(
  'a an the there it that which to of any ever some been being be get so then all his her their its left remaining happen happened happens occur occurred mine',
);
const prepositions = asSet(
  'with by to from in on at of for against using via off into onto over through without under',
);
const maxVerbs = 3;
const maxNouns = 4;

/**
 * The forms of a clause in which its units stand where the grammar of conditions expects them, whatever their order was.
 *
 * @param asked What is asked for, which may stand in any place: "which weapon".
 */
export function orderClause(context: ParseContext, asked: Tokens = []): readonly OrderedClause[] {
  const { tokens } = context;
  const found = new Map<string, OrderedClause>();
  const add = (order: Tokens, cost: number): void => {
    if (order.length === 0) return;
    const key = order.map(({ kind, lower, start }) => `${kind} ${lower} ${start}`).join(' ');
    const known = found.get(key);
    if (!known || known.cost > cost) found.set(key, { tokens: order, cost });
  };
  // "who killed" asks who did it, where "someone killed" is dead.
  if (asked.length === 0) {
    add(tokens, 0);
    add(
      tokens.filter(({ lower }) => !doForms.has(lower)),
      0,
    );
  }
  for (const verb of [...verbsOf(context), undefined])
    for (const { tokens: order, cost } of arrange(segment(context, verb), context, asked))
      add(order, cost + (verb === undefined ? 1 : 0.5));
  return [...found.values()];
}

/** The places at which a verb can stand, those that the logs mention first. */
function verbsOf(context: ParseContext): readonly number[] {
  const places = context.tokens.flatMap((token, at) => {
    if (doForms.has(token.lower) || beForms.has(token.lower)) return [];
    const matches = context.lexicon.find('action', context.tokens, at, context.game);
    if (matches.length === 0) return [];
    const isKnown = matches.some(({ entry }) => context.mentions(entry.word));
    if (!isKnown && (achievementVerbs.has(token.lower) || prepositions.has(token.lower))) return [];
    const length = Math.max(...matches.map(({ end }) => end - at));
    return [{ at, rank: (isKnown ? 0 : 10) - length + (achievementVerbs.has(token.lower) ? 2 : 0) }];
  });
  return places
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, maxVerbs)
    .map(({ at }) => at);
}

function segment(context: ParseContext, verbAt: number | undefined): readonly Unit[] {
  const { tokens } = context;
  const units: Unit[] = [];
  for (let at = 0; at < tokens.length; ) {
    const unit = unitAt(context, at, verbAt);
    const end = unit ? at + unit.length : at + 1;
    // An ordinal belongs to what follows; who follows "did" is the subject.
    const last = units.at(-1);
    const isOrdinal =
      last?.kind === 'other' &&
      ordinalValue(last.tokens[0]!.lower) !== undefined &&
      last.at + last.tokens.length === at;
    if (unit && isOrdinal && unit.unit.kind !== 'adjunct' && unit.unit.kind !== 'filter') {
      units.pop();
      units.push({ ...unit.unit, tokens: [...last.tokens, ...tokens.slice(at, end)], at });
    } else if (unit) {
      const isSubject =
        unit.unit.kind === 'noun' && unit.unit.case === undefined && doForms.has(tokens[at - 1]?.lower ?? '');
      units.push({ ...unit.unit, ...(isSubject && { case: 'subject' as const }), tokens: tokens.slice(at, end), at });
    }
    at = end;
  }
  return units;
}

/** The unit at a token, `undefined` for words without a part in the clause. */
function unitAt(
  context: ParseContext,
  at: number,
  verbAt: number | undefined,
): { readonly unit: Omit<Unit, 'tokens' | 'at'>; readonly length: number } | undefined {
  const { tokens } = context;
  const token = tokens[at]!;
  const { lower } = token;
  const limit = verbAt !== undefined && verbAt > at ? verbAt : tokens.length;
  const longest = (ends: readonly number[]): number => Math.max(0, ...ends.filter((end) => end <= limit)) - at;
  if (at === verbAt) {
    const matches = context.lexicon.find('action', tokens, at, context.game);
    return { unit: { kind: 'verb', matches }, length: Math.max(...matches.map(({ end }) => end)) - at };
  }
  const filter =
    parseFilter(context, at) ?? (/^(?:while|whilst)$/.test(lower) ? parseStateFilter(context, at) : undefined);
  if (filter && filter.end <= limit) return { unit: { kind: 'filter' }, length: filter.end - at };
  if (subjects.has(lower)) return { unit: { kind: 'noun', case: 'subject' }, length: 1 };
  if (objects.has(lower)) return { unit: { kind: 'noun', case: 'object' }, length: 1 };
  if (prepositions.has(lower)) {
    const ends = [...parseSlotFragments(context, at), ...parseWithout(context, at)].map(({ end }) => end);
    const nouns = parseNounLists(context, at + 1, 'object').map(({ end }) => end);
    const length = longest([...ends, ...nouns]);
    if (length > 1) return { unit: { kind: 'adjunct' }, length };
    return at < tokens.length - 1 && (lower === 'of' || lower === 'to' || lower === 'for')
      ? undefined
      : { unit: { kind: 'other' }, length: 1 };
  }
  const heads = parsePropertyHeads(context, at, parseNounLists).filter(
    ({ subject, isCaption }) => !subject || isCaption,
  );
  const property = longest(heads.map(({ end }) => end));
  const isKnown = heads.some(
    ({ isCaption, properties }) => isCaption || properties.some(({ word: each }) => context.mentions(each)),
  );
  const nouns = parseNounLists(context, at, 'object');
  const noun = longest(nouns.map(({ end }) => end));
  if (owners.has(lower)) {
    const owned = tokens[at + 1]?.lower ?? '';
    // "my team" is who does it or to whom it is done.
    if (noun === 2 && (owned === 'team' || owned === 'squad'))
      return {
        unit: { kind: 'noun', ...(tokens[at + 2]?.kind === 'possessive' && { case: 'owner' as const }) },
        length: tokens[at + 2]?.kind === 'possessive' ? 3 : 2,
      };
    // "my second card": whose it is, or a part of the noun
    return { unit: { kind: 'noun', case: 'owner' }, length: 1 };
  }
  if (noun > 0 && tokens[at + noun]?.kind === 'possessive')
    return { unit: { kind: 'noun', case: 'owner' }, length: noun + 1 };
  if (property > noun || (property > 0 && property === noun && isKnown))
    return { unit: { kind: 'property' }, length: property };
  if (noun > 0) return { unit: { kind: 'noun' }, length: noun };
  const manner = longest(parseSlotFragments(context, at).map(({ end }) => end));
  if (manner > 0) return { unit: { kind: 'adjunct' }, length: manner };
  if (empty.has(lower) || doForms.has(lower) || token.kind === 'possessive') return undefined;
  if (beForms.has(lower) || haveForms.has(lower)) return undefined;
  if (achievementVerbs.has(lower)) return undefined;
  return { unit: { kind: 'other' }, length: 1 };
}

/** The orders of units that make a clause of the grammar: somebody does something, is done something to, or whose something is. */
function* arrange(units: readonly Unit[], context: ParseContext, asked: Tokens): Iterable<OrderedClause> {
  const verb = units.find(({ kind }) => kind === 'verb');
  const isTail = ({ kind }: Unit): boolean => kind === 'adjunct' || kind === 'filter';
  // Filters come last: the grammar reads slots before them.
  const adjuncts = [
    ...units.filter(({ kind }) => kind === 'adjunct'),
    ...units.filter(({ kind }) => kind === 'filter'),
  ].flatMap((each) => each.tokens);
  const bare = units.filter((each) => each !== verb && !isTail(each));
  const nouns = bare.filter(({ kind }) => kind === 'noun');
  const others = bare.filter(({ kind }) => kind === 'other').flatMap((each) => each.tokens);
  if (nouns.length > maxNouns || others.some(({ lower }) => prepositions.has(lower))) return;
  if (!verb) {
    yield* arrangeNouns(bare, adjuncts);
    return;
  }
  const forms = new Set((verb.matches ?? []).map(({ entry: { form } }) => form));
  const isNominal = forms.has('noun') || forms.has('nouns') || forms.has('third') || forms.has('base');
  const isVerbal = [...forms].some((form) => form !== 'noun' && form !== 'nouns');
  const isPassive = context.tokens.some(
    ({ lower }) => beForms.has(lower) || lower === 'got' || lower === 'get' || lower === 'been' || lower === 'being',
  );
  // "kills for Juno"
  const owning = units.find(({ kind, tokens }) => kind === 'adjunct' && /^(?:for|from|of)$/.test(tokens[0]!.lower));
  if (isNominal && owning && !bare.some(({ kind }) => kind === 'noun'))
    yield {
      tokens: [
        ...ownerTokens({ ...owning, tokens: owning.tokens.slice(1) }),
        ...verb.tokens,
        ...others,
        ...units.filter((each) => isTail(each) && each !== owning).flatMap((each) => each.tokens),
      ],
      cost: 1,
    };
  const things = bare.filter(({ kind }) => kind === 'noun' || kind === 'property');
  for (const { subject, object, rest, cost } of assignRoles(things, verb.at, asked)) {
    const tail = [...others, ...rest, ...adjuncts];
    // "who got hit"
    const activeCost = isPassive && !object && (forms.has('participle') || forms.has('past')) ? cost + 1 : cost;
    const s = subject ? asSubjectTokens(subject) : [];
    const o = object ? asObjectTokens(object) : [];
    const isAskedAlone =
      subject !== undefined && !object && asked.includes(subject.tokens[0]!) && anybody.has(subject.tokens[0]!.lower);
    const isTransitive = (verb.matches ?? []).some(({ entry }) => entry.word.slots.object.use === 'required');
    if (isVerbal && isAskedAlone && isTransitive && !isPassive)
      yield { tokens: [...s, ...verb.tokens, word('someone', s[0]), ...tail], cost: cost - 1 };
    if (isVerbal) yield { tokens: [...s, ...verb.tokens, ...others, ...o, ...rest, ...adjuncts], cost: activeCost };
    if (isVerbal && others.length > 0) yield { tokens: [...s, ...verb.tokens, ...o, ...tail], cost: activeCost };
    if (isNominal) {
      const whose = subject ? ownerTokens(subject) : [];
      if (o.length === 0) {
        yield { tokens: [...whose, ...verb.tokens, ...tail], cost };
        yield { tokens: [...whose, ...others, ...verb.tokens, ...rest, ...adjuncts], cost };
      } else {
        // "minion kills", but not "someone kills"
        if (object!.case === undefined && !anybody.has(o.at(-1)!.lower))
          yield { tokens: [...whose, ...o, ...verb.tokens, ...tail], cost };
        yield { tokens: [...whose, ...verb.tokens, word('of', o[0]), ...o, ...tail], cost: cost + 0.5 };
      }
    }
    if (isVerbal && isPassive && (subject === undefined) !== (object === undefined)) {
      const patient = subject ?? object!;
      yield {
        tokens: [...asSubjectTokens(patient), word('was', patient.tokens[0]), ...verb.tokens, ...tail],
        cost: cost + (patient === subject ? 0 : 0.5),
      };
    }
  }
}

/** Nouns and properties without a verb: "my health", "Sarge's railgun kills". */
function* arrangeNouns(units: readonly Unit[], adjuncts: Tokens): Iterable<OrderedClause> {
  const holders = units.filter((each) => each.kind === 'noun' && each.case !== undefined && each.case !== 'object');
  const [first] = holders;
  yield { tokens: [...units.flatMap((each) => each.tokens), ...adjuncts], cost: 0.5 };
  if (holders.length === 1 && first) {
    const rest = units.filter((each) => each !== first).flatMap((each) => each.tokens);
    if (rest.length > 0) yield { tokens: [...ownerTokens(first), ...rest, ...adjuncts], cost: 0.5 };
  }
  if (holders.length > 0) return;
  // "health Nova had"
  for (const holder of units.filter(({ kind }) => kind === 'noun')) {
    const rest = units.filter((each) => each !== holder).flatMap((each) => each.tokens);
    if (rest.length > 0) yield { tokens: [...ownerTokens(holder), ...rest, ...adjuncts], cost: 1.5 };
  }
}

interface Roles {
  readonly subject?: Unit;
  readonly object?: Unit;
  readonly rest: Tokens;
  readonly cost: number;
}

/** Who does it and to whom it is done: by case, else what precedes the verb does it. */
function* assignRoles(units: readonly Unit[], verbAt: number, asked: Tokens): Iterable<Roles> {
  const none = [undefined, ...units];
  for (const subject of none)
    for (const object of none) {
      if (subject && subject === object) continue;
      if (subject?.case === 'object' || object?.case === 'subject' || object?.case === 'owner') continue;
      if (subject?.kind === 'property') continue;
      const left = units.filter((each) => each !== subject && each !== object);
      if (left.some((each) => each.case !== undefined && each.case !== 'owner') || left.length > 1) continue;
      const isAfter = subject !== undefined && subject.case === undefined && subject.at > verbAt;
      // What is asked for stands before the verb: "minions did I kill".
      const isFronted = object !== undefined && object.case === undefined && object.at < verbAt && subject?.at !== 0;
      const isBefore = object !== undefined && object.at < verbAt && !isFronted;
      const isOnlyBefore = object !== undefined && !subject && object.at < verbAt && object.case === undefined;
      // Who is asked for and stands first does it, unless somebody else does.
      const isAsked = object !== undefined && asked.includes(object.tokens[0]!);
      const cost =
        (isOnlyBefore && isAsked ? 4 : 0) +
        (isAfter ? 1 : 0) +
        (isBefore ? 1 : isFronted ? 0.5 : 0) +
        (isOnlyBefore ? 1 : 0) +
        left.length * 0.5;
      const [other] = left;
      if (!other) yield { ...(subject && { subject }), ...(object && { object }), rest: [], cost };
      else if (other.case === 'owner') {
        // "the card I played last of mine", "my minions I killed"
        if (object) yield { ...(subject && { subject }), object: withOwner(object, other), rest: [], cost };
      } else if (asked.includes(other.tokens[0]!))
        yield {
          ...(subject && { subject }),
          ...(object && { object }),
          rest: [word('with', other.tokens[0]), ...other.tokens],
          cost: cost + 2,
        };
    }
}

function withOwner(noun: Unit, whose: Unit): Unit {
  return { ...noun, tokens: [...whose.tokens, ...noun.tokens] };
}

function isPronoun({ tokens }: Unit): boolean {
  return (
    tokens.length === 1 &&
    (subjects.has(tokens[0]!.lower) || objects.has(tokens[0]!.lower) || owners.has(tokens[0]!.lower))
  );
}

function asSubjectTokens(unit: Unit): Tokens {
  if (isPronoun(unit)) return [substitute('i', unit.tokens[0]!)];
  return unit.case === 'owner' && unit.tokens.at(-1)?.kind === 'possessive' ? unit.tokens.slice(0, -1) : unit.tokens;
}

function asObjectTokens(unit: Unit): Tokens {
  return isPronoun(unit) ? [substitute('me', unit.tokens[0]!)] : unit.tokens;
}

function ownerTokens(unit: Unit): Tokens {
  if (isPronoun(unit)) return [substitute('my', unit.tokens[0]!)];
  if (unit.tokens.at(-1)?.kind === 'possessive') return unit.tokens;
  return unit.tokens.length === 1 ? owner(unit.tokens) : [...unit.tokens, possessive(unit.tokens.at(-1))];
}
