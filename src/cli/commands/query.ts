import { parseArgs } from 'node:util';
import type { Query } from '../../query/query.ts';
import { sessionNames, unmetSessions } from '../../query/session-names.ts';
import { unmetNames, widerMatches } from '../../query/suggestions.ts';
import { loadLogs, type LoadedLogs } from '../../query/logs.ts';
import { explainQuery, type ExplainedWord } from '../../query/explain.ts';
import { compileQuery, runQuery, type CompiledQuery, type QueryResult } from '../../query/run.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { didYouMean } from '../../spelling.ts';
import type { Match } from '../../query/match/combinators.ts';
import { formatClock } from '../../time.ts';
import { showPlace, underline } from '../caret.ts';
import type { Command, CommandIo } from '../command.ts';
import { counted as inWords, formatIssues } from '../explain.ts';

const help = `playbyplay query "<sentence>" <log or folder>… [options]
       playbyplay query '{"find": …}' <log or folder>… [options]   (the structured form)

Finds events by what happened, at any level of the dictionary: "defeats" finds kills and stomps.

  --json                print matches (or groups) as NDJSON
  --count               only how many
  --explain             show how the query was understood and which words it covers
  --dictionary <file>   a further dictionary file; may be given several times

Examples:
  playbyplay query "player defeats enemy with gun" match.playbyplay
  playbyplay query "health drops below 20" season/*.playbyplay
  playbyplay query "kill followed by kill within 4 s" match.playbyplay
  playbyplay query "count kills by weapon" match.playbyplay/events.ndjson
  playbyplay query --explain "kills with any weapon except railgun"
`;

const options = {
  json: { type: 'boolean' },
  count: { type: 'boolean' },
  explain: { type: 'boolean' },
  dictionary: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const;

export const query: Command = {
  name: 'query',
  summary: 'find events by a sentence, at any level of the dictionary',
  help,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [sentence, ...paths] = positionals;
    if (sentence === undefined)
      throw new PlaybyplayError('usage', 'which query?', { hint: 'For example "player kills opponent".' });
    if (paths.length === 0 && !values.explain)
      throw new PlaybyplayError('usage', 'which log?', { hint: 'Give an events.ndjson or its folder.' });
    const logs = await loadLogs(paths, {
      dictionaries: values.dictionary ?? [],
      withoutCues: !values.json,
      signal: io.signal,
    });
    for (const { path, message } of logs.issues)
      io.stderr.write(`playbyplay: ${path === undefined ? '' : `${path} `}${message}\n`);
    const sessions = sessionNames(logs.logs);
    const asked = structured(sentence);
    let compiled: CompiledQuery;
    try {
      compiled = compileQuery(asked, logs.dictionary, {
        sessions,
        ...(logs.games.length === 1 ? { game: logs.games[0]! } : {}),
      });
    } catch (error) {
      if (!(error instanceof PlaybyplayError) || error.code !== 'bad-query') throw error;
      io.stderr.write(asked === sentence ? showPlace(sentence, error.issues) : formatIssues(error.issues));
      return 2;
    }
    if (values.explain) explain(compiled, values.json ?? false, io);
    if (paths.length === 0) return 0;
    const result = runQuery(compiled, logs.events, { durations: logs.durations });
    const counted = values.count || compiled.query.count || compiled.query.by !== undefined;
    if (values.json) printJson(result, counted, { compiled, logs, io });
    else printText(result, counted, { compiled, logs, io });
    for (const { name, near } of unmetSessions(compiled.query, sessions))
      io.stderr.write(`no session is called “${name}”${near === undefined ? '' : `. ${didYouMean(near)}`}\n`);
    for (const { name, near } of unmetNames(compiled.query, logs.events))
      io.stderr.write(`no event names “${name}”${near === undefined ? '' : `. ${didYouMean(near)}`}\n`);
    if (result.count === 0) {
      if (!counted) io.stderr.write(`no match among ${inWords(logs.events.length, 'event')}\n`);
      for (const { word, instead, count } of widerMatches(compiled, logs.events, { durations: logs.durations }).slice(
        0,
        3,
      ))
        io.stderr.write(`with “${instead}” in the place of “${word}” there ${count === 1 ? 'is 1' : `are ${count}`}\n`);
    }
    return 0;
  },
};

