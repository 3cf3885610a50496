import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a pack with one game, whose profile has these members; gives the pack's folder, in `folder` and called as the game. */
export function writeGame(folder: string, name: string, members: object): string {
  const pack = join(folder, name);
  const place = join(pack, 'configs', name);
  mkdirSync(place, { recursive: true });
  const profile = { format: 'playbyplay/profile/1', game: name, title: name, version: '1', ...members };
  writeFileSync(join(place, 'profile.json'), JSON.stringify(profile));
  return pack;
}
