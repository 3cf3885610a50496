import type { Picture } from '../../media/picture.ts';
import type { HudSettings } from '../../regions/place.ts';
import type { Candidate } from './content.ts';
import { EvidenceCounter, type Evidence, MIN_ELEMENT_CONFIDENCE } from './evidence.ts';
import type { WitnessReader } from './witness-reader.ts';

/** Where a profile lies on a recording. */
export interface FoundPlacement extends Evidence {
  /** Empty: where the profile has it by itself. */
  readonly hud: HudSettings;
}

/** How many elements are seen in a picture, on average. */
export function countSeenPerPicture({ elements, pictures }: Evidence): number {
  return Object.values(elements).reduce((sum, n) => sum + n, 0) / Math.max(1, pictures);
}

/** The candidate at which most is seen; the first two pictures decide which are looked at closer. */
export async function findBestCandidate(
  fit: WitnessReader,
  pictures: readonly Picture[],
  candidates: readonly Candidate[],
): Promise<{ readonly score: number; readonly found: FoundPlacement } | undefined> {
  let best: { readonly score: number; readonly found: FoundPlacement } | undefined;
  for (const { hud, prior } of candidates) {
    if (fit.hasLight && !(await anySeen(fit, pictures.slice(0, 2), hud))) continue;
    const count = new EvidenceCounter(fit.names);
    let sum = 0;
    for (const [i, picture] of pictures.entries()) {
      const seen = await fit.read(picture, hud);
      count.add(seen);
      for (const confidence of seen) sum += confidence;
      if (i === 1 && count.strong === 0) break;
    }
    if (!count.fits || count.showing < Math.min(2, count.pictures)) continue;
    const score = sum / count.pictures + prior;
    if (!best || score > best.score) best = { score, found: { hud, ...count.evidence } };
  }
  return best;
}

async function anySeen(fit: WitnessReader, pictures: readonly Picture[], hud: HudSettings): Promise<boolean> {
  for (const picture of pictures) {
    const seen = await fit.read(picture, hud, { enough: 1, light: true });
    if (seen.some((confidence) => confidence >= MIN_ELEMENT_CONFIDENCE)) return true;
  }
  return false;
}
