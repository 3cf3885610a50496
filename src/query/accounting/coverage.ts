import type { Dictionary, Word } from '../../dictionary/dictionary.ts';
import { wordSlots, type WordSlot } from '../../dictionary/format.ts';
import type { Mention } from '../../events/statement.ts';
import {
  alternativesOf,
  childConditions,
  type ActionPattern,
  type Condition,
  type MentionPattern,
  type PropertyPattern,
  type Query,
  type SlotPattern,
} from '../query.ts';
import type { Vocabulary } from '../vocabulary.ts';

/**
 * What logs may lack because it did not happen, rather than because they do not say it: these actions themselves, not the ones
 * under them.
 */
const usualActions: ReadonlySet<string> = new Set(
  ['harm', 'hurt', 'hit', 'kill', 'defeat', 'die', 'kill oneself', 'kill teammate', 'revive', 'heal'].concat([
    'win',
    'lose',
    'foul',
    'commit foul',
    'happen',
    'relate',
  ]),
);

/** What somebody loses, somebody else wins: logs that state the one and not the other say it in other words. */
const converseOf: ReadonlyMap<string, string> = new Map([
  ['win', 'lose'],
  ['lose', 'win'],
]);

/** Can logs lack the action because it did not happen, rather than because they do not say it? */
export function mayNotHappen({ id }: Word, dictionary: Dictionary, vocabulary: Vocabulary): boolean {
  const converse = dictionary.find(converseOf.get(id) ?? '', 'action');
  return usualActions.has(id) && !(converse && vocabulary.has(converse));
}

/** Who may do nothing in a log although it is about them. */
const roles: ReadonlySet<string> = new Set([
  'player',
  'opponent',
  'enemy',
  'teammate',
  'character',
  'coach',
  'referee',
]);

/** What an action is said to be done with, where and how, from where and to whom: which logs say of some actions only. */
const circumstances: readonly WordSlot[] = ['with', 'at', 'from', 'to', 'manner'];

/**
 * Finds a word of a query of which the logs cannot say anything, so that an answer of nothing would be wrong: an action or a
 * property that none of their events has, a thing that never acts in them as the one who acts ("gold buys shield"), or a place,
 * means or manner in logs that state none.
 */
export function findUncovered(query: Query, dictionary: Dictionary, vocabulary: Vocabulary): Word | undefined {
  const { find, ratio, share, streak, versus, state, measure, sort } = query;
  // "longest kill" where no event says how long
  if ((measure?.of === 'amount' || sort?.of === 'amount') && 'action' in find) {
    const actions = (find as ActionPattern).action.flatMap((id) => dictionary.find(id, 'action') ?? []);
    if (!actions.some((each) => vocabulary.hasAmounts(each))) return actions[0];
  }
  const search = new UncoveredSearch(dictionary, vocabulary);
  // What is only mentioned must be mentioned, or the answer would be nothing.
  for (const part of query.count ? ('all' in find ? find.all : [find]) : 'mentions' in find ? [find] : []) {
    const counted = 'mentions' in part ? search.inMentions((part.mentions as SlotPattern).any ?? []) : undefined;
    if (counted) return counted;
  }
  for (const condition of [find, ratio, share, streak, versus?.with]) {
    const found = condition && search.inCondition(condition);
    if (found) return found;
  }
  for (const key of query.by ?? []) {
    const found = 'word' in key ? search.inGroup(key.word, find) : undefined;
    if (found) return found;
  }
  return state && (search.inProperty(state) ?? search.ofSeveral(state));
}

class UncoveredSearch {
  private readonly dictionary: Dictionary;
  private readonly vocabulary: Vocabulary;

  constructor(dictionary: Dictionary, vocabulary: Vocabulary) {
    this.dictionary = dictionary;
    this.vocabulary = vocabulary;
  }

