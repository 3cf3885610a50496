import { describe, expect, it } from 'vitest';
import type { Profile } from '../../profile/profile.ts';
import {
  acceptElements,
  addElement,
  type Draft,
  EMPTY_REVIEW,
  listElements,
  mergeElements,
  moveElement,
  refuseElement,
  renameElement,
  restoreElement,
  setDetectorOptions,
  setRegionOptions,
} from './elements.ts';

const profile: Profile = {
  format: 'playbyplay/profile/1',
  game: 'race',
  title: 'Race',
  version: '1',
  unit: 'pixel',
  reference: { width: 1280, height: 720 },
  regions: {
    'counter Lap': { x: 10, y: 20, width: 60, height: 30, anchor: 'top left' },
    speed: { x: 20, y: 600, width: 100, height: 50 },
  },
  detectors: {
    'counter Lap': { kind: 'text', region: 'counter Lap', value: 'number' },
    speed: { kind: 'text', region: 'speed', value: 'number' },
    gear: { kind: 'text', region: 'speed', when: { detector: 'speed' } },
  },
  events: [
    {
      on: { detector: 'counter Lap', trigger: 'changed' },
      statement: { subject: { word: 'counter', name: 'Lap' }, property: 'reading', from: '$previous', to: '$value' },
    },
    {
      on: { detector: 'speed', trigger: 'lost' },
      statement: { subject: 'player', action: 'finish', object: { word: 'lap', name: '$(counter Lap)' } },
    },
  ],
};
const draft: Draft = { profile, review: EMPTY_REVIEW };

describe('elements', () => {
  it('are listed with their boxes, rules and what was decided', () => {
    const elements = listElements(acceptElements(draft, ['speed']));
    expect(elements.map(({ name, status, rules }) => [name, status, rules])).toEqual([
      ['counter Lap', 'proposed', 1],
      ['speed', 'accepted', 1],
      ['gear', 'proposed', 0],
    ]);
    expect(elements[0]!.box).toEqual({ x: 10, y: 20, width: 60, height: 30 });
  });

  it('have boxes in pixels where the profile has fractions', () => {
    const { unit: _, ...rest } = profile;
    const region = { x: 0.5, y: 0.25, width: 0.1, height: 0.05 };
    const fractional: Draft = { ...draft, profile: { ...rest, regions: { ...profile.regions, speed: region } } };
    expect(listElements(fractional)[1]!.box).toEqual({ x: 640, y: 180, width: 128, height: 36 });
    const moved = moveElement(fractional, 'counter Lap', { x: 320, y: 360, width: 64, height: 72 });
    expect(moved.profile.regions['counter Lap']).toMatchObject({ x: 0.25, y: 0.5, width: 0.05, height: 0.1 });
  });

  it('stay inside the frame', () => {
    const { regions } = moveElement(draft, 'counter Lap', { x: 1250, y: -5, width: 60, height: 30 }).profile;
    expect(regions['counter Lap']).toMatchObject({ x: 1250, y: 0, width: 30, height: 30, anchor: 'top left' });
  });

  it('are renamed everywhere: regions, rules, references and sentences', () => {
    const { profile: renamed } = renameElement(draft, 'counter Lap', 'counter Round');
    expect(Object.keys(renamed.detectors)).toEqual(['counter Round', 'speed', 'gear']);
    expect(Object.keys(renamed.regions)).toEqual(['counter Round', 'speed']);
    expect(renamed.detectors['counter Round']!.region).toBe('counter Round');
    expect(renamed.events![0]).toMatchObject({
      on: { detector: 'counter Round' },
      statement: { subject: { word: 'counter', name: 'Round' } },
    });
    expect(renamed.events![1]!.statement).toMatchObject({ object: { name: '$(counter Round)' } });
    expect(() => renameElement(draft, 'counter Lap', 'speed')).toThrow(/there is an element/);
    expect(() => renameElement(draft, 'counter Lap', '!!')).toThrow(/cannot be a name/);
    expect(() => renameElement(draft, 'lap', 'x')).toThrow(/there is no element/);
  });

  it('are refused with their rules and restored with them', () => {
    const refused = refuseElement(draft, 'gear');
    expect(refused.profile.regions['speed']).toBeDefined();
    expect(listElements(refused).at(-1)).toMatchObject({ name: 'gear', status: 'refused' });
    expect(() => refuseElement(draft, 'speed')).toThrow(/“gear” depends on “speed”/);
    const without = refuseElement(
      { ...draft, profile: { ...profile, events: profile.events!.slice(0, 1) } },
      'counter Lap',
    );
    expect(without.profile.regions['counter Lap']).toBeUndefined();
    expect(without.profile.events).toEqual([]);
    const restored = restoreElement(without, 'counter Lap');
    expect(restored.profile.regions['counter Lap']).toEqual(profile.regions['counter Lap']);
    expect(restored.profile.events).toEqual(profile.events!.slice(0, 1));
  });

  it('get a region of their own when they are moved out of a shared one', () => {
    const { profile: moved } = moveElement(draft, 'gear', { x: 1, y: 2, width: 30, height: 40 });
    expect(moved.detectors['gear']!.region).toBe('gear');
    expect(moved.regions['speed']).toEqual(profile.regions['speed']);
    expect(moved.regions['gear']).toMatchObject({ x: 1, y: 2, width: 30, height: 40 });
  });

  it('are added with a unique name and an anchor by their place', () => {
    const { draft: added, name } = addElement(
      draft,
      'speed',
      { x: 1200, y: 10, width: 60, height: 20 },
      { kind: 'text' },
    );
    expect(name).toBe('speed 2');
    expect(added.profile.regions[name]).toMatchObject({ x: 1200, anchor: 'top right' });
    expect(listElements(added).at(-1)).toMatchObject({ name: 'speed 2', status: 'accepted' });
  });

  it('are merged into one box', () => {
    const { draft: two } = addElement(draft, 'total', { x: 80, y: 25, width: 20, height: 30 }, { kind: 'text' });
    const merged = mergeElements(two, ['counter Lap', 'total']);
    expect(merged.profile.regions['counter Lap']).toMatchObject({ x: 10, y: 20, width: 90, height: 35 });
    expect(Object.keys(merged.profile.detectors)).not.toContain('total');
  });

  it('have options that are set and removed', () => {
    const changed = setDetectorOptions(draft, 'counter Lap', { kind: 'bar', value: undefined });
    expect(changed.profile.detectors['counter Lap']).toEqual({ kind: 'bar', region: 'counter Lap' });
    const steps = [{ step: 'grayscale' }];
    const { regions } = setRegionOptions(draft, 'counter Lap', { preprocess: steps, anchor: undefined }).profile;
    expect(regions['counter Lap']).toEqual({ x: 10, y: 20, width: 60, height: 30, preprocess: steps });
  });
});
