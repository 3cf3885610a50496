import { PlaybyplayError } from '../../errors.ts';

/** A phrase that texts follow: literal text with `{slots}` and `(alternatives|…)`; further keys are for the script. */
export interface PhraseEntry {
  /** One wording, or several that say the same. */
  readonly text: string | readonly string[];
  readonly [key: string]: unknown;
}

export interface LexiconFile {
  readonly format: 'playbyplay/lexicon/1';
  readonly phrases: readonly PhraseEntry[];
  /** Names that slots are known to hold from the start; others are learnt from the lines themselves. */
  readonly names?: readonly string[];
  /** What stands between the name and the words of somebody who speaks (": "): such lines tell names. */
  readonly speaker?: string;
}

export type Piece = { readonly literal: string } | { readonly slot: string };

/** One wording of an entry, taken apart. */
export interface Wording {
  readonly entry: PhraseEntry;
  readonly text: string;
  readonly pieces: readonly Piece[];
  /** Characters of literal text. */
  readonly weight: number;
}

const MOST_PHRASES = 5000;

/** Reads a lexicon file; throws PlaybyplayError `bad-lexicon`. */
export function parsePhrases(json: string, name: string): LexiconFile & { readonly wordings: readonly Wording[] } {
  const file = parse(json, name);
  const wordings = file.phrases.flatMap((entry) =>
    (typeof entry.text === 'string' ? [entry.text] : entry.text).flatMap(alternatives).map((text): Wording => {
      const pieces = piecesOf(text.normalize('NFC'));
      const weight = pieces.reduce((sum, piece) => sum + ('literal' in piece ? piece.literal.length : 0), 0);
      return { entry, text, pieces, weight };
    }),
  );
  if (wordings.length > MOST_PHRASES)
    throw new PlaybyplayError('bad-lexicon', `${name} has more than ${MOST_PHRASES} phrases`);
  return { ...file, wordings };
}

/** What an entry is for the script, and what its slots held. */
export function detailOf(
  { entry, text }: Wording,
  slots: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  return { ...entry, ...(typeof entry.text === 'string' ? {} : { text }), slots };
}

function parse(json: string, name: string): LexiconFile {
  let file: LexiconFile;
  try {
    file = JSON.parse(json) as LexiconFile;
  } catch (error) {
    throw new PlaybyplayError('bad-lexicon', `${name} is not JSON`, {
      cause: error,
    });
  }
  if (file?.format !== 'playbyplay/lexicon/1' || !Array.isArray(file.phrases))
    throw new PlaybyplayError('bad-lexicon', `${name} is not a playbyplay/lexicon/1 file with phrases`);
  for (const [i, phrase] of file.phrases.entries()) {
    const texts: unknown[] = Array.isArray(phrase?.text) ? phrase.text : [phrase?.text];
    if (texts.length === 0 || !texts.every((text) => typeof text === 'string' && text !== ''))
      throw new PlaybyplayError('bad-lexicon', `${name}: phrase ${i + 1} has no text`);
  }
  return file;
}

/** `tripped on (his|her) own grenade` → both. */
function alternatives(text: string): string[] {
  const group = /\(([^()|]*(?:\|[^()|]*)+)\)/.exec(text);
  if (!group) return [text];
  const [before, after] = [text.slice(0, group.index), text.slice(group.index + group[0].length)];
  return group[1]!.split('|').flatMap((choice) => alternatives(before + choice + after));
}

function piecesOf(text: string): Piece[] {
  return text
    .split(/(\{[^{}]+\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? { slot: part.slice(1, -1) } : { literal: part }));
}
