import { plainCase } from '../text/atlas.ts';
import { parsePhrases, type PhraseEntry, type Wording } from '../text/lexicon.ts';

/** For a column of the line: how much speaks for other characters, as a share (0…1) of what speaks for the one read. */
export type Rivals = (column: number) => ReadonlyMap<string, number>;

const NO_RIVALS: ReadonlyMap<string, number> = new Map();

/** A line understood as one of the phrases. */
export interface PhraseMatch {
  readonly entry: PhraseEntry;
  readonly wording: Wording;
  readonly slots: Readonly<Record<string, string>>;
  /** The phrase with its slots filled: what the line says once slips are mended. */
  readonly text: string;
  /** Literal characters that had to be mended, as a share of all. */
  readonly slips: number;
  /** A name in it is neither known nor beyond doubt: names still to be seen may mend it. */
  readonly doubtful: boolean;
}

/** A slot as it was read. */
interface Filling {
  readonly at: number;
  readonly name: string;
}

/** Greatest share of literal characters that may be misread. */
const SLIPS = 0.2;
const LONGEST_NAME = 32;
/** Share of the evidence from which a rival makes a character doubtful. */
const DOUBT = 0.9;
/** Share from which a rival may stand in for the character read, where that makes a known name. */
const NEAR = 0.85;
/** What a sighting of a doubtful name counts for, and sightings from which a name is known, and known well. */
const VAGUE = 0.25;
const KNOWN = 1;
const WELL_KNOWN = 3;
/** Mean cost of a differing character up to which a well known name is taken. */
const OFTEN = 0.35;

/** Knows a feed's phrases, and the names seen in it. */
export class Lexicon {
  readonly #phrases: readonly Wording[];
  readonly #names = new Map<string, number>();
  readonly #canon: (char: string) => string;
  readonly #speaker: string | undefined;

