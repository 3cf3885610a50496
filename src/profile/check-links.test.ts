import { describe, expect, it } from 'vitest';
import { checkProfile } from './check.ts';
import type { KindSchemas } from './schema.ts';

const KINDS: KindSchemas = {
  detectors: new Map(['text', 'icon', 'motion', 'sound'].map((name) => [name, { type: 'object' }])),
  late: new Map([
    ['motion', 'compare'],
    ['sound', 'hear'],
  ]),
  places: new Map([['icon', () => true]]),
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

describe('checking how detectors hang together', () => {
  it('finds nothing wrong with what is right', () => {
    expect(faults()).toEqual([]);
  });

  it('takes lists, bounds and expressions for values, and says what is wrong with them', () => {
    expect(waits(['car', '/bike$/', { max: 30 }])).toEqual([]);
    expect(waits(['car', '/bike(/', { min: 3, max: 2 }])).toEqual([
      expect.stringContaining('schema-form /detectors/icon/when/value/1 “value” is not a regular expression'),
      'empty-range /detectors/icon/when/value/2 nothing lies between min 3 and max 2',
    ]);
    expect(waits({ most: 3 })).toEqual([expect.stringContaining('/detectors/icon/when/value')]);
  });

  it('knows detectors, sequences and modes by name', () => {
    expect(faults((p) => (p['detectors']!['icon']!['after'] = { detector: 'hoted' }))).toEqual([
      'unknown-source /detectors/icon/after/detector there is no detector or sequence “hoted” Did you mean "hooted"?',
    ]);
    expect(faults((p) => (p['detectors']!['name']!['modes'] = ['drivin']))).toEqual([
      'unknown-mode /detectors/name/modes/0 there is no mode “drivin” Did you mean "driving"?',
    ]);
    expect(
      faults((p) => (p['sequences']!['horn'] = { steps: [{ detector: 'icon' }, { detector: 'vehicle' }] })),
    ).toEqual([
      expect.stringMatching('name-taken /sequences/horn a detector has the name “horn” already'),
      expect.stringMatching('circular-dependency'),
    ]);
  });

  it('finds circles of every sort, and says by which links', () => {
    expect(
      faults((p) => (p['detectors']!['vehicle']!['after'] = { detector: 'name', until: { detector: 'horn' } })),
    ).toEqual([
      'circular-dependency /detectors/vehicle/after “vehicle” is switched by “name” is switched by “vehicle” One of them must be read by itself.',
    ]);
    expect(faults((p) => (p['detectors']!['icon']!['after'] = { detector: 'hooted' }))).toEqual([
      'circular-dependency /detectors/icon/after “icon” is switched by “hooted” consists of “name” follows “icon” One of them must be read by itself.',
    ]);
    expect(faults((p) => (p['detectors']!['horn']!['after'] = { detector: 'horn' }))).toEqual([
      'circular-dependency /detectors/horn/after “horn” is switched by “horn” One of them must be read by itself.',
    ]);
    expect(faults((p) => ((p['sequences']!['hooted']!['steps'] as unknown[])[0] = { detector: 'hooted' }))).toEqual([
      'circular-dependency /sequences/hooted “hooted” consists of “hooted” One of them must be read by itself.',
    ]);
  });

  it('lets regions follow only what says where it is, and nothing look at them that compares', () => {
    expect(faults((p) => (p['regions']!['name']!['relative'] = { detector: 'vehicle' }))).toEqual([
      'no-place /regions/name/relative/detector “vehicle” does not say where it found something Icons do, and networks that find boxes.',
    ]);
    expect(faults((p) => (p['detectors']!['name']!['kind'] = 'motion'))).toEqual([
      'late-detector /detectors/name/region “name” compares a place with itself: its region cannot follow anything',
    ]);
  });

  it('lets a region stay only where it is always known what was found', () => {
    expect(faults((p) => (p['regions']!['name']!['relative'] = { detector: 'icon', hold: 1 }))).toEqual([
      'no-place /regions/name/relative/hold “icon” is not always read: what it found last is not known Leave out “hold”, or read it always.',
    ]);
  });

  it('wants screens to be told by what is always read', () => {
    expect(faults((p) => Object.assign(p, { screens: { menu: { detector: 'icon' } } }))).toEqual([
      'screen-detector /screens/menu “icon” must always be read to tell a screen Leave out its “after” and “modes”.',
    ]);
  });

  it('checks the statements and expressions in them', () => {
    expect(faults((p) => (p['sequences']!['hooted']!['statement'] = { subject: 'player', action: '$3' }))).toEqual([
      'unknown-group /sequences/hooted/statement $3 stands for a step that “steps” does not have',
    ]);
    expect(faults((p) => (p['modes']!['driving']!['value'] = '/(/'))[0]).toMatch(
      /^schema-form \/modes\/driving\/value “value” is not a regular expression/,
    );
    expect(faults((p) => (p['sequences']!['hooted']!['steps'] = [{ detector: 'horn' }]))[0]).toMatch(
      /^schema-\S+ \/sequences\/hooted\/steps/,
    );
    expect(faults((p) => (p['regions']!['map']!['x'] = -1))[0]).toMatch(/^schema-\S+ \/regions\/map\/x/);
  });
});
