/**
 * `playbyplay/dictionary`: the words of events, and sentences made of them.
 *
 * Load a dictionary with {@link loadBuiltin} or {@link loadDictionary}, turn sentences into statements with {@link parse} and
 * statements into sentences with {@link render}.
 *
 * @example
 * ```ts
 * import { loadBuiltin, parse, render } from 'playbyplay/dictionary';
 *
 * const { dictionary } = await loadBuiltin();
 * const { statement, issues } = parse('an opponent was killed by the player', dictionary);
 * if (statement) render(statement, dictionary); // 'player kills opponent'
 * else console.error(issues);
 * ```
 *
 * @module
 */
export type {
  ActionStatement,
  Mention,
  PropertyStatement,
  PropertyValue,
  Slot,
  Statement,
  WordId,
} from '../events/statement.ts';
export {
  Dictionary,
  type DictionaryInfo,
  type EventDefinition,
  type SlotRule,
  type SlotRules,
  type Word,
  type WordSeed,
} from './dictionary.ts';
export { languageCodes, type LanguageCode } from './languages/format.ts';
export { loadLanguage, type Language } from './languages/language.ts';
export { diffDictionaries, type Change, type DictionaryDiff } from './diff.ts';
export { dictionaryNames, loadBuiltin, readSources } from './files.ts';
export type {
  DictionaryFile,
  EventEntry,
  SlotEntry,
  SlotName,
  SlotUse,
  StepEntry,
  WordEntry,
  WordKind,
} from './format.ts';
export { hedDictionary, parseHedSchema, type HedSchema, type HedTag } from './hed.ts';
export type { IrregularForms, Person, Tense, VerbForms } from './inflection.ts';
export { issueCodes, type DictionaryIssue, type IssueCode } from './issues.ts';
export { loadDictionary, type DictionarySource, type LoadedDictionary, type LoadOptions } from './load.ts';
export { searchWords } from './search.ts';
export type { SentenceIssue } from './sentences/parse-errors.ts';
export { parse, type Parsed, type ParseOptions } from './sentences/parse.ts';
export { renderCaption, type CaptionSize, type CasterOptions } from './sentences/caster.ts';
export { render, type Style } from './sentences/render.ts';
export { isStatement, validateStatement } from './statements.ts';
