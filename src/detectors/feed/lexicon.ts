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
  /** The phrase with its slots filled: the line with its misreadings corrected. */
  readonly text: string;
  /** Misread literal characters, as a share of all. */
  readonly errorShare: number;
  /** A name in it is neither known nor certain: a later sighting may correct it. */
  readonly doubtful: boolean;
}

/** A slot's text as read. */
interface Filling {
  readonly at: number;
  readonly name: string;
}

/** Largest share of literal characters that may be misread. */
const MAX_ERROR_SHARE = 0.2;
const MAX_NAME_LENGTH = 32;
/** Share of a character's score from which a rival makes it doubtful. */
const DOUBT_SHARE = 0.9;
/** Share from which a rival may replace the character read if that makes a known name. */
const REPLACE_SHARE = 0.85;
/** Weight of a doubtful sighting of a name; sightings from which a name is known, and well known. */
const DOUBTFUL_WEIGHT = 0.25;
const MIN_SIGHTINGS = 1;
const MIN_SIGHTINGS_WELL_KNOWN = 3;
/** Largest mean cost of a differing character for which a well-known name is taken. */
const MAX_MEAN_COST = 0.35;

/** Matches a feed's lines with its phrases, and remembers the names in them. */
export class FeedLexicon {
  readonly #phrases: readonly Wording[];
  readonly #names = new Map<string, number>();
  readonly #canon: (char: string) => string;
  readonly #speaker: string | undefined;

  /**
   * @param canon Maps characters that look the same in the feed's font to one of them.
   * @param into Converts a text to one code unit per character, as the feed's lines have it.
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

  /** Returns the phrase that explains a line best; undefined where none fits. */
  match(line: string, rivals: Rivals = () => NO_RIVALS): PhraseMatch | undefined {
    let best: { phrase: Wording; slots: Filling[]; errorShare: number } | undefined;
    for (const phrase of this.#phrases) {
      const found = this.#align(phrase, line);
      if (!found) continue;
      const better =
        !best ||
        found.errorShare < best.errorShare - 1e-9 ||
        (found.errorShare < best.errorShare + 1e-9 && phrase.weight > best.phrase.weight);
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
        const name = this.#correctName(plainCase(read.name, this.#canon), read.at, rivals);
        if (this.#isDoubtful(name, read.at, rivals)) doubtful = true;
        slots[piece.slot] = name;
        text += name;
      }
    }
    return {
      entry: best.phrase.entry,
      wording: best.phrase,
      slots,
      text,
      errorShare: best.errorShare,
      doubtful,
    };
  }

  /** Returns how often a name was seen; doubtful sightings count less. */
  sightings(name: string): number {
    return this.#names.get(name) ?? 0;
  }

  #isDoubtful(name: string, at: number, rivals: Rivals): boolean {
    if (this.sightings(name) >= MIN_SIGHTINGS) return false;
    return Array.from(name, (_, i) => rivals(at + i)).some((others) =>
      others.values().some((share) => share >= DOUBT_SHARE),
    );
  }

  /** Remembers the names of an accepted line: misreadings of the same names are corrected by them. */
  learn(match: PhraseMatch): void {
    for (const name of Object.values(match.slots)) this.#see(name, match.doubtful ? DOUBTFUL_WEIGHT : 1);
  }

  /** Remembers the speaker of a line that is no phrase. */
  learnSpeaker(line: string, rivals: Rivals = () => NO_RIVALS): void {
    const end = this.#speaker === undefined ? -1 : line.indexOf(this.#speaker);
    if (end <= 0 || end > MAX_NAME_LENGTH) return;
    const read = line.slice(0, end);
    if (!isName(read)) return;
    const name = this.#correctName(plainCase(read, this.#canon), 0, rivals);
    this.#see(name, this.#isDoubtful(name, 0, rivals) ? DOUBTFUL_WEIGHT : 1);
  }

  #see(name: string, weight: number): void {
    this.#names.set(name, this.sightings(name) + weight);
  }

  /** Fills the slots so that the literal text has the fewest misread characters. */
  #align({ pieces, weight }: Wording, line: string): { slots: Filling[]; errorShare: number } | undefined {
    const limit = Math.floor(weight * MAX_ERROR_SHARE);
    let best: { slots: Filling[]; errors: number } | undefined;
    const walk = (index: number, at: number, errors: number, slots: readonly Filling[]): void => {
      if (errors > limit || (best && errors >= best.errors)) return;
      const piece = pieces[index];
      if (!piece) {
        if (at === line.length) best = { slots: [...slots], errors };
        return;
      }
      if ('literal' in piece) {
        // The full stop at the end is the faintest character and invisible in small text.
        const isCut = index === pieces.length - 1 && piece.literal.endsWith('.');
        const literal =
          isCut && line.length - at === piece.literal.length - 1 ? piece.literal.slice(0, -1) : piece.literal;
        if (at + literal.length > line.length) return;
        walk(index + 1, at + literal.length, errors + this.#differences(literal, line, at), slots);
        return;
      }
      const isLast = index === pieces.length - 1;
      const furthest = Math.min(line.length, at + MAX_NAME_LENGTH);
      for (let end = isLast ? line.length : at + 1; end <= furthest; end++) {
        const name = line.slice(at, end);
        if (isName(name)) walk(index + 1, end, errors, [...slots, { at, name }]);
      }
    };
    walk(0, 0, 0, []);
    return (
      best && {
        slots: best.slots,
        errorShare: weight === 0 ? 0 : best.errors / weight,
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
   * Returns the known name that was meant, else the name as read. Lookalikes are free; any other differing character must be a
   * rival of the one read: nearly tied for a name seen once, less so for a well-known one.
   */
  #correctName(read: string, at: number, rivals: Rivals): string {
    let best = read;
    let bestCount = this.sightings(read);
    for (const [name, count] of this.#names) {
      if (name.length !== read.length || count <= bestCount || count < MIN_SIGHTINGS) continue;
      let differing = 0;
      let cost = 0;
      for (let i = 0; i < name.length; i++) {
        if (name[i] === read[i] || this.#canon(name[i]!) === this.#canon(read[i]!)) continue;
        differing++;
        cost += 1 - (rivals(at + i).get(name[i]!) ?? 0);
      }
      const isWellKnown =
        count >= MIN_SIGHTINGS_WELL_KNOWN &&
        cost <= MAX_MEAN_COST * differing &&
        differing <= Math.max(1, name.length / 5);
      if (differing === 0 || cost <= 1 - REPLACE_SHARE || isWellKnown) {
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
