import type { Token } from '../../../dictionary/sentences/tokenize.ts';
import type { GroupKey } from '../../query.ts';
import { ordinals } from '../ordinals.ts';
import type { Tokens } from './readings.ts';

/** The words of a text, as a set. */
export const asSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Auxiliaries that leave the verb in its base form. */
export const doForms = asSet('do does did can could will would');

/** Forms of "have". */
export const haveForms = asSet('have has had');

/** Forms of "be". */
export const beForms = asSet('is are was were am');

/** Verbs that only say whose an event is: "how many kills did I get". */
export const achievementVerbs = asSet(
  'make makes made get gets got gotten have has had score scored do does did done record recorded achieve achieved earn earned rack land landed suffer suffered perform performed pull pulled',
);

/** Verbs of having something at hand. */
export const holdingVerbs = asSet(
  'hold holding held wield wielding wielded carry carrying carried use using used keep kept have had having play equipped',
);

/** Words that only carry the grammar of a question. */
export const structuralWords: ReadonlySet<string> = new Set([...doForms, ...achievementVerbs, 'a', 'an', 'the']);

/** Pronouns for the player. */
export const players = asSet('i me we you');

/** Nouns for whoever it may be: "which driver won". */
export const anyone = asSet(
  'player players person people guy guys one ones bot bots participant participants driver drivers racer racers scorer scorers killer killers',
);

/** Pronouns that become "I" as a subject. */
const subjectForms: ReadonlySet<string> = new Set(['me', 'us', 'we']);

/** Nouns that name groups of events by time or session. */
export const keyNouns: ReadonlyMap<string, GroupKey> = new Map<string, GroupKey>(
  Object.entries({
    minute: 'minute',
    minutes: 'minute',
    match: 'session',
    matches: 'session',
    game: 'session',
    games: 'session',
    session: 'session',
    sessions: 'session',
    recording: 'session',
    recordings: 'session',
    video: 'session',
    log: 'session',
    life: 'life',
    lives: 'life',
  } as const).map(([noun, key]) => [noun, { key }]),
);

/** A word that the question does not contain itself, at the place of one that it does. */
export function word(text: string, place: Token | undefined): Token {
  return { kind: 'word', text, lower: text.toLowerCase(), start: place?.start ?? 0, end: place?.end ?? 0 };
}

const originals = new WeakMap<Token, Token>();

/** A word in place of one of the question: "my" for "I". */
export function substitute(text: string, original: Token): Token {
  const token = word(text, original);
  originals.set(token, original);
  return token;
}

/** The token of the question that a token stands for. */
export function originalOf(token: Token): Token {
  const original = originals.get(token);
  return original ? originalOf(original) : token;
}

/** Several words that the question does not contain itself. */
export function phrase(text: string, place: Token | undefined): Token[] {
  return text.split(' ').map((each) => word(each, place));
}

/** An “'s” after a token. */
export function possessive(place: Token | undefined): Token {
  return { kind: 'possessive', text: "'s", lower: "'s", start: place?.end ?? 0, end: place?.end ?? 0 };
}

/** "I", "Sarge" as an owner: "my", "Sarge's". */
export function owner(subject: Tokens): Tokens {
  const [first] = subject;
  if (!first) return [];
  if (subject.length === 1 && players.has(first.lower)) return [substitute('my', first)];
  return [...subject, possessive(subject.at(-1))];
}

/** "me" at the start of a clause becomes its subject. */
export function asSubject(tokens: Tokens): Tokens {
  const [first, ...rest] = tokens;
  return first?.kind === 'word' && subjectForms.has(first.lower) ? [substitute('i', first), ...rest] : tokens;
}

/** "I" after the verb of a clause is its object. */
export function asObject(tokens: Tokens): Tokens {
  const [first, ...rest] = tokens;
  return first?.kind === 'word' && first.lower === 'i' ? [substitute('me', first), ...rest] : tokens;
}

/** The words for an ordinal, for templates. */
export const ordinalWords = Object.keys(ordinals).join('|');

/** Forms of "be", for templates. */
export const be = 'is|are|was|were';

/** Forms of "do", for templates. */
export const doing = 'do|does|did';

/** Forms of "have", for templates. */
export const having = 'have|has|had';

/** How often, for rankings, for templates. */
export const most =
  'rank:the_most_often|the_most_times|the_most|most_often|most_times|most_frequently|most|the_least_often|the_least|least_often|least';
/** Superlatives of values and other words for what to compute of them, for templates. */
export const extremes =
  'highest|lowest|best|worst|max|maximum|min|minimum|peak|average|mean|top|biggest|largest|greatest|smallest|longest|shortest|total|fastest|quickest|slowest|typical|usual|coldest|hottest|warmest|strongest|weakest';
/** The prepositions of a rate, for templates. */
export const per = 'per|each|every|in_a|in_each|in_every|in_one';

/** What rates are per, by other words for it. */
export const unitNames: ReadonlyMap<string, 'life' | 'second' | 'minute'> = new Map([
  ['death', 'life'],
  ['sec', 'second'],
  ['min', 'minute'],
]);
