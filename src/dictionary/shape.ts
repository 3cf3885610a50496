import { suggestSpelling } from '../spelling.ts';
import type { IssueCode, DictionaryIssue } from './issues.ts';
import {
  limits,
  listOf,
  namePattern,
  namespacePattern,
  sensePattern,
  slotNames,
  slotUses,
  wordKinds,
} from './format.ts';

// The shape of a dictionary file, checked by hand: the messages are for people and nothing is loaded for it.
// `dictionary.schema.json` is the published contract; a test holds the two to the same verdicts.

export type Json = Readonly<Record<string, unknown>>;

/** Collects issues under one file and JSON path. */
export class Report {
  readonly issues: DictionaryIssue[] = [];
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  add(code: IssueCode, path: string, message: string, hint?: string): void {
    this.issues.push({ code, path: `${this.file}#${path}`, message, ...(hint === undefined ? {} : { hint }) });
  }
}

const fileKeys = [
  'format',
  'name',
  'version',
  'title',
  'description',
  'extends',
  'objects',
  'actions',
  'properties',
  'synonyms',
  'events',
];
const commonEntryKeys = ['name', 'sense', 'parent', 'definition', 'synonyms', 'examples'];
const entryKeys = {
  object: [...commonEntryKeys, 'plural'],
  action: [...commonEntryKeys, 'third', 'past', 'participle', 'gerund', 'verb', 'nouns', 'slots', 'causes'],
  property: commonEntryKeys,
} as const;
const stepKeys = [
  'subject',
  'action',
  'object',
  'with',
  'to',
  'from',
  'at',
  'manner',
  'property',
  'change',
  'below',
  'above',
  'times',
  'any',
];
const eventKeys = ['name', 'definition', 'steps', 'within', 'span', 'without', 'first', 'statement'];
const versionPattern = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;
const rangePattern = /^[\^~]?(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks the shape of a parsed file. Returns it if it is an object at all. */
export function checkShape(data: unknown, report: Report): Json | undefined {
  if (!isRecord(data)) {
    report.add('not-a-dictionary', '', 'a dictionary is a JSON object', 'see docs/dictionary.md for the format');
    return undefined;
  }
  keys(data, fileKeys, '', report);
  if (data['format'] !== 'playbyplay/dictionary/1') {
    report.add('unknown-format', '/format', `the format is ${show(data['format'])}`, 'write "playbyplay/dictionary/1"');
  }
  matching(data['name'], namespacePattern, '/name', 'a name of lower-case letters, digits and hyphens', report);
  matching(data['version'], versionPattern, '/version', 'a version of three numbers such as "1.0.0"', report);
  for (const key of ['title', 'description'])
    if (key in data) text(data[key], `/${key}`, limits.definitionLength, report);
  if ('extends' in data) ranges(data['extends'], report);
  let total = 0;
  for (const kind of wordKinds) {
    const list = data[listOf[kind]];
    if (list === undefined) continue;
    array(list, `/${listOf[kind]}`, limits.words, report)?.forEach((entry, index) => {
      wordEntry(entry, kind, `/${listOf[kind]}/${index}`, report);
      total++;
    });
  }
  if (total > limits.words) report.add('too-large', '', `${total} words are more than the ${limits.words} allowed`);
  if ('synonyms' in data) addedSynonyms(data['synonyms'], report);
  if ('events' in data) {
    array(data['events'], '/events', limits.events, report)?.forEach((entry, i) =>
      eventEntry(entry, `/events/${i}`, report),
    );
  }
  return data;
}

function wordEntry(entry: unknown, kind: (typeof wordKinds)[number], path: string, report: Report): void {
  if (!isRecord(entry)) {
    report.add('wrong-type', path, 'a word is an object with name, definition and parent');
    return;
  }
  keys(entry, entryKeys[kind], path, report);
  name(entry['name'], `${path}/name`, report);
  if ('sense' in entry)
    matching(entry['sense'], sensePattern, `${path}/sense`, 'a word that tells the sense apart', report);
  for (const key of ['parent', 'causes'])
    if (key in entry) text(entry[key], `${path}/${key}`, 3 * limits.nameLength, report);
  if (typeof entry['definition'] === 'string' && entry['definition'].trim() === '') {
    report.add(
      'empty-definition',
      `${path}/definition`,
      `${show(entry['name'])} has an empty definition`,
      'say in one sentence what the word means',
    );
  } else if (entry['definition'] === undefined) {
    report.add(
      'empty-definition',
      path,
      `${show(entry['name'])} has no definition`,
      'say in one sentence what the word means',
    );
  } else text(entry['definition'], `${path}/definition`, limits.definitionLength, report);
  for (const key of ['synonyms', 'nouns']) if (key in entry) names(entry[key], `${path}/${key}`, report);
  if ('examples' in entry) {
    array(entry['examples'], `${path}/examples`, limits.synonyms, report)?.forEach((each, i) => {
      text(each, `${path}/examples/${i}`, limits.definitionLength, report);
    });
  }
  for (const key of ['plural', 'third', 'past', 'participle', 'gerund', 'verb']) {
    if (key in entry) name(entry[key], `${path}/${key}`, report);
  }
  if ('slots' in entry) slots(entry['slots'], `${path}/slots`, report);
}

function slots(value: unknown, path: string, report: Report): void {
  if (!isRecord(value)) {
    report.add('wrong-type', path, 'slots is an object from slot to what it takes');
    return;
  }
  keys(value, slotNames, path, report);
  for (const [slot, said] of Object.entries(value)) {
    const at = `${path}/${slot}`;
    if (!isRecord(said)) {
      oneOf(said, slotUses, at, report);
      continue;
    }
    keys(said, ['use', 'word', 'accepts', 'preposition'], at, report);
    if ('word' in said) text(said['word'], `${at}/word`, 3 * limits.nameLength, report);
    if ('use' in said) oneOf(said['use'], slotUses, `${at}/use`, report);
    if ('preposition' in said)
      matching(said['preposition'], /^[a-z]+(?: [a-z]+)*$/, `${at}/preposition`, 'a preposition', report);
    if ('accepts' in said) {
      array(said['accepts'], `${at}/accepts`, limits.synonyms, report)?.forEach((id, i) => {
        text(id, `${at}/accepts/${i}`, 3 * limits.nameLength, report);
      });
    }
  }
}

function eventEntry(entry: unknown, path: string, report: Report): void {
  if (!isRecord(entry)) {
    report.add('wrong-type', path, 'an event is an object with name, definition, steps and statement');
    return;
  }
  keys(entry, eventKeys, path, report);
  name(entry['name'], `${path}/name`, report);
  if (typeof entry['definition'] !== 'string' || entry['definition'].trim() === '') {
    report.add(
      'empty-definition',
      path,
      `event ${show(entry['name'])} has no definition`,
      'say in one sentence what happens',
    );
  } else text(entry['definition'], `${path}/definition`, limits.definitionLength, report);
  const list = array(entry['steps'], `${path}/steps`, limits.steps, report);
  if (list?.length === 0) report.add('no-steps', `${path}/steps`, `event ${show(entry['name'])} has no steps`);
  list?.forEach((step, i) => stepEntry(step, `${path}/steps/${i}`, report));
  if ('without' in entry) {
    array(entry['without'], `${path}/without`, limits.steps, report)?.forEach((step, i) => {
      stepEntry(step, `${path}/without/${i}`, report);
    });
  }
  if ('first' in entry && entry['first'] !== true)
    report.add('bad-value', `${path}/first`, 'first is true or left out');
  for (const key of ['within', 'span']) if (key in entry) positive(entry[key], `${path}/${key}`, report);
  if (!isRecord(entry['statement']))
    report.add('wrong-type', `${path}/statement`, 'an event says its statement as an object');
}

function stepEntry(step: unknown, path: string, report: Report, inner = false): void {
  if (!isRecord(step)) {
    report.add('wrong-type', path, 'a step is an object of slots and words');
    return;
  }
  keys(step, stepKeys, path, report);
  for (const [key, value] of Object.entries(step)) {
    if (key === 'any' && !inner) {
      array(value, `${path}/any`, limits.steps, report)?.forEach((each, i) =>
        stepEntry(each, `${path}/any/${i}`, report, true),
      );
    } else if (key === 'any') report.add('bad-value', `${path}/any`, 'alternatives do not stand within alternatives');
    else if (key === 'change') oneOf(value, ['rises', 'drops'], `${path}/change`, report);
    else if (key === 'times') {
      if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > 1000) {
        report.add('wrong-type', `${path}/times`, 'times is a whole number from 1 to 1000');
      }
    } else if (key === 'below' || key === 'above') number(value, `${path}/${key}`, report);
    else if (stepKeys.includes(key)) text(value, `${path}/${key}`, 3 * limits.nameLength, report);
  }
}

