import { beforeAll, describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { loadBuiltin } from '../dictionary/files.ts';
import type { EventLine } from '../events/log.ts';
import type { Statement } from '../events/statement.ts';
import { chooseScenes } from './choose.ts';
import { reelLog } from './reel.ts';
import { makeHighlightList, type Source } from './list.ts';
import { summarize } from './summary.ts';
import { statementWeight } from './weights.ts';
import { eventWindows } from './windows.ts';

let dictionary: Dictionary;
beforeAll(async () => {
  ({ dictionary } = await loadBuiltin());
});

let id = 0;
function event(t: number, statement: Statement, text = 'happens'): EventLine {
  return {
    type: 'event',
    id: String(id++),
    t,
    end: t,
    game: 'openarena',
    session: 's',
    text,
    statement,
    confidence: 1,
    cues: [],
  };
}

function kill(t: number, weapon = 'railgun'): EventLine {
  return event(
    t,
    { subject: 'player', action: 'kill', object: 'opponent', with: weapon },
    `player kills opponent with ${weapon}`,
  );
}

function source(events: readonly EventLine[], duration = 120, session = 's'): Source {
  const mark = { name: 'openarena', version: '1.0.0', hash: '' };
  return {
    events,
    header: {
      type: 'header',
      format: 'playbyplay/1',
      game: 'openarena',
      session,
      media: { name: `${session}.mp4`, hash: '', bytes: 0, duration, width: 1280, height: 720, start: 0 },
      profile: mark,
      dictionaries: [mark],
      plan: { kind: 'full', interval: 0.1 },
      program: '0',
    },
  };
}

function eventMargin() {
  return { before: 4, after: 2 };
}

describe('eventWindows', () => {
  it('keep a minimum length at both ends and stay within the recording', () => {
    const bare = { eventMargin: () => ({ before: 0, after: 0 }), gap: 0, duration: 30 };
    const windows = eventWindows([kill(-2), kill(0), kill(12), kill(30), kill(31)], bare);
    expect(windows.map(({ start, end }) => [start, end])).toEqual([
      [0, 0.2],
      [12, 12.2],
      [29.8, 30],
    ]);
  });

  it('merges overlapping and neighbouring windows within the recording', () => {
    const windows = eventWindows([kill(1), kill(8), kill(20), kill(29)], { eventMargin, gap: 1, duration: 30 });
    // 0–3 and 4–10 are a second apart; 16–22 and 25–30 three.
    expect(windows.map(({ start, end }) => [start, end])).toEqual([
      [0, 10],
      [16, 22],
      [25, 30],
    ]);
  });

  it('cuts an overlap in the middle if the merged window would be too long', () => {
    const windows = eventWindows([kill(10), kill(15)], { eventMargin, longest: 9 });
    expect(windows.map(({ start, end }) => [start, end])).toEqual([
      [6, 11.5],
      [11.5, 17],
    ]);
  });

  it('returns ordered windows without overlaps that contain their events', () => {
    const times = fc.array(
      fc.integer({ min: 0, max: 2000 }).map((n) => n / 10),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(times, fc.integer({ min: 3, max: 30 }), (list, longest) => {
        const windows = eventWindows(
          list.map((t) => kill(t)),
          { eventMargin, longest, duration: 180 },
        );
        for (const [index, { start, end, events }] of windows.entries()) {
          expect(start).toBeLessThan(end);
          expect(start).toBeGreaterThanOrEqual(windows[index - 1]?.end ?? 0);
          expect(events.every(({ t }) => t >= start && t <= end)).toBe(true);
        }
      }),
    );
  });
});

describe('weights', () => {
  it('are inherited from ancestors', () => {
    const stomp: Statement = { subject: 'player', action: 'stomp', object: 'enemy' };
    expect(statementWeight(stomp, dictionary)).toEqual({ weight: 10, from: 'defeat' });
    expect(statementWeight(stomp, dictionary, { action: { kill: 3 } })).toEqual({ weight: 3, from: 'kill' });
    // What is obtained may be worth more than that it is obtained: a keycard is a key.
    const key: Statement = { subject: 'player', action: 'obtain', object: 'freedoom:blue keycard' };
    expect(statementWeight(key, dictionary)).toEqual({ weight: 6, from: 'key' });
  });

  it('of a property scale with the size of its change', () => {
    const drop: Statement = { subject: 'player', property: 'health', from: 100, to: 40 };
    expect(statementWeight(drop, dictionary).weight).toBeCloseTo(2 * 0.9, 9);
  });
});

describe('chooseScenes', () => {
  it('explains scores by streak, comeback and rarity', () => {
    const events = [
      event(38, { subject: 'player', property: 'health', from: 60, to: 12 }),
      kill(40),
      kill(43),
      kill(45, 'gauntlet'),
      kill(90),
    ];
    const { scenes } = chooseScenes([source(events)], { dictionary, duration: 30 });
    expect(scenes[0]!.because).toContain('3rd kill in 5 s');
    expect(scenes[0]!.because).toContain('with 12 health left');
    expect(scenes[0]!.because).toContain('the only one of its kind');
  });

  it('does not count the health of a life that ended', () => {
    const opponent = { word: 'opponent', name: 'Sarge' };
    const events = [
      event(38, { subject: 'player', property: 'health', from: 60, to: 4 }),
      event(38.5, { subject: opponent, action: 'kill', object: 'player' }),
      event(39, { subject: 'player', action: 'respawn' }),
      kill(40),
    ];
    const { scenes } = chooseScenes([source(events)], { dictionary, duration: 30 });
    expect(scenes.flatMap(({ because }) => because)).not.toContain('with 4 health left');
  });

  it('fits the duration with a shorter version of a long scene', () => {
    const streak = Array.from({ length: 8 }, (_, i) => kill(20 + 3 * i));
    const { scenes, available } = chooseScenes([source(streak)], { dictionary, duration: 15 });
    expect(available).toEqual({ scenes: 1, seconds: 27 });
    expect(scenes).toHaveLength(1);
    expect(scenes[0]!.end - scenes[0]!.start).toBeLessThanOrEqual(15);
    expect(scenes[0]!.events.length).toBeGreaterThanOrEqual(4);
  });

  it('trims a scene that alone is too long', () => {
    const { scenes } = chooseScenes([source([kill(20)])], { dictionary, duration: 3 });
    expect(scenes.map(({ start, end }) => [start, end])).toEqual([[18, 21]]);
  });

  it('prefers the louder of two similar scenes and explains it', () => {
    const levels = new Float32Array(6000).fill(-30);
    levels.fill(-18, 79 / 0.02, 82 / 0.02);
    const envelopes = [{ step: 0.02, levels }];
    const [quiet, loud] = [undefined, envelopes].map((known) =>
      chooseScenes([source([kill(40), kill(80)])], { dictionary, duration: 8, ...(known && { envelopes: known }) }),
    );
    expect(quiet!.scenes.map(({ events }) => events[0]!.event.t)).toEqual([40]);
    expect(loud!.scenes.map(({ events }) => events[0]!.event.t)).toEqual([80]);
    expect(loud!.scenes[0]!.because).toMatch(/\d+ dB louder than usual/);
  });

  it('limits the scenes per session', () => {
    const sources = ['a', 'b'].map((name) => source([kill(10), kill(40), kill(70)], 120, name));
    const { scenes } = chooseScenes(sources, { dictionary, duration: 90, perSession: 1 });
    expect(scenes.map((scene) => scene.session)).toEqual(['a', 'b']);
  });

  it('ends a scene at the player’s defeat and starts it after the respawn', () => {
    const events = [
      event(8, { subject: 'player', action: 'respawn' }),
      kill(10),
      event(11, { subject: 'opponent', action: 'kill', object: 'player' }),
    ];
    const { scenes } = chooseScenes([source(events)], {
      dictionary,
      include: ({ statement }) => statement === events[1]!.statement,
    });
    expect(scenes.map(({ start, end }) => [start, end])).toEqual([[8, 11]]);
  });

  const opponentKillsPlayer: Statement = { subject: 'opponent', action: 'kill', object: 'player' };

  it('never joins scenes over a defeat, however close they are', () => {
    const events = [
      kill(20),
      event(21, opponentKillsPlayer),
      event(22, { subject: 'player', action: 'respawn' }),
      kill(23),
    ];
    const { scenes } = chooseScenes([source(events)], { dictionary });
    // The dead player's 21–22 are in neither.
    expect(scenes.map(({ start, end }) => [start, end])).toEqual([
      [16, 21],
      [22, 25],
    ]);
  });

  it('shows what happens between a defeat and the respawn only where it is asked for', () => {
    const events = [
      kill(20),
      event(21, opponentKillsPlayer),
      kill(22),
      event(23, { subject: 'player', action: 'spawn' }),
    ];
    const ends = [undefined, ({ text }: EventLine) => text.startsWith('player kills')].map((include) =>
      chooseScenes([source(events)], { dictionary, ...(include && { include }) }).scenes.map(({ end }) => end),
    );
    expect(ends).toEqual([[21], [22.5]]);
  });

  it('shows the player’s defeats only where they are asked for', () => {
    const events = [
      kill(20),
      event(60, { subject: 'player', property: 'health', from: 20, to: 0 }),
      event(60.1, opponentKillsPlayer),
    ];
    const plain = chooseScenes([source(events)], { dictionary, duration: 60 });
    expect(plain.scenes.flatMap((scene) => scene.events.map(({ event: { t } }) => t))).toEqual([20]);
    const fails = chooseScenes([source(events)], {
      dictionary,
      include: ({ statement }) => statement === opponentKillsPlayer,
    });
    // The second defeat is shown for 1.2 s; without a respawn in the log nothing after it is.
    expect(fails.scenes.map(({ start, end }) => [start, end])).toEqual([[56.1, expect.closeTo(61.3, 6)]]);
  });

  it('makes one scene of a streak with its build-up', () => {
    const { scenes } = chooseScenes([source([kill(20), kill(27.5), kill(60)])], { dictionary });
    // 16–22 and 23.5–29.5 are more than a second apart, but the victories are less than 8 s.
    expect(scenes.map(({ start, end }) => [start, end])).toEqual([
      [16, 29.5],
      [56, 62],
    ]);
  });

  it('cuts out parts that could not be read and parts that are hidden', () => {
    const gaps = [{ start: 21, end: 50 }];
    const { scenes } = chooseScenes([{ ...source([kill(20), kill(52)]), gaps }], {
      dictionary,
      hidden: [[{ start: 17, end: 18 }]],
    });
    expect(scenes.map(({ start, end }) => [start, end])).toEqual([
      [18, 21],
      [50, 54],
    ]);
  });

  it('prefers a short reel to one filled with what others do', () => {
    const others = [40, 50, 70].map((t) => event(t, { subject: 'opponent', action: 'kill', object: 'opponent' }));
    const { scenes } = chooseScenes([source([kill(20), ...others])], { dictionary, duration: 60 });
    expect(scenes.flatMap((scene) => scene.events.map(({ event: { t } }) => t))).toEqual([20]);
  });

  it('moves cuts to quiet moments nearby', () => {
    const levels = new Float32Array(6000).fill(-20);
    // Silence around 55.5 s, a little before the scene would begin at 56.
    levels.fill(-60, 55.3 / 0.02, 55.7 / 0.02);
    const { scenes } = chooseScenes([source([kill(60)])], { dictionary, envelopes: [{ step: 0.02, levels }] });
    expect(scenes[0]!.start).toBeGreaterThan(55.3);
    expect(scenes[0]!.start).toBeLessThan(55.7);
    expect(scenes[0]!.end).toBe(62);
  });

  it('gives the same scenes for the same logs', () => {
    const events = Array.from({ length: 40 }, (_, i) => kill((i * 37) % 110, i % 3 ? 'railgun' : 'shotgun')).toSorted(
      (a, b) => a.t - b.t,
    );
    const twice = [0, 1].map(() => JSON.stringify(chooseScenes([source(events)], { dictionary, duration: 30 })));
    expect(twice[0]).toBe(twice[1]);
  });
});

describe('reelLog', () => {
  it('lists the events of the reel at its times, with their origin', () => {
    const logged = [kill(10), event(10.5, { subject: 'player', action: 'jump' }, 'player jumps'), kill(40)];
    const sources = [source(logged)];
    const choice = chooseScenes(sources, { dictionary });
    const list = makeHighlightList(choice, sources);
    const lines = reelLog(list, choice.scenes, sources, { name: 'best.mp4', duration: 12, width: 2, height: 2 })
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual(['header', 'event', 'event', 'event', 'end']);
    // Scenes 6–12 and 36–42: the second begins at 6 s of the reel.
    expect(lines.slice(1, 4).map(({ t, source: from, text }) => [t, from.t, text])).toEqual([
      [4, 10, 'player kills opponent with railgun'],
      [4.5, 10.5, 'player jumps'],
      [10, 40, 'player kills opponent with railgun'],
    ]);
  });
});

describe('summarize', () => {
  it('gives the post the times of the reel', () => {
    const sources = [source([kill(40), kill(80, 'gauntlet')])];
    const choice = chooseScenes(sources, { dictionary, duration: 30 });
    const best = { ...choice, scenes: choice.scenes.toReversed() };
    const list = makeHighlightList(choice, sources);
    // Scenes 36–42 and 76–82: the second kill is 4 s after 6 s of the reel.
    const at = summarize(sources, best.scenes, dictionary, list).moments.map(({ t, at: time }) => [t, time]);
    expect(at.toSorted()).toEqual([
      [40, 4],
      [80, 10],
    ]);
    expect(summarize(sources, best.scenes.slice(0, 1), dictionary, list).post).toContain('with gauntlet, at 00:10.');
  });

  it('counts at the most informative level', () => {
    const weapons = [
      'shotgun',
      'double-barreled shotgun',
      'rocket launcher',
      'grenade launcher',
      'railgun',
      'knife',
      'railgun',
    ];
    const events = [
      ...weapons.map((weapon, i) => kill(10 * i, weapon)),
      event(80, { subject: { word: 'opponent', name: 'Sarge' }, action: 'kill', object: 'player', with: 'railgun' }),
      event(80.1, { subject: 'player', action: 'die' }),
      event(90, { subject: 'player', action: 'obtain', object: 'medikit' }),
      event(91, { subject: 'player', action: 'obtain', object: 'medikit' }),
    ];
    const { lines, headline } = summarize([source(events)], [], dictionary);
    // Six weapons in at most four groups: the deepest ancestors that two share come first.
    expect(lines.map(({ text }) => text)).toEqual([
      '7 kills: 2 with launchers, 2 with railgun, 2 with shotguns and 1 with knife',
      '1 death by railgun',
      'obtained 2 medikits',
    ]);
    expect(headline).toBe('7 kills, 1 death in OpenArena');
  });
});

function changes(name: string, times: readonly number[]): EventLine[] {
  return times.map((t, index) =>
    event(t, { subject: { word: 'counter', name }, property: 'reading', from: index, to: index + 1 }),
  );
}

function message(t: number, name: string): EventLine {
  return event(t, { subject: { word: 'message', name }, action: 'appear' });
}

describe('scenes of a game without a profile', () => {
  it('show each change of a counter that changes seldom, and not those of one that always changes', () => {
    const goals = [20, 45, 70, 100];
    const touches = Array.from({ length: 40 }, (_, index) => 2.5 * index + 5);
    const match = source([...changes('goals', goals), ...changes('touches', touches)].toSorted((a, b) => a.t - b.t));
    const { scenes } = chooseScenes([match], { dictionary, duration: 60 });
    expect(scenes.flatMap(({ start, end }) => goals.filter((t) => t > start && t < end))).toEqual(goals);
    const shown = scenes.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(shown).toBeLessThan(40);
  });

  it('show messages before all', () => {
    const lap = event(60, { subject: { word: 'message', name: 'Final lap!' }, action: 'appear' });
    const match = source([...changes('points', [10, 30, 50]), lap, ...changes('points', [90])]);
    const { scenes } = chooseScenes([match], { dictionary, duration: 4 });
    expect(scenes.map(({ events }) => events[0]!.event)).toEqual([lap]);
  });

  it('show a counter that only rises before one that goes up and down', () => {
    const checkpoints = changes('checkpoints', [20, 50, 80]);
    const gears = changes('gear', [10, 65]);
    const down = event(35, { subject: { word: 'counter', name: 'gear' }, property: 'reading', from: 2, to: 1 });
    const match = source([...checkpoints, ...gears, down].toSorted((a, b) => a.t - b.t));
    const { scenes } = chooseScenes([match], { dictionary, duration: 16 });
    expect(scenes.flatMap(({ events }) => events.map((scored) => scored.event))).toEqual(checkpoints);
  });

  it('pass over lines of a chat', () => {
    const chat = [
      message(10, '<Ada> nice tower'),
      message(30, 'Mirabel: anyone there?'),
      message(50, '*** Tibor joined the game.'),
      message(70, 'somebody has written a line that nobody can read in passing'),
    ];
    const banners = [message(20, 'LAP RECORD'), message(60, 'Final lap!')];
    const match = source([...chat, ...banners].toSorted((a, b) => a.t - b.t));
    const { scenes } = chooseScenes([match], { dictionary, duration: 30 });
    expect(scenes.flatMap(({ events }) => events.map((scored) => scored.event))).toEqual(banners);
  });

  it('have a summary that says from what to what each counter went', () => {
    const match = source(
      [...changes('goals', [20, 45]), ...changes('touches', [5, 6, 7])].toSorted((a, b) => a.t - b.t),
    );
    const { headline, lines } = summarize([match], [], dictionary);
    expect([headline, ...lines.map(({ text }) => text)]).toEqual([
      'A session in OpenArena',
      'counter goals from 0 to 2',
      'counter touches from 0 to 3',
    ]);
  });

  it('are not said to be of a game called unknown', () => {
    const match = source(changes('goals', [20, 45]));
    const unknown = { ...match, header: { ...match.header, game: 'unknown' } };
    const { headline, games, post } = summarize([unknown], [], dictionary);
    expect([headline, games, post]).toEqual(['A session', [], 'A session.']);
  });

  it('have a summary however often a value changes', () => {
    const times = Array.from({ length: 150_000 }, (_, index) => index / 10);
    const health = times.map((t, index) =>
      event(t, { subject: 'player', property: 'health', from: 101 + index, to: 100 + index }),
    );
    const { lines } = summarize([source([...changes('touches', times), ...health], 15_000)], [], dictionary);
    expect(lines.map(({ text }) => text)).toEqual(['lowest health 100', 'counter touches between 0 and 150000']);
  });
});
