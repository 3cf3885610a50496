import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject, objectsIn } from '../../../json.ts';
import { ROOT } from '../../../version.ts';
import type { Slot, Statement } from '../../statement.ts';
import { type ForeignFile, type ForeignFormat, type ForeignTarget, named, numberOf, textOf } from './format.ts';

const UNIT = /^npc_dota_hero_/;
const SIDES = { radiant: 'Radiant', dire: 'Dire' } as const;

/**
 * Matches of Dota 2 in two forms: a match of the OpenDota API (its logs of kills, purchases, wards, runes and objectives are
 * there once the replay was parsed), and the lines that OpenDota's parser makes of a replay with clarity (`DOTA_COMBATLOG_*`).
 *
 * People are called by their name where the file has it, else by their hero; the player is named by either. Times are seconds of
 * the game's clock, which is negative before the horn: they are moved to begin at 0.
 * https://docs.opendota.com/#tag/matches and https://github.com/odota/parser
 */
export const dota2: ForeignFormat = {
  name: 'dota2',
  title: 'match of Dota 2 (OpenDota, clarity)',
  game: 'dota2',
  dictionaries: ['moba'],
  recognize: (head) =>
    /"type"\s*:\s*"(?:DOTA_COMBATLOG_|CHAT_MESSAGE_|player_slot)/.test(head) ||
    (/"match_id"\s*:/.test(head) && /"radiant_|"dire_|"player_slot"/.test(head)),
  async read(file, target) {
    const heroes = await Heroes.load();
    const entries: Entry[] = [];
    const add = (t: number | undefined, event: unknown, ...statements: readonly Statement[]): void => {
      if (t === undefined) return;
      for (const statement of statements) entries.push({ t, statement, quote: JSON.stringify(event) });
    };
    if (await hasItem(file, 'match_id')) await readMatch(file, heroes, target, add);
    else await readReplay(file, heroes, target, add);
    const start = entries.reduce((least, { t }) => Math.min(least, t), 0);
    for (const { t, statement, quote } of entries.toSorted((a, b) => a.t - b.t))
      target.sessions.add(t - start, statement, quote, `second ${t}`);
  },
};

interface Entry {
  readonly t: number;
  readonly statement: Statement;
  readonly quote: string;
}

type Add = (t: number | undefined, event: unknown, ...statements: readonly Statement[]) => void;
type Read = (file: ForeignFile, heroes: Heroes, target: ForeignTarget, add: Add) => Promise<void>;

async function hasItem(file: ForeignFile, pattern: string): Promise<boolean> {
  // The loop closes the file.
  for await (const _ of file.items([pattern])) return true;
  return false;
}

/** Who plays which hero. */
class Heroes {
  readonly #byId: ReadonlyMap<number, string>;
  readonly #titles: ReadonlyMap<string, string>;
  readonly #players = new Map<string, string>();

  private constructor(heroes: Readonly<Record<string, readonly [unit: string, title: string]>>) {
    this.#byId = new Map(Object.entries(heroes).map(([id, [unit]]) => [Number(id), `npc_dota_hero_${unit}`]));
    this.#titles = new Map(Object.values(heroes).map(([unit, title]) => [`npc_dota_hero_${unit}`, title]));
  }

  static async load(): Promise<Heroes> {
    const data = JSON.parse(await readFile(join(ROOT, 'configs', 'dota2', 'heroes.json'), 'utf8')) as {
      heroes: Record<string, [string, string]>;
    };
    return new Heroes(data.heroes);
  }

  unit(id: unknown): string | undefined {
    return this.#byId.get(numberOf(id) ?? Number.NaN);
  }

  /** Says who plays a hero. */
  assign(unit: string, player: string): void {
    this.#players.set(unit, player);
  }

  /** The name of who plays a hero. */
  nameOf(unit: string): string {
    return this.#players.get(unit) ?? this.#titles.get(unit) ?? unit.replace(UNIT, '').replaceAll('_', ' ');
  }

  isHero(unit: string | undefined): unit is string {
    return unit !== undefined && UNIT.test(unit);
  }
}

const readMatch: Read = async (file, heroes, target, add) => {
  const { people } = target;
  const names = new Map<number, string>();
  for await (const { value } of file.items(['players.*'])) {
    if (!isObject(value)) continue;
    const [slot, unit] = [numberOf(value['player_slot']), heroes.unit(value['hero_id'])];
    const hero = unit && heroes.nameOf(unit);
    const name =
      hero !== undefined && hero === people.player
        ? hero
        : (textOf(value['personaname']) ?? textOf(value['name']) ?? hero);
    if (!name || slot === undefined) continue;
    names.set(slot, name);
    if (unit) heroes.assign(unit, name);
    people.setSide(name, slot < 128 ? SIDES.radiant : SIDES.dire);
  }
  const person = (slot: unknown): Slot | undefined => {
    const name = names.get(numberOf(slot) ?? Number.NaN);
    return name === undefined ? undefined : people.person(name);
  };
  for await (const { value } of file.items(['players.*'])) {
    if (!isObject(value)) continue;
    const subject = person(value['player_slot']);
    if (!subject) continue;
    for (const [key, read] of Object.entries(PLAYER_LOGS))
      for (const event of objectsIn(value[key]))
        add(numberOf(event['time']), event, ...read(event, subject, heroes, target));
  }
  for await (const { value } of file.items(['objectives.*']))
    if (isObject(value)) add(numberOf(value['time']), value, ...readObjective(value, person, target));
  for await (const { value: duration } of file.items(['duration'])) {
    const seconds = numberOf(duration);
    add(0, { duration }, { subject: 'match', action: 'begin' });
    for await (const { value: isRadiant } of file.items(['radiant_win']))
      add(
        seconds,
        { radiant_win: isRadiant },
        { subject: people.team(isRadiant === true ? SIDES.radiant : SIDES.dire), action: 'win', object: 'match' },
      );
  }
};

