import type { StreamEntry } from '../kind.ts';

const TIME_LINE = /^\s*((?:\d+:)?\d+:\d+[.,]\d+)\s*-->\s*((?:\d+:)?\d+:\d+[.,]\d+)/;

/** Reads SRT or WebVTT: each cue is a time line and the lines up to the next empty one. Tags, notes and styles are dropped. */
export function readSubtitles(text: string): { readonly entries: readonly StreamEntry[]; readonly skipped: number } {
  const entries: StreamEntry[] = [];
  let skipped = 0;
  for (const block of text.split(/\r?\n[ \t]*\r?\n/)) {
    const lines = block.split(/\r?\n/);
    const at = lines.findIndex((line) => line.includes('-->'));
    if (at < 0) continue;
    const times = TIME_LINE.exec(lines[at]!);
    const words = lines
      .slice(at + 1)
      .join(' ')
      .replaceAll(/<[^<>]*>|\{\\[^{}]*\}/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    if (!times || words === '') {
      skipped++;
      continue;
    }
    const [t, end] = [parseClock(times[1]!), parseClock(times[2]!)];
    entries.push({ t, ...(end > t && { end }), fields: { text: words } });
  }
  return { entries, skipped };
}

/** Reads the dialogue of ASS or SSA without styles, drawings and line breaks. Returns undefined for other files. */
export function readStyledSubtitles(
  text: string,
): { readonly entries: readonly StreamEntry[]; readonly skipped: number } | undefined {
  if (!/^[ \t]*\[(?:Script Info|Events)\]/im.test(text)) return undefined;
  const entries: StreamEntry[] = [];
  let skipped = 0;
  let columns = ['layer', 'start', 'end', 'style', 'name', 'marginl', 'marginr', 'marginv', 'effect', 'text'];
  let isInEvents = false;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*\[/.test(line)) isInEvents = /^\s*\[Events\]/i.test(line);
    const [, kind, rest] = /^\s*(Format|Dialogue)\s*:\s*(.*)$/i.exec(isInEvents ? line : '') ?? [];
    if (kind === undefined || rest === undefined) continue;
    if (kind.toLowerCase() === 'format') {
      columns = rest.split(',').map((column) => column.trim().toLowerCase());
      continue;
    }
    const parts = rest.split(',');
    // The last column is the text, which may contain commas.
    const row = [...parts.slice(0, columns.length - 1), parts.slice(columns.length - 1).join(',')];
    const cell = (name: string): string => row[columns.indexOf(name)]?.trim() ?? '';
    const words = /\{[^{}]*\\p[1-9]/.test(cell('text'))
      ? ''
      : cell('text')
          .replaceAll(/\{[^{}]*\}/g, '')
          .replaceAll(/\\[Nnh]/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim();
    const [t, end] = [parseClock(cell('start')), parseClock(cell('end'))];
    if (words === '' || !Number.isFinite(t)) {
      skipped++;
      continue;
    }
    const name = cell('name');
    entries.push({ t, ...(end > t && { end }), fields: { text: words, ...(name !== '' && { speaker: name }) } });
  }
  return { entries, skipped };
}

function parseClock(clock: string): number {
  return clock
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => 60 * sum + Number(part), 0);
}
