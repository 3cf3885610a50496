import { expect, it } from 'vitest';
import { loadBuiltin } from '../dictionary/files.ts';
import type { Discovery, HudField } from './hud-field.ts';
import { draftPack } from './draft.ts';

/** A counter that changed so often in a recording of one minute, and was so often read once between two equal values. */
function counter(id: string, changes: number, reversals = 0): HudField {
  return {
    id,
    type: 'counter',
    name: id,
    isCaptioned: true,
    rect: { x: 10, y: 10, width: 60, height: 20 },
    align: 'left',
    place: 'top left',
    pattern: '(\\d{1,3})',
    behaviour: { resets: false, changes, reversals, presence: 1 },
    certainty: 0.9,
    examples: [],
  };
}

it('makes events of figures that change now and then, and none of measurements', async () => {
  const [coins, speed] = [counter('Coins', 12), counter('Speed', 110)];
  const discovery: Discovery = {
    format: 'playbyplay/discovery/1',
    reference: { width: 1280, height: 720 },
    recordings: [{ path: 'race.mp4', duration: 60 }],
    moment: { recording: 0, t: 0 },
    fields: [coins, speed],
  };
  const { profile, silent } = draftPack(discovery, 'racer', (await loadBuiltin([])).dictionary);
  expect(silent).toEqual(new Map([[speed, 'restless']]));
  expect(Object.keys(profile['detectors'] as object)).toEqual(['counter Coins', 'counter Speed']);
  expect((profile['events'] as { on: { detector: string } }[]).map(({ on }) => on.detector)).toEqual(['counter Coins']);
});

it('makes no events of a figure that is read now as this and now as that', async () => {
  const [ammo, sign] = [counter('Ammo', 20, 2), counter('Sign', 20, 8)];
  const discovery: Discovery = {
    format: 'playbyplay/discovery/1',
    reference: { width: 1280, height: 720 },
    recordings: [{ path: 'race.mp4', duration: 60 }],
    moment: { recording: 0, t: 0 },
    fields: [ammo, sign],
  };
  const { silent } = draftPack(discovery, 'racer', (await loadBuiltin([])).dictionary);
  expect(silent).toEqual(new Map([[sign, 'unsteady']]));
});

it('reads icons while a figure is read that showed many values', async () => {
  const [clock, score] = [{ ...counter('Clock', 30), type: 'clock' } as const, counter('Score', 1)];
  const certain = [score, clock].map((field) => ({ ...field, certainty: 0.99 }));
  const icon: HudField = { ...counter('Dash', 4), type: 'icon', pictures: [] };
  const discovery: Discovery = {
    format: 'playbyplay/discovery/1',
    reference: { width: 1280, height: 720 },
    recordings: [{ path: 'arena.mp4', duration: 60 }],
    moment: { recording: 0, t: 0 },
    fields: [...certain, icon],
  };
  const { profile, keys } = draftPack(discovery, 'arena', (await loadBuiltin([])).dictionary);
  const detectors = profile['detectors'] as Record<string, { when?: unknown }>;
  expect(detectors[keys.get(icon)!]!.when).toEqual({ detector: 'clock Clock' });
});

it('says whose figure it is, and what it measures, as it was answered', async () => {
  const fields = [counter('bottom', 5), counter('left', 5), counter('right', 5)];
  const discovery: Discovery = {
    format: 'playbyplay/discovery/1',
    reference: { width: 1280, height: 720 },
    recordings: [{ path: 'golf.mp4', duration: 60 }],
    moment: { recording: 0, t: 0 },
    fields,
  };
  const answers = { 'name-bottom': 'strokes', 'name-left': 'Bo: strokes', 'name-right': 'hole 2' };
  const { profile, dictionary } = draftPack(discovery, 'golf', (await loadBuiltin([])).dictionary, answers);
  const said = (profile['events'] as { statement: { subject: unknown; property: string } }[]).map(
    ({ statement: { subject, property } }) => [subject, property],
  );
  expect(said).toEqual([
    ['player', 'strokes'],
    [{ word: 'character', name: 'Bo' }, 'strokes'],
    [{ word: 'counter', name: 'hole 2' }, 'reading'],
  ]);
  expect(dictionary).toBeUndefined();
});

/** A clock that shows such texts. */
function clockShowing(id: string, text: string): HudField {
  return { ...counter(id, 100), type: 'clock', examples: [{ recording: 0, t: 3, text }] };
}

