import { PlaybyplayError } from '../../errors.ts';
import { foldText, splitGraphemes, type FoldOptions } from '../../language/text.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';
import { parseJsonFile } from '../../schema/parse.ts';
import { editDistance } from '../../spelling.ts';

/** A text as the lexicon corrects it. */
export interface Correction {
  readonly text: string;
  readonly confidence: number;
  /** Of a phrase: its entry and the values of its slots. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** The texts that can occur: literal ones, or phrases with slots for names. */
export interface TextLexicon {
  /** Returns the text that was meant by a reading, if one is near enough and clearly nearer than every other. */
  find(read: string): Correction | undefined;
}

/**
 * Opens a lexicon: phrases (a playbyplay/lexicon/1 file), or texts, one a line.
 *
 * @param name Names the file in errors.
 * @throws PlaybyplayError `bad-lexicon`.
 */
export function openLexicon(
  content: string,
  name: string,
  languages: readonly string[],
  ignoring: FoldOptions,
): TextLexicon {
  const text = content.replace(/^\uFEFF/, '');
  const lexicon = /^\s*\{/.test(text)
    ? new PhraseLexicon(parsePhrases(text, name).wordings, languages, { ...ignoring, case: true })
    : new LineLexicon(text, name, languages, ignoring);
  return new CachedLexicon(lexicon);
}

/** Caches corrections: a line is shown for many samples. */
class CachedLexicon implements TextLexicon {
  readonly #lexicon: TextLexicon;
  readonly #known = new Map<string, Correction | undefined>();

  constructor(lexicon: TextLexicon) {
    this.#lexicon = lexicon;
  }

  find(read: string): Correction | undefined {
    if (this.#known.has(read)) return this.#known.get(read);
    const found = this.#lexicon.find(read);
    if (this.#known.size > 1000) this.#known.clear();
    this.#known.set(read, found);
    return found;
  }
}

/** Share of a text's characters that may be misread. */
const MAX_TEXT_ERRORS = 0.15;

/** Literal texts. The confidence falls with the share of characters that are corrected. */
class LineLexicon implements TextLexicon {
  readonly #texts: readonly { readonly text: string; readonly folded: string }[];
  readonly #fold: (text: string) => string;

  constructor(content: string, name: string, languages: readonly string[], ignoring: FoldOptions) {
    this.#fold = (text) => foldText(text, languages, ignoring);
    this.#texts = content
      .split(/\r?\n/)
      .filter((line) => line !== '')
      .map((line) => ({ text: line.normalize('NFC'), folded: this.#fold(line) }));
    if (this.#texts.length === 0)
      throw new PlaybyplayError('bad-lexicon', `${name} is empty`, { hint: 'Write one text a line.' });
  }

  find(read: string): Correction | undefined {
    const folded = this.#fold(read);
    let text: string | undefined;
    let best = Number.POSITIVE_INFINITY;
    let next = Number.POSITIVE_INFINITY;
    for (const candidate of this.#texts) {
      const limit = Math.max(4, Math.ceil(candidate.folded.length * MAX_TEXT_ERRORS) + 3);
      const distance = editDistance(folded, candidate.folded, limit);
      if (distance < best) {
        next = best;
        best = distance;
        text = candidate.text;
      } else if (distance < next) next = distance;
    }
    if (text === undefined || best > text.length * MAX_TEXT_ERRORS || next - best < 2) return undefined;
    return { text, confidence: EXACT_CONFIDENCE * (1 - best / text.length) };
  }
}

/** Confidence of a text that needs no correction. */
const EXACT_CONFIDENCE = 0.995;

/** Share of a phrase's literal characters that may be misread, lost or added. */
const MAX_PHRASE_ERRORS = 0.3;
/** Literal characters from which a phrase may have an error at all. */
const MIN_TOLERANT_LENGTH = 5;
/** Right characters that an error cancels. */
const ERROR_WEIGHT = 2;
/** Least lead of a phrase over those of other entries, in characters. */
const MIN_LEAD = 2;

/** Stands for a slot within a phrase: no character reads like it. */
const SLOT = '\uFFFF';

/** A phrase prepared for matching. */
interface PreparedPhrase {
  readonly wording: Wording;
  /** Folded characters of the phrase between its outer slots, and SLOT for those inside. */
  readonly core: string;
  readonly weight: number;
  /** How often each code unit occurs in it. */
  readonly counts: readonly (readonly [code: number, count: number])[];
}

/** A folded reading. */
interface FoldedText {
  readonly text: string;
  readonly counts: ReadonlyMap<number, number>;
  /** By position: the cost of beginning or ending a phrase there; 1 within a word. */
  readonly starts: Int16Array;
}

/** A phrase found in a reading. */
interface Match {
  readonly prepared: PreparedPhrase;
  readonly errors: number;
  readonly score: number;
  /** Where the core ends in the reading. */
  readonly end: number;
}

/**
 * Phrases, which may be anywhere in a reading: around them is scenery, or the names in their outer slots. The phrase wins that has
 * most right characters, less `ERROR_WEIGHT` for each wrong, lost or added one.
 */
class PhraseLexicon implements TextLexicon {
  readonly #phrases: readonly PreparedPhrase[];
  readonly #fold: (char: string) => string;

  constructor(wordings: readonly Wording[], languages: readonly string[], ignoring: FoldOptions) {
    const known = new Map<string, string>([[' ', ' ']]);
    this.#fold = (char) => {
      let folded = known.get(char);
      if (folded === undefined)
        known.set(char, (folded = /^\s/u.test(char) ? ' ' : foldText(char, languages, ignoring)));
      return folded;
    };
    this.#phrases = wordings.map((wording) => {
      const inner = wording.pieces.map((piece) =>
        'slot' in piece ? SLOT : splitGraphemes(piece.literal).map(this.#fold).join(''),
      );
      const core = inner.join('').replace(new RegExp(`^[${SLOT} ]+|[${SLOT} ]+$`, 'gu'), '');
      const literal = core.replaceAll(SLOT, '');
      return { wording, core, weight: literal.length, counts: [...countsOf(literal)] };
    });
  }

  find(read: string): Correction | undefined {
    const { text, from } = this.#folded(read);
    const given: FoldedText = {
      text,
      counts: countsOf(text),
      starts: Int16Array.from({ length: text.length + 1 }, (_, j) => (isInWord(text, j) ? 1 : 0)),
    };
    let best: Match | undefined;
    let next = 0;
    for (const prepared of this.#phrases) {
      const found = matchIn(given, prepared);
      if (!found) continue;
      const isSame = best?.prepared.wording.entry === prepared.wording.entry;
      if (!best || found.score > best.score) {
        if (best && !isSame) next = Math.max(next, best.score);
        best = found;
      } else if (!isSame) next = Math.max(next, found.score);
    }
    if (!best || best.score - next < MIN_LEAD) return undefined;
    const { prepared, errors } = best;
    const slots = slotsOf(best, given, read, from);
    const filled = prepared.wording.pieces.map((piece) => ('slot' in piece ? slots[piece.slot]! : piece.literal));
    return {
      text: filled.join('').trim(),
      confidence: EXACT_CONFIDENCE * (1 - errors / prepared.weight),
      detail: phraseDetail(prepared.wording, slots),
    };
  }

  /** Folds a reading; `from` maps each folded code unit to its place in the reading. */
  #folded(read: string): { text: string; from: number[] } {
    const from: number[] = [];
    let text = '';
    let at = 0;
    for (const char of splitGraphemes(read)) {
      const folded = this.#fold(char);
      text += folded;
      for (let i = 0; i < folded.length; i++) from.push(at);
      at += char.length;
    }
    from.push(at);
    return { text, from };
  }
}

function countsOf(text: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return counts;
}

/** Finds a phrase's core in the text with the fewest errors; undefined where there are too many. */
function matchIn(given: FoldedText, prepared: PreparedPhrase): Match | undefined {
  const { text, counts, starts } = given;
  const { core, weight } = prepared;
  const most = weight < MIN_TOLERANT_LENGTH ? 0 : Math.floor(weight * MAX_PHRASE_ERRORS);
  if (weight === 0 || weight - most > text.length) return undefined;
  // Characters that the text lacks are errors.
  let lacking = 0;
  for (const [code, count] of prepared.counts) {
    lacking += Math.max(0, count - (counts.get(code) ?? 0));
    if (lacking > most) return undefined;
  }
  const last = align(given, core, most)?.at(-1);
  if (!last) return undefined;
  let [errors, end] = [Number.POSITIVE_INFINITY, 0];
  for (const [j, cost] of last.entries()) {
    const all = cost + starts[j]!;
    if (all < errors) [errors, end] = [all, j];
  }
  return errors > most ? undefined : { prepared, errors, end, score: weight - ERROR_WEIGHT * errors };
}

/** More errors than any text can have. */
const IMPOSSIBLE_ERRORS = 1 << 14;

/** Edit distances by row (characters of the core) and column (of the text); undefined where all of a row exceed `most`. */
function align({ text, starts }: FoldedText, core: string, most: number): Int16Array[] | undefined {
  const columns = text.length + 1;
  const rows = [starts];
  for (let i = 0; i < core.length; i++) {
    const code = core.charCodeAt(i);
    const isSlot = core[i] === SLOT;
    const above = rows[i]!;
    const row = new Int16Array(columns);
    let left = isSlot ? IMPOSSIBLE_ERRORS : above[0]! + 1;
    let least = left;
    row[0] = left;
    for (let j = 1; j < columns; j++) {
      const diagonal = above[j - 1]!;
      if (isSlot) left = Math.min(left, diagonal);
      else {
        const cost = diagonal + (code === text.charCodeAt(j - 1) ? 0 : 1);
        left = Math.min(left + 1, cost, above[j]! + 1);
      }
      row[j] = left;
      if (left < least) least = left;
    }
    if (least > most) return undefined;
    rows.push(row);
  }
  return rows;
}

let spaced: RegExp | undefined;

/** Whether the place before character j is within a word, in scripts that separate words. */
function isInWord(text: string, j: number): boolean {
  // Compiled on first use, as that takes milliseconds.
  spaced ??= /[[\p{L}\p{N}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]]/v;
  return j > 0 && j < text.length && spaced.test(text[j - 1]!) && spaced.test(text[j]!);
}

/** Returns the slots' texts as read: inner ones by the alignment, outer ones what is left on their side. */
function slotsOf(
  { prepared, end }: Match,
  given: FoldedText,
  read: string,
  from: readonly number[],
): Record<string, string> {
  const { text } = given;
  const { core, wording } = prepared;
  const rows = align(given, core, IMPOSSIBLE_ERRORS)!;
  const inner: [number, number][] = [];
  let j = end;
  for (let i = core.length; i > 0; i--) {
    const [row, above] = [rows[i]!, rows[i - 1]!];
    if (core[i - 1] === SLOT) {
      const stop = j;
      while (row[j] === row[j - 1] && row[j] !== above[j - 1]) j--;
      j--;
      inner.unshift([j, stop]);
      continue;
    }
    while (j > 0 && row[j] === row[j - 1]! + 1 && row[j] !== above[j - 1]! + (core[i - 1] === text[j - 1] ? 0 : 1)) j--;
    const isKept = j > 0 && row[j] === above[j - 1]! + (core[i - 1] === text[j - 1] ? 0 : 1);
    if (isKept) j--;
  }
  const slots: Record<string, string> = {};
  let next = 0;
  for (const [i, piece] of wording.pieces.entries()) {
    if (!('slot' in piece)) continue;
    const [start, stop] =
      i === 0 ? [0, j] : i === wording.pieces.length - 1 ? [end, text.length] : (inner[next++] ?? [0, 0]);
    slots[piece.slot] = trimName(read.slice(from[start], from[stop]));
  }
  return slots;
}

/** Strips blanks and signs around a name. */
function trimName(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M})\]!?.]+$/gu, '').replace(/[.!?]+$/u, '');
}

