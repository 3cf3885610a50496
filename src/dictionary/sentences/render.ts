import type { Statement } from '../../events/statement.ts';
import type { Dictionary } from '../dictionary.ts';
import type { Person, Tense } from '../inflection.ts';
import type { Language } from '../languages/language.ts';
import { writeAsCaster } from './caster.ts';
import { writeSentence } from './sentence-writer.ts';

/** The style of a rendered sentence. */
export interface Style {
  /** Default `present`. */
  readonly tense?: Tense;
  /** Writes articles: "the player kills an opponent". Default false. */
  readonly articles?: boolean;
  /** How the sentence refers to the player: `second` writes "you kill …, your health …". Default `third`. */
  readonly person?: Person;
  /** Starts with a capital letter and ends with a full stop. Default false. */
  readonly sentence?: boolean;
  /**
   * `caster` puts it as a caster would: past tense, characters by their names alone, and varied from one event to the next.
   * Read it with {@link parse} and the characters as `cast`. Default `log`.
   */
  readonly style?: 'log' | 'caster';
  /** Writes in another language than English, from {@link loadLanguage}, in the present tense. Such sentences are not read. */
  readonly language?: Language;
  /** With `caster`: chooses among the wordings, the event's id. The same seed and statement give the same sentence. */
  readonly seed?: string;
}

/**
 * Renders a statement as an English sentence.
 *
 * Without a style it writes the canonical form of event logs: present tense, no articles, readable by {@link parse}.
 *
 * @throws RangeError for a word that the dictionary does not have; call {@link validateStatement} first.
 * @example
 * const { dictionary } = await loadBuiltin();
 * const statement = { subject: 'player', action: 'kill', object: 'opponent', with: 'railgun' };
 * render(statement, dictionary); // 'player kills opponent with railgun'
 * render(statement, dictionary, { tense: 'past', articles: true, sentence: true });
 * // 'The player killed an opponent with a railgun.'
 * render(statement, dictionary, { style: 'caster', seed: 'event 1' }); // 'The player killed an opponent with the railgun'
 */
export function render(statement: Statement, dictionary: Dictionary, style: Style = {}): string {
  if (style.language) {
    const text = style.language.write(statement);
    return style.sentence ? `${text}${style.language.code === 'zh' ? '。' : '.'}` : text;
  }
  const { tense = 'present', person = 'third', articles, sentence, seed } = style;
  if (style.style === 'caster') {
    const text = writeAsCaster(statement, dictionary, { seed, person });
    return sentence ? `${text}.` : text;
  }
  const text = writeSentence(statement, dictionary, { tense, person, articles: articles ? 'indefinite' : 'none' });
  return sentence ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.` : text;
}
