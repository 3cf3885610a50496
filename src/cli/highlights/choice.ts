import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import { builtinFolder } from '../../dictionary/files.ts';
import { PlaybyplayError } from '../../errors.ts';
import { suggestSpelling } from '../../spelling.ts';
import type { EventLine } from '../../events/log.ts';
import { chooseScenes, type SceneChoice } from '../../highlights/choose.ts';
import { loadSources, makeQueryFilter, type LoadedSources } from '../../highlights/sources.ts';
import type { ListedScene } from '../../highlights/list.ts';
import { presets, type Preset, readSettings, settingsFor, unknownWords } from '../../highlights/settings.ts';
import type { Reason, Source } from '../../highlights/scene.ts';
import { readViewerWeights, viewerFactors } from '../../highlights/viewer-weights.ts';
import { measureSoundLevels } from '../../media/write/sound-levels.ts';
import type { AudioTrack } from '../../media/write/recording.ts';
import { eventsNearFaults, streamFactors } from '../../quality/gameplay.ts';
import { formatClock, parseTime } from '../../time.ts';
import { showPlace } from '../caret.ts';
import { counted } from '../explain.ts';
import type { CommandIo } from '../command.ts';

/** Options of every command that chooses scenes. */
export const choiceOptions = {
  preset: { type: 'string' },
  query: { type: 'string', multiple: true },
  exclude: { type: 'string', multiple: true },
  duration: { type: 'string' },
  before: { type: 'string' },
  after: { type: 'string' },
  'per-session': { type: 'string' },
  settings: { type: 'string', multiple: true },
  viewers: { type: 'string' },
  'bad-stream': { type: 'string' },
  media: { type: 'string', multiple: true },
  'audio-track': { type: 'string' },
  dictionary: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig;

export const choiceHelp = `  --preset <name>        ${Object.keys(presets).join(', ')}
  --query "<sentence>"   only what this finds ("player defeats enemy with gun"); may be given several times
  --exclude "<sentence>" not what this finds; may be given several times
  --duration <time>      how long the reel may be: 60s, 1:30, or "all"
  --before <s>           seconds shown before an event (else by kind of event)
  --after <s>            seconds shown after it
  --per-session <n>      at most so many scenes of one session
  --settings <file>      weights and margins of words, on top of configs/<game>/highlights.json; may be given several
                         times
  --viewers <file>       what viewers liked: lines {"t", "end", "weight"}; 1 changes nothing
  --bad-stream <how>     scenes that a freeze, stutter or lag of the stream spoils, where the log tells of it (see
                         quality --events): down (half the score, default), skip, keep
  --media <file>         the recording, if it does not lie beside its log; once for each log
  --audio-track <n>      which sound of the recordings: 0 (the first, default), 1 … or "mix" for all of them together
  --dictionary <file>    a further dictionary; may be given several times
`;

export interface ChoiceValues {
  readonly preset?: string | undefined;
  readonly query?: string[] | undefined;
  readonly exclude?: string[] | undefined;
  readonly duration?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly 'per-session'?: string | undefined;
  readonly settings?: string[] | undefined;
  readonly viewers?: string | undefined;
  readonly 'bad-stream'?: string | undefined;
  readonly media?: string[] | undefined;
  readonly 'audio-track'?: string | undefined;
  readonly dictionary?: string[] | undefined;
}

export interface Chosen extends LoadedSources {
  readonly choice: SceneChoice;
  readonly preset: Preset;
}

/** Seconds of a reel where nothing else is said. */
export const DEFAULT_DURATION = 60;

/**
 * Reads logs, and chooses their scenes as the options say. Prints what is wrong with a query and gives undefined.
 * `reserve` seconds of the duration are kept for something else; `duration` is that of a reel where nothing else is said.
 */
export async function choose(
  paths: readonly string[],
  values: ChoiceValues,
  io: CommandIo,
  extra: { readonly reserve?: number; readonly duration?: number | undefined } = { duration: DEFAULT_DURATION },
): Promise<Chosen | undefined> {
  if (paths.length === 0)
    throw new PlaybyplayError('usage', 'which log?', { hint: 'Give an events.ndjson or its folder.' });
  const preset = presetOf(values.preset);
  const gathered = await loadSources(paths, {
    media: values.media ?? [],
    dictionaries: values.dictionary ?? [],
    signal: io.signal,
  });
  for (const issue of gathered.issues) io.stderr.write(`playbyplay: ${issue.path ?? ''} ${issue.message}\n`);
  const tests = queryTests(values, gathered, preset, io);
  if (!tests) return undefined;
  const wanted = durationOf(values.duration, preset, values.preset === undefined ? extra.duration : undefined);
  const duration = wanted === undefined ? undefined : Math.max(1, wanted - (extra.reserve ?? 0));
  const margin = {
    ...preset.margin,
    ...(values.before !== undefined && { before: seconds('before', values.before) }),
    ...(values.after !== undefined && { after: seconds('after', values.after) }),
  };
  const { notable } = preset;
  const audioTrack = audioTrackOf(values['audio-track']);
  const badStream = badStreamOf(values['bad-stream']);
  const choice = chooseScenes(gathered.sources, {
    dictionary: gathered.dictionary,
    ...tests,
    ...(badStream === 'skip' && { exclude: excluding(eventsNearFaults(gathered.sources), tests.exclude) }),
    margin,
    factors: factorsOf(values.viewers, gathered.sources, badStream === 'down'),
    envelopes: gathered.sources.map((source) => envelopeOf(source, io.signal, audioTrack)),
    ...(duration !== undefined && { duration }),
    ...(values['per-session'] !== undefined && { perSession: count('per-session', values['per-session']) }),
    ...(notable !== undefined && { notable }),
    settings: settingsOf(values.settings ?? [], gathered, io),
  });
  return { ...gathered, choice, preset };
}

function queryTests(values: ChoiceValues, gathered: LoadedSources, preset: Preset, io: CommandIo) {
  const compiled: { include?: ReturnType<typeof makeQueryFilter>; exclude?: ReturnType<typeof makeQueryFilter> } = {};
  for (const [key, queries] of [
    ['include', values.query],
    ['exclude', values.exclude],
  ] as const) {
    for (const query of queries ?? []) {
      try {
        makeQueryFilter([query], gathered);
      } catch (error) {
        if (!(error instanceof PlaybyplayError) || error.code !== 'bad-query') throw error;
        io.stderr.write(showPlace(query, error.issues));
        return undefined;
      }
    }
    if (queries) compiled[key] = makeQueryFilter(queries, gathered);
  }
  const { include } = preset;
  if (!compiled.include && include) compiled.include = (event) => include(event, gathered.dictionary);
  return compiled;
}

/** The preset of a name. Throws PlaybyplayError `usage` for an unknown one. */
export function presetOf(name: string | undefined): Preset {
  if (name === undefined) return { summary: '' };
  const preset = presets[name];
  if (preset) return preset;
  const hint = suggestSpelling(name, Object.keys(presets)) ?? `Presets are ${Object.keys(presets).join(', ')}.`;
  throw new PlaybyplayError('usage', `there is no preset "${name}"`, { hint });
}

function durationOf(text: string | undefined, preset: Preset, fallback: number | undefined): number | undefined {
  if (text === undefined) return preset.duration ?? fallback;
  return text === 'all' ? undefined : seconds('duration', text);
}

/** For each log the settings of its game with those that a person names on top; words that nobody knows are told. */
function settingsOf(named: readonly string[], { sources, dictionary }: LoadedSources, io: CommandIo) {
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

const badStreams = ['down', 'skip', 'keep'] as const;

function badStreamOf(text = 'down'): (typeof badStreams)[number] {
  const how = badStreams.find((one) => one === text);
  if (how) return how;
  throw new PlaybyplayError('usage', `--bad-stream must be one of ${badStreams.join(', ')}, not "${text}"`);
}

function excluding(events: ReadonlySet<EventLine>, others: ReturnType<typeof makeQueryFilter> | undefined) {
  return (event: EventLine): boolean => events.has(event) || (others?.(event) ?? false);
}

/** Factors from outside the log's own events: a bad stream, and what viewers liked. */
function factorsOf(viewers: string | undefined, sources: readonly Source[], downRank: boolean) {
  const stream = downRank ? streamFactors(sources) : (): Reason[] => [];
  const liked = viewers === undefined ? undefined : viewerFactors(readViewerWeights(viewers), sources);
  return (source: number, event: EventLine): Reason[] => [...stream(source, event), ...(liked?.(source, event) ?? [])];
}

function envelopeOf({ media, header }: Source, signal: AbortSignal, track: AudioTrack) {
  return media === undefined ? undefined : measureSoundLevels(media, header.media.duration, signal, track);
}

/** Which sound is heard. Throws PlaybyplayError `usage` for what is no track. */
export function audioTrackOf(text = '0'): AudioTrack {
  const track = Number(text);
  if (text === 'mix') return text;
  if (text !== '' && Number.isInteger(track) && track >= 0) return track;
  throw new PlaybyplayError('usage', `--audio-track ${text} is not a track: write 0, 1, 2 … or mix`);
}

export function seconds(name: string, text: string): number {
  const value = parseTime(text);
  if (value !== undefined) return value;
  throw new PlaybyplayError('usage', `--${name} ${text} is not a time`, { hint: 'Write 60, 60s, 1.5m or 1:30.' });
}

export function count(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new PlaybyplayError('usage', `--${name} ${text} is not a number of scenes: write 1, 2, 3 …`);
}

/** The recording of a source. Throws PlaybyplayError `no-media`. */
export function mediaOf(source: Source): string {
  if (source.media !== undefined) return source.media;
  throw new PlaybyplayError('no-media', `the recording ${source.header.media.name} does not lie beside its log`, {
    hint: 'Name it with --media.',
  });
}

/** A title for what was chosen: the log's name and the games. */
export function titleOf({ sources, dictionary }: LoadedSources): string {
  const games = [...new Set(sources.map(({ header }) => header.game))];
  const titles = games.map((game) => dictionary.sources.find(({ name }) => name === game)?.title ?? game);
  const [only] = sources;
  const what = only && sources.length === 1 ? (only.name ?? only.header.session) : `${sources.length} sessions`;
  return `${titles.join(', ')} – ${what}`;
}

/** Says on stderr that nothing matches. */
export function nothing(io: CommandIo, sources: readonly Source[]): number {
  const events = sources.reduce((sum, source) => sum + source.events.length, 0);
  io.stderr.write(`No scene to show: none of ${counted(events, 'event')} is asked for.\n`);
  return 3;
}

/** A scene in two lines: place in the reel, length, where from, what; and why. */
export function sceneLines(scene: Pick<ListedScene, 'at' | 'start' | 'end' | 'media' | 'title' | 'because'>): string {
  const length = (scene.end - scene.start).toFixed(1);
  const place = `${length} s of ${scene.media} from ${formatClock(scene.start)}`;
  return `${formatClock(scene.at)}  ${place}: ${scene.title}\n         because: ${scene.because}\n`;
}
