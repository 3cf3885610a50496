/** Consistency checks across the words of loaded dictionaries: names, definitions, slot rules, composite events. */
import { fillStatement, parseStepSlot, variablesOf } from './composite-events.ts';
import { canonicalForms, type Dictionary, type SlotRules, type Word, type WordSeed } from './dictionary.ts';
import {
  commonName,
  slotKind,
  slotNames,
  wordSlots,
  type EventEntry,
  type SlotName,
  type SlotUse,
  type StepEntry,
  type WordKind,
} from './format.ts';
import { suggestWord } from './search.ts';
import { getLexicon } from './sentences/lexicon.ts';
import { tokenize } from './sentences/tokenize.ts';
import type { Report } from './shape.ts';
import { validateStatement } from './statements.ts';

/** A word entry with its position in a dictionary file. */
export interface LocatedEntry {
  readonly seed: WordSeed;
  /** JSON pointer of the entry. */
  readonly path: string;
  readonly report: Report;
}

/** What is checked against which dictionary, and where issues go. */
interface CheckScope {
  readonly dictionary: Dictionary;
  readonly report: Report;
}

/**
 * Reports names that do not identify a word.
 *
 * Within a dictionary and the common dictionary, a name of a kind belongs to one word unless senses distinguish several.
 * Independent extensions may use the same name; sentences then label it.
 */
export function checkNames(dictionary: Dictionary, entries: readonly LocatedEntry[]): void {
  const owners = new Map<string, Word>();
  const reported = new Set<Word>();
  for (const { seed, path, report } of entries) {
    const word = dictionary.find(seed.id, seed.kind)!;
    for (const form of new Set(canonicalForms(word).map((each) => each.toLowerCase()))) {
      const key = `${word.kind} ${form}`;
      const owner = owners.get(key);
      if (!owner || owner === word || !canOccurTogether(owner, word)) {
        if (!owner || owner.namespace !== commonName) owners.set(key, word);
        continue;
      }
      if (owner.sense !== undefined || word.sense !== undefined || reported.has(word)) continue;
      reported.add(word);
      if (owner.namespace === word.namespace)
        report.add(
          'clashing-name',
          path,
          `"${form}" is a form of both "${owner.id}" and "${word.id}"`,
          'Give one of them a sense or an irregular form.',
        );
      else
        report.add(
          'redefined-word',
          path,
          `"${word.id}" has the name of "${owner.id}"; an extension can only add words`,
          `Use "${owner.id}", or add a "sense".`,
        );
    }
  }
  checkSynonyms(dictionary, entries, owners);
}

function checkSynonyms(dictionary: Dictionary, entries: readonly LocatedEntry[], owners: Map<string, Word>): void {
  const entryOf = mapByWord(dictionary, entries);
  for (const [word, { path, report }] of entryOf) {
    for (const synonym of word.synonyms) {
      const key = `${word.kind} ${synonym.toLowerCase()}`;
      const owner = owners.get(key);
      if (owner === word)
        report.add(
          'clashing-name',
          `${path}/synonyms`,
          `the synonym "${synonym}" of "${word.id}" is its name or a duplicate`,
        );
      else if (!owner || !canOccurTogether(owner, word) || differByObject(owner, word)) owners.set(key, word);
      else if (word.namespace === commonName && owner.namespace !== commonName) {
        // A sense says that the name means something else in this dictionary.
        if (owner.sense !== undefined) continue;
        const { path: ownerPath, report: ownerReport } = entryOf.get(owner)!;
        ownerReport.add(
          'clashing-name',
          ownerPath,
          `"${synonym}" is a synonym of "${word.id}"`,
          `Use "${word.id}", or another name.`,
        );
      } else
        report.add(
          'clashing-name',
          `${path}/synonyms`,
          `the synonym "${synonym}" of "${word.id}" belongs to "${owner.id}"`,
        );
    }
  }
}

function mapByWord(dictionary: Dictionary, entries: readonly LocatedEntry[]): Map<Word, LocatedEntry> {
  return new Map(entries.map((entry) => [dictionary.find(entry.seed.id, entry.seed.kind)!, entry]));
}

/** Does one action require an object where the other excludes it ("the match finishes", "she finishes the level")? */
function differByObject(a: Word, b: Word): boolean {
  const uses = [a.slots.object.use, b.slots.object.use];
  return a.kind === 'action' && uses.includes('none') && uses.includes('required');
}

/** Are both words loaded whenever one of them is? */
function canOccurTogether(a: Word, b: Word): boolean {
  return a.namespace === b.namespace || a.namespace === commonName || b.namespace === commonName;
}

const narrowerUses: Readonly<Record<SlotUse, readonly SlotUse[]>> = {
  optional: ['optional', 'required', 'within', 'none'],
  required: ['required', 'within'],
  within: ['within'],
  none: ['none'],
};