function ranges(value: unknown, report: Report): void {
  if (!isRecord(value)) {
    report.add('wrong-type', '/extends', 'extends is an object from dictionary to version');
    return;
  }
  for (const [key, range] of Object.entries(value)) {
    matching(key, namespacePattern, '/extends', 'the name of a dictionary', report);
    matching(range, rangePattern, `/extends/${key}`, 'a version such as "^1.0.0"', report);
  }
}

function addedSynonyms(value: unknown, report: Report): void {
  if (!isRecord(value)) {
    report.add('wrong-type', '/synonyms', 'synonyms is an object from kind to words');
    return;
  }
  keys(value, wordKinds, '/synonyms', report);
  for (const [kind, table] of Object.entries(value)) {
    if (!isRecord(table)) report.add('wrong-type', `/synonyms/${kind}`, 'an object from word to further names');
    else for (const [id, list] of Object.entries(table)) names(list, `/synonyms/${kind}/${pointer(id)}`, report);
  }
}

/** A key as it stands in a JSON pointer. */
export function pointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function keys(value: Json, allowed: readonly string[], path: string, report: Report): void {
  for (const key of Object.keys(value)) {
    if (allowed.includes(key)) continue;
    report.add(
      'unknown-key',
      `${path}/${pointer(key)}`,
      `"${key}" means nothing here`,
      suggestSpelling(key, allowed) ?? `known are ${allowed.join(', ')}`,
    );
  }
}

