import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { notices } from '../tools/notices.ts';
import { commandReference, issueReference, profileReference } from '../tools/reference.ts';
import { root } from './paths.ts';

it.each([
  ['commands', commandReference],
  ['profile', profileReference],
  ['issue-codes', issueReference],
])('docs/reference/%s.md is up to date (node tools/reference.ts)', async (name, generate) => {
  const written = readFileSync(`${root}/docs/reference/${name}.md`, 'utf8');
  expect(written).toBe(await generate());
});

it('THIRD_PARTY_NOTICES.md lists the packages of the lockfile (node tools/notices.ts)', () => {
  expect(readFileSync(`${root}/THIRD_PARTY_NOTICES.md`, 'utf8')).toBe(notices());
});
