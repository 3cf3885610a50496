import { isObject, type JsonObject } from '../../../json.ts';
import type { Statement } from '../../statement.ts';
import { cs2Weapon } from './cs2-weapons.ts';
import { type ForeignFormat, type ForeignTarget, named, numberOf, textOf } from './format.ts';

/** Ticks a second of Counter-Strike 2. */
const TICK_RATE = 64;

/**
 * Events of a demo of Counter-Strike 2 as demoparser writes them: the array of `parseEvents`, or an object of such arrays by
 * name. With `parseEvents(path, names, ["team_name"])` teammates are known.
 *
 * Times count from the first tick of the demo. https://github.com/LaihoE/demoparser and, for the fields of each event,
 * https://github.com/LaihoE/demoparser/blob/main/documentation/python/README.md
 */
export const cs2Demo: ForeignFormat = {
  name: 'cs2-demo',
  title: 'events of a Counter-Strike 2 demo (demoparser)',
  game: 'cs2',
  dictionaries: ['tactical-shooter'],
  recognize: (head) =>
    /"tick"\s*:\s*\d/.test(head) &&
    /"event_name"\s*:\s*"|"(?:player_death|player_hurt|bomb_planted|round_end)"\s*:\s*\[/.test(head),
  async read(file, target) {
    const events: {
      readonly tick: number;
      readonly name: string;
      readonly event: JsonObject;
      readonly place: string;
    }[] = [];
    const add = (event: unknown, list: string | undefined, place: string): void => {
      if (!isObject(event)) return;
      const [tick, name] = [numberOf(event['tick']), textOf(event['event_name']) ?? list];
      if (tick === undefined || name === undefined || !Object.hasOwn(READERS, name)) return;
      learnSides(event, target);
      events.push({ tick, name, event, place });
    };
    if (await file.isArray())
      for await (const { value, offset } of file.documents()) add(value, undefined, `byte ${offset}`);
    else for await (const { value, path, offset } of file.items(['*.*'])) add(value, String(path[0]), `byte ${offset}`);
    for (const { tick, name, event, place } of events.toSorted((a, b) => a.tick - b.tick))
      for (const statement of READERS[name]!(event, target))
        target.sessions.add(tick / TICK_RATE, statement, JSON.stringify(event), place);
  },
};

function learnSides(event: JsonObject, { people }: ForeignTarget): void {
  for (const role of ['user', 'attacker', 'assister']) {
    const [name, side] = [textOf(event[`${role}_name`]), textOf(event[`${role}_team_name`])];
    if (name && side) people.setSide(name, side);
  }
}

type Reader = (event: JsonObject, target: ForeignTarget) => readonly Statement[];

const READERS: Readonly<Record<string, Reader>> = {
  player_death: (event, { people }) => {
    const [victim, attacker, assister] = [
      textOf(event['user_name']),
      textOf(event['attacker_name']),
      textOf(event['assister_name']),
    ];
    if (!victim) return [];
    const weapon = textOf(event['weapon']);
    if (!attacker || attacker === victim)
      return [{ subject: people.person(victim), action: weapon === 'world' ? 'die' : 'kill oneself' }];
    const kill: Statement = {
      subject: people.person(attacker),
      action: 'kill',
      object: people.person(victim),
      ...(weapon && { with: cs2Weapon(weapon) }),
      ...mannerOf(event),
    };
    return assister
      ? [kill, { subject: people.person(assister), action: 'assist', object: people.person(attacker) }]
      : [kill];
  },
  player_hurt: (event, { people }) => {
    const [victim, attacker] = [textOf(event['user_name']), textOf(event['attacker_name'])];
    const amount = numberOf(event['dmg_health']);
    if (!victim || !attacker || attacker === victim || !amount) return [];
    const weapon = textOf(event['weapon']);
    const [subject, object] = [people.person(attacker), people.person(victim)];
    return [{ subject, action: 'hurt', object, amount, ...(weapon && { with: cs2Weapon(weapon) }) }];
  },
  weapon_fire: (event, { people }) => {
    const [name, weapon] = [textOf(event['user_name']), textOf(event['weapon'])];
    if (!name || !weapon) return [];
    return [{ subject: people.person(name), action: 'shoot', with: cs2Weapon(weapon) }];
  },
  player_blind: (event, { people }) => {
    const [victim, attacker] = [textOf(event['user_name']), textOf(event['attacker_name'])];
    if (!victim || !attacker || victim === attacker) return [];
    return [{ subject: people.person(attacker), action: 'blind', object: people.person(victim) }];
  },
  player_spawn: byUser((subject) => ({ subject, action: 'spawn' })),
  item_purchase: (event, { people }) => {
    const [name, item] = [textOf(event['user_name']), textOf(event['item_name']) ?? textOf(event['weapon'])];
    return name && item ? [{ subject: people.person(name), action: 'buy', object: cs2Weapon(item) }] : [];
  },
  item_pickup: (event, { people }) => {
    const [name, item] = [textOf(event['user_name']), textOf(event['item'])];
    return name && item ? [{ subject: people.person(name), action: 'pick up', object: cs2Weapon(item) }] : [];
  },
  bomb_planted: byUser((subject, event) => {
    const site = siteOf(event['site']);
    return { subject, action: 'plant', object: 'time bomb', ...(site && { at: named('bomb site', site) }) };
  }),
  bomb_defused: byUser((subject) => ({ subject, action: 'defuse', object: 'time bomb' })),
  bomb_exploded: () => [{ subject: 'time bomb', action: 'explode' }],
  round_start: () => [{ subject: 'round', action: 'begin' }],
  round_end: (event, { people }) => {
    const winner = event['winner'];
    const side = winner === 2 || winner === 'T' ? 'T' : winner === 3 || winner === 'CT' ? 'CT' : undefined;
    return side
      ? [{ subject: people.team(side), action: 'win', object: 'round' }]
      : [{ subject: 'round', action: 'end' }];
  },
};

function byUser(
  read: (subject: ReturnType<ForeignTarget['people']['person']>, event: JsonObject) => Statement,
): Reader {
  return (event, { people }) => {
    const name = textOf(event['user_name']);
    return name ? [read(people.person(name), event)] : [];
  };
}

function siteOf(value: unknown): string | undefined {
  return value === 'A' || value === 'B' ? value : undefined;
}

function mannerOf(event: JsonObject): { readonly manner?: string } {
  if (event['headshot'] === true) return { manner: 'by headshot' };
  if (numberOf(event['penetrated'])) return { manner: 'through wall' };
  if (event['thrusmoke'] === true) return { manner: 'through smoke' };
  if (event['noscope'] === true) return { manner: 'without aiming' };
  return {};
}
