import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The folders of clips (with video.mp4 and truth.json) below a folder, by name. */
export async function clipsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  if (names.includes('video.mp4') && names.includes('truth.json')) return [folder];
  const inside = await Promise.all(
    names.toSorted().map(async (name) => {
      const path = join(folder, name);
      return (await stat(path)).isDirectory() ? clipsIn(path) : [];
    }),
  );
  return inside.flat();
}