  inCondition(condition: Condition): Word | undefined {
    const alternatives = alternativesOf(condition);
    if (alternatives) {
      const found = alternatives.map((each) => this.inCondition(each));
      return found.every((each) => each !== undefined) ? found[0] : undefined;
    }
    if ('action' in condition) return this.inAction(condition as ActionPattern);
    if ('property' in condition) return this.inProperty(condition as PropertyPattern);
    if ('while' in condition) return this.inProperty(condition.while);
    if ('mentions' in condition) return this.inOwner((condition.mentions as SlotPattern).any ?? []);
    if ('all' in condition) {
      // What an action is done with and where may stand in a condition of its own.
      const patterns = condition.all.filter((each): each is ActionPattern => 'action' in each);
      const fragments = patterns.filter(({ action }) => action.length === 0);
      for (const pattern of patterns.filter(({ action }) => action.length > 0))
        for (const fragment of fragments) {
          const found = this.inAction({ ...fragment, ...pattern });
          if (found) return found;
        }
    }
    for (const child of childConditions(condition)) {
      // What something happens before or after must be there.
      const inner = 'near' in condition && child === condition.near && 'nth' in child ? child.of : child;
      const isMoment = 'near' in condition && child === condition.near && 'mentions' in inner;
      const found = isMoment ? this.inMentions((inner.mentions as SlotPattern).any ?? []) : this.inCondition(child);
      if (found) return found;
    }
    return undefined;
  }

  inProperty({ property, subject }: Pick<PropertyPattern, 'property' | 'subject'>): Word | undefined {
    const words = property.flatMap((id) => this.dictionary.find(id, 'property') ?? []);
    const known = words.filter((each) => this.vocabulary.has(each));
    if (words.length > 0 && known.length === 0) return words[0];
    // "Sarge's health" in logs that state that of the player only
    const owners = known.flatMap((each) => this.vocabulary.owners(each));
    const isStated = !subject?.any || subject.any.some((each) => owners.some((owner) => this.covers(each, owner)));
    return known.length === 0 || isStated ? undefined : known[0];
  }

  /** "score when Kato was sent off": of several whose score it is, one alone is no answer. */
  ofSeveral({ property, subject }: Pick<PropertyPattern, 'property' | 'subject'>): Word | undefined {
    const words = property.flatMap((id) => this.dictionary.find(id, 'property') ?? []);
    const isOfSeveral = !subject && words.some((each) => this.vocabulary.owners(each).length > 1);
    return isOfSeveral ? words[0] : undefined;
  }

  private covers({ words, name }: MentionPattern, owner: Mention): boolean {
    const isNamed = name === undefined || name.toLowerCase() === owner.name?.toLowerCase();
    return isNamed && (words === undefined || words.some((id) => this.dictionary.isA(owner.word, id, 'object')));
  }

  /** "which team scored the most goals" in logs in which players score. */
  inGroup(ids: readonly string[], find: Condition): Word | undefined {
    const groups = ids
      .filter((id) => this.dictionary.isA(id, 'group', 'object'))
      .flatMap((id) => this.dictionary.find(id, 'object') ?? []);
    const actions = ('all' in find ? find.all : [find])
      .flatMap((each) => ('action' in each ? (each as ActionPattern).action : []))
      .flatMap((id) => this.dictionary.find(id, 'action') ?? []);
    const takesPart = groups.some((group) => actions.some((action) => this.vocabulary.takesPart(group, action)));
    if (groups.length === ids.length && actions.length > 0 && !takesPart) return groups[0];
    // "by goalkeeper" where no event has one
    const words = ids.flatMap((id) => this.dictionary.find(id, 'object') ?? []);
    return words.length === ids.length && !words.some((word) => this.vocabulary.has(word)) ? words[0] : undefined;
  }

  /** The number of what no event mentions is not known. */
  inMentions(mentions: readonly MentionPattern[]): Word | undefined {
    const words = mentions.flatMap(({ words: ids = [], name }) =>
      name === undefined ? ids.flatMap((id) => this.dictionary.find(id, 'object') ?? []) : [],
    );
    return words.some((each) => this.vocabulary.has(each)) ? undefined : words[0];
  }

