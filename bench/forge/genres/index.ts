import { battleRoyale } from './battle-royale.ts';
import { card } from './card.ts';
import { fighting } from './fighting.ts';
import type { Genre } from './genre.ts';
import { heroShooter } from './hero-shooter.ts';
import { moba } from './moba.ts';
import { platformer } from './platformer.ts';
import { racing } from './racing.ts';
import { rts } from './rts.ts';
import { sports } from './sports.ts';
import { survival } from './survival.ts';
import { tacticalShooter } from './tactical-shooter.ts';

/** All genres. */
export const GENRES: readonly Genre[] = [
  tacticalShooter,
  heroShooter,
  battleRoyale,
  moba,
  racing,
  sports,
  fighting,
  card,
  platformer,
  survival,
  rts,
];
