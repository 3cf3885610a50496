import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readInput, readInputText } from './input.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-input-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('an input file', () => {
  it('is read as text, whatever bytes it has', () => {
    const path = join(folder, 'settings.json');
    writeFileSync(path, Buffer.from([0x7b, 0x7d, 0xc3, 0xa4, 0xff]));
    expect(readInputText(path, 'broken')).toBe('{}ä\uFFFD');
  });

  it('is refused above its limit, at once and as a promise', async () => {
    const path = join(folder, 'large');
    writeFileSync(path, Buffer.alloc((1 << 20) + 1));
    const refused = expect.objectContaining({ code: 'large', message: `${path} is larger than 1 MiB` }) as unknown;
    expect(() => readInputText(path, 'large', { maxBytes: 1 << 20 })).toThrow(refused as Error);
    await expect(readInput(path, 1 << 20, 'large')).rejects.toEqual(refused);
  });

  it('is named with what to do where it cannot be read', () => {
    const path = join(folder, 'missing.json');
    expect(() => readInputText(path, 'no-settings', { hint: 'Write one.' })).toThrow(
      expect.objectContaining({
        code: 'no-settings',
        hint: 'Write one.',
        message: expect.stringContaining(path),
      }) as Error,
    );
  });

  it('is no folder, and no pipe that nobody writes to', async () => {
    const pipe = join(folder, 'pipe');
    const others = process.platform === 'win32' ? [folder] : [folder, pipe, '/dev/zero'];
    if (others.includes(pipe)) execFileSync('mkfifo', [pipe]);
    for (const path of others) {
      const refused = expect.objectContaining({ code: 'not-a-file' }) as Error;
      expect(() => readInputText(path, 'broken')).toThrow(refused);
      await expect(readInput(path, 1 << 20, 'broken')).rejects.toEqual(refused);
    }
  });
});
