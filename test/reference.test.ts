import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { notices } from '../tools/notices.ts';
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

it('THIRD_PARTY_NOTICES.md lists the packages of the lockfile (node tools/notices.ts)', () => {
  expect(readFileSync(`${root}/THIRD_PARTY_NOTICES.md`, 'utf8')).toBe(notices());
});
