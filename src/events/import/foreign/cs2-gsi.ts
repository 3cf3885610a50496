import { isObject, type JsonObject } from '../../../json.ts';
import type { Slot, Statement } from '../../statement.ts';
import { cs2Weapon } from './cs2-weapons.ts';
import { type ForeignFormat, type ForeignTarget, numberOf, Properties, textOf } from './format.ts';

const NO_STATE: JsonObject = {};

/**
 * Dumps of the Game State Integration of Counter-Strike: the requests that the game posted, one after another (NDJSON) or as an
 * array. A request may be wrapped by who stored it: `{"time": <milliseconds>, "data": {…}}`.
 *
 * Times are those of `provider.timestamp`, whole seconds, unless a wrapper has finer ones.
 * https://developer.valvesoftware.com/wiki/Counter-Strike:_Global_Offensive_Game_State_Integration
 */
export const cs2Gsi: ForeignFormat = {
  name: 'cs2-gsi',
  title: 'Game State Integration of Counter-Strike 2',
  game: 'cs2',
  dictionaries: ['tactical-shooter'],
  recognize: (head) =>
    /"provider"\s*:\s*\{/.test(head) && /"appid"\s*:\s*730\b|"name"\s*:\s*"Counter-Strike/.test(head),
  async read(file, target) {
    const reader = new GsiReader(target);
    for await (const { value, document, path } of file.documents())
      if (isObject(value)) reader.add(value, `request ${Number(path[0] ?? document) + 1}`);
  },
};

class GsiReader {
  readonly #target: ForeignTarget;
  readonly #properties = new Properties();
  #start: number | undefined;
  #before: JsonObject = NO_STATE;

  constructor(target: ForeignTarget) {
    this.#target = target;
  }

  add(entry: JsonObject, place: string): void {
    const wrapped = [entry['data'], entry['body'], entry['payload']].find(isObject);
    const state = isObject(entry['provider']) ? entry : wrapped;
    const stamp = numberOf(member(state, 'provider')['timestamp']);
    if (!state || stamp === undefined) return;
    const received = state === entry ? undefined : receivedAt(entry);
    const seconds = received ?? stamp;
    this.#start ??= seconds;
    const t = Math.max(0, seconds - this.#start);
    for (const statement of this.#changes(state))
      this.#target.sessions.add(t, statement, JSON.stringify(statement), place);
    this.#before = state;
  }

  *#changes(state: JsonObject): Generator<Statement, void, undefined> {
    const { people } = this.#target;
    const [map, mapBefore] = [member(state, 'map'), member(this.#before, 'map')];
    if (map['phase'] !== mapBefore['phase']) {
      if (map['phase'] === 'live' && mapBefore['phase'] !== 'intermission') yield { subject: 'match', action: 'begin' };
      if (map['phase'] === 'gameover') yield { subject: 'match', action: 'end' };
    }
    const [round, roundBefore] = [member(state, 'round'), member(this.#before, 'round')];
    if (round['phase'] !== roundBefore['phase']) {
      if (round['phase'] === 'live') yield { subject: 'round', action: 'begin' };
      const winner = textOf(round['win_team']);
      if (round['phase'] === 'over' && winner) yield { subject: people.team(winner), action: 'win', object: 'round' };
    }
    if (round['bomb'] !== roundBefore['bomb']) {
      if (round['bomb'] === 'planted') yield { subject: people.team('T'), action: 'plant', object: 'time bomb' };
      if (round['bomb'] === 'defused') yield { subject: people.team('CT'), action: 'defuse', object: 'time bomb' };
      if (round['bomb'] === 'exploded') yield { subject: 'time bomb', action: 'explode' };
    }
    for (const side of ['T', 'CT'])
      yield* this.#change(people.team(side), 'score', numberOf(member(map, `team_${side.toLowerCase()}`)['score']));
    yield* this.#playerChanges(state);
  }

  /** What changed of the player, unless somebody else is watched. */
  *#playerChanges(state: JsonObject): Generator<Statement, void, undefined> {
    const player = member(state, 'player');
    const before = member(this.#before, 'player');
    const owner = textOf(member(state, 'provider')['steamid']);
    if (owner !== undefined && player['steamid'] !== owner) return;
    const [status, statusBefore] = [member(player, 'state'), member(before, 'state')];
    const weapon = activeWeapon(member(player, 'weapons'));
    const held = weapon && cs2Weapon(textOf(weapon['name']) ?? '');
    const gained = (key: string): number =>
      before['steamid'] === player['steamid']
        ? increase(member(player, 'match_stats'), member(before, 'match_stats'), key)
        : 0;
    const headshots = before['steamid'] === player['steamid'] ? increase(status, statusBefore, 'round_killhs') : 0;
    for (let i = 0; i < gained('kills'); i++)
      yield {
        subject: 'player',
        action: 'kill',
        object: 'opponent',
        ...(held && { with: held }),
        ...(i < headshots && { manner: 'by headshot' }),
      };
    for (let i = 0; i < gained('assists'); i++) yield { subject: 'player', action: 'assist', object: 'teammate' };
    for (let i = 0; i < gained('deaths'); i++) yield { subject: 'player', action: 'die' };
    for (const [property, value] of [
      ['health', status['health']],
      ['armor', status['armor']],
      ['money', status['money']],
      ['ammunition', weapon?.['ammo_clip']],
    ] as const)
      yield* this.#change('player', property, numberOf(value));
    if (held) yield* this.#change('player', 'weapon', typeof held === 'string' ? { word: held } : held);
  }

  *#change(
    subject: Slot,
    property: string,
    to: Parameters<Properties['change']>[2],
  ): Generator<Statement, void, undefined> {
    const statement = this.#properties.change(subject, property, to);
    if (statement) yield statement;
  }
}

function member(record: JsonObject | undefined, key: string): JsonObject {
  const value = record?.[key];
  return isObject(value) ? value : NO_STATE;
}

/** Seconds of a wrapper's time: milliseconds or an ISO date. */
function receivedAt(entry: JsonObject): number | undefined {
  const value = [entry['time'], entry['timestamp'], entry['received']].find((each) => each !== undefined);
  const number = numberOf(value);
  if (number !== undefined) return number > 1e11 ? number / 1000 : number;
  const date = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date / 1000;
}

function activeWeapon(weapons: JsonObject): JsonObject | undefined {
  return Object.values(weapons)
    .filter(isObject)
    .find(({ state }) => state === 'active' || state === 'reloading');
}

function increase(now: JsonObject, before: JsonObject, key: string): number {
  const [a, b] = [numberOf(before[key]), numberOf(now[key])];
  // A person has at most a few of each between two requests.
  return a === undefined || b === undefined ? 0 : Math.min(10, Math.max(0, b - a));
}
