import { isOpen, type Dictionary, type Word } from '../../dictionary/dictionary.ts';
import type { WordSlot } from '../../dictionary/format.ts';
import {
  parseActionClauses,
  singleNoun,
  type ActionClause,
  type NounList,
} from '../../dictionary/sentences/action-clauses.ts';
import {
  parseComparison,
  parseNouns,
  playerPhrase,
  type NounPhrase,
  type Range,
  type TokenSpan,
  type WordCandidate,
} from '../../dictionary/sentences/noun-phrases.ts';
import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';
import {
  displayHeads,
  numericDirection,
  parseDirection,
  parsePropertyHeads,
  parseValues,
  parseValuesAfter,
  type ParsedValue,
  type PropertyClause,
} from '../../dictionary/sentences/property-clauses.ts';
import { pluralOf } from '../../dictionary/inflection.ts';
import { numberValue } from '../../dictionary/sentences/tokenize.ts';
import type { ActionPattern, Condition, MentionPattern, PropertyPattern, SlotPattern, ValuePattern } from '../query.ts';
import { recordSpan } from '../source-spans.ts';
import type { ParsedCondition } from './filters.ts';
import type { Mention } from '../../events/statement.ts';
import { READING } from '../../dictionary/sentences/function-words.ts';
import { alternativesFor, changesFor, findDisplaysOf } from './alternatives.ts';
import { parseNounLists } from './noun-lists.ts';
import { ordinalValue } from './ordinals.ts';
import { recordSubject } from './references.ts';
import { hasImpossibleSlot } from './slot-compatibility.ts';

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Parses the conditions about one statement that start at a token. */
export function parsePatterns(context: ParseContext, at: number): ParsedCondition[] {
  return context.memoize(`pattern ${at}`, () => [
    ...parseActionPatterns(context, at),
    ...parsePropertyPatterns(context, at),
    ...parseGains(context, at),
    ...parseCompounds(context, at),
    ...parseIncorporated(context, at),
    ...parseActionNouns(context, at),
    ...parseDoneThings(context, at),
    ...parseAchievements(context, at),
    ...parseAnything(context, at),
    ...parseMannerEvents(context, at),
    ...parseSlotFragments(context, at),
    ...parseMentions(context, at),
  ]);
}

const impossibleSlotCost = 50;

function parseActionPatterns(context: ParseContext, at: number): ParsedCondition[] {
  return parseActionClauses(context, at, parseNounLists).map((parsed) => {
    const clause = asDestruction(context, parsed);
    const pattern = recordSubject(toAgentPattern(context, toActionPattern(context, clause), clause), clause);
    const extraCost =
      (hasImpossibleSlot(context.dictionary, clause) ? impossibleSlotCost : 0) +
      (lacksRequiredObject(clause) ? 3 : 0) +
      (isThingActing(context, clause) || isVictimActing(context, clause) ? 2 : 0);
    const condition = pattern.action.length === 1 && pattern.action[0] === 'use' ? orUsed(context, pattern) : pattern;
    const change = asChange(context, pattern, clause);
    if (change) return { condition: change, end: clause.end, cost: clause.cost };
    return {
      condition: clause.verbs[0]!.isNegated ? { not: condition } : condition,
      end: clause.end,
      cost: clause.cost + extraCost,
    };
  });
}

/**
 * "nova hits me" in a log without hits is a drop of the player's health. Who caused a change, a log does not say: only of two
 * characters it is clear.
 */
function asChange(
  context: ParseContext,
  pattern: ActionPattern,
  { verbs, slots }: ActionClause,
): Condition | undefined {
  const { dictionary } = context;
  const [verb] = verbs;
  const isCircumstantial = pattern.at || pattern.manner || pattern.amount;
  if (verbs.length !== 1 || verb!.isNegated || isCircumstantial) return undefined;
  const ofTeam = asTeamScore(context, pattern, verb!.word);
  if (ofTeam) return ofTeam;
  const isOfCharacter = slots.object !== undefined && areCharacters(dictionary, slots.object);
  const span = { start: verb!.start, end: verb!.end };
  for (const { property, change, of, to } of changesFor(context, verb!.word, pattern.object !== undefined)) {
    const owner =
      of === 'object'
        ? victimOf(context, pattern, isOfCharacter)
        : ownerOfChange(context, pattern, { property, isRise: change === 'rises', isOfCharacter });
    if (!owner) continue;
    const shown = findDisplaysOf(context, property);
    const display = shown.length > 0 ? displayHeads(context, shown, span)[0] : undefined;
    // What the screen shows is the player's.
    if (display && owner.subject?.any && !isPlayerPattern(owner.subject)) continue;
    const whose = display
      ? { subject: toSlotPattern(context, display.subject!, 'subject') }
      : owner.subject?.any && { subject: owner.subject };
    const condition: PropertyPattern = {
      property: recordSpan([display ? READING : property], context, span),
      ...whose,
      ...(owner.to ? { to: owner.to } : { change, ...(to && { to }) }),
    };
    if (!pattern.with) return condition;
    // "bullets that I fired with the machine gun": while it was in hand.
    const isInHand = property.startsWith('ammunition') && pattern.with.any !== undefined;
    if (!isInHand) continue;
    return { all: [condition, { while: { property: ['weapon'], ...whose, to: { any: pattern.with.any! } } }] };
  }
  return undefined;
}

/** "goals by the red team" where only the score says that a team scores. */
function asTeamScore(
  { dictionary, facts }: ParseContext,
  { subject, object }: ActionPattern,
  word: Word,
): PropertyPattern | undefined {
  const score = dictionary.find('score', 'property');
  const isScoring = word.id === 'score' || word.name.startsWith('score ');
  if (!score || !facts || !isScoring || object?.any || !subject?.any) return undefined;
  const owners = facts.owners(score).filter(({ word: id }) => dictionary.isA(id, 'group', 'object'));
  const teams = subject.any.map((each) =>
    owners.find(({ word: id, name }) => {
      const isNamed = each.name !== undefined && each.name.toLowerCase() === name?.toLowerCase();
      return isNamed && (each.words === undefined || each.words.some((wordId) => dictionary.isA(id, wordId, 'object')));
    }),
  );
  if (!teams.every((team) => team !== undefined)) return undefined;
  const any = teams.map(({ word: id, name }) => ({ words: [id], ...(name !== undefined && { name }) }));
  return { property: [score.id], subject: { any }, change: 'rises' };
}

/** Whose value changes, and to what. */
interface OwnedChange {
  readonly subject: SlotPattern | undefined;
  readonly to?: ValuePattern;
}

/** Whose value an action lowers that is done to somebody. */
function victimOf(
  { dictionary, facts }: ParseContext,
  { subject, object }: ActionPattern,
  isOfCharacter: boolean,
): OwnedChange | undefined {
  if (object?.any && !isOfCharacter) return undefined;
  if (!subject?.any) return { subject: object };
  // Who hits the other of two is the other.
  const rival = facts?.rival;
  const other =
    rival && (isPlayerPattern(subject) ? toSlot(rival) : isRival(dictionary, subject, rival) ? playerSlot : undefined);
  return other && (!object?.any || isSameSlot(object, other, dictionary)) ? { subject: other } : undefined;
}

interface ChangeOfActor {
  readonly property: string;
  readonly isRise: boolean;
  /** Is the object of the clause somebody? */
  readonly isOfCharacter: boolean;
}

/** Whose value an action changes that is done with something, or to nobody else. */
function ownerOfChange(
  { dictionary }: ParseContext,
  { subject, object }: ActionPattern,
  { property, isRise, isOfCharacter }: ChangeOfActor,
): OwnedChange | undefined {
  if (!object?.any) return { subject };
  const words = object.any.flatMap((each) => each.words ?? []);
  const areAll = (id: string): boolean => words.length > 0 && words.every((each) => dictionary.isA(each, id, 'object'));
  if (property === 'weapon') {
    if (words.every((each) => each === 'weapon' || each === 'gun')) return { subject };
    return areAll('weapon') ? { subject, to: { any: object.any } } : undefined;
  }
  if (property.startsWith('ammunition')) return areAll('ammunition') ? { subject } : undefined;
  // "heals Ivy"
  if (property === 'health' && isRise) return isOfCharacter ? { subject: object } : undefined;
  return property === 'rank' ? undefined : { subject };
}

