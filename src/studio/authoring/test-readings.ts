import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Folder of a pack for what only the studio reads. */
export const STUDIO_FOLDER = '.playbyplay';

/** Where the readings of a recording are stored when a pack is run on it: for the whole of it, and for a stretch. */
export function readingsPaths(
  folder: string,
  media: string,
): { readonly stem: string; readonly whole: string; readonly stretch: string } {
  const stem = join(folder, createHash('sha256').update(media).digest('hex').slice(0, 16));
  return { stem, whole: `${stem}.journal`, stretch: `${stem}-stretch.journal` };
}

/** The journal of the last run of a pack on a recording. */
export async function readingsOfTest(folder: string, media: string): Promise<string> {
  const { whole, stretch } = readingsPaths(folder, media);
  const times = await Promise.all(
    [whole, stretch].map(async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0),
  );
  return times[1]! > times[0]! ? stretch : whole;
}
