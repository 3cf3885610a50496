import { describe, expect, it } from 'vitest';
import { contentSecurityPolicy, csvField, escapeMarkdown, escapeText, plainText } from './markup.ts';

describe('plainText', () => {
  it.each([
    ['Grunt', 'Grunt'],
    ['Gru\u0007nt\u001B[2J kills\n\nBob', 'Grunt[2J kills Bob'],
    ['\u202Egnp.exe\u2069', 'gnp.exe'],
    ['\uD800x', 'x'],
    ['Zoë 👩‍👩‍👧 🎮', 'Zoë 👩‍👩‍👧 🎮'],
    [`${'x'.repeat(600)}`, `${'x'.repeat(499)}…`],
  ])('makes %j one printable line', (text, expected) => {
    expect(plainText(text)).toBe(expected);
  });
});

describe('escapeText', () => {
  it('removes what XML 1.0 cannot contain', () => {
    expect(escapeText('a\u0000b\u001Bc\uFFFEd<&>\uD800')).toBe('abcd&lt;&amp;&gt;');
  });
});

describe('escapeMarkdown', () => {
  it.each([
    ['<img src=x onerror=alert(1)>', '\\<img src=x onerror=alert(1)\\>'],
    ['[click](https://evil.example)', '\\[click\\](https\\://evil.example)'],
    ['# heading', '\\# heading'],
    ['a | b', 'a \\| b'],
    ['1. list', '1\\. list'],
    ['player kills opponent Grunt', 'player kills opponent Grunt'],
  ])('leaves no markup in %s', (text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });
});

describe('csvField', () => {
  it.each([
    ['=HYPERLINK("http://evil.example")', '"\'=HYPERLINK(""http://evil.example"")"'],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['+1', "'+1"],
    ['-cmd', "'-cmd"],
    ['\t=1', "'=1"],
    [-5, '-5'],
    ['a, b', '"a, b"'],
    ['two\r\nlines', 'two lines'],
  ])('writes %j as text', (value, expected) => {
    expect(csvField(value)).toBe(expected);
  });
});

describe('contentSecurityPolicy', () => {
  it('allows the scripts of the page by their hashes and nothing else', () => {
    // printf 'alert(1)' | openssl dgst -sha256 -binary | base64
    const hash = 'bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=';
    expect(contentSecurityPolicy('alert(1)')).toContain(`script-src 'sha256-${hash}';`);
    expect(contentSecurityPolicy()).toContain("default-src 'none';");
    expect(contentSecurityPolicy()).toContain("script-src 'none';");
  });
});
