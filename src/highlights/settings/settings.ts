import { readFileSync } from 'node:fs';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { EventLine } from '../../events/log.ts';
import { messageOf, PlaybyplayError, type Issue } from '../../errors.ts';
import { didYouMean, findNearest } from '../../spelling.ts';
import type { HeaderLine } from '../../events/log.ts';
import { isPropertyStatement } from '../../events/statement.ts';
import { checkSchema } from '../../schema/check.ts';
import { settingsSchema } from './schema.ts';
import { lineage, wordOf, type Weights } from './weights.ts';
import type { Margin } from './windows.ts';

/** Seconds before and after, by kind and word; a word without an entry has its nearest ancestor's. */
export type Margins = Readonly<Partial<Record<'action' | 'property' | 'object', Readonly<Record<string, Margin>>>>>;

/** What a game (`configs/<game>/highlights.json`) or a person says about highlights. */
export interface Settings {
  readonly format: 'playbyplay/highlight-settings/1';
  /** Only for sessions of this game; default any. */
  readonly game?: string;
  /** Only for logs that this profile made, by its name; default any. */
  readonly profile?: string;
  readonly weights?: Weights;
  readonly margins?: Margins;
  /** Least weight of an event that asks for a scene by itself. */
  readonly notable?: number;
}

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

const usual: Margin = { before: 3, after: 2 };

/** The margins of an event: what the settings, then the defaults say of its word or the nearest ancestor. */
export function marginOf(event: EventLine, dictionary: Dictionary, margins?: Margins): Margin {
  const { statement } = event;
  const property = isPropertyStatement(statement);
  const kind = property ? 'property' : 'action';
  const object = property ? undefined : wordOf(statement.object);
  if (object !== undefined) {
    const special = lineage(dictionary, object, 'object')
      .map((id) => margins?.object?.[id])
      .find(Boolean);
    if (special) return special;
  }
  for (const id of lineage(dictionary, property ? statement.property : statement.action, kind)) {
    const margin = margins?.[kind]?.[id] ?? defaultMargins[kind]?.[id];
    if (margin) return margin;
  }
  return usual;
}

/** Reads settings from a JSON file. Throws PlaybyplayError `settings-missing`, or `settings-invalid` with every issue. */
export function readSettings(path: string): Settings {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new PlaybyplayError('settings-missing', `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new PlaybyplayError('settings-invalid', `${path} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  const issues = checkSchema(settingsSchema, data, { source: path });
  if (issues.length > 0) throw new PlaybyplayError('settings-invalid', `${path} has mistakes:`, { issues });
  return data as Settings;
}

/** Words in settings that the dictionary does not know, with the nearest that it does: they would change nothing. */
export function unknownWords(settings: Settings, dictionary: Dictionary, path: string): Issue[] {
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
          const at = `${path}#/${table}/${kind}/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`;
          return { code: 'unknown-word', path: at, message, ...(hint !== undefined && { hint }) };
        }),
    ),
  );
}

/** Settings of which the later go before the earlier, for the log of a header; those of other games are left out. */
export function settingsFor(all: readonly Settings[], header: HeaderLine): Settings | undefined {
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

/** Tables by kind and word, the entries of later ones in place of those of earlier ones. */
export function layered<T>(
  tables: readonly (
    | Readonly<Partial<Record<'action' | 'object' | 'property', Readonly<Record<string, T>>>>>
    | undefined
  )[],
): Readonly<Partial<Record<'action' | 'object' | 'property', Readonly<Record<string, T>>>>> {
  const kinds = ['action', 'object', 'property'] as const;
  return Object.fromEntries(kinds.map((kind) => [kind, Object.assign({}, ...tables.map((table) => table?.[kind]))]));
}
