import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import { builtinFolder } from '../../dictionary/files.ts';
import type { Usage } from '../../dictionary/page/page.ts';

/** Which games' profiles and scripts name which words: the texts between quotes that are ids. */
export async function usageOf(dictionary: Dictionary): Promise<Usage> {
  const root = join(builtinFolder, '..');
  const usage = new Map<string, Set<string>>();
  for (const [game, file] of [...(await profileFiles(root)), ...(await scriptFiles(root))]) {
    const text = await readFile(file, 'utf8');
    for (const [, id] of text.matchAll(/["']([^"'\n]{1,80})["']/g)) {
      if (dictionary.find(id!)?.id === id) usage.set(id!, (usage.get(id!) ?? new Set()).add(game));
    }
  }
  return new Map([...usage].map(([id, games]) => [id, [...games].toSorted()]));
}

async function profileFiles(root: string): Promise<[string, string][]> {
  const folder = join(root, 'configs');
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  return files.filter((file) => file.endsWith('.json')).map((file) => [file.split(sep)[0]!, join(folder, file)]);
}

async function scriptFiles(root: string): Promise<[string, string][]> {
  const folder = join(root, 'scripts');
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const scripts = files.filter((file) => file.endsWith('.js'));
  // A script and the folder of its modules are called like the game.
  return scripts.map((file) => [file.split(sep)[0]!.replace(/\.js$/, ''), join(folder, file)]);
}
