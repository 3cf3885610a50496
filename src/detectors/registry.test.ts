import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { viewOfImage } from '../../test/fixtures/views.ts';
import type { FrameDetectorKind } from './kind.ts';
import { allKinds, kindNames, loadKind } from './registry.ts';

const nothing = { data: new Uint8Array(0), width: 0, height: 0, channels: 3 } as const;

describe('detector kinds', () => {
  it.each([
    ['bar', { fill: ['#ff0000'] }],
    ['bar', { direction: 'clockwise' }],
    ['color', { colors: { red: '#ff0000' } }],
    ['icon', { icons: {} }],
  ])('%s cannot read a region outside the frame', async (name, options) => {
    const kind = (await loadKind(name)) as FrameDetectorKind;
    using detector = await kind.open(options, { read: () => Promise.reject(new Error('no assets')) });
    expect(await detector.read(viewOfImage(nothing))).toEqual({ state: 'unreadable', confidence: 1 });
  });

  it('are the folders that have an index', () => {
    const folders = globSync('*/index.ts', { cwd: import.meta.dirname }).map((path) => dirname(path));
    expect(kindNames()).toEqual(folders.toSorted());
  });

  it('each have a schema that compiles and a description', async () => {
    const ajv = new Ajv2020({ strict: false });
    const schemas = [...(await allKinds()).values()];
    for (const { schema } of schemas) expect(() => ajv.compile(schema)).not.toThrow();
    expect(schemas.filter(({ description }) => description.length < 60)).toEqual([]);
  });

  it('are asked for by name, with the nearest one suggested', async () => {
    expect((await loadKind('bar')).name).toBe('bar');
    await expect(loadKind('colour')).rejects.toMatchObject({
      code: 'unknown-detector-kind',
      hint: 'Did you mean "color"?',
    });
    await expect(loadKind('../errors')).rejects.toMatchObject({ code: 'unknown-detector-kind' });
  });
});
