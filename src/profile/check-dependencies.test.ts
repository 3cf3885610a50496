import { describe, expect, it } from 'vitest';
import { checkProfile } from './check.ts';
import type { KindCatalog } from './schema.ts';

const SCHEMA = { type: 'object' };
const KINDS: KindCatalog = {
  names: ['text', 'icon', 'motion', 'sound'],
  kinds: new Map([
    ['text', { schema: SCHEMA, input: 'frame' }],
    ['icon', { schema: SCHEMA, input: 'frame', places: () => true }],
    ['motion', { schema: SCHEMA, input: 'frame-pair' }],
    ['sound', { schema: SCHEMA, input: 'audio' }],
  ]),
};

const BASE = {
  format: 'playbyplay/profile/1',
  game: 'test-game',
  title: 'Test Game',
  version: '1',
  reference: { width: 1280, height: 720 },
  regions: {
    map: { x: 0, y: 0, width: 1, height: 1 },
    name: { x: 1.2, y: -0.5, width: 6, height: 2, relative: { detector: 'icon' } },
  },
  modes: { driving: { detector: 'vehicle', value: '/car|bike/' } },
  detectors: {
    vehicle: { kind: 'text', region: 'map' },
    icon: { kind: 'icon', region: 'map', after: { detector: 'horn', for: 2 } },
    horn: { kind: 'sound' },
    name: { kind: 'text', region: 'name', modes: ['driving'] },
  },
  sequences: {
    hooted: {
      steps: [{ detector: 'horn' }, { detector: 'name', match: '^(.+)$', within: 2 }],
      unless: { detector: 'vehicle', trigger: 'lost' },
      statement: { subject: 'player', action: 'see', object: { word: 'opponent', name: '$2' } },
    },
  },
};

type Change = (profile: Record<string, Record<string, Record<string, unknown>>>) => void;

function faults(change: Change = () => undefined): string[] {
  const profile = JSON.parse(JSON.stringify(BASE)) as Parameters<Change>[0];
  change(profile);
  return checkProfile(profile, 'p', KINDS).issues.map(
    ({ code, path, message, hint }) => `${code} ${path!.slice(2)} ${message}${hint === undefined ? '' : ` ${hint}`}`,
  );
}

const waits = (value: unknown): string[] =>
  faults((p) => (p['detectors']!['icon']!['when'] = { detector: 'vehicle', value }) as unknown);

describe('checkDependencies', () => {
  it('accepts a valid profile', () => {
    expect(faults()).toEqual([]);
  });

  it('checks the lists, bounds and expressions of value conditions', () => {
    expect(waits(['car', '/bike$/', { max: 30 }])).toEqual([]);
    expect(waits(['car', '/bike(/', { min: 3, max: 2 }])).toEqual([
      expect.stringContaining('schema-form /detectors/icon/when/value/1 "value" is not a regular expression'),
      'empty-range /detectors/icon/when/value/2 min 3 is greater than max 2',
    ]);
    expect(waits({ most: 3 })).toEqual([expect.stringContaining('/detectors/icon/when/value')]);
  });

  it('reports unknown detectors, sequences and modes with the nearest name', () => {
    expect(faults((p) => (p['detectors']!['icon']!['after'] = { detector: 'hoted' }))).toEqual([
      'unknown-source /detectors/icon/after/detector there is no detector or sequence "hoted" Did you mean "hooted"?',
    ]);
    expect(faults((p) => (p['detectors']!['name']!['modes'] = ['drivin']))).toEqual([
      'unknown-mode /detectors/name/modes/0 there is no mode "drivin" Did you mean "driving"?',
    ]);
    expect(
      faults((p) => (p['sequences']!['horn'] = { steps: [{ detector: 'icon' }, { detector: 'vehicle' }] })),
    ).toEqual([
      expect.stringMatching('name-taken /sequences/horn a detector is already named "horn"'),
      expect.stringMatching('circular-dependency'),
    ]);
  });

  it('reports cycles with the dependencies that form them', () => {
    expect(
      faults((p) => (p['detectors']!['vehicle']!['after'] = { detector: 'name', until: { detector: 'horn' } })),
    ).toEqual([
      'circular-dependency /detectors/vehicle/after circular dependency: "vehicle" is activated by "name" is activated by "vehicle" One of them must not depend on the others.',
    ]);
    expect(faults((p) => (p['detectors']!['icon']!['after'] = { detector: 'hooted' }))).toEqual([
      'circular-dependency /detectors/icon/after circular dependency: "icon" is activated by "hooted" consists of "name" is positioned by "icon" One of them must not depend on the others.',
    ]);
    expect(faults((p) => (p['detectors']!['horn']!['after'] = { detector: 'horn' }))).toEqual([
      'circular-dependency /detectors/horn/after circular dependency: "horn" is activated by "horn" One of them must not depend on the others.',
    ]);
    expect(faults((p) => ((p['sequences']!['hooted']!['steps'] as unknown[])[0] = { detector: 'hooted' }))).toEqual([
      'circular-dependency /sequences/hooted circular dependency: "hooted" consists of "hooted" One of them must not depend on the others.',
    ]);
  });

  it('accepts relative regions only for kinds that report places, and not for comparers', () => {
    expect(faults((p) => (p['regions']!['name']!['relative'] = { detector: 'vehicle' }))).toEqual([
      'no-place /regions/name/relative/detector "vehicle" does not report where it found something Use an icon detector, or an onnx detector that detects boxes.',
    ]);
    expect(faults((p) => (p['detectors']!['name']!['kind'] = 'motion'))).toEqual([
      'late-detector /detectors/name/region "name" compares the same place in two samples, so its region cannot be relative',
    ]);
  });

  it('accepts hold only for detectors that are always read', () => {
    expect(faults((p) => (p['regions']!['name']!['relative'] = { detector: 'icon', hold: 1 }))).toEqual([
      'no-place /regions/name/relative/hold "icon" is not always read, so its last find is unknown Remove "hold", or read the detector always.',
    ]);
  });

  it('requires that detectors of screens are always read', () => {
    expect(faults((p) => Object.assign(p, { screens: { menu: { detector: 'icon' } } }))).toEqual([
      'screen-detector /screens/menu "icon" identifies a screen, so it must always be read Remove its "after" and "modes".',
    ]);
  });

  it('checks statements, expressions and bounds', () => {
    expect(faults((p) => (p['sequences']!['hooted']!['statement'] = { subject: 'player', action: '$3' }))).toEqual([
      'unknown-group /sequences/hooted/statement $3 refers to a step that "steps" does not have',
    ]);
    expect(faults((p) => (p['modes']!['driving']!['value'] = '/(/'))[0]).toMatch(
      /^schema-form \/modes\/driving\/value "value" is not a regular expression/,
    );
    expect(faults((p) => (p['sequences']!['hooted']!['steps'] = [{ detector: 'horn' }]))[0]).toMatch(
      /^schema-\S+ \/sequences\/hooted\/steps/,
    );
    expect(faults((p) => (p['regions']!['map']!['x'] = -1))[0]).toMatch(/^schema-\S+ \/regions\/map\/x/);
  });
});
