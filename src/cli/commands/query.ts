import type { Query } from '../../query/query.ts';
import { collectSessionNames, findUnknownSessions } from '../../query/session-names.ts';
import { findUnknownNames, suggestBroaderWords } from '../../query/suggestions.ts';
import { loadLogs, type LoadedLogs } from '../../query/logs.ts';
import { explainQuery, type ExplainedWord } from '../../query/explain.ts';
import { compileQuery, runQuery, type CompiledQuery, type QueryResult } from '../../query/run.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { didYouMean } from '../../spelling.ts';
import type { Match } from '../../query/match/combinators.ts';
import type { Mention } from '../../events/statement.ts';
import { formatClock } from '../../time.ts';

import type { CommandIo, RunCommand } from '../command.ts';
import { formatCount, formatIssues } from '../describe-error.ts';
import { usageError } from '../options.ts';
import { formatSentenceIssues, underline } from '../sentence-issues.ts';
import type * as specs from '../specs.ts';
import { style } from '../terminal.ts';

const MAX_SUGGESTIONS = 3;
/** Words listed per line of an explanation; `--json` lists all. */
const MAX_LISTED_WORDS = 12;

/** `playbyplay query <query> [<log or folder>…]` */
export const query: RunCommand<typeof specs.query> = async (io, options, sentence, ...paths) => {
  if (paths.length === 0 && !options.explain)
    throw usageError('missing argument <log or folder>', 'Give an events.ndjson or its folder.');
  const logs = await loadLogs(paths, {
    dictionaries: options.dictionary ?? [],
    withoutCues: !options.json,
    tentative: options.tentative,
    signal: io.signal,
  });
  for (const { path, message } of logs.issues)
    io.stderr.write(`playbyplay: ${path === undefined ? '' : `${path} `}${message}\n`);
  const sessions = collectSessionNames(logs.logs);
  const parsed = parseStructured(sentence);
  let compiled: CompiledQuery;
  try {
    compiled = compileQuery(parsed, logs.dictionary, { logs });
  } catch (error) {
    if (!(error instanceof PlaybyplayError) || error.code !== 'bad-query') throw error;
    io.stderr.write(parsed === sentence ? formatSentenceIssues(sentence, error.issues) : formatIssues(error.issues));
    return 2;
  }
  for (const { written, read } of compiled.corrections) io.stderr.write(`“${written}” was read as “${read}”\n`);
  if (options.explain) printExplanation(compiled, options.json, io);
  if (paths.length === 0) return 0;
  const result = runQuery(compiled, logs.events, { durations: logs.durations });
  const isCounted = options.count || compiled.query.count === true || compiled.query.by !== undefined;
  if (options.json) printJson(result, isCounted, { compiled, logs, io });
  else printText(result, isCounted, { compiled, logs, io });
  for (const { name, nearest } of findUnknownSessions(compiled.query, sessions))
    io.stderr.write(`no session is called “${name}”${nearest === undefined ? '' : `. ${didYouMean(nearest)}`}\n`);
  for (const { name, nearest } of findUnknownNames(compiled.query, logs.events))
    io.stderr.write(`no event names “${name}”${nearest === undefined ? '' : `. ${didYouMean(nearest)}`}\n`);
  // A zero is the answer of a question that was misunderstood, too.
  if (result.count === 0 && (isCounted || result.answer || result.values))
    io.stderr.write(
      `you asked: ${explainQuery(compiled.query, compiled.dictionary)
        .lines.map((line) => line.trim())
        .join(' ')}\n`,
    );
  if (result.count === 0) {
    if (!isCounted) io.stderr.write(`no match among ${formatCount(logs.events.length, 'event')}\n`);
    const broader = suggestBroaderWords(compiled, logs.events, { durations: logs.durations });
    for (const { word, instead, count } of broader.slice(0, MAX_SUGGESTIONS))
      io.stderr.write(`with “${instead}” in the place of “${word}” there ${count === 1 ? 'is 1' : `are ${count}`}\n`);
  }
  return 0;
};

/** Parses the structured form, which starts with a brace; a sentence is returned unchanged. */
function parseStructured(text: string): string | Query {
  if (!text.trimStart().startsWith('{')) return text;
  try {
    return JSON.parse(text) as Query;
  } catch (error) {
    throw usageError(`the structured query is not JSON: ${messageOf(error)}`);
  }
}

function printExplanation(compiled: CompiledQuery, json: boolean, io: CommandIo): void {
  const explanation = explainQuery(compiled.query, compiled.dictionary);
  if (json) {
    io.stdout.write(`${JSON.stringify({ query: compiled.query, words: explanation.words })}\n`);
    return;
  }
  const places = explanation.words.flatMap(({ start, end }) => (start === undefined ? [] : [{ start, end: end! }]));
  const marked = compiled.sentence === undefined ? [] : [underline(compiled.sentence, places)];
  io.stdout.write(`${[...marked, ...explanation.lines, ...explanation.words.map(formatWord)].join('\n')}\n`);
}

function formatWord({ id, kind, text, covers }: ExplainedWord): string {
  const head = `${text === undefined ? '' : `“${text}”: `}${kind} "${id}"`;
  if (covers.length === 0) return `${head}, and nothing under it`;
  const more = covers.length > MAX_LISTED_WORDS ? ` and ${covers.length - MAX_LISTED_WORDS} more` : '';
  return `${head} and the ${covers.length} under it: ${covers.slice(0, MAX_LISTED_WORDS).join(', ')}${more}`;
}

