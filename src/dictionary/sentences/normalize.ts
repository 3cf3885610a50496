import {
  isPropertyStatement,
  type Mention,
  type PropertyValue,
  type Slot,
  type Statement,
} from '../../events/statement.ts';

const actionOrder = ['subject', 'action', 'object', 'with', 'to', 'from', 'at', 'manner', 'amount', 'unit'] as const;

/**
 * The one form of what can be written in several: a word with nothing more said about it is the word alone, keys stand in
 * their order. Two statements say the same exactly if their normal forms are equal.
 */
export function normalizeStatement(statement: Statement): Statement {
  if (isPropertyStatement(statement)) {
    return {
      subject: normalizeSlot(statement.subject),
      property: statement.property,
      ...(statement.from !== undefined && { from: normalizeValue(statement.from) }),
      to: normalizeValue(statement.to),
    };
  }
  const entries = actionOrder.flatMap((key) => {
    const said = statement[key];
    if (said === undefined) return [];
    return [[key, typeof said === 'object' ? normalizeSlot(said) : said] as const];
  });
  return Object.fromEntries(entries) as unknown as Statement;
}

/** A bare word where nothing more is said about it. */
function normalizeSlot(slot: Slot): Slot {
  if (typeof slot !== 'object' || slot === null) return slot;
  const mention = normalizeMention(slot);
  return mention.name === undefined && mention.count === undefined && mention.of === undefined ? mention.word : mention;
}

/** Values keep the object, because a text alone is read text. */
function normalizeValue(value: PropertyValue): PropertyValue {
  return typeof value === 'object' && value !== null ? normalizeMention(value) : value;
}

function normalizeMention(mention: Mention): Mention {
  return {
    word: mention.word,
    ...(mention.name !== undefined && { name: mention.name }),
    ...(mention.count !== undefined && { count: mention.count }),
    ...(mention.of !== undefined && { of: normalizeSlot(mention.of) }),
  };
}
