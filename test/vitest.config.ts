import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests that drive a browser. */
const browser = [
  'test/site.test.ts',
  'test/quality/report.test.ts',
  'test/dictionary/page.test.ts',
  'test/studio/*.test.ts',
  'test/season-page.test.ts',
];
/** Tests of the packed package. */
const packaging = ['test/package.test.ts'];
/** Tests of the repository itself and of data, which need no recording. */
const repository = ['structure', 'error-texts', 'reference', 'cases', 'wasm', 'docs', 'contributing', 'validators'].map(
  (name) => `test/${name}.test.ts`,
);
const footage = ['src/**/*.footage.test.ts'];

interface ProjectOptions {
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  readonly isolate?: boolean;
}

const project = (name: string, { include, exclude = [], isolate = true }: ProjectOptions) => ({
  extends: true as const,
  test: { name, include: [...include], exclude: [...exclude], isolate },
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
      // One process runs many of these short files: starting one for each would take a third of the time.
      project('unit', {
        include: ['src/**/*.test.ts', 'bench/**/*.test.ts', ...repository],
        exclude: footage,
        isolate: false,
      }),
      project('footage', {
        include: [...footage, 'test/**/*.test.ts'],
        exclude: [...repository, ...browser, ...packaging],
      }),
      project('browser', { include: browser }),
      project('package', { include: packaging }),
    ],
  },
});
