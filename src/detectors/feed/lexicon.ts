import { plainCase } from '../text/atlas.ts';
import { parsePhrases, type PhraseEntry, type Wording } from '../text/lexicon.ts';

/** For a column of the line: how much speaks for other characters, as a share (0…1) of what speaks for the one read. */
export type Rivals = (column: number) => ReadonlyMap<string, number>;

const NO_RIVALS: ReadonlyMap<string, number> = new Map();

/** The phrase that explains a line, with its slots as read. */
export interface ParsedLine {
  readonly wording: Wording;
  readonly fillings: readonly SlotText[];
  /** Misread literal characters, as a share of all. */
  readonly errorShare: number;
}

/** A line understood as one of the phrases, with the names resolved. */
export interface PhraseMatch {
  readonly entry: PhraseEntry;
  readonly wording: Wording;
  readonly slots: Readonly<Record<string, string>>;
  /** The phrase with its slots filled: the line with its misreadings corrected. */
  readonly text: string;
  /** Misread literal characters, as a share of all. */
  readonly errorShare: number;
  /** No other line shows one of its names: a later one may confirm or correct it. */
  readonly unconfirmed: boolean;
  /** An unconfirmed name in it is uncertain, or almost another player's. */
  readonly doubtful: boolean;
}

/** A slot's text as read. */
export interface SlotText {
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
/** Largest mean cost of a differing character for which a well-known name is taken in place of one that other lines show, too. */
const MAX_MEAN_COST = 0.35;
/** The same for a name that no other line shows: a misread character is far likelier than a new player of almost that name. */
const MAX_MEAN_COST_UNCONFIRMED = 0.65;
/** Cost of a character that was not read: scenery can hide any. */
const BLANK_COST = 0.5;
/** Share of a name's characters by which two names are almost the same. */
const NEAR_NAME_SHARE = 0.4;

const NO_NAMES: ReadonlyMap<string, number> = new Map();

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
  parse(line: string): ParsedLine | undefined {
    let best: ParsedLine | undefined;
    for (const wording of this.#phrases) {
      const found = this.#align(wording, line);
      if (!found) continue;
      const better =
        !best ||
        found.errorShare < best.errorShare - 1e-9 ||
        (found.errorShare < best.errorShare + 1e-9 && wording.weight > best.wording.weight);
      if (better) best = { wording, fillings: found.slots, errorShare: found.errorShare };
    }
    return best;
  }

  /**
   * Resolves the names of a line.
   *
   * @param waiting How many other lines that are not learned yet show a name.
   */
  resolve(
    { wording, fillings, errorShare }: ParsedLine,
    rivals: Rivals = () => NO_RIVALS,
    waiting: ReadonlyMap<string, number> = NO_NAMES,
  ): PhraseMatch {
    const slots: Record<string, string> = {};
    let text = '';
    let next = 0;
    let unconfirmed = false;
    let doubtful = false;
    for (const piece of wording.pieces) {
      if ('literal' in piece) text += piece.literal;
      else {
        const read = fillings[next++]!;
        const name = this.#correctName(plainCase(read.name, this.#canon), read.at, rivals, waiting);
        if (this.sightings(name) + (waiting.get(name) ?? 0) === 0) {
          unconfirmed = true;
          if (this.#isUncertain(name, read.at, rivals) || this.#isAlmostKnown(name, waiting)) doubtful = true;
        }
        slots[piece.slot] = name;
        text += name;
      }
    }
    return { entry: wording.entry, wording, slots, text, errorShare, unconfirmed, doubtful };
  }

  /** Returns the names of a line as read, lookalikes resolved. */
  namesIn({ fillings }: ParsedLine): readonly string[] {
    return fillings.map(({ name }) => plainCase(name, this.#canon));
  }

  /** Returns how often a name was seen; doubtful sightings count less. */
  sightings(name: string): number {
    return this.#names.get(name) ?? 0;
  }

  #isUncertain(name: string, at: number, rivals: Rivals): boolean {
    return Array.from(name, (_, i) => rivals(at + i)).some((others) =>
      others.values().some((share) => share >= DOUBT_SHARE),
    );
  }

  /** Whether a name differs in few characters from one that lines show. */
  #isAlmostKnown(name: string, waiting: ReadonlyMap<string, number>): boolean {
    const limit = Math.max(1, Math.floor(name.length * NEAR_NAME_SHARE));
    return [...this.#names.keys(), ...waiting.keys()].some((known) => {
      if (
        known === name ||
        known.length !== name.length ||
        this.sightings(known) + (waiting.get(known) ?? 0) < MIN_SIGHTINGS
      )
        return false;
      return this.#differences(known, name, 0) <= limit;
    });
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
    const name = this.#correctName(plainCase(read, this.#canon), 0, rivals, NO_NAMES);
    const isDoubtful = this.sightings(name) < MIN_SIGHTINGS && this.#isUncertain(name, 0, rivals);
    this.#see(name, isDoubtful ? DOUBTFUL_WEIGHT : 1);
  }

  #see(name: string, weight: number): void {
    this.#names.set(name, this.sightings(name) + weight);
  }

  /** Fills the slots so that the literal text has the fewest misread characters. */
  #align({ pieces, weight }: Wording, line: string): { slots: SlotText[]; errorShare: number } | undefined {
    const limit = Math.floor(weight * MAX_ERROR_SHARE);
    let best: { slots: SlotText[]; errors: number } | undefined;
    const walk = (index: number, at: number, errors: number, slots: readonly SlotText[]): void => {
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
   * rival of the one read: nearly tied for a name seen once, less so for a well-known one, least if no other line shows the name
   * as read.
   */
  #correctName(read: string, at: number, rivals: Rivals, waiting: ReadonlyMap<string, number>): string {
    const countOf = (name: string): number => this.sightings(name) + (waiting.get(name) ?? 0);
    const own = countOf(read);
    let best = read;
    let bestCount = own;
    for (const name of new Set([...this.#names.keys(), ...waiting.keys()])) {
      const count = countOf(name);
      if (name.length !== read.length || count <= bestCount || count < MIN_SIGHTINGS) continue;
      let differing = 0;
      let cost = 0;
      // Numbers distinguish players: Player1 and Player2 are both likely.
      let isNumbered = false;
      for (let i = 0; i < name.length; i++) {
        if (name[i] === read[i] || this.#canon(name[i]!) === this.#canon(read[i]!)) continue;
        differing++;
        cost += Math.min(1 - (rivals(at + i).get(name[i]!) ?? 0), read[i] === ' ' ? BLANK_COST : 1);
        isNumbered ||= /^\d\d$/.test(name[i]! + read[i]!);
      }
      const maxMeanCost = own < MIN_SIGHTINGS && !isNumbered ? MAX_MEAN_COST_UNCONFIRMED : MAX_MEAN_COST;
      const isWellKnown =
        count >= MIN_SIGHTINGS_WELL_KNOWN * (1 + own) &&
        cost <= maxMeanCost * differing &&
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