const playerSlot: SlotPattern = { any: [{ words: ['player'] }] };

function isPlayerPattern({ any }: SlotPattern): boolean {
  return (
    any?.length === 1 && any[0]!.name === undefined && any[0]!.words?.length === 1 && any[0]!.words[0] === 'player'
  );
}

function toSlot({ word, name }: Mention): SlotPattern {
  return { any: [{ words: [word], ...(name !== undefined && { name }) }] };
}

/** Can a pattern mean the other of two characters? */
function isRival(dictionary: ParseContext['dictionary'], { any }: SlotPattern, { word, name }: Mention): boolean {
  return (any ?? []).some(
    (each) =>
      (each.name === undefined || each.name.toLowerCase() === name?.toLowerCase()) &&
      (each.words === undefined || each.words.some((id) => dictionary.isA(word, id, 'object'))),
  );
}

function isSameSlot(slot: SlotPattern, other: SlotPattern, dictionary: ParseContext['dictionary']): boolean {
  if (isPlayerPattern(other)) return isPlayerPattern(slot);
  const { words = [], name } = other.any![0]!;
  return isRival(dictionary, slot, { word: words[0]!, ...(name !== undefined && { name }) });
}

const destructible = ['structure', 'vehicle', 'item'];

/** "towers I killed" are destroyed. */
function asDestruction(context: ParseContext, clause: ActionClause): ActionClause {
  const { dictionary } = context;
  const [verb] = clause.verbs;
  const destroy = verb?.word.id === 'kill' && clause.slots.object ? dictionary.find('destroy', 'action') : undefined;
  if (
    (verb?.word.id === 'obtain' || verb?.word.id === 'take') &&
    clause.slots.object &&
    areCharacters(dictionary, clause.slots.object)
  ) {
    // "Sarge got me"
    const killing = dictionary.find('kill', 'action');
    return killing ? { ...clause, verbs: [{ ...verb, word: killing }], cost: clause.cost + 1 } : clause;
  }
  const isDestructible = clause.slots.object?.any.every(({ words }) =>
    words.some(({ word }) => destructible.some((id) => dictionary.isA(word.id, id, 'object'))),
  );
  if (!destroy || !isDestructible || !hasImpossibleSlot(dictionary, clause)) return clause;
  const changed = { ...clause, verbs: [{ ...verb!, word: destroy }], cost: clause.cost + 1 };
  return hasImpossibleSlot(dictionary, changed) ? clause : changed;
}

/** "rounds won": what is done with a thing is more likely than what it does itself. */
function isThingActing(context: ParseContext, { verbs, slots }: ActionClause): boolean {
  const { voice, form, word } = verbs[0]!;
  return (
    voice === 'active' &&
    (form === 'past' || form === 'participle' || (form === 'third' && word.id === 'kill')) &&
    slots.object === undefined &&
    isOpen(word.slots.object) &&
    slots.subject !== undefined &&
    slots.subject.any.every((noun) => isInanimate(context, noun))
  );
}

/** "zombie kills": what is only ever killed is more likely killed than the killer. */
function isVictimActing({ facts }: ParseContext, { verbs, slots }: ActionClause): boolean {
  const { word, voice, start } = verbs[0]!;
  const words = slots.subject?.any.flatMap((noun) => (noun.name === undefined ? noun.words : [])) ?? [];
  const isAlone = slots.object === undefined && voice !== 'passive' && (slots.subject?.any[0]!.start ?? start) < start;
  return isAlone && words.some((each) => facts?.onlySuffers(each.word, word) === true);
}

// "goals scored", "card draws"
const incorporatingForms: ReadonlySet<string> = new Set(['past', 'participle', 'third']);

const lightVerbs = wordSet('serve perform make commit score take do have land get draw achieve execute complete');

/** The noun in the name of an action: "card" in "draw card". */
function nounOf({ name }: Word): string {
  return name.slice(name.indexOf(' ') + 1);
}

/** Parses "combos", "my combos" where the logs state that somebody performs a combo. */
function parseActionNouns(context: ParseContext, start: number): ParsedCondition[] {
  const compounds = context.compoundActions();
  // "my first card" where the logs say that cards are drawn and played
  const counts = Map.groupBy(compounds, nounOf);
  const actions = compounds.filter(
    (each) => lightVerbs.has(each.name.split(' ')[0]!) && counts.get(nounOf(each))!.length === 1,
  );
  if (actions.length === 0) return [];
  const player: SlotPattern = { any: [{ words: ['player'] }] };
  const owners: { readonly subject?: SlotPattern; readonly at: number; readonly cost: number }[] = [
    { at: context.skip(start, 'the') ?? start, cost: 0 },
    ...(context.wordAt(start) === 'my' ? [{ subject: player, at: start + 1, cost: 1 }] : []),
    // "Silva's goals", "opponent pit stops"
    ...parseNounLists(context, start, 'object').map((list) => ({
      subject: toSlotPattern(context, list, 'subject'),
      at: context.tokens[list.end]?.kind === 'possessive' ? list.end + 1 : list.end,
      cost: list.cost,
    })),
  ];
  return owners.flatMap(({ subject, at, cost }) =>
    actions.flatMap((action): ParsedCondition[] => {
      const noun = nounOf(action);
      // "the stop" where the logs know pit stops
      const short = noun.includes(' ') ? [noun.slice(noun.lastIndexOf(' ') + 1)] : [];
      const names = [noun, ...short].flatMap((each) => [each, pluralOf(each)]);
      const end = names.map((each) => context.skip(at, each)).find((each) => each !== undefined);
      if (end === undefined) return [];
      const ids = recordSpan([action.id], context, { start: at, end });
      const whole = { condition: { action: ids, ...(subject && { subject }) }, end, cost: cost + 1 };
      const by = subject ? undefined : (context.skip(end, 'by') ?? context.skip(end, 'of'));
      const doers = by === undefined ? [] : parseNounLists(context, by, 'object');
      return [
        whole,
        ...doers.map((list) => {
          const pattern = { action: ids, subject: toSlotPattern(context, list, 'subject') };
          return { condition: asTeamScore(context, pattern, action) ?? pattern, end: list.end, cost: 1 + list.cost };
        }),
      ];
    }),
  );
}

/** The only action that somebody does to these things in the logs. */
function onlyActionOn({ facts }: ParseContext, list: NounList | undefined): Word | undefined {
  if (!facts || !list || list.except.length > 0 || list.any.some(({ name, of }) => name !== undefined || of))
    return undefined;
  const actions = new Set(list.any.flatMap(({ words }) => words.map(({ word }) => facts.onlyActionOn(word))));
  return actions.size === 1 ? [...actions][0] : undefined;
}

/** Parses "my towers", "first tower" where all that the logs say of towers is that somebody destroys them. */
function parseDoneThings(context: ParseContext, start: number): ParsedCondition[] {
  if (!context.facts) return [];
  const player: SlotPattern = { any: [{ words: ['player'] }] };
  const owners: { readonly subject?: SlotPattern; readonly at: number; readonly cost: number }[] = [
    { at: start, cost: 0 },
    ...(context.wordAt(start) === 'my' ? [{ subject: player, at: start + 1, cost: 0 }] : []),
    ...parseNounLists(context, start, 'object')
      .filter((list) => context.tokens[list.end]?.kind === 'possessive')
      .map((list) => ({ subject: toSlotPattern(context, list, 'subject'), at: list.end + 1, cost: list.cost })),
  ];
  return owners.flatMap(({ subject, at, cost }) =>
    parseNounLists(context, at, 'object').flatMap((list): ParsedCondition[] => {
      const action = onlyActionOn(context, list);
      if (!action || areRoles(context.dictionary, list) || list.any.some(({ count }) => count !== undefined)) return [];
      const condition = {
        action: recordSpan([action.id], context, { start: at, end: list.end }),
        ...(subject && { subject }),
        object: toSlotPattern(context, list, 'object'),
      };
      return [{ condition, end: list.end, cost: list.cost + cost + 2.5 }];
    }),
  );
}

