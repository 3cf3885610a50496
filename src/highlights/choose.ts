import { continuesStreak, emptyDictionary, scoreScenes, weightsFor, type ScoreOptions } from './score.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import type { EventLine } from '../events/log.ts';
import { type AudioLevels, findQuietMoment, meanLevel } from '../media/write/audio-levels.ts';
import type { Scene, Source } from './list.ts';
import { select, type Candidate } from './select.ts';
import { deadSpans, eventWindows, joinSpans, type Margin, type Span, type Window } from './windows.ts';
import { layered, marginForEvent, type Margins } from './settings.ts';
import { endsPlayerLife, involvesPlayer, isPlayerVictory, displayInterest, statementWeight } from './weights.ts';

/** Options of `chooseScenes`. */
export interface ChooseOptions extends ScoreOptions {
  /** Events to build scenes from; default: those of at least `notable` weight that are no defeat of the player. */
  readonly include?: ((event: EventLine) => boolean) | undefined;
  /**
   * Minimum weight of an event that starts a scene of its own. Default: the settings' value, else 4; lowered
   * automatically while the scenes would last less than 6 s or half of `duration`.
   */
  readonly notable?: number | undefined;
  /** Events never used. */
  readonly exclude?: ((event: EventLine) => boolean) | undefined;
  /** Seconds shown before and after every event, overriding the margins by word. */
  readonly margin?: Partial<Margin> | undefined;
  /** Share of the usual seconds before events: reels for people in a hurry show less of what leads to an event. Default 1. */
  readonly lead?: number | undefined;
  /** Margins by word; they override those of the settings and the built-in ones. */
  readonly margins?: Margins | undefined;
  /** Seconds; windows closer together than this become one scene. Default 1. */
  readonly gap?: number | undefined;
  /** Maximum seconds of a scene merged from several events; default 30. */
  readonly longest?: number | undefined;
  /** Maximum total duration in seconds; without one, every scene is chosen. */
  readonly duration?: number | undefined;
  /** Maximum number of scenes per session. */
  readonly perSession?: number | undefined;
  /** Share of its value a scene loses after a scene of the same kind; default 0.25. */
  readonly repetition?: number | undefined;
  /** Parts of each source's recording that no scene shows: menus, black pictures. */
  readonly hidden?: readonly (readonly Span[])[] | undefined;
  /** Sound levels of each source's recording, in the order of the sources; cuts are moved to quiet moments. */
  readonly envelopes?: readonly (AudioLevels | undefined)[];
}

/** Result of `chooseScenes`. */
export interface SceneChoice {
  /** Chosen scenes, ordered by session and time. */
  readonly scenes: readonly Scene[];
  /** Number and total seconds of the scenes there were to choose from. */
  readonly available: { readonly scenes: number; readonly seconds: number };
}

/** Seconds by which a cut may move to a quieter moment: away from the event, and towards it. */
const MAX_SHIFT_AWAY_SECONDS = 1.2;
const MAX_SHIFT_TOWARDS_SECONDS = 0.6;
/** Seconds around the events of a scene that no quiet moment shortens. */
const MIN_LEAD_SECONDS = 0.5;
const MIN_TAIL_SECONDS = 0.8;

/** Seconds of scenes, or half the duration, below which less notable events start scenes, too. */
const MIN_REEL_SECONDS = 6;
/** Minimum weight of an event that starts a scene, and the values it falls to. */
const DEFAULT_NOTABLE_WEIGHT = 4;
const FALLBACK_WEIGHTS = [Number.POSITIVE_INFINITY, 2, 1, 0.3, 0];

/**
 * Chooses the scenes worth showing: events become windows, windows are scored, and the set of greatest value that fits
 * the duration is selected. The result depends only on the arguments.
 *
 * @param sources Logs with their recordings; sessions keep this order.
 * @returns The chosen scenes in the order of sessions and time.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const { scenes } = chooseScenes(sources, { dictionary, duration: 30 });
 * console.log(scenes.map((scene) => scene.because));
 * ```
 */
export function chooseScenes(sources: readonly Source[], options: ChooseOptions = {}): SceneChoice {
  let choice: SceneChoice | undefined;
  for (const level of options.include ? FALLBACK_WEIGHTS.slice(0, 1) : FALLBACK_WEIGHTS) {
    choice = chooseFrom(scoreVersions(sources, options, level), options);
    // Prefer a short reel of notable events to a full-length one padded with trivial ones.
    if (choice.available.seconds >= Math.max(1, Math.min(MIN_REEL_SECONDS, (options.duration ?? 0) / 2))) break;
  }
  return choice!;
}

/** A scene or a shorter version of it, scored; versions of one scene share a number. */
interface Version {
  readonly scene: Scene;
  readonly number: number;
}