const PLAYER_LOGS: Readonly<
  Record<string, (event: JsonObject, subject: Slot, heroes: Heroes, target: ForeignTarget) => readonly Statement[]>
> = {
  kills_log: ({ key }, subject, heroes, { people }) => {
    const unit = textOf(key);
    return heroes.isHero(unit) ? [{ subject, action: 'kill', object: people.person(heroes.nameOf(unit)) }] : [];
  },
  purchase_log: ({ key }, subject) => (textOf(key) ? [{ subject, action: 'buy', object: itemOf(textOf(key)!) }] : []),
  obs_log: (_, subject) => [{ subject, action: 'place', object: 'moba:vision ward' }],
  sen_log: (_, subject) => [{ subject, action: 'place', object: 'moba:control ward' }],
  runes_log: (_, subject) => [{ subject, action: 'pick up', object: 'moba:rune#power-up' }],
  buyback_log: (_, subject) => [{ subject, action: 'respawn' }],
};

function readObjective(
  event: JsonObject,
  person: (slot: unknown) => Slot | undefined,
  { people }: ForeignTarget,
): readonly Statement[] {
  const subject = person(event['player_slot']);
  switch (event['type']) {
    case 'building_kill': {
      const object = buildingOf(textOf(event['key']) ?? '');
      return object ? [{ subject: subject ?? 'minion', action: 'destroy', object }] : [];
    }
    case 'CHAT_MESSAGE_ROSHAN_KILL': {
      const team = numberOf(event['team']);
      return team === undefined
        ? []
        : [{ subject: people.team(team === 2 ? SIDES.radiant : SIDES.dire), action: 'kill', object: ROSHAN }];
    }
    case 'CHAT_MESSAGE_AEGIS':
    case 'CHAT_MESSAGE_AEGIS_STOLEN':
      return subject
        ? [
            {
              subject,
              action: event['type'] === 'CHAT_MESSAGE_AEGIS' ? 'pick up' : 'steal',
              object: named('item', 'Aegis'),
            },
          ]
        : [];
    default:
      return [];
  }
}

const ROSHAN: Slot = { word: 'moba:epic monster', name: 'Roshan' };

/** The lines of the parser: one object each, in the order of the replay. */
const readReplay: Read = async (file, heroes, target, add) => {
  const { people } = target;
  const person = (unit: string): Slot => people.person(heroes.nameOf(unit));
  const learned = new Set<number>();
  // Who plays which hero on which side stands in the state that is written every second.
  for await (const { value } of file.documents()) {
    if (!isObject(value) || value['type'] !== 'interval') continue;
    const [slot, unit] = [numberOf(value['slot']), heroes.unit(value['hero_id'])];
    if (slot === undefined || !unit || learned.has(slot)) continue;
    learned.add(slot);
    people.setSide(heroes.nameOf(unit), slot < 5 ? SIDES.radiant : SIDES.dire);
    if (learned.size === 10) break;
  }
  for await (const { value } of file.documents()) {
    if (!isObject(value)) continue;
    const t = numberOf(value['time']);
    const [actor, object] = [textOf(value['sourcename']) ?? textOf(value['attackername']), textOf(value['targetname'])];
    switch (value['type']) {
      case 'DOTA_COMBATLOG_DEATH': {
        const subject = heroes.isHero(actor) ? person(actor) : undefined;
        if (value['targetillusion'] === true || !object) break;
        const building = buildingOf(object);
        if (building) add(t, value, { subject: subject ?? 'minion', action: 'destroy', object: building });
        else if (object === 'npc_dota_roshan' && subject) add(t, value, { subject, action: 'kill', object: ROSHAN });
        else if (heroes.isHero(object) && actor !== object)
          add(
            t,
            value,
            subject ? { subject, action: 'kill', object: person(object) } : { subject: person(object), action: 'die' },
          );
        break;
      }
      case 'DOTA_COMBATLOG_PURCHASE': {
        const item = textOf(value['valuename']);
        if (heroes.isHero(object) && item && !item.startsWith('item_recipe'))
          add(t, value, { subject: person(object), action: 'buy', object: itemOf(item) });
        break;
      }
      case 'DOTA_COMBATLOG_GAME_STATE':
        // States of the game rules: 5 is play, 6 the end.
        if (value['value'] === 5) add(t, value, { subject: 'match', action: 'begin' });
        if (value['value'] === 6) add(t, value, { subject: 'match', action: 'end' });
        break;
      default:
    }
  }
};

function itemOf(key: string): Slot {
  return named('item', key.replace(/^item_/, '').replaceAll('_', ' '));
}

/** The building of a unit's name, such as `npc_dota_badguys_tower1_mid`. */
function buildingOf(unit: string): Slot | undefined {
  if (/_tower1_/.test(unit)) return 'moba:outer tower';
  if (/_tower2_/.test(unit)) return 'moba:inner tower';
  if (/_tower[34]/.test(unit)) return 'moba:base tower';
  if (/_rax_/.test(unit)) return 'barracks';
  return unit.endsWith('_fort') ? 'nexus' : undefined;
}
