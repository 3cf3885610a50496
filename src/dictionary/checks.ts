import { fill, stepSlot, stepSlots, variablesOf } from './composite-events.ts';
import { canonicalForms, type Dictionary, type Frame, type Word, type WordSeed } from './dictionary.ts';
import {
  commonName,
  slotKind,
  slotNames,
  wordKinds,
  type DictionaryFile,
  type EventEntry,
  type SlotName,
  type SlotUse,
  type StepEntry,
  type WordEntry,
  type WordKind,
} from './format.ts';
import { hintFor } from './search.ts';
import { lexiconOf } from './sentences/lexicon.ts';
import { tokenize } from './sentences/tokenize.ts';
import type { Report } from './shape.ts';
import { validateStatement } from './statements.ts';

/** What of a file can be worked with: entries stand at their own index, those that cannot be used are left out. */
export interface UsableFile extends Omit<DictionaryFile, 'objects' | 'actions' | 'properties' | 'events'> {
  readonly objects: readonly (WordEntry | undefined)[];
  readonly actions: readonly (WordEntry | undefined)[];
  readonly properties: readonly (WordEntry | undefined)[];
  readonly events: readonly (NonNullable<DictionaryFile['events']>[number] | undefined)[];
}

/**
 * Names must tell words apart: within a dictionary and what it extends, one name of one kind stands for one word, unless
 * senses tell them apart. Independent extensions may use the same name; a sentence then says which is meant.
 */
export function checkNames(dictionary: Dictionary, located: readonly Located[]): void {
  const taken = new Map<string, Word>();
  const told = new Set<Word>();
  for (const { seed, path, report } of located) {
    const word = dictionary.find(seed.id, seed.kind)!;
    for (const form of new Set(canonicalForms(word).map((each) => each.toLowerCase()))) {
      const other = taken.get(`${word.kind} ${form}`);
      if (!other || other === word || !related(other, word)) {
        if (!other || other.namespace !== commonName) taken.set(`${word.kind} ${form}`, word);
        continue;
      }
      if (other.sense !== undefined || word.sense !== undefined || told.has(word)) continue;
      told.add(word);
      if (other.namespace === word.namespace) {
        report.add(
          'clashing-name',
          path,
          `"${form}" is a form of both "${other.id}" and "${word.id}"`,
          'give one a sense or an irregular form',
        );
      } else {
        report.add(
          'redefined-word',
          path,
          `"${word.id}" takes the name of "${other.id}"; an extension only adds words`,
          `use "${other.id}", or tell the sense apart with "sense"`,
        );
      }
    }
  }
  checkSynonyms(dictionary, located, taken);
}

function checkSynonyms(dictionary: Dictionary, located: readonly Located[], taken: Map<string, Word>): void {
  const placeOf = new Map(located.map((each) => [dictionary.find(each.seed.id, each.seed.kind)!, each]));
  for (const [word, { path, report }] of placeOf) {
    for (const synonym of word.synonyms) {
      const other = taken.get(`${word.kind} ${synonym.toLowerCase()}`);
      if (other === word) {
        report.add(
          'clashing-name',
          `${path}/synonyms`,
          `the synonym "${synonym}" of "${word.id}" is its own name or stands there twice`,
        );
      } else if (!other || !related(other, word) || objectTells(other, word))
        taken.set(`${word.kind} ${synonym.toLowerCase()}`, word);
      else if (word.namespace === commonName && other.namespace !== commonName) {
        // The extension came later, so it is the one to give way.
        const place = placeOf.get(other)!;
        place.report.add(
          'clashing-name',
          place.path,
          `"${synonym}" already stands for "${word.id}", of which it is a synonym`,
          `use "${word.id}", or another name`,
        );
      } else {
        report.add(
          'clashing-name',
          `${path}/synonyms`,
          `the synonym "${synonym}" of "${word.id}" already stands for "${other.id}"`,
        );
      }
    }
  }
}

/** A verb with two meanings, of which one needs an object and the other has none: "the match finishes", "she finishes the level". */
function objectTells(a: Word, b: Word): boolean {
  const uses = [a, b].map((word) => word.frame.object.use);
  return a.kind === 'action' && uses.includes('none') && uses.includes('required');
}

/** Do the two meet in every use: of one dictionary, or one of the common dictionary? */
function related(a: Word, b: Word): boolean {
  return a.namespace === b.namespace || a.namespace === commonName || b.namespace === commonName;
}

const narrower: Readonly<Record<SlotUse, readonly SlotUse[]>> = {
  optional: ['optional', 'required', 'within', 'none'],
  required: ['required', 'within'],
  within: ['within'],
  none: ['none'],
};

