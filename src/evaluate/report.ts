import type { Statement } from '../events/statement.ts';
import { formatClock } from '../time.ts';
import type { Evaluation, Miss, Score } from './evaluate.ts';
import type { Proportion } from './statistics.ts';

const MAX_LISTED_EVENTS = 100;

/**
 * Formats an evaluation as a table, followed by the missed events and the false positives.
 *
 * @param say Renders a statement as a sentence.
 */
export function report(evaluation: Evaluation, say: (statement: Statement) => string): string {
  const { kinds, all, misses, falseEvents, unevaluated, tolerance } = evaluation;
  const rows = [...kinds, ...(kinds.length === 1 ? [] : [all])].map(formatRow);
  const lines = [
    ...table([HEAD, ...rows]),
    '',
    `Time tolerance ${Number(tolerance.toFixed(3))} s; intervals are 95 % Wilson intervals.`,
  ];
  const repeats = all.repeats;
  if (repeats.truth > 0)
    lines.push(`Repeats without visible change (not counted): ${repeats.hits} of ${repeats.truth} detected.`);
  const others = Object.entries(unevaluated).map(([kind, count]) => `${kind} (${count})`);
  if (others.length > 0)
    lines.push(`Not evaluated, because the ground truth has no events of these kinds: ${others.join(', ')}.`);
  lines.push(...listEvents('Missed', misses, say), ...listEvents('False positives', falseEvents, say));
  return `${lines.join('\n')}\n`;
}

const HEAD = ['', 'truth', 'events', 'hits', 'is-a', 'precision', 'recall', 'F1', 'time error: median', 'p95', 'max'];

function formatRow({ kind, truth, events, hits, isA, precision, recall, f1, time }: Score): string[] {
  return [
    kind,
    `${truth}`,
    `${events}`,
    `${hits}`,
    isA === 0 ? '' : `${isA}`,
    formatProportion(precision),
    formatProportion(recall),
    f1 === undefined ? '–' : f1.toFixed(3),
    formatSeconds(time?.median),
    formatSeconds(time?.p95),
    formatSeconds(time?.max),
  ];
}

function formatSeconds(value: number | undefined): string {
  return value === undefined ? '' : `${value.toFixed(3)} s`;
}

function formatProportion({ value, low, high }: Proportion): string {
  return value === undefined ? '–' : `${value.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`;
}

/** Aligns columns: the first to the left, the others to the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  return rows.map((cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}

function listEvents(title: string, all: readonly Miss[], say: (statement: Statement) => string): string[] {
  if (all.length === 0) return [];
  const lines = all.slice(0, MAX_LISTED_EVENTS).map(({ clip, t, statement, instead }) => {
    const where = clip === undefined ? '' : `${clip} `;
    return `  ${where}${formatClock(t, 3)}  ${say(statement)}${instead === undefined ? '' : `  (instead: ${say(instead)})`}`;
  });
  if (all.length > MAX_LISTED_EVENTS) lines.push(`  … and ${all.length - MAX_LISTED_EVENTS} more`);
  return ['', `${title} (${all.length}):`, ...lines];
}