/** Reports slot rules that widen inherited rules: a child can require or exclude what its parent leaves open, not the reverse. */
export function checkSlotRules(dictionary: Dictionary, entries: readonly LocatedEntry[]): void {
  for (const { seed, path, report } of entries) {
    if (seed.kind !== 'action') continue;
    const { causes, slots } = seed.entry;
    const scope = { dictionary, report };
    if (causes !== undefined) checkExactId(scope, causes, 'action', `${path}/causes`);
    if (!slots) continue;
    const word = dictionary.find(seed.id, 'action')!;
    for (const slot of slotNames) {
      const declared = slots[slot];
      if (declared === undefined) continue;
      const slotPath = `${path}/slots/${slot}`;
      checkSlotUse(word, slot, slotPath, report);
      if (typeof declared === 'object' && declared.word !== undefined)
        checkImpliedWord(scope, word, slot, `${slotPath}/word`);
      checkAccepts(scope, word, slot, `${slotPath}/accepts`);
    }
    const clash = findSharedPreposition(word.slots);
    if (clash)
      report.add(
        'shared-preposition',
        `${path}/slots`,
        `"${word.id}" introduces ${clash.join(' and ')} with the same preposition`,
      );
  }
}

function checkSlotUse(word: Word, slot: SlotName, path: string, report: Report): void {
  const inherited = word.parent?.slots[slot];
  const { use } = word.slots[slot];
  if (inherited && !narrowerUses[inherited.use].includes(use))
    report.add(
      'slot-widened',
      path,
      `"${word.id}" makes ${slot} "${use}", but it is "${inherited.use}" for "${inherited.source}"`,
      'Rules can only narrow inherited rules.',
    );
}

function checkAccepts(scope: CheckScope, word: Word, slot: SlotName, path: string): void {
  const kind = slotKind(slot);
  const inherited = word.parent?.slots[slot].accepts ?? [];
  for (const id of word.slots[slot].accepts) {
    if (!scope.dictionary.find(id, kind)) reportUnknownWord(scope, id, kind, path);
    else if (inherited.length > 0 && !inherited.some((each) => scope.dictionary.isA(id, each, kind)))
      scope.report.add(
        'slot-widened',
        path,
        `"${word.id}" accepts "${id}" as ${slot}, but its parent does not`,
        `The parent accepts ${inherited.join(', ')}.`,
      );
  }
}

function checkImpliedWord(scope: CheckScope, word: Word, slot: SlotName, path: string): void {
  const { use, word: implied } = word.slots[slot];
  if (use !== 'within')
    scope.report.add(
      'word-without-within',
      path,
      `"${word.id}" names a ${slot} but does not close the slot`,
      'Add "use": "within".',
    );
  const kind = slotKind(slot);
  if (implied !== undefined && !scope.dictionary.find(implied, kind)) reportUnknownWord(scope, implied, kind, path);
}

function findSharedPreposition(rules: SlotRules): [SlotName, SlotName] | undefined {
  const slotByPreposition = new Map<string, SlotName>();
  for (const slot of slotNames) {
    const { preposition, use } = rules[slot];
    if (preposition === '' || use === 'none' || use === 'within') continue;
    const other = slotByPreposition.get(preposition);
    if (other) return [other, slot];
    slotByPreposition.set(preposition, slot);
  }
  return undefined;
}

/** Reports an id that no word has exactly, including its case. */
function checkExactId(scope: CheckScope, id: string, kind: WordKind, path: string): void {
  if (scope.dictionary.find(id, kind)?.id !== id) reportUnknownWord(scope, id, kind, path);
}

function reportUnknownWord({ dictionary, report }: CheckScope, id: string, kind: WordKind, path: string): void {
  const ids = dictionary.words(kind).map((word) => word.id);
  report.add('unknown-word', path, `"${id}" is not a known ${kind}`, suggestWord(id, ids));
}

/**
 * Reports definitions that use the defined word or form a cycle.
 *
 * Only words of the same kind count, so the property `armor` may be defined by the object `armor`.
 */
export function checkDefinitions(dictionary: Dictionary, entries: readonly LocatedEntry[]): void {
  const entryOf = mapByWord(dictionary, entries);
  for (const [word, { path, report }] of entryOf) {
    const form = findOwnForm(dictionary, word);
    if (form !== undefined)
      report.add(
        'circular-definition',
        `${path}/definition`,
        `the definition of "${word.id}" uses "${form}"`,
        'Define it in more general words.',
      );
  }
  const uses = new Map([...entryOf.keys()].map((word) => [word, findUsedWords(dictionary, word)]));
  for (const cycle of findCycles(uses)) {
    const { path, report } = entryOf.get(cycle[0]!)!;
    const names = [...cycle, cycle[0]!].map(({ id }) => `"${id}"`).join(' → ');
    report.add(
      'definition-cycle',
      `${path}/definition`,
      `definitions form a cycle: ${names}`,
      'Define one of them in other words.',
    );
  }
}