/** Patterns only narrow on their way down: a child may require or exclude what its parent leaves open, never the reverse. */
export function checkFrames(dictionary: Dictionary, located: readonly Located[]): void {
  for (const { seed, path, report } of located) {
    if (seed.kind !== 'action') continue;
    checkCauses(dictionary, seed.entry.causes, path, report);
    if (!seed.entry.slots) continue;
    const word = dictionary.find(seed.id, 'action')!;
    for (const slot of slotNames) {
      const said = seed.entry.slots[slot];
      if (said === undefined) continue;
      const at = `${path}/slots/${slot}`;
      const before = word.parent?.frame[slot];
      const after = word.frame[slot];
      if (before && !narrower[before.use].includes(after.use)) {
        report.add(
          'slot-widened',
          at,
          `"${word.id}" makes ${slot} ${after.use}, but "${before.source}" has it ${before.use}`,
          'a pattern only narrows what it inherits',
        );
      }
      if (typeof said === 'object' && said.word !== undefined) checkImplied(dictionary, word, slot, report, at);
      for (const id of after.accepts) {
        if (!dictionary.find(id, slotKind(slot))) {
          const known = dictionary.words(slotKind(slot)).map((each) => each.id);
          report.add('unknown-word', `${at}/accepts`, `"${id}" is not a known ${slotKind(slot)}`, hintFor(id, known));
        } else if (
          before &&
          before.accepts.length > 0 &&
          !before.accepts.some((each) => dictionary.isA(id, each, slotKind(slot)))
        ) {
          report.add(
            'slot-widened',
            `${at}/accepts`,
            `"${word.id}" accepts "${id}" as ${slot}, which its parent does not`,
            `its parent accepts ${before.accepts.join(', ')}`,
          );
        }
      }
    }
    const clash = sharedPreposition(word.frame);
    if (clash)
      report.add(
        'shared-preposition',
        `${path}/slots`,
        `"${word.id}" introduces ${clash.join(' and ')} by the same preposition`,
      );
  }
}

function checkCauses(dictionary: Dictionary, id: string | undefined, path: string, report: Report): void {
  if (id === undefined || dictionary.find(id, 'action')?.id === id) return;
  const known = dictionary.words('action').map((each) => each.id);
  report.add('unknown-word', `${path}/causes`, `"${id}" is not a known action`, hintFor(id, known));
}

function sharedPreposition(frame: Frame): [SlotName, SlotName] | undefined {
  const seen = new Map<string, SlotName>();
  for (const slot of slotNames) {
    const { preposition, use } = frame[slot];
    if (preposition === '' || use === 'none' || use === 'within') continue;
    const other = seen.get(preposition);
    if (other) return [other, slot];
    seen.set(preposition, slot);
  }
  return undefined;
}

function checkImplied(dictionary: Dictionary, word: Word, slot: SlotName, report: Report, path: string): void {
  const rule = word.frame[slot];
  if (rule.use !== 'within')
    report.add(
      'word-without-within',
      `${path}/word`,
      `"${word.id}" names a ${slot} but leaves the slot open`,
      'add "use": "within"',
    );
  if (rule.word !== undefined && !dictionary.find(rule.word, slotKind(slot))) {
    const known = dictionary.words(slotKind(slot)).map((each) => each.id);
    report.add(
      'unknown-word',
      `${path}/word`,
      `"${rule.word}" is not a known ${slotKind(slot)}`,
      hintFor(rule.word, known),
    );
  }
}

/**
 * A definition says what a word means by words that do not need it again: it does not use the word itself, nor words
 * whose own definitions lead back to it. Only words of the same kind count, so "armor", the property, may be explained
 * by "armor", the object.
 */
export function checkDefinitions(dictionary: Dictionary, located: readonly Located[]): void {
  const byWord = new Map<Word, Located>();
  for (const each of located) byWord.set(dictionary.find(each.seed.id, each.seed.kind)!, each);
  for (const [word, { path, report }] of byWord) {
    const own = ownForm(dictionary, word);
    if (own === undefined) continue;
    report.add(
      'circular-definition',
      `${path}/definition`,
      `the definition of "${word.id}" uses "${own}" itself`,
      'say it in more general words',
    );
  }
  const uses = new Map([...byWord.keys()].map((word) => [word, usedWords(dictionary, word)]));
  for (const circle of circlesIn(uses)) {
    const [word] = circle;
    const { path, report } = byWord.get(word!)!;
    const names = [...circle, word!].map(({ id }) => `"${id}"`).join(' by ');
    report.add(
      'definition-cycle',
      `${path}/definition`,
      `definitions run in a circle: ${names}`,
      'explain one of them by other words',
    );
  }
}

function ownForm(dictionary: Dictionary, word: Word): string | undefined {
  const text = ` ${word.definition.toLowerCase().replaceAll(/[^\p{L}\p{N}'-]+/gu, ' ')} `;
  const own = canonicalForms(word).find((form) => text.includes(` ${form.toLowerCase()} `));
  const elsewhere = word.kind === 'property' && own !== undefined && dictionary.find(own, 'object');
  return elsewhere ? undefined : own;
}

