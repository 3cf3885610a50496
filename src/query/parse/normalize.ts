import { getLexicon, type Lexicon } from '../../dictionary/sentences/lexicon.ts';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import { functionWords } from '../../dictionary/sentences/function-words.ts';
import { KnownNames } from '../../dictionary/sentences/known-names.ts';
import { numberValue, tokenize, type Token } from '../../dictionary/sentences/tokenize.ts';
import { editDistance } from '../../spelling.ts';
import type { SessionNames } from '../session-names.ts';
import { questionWords } from './questions/index.ts';
import { rewriteWords } from './rewrites.ts';

/**
 * A misspelt word and what it was read as, or a part of the question that was left out, which is read as nothing (`''`); offsets in
 * the sentence, `end` exclusive.
 */
export interface Correction {
  readonly start: number;
  readonly end: number;
  readonly written: string;
  readonly read: string;
}

/** The tokens of a question in the spelling of the grammar. */
export interface NormalizedQuestion {
  readonly tokens: readonly Token[];
  readonly corrections: readonly Correction[];
}

/** Words that change nothing of what is asked. */
const fillers: ReadonlySet<string> = new Set(
  (
    'please pls plz ever actually exactly really just hey hi hello ok okay um uh hmm well also simply thanks thx ' +
    'bro dude lol overall very single tho altogether'
  ).split(' '),
);

const asSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const fillerPhrases = [
  'managed to',
  'put together',
  'all together',
  'at all',
  'at any point',
  'at some point',
  'even once',
  'manage to',
  'so far',
  'in total',
  'in all',
  'all in all',
  'thank you',
  'by the way',
  'over all',
];

/** "across all matches": all logs are asked anyway. */
const allLogsPhrases = ['across', 'over', 'in'].flatMap((preposition) =>
  ['all', 'all the', 'both', 'all of the', 'all my'].flatMap((all) =>
    ['matches', 'games', 'sessions', 'recordings', 'logs', 'races'].map((noun) => `${preposition} ${all} ${noun}`),
  ),
);

/** The words of all these phrases, by the first. */
const emptyPhrases = Map.groupBy(
  [...fillerPhrases, ...allLogsPhrases, 'across both', 'across all'].map((phrase) => phrase.split(' ')),
  ([first]) => first!,
);

const scopeNouns = asSet('match game video recording session clip log round vod race fight run');
const scopeFollowers = asSet(
  'did do does was were is are have has had with by and or when while i that after before how who',
);

/** "in this match": what is asked is asked of the given logs anyway. */
function isScopePhrase(tokens: readonly Token[], at: number): boolean {
  const [preposition, article, noun, next] = tokens
    .slice(at, at + 5)
    .map(({ lower }) => lower)
    .filter((each) => !['whole', 'entire', 'full', 'complete'].includes(each));
  if (!['in', 'of', 'during', 'throughout', 'from', 'for', 'on', 'over'].includes(preposition ?? '')) return false;
  const isArticle = ['the', 'this', 'that', 'my', 'whole', 'entire'].includes(article ?? '');
  return isArticle && scopeNouns.has(noun ?? '') && (next === undefined || scopeFollowers.has(next));
}

/** "this game" at the end, without a preposition. */
function isThisSession(tokens: readonly Token[], at: number): boolean {
  return at > 1 && tokens[at]!.lower === 'this' && at + 2 === tokens.length && scopeNouns.has(tokens[at + 1]!.lower);
}

const wordsOf = (text: string): readonly string[] => text.split(' ');

