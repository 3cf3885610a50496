import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builtinFolder } from '../dictionary/files.ts';
import { PlaybyplayError } from '../errors.ts';
import type { EventLine } from '../events/log.ts';
import { chooseScenes, type SceneChoice } from '../highlights/choose.ts';
import { type LoadedSources, loadSources, makeQueryFilter } from '../highlights/sources.ts';
import { inputsOf, type ListedScene, type Reason, type Source } from '../highlights/list.ts';
import {
  learnPreferences,
  noPreferences,
  preferenceFactors,
  type Preferences,
  readEditedList,
  readPreferences,
} from '../highlights/preferences.ts';
import { writeOutput } from '../files/output.ts';
import { type Preset, presets, readSettings, settingsFor, unknownWords } from '../highlights/settings.ts';
import { END_CARD_SECONDS, type ReelStyle, reelStyle, TITLE_CARD_SECONDS } from '../highlights/style.ts';
import { readViewerWeights, viewerFactors } from '../highlights/weights.ts';
import { measureAudioLevels } from '../media/write/audio-levels.ts';
import type { AudioTrack } from '../media/write/recording.ts';
import { eventsNearFaults, streamFactors } from '../quality/gameplay.ts';
import { formatClock } from '../time.ts';
import type { CommandIo } from './command.ts';
import { formatCount } from './describe-error.ts';
import { type OptionValues, seconds, usageError } from './options.ts';
import { formatSentenceIssues } from './sentence-issues.ts';
import type * as specs from './specs.ts';

/** The options that select scenes, of several commands. */
export type SelectionOptions = OptionValues<typeof specs.selectionOptions>;

/** Logs, and the scenes that were selected from them. */
export interface Selection extends LoadedSources {
  readonly choice: SceneChoice;
  readonly preset: Preset;
  /** Maximum seconds of the scenes; undefined for all. */
  readonly duration: number | undefined;
}

/** Seconds of a reel unless given. */
export const DEFAULT_DURATION = 60;

/**
 * Reads logs and selects scenes.
 *
 * @param extra - `reserve`: seconds of the duration kept for something else; `duration`: the duration unless given; `looksAtPictures`:
 * scenes are chosen by their pictures, too; `edited`: a list from which preferences are learned.
 * @returns `undefined` when a query is invalid; its issues are printed.
 */
export async function selectScenes(
  paths: readonly string[],
  options: SelectionOptions,
  io: CommandIo,
  extra: {
    readonly reserve?: number;
    readonly duration?: number | undefined;
    readonly looksAtPictures?: boolean;
    readonly edited?: string | undefined;
  } = { duration: DEFAULT_DURATION, looksAtPictures: true },
): Promise<Selection | undefined> {
  const { before, after, 'bad-stream': badStream, 'per-session': perSession, 'audio-track': audioTrack } = options;
  const preset = findPreset(options.preset, options.duration);
  const gathered = await loadSources(paths, {
    media: options.media ?? [],
    dictionaries: options.dictionary ?? [],
    tentative: options.tentative,
    signal: io.signal,
  });
  for (const issue of gathered.issues) io.stderr.write(`playbyplay: ${issue.path ?? ''} ${issue.message}\n`);
  const tests = compileTests(options, gathered, preset, io);
  if (!tests) return undefined;
  const limit = resolveDuration(options.duration, preset, options.preset === undefined ? extra.duration : undefined);
  const duration = limit === undefined ? undefined : Math.max(1, limit - (extra.reserve ?? 0));
  // FFmpeg is loaded only where pictures are looked at.
  const choose = extra.looksAtPictures
    ? (await import('../highlights/watchable.ts')).chooseWatchableScenes
    : chooseScenes;
  const envelopes = await Promise.all(gathered.sources.map((source) => envelopeOf(source, io.signal, audioTrack)));
  const settings = resolveSettings(options.settings ?? [], gathered, io);
  const factors = factorsOf(options.viewers, gathered.sources, badStream === 'down');
  const chooseBy = (known: Preferences): SceneChoice => {
    const liked = preferenceFactors(known);
    return choose(gathered.sources, {
      signal: io.signal,
      dictionary: gathered.dictionary,
      ...tests,
      ...(badStream === 'skip' && { exclude: excluding(eventsNearFaults(gathered.sources), tests.exclude) }),
      lead: preset.lead,
      margin: { ...preset.margin, ...(before !== undefined && { before }), ...(after !== undefined && { after }) },
      factors: (source, event) => [...factors(source, event), ...liked(source, event)],
      envelopes,
      duration,
      perSession,
      notable: preset.notable,
      settings,
    });
  };
  const { preferences } = options;
  const known = preferences === undefined || !existsSync(preferences) ? noPreferences : readPreferences(preferences);
  let choice = chooseBy(known);
  if (extra.edited !== undefined) {
    if (preferences === undefined)
      throw usageError('--edited needs --preferences', 'Name the file in which to store what is learned.');
    const learned = learnPreferences(known, choice.scenes, readEditedList(extra.edited).scenes);
    const inputs = [extra.edited, ...inputsOf(gathered.sources)];
    await writeOutput(preferences, `${JSON.stringify(learned, undefined, 2)}\n`, { kind: 'preferences', inputs });
    choice = chooseBy(learned);
  }
  return { ...gathered, choice, preset, duration };
}

