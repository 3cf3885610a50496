import { asObject, isObject, type JsonObject } from '../../../json.ts';
import type { Slot, Statement } from '../../statement.ts';
import { type ForeignFormat, type ForeignTarget, named, numberOf, type People, Properties, textOf } from './format.ts';

/**
 * Answers of the Live Client Data API of League of Legends: `eventdata`, `allgamedata`, or polls of these one after another
 * (NDJSON) or as an array. Events that several polls contain count once. Polls of all data add levels, gold and creep score of
 * the active player.
 *
 * Times are seconds of the game's clock. https://developer.riotgames.com/docs/lol#game-client-api_live-client-data-api
 */
export const leagueLive: ForeignFormat = {
  name: 'league-live',
  title: 'Live Client Data of League of Legends',
  game: 'league-of-legends',
  dictionaries: ['moba'],
  recognize: (head) =>
    /"EventName"\s*:\s*"/.test(head) || (/"activePlayer"\s*:/.test(head) && /"championStats"|"allPlayers"/.test(head)),
  async read(file, target) {
    const seen = new Set<number>();
    const properties = new Properties();
    for await (const { value: poll, offset } of file.documents()) {
      if (!isObject(poll)) continue;
      learnPeople(poll, target);
      const place = `byte ${offset}`;
      for (const event of eventsOf(poll)) {
        const [id, t] = [numberOf(event['EventID']), numberOf(event['EventTime'])];
        if (id === undefined || t === undefined || seen.has(id)) continue;
        seen.add(id);
        for (const statement of readEvent(event, target))
          target.sessions.add(t, statement, JSON.stringify(event), place);
      }
      const now = numberOf(asObject(poll['gameData'])['gameTime']);
      if (now === undefined) continue;
      for (const statement of stateChanges(poll, properties, target))
        target.sessions.add(now, statement, JSON.stringify(statement), place);
    }
  },
};

function eventsOf(poll: JsonObject): readonly JsonObject[] {
  const list = poll['Events'] ?? asObject(poll['events'])['Events'] ?? (poll['EventName'] === undefined ? [] : [poll]);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function playersOf(poll: JsonObject): readonly JsonObject[] {
  return Array.isArray(poll['allPlayers']) ? poll['allPlayers'].filter(isObject) : [];
}

/** The name that events call a person by. */
function nameOf(player: JsonObject): string | undefined {
  return textOf(player['riotIdGameName']) ?? textOf(player['summonerName'])?.replace(/#[^#]*$/, '');
}

function learnPeople(poll: JsonObject, { people }: ForeignTarget): void {
  const active = nameOf(asObject(poll['activePlayer']));
  if (active) people.setPlayer(active);
  for (const player of playersOf(poll)) {
    const [name, team] = [nameOf(player), textOf(player['team'])];
    if (name && team) people.setSide(name, team);
  }
}

function* stateChanges(
  poll: JsonObject,
  properties: Properties,
  { people }: ForeignTarget,
): Generator<Statement, void, undefined> {
  const active = asObject(poll['activePlayer']);
  const own = playersOf(poll).find((player) => nameOf(player) === people.player);
  for (const [property, value] of [
    ['character level', active['level']],
    ['health', rounded(asObject(active['championStats'])['currentHealth'])],
    ['gold', rounded(active['currentGold'])],
    ['moba:creep score', asObject(own?.['scores'])['creepScore']],
  ] as const) {
    const statement = properties.change('player', property, numberOf(value));
    if (statement) yield statement;
  }
}

function rounded(value: unknown): number | undefined {
  const number = numberOf(value);
  return number === undefined ? undefined : Math.round(number);
}

function readEvent(event: JsonObject, { people }: ForeignTarget): readonly Statement[] {
  const killer = textOf(event['KillerName']);
  const subject = killer === undefined ? undefined : killerOf(killer, people);
  const helpers = Array.isArray(event['Assisters']) ? event['Assisters'].flatMap((name) => textOf(name) ?? []) : [];
  const killed = (object: Slot): readonly Statement[] => {
    if (!subject) return [];
    const done: Statement = { subject, action: 'kill', object };
    return [
      done,
      ...helpers.map(
        (name): Statement => ({
          subject: personOf(name, people),
          action: 'assist',
          object: subject,
        }),
      ),
    ];
  };
  const destroyed = (word: string, name: unknown): readonly Statement[] => {
    const object = named(word, textOf(name));
    return subject ? [{ subject, action: 'destroy', object }] : [];
  };
  switch (event['EventName']) {
    case 'GameStart':
      return [{ subject: 'match', action: 'begin' }];
    case 'GameEnd': {
      const end: Statement = { subject: 'match', action: 'end' };
      const result = event['Result'];
      if (result === 'Win') return [{ subject: 'player', action: 'win', object: 'match' }, end];
      return result === 'Lose' ? [{ subject: 'player', action: 'lose', object: 'match' }, end] : [end];
    }
    case 'ChampionKill': {
      const victim = textOf(event['VictimName']);
      return victim ? killed(personOf(victim, people)) : [];
    }
    case 'TurretKilled':
      return destroyed('tower', event['TurretKilled']);
    case 'InhibKilled':
      return destroyed('inhibitor', event['InhibKilled']);
    case 'InhibRespawned':
      return [{ subject: named('inhibitor', textOf(event['InhibRespawned'])), action: 'respawn' }];
    case 'DragonKill': {
      const type = textOf(event['DragonType']);
      return killed(type === 'Elder' ? 'moba:ancient dragon' : named('dragon', type));
    }
    case 'BaronKill':
      return killed({ word: 'moba:epic monster', name: 'Baron Nashor' });
    case 'HeraldKill':
      return killed({ word: 'moba:epic monster', name: 'Rift Herald' });
    case 'HordeKill':
      return killed({ word: 'moba:epic monster', name: 'Voidgrub' });
    case 'AtakhanKill':
      return killed({ word: 'moba:epic monster', name: 'Atakhan' });
    case 'Ace': {
      const acer = textOf(event['Acer']);
      return acer ? [{ subject: personOf(acer, people), action: 'wipe out', object: 'team' }] : [];
    }
    default:
      return [];
  }
}

/** A person by the name in events, which may have the tag of the Riot id. */
function personOf(name: string, people: People): Slot {
  return people.person(name.replace(/#[^#]*$/, ''));
}

/** Towers and minions kill, too; their names are those of objects. */
function killerOf(name: string, people: People): Slot {
  if (name.startsWith('Turret_')) return 'tower';
  return name.startsWith('Minion_') ? 'minion' : personOf(name, people);
}