/** Spellings without apostrophe, contractions and shorthand, with the words that they stand for. */
const expansions: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    whats: 'what is',
    whos: 'who is',
    wheres: 'where is',
    whens: 'when is',
    hows: 'how is',
    "i've": 'i have',
    ive: 'i have',
    "i'd": 'i had',
    "i'm": 'i am',
    im: 'i am',
    "they've": 'they have',
    "we've": 'we have',
    "you've": 'you have',
    dont: 'do not',
    didnt: 'did not',
    doesnt: 'does not',
    wasnt: 'was not',
    havent: 'have not',
    hasnt: 'has not',
    howmany: 'how many',
    wieviele: 'how many',
    wat: 'what',
    wich: 'which',
    whcih: 'which',
    pct: 'percent',
    dmg: 'damage',
    avg: 'average',
    num: 'number',
    mins: 'minutes',
    secs: 'seconds',
    u: 'you',
    'k/d': 'kd',
    'kill/death': 'kd',
    'kills/deaths': 'kd',
    'kills/death': 'kd',
    'k-d': 'kd',
    'k:d': 'kd',
    kdr: 'kd',
    dnfd: 'retired',
    carded: 'booked',
    "dnf'd": 'retired',
    dnfed: 'retired',
    "'em": 'them',
    myself: 'oneself',
    himself: 'oneself',
    herself: 'oneself',
    themselves: 'oneself',
    themself: 'oneself',
    itself: 'oneself',
    yourself: 'oneself',
    hp: 'health',
    ko: 'knockout',
    kos: 'knockouts',
    elim: 'kill',
    elims: 'kills',
    takedown: 'kill',
    takedowns: 'kills',
    'w/o': 'without',
    'w/': 'with',
    'vs.': 'vs',
    b4: 'before',
    diff: 'difference',
    lvl: 'level',
    btwn: 'between',
    til: 'until',
    peeps: 'people',
    cs: 'creep score',
    pos: 'position',
    ammo: 'ammunition',
    ppl: 'people',
    w: 'with',
    smb: 'somebody',
    sb: 'somebody',
    sum1: 'someone',
    some1: 'someone',
    any1: 'anyone',
    every1: 'everyone',
    'no-one': 'nobody',
    wut: 'what',
    wen: 'when',
    r: 'are',
    opp: 'opponent',
    opps: 'opponents',
    mid: 'middle',
    btw: 'by the way',
    bc: 'because',
    n: 'and',
    'b/w': 'between',
    shotty: 'shotgun',
    nade: 'grenade',
    nades: 'grenades',
    wep: 'weapon',
    weps: 'weapons',
    pts: 'points',
    champs: 'opponents',
    champ: 'opponent',
  }).map(([written, words]) => [written, wordsOf(words)]),
);

/** The words that ask. */
export const interrogatives: ReadonlySet<string> = new Set(['what', 'who', 'when', 'where', 'how', 'which', 'there']);

/** Phrases with the words that they stand for. */
const paraphrases: readonly (readonly [phrase: readonly string[], words: readonly string[]])[] = [
  ['end up with', 'have at the end'],
  ['end with', 'have at the end'],
  ['finish with', 'have at the end'],
  ['ended up with', 'got'],
  ['take down', 'kill'],
  ['took down', 'killed'],
  ['taken down', 'killed'],
  ['take out', 'kill'],
  ['took out', 'killed'],
  ['taken out', 'killed'],
  ['for how long', 'how long'],
  ['get revenge on', 'get revenge'],
  ['got revenge on', 'got revenge'],
  ['take revenge on', 'get revenge'],
  ['besides', 'except'],
  ['aside from', 'except'],
  ['apart from', 'except'],
  ['everyone but', 'everyone except'],
  ['everybody but', 'everybody except'],
  ['anyone but', 'anyone except'],
  ['anybody but', 'anybody except'],
  ['someone but', 'anyone except'],
  ['anyone other than', 'anyone except'],
  ['anybody other than', 'anybody except'],
  ['someone other than', 'anyone except'],
  ['somebody other than', 'anyone except'],
  ['everyone other than', 'everyone except'],
  ['who other than', 'who except'],
  ['how come', 'why'],
  ['get past', 'overtake'],
  ['got past', 'overtook'],
  ['gets past', 'overtakes'],
  ['downed', 'knocked down'],
  ['i down', 'i knock down'],
  ['blow oneself up', 'kill oneself'],
  ['blew oneself up', 'killed oneself'],
  ['blow up oneself', 'kill oneself'],
  ['blew up oneself', 'killed oneself'],
  ['ran out of', 'run out of'],
  ['running out of', 'run out of'],
  ['out of bullets', 'out of ammunition'],
  ['out of shells', 'out of ammunition'],
  ['at halftime', 'at half time'],
  ['finish off', 'kill'],
  ['finished off', 'killed'],
  ['subbed off', 'substituted'],
  ['subbed out', 'substituted'],
  ['subbed', 'substituted'],
  ['days did i last', 'days did i survive'],
  ['came up', 'appeared'],
  ['come up', 'appear'],
  ['popped up', 'appeared'],
  ['pop up', 'appear'],
  ['loot i', 'everything i'],
  ['stuff i', 'everything i'],
  ['stuff', 'something'],
  ['switch to', 'equip'],
  ['switched to', 'equipped'],
  ['swap to', 'equip'],
  ['swapped to', 'equipped'],
  ['gear i', 'everything i'],
  ['in each of the', 'in each'],
  ['broken down by', 'by'],
  ['split by', 'by'],
  ['i farm', 'i kill'],
  ...['moment', 'instant', 'second'].map((noun) => [`at the same ${noun}`, 'at the same time']),
  ...['while on the', 'while in the', 'while on a'].map((link) => [link, 'during the']),
  ['earlier than', 'before'],
  ['later than', 'after'],
  ['sooner than', 'before'],
  ['went boom', 'exploded'],
  ['go boom', 'explode'],
  ['went off', 'exploded'],
  ['gave back', 'gave'],
  ['give back', 'give'],
  ['self kills', 'suicides'],
  ['self kill', 'suicide'],
  ['self frags', 'suicides'],
  ...['finish', 'finished', 'did'].map((verb) => [
    `${verb} a lap`,
    `${verb === 'finish' ? 'complete' : 'completed'} lap`,
  ]),
  ...['cross', 'crossed', 'crossing'].map((verb) => [`${verb} the line`, `${verb} the finish line`]),
  ...['under', 'below', 'over', 'above'].map((bound) => [`${bound} a minute`, `${bound} 60 seconds`]),
  ['frag oneself', 'kill oneself'],
  ['fragged oneself', 'killed oneself'],
  ['frags oneself', 'kills oneself'],
  ['farmed', 'killed'],
  // "how often did I switch guns"
  ...['weapon', 'weapons', 'gun', 'guns'].flatMap((noun) => [
    ...['switch', 'change'].map((verb) => [`i ${verb} ${noun}`, 'i swap weapons']),
    ...['switched', 'changed'].map((verb) => [`i ${verb} ${noun}`, 'i swapped weapons']),
  ]),
].map(([from, to]) => [wordsOf(from!), wordsOf(to!)] as const);

