import type { Dictionary } from '../dictionary/dictionary.ts';
import type { Issue } from '../errors.ts';
import type { EventLine, HeaderLine } from '../events/log.ts';
import { isPropertyStatement, wordOf } from '../events/statement.ts';
import { readInputText } from '../files/input.ts';
import { appendPointer } from '../json.ts';
import { number } from '../schema/build.ts';
import type { FromSchema, Schema } from '../schema/from-schema.ts';
import { parseJsonFile } from '../schema/parse.ts';
import { didYouMean, findNearest } from '../spelling.ts';
import type { ReelStyleName } from './style.ts';
import { isPlayerDefeat, withAncestors } from './weights.ts';
import type { Margin } from './windows.ts';

const WEIGHTS = {
  description: 'weights of words by id, 0 to about 12; a word without an entry inherits its nearest ancestor’s',
  type: 'object',
  additionalProperties: number([0, 1000]),
} as const;

const MARGINS = {
  description:
    'seconds shown around events with these words, by id; a word without an entry inherits its nearest ancestor’s',
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      before: number([0, 600], 'seconds before the event'),
      after: number([0, 600], 'seconds after its end'),
    },
    required: ['before', 'after'],
    additionalProperties: false,
  },
} as const;

function byKind<const Table>(description: string, table: Table) {
  const properties = { action: table, object: table, property: table };
  return { description, type: 'object', properties, additionalProperties: false } as const;
}

/** JSON Schema of `configs/<game>/highlights.json` and of what `--settings` names. */
export const settingsSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:highlight-settings:1',
  title: 'playbyplay highlight settings',
  description: 'weights and margins of the events of a game',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    format: { const: 'playbyplay/highlight-settings/1' },
    game: { type: 'string', description: 'applies only to sessions of this game; default: any' },
    profile: { type: 'string', description: 'applies only to logs made with the profile of this name; default: any' },
    notable: number([0], 'minimum weight of an event that starts a scene; default 4'),
    weights: byKind('weights of events by the words of their statements', WEIGHTS),
    margins: byKind('seconds shown around an event; an object’s entry overrides its action’s', MARGINS),
  },
  required: ['format'],
  additionalProperties: false,
} as const satisfies Schema;

/** Seconds before and after an event, by kind and word; a word without an entry inherits its nearest ancestor's. */
export type Margins = Readonly<Partial<Record<'action' | 'property' | 'object', Readonly<Record<string, Margin>>>>>;

/** Highlight settings of a game (`configs/<game>/highlights.json`) or of a user's file. */
export interface HighlightSettings extends Omit<FromSchema<typeof settingsSchema>, '$schema'> {}

/** Built-in margins. */
export const defaultMargins: Margins = {
  action: {
    happen: { before: 3, after: 2 },
    defeat: { before: 4, after: 2 },
    die: { before: 5, after: 2 },
    obtain: { before: 2, after: 1.5 },
    win: { before: 6, after: 4 },
    lose: { before: 6, after: 3 },
    complete: { before: 5, after: 3 },
    score: { before: 5, after: 3 },
  },
  property: { attribute: { before: 3, after: 2 } },
};

const DEFAULT_MARGIN: Margin = { before: 3, after: 2 };

/**
 * Resolves the margins of an event: an object's entry first, then the action's or property's, each looked up through
 * its ancestors in `margins` and the defaults.
 */
export function marginForEvent(event: EventLine, dictionary: Dictionary, margins?: Margins): Margin {
  const { statement } = event;
  const property = isPropertyStatement(statement);
  const kind = property ? 'property' : 'action';
  const object = property ? undefined : wordOf(statement.object);
  if (object !== undefined) {
    const special = withAncestors(dictionary, object, 'object')
      .map((id) => margins?.object?.[id])
      .find(Boolean);
    if (special) return special;
  }
  for (const id of withAncestors(dictionary, property ? statement.property : statement.action, kind)) {
    const margin = margins?.[kind]?.[id] ?? defaultMargins[kind]?.[id];
    if (margin) return margin;
  }
  return DEFAULT_MARGIN;
}

/**
 * Reads and validates a settings file.
 *
 * @throws PlaybyplayError `settings-missing`, or `settings-invalid` with every issue.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 *
 * await writeFile('settings.json', '{"format": "playbyplay/highlight-settings/1", "notable": 6}');
 * readSettings('settings.json').notable; // 6
 * ```
 */
export function readSettings(path: string): HighlightSettings {
  const text = readInputText(path, 'settings-missing');
  return parseJsonFile(settingsSchema, text, { source: path, code: 'settings-invalid' });
}

