import { isPropertyStatement, type Statement, toMention, type WordId } from '../../events/statement.ts';
import type { Dictionary, Word } from '../dictionary.ts';
import type { WordKind } from '../format.ts';
import { SECOND } from '../sentences/function-words.ts';
import { writeClock } from '../sentences/tokenize.ts';
import type { Entry, LanguageFile } from './format.ts';

/** A verb of a language. */
interface Verb {
  /** Present tense, third person singular and plural. */
  readonly third: string;
  readonly plural: string;
  readonly participle: string;
  readonly options: ReadonlyMap<string, string>;
}

/** What the sentences of all languages have in common: the words of a language, and numbers. */
export abstract class Phrasing {
  readonly dictionary: Dictionary;
  /** Ids of words that the language lacks: their English names are written. */
  readonly missing = new Set<WordId>();
  private readonly entries: Readonly<Record<WordKind, Readonly<Record<WordId, Entry>>>>;

  constructor(dictionary: Dictionary, { objects, actions, properties }: LanguageFile) {
    this.dictionary = dictionary;
    this.entries = { object: parseEntries(objects), action: parseEntries(actions), property: parseEntries(properties) };
  }

  /** Writes a statement, with a capital letter where the language has them and without a full stop. */
  abstract write(statement: Statement): string;

  /** The entry of a word; `undefined` for a word that the language lacks, which is then noted in `missing`. */
  protected find(id: WordId, kind: WordKind): Entry | undefined {
    const entries = this.entries[kind];
    const entry = Object.hasOwn(entries, id) ? entries[id] : undefined;
    if (entry === undefined && !properName.test(id)) this.missing.add(id);
    return entry;
  }

  /** @throws RangeError for a word that the dictionary does not have. */
  protected word(id: WordId, kind?: WordKind): Word {
    const word = this.dictionary.find(id, kind);
    if (!word) throw new RangeError(`the dictionary has no ${kind ?? 'word'} ${JSON.stringify(id)}`);
    return word;
  }

  /** The forms of a verb and the options of its entry; of a verb that the language lacks, the English forms. */
  protected verb(action: WordId): Verb {
    const { forms, options = new Map<string, string>() } = this.find(action, 'action') ?? {};
    const { third, base, participle } = this.word(action, 'action').forms;
    return { third: forms?.[0] ?? third, plural: forms?.[1] ?? base, participle: forms?.[2] ?? participle, options };
  }

  /** Is it somebody, whom some languages treat differently from things? */
  protected isCharacter(id: WordId): boolean {
    return this.dictionary.isA(id, 'character', 'object');
  }

  /** The name of a word of any kind as a value, without article. */
  protected kindOf(id: WordId): WordKind {
    return this.word(id).kind;
  }

  /** The time on a clock of an amount of seconds from a minute on. */
  protected clock(amount: number, unit: WordId | undefined): string | undefined {
    return unit === SECOND ? writeClock(amount) : undefined;
  }
}

/** Names of maps and the like, which are the same in all languages: `freedoom:E1M1`. */
const properName = /^(?:[a-z-]+:)?[A-Z0-9]+$/;

/** "head; key=value; flag" */
function parseEntries(entries: Readonly<Record<WordId, string>> = {}): Record<WordId, Entry> {
  return Object.fromEntries(
    Object.entries(entries).map(([id, text]): [WordId, Entry] => {
      const [head, ...options] = text.split(';').map((part) => part.trim());
      const pairs = options.map((option) => {
        const at = option.indexOf('=');
        return at < 0 ? ([option, ''] as const) : ([option.slice(0, at), option.slice(at + 1)] as const);
      });
      return [id, { forms: head!.split('/'), options: new Map(pairs) }];
    }),
  );
}

/** Joins the parts that are there with spaces. */
export function joinWords(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}

/** Starts a sentence, unless with a name. */
export function capitalize(text: string, statement: Statement): string {
  const subject = isPropertyStatement(statement) ? undefined : (statement.subject ?? statement.object);
  const startsWithName = subject !== undefined && text.startsWith(toMention(subject).name ?? '\0');
  return startsWithName ? text : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** A number with a decimal comma and with the whole part in groups of three from five digits on. */
export function writeNumber(value: number, groupSeparator: string): string {
  const [, sign, whole, fraction] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(value)) ?? [];
  if (whole === undefined) return String(value).replace('.', ',');
  const grouped = whole.length > 4 ? whole.replaceAll(/\B(?=(?:\d{3})+$)/g, groupSeparator) : whole;
  return `${sign === '-' ? '−' : ''}${grouped}${fraction === undefined ? '' : `,${fraction}`}`;
}
