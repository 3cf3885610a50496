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
