// Compares hierarchical queries over a million events in memory with regular expressions over the same texts; medians.
//   node bench/words/query.ts [events]
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { render } from '../../src/dictionary/sentences/render.ts';
import type { EventLine } from '../../src/events/log.ts';
import type { Statement } from '../../src/events/statement.ts';
import { compileQuery, matchEvents } from '../../src/query/run.ts';
import { median } from '../../src/statistics.ts';

const size = Number(process.argv[2] ?? 1_000_000);
const { dictionary } = await loadBuiltin();

/** A deterministic stream of numbers in 0…1 (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function logOf(count: number): EventLine[] {
  const random = numbers(7);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const weapons = dictionary.descendants('weapon', 'object').map(({ id }) => id);
  const kills = [
    'kill',
    ...dictionary
      .descendants('kill', 'action')
      .filter(({ slots }) => slots.object.accepts[0] === 'character')
      .map(({ id }) => id),
  ];
  const items = dictionary.descendants('item', 'object').map(({ id }) => id);
  const names = ['Sarge', 'Major', 'Gargoyle', 'Kyonshi', 'Grunt'];
  const make = (): Statement => {
    const roll = random();
    const other = { word: 'opponent', name: pick(names) };
    if (roll < 0.25)
      return {
        subject: 'player',
        property: 'health',
        from: Math.floor(random() * 100),
        to: Math.floor(random() * 100),
      };
    if (roll < 0.5) return { subject: 'player', action: 'pick up', object: pick(items) };
    if (roll < 0.6) return { subject: pick(['player', other]), action: 'die' };
    const [subject, object] = random() < 0.5 ? (['player', other] as const) : ([other, 'player'] as const);
    return { subject, action: pick(kills), object, with: pick(weapons) };
  };
  // Texts and statements of real logs repeat: a few thousand distinct ones are enough.
  const distinct = Array.from({ length: 20_000 }, () => {
    const statement = make();
    return { statement, text: render(statement, dictionary) };
  });
  let t = 0;
  return Array.from({ length: count }, (_, index) => {
    t += random() * 4;
    const { statement, text } = pick(distinct);
    return {
      type: 'event',
      id: `${index}`,
      t,
      end: t,
      game: 'openarena',
      session: `s${Math.floor(index / 5000)}`,
      text,
      statement,
      confidence: 0.9,
      cues: [],
    };
  });
}

/** Every way in which a word and those under it stand in a text, the longest first. */
function forms(id: string, kind: 'object' | 'action'): string {
  return [dictionary.find(id, kind)!, ...dictionary.descendants(id, kind)]
    .map((word) => (kind === 'action' ? word.forms.third : word.name))
    .toSorted((a, b) => b.length - a.length)
    .map((form) => form.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('|');
}

/** The same question to the texts: every form of every word that the query covers, written out. */
function expressionOf(actions: string, object: string | undefined, weapon: string | undefined): RegExp {
  const subject = '^player (?:\\([^)]*\\) )?';
  const what = object === undefined ? '' : ` (?:\\([^)]*\\) )?(?:${forms(object, 'object')})\\b`;
  const means = weapon === undefined ? '' : `.* with (?:${forms(weapon, 'object')})\\b`;
  return new RegExp(`${subject}(?:${forms(actions, 'action')})${what}${means}`);
}

const events = logOf(size);
const cases: readonly (readonly [string, RegExp | undefined])[] = [
  ['player kills opponent', expressionOf('kill', 'opponent', undefined)],
  ['player defeats enemy with gun', expressionOf('defeat', 'enemy', 'gun')],
  ['player obtains weapon', expressionOf('obtain', 'weapon', undefined)],
  ['health drops below 20', /^player's health drops from (?:[2-9]\d|\d{3,}) to 1?\d$/],
  ['kill followed by kill within 4 s', undefined],
  ['death within 10 s after low health', undefined],
  ['railgun or rocket launcher', undefined],
];

const measure = (act: () => number): { ms: number; found: number } => {
  const start = performance.now();
  const found = act();
  return { ms: performance.now() - start, found };
};
process.stdout.write(`${size} events, ${dictionary.ordered.length} words\n`);
for (const [sentence, expression] of cases) {
  const ours: number[] = [];
  const theirs: number[] = [];
  let foundByText = 0;
  const compiled = compileQuery(sentence, dictionary);
  // The first query over a list makes its numbers; later ones find them.
  const fresh = events.slice();
  const { ms: cold, found } = measure(() => matchEvents(compiled, fresh).length);
  for (let round = 0; round < 7; round++) {
    const first = measure(() => matchEvents(compiled, events).length);
    ours.push(first.ms);
    if (!expression) continue;
    const second = measure(() => events.reduce((count, event) => count + (expression.test(event.text) ? 1 : 0), 0));
    theirs.push(second.ms);
    foundByText = second.found;
  }
  const mine = median(ours);
  const versus = expression
    ? `; regular expression over the text ${median(theirs).toFixed(0)} ms, ${foundByText} found, ${(median(theirs) / mine).toFixed(1)} times ours`
    : '';
  process.stdout.write(
    `${sentence}: ${mine.toFixed(0)} ms, ${((mine / size) * 1e6).toFixed(0)} ns an event (first time ${cold.toFixed(0)} ms), ${found} found${versus}\n`,
  );
}
const words = dictionary.words('object');
const start = performance.now();
let yes = 0;
const pairs = 5_000_000;
for (let i = 0; i < pairs; i++)
  if (dictionary.isA(words[(i * 7919) % words.length]!.id, words[(i * 104_729) % words.length]!.id, 'object')) yes++;
process.stdout.write(
  `is-a by id: ${(((performance.now() - start) / pairs) * 1e6).toFixed(0)} ns (${yes} of ${pairs})\n`,
);
const [, gunText] = cases[1]!;
const byWords = new Set(
  matchEvents(compileQuery('player defeats enemy with gun', dictionary), events).map(
    ({ events: [event] }) => event!.text,
  ),
);
const wrong = [
  ...new Set(events.filter(({ text }) => gunText!.test(text) && !byWords.has(text)).map(({ text }) => text)),
];
process.stdout.write(
  `found by the expression alone: ${wrong.length} texts, such as ${wrong
    .slice(0, 3)
    .map((text) => `"${text}"`)
    .join(', ')}\n`,
);
