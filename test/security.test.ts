import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSbom } from '../tools/sbom.ts';
import { root } from './paths.ts';

const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');
const UNITS: Readonly<Record<string, number>> = { MiB: 2 ** 20, GiB: 2 ** 30 };

describe('the security page', () => {
  const rows = [...page.matchAll(/^\| [^|]+ \| (\d+) ?(\w*) \| `([^`]+)` `(\w+)` \|$/gm)];

  it('lists limits', () => expect(rows.length).toBeGreaterThan(12));

  it.each(rows.map(([, limit, unit, file, name]) => [name!, file!, Number(limit) * (UNITS[unit!] ?? 1)] as const))(
    '%s of %s is %d',
    (name, file, limit) => {
      const source = readFileSync(join(root, file), 'utf8');
      // A product, power or shift of whole numbers.
      const written = new RegExp(`const ${name} = ([\\d_ *<]+);`).exec(source)?.[1];
      expect(written, `${file} declares no ${name}`).toBeDefined();
      const [first, operator, second] = written!.replaceAll('_', '').split(/ (\*\*|<<|\*) /);
      const [a, b] = [Number(first), Number(second?.split(' ')[0])];
      const product = /^\d+ \* 2 \*\* \d+$/.test(written!) ? a * 2 ** Number(written!.split('** ')[1]) : a * b;
      const value = operator === undefined ? a : operator === '<<' ? a * 2 ** b : operator === '**' ? a ** b : product;
      expect(value).toBe(limit);
    },
  );
});

describe('the software bill of materials', () => {
  it('lists every package that users install, with its hash and the version of the lockfile', () => {
    const { bomFormat, components, metadata } = createSbom();
    expect(bomFormat).toBe('CycloneDX');
    const notices = readFileSync(join(root, 'THIRD_PARTY_NOTICES.md'), 'utf8');
    const listed = [...notices.matchAll(/^\| (\S+) \| (\d\S*) \|/gm)].map(([, name, version]) => `${name} ${version}`);
    const found = components.map(({ name, version }) => `${name} ${version}`);
    expect(listed.length).toBeGreaterThan(20);
    expect(listed.filter((one) => !found.includes(one))).toEqual([]);
    expect(metadata.component.name).toBe('playbyplay');
    expect(found.filter((one) => /^(?:rolldown|typescript|vitest) /.test(one))).toEqual([]);
    expect(components.filter(({ hashes }) => !hashes?.length)).toEqual([]);
  });
});