/** "my opponents" are those of the player, whatever is done to them. */
function areRoles(dictionary: Dictionary, { any }: NounList): boolean {
  const roles = ['player', 'opponent', 'teammate', 'enemy'];
  return any.some(({ words }) =>
    words.some(({ word }) => roles.some((role) => dictionary.isA(word.id, role, 'object'))),
  );
}

const linkWords = new Set('that which is are was were been being get got gets'.split(' '));
const maxIncorporatedTokens = 2;

/** Parses "goals scored by Silva", "cards that were played": the noun is a part of the action's name. */
function parseIncorporated(context: ParseContext, start: number): ParsedCondition[] {
  const { tokens, lexicon, game } = context;
  const isOwn = context.wordAt(start) === 'my';
  let at = isOwn ? start + 1 : start;
  while (['the', 'all', 'any', 'every', 'a', 'an'].includes(context.wordAt(at) ?? '')) at++;
  return Array.from({ length: maxIncorporatedTokens }, (_, i) => at + i + 1).flatMap((nounEnd) => {
    let verbAt = nounEnd;
    while (linkWords.has(context.wordAt(verbAt) ?? '')) verbAt++;
    const verb = tokens[verbAt];
    if (verb?.kind !== 'word') return [];
    const reordered = [verb, ...tokens.slice(at, nounEnd)];
    return lexicon
      .find('action', reordered, 0, game)
      .filter(
        ({ entry: { form }, end }) =>
          end === reordered.length && (isOwn ? form === 'third' : incorporatingForms.has(form)),
      )
      .flatMap(({ entry: { word }, cost }): ParsedCondition[] => {
        const end = verbAt + 1;
        const action = recordSpan([word.id], context, { start: at, end });
        const own = isOwn ? { subject: { any: [{ words: ['player'] }] } } : {};
        const whole = { condition: { action, ...own }, end, cost: 1 + cost + context.absenceCost(word) };
        const by = context.skip(end, 'by');
        const doers = by === undefined ? [] : parseNounLists(context, by, 'object');
        context.reach(end);
        return [
          whole,
          ...doers.map((list) => ({
            condition: { action, subject: toSlotPattern(context, list, 'subject') },
            end: list.end,
            cost: whole.cost + list.cost,
          })),
        ];
      });
  });
}

/** One uses what one acts with, and the weapon that one takes in hand. */
function orUsed({ dictionary }: ParseContext, pattern: ActionPattern): Condition {
  const { object, subject } = pattern;
  const words = object?.any?.flatMap((each) => each.words ?? []) ?? [];
  const isMeans = (id: string): boolean => ['item', 'ability'].some((kind) => dictionary.isA(id, kind, 'object'));
  if (!object?.any || words.length === 0 || !words.every(isMeans)) return pattern;
  const weapons = words.every((id) => dictionary.isA(id, 'weapon', 'object'));
  return {
    any: [
      pattern,
      { action: [], ...(subject && { subject }), with: object },
      ...(weapons ? [{ property: ['weapon'], ...(subject && { subject }), to: { any: object.any } }] : []),
    ],
  };
}

/**
 * "player dies to Sarge", "deaths by Sarge": who or what made it happen. Somebody is the subject of the action that causes it,
 * a thing is its means.
 */
function toAgentPattern(context: ParseContext, pattern: ActionPattern, { verbs, slots }: ActionClause): ActionPattern {
  const { dictionary } = context;
  const effect = verbs[0]!.word;
  const causes = causesOf(dictionary, effect);
  if (causes.length === 0 || dictionary.find(effect.id, 'action')?.causes) return pattern;
  const isAfterVerb = (list: NounList | undefined): boolean =>
    list !== undefined && list.any[0]!.start > verbs[0]!.start;
  const slot = (['to', 'from', 'with', 'subject'] as const).find((each) => isAfterVerb(slots[each]));
  const list = slot && slots[slot];
  if (
    !list ||
    (slot === 'subject' &&
      context.wordAt(list.any[0]!.start - 1) !== 'by' &&
      context.wordAt(list.any[0]!.start - 2) !== 'by')
  )
    return pattern;
  const { [slot]: agent, ...rest }: ActionPattern = pattern;
  const isSomebody = list.any.every(
    ({ words, name }) =>
      name !== undefined ||
      words.length === 0 ||
      words.some(
        ({ word }) => dictionary.isA(word.id, 'character', 'object') || dictionary.isA(word.id, 'group', 'object'),
      ),
  );
  if (isSomebody) {
    const { subject, object, ...others }: ActionPattern = rest;
    // "die to Sarge" without a subject is what happens to the player.
    const isOwn = verbs[0]!.form === 'base' && verbs[0]!.voice === 'active' && slot !== 'subject' && !subject;
    const victim = slot === 'subject' ? object : isOwn ? { any: [{ words: ['player'] }] } : subject;
    const action = recordSpan(
      causes.map(({ id }) => id),
      context,
      { start: verbs[0]!.start, end: verbs[0]!.end },
    );
    return { ...others, action, subject: agent!, ...(victim && { object: victim }) };
  }
  if (slot === 'with') return pattern;
  const target = list.any.every(({ words }) => words.every(({ word }) => isPlace(dictionary, word.id))) ? 'at' : 'with';
  return { ...rest, [target]: toSlotPattern(context, list, target) };
}

const knownCauses = new WeakMap<Dictionary, Map<Word, readonly Word[]>>();

/** The actions that make one happen. */
function causesOf(dictionary: Dictionary, effect: Word): readonly Word[] {
  let known = knownCauses.get(dictionary);
  if (!known) knownCauses.set(dictionary, (known = new Map<Word, readonly Word[]>()));
  let causes = known.get(effect);
  if (!causes) {
    causes = dictionary.words('action').filter((word) => {
      const isCause = word.causes !== undefined && dictionary.isA(word.causes.id, effect.id, 'action');
      return isCause && word.parent?.causes !== word.causes;
    });
    known.set(effect, causes);
  }
  return causes;
}

function isPlace(dictionary: Dictionary, id: string): boolean {
  return ['hazard', 'place'].some((each) => dictionary.isA(id, each, 'object'));
}

/** Parses a noun that says with what or where: "rocket kills", "lava deaths", "headshot kills". */
function parseCompounds(context: ParseContext, at: number): ParsedCondition[] {
  const owners: { readonly owner: NounList | undefined; readonly at: number }[] = [{ owner: undefined, at }];
  for (const owner of parseNounLists(context, at, 'object'))
    if (context.tokens[owner.end]?.kind === 'possessive') owners.push({ owner, at: owner.end + 1 });
  const my = context.wordAt(at) === 'my' || context.wordAt(at) === 'your';
  const player = my ? playerPhrase(context, { start: at, end: at + 1 }) : undefined;
  if (player) owners.push({ owner: singleNoun(player), at: at + 1 });
  return owners.flatMap(({ owner, at: start }) => {
    const modifiers: Modifier[] = [
      ...parseNounLists(context, start, 'object').filter(({ any }) =>
        any.every((noun) => isInanimate(context, noun) || isKind(noun)),
      ),
      ...parseMannerNouns(context, start),
      ...parseWeaponNames(context, start),
    ];
    return modifiers.flatMap((modifier) =>
      parseActionClauses(context, modifier.end, parseNounLists)
        .filter(
          ({ verbs, slots }) => isNominal(verbs[0]!) && (!slots.subject || slots.subject.any[0]!.start > modifier.end),
        )
        .flatMap((clause): ParsedCondition[] => {
          const base = toAgentPattern(context, toActionPattern(context, clause), clause);
          const slot = modifier.isManner ? 'manner' : compoundSlot(context, modifier, clause);
          // "match begins" is a clause.
          const isDestruction = slot === 'object' && destructionOf(context, base.action, modifier) !== base.action;
          const isVictim = modifier.any.every(({ words }) =>
            words.some(({ word }) => context.facts?.onlySuffers(word, clause.verbs[0]!.word)),
          );
          if (!isVictim && !modifier.any.every((noun) => isInanimate(context, noun)) && !modifier.isManner) return [];
          const isClause = slot === 'object' && clause.verbs[0]!.voice !== 'nominal' && !isDestruction && !isVictim;
          if (base[slot] || isClause) return [];
          const action = slot === 'object' ? destructionOf(context, base.action, modifier) : base.action;
          const filled = { ...base, action, [slot]: toSlotPattern(context, modifier, slot) };
          const condition = owner ? { ...filled, subject: toSlotPattern(context, owner, 'subject') } : filled;
          return [
            {
              condition,
              end: clause.end,
              cost: clause.cost + modifier.cost + (owner?.cost ?? 0) - (clause.verbs[0]!.form === 'base' ? 1.5 : 0.5),
            },
          ];
        }),
    );
  });
}

