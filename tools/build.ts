// Builds dist/, what the package runs from: JavaScript and types of src/ (Node refuses TypeScript under node_modules),
// and the files that the sources read beside themselves.
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { runAll } from './steps.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
rmSync(dist, { recursive: true, force: true });
process.exitCode = runAll([['build', 'tsc', ['-p', join('tools', 'tsconfig.build.json')]]]);

for (const entry of readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || extname(entry.name) === '.ts' || entry.name === 'launch.js') continue;
  const path = join(entry.parentPath, entry.name);
  cpSync(path, join(dist, path.slice(join(root, 'src').length)));
}