/** A query in its structured form begins with a brace, which no sentence does. */
function structured(text: string): string | Query {
  if (!text.trimStart().startsWith('{')) return text;
  try {
    return JSON.parse(text) as Query;
  } catch (error) {
    throw new PlaybyplayError('usage', `the structured query is not JSON: ${messageOf(error)}`);
  }
}

function explain(compiled: CompiledQuery, json: boolean, io: CommandIo): void {
  const explanation = explainQuery(compiled.query, compiled.dictionary);
  if (json) {
    io.stdout.write(`${JSON.stringify({ query: compiled.query, words: explanation.words })}\n`);
    return;
  }
  const places = explanation.words.flatMap(({ start, end }) => (start === undefined ? [] : [{ start, end: end! }]));
  const marked = compiled.sentence === undefined ? [] : [underline(compiled.sentence, places)];
  io.stdout.write(`${[...marked, ...explanation.lines, ...explanation.words.map(wordLine)].join('\n')}\n`);
}

/** Most words that a line of the explanation names; `--json` has all of them. */
const mostNamed = 12;

function wordLine({ id, kind, text, covers }: ExplainedWord): string {
  const head = `${text === undefined ? '' : `“${text}”: `}${kind} "${id}"`;
  if (covers.length === 0) return `${head}, and nothing under it`;
  const more = covers.length > mostNamed ? ` and ${covers.length - mostNamed} more` : '';
  return `${head} and the ${covers.length} under it: ${covers.slice(0, mostNamed).join(', ')}${more}`;
}

interface Printing {
  readonly compiled: CompiledQuery;
  readonly logs: LoadedLogs;
  readonly io: CommandIo;
}

function printJson(result: QueryResult, counted: boolean, { compiled, logs: { logs }, io }: Printing): void {
  if (result.groups) {
    const bySession = keyOf(compiled, 'session');
    for (const { labels, count } of result.groups) {
      const log = logs.get(labels[bySession] ?? '')?.path;
      io.stdout.write(`${JSON.stringify({ group: labels, count, ...(log !== undefined && { log }) })}\n`);
    }
  } else if (counted) io.stdout.write(`${JSON.stringify({ count: result.count })}\n`);
  else {
    for (const { t, end, events } of result.matches) {
      const { game, session } = events[0]!;
      io.stdout.write(`${JSON.stringify({ t, end, game, session, log: logs.get(session)?.path, events })}\n`);
    }
  }
}

function printText(result: QueryResult, counted: boolean, { compiled, logs: { logs, sessions }, io }: Printing): void {
  const called = (session: string): string => logs.get(session)?.name ?? session;
  if (result.groups) {
    const width = Math.max(5, ...result.groups.map(({ count }) => String(count).length));
    const bySession = keyOf(compiled, 'session');
    const byMinute = keyOf(compiled, 'minute');
    const groups = result.groups.map(({ labels, count }) => {
      const shown = labels.map((label, i) =>
        i === bySession ? called(label) : i === byMinute ? formatClock(Number(label) * 60, 0) : label,
      );
      return { count, text: `${String(count).padStart(width)}  ${shown.join('  ')}\n` };
    });
    if (bySession >= 0) groups.sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
    for (const { text } of groups) io.stdout.write(text);
  } else if (counted) io.stdout.write(`${result.count}\n`);
  else for (const match of result.matches) io.stdout.write(line(match, sessions.length > 1 ? called : undefined));
}

/** Which of the groups' labels is of this kind; -1: none. */
function keyOf({ query: { by = [] } }: CompiledQuery, kind: 'session' | 'minute'): number {
  return by.findIndex((key) => 'key' in key && key.key === kind);
}

/** `called`: what a session goes by, where there are several. */
function line({ events }: Match, called: ((session: string) => string) | undefined): string {
  return events
    .map(
      ({ t, text, session }, index) =>
        `${called && index === 0 ? `${called(session)}  ` : ''}${index === 0 ? '' : '  then '}${formatClock(t)}  ${text}\n`,
    )
    .join('');
}
