import { plainText } from '../../../markup.ts';
import { MAX_CHARACTERS, type Mention, type PropertyValue, type Slot, type Statement } from '../../statement.ts';
import type { CompiledMapping } from '../mapping.ts';
import type { SessionBuilder } from '../session-builder.ts';
import type { JsonItem } from './json-items.ts';

/** A file that another program wrote, read from its beginning by each call. */
export interface ForeignFile {
  readonly path: string;
  /** See `readJsonItems`. */
  items(patterns: readonly string[]): AsyncGenerator<JsonItem, void, undefined>;
  /** Whether a JSON file begins with an array. */
  isArray(): Promise<boolean>;
  /** The documents of a JSON file: those one after another, or the members of one array. */
  documents(): AsyncGenerator<JsonItem, void, undefined>;
  /** The lines of a text file; what is longer than 20,000 characters is cut. */
  lines(): AsyncGenerator<{ readonly text: string; readonly number: number }, void, undefined>;
}

/** What a reader of a foreign file calls to make events of it. */
export interface ForeignTarget {
  readonly sessions: SessionBuilder;
  readonly people: People;
  /** The mapping that was named instead of the format's own, for formats whose texts are those of the game. */
  readonly mapping: CompiledMapping | undefined;
}

/** A format of files of another program, read as events. */
export interface ForeignFormat {
  /** Its name for `--format`. */
  readonly name: string;
  readonly title: string;
  /** The game of the events, by id. */
  readonly game: string;
  /** The extensions of the common dictionary whose words it uses. */
  readonly dictionaries: readonly string[];
  /** Whether a file is of this format, by its first characters. */
  recognize(head: string): boolean;
  read(file: ForeignFile, target: ForeignTarget): Promise<void>;
}

/** Who people are, by name and side: the player, teammates and opponents. */
export class People {
  readonly #sides = new Map<string, string>();
  #player: string | undefined;
  readonly #isGiven: boolean;

  /** @param player The name of whose session it is; `undefined`: as the file says. */
  constructor(player: string | undefined) {
    this.#player = player;
    this.#isGiven = player !== undefined;
  }

  get player(): string | undefined {
    return this.#player;
  }

  /** Says whose session the file is, unless somebody else was asked for. */
  setPlayer(name: string): void {
    if (!this.#isGiven) this.#player = name;
  }

  setSide(name: string, side: string): void {
    this.#sides.set(name, side);
  }

  /** The player, a teammate or an opponent of this name. */
  person(name: string): Slot {
    if (name === this.#player) return 'player';
    const side = this.#sides.get(name);
    const own = this.#player === undefined ? undefined : this.#sides.get(this.#player);
    return { word: side !== undefined && side === own ? 'teammate' : 'opponent', name: properName(name) };
  }

  /** The team of this side. */
  team(side: string): Slot {
    return { word: 'team', name: properName(side) };
  }
}

/** A text of the file as a proper name: printable and of the length that statements allow. */
export function properName(text: string): string {
  return plainText(text, MAX_CHARACTERS) || '?';
}

/** A word, with a proper name if there is one. */
export function named(word: string, name: string | undefined): Slot {
  return name === undefined || name === '' ? word : ({ word, name: properName(name) } satisfies Mention);
}

/** A member that is a non-empty text. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A member that is a number, or a text of one. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'string' && value.trim() === '') return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/**
 * States a property whenever it differs from its last value in the session; the first value is only remembered.
 *
 * @returns The statement, or `undefined` if nothing changed.
 */
export class Properties {
  readonly #values = new Map<string, PropertyValue>();

  change(subject: Slot, property: string, to: PropertyValue | undefined): Statement | undefined {
    if (to === undefined) return undefined;
    const key = JSON.stringify([subject, property]);
    const from = this.#values.get(key);
    this.#values.set(key, to);
    if (from === undefined || JSON.stringify(from) === JSON.stringify(to)) return undefined;
    return { subject, property, from, to };
  }

  clear(): void {
    this.#values.clear();
  }
}
