import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface PackageJson {
  readonly version: string;
}

/** The folder that holds package.json, configs/, scripts/ and dictionary/: of the checkout or of the installed package. */
export const ROOT = join(import.meta.dirname, '..');

/** The program's version, as it stands in package.json. */
export const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as PackageJson).version;
