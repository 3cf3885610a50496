import {
  listOf,
  namePattern,
  namespacePattern,
  sensePattern,
  wordKinds,
  type DictionaryFile,
  type WordEntry,
} from '../format.ts';
import { isRecord, type Report } from '../shape.ts';

/** What of a file can be worked with: entries stand at their own index, those that cannot be used are left out. */
export interface UsableFile extends Omit<DictionaryFile, 'objects' | 'actions' | 'properties' | 'events'> {
  readonly objects: readonly (WordEntry | undefined)[];
  readonly actions: readonly (WordEntry | undefined)[];
  readonly properties: readonly (WordEntry | undefined)[];
  readonly events: readonly (NonNullable<DictionaryFile['events']>[number] | undefined)[];
}

/**
 * The usable part of a file whose shape has findings, so that the findings beyond the shape are told at the same time:
 * of a broken word its name and parent, so that its children do not seem to be orphans; of all else only what is right.
 */
export function usablePart(data: Readonly<Record<string, unknown>>, report: Report): UsableFile | undefined {
  const { name, version } = data;
  if (typeof name !== 'string' || !namespacePattern.test(name)) return undefined;
  const broken = new Set(
    report.issues.map(
      ({ path }) => /^(\/[a-z]+\/\d+|\/[a-z]+)/.exec(path?.slice(report.file.length + 1) ?? '')?.[1] ?? '',
    ),
  );
  const good = (key: string): boolean => key in data && !broken.has(`/${key}`);
  const entries = (kind: (typeof wordKinds)[number]): (WordEntry | undefined)[] => {
    const list = data[listOf[kind]];
    if (!Array.isArray(list)) return [];
    return list.map((entry: unknown, index) =>
      broken.has(`/${listOf[kind]}/${index}`) ? essence(entry) : (entry as WordEntry),
    );
  };
  const events = Array.isArray(data['events']) ? data['events'] : [];
  return {
    format: 'playbyplay/dictionary/1',
    name,
    version: typeof version === 'string' && !broken.has('/version') ? version : '0.0.0',
    ...(good('title') && { title: data['title'] as string }),
    ...(good('extends') && { extends: data['extends'] as Record<string, string> }),
    ...(good('synonyms') && { synonyms: data['synonyms'] as NonNullable<DictionaryFile['synonyms']> }),
    objects: entries('object'),
    actions: entries('action'),
    properties: entries('property'),
    events: events.map((event: unknown, index) =>
      broken.has(`/events/${index}`) ? undefined : (event as UsableFile['events'][number]),
    ),
  };
}

/** Name, sense, parent and definition of a broken entry, where they can be read. */
function essence(entry: unknown): WordEntry | undefined {
  if (!isRecord(entry)) return undefined;
  const { name, sense, parent, definition } = entry;
  if (typeof name !== 'string' || !namePattern.test(name)) return undefined;
  return {
    name,
    ...(typeof sense === 'string' && sensePattern.test(sense) && { sense }),
    ...(typeof parent === 'string' && { parent }),
    definition: typeof definition === 'string' ? definition : '',
  };
}
