import { type Rect, scaleRect, type Size } from '../geometry.ts';
import { decodePicture, spreadFrames } from '../pipeline/placement/pictures.ts';
import { anyText } from '../recognition/constraint.ts';
import { readLine, type TextRecognizer } from '../recognition/text-recognizer.ts';
import { type Crop, cropRgb } from '../regions/crop.ts';
import type { TextElement } from './elements.ts';
import { type Recording, shareInCommon, wholePixels } from './survey.ts';

/** Frames in which a place is read. */
const TRIAL_FRAMES = 12;
/** Places that are tried, those with the most edges first. */
const MAX_PLACES = 60;
/** Confidence from which a reading counts, and the share of the frames that need one. */
const MIN_CONFIDENCE = 0.5;
const MIN_READ_SHARE = 0.35;
/** Share of both areas that a place and a known element have in common where they are one. */
const MIN_SAME = 0.6;

/** Height of a line, in fractions of the frame's, and its width in heights. */
const [MIN_HEIGHT, MAX_HEIGHT] = [0.014, 0.2];
const [MIN_ASPECT, MAX_ASPECT] = [0.3, 9];

function isLine({ width, height }: Rect, frame: Size): boolean {
  const [share, aspect] = [height / frame.height, width / height];
  return share >= MIN_HEIGHT && share <= MAX_HEIGHT && aspect >= MIN_ASPECT && aspect <= MAX_ASPECT;
}

/**
 * Reads places where edges stay, in some frames, to find out which hold text: lines that the text finder overlooks, such as single
 * large figures.
 *
 * @param places In pixels of the reference frame.
 * @param known Elements that are known already.
 */
export async function readSteadyPlaces(
  recordings: readonly Recording[],
  places: readonly Rect[],
  known: readonly TextElement[],
  recognizer: TextRecognizer,
): Promise<readonly TextElement[]> {
  const tried = places
    .filter(
      (place) => isLine(place, recordings[0]!.size) && !known.some(({ rect }) => shareInCommon(place, rect) > MIN_SAME),
    )
    .slice(0, MAX_PLACES);
  if (tried.length === 0) return [];
  const reference = recordings[0]!.size;
  const counts = tried.map(() => 0);
  let frames = 0;
  const share = Math.ceil(TRIAL_FRAMES / recordings.length);
  for (const { file, index, size } of recordings)
    for (const frame of spreadFrames(index, share)) {
      using picture = decodePicture(file, index, frame);
      if (!picture) continue;
      frames++;
      const [scaleX, scaleY] = [size.width / reference.width, size.height / reference.height];
      const crops = tried.map((place): Crop => {
        const rect = wholePixels(scaleRect(place, scaleX, scaleY), size);
        return { data: cropRgb(picture, rect), width: rect.width, height: rect.height, channels: 3 };
      });
      for (const [i, line] of (await recognizer.recognize(crops)).entries()) {
        const reading = readLine(line, anyText());
        if (reading && reading.confidence >= MIN_CONFIDENCE && /\d|\p{L}{2}/u.test(reading.text)) counts[i]!++;
      }
    }
  return tried.flatMap((rect, i): TextElement[] => {
    const presence = counts[i]! / Math.max(1, frames);
    const seen = { ...rect, recording: 0, t: 0, frame: 0 };
    return presence < MIN_READ_SHARE
      ? []
      : [{ rect, align: 'centre', presence, comesAndGoes: false, sightings: [seen], isSteady: true }];
  });
}
