import type { Dictionary, Frame, Word } from './dictionary.ts';
import { slotNames, type SlotName, type SlotUse } from './format.ts';
import { hintFor, type Located } from './located.ts';
import type { Report } from './shape.ts';

/** The kind of word that fills a slot. */
export function slotKind(slot: SlotName): 'object' | 'property' {
  return slot === 'manner' ? 'property' : 'object';
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
