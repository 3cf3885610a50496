import type { Dictionary } from '../dictionary/dictionary.ts';
import { functionWords } from '../dictionary/sentences/function-words.ts';
import { tokenize, type Token } from '../dictionary/sentences/tokenize.ts';
import type { SentenceIssue } from '../dictionary/sentences/parse-errors.ts';
import type { Issue } from '../errors.ts';
import { isPropertyStatement, type Statement } from '../events/statement.ts';
import type { LoadedLogs } from './logs.ts';
import { interrogatives } from './parse/normalize.ts';

/** Does a question have an answer other than nothing? */
export type QuestionTest = (question: string) => boolean;

/** The most words in a row that are left out to find a question that works. */
const maxLeftOut = 3;
/** Reading a question takes milliseconds; a refusal must not take noticeably longer than an answer. */
const maxTrials = 10;

/** A question that works, and the part of another one that it lacks: offsets in that one, `end` exclusive. */
export interface WorkingQuestion {
  readonly question: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the nearest question that works: one without some words in a row.
 *
 * @param issue Why the question is refused: the shorter one must lack a word that no dictionary has.
 */
function findWorkingQuestion(question: string, works: QuestionTest, issue: Issue): WorkingQuestion | undefined {
  const unknown = issue.code === 'unknown-word' ? (issue as SentenceIssue) : undefined;
  const tokens = tokenize(question).filter(({ kind, text }) => kind !== 'mark' || !/^[?.!]$/.test(text));
  let trials = 0;
  for (let length = 1; length <= Math.min(maxLeftOut, tokens.length - 1); length++)
    // What comes last adds to a question more often than what comes first.
    for (let at = tokens.length - length; at >= 0; at--) {
      const left = [...tokens.slice(0, at), ...tokens.slice(at + length)];
      const isKept = unknown && (tokens[at]!.start > unknown.start || tokens[at + length - 1]!.end < unknown.end);
      if (isCut(left) || isKept) continue;
      if (++trials > maxTrials) return undefined;
      const shorter = joinTokens(question, left);
      if (works(shorter)) return { question: shorter, start: tokens[at]!.start, end: tokens[at + length - 1]!.end };
    }
  return undefined;
}

const danglers: ReadonlySet<string> = new Set(
  'and or but with by to from in on at of for than then while when as the a an my i how many much'.split(' '),
);

/** Does what is left end within a phrase? */
function isCut(left: readonly Token[]): boolean {
  const last = left.at(-1)!;
  if (danglers.has(last.lower) || last.kind === 'possessive') return true;
  return left.length < 2 && (functionWords.has(last.lower) || isInterrogative(last.lower));
}

/** "what", "whats" */
function isInterrogative(word: string): boolean {
  return [...interrogatives].some((each) => word.replace(/['’]?s$/, '') === each);
}

function joinTokens(question: string, tokens: readonly Token[]): string {
  return tokens.reduce((text, { start, end }, index) => {
    const isAttached = index > 0 && tokens[index - 1]!.end === start;
    return `${text}${index === 0 || isAttached ? '' : ' '}${question.slice(start, end)}`;
  }, '');
}

const maxExamples = 3;

/**
 * Finds questions that have answers in some logs: about what happens most often in them, and about their values.
 *
 * @param works Tests a question on these logs.
 */
function findExampleQuestions(
  { events }: Pick<LoadedLogs, 'events'>,
  dictionary: Dictionary,
  works: QuestionTest,
): readonly string[] {
  const counts = new Map<string, { readonly statement: Statement; count: number }>();
  for (const { statement } of events) {
    const key = isPropertyStatement(statement) ? `${statement.property} ` : statement.action;
    const known = counts.get(key);
    if (known) known.count++;
    else counts.set(key, { statement, count: 1 });
  }
  const frequent = [...counts.values()].toSorted((a, b) => b.count - a.count).map(({ statement }) => statement);
  const ofActions = frequent.flatMap((statement) => (isPropertyStatement(statement) ? [] : [statement.action]));
  const ofValues = frequent.flatMap((statement) =>
    isPropertyStatement(statement) && typeof statement.to === 'number' ? [statement.property] : [],
  );
  const verbs = ofActions.flatMap((id) => dictionary.find(id, 'action') ?? []);
  const values = ofValues.flatMap((id) => dictionary.find(id, 'property') ?? []);
  const candidates = [
    ...verbs.slice(0, 1).map(({ forms }) => `how many times did I ${forms.base}`),
    ...values.slice(0, 1).map(({ name }) => `my lowest ${name}`),
    ...verbs.slice(1, 3).map(({ forms }) => `when did I ${forms.base}`),
    ...verbs.slice(0, 3).map(({ forms }) => `how many times did anyone ${forms.base}`),
    'what happened in the first minute',
  ];
  const found: string[] = [];
  for (const candidate of candidates) if (found.length < maxExamples && works(candidate)) found.push(candidate);
  return found;
}

/** Makes the refusal of a question helpful: names what is not understood, and what can be asked instead. */
export function explainRefusal(
  question: string,
  issues: readonly Issue[],
  logs: Pick<LoadedLogs, 'events'>,
  { dictionary, works }: { readonly dictionary: Dictionary; readonly works: QuestionTest },
): readonly Issue[] {
  const [issue, ...others] = issues;
  const isAbsent = issue?.code === 'absent-word';
  const isOfParsing = issue && ['unexpected-word', 'incomplete-sentence', 'unknown-word'].includes(issue.code);
  if (!issue || !(isOfParsing || isAbsent)) return issues;
  // Without the word that the logs lack it would be another question.
  const nearest = isAbsent ? undefined : findWorkingQuestion(question, works, issue);
  const examples = nearest ? [nearest.question] : findExampleQuestions(logs, dictionary, works);
  const instead = examples.map((each) => `“${each}”`).join(', ');
  const hints = [
    // What the grammar expected helps who knows the grammar; a question that works helps everybody.
    issue.code === 'unknown-word' ? issue.hint : undefined,
    instead === '' ? undefined : `${nearest ? 'This works' : 'These questions work on this log'}: ${instead}.`,
  ].filter((hint) => hint !== undefined);
  const hint = hints.length > 0 ? { hint: hints.join(' ') } : {};
  if (issue.code === 'unknown-word' || isAbsent) return [{ ...issue, ...hint }, ...others];
  if (nearest) {
    const { start, end } = nearest;
    const message = `“${question.slice(start, end)}” is not understood here`;
    const found: SentenceIssue = { ...issue, code: 'unexpected-word', message, ...hint, start, end };
    return [found, ...others];
  }
  const isIncomplete = danglers.has(tokenize(question).at(-1)?.lower ?? '');
  const message = isIncomplete ? issue.message : 'the words are known, but not this way of asking';
  return [{ ...issue, ...(issue.code === 'incomplete-sentence' && { message }), ...hint }, ...others];
}
