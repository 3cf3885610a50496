import type { Rational } from '../../time.ts';
import { mediaPath, type Edit, type MarkerClass } from './edit.ts';
import { dropsFrames, timecode } from './timecode.ts';

const locators: Record<MarkerClass, string> = {
  deed: 'GREEN',
  downfall: 'RED',
  gain: 'YELLOW',
  change: 'BLUE',
  other: 'MAGENTA',
};
const resolveColors: Record<MarkerClass, string> = {
  deed: 'Green',
  downfall: 'Red',
  gain: 'Yellow',
  change: 'Blue',
  other: 'Purple',
};

/** Where edits begin on tape and in most programs' new timelines. */
const HOUR = 3600;

/**
 * CMX3600 edit decision list: one cut a scene, video and both sound channels, the recording's name and path as
 * comments, markers as locators. At most 999 events, as the format counts in three digits.
 */
export function edl(edit: Edit, relativeTo?: string): string {
  if (edit.clips.length > 999) throw new RangeError('an EDL holds at most 999 events');
  const reels = reelNames(edit.media.map(({ name }) => name));
  const lines = header(edit);
  for (const [index, clip] of edit.clips.entries()) {
    const media = edit.media[clip.media]!;
    const times = [...span(clip.source, clip.length, edit.rate, 0), ...span(clip.at, clip.length, edit.rate, HOUR)];
    const number = String(index + 1).padStart(3, '0');
    lines.push(
      `${number}  ${reels[clip.media]!.padEnd(8)} ${media.hasSound ? 'AA/V' : 'V   '}  C        ${times.join(' ')}`,
    );
    lines.push(`* FROM CLIP NAME: ${oneLine(media.name)}`, `* SOURCE FILE: ${oneLine(mediaPath(media, relativeTo))}`);
    if (clip.note !== '') lines.push(`* COMMENT: ${oneLine(clip.name)}`);
    for (const marker of clip.markers) {
      const at = timecode(marker.at + hour(edit.rate), edit.rate);
      lines.push(`* LOC: ${at} ${locators[marker.class].padEnd(7)} ${oneLine(marker.text)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Timeline markers as DaVinci Resolve imports them from an EDL: one event a marker. */
export function resolveEdl(edit: Edit): string {
  const lines = header(edit);
  const markers = edit.clips.flatMap((clip) => clip.markers).slice(0, 999);
  for (const [index, marker] of markers.entries()) {
    const times = span(marker.at, 1, edit.rate, HOUR);
    const number = String(index + 1).padStart(3, '0');
    lines.push(`${number}  001      V     C        ${[...times, ...times].join(' ')}  `);
    lines.push(
      ` |C:ResolveColor${resolveColors[marker.class]} |M:${oneLine(marker.text).replaceAll('|', '/')} |D:1`,
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Markers as DaVinci Resolve lists them: `No.,Name,Start,End,Duration,Color,Notes`. */
export function resolveCsv(edit: Edit): string {
  const rows = edit.clips
    .flatMap((clip) => clip.markers.map((marker) => ({ marker, clip })))
    .map(({ marker, clip }, index) => {
      const [start, end] = span(marker.at, 1, edit.rate, HOUR);
      const fields = [
        index + 1,
        marker.text,
        start,
        end,
        timecode(1, edit.rate),
        resolveColors[marker.class],
        clip.note,
      ];
      return fields.map((field) => csvField(String(field))).join(',');
    });
  return `${['No.,Name,Start,End,Duration,Color,Notes', ...rows].join('\r\n')}\r\n`;
}

function header(edit: Edit): string[] {
  const mode = dropsFrames(edit.rate) ? 'DROP FRAME' : 'NON-DROP FRAME';
  return [`TITLE: ${oneLine(edit.title)}`, `FCM: ${mode}`, ''];
}

function hour(rate: Rational): number {
  // Timecode 01:00:00:00 in frames: an hour of numbers, less those that drop-frame leaves out.
  return dropsFrames(rate)
    ? Math.round((HOUR * rate.num) / rate.den / 12) * 12
    : HOUR * Math.round(rate.num / rate.den);
}

function span(start: number, length: number, rate: Rational, offset: number): [string, string] {
  const base = offset === 0 ? 0 : hour(rate);
  return [timecode(base + start, rate), timecode(base + start + length, rate)];
}

/** Names of at most eight letters and digits, each its own, from file names. */
function reelNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const plain =
      name
        .replace(/\.[^.]*$/, '')
        .toUpperCase()
        .replaceAll(/[^A-Z0-9]/g, '') || 'REEL';
    let reel = plain.slice(0, 8);
    for (let n = 2; taken.has(reel); n++) reel = `${plain.slice(0, 8 - String(n).length)}${n}`;
    taken.add(reel);
    return reel;
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A field of a CSV file after RFC 4180. */
export function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
