import type { Assets } from '../kind.ts';

/** Reads an asset as UTF-8 text. */
export async function readText(assets: Assets, path: string): Promise<string> {
  return Buffer.from(await assets.read(path)).toString('utf8');
}
