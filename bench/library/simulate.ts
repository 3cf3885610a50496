// Simulated players of known skill, whose matches become event logs: what statistics, coaching and ratings find can be compared
// with what they were made of. Used by the other benchmarks of this folder; writes a season to look at:
//   node bench/library/simulate.ts <folder> [--sessions 12] [--seed 1]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Numbers from 0 to below 1, the same for a seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How a simulated player of an arena shooter plays. */
export interface SimulatedPlayer {
  /** Deaths a second of life where nothing makes them likelier. */
  readonly hazard: number;
  /** What multiplies it: below a third of the health, with a weapon, in the first seconds after spawning. */
  readonly lowHealth: number;
  readonly weapons: Readonly<Record<string, number>>;
  readonly fresh: number;
  /** Defeats a second of life, at the first session and per further session. */
  readonly defeats: number;
  readonly progress: number;
  /** Chance that a shot hits. */
  readonly accuracy: number;
}

/** A player for whom nothing makes a difference. */
export const EVEN_PLAYER: SimulatedPlayer = {
  hazard: 0.03,
  lowHealth: 1,
  weapons: {},
  fresh: 1,
  defeats: 0.05,
  progress: 0,
  accuracy: 0.3,
};

const WEAPONS = ['railgun', 'rocket launcher', 'shotgun', 'plasma gun'];
const NAMES = ['Sarge', 'Grunt', 'Major', 'Gargoyle', 'Kyonshi'];
const STEP = 0.5;
const FRESH_SECONDS = 5;

/** A line of a log. */
type Statement = Readonly<Record<string, unknown>>;

/** The events of one session. */
export function simulateSession(
  player: SimulatedPlayer,
  session: number,
  seconds: number,
  random: () => number,
): readonly { readonly t: number; readonly statement: Statement }[] {
  const events: { t: number; statement: Statement }[] = [];
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const say = (t: number, statement: Statement): number =>
    events.push({ t: Math.round((t + random() * STEP) * 1000) / 1000, statement });
  const opponent = (): Statement => ({ word: 'opponent', name: pick(NAMES) });
  let [health, weapon, spawned, next] = [100, pick(WEAPONS), 0, 0];
  const start = (t: number): void => {
    [health, weapon, spawned] = [100, pick(WEAPONS), t];
    events.push({ t, statement: { subject: 'player', action: 'respawn' } });
    events.push({ t: t + 0.001, statement: { subject: 'player', property: 'health', to: health } });
    events.push({ t: t + 0.002, statement: { subject: 'player', property: 'weapon', to: { word: weapon } } });
  };
  start(0);
  // The state of a moment before decides, as it is then that a player could have done otherwise.
  const history: { health: number; weapon: string }[] = [];
  for (let t = 0; t < seconds; t += STEP) {
    if (t < next) continue;
    if (next > 0 && t === next) {
      start(t);
      history.length = 0;
    }
    history.push({ health, weapon });
    const before = history[Math.max(0, history.length - 1 - 2 / STEP)]!;
    const hazard =
      player.hazard *
      (before.health < 33 ? player.lowHealth : 1) *
      (player.weapons[before.weapon] ?? 1) *
      (t - spawned < FRESH_SECONDS ? player.fresh : 1);
    if (random() < hazard * STEP) {
      events.push({
        t: t + STEP - 0.01,
        statement: { subject: opponent(), action: 'kill', object: 'player', with: pick(WEAPONS) },
      });
      next = t + 2;
      continue;
    }
    if (random() < 0.15) {
      const to = Math.max(5, health - Math.ceil(random() * 40));
      if (to !== health) say(t, { subject: 'player', property: 'health', from: health, to });
      health = to;
    } else if (random() < 0.08) {
      const to = Math.min(100, health + 25);
      say(t, { subject: 'player', action: 'pick up', object: 'medikit' });
      if (to !== health) say(t, { subject: 'player', property: 'health', from: health, to });
      health = to;
    }
    if (random() < 0.06) {
      const to = pick(WEAPONS);
      if (to !== weapon) say(t, { subject: 'player', property: 'weapon', from: { word: weapon }, to: { word: to } });
      weapon = to;
    }
    if (random() < 0.3) {
      say(t, { subject: 'player', action: 'shoot', with: weapon });
      if (random() < player.accuracy) say(t, { subject: 'player', action: 'hurt', object: opponent(), with: weapon });
    }
    if (random() < (player.defeats + player.progress * session) * STEP)
      say(t, { subject: 'player', action: 'kill', object: opponent(), with: weapon });
  }
  return events.filter(({ t }) => t < seconds).toSorted((a, b) => a.t - b.t);
}

/** Writes events as a log. */
export function writeLog(
  folder: string,
  name: string,
  seconds: number,
  events: readonly { readonly t: number; readonly statement: Statement }[],
  game = 'openarena',
): void {
  const arena = readFileSync(join(import.meta.dirname, '..', '..', 'test', 'cases', 'logs', 'arena.ndjson'), 'utf8');
  const header = JSON.parse(arena.split('\n')[0]!) as { media: object };
  const path = join(folder, `${name}.playbyplay`);
  mkdirSync(path, { recursive: true });
  const lines = [
    JSON.stringify({
      ...header,
      game,
      session: name,
      media: { ...header.media, name: `${name}.mp4`, duration: seconds },
    }),
    ...events.map(({ t, statement }, i) =>
      JSON.stringify({
        type: 'event',
        id: i.toString(16),
        t,
        end: t,
        game,
        session: name,
        text: JSON.stringify(statement).replaceAll(/[^\w ]+/g, ' '),
        statement,
        confidence: 1,
        cues: [],
      }),
    ),
    JSON.stringify({ type: 'end', events: events.length, gaps: 0, samples: 0 }),
  ];
  writeFileSync(join(path, 'events.ndjson'), `${lines.join('\n')}\n`);
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { sessions: { type: 'string', default: '12' }, seed: { type: 'string', default: '1' } },
  });
  const random = createRandom(Number(values.seed));
  const player = { ...EVEN_PLAYER, lowHealth: 3, weapons: { shotgun: 2 }, progress: 0.004 };
  for (let session = 0; session < Number(values.sessions); session++) {
    const seconds = 420 + Math.floor(random() * 300);
    writeLog(
      positionals[0]!,
      `match-${String(session + 1).padStart(2, '0')}`,
      seconds,
      simulateSession(player, session, seconds, random),
    );
  }
}
