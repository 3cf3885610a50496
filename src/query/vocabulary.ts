import type { Dictionary, Word } from '../dictionary/dictionary.ts';
import { slotKind, wordSlots, type WordKind } from '../dictionary/format.ts';
import type { EventLine } from '../events/log.ts';
import { isPropertyStatement, type PropertyValue, type Slot } from '../events/statement.ts';

/** The words that logs mention. Of several readings of a question, one about what happens in the logs is more likely meant. */
export class Vocabulary {
  private readonly mentioned: Readonly<Record<WordKind, Set<Word>>> = {
    action: new Set(),
    object: new Set(),
    property: new Set(),
  };
  /** The words as mentioned, without those above them. */
  private readonly leaves = new Set<Word>();
  private readonly numeric = new Set<Word>();
  private readonly dictionary: Dictionary;

  constructor(events: Iterable<EventLine>, dictionary: Dictionary) {
    this.dictionary = dictionary;
    for (const { statement } of events) {
      if (isPropertyStatement(statement)) {
        this.add(statement.property, 'property');
        this.addSlot(statement.subject, 'object');
        this.addValue(statement.from);
        this.addValue(statement.to);
        const property = typeof statement.to === 'number' && dictionary.find(statement.property, 'property');
        for (let word = property || undefined; word && !this.numeric.has(word); word = word.parent)
          this.numeric.add(word);
        continue;
      }
      this.add(statement.action, 'action');
      for (const slot of wordSlots) this.addSlot(statement[slot], slotKind(slot));
      if (statement.unit !== undefined) this.add(statement.unit, 'object');
    }
  }

  /** Do the logs mention the word or one under it? */
  has(word: Word): boolean {
    return this.mentioned[word.kind].has(word);
  }

  /** Does the property, or one under it, have numbers as values? */
  isNumeric(property: Word): boolean {
    return this.numeric.has(property);
  }

  /** Can the logs be grouped by a word, as they mention several words under it, or others than itself? */
  hasGroups(word: Word): boolean {
    return this.dictionary.descendants(word.id, word.kind).some((each) => each !== word && this.leaves.has(each));
  }

  private addValue(value: PropertyValue | undefined): void {
    if (typeof value === 'object') this.addSlot(value, 'object');
  }

  private addSlot(slot: Slot | undefined, kind: WordKind): void {
    if (slot === undefined) return;
    if (typeof slot === 'string') this.add(slot, kind);
    else {
      this.add(slot.word, kind);
      this.addSlot(slot.of, 'object');
    }
  }

  private add(id: string, kind: WordKind): void {
    const known = this.mentioned[kind];
    const own = this.dictionary.find(id, kind);
    if (own) this.leaves.add(own);
    for (let word = this.dictionary.find(id, kind); word && !known.has(word); word = word.parent) {
      known.add(word);
      // Whoever kills makes somebody die.
      if (word.causes) this.add(word.causes.id, 'action');
    }
  }
}