/** The effects of a reel: those that are named, else the preset's. */
export function styleOf(
  options: Partial<Pick<OptionValues<typeof specs.effectOptions>, 'effects' | 'with' | 'without'>>,
  preset: Preset,
): ReelStyle {
  const name = options.effects ?? preset.style ?? 'plain';
  const { with: add = [], without = [] } = options;
  const isWithoutEnd = preset.endCard === false && !add.includes('end-card');
  return reelStyle(name, { add, omit: isWithoutEnd ? [...without, 'end-card'] : without });
}

/** Seconds that slow motion may add to the scenes. */
export function slowSeconds({ parts, slowMotion }: ReelStyle): number {
  if (!parts.includes('slow-motion')) return 0;
  return slowMotion === 'best' ? 1 : 2.5;
}

/** Seconds of a reel that are not for scenes: cards and slow motion. */
export function reservedSeconds(hasTitle: boolean, style: ReelStyle): number {
  const hasEnding = style.parts.includes('end-card');
  return (hasTitle ? TITLE_CARD_SECONDS : 0) + (hasEnding ? END_CARD_SECONDS : 0) + slowSeconds(style);
}

/** In shorter reels, a title and an end card would take a third of the time or more. */
const MIN_SECONDS_WITH_CARDS = 20;

/**
 * The preset of a name; no defaults without one.
 *
 * @param duration What the user asked for: short reels have no title and no end card unless they are asked for.
 */
export function findPreset(name: string | undefined, duration?: string): Preset {
  const preset = (name === undefined ? undefined : presets[name]) ?? { summary: '' };
  const limit = resolveDuration(duration, preset, undefined);
  const isShort = limit !== undefined && limit < MIN_SECONDS_WITH_CARDS;
  return isShort ? { ...preset, titles: false, endCard: false } : preset;
}

/** Compiles the queries that include and exclude events. */
function compileTests(options: SelectionOptions, gathered: LoadedSources, preset: Preset, io: CommandIo) {
  const compiled: { include?: ReturnType<typeof makeQueryFilter>; exclude?: ReturnType<typeof makeQueryFilter> } = {};
  for (const [key, queries] of [
    ['include', options.query],
    ['exclude', options.exclude],
  ] as const) {
    for (const query of queries ?? []) {
      try {
        makeQueryFilter([query], gathered);
      } catch (error) {
        if (!(error instanceof PlaybyplayError) || error.code !== 'bad-query') throw error;
        io.stderr.write(formatSentenceIssues(query, error.issues));
        return undefined;
      }
    }
    if (queries) compiled[key] = makeQueryFilter(queries, gathered);
  }
  const { include } = preset;
  if (!compiled.include && include) compiled.include = (event) => include(event, gathered.dictionary);
  return compiled;
}

