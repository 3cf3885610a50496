import { basename } from 'node:path';
import { readStream } from '../detectors/stream/read-stream.ts';
import { PlaybyplayError } from '../errors.ts';
import { readInputText } from '../files/input.ts';
import { roundTime } from '../time.ts';
import { type ListedScene, timeInReel } from './list.ts';

/** What is said in a recording from `start` to `end` seconds. */
export interface Subtitle {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Shortest time that a subtitle is shown; less is left of some at the cuts. */
const MIN_SHOWN_SECONDS = 0.4;
const MAX_FILE_BYTES = 32 * 2 ** 20;

/**
 * Reads what is said in a recording from a file of subtitles, such as speech recognizers write.
 *
 * @param path A file of SRT, WebVTT or ASS.
 * @throws PlaybyplayError `bad-stream` if the file has no subtitles with a begin and an end.
 *
 * @example
 * ```ts
 * readSubtitles('match.srt').map(({ start, text }) => `${start} ${text}`); // ['2 There it is!']
 * ```
 */
export function readSubtitles(path: string): Subtitle[] {
  const { entries } = readStream(readInputText(path, 'bad-stream', { maxBytes: MAX_FILE_BYTES }), basename(path));
  const subtitles = entries.flatMap(({ t, end, fields: { text } }) =>
    end === undefined || typeof text !== 'string' ? [] : [{ start: t, end, text }],
  );
  if (subtitles.length > 0) return subtitles;
  throw new PlaybyplayError('bad-stream', `${path} has no subtitles with a begin and an end`, {
    hint: 'Give a file of SRT, WebVTT or ASS, as speech recognizers write it.',
  });
}

/**
 * What is said in a scene, at the times of the reel. A subtitle of more than two lines is shown as several, each as long as its
 * share of the text.
 *
 * @param wrap Divides a text into lines that fit.
 */
export function sceneSubtitles(
  { start, end, shots }: Pick<ListedScene, 'start' | 'end' | 'shots'>,
  subtitles: readonly Subtitle[],
  wrap: (text: string) => readonly string[],
): { readonly start: number; readonly end: number; readonly lines: readonly string[] }[] {
  return subtitles.flatMap((subtitle) => {
    const lines = wrap(subtitle.text);
    const length = lines.join('').length;
    let at = subtitle.start;
    const pages = Array.from({ length: Math.ceil(lines.length / 2) }, (_, page) => {
      const shown = lines.slice(2 * page, 2 * page + 2);
      const from = at;
      at += ((subtitle.end - subtitle.start) * shown.join('').length) / length;
      return { start: from, end: at, lines: shown };
    });
    return pages.flatMap((page) => {
      const [from, to] = [Math.max(page.start, start), Math.min(page.end, end)];
      if (to - from < MIN_SHOWN_SECONDS) return [];
      return [{ start: roundTime(timeInReel(shots, from)), end: roundTime(timeInReel(shots, to)), lines: page.lines }];
    });
  });
}
