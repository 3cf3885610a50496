import { parseArgs } from 'node:util';
import { loadBuiltin } from '../../dictionary/files.ts';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import { render } from '../../dictionary/sentences/render.ts';
import { PlaybyplayError } from '../../errors.ts';
import { evaluate as score, type Clip } from '../../evaluate/evaluate.ts';
import { report } from '../../evaluate/report.ts';
import { readTruth } from '../../evaluate/truth.ts';
import { loadLog } from '../../events/reader.ts';
import type { HeaderLine } from '../../events/log.ts';
import type { Statement } from '../../events/statement.ts';
import { parseTime } from '../../time.ts';
import type { Command } from '../command.ts';

const help = `playbyplay evaluate <log or folder> <truth.ndjson> [<log> <truth> …] [options]

Compares what was detected with what is known to have happened: precision, recall
and time error for every kind of event, then each miss and each false event.
Several pairs of log and truth are pooled.

A line of truth is {"t": seconds, "statement": {…}}. An event and a truth are the
same when their statements are equal in every slot and their times differ by no more
than the tolerance; each counts once. Pairs of which one word means the other
(“stomp” for “kill”) are counted apart. Kinds of events of which the truth does not
speak are not judged.

  --tolerance <s>   seconds by which times may differ (default: 1.5 samples)
  --numbers <n>     by how much numbers (from, to, amount) may differ (default: 0), for gauges without figures
  --all             judge every kind: events of which the truth does not speak are false
  --json            print the figures as JSON

Exit code 3 when anything was missed or false.

Examples:
  playbyplay evaluate match.playbyplay match.truth.ndjson
  playbyplay evaluate a.playbyplay a.ndjson b.playbyplay b.ndjson --json
`;

export const evaluate: Command = {
  name: 'evaluate',
  summary: 'compare an event log with what is known to have happened',
  help,
  async run(args, io) {
    const { values, positionals } = parseArgs({
      args,
      options: {
        tolerance: { type: 'string' },
        numbers: { type: 'string' },
        all: { type: 'boolean' },
        json: { type: 'boolean' },
      },
      allowPositionals: true,
    });
    if (positionals.length === 0 || positionals.length % 2 !== 0) {
      throw new PlaybyplayError('usage', 'give a log and its truth, or several such pairs');
    }
    const clips: Clip[] = [];
    const headers: HeaderLine[] = [];
    for (let i = 0; i < positionals.length; i += 2) {
      const { header, events } = await loadLog(positionals[i]!, { signal: io.signal });
      const truth = await readTruth(positionals[i + 1]!);
      headers.push(header);
      clips.push({ events, truth, ...(positionals.length > 2 ? { name: header.media?.name ?? positionals[i]! } : {}) });
    }
    const dictionary = await dictionaryFor(headers);
    const result = score(clips, {
      tolerance: toleranceOf(values.tolerance, headers),
      numbers: numbersOf(values.numbers),
      kinds: values.all ? 'all' : 'truth',
      ...(dictionary === undefined ? {} : { isA: (a, b) => dictionary.isA(a, b) }),
    });
    io.stdout.write(values.json ? `${JSON.stringify(result)}\n` : report(result, sayer(dictionary)));
    return result.misses.length + result.falseEvents.length > 0 ? 3 : 0;
  },
};

function toleranceOf(text: string | undefined, headers: readonly HeaderLine[]): number {
  if (text === undefined) return 1.5 * Math.max(...headers.map(sampleOf));
  const seconds = parseTime(text);
  if (seconds === undefined) throw new PlaybyplayError('usage', `--tolerance is a time, such as 0.15, not ${text}`);
  return seconds;
}

function numbersOf(text = '0'): number {
  const most = Number(text);
  if (text.trim() === '' || !Number.isFinite(most) || most < 0)
    throw new PlaybyplayError('usage', `--numbers is a number from 0 on, not ${text}`);
  return most;
}

/** The words of the logs, as far as they come with the program. */
async function dictionaryFor(headers: readonly HeaderLine[]): Promise<Dictionary | undefined> {
  try {
    return (await loadBuiltin(headers.flatMap(({ dictionaries }) => (dictionaries ?? []).map(({ name }) => name))))
      .dictionary;
  } catch (error) {
    if (error instanceof PlaybyplayError) return undefined;
    throw error;
  }
}

/** Sentences where the dictionary knows the words, else the bare statement. */
function sayer(dictionary: Dictionary | undefined): (statement: Statement) => string {
  return (statement) => {
    try {
      return dictionary === undefined ? JSON.stringify(statement) : render(statement, dictionary);
    } catch {
      return JSON.stringify(statement);
    }
  };
}

/** Seconds from one sample to the next. */
function sampleOf({ plan, media }: Partial<HeaderLine>): number {
  const { num = 0, den = 1 } = media?.frameRate ?? {};
  if (plan?.every !== undefined && num > 0) return (plan.every * den) / num;
  return plan?.interval ?? 0.1;
}
