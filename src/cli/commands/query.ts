import type { Query } from '../../query/query.ts';
import { findUnknownSessions } from '../../query/session-names.ts';
import { describeQuery } from '../../query/describe.ts';
import { explainQuery, type ExplainedWord } from '../../query/explain.ts';
import type { CompiledQuery, QueryResult } from '../../query/run.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { didYouMean } from '../../spelling.ts';
import type { Match } from '../../query/match/combinators.ts';
import type { Mention } from '../../events/statement.ts';
import { formatClock } from '../../time.ts';

import type { CommandIo, RunCommand } from '../command.ts';
import { formatCount, formatIssues } from '../describe-error.ts';
import { usageError } from '../options.ts';
import { type EventTexts, openEventTexts } from '../event-text.ts';
import { formatSentenceIssues, underline } from '../sentence-issues.ts';
import { openLogs, openSource, type QuerySource } from '../query-source.ts';
import type * as specs from '../specs.ts';
import { style } from '../terminal.ts';

const MAX_SUGGESTIONS = 3;
/** Words listed per line of an explanation; `--json` lists all. */
const MAX_LISTED_WORDS = 12;

/** `playbyplay query <query> [<log or folder>…]` */
export const query: RunCommand<typeof specs.query> = async (io, options, sentence, ...paths) => {
  const { library, limit, explain, json } = options;
  const settings = { dictionaries: options.dictionary ?? [], tentative: options.tentative, signal: io.signal };
  const isExplained = paths.length === 0 && explain && library === undefined;
  const source = isExplained
    ? openLogs([], { ...settings, withoutCues: true })
    : openSource(paths, library, {
        ...settings,
        withoutCues: !json,
        limit: limit === 0 ? Number.MAX_SAFE_INTEGER : limit,
      });
  await using opened = await source;
  for (const { path, message } of opened.issues)
    io.stderr.write(`playbyplay: ${path === undefined ? '' : `${path} `}${message}\n`);
  const parsed = parseStructured(sentence);
  let compiled: CompiledQuery;
  try {
    compiled = await opened.compile(parsed);
  } catch (error) {
    if (!(error instanceof PlaybyplayError) || error.code !== 'bad-query') throw error;
    io.stderr.write(parsed === sentence ? formatSentenceIssues(sentence, error.issues) : formatIssues(error.issues));
    return 2;
  }
  for (const { written, read } of compiled.corrections)
    io.stderr.write(read === '' ? `“${written}” was left out\n` : `“${written}” was read as “${read}”\n`);
  if (explain) printExplanation(compiled, json, io);
  if (isExplained) return 0;
  const result = await opened.ask(
    options.count ? { ...compiled, query: { ...compiled.query, count: true } } : compiled,
  );
  const isCounted = options.count || compiled.query.count === true || compiled.query.by !== undefined;
  // Whoever asks must see what was answered: an answer does not say what it is the answer to.
  const isList = !isCounted && !result.groups && !result.values && !result.answer && !result.hasMore;
  const total = isList && result.count > 1 ? ` (${result.count} matches)` : '';
  if (compiled.sentence !== undefined)
    io.stderr.write(`read as: ${describeQuery(compiled.query, compiled.dictionary)}${total}\n`);
  const texts = await openEventTexts(options, compiled.dictionary);
  if (json) await printJson(result, isCounted, { compiled, source: opened, io, texts });
  else printText(result, isCounted, { compiled, source: opened, io, texts });
  texts.reportMissing(io);
  if (result.hasMore && !isCounted) io.stderr.write(`only the first ${result.count}; all of them: --limit 0\n`);
  for (const { name, nearest } of findUnknownSessions(compiled.query, opened.sessions))
    io.stderr.write(`no session is called “${name}”${nearest === undefined ? '' : `. ${didYouMean(nearest)}`}\n`);
  const unknownNames = opened.findUnknownNames(compiled.query);
  for (const { name, nearest } of unknownNames)
    io.stderr.write(`no event names “${name}”${nearest === undefined ? '' : `. ${didYouMean(nearest)}`}\n`);
  if (result.count === 0) {
    if (!compiled.query.count || compiled.query.by)
      io.stderr.write(`no match among ${formatCount(opened.eventCount, 'event')}\n`);
    for (const name of opened.findAbsentWords(compiled)) io.stderr.write(`no event mentions “${name}”\n`);
    const excluding = unknownNames.length > 0 ? [] : opened.findExcludingParts(compiled);
    for (const { part, count } of excluding.slice(0, MAX_SUGGESTIONS))
      io.stderr.write(`without “${part}” there ${count === 1 ? 'is 1' : `are ${count}`}\n`);
    for (const { word, instead, count } of opened.suggestBroaderWords(compiled).slice(0, MAX_SUGGESTIONS))
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
  readonly source: QuerySource;
  readonly io: CommandIo;
  readonly texts: EventTexts;
}

async function printJson(result: QueryResult, isCounted: boolean, { compiled, source, io }: Output): Promise<void> {
  const { logs } = source;
  const write = (line: object): unknown => io.stdout.write(`${JSON.stringify(line)}\n`);
  if (result.groups && !compiled.query.distinct) {
    const bySession = labelIndex(compiled, 'session');
    for (const { labels, count } of result.groups) {
      const log = logs.get(labels[bySession] ?? '')?.path;
      write({ group: labels, count, ...(log !== undefined && { log }) });
    }
  } else if (result.values) {
    const unit = unitOf(compiled);
    for (const { session, t, value, match, of, isOpen } of result.values)
      write({
        t,
        session,
        value,
        ...(of !== undefined && { of }),
        ...(unit !== undefined && { unit }),
        ...(isOpen && { isOpen }),
        ...(match && { events: await source.readLines(match.events) }),
      });
  } else if (result.answer) {
    const { value, unit = unitOf(compiled) ?? null, compared } = result.answer;
    write({ value, unit, ...(compared && { compared }) });
  } else if (isCounted) write({ value: result.count, unit: null });
  else {
    for (const { t, end, events: found } of result.matches) {
      const events = await source.readLines(found);
      const { game, session } = events[0]!;
      io.stdout.write(`${JSON.stringify({ t, end, game, session, log: logs.get(session)?.path, events })}\n`);
    }
  }
}

function printText(result: QueryResult, isCounted: boolean, { compiled, source: { logs }, io, texts }: Output): void {
  const nameOf = (session: string): string => logs.get(session)?.name ?? session;
  const prefixOf = (session: string): string => (logs.size > 1 ? `${nameOf(session)}  ` : '');
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
    for (const { session, t, value, match, of, isOpen } of result.values)
      io.stdout.write(
        `${prefixOf(session)}${style('dim', formatClock(t))}  ${formatAnswer(value, unit)}${of === undefined ? '' : `  ${of}`}${isOpen ? '  (in the recording; the log does not state both beginning and end)' : ''}${match ? `  (${texts.textOf(match.events[0]!)})` : ''}\n`,
      );
  } else if (result.answer?.compared) {
    const unit = result.answer.unit ?? unitOf(compiled);
    const [first, second] = result.answer.compared.map((value) => formatAnswer(value, unit));
    const { value } = result.answer;
    const isBoth = compiled.query.versus?.as === 'both';
    const verdict = typeof value === 'boolean' ? (value ? 'yes' : 'no') : formatAnswer(value, unit);
    io.stdout.write(isBoth ? `${first} and ${second}\n` : `${verdict} (${first} and ${second})\n`);
  } else if (compiled.query.whether) {
    io.stdout.write(`${result.answer?.value === true ? 'yes' : 'no'}\n`);
    for (const match of result.matches) io.stdout.write(formatMatch(match, texts, logs.size > 1 ? nameOf : undefined));
  } else if (result.answer) {
    io.stdout.write(`${formatAnswer(result.answer.value, result.answer.unit ?? unitOf(compiled))}\n`);
    if (compiled.query.count && !compiled.query.per && !/^\s*(?:count|number)\b/i.test(compiled.sentence ?? 'count'))
      printPlayerShare(result, io);
  } else if (isCounted) io.stdout.write(`${result.count}\n`);
  else
    for (const match of result.matches) io.stdout.write(formatMatch(match, texts, logs.size > 1 ? nameOf : undefined));
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
function formatMatch({ events }: Match, texts: EventTexts, nameOf: ((session: string) => string) | undefined): string {
  return events
    .map(
      (event, index) =>
        `${nameOf && index === 0 ? `${nameOf(event.session)}  ` : ''}${index === 0 ? '' : '  then '}${style('dim', formatClock(event.t))}  ${texts.textOf(event)}\n`,
    )
    .join('');
}
