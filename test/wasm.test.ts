import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { assemble, kernels } from '../tools/wasm/build.ts';

describe('WebAssembly kernels', () => {
  it.each(kernels)('$module is what $source assembles to (node tools/wasm/build.ts)', async (kernel) => {
    const module = readFileSync(`${import.meta.dirname}/../${kernel.module}`, 'utf8');
    expect(module).toBe(await assemble(kernel));
  });
});
