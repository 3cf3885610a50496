import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { notices } from '../tools/notices.ts';
import {
  commandReference,
  dictionariesReference,
  filesReference,
  issueReference,
  profileReference,
  readmeText,
} from '../tools/reference.ts';
import { root } from './paths.ts';

it.each([
  ['commands', commandReference],
  ['profile', profileReference],
  ['issue-codes', issueReference],
  ['dictionaries', dictionariesReference],
  ['files', filesReference],
])('docs/reference/%s.md is up to date (node tools/reference.ts)', async (name, generate) => {
  const written = readFileSync(`${root}/docs/reference/${name}.md`, 'utf8');
  expect(written).toBe(await generate());
});

it('README.md states how many words there are (node tools/reference.ts)', async () => {
  expect(readFileSync(`${root}/README.md`, 'utf8')).toBe(await readmeText());
});

it('THIRD_PARTY_NOTICES.md lists the packages of the lockfile (node tools/notices.ts)', () => {
  expect(readFileSync(`${root}/THIRD_PARTY_NOTICES.md`, 'utf8')).toBe(notices());
});