  /** "my chests": whose something is, few logs say. */
  private inOwner(mentions: readonly MentionPattern[]): Word | undefined {
    const [owned] = mentions.every(({ of }) => of !== undefined) && !this.vocabulary.statesOwners ? mentions : [];
    return owned?.words?.flatMap((id) => this.dictionary.find(id, 'object') ?? [])[0];
  }

  private inAction(pattern: ActionPattern): Word | undefined {
    const { vocabulary } = this;
    const actions = pattern.action.flatMap((id) => this.dictionary.find(id, 'action') ?? []);
    const isCovered = actions.some((each) => vocabulary.has(each) || mayNotHappen(each, this.dictionary, vocabulary));
    if (actions.length > 0 && !isCovered) return actions[0];
    // "places watch post": neither the action itself nor what it is done to
    for (const slot of wordSlots) {
      const word = this.inNames(pattern[slot]?.any ?? []);
      if (word) return word;
    }
    const owned = pattern.object?.any && this.inOwner(pattern.object.any);
    if (owned) return owned;
    const objects = this.wordsOf(pattern.object).flat();
    const isKnown = actions.some((each) => usualActions.has(each.id) || vocabulary.states(each));
    if (actions.length > 0 && !isKnown && objects.length > 0 && !objects.some((each) => vocabulary.has(each)))
      return objects[0];
    // "my ultimate": nothing is done with what no event mentions.
    const means = actions.length === 0 ? circumstances.flatMap((slot) => this.wordsOf(pattern[slot]).flat()) : [];
    if (means.length > 0 && !means.some((each) => vocabulary.has(each))) return means[0];
    for (const slot of circumstances) {
      const isUsed = vocabulary.uses(slot, actions.length > 0 ? actions : undefined);
      const [word] = isUsed ? [] : [...this.wordsOf(pattern[slot]).flat(), ...this.named(pattern[slot])];
      if (word) return word;
    }
    if (actions.length === 0) return undefined;
    // "kills with round": what happens in a round is not done with it.
    const [period] = this.wordsOf(pattern.with)
      .flat()
      .filter((word) => vocabulary.isPeriod(word) && !actions.some((each) => vocabulary.fills('with', each, word)));
    if (period) return period;
    return this.inPatient(pattern, actions) ?? this.inActor(pattern.subject, actions);
  }

  /** "goals against us" where goals are scored, not scored against somebody */
  private inPatient({ object }: ActionPattern, actions: readonly Word[]): Word | undefined {
    const isOfPeople = actions.some((each) => usualActions.has(each.id) && !/^(?:win|lose)$/.test(each.id));
    const words = this.wordsOf(object).flat();
    const people = ['character', 'group'].flatMap((id) => this.dictionary.find(id, 'object') ?? []);
    const isSomebody = ({ id }: Word): boolean => people.some((each) => this.dictionary.isA(id, each.id, 'object'));
    if (isOfPeople || words.length === 0 || !words.every((each) => isSomebody(each))) return undefined;
    const isDoneToSomebody = actions.some((action) =>
      people.some((each) => this.vocabulary.fills('object', action, each)),
    );
    return isDoneToSomebody ? undefined : words[0];
  }

  /** "message Lap" where Lap is the name of a counter */
  private inNames(mentions: readonly MentionPattern[]): Word | undefined {
    const isForeign = ({ words = [], name }: MentionPattern): boolean => {
      const named = name === undefined || words.length === 0 ? [] : this.vocabulary.wordsNamed(name);
      const isRelated = (a: string, b: string): boolean =>
        this.dictionary.isA(a, b, 'object') || this.dictionary.isA(b, a, 'object');
      return named.length > 0 && !named.some((id) => words.some((each) => isRelated(each, id)));
    };
    return mentions.length > 0 && mentions.every((each) => isForeign(each))
      ? this.dictionary.find(mentions[0]!.words![0]!, 'object')
      : undefined;
  }

