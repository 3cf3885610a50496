import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import { diffDictionaries } from '../../dictionary/diff.ts';
import { readSources } from '../../dictionary/files.ts';
import { dictionaryPage } from '../../dictionary/page/page.ts';
import { normalizeStatement, validateStatement } from '../../dictionary/statements.ts';
import { parse } from '../../dictionary/sentences/parse.ts';
import { render, type Style } from '../../dictionary/sentences/render.ts';
import { loadDictionary } from '../../dictionary/load.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { suggestSpelling } from '../../spelling.ts';
import type { Statement } from '../../events/statement.ts';
import { showPlace } from '../caret.ts';
import type { Command, CommandIo } from '../command.ts';
import { load, loadAndWarn } from '../dictionary/load.ts';
import { usageOf } from '../dictionary/usage.ts';
import { printFound, printTree, printWord } from '../dictionary/words.ts';
import { counted, formatIssues } from '../explain.ts';

const help = `playbyplay dictionary <what> …

Shows and checks the words in which events are said.

  tree [word]            the hierarchy, or the part under a word (--depth n)
  show <word>            definition, ancestors, kinds, synonyms, forms, pattern
  search <text>          words by name, synonym or definition
  check [file]…          every finding of dictionary files (default: the program's own); exit code 3 if any
  parse "<sentence>"     the statement that a sentence makes
  render '<statement>'   the sentence that says a statement (JSON)
  diff <old> <new>       what changed between two versions of a file, and whether it breaks old logs
  html [-o file]         a page to browse all words (default dictionary.html)

  --tense <tense>        render: present (default), past, perfect or future
  --person <person>      render: third (default), second ("you kill …") or first
  --articles             render: with articles
  --game <name>          only the common dictionary and this game's; may be given several times
  --dictionary <file>    a further dictionary file; may be given several times
  --json                 machine-readable output

Examples:
  playbyplay dictionary tree weapon --depth 3
  playbyplay dictionary show kill
  playbyplay dictionary check my-game.json
  playbyplay dictionary parse "the enemy is killed by the player"
  playbyplay dictionary render '{"subject":"player","action":"kill","object":"opponent"}'
  playbyplay dictionary html -o words.html
`;