const WORDING = { type: 'string', minLength: 1 } as const;

/** The JSON Schema of a lexicon file with phrases. */
export const lexiconSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:lexicon:1',
  title: 'Phrases that can appear on the screen',
  type: 'object',
  required: ['format', 'phrases'],
  properties: {
    format: { const: 'playbyplay/lexicon/1' },
    phrases: {
      type: 'array',
      items: {
        type: 'object',
        required: ['text'],
        properties: {
          text: {
            oneOf: [WORDING, { type: 'array', minItems: 1, items: WORDING }],
            description:
              'Literal text with `{slots}` and `(alternatives|…)`; a list holds several wordings with the same meaning.',
          },
        },
        description: 'A phrase. Further properties are passed on to the script.',
      },
    },
    names: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names that are known from the start; others are learned from the lines.',
    },
    speaker: {
      type: 'string',
      description: 'Separates the name of a speaker from the message (": "); names are learned from such lines, too.',
    },
  },
} as const satisfies Schema;

/** A lexicon file with phrases. */
export interface LexiconFile extends FromSchema<typeof lexiconSchema> {
  readonly phrases: readonly PhraseEntry[];
}

/** A phrase of a lexicon; further properties are passed on to the script. */
export interface PhraseEntry extends FromSchema<(typeof lexiconSchema)['properties']['phrases']['items']> {
  readonly [key: string]: unknown;
}

