import type { PropertyValue, Statement } from '../../events/statement.ts';
import type { Dictionary, Word } from '../dictionary.ts';
import { render } from '../sentences/render.ts';
import { validateStatement } from '../sentences/validate.ts';

/** Under which words an object is best shown by which action, the nearest first. */
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

/** A sentence or two that use a word, made from its place in the hierarchy; none where nothing sensible can be said. */
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

function actionExample({ id, frame }: Word): Statement {
  const subject = frame.subject.accepts[0] ?? 'player';
  const object =
    frame.object.use === 'required' || frame.object.accepts.length > 0
      ? (frame.object.accepts[0] ?? 'item')
      : undefined;
  const shown = object === 'character' ? 'opponent' : object;
  return {
    ...(frame.subject.use !== 'none' && { subject }),
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