/** Words of the same kind that the definition uses, the longest names first; property words are explained by objects. */
function usedWords(dictionary: Dictionary, word: Word): readonly Word[] {
  if (word.kind === 'property') return [];
  const lexicon = lexiconOf(dictionary);
  const tokens = tokenize(word.definition);
  const used = new Set<Word>();
  for (let i = 0; i < tokens.length; ) {
    const found = wordKinds
      .filter((kind) => kind !== 'property')
      .flatMap((kind: WordKind) => lexicon.find(kind, tokens, i))
      .filter(({ entry, pending }) => !entry.synonym && pending === undefined);
    const end = Math.max(i + 1, ...found.map((each) => each.end));
    // Where a noun and a verb are written alike ("fall"), the definition most likely means the noun.
    const longest = found.filter((each) => each.end === end);
    const nouns = longest.filter(({ entry }) => entry.word.kind === 'object');
    for (const { entry } of nouns.length > 0 ? nouns : longest)
      if (entry.word.kind === word.kind && entry.word !== word) used.add(entry.word);
    i = end;
  }
  return [...used];
}

/** The circles that a walk in depth meets: every group of words that lead to each other has at least one. */
function circlesIn(uses: ReadonlyMap<Word, readonly Word[]>): Word[][] {
  const state = new Map<Word, 'open' | 'done'>();
  const circles: Word[][] = [];
  for (const root of uses.keys()) {
    if (state.has(root)) continue;
    const path: { word: Word; next: number }[] = [{ word: root, next: 0 }];
    state.set(root, 'open');
    while (path.length > 0) {
      const top = path.at(-1)!;
      const next = uses.get(top.word)?.[top.next++];
      if (!next) {
        state.set(top.word, 'done');
        path.pop();
      } else if (state.get(next) === 'open')
        circles.push(path.slice(path.findIndex(({ word }) => word === next)).map(({ word }) => word));
      else if (!state.has(next)) {
        state.set(next, 'open');
        path.push({ word: next, next: 0 });
      }
    }
  }
  return circles;
}

/** Composite events use known words, and their statement only what their steps have bound. */
export function checkEvents(dictionary: Dictionary, file: UsableFile, report: Report): void {
  const names = new Set<string>();
  file.events.forEach((event, index) => {
    if (!event) return;
    const path = `/events/${index}`;
    if (names.has(event.name.toLowerCase()))
      report.add('duplicate-event', `${path}/name`, `the event "${event.name}" is defined twice`);
    names.add(event.name.toLowerCase());
    event.steps.forEach((step, i) => checkStep(dictionary, step, `${path}/steps/${i}`, report));
    (event.without ?? []).forEach((step, i) => checkStep(dictionary, step, `${path}/without/${i}`, report));
    checkStatement(dictionary, event, path, report);
  });
}

function checkStep(dictionary: Dictionary, step: StepEntry, path: string, report: Report): void {
  if (step.any) {
    step.any.forEach((each, i) => checkStep(dictionary, each, `${path}/any/${i}`, report));
    if (Object.keys(step).length > 1) report.add('bad-step', path, 'alternatives stand alone in a step');
    return;
  }
  if ((step.action === undefined) === (step.property === undefined)) {
    report.add('bad-step', path, 'a step has either an action or a property');
  }
  if (step.action !== undefined) checkKnown(dictionary, step.action, 'action', `${path}/action`, report);
  if (step.property !== undefined) checkKnown(dictionary, step.property, 'property', `${path}/property`, report);
  for (const slot of stepSlots) {
    const { word } = step[slot] === undefined ? { word: undefined } : stepSlot(step[slot]);
    if (word !== undefined) checkKnown(dictionary, word, slotKind(slot), `${path}/${slot}`, report);
  }
}

function checkKnown(dictionary: Dictionary, id: string, kind: WordKind, path: string, report: Report): void {
  if (dictionary.find(id, kind)?.id === id) return;
  report.add(
    'unknown-word',
    path,
    `"${id}" is not a known ${kind}`,
    hintFor(
      id,
      dictionary.words(kind).map((word) => word.id),
    ),
  );
}

function checkStatement(dictionary: Dictionary, event: EventEntry, path: string, report: Report): void {
  const bound = new Set(event.steps.flatMap((step) => variablesOf(step)));
  const example = fill(event.statement, (variable) => {
    if (bound.has(variable)) return 'player';
    report.add(
      'unbound-variable',
      `${path}/statement`,
      `"?${variable}" stands in no step of "${event.name}"`,
      hintFor(variable, bound),
    );
    return undefined;
  });
  for (const issue of validateStatement(example, dictionary)) {
    // What a variable will stand for is not known here, so whether it suits its slot is not either.
    if (issue.code === 'slot-mismatch') continue;
    report.add(issue.code, `${path}/statement${issue.path ?? ''}`, issue.message, issue.hint);
  }
}

/** An entry with the place it stands in. */
export interface Located {
  readonly seed: WordSeed;
  readonly path: string;
  readonly report: Report;
}
