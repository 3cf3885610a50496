import type { Dictionary } from '../../dictionary/dictionary.ts';
import { normalizeStatement } from '../../dictionary/statements.ts';
import { parse } from '../../dictionary/sentences/parse.ts';
import { render } from '../../dictionary/sentences/render.ts';
import { PlaybyplayError } from '../../errors.ts';
import { addCorrections, additionOf, type Correction, readCorrections } from '../../events/corrections.ts';
import type { EventLine } from '../../events/log.ts';
import { loadLog, locateLog } from '../../events/reader.ts';
import { loadLogDictionaries } from '../../query/logs.ts';
import { formatClock } from '../../time.ts';
import type { RunCommand } from '../command.ts';
import { formatCount } from '../describe-error.ts';
import { usageError } from '../options.ts';
import { formatSentenceIssues } from '../sentence-issues.ts';
import type * as specs from '../specs.ts';

/** Shorter ids could mean another event by accident. */
const MIN_ID_CHARACTERS = 4;

/** `playbyplay correct <log>` */
export const correct: RunCommand<typeof specs.correct> = async (io, options, path) => {
  const { path: log, embedded } = await locateLog(path);
  if (embedded !== undefined)
    throw usageError('the log inside a reel cannot be corrected', 'Correct the log of its recording.');
  const reading = { signal: io.signal, onIssue: () => {} };
  const { header, events: original } = await loadLog(log, { ...reading, withoutCorrections: true });
  const known = await readCorrections(log);
  const all = [...original, ...[...known.values()].flatMap(asListed)];
  const { approve = [], delete: deleted = [], revert = [], change, add, at, end } = options;
  if ((at !== undefined || end !== undefined) && change === undefined && add === undefined)
    throw usageError('--at and --end belong to --change or --add');
  const corrections: Correction[] = [
    ...approve.map((id) => ({ type: 'approve', id: findEvent(all, id).id }) as const),
    ...deleted.map((id) => ({ type: 'delete', id: findEvent(all, id).id }) as const),
    ...revert.map((id) => ({ type: 'revert', id: findEvent(all, id).id }) as const),
  ];
  if (change !== undefined || add !== undefined) {
    const names = new Map(header.dictionaries.map(({ name, hash }) => [name, hash]));
    const { dictionary } = await loadLogDictionaries(names, [log], options.dictionary);
    if (change !== undefined) {
      const [id, sentence] = change;
      const event = findEvent(all, id);
      const statement = sentence === '' ? event.statement : parseSentence(sentence, dictionary, header.game);
      const t = at ?? event.t;
      const corrected = { t, end: end ?? Math.max(t, t + event.end - event.t), statement };
      const type = event.id.startsWith('+') ? 'add' : 'change';
      corrections.push({ type, id: event.id, event: { ...corrected, text: render(statement, dictionary) } });
    }
    if (add !== undefined) {
      if (at === undefined) throw usageError('--add needs the time of the event', 'Give it with --at 1:23.4');
      const statement = parseSentence(add, dictionary, header.game);
      corrections.push(additionOf({ t: at, end: end ?? at, text: render(statement, dictionary), statement }, known));
    }
  }
  if (corrections.length === 0) {
    for (const correction of known.values()) io.stdout.write(format(correction, original, options.json));
    if (known.size === 0 && !options.json) io.stdout.write(`${path}: no corrections\n`);
    return 0;
  }
  await addCorrections(log, corrections);
  for (const correction of corrections) io.stdout.write(format(correction, all, options.json));
  if (!options.json) io.stderr.write(`${formatCount(corrections.length, 'correction')} saved\n`);
  return 0;
};

function asListed(correction: Correction): readonly Pick<EventLine, 'id' | 't' | 'end' | 'text' | 'statement'>[] {
  return correction.type === 'add' ? [{ id: correction.id, ...correction.event }] : [];
}

function findEvent<Event extends { readonly id: string }>(events: readonly Event[], id: string): Event {
  const exact = events.find((event) => event.id === id);
  if (exact) return exact;
  const found = id.length < MIN_ID_CHARACTERS ? [] : events.filter((event) => event.id.startsWith(id));
  if (found.length === 1) return found[0]!;
  const problem = found.length === 0 ? 'no event has' : `${found.length} events have`;
  throw usageError(
    `${problem} an id that begins with "${id}"`,
    'Ids stand in the log, and in what `playbyplay query --json` prints.',
  );
}

function parseSentence(sentence: string, dictionary: Dictionary, game: string): EventLine['statement'] {
  const { statement, issues } = parse(sentence, dictionary, { game });
  if (statement) return normalizeStatement(statement);
  throw new PlaybyplayError(
    'bad-sentence',
    `the sentence is not understood\n${formatSentenceIssues(sentence, issues)}`,
  );
}

function format(
  correction: Correction,
  events: readonly Pick<EventLine, 'id' | 't' | 'text'>[],
  json: boolean,
): string {
  if (json) return `${JSON.stringify(correction)}\n`;
  const before = events.find(({ id }) => id === correction.id);
  const after = 'event' in correction ? correction.event : undefined;
  const shown = correction.type === 'add' || !before ? [after] : [before, after];
  const texts = shown.flatMap((event) => (event ? [`${formatClock(event.t)}  ${event.text}`] : [])).join('  →  ');
  return `${correction.id}  ${correction.type.padEnd(7)}  ${texts}\n`;
}