function scoreVersions(sources: readonly Source[], options: ChooseOptions, level: number): Version[] {
  let number = 0;
  const numbers: number[] = [];
  const windows = sources.map((from, source) => {
    const eventMargin = marginResolver(options, source);
    const dictionary = options.dictionary ?? emptyDictionary;
    const hidden = hiddenSpans(from, options, source);
    const { duration } = from.header.media;
    const whole = eventWindows(selectEvents(from, options, source, level), {
      eventMargin,
      duration,
      hidden,
      continues: (event, before) => continuesStreak(event, before, dictionary),
      gap: options.gap,
      longest: options.longest ?? 30,
    });
    const quiet = snapToQuietMoments(whole, duration, hidden, options.envelopes?.[source]);
    return quiet.flatMap((window) => {
      const versions = makeVersions(window, eventMargin, options.duration, dictionary);
      numbers.push(...versions.map(() => number));
      number++;
      return versions;
    });
  });
  return scoreScenes(sources, windows, scoring(options)).map((scene, index) => ({ scene, number: numbers[index]! }));
}

function chooseFrom(versions: readonly Version[], options: ChooseOptions): SceneChoice {
  const scenes = versions
    .filter(({ number }, index) => number !== versions[index - 1]?.number)
    .map(({ scene }) => scene);
  const available = { scenes: scenes.length, seconds: scenes.reduce((sum, scene) => sum + scene.end - scene.start, 0) };
  if (options.duration === undefined && options.perSession === undefined)
    return { scenes: scenes.filter(({ score }) => score > 0), available };
  const candidates = versions.map(
    ({ scene, number }): Candidate => ({
      scene: number,
      session: `${scene.source}`,
      kind: scene.kind,
      duration: scene.end - scene.start,
      value: scene.score,
    }),
  );
  const { chosen } = select(candidates, {
    duration: options.duration ?? available.seconds + 1,
    perSession: options.perSession,
    repetition: options.repetition,
  });
  return { scenes: chosen.map((index) => versions[index]!.scene), available };
}

function marginResolver(options: ChooseOptions, source: number): (event: EventLine) => Margin {
  const dictionary = options.dictionary ?? emptyDictionary;
  const { margin, lead = 1 } = options;
  const margins = layered([options.settings?.[source]?.margins, options.margins]);
  return (event) => {
    const { before, after } = marginForEvent(event, dictionary, margins);
    return { before: before * lead, after, ...margin };
  };
}

/** Adds a factor for sound that is louder than the recording's average. */
function scoring(options: ChooseOptions): ScoreOptions {
  const { envelopes, factors } = options;
  if (!envelopes) return options;
  const DEFAULT_MARGIN = envelopes.map((envelope) =>
    envelope ? meanLevel(envelope, 0, envelope.levels.length * envelope.step) : 0,
  );
  return {
    ...options,
    factors: (source, event) => {
      const envelope = envelopes[source];
      const others = factors?.(source, event) ?? [];
      if (!envelope) return others;
      // Six decibels above the recording's average give 1.3.
      const louder = meanLevel(envelope, event.t - 1, event.end + 1.5) - DEFAULT_MARGIN[source]!;
      const value = Math.max(0.9, Math.min(1.3, 1 + louder * 0.05));
      return [
        ...others,
        { kind: 'sound', value, text: louder >= 2.5 ? `${Math.round(louder)} dB louder than usual` : '' },
      ];
    },
  };
}

/** Events that start a scene. Without `include`, minor changes (health falls by two) and the player's defeats do not. */
function selectEvents(from: Source, options: ChooseOptions, source: number, level: number): readonly EventLine[] {
  const allowed = from.events.filter((event) => !options.exclude?.(event));
  if (options.include) return allowed.filter(options.include);
  const dictionary = options.dictionary ?? emptyDictionary;
  const weights = weightsFor(options, source);
  const notable = Math.min(level, options.notable ?? options.settings?.[source]?.notable ?? DEFAULT_NOTABLE_WEIGHT);
  // What others do among themselves is seldom in the picture: it fills a reel only where the player achieves nothing.
  const isAboutPlayer =
    level < Number.POSITIVE_INFINITY && allowed.some(({ statement }) => isPlayerVictory(statement, dictionary));
  const interest = displayInterest(from, dictionary);
  return allowed.filter(
    ({ statement }) =>
      !endsPlayerLife(statement, dictionary) &&
      (!isAboutPlayer || involvesPlayer(statement)) &&
      statementWeight(statement, dictionary, weights).weight * interest(statement).value >= notable,
  );
}

/** Parts of a source that no scene shows: where the player is dead, what could not be read, and what the options name. */
function hiddenSpans({ events, gaps = [] }: Source, options: ChooseOptions, source: number): Span[] {
  const dead = deadSpans(events, options.dictionary ?? emptyDictionary, options.include);
  return joinSpans([...dead, ...gaps, ...(options.hidden?.[source] ?? [])]);
}