function names(value: unknown, path: string, report: Report): void {
  array(value, path, limits.synonyms, report)?.forEach((each, i) => name(each, `${path}/${i}`, report));
}

function name(value: unknown, path: string, report: Report): void {
  if (typeof value !== 'string') report.add('wrong-type', path, `a name is a text, not ${show(value)}`);
  else if (value.length > limits.nameLength)
    report.add('too-large', path, `a name has at most ${limits.nameLength} characters`);
  else if (!namePattern.test(value)) {
    report.add(
      'bad-name',
      path,
      `${show(value)} is not a name`,
      'use letters, digits and hyphens with single spaces between words',
    );
  }
}

function matching(value: unknown, pattern: RegExp, path: string, wanted: string, report: Report): void {
  if (typeof value !== 'string') report.add('wrong-type', path, `wanted is ${wanted}, not ${show(value)}`);
  else if (value.length > limits.nameLength || !pattern.test(value))
    report.add('bad-value', path, `${show(value)} is not ${wanted}`);
}

function text(value: unknown, path: string, most: number, report: Report): void {
  if (typeof value !== 'string') report.add('wrong-type', path, `wanted is a text, not ${show(value)}`);
  else if (value.length > most)
    report.add('too-large', path, `a text of ${value.length} characters is longer than the ${most} allowed`);
}

function array(value: unknown, path: string, most: number, report: Report): readonly unknown[] | undefined {
  if (!Array.isArray(value)) report.add('wrong-type', path, `wanted is a list, not ${show(value)}`);
  else if (value.length > most)
    report.add('too-large', path, `a list of ${value.length} is longer than the ${most} allowed`);
  else return value;
  return undefined;
}

function oneOf(value: unknown, allowed: readonly string[], path: string, report: Report): void {
  if (typeof value === 'string' && allowed.includes(value)) return;
  const hint = typeof value === 'string' ? suggestSpelling(value, allowed) : undefined;
  report.add('bad-value', path, `${show(value)} is none of ${allowed.join(', ')}`, hint);
}

function positive(value: unknown, path: string, report: Report): void {
  if (typeof value !== 'number' || !(value > 0 && value < 1e9))
    report.add('bad-value', path, `${show(value)} is not a number of seconds above 0`);
}

function number(value: unknown, path: string, report: Report): void {
  if (typeof value !== 'number' || !Number.isFinite(value))
    report.add('wrong-type', path, `wanted is a number, not ${show(value)}`);
}

function show(value: unknown): string {
  const shown = JSON.stringify(value) ?? 'nothing';
  return shown.length > 60 ? `${shown.slice(0, 57)}…` : shown;
}
