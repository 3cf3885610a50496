import type { Hud } from '../hud.ts';
import type { Random } from '../random.ts';
import type { DrawnScene } from '../scenes.ts';
import type { Theme } from '../theme.ts';

/** What a genre needs to make a recording of one of its games. */
export interface Recording {
  readonly theme: Theme;
  /** Drawn alike for both recordings of a game: what lies where, which captions it has. */
  readonly design: Random;
  /** What happens in this recording. */
  readonly play: Random;
  /** Seconds. */
  readonly duration: number;
}

/** A genre: its rules and its HUD. */
export interface Genre {
  readonly name: string;
  readonly scenes: readonly (DrawnScene | 'footage')[];
  readonly make: (recording: Recording) => Hud;
}

const NAMES = [
  'Arlo',
  'Bexley',
  'Corvin',
  'Drusilla',
  'Ezra',
  'Fennick',
  'Gareth',
  'Hollis',
  'Imogen',
  'Jasper',
  'Kestrel',
  'Lysander',
  'Maeve',
  'Nixon',
  'Orla',
  'Piers',
  'Quill',
  'Rowan',
  'Sable',
  'Tamsin',
  'Ulric',
  'Vesper',
  'Wilder',
  'Xanthe',
  'Yorick',
  'Zephyr',
  'Brimstone',
  'Cinder',
  'Duskfall',
  'Ember',
  'Frostbyte',
  'Gizmo',
  'Hexer',
  'IronWolf',
  'JadeFox',
  'Krait',
  'Lumen',
  'Mako',
  'NightOwl',
  'Onyx',
  'Pixel_9',
  'Razor',
  'Stormy',
  'TurboTim',
  'Umbra',
  'Viper42',
  'Wraith',
  'xXEchoXx',
  'Zigzag',
  'Kowalski',
  'MrBlue',
  'nova77',
  'Sgt.Pepper',
] as const;

/** Names of different players. */
export function pickNames(random: Random, count: number): string[] {
  return random.shuffle(NAMES).slice(0, count);
}

/** A value that changes at given times. */
export function series<T>(start: T, times: readonly number[], next: (value: T, t: number) => T): [number, T][] {
  const steps: [number, T][] = [[0, start]];
  for (const t of times) steps.push([t, next(steps.at(-1)![1], t)]);
  return steps;
}

/** What an ability shows that is used at given times: `ready`, or the seconds until it is. */
export function cooldowns(uses: readonly number[], seconds: number): [number, string | number][] {
  const steps: [number, string | number][] = [[0, 'ready']];
  let free = 0;
  for (const t of uses) {
    if (t < free) continue;
    for (let left = seconds; left > 0; left--) steps.push([t + seconds - left, left]);
    free = t + seconds;
    steps.push([free, 'ready']);
  }
  return steps;
}

/** Health that falls at hits and comes back over time; whoever has none left is back, in full, after some seconds. */
export function simulateHealth(
  random: Random,
  {
    most,
    hits,
    damage,
    heal,
    absence = 4,
  }: {
    readonly most: number;
    readonly hits: readonly number[];
    readonly damage: readonly [number, number];
    /** Points, each second without a hit. */
    readonly heal: number;
    readonly absence?: number;
  },
  duration: number,
): { readonly steps: [number, number][]; readonly deaths: number[]; readonly hits: number[] } {
  const steps: [number, number][] = [[0, most]];
  const [deaths, felt]: [number[], number[]] = [[], []];
  let health = most;
  let back = Number.NEGATIVE_INFINITY;
  let lastHit = Number.NEGATIVE_INFINITY;
  const all = [...hits];
  for (let t = 0.5; t < duration; t += 0.5) {
    if (health === 0) {
      if (t < back) continue;
      health = most;
      steps.push([t, health]);
      continue;
    }
    while (all.length > 0 && all[0]! <= t) {
      const at = all.shift()!;
      if (at < back || health === 0) continue;
      health = Math.max(0, health - random.whole(...damage));
      lastHit = at;
      felt.push(at);
      steps.push([Math.max(at, steps.at(-1)![0] + 0.01), health]);
      if (health === 0) {
        deaths.push(at);
        back = at + absence;
      }
    }
    if (health > 0 && health < most && heal > 0 && t - lastHit > 3 && t % 1 === 0) {
      health = Math.min(most, health + heal);
      steps.push([t, health]);
    }
  }
  return { steps, deaths, hits: felt };
}

/** A fight of two teams: kills at given times, each by somebody against somebody of the others. */
export function simulateKills(
  random: Random,
  times: readonly number[],
  teams: readonly [readonly string[], readonly string[]],
  weapons: readonly string[],
): { t: number; killer: string; victim: string; weapon: string; team: 0 | 1 }[] {
  return times.map((t) => {
    const team = random.chance(0.5) ? 0 : 1;
    return {
      t,
      killer: random.pick(teams[team]),
      victim: random.pick(teams[team === 0 ? 1 : 0]),
      weapon: random.pick(weapons),
      team,
    };
  });
}

/** Shots and reloads: rounds in the magazine and in reserve. */
export function simulateShots(
  random: Random,
  times: readonly number[],
  { size, reserve, gap }: { readonly size: number; readonly reserve: number; readonly gap: number },
): [number, string][] {
  let [left, spare] = [size, reserve];
  const steps: [number, string][] = [[0, `${left}/${spare}`]];
  let free = 0;
  for (const at of times) {
    if (at < free) continue;
    let t = at;
    for (let shots = Math.min(left, random.whole(1, 8)); shots > 0; shots--, t += gap)
      steps.push([t, `${--left}/${spare}`]);
    if (left <= size / 4) {
      const filled = Math.min(size - left, spare);
      [left, spare] = [left + filled, spare - filled];
      if (spare === 0) spare = reserve;
      t += 1.6;
      steps.push([t, `${left}/${spare}`]);
    }
    free = t + 0.2;
  }
  return steps;
}
