import { covers, type Dictionary, type Word } from '../dictionary/dictionary.ts';
import { slotKind, type WordSlot, wordSlots, type WordKind } from '../dictionary/format.ts';
import type { EventLine } from '../events/log.ts';
import {
  type ActionStatement,
  isPropertyStatement,
  type Mention,
  type PropertyValue,
  type Slot,
} from '../events/statement.ts';
import type { LogFacts } from '../dictionary/sentences/parse-context.ts';
import { boundaryActions, endingActions, endsOwnNoun } from './match/periods.ts';

/** The words that logs mention. Of several readings of a question, one about what happens in the logs is more likely meant. */
export class Vocabulary implements LogFacts {
  private readonly mentioned: Readonly<Record<WordKind, Set<Word>>> = {
    action: new Set(),
    object: new Set(),
    property: new Set(),
  };
  /** The words as mentioned, without those above them. */
  private readonly leaves = new Set<Word>();
  private readonly numeric = new Set<Word>();
  /** The words of what begins, ends, is won, lost, drawn or completed. */
  private readonly periods = new Set<Word>();
  /** Who the events are about, as word and name. */
  private readonly characters = new Map<string, Mention>();
  /** Of each property that is stated of somebody: of whom, as word and name. */
  private readonly ownersOf = new Map<Word, Map<string, Mention>>();
  private readonly subjects = new Set<Word>();
  /** What fills each slot of each action, with the words above them. */
  private readonly fillers = new Map<WordSlot, Map<Word, Set<Word>>>();
  /** The actions of which some event has an amount, with those above them. */
  private readonly amounts = new Set<Word>();
  /** What each name is the name of, by the name in lower case. */
  private readonly named = new Map<string, Set<string>>();
  /** Of what is mentioned: the actions that somebody does to it; `undefined` for mentions of another kind. */
  private readonly actionsOn = new Map<Word, Set<Word | undefined>>();
  /** Do the logs say whose anything is: "the player's flag"? */
  statesOwners = false;
  private readonly dictionary: Dictionary;
  /** Do the logs mention the word or one under it? */
  readonly has = (word: Word): boolean => this.mentioned[word.kind].has(word);

  constructor(events: Iterable<EventLine>, dictionary: Dictionary) {
    this.dictionary = dictionary;
    for (const { statement } of events) {
      const actor = typeof statement.subject === 'object' ? statement.subject.word : statement.subject;
      const actingWord = actor === undefined ? undefined : dictionary.find(actor, 'object');
      if (actingWord) this.subjects.add(actingWord);
      this.addCharacter(statement.subject);
      if (isPropertyStatement(statement)) {
        this.addOwner(statement.property, statement.subject);
        this.add(statement.property, 'property');
        this.addSlot(statement.subject, 'object');
        for (const value of [statement.from, statement.to]) {
          this.addValue(value);
          if (typeof value === 'object') this.addActionOn(value, undefined);
        }
        this.addActionOn(statement.subject, undefined);
        const property = typeof statement.to === 'number' && dictionary.find(statement.property, 'property');
        for (let word = property || undefined; word && !this.numeric.has(word); word = word.parent)
          this.numeric.add(word);
        continue;
      }
      this.addCharacter(statement.object);
      this.addPeriod(statement);
      this.add(statement.action, 'action');
      // "draws card" says something of cards too.
      const noun = dictionary.find(statement.action, 'action')?.ownNoun;
      if (noun !== undefined) this.addActionOn(noun, undefined);
      for (const slot of wordSlots) {
        this.addFiller(slot, statement.action, statement[slot]);
        this.addSlot(statement[slot], slotKind(slot));
        const isDone = slot === 'object' && this.isSomebody(statement.subject);
        this.addActionOn(statement[slot], isDone ? dictionary.find(statement.action, 'action') : undefined);
      }
      if (statement.unit !== undefined) this.add(statement.unit, 'object');
      if (statement.amount !== undefined)
        for (let word = dictionary.find(statement.action, 'action'); word; word = word.parent) this.amounts.add(word);
    }
  }

  /** Do the logs have the word itself, rather than one under it? */
  states(word: Word): boolean {
    return this.leaves.has(word);
  }

  /** Does the property, or one under it, have numbers as values? */
  isNumeric(property: Word): boolean {
    return this.numeric.has(property);
  }

  /** Can the logs be grouped by a word, as they mention several words under it, or others than itself? */
  hasGroups(word: Word): boolean {
    return this.dictionary.descendants(word.id, word.kind).some((each) => each !== word && this.leaves.has(each));
  }