/** A kind of somebody: "zombie kills" are kills of zombies where zombies kill nobody. */
function isKind({ words, name, count, of }: NounPhrase): boolean {
  return name === undefined && count === undefined && of === undefined && words.length > 0;
}

/** "tower kills" are destructions. */
function destructionOf(
  { dictionary }: ParseContext,
  action: ActionPattern['action'],
  { any }: NounList,
): ActionPattern['action'] {
  const isThing = any.every(({ words }) =>
    words.every(({ word }) => destructible.some((id) => dictionary.isA(word.id, id, 'object'))),
  );
  const isKill = action.length === 1 && action[0] === 'kill';
  return isKill && isThing && dictionary.find('destroy', 'action') ? ['destroy'] : action;
}

/** What the noun before an action says: "rocket kills", "lava deaths", "weapon pickups". */
function compoundSlot(
  { dictionary }: ParseContext,
  { any }: NounList,
  { verbs }: ActionClause,
): 'with' | 'at' | 'object' {
  const isHarm = verbs.every(({ word }) => ['harm', 'die'].some((each) => dictionary.isA(word.id, each, 'action')));
  const isMade = any.every(({ words }) => words.some(({ word }) => dictionary.isA(word.id, 'item', 'object')));
  if (any.every(({ words }) => words.every(({ word }) => isPlace(dictionary, word.id))))
    return isHarm ? 'at' : 'object';
  return isHarm && isMade ? 'with' : 'object';
}

/** Parses "sniper" for "sniper rifle", "plasma" for "plasma gun". */
function parseWeaponNames(context: ParseContext, at: number): Modifier[] {
  const first = context.wordAt(at)?.replace(/s$/, '');
  if (first === undefined) return [];
  const words = [' rifle', ' gun', ' launcher', ' cannon', 'gun'].flatMap((suffix) => {
    const sources = ['', ...context.dictionary.sources.map(({ name }) => `${name}:`)];
    return sources.flatMap((source) => context.dictionary.find(`${source}${first}${suffix}`, 'object') ?? []);
  });
  if (words.length === 0) return [];
  const candidates = words.map((word) => ({ word, cost: 0 }));
  return [{ any: [{ words: candidates, start: at, end: at + 1, cost: 1 }], except: [], end: at + 1, cost: 0.5 }];
}

function isNominal({ voice, form }: ActionClause['verbs'][number]): boolean {
  return voice === 'nominal' || (voice === 'active' && (form === 'third' || form === 'base'));
}

function isInanimate({ dictionary }: ParseContext, { words, name, count, of }: NounPhrase): boolean {
  if (words.length === 0 || of !== undefined || name !== undefined || count !== undefined) return false;
  return words.every(
    ({ word }) => !dictionary.isA(word.id, 'character', 'object') && !dictionary.isA(word.id, 'group', 'object'),
  );
}

type Modifier = NounList & { readonly isManner?: true };

/** Parses "headshots", "my headshots". */
function parseMannerEvents(context: ParseContext, at: number): ParsedCondition[] {
  const isOwn = context.wordAt(at) === 'my' || context.wordAt(at) === 'your';
  const harm = context.dictionary.find('harm', 'action');
  if (!harm) return [];
  return parseMannerNouns(context, isOwn ? at + 1 : at, /^by /).map(({ any, end, cost }) => ({
    condition: {
      action: [harm.id],
      ...(isOwn && { subject: { any: [{ words: ['player'] }] } }),
      manner: { any: any.map(({ words }) => ({ words: words.map(({ word }) => word.id) })) },
    },
    end,
    cost,
  }));
}

type Manner = readonly [word: Word, phrases: readonly string[]];
const knownManners = new WeakMap<Dictionary, Map<string, readonly Manner[]>>();

/** The manners with one of these prepositions, and the phrases without it. */
function mannersOf(dictionary: Dictionary, preposition: RegExp): readonly Manner[] {
  let known = knownManners.get(dictionary);
  if (!known) knownManners.set(dictionary, (known = new Map<string, readonly Manner[]>()));
  let manners = known.get(preposition.source);
  if (!manners) {
    manners = dictionary.descendants('manner', 'property').flatMap((word): readonly Manner[] => {
      const name = word.name.replace(preposition, '');
      const phrases = [name, pluralOf(name), name.replace(/ attack$| hit$/, '')];
      return name === word.name ? [] : [[word, phrases]];
    });
    known.set(preposition.source, manners);
  }
  return manners;
}

/** "headshot" in "headshot kills": a manner without its preposition. */
function parseMannerNouns(
  context: ParseContext,
  at: number,
  preposition = /^(?:by|with|from|in|on|while|at) /,
): Modifier[] {
  return mannersOf(context.dictionary, preposition).flatMap(([word, phrases]): Modifier[] => {
    const end = phrases.map((phrase) => context.skip(at, phrase)).find((each) => each !== undefined);
    if (end === undefined) return [];
    return [
      {
        any: [{ words: [{ word, cost: 0 }], start: at, end, cost: 1 }],
        except: [],
        end,
        cost: 1 + context.absenceCost(word),
        isManner: true,
      },
    ];
  });
}

const achievementVerbs = new Set(
  'make makes made get gets got have has had score scores scored do does did achieve achieves achieved earn earns earned record records recorded'.split(
    ' ',
  ),
);

/** Parses "Sarge gets a kill", "I had two deaths": whose the event is. */
function parseAchievements(context: ParseContext, at: number): ParsedCondition[] {
  return parseNounLists(context, at, 'object').flatMap((subject) => {
    let next = subject.end;
    while (
      ['did', 'has', 'have', 'had'].includes(context.wordAt(next) ?? '') &&
      achievementVerbs.has(context.wordAt(next + 1) ?? '')
    )
      next++;
    const isTaking = /^t(?:ake|akes|ook|aken)$/.test(context.wordAt(next) ?? '');
    if (!isTaking && !achievementVerbs.has(context.wordAt(next) ?? '')) return [];
    next++;
    while (['a', 'an', 'any', 'the', 'some', 'his', 'her', 'their', 'my'].includes(context.wordAt(next) ?? '')) next++;
    const clauses = parseActionClauses(context, next, parseNounLists)
      .filter(({ verbs, slots, start }) => isNominal(verbs[0]!) && !slots.subject && verbs[0]!.start === start)
      .map((clause) => ({
        condition: { ...toActionPattern(context, clause), subject: toSlotPattern(context, subject, 'subject') },
        end: clause.end,
        cost: clause.cost + subject.cost,
      }));
    // "towers I took"
    const nouns = isTaking ? [] : [...parseCompounds(context, next), ...parseActionNouns(context, next)];
    const compounds = [...nouns, ...parseDoneThings(context, next)]
      .filter(({ condition }) => !('subject' in condition))
      .map((each) => ({
        ...each,
        condition: {
          ...each.condition,
          subject: toSlotPattern(context, subject, 'subject'),
        } as ParsedCondition['condition'],
        cost: each.cost + subject.cost,
      }));
    const headshots = parseMannerEvents(context, next).map((each) => ({
      ...each,
      condition: {
        ...each.condition,
        subject: toSlotPattern(context, subject, 'subject'),
      } as ParsedCondition['condition'],
      cost: each.cost + subject.cost,
    }));
    const nth = ordinalValue(context.wordAt(next) ?? '');
    const ordinals =
      nth === undefined
        ? []
        : parseNominals(context, next + 1).map(({ pattern, end, cost }) => ({
            condition: { nth, of: { ...pattern, subject: toSlotPattern(context, subject, 'subject') } },
            end,
            cost: cost + subject.cost,
          }));
    return isTaking ? compounds : [...clauses, ...compounds, ...headshots, ...ordinals];
  });
}