  /**
   * `canon` maps characters that look the same in the feed's font to one of them; `into` writes a text as the feed's lines are written, a
   * code unit a character.
   */
  constructor(
    json: string,
    name: string,
    canon: (char: string) => string,
    into: (text: string) => string = (text) => text,
  ) {
    const file = parsePhrases(json, name);
    this.#canon = canon;
    this.#speaker = file.speaker;
    this.#phrases = file.wordings.map((wording) => {
      const pieces = wording.pieces.map((piece) => ('literal' in piece ? { literal: into(piece.literal) } : piece));
      const weight = pieces.reduce((sum, piece) => sum + ('literal' in piece ? piece.literal.length : 0), 0);
      return { ...wording, pieces, weight };
    });
    for (const known of file.names ?? []) this.#names.set(into(known), 2);
  }

  /** The phrase that explains the line best, or undefined where none fits. */
  match(line: string, rivals: Rivals = () => NO_RIVALS): PhraseMatch | undefined {
    let best: { phrase: Wording; slots: Filling[]; slips: number } | undefined;
    for (const phrase of this.#phrases) {
      const found = this.#align(phrase, line);
      if (!found) continue;
      const better =
        !best ||
        found.slips < best.slips - 1e-9 ||
        (found.slips < best.slips + 1e-9 && phrase.weight > best.phrase.weight);
      if (better) best = { phrase, ...found };
    }
    if (!best) return undefined;
    const slots: Record<string, string> = {};
    let text = '';
    let next = 0;
    let doubtful = false;
    for (const piece of best.phrase.pieces) {
      if ('literal' in piece) text += piece.literal;
      else {
        const read = best.slots[next++]!;
        const name = this.#known(plainCase(read.name, this.#canon), read.at, rivals);
        if (this.#isUnsure(name, read.at, rivals)) doubtful = true;
        slots[piece.slot] = name;
        text += name;
      }
    }
    return {
      entry: best.phrase.entry,
      wording: best.phrase,
      slots,
      text,
      slips: best.slips,
      doubtful,
    };
  }

  /** How often the name was seen; sightings with doubtful characters count for little. */
  sightings(name: string): number {
    return this.#names.get(name) ?? 0;
  }

  #isUnsure(name: string, at: number, rivals: Rivals): boolean {
    if (this.sightings(name) >= KNOWN) return false;
    return Array.from(name, (_, i) => rivals(at + i)).some((others) => others.values().some((share) => share >= DOUBT));
  }

  /** Remembers the names of a line that was accepted: slips of the same names are mended by them. */
  learn(match: PhraseMatch): void {
    for (const name of Object.values(match.slots)) this.#see(name, match.doubtful ? VAGUE : 1);
  }

  /** Remembers who speaks in a line that is no phrase. */
  hear(line: string, rivals: Rivals = () => NO_RIVALS): void {
    const end = this.#speaker === undefined ? -1 : line.indexOf(this.#speaker);
    if (end <= 0 || end > LONGEST_NAME) return;
    const read = line.slice(0, end);
    if (!isName(read)) return;
    const name = this.#known(plainCase(read, this.#canon), 0, rivals);
    this.#see(name, this.#isUnsure(name, 0, rivals) ? VAGUE : 1);
  }

  #see(name: string, weight: number): void {
    this.#names.set(name, this.sightings(name) + weight);
  }

  /** The way of filling the slots with the fewest slips in the literal text. */
  #align({ pieces, weight }: Wording, line: string): { slots: Filling[]; slips: number } | undefined {
    const limit = Math.floor(weight * SLIPS);
    let best: { slots: Filling[]; errors: number } | undefined;
    const walk = (index: number, at: number, errors: number, slots: readonly Filling[]): void => {
      if (errors > limit || (best && errors >= best.errors)) return;
      const piece = pieces[index];
      if (!piece) {
        if (at === line.length) best = { slots: [...slots], errors };
        return;
      }
      if ('literal' in piece) {
        // The full stop at the end is the faintest of all characters: in small text it is not seen.
        const isCut = index === pieces.length - 1 && piece.literal.endsWith('.');
        const literal =
          isCut && line.length - at === piece.literal.length - 1 ? piece.literal.slice(0, -1) : piece.literal;
        if (at + literal.length > line.length) return;
        walk(index + 1, at + literal.length, errors + this.#differences(literal, line, at), slots);
        return;
      }
      const isLast = index === pieces.length - 1;
      const furthest = Math.min(line.length, at + LONGEST_NAME);
      for (let end = isLast ? line.length : at + 1; end <= furthest; end++) {
        const name = line.slice(at, end);
        if (isName(name)) walk(index + 1, end, errors, [...slots, { at, name }]);
      }
    };
    walk(0, 0, 0, []);
    return (
      best && {
        slots: best.slots,
        slips: weight === 0 ? 0 : best.errors / weight,
      }
    );
  }

  #differences(literal: string, line: string, at: number): number {
    let count = 0;
    for (let i = 0; i < literal.length; i++) {
      const seen = line[at + i]!;
      if (seen !== literal[i] && this.#canon(seen) !== this.#canon(literal[i]!)) count++;
    }
    return count;
  }

  /**
   * The known name that was meant, else the name as it was read. Letters that look the same are free; any other that
   * differs must be a rival of the one read: a near tie for a name seen once, less for one seen often.
   */
  #known(read: string, at: number, rivals: Rivals): string {
    let best = read;
    let bestCount = this.sightings(read);
    for (const [name, count] of this.#names) {
      if (name.length !== read.length || count <= bestCount || count < KNOWN) continue;
      let differing = 0;
      let cost = 0;
      for (let i = 0; i < name.length; i++) {
        if (name[i] === read[i] || this.#canon(name[i]!) === this.#canon(read[i]!)) continue;
        differing++;
        cost += 1 - (rivals(at + i).get(name[i]!) ?? 0);
      }
      const often = count >= WELL_KNOWN && cost <= OFTEN * differing && differing <= Math.max(1, name.length / 5);
      if (differing === 0 || cost <= 1 - NEAR || often) {
        best = name;
        bestCount = count;
      }
    }
    return best;
  }
}

/** Whether a slot can hold the text: no outer blanks, no gap, not the head of a chat line. */
function isName(text: string): boolean {
  return text.trim() === text && text !== '' && !text.includes('  ') && !/[:;] /.test(text) && !text.endsWith(':');
}
