import { afterAll, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadBuiltin } from '../dictionary/files.ts';
import type { EventLine, HeaderLine } from '../events/log.ts';
import { PlaybyplayError } from '../errors.ts';
import { chooseScenes } from './choose.ts';
import {
  defaultMargins,
  type HighlightSettings,
  marginForEvent,
  readSettings,
  settingsFor,
  unknownWords,
} from './settings.ts';
import { defaultWeights, statementWeight } from './weights.ts';

const { dictionary } = await loadBuiltin();
const folder = mkdtempSync(join(tmpdir(), 'settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
const format = 'playbyplay/highlight-settings/1';

function event(t: number, statement: object, game = 'openarena'): EventLine {
  const words = { text: '', statement: statement as EventLine['statement'], confidence: 1, cues: [] };
  return { type: 'event', id: `${t}`, t, end: t, game, session: game, ...words };
}

function header(game: string): HeaderLine {
  const mark = { name: game, version: '1', hash: '' };
  const media = { name: `${game}.mp4`, hash: '', bytes: 0, duration: 60, width: 64, height: 36, start: 0 };
  const rest = { profile: mark, dictionaries: [mark], plan: { kind: 'full' as const, interval: 0.1 }, program: '0' };
  return { type: 'header', format: 'playbyplay/1', game, session: game, media, ...rest };
}

describe('settings of the built-in games', () => {
  const configs = join(import.meta.dirname, '..', '..', 'configs');

  const games = readdirSync(configs).filter((name) => existsSync(join(configs, name, 'highlights.json')));

  it.each(games)('%s: follow the schema and use words that there are', (game) => {
    const path = join(configs, game, 'highlights.json');
    expect(unknownWords(readSettings(path), dictionary, path)).toEqual([]);
  });

  it('rely on defaults for words that exist', () => {
    const builtin: HighlightSettings = { format, weights: defaultWeights, margins: defaultMargins };
    expect(unknownWords(builtin, dictionary, '')).toEqual([]);
  });
});

/** As many seconds before a kill as after it. */
function around(seconds: number) {
  return { action: { kill: { before: seconds, after: seconds } } };
}

function deed(action: string) {
  return event(1, { subject: 'player', action, object: 'opponent' });
}

describe('settings', () => {
  it('are rejected with every issue and its path', () => {
    const path = join(folder, 'bad.json');
    const margins = { action: { kill: { before: -1 } } };
    writeFileSync(path, JSON.stringify({ format, margins, weights: { action: { kill: 'much' } }, notabel: 3 }));
    let issues: readonly { path?: string | undefined }[] = [];
    try {
      readSettings(path);
    } catch (error) {
      issues = (error as PlaybyplayError).issues;
    }
    expect(issues.map((issue) => issue.path!.split('#')[1]).toSorted()).toEqual([
      '/margins/action/kill',
      '/margins/action/kill/before',
      '/notabel',
      '/weights/action/kill',
    ]);
  });

  it('suggest the nearest word for an unknown one', () => {
    const issues = unknownWords({ format, weights: { action: { defeet: 3 } } }, dictionary, 'my.json');
    expect(issues).toEqual([
      expect.objectContaining({ path: 'my.json#/weights/action/defeet', hint: 'Did you mean "defeat"?' }),
    ]);
  });

  it('apply to their game and profile, later files first', () => {
    const all: HighlightSettings[] = [
      { format, notable: 3, weights: { action: { kill: 5, die: 2 } } },
      { format, game: 'freedoom', weights: { action: { kill: 7 } } },
      { format, profile: 'openarena', weights: { action: { kill: 9 } } },
    ];
    expect(settingsFor(all, header('freedoom'))).toMatchObject({
      notable: 3,
      weights: { action: { kill: 7, die: 2 } },
    });
    expect(settingsFor(all, header('openarena'))).toMatchObject({ weights: { action: { kill: 9, die: 2 } } });
    expect(settingsFor(all, header('golf'))).toBe(all[0]);
  });

  it('are inherited from the nearest ancestor', () => {
    const margins = { action: { defeat: { before: 9, after: 1 }, kill: { before: 2, after: 2 } } };
    expect(marginForEvent(deed('openarena:telefrag'), dictionary, margins)).toEqual({ before: 2, after: 2 });
    expect(marginForEvent(deed('knock out'), dictionary, margins)).toEqual({ before: 9, after: 1 });
    const weights = { action: { kill: 6 } };
    expect(statementWeight(deed('gib').statement, dictionary, weights)).toMatchObject({ weight: 6, from: 'kill' });
    expect(statementWeight(deed('knock out').statement, dictionary, weights)).toMatchObject({ weight: 10 });
  });

  it('may weigh an object less than its action', () => {
    const { statement } = event(1, { subject: 'player', action: 'obtain', object: 'key' });
    expect(statementWeight(statement, dictionary).weight).toBe(6);
    expect(statementWeight(statement, dictionary, { object: { key: 0.5 } }).weight).toBe(0.5);
  });

  it('apply per game in a montage', () => {
    const kill = { subject: 'player', action: 'kill', object: 'opponent' };
    const sources = ['freedoom', 'openarena'].map((game) => ({
      header: header(game),
      events: [event(30, kill, game)],
    }));
    const settings: HighlightSettings[] = [
      { format, margins: around(2) },
      { format, margins: around(5) },
    ];
    const { scenes } = chooseScenes(sources, { dictionary, settings });
    expect(scenes.map(({ start, end }) => [start, end])).toEqual([
      [28, 32],
      [25, 35],
    ]);
  });
});

it('does not pad a reel with trivial events', () => {
  const deeds = [10, 20, 30].map((t) => event(t, { subject: 'player', action: 'kill', object: 'opponent' }));
  const noise = [5, 15, 25, 45].map((t) => event(t, { subject: 'player', property: 'armor', from: 50, to: 20 }));
  const sources = [{ header: header('openarena'), events: [...deeds, ...noise].toSorted((a, b) => a.t - b.t) }];
  const shown = (duration: number) =>
    chooseScenes(sources, { dictionary, duration }).scenes.flatMap(({ events }) => events.map(({ event: { t } }) => t));
  expect(shown(30)).toEqual([10, 20, 30]);
  expect(shown(50)).toEqual([10, 20, 30]);
  // Less than six seconds of notable events are no reel.
  const few = [{ ...sources[0]!, events: sources[0]!.events.filter(({ t }) => t >= 30) }];
  const { scenes } = chooseScenes(few, { dictionary, duration: 50, margin: { before: 2, after: 2 } });
  expect(scenes.flatMap(({ events }) => events.map(({ event: { t } }) => t))).toEqual([30, 45]);
});
