import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';
import type { SentenceIssue } from '../../dictionary/sentences/parse-errors.ts';
import type { Token } from '../../dictionary/sentences/tokenize.ts';

const requestVerbs = ['list', 'show', 'find', 'give', 'tell', 'display', 'print'];
const doAuxiliaries = ['do', 'does', 'did'];
const haveAuxiliaries = ['has', 'have', 'had'];
const auxiliaries = [...doAuxiliaries, ...haveAuxiliaries];
const beAuxiliaries = ['is', 'are', 'was', 'were'];
const achievementVerbs = ['make', 'makes', 'made', 'get', 'got', 'have', 'had', 'has', 'score', 'scored', 'do', 'done'];
const fillers = [['happened'], ['happen'], ['occurred'], ['occur'], ['took', 'place'], ['overall']];

/**
 * Rearranges the tokens of a natural question into the order of the query language: "how many kills did Sarge make" becomes
 * "how many Sarge's kills", "how often was the player killed" becomes "how often the player killed". Other sentences stay.
 */
export function rearrangeQuestion(tokens: readonly Token[]): readonly Token[] {
  let rest: readonly Token[] = tokens.filter(
    ({ kind, text }, i) => !(kind === 'mark' && text === '?' && i === tokens.length - 1),
  );
  if (wordAt(rest, 0) === 'please') rest = rest.slice(1);
  if (requestVerbs.includes(wordAt(rest, 0)) && rest.length > 1) rest = rearrangeRequest(rest);
  const [first, second, third] = [wordAt(rest, 0), wordAt(rest, 1), wordAt(rest, 2)];
  if (first === 'when' && rest.length > 1) return removeAuxiliary(removeFillers(rest.slice(1)));
  if (first === 'count') return [rest[0]!, ...removeDeterminers(removeFillers(rest.slice(1)))];
  if (first === 'how' && (second === 'often' || (second === 'many' && third === 'times'))) {
    const subject = second === 'often' ? 2 : 3;
    return [...rest.slice(0, 2), ...removeAuxiliary(removeFillers(rest.slice(subject)))];
  }
  if (first === 'how' && second === 'many') return moveOwner(removeFillers(rest));
  const isQuestion = doAuxiliaries.includes(first) || (beAuxiliaries.includes(first) && second === 'the');
  return isQuestion ? removeAuxiliary(removeFillers(rest)) : rest;
}

/** "show me all the deaths" becomes "list deaths". */
function rearrangeRequest(tokens: readonly Token[]): readonly Token[] {
  const start = ['me', 'us'].includes(wordAt(tokens, 1)) ? 2 : 1;
  const rest = removeDeterminers(tokens.slice(start));
  return ['when', 'how'].includes(wordAt(rest, 0)) ? rest : [withWord(tokens[0]!, 'list'), ...rest];
}

function removeDeterminers(tokens: readonly Token[]): readonly Token[] {
  let start = 0;
  while (start < tokens.length - 1 && ['all', 'every', 'each', 'the'].includes(wordAt(tokens, start))) start++;
  return tokens.slice(start > 0 && wordAt(tokens, start) === 'player' ? start - 1 : start);
}

/** Removes "are there" and a final "happened". */
function removeFillers(tokens: readonly Token[]): readonly Token[] {
  const there = tokens.findIndex(({ lower }, i) => beAuxiliaries.includes(lower) && wordAt(tokens, i + 1) === 'there');
  const rest = there < 0 ? tokens : tokens.toSpliced(there, 2);
  const filler = fillers.find((words) =>
    words.every((word, i) => wordAt(rest, rest.length - words.length + i) === word),
  );
  return filler && rest.length > filler.length ? rest.slice(0, -filler.length) : rest;
}

/** "did the player die" becomes "the player die". */
function removeAuxiliary(tokens: readonly Token[]): readonly Token[] {
  const first = wordAt(tokens, 0);
  const hasAuxiliary = auxiliaries.includes(first) || beAuxiliaries.includes(first);
  return tokens.length > 1 && hasAuxiliary ? tokens.slice(1) : tokens;
}

/** "how many kills did Sarge make" becomes "how many Sarge's kills". */
function moveOwner(tokens: readonly Token[]): readonly Token[] {
  const auxiliary = tokens.findIndex(({ kind, lower }, i) => i > 2 && kind === 'word' && auxiliaries.includes(lower));
  if (auxiliary < 0 || tokens.length < auxiliary + 3 || !achievementVerbs.includes(tokens.at(-1)!.lower)) return tokens;
  const owner = tokens
    .slice(auxiliary + 1, -1)
    .map((token) => (token.lower === 'i' ? withWord(token, 'player') : token));
  const { end } = owner.at(-1)!;
  const possessive: Token = { kind: 'possessive', text: "'s", lower: "'s", start: end, end };
  return [...tokens.slice(0, 2), ...owner, possessive, ...tokens.slice(2, auxiliary)];
}

function withWord(token: Token, word: string): Token {
  return { ...token, text: word, lower: word };
}

function wordAt(tokens: readonly Token[], at: number): string {
  const token = tokens[at];
  return token === undefined || token.kind === 'quoted' ? '' : token.lower;
}

const rankingHint = 'Count by what you want to rank ("count kills by weapon"); the largest group comes first.';
const statisticsHint = 'Queries find and count events. Use --json to compute other statistics.';

const unsupportedWords: ReadonlyMap<string, string> = new Map([
  ...['most', 'least', 'best', 'worst', 'favourite', 'favorite', 'top'].map((word) => [word, rankingHint] as const),
  ...['average', 'mean', 'median', 'highest', 'lowest', 'maximum', 'minimum', 'sum'].map(
    (word) => [word, statisticsHint] as const,
  ),
  ['longest', 'For a series, write "kill followed by kill within 10 s" or "3 kills within 10 s".'],
  ['why', 'Use --json to print the cues of each event.'],
]);

/** Explains why a question has no answer; `undefined` if it has no unsupported word. */
export function explainUnsupportedQuestion(context: ParseContext): SentenceIssue | undefined {
  const token = context.tokens.find(({ kind, lower }) => kind === 'word' && unsupportedWords.has(lower));
  if (!token) return undefined;
  const { text, lower, start, end } = token;
  const hint = unsupportedWords.get(lower)!;
  return { code: 'unexpected-word', message: `queries do not support "${text}"`, hint, start, end };
}
