import { didYouMean, findNearest } from '../spelling.ts';
import type { WordSeed } from './dictionary.ts';
import type { Report } from './shape.ts';

/** An entry with the place it stands in. */
export interface Located {
  readonly seed: WordSeed;
  readonly path: string;
  readonly report: Report;
}

/** A spelling hint with the nearest of the candidates; an id that ends like the wanted one comes first. */
export function hintFor(wanted: string, known: Iterable<string>): string | undefined {
  const list = [...known];
  const bare = wanted.slice(wanted.indexOf(':') + 1).toLowerCase();
  const near =
    list.find(
      (id) =>
        id
          .slice(id.indexOf(':') + 1)
          .replace(/#.*$/, '')
          .toLowerCase() === bare,
    ) ?? findNearest(wanted, list);
  return near === undefined ? undefined : didYouMean(near);
}
