import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DetectorKind } from '../detectors/kind.ts';
import type { Issue } from '../errors.ts';
import type { Profile } from '../profile/profile.ts';
import { type CompiledProfile, compileProfile } from './compile-profile.ts';
import type { DetectMessage } from './messages.ts';

/** Writes a pack with one game, whose profile has these members; gives the pack's folder, in `folder` and called as the game. */
export function writeGame(folder: string, name: string, members: object): string {
  const pack = join(folder, name);
  const place = join(pack, 'configs', name);
  mkdirSync(place, { recursive: true });
  const profile = { format: 'playbyplay/profile/1', game: name, title: name, version: '1', ...members };
  writeFileSync(join(place, 'profile.json'), JSON.stringify(profile));
  return pack;
}

/** A listener that collects the problems and the doubts about the placement among the messages of a run. */
export function collectProblems(issues: Issue[]): (message: DetectMessage) => void {
  return (message) => {
    if (message.type === 'warning' && message.about !== 'detectors') issues.push(message.issue);
  };
}

/** Compiles a profile of these members, without assets; `kinds` are those of plug-ins. */
export function compileTestProfile(
  members: Omit<Partial<Profile>, 'detectors'> & { readonly detectors: Readonly<Record<string, object>> },
  kinds: readonly DetectorKind[] = [],
): Promise<CompiledProfile> {
  const base = { format: 'playbyplay/profile/1', game: 'test', title: 'Test', version: '1', regions: {} };
  const profile = { ...base, reference: { width: 1280, height: 720 }, ...members } as Profile;
  const assets = { read: () => Promise.reject(new Error('a test profile has no assets')) };
  const plugin = { name: 'test', version: '1', hash: '' };
  return compileProfile(
    { profile, assets },
    { modules: [], kinds: new Map(kinds.map((kind) => [kind.name, { kind, plugin }])) },
  );
}
