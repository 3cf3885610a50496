import type { Dictionary } from '../../dictionary/dictionary.ts';
import { render } from '../../dictionary/sentences/render.ts';
import { PlaybyplayError } from '../../errors.ts';
import { type Clip, evaluate as evaluateClips } from '../../evaluate/evaluate.ts';
import { report } from '../../evaluate/report.ts';
import { readTruth } from '../../evaluate/truth.ts';
import type { HeaderLine } from '../../events/log.ts';
import { loadLog } from '../../events/reader.ts';
import type { Statement } from '../../events/statement.ts';
import { loadLogDictionaries } from '../../query/logs.ts';
import type { RunCommand } from '../command.ts';
import { usageError } from '../options.ts';
import type * as specs from '../specs.ts';

/** Default tolerance, in samples. */
export const TOLERANCE_SAMPLES = 1.5;

/** `playbyplay evaluate <log> <truth> …` */
export const evaluate: RunCommand<typeof specs.evaluate> = async (io, options, ...paths) => {
  if (paths.length % 2 !== 0) throw usageError('give a log and its truth, or several such pairs');
  const clips: Clip[] = [];
  const headers: HeaderLine[] = [];
  for (let i = 0; i < paths.length; i += 2) {
    const { header, events } = await loadLog(paths[i]!, {
      signal: io.signal,
      withoutTentative: !options.tentative,
      withoutCorrections: true,
    });
    const truth = await readTruth(paths[i + 1]!);
    headers.push(header);
    clips.push({ events, truth, ...(paths.length > 2 ? { name: header.media?.name ?? paths[i]! } : {}) });
  }
  const dictionary = await loadLogDictionary(headers, paths);
  const result = evaluateClips(clips, {
    tolerance: options.tolerance ?? TOLERANCE_SAMPLES * Math.max(...headers.map(sampleInterval)),
    numbers: options.numbers,
    kinds: options.all ? 'all' : 'truth',
    from: options.from,
    to: options.to,
    ...(dictionary && { isA: (a, b) => dictionary.isA(a, b) }),
  });
  io.stdout.write(options.json ? `${JSON.stringify(result)}\n` : report(result, statementFormatter(dictionary)));
  return result.misses.length + result.falseEvents.length > 0 ? 3 : 0;
};

/** The dictionaries that the logs name, built-in ones and those of packs near them; `undefined` when one cannot be read. */
async function loadLogDictionary(
  headers: readonly HeaderLine[],
  paths: readonly string[],
): Promise<Dictionary | undefined> {
  const named = headers.flatMap(({ dictionaries }) =>
    (dictionaries ?? []).map(({ name, hash }) => [name, hash] as const),
  );
  try {
    const { dictionary, issues } = await loadLogDictionaries(new Map(named), paths);
    return issues.some(({ code }) => code === 'dictionary-missing') ? undefined : dictionary;
  } catch (error) {
    if (error instanceof PlaybyplayError) return undefined;
    throw error;
  }
}

/** Renders sentences; a statement that the dictionary cannot render is shown as JSON. */
export function statementFormatter(dictionary: Dictionary | undefined): (statement: Statement) => string {
  return (statement) => {
    try {
      if (dictionary) return render(statement, dictionary);
    } catch {
      // A word of another version of the dictionary.
    }
    return JSON.stringify(statement);
  };
}

/** Seconds between samples. */
export function sampleInterval({ plan, media }: Partial<HeaderLine>): number {
  const { num = 0, den = 1 } = media?.frameRate ?? {};
  if (plan?.every !== undefined && num > 0) return (plan.every * den) / num;
  return plan?.interval ?? 0.1;
}