function findOwnForm(dictionary: Dictionary, word: Word): string | undefined {
  const text = ` ${word.definition.toLowerCase().replaceAll(/[^\p{L}\p{N}'-]+/gu, ' ')} `;
  const form = canonicalForms(word).find((each) => text.includes(` ${each.toLowerCase()} `));
  const isObjectToo = word.kind === 'property' && form !== undefined && dictionary.find(form, 'object') !== undefined;
  return isObjectToo ? undefined : form;
}

/** The words of the same kind in a definition, longest names first. Properties are defined by objects. */
function findUsedWords(dictionary: Dictionary, word: Word): readonly Word[] {
  if (word.kind === 'property') return [];
  const lexicon = getLexicon(dictionary);
  const tokens = tokenize(word.definition);
  const used = new Set<Word>();
  for (let at = 0; at < tokens.length; ) {
    const matches = (['object', 'action'] as const)
      .flatMap((kind) => lexicon.find(kind, tokens, at))
      .filter(({ entry, pendingParticle }) => !entry.isSynonym && pendingParticle === undefined);
    const end = Math.max(at + 1, ...matches.map((match) => match.end));
    const longest = matches.filter((match) => match.end === end).map(({ entry }) => entry.word);
    // A noun and a verb can be spelled alike ("fall"); a definition more likely uses the noun.
    const nouns = longest.filter(({ kind }) => kind === 'object');
    for (const each of nouns.length > 0 ? nouns : longest) if (each.kind === word.kind && each !== word) used.add(each);
    at = end;
  }
  return [...used];
}

/** The cycles that a depth-first search finds: at least one per group of mutually reachable words. */
function findCycles(edges: ReadonlyMap<Word, readonly Word[]>): Word[][] {
  const state = new Map<Word, 'open' | 'done'>();
  const cycles: Word[][] = [];
  for (const root of edges.keys()) {
    if (state.has(root)) continue;
    // An explicit stack: a chain of definitions can be as long as the dictionary.
    const stack: { word: Word; nextEdge: number }[] = [{ word: root, nextEdge: 0 }];
    state.set(root, 'open');
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const next = edges.get(top.word)?.[top.nextEdge++];
      if (!next) {
        state.set(top.word, 'done');
        stack.pop();
      } else if (state.get(next) === 'open')
        cycles.push(stack.slice(stack.findIndex(({ word }) => word === next)).map(({ word }) => word));
      else if (!state.has(next)) {
        state.set(next, 'open');
        stack.push({ word: next, nextEdge: 0 });
      }
    }
  }
  return cycles;
}

/** Reports composite events that use unknown words, or whose statement uses variables that no step binds. */
export function checkCompositeEvents(
  dictionary: Dictionary,
  events: readonly (EventEntry | undefined)[],
  report: Report,
): void {
  const scope = { dictionary, report };
  const names = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (!event) continue;
    const path = `/events/${index}`;
    const name = event.name.toLowerCase();
    if (names.has(name)) report.add('duplicate-event', `${path}/name`, `the event "${event.name}" is defined twice`);
    names.add(name);
    for (const key of ['steps', 'without'] as const)
      event[key]?.forEach((step, i) => checkStep(scope, step, `${path}/${key}/${i}`));
    checkEventStatement(scope, event, `${path}/statement`);
  }
}

function checkStep(scope: CheckScope, step: StepEntry, path: string): void {
  if (step.any) {
    step.any.forEach((each, i) => checkStep(scope, each, `${path}/any/${i}`));
    if (Object.keys(step).length > 1)
      scope.report.add('bad-step', path, 'a step with alternatives can have no other keys');
    return;
  }
  if ((step.action === undefined) === (step.property === undefined))
    scope.report.add('bad-step', path, 'a step needs either an action or a property');
  for (const kind of ['action', 'property'] as const)
    if (step[kind] !== undefined) checkExactId(scope, step[kind], kind, `${path}/${kind}`);
  for (const slot of wordSlots) {
    const word = step[slot] === undefined ? undefined : parseStepSlot(step[slot]).word;
    if (word !== undefined) checkExactId(scope, word, slotKind(slot), `${path}/${slot}`);
  }
}

function checkEventStatement({ dictionary, report }: CheckScope, event: EventEntry, path: string): void {
  const bound = new Set(event.steps.flatMap((step) => variablesOf(step)));
  const example = fillStatement(event.statement, (variable) => {
    if (bound.has(variable)) return 'player';
    report.add(
      'unbound-variable',
      path,
      `no step of "${event.name}" binds "?${variable}"`,
      suggestWord(variable, bound),
    );
    return undefined;
  });
  for (const issue of validateStatement(example, dictionary)) {
    // The words that variables will stand for are unknown, so whether they fit their slots cannot be checked.
    if (issue.code === 'slot-mismatch') continue;
    report.add(issue.code, `${path}${issue.path ?? ''}`, issue.message, issue.hint);
  }
}
