import { emptyDictionary, scoreScenes, weightsFor, type ScoreOptions } from './score.ts';
import type { EventLine } from '../../events/log.ts';
import { meanLevel, findQuietMoment, type SoundLevels } from '../../media/write/sound-levels.ts';
import type { Scene, Source } from '../scene.ts';
import { select, type Candidate } from './select.ts';
import { withinOneLife } from './life.ts';
import { layered, marginOf, type Margins } from '../settings/settings.ts';
import { statementWeight } from '../settings/weights.ts';
import { windowsOf, type Margin, type Window } from '../settings/windows.ts';

export interface ChooseOptions extends ScoreOptions {
  /** Which events are wanted; default those worth `notable` or more, or all where none is. */
  readonly include?: (event: EventLine) => boolean;
  /**
   * Least weight of an event that asks for a scene by itself; default that of the settings, else 4; less where the scenes
   * would not even fill half of the duration.
   */
  readonly notable?: number;
  readonly exclude?: (event: EventLine) => boolean;
  /** Seconds before and after an event for all events, instead of those by word. */
  readonly margin?: Partial<Margin>;
  /** Seconds before and after by word, which go before those of the settings and the built-in ones. */
  readonly margins?: Margins;
  /** Windows closer than this are one scene; seconds, default 1. */
  readonly gap?: number;
  readonly longest?: number;
  /** Target duration in seconds; without one, all scenes. */
  readonly duration?: number;
  readonly perSession?: number;
  readonly repetition?: number;
  /** How loud each source's recording is, in the order of the sources: cuts then fall on quiet moments. */
  readonly envelopes?: readonly (SoundLevels | undefined)[];
}

export interface Choice {
  /** The chosen scenes in the order of sessions and time. */
  readonly scenes: readonly Scene[];
  /** How many scenes there were to choose from, and their seconds. */
  readonly available: { readonly scenes: number; readonly seconds: number };
}

/** Seconds by which a cut may move to a quieter moment: away from the event, and towards it. */
const AWAY = 0.8;
const TOWARDS = 0.4;

/** Least weight of an event that asks for a scene, and what it falls to while the scenes do not fill half the duration. */
const NOTABLE = 4;
const LEVELS = [Number.POSITIVE_INFINITY, 2, 1, 0.3, 0];

/** From logs to the scenes worth showing: events, windows, scores, the best set for the duration. */
export function chooseScenes(sources: readonly Source[], options: ChooseOptions = {}): Choice {
  let choice: Choice | undefined;
  for (const level of options.include ? LEVELS.slice(0, 1) : LEVELS) {
    choice = chooseFrom(versionedScenes(sources, options, level), options);
    // A shorter reel of what is worth seeing is better than one filled up with what is not.
    if (choice.available.seconds >= Math.max(1, (options.duration ?? 0) / 2)) break;
  }
  return choice!;
}

/** A scored version of a scene; versions of one scene have the same number. */
interface Version {
  readonly scene: Scene;
  readonly number: number;
}

function versionedScenes(sources: readonly Source[], options: ChooseOptions, level: number): Version[] {
  let number = 0;
  const numbers: number[] = [];
  const windows = sources.map(({ header, events }, source) => {
    const marginFor = marginsOf(options, source);
    const whole = windowsOf(wantedOf(events, options, source, level), {
      marginOf: marginFor,
      duration: header.media.duration,
      ...(options.gap !== undefined && { gap: options.gap }),
      longest: options.longest ?? 30,
    });
    const dictionary = options.dictionary ?? emptyDictionary;
    const quiet = onQuietMoments(whole, header.media.duration, options.envelopes?.[source]).map((window) =>
      withinOneLife(window, events, dictionary),
    );
    return quiet.flatMap((window) => {
      const versions = versionsOf(window, marginFor, options.duration);
      numbers.push(...versions.map(() => number));
      number++;
      return versions;
    });
  });
  return scoreScenes(sources, windows, scoring(options)).map((scene, index) => ({ scene, number: numbers[index]! }));
}

function chooseFrom(versions: readonly Version[], options: ChooseOptions): Choice {
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
    ...(options.perSession !== undefined && { perSession: options.perSession }),
    ...(options.repetition !== undefined && { repetition: options.repetition }),
  });
  return { scenes: chosen.map((index) => versions[index]!.scene), available };
}

function marginsOf(options: ChooseOptions, source: number): (event: EventLine) => Margin {
  const dictionary = options.dictionary ?? emptyDictionary;
  const margins = layered([options.settings?.[source]?.margins, options.margins]);
  return (event) => ({ ...marginOf(event, dictionary, margins), ...options.margin });
}

