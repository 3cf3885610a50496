import { mean } from '../../statistics.ts';
import type { ComponentQuality, SessionQuality } from '../meter.ts';
import {
  bitsPerPixel,
  type Change,
  clampRate,
  defaultBounds,
  listChanges,
  scaleRate,
  type SettingsBounds,
  smallerSize,
  type StreamSettings,
} from './settings.ts';

/** Recommended changes of settings for the next sessions. */
export interface Advice {
  readonly direction: 'down' | 'up' | 'stay';
  /** Mean and minimum total of the sessions. */
  readonly mean: number;
  readonly worst: number;
  /** In the order to try them; with `stay`, for sessions like those below the threshold. */
  readonly steps: readonly Change[];
  readonly reason: string;
}

/** Options of `advise`. */
export interface AdviseOptions {
  /**
   * Mean totals below which settings go down and above which they go up; far apart, so that advice does not oscillate.
   * Defaults 40 and 70.
   */
  readonly down?: number | undefined;
  readonly up?: number | undefined;
  readonly bounds?: SettingsBounds;
}

/**
 * Recommends settings from the quality of recent sessions with these settings; undefined if none was scored.
 *
 * @example
 * ```ts
 * const records = Array.from({ length: 600 }, (_, frame) => ({ frame, captured: (frame * 1000) / 60 }));
 * const { quality } = scoreSession(records, { fps: 60, width: 1280, height: 720, targetBitrate: 8e6 });
 * advise([quality], { bitrate: 8e6, width: 1280, height: 720, fps: 60 }).direction; // 'up'
 * ```
 */
export function advise(
  sessions: readonly SessionQuality[],
  settings: Partial<StreamSettings>,
  options: AdviseOptions = {},
): Advice | undefined {
  const totals = sessions.flatMap(({ total }) => total ?? []);
  if (totals.length === 0) return undefined;
  const { down = 40, up = 70, bounds = defaultBounds } = options;
  const [usual, worst] = [mean(totals), Math.min(...totals)];
  const figures = { mean: usual, worst };
  const many = `${totals.length === 1 ? 'the session has' : `${totals.length} sessions have`} a total of ${usual.toFixed(0)}${totals.length > 1 ? ' on average' : ''}`;
  // What the good sessions of a mixed set score must not hide what the bad ones suffer from.
  const bad = sessions.filter(({ total }) => total !== null && total < down);
  const lower = (): Change[] => new Advisor(bad, settings, bounds).down();
  if (usual < down) return { direction: 'down', ...figures, steps: lower(), reason: `${many}, below ${down}` };
  if (usual > up && worst >= down)
    return {
      direction: 'up',
      ...figures,
      steps: new Advisor(sessions, settings, bounds).up(),
      reason: `${many}, well above ${down}`,
    };
  const why = usual > up ? `${many}, but the worst one ${worst.toFixed(0)}` : `${many}, between ${down} and ${up}`;
  if (bad.length === 0) return { direction: 'stay', ...figures, steps: [], reason: why };
  return {
    direction: 'stay',
    ...figures,
    steps: lower(),
    reason: `${why}; the steps are for sessions like the bad ones`,
  };
}

class Advisor {
  readonly #sessions: readonly SessionQuality[];
  readonly #settings: Partial<StreamSettings>;
  readonly #bounds: SettingsBounds;

  constructor(sessions: readonly SessionQuality[], settings: Partial<StreamSettings>, bounds: SettingsBounds) {
    this.#sessions = sessions;
    this.#settings = settings;
    this.#bounds = bounds;
  }

