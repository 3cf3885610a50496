import { slotKind } from '../dictionary/format.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import type { WordKind } from '../dictionary/format.ts';
import { suggestWord } from '../dictionary/search.ts';
import type { Issue } from '../errors.ts';
import { checkSchema } from '../schema/check.ts';
import { patternSlots } from './match/patterns.ts';
import type { Condition, MentionPattern, Query, SlotPattern, ValuePattern } from './query.ts';
import { querySchema } from './schema.ts';

/** Everything that keeps a structured query from being one for this dictionary; paths are JSON pointers into it. */
export function checkQuery(query: unknown, dictionary: Dictionary): readonly Issue[] {
  const shape = checkSchema(querySchema, query);
  if (shape.length > 0) return shape;
  const checker = new WordChecker(dictionary);
  const { find, by } = query as Query;
  checker.condition(find, '/find');
  by?.forEach((key, index) => {
    if ('word' in key) checker.words(key.word, 'object', `/by/${index}/word`);
  });
  return checker.issues;
}

class WordChecker {
  readonly issues: Issue[] = [];
  private readonly dictionary: Dictionary;

  constructor(dictionary: Dictionary) {
    this.dictionary = dictionary;
  }

  condition(condition: Condition, path: string): void {
    if ('all' in condition) this.conditions(condition.all, `${path}/all`);
    else if ('not' in condition) this.condition(condition.not, `${path}/not`);
    else if ('sequence' in condition) {
      this.conditions(condition.sequence, `${path}/sequence`);
      this.conditions(condition.without ?? [], `${path}/without`);
    } else if ('near' in condition) {
      this.condition(condition.find, `${path}/find`);
      this.condition(condition.near, `${path}/near`);
    } else if ('action' in condition) this.pattern(condition, 'action', path);
    else if ('property' in condition) this.pattern(condition, 'property', path);
    else if ('mentions' in condition) this.slot(condition.mentions as SlotPattern, undefined, `${path}/mentions`);
    else if ('event' in condition) this.events(condition.event, `${path}/event`);
    else if ('any' in condition) this.conditions(condition.any as readonly Condition[], `${path}/any`);
  }

  words(ids: readonly string[], kind: WordKind | undefined, path: string): void {
    ids.forEach((id, index) => {
      if (this.dictionary.find(id, kind)) return;
      const known = (kind === undefined ? this.dictionary.ordered : this.dictionary.words(kind)).map((word) => word.id);
      this.report(`${path}/${index}`, `"${id}" is not a known ${kind ?? 'word'}`, suggestWord(id, known));
    });
  }

  private report(path: string, message: string, hint: string | undefined): void {
    this.issues.push({ code: 'unknown-word', path: `#${path}`, message, ...(hint !== undefined && { hint }) });
  }

  private conditions(conditions: readonly Condition[], path: string): void {
    conditions.forEach((each, index) => this.condition(each, `${path}/${index}`));
  }

  private pattern(pattern: object, kind: 'action' | 'property', path: string): void {
    const parts = pattern as Readonly<Record<string, unknown>>;
    this.words(parts[kind] as string[], kind, `${path}/${kind}`);
    for (const slot of patternSlots) {
      // In a property pattern "from" and "to" are values.
      if (parts[slot] === undefined || (kind === 'property' && slot !== 'subject')) continue;
      this.slot(parts[slot] as SlotPattern, slotKind(slot), `${path}/${slot}`);
    }
    if (kind === 'action') this.words((parts['unit'] as string[] | undefined) ?? [], 'object', `${path}/unit`);
    else
      for (const key of ['from', 'to'])
        this.mentions((parts[key] as ValuePattern | undefined)?.any, undefined, `${path}/${key}/any`);
  }

  private slot({ any, except }: SlotPattern, kind: WordKind | undefined, path: string): void {
    this.mentions(any, kind, `${path}/any`);
    this.mentions(except, kind, `${path}/except`);
  }

  private mentions(mentions: readonly MentionPattern[] | undefined, kind: WordKind | undefined, path: string): void {
    mentions?.forEach(({ words, of }, index) => {
      this.words(words ?? [], kind, `${path}/${index}/words`);
      if (of) this.mentions([of], 'object', `${path}/${index}/of`);
    });
  }

  private events(ids: readonly string[], path: string): void {
    const known = this.dictionary.events.map((event) => event.id);
    ids.forEach((id, index) => {
      if (!known.includes(id))
        this.report(`${path}/${index}`, `"${id}" is not a known composite event`, suggestWord(id, known));
    });
  }
}