interface Output {
  readonly compiled: CompiledQuery;
  readonly logs: LoadedLogs;
  readonly io: CommandIo;
}

function printJson(result: QueryResult, isCounted: boolean, { compiled, logs: { logs }, io }: Output): void {
  const write = (line: object): unknown => io.stdout.write(`${JSON.stringify(line)}\n`);
  if (result.groups && !compiled.query.distinct) {
    const bySession = labelIndex(compiled, 'session');
    for (const { labels, count } of result.groups) {
      const log = logs.get(labels[bySession] ?? '')?.path;
      write({ group: labels, count, ...(log !== undefined && { log }) });
    }
  } else if (result.values) {
    const unit = unitOf(compiled);
    for (const { session, t, value, match } of result.values)
      write({ t, session, value, ...(unit !== undefined && { unit }), ...(match && { events: match.events }) });
  } else if (result.answer) write({ value: result.answer.value, unit: result.answer.unit ?? unitOf(compiled) ?? null });
  else if (isCounted) write({ value: result.count, unit: null });
  else {
    for (const { t, end, events } of result.matches) {
      const { game, session } = events[0]!;
      io.stdout.write(`${JSON.stringify({ t, end, game, session, log: logs.get(session)?.path, events })}\n`);
    }
  }
}

function printText(result: QueryResult, isCounted: boolean, { compiled, logs: { logs, sessions }, io }: Output): void {
  const nameOf = (session: string): string => logs.get(session)?.name ?? session;
  const prefixOf = (session: string): string => (sessions.length > 1 ? `${nameOf(session)}  ` : '');
  if (result.groups && !compiled.query.distinct) {
    const width = Math.max(5, ...result.groups.map(({ count }) => String(count).length));
    const bySession = labelIndex(compiled, 'session');
    const byMinute = labelIndex(compiled, 'minute');
    const groups = result.groups.map(({ labels, count }) => {
      const shown = labels.map((label, i) =>
        i === bySession ? nameOf(label) : i === byMinute ? formatClock(Number(label) * 60, 0) : label,
      );
      return { count, text: `${String(count).padStart(width)}  ${shown.join('  ')}\n` };
    });
    if (bySession >= 0) groups.sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
    for (const { text } of groups) io.stdout.write(text);
  } else if (result.values) {
    const unit = unitOf(compiled);
    for (const { session, t, value, match } of result.values)
      io.stdout.write(
        `${prefixOf(session)}${style('dim', formatClock(t))}  ${formatAnswer(value, unit)}${match ? `  (${match.events[0]!.text})` : ''}\n`,
      );
  } else if (compiled.query.whether) {
    io.stdout.write(`${result.answer?.value === true ? 'yes' : 'no'}\n`);
    for (const match of result.matches) io.stdout.write(formatMatch(match, sessions.length > 1 ? nameOf : undefined));
  } else if (result.answer) {
    io.stdout.write(`${formatAnswer(result.answer.value, result.answer.unit ?? unitOf(compiled))}\n`);
    if (compiled.query.count && !compiled.query.per && !/^\s*(?:count|number)\b/i.test(compiled.sentence ?? 'count'))
      printPlayerShare(result, io);
  } else if (isCounted) io.stdout.write(`${result.count}\n`);
  else
    for (const match of result.matches) io.stdout.write(formatMatch(match, sessions.length > 1 ? nameOf : undefined));
}

/** How many of the counted events are the player's, if some are and others are not: "kills" are those of everybody. */
function printPlayerShare({ matches }: QueryResult, io: CommandIo): void {
  const own = matches.filter(({ events }) => events[0]!.statement.subject === 'player').length;
  if (own > 0 && own < matches.length) io.stderr.write(`${own} of them by the player (“my …” asks for these)\n`);
}

/** The unit of the values of a query; `undefined` for plain numbers and words. */
function unitOf({ query: { measure } }: CompiledQuery): string | undefined {
  return measure && ['time', 'duration', 'gap', 'life', 'held'].includes(measure.of) ? 's' : undefined;
}

function formatAnswer(value: unknown, unit: string | undefined): string {
  if (value === null || value === undefined) return 'unknown';
  const text = typeof value === 'object' ? formatMention(value as Mention) : String(value);
  const shown = typeof value === 'number' ? String(Number(value.toFixed(2))) : text;
  return unit === undefined ? shown : `${shown} ${unit}`;
}

function formatMention({ word, name, count }: Mention): string {
  return [count === undefined ? '' : String(count), word, name ?? ''].filter((part) => part !== '').join(' ');
}

/** The index of the group label of this kind; -1 if there is none. */
function labelIndex({ query: { by = [] } }: CompiledQuery, kind: 'session' | 'minute'): number {
  return by.findIndex((key) => 'key' in key && key.key === kind);
}

/** Formats a match. `nameOf` names the session where there are several. */
function formatMatch({ events }: Match, nameOf: ((session: string) => string) | undefined): string {
  return events
    .map(
      ({ t, text, session }, index) =>
        `${nameOf && index === 0 ? `${nameOf(session)}  ` : ''}${index === 0 ? '' : '  then '}${style('dim', formatClock(t))}  ${text}\n`,
    )
    .join('');
}