function paraphrase(tokens: readonly Token[]): readonly Token[] {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    // "kill 2 guys"
    if (/^(?:guys|people|dudes|players)$/.test(tokens[at]!.lower) && numberValue(tokens[at - 1]) !== undefined) {
      result.push(replaced(tokens[at]!, 'characters'));
      continue;
    }
    // "kills round by round"
    const [noun, by, again] = tokens.slice(at, at + 3);
    if (by?.lower === 'by' && again && noun!.lower === again.lower && at > 0) {
      result.push(by, again);
      at += 2;
      continue;
    }
    // "who keeps killing Lena"
    if (/^(?:keeps?|kept)$/.test(tokens[at]!.lower) && /..ing$/.test(tokens[at + 1]?.lower ?? '')) continue;
    // "who knocked Juno"
    const isKnocking = /^knock(?:ed|s)?$/.test(tokens[at]!.lower);
    if (isKnocking && !tokens.slice(at + 1, at + 4).some(({ lower }) => /^(?:down|out|back|off|over)$/.test(lower))) {
      result.push(tokens[at]!, replaced(tokens[at]!, 'down'));
      continue;
    }
    // "took me out"
    const verb = { take: 'kill', took: 'killed', takes: 'kills' }[tokens[at]!.lower];
    const particle = [2, 3].find((i) => ['out', 'down'].includes(tokens[at + i]?.lower ?? ''));
    if (verb !== undefined && particle !== undefined) {
      result.push(replaced(tokens[at]!, verb), ...tokens.slice(at + 1, at + particle));
      at += particle;
      continue;
    }
    const found = paraphrases.find(([from]) => from.every((word, i) => tokens[at + i]?.lower === word));
    if (!found) result.push(tokens[at]!);
    else {
      result.push(...found[1].map((word) => replaced(tokens[at]!, word)));
      at += found[0].length - 1;
    }
  }
  return result;
}

const phraseBoundaries = asSet(
  'is are was were am do does did have has had what which who when where how show list give get find me count of in on at to with by for from and or , many much number all every each that a an any some there between among',
);

