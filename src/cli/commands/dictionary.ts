import type { Dictionary } from '../../dictionary/dictionary.ts';
import { commonName, namespacePattern } from '../../dictionary/format.ts';
import { hedDictionary, parseHedSchema } from '../../dictionary/hed.ts';
import { diffDictionaries } from '../../dictionary/diff.ts';
import { readSources } from '../../dictionary/files.ts';
import { dictionaryPage } from '../../dictionary/page/page.ts';
import { normalizeStatement, validateStatement } from '../../dictionary/statements.ts';
import { parse } from '../../dictionary/sentences/parse.ts';
import { render } from '../../dictionary/sentences/render.ts';
import { loadDictionary } from '../../dictionary/load.ts';
import { messageOf } from '../../errors.ts';
import { readInput } from '../../files/input.ts';
import { writeOutput } from '../../files/output.ts';
import type { Statement } from '../../events/statement.ts';
import type { RunCommand } from '../command.ts';
import { formatCount, formatIssues } from '../describe-error.ts';
import { findWordUsage, load, loadAndWarn } from '../dictionaries.ts';
import { usageError } from '../options.ts';
import { openEventTexts } from '../event-text.ts';
import { formatSentenceIssues } from '../sentence-issues.ts';
import type * as specs from '../specs.ts';
import { printFound, printTree, printWord } from '../words.ts';

/** Limit of the size of a HED schema. */
const MAX_SCHEMA_BYTES = 64 << 20;

type Spec<K extends keyof typeof specs> = (typeof specs)[K];

/** `playbyplay dictionary tree [<word>…]` */
export const tree: RunCommand<Spec<'dictionaryTree'>> = async (io, options, ...words) => {
  const name = words.length > 0 ? words.join(' ') : undefined;
  printTree(await loadAndWarn(options, io), name, options.depth ?? Number.POSITIVE_INFINITY, io);
  return 0;
};

/** `playbyplay dictionary show <word>…` */
export const show: RunCommand<Spec<'dictionaryShow'>> = async (io, options, ...words) => {
  printWord(await loadAndWarn(options, io), words.join(' '), options.json, io);
  return 0;
};

/** `playbyplay dictionary search <text>…` */
export const search: RunCommand<Spec<'dictionarySearch'>> = async (io, options, ...words) =>
  printFound(await loadAndWarn(options, io), words.join(' '), options.json, io);

/** `playbyplay dictionary check [<file>…]` */
export const check: RunCommand<Spec<'dictionaryCheck'>> = async (io, options, ...files) => {
  const { dictionary: loaded, issues } = await load(
    { ...options, dictionary: [...files, ...(options.dictionary ?? [])] },
    true,
  );
  const counts = (['object', 'action', 'property'] as const).map((kind) => ({
    kind,
    words: loaded.words(kind).length,
  }));
  if (options.json) {
    const depth = histogram(loaded.ordered.map((word) => word.depth));
    io.stdout.write(
      `${JSON.stringify({ issues, words: Object.fromEntries(counts.map(({ kind, words }) => [kind, words])), depth, events: loaded.events.length })}\n`,
    );
  } else {
    io.stdout.write(formatIssues(issues));
    io.stdout.write(formatStatistics(loaded));
    io.stdout.write(
      `${loaded.sources.map(({ name, version }) => `${name} ${version}`).join(', ')}: ${counts.map(({ kind, words }) => `${words} ${kind}`).join(', ')} words, `,
    );
    io.stdout.write(
      `${loaded.events.length} composite events; ${issues.length === 0 ? 'no findings' : formatCount(issues.length, 'finding')}\n`,
    );
  }
  return issues.length > 0 ? 3 : 0;
};

function formatStatistics(loaded: Dictionary): string {
  const defined = loaded.ordered.filter(({ definition }) => definition.trim() !== '').length;
  const levels = Object.entries(histogram(loaded.ordered.map(({ depth }) => depth)));
  return `${loaded.ordered.length} words, ${defined} definitions; by level ${levels.map(([level, count]) => `${level}: ${count}`).join(', ')}\n`;
}

