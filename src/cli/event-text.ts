import type { Dictionary } from '../dictionary/dictionary.ts';
import type { LanguageCode } from '../dictionary/languages/format.ts';
import { loadLanguage } from '../dictionary/languages/language.ts';
import { render } from '../dictionary/sentences/render.ts';
import type { EventLine } from '../events/log.ts';
import type { CommandIo } from './command.ts';
import { formatCount } from './describe-error.ts';
import { usageError } from './options.ts';
import type { Selection } from './select-scenes.ts';

/** How many of the missing words are named. */
const MAX_NAMED_WORDS = 8;

const languageNames: Readonly<Record<LanguageCode, string>> = { de: 'German', es: 'Spanish', zh: 'Chinese' };

/** The options `--style` and `--language`. */
export interface EventTextOptions {
  readonly style: 'log' | 'caster' | undefined;
  readonly language: 'en' | LanguageCode | undefined;
}

/** Writes events as the user asked. */
export interface EventTexts {
  textOf(event: Pick<EventLine, 'id' | 'text' | 'statement'>): string;
  /** The scenes and logs with these texts in their events. */
  withTexts(selection: Selection): Selection;
  /** The texts of the events of scenes by id; `undefined` where they are the log's. */
  ofScenes(selection: Selection): ReadonlyMap<string, string> | undefined;
  /** Says once which words the language lacks. */
  reportMissing(io: CommandIo): void;
}

/**
 * Opens the writer of `--style` and `--language`.
 *
 * @throws PlaybyplayError `usage` if both are given.
 */
export async function openEventTexts(
  { style, language = 'en' }: EventTextOptions,
  dictionary: Dictionary,
): Promise<EventTexts> {
  if (style === 'caster' && language !== 'en')
    throw usageError('--style caster is in English only', 'Leave out --style or --language.');
  const foreign = language === 'en' ? undefined : await loadLanguage(language, dictionary);
  const isLog = style !== 'caster' && !foreign;
  const textOf: EventTexts['textOf'] = ({ id, text, statement }) => {
    if (isLog) return text;
    return foreign
      ? render(statement, dictionary, { language: foreign })
      : render(statement, dictionary, { style: 'caster', seed: id });
  };
  return {
    textOf,
    withTexts: (selection) => (isLog ? selection : replaceTexts(selection, textOf)),
    ofScenes: ({ choice }) =>
      isLog
        ? undefined
        : new Map(choice.scenes.flatMap(({ events }) => events.map(({ event }) => [event.id, textOf(event)]))),
    reportMissing: (io) => {
      const missing = [...(foreign?.missing ?? [])];
      if (missing.length === 0) return;
      const more = missing.length > MAX_NAMED_WORDS ? ', …' : '';
      io.stderr.write(
        `${formatCount(missing.length, 'word')} without ${languageNames[foreign!.code]} translation: ${missing.slice(0, MAX_NAMED_WORDS).join(', ')}${more}\n`,
      );
    },
  };
}

function replaceTexts(selection: Selection, textOf: EventTexts['textOf']): Selection {
  const replaced = new Map<EventLine, EventLine>();
  const replace = (event: EventLine): EventLine => {
    const known = replaced.get(event) ?? { ...event, text: textOf(event) };
    replaced.set(event, known);
    return known;
  };
  const { choice, sources } = selection;
  const scenes = choice.scenes.map((scene) => ({
    ...scene,
    events: scene.events.map((each) => ({ ...each, event: replace(each.event) })),
  }));
  return {
    ...selection,
    sources: sources.map((source) => ({ ...source, events: source.events.map(replace) })),
    choice: { ...choice, scenes },
  };
}