/** "the lowest health of mine" is "my lowest health". */
function ownPhrases(tokens: readonly Token[]): readonly Token[] {
  const at = tokens.findIndex(({ lower }, i) => lower === 'of' && tokens[i + 1]?.lower === 'mine');
  if (at < 1) return tokens;
  const boundary = tokens.findLastIndex(
    (token, i) => i < at && (phraseBoundaries.has(token.lower) || numberValue(token) !== undefined),
  );
  const noun = tokens.slice(boundary + 1, at).filter(({ lower }) => lower !== 'the');
  const mine = tokens[at + 1]!;
  // "a kill of mine" is read as it stands.
  if (noun.length < 2) return tokens;
  return [...tokens.slice(0, boundary + 1), replaced(mine, 'my'), ...noun, ...tokens.slice(at + 2)];
}

/** The words of session names, made once: a library has thousands of sessions. */
const sessionWordsOf = new WeakMap<SessionNames, ReadonlySet<string>>();

function collectSessionWords(sessions: SessionNames): ReadonlySet<string> {
  let words = sessionWordsOf.get(sessions);
  if (!words) {
    words = new Set([...sessions.keys()].flatMap((name) => name.split(' ')));
    sessionWordsOf.set(sessions, words);
  }
  return words;
}

/** What a question may name besides words of the dictionary. */
interface NormalizeOptions {
  /** Proper names, to which misspelt words may be corrected. */
  readonly names: readonly string[];
  readonly sessions: SessionNames;
  readonly exactSpelling: boolean;
  /** The name that the logs have for the initials of its words: "gl" for "grenade launcher". */
  readonly nameOfInitials?: ((initials: string) => string | undefined) | undefined;
  /** The only name of the logs that has a word as its first or last: "meter" for "super meter". */
  readonly nameOfPart?: ((part: string) => string | undefined) | undefined;
}

/** Brings a question into the spelling that the grammar reads: contractions, fillers, punctuation, typing errors. */
export function normalizeQuestion(
  sentence: string,
  dictionary: Dictionary,
  { names, sessions, exactSpelling, nameOfInitials, nameOfPart }: NormalizeOptions,
): NormalizedQuestion {
  const lexicon = getLexicon(dictionary);
  const expanded = tokenize(sentence).flatMap((token, i, all) => expand(token, all[i - 1], lexicon));
  const tokens = ownPhrases(paraphrase(dropFillers(expanded)));
  const corrections: Correction[] = [];
  const sessionWords = collectSessionWords(sessions);
  const known = KnownNames.of(names).words;
  const corrected = resolvePronouns(tokens, known).flatMap((token, i, all) => {
    const whole = exactSpelling || isQuestionWord(token) ? undefined : nameOfPart?.(token.lower);
    const rest = whole === undefined ? [] : wordsOf(whole).filter((each) => each !== token.lower);
    const isWhole = [all[i - 1], all[i + 1]].some(
      (near) => near !== undefined && (rest.includes(near.lower) || rest.includes(near.lower.replace(/s$/, ''))),
    );
    if (whole !== undefined && !known.has(token.lower) && !isWhole && !isPartOfWord(all, i, lexicon)) {
      corrections.push({ start: token.start, end: token.end, written: token.text, read: whole });
      return wordsOf(whole).map((each) => replaced(token, each));
    }
    // "silvas goals"
    const owner = token.kind === 'word' && token.lower.endsWith('s') ? token.lower.slice(0, -1) : undefined;
    const isOwner = owner !== undefined && known.has(owner) && isUnknown(token, lexicon, known);
    if (isOwner && tokens[i + 1]?.kind === 'word')
      return [replaced(token, owner), { ...token, kind: 'possessive' as const, text: "'s", lower: "'s" }];
    if (!isUnknown(token, lexicon, known) || sessionWords.has(token.lower) || isName(token, i, tokens)) return token;
    // "snipers": a plural that the dictionary has only in the singular
    if (owner !== undefined && owner.length > 3 && lexicon.knows(owner))
      return [{ ...token, text: owner, lower: owner }];
    // A capital letter at the start can be that of a name.
    const parts = splitCompound(token, dictionary, lexicon);
    if (parts) return parts;
    if (exactSpelling) return token;
    const abbreviated = nameOfInitials?.(token.lower);
    if (abbreviated !== undefined) {
      corrections.push({ start: token.start, end: token.end, written: token.text, read: abbreviated });
      return wordsOf(abbreviated).map((each) => replaced(token, each));
    }
    const read = correct(token, lexicon, known, /^\p{Ll}/u.test(token.text));
    if (read === undefined) return token;
    const { start, end, text } = token;
    corrections.push({ start, end, written: text, read });
    return { ...token, text: read, lower: read.toLowerCase() };
  });
  return { tokens: corrected, corrections };
}

