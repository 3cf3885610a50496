import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadKindCatalog } from '../../pipeline/schemas.ts';
import { loadProfile } from '../../profile/load.ts';
import { ElementReader } from './read-element.ts';
import { RecordingPictures } from './recording.ts';

const FOOTAGE = join(import.meta.dirname, '../../../test/footage/freedoom-demo1.mp4');

describe('ElementReader', () => {
  it('reads an element, shows each step, and says why nothing is read', async () => {
    const { profile, assets } = await loadProfile('freedoom', { kinds: (used, steps) => loadKindCatalog(used, steps) });
    using recording = await RecordingPictures.open(FOOTAGE);
    using reader = new ElementReader();
    const detector = profile.detectors['health']!;
    const region = profile.regions[detector.region!]!;
    const picture = recording.pictureAt(21)!;
    const spec = { name: 'health', detector, region };
    // The status bar shows 77 % at 21 s.
    const read = await reader.read(profile, assets, '1', spec, picture);
    expect(read).toMatchObject({ verdict: 'accepted', value: 77, reasons: [] });
    expect(read.steps.map(({ step }) => step)).toEqual(['crop']);
    expect(recording.pictureAt(21)).toBe(picture);
    const steps = [{ step: 'grayscale' }, { step: 'invert' }];
    const prepared = await reader.read(
      profile,
      assets,
      '1',
      { ...spec, region: { ...region, preprocess: steps } },
      picture,
    );
    expect(prepared.steps.map(({ step, crop }) => [step, crop.channels])).toEqual([
      ['crop', 3],
      ['grayscale', 1],
      ['invert', 1],
    ]);
    const [grey, inverted] = prepared.steps.slice(1).map(({ crop }) => crop.data);
    expect(inverted!.every((level, i) => level === 255 - grey![i]!)).toBe(true);
    const implausible = { ...spec, detector: { ...detector, plausible: { max: 50 } } };
    const rejected = await reader.read(profile, assets, '1', implausible, picture);
    expect(rejected).toMatchObject({ verdict: 'rejected', value: 77 });
    expect(rejected.reasons.join(' ')).toContain('plausible');
    const broken = { ...spec, detector: { ...detector, align: 'middle' } };
    const invalid = await reader.read(profile, assets, '1', broken, picture);
    expect(invalid.verdict).toBe('invalid');
    expect(invalid.reasons[0]).toContain('align');
  });
});