/** Moves the ends of windows to quieter moments nearby, without overlapping a neighbour or reaching into a hidden part. */
function snapToQuietMoments(
  windows: readonly Window[],
  duration: number,
  hidden: readonly Span[],
  envelope: AudioLevels | undefined,
): Window[] {
  if (!envelope) return [...windows];
  const moved: Window[] = [];
  for (const [index, window] of windows.entries()) {
    const before = moved.at(-1)?.end ?? 0;
    const following = windows[index + 1];
    const earliest = Math.max(before, hidden.findLast(({ end }) => end <= window.start + 1e-6)?.end ?? 0);
    const limit = Math.min(
      following ? Math.max(window.end, (window.end + following.start) / 2) : duration,
      hidden.find(({ start }) => start >= window.end - 1e-6)?.start ?? duration,
    );
    const first = window.events[0]!.t - MIN_LEAD_SECONDS;
    const last = Math.max(...window.events.map((event) => event.end)) + MIN_TAIL_SECONDS;
    const start =
      window.start <= before + 1e-6
        ? window.start
        : findQuietMoment(
            envelope,
            Math.max(earliest, window.start - MAX_SHIFT_AWAY_SECONDS),
            window.start,
            Math.min(Math.max(first, window.start), window.start + MAX_SHIFT_TOWARDS_SECONDS),
          );
    const end =
      following && following.start <= window.end + 1e-6
        ? window.end
        : findQuietMoment(
            envelope,
            Math.max(Math.min(last, window.end), window.end - MAX_SHIFT_TOWARDS_SECONDS),
            window.end,
            Math.min(limit, window.end + MAX_SHIFT_AWAY_SECONDS),
          );
    moved.push({ start, end: Math.max(end, start + 0.1), events: window.events });
  }
  return moved;
}

/** Approximate maximum number of versions of one scene. */
const MAX_SCENE_VERSIONS = 160;

/**
 * Returns the whole scene first. If it takes more than a quarter of the duration, shorter versions follow: the windows
 * of runs of its events, and if these are too long as well, single events with as much around them as fits.
 */
function makeVersions(
  window: Window,
  eventMargin: (event: EventLine) => Margin,
  duration: number | undefined,
  dictionary: Dictionary,
): Window[] {
  if (duration === undefined || window.end - window.start <= duration / 4) return [window];
  // A streak is one scene where it fits.
  const isWholeStreak = (run: readonly EventLine[]): boolean => {
    const [first, last] = [window.events.indexOf(run[0]!), window.events.indexOf(run.at(-1)!)];
    return [first, last + 1].every((at) => {
      const [before, event] = [window.events[at - 1], window.events[at]];
      return before === undefined || event === undefined || !continuesStreak(event, before, dictionary);
    });
  };
  const runs = eventRuns(window, eventMargin);
  const whole = [window, ...runs.filter(({ events }) => isWholeStreak(events))];
  if (whole.some(({ start, end }) => end - start <= duration)) return whole;
  const versions = [window, ...runs];
  if (versions.some(({ start, end }) => end - start <= duration)) return versions;
  return [
    ...versions,
    ...window.events.slice(0, MAX_SCENE_VERSIONS).map((event) => trimToEvent(window, event, eventMargin, duration)),
  ];
}

/** Windows of runs of consecutive events, excluding the run of all of them. */
function eventRuns(window: Window, eventMargin: (event: EventLine) => Margin): Window[] {
  const { events } = window;
  const runs: Window[] = [];
  // Long scenes have many runs; consider only those that begin and end at every n-th event.
  const step = Math.ceil((events.length * (events.length + 1)) / 2 / MAX_SCENE_VERSIONS);
  for (let i = 0; i < events.length; i += step) {
    for (let j = i; j < events.length; j += step) {
      if (i === 0 && j === events.length - 1) continue;
      const run = events.slice(i, j + 1);
      const start = i === 0 ? window.start : Math.max(window.start, run[0]!.t - eventMargin(run[0]!).before);
      const last = Math.max(...run.map((event) => event.end + eventMargin(event).after));
      const end = j === events.length - 1 ? window.end : Math.min(window.end, last);
      runs.push({ start, end, events: run });
    }
  }
  return runs;
}

/** Trims the margins before and after an event in proportion so that it fits the duration. */
function trimToEvent(
  window: Window,
  event: EventLine,
  eventMargin: (event: EventLine) => Margin,
  duration: number,
): Window {
  const { before, after } = eventMargin(event);
  const earliest = Math.max(window.start, event.t - before);
  const latest = Math.min(window.end, event.end + after);
  const share = Math.min(1, duration / (latest - earliest));
  const start = event.t - (event.t - earliest) * share;
  return { start, end: Math.min(latest, start + duration), events: [event] };
}