/** Scoring with the excitement of the sound, where it is known. */
function scoring(options: ChooseOptions): ScoreOptions {
  const { envelopes, factors } = options;
  if (!envelopes) return options;
  const usual = envelopes.map((envelope) =>
    envelope ? meanLevel(envelope, 0, envelope.levels.length * envelope.step) : 0,
  );
  return {
    ...options,
    factors: (source, event) => {
      const envelope = envelopes[source];
      const others = factors?.(source, event) ?? [];
      if (!envelope) return others;
      // Six decibels over the recording's own level make 1.3.
      const louder = meanLevel(envelope, event.t - 1, event.end + 1.5) - usual[source]!;
      const value = Math.max(0.9, Math.min(1.3, 1 + louder * 0.05));
      return [
        ...others,
        { kind: 'sound', value, text: louder >= 2.5 ? `${Math.round(louder)} dB louder than usual` : '' },
      ];
    },
  };
}

/** The events that ask for a scene. Without a query, health going down by two does not. */
function wantedOf(
  events: readonly EventLine[],
  options: ChooseOptions,
  source: number,
  level: number,
): readonly EventLine[] {
  const allowed = events.filter((event) => !options.exclude?.(event));
  if (options.include) return allowed.filter(options.include);
  const dictionary = options.dictionary ?? emptyDictionary;
  const weights = weightsFor(options, source);
  const notable = Math.min(level, options.notable ?? options.settings?.[source]?.notable ?? NOTABLE);
  return allowed.filter(({ statement }) => statementWeight(statement, dictionary, weights).weight >= notable);
}

/** Moves the ends of windows to quieter moments nearby, never into a neighbour. */
function onQuietMoments(windows: readonly Window[], duration: number, envelope: SoundLevels | undefined): Window[] {
  if (!envelope) return [...windows];
  const moved: Window[] = [];
  for (const [index, window] of windows.entries()) {
    const before = moved.at(-1)?.end ?? 0;
    const following = windows[index + 1];
    const limit = following ? Math.max(window.end, (window.end + following.start) / 2) : duration;
    const first = window.events[0]!.t;
    const last = Math.max(...window.events.map((event) => event.end));
    const touches = window.start <= before + 1e-6;
    const start = touches
      ? window.start
      : findQuietMoment(
          envelope,
          Math.max(before, window.start - AWAY),
          window.start,
          Math.min(first, window.start + TOWARDS),
        );
    const end =
      following && following.start <= window.end + 1e-6
        ? window.end
        : findQuietMoment(
            envelope,
            Math.max(last, window.end - TOWARDS),
            window.end,
            Math.min(limit, window.end + AWAY),
          );
    moved.push({ start, end: Math.max(end, start + 0.1), events: window.events });
  }
  return moved;
}

/** About the most versions of one scene. */
const VERSIONS = 48;

/**
 * A scene and, if it takes much of the time there is, shorter versions of it: the windows of each run of its events; where
 * even these are too long, of each event what fits. The whole scene comes first.
 */
function versionsOf(window: Window, marginFor: (event: EventLine) => Margin, duration: number | undefined): Window[] {
  if (duration === undefined || window.end - window.start <= duration / 4) return [window];
  const versions = [window, ...runsOf(window, marginFor)];
  if (versions.some(({ start, end }) => end - start <= duration)) return versions;
  return [...versions, ...window.events.slice(0, VERSIONS).map((event) => trimmed(window, event, marginFor, duration))];
}

/** The windows of some runs of a window's events, not of all of them. */
function runsOf(window: Window, marginFor: (event: EventLine) => Margin): Window[] {
  const { events } = window;
  const runs: Window[] = [];
  // Long scenes have many runs: then only those that begin or end with every n-th event.
  const step = Math.ceil((events.length * (events.length + 1)) / 2 / VERSIONS);
  for (let i = 0; i < events.length; i += step) {
    for (let j = i; j < events.length; j += step) {
      if (i === 0 && j === events.length - 1) continue;
      const run = events.slice(i, j + 1);
      const start = i === 0 ? window.start : Math.max(window.start, run[0]!.t - marginFor(run[0]!).before);
      const last = Math.max(...run.map((event) => event.end + marginFor(event).after));
      const end = j === events.length - 1 ? window.end : Math.min(window.end, last);
      runs.push({ start, end, events: run });
    }
  }
  return runs;
}

/** An event with as much around it as there is time for, before and after in the same share. */
function trimmed(window: Window, event: EventLine, marginFor: (event: EventLine) => Margin, duration: number): Window {
  const { before, after } = marginFor(event);
  const earliest = Math.max(window.start, event.t - before);
  const latest = Math.min(window.end, event.end + after);
  const share = Math.min(1, duration / (latest - earliest));
  const start = event.t - (event.t - earliest) * share;
  return { start, end: Math.min(latest, start + duration), events: [event] };
}