it('reports a clock with fractions of seconds as halted sooner than one of whole seconds', async () => {
  const discovery: Discovery = {
    format: 'playbyplay/discovery/1',
    reference: { width: 1280, height: 720 },
    recordings: [{ path: 'race.mp4', duration: 60 }],
    moment: { recording: 0, t: 0 },
    fields: [clockShowing('Lap', '00:06 84'), clockShowing('Match', '12:41')],
  };
  const { profile } = draftPack(discovery, 'racer', (await loadBuiltin([])).dictionary);
  const interval = (profile['sampling'] as { readonly interval: number }).interval;
  const detectors = profile['detectors'] as Record<string, { readonly stability: { readonly samples: number } }>;
  const [lap, match] = ['clock Lap', 'clock Match'].map((key) => detectors[key]!.stability.samples * interval);
  // The final time of a race is often shown for two seconds; a clock of whole seconds stands for one anyway.
  expect(lap).toBeLessThan(2);
  expect(match).toBeGreaterThan(2);
});

it('reports kills with the icon between the names, under the name that was answered', async () => {
  const picture = { png: '', recording: 0, t: 12, count: 9 };
  const feed: HudField = { ...counter('top-right', 8), type: 'feed', place: 'top right', pictures: [picture, picture] };
  const discovery: Discovery = {
    format: 'playbyplay/discovery/1',
    reference: { width: 1280, height: 720 },
    recordings: [{ path: 'arena.mp4', duration: 60 }],
    moment: { recording: 0, t: 0 },
    fields: [feed],
  };
  const { profile, questions } = draftPack(discovery, 'arena', (await loadBuiltin([])).dictionary, {
    'picture-top-right-2': 'Rail gun',
  });
  expect(questions.map(({ id }) => id)).toEqual(['picture-top-right-1', 'picture-top-right-2']);
  const [detector] = Object.values(profile['detectors'] as Record<string, { icons: Record<string, string> }>);
  expect(Object.keys(detector!.icons)).toEqual(['1', 'Rail gun']);
  const events = profile['events'] as { on: { match: string }; statement: Record<string, unknown> }[];
  // Either rule holds for one of the two kinds of rows.
  const rows = ['Arlo > Sable', 'Arlo > [Rail gun] > Sable'];
  expect(rows.map((row) => events.map(({ on }) => new RegExp(on.match, 'u').test(row)))).toEqual([
    [true, false],
    [false, true],
  ]);
  expect(events[1]!.statement['with']).toEqual({ word: 'icon', name: '$2' });
});

it('believes a number with more digits than were ever seen only after some samples', async () => {
  const score = { ...counter('Score', 3), behaviour: { min: 7, max: 31, resets: false, changes: 3, presence: 1 } };
  const discovery: Discovery = {
    format: 'playbyplay/discovery/1',
    reference: { width: 1280, height: 720 },
    recordings: [{ path: 'match.mp4', duration: 60 }],
    moment: { recording: 0, t: 0 },
    fields: [score],
  };
  const { profile, keys } = draftPack(discovery, 'match', (await loadBuiltin([])).dictionary);
  const detectors = profile['detectors'] as Record<string, { plausible?: unknown }>;
  // From 18 to 183 is too much at once, from 97 to 101 is not.
  expect(detectors[keys.get(score)!]!.plausible).toEqual({ rise: 99, unless: 10 });
});

it('takes an answer that is a synonym for the property that it names', async () => {
  const rounds = { ...counter('bottom-right', 9), isCaptioned: false };
  const discovery: Discovery = {
    format: 'playbyplay/discovery/1',
    reference: { width: 1280, height: 720 },
    recordings: [{ path: 'match.mp4', duration: 60 }],
    moment: { recording: 0, t: 0 },
    fields: [rounds],
  };
  const { dictionary } = await loadBuiltin([]);
  const { profile, dictionary: own } = draftPack(discovery, 'match', dictionary, { 'name-bottom-right': 'ammo' });
  const events = profile['events'] as { statement: Record<string, unknown> }[];
  expect(events.map(({ statement }) => statement['property'])).toEqual(['ammunition']);
  expect(own).toBeUndefined();
});

it('names a property that no dictionary has by the dictionary of the game, which it extends', async () => {
  const score = { ...counter('top', 2), isCaptioned: false };
  const discovery: Discovery = {
    format: 'playbyplay/discovery/1',
    reference: { width: 1280, height: 720 },
    recordings: [{ path: 'match.mp4', duration: 60 }],
    moment: { recording: 0, t: 0 },
    fields: [score],
  };
  const answers = { 'name-top': 'Enemy score' };
  const { profile, dictionary: own } = draftPack(discovery, 'match', (await loadBuiltin([])).dictionary, answers);
  const events = profile['events'] as { statement: Record<string, unknown> }[];
  expect(events.map(({ statement }) => statement['property'])).toEqual(['match:enemy score']);
  expect(own).toMatchObject({ name: 'match', properties: [{ name: 'enemy score' }] });
});
