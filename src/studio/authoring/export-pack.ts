import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PlaybyplayError } from '../../errors.ts';
import { makeFolder } from '../../files/folder.ts';
import { writeOutput } from '../../files/output.ts';
import { parseLabels } from '../../pipeline/authoring/learn.ts';
import { collectLabels, type DatasetFormat, writeDataset } from '../../pipeline/authoring/dataset.ts';
import { loadKindCatalog } from '../../pipeline/schemas.ts';
import { loadProfile } from '../../profile/load.ts';
import { VERSION } from '../../version.ts';
import { zipArchive } from './zip-archive.ts';

/** How a pack is given away: as a folder, a ZIP file, or a package for npm. */
export type PackFormat = 'folder' | 'zip' | 'npm';

/** Folders of a pack that are its game: what else lies in the folder stays at home. */
const PACK_FOLDERS = ['configs', 'dictionary', 'scripts'] as const;
const MAX_FILES = 10_000;

/** Reads the files of a pack that are its game, by path with forward slashes. */
async function readPackFiles(root: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const visit = async (path: string): Promise<void> => {
    const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const inside = `${path}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) await visit(inside);
      else if (entry.isFile() && files.size < MAX_FILES) files.set(inside, await readFile(join(root, inside)));
    }
  };
  for (const folder of PACK_FOLDERS) await visit(folder);
  return files;
}

/**
 * Exports a pack.
 *
 * @param target A new folder, or the ZIP file.
 * @returns Paths of the files that were written.
 * @throws PlaybyplayError `folder-not-empty`, `profile-missing`, and as `writeOutput`.
 */
export async function exportPack(
  root: string,
  game: string,
  format: PackFormat,
  target: string,
): Promise<readonly string[]> {
  const files = await readPackFiles(root);
  const profile = files.get(`configs/${game}/profile.json`);
  if (!profile) throw new PlaybyplayError('profile-missing', `there is no profile of ${game} in ${root}`);
  if (format === 'zip') {
    await writeOutput(target, zipArchive(files), { kind: 'unknown', overwrite: true });
    return [target];
  }
  await makeFolder(target);
  if ((await readdir(target)).length > 0)
    throw new PlaybyplayError('folder-not-empty', `${target} is not empty`, { hint: 'Name a new folder.' });
  const { title = game, version = '1' } = JSON.parse(Buffer.from(profile).toString('utf8')) as {
    readonly title?: string;
    readonly version?: string;
  };
  const all = new Map<string, string | Uint8Array>(files);
  if (format === 'npm') for (const [path, text] of npmFiles(game, title, version, files)) all.set(path, text);
  for (const [path, content] of all) await writeOutput(join(target, path), content, { kind: 'unknown' });
  return [...all.keys()].map((path) => join(target, path));
}

/** What makes a pack a package for npm. */
function npmFiles(
  game: string,
  title: string,
  version: string,
  files: ReadonlyMap<string, Uint8Array>,
): ReadonlyMap<string, string> {
  const numbers = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version);
  const [, major = '1', minor = '0', patch = '0'] = numbers ?? [];
  const name = `playbyplay-pack-${game}`;
  const manifest = {
    name,
    version: `${major}.${minor}.${patch}`,
    description: `Reads events from recordings of ${title}: a pack for playbyplay.`,
    keywords: ['playbyplay', 'playbyplay-pack', game],
    license: 'UNLICENSED',
    files: PACK_FOLDERS.filter((folder) => [...files.keys()].some((path) => path.startsWith(`${folder}/`))),
    peerDependencies: { playbyplay: `>=${VERSION}` },
  };
  const readme = `# ${title} for playbyplay

\`\`\`sh
npm install ${name}
playbyplay detect match.mp4 --game node_modules/${name}
\`\`\`

Choose a licence before you publish: \`license\` in package.json.
`;
  return new Map([
    ['package.json', `${JSON.stringify(manifest, undefined, 2)}\n`],
    ['README.md', readme],
  ]);
}

/**
 * Exports the labelled crops of a pack as a data set.
 *
 * @param detectors Whose labels are exported; default all.
 * @throws PlaybyplayError `no-labels`, `folder-not-empty`, and as `writeDataset`.
 */
export async function exportLabels(
  root: string,
  game: string,
  format: DatasetFormat,
  target: string,
  detectors?: readonly string[],
): Promise<Awaited<ReturnType<typeof writeDataset>>> {
  const path = join(root, 'labels.ndjson');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new PlaybyplayError('no-labels', 'nothing was labelled yet', {
      hint: 'Label the crops of an element first.',
    });
  const labels = parseLabels(text, path);
  const loaded = await loadProfile(join(root, 'configs', game, 'profile.json'), {
    kinds: (used, steps) => loadKindCatalog(used, steps),
    unfinished: true,
  });
  const known = new Set(Object.keys(loaded.profile.detectors));
  const own = [...new Set(labels.map(({ detector }) => detector))].filter((name) => known.has(name));
  const options = { detectors: detectors ?? own };
  return await writeDataset(collectLabels(loaded, labels, path, options), { out: target, format });
}
