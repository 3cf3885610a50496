import type { Dictionary, SlotRules, Word } from '../dictionary/dictionary.ts';
import { slotNames } from '../dictionary/format.ts';
import { findNearestName, findWordsByName, searchWords } from '../dictionary/search.ts';
import { PlaybyplayError } from '../errors.ts';
import { didYouMean } from '../spelling.ts';
import type { CommandIo } from './command.ts';

/** Finds the words of a name. Throws PlaybyplayError `unknown-word` with the nearest name. */
function findWords(dictionary: Dictionary, text: string): readonly Word[] {
  const words = findWordsByName(dictionary, text);
  if (words.length > 0) return words;
  const near = findNearestName(dictionary, text);
  throw new PlaybyplayError('unknown-word', `the dictionary has no word “${text}”`, {
    hint: near ? didYouMean(near) : 'Look for it with: playbyplay dictionary search <text>',
  });
}

/** Prints words as an indented tree, each with its definition. */
export function printTree(dictionary: Dictionary, name: string | undefined, depth: number, io: CommandIo): void {
  const roots = name === undefined ? dictionary.roots() : findWords(dictionary, name);
  for (const root of roots) {
    for (const word of dictionary.ordered.slice(root.order, root.last + 1)) {
      const level = word.depth - root.depth;
      if (level < depth) io.stdout.write(`${'  '.repeat(level)}${word.id} — ${word.definition}\n`);
    }
  }
}

/** Prints everything about a word. */
export function printWord(dictionary: Dictionary, name: string, json: boolean, io: CommandIo): void {
  for (const word of findWords(dictionary, name))
    io.stdout.write(json ? `${JSON.stringify(wordToJson(word, dictionary))}\n` : `${formatWord(word, dictionary)}\n`);
}

/** Prints the words that match a text. Returns the exit code. */
export function printFound(dictionary: Dictionary, text: string, json: boolean, io: CommandIo): number {
  const found = searchWords(dictionary, text);
  for (const word of found)
    io.stdout.write(
      json ? `${JSON.stringify(wordToJson(word, dictionary))}\n` : `${word.id} (${word.kind}) — ${word.definition}\n`,
    );
  if (found.length > 0) return 0;
  const near = findNearestName(dictionary, text);
  io.stderr.write(`nothing found for “${text}”${near ? `. ${didYouMean(near)}` : ''}\n`);
  return 1;
}

function wordToJson(word: Word, dictionary: Dictionary): object {
  return {
    id: word.id,
    kind: word.kind,
    name: word.name,
    dictionary: word.namespace,
    definition: word.definition,
    ancestors: dictionary.ancestors(word.id, word.kind).map(({ id }) => id),
    children: word.children.map(({ id }) => id),
    synonyms: word.synonyms,
    ...(word.kind === 'object' && { plural: word.plural }),
    ...(word.kind === 'action' && { forms: word.forms, nouns: word.nouns, slots: word.slots }),
    ...(word.causes && { causes: word.causes.id }),
    ...(word.examples.length > 0 && { examples: word.examples }),
  };
}

function formatWord(word: Word, dictionary: Dictionary): string {
  const lines = [
    `${word.id} (${word.kind}, ${word.namespace})`,
    `  ${word.definition}`,
    `  is a: ${
      dictionary
        .ancestors(word.id, word.kind)
        .map(({ id }) => id)
        .join(' → ') || 'root'
    }`,
  ];
  if (word.children.length > 0) lines.push(`  kinds: ${word.children.map(({ id }) => id).join(', ')}`);
  if (word.synonyms.length > 0) lines.push(`  also: ${word.synonyms.join(', ')}`);
  if (word.kind === 'object') lines.push(`  plural: ${word.plural}`);
  if (word.kind === 'action') {
    const { third, past, participle, gerund } = word.forms;
    lines.push(
      `  forms: ${[third, past, participle, gerund].join(', ')}${word.nouns.length > 0 ? `; nouns: ${word.nouns.join(', ')}` : ''}`,
      ...(word.causes ? [`  causes: its object to ${word.causes.name}`] : []),
      ...formatPattern(word.slots),
    );
  }
  for (const example of word.examples) lines.push(`  for example: ${example}`);
  return lines.join('\n');
}

function formatPattern(slots: SlotRules): string[] {
  return slotNames.flatMap((slot) => {
    const { use, accepts, preposition, word, source } = slots[slot];
    if (use === 'optional' && accepts.length === 0) return [];
    const introduced = preposition === '' || use === 'none' ? '' : ` (“${preposition} …”)`;
    const what = use === 'within' ? `said by the word itself${word ? `: ${word}` : ''}` : use;
    const filler = accepts.length > 0 && use !== 'none' ? `: ${accepts.join(' or ')}` : '';
    return [`  ${slot}: ${what}${filler}${introduced}${source ? `, from ${source}` : ''}`];
  });
}