  /** Do the logs say when one of these begins or ends, as of rounds, halves or laps? */
  isPeriod(word: Word): boolean {
    return [...this.periods].some((each) => covers(word, each));
  }

  /** The only other character, if the logs are about two. */
  get rival(): Mention | undefined {
    const others = [...this.characters.values()].filter(({ word }) => word !== 'player');
    return others.length === 1 && this.characters.has('player') ? others[0] : undefined;
  }

  /** Does the word, or one under it, act in the logs or have values? */
  acts(word: Word): boolean {
    return [...this.subjects].some((each) => covers(word, each));
  }

  /** The only name of several words of the logs with these initials; `undefined` if there is none, or more than one. */
  nameOfInitials(initials: string): string | undefined {
    const names = new Set([...this.leaves].flatMap(({ name }) => (initialsOf(name) === initials ? [name] : [])));
    return names.size === 1 ? [...names][0] : undefined;
  }

  /** The only action that somebody does to what the word names, where the logs mention it in no other way. */
  onlyActionOn(word: Word): Word | undefined {
    const [action, ...others] = this.actionsOn.get(word) ?? [];
    return others.length === 0 ? action : undefined;
  }

  /**
   * The only name of several words of a thing or a property of the logs that has the word as its first or last; `undefined` if
   * the logs mention the word itself, or something under it.
   */
  nameOfPart(part: string): string | undefined {
    const singular = part.replace(/s$/, '');
    const isPart = (text: string): boolean => text === part || text === singular;
    const kinds = ['action', 'object', 'property'] as const;
    const isMentioned = kinds.some((kind) =>
      [...this.mentioned[kind]].some(({ name, synonyms, forms }) =>
        [name, ...synonyms, ...(kind === 'action' ? Object.values(forms) : [])].some((each) =>
          isPart(each.toLowerCase()),
        ),
      ),
    );
    if (isMentioned || part.length < 3) return undefined;
    const names = new Set(
      [...this.leaves].flatMap(({ kind, name }) => {
        const words = name.toLowerCase().split(' ');
        return words.length === 2 && words.some((each) => isPart(each))
          ? [kind === 'action' ? '' : name.toLowerCase()]
          : [];
      }),
    );
    return names.size === 1 ? [...names][0] || undefined : undefined;
  }

  /** Is an action only ever done to what the word names, never by it? */
  onlySuffers(word: Word, action: Word): boolean {
    return this.fills('object', action, word) && !this.fills('subject', action, word);
  }

  /** Does any event have the word, or one under it, in this slot of the action? */
  fills(slot: WordSlot, action: Word, word: Word): boolean {
    return this.fillers.get(slot)?.get(action)?.has(word) === true;
  }

  /** Does any event say how much of the action there was? */
  hasAmounts(action: Word): boolean {
    return this.amounts.has(action);
  }

  /** Does what the word names, or one under it, do the action, or is it done to it? */
  takesPart(word: Word, action: Word): boolean {
    return this.fills('subject', action, word) || this.fills('object', action, word);
  }

  /** The texts of the messages that the screen shows. */
  readonly messages: string[] = [];

  /** What the logs call by this name, as the ids of words. */
  wordsNamed(name: string): readonly string[] {
    return [...(this.named.get(name.toLowerCase()) ?? [])];
  }

  /** Does any event say this of an action, or of these actions: with what, where or how it is done? */
  uses(slot: WordSlot, actions?: readonly Word[]): boolean {
    const using = this.fillers.get(slot);
    return using !== undefined && (actions === undefined || actions.some((each) => using.has(each)));
  }

  /** Do the logs say who crosses the finish line? */
  get hasFinishLine(): boolean {
    const cross = this.dictionary.find('cross finish line', 'action');
    return cross !== undefined && this.has(cross);
  }

  /** Do the logs know teammates of the player, or the team as a whole? */
  get hasOwnTeam(): boolean {
    return ['teammate', 'own team'].some((id) => this.mentions(id));
  }

  /** Do only teams do this, of which the logs do not say which one is the player's? */
  isOfUnknownTeams(action: Word): boolean {
    const does = (id: string): boolean => {
      const word = this.dictionary.find(id, 'object');
      return word !== undefined && this.fills('subject', action, word);
    };
    return does('team') && !['player', 'teammate', 'own team'].some((id) => does(id));
  }

