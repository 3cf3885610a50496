import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { reference } from '../tools/reference.ts';
import { root } from './paths.ts';

/** Without what the formatter does: the width of tables' cells. */
function plain(text: string): string {
  return text.replace(/ +\|/g, ' |').replace(/\| ?-+ ?(?=\|)/g, '|---');
}

it('docs/reference.md says what the schemas say (node tools/reference.ts)', async () => {
  const written = readFileSync(`${root}/docs/reference.md`, 'utf8');
  expect(plain(written)).toBe(plain(await reference()));
});
