import { scaleRect } from '../geometry.ts';
import { decodePicture, frameAt } from '../pipeline/placement/pictures.ts';
import { anyText } from '../recognition/constraint.ts';
import { readLine, type TextRecognizer } from '../recognition/text-recognizer.ts';
import { type Crop, cropRgb } from '../regions/crop.ts';
import { upperMedian } from '../statistics.ts';
import type { TextElement } from './elements.ts';
import { overlap, type Recording, type Sighting, type Survey, wholePixels } from './survey.ts';

/** Lasting elements without which nothing can be said, and share of them that is seen while the HUD is shown. */
const MIN_LASTING = 3;
const MIN_SHOWN_SHARE = 0.34;
const MIN_LASTING_PRESENCE = 0.75;
/** Other lines of a frame up to which they are messages: more are a table or a menu. */
const MAX_LINES = 2;
/** Frames that are read. */
const MAX_FRAMES = 12;
/** Confidence and letters of a line that is a message. */
const MIN_CONFIDENCE = 0.85;
const MESSAGE = /\p{L}.*\p{L}.*\p{L}.*\p{L}|\p{sc=Han}.*\p{sc=Han}/u;

/** Lines of a screen, such as a menu, and share of the frames that may show one. */
const MIN_SCREEN_LINES = 5;
const MAX_SCREEN_SHARE = 0.6;
/** Height of a title, in heights of the other lines of its screen, and titles of a screen at most. */
const MIN_TITLE_HEIGHT = 1.2;
const MAX_TITLES = 2;
/** Distance of two titles at one place, in heights. */
const MAX_TITLE_DISTANCE = 0.5;

/**
 * Finds messages that are shown while the HUD is hidden, as after a death: lines that are read surely in frames that show hardly
 * anything of the HUD; and titles of screens, such as “Finished!”. That such a line appears is seen nowhere, since all of the picture
 * changes with it.
 */
export async function readHiddenFrames(
  recordings: readonly Recording[],
  { sightings, frames }: Pick<Survey, 'sightings' | 'frames'>,
  elements: readonly TextElement[],
  recognizer: TextRecognizer,
): Promise<readonly Sighting[]> {
  const found: Sighting[] = [];
  const survey = { sightings, frames };
  const hidden = [
    ...hiddenLines(survey, elements).slice(0, MAX_FRAMES),
    ...screenTitles(survey, elements).slice(0, MAX_FRAMES),
  ];
  for (const lines of hidden) {
    const { recording, t } = lines[0]!;
    const { file, index, size } = recordings[recording]!;
    using picture = decodePicture(file, index, frameAt(index, t));
    if (!picture) continue;
    const reference = recordings[0]!.size;
    const [scaleX, scaleY] = [size.width / reference.width, size.height / reference.height];
    const crops = lines.map((line): Crop => {
      const rect = wholePixels(scaleRect(line, scaleX, scaleY), size);
      return { data: cropRgb(picture, rect), width: rect.width, height: rect.height, channels: 3 };
    });
    for (const [i, line] of (await recognizer.recognize(crops)).entries()) {
      const reading = readLine(line, anyText());
      if (reading && reading.confidence >= MIN_CONFIDENCE && MESSAGE.test(reading.text)) found.push(lines[i]!);
    }
  }
  return found;
}

/** By frame in which the HUD is hidden and few other lines are seen: these. */
export function hiddenLines(
  { sightings, frames }: Pick<Survey, 'sightings' | 'frames'>,
  elements: readonly TextElement[],
): readonly (readonly Sighting[])[] {
  const lasting = elements.filter(({ presence }) => presence >= MIN_LASTING_PRESENCE);
  if (lasting.length < MIN_LASTING) return [];
  const byFrame = Map.groupBy(sightings, ({ frame }) => frame);
  return [...frames.keys()].flatMap((frame) => {
    const own = byFrame.get(frame) ?? [];
    const shown = lasting.filter(({ rect }) => own.some((line) => overlap(line, rect) > 0.5));
    const others = own.filter((line) => !lasting.some(({ rect }) => overlap(line, rect) > 0.5));
    const isMessage = shown.length < MIN_SHOWN_SHARE * lasting.length && others.length <= MAX_LINES;
    return isMessage && others.length > 0 ? [others] : [];
  });
}

/** By frame that shows a screen of lines, the first for each place: those that are larger than the others. */
export function screenTitles(
  { sightings, frames }: Pick<Survey, 'sightings' | 'frames'>,
  elements: readonly TextElement[],
): readonly (readonly Sighting[])[] {
  const unknown = sightings.filter((line) => !elements.some(({ rect }) => overlap(line, rect) > 0.5));
  const screens = [...Map.groupBy(unknown, ({ frame }) => frame).values()].filter(
    ({ length }) => length >= MIN_SCREEN_LINES,
  );
  if (screens.length > MAX_SCREEN_SHARE * frames.length) return [];
  const seen: Sighting[] = [];
  return screens.flatMap((lines) => {
    const usual = upperMedian(lines.map(({ height }) => height))!;
    const large = lines.filter(({ height }) => height >= MIN_TITLE_HEIGHT * usual);
    const titles =
      large.length > MAX_TITLES
        ? []
        : large.flatMap((line) => (seen.some((one) => isAtOnePlace(one, line)) ? [] : [{ ...line, isTitle: true }]));
    seen.push(...titles);
    return titles.length > 0 ? [titles] : [];
  });
}

function isAtOnePlace(one: Sighting, other: Sighting): boolean {
  const limit = MAX_TITLE_DISTANCE * Math.min(one.height, other.height);
  return (
    Math.abs(one.x + one.width / 2 - other.x - other.width / 2) <= limit &&
    Math.abs(one.y + one.height / 2 - other.y - other.height / 2) <= limit
  );
}
