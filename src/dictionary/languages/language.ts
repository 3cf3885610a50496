import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Statement, WordId } from '../../events/statement.ts';
import { ROOT } from '../../version.ts';
import type { Dictionary } from '../dictionary.ts';
import { ChinesePhrasing } from './chinese.ts';
import type { LanguageCode, LanguageFile } from './format.ts';
import { GermanPhrasing } from './german.ts';
import type { Phrasing } from './phrasing.ts';
import { SpanishPhrasing } from './spanish.ts';

/** A language in which statements can be written, from {@link loadLanguage}. */
export interface Language {
  readonly code: LanguageCode;
  /** Words that were written in English, because the language lacks them. */
  readonly missing: ReadonlySet<WordId>;
  /** Writes a statement as a sentence without full stop. */
  write(statement: Statement): string;
}

const phrasings = { de: GermanPhrasing, es: SpanishPhrasing, zh: ChinesePhrasing };

/**
 * Loads a language besides English. Its sentences are written only, not read.
 *
 * @example
 * const { dictionary } = await loadBuiltin();
 * const german = await loadLanguage('de', dictionary);
 * const statement = { subject: 'player', action: 'kill', object: 'opponent', with: 'railgun' };
 * render(statement, dictionary, { language: german }); // 'Der Spieler tötet einen Gegner mit der Railgun'
 */
export async function loadLanguage(code: LanguageCode, dictionary: Dictionary): Promise<Language> {
  const path = join(ROOT, 'dictionary', 'languages', `${code}.json`);
  const phrasing: Phrasing = new phrasings[code](dictionary, JSON.parse(await readFile(path, 'utf8')) as LanguageFile);
  return { code, missing: phrasing.missing, write: (statement) => phrasing.write(statement) };
}