/** Parses an action as a noun without a subject: "kill with the railgun". */
function parseNominals(context: ParseContext, at: number): { pattern: ActionPattern; end: number; cost: number }[] {
  return parseActionClauses(context, at, parseNounLists)
    .filter(({ verbs, slots, start }) => isNominal(verbs[0]!) && !slots.subject && verbs[0]!.start === start)
    .map((clause) => ({ pattern: toActionPattern(context, clause), end: clause.end, cost: clause.cost }));
}

/** The words that all actions are under. */
const anyAction = ['happen', 'relate'];

const anythingPhrases = [
  'all events',
  'every event',
  'any event',
  'events',
  'event',
  'everything that',
  'everything',
  'all',
];

/** Parses "events", "everything". */
function parseAnything(context: ParseContext, at: number): ParsedCondition[] {
  const acting = parseNounLists(context, at, 'object').flatMap((subject): ParsedCondition[] => {
    const end = ['does anything', 'do anything', 'did anything', 'did something']
      .map((phrase) => context.skip(subject.end, phrase))
      .find((each) => each !== undefined);
    if (end === undefined) return [];
    return [
      {
        condition: { action: anyAction, subject: toSlotPattern(context, subject, 'subject') },
        end,
        cost: subject.cost + 2,
      },
    ];
  });
  if (acting.length > 0) return acting;
  const phrase = anythingPhrases.find((each) => context.skip(at, each) !== undefined);
  if (phrase === undefined) return [];
  return [{ condition: { any: [{ action: [] }, { property: [] }] }, end: context.skip(at, phrase)!, cost: 4 }];
}

/** "player killed" is more likely passive: the action requires an object. */
function lacksRequiredObject({ verbs, slots }: ActionClause): boolean {
  const { voice, form, word } = verbs[0]!;
  return voice === 'active' && form === 'past' && !slots.object && word.slots.object.use === 'required';
}

function toActionPattern(context: ParseContext, { verbs, slots: given, amount, unit }: ActionClause): ActionPattern {
  const isAnything = given.object?.any.every(({ words, name }) => words.length === 0 && name === undefined) ?? false;
  // "block anything" where the logs state that somebody blocks an attack
  const isLonger = isAnything && verbs.some(({ word }) => namesObject(word) || longerActions(context, word).length > 0);
  // "how many did Silva score"
  const { object, ...others } = given;
  const slots: ActionClause['slots'] = isLonger ? others : { ...others, ...(object && { object }) };
  const patterns = (Object.entries(slots) as [WordSlot, NounList][]).map(([slot, list]) => {
    const redirected = slots.with ? slot : redirectInstruments(context.dictionary, slot, list, verbs);
    // "kills on Sarge"
    const target =
      redirected === 'at' && !slots.object && areCharacters(context.dictionary, list) ? 'object' : redirected;
    return [target, toSlotPattern(context, list, target)] as const;
  });
  const actions = [
    ...new Set(
      verbs.flatMap(({ word }) => [
        word.id,
        ...(slots.object ? [] : longerActions(context, word)),
        ...alternativesFor(context, word).map(({ id }) => id),
      ]),
    ),
  ];
  return {
    action: recordSpan(actions, context, { start: verbs[0]!.start, end: verbs.at(-1)!.end }),
    ...(Object.fromEntries(patterns) as Partial<Record<WordSlot, SlotPattern>>),
    ...(amount && { amount }),
    ...(unit && { unit: toIds(context, unit.words, unit) }),
  };
}

/** Is what it is done to a part of its name, as in "block attack"? */
function namesObject({ ownNoun }: Word): boolean {
  return ownNoun !== undefined && !particles.has(ownNoun);
}

const particles = wordSet('up down off out in on over back away through around along apart together');

/** "who scored" is about goals, "saves" about shots: without an object, the actions that name it are meant. */
function longerActions(context: ParseContext, word: Word): readonly string[] {
  const { name } = word;
  if (name !== 'score') return context.mentions(word) ? [] : context.longerActions(word).map(({ id }) => id);
  return context.dictionary
    .words('action')
    .filter((each) => each.name.startsWith(`${name} `))
    .map(({ id }) => id);
}

function areCharacters(dictionary: Dictionary, { any }: NounList): boolean {
  return any.every(
    ({ words, name }) =>
      name !== undefined ||
      (words.length > 0 && words.every(({ word }) => dictionary.isA(word.id, 'character', 'object'))),
  );
}

/** "deaths by shotgun": a weapon as the subject is the instrument. */
function redirectInstruments(
  dictionary: Dictionary,
  slot: WordSlot,
  { any, except }: NounList,
  verbs: ActionClause['verbs'] = [],
): WordSlot {
  if (slot !== 'subject') return slot;
  // "my sword purchase" is made with nothing.
  const isHarm = verbs.every(({ word }) =>
    ['harm', 'die', 'attack', 'use'].some((id) => dictionary.isA(word.id, id, 'action')),
  );
  if (!isHarm) return slot;
  const areWeapons = [...any, ...except].every(
    ({ words }) =>
      words.length > 0 &&
      words.every(({ word }) => ['item', 'ability'].some((id) => dictionary.isA(word.id, id, 'object'))),
  );
  return areWeapons ? 'with' : slot;
}

/** Parses the conditions about a property that start at a token. */
export function parsePropertyPatterns(context: ParseContext, at: number): ParsedCondition[] {
  const patterns = parsePropertyHeads(context, at, parseNounLists).flatMap((head) => [
    { condition: toPropertyPattern(context, head, {}), end: head.end, cost: head.cost + eventNounCost(context, head) },
    ...parseChangePatterns(context, head),
    ...parseChangeNouns(context, head),
    ...parseShownNumber(context, head),
  ]);
  patterns.push(...parseChangesOf(context, at), ...parseDamageTo(context, at));
  const to = adjectives.get(context.wordAt(at) ?? '');
  if (!to) return patterns;
  const adjectivePatterns = parsePropertyHeads(context, at + 1, parseNounLists).map((head) => ({
    condition: toPropertyPattern(context, head, { to }),
    end: head.end,
    cost: head.cost,
  }));
  return [...patterns, ...adjectivePatterns];
}

/** Parses "lap 2" where the screen counts laps: it begins when the counter shows it. */
function parseShownNumber(context: ParseContext, head: PropertyClause): ParsedCondition[] {
  const number = head.isCaption ? numberValue(context.tokens[head.end]) : undefined;
  if (number === undefined) return [];
  const condition = toPropertyPattern(context, head, { to: { min: number, max: number } });
  return [{ condition, end: head.end + 1, cost: head.cost + 1 }];
}

/** "kills" is more likely what happens than a number on the screen. */
function eventNounCost({ lexicon, tokens }: ParseContext, { head, end }: PropertyClause): number {
  const forms = head ? lexicon.find('action', tokens, head.start) : [];
  return forms.some((match) => match.end === end && ['third', 'noun', 'nouns'].includes(match.entry.form)) ? 2 : 0;
}

const changeNouns = new Map<string, NonNullable<PropertyPattern['change']>>(
  Object.entries({
    loss: 'drops',
    losses: 'drops',
    drop: 'drops',
    drops: 'drops',
    decrease: 'drops',
    gain: 'rises',
    gains: 'rises',
    increase: 'rises',
    rise: 'rises',
    jump: 'rises',
    spike: 'rises',
    dip: 'drops',
    change: 'changes',
    changes: 'changes',
  } as const),
);

/** Parses "health loss", "armor gains". */
function parseChangeNouns(context: ParseContext, head: PropertyClause): ParsedCondition[] {
  const noun = changeNouns.get(context.wordAt(head.end) ?? '');
  if (!noun) return [];
  const change = numericDirection(noun, head.properties[0]!) ?? noun;
  const plain = { condition: toPropertyPattern(context, head, { change }), end: head.end + 1, cost: head.cost - 0.5 };
  const own = context.skip(head.end + 1, 'of mine') ?? context.skip(head.end + 1, 'by me');
  const player = own === undefined ? undefined : playerPhrase(context, { start: head.end + 1, end: own });
  if (!player) return [plain];
  const condition = toPropertyPattern(context, { ...head, subject: singleNoun(player) }, { change });
  return [plain, { condition, end: own!, cost: head.cost }];
}

