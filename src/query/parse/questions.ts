import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';
import type { SentenceIssue } from '../../dictionary/sentences/parse-errors.ts';
import type { Token } from '../../dictionary/sentences/tokenize.ts';

// Questions as people ask them, brought into the order of the query language: "how many kills did Sarge make" is "how many Sarge's
// kills", "how often was the player killed" is "how often the player killed". Tokens keep their places in the sentence.

const requests = ['list', 'show', 'find', 'give', 'tell', 'display', 'print'];
const doing = ['do', 'does', 'did', 'has', 'have', 'had'];
const being = ['is', 'are', 'was', 'were'];
const making = ['make', 'makes', 'made', 'get', 'got', 'have', 'had', 'has', 'score', 'scored', 'do', 'done'];
const fillers = [['happened'], ['happen'], ['occurred'], ['occur'], ['took', 'place'], ['overall']];

/** The tokens of a question in the order of a query; of anything else as they are. */
export function arranged(tokens: readonly Token[]): readonly Token[] {
  let rest: readonly Token[] = tokens.filter(
    ({ kind, text }, i) => !(kind === 'mark' && text === '?' && i === tokens.length - 1),
  );
  if (lower(rest, 0) === 'please') rest = rest.slice(1);
  if (requests.includes(lower(rest, 0)) && rest.length > 1) rest = request(rest);
  const [how, what] = [lower(rest, 0), lower(rest, 1)];
  if (how === 'when' && rest.length > 1) return inverted(without(rest.slice(1)));
  if (how === 'how' && what === 'often') return [...rest.slice(0, 2), ...inverted(without(rest.slice(2)))];
  if (how === 'how' && what === 'many' && lower(rest, 2) === 'times')
    return [...rest.slice(0, 2), ...inverted(without(rest.slice(3)))];
  if (how === 'how' && what === 'many') return owned(without(rest));
  if (how === 'count') return [rest[0]!, ...bare(without(rest.slice(1)))];
  return doing.slice(0, 3).includes(how) || (being.includes(how) && what === 'the') ? inverted(without(rest)) : rest;
}

/** "show me all the deaths": "show deaths"; what stands behind "first" and "last" is the query's own. */
function request(tokens: readonly Token[]): readonly Token[] {
  const from = ['me', 'us'].includes(lower(tokens, 1)) ? 2 : 1;
  const rest = bare(tokens.slice(from));
  return lower(rest, 0) === 'when' || lower(rest, 0) === 'how'
    ? rest
    : [{ ...tokens[0]!, text: 'list', lower: 'list' }, ...rest];
}

/** Without "all", "every", "the" in front; these are not said of happenings ("the kills"), and of things they change nothing. */
function bare(tokens: readonly Token[]): readonly Token[] {
  let from = 0;
  while (from < tokens.length - 1 && ['all', 'every', 'each', 'the'].includes(lower(tokens, from))) from++;
  return from > 0 && lower(tokens, from) === 'player' ? tokens.slice(from - 1) : tokens.slice(from);
}

/** Without "are there" and "happened". */
function without(tokens: readonly Token[]): readonly Token[] {
  const there = tokens.findIndex(({ lower: word }, i) => being.includes(word) && lower(tokens, i + 1) === 'there');
  const rest = there < 0 ? tokens : tokens.toSpliced(there, 2);
  const filler = fillers.find((words) =>
    words.every((word, i) => lower(rest, rest.length - words.length + i) === word),
  );
  return filler && rest.length > filler.length ? rest.slice(0, -filler.length) : rest;
}

/** "did the player die": the auxiliary goes; "killed" alone, of somebody, is then read as suffered. */
function inverted(tokens: readonly Token[]): readonly Token[] {
  const first = lower(tokens, 0);
  return tokens.length > 1 && (doing.includes(first) || being.includes(first)) ? tokens.slice(1) : tokens;
}

/** "how many kills did Sarge make": "how many Sarge's kills". */
function owned(tokens: readonly Token[]): readonly Token[] {
  const auxiliary = tokens.findIndex(({ kind, lower: word }, i) => i > 2 && kind === 'word' && doing.includes(word));
  const last = tokens.at(-1)!;
  if (auxiliary < 0 || tokens.length < auxiliary + 3 || !making.includes(last.lower)) return tokens;
  const who = tokens.slice(auxiliary + 1, -1).map((token) => (token.lower === 'i' ? named(token, 'player') : token));
  const place = who.at(-1)!;
  const possessive: Token = { kind: 'possessive', text: "'s", lower: "'s", start: place.end, end: place.end };
  return [...tokens.slice(0, 2), ...who, possessive, ...tokens.slice(2, auxiliary)];
}

function named(token: Token, word: string): Token {
  return { ...token, text: word, lower: word };
}

function lower(tokens: readonly Token[], at: number): string {
  const token = tokens[at];
  return token === undefined || token.kind === 'quoted' ? '' : token.lower;
}

const most = 'count by what you ask for ("count kills by weapon"): the most stand first';
const numbers = 'queries find and count; --json prints the values to compute it from';

/** Words of questions that queries do not answer, with what does. */
const others: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['most', 'least', 'best', 'worst', 'favourite', 'favorite', 'top'].map((word) => [word, most])),
  ...Object.fromEntries(
    ['average', 'mean', 'median', 'highest', 'lowest', 'maximum', 'minimum', 'sum'].map((word) => [word, numbers]),
  ),
  longest: 'a row of happenings is written "kill followed by kill within 10 s", or "3 kills within 10 s"',
  why: '--json prints what each event was seen by',
};

/** Why a question that was not understood has no answer here; undefined where nothing of the kind stands in it. */
export function unanswered(context: ParseContext): SentenceIssue | undefined {
  const token = context.tokens.find(({ kind, lower: word }) => kind === 'word' && Object.hasOwn(others, word));
  if (!token) return undefined;
  const { start, end } = token;
  return {
    code: 'unexpected-word',
    message: `"${token.text}" cannot be asked for`,
    hint: others[token.lower]!,
    start,
    end,
  };
}