const options = {
  depth: { type: 'string' },
  tense: { type: 'string' },
  person: { type: 'string' },
  articles: { type: 'boolean' },
  game: { type: 'string', multiple: true },
  dictionary: { type: 'string', multiple: true },
  out: { type: 'string', short: 'o' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface Values {
  readonly depth?: string | undefined;
  readonly tense?: string | undefined;
  readonly person?: string | undefined;
  readonly articles?: boolean | undefined;
  readonly game?: string[] | undefined;
  readonly dictionary?: string[] | undefined;
  readonly out?: string | undefined;
  readonly json?: boolean | undefined;
}

type Action = (words: readonly string[], values: Values, io: CommandIo) => Promise<number>;

const actions: Readonly<Record<string, Action>> = {
  tree,
  show,
  search,
  check,
  parse: parseSentence,
  render: renderStatement,
  diff,
  html,
};

export const dictionary: Command = {
  name: 'dictionary',
  summary: 'show, check and use the words in which events are said',
  help,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [what, ...words] = positionals;
    if (what === undefined)
      throw new PlaybyplayError('usage', `what about the dictionary? ${Object.keys(actions).join(', ')}`);
    const action = actions[what];
    if (action) return action(words, values, io);
    throw new PlaybyplayError('usage', `dictionary cannot “${what}”`, {
      hint: suggestSpelling(what, Object.keys(actions)) ?? `It can ${Object.keys(actions).join(', ')}.`,
    });
  },
};

function need(words: readonly string[], what: string): string {
  const text = words.join(' ').trim();
  if (text === '') throw new PlaybyplayError('usage', `which ${what}?`);
  return text;
}

async function tree(words: readonly string[], values: Values, io: CommandIo): Promise<number> {
  const depth = values.depth === undefined ? Number.POSITIVE_INFINITY : Number(values.depth);
  if (Number.isNaN(depth) || depth < 1)
    throw new PlaybyplayError('usage', `--depth is a whole number of at least 1, not “${values.depth}”`);
  printTree(await loadAndWarn(values, io), words.length > 0 ? words.join(' ') : undefined, depth, io);
  return 0;
}

async function show(words: readonly string[], values: Values, io: CommandIo): Promise<number> {
  printWord(await loadAndWarn(values, io), need(words, 'word'), values.json ?? false, io);
  return 0;
}

async function search(words: readonly string[], values: Values, io: CommandIo): Promise<number> {
  return printFound(await loadAndWarn(values, io), need(words, 'text'), values.json ?? false, io);
}

async function check(files: readonly string[], values: Values, io: CommandIo): Promise<number> {
  const { dictionary: loaded, issues } = await load(
    { ...values, dictionary: [...files, ...(values.dictionary ?? [])] },
    true,
  );
  const counts = (['object', 'action', 'property'] as const).map((kind) => ({
    kind,
    words: loaded.words(kind).length,
  }));
  if (values.json) {
    const depth = histogram(loaded.ordered.map((word) => word.depth));
    io.stdout.write(
      `${JSON.stringify({ issues, words: Object.fromEntries(counts.map(({ kind, words }) => [kind, words])), depth, events: loaded.events.length })}\n`,
    );
  } else {
    io.stdout.write(formatIssues(issues));
    io.stdout.write(figures(loaded));
    io.stdout.write(
      `${loaded.sources.map(({ name, version }) => `${name} ${version}`).join(', ')}: ${counts.map(({ kind, words }) => `${words} ${kind}`).join(', ')} words, `,
    );
    io.stdout.write(
      `${loaded.events.length} composite events; ${issues.length === 0 ? 'no findings' : counted(issues.length, 'finding')}\n`,
    );
  }
  return issues.length > 0 ? 3 : 0;
}

function figures(loaded: Dictionary): string {
  const defined = loaded.ordered.filter(({ definition }) => definition.trim() !== '').length;
  const levels = Object.entries(histogram(loaded.ordered.map(({ depth }) => depth)));
  return `${loaded.ordered.length} words, ${defined} definitions; by level ${levels.map(([level, count]) => `${level}: ${count}`).join(', ')}\n`;
}

function histogram(values: readonly number[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

async function parseSentence(words: readonly string[], values: Values, io: CommandIo): Promise<number> {
  const loaded = await loadAndWarn(values, io);
  const sentence = need(words, 'sentence');
  const parsed = parse(sentence, loaded, values.game?.[0] === undefined ? {} : { game: values.game[0] });
  if (values.json) io.stdout.write(`${JSON.stringify(parsed)}\n`);
  else if (parsed.statement) io.stdout.write(`${JSON.stringify(parsed.statement)}\n`);
  if (parsed.statement) return 0;
  if (!values.json) {
    for (const reading of parsed.readings) io.stdout.write(`${JSON.stringify(reading)}\n`);
    io.stderr.write(showPlace(sentence, parsed.issues));
  }
  return 2;
}

async function renderStatement(words: readonly string[], values: Values, io: CommandIo): Promise<number> {
  const loaded = await loadAndWarn(values, io);
  let statement: unknown;
  try {
    statement = JSON.parse(need(words, 'statement'));
  } catch (error) {
    throw new PlaybyplayError('usage', `the statement is not JSON: ${messageOf(error)}`);
  }
  const issues = validateStatement(statement, loaded);
  if (issues.length > 0) {
    io.stderr.write(formatIssues(issues));
    return 2;
  }
  io.stdout.write(`${render(normalizeStatement(statement as Statement), loaded, styleOf(values))}\n`);
  return 0;
}

function styleOf({ tense, person, articles }: Values): Style {
  return {
    ...(tense !== undefined && { tense: oneOf('--tense', tense, ['present', 'past', 'perfect', 'future']) }),
    ...(person !== undefined && { person: oneOf('--person', person, ['first', 'second', 'third']) }),
    ...(articles && { articles }),
  };
}

function oneOf<Choice extends string>(option: string, said: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((each) => each === said);
  if (choice === undefined)
    throw new PlaybyplayError('usage', `${option} is one of ${choices.join(', ')}, not “${said}”`);
  return choice;
}

async function diff(files: readonly string[], values: Values, io: CommandIo): Promise<number> {
  const [before, after] = files;
  if (before === undefined || after === undefined || files.length > 2)
    throw new PlaybyplayError('usage', 'diff compares two files: the old one and the new one');
  const [old, now] = await Promise.all([before, after].map((file) => versionOf(file)));
  const { changes, needs } = diffDictionaries(old!, now!);
  for (const change of changes) {
    if (values.json) io.stdout.write(`${JSON.stringify(change)}\n`);
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
      : `the version needs a ${needs} step${needs === 'major' ? ': old logs or queries may be answered otherwise (!)' : ''}\n`,
  );
  return changes.some(({ breaking }) => breaking) ? 3 : 0;
}

/** A file with the program's other dictionaries that it builds on. */
async function versionOf(file: string): Promise<ReturnType<typeof loadDictionary>['dictionary']> {
  const [source] = await readSources([file]);
  const alone = loadDictionary([source!], { definitions: false });
  if (alone.dictionary.sources.some(({ name }) => name === 'common')) return alone.dictionary;
  return (await load({ game: [], dictionary: [file] })).dictionary;
}

async function html(_words: readonly string[], values: Values, io: CommandIo): Promise<number> {
  const file = values.out ?? 'dictionary.html';
  const loaded = await loadAndWarn(values, io);
  await writeFile(file, dictionaryPage(loaded, await usageOf(loaded)));
  io.stdout.write(`${file}\n`);
  return 0;
}
