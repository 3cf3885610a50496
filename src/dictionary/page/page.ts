import type { PropertyValue, Statement } from '../../events/statement.ts';
import { type Dictionary, type SlotRules, isOpen, type Word } from '../dictionary.ts';
import { commonName, slotNames } from '../format.ts';
import { render } from '../sentences/render.ts';
import { validateStatement } from '../statements.ts';
import { client, style } from './assets.ts';
import { contentSecurityPolicy, escapeAttribute } from '../../markup.ts';

/** The games whose profile or script uses a word, by word id. */
export type Usage = ReadonlyMap<string, readonly string[]>;

/** Renders a self-contained HTML page to search and browse the words of a dictionary. */
export function dictionaryPage(dictionary: Dictionary, usage: Usage = new Map()): string {
  const words = dictionary.ordered.map((word) => entry(dictionary, word, usage));
  const games = dictionary.sources.filter(({ name }) => name !== commonName);
  // "</script>" in a definition must not end the script element.
  const data = JSON.stringify(words).replaceAll('<', '\\u003c');
  const kinds = (['object', 'action', 'property'] as const).map(
    (kind) => `${dictionary.words(kind).length} ${kind === 'property' ? 'properties' : `${kind}s`}`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
${contentSecurityPolicy(client)}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The words of playbyplay</title>
<style>${style}</style>
<header>
  <h1>The words of playbyplay</h1>
  <input type="search" placeholder="Search names, synonyms, definitions   ( / )" aria-label="Search">
  <select aria-label="Game"><option value="">all words</option>${games.map(({ name, title }) => `<option value="${escapeAttribute(name)}">${escapeAttribute(title ?? name)}</option>`).join('')}</select>
  <small>${dictionary.sources.map(({ name, version }) => escapeAttribute(`${name} ${version}`)).join(' · ')}</small>
</header>
<nav aria-label="Hierarchy"></nav>
<main></main>
<template id="welcome">
  <h2>${dictionary.ordered.length} words</h2>
  <p class="definition">${kinds.join(', ')}, in a strict hierarchy: every word is a kind of the word above it, so a question about one is answered by all below it.</p>
  ${eventList(dictionary)}
</template>
<script type="application/json" id="words">${data}</script>
<script>${client}</script>
</html>
`;
}

function eventList(dictionary: Dictionary): string {
  if (dictionary.events.length === 0) return '';
  const rows = dictionary.events.map(
    (event) => `<tr><td>${escapeAttribute(event.name)}</td><td>${escapeAttribute(event.definition)}</td></tr>`,
  );
  return `<h3>composite events</h3><table>${rows.join('')}</table>`;
}

function entry(dictionary: Dictionary, word: Word, usage: Usage): object {
  return {
    kind: word.kind,
    id: word.id,
    name: word.name,
    sense: word.sense,
    dictionary: word.namespace,
    definition: word.definition,
    parent: word.parent?.id,
    children: word.children.map(({ id }) => id),
    below: word.last - word.order,
    synonyms: word.synonyms,
    forms: formsOf(word),
    pattern: word.kind === 'action' ? patternOf(word.slots) : [],
    causes: word.causes?.id,
    examples: word.examples.length > 0 ? word.examples : (exampleOf(dictionary, word) ?? []),
    games: gamesOf(dictionary, word, usage),
  };
}

function formsOf(word: Word): readonly string[] {
  if (word.kind === 'object') return word.plural === word.name ? [] : [word.plural];
  if (word.kind === 'property') return [];
  const { third, past, participle, gerund } = word.forms;
  return [...new Set([third, past, participle, gerund, ...word.nouns])];
}

function patternOf(frame: SlotRules): [string, string][] {
  return slotNames.flatMap((slot): [string, string][] => {
    const rule = frame[slot];
    const parts = [rule.use === 'within' ? `said by the word itself${rule.word ? ` (${rule.word})` : ''}` : rule.use];
    if (isOpen(rule) && rule.accepts.length > 0) parts.push(rule.accepts.join(' or '));
    if (isOpen(rule) && rule.preposition !== '') parts.push(`“${rule.preposition} …”`);
    const usual = rule.accepts.length === 0 || (slot === 'manner' && rule.accepts.join() === 'manner');
    return rule.use === 'optional' && usual && slot !== 'object' ? [] : [[slot, parts.join(', ')]];
  });
}

/** The games that define or use the word or a descendant. */
function gamesOf(dictionary: Dictionary, word: Word, usage: Usage): readonly string[] {
  const games = new Set(usage.get(word.id) ?? []);
  for (const { namespace, id } of dictionary.ordered.slice(word.order, word.last + 1)) {
    if (namespace !== commonName) games.add(namespace);
    for (const game of usage.get(id) ?? []) games.add(game);
  }
  return [...games].toSorted();
}

/** Example statements for objects by ancestor; the first ancestor that applies is used. */
const settings: readonly (readonly [string, (id: string) => Statement])[] = [
  ['weapon', (id) => ({ subject: 'player', action: 'kill', object: 'opponent', with: id })],
  ['item', (id) => ({ subject: 'player', action: 'obtain', object: id })],
  ['enemy', (id) => ({ subject: 'player', action: 'defeat', object: id })],
  ['character', (id) => ({ subject: id, action: 'appear' })],
  ['vehicle', (id) => ({ subject: 'player', action: 'drive', object: id })],
  ['place', (id) => ({ subject: 'player', action: 'reach', object: id })],
  ['hazard', (id) => ({ subject: 'player', action: 'die', at: id })],
  ['structure', (id) => ({ subject: 'player', action: 'build', object: id })],
  ['part of play', (id) => ({ subject: id, action: 'begin' })],
  ['award', (id) => ({ subject: 'player', action: 'earn', object: id })],
  ['feat', (id) => ({ subject: 'player', action: 'achieve', object: id })],
  ['ability', (id) => ({ subject: 'player', action: 'perform', object: id })],
];

/** Generates an example sentence for a word from its ancestors; `undefined` if there is no valid one. */
export function exampleOf(dictionary: Dictionary, word: Word): readonly string[] | undefined {
  const statement =
    word.kind === 'object'
      ? objectExample(dictionary, word)
      : word.kind === 'action'
        ? actionExample(word)
        : propertyExample(dictionary, word);
  return statement && validateStatement(statement, dictionary).length === 0
    ? [render(statement, dictionary)]
    : undefined;
}

function objectExample(dictionary: Dictionary, word: Word): Statement | undefined {
  const found = settings.find(([ancestor]) => dictionary.isA(word.id, ancestor, 'object'));
  return found?.[1](word.id);
}

function actionExample({ id, slots }: Word): Statement {
  const subject = slots.subject.accepts[0] ?? 'player';
  const object =
    slots.object.use === 'required' || slots.object.accepts.length > 0
      ? (slots.object.accepts[0] ?? 'item')
      : undefined;
  const shown = object === 'character' ? 'opponent' : object;
  return {
    ...(slots.subject.use !== 'none' && { subject }),
    action: id,
    ...(shown !== undefined && { object: shown }),
  };
}

function propertyExample(dictionary: Dictionary, { id }: Word): Statement {
  if (dictionary.isA(id, 'manner', 'property'))
    return { subject: 'player', action: 'kill', object: 'opponent', manner: id };
  const values: [PropertyValue, PropertyValue] = dictionary.isA(id, 'identity', 'property') ? ['old', 'new'] : [3, 2];
  return { subject: 'player', property: id, from: values[0], to: values[1] };
}
