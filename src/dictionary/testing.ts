import * as fc from 'fast-check';
import type {
  ActionStatement,
  Mention,
  PropertyStatement,
  PropertyValue,
  Slot,
  Statement,
} from '../events/statement.ts';
import { isOpen, type Dictionary, type Word } from './dictionary.ts';
import { slotKind } from './format.ts';
import { normalizeStatement } from './statements.ts';

/** Arbitrary values for property tests. */

const properName = fc.oneof(
  fc.constantFrom(
    'Sarge',
    'Xaero',
    'Iron Golem',
    'xX_Sniper_Xx',
    'with love',
    'Player',
    "D'Artagnan",
    'Railgun',
    'says "hi"',
    '42',
    'É. Zola',
    '♥',
    'St.',
    'Kills',
  ),
  fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
);

const count = fc.oneof(
  fc.nat({ max: 20 }),
  fc.double({ min: 0, max: 1e6, noNaN: true, noDefaultInfinity: true }).map((n) => Math.abs(n)),
);
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((n) => (n === 0 ? 0 : n));

function mention(words: readonly Word[], owners: fc.Arbitrary<Slot> | undefined): fc.Arbitrary<Mention> {
  return fc
    .record(
      {
        word: fc.constantFrom(...words.map((word) => word.id)),
        name: fc.option(properName, { nil: undefined, freq: 4 }),
        count: fc.option(count, { nil: undefined, freq: 4 }),
        of: owners ? fc.option(owners, { nil: undefined, freq: 6 }) : fc.constant(undefined),
      },
      { noNullPrototype: true },
    )
    .map(({ word, name, count: many, of }) => ({
      word,
      ...(name !== undefined && { name }),
      ...(many !== undefined && { count: many }),
      ...(of !== undefined && { of }),
    }));
}

function owner(dictionary: Dictionary, depth: number): fc.Arbitrary<Slot> {
  return mention(dictionary.words('object'), depth > 1 ? owner(dictionary, depth - 1) : undefined);
}

/** A slot with one of these words, mostly without name, count and owner. */
function slot(dictionary: Dictionary, words: readonly Word[]): fc.Arbitrary<Slot> {
  return fc.oneof(fc.constantFrom(...words.map((word) => word.id)), mention(words, owner(dictionary, 2)));
}

/** Any valid statement about this action. */
export function actionStatement(dictionary: Dictionary, action: Word): fc.Arbitrary<Statement> {
  const arbitraries: Record<string, fc.Arbitrary<unknown>> = {};
  const required: string[] = [];
  for (const [name, rule] of Object.entries(action.slots)) {
    if (!isOpen(rule)) continue;
    if (rule.use === 'required') required.push(name);
    if (name === 'amount') {
      arbitraries['amount'] = number;
      continue;
    }
    const kind = slotKind(name as 'subject');
    const words =
      rule.accepts.length === 0
        ? dictionary.words(kind)
        : rule.accepts.flatMap((id) => [dictionary.find(id, kind)!, ...dictionary.descendants(id, kind)]);
    arbitraries[name] = name === 'manner' ? fc.constantFrom(...words.map((word) => word.id)) : slot(dictionary, words);
  }
  const unit = fc.option(fc.constantFrom(...dictionary.words('object').map((word) => word.id)), { nil: undefined });
  return fc.tuple(fc.record(arbitraries, { requiredKeys: required as never[] }), unit).map(([slots, measure]) => {
    const withUnit = 'amount' in slots && measure !== undefined ? { unit: measure } : {};
    return normalizeStatement({ action: action.id, ...slots, ...withUnit } as ActionStatement);
  });
}

/** Any statement about this property. */
export function propertyStatement(dictionary: Dictionary, property: Word): fc.Arbitrary<Statement> {
  const value: fc.Arbitrary<PropertyValue> = fc.oneof(
    number,
    fc.string({ minLength: 1, maxLength: 20 }),
    fc
      .constantFrom(...dictionary.ordered)
      .chain((word) =>
        word.kind === 'object' ? mention([word], owner(dictionary, 1)) : fc.constant({ word: word.id }),
      ),
  );
  return fc
    .tuple(slot(dictionary, dictionary.words('object')), fc.option(value, { nil: undefined }), value)
    .map(([subject, from, to]) =>
      normalizeStatement({
        subject,
        property: property.id,
        ...(from !== undefined && { from }),
        to,
      } as PropertyStatement),
    );
}

/** Any statement of the dictionary. */
export function anyStatement(dictionary: Dictionary): fc.Arbitrary<Statement> {
  return fc
    .constantFrom(
      ...dictionary.words('action'),
      ...dictionary.words('property').filter((word) => !dictionary.isA(word.id, 'manner', 'property')),
    )
    .chain((word) =>
      word.kind === 'action' ? actionStatement(dictionary, word) : propertyStatement(dictionary, word),
    );
}
