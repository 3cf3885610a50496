import type { EventLine } from '../events/log.ts';
import { isPropertyStatement, type Statement, wordOf } from '../events/statement.ts';
import { readInputText } from '../files/input.ts';
import { integer } from '../schema/build.ts';
import type { FromSchema, Schema } from '../schema/from-schema.ts';
import { parseJsonFile } from '../schema/parse.ts';
import type { HighlightList, Reason, Scene } from './list.ts';
import { unqualified } from './weights.ts';

/** JSON Schema of what is known of a person's taste. */
export const preferencesSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:preferences:1',
  title: 'playbyplay preferences',
  description: 'how many scenes with a word were offered, and how many of them a person kept',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    format: { const: 'playbyplay/preferences/1' },
    words: {
      type: 'object',
      maxProperties: 10_000,
      description: 'by word of an event: its action, object, instrument or property',
      additionalProperties: {
        type: 'object',
        properties: { offered: integer([0, 1_000_000]), kept: integer([0, 1_000_000]) },
        required: ['offered', 'kept'],
        additionalProperties: false,
      },
    },
  },
  required: ['format', 'words'],
  additionalProperties: false,
} as const satisfies Schema;

/** How many scenes with a word were offered, and how many of them a person kept. */
export interface Preferences extends Omit<FromSchema<typeof preferencesSchema>, '$schema'> {}

/** The preferences of somebody of whom nothing is known. */
export const noPreferences: Preferences = { format: 'playbyplay/preferences/1', words: {} };

/** The scenes of a list, as far as preferences need them: a list that was edited by hand has fewer. */
const LIST_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:edited-list:1',
  type: 'object',
  required: ['format', 'scenes'],
  properties: {
    format: { const: 'playbyplay/highlights/1' },
    scenes: {
      type: 'array',
      maxItems: 100_000,
      items: {
        type: 'object',
        required: ['session', 'start', 'end'],
        properties: { session: { type: 'string' }, start: { type: 'number' }, end: { type: 'number' } },
      },
    },
  },
} as const satisfies Schema;

/**
 * Reads a list of scenes that was edited by hand.
 *
 * @throws PlaybyplayError `list-invalid`.
 */
export function readEditedList(path: string): Pick<HighlightList, 'format'> & FromSchema<typeof LIST_SCHEMA> {
  return parseJsonFile(LIST_SCHEMA, readInputText(path, 'list-invalid'), { source: path, code: 'list-invalid' });
}

/**
 * Reads preferences.
 *
 * @throws PlaybyplayError `preferences-invalid`.
 */
export function readPreferences(path: string): Preferences {
  return parseJsonFile(preferencesSchema, readInputText(path, 'preferences-invalid'), {
    source: path,
    code: 'preferences-invalid',
  });
}

/**
 * Learns from what a person kept of the scenes that were offered.
 *
 * @param offered The scenes of the choice that the person edited.
 * @param kept Parts of sessions that are left. A scene counts as kept if half of it is.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const { scenes } = chooseScenes(sources, { dictionary, duration: 5 });
 * const learned = learnPreferences(noPreferences, scenes, []);
 * Object.values(learned.words).every(({ kept }) => kept === 0); // true
 * ```
 */
export function learnPreferences(
  known: Preferences,
  offered: readonly Scene[],
  kept: readonly { readonly session: string; readonly start: number; readonly end: number }[],
): Preferences {
  const words = new Map(Object.entries(known.words));
  for (const { session, start, end, events } of offered) {
    const left = kept
      .filter((part) => part.session === session)
      .reduce((sum, part) => sum + Math.max(0, Math.min(end, part.end) - Math.max(start, part.start)), 0);
    const isKept = left >= (end - start) / 2;
    for (const word of new Set(events.flatMap(({ event }) => wordsOf(event.statement)))) {
      const { offered: before, kept: keptBefore } = words.get(word) ?? { offered: 0, kept: 0 };
      words.set(word, { offered: before + 1, kept: keptBefore + Number(isKept) });
    }
  }
  return { ...known, words: Object.fromEntries([...words].toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

/** Words by which scenes are distinguished. */
function wordsOf(statement: Statement): string[] {
  const slots = isPropertyStatement(statement)
    ? [statement.property]
    : [statement.action, wordOf(statement.object), wordOf(statement.with)];
  return [...new Set(slots.flatMap((word) => (word === undefined || word === 'player' ? [] : unqualified(word))))];
}

/** Scenes without opinion that are added to what is known of a word: how slowly opinions form. */
const PRIOR_SCENES = 3;
/** Limits of the factor on an event. */
const MIN_FACTOR = 0.2;
const MAX_FACTOR = 3;

/**
 * Makes a function that returns the factor on an event: how much more often than others scenes with its words are kept.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const choice = chooseScenes(sources, { dictionary, factors: preferenceFactors(noPreferences) });
 * ```
 */
export function preferenceFactors({ words }: Preferences): (source: number, event: EventLine) => Reason[] {
  const all = Object.values(words);
  const offered = all.reduce((sum, word) => sum + word.offered, 0);
  const usual = offered === 0 ? 0.5 : (all.reduce((sum, word) => sum + word.kept, 0) + 1) / (offered + 2);
  const shareOf = (word: string): number => {
    const known = words[word];
    if (!known || !Object.hasOwn(words, word)) return 1;
    return (known.kept + PRIOR_SCENES * usual) / (known.offered + PRIOR_SCENES) / usual;
  };
  return (_, { statement }) => {
    const ratios = wordsOf(statement).map((word) => ({ word, ratio: shareOf(word) }));
    const value = Math.max(
      MIN_FACTOR,
      Math.min(
        MAX_FACTOR,
        ratios.reduce((product, { ratio }) => product * ratio, 1),
      ),
    );
    const strongest = ratios.toSorted((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)))[0];
    if (!strongest || Math.abs(value - 1) < 0.02) return [];
    const { offered: times = 0, kept = 0 } = words[strongest.word] ?? {};
    return [{ kind: 'preference', value, text: `you kept ${kept} of ${times} with “${strongest.word}”` }];
  };
}