  down(): Change[] {
    const steps: Change[] = [];
    const { preset, fps = this.#sessions[0]!.fps } = this.#settings;
    const interval = this.#component('captureDelta', 'mean');
    const [capture, present, trip, stack] = (
      ['captureDelta', 'presentDelta', 'roundTripDelay', 'stackLatency'] as const
    ).map((name) => this.#component(name, 'score'));
    if (interval !== undefined && interval > (1.1 * 1000) / fps) {
      const why = `rendering takes ${interval.toFixed(1)} of ${(1000 / fps).toFixed(1)} ms a frame`;
      const lower = this.#bounds.rates.find((rate) => rate < fps);
      if (lower !== undefined && interval > (1.3 * 1000) / fps)
        steps.push(...this.#change({ fps: lower }, why, { fps }));
      steps.push(...this.#smaller(why));
    }
    if (trip !== undefined && trip < 60) {
      steps.push(...this.#rate(0.7, `the round trip scores ${trip.toFixed(0)}: frames wait in the network queue`));
    } else if (present !== undefined && present < (capture ?? 100) - 3) {
      const why = `frames are presented less evenly (${present.toFixed(0)}) than they are captured (${(capture ?? 100).toFixed(0)})`;
      steps.push(...this.#rate(0.7, why));
    }
    const isResized = (): boolean => steps.some(({ parameter }) => parameter === 'size');
    if (stack !== undefined && stack < 40 && (trip === undefined || trip > 60)) {
      const why = `stack latency scores ${stack.toFixed(0)}, the network ${trip?.toFixed(0) ?? '(unknown)'}: the time is spent rendering and encoding`;
      const faster = preset && this.#bounds.presets[this.#bounds.presets.indexOf(preset) - 1];
      if (faster) steps.push(...this.#change({ preset: faster }, why));
      if (!isResized()) steps.push(...this.#smaller(why));
    }
    const picture = this.#picture;
    if (picture !== undefined && picture < 50 && !isResized())
      steps.push(
        ...this.#smaller(`the picture scores ${picture.toFixed(0)}: a smaller size leaves more bits per pixel`),
      );
    return steps;
  }

  up(): Change[] {
    const { width, height, fps = Number.POSITIVE_INFINITY } = this.#settings;
    const picture = this.#picture;
    const why = `the network has spare capacity (round trip ${this.#component('roundTripDelay', 'score')?.toFixed(0) ?? 'unknown'})`;
    if (picture !== undefined && picture < 90)
      return this.#rate(1.25, `${why} and the picture scores ${picture.toFixed(0)}`);
    const { sizes, rates } = this.#bounds;
    const larger = sizes[sizes.findIndex((size) => size.height === height) - 1];
    if (larger && width && height) return this.#change(larger, `${why} and each pixel has bits enough`);
    const higher = rates.findLast((rate) => rate > fps);
    return higher === undefined ? [] : this.#change({ fps: higher }, why);
  }

  /** Mean of a component's figure over the sessions that have it. */
  #component(name: string, figure: keyof ComponentQuality): number | undefined {
    return meanOf(this.#sessions.flatMap(({ components }) => components[name]?.[figure] ?? []));
  }

  get #picture(): number | undefined {
    return meanOf(this.#sessions.flatMap(({ picture }) => picture ?? []));
  }

  #change(changes: Partial<StreamSettings>, reason: string, known: Partial<StreamSettings> = {}): Change[] {
    const now = { ...this.#settings, ...known };
    return listChanges(now, { ...now, ...changes }, reason);
  }

  #smaller(reason: string): Change[] {
    const { width, height } = this.#settings;
    if (width === undefined || height === undefined) return [];
    return this.#change(smallerSize(this.#bounds, width, height) ?? {}, reason);
  }

  #rate(factor: number, reason: string): Change[] {
    const changed = clampRate(scaleRate(this.#settings, factor), this.#bounds);
    const { bitrate, width, height, fps, qp } = changed;
    const detail =
      qp === undefined && bitrate && width && height && fps
        ? `: ${bitsPerPixel({ bitrate, width, height, fps }).toFixed(3)} bits a pixel then`
        : '';
    return this.#change(changed, `${reason}${detail}`);
  }
}

function meanOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : mean(values);
}
