import type { SessionQuality } from '../meter.ts';
import { bitsPerPixel, defaultBounds, type SettingsBounds, type StreamSettings } from './settings.ts';

/** Recommended changes of settings for the next sessions. */
export interface Advice {
  readonly direction: 'down' | 'up' | 'stay';
  /** Mean and minimum total of the sessions. */
  readonly mean: number;
  readonly worst: number;
  /** In the order to try them. */
  readonly steps: readonly AdviceStep[];
  readonly reason: string;
}

/** A recommended change. */
export interface AdviceStep {
  readonly parameter: 'bitrate' | 'qp' | 'size' | 'fps' | 'preset';
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** Options of `advise`. */
export interface AdviseOptions {
  /**
   * Mean totals below which settings go down and above which they go up; far apart, so that advice does not oscillate.
   * Defaults 40 and 70.
   */
  readonly down?: number;
  readonly up?: number;
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
  const totals = sessions.map(({ total }) => total).filter((total) => total !== null);
  if (totals.length === 0) return undefined;
  const { down = 40, up = 70, bounds = defaultBounds } = options;
  const mean = totals.reduce((sum, total) => sum + total, 0) / totals.length;
  const worst = Math.min(...totals);
  const many = `${totals.length === 1 ? 'the session has' : `${totals.length} sessions have`} a total of ${mean.toFixed(0)}${totals.length > 1 ? ' on average' : ''}`;
  if (mean < down) {
    return {
      direction: 'down',
      mean,
      worst,
      steps: stepsDown(sessions, settings, bounds),
      reason: `${many}, below ${down}`,
    };
  }
  if (mean > up && worst >= down) {
    return {
      direction: 'up',
      mean,
      worst,
      steps: stepsUp(sessions, settings, bounds),
      reason: `${many}, well above ${down}`,
    };
  }
  const why = mean > up ? `${many}, but the worst one ${worst.toFixed(0)}` : `${many}, between ${down} and ${up}`;
  return { direction: 'stay', mean, worst, steps: [], reason: why };
}

/** Mean over the sessions of a component's score. */
function score(sessions: readonly SessionQuality[], name: string): number | undefined {
  const known = sessions.map(({ components }) => components[name]?.score).filter((one) => one !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0) / known.length;
}

function meanRaw(sessions: readonly SessionQuality[], name: string): number | undefined {
  const known = sessions.map(({ components }) => components[name]?.mean).filter((one) => one !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0) / known.length;
}

function stepsDown(
  sessions: readonly SessionQuality[],
  settings: Partial<StreamSettings>,
  bounds: SettingsBounds,
): AdviceStep[] {
  const steps: AdviceStep[] = [];
  const fps = settings.fps ?? sessions[0]!.fps;
  const interval = meanRaw(sessions, 'captureDelta');
  const capture = score(sessions, 'captureDelta');
  const present = score(sessions, 'presentDelta');
  const trip = score(sessions, 'roundTripDelay');
  const stack = score(sessions, 'stackLatency');
  if (interval !== undefined && interval > (1.1 * 1000) / fps) {
    const why = `rendering takes ${interval.toFixed(1)} of ${(1000 / fps).toFixed(1)} ms a frame`;
    steps.push(...smaller(settings, bounds, why));
    const lower = bounds.rates.find((rate) => rate < fps);
    if (lower !== undefined && interval > (1.3 * 1000) / fps) {
      steps.unshift({ parameter: 'fps', from: String(fps), to: String(lower), reason: why });
    }
  }
  if (trip !== undefined && trip < 60) {
    steps.push(
      ...lessBits(settings, bounds, `the round trip scores ${trip.toFixed(0)}: frames wait in the network queue`),
    );
  } else if (present !== undefined && present < (capture ?? 100) - 3) {
    const why = `frames are presented less evenly (${present.toFixed(0)}) than they are captured (${(capture ?? 100).toFixed(0)})`;
    steps.push(...lessBits(settings, bounds, why));
  }
  if (stack !== undefined && stack < 40 && (trip === undefined || trip > 60)) {
    const why = `stack latency scores ${stack.toFixed(0)}, the network ${trip?.toFixed(0) ?? '(unknown)'}: the time is spent rendering and encoding`;
    const faster =
      settings.preset === undefined ? undefined : bounds.presets[bounds.presets.indexOf(settings.preset) - 1];
    if (faster) steps.push({ parameter: 'preset', from: settings.preset!, to: faster, reason: why });
    if (!steps.some(({ parameter }) => parameter === 'size')) steps.push(...smaller(settings, bounds, why));
  }
  const picture = meanPicture(sessions);
  if (picture !== undefined && picture < 50 && !steps.some(({ parameter }) => parameter === 'size')) {
    steps.push(
      ...smaller(
        settings,
        bounds,
        `the picture scores ${picture.toFixed(0)}: a smaller size leaves more bits per pixel`,
      ),
    );
  }
  return steps;
}

function stepsUp(
  sessions: readonly SessionQuality[],
  settings: Partial<StreamSettings>,
  bounds: SettingsBounds,
): AdviceStep[] {
  const picture = meanPicture(sessions);
  const trip = score(sessions, 'roundTripDelay');
  const why = `the network has spare capacity (round trip ${trip?.toFixed(0) ?? 'unknown'})`;
  if (picture !== undefined && picture < 90)
    return moreBits(settings, bounds, `${why} and the picture scores ${picture.toFixed(0)}`);
  const at = bounds.sizes.findIndex(({ height }) => height === settings.height);
  const larger = at > 0 ? bounds.sizes[at - 1] : undefined;
  if (larger && settings.width && settings.height) {
    return [
      {
        parameter: 'size',
        from: `${settings.width}x${settings.height}`,
        to: `${larger.width}x${larger.height}`,
        reason: `${why} and each pixel has bits enough`,
      },
    ];
  }
  const higher = bounds.rates.findLast((rate) => rate > (settings.fps ?? Number.POSITIVE_INFINITY));
  return higher === undefined
    ? []
    : [{ parameter: 'fps', from: String(settings.fps), to: String(higher), reason: why }];
}

function meanPicture(sessions: readonly SessionQuality[]): number | undefined {
  const known = sessions.map(({ picture }) => picture).filter((picture) => picture !== null);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0) / known.length;
}

