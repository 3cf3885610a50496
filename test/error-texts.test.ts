import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
/** What may begin a message with a capital: names. */
const NAMES = /^(?:Tesseract|BigInt|VP9|FFmpeg|PostgreSQL|JSON|CSV|HUD|ONNX|NaN)\b/;
/** What makes an error that a person is told, up to its message. */
const MADE =
  /(?:new PlaybyplayError\(\s*(?:'[^']*'|[\w.]+),|\b(?:usageError|fail)\(|\bmessage:)\s*(?:'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/g;

/** Every message of the sources, with its file. */
const messages = globSync('src/**/*.ts', { cwd: ROOT })
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(MADE)].map(([, plain, template]) => ({
      file,
      text: plain ?? template!,
    })),
  );

describe('error texts', () => {
  it('are found', () => {
    expect(messages.length).toBeGreaterThan(200);
  });

  it('are clauses: they begin small, and end without a full stop; what to do about it is the hint', () => {
    const wrong = messages.filter(
      ({ text }) => (/^[A-Z][a-z ]/.test(text) && !NAMES.test(text)) || (/[^.]\.$/.test(text) && !text.endsWith('…')),
    );
    expect(wrong.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });
});
