import { join } from 'node:path';

/** The folder of the checkout. */
export const root = join(import.meta.dirname, '..');

/** The program's command in the checkout. */
export const sourceLauncher = join(root, 'src', 'cli', 'launch.js');

/** The command that tests start: the built program, which starts faster, where all tests run; otherwise that of the checkout. */
export const launcher = process.env['TEST_PROGRAM'] ?? sourceLauncher;

/** The short clip that the tests read, next to its truth; see test/footage/README.md. */
export const footage = join(root, 'test', 'footage');
export const clip = join(footage, 'freedoom-demo1.mp4');
/** The same in 320 × 180, for tests that read nothing from its picture: decoding takes a tenth of the time. */
export const smallClip = join(footage, 'freedoom-demo1-small.mp4');

/** A file or folder of test/fixtures. */
export function fixture(...path: string[]): string {
  return join(root, 'test', 'fixtures', ...path);
}
