import type { Genre } from './genre.ts';
import { racing } from './racing.ts';
import { tacticalShooter } from './tactical-shooter.ts';

/** All genres. */
export const GENRES: readonly Genre[] = [racing, tacticalShooter];