function isQuestionWord({ kind, lower }: Token): boolean {
  return kind !== 'word' || questionWords.has(lower) || functionWords.has(lower);
}

/** "did I kill Tusk before he killed me": whoever was named last. */
function resolvePronouns(tokens: readonly Token[], names: ReadonlySet<string>): readonly Token[] {
  let named: Token | undefined;
  return tokens.map((token) => {
    if (token.kind === 'word' && names.has(token.lower)) named = token;
    const isPronoun = token.kind === 'word' && ['he', 'she', 'him'].includes(token.lower);
    return isPronoun && named ? { ...token, text: named.text, lower: named.lower } : token;
  });
}

/** Does the token belong to a thing or a property of several words, as "wear" does in "tyre wear"? */
function isPartOfWord(tokens: readonly Token[], at: number, lexicon: Lexicon): boolean {
  return [at - 1, at].some(
    (start) =>
      start >= 0 &&
      (['object', 'property'] as const).some((kind) =>
        lexicon.find(kind, tokens, start).some(({ end }) => end > at && end - start > 1),
      ),
  );
}

function expand(token: Token, before: Token | undefined, lexicon: Lexicon): readonly Token[] {
  const { kind, lower } = token;
  if (kind === 'quoted') return [token];
  if (/^(?:[?;]|[-–—]+)$/.test(token.text)) return [];
  if (kind === 'possessive' && before && interrogatives.has(before.lower)) return [replaced(token, 'is')];
  if (token.text === '%') return [replaced(token, 'percent')];
  if (kind !== 'word') return [token];
  const negative = /^(do|does|did|has|have|had|is|are|was|were|could|would)n['’]?t$/.exec(lower);
  if (negative && !lexicon.knows(lower)) return [replaced(token, negative[1]!), replaced(token, 'not')];
  const words = expansions.get(lower);
  if (words && !lexicon.knows(lower)) return words.map((word) => replaced(token, word));
  const bare = token.text.replace(/[,!]+$/, '');
  if (bare !== token.text && bare !== '') return [{ ...token, text: bare, lower: bare.toLowerCase() }];
  return [token];
}

/** "doublekills" is "double kills". */
function splitCompound(token: Token, { events }: Dictionary, lexicon: Lexicon): readonly Token[] | undefined {
  const { lower } = token;
  for (let at = 3; at <= lower.length - 3; at++) {
    const [first, second] = [lower.slice(0, at), lower.slice(at)];
    const pair = `${first} ${second}`;
    const isEvent = events.some(({ name }) => name === pair || `${name}s` === pair);
    const parts = [replaced(token, first), replaced(token, second)];
    // "pitstop"
    const isWord = (['object', 'property', 'action'] as const).some((kind) =>
      lexicon.find(kind, parts, 0).some(({ end, pendingParticle }) => end === 2 && pendingParticle === undefined),
    );
    const isKnown =
      isEvent ||
      isWord ||
      (first === 'kill' && /^(?:streaks?|count)$/.test(second)) ||
      (lexicon.knows(first) && /^(?:kills?|deaths?|frags?)$/.test(second));
    if (isKnown) return parts;
  }
  return undefined;
}

function replaced(token: Token, word: string): Token {
  return { ...token, kind: 'word', text: word, lower: word };
}

function dropFillers(tokens: readonly Token[]): readonly Token[] {
  const kept: Token[] = [];
  const isSequence = tokens.some(({ lower }) => lower === 'within' || lower === 'then');
  for (let i = 0; i < tokens.length; i++) {
    // "kills made by Sarge"
    if (['made', 'done', 'gotten', 'achieved'].includes(tokens[i]!.lower) && tokens[i + 1]?.lower === 'by') continue;
    // "goals that came after the 5 minute mark"
    const isComing = /^(?:came|come|comes)$/.test(tokens[i]!.lower);
    if (i > 0 && isComing && /^(?:after|before|in|within|during)$/.test(tokens[i + 1]?.lower ?? '')) continue;
    const phrase = emptyPhrases
      .get(tokens[i]!.lower)
      ?.find((words) => words.every((word, k) => tokens[i + k]?.lower === word));
    // "within 20 s in total" limits a sequence.
    const limits = phrase?.join(' ') === 'in total' && isSequence;
    // "without picking up health in between"
    if (i > 0 && i + 2 === tokens.length && tokens[i]!.lower === 'in' && tokens[i + 1]!.lower === 'between') break;
    if (i > 0 && isScopePhrase(tokens, i)) i += scopeNouns.has(tokens[i + 2]?.lower ?? '') ? 2 : 3;
    // "how many kills did I get this game"
    else if (isThisSession(tokens, i)) i++;
    else if (phrase !== undefined && !limits) i += phrase.length - 1;
    else if (tokens[i]!.kind !== 'word' || !fillers.has(tokens[i]!.lower)) kept.push(tokens[i]!);
  }
  while (kept.length > 1 && kept[0]!.text === ',') kept.shift();
  // "how much health did I lose total"
  if (
    kept[0]?.lower === 'how' &&
    /^(?:many|much)$/.test(kept[1]?.lower ?? '') &&
    /^(?:total|altogether)$/.test(kept.at(-1)!.lower)
  )
    kept.pop();
  while (kept.length > 1 && kept.at(-1)!.text === ',' && kept.at(-1)!.kind === 'mark') kept.pop();
  return kept.length > 0 ? kept : tokens;
}

function isUnknown({ kind, lower, text }: Token, lexicon: Lexicon, names: ReadonlySet<string>): boolean {
  if (kind !== 'word' || names.has(lower) || questionWords.has(lower) || lexicon.knows(lower)) return false;
  if (rewriteWords.has(lower)) return false;
  return numberValue({ kind, lower, text, start: 0, end: 0 }) === undefined && /^\p{L}+$/u.test(text);
}

/** A capitalized word is a name, except at the start; so is the word after "session" and "game". */
function isName({ text }: Token, at: number, tokens: readonly Token[]): boolean {
  if (at > 0 && /^\p{Lu}/u.test(text)) return true;
  return ['session', 'game', 'match'].includes(tokens[at - 1]?.lower ?? '');
}

/** Of three letters, only two that changed places are corrected: "teh". */
const minSwappedLength = 3;
const minCorrectableLength = 4;
/** Of the dictionary's many words, short ones have too many neighbours. */
const minDictionaryLength = 5;

/**
 * The one word at the least distance, if it is near: one error in words of 4 letters or more (5 for words of the dictionary),
 * two in words of 9 or more.
 */
function correct(
  { lower }: Token,
  lexicon: Lexicon,
  names: ReadonlySet<string>,
  mayBeAnyWord: boolean,
): string | undefined {
  if (lower.length < minSwappedLength) return undefined;
  // Words of questions come first: they are far more frequent than words of the dictionary.
  const common = [...names, ...questionWords, ...functionWords].filter((each) => each.length >= 3);
  if (lower.length < minCorrectableLength)
    return common.find((each) => each[0] === lower[0] && letters(each) === letters(lower));
  const limit = lower.length >= 9 ? 2 : 1;
  let best: string[] = [];
  let least = limit;
  for (const candidates of lower.length < minDictionaryLength || !mayBeAnyWord
    ? [common]
    : [common, lexicon.allParts()]) {
    for (const candidate of candidates) {
      if (candidate[0] !== lower[0] && candidate.at(-1) !== lower.at(-1)) continue;
      const distance = editDistance(lower, candidate, least + 1);
      if (distance > least) continue;
      if (distance < least) best = [];
      least = distance;
      if (!best.includes(candidate)) best.push(candidate);
    }
    if (best.length > 0) break;
  }
  // Of equally near words, one with the same letters in another order, then one with the same ends.
  const swapped = best.filter((each) => letters(each) === letters(lower));
  const sameEnds = best.filter((each) => each[0] === lower[0] && each.at(-1) === lower.at(-1));
  return [best, swapped, sameEnds].find((each) => each.length === 1)?.[0];
}

function letters(text: string): string {
  return [...text].toSorted().join('');
}
