import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  dictionary,
  double,
  letrec,
  oneof,
  string,
} from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { importForeign, recognizeForeign } from './index.ts';
import { readJsonItems } from './json-items.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-foreign-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fixture = (name: string): string => join(import.meta.dirname, '../../../../test/fixtures/foreign', name);

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The format that is recognized, and the events as lines, without the quotes and articles that make sentences unambiguous. */
async function read(
  path: string,
  player?: string,
): Promise<{ readonly format: string | undefined; readonly events: readonly string[] }> {
  const format = await recognizeForeign(path);
  if (!format) return { format: undefined, events: [] };
  const { sessions, issues } = await importForeign(path, format, { session: 's', player });
  expect(issues).toEqual([]);
  return {
    format: format.name,
    events: sessions.flatMap(({ events }) =>
      events.map(({ t, text }) => `${t} ${text.replaceAll(/"|the (?=teammate|opponent)/g, '')}`),
    ),
  };
}

/** The number that the system gives to the next file: the least that is free. */
function nextDescriptor(): number {
  const descriptor = openSync(import.meta.filename, 'r');
  closeSync(descriptor);
  return descriptor;
}

/** An answer of all data at a time, with the first events. */
function poll(gameTime: number, level: number, events: number): string {
  return JSON.stringify({
    activePlayer: { riotIdGameName: 'A', level, championStats: { currentHealth: 500.4 } },
    allPlayers: [{ riotIdGameName: 'A', team: 'ORDER', scores: { creepScore: 10 * level } }],
    events: {
      Events: [
        { EventID: 0, EventName: 'GameStart', EventTime: 0.5 },
        { EventID: 1, EventName: 'ChampionKill', EventTime: 90, KillerName: 'B', VictimName: 'A', Assisters: [] },
      ].slice(0, events),
    },
    gameData: { gameTime },
  });
}