function histogram(values: readonly number[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** `playbyplay dictionary parse <sentence>` */
export const parseSentence: RunCommand<Spec<'dictionaryParse'>> = async (io, options, ...words) => {
  const loaded = await loadAndWarn(options, io);
  const sentence = words.join(' ');
  const parsed = parse(sentence, loaded, options.game?.[0] === undefined ? {} : { game: options.game[0] });
  if (options.json) io.stdout.write(`${JSON.stringify(parsed)}\n`);
  else if (parsed.statement) io.stdout.write(`${JSON.stringify(parsed.statement)}\n`);
  if (parsed.statement) return 0;
  if (!options.json) {
    for (const reading of parsed.readings) io.stdout.write(`${JSON.stringify(reading)}\n`);
    io.stderr.write(formatSentenceIssues(sentence, parsed.issues));
  }
  return 2;
};

/** `playbyplay dictionary render <statement>` */
export const renderStatement: RunCommand<Spec<'dictionaryRender'>> = async (io, options, text) => {
  const loaded = await loadAndWarn(options, io);
  let statement: unknown;
  try {
    statement = JSON.parse(text);
  } catch (error) {
    throw usageError(`the statement is not JSON: ${messageOf(error)}`);
  }
  const issues = validateStatement(statement, loaded);
  if (issues.length > 0) {
    io.stderr.write(formatIssues(issues));
    return 2;
  }
  const { tense, person, articles } = options;
  const { textOf, reportMissing } = await openEventTexts(options, loaded);
  const normal = normalizeStatement(statement as Statement);
  const style = { ...(tense && { tense }), ...(person && { person }), ...(articles && { articles }) };
  io.stdout.write(
    `${textOf({ id: JSON.stringify(normal), text: render(normal, loaded, style), statement: normal })}\n`,
  );
  reportMissing(io);
  return 0;
};

/** `playbyplay dictionary diff <old file> <new file>` */
export const diff: RunCommand<Spec<'dictionaryDiff'>> = async (io, options, before, after) => {
  const [old, now] = await Promise.all([before, after].map(loadVersion));
  const { changes, needs } = diffDictionaries(old!, now!);
  for (const change of changes) {
    if (options.json) io.stdout.write(`${JSON.stringify(change)}\n`);
    else {
      const detail = [change.from, change.to].filter((part) => part !== undefined && part !== '').join(' → ');
      io.stdout.write(
        `${change.breaking ? '! ' : '  '}${change.kind} ${change.id}: ${change.what}${detail === '' ? '' : ` (${detail})`}\n`,
      );
    }
  }
  io.stderr.write(
    needs === 'none'
      ? 'no difference\n'
      : `the version needs a ${needs} increment${needs === 'major' ? ': old logs or queries may give other results (!)' : ''}\n`,
  );
  return changes.some(({ breaking }) => breaking) ? 3 : 0;
};

/** Loads a dictionary file together with the built-in ones that it extends. */
async function loadVersion(file: string): Promise<ReturnType<typeof loadDictionary>['dictionary']> {
  const [source] = await readSources([file]);
  const alone = loadDictionary([source!], { definitions: false });
  if (alone.dictionary.sources.some(({ name }) => name === 'common')) return alone.dictionary;
  return (await load({ game: [], dictionary: [file] })).dictionary;
}

/** `playbyplay dictionary import-hed <schema>` */
export const importHed: RunCommand<Spec<'dictionaryImportHed'>> = async (io, options, path) => {
  if (!namespacePattern.test(options.name) || options.name === commonName)
    throw usageError(`--name must consist of lower-case letters, digits and hyphens, and not be "${commonName}"`);
  const text = (await readInput(path, MAX_SCHEMA_BYTES, 'schema-too-large')).toString();
  const { dictionary: common } = await load({ game: [] });
  const file = hedDictionary(parseHedSchema(text), common, options.name);
  await writeOutput(options.out, `${JSON.stringify(file, undefined, 1)}\n`, {
    kind: 'JSON',
    inputs: [path],
    overwrite: options.overwrite,
  });
  const { objects = [], actions = [], properties = [] } = file;
  io.stderr.write(
    `${file.title}: ${formatCount(objects.length, 'object')}, ${formatCount(actions.length, 'action')}, ${properties.length} properties\n`,
  );
  io.stdout.write(`${options.out}\n`);
  return 0;
};

/** `playbyplay dictionary html` */
export const html: RunCommand<Spec<'dictionaryHtml'>> = async (io, options) => {
  const loaded = await loadAndWarn(options, io);
  const page = dictionaryPage(loaded, await findWordUsage(loaded));
  await writeOutput(options.out, page, { kind: 'HTML', inputs: options.dictionary, overwrite: options.overwrite });
  io.stdout.write(`${options.out}\n`);
  return 0;
};
