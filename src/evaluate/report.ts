import type { Statement } from '../events/statement.ts';
import { formatClock } from '../time.ts';
import type { Evaluation, Miss, Score } from './evaluate.ts';
import type { Share } from './statistics.ts';

const MOST_LISTED = 100;

/** An evaluation as a table for people, then every miss and every false event; `say` turns a statement into a sentence. */
export function report(evaluation: Evaluation, say: (statement: Statement) => string): string {
  const { kinds, all, misses, falseEvents, unjudged, tolerance } = evaluation;
  const rows = [...kinds, ...(kinds.length === 1 ? [] : [all])].map(row);
  const lines = [
    ...table([HEAD, ...rows]),
    '',
    `Times may differ by ${Number(tolerance.toFixed(3))} s; intervals are 95 % Wilson intervals.`,
  ];
  const repeats = all.repeats;
  if (repeats.truth > 0)
    lines.push(`Of ${repeats.truth} that showed nothing new ${repeats.hits} were found, too (not counted).`);
  const others = Object.entries(unjudged).map(([kind, count]) => `${kind} (${count})`);
  if (others.length > 0) lines.push(`Not judged, because the truth does not speak of them: ${others.join(', ')}.`);
  lines.push(...listed('Missed', misses, say), ...listed('False', falseEvents, say));
  return `${lines.join('\n')}\n`;
}

const HEAD = ['', 'truth', 'events', 'hits', 'is-a', 'precision', 'recall', 'F1', 'time error: median', 'p95', 'max'];

function row({ kind, truth, events, hits, isA, precision, recall, f1, time }: Score): string[] {
  return [
    kind,
    `${truth}`,
    `${events}`,
    `${hits}`,
    isA === 0 ? '' : `${isA}`,
    shareText(precision),
    shareText(recall),
    f1 === undefined ? '–' : f1.toFixed(3),
    seconds(time?.median),
    seconds(time?.p95),
    seconds(time?.max),
  ];
}

function seconds(value: number | undefined): string {
  return value === undefined ? '' : `${value.toFixed(3)} s`;
}

function shareText({ value, low, high }: Share): string {
  return value === undefined ? '–' : `${value.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`;
}

/** Columns of equal width: the first flush left, the others flush right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  return rows.map((cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}

function listed(title: string, all: readonly Miss[], say: (statement: Statement) => string): string[] {
  if (all.length === 0) return [];
  const lines = all.slice(0, MOST_LISTED).map(({ clip, t, statement, instead }) => {
    const where = clip === undefined ? '' : `${clip} `;
    return `  ${where}${formatClock(t, 3)}  ${say(statement)}${instead === undefined ? '' : `  (instead: ${say(instead)})`}`;
  });
  if (all.length > MOST_LISTED) lines.push(`  … and ${all.length - MOST_LISTED} more`);
  return ['', `${title} (${all.length}):`, ...lines];
}