describe('files of other programs', () => {
  it('are read: a timeline of Steam', async () => {
    expect(await read(fixture('steam-timeline.json'))).toEqual({
      format: 'steam-timeline',
      events: [
        "1.5 match's mode becomes menus",
        "12 match's mode becomes playing",
        '15.25 player kills opponent Sarge',
        '31 opponent Grunt kills player',
        '45.9 player wins round',
        '60 marker user marker appears',
        '61 player earns achievement First Steps',
        '75 marker Something of this game appears',
        "80 match's state becomes Round 2",
        "99 match's state changes from Round 2 to Round 3",
      ],
    });
  });

  it('are read: requests of the Game State Integration, by what differs from one to the next', async () => {
    expect(await read(fixture('cs2-gsi.ndjson'))).toEqual({
      format: 'cs2-gsi',
      events: [
        '10 match begins',
        '25 round begins',
        "25 player's armor rises from 0 to 100",
        "25 player's money drops from 800 to 150",
        '41 team T plants time bomb',
        '41 player kills opponent with pistol Glock-18 by headshot',
        "41 player's health drops from 100 to 63",
        "41 player's armor drops from 100 to 88",
        "41 player's money rises from 150 to 450",
        "41 player's ammunition drops from 20 to 14",
        '50 player assists teammate',
        '50 player dies',
        "50 player's health drops from 63 to 0",
        "50 player's armor drops from 88 to 40",
        '81 team T wins round',
        '81 time bomb explodes',
        "81 team T's score rises from 0 to 1",
      ],
    });
  });

  it('are read: events of a demo of Counter-Strike, at 64 ticks a second, with teammates by their team', async () => {
    expect(await read(fixture('cs2-demo.json'), 'Anna')).toEqual({
      format: 'cs2-demo',
      events: [
        '10 round begins',
        '19 player shoots with assault rifle AK-47',
        '20 player hurts opponent Ben with assault rifle AK-47 for 100',
        '20 player kills opponent Ben with assault rifle AK-47 by headshot',
        '20 teammate Cem assists player',
        '50 teammate Cem plants time bomb',
        '55 opponent Dora kills teammate Cem with sniper rifle AWP through wall',
        '56.25 opponent Dora dies',
        '90 time bomb explodes',
        '90.15625 team T wins round',
      ],
    });
  });

  it('are read: the same events by name', async () => {
    const path = file(
      'by-name.json',
      '{"player_death": [{"tick": 64, "attacker_name": "A", "user_name": "B", "weapon": "hegrenade"}]}',
    );
    expect(await read(path, 'B')).toEqual({
      format: 'cs2-demo',
      events: ['1 opponent A kills player with fragmentation grenade'],
    });
  });

  it('are read: Live Client Data of League of Legends', async () => {
    expect(await read(fixture('league-live.json'))).toEqual({
      format: 'league-live',
      events: [
        '0.048363 match begins',
        '197.954468 player destroys tower Turret_T2_L_03_A',
        '224.083908 player kills dragon Earth',
        '224.083908 teammate Mate assists player',
        '360.519775 player kills opponent Tristana Bot',
        '400.25 opponent Tristana Bot kills teammate Mate',
        '410.5 tower kills player',
        '1300 teammate Mate kills epic monster Baron Nashor',
        '1800.5 player wins match',
        '1800.5 match ends',
      ],
    });
  });

  it('are read: polls of Live Client Data, whose repeated events count once', async () => {
    const path = file('polls.ndjson', [poll(60, 1, 1), poll(120, 2, 2), poll(180, 2, 2)].join('\n'));
    expect((await read(path)).events).toEqual([
      '0.5 match begins',
      '90 opponent B kills player',
      "120 player's character level rises from 1 to 2",
      "120 player's creep score rises from 10 to 20",
    ]);
  });

  it('are read: a match timeline of League of Legends, with the player by PUUID', async () => {
    expect(await read(fixture('league-timeline.json'), 'puuid-1')).toEqual({
      format: 'league-timeline',
      events: [
        '5.023 player buys item 1056',
        '31.4 teammate participant 2 places vision ward',
        '95 player levels up',
        '130.25 player kills opponent participant 6',
        '130.25 teammate participant 2 assists player',
        '140 teammate participant 2 dies',
        '400 opponent participant 6 kills dragon Fire',
        '600.5 player destroys outer tower at mid lane',
        '900 minion destroys inhibitor at top lane',
        '1800 team blue wins match',
        '1800 match ends',
      ],
    });
  });

  it('are read: a match of OpenDota, whose clock begins with the first event', async () => {
    expect(await read(fixture('dota2-opendota.json'), 'Nora')).toEqual({
      format: 'dota2',
      events: [
        '0 player buys item tango',
        '80 player picks up rune',
        '80 match begins',
        '100 player places vision ward',
        '140 opponent Pia places control ward',
        '380 player kills opponent Pia',
        '500 opponent Pia kills player',
        '580 opponent Pia kills teammate Omar',
        '780 opponent Pia respawns',
        '980 opponent Pia destroys outer tower',
        '1030 minion destroys barracks',
        '1280 team Dire kills epic monster Roshan',
        '1285 opponent Pia picks up item Aegis',
        '1880 team Dire wins match',
      ],
    });
  });

  it('are read: lines of a parsed replay of Dota 2, without illusions', async () => {
    expect(await read(fixture('dota2-replay.ndjson'), 'Axe')).toEqual({
      format: 'dota2',
      events: [
        '0 match begins',
        '12 player buys item blink',
        '300 player kills opponent Pudge',
        '400 opponent Pudge dies',
        '500 opponent Pudge destroys nexus',
        '501 match ends',
      ],
    });
  });

  it('are read: a replay of Rocket League, where a demolition that is repeated counts once', async () => {
    expect(await read(fixture('rocket-league.json'))).toEqual({
      format: 'rocket-league',
      events: [
        '5 player shoots ball',
        '5.5 opponent Rival saves shot',
        '9.75 player bumper-demolishes opponent Rival',
        '20 player scores goal',
      ],
    });
  });

  it('are read: replays saved in OBS, by recording, past midnight', async () => {
    const path = fixture('obs.log');
    const format = await recognizeForeign(path);
    const { sessions } = await importForeign(path, format!, { session: 'obs' });
    expect(format!.name).toBe('obs');
    expect(sessions.map(({ events }) => events.map(({ t, text }) => `${t} ${text}`))).toEqual([
      ['30.25 player clips scene', '70.5 player clips scene'],
      ['5 player clips scene'],
    ]);
  });

  it('are not taken for one of these formats', async () => {
    expect(await recognizeForeign(file('log.txt', '  0:00 InitGame: \\mapname\\q3dm6\n'))).toBeUndefined();
    expect(await recognizeForeign(file('other.json', '{"entries": [{"time": "1"}]}'))).toBeUndefined();
    expect(await recognizeForeign(file('empty', ''))).toBeUndefined();
  });

  it('may lie: names are data, members of wrong types are left out', async () => {
    const path = file(
      'hostile.json',
      JSON.stringify([
        {
          event_name: 'player_death',
          tick: 64,
          attacker_name: '\u001B[2J<script>',
          user_name: 'x'.repeat(5000),
          weapon: '__proto__',
        },
        { event_name: 'player_death', tick: 'many', attacker_name: 'A', user_name: 'B' },
        { event_name: 'constructor', tick: 1 },
        { event_name: 'player_death', tick: 128, attacker_name: { toString: 1 }, user_name: ['B'], weapon: 7 },
        null,
        'text',
        { event_name: 'round_end', tick: 192, winner: 99 },
      ]),
    );
    const { events } = await read(path);
    expect(events).toHaveLength(2);
    expect(events[0]).toMatch(/^1 opponent \[2J<script> kills opponent x{199}… with weapon /);
    expect(events[1]).toBe('3 round ends');
  });

  it('that end within a value are refused, with the place', async () => {
    const path = file('torn.json', '{"daterecorded": "1", "entries": [{"time": "1", "type": "usermarker"}, {"ti');
    const format = await recognizeForeign(path);
    await expect(importForeign(path, format!, { session: 's' })).rejects.toThrow(/torn\.json is not JSON at byte 75/);
  });

  it('are closed when they are read', async () => {
    const names = readdirSync(fixture(''));
    for (const name of names) await read(fixture(name));
    const before = nextDescriptor();
    for (const name of names) for (let i = 0; i < 3; i++) await read(fixture(name));
    expect(nextDescriptor() - before).toBeLessThan(2);
  });
});

async function items(path: string, patterns: readonly string[]): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const { value, path: place } of readJsonItems(path, patterns)) found.push([place, value]);
  return found;
}

