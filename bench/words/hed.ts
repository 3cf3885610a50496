// Loads the HED standard schema (not shipped) as an extension: issues, depth, and the time of hierarchical queries over 5000 rows.
//   node bench/words/hed.ts HED8.4.0.json
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtinFolder, loadBuiltin, readSources } from '../../src/dictionary/files.ts';
import { hedDictionary, parseHedSchema } from '../../src/dictionary/hed.ts';
import { loadDictionary } from '../../src/dictionary/load.ts';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';
import type { EventLine } from '../../src/events/log.ts';
import { compileQuery, matchEvents } from '../../src/query/run.ts';

const [path] = process.argv.slice(2);
if (path === undefined) throw new TypeError('give the path of a HED schema in its JSON or MediaWiki form');
const schema = parseHedSchema(readFileSync(path, 'utf8'));
const common = await loadBuiltin([]);
const { dictionary, issues } = loadDictionary(
  [
    ...(await readSources([join(builtinFolder, 'common.json')])),
    { file: 'hed.json', data: hedDictionary(schema, common.dictionary) },
  ],
  { definitions: false },
);
const own = dictionary.ordered.filter(({ namespace }) => namespace === 'hed');
process.stdout.write(
  `${schema.tags.length} tags, ${own.length} words, depth ${Math.max(...own.map(({ depth }) => depth))}, ${issues.length} findings\n`,
);

const ids = new Map(own.map(({ id, name }) => [name, id]));
const idOf = (tag: string): string => ids.get(tag.replaceAll('-', ' ').toLowerCase()) ?? '';
const parents = new Map(schema.tags.map(({ name, parent }) => [name, parent]));
let wrong = 0;
for (const { name } of schema.tags)
  for (let each: string | undefined = name; each !== undefined; each = parents.get(each))
    if (!dictionary.isA(idOf(name), idOf(each))) wrong++;
const objects = own.filter(({ kind }) => kind === 'object');
const actions = own.filter(({ kind }) => kind === 'action');
let unread = 0;
const events = Array.from({ length: 5000 }, (_, i): EventLine => {
  const statement = {
    subject: objects[(i * 31) % objects.length]!.id,
    action: actions[(i * 17) % actions.length]!.id,
    object: objects[(i * 101) % objects.length]!.id,
  };
  const text = render(statement, dictionary);
  if (i < 500 && JSON.stringify(parse(text, dictionary).statement) !== JSON.stringify(statement)) unread++;
  return {
    type: 'event',
    id: `${i}`,
    t: i,
    end: i,
    game: 'hed',
    session: 's',
    text,
    statement,
    confidence: 1,
    cues: [],
  };
});
process.stdout.write(
  `is-a against the parents of the schema: ${wrong} wrong; sentences not read back: ${unread} of 500\n`,
);
for (const sentence of ['action', 'communicate (hed tag)', 'item', 'human agent', 'move body part']) {
  const compiled = compileQuery(sentence, dictionary);
  const times = Array.from({ length: 15 }, () => {
    const list = events.slice();
    const start = performance.now();
    const found = matchEvents(compiled, list).length;
    return { ms: performance.now() - start, found };
  }).toSorted((a, b) => a.ms - b.ms);
  process.stdout.write(`"${sentence}" over 5000 rows: ${times[7]!.ms.toFixed(1)} ms, ${times[7]!.found} found\n`);
}
