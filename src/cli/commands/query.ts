import { parseArgs } from 'node:util';
import type { Query } from '../../query/query.ts';
import { unmetNames } from '../../query/names.ts';
import { loadLogs } from '../../query/logs.ts';
import { explainQuery, type ExplainedWord } from '../../query/describe.ts';
import { compileQuery, runQuery, type CompiledQuery, type QueryResult } from '../../query/run.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { Match } from '../../query/match/combine.ts';
import { formatClock } from '../../time.ts';
import { showPlace, underline } from '../caret.ts';
import type { Command, CommandIo } from '../command.ts';
import { formatIssues } from '../explain.ts';

const help = `playbyplay query "<sentence>" <log or folder>… [options]
       playbyplay query '{"find": …}' <log or folder>… [options]   (the structured form)

Finds events by what happened, at any level of the dictionary: "defeats" finds kills and stomps.

  --json                print matches (or groups) as NDJSON
  --count               only how many
  --explain             show how the query was understood and which words it covers
  --dictionary <file>   a further dictionary file; may be given several times

Examples:
  playbyplay query "player defeats enemy with gun" match.mp4.playbyplay
  playbyplay query "health drops below 20" season/*.playbyplay
  playbyplay query "kill followed by kill within 4 s" match.mp4.playbyplay
  playbyplay query "count kills by weapon" match.mp4.playbyplay/events.ndjson
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
    if (sentence === undefined) throw new PlaybyplayError('usage', 'Which query? For example "player kills opponent".');
    if (paths.length === 0 && !values.explain)
      throw new PlaybyplayError('usage', 'Which log? Give an events.ndjson or its folder.');
    const logs = await loadLogs(paths, { dictionaries: values.dictionary ?? [], signal: io.signal });
    for (const issue of logs.issues) io.stderr.write(`playbyplay: ${issue.path ?? ''} ${issue.message}\n`);
    const asked = structured(sentence);
    let compiled: CompiledQuery;
    try {
      compiled = compileQuery(asked, logs.dictionary, logs.games.length === 1 ? { game: logs.games[0]! } : {});
    } catch (error) {
      if (!(error instanceof PlaybyplayError) || error.code !== 'bad-query') throw error;
      io.stderr.write(asked === sentence ? showPlace(sentence, error.issues) : formatIssues(error.issues));
      return 2;
    }
    if (values.explain) explain(compiled, values.json ?? false, io);
    if (paths.length === 0) return 0;
    const result = runQuery(compiled, logs.events, { durations: logs.durations });
    const counted = values.count || compiled.query.count || compiled.query.by !== undefined;
    if (values.json) printJson(result, counted, io);
    else printText(result, counted, logs.sessions.length > 1, io);
    for (const { name, near } of unmetNames(compiled.query, logs.events))
      io.stderr.write(`no event names “${name}”${near === undefined ? '' : `; did you mean “${near}”?`}\n`);
    if (!counted && result.count === 0) io.stderr.write(`no match among ${logs.events.length} events\n`);
    return 0;
  },
};

/** A query in its structured form begins with a brace, which no sentence does. */
function structured(text: string): string | Query {
  if (!text.trimStart().startsWith('{')) return text;
  try {
    return JSON.parse(text) as Query;
  } catch (error) {
    throw new PlaybyplayError('usage', `The structured query is not JSON: ${messageOf(error)}`);
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

function printJson(result: QueryResult, counted: boolean, io: CommandIo): void {
  if (result.groups)
    for (const { labels, count } of result.groups) io.stdout.write(`${JSON.stringify({ group: labels, count })}\n`);
  else if (counted) io.stdout.write(`${JSON.stringify({ count: result.count })}\n`);
  else {
    for (const { t, end, events } of result.matches) {
      const { game, session } = events[0]!;
      io.stdout.write(`${JSON.stringify({ t, end, game, session, events })}\n`);
    }
  }
}

function printText(result: QueryResult, counted: boolean, several: boolean, io: CommandIo): void {
  if (result.groups) {
    const width = Math.max(5, ...result.groups.map(({ count }) => String(count).length));
    for (const { labels, count } of result.groups)
      io.stdout.write(`${String(count).padStart(width)}  ${labels.join('  ')}\n`);
  } else if (counted) io.stdout.write(`${result.count}\n`);
  else for (const match of result.matches) io.stdout.write(line(match, several));
}

function line({ events }: Match, several: boolean): string {
  return events
    .map(
      ({ t, text, session }, index) =>
        `${several && index === 0 ? `${session}  ` : ''}${index === 0 ? '' : '  then '}${formatClock(t)}  ${text}\n`,
    )
    .join('');
}