/** A part of a phrase: literal text, or a slot. */
export type Piece = { readonly literal: string } | { readonly slot: string };

/** One wording of an entry, parsed. */
export interface Wording {
  readonly entry: PhraseEntry;
  readonly text: string;
  readonly pieces: readonly Piece[];
  /** Characters of literal text. */
  readonly weight: number;
}

const MAX_PHRASES = 5000;

/**
 * Parses a lexicon file.
 *
 * @throws PlaybyplayError `bad-lexicon`.
 */
export function parsePhrases(json: string, name: string): LexiconFile & { readonly wordings: readonly Wording[] } {
  const file: LexiconFile = parseJsonFile(lexiconSchema, json, { source: name, code: 'bad-lexicon' });
  const wordings = file.phrases.flatMap((entry) =>
    (typeof entry.text === 'string' ? [entry.text] : entry.text).flatMap(expandAlternatives).map((text): Wording => {
      const pieces = splitPieces(text.normalize('NFC'));
      const weight = pieces.reduce((sum, piece) => sum + ('literal' in piece ? piece.literal.length : 0), 0);
      return { entry, text, pieces, weight };
    }),
  );
  if (wordings.length > MAX_PHRASES)
    throw new PlaybyplayError('bad-lexicon', `${name} has more than ${MAX_PHRASES} phrases`);
  return { ...file, wordings };
}

/** Returns the detail of a reading: the entry's keys and its slots' values. */
export function phraseDetail(
  { entry, text }: Wording,
  slots: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  return { ...entry, ...(typeof entry.text === 'string' ? {} : { text }), slots };
}

/** Expands alternatives: `tripped on (his|her) own grenade` becomes two texts. */
function expandAlternatives(text: string): string[] {
  const group = /\(([^()|]*(?:\|[^()|]*)+)\)/.exec(text);
  if (!group) return [text];
  const [before, after] = [text.slice(0, group.index), text.slice(group.index + group[0].length)];
  return group[1]!.split('|').flatMap((choice) => expandAlternatives(before + choice + after));
}

function splitPieces(text: string): Piece[] {
  return text
    .split(/(\{[^{}]+\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? { slot: part.slice(1, -1) } : { literal: part }));
}
