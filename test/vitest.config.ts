import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests that drive a browser. */
const browser = ['test/quality/report.test.ts', 'test/dictionary/page.test.ts'];
const packaging = ['test/package.test.ts'];
/** Tests of the repository itself and of data, which need no recording. */
const repository = ['structure', 'error-texts', 'reference', 'cases', 'examples', 'wasm', 'docs'].map(
  (name) => `test/${name}.test.ts`,
);
const footage = ['src/**/*.footage.test.ts'];

const project = (name: string, include: readonly string[], exclude: readonly string[] = []) => ({
  extends: true as const,
  test: { name, include: [...include], exclude: [...exclude] },
});

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    // Only against tests that hang: how long one takes depends on the machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    setupFiles: ['test/setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      project('unit', ['src/**/*.test.ts', ...repository], footage),
      project('footage', [...footage, 'test/**/*.test.ts'], [...repository, ...browser, ...packaging]),
      project('browser', browser),
      project('package', packaging),
    ],
  },
});