/** Parses "drop of Kenta's health", "rise in score". */
function parseChangesOf(context: ParseContext, at: number): ParsedCondition[] {
  const noun = changeNouns.get(context.wordAt(at) ?? '');
  const next = noun && (context.skip(at + 1, 'of') ?? context.skip(at + 1, 'in'));
  if (next === undefined) return [];
  return parsePropertyHeads(context, next, parseNounLists).map((head) => {
    const change = numericDirection(noun, head.properties[0]!) ?? noun!;
    return { condition: toPropertyPattern(context, head, { change }), end: head.end, cost: head.cost };
  });
}

/** Parses "damage to Nova", "damage taken by Nova": a loss of health. */
function parseDamageTo(context: ParseContext, at: number): ParsedCondition[] {
  const next = ['damage to', 'damage on', 'damage taken by', 'damage received by', 'damage suffered by']
    .map((phrase) => context.skip(at, phrase))
    .find((each) => each !== undefined);
  const [head] = next === undefined ? [] : parseDamage(context, at);
  if (!head || next === undefined) return [];
  return parseNounLists(context, next, 'object').map((subject) => ({
    condition: toPropertyPattern(context, { ...head, subject }, { change: 'drops' }),
    end: subject.end,
    cost: subject.cost + 1 + Math.min(...head.properties.map(({ word }) => context.absenceCost(word))),
  }));
}

/** "low health": the limits are conventions, which `explainQuery` shows. */
export const adjectives: ReadonlyMap<string, ValuePattern> = new Map([
  ['low', { below: 25 }],
  ['high', { above: 75 }],
  ['no', { min: 0, max: 0 }],
  ['zero', { min: 0, max: 0 }],
]);

function toPropertyPattern(
  context: ParseContext,
  { properties, head, subject }: PropertyClause,
  rest: Partial<PropertyPattern>,
): PropertyPattern {
  return {
    property: toIds(context, properties, head),
    ...(subject && { subject: toSlotPattern(context, subject, 'subject') }),
    ...rest,
  };
}

function parseChangePatterns(context: ParseContext, head: PropertyClause): ParsedCondition[] {
  const verb = parseDirection(context, head.end);
  const at = verb?.end ?? head.end;
  const direction = verb?.direction;
  const numeric = numericDirection(direction, head.properties[0]!);
  const change: Partial<PropertyPattern> = numeric
    ? { change: numeric }
    : direction === 'changes'
      ? { change: direction }
      : {};
  const make = (rest: Partial<PropertyPattern>, end: number): ParsedCondition => ({
    condition: toPropertyPattern(context, head, rest),
    end,
    cost: head.cost + (verb?.cost ?? 0),
  });
  // "drops below 20" is the moment of crossing; "is below 20" is any new value there.
  const comparison = parseComparison(context, context.skip(at, 'to') ?? at);
  if (comparison)
    return [make({ ...change, ...crossing(numeric, comparison.range), to: comparison.range }, comparison.end)];
  if (!verb) {
    context.expect(head.end, 'drops, rises, changes, below or above');
    return [];
  }
  context.reach(at);
  const patterns = [make(change, at)];
  const afterBy = context.skip(at, 'by');
  const difference = afterBy === undefined ? undefined : parseAmount(context, afterBy);
  if (difference) patterns.push(make({ ...change, by: difference.range }, difference.end));
  if (direction === 'becomes')
    for (const { value, end } of parseValues(context, at))
      patterns.push(make({ to: toValuePattern(context, value) }, end));
  for (const first of parseValuesAfter(context, at, 'from')) {
    const from = toValuePattern(context, first.value);
    patterns.push(make({ ...change, from }, first.end));
    const bound = parseComparison(context, context.skip(first.end, 'to') ?? first.end);
    if (bound) patterns.push(make({ ...change, from, to: bound.range }, bound.end));
    for (const { value, end } of parseValuesAfter(context, first.end, 'to'))
      patterns.push(make({ ...change, from, to: toValuePattern(context, value) }, end));
  }
  for (const { value, end } of parseValuesAfter(context, at, 'to'))
    patterns.push(make({ ...change, to: toValuePattern(context, value) }, end));
  return patterns;
}

/** The properties of whoever a clause is about; what the screen shows is the player's. */
function ownHeads(heads: readonly PropertyClause[], subject: NounList | undefined): readonly PropertyClause[] {
  return heads
    .filter((head) => !head.subject || (head.isCaption && (!subject || isPlayerAlone(subject))))
    .map((head) => (head.isCaption || !subject ? head : { ...head, subject }));
}

function parseOwnHeads(context: ParseContext, at: number, subject: NounList | undefined): readonly PropertyClause[] {
  return ownHeads(parsePropertyHeads(context, at, parseNounLists), subject);
}

/** Parses a number or a comparison. */
function parseAmount(context: ParseContext, at: number): { range: Range; end: number } | undefined {
  const comparison = parseComparison(context, at);
  if (comparison) return comparison;
  const number = numberValue(context.tokens[at]);
  return number === undefined ? undefined : { range: { min: number, max: number }, end: at + 1 };
}

/** The previous value of a property that crosses a bound. */
function crossing(direction: string | undefined, to: Range): { from?: ValuePattern } {
  if (direction === 'drops') {
    if (to.below !== undefined) return { from: { min: to.below } };
    if (to.max !== undefined && to.min === undefined) return { from: { above: to.max } };
  }
  if (direction === 'rises') {
    if (to.above !== undefined) return { from: { max: to.above } };
    if (to.min !== undefined && to.max === undefined) return { from: { below: to.min } };
  }
  return {};
}

function toValuePattern(context: ParseContext, value: ParsedValue): ValuePattern {
  if ('number' in value) return { min: value.number, max: value.number };
  if ('text' in value) return { text: value.text };
  return { any: value.nouns.any.map((noun) => toMentionPattern(context, noun)) };
}

const lossVerbs = wordSet('loses lose lost losing uses use used using spends spend spent spending wastes waste wasted');
const gainVerbs = wordSet('gains gain gained gaining regains regained recovers recovered');
const collectVerbs = wordSet('collect collects collected collecting earn earns earned grab grabs grabbed');
const takeVerbs = wordSet('takes take took taken taking suffers suffer suffered suffering');
const gainAuxiliaries = wordSet('has have had is was');

/** Parses "player loses 20 health", "gaining armor" and "player takes damage", which is a loss of health. */
export function parseGains(context: ParseContext, at: number): ParsedCondition[] {
  return [
    ...parseGainsAfter(context, at, undefined),
    ...parseNounLists(context, at, 'object').flatMap((subject) => parseGainsAfter(context, subject.end, subject)),
  ];
}

function parseGainsAfter(context: ParseContext, start: number, subject: NounList | undefined): ParsedCondition[] {
  const at = subject && gainAuxiliaries.has(context.wordAt(start) ?? '') ? start + 1 : start;
  const verb = context.wordAt(at) ?? '';
  const climbing = [
    ...parseClimbing(context, at, subject),
    ...parseReaching(context, at, subject),
    ...parseRunningOut(context, at, subject),
    ...parseTakingPlace(context, at, subject),
    ...parseGettingTo(context, at, subject),
  ];
  if (climbing.length > 0) return climbing;
  const isTaking = takeVerbs.has(verb);
  const isCollecting = collectVerbs.has(verb);
  const change = isTaking || lossVerbs.has(verb) ? 'drops' : gainVerbs.has(verb) || isCollecting ? 'rises' : undefined;
  if (!change) return [];
  const amount = parseAmount(context, at + 1);
  const amounts = [{ range: undefined, end: at + 1 }, ...(amount ? [amount] : [])];
  return amounts.flatMap(({ range, end }) => {
    // "20 points of health"
    const unit = range && parseNouns(context, end).find((noun) => context.wordAt(noun.end) === 'of');
    const article = ['a', 'an', 'one', 'some', 'any'].includes(context.wordAt(end) ?? '') ? end + 1 : end;
    const next = unit ? unit.end + 1 : article;
    const levels = change === 'rises' && !range ? parseLevels(context, next, subject) : [];
    if (levels.length > 0) return levels;
    const heads = isTaking
      ? parseDamage(context, next)
      : [...parsePropertyHeads(context, next, parseNounLists), ...parsePlaces(context, next)];
    // What is collected is counted on the screen, or obtained.
    return (
      ownHeads(heads, subject)
        .filter((head) => head.isCaption || !isCollecting)
        // Weapons that one uses are no loss.
        .filter(({ properties }) => properties.every(({ word }) => word.id !== 'weapon'))
        .map((head) => ({
          condition: toPropertyPattern(context, head, {
            change: numericDirection(change, head.properties[0]!)!,
            ...(range && { by: range }),
          }),
          end: head.end,
          // "lose more than 10 health" is no defeat.
          cost:
            (subject?.cost ?? 0) + head.cost + (range && (range.min === undefined || range.min !== range.max) ? -1 : 1),
        }))
    );
  });
}