  /** Do the logs mention the thing, or one under it? */
  mentions(id: string): boolean {
    const word = this.dictionary.find(id, 'object');
    return word !== undefined && this.has(word);
  }

  /** What the logs call those against whom the player plays. */
  get others(): 'opponents' | 'enemies' | undefined {
    const role = (['opponent', 'enemy'] as const).find((id) => {
      const word = this.dictionary.find(id, 'object');
      return word !== undefined && this.has(word);
    });
    return role && (role === 'enemy' ? 'enemies' : 'opponents');
  }

  /** Of whom the logs state a property or one under it. */
  owners(property: Word): readonly Mention[] {
    const owners = [...this.ownersOf].filter(([word]) => covers(property, word)).flatMap(([, each]) => [...each]);
    return [...new Map(owners).values()];
  }

  private addCharacter(slot: Slot | undefined): void {
    const mention = typeof slot === 'string' ? { word: slot } : slot;
    if (mention && this.dictionary.isA(mention.word, 'character', 'object'))
      this.characters.set(keyOf(mention), mention);
  }

  private addOwner(id: string, slot: Slot): void {
    const property = this.dictionary.find(id, 'property');
    const owner = typeof slot === 'string' ? { word: slot } : slot;
    if (!property) return;
    const known = this.ownersOf.get(property) ?? new Map<string, Mention>();
    known.set(keyOf(owner), owner);
    this.ownersOf.set(property, known);
  }

  private addPeriod({ action, subject, object }: ActionStatement): void {
    const word = this.dictionary.find(action, 'action');
    const covered = (ids: readonly string[]): boolean =>
      ids.some((id) => covers(this.dictionary.find(id, 'action'), word));
    const candidates = [
      ...(covered(boundaryActions) ? [subject] : []),
      ...(covered(endingActions) ? [object] : []),
      ...(word && endsOwnNoun(word) ? [word.ownNoun] : []),
    ];
    for (const slot of candidates) {
      const id = typeof slot === 'object' ? slot.word : slot;
      const noun = id === undefined ? undefined : this.dictionary.find(id, 'object');
      if (noun) this.periods.add(noun);
    }
  }

  private addFiller(slot: WordSlot, id: string, filler: Slot | undefined): void {
    const who = typeof filler === 'object' ? filler.word : filler;
    if (who === undefined) return;
    const ofSlot = this.fillers.get(slot) ?? new Map<Word, Set<Word>>();
    this.fillers.set(slot, ofSlot);
    for (let action = this.dictionary.find(id, 'action'); action; action = action.parent) {
      const known = ofSlot.get(action) ?? new Set<Word>();
      ofSlot.set(action, known);
      for (let word = this.dictionary.find(who, slotKind(slot)); word; word = word.parent) known.add(word);
    }
  }

  private isSomebody(slot: Slot | undefined): boolean {
    const id = typeof slot === 'object' ? slot.word : slot;
    return id !== undefined && ['character', 'group'].some((each) => this.dictionary.isA(id, each, 'object'));
  }

  private addActionOn(slot: Slot | undefined, action: Word | undefined): void {
    const id = typeof slot === 'object' ? slot.word : slot;
    for (let word = id === undefined ? undefined : this.dictionary.find(id, 'object'); word; word = word.parent) {
      const known = this.actionsOn.get(word);
      if (known) known.add(action);
      else this.actionsOn.set(word, new Set([action]));
    }
  }

  private addValue(value: PropertyValue | undefined): void {
    if (typeof value === 'object') this.addSlot(value, 'object');
  }

  private addSlot(slot: Slot | undefined, kind: WordKind): void {
    if (slot === undefined) return;
    if (typeof slot === 'string') this.add(slot, kind);
    else {
      this.add(slot.word, kind);
      if (slot.of !== undefined) this.statesOwners = true;
      if (slot.name !== undefined) {
        if (slot.word === 'message' && !this.messages.includes(slot.name)) this.messages.push(slot.name);
        const name = slot.name.toLowerCase();
        this.named.set(name, (this.named.get(name) ?? new Set<string>()).add(slot.word));
      }
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

/** The first letters of the words of a name; empty for a single word. */
function initialsOf(name: string): string {
  const words = name.toLowerCase().split(/[ -]/);
  return words.length > 1 ? words.map((word) => word[0]).join('') : '';
}

function keyOf({ word, name }: Mention): string {
  return name === undefined ? word : `${word} ${name}`;
}
