// Loads the HED standard schema (not shipped) as a dictionary: issues, depth, and the time of hierarchical queries over 5000 rows.
//   node bench/words/hed.ts HED8.4.0.mediawiki
import { readFileSync } from 'node:fs';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';
import type { EventLine } from '../../src/events/log.ts';
import { compileQuery, matchEvents } from '../../src/query/run.ts';
import { hedTags, loadHed } from '../../test/fixtures/dictionary/hed-vocabulary.ts';

const [path] = process.argv.slice(2);
if (path === undefined) throw new TypeError('give the path of a HED schema in its MediaWiki form');
const wiki = readFileSync(path, 'utf8');
const tags = hedTags(wiki);
const { dictionary, issues } = loadHed(wiki);
process.stdout.write(
  `${tags.length} tags, ${dictionary.ordered.length} words, depth ${Math.max(...dictionary.ordered.map(({ depth }) => depth))}, ${issues.length} findings\n`,
);

let wrong = 0;
for (const tag of tags) {
  const id = tag.name.replaceAll('-', ' ').toLowerCase();
  for (let each: typeof tag | undefined = tag; each; each = each.parent)
    if (!dictionary.isA(id, each.name.replaceAll('-', ' ').toLowerCase())) wrong++;
}
const objects = dictionary.words('object');
const actions = dictionary.words('action');
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
for (const sentence of ['action', 'communicate', 'item', 'human agent', 'move body part']) {
  const compiled = compileQuery(sentence, dictionary);
  const times = Array.from({ length: 15 }, () => {
    const list = events.slice();
    const start = performance.now();
    const found = matchEvents(compiled, list).length;
    return { ms: performance.now() - start, found };
  }).toSorted((a, b) => a.ms - b.ms);
  process.stdout.write(`"${sentence}" over 5000 rows: ${times[7]!.ms.toFixed(1)} ms, ${times[7]!.found} found\n`);
}
