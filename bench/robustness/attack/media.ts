// Recordings that are something else, or that name other files.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttackCase } from './case.ts';

const group = 'media';

/** A file whose content is text, under the name of a recording. */
function text(name: string, file: string, content: string, says: RegExp): AttackCase {
  return {
    group,
    name,
    make(folder) {
      writeFileSync(join(folder, file), content);
      return ['detect', file, '--game', 'freedoom', '--out', 'log'];
    },
    expect: { exit: [1], says },
  };
}

export const cases: readonly AttackCase[] = [
  text('a text named mp4', 'notes.mp4', 'not a recording\n'.repeat(100), /not a video/),
];
