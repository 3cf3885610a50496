import { type Rational, roundTime } from '../../time.ts';
import { csvField, plainText } from '../../markup.ts';
import { dropsFrames, markerStyles, mediaPath, nominal, timecode, type Timeline } from './timeline.ts';
import { basename } from 'node:path';
import { type Scene, sceneTitle, type Source } from '../list.ts';

/** Timelines start at 01:00:00:00, the usual start on tape and in editing programs. */
const START_SECONDS = 3600;

/**
 * Writes a CMX3600 edit decision list: one cut per clip with video and both sound channels, the recording's name and
 * path as comments, markers as locators, other speeds as motion effects (M2).
 *
 * @throws RangeError for more than 999 clips, the limit of the format.
 */
export function edl(edit: Timeline, relativeTo?: string): string {
  if (edit.clips.length > 999) throw new RangeError('an EDL holds at most 999 events');
  const reels = reelNames(edit.media.map(({ name }) => name));
  const lines = headerLines(edit);
  for (const [index, clip] of edit.clips.entries()) {
    const media = edit.media[clip.media]!;
    const times = [
      ...timecodeSpan(clip.source, clip.sourceLength, edit.rate, 0),
      ...timecodeSpan(clip.at, clip.length, edit.rate, START_SECONDS),
    ];
    const number = String(index + 1).padStart(3, '0');
    lines.push(
      `${number}  ${reels[clip.media]!.padEnd(8)} ${media.hasSound ? 'AA/V' : 'V   '}  C        ${times.join(' ')}`,
    );
    if (clip.speed !== 1) {
      // Frames a second at which the recording is played, and the first of them.
      const fps = (clip.speed * nominal(edit.rate)).toFixed(1).padStart(5, '0');
      lines.push(`M2   ${reels[clip.media]!.padEnd(8)}       ${fps}                ${times[0]!}`);
    }
    lines.push(
      `* FROM CLIP NAME: ${plainText(media.name)}`,
      `* SOURCE FILE: ${plainText(mediaPath(media, relativeTo))}`,
    );
    if (clip.note !== '') lines.push(`* COMMENT: ${plainText(clip.name)}`);
    for (const marker of clip.markers) {
      const at = timecode(marker.at + startFrame(edit.rate), edit.rate);
      lines.push(`* LOC: ${at} ${markerStyles[marker.class].locator.padEnd(7)} ${plainText(marker.text)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Writes timeline markers as an EDL that DaVinci Resolve imports: one event per marker, at most 999. */
export function resolveEdl(edit: Timeline): string {
  const lines = headerLines(edit);
  const markers = edit.clips.flatMap((clip) => clip.markers).slice(0, 999);
  for (const [index, marker] of markers.entries()) {
    const times = timecodeSpan(marker.at, 1, edit.rate, START_SECONDS);
    const number = String(index + 1).padStart(3, '0');
    lines.push(`${number}  001      V     C        ${[...times, ...times].join(' ')}  `);
    lines.push(
      ` |C:ResolveColor${markerStyles[marker.class].resolve} |M:${plainText(marker.text).replaceAll('|', '/')} |D:1`,
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Writes markers as DaVinci Resolve's marker list: `No.,Name,Start,End,Duration,Color,Notes`. */
export function resolveCsv(edit: Timeline): string {
  const rows = edit.clips
    .flatMap((clip) => clip.markers.map((marker) => ({ marker, clip })))
    .map(({ marker, clip }, index) => {
      const [start, end] = timecodeSpan(marker.at, 1, edit.rate, START_SECONDS);
      const fields = [
        index + 1,
        marker.text,
        start,
        end,
        timecode(1, edit.rate),
        markerStyles[marker.class].resolve,
        clip.note,
      ];
      return fields.map(csvField).join(',');
    });
  return `${['No.,Name,Start,End,Duration,Color,Notes', ...rows].join('\r\n')}\r\n`;
}

function headerLines(edit: Timeline): string[] {
  const mode = dropsFrames(edit.rate) ? 'DROP FRAME' : 'NON-DROP FRAME';
  return [`TITLE: ${plainText(edit.title)}`, `FCM: ${mode}`, ''];
}

function startFrame(rate: Rational): number {
  // Timecode 01:00:00:00 in frames: an hour of frame numbers, minus those that drop-frame skips.
  return dropsFrames(rate)
    ? Math.round((START_SECONDS * rate.num) / rate.den / 12) * 12
    : START_SECONDS * Math.round(rate.num / rate.den);
}

function timecodeSpan(start: number, length: number, rate: Rational, offset: number): [string, string] {
  const base = offset === 0 ? 0 : startFrame(rate);
  return [timecode(base + start, rate), timecode(base + start + length, rate)];
}

/** Makes a unique reel name of at most eight letters and digits for each file name. */
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

/** Writes a LosslessCut project of one recording with its scenes as segments. */
export function losslessCut(scenes: readonly Scene[], source: Source): string {
  const project = {
    version: 2,
    mediaFileName: basename(source.media ?? source.header.media.name),
    cutSegments: scenes.map((scene) => ({
      start: roundTime(scene.start),
      end: roundTime(scene.end),
      name: sceneTitle(scene),
      tags: { score: String(scene.score), because: scene.because },
      selected: true,
    })),
  };
  return `${JSON.stringify(project, undefined, 2)}\n`;
}

/** Writes LosslessCut's CSV: start and end in seconds, name; no header. */
export function losslessCutCsv(scenes: readonly Scene[]): string {
  return scenes
    .map((scene) => `${roundTime(scene.start)},${roundTime(scene.end)},${csvField(sceneTitle(scene))}\n`)
    .join('');
}