/**
 * Reports words in settings that the dictionary does not have, with the nearest spelling; such entries have no effect.
 */
export function unknownWords(settings: HighlightSettings, dictionary: Dictionary, path: string): Issue[] {
  return (['weights', 'margins'] as const).flatMap((table) =>
    (['action', 'object', 'property'] as const).flatMap((kind) =>
      Object.keys(settings[table]?.[kind] ?? {})
        .filter((id) => dictionary.find(id, kind)?.id !== id)
        .map((id): Issue => {
          const near =
            dictionary.find(id, kind)?.id ??
            findNearest(
              id,
              dictionary.words(kind).map((word) => word.id),
            );
          const hint = near === undefined ? undefined : didYouMean(near);
          const message = `there is no ${kind} “${id}” in the dictionary`;
          const at = `${path}#${appendPointer('', table, kind, id)}`;
          return { code: 'unknown-word', path: at, message, ...(hint !== undefined && { hint }) };
        }),
    ),
  );
}

/**
 * Merges the settings that apply to a log's game and profile; later ones override earlier ones.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const all = [{ format: 'playbyplay/highlight-settings/1', notable: 6 }];
 * const settings = sources.map(({ header }) => settingsFor(all, header));
 * const choice = chooseScenes(sources, { dictionary, settings });
 * ```
 */
export function settingsFor(all: readonly HighlightSettings[], header: HeaderLine): HighlightSettings | undefined {
  const own = all.filter(
    ({ game, profile }) =>
      (game === undefined || game === header.game) && (profile === undefined || profile === header.profile.name),
  );
  if (own.length < 2) return own[0];
  const notable = own.findLast((each) => each.notable !== undefined)?.notable;
  return {
    format: 'playbyplay/highlight-settings/1',
    weights: layered(own.map(({ weights }) => weights)),
    margins: layered(own.map(({ margins }) => margins)),
    ...(notable !== undefined && { notable }),
  };
}

/** Merges tables by kind and word; entries of later tables override earlier ones. */
export function layered<T>(
  tables: readonly (
    | Readonly<Partial<Record<'action' | 'object' | 'property', Readonly<Record<string, T>>>>>
    | undefined
  )[],
): Readonly<Partial<Record<'action' | 'object' | 'property', Readonly<Record<string, T>>>>> {
  const kinds = ['action', 'object', 'property'] as const;
  return Object.fromEntries(kinds.map((kind) => [kind, Object.assign({}, ...tables.map((table) => table?.[kind]))]));
}

/** Defaults for one kind of reel. */
export interface Preset {
  readonly summary: string;
  /** Seconds; without one, every scene is used. */
  readonly duration?: number;
  readonly margin?: Partial<Margin>;
  /** Share of the usual seconds before events; default 1. */
  readonly lead?: number;
  readonly notable?: number;
  readonly aspect?: '16:9' | '9:16' | '1:1';
  readonly captions?: 'burn' | 'track' | 'none';
  readonly titles?: boolean;
  /** Whether a style with an end card has it; default: yes. */
  readonly endCard?: boolean;
  readonly style?: ReelStyleName;
  /** Events to build scenes from. */
  readonly include?: (event: EventLine, dictionary: Dictionary) => boolean;
}

const fails: Preset = {
  summary: 'the 45 seconds that one would rather forget',
  duration: 45,
  style: 'short',
  include: (event, dictionary) => isPlayerDefeat(event.statement, dictionary),
};

/** Built-in presets by name. */
export const presets: Readonly<Record<string, Preset>> = {
  short: {
    summary: 'the best 30 seconds, upright, with counter, banners and captions',
    duration: 30,
    lead: 0.55,
    aspect: '9:16',
    captions: 'none',
    style: 'short',
  },
  montage: {
    summary: 'the best minute, with a title, whip pans and slow motion',
    duration: 60,
    lead: 0.45,
    titles: true,
    style: 'montage',
  },
  cinematic: {
    summary: 'the best 45 seconds in slow motion, through black',
    duration: 45,
    titles: true,
    style: 'cinematic',
  },
  plain: { summary: 'the best minute as it was recorded', duration: 60, style: 'plain' },
  coaching: {
    summary: 'what went wrong, with what led to it, captions in the picture',
    margin: { before: 8, after: 3 },
    captions: 'burn',
    include: (event, dictionary) => isPlayerDefeat(event.statement, dictionary),
  },
  fails,
  lowlights: fails,
  everything: { summary: 'every notable event except defeats, however long it takes' },
};