  private inActor(subject: SlotPattern | undefined, actions: readonly Word[]): Word | undefined {
    const actors = this.wordsOf(subject);
    const who = new Set(actors.flat().map(({ id }) => id));
    // Whether "team Dawn" is the player's, its name does not say.
    if (who.has('player') && who.has('teammate') && actions.some((each) => this.vocabulary.isOfUnknownTeams(each)))
      return this.dictionary.find('team', 'object');
    const isThing = ({ id }: Word): boolean =>
      !this.dictionary.isA(id, 'character', 'object') && !this.dictionary.isA(id, 'group', 'object');
    // "did I need a key" where only doors need one
    const stated = actions.filter((each) => this.vocabulary.states(each));
    const people = ['character', 'group'].flatMap((id) => this.dictionary.find(id, 'object') ?? []);
    const isOfThings = !stated.some((action) => people.some((each) => this.vocabulary.fills('subject', action, each)));
    const areUsual = actions.some(({ id }) => usualActions.has(id));
    if (stated.length > 0 && isOfThings && !areUsual && actors.flat().length > 0 && !actors.flat().some(isThing))
      return stated[0];
    // "first half score": a half begins, it does not score.
    const isIdle = (words: readonly Word[]): boolean =>
      words.length > 0 &&
      words.every(
        (word) =>
          this.vocabulary.isPeriod(word) && !actions.some((each) => this.vocabulary.fills('subject', each, word)),
      );
    if (actors.length > 0 && actors.every((words) => isIdle(words))) return actors[0]![0];
    // "Lions goals" where the members of the team score
    const teams = this.named(subject);
    const isTeam = ({ id }: Word): boolean => this.dictionary.isA(id, 'group', 'object');
    const areForeign = teams.every(
      (team) => isTeam(team) && !actions.some((each) => this.vocabulary.takesPart(team, each)),
    );
    if (teams.length > 0 && actors.flat().length === 0 && areForeign) return teams[0];
    const isForeign = (words: readonly Word[]): boolean =>
      words.length > 0 && words.every((word) => isThing(word) && !this.vocabulary.acts(word));
    // "wolves goals" where wolves are no animals: who never is in the logs.
    const isAbsent = (words: readonly Word[]): boolean =>
      words.length > 0 && words.every((word) => !this.vocabulary.has(word) && !roles.has(word.id));
    const isMissing = actors.length > 0 && actors.every((words) => isForeign(words) || isAbsent(words));
    if (isMissing) return actors[0]![0];
    // "which team scored" where players score
    const isNoDoer = (words: readonly Word[]): boolean =>
      words.length > 0 &&
      words.every(
        (word) =>
          this.dictionary.isA(word.id, 'group', 'object') &&
          !actions.some((action) => this.vocabulary.takesPart(word, action)),
      );
    return actors.length > 0 && actors.every(isNoDoer) ? actors[0]![0] : undefined;
  }

  /** The words of each mention; none of a mention with a name, which may be of anything. */
  private wordsOf(slot: SlotPattern | undefined): readonly (readonly Word[])[] {
    return (slot?.any ?? []).map(({ words = [], name }: MentionPattern) =>
      name === undefined ? words.flatMap((id) => this.dictionary.find(id, 'object') ?? this.manner(id)) : [],
    );
  }

  /** What the logs call by the names of a slot. */
  private named(slot: SlotPattern | undefined): readonly Word[] {
    const ids = (slot?.any ?? []).flatMap(({ name }) => (name === undefined ? [] : this.vocabulary.wordsNamed(name)));
    return ids.flatMap((id) => this.dictionary.find(id, 'object') ?? []);
  }

  private manner(id: string): readonly Word[] {
    const word = this.dictionary.find(id, 'property');
    return word ? [word] : [];
  }
}
