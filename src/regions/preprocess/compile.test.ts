// oxlint-disable unicorn/no-thenable -- `then` is an option of the step `if`
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { PlaybyplayError } from '../../errors.ts';
import type { PreprocessStep } from '../../profile/profile.ts';
import { RegionSet } from '../regions.ts';
import { stillPicture } from '../../../test/fixtures/still.ts';
import { compilePreprocess, preprocessSchema } from './compile.ts';
import { STEPS } from './steps/index.ts';

const size = { width: 8, height: 4, scaleX: 1, scaleY: 1 };
const HD = { width: 64, height: 36 };

function from(...names: string[]): string {
  return compilePreprocess(
    names.map((step) => ({ step, channel: 'red' })),
    size,
  ).from;
}

/** The issues for which a chain is refused. */
function issuesOf(steps: readonly PreprocessStep[], shape = size): unknown {
  try {
    compilePreprocess(steps, shape, { path: 'r' });
  } catch (error) {
    if (error instanceof PlaybyplayError && error.code === 'invalid-preprocessing') return error.issues;
    throw error;
  }
  return [];
}

describe('compilePreprocess', () => {
  it('names every unknown step at once, with the nearest right one', () => {
    const steps = [{ step: 'treshold' }, { step: 'if', measure: 'mean', else: [{ step: 'invrt' }] }];
    expect(issuesOf(steps)).toMatchObject([
      { code: 'unknown-step', path: 'r/0/step', hint: 'Did you mean "threshold"?' },
      { code: 'unknown-step', path: 'r/1/else/0/step', hint: 'Did you mean "invert"?' },
    ]);
  });

  it('starts from luma if colours are not needed', () => {
    expect(from('denoise', 'invert', 'threshold')).toBe('grey');
    expect(from('denoise', 'channel', 'threshold')).toBe('color');
    expect(from()).toBe('color');
    expect(from('if', 'threshold')).toBe('color');
  });

  it('refuses a colour step on grey, and branches of different shapes', () => {
    expect(issuesOf([{ step: 'threshold' }, { step: 'hsv' }])).toMatchObject([
      { code: 'color-step-after-grey', path: 'r/1' },
    ]);
    const uneven = { step: 'if', measure: 'mean', else: [{ step: 'border' }] };
    expect(issuesOf([uneven])).toMatchObject([{ code: 'invalid-step' }]);
  });

  it('chooses by the content of the crop', async () => {
    const steps = [{ step: 'grayscale' }, { step: 'if', measure: 'mean', above: 127, then: [{ step: 'invert' }] }];
    const { run } = compilePreprocess(steps, { ...size, width: 2, height: 1 });
    const on = async (...levels: number[]) => [
      ...(await run({ data: Uint8Array.from(levels), width: 2, height: 1, channels: 1 })).data,
    ];
    expect(await on(200, 100)).toEqual([55, 155]);
    expect(await on(100, 100)).toEqual([100, 100]);
  });

  it('measures the share of a colour', async () => {
    const steps = [
      { step: 'if', measure: 'share', color: '#ff0000', tolerance: 10, above: 0.4, then: [{ step: 'invert' }] },
    ];
    const { run } = compilePreprocess(steps, { ...size, width: 2, height: 1 });
    const on = async (...levels: number[]) => [
      ...(await run({ data: Uint8Array.from(levels), width: 2, height: 1, channels: 3 })).data,
    ];
    expect(await on(255, 0, 0, 0, 0, 0)).toEqual([0, 255, 255, 255, 255, 255]);
    expect(await on(200, 0, 0, 0, 0, 0)).toEqual([200, 0, 0, 0, 0, 0]);
  });

  it('refuses chains whose crops grow without bounds', () => {
    const steps = Array.from({ length: 32 }, () => ({ step: 'rotate', degrees: 45 }));
    expect(issuesOf(steps, { ...size, width: 200, height: 100 })).toMatchObject([{ code: 'invalid-step' }]);
  });

  it('multiplies lengths by the scale of the frame', () => {
    const { shape } = compilePreprocess([{ step: 'border', size: 4 }], {
      width: 30,
      height: 20,
      scaleX: 1.5,
      scaleY: 2,
    });
    expect([shape.width, shape.height]).toEqual([30 + 12, 20 + 16]);
  });
});