/** Parses "a level" after "gain" where the logs say that somebody levels up. */
function parseLevels(context: ParseContext, at: number, subject: NounList | undefined): ParsedCondition[] {
  const action = context.dictionary.find('level up', 'action');
  const end = context.skip(at, 'level') ?? context.skip(at, 'levels');
  const isCounted = action && context.knowsLogs && context.mentions(action);
  if (!isCounted || end === undefined) return [];
  const ids = recordSpan([action.id], context, { start: at, end });
  const whose = subject && { subject: toSlotPattern(context, subject, 'subject') };
  return [{ condition: { action: ids, ...whose }, end, cost: subject?.cost ?? 0 }];
}

function rankHead(context: ParseContext, start: number, end: number): PropertyClause[] {
  const word = context.dictionary.find('rank', 'property');
  if (!word || !context.mentions(word)) return [];
  context.reach(end);
  return [{ kind: 'property', properties: [{ word, cost: 0 }], head: { start, end }, start, end, cost: 1 }];
}

const places = wordSet('place places position positions spot spots rank ranks');

/** Parses "places" in "gain two places". */
function parsePlaces(context: ParseContext, at: number): PropertyClause[] {
  return places.has(context.wordAt(at) ?? '') ? rankHead(context, at, at + 1) : [];
}

const climbs = ['move up', 'moves up', 'moved up', 'climb', 'climbs', 'climbed', 'advance', 'advances', 'advanced'];
const fallsBack = [
  'drop back',
  'drops back',
  'dropped back',
  'fall back',
  'falls back',
  'fell back',
  'move down',
  'moved down',
];

/** Parses "moved up", "dropped back": the rank changes. */
function parseClimbing(context: ParseContext, at: number, subject: NounList | undefined): ParsedCondition[] {
  return [...climbs, ...fallsBack].flatMap((phrase) => {
    const end = context.skip(at, phrase);
    const [head] = end === undefined ? [] : rankHead(context, at, end);
    if (!head || end === undefined) return [];
    const change = numericDirection(climbs.includes(phrase) ? 'improves' : 'worsens', head.properties[0]!)!;
    const condition = toPropertyPattern(context, { ...head, ...(subject && { subject }) }, { change });
    const last = ['in the ranking', 'in the rankings', 'in rank', 'the ranking'].map((each) => context.skip(end, each));
    return [{ condition, end: last.find((each) => each !== undefined) ?? end, cost: (subject?.cost ?? 0) + 1 }];
  });
}

/** Parses "dropped under 20 health", "fell to 5 hp", "reached 100 armor". */
function parseReaching(context: ParseContext, at: number, subject: NounList | undefined): ParsedCondition[] {
  const verb = reachingVerbs.get(context.wordAt(at) ?? '');
  if (verb === undefined) return [];
  const next = context.skip(at + 1, 'down to') ?? context.skip(at + 1, 'to') ?? at + 1;
  const bound = parseComparison(context, next);
  const number = bound || (next === at + 1 && verb !== 'rises') ? undefined : numberValue(context.tokens[next]);
  // Whoever reaches 50 may go beyond it at once.
  const isReached = verb === 'rises' && /^(?:reach|hit)/.test(context.wordAt(at)!);
  const range =
    bound?.range ??
    (number === undefined ? undefined : { min: number, ...((!isReached || number === 0) && { max: number }) });
  if (!range) return [];
  const isFall = range.below !== undefined || range.max !== undefined;
  // Health hits 2 on its way down, a score on its way up.
  const isHit = isReached && number !== undefined && number > 0 && context.wordAt(at) === 'hit';
  // "hit zero health"
  const isNothing = isReached && number === 0;
  const change = isNothing ? 'drops' : verb === 'either' ? (isFall ? 'drops' : 'rises') : verb;
  return parseOwnHeads(context, bound?.end ?? next + 1, subject).map((head) => ({
    condition: isHit
      ? {
          any: (['rises', 'drops'] as const).map((each) => {
            const crossed = each === 'rises' ? { min: number } : { max: number };
            return toPropertyPattern(context, head, { change: each, ...crossing(each, crossed), to: crossed });
          }),
        }
      : toPropertyPattern(context, head, { change, ...crossing(change, range), to: range }),
    end: head.end,
    cost: (subject?.cost ?? 0) + head.cost,
  }));
}

/** Parses "took the lead", "got first", "reached third place": the rank becomes that. */
function parseTakingPlace(context: ParseContext, start: number, subject: NounList | undefined): ParsedCondition[] {
  if (!takingVerbs.has(context.wordAt(start) ?? '')) return [];
  const at = context.skip(start + 1, 'into') ?? context.skip(start + 1, 'to') ?? start + 1;
  const first = context.skip(at, 'the lead') ?? context.skip(at, 'lead');
  const name = context.skip(at, 'the') ?? at;
  const ordinal = ordinalValue(context.wordAt(name) ?? '');
  const hasNoun = places.has(context.wordAt(name + 1) ?? '');
  const isLast = name + 1 === context.tokens.length;
  const nth = first === undefined ? (hasNoun || isLast ? ordinal : undefined) : 1;
  if (nth === undefined || nth < 1) return [];
  const end = first ?? (hasNoun ? name + 2 : name + 1);
  const [rank] = rankHead(context, start, end);
  const displays = context.displays.filter((each) => places.has(each.name.toLowerCase()));
  const head = rank ?? displayHeads(context, displays, { start, end })[0];
  if (!head) return [];
  const to = { min: nth, max: nth };
  const condition = toPropertyPattern(context, { ...head, ...(rank && subject && { subject }) }, { to });
  return [{ condition, end, cost: (subject?.cost ?? 0) + 1 }];
}

const takingVerbs = wordSet(
  'take takes took taken get gets got gain gained reach reaches reached move moved climb climbed',
);

/** Parses "got to lap 3", "reached level 2" where the screen shows the lap or level. */
function parseGettingTo(context: ParseContext, start: number, subject: NounList | undefined): ParsedCondition[] {
  if (!/^(?:get|gets|got|reach|reaches|reached|hit)$/.test(context.wordAt(start) ?? '')) return [];
  if (subject && !isPlayerAlone(subject)) return [];
  return parsePropertyHeads(context, context.skip(start + 1, 'to') ?? start + 1, parseNounLists)
    .filter(({ isCaption }) => isCaption)
    .flatMap((head) => {
      const number = numberValue(context.tokens[head.end]);
      if (number === undefined) return [];
      const condition = toPropertyPattern(context, head, { to: { min: number, max: number } });
      return [{ condition, end: head.end + 1, cost: head.cost + 1 }];
    });
}

/** Parses "run out of ammo": its value drops to nothing. */
function parseRunningOut(context: ParseContext, at: number, subject: NounList | undefined): ParsedCondition[] {
  const next = context.skip(at, 'run out of') ?? context.skip(at, 'runs out of');
  if (next === undefined) return [];
  return parseOwnHeads(context, next, subject).map((head) => ({
    condition: toPropertyPattern(context, head, { change: 'drops', to: { min: 0, max: 0 } }),
    end: head.end,
    cost: (subject?.cost ?? 0) + head.cost,
  }));
}

const verbsOf = <const Kind extends string>(text: string, kind: Kind): (readonly [string, Kind])[] =>
  text.split(' ').map((verb) => [verb, kind] as const);

const reachingVerbs: ReadonlyMap<string, 'drops' | 'rises' | 'either'> = new Map<string, 'drops' | 'rises' | 'either'>([
  ...verbsOf('drop drops dropped dropping fall falls fell falling sink sank sinking', 'drops'),
  ...verbsOf('rise rises rose rising climb climbed reach reaches reached reaching hit', 'rises'),
  ...verbsOf('go goes went going get gets got getting', 'either'),
]);

