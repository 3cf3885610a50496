import { isObject, type JsonObject, objectsIn } from '../../../json.ts';
import type { Statement } from '../../statement.ts';
import { type ForeignFormat, numberOf, textOf } from './format.ts';

/** Frames a second of replays, where the file does not say it. */
const DEFAULT_FRAME_RATE = 30;
const SIDES = ['blue', 'orange'];

/** What raises a number of the scoreboard. */
const SCORES: Readonly<Record<string, string>> = {
  'TAGame.PRI_TA:MatchGoals': 'score goal',
  'TAGame.PRI_TA:MatchSaves': 'save shot',
  'TAGame.PRI_TA:MatchShots': 'shoot ball',
  'TAGame.PRI_TA:MatchAssists': 'assist',
};
const NAME = 'Engine.PlayerReplicationInfo:PlayerName';
const OWNER = 'Engine.Pawn:PlayerReplicationInfo';
const DEMOLISHED = /^TAGame\.Car_TA:ReplicatedDemolish/;

/**
 * Replays of Rocket League as boxcars (rrrocket) writes them. With network frames (`rrrocket -n`) goals, shots, saves, assists
 * and demolitions have the exact times of the replay; without them only goals are there, whose frames are converted by the frame
 * rate.
 *
 * Times count from the first frame. https://docs.rs/boxcars/latest/boxcars/struct.Replay.html and, for the attributes,
 * https://docs.rs/boxcars/latest/boxcars/enum.Attribute.html
 */
export const rocketLeague: ForeignFormat = {
  name: 'rocket-league',
  title: 'replay of Rocket League (boxcars)',
  game: 'rocket-league',
  dictionaries: ['sports'],
  recognize: (head) => /"header_size"\s*:/.test(head) && /"(?:header_crc|major_version|game_type)"\s*:/.test(head),
  async read(file, { sessions, people }) {
    const objects: string[] = [];
    const properties: Record<string, unknown> = {};
    for await (const { path, value } of file.items(['objects.*', 'properties.*']))
      if (path[0] === 'objects') objects.push(textOf(value) ?? '');
      else properties[String(path[1])] = value;
    for (const player of objectsIn(properties['PlayerStats'])) {
      const [name, team] = [textOf(player['Name']), numberOf(player['Team'])];
      if (name && team !== undefined) people.setSide(name, SIDES[team] ?? '');
    }
    for (const goal of objectsIn(properties['Goals'])) {
      const [name, team] = [textOf(goal['PlayerName']), numberOf(goal['PlayerTeam'])];
      if (name && team !== undefined) people.setSide(name, SIDES[team] ?? '');
    }
    const recorder = textOf(properties['PlayerName']);
    if (recorder) people.setPlayer(recorder);
    const match = new NetworkReader(objects);
    let frames = 0;
    for await (const { value, path } of file.items(['network_frames.frames.*'])) {
      if (!isObject(value)) continue;
      frames++;
      for (const { name, action, object, quote } of match.read(value)) {
        const statement: Statement = {
          subject: people.person(name),
          action,
          ...(object !== undefined && { object: people.person(object) }),
        };
        // Whom a goal was passed for is not said; an assist is for the team.
        const said = action === 'assist' ? { ...statement, object: 'teammate' } : statement;
        sessions.add(match.time, said, quote, `frame ${path[2]}`);
      }
    }
    if (frames > 0) return;
    const rate = numberOf(properties['RecordFPS']) ?? DEFAULT_FRAME_RATE;
    for (const goal of objectsIn(properties['Goals'])) {
      const [name, frame] = [textOf(goal['PlayerName']), numberOf(goal['frame'])];
      if (name && frame !== undefined)
        sessions.add(
          frame / rate,
          { subject: people.person(name), action: 'score goal' },
          JSON.stringify(goal),
          `frame ${frame}`,
        );
    }
  },
};

/** Something that somebody did, by name. */
interface Deed {
  readonly name: string;
  readonly action: string;
  readonly object?: string;
  readonly quote: string;
}

/** Follows the actors of the network frames: whose car is which, and what the scoreboard says. */
class NetworkReader {
  /** Seconds since the first frame. */
  time = 0;
  readonly #objects: readonly string[];
  readonly #names = new Map<number, string>();
  /** Players by the actors of their cars. */
  readonly #owners = new Map<number, number>();
  readonly #scores = new Map<string, number>();
  readonly #demolished = new Map<number, string>();
  #start: number | undefined;

  constructor(objects: readonly string[]) {
    this.#objects = objects;
  }

  *read(frame: JsonObject): Generator<Deed, void, undefined> {
    const time = numberOf(frame['time']) ?? 0;
    this.#start ??= time;
    this.time = Math.max(0, time - this.#start);
    for (const id of Array.isArray(frame['deleted_actors']) ? frame['deleted_actors'] : []) {
      const actor = numberOf(id) ?? -1;
      this.#owners.delete(actor);
      this.#demolished.delete(actor);
    }
    for (const actor of objectsIn(frame['updated_actors'])) yield* this.#update(actor);
  }

  *#update(actor: JsonObject): Generator<Deed, void, undefined> {
    const [id, object] = [numberOf(actor['actor_id']), this.#objects[numberOf(actor['object_id']) ?? -1]];
    const attribute = isObject(actor['attribute']) ? actor['attribute'] : {};
    if (id === undefined || object === undefined) return;
    if (object === NAME) {
      const name = textOf(attribute['String']);
      if (name) this.#names.set(id, name);
    } else if (object === OWNER) {
      const owner = actorOf(attribute['ActiveActor'] ?? attribute['Flagged']);
      if (owner !== undefined) this.#owners.set(id, owner);
    } else if (Object.hasOwn(SCORES, object)) {
      const [name, score] = [this.#names.get(id), numberOf(attribute['Int'])];
      if (!name || score === undefined) return;
      const key = JSON.stringify([name, object]);
      const before = this.#scores.get(key) ?? 0;
      this.#scores.set(key, score);
      // A player who joins again brings the old score.
      for (let i = before; i < Math.min(score, before + 5); i++)
        yield { name, action: SCORES[object]!, quote: `${object} ${score} of ${name}` };
    } else if (DEMOLISHED.test(object)) yield* this.#demolish(id, attribute);
  }

  *#demolish(id: number, attribute: JsonObject): Generator<Deed, void, undefined> {
    const [demolish] = Object.values(attribute).filter(isObject);
    if (!demolish) return;
    const [attacker, victim] = [
      actorOf(demolish['attacker'] ?? demolish['attacker_actor_id']),
      actorOf(demolish['victim'] ?? demolish['victim_actor_id']),
    ];
    const [name, object] = [this.#nameOfCar(attacker), this.#nameOfCar(victim)];
    // The same demolition is repeated until the car is gone.
    const key = `${attacker} ${victim}`;
    if (!name || !object || name === object || this.#demolished.get(id) === key) return;
    this.#demolished.set(id, key);
    yield { name, action: 'sports:bumper-demolish', object, quote: `${name} demolishes ${object}` };
  }

  #nameOfCar(car: number | undefined): string | undefined {
    return this.#names.get(this.#owners.get(car ?? -1) ?? -1);
  }
}

/** The number of an actor: plain, or in `{active, actor}`, or in `[flag, actor]`. */
function actorOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return numberOf(value[1]);
  const number = numberOf(isObject(value) ? value['actor'] : value);
  return number === undefined || number < 0 ? undefined : number;
}
