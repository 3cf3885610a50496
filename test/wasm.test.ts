import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { assemble, kernels } from '../tools/wasm/build.ts';
import { root } from './paths.ts';

describe('WebAssembly kernels', () => {
  it.each(kernels)('$module is what $source assembles to (node tools/wasm/build.ts)', async (kernel) => {
    const module = readFileSync(`${root}/${kernel.module}`, 'utf8');
    expect(module).toBe(await assemble(kernel));
  });
});