function resolveDuration(text: string | undefined, preset: Preset, fallback: number | undefined): number | undefined {
  if (text === undefined) return preset.duration ?? fallback;
  if (text === 'all') return undefined;
  try {
    return seconds(text);
  } catch {
    throw usageError(`--duration must be all or a time such as 60s or 1:30, not "${text}"`);
  }
}

/** The settings of each log: its game's, then those of the named files. Unknown words are printed. */
function resolveSettings(named: readonly string[], { sources, dictionary }: LoadedSources, io: CommandIo) {
  const own = new Set(sources.map(({ header }) => header.game).filter((game) => /^[\w-]+$/.test(game)));
  const games = [...own].map((game) => ({ game, path: join(builtinFolder, '..', 'configs', game, 'highlights.json') }));
  const builtin = games
    .filter(({ path }) => existsSync(path))
    .map(({ game, path }) => ({ game, ...readSettings(path) }));
  const further = named.map((path) => ({ path, settings: readSettings(path) }));
  for (const { path, settings } of further) {
    for (const { path: place, message, hint } of unknownWords(settings, dictionary, path))
      io.stderr.write(`playbyplay: ${place}: ${message}. ${hint ?? ''}\n`);
  }
  const all = [...builtin, ...further.map(({ settings }) => settings)];
  return sources.map(({ header }) => settingsFor(all, header));
}

function excluding(events: ReadonlySet<EventLine>, others: ReturnType<typeof makeQueryFilter> | undefined) {
  return (event: EventLine): boolean => events.has(event) || (others?.(event) ?? false);
}

/** Factors that are not in the events: a bad stream, and what viewers liked. */
function factorsOf(viewers: string | undefined, sources: readonly Source[], downRank: boolean) {
  const stream = downRank ? streamFactors(sources) : (): Reason[] => [];
  const liked = viewers === undefined ? undefined : viewerFactors(readViewerWeights(viewers), sources);
  return (source: number, event: EventLine): Reason[] => [...stream(source, event), ...(liked?.(source, event) ?? [])];
}

async function envelopeOf({ media, header }: Source, signal: AbortSignal, track: AudioTrack) {
  return media === undefined ? undefined : await measureAudioLevels(media, header.media.duration, signal, track);
}

/**
 * The recording of a source.
 *
 * @throws PlaybyplayError `no-media`
 */
export function mediaOf(source: Source): string {
  if (source.media !== undefined) return source.media;
  const { name } = source.header.media;
  throw new PlaybyplayError(
    'no-media',
    `there is no recording ${name} next to the log ${source.log ?? source.header.session} or, with the same content, in this folder`,
    { hint: `Name the recording or its folder: --media path/to/${name}` },
  );
}

/** A title: the games and the name of the log. */
export function titleOf({ sources, dictionary }: LoadedSources): string {
  const games = [...new Set(sources.map(({ header }) => header.game))];
  const titles = games.map((game) => dictionary.sources.find(({ name }) => name === game)?.title ?? game);
  const [only] = sources;
  const what = only && sources.length === 1 ? (only.name ?? only.header.session) : `${sources.length} sessions`;
  return `${titles.join(', ')} – ${what}`;
}

/** Reports on stderr that no scene was selected. Returns the exit code. */
export function reportNoScenes(io: CommandIo, sources: readonly Source[]): number {
  const events = sources.reduce((sum, source) => sum + source.events.length, 0);
  io.stderr.write(`No scene selected from ${formatCount(events, 'event')}.\n`);
  return 3;
}

/** Two lines for a scene: position in the reel, duration, source and title; then the reason. */
export function formatScene(scene: Pick<ListedScene, 'at' | 'start' | 'end' | 'media' | 'title' | 'because'>): string {
  const length = (scene.end - scene.start).toFixed(1);
  const place = `${length} s of ${scene.media} from ${formatClock(scene.start)}`;
  return `${formatClock(scene.at)}  ${place}: ${scene.title}\n         because: ${scene.because}\n`;
}
