import { extname } from 'node:path';

/** The files that reels are written to. */
export type Container = 'mp4' | 'mov' | 'matroska' | 'webm';

/** The container that a file's name asks for; mp4 where it says nothing. */
export function containerOf(path: string): Container {
  const extension = extname(path).toLowerCase();
  if (extension === '.webm') return 'webm';
  if (extension === '.mkv') return 'matroska';
  return extension === '.mov' ? 'mov' : 'mp4';
}
