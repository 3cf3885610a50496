// Draws the table that soak.ts writes: memory, then open files and threads, over the hours of the stream.
//   node bench/live/chart.ts <table.csv> <chart.svg>
import { readFileSync, writeFileSync } from 'node:fs';
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';

const [table = '', chart = ''] = process.argv.slice(2);
const [names = [], ...cells] = readFileSync(table, 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(','));
const rows = cells.map((row) => Object.fromEntries(names.map((name, index) => [name, Number(row[index])])));

interface Line {
  readonly name: string;
  readonly column: string;
  readonly color: string;
}

/** Lines of columns of the table over the hours, each with its name at its end. */
function draw(label: string, most: number, lines: readonly Line[]): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const svg = Plot.plot({
    width: 640,
    height: 220,
    marginRight: 110,
    style: { background: 'white', color: '#222', fontFamily: 'sans-serif', fontSize: '12px' },
    x: { label: 'hours of the stream', grid: true },
    y: { label, domain: [0, most], grid: true },
    marks: lines.flatMap(({ name, column, color }) => [
      Plot.line(rows, { x: 'hours', y: column, stroke: color, strokeWidth: 2 }),
      Plot.text(rows.slice(-1), { x: 'hours', y: column, text: () => name, textAnchor: 'start', dx: 6, fill: color }),
    ]),
    document: document as unknown as Document,
  });
  return (svg as unknown as Element).outerHTML;
}

const greatest = (column: string): number => Math.max(...rows.map((row) => row[column]!));
const memory = draw('MiB', greatest('most') * 1.1, [
  { name: 'resident', column: 'rss', color: '#1f6fb2' },
  { name: 'anonymous', column: 'anonymous', color: '#b2561f' },
]);
const handles = draw('open files, threads', greatest('files') * 1.2, [
  { name: 'open files', column: 'files', color: '#1f6fb2' },
  { name: 'threads', column: 'threads', color: '#b2561f' },
]);
const below = handles.replace('<svg ', '<svg y="230" ');
const size = 'width="640" height="450" viewBox="0 0 640 450"';
writeFileSync(chart, `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${memory}${below}</svg>\n`);
