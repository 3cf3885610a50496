import type { StreamEntry } from '../kind.ts';

const arrow = /^\s*((?:\d+:)?\d+:\d+[.,]\d+)\s*-->\s*((?:\d+:)?\d+:\d+[.,]\d+)/;

/** Cues of SRT or WebVTT: each from its time line to the next empty line, without tags; notes and styles are passed over. */
export function readCues(text: string): { readonly entries: readonly StreamEntry[]; readonly skipped: number } {
  const entries: StreamEntry[] = [];
  let skipped = 0;
  for (const block of text.split(/\r?\n[ \t]*\r?\n/)) {
    const lines = block.split(/\r?\n/);
    const at = lines.findIndex((line) => line.includes('-->'));
    if (at < 0) continue;
    const times = arrow.exec(lines[at]!);
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
    const [t, end] = [seconds(times[1]!), seconds(times[2]!)];
    entries.push({ t, ...(end > t && { end }), fields: { text: words } });
  }
  return { entries, skipped };
}

/**
 * Lines of ASS or SSA: `Dialogue:` of the events, whose columns a line `Format:` names; without styles, drawings and breaks. Undefined for other files.
 */
export function readStyled(
  text: string,
): { readonly entries: readonly StreamEntry[]; readonly skipped: number } | undefined {
  if (!/^[ \t]*\[(?:Script Info|Events)\]/im.test(text)) return undefined;
  const entries: StreamEntry[] = [];
  let skipped = 0;
  let columns = ['layer', 'start', 'end', 'style', 'name', 'marginl', 'marginr', 'marginv', 'effect', 'text'];
  let events = false;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*\[/.test(line)) events = /^\s*\[Events\]/i.test(line);
    const [, kind, rest] = /^\s*(Format|Dialogue)\s*:\s*(.*)$/i.exec(events ? line : '') ?? [];
    if (kind === undefined || rest === undefined) continue;
    if (kind.toLowerCase() === 'format') {
      columns = rest.split(',').map((column) => column.trim().toLowerCase());
      continue;
    }
    const parts = rest.split(',');
    // The last column is the text, commas and all.
    const row = [...parts.slice(0, columns.length - 1), parts.slice(columns.length - 1).join(',')];
    const cell = (name: string): string => row[columns.indexOf(name)]?.trim() ?? '';
    const words = /\{[^{}]*\\p[1-9]/.test(cell('text'))
      ? ''
      : cell('text')
          .replaceAll(/\{[^{}]*\}/g, '')
          .replaceAll(/\\[Nnh]/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim();
    const [t, end] = [seconds(cell('start')), seconds(cell('end'))];
    if (words === '' || !Number.isFinite(t)) {
      skipped++;
      continue;
    }
    const name = cell('name');
    entries.push({ t, ...(end > t && { end }), fields: { text: words, ...(name !== '' && { speaker: name }) } });
  }
  return { entries, skipped };
}

function seconds(clock: string): number {
  return clock
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => 60 * sum + Number(part), 0);
}
