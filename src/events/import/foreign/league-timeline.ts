import { isObject, type JsonObject } from '../../../json.ts';
import type { Slot, Statement } from '../../statement.ts';
import { type ForeignFormat, type ForeignTarget, named, numberOf, textOf } from './format.ts';

/** Participants of a match; those of the blue side come first. */
const PARTICIPANTS_PER_SIDE = 5;

/**
 * Timelines of matches of League of Legends (match-v5). People are called by their Riot id where the file has it, else
 * "participant 3"; the player is named by any of these, or by the PUUID.
 *
 * Times are milliseconds of the game's clock. https://developer.riotgames.com/apis#match-v5/GET_getTimeline
 */
export const leagueTimeline: ForeignFormat = {
  name: 'league-timeline',
  title: 'match timeline of League of Legends (match-v5)',
  game: 'league-of-legends',
  dictionaries: ['moba'],
  recognize: (head) =>
    /"participantFrames"\s*:|"frameInterval"\s*:/.test(head) ||
    /"dataVersion"[\s\S]*"puuid"|"participants"\s*:\s*\[\s*"[\w-]{78}"/.test(head),
  async read(file, target) {
    const names = new Map<number, string>();
    for await (const { value } of file.items(['info.participants.*'])) learnParticipant(value, names, target);
    // Files of other programs may lack the participants.
    for (let id = 1; id <= 2 * PARTICIPANTS_PER_SIDE; id++)
      target.people.setSide(names.get(id) ?? `participant ${id}`, id <= PARTICIPANTS_PER_SIDE ? '100' : '200');
    const { people, sessions } = target;
    const person = (id: unknown): Slot | undefined => {
      const number = numberOf(id);
      return number ? people.person(names.get(number) ?? `participant ${number}`) : undefined;
    };
    for await (const { value, path } of file.items(['info.frames.*.events.*'])) {
      if (!isObject(value)) continue;
      const t = numberOf(value['timestamp']);
      if (t === undefined) continue;
      for (const statement of readEvent(value, person))
        sessions.add(t / 1000, statement, JSON.stringify(value), `frame ${Number(path[2]) + 1}`);
    }
  },
};

function learnParticipant(value: unknown, names: Map<number, string>, { people }: ForeignTarget): void {
  if (!isObject(value)) return;
  const id = numberOf(value['participantId']);
  if (id === undefined) return;
  const name = textOf(value['riotIdGameName']) ?? textOf(value['summonerName']) ?? `participant ${id}`;
  // The player was asked for by number or PUUID.
  const isPlayer =
    people.player !== undefined && [String(id), textOf(value['puuid']), `participant ${id}`].includes(people.player);
  names.set(id, isPlayer ? people.player! : name);
}

function* readEvent(
  event: JsonObject,
  person: (id: unknown) => Slot | undefined,
): Generator<Statement, void, undefined> {
  const helpers = (subject: Slot): readonly Statement[] =>
    (Array.isArray(event['assistingParticipantIds']) ? event['assistingParticipantIds'] : []).flatMap(
      (id): Statement[] => {
        const helper = person(id);
        return helper ? [{ subject: helper, action: 'assist', object: subject }] : [];
      },
    );
  const killer = person(event['killerId']);
  switch (event['type']) {
    case 'CHAMPION_KILL': {
      const victim = person(event['victimId']);
      if (!victim) return;
      if (!killer) return yield { subject: victim, action: 'die' };
      yield { subject: killer, action: 'kill', object: victim };
      return yield* helpers(killer);
    }
    case 'BUILDING_KILL': {
      const isTower = event['buildingType'] === 'TOWER_BUILDING';
      const object = isTower ? (TOWERS[textOf(event['towerType']) ?? ''] ?? 'tower') : 'inhibitor';
      const lane = LANES[textOf(event['laneType']) ?? ''];
      yield { subject: killer ?? 'minion', action: 'destroy', object, ...(lane && { at: lane }) };
      return killer ? yield* helpers(killer) : undefined;
    }
    case 'ELITE_MONSTER_KILL': {
      if (!killer) return;
      yield { subject: killer, action: 'kill', object: monster(event) };
      return yield* helpers(killer);
    }
    case 'WARD_PLACED': {
      const subject = person(event['creatorId']);
      const isControl = event['wardType'] === 'CONTROL_WARD';
      if (subject && event['wardType'] !== 'UNDEFINED')
        yield { subject, action: 'place', object: isControl ? 'moba:control ward' : 'moba:vision ward' };
      return;
    }
    case 'WARD_KILL':
      if (killer)
        yield {
          subject: killer,
          action: 'destroy',
          object: event['wardType'] === 'CONTROL_WARD' ? 'moba:control ward' : 'moba:vision ward',
        };
      return;
    case 'ITEM_PURCHASED': {
      const [subject, item] = [person(event['participantId']), numberOf(event['itemId'])];
      if (subject && item !== undefined) yield { subject, action: 'buy', object: named('item', String(item)) };
      return;
    }
    case 'LEVEL_UP': {
      const subject = person(event['participantId']);
      if (subject) yield { subject, action: 'level up' };
      return;
    }
    case 'GAME_END':
      yield {
        subject: { word: 'team', name: numberOf(event['winningTeam']) === 100 ? 'blue' : 'red' },
        action: 'win',
        object: 'match',
      };
      return yield { subject: 'match', action: 'end' };
    default:
      return;
  }
}

const TOWERS: Readonly<Record<string, string>> = {
  OUTER_TURRET: 'moba:outer tower',
  INNER_TURRET: 'moba:inner tower',
  BASE_TURRET: 'moba:base tower',
};
const LANES: Readonly<Record<string, string>> = {
  TOP_LANE: 'moba:top lane',
  MID_LANE: 'moba:mid lane',
  BOT_LANE: 'moba:bottom lane',
};

function monster(event: JsonObject): Slot {
  const subType = textOf(event['monsterSubType']);
  switch (event['monsterType']) {
    case 'DRAGON':
      return subType === 'ELDER_DRAGON'
        ? 'moba:ancient dragon'
        : named('dragon', subType && title(subType.replace(/_DRAGON$/, '')));
    case 'BARON_NASHOR':
      return { word: 'moba:epic monster', name: 'Baron Nashor' };
    case 'RIFTHERALD':
      return { word: 'moba:epic monster', name: 'Rift Herald' };
    default:
      return named('moba:epic monster', title(textOf(event['monsterType']) ?? ''));
  }
}

function title(text: string): string {
  return text.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
