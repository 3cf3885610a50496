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
      .replaceAll(/<[^>]*>|\{\\[^}]*\}/g, '')
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

function seconds(clock: string): number {
  return clock
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => 60 * sum + Number(part), 0);
}