function smaller(settings: Partial<StreamSettings>, bounds: SettingsBounds, reason: string): AdviceStep[] {
  const { width, height } = settings;
  if (width === undefined || height === undefined) return [];
  const next = bounds.sizes.find((size) => size.width * size.height < width * height);
  return next ? [{ parameter: 'size', from: `${width}x${height}`, to: `${next.width}x${next.height}`, reason }] : [];
}

function lessBits(settings: Partial<StreamSettings>, bounds: SettingsBounds, reason: string): AdviceStep[] {
  return bits(settings, bounds, 0.7, reason);
}

function moreBits(settings: Partial<StreamSettings>, bounds: SettingsBounds, reason: string): AdviceStep[] {
  return bits(settings, bounds, 1.25, reason);
}

/** Bitrate times a factor, or the QP that comes to the same (six steps halve the rate). */
function bits(settings: Partial<StreamSettings>, bounds: SettingsBounds, factor: number, reason: string): AdviceStep[] {
  const { bitrate, qp } = settings;
  if (qp !== undefined) {
    const to = Math.min(bounds.qp.most, Math.max(bounds.qp.least, Math.round(qp - 6 * Math.log2(factor))));
    return to === qp ? [] : [{ parameter: 'qp', from: String(qp), to: String(to), reason }];
  }
  if (bitrate === undefined) return [];
  const to = Math.min(bounds.bitrate.most, Math.max(bounds.bitrate.least, Math.round((bitrate * factor) / 1e5) * 1e5));
  const { width, height, fps } = settings;
  const detail =
    width && height && fps ? `: ${bitsPerPixel({ bitrate: to, width, height, fps }).toFixed(3)} bits a pixel then` : '';
  return to === bitrate
    ? []
    : [{ parameter: 'bitrate', from: megabits(bitrate), to: megabits(to), reason: `${reason}${detail}` }];
}

function megabits(bitrate: number): string {
  return `${(bitrate / 1e6).toFixed(1)} Mbit/s`;
}