describe('the schema of preprocessing', () => {
  it('accepts right steps, nested too, and refuses unknown options and values', () => {
    const validate = new Ajv2020({ strict: false }).compile(preprocessSchema());
    expect(
      validate([{ step: 'grayscale' }, { step: 'if', measure: 'mean', then: [{ step: 'threshold', method: 'otsu' }] }]),
    ).toBe(true);
    expect(validate([{ step: 'threshold', levle: 3 }])).toBe(false);
    expect(validate([{ step: 'threshold', level: 300 }])).toBe(false);
    expect(validate([{ step: 'if', measure: 'mean', then: [{ step: 'nothing' }] }])).toBe(false);
    expect(validate([{ step: 'isolate' }])).toBe(false);
  });

  it('has every file of steps/', () => {
    const files = globSync('steps/*.ts', { cwd: import.meta.dirname }).map((path) => basename(path, '.ts'));
    expect([...STEPS.keys()].toSorted()).toEqual(files.filter((name) => name !== 'index').toSorted());
  });

  it('describes every step', () => {
    for (const [name, step] of STEPS) {
      expect(name).toMatch(/^[a-z]+$/);
      expect(step.description.length).toBeGreaterThan(40);
    }
  });
});

describe('RegionSet', () => {
  const rgb = Uint8Array.from({ length: HD.width * HD.height * 3 }, (_, i) => (i * 37) & 255);
  const picture = stillPicture(rgb, HD);
  const box = { x: 0.25, y: 0.25, width: 0.25, height: 0.25 };
  const text = [{ step: 'grayscale' }, { step: 'denoise' }];

  it('prepares each region once, and shares equal crops', async () => {
    const set = RegionSet.open(
      {
        a: { ...box, preprocess: text },
        b: { ...box, preprocess: [...text, { step: 'invert' }] },
        c: { ...box, preprocess: text },
        d: box,
      },
      HD,
      HD,
    );
    const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map((name) => set.get(name).prepare(picture)));
    expect(c).toBe(a);
    expect(b!.data).toEqual(Uint8Array.from(a!.data, (v) => 255 - v));
    expect([a!.width, a!.height, a!.channels, d!.channels]).toEqual([16, 9, 1, 3]);
    expect([set.get('a').reads, set.get('d').reads]).toEqual(['luma', 'pixels']);
    expect(await set.get('b').prepare(picture)).toBe(b);
    expect(() => set.get('e')).toThrow(RangeError);
  });

  it('prepares nothing of a region outside the frame', () => {
    const steps = [{ step: 'grayscale' }, { step: 'resize', height: 30 }, { step: 'blur', sigma: 1 }];
    const set = RegionSet.open(
      { far: { x: 0.97, y: 0.5, width: 0.03, height: 0.1, anchor: 'left', preprocess: steps } },
      { width: 40, height: 36 },
      HD,
    );
    const small = stillPicture(new Uint8Array(40 * 36 * 3), { width: 40, height: 36 });
    expect(set.get('far').prepare(small)).toMatchObject({ width: 0, data: new Uint8Array(0) });
    expect([1, 2].map(() => set.get('far').gate().changed(small))).toEqual([true, true]);
  });

  it('refuses a step that makes too much of a thin region before it computes anything', () => {
    const thin = { ...box, height: 1 / HD.height, preprocess: [{ step: 'resize', height: 8192, filter: 'lanczos' }] };
    const before = process.cpuUsage();
    expect(() => RegionSet.open({ thin }, HD, HD)).toThrow(/resize.*makes a crop of \d+×8192 pixels/);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
  });

  it('gates on luma if only luma is read, otherwise on colours too', () => {
    const set = RegionSet.open({ luma: { ...box, preprocess: text }, color: box }, HD, HD);
    const [luma, color] = [set.get('luma').gate(), set.get('color').gate()];
    const other = { ...picture, u: { ...picture.u, data: picture.u.data.map((v) => v ^ 4) } };
    expect([picture, picture, other].map((p) => luma.changed(p))).toEqual([true, false, false]);
    expect([picture, picture, other].map((p) => color.changed(p))).toEqual([true, false, true]);
    expect(set.get('luma').gate('pixels').changed(other)).toBe(true);
    luma.reset();
    expect(luma.changed(other)).toBe(true);
  });
});