describe('values of a JSON file', () => {
  it('are found by their place, whatever is around them', async () => {
    const key = oneof(constantFrom('a', 'b', 'c\\"[{'), string());
    const json = letrec((tie) => ({
      value: oneof(
        { depthSize: 'small' },
        string(),
        double({ noNaN: true, noDefaultInfinity: true }),
        boolean(),
        constant(null),
        array(tie('value'), { maxLength: 4 }),
        dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    const space = constantFrom(0, 1, '\t');
    await assert(
      asyncProperty(json, array(json, { maxLength: 4 }), space, async (other, wanted, indent) => {
        const document = { other, list: { wanted, other }, last: other };
        // What JSON.parse makes of the text, as keys such as __proto__ and -0 are lost in it.
        const text = JSON.stringify(document, undefined, indent);
        const expected = (JSON.parse(text) as typeof document).list.wanted.map((value, i) => [
          ['list', 'wanted', i],
          value,
        ]);
        expect(await items(file('property.json', text), ['list.wanted.*'])).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('are found across the chunks of a file', async () => {
    const list = Array.from({ length: 30_000 }, (_, i) => ({ i, text: `"é${i}\\` }));
    const found = await items(file('large.json', JSON.stringify({ skipped: list, list })), ['list.*']);
    expect(found).toEqual(list.map((value, i) => [['list', i], value]));
  });

  it('are documents one after another', async () => {
    expect(await items(file('lines.ndjson', '{"a":1}\n[2]\n"x" 3\n'), [''])).toEqual([
      [[], { a: 1 }],
      [[], [2]],
      [[], 'x'],
      [[], 3],
    ]);
  });

  it.each([
    ['nested too deep', `{"list": [${'['.repeat(600)}${']'.repeat(600)}]}`, 'is nested more than 500 deep'],
    ['too large', `{"list": ["${'x'.repeat((16 << 20) + 1)}"]}`, 'has a value of more than 16 MiB'],
    ['without a key', '{"list": [1], 5: 6}', 'a key is expected'],
    ['closed too often', '{"list": []}}', 'a bracket is closed'],
    ['misspelled', '{"list": [tru]}', 'is not JSON at byte 10'],
  ])('are refused: %s', async (_, text, message) => {
    await expect(items(file('refused.json', text), ['list.*'])).rejects.toThrow(message);
  });
});
