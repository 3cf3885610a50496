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

const project = (name: string, include: readonly string[], exclude: readonly string[] = []) => ({
  extends: true as const,
  // Two processes run all files: a process for each would load the program anew, which takes as long as many a test.
  test: { name, include: [...include], exclude: [...exclude], isolate: name === 'package' },
});

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    // Only against tests that hang: how long one takes depends on the machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    // Node runs the program's TypeScript as users' Node does; nothing needs to be transformed.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    maxWorkers: 2,
    projects: [
      project('unit', ['src/**/*.test.ts', 'bench/**/*.test.ts', ...repository], footage),
      project('footage', [...footage, 'test/**/*.test.ts'], [...repository, ...browser, ...packaging]),
      project('browser', browser),
      project('package', packaging),
    ],
  },
});