function isPlayerAlone({ any, except }: NounList): boolean {
  const [noun] = any;
  return any.length === 1 && except.length === 0 && noun!.words.length === 1 && noun!.words[0]!.word.id === 'player';
}

function parseDamage(context: ParseContext, start: number): PropertyClause[] {
  const word = context.wordAt(start) === 'damage' ? context.dictionary.find('health', 'property') : undefined;
  if (!word) return [];
  const end = start + 1;
  context.reach(end);
  return [{ kind: 'property', properties: [{ word, cost: 0 }], head: { start, end }, start, end, cost: 1 }];
}

const fragmentPrepositions = [
  ['with', 'with'],
  ['using', 'with'],
  ['by', 'subject'],
  ['to', 'to'],
  ['from', 'from'],
  ['at', 'at'],
  ['in', 'at'],
  ['into', 'at'],
  ['on', 'at'],
  ['against', 'object'],
  ['of', 'object'],
] as const;

/** Parses a slot of any action: "with railgun", "by player", "at red base", "by headshot". */
export function parseSlotFragments(context: ParseContext, at: number): ParsedCondition[] {
  const fragments = fragmentPrepositions.flatMap(([preposition, named]) => {
    const next = context.skip(at, preposition);
    // "with the plasma"
    const weapons =
      next === undefined || named !== 'with'
        ? []
        : parseWeaponNames(context, context.skip(next, 'the') ?? context.skip(next, 'a') ?? next);
    const lists = next === undefined ? [] : [...parseNounLists(context, next, 'object'), ...weapons];
    return lists.map((list) => toFragment(context, redirectInstruments(context.dictionary, named, list), list));
  });
  const manners = parseManners(context, at).map((list) => toFragment(context, 'manner', list));
  return [...fragments, ...manners, ...parseWithout(context, at)];
}

/** Parses "without weapon", "without headshot". */
export function parseWithout(context: ParseContext, at: number): ParsedCondition[] {
  const next = context.skip(at, 'without') ?? context.skip(at, 'with no');
  if (next === undefined) return [];
  return [
    ...parseNounLists(context, next, 'object')
      .filter((list) => canBeMeans(context.dictionary, list))
      .map((list) => toFragment(context, 'with', list, { absent: true })),
    ...parseManners(context, next).map((list) => toFragment(context, 'manner', list, { absent: true })),
  ];
}

/** Can something be done with it? Without somebody is no way of doing something. */
function canBeMeans(dictionary: Dictionary, { any }: NounList): boolean {
  const kinds = ['item', 'ability', 'vehicle', 'structure', 'body part'];
  return any.every(
    ({ words, name }) =>
      name === undefined &&
      words.length > 0 &&
      words.every(({ word }) => kinds.some((kind) => dictionary.isA(word.id, kind, 'object'))),
  );
}

function toFragment(context: ParseContext, slot: WordSlot, list: NounList, rest: SlotPattern = {}): ParsedCondition {
  const condition = { action: [], [slot]: { ...toSlotPattern(context, list, slot), ...rest } };
  return { condition, end: list.end, cost: list.cost + 1 };
}

function parseManners(context: ParseContext, at: number): NounList[] {
  return parseNounLists(context, at, 'property').filter(({ any }) =>
    any.every(({ words }) => words.some(({ word }) => context.dictionary.isA(word.id, 'manner', 'property'))),
  );
}

/** Parses a noun alone, which matches whatever mentions it. */
function parseMentions(context: ParseContext, at: number): ParsedCondition[] {
  return parseNounLists(context, at, 'object').map((list) => ({
    condition: { mentions: toSlotPattern(context, list, 'object') },
    end: list.end,
    cost: list.cost + 3,
  }));
}

/** The pattern of a slot that a noun list fills. */
export function toSlotPattern(context: ParseContext, list: NounList, slot: WordSlot): SlotPattern {
  const any = list.any
    .flatMap((noun) => ownTeam(context, noun) ?? [noun])
    .map((noun) => (slot === 'subject' ? asActor(context, noun) : noun))
    .map((noun) => toMentionPattern(context, slot === 'with' ? withWeapons(context.dictionary, noun) : noun))
    .filter((pattern) => Object.keys(pattern).length > 0);
  return {
    ...(any.length > 0 && any.length >= list.any.length && { any }),
    ...(list.except.length > 0 && { except: list.except.map((noun) => toMentionPattern(context, noun)) }),
    ...(list.any.some((noun) => noun.same) && { same: slot }),
  };
}

const actingThings = ['car', 'driver', 'racer', 'rider', 'fighter'];

/** "how many cars finished": where the logs name those who act by their roles. */
function asActor({ dictionary, facts }: ParseContext, noun: NounPhrase): NounPhrase {
  const { words, name, of } = noun;
  const isThing =
    words.length > 0 && words.every(({ word }) => actingThings.includes(word.id) && facts?.acts(word) === false);
  if (!isThing || name !== undefined || of) return noun;
  const roles = ['player', 'opponent', 'teammate'].flatMap((id) => dictionary.find(id, 'object') ?? []);
  return { ...noun, words: roles.map((word) => ({ word, cost: 0 })) };
}

/** What shoots it is named for what it shoots: "rocket kills" are those with a rocket launcher too. */
function withWeapons(dictionary: Dictionary, noun: NounPhrase): NounPhrase {
  const weapons = noun.words.flatMap(({ word }) =>
    [' launcher', ' gun', ' rifle'].flatMap((suffix) => dictionary.find(`${word.id}${suffix}`, 'object') ?? []),
  );
  return weapons.length === 0
    ? noun
    : { ...noun, words: [...noun.words, ...weapons.map((word) => ({ word, cost: 0 }))] };
}

/** "my teammate": logs name roles as seen by the player. */
function isRoleOfPlayer({ dictionary }: ParseContext, { words, of }: NounPhrase): boolean {
  const roles = ['teammate', 'opponent', 'enemy'];
  return (
    of?.words[0]?.word.id === 'player' &&
    of.name === undefined &&
    words.length > 0 &&
    words.every(({ word }) => roles.some((role) => dictionary.isA(word.id, role, 'object')))
  );
}

/** "my team" is the player, the teammates and what the logs call the own team, where the logs know any of these. */
function ownTeam(context: ParseContext, noun: NounPhrase): readonly NounPhrase[] | undefined {
  const { words, of, name } = noun;
  const isOfPlayer = of?.words[0]?.word.id === 'player' && of.name === undefined && name === undefined;
  const isTeam = words.length > 0 && words.every(({ word }) => word.id === 'team' || word.id === 'squad');
  if (!isOfPlayer || !isTeam) return undefined;
  const others = ['teammate', 'own team'].flatMap((id) => context.dictionary.find(id, 'object') ?? []);
  // "group wipes": of a group and no team, squad or other kind of group, the player is a member.
  const group = context.dictionary.find('group', 'object');
  const isOnlyGroup = !context.dictionary.descendants('group', 'object').some((word) => context.mentions(word));
  const known = [...others, ...(group && isOnlyGroup ? [group] : [])].filter((word) => context.mentions(word));
  return known.length > 0 ? [of, ...known.map((word) => ({ ...of, words: [{ word, cost: 0 }] }))] : undefined;
}

function toMentionPattern(context: ParseContext, noun: NounPhrase): MentionPattern {
  return {
    ...(noun.words.length > 0 && { words: toIds(context, noun.words, noun.head ?? noun) }),
    ...(noun.name !== undefined && { name: noun.name }),
    ...(noun.count !== undefined && { count: { min: noun.count, max: noun.count } }),
    ...(noun.range && { count: noun.range }),
    ...(noun.of && !isRoleOfPlayer(context, noun) && { of: toMentionPattern(context, noun.of) }),
  };
}

/** The ids of all words that share the spelling. */
function toIds(context: ParseContext, words: readonly WordCandidate[], span: TokenSpan | undefined): readonly string[] {
  const others = words.flatMap(({ word }) => alternativesFor(context, word));
  const ids = [...new Set([...words.map(({ word }) => word), ...others])].map(({ id }) => id);
  return span ? recordSpan(ids, context, span) : ids;
}
