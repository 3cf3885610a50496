/** Settings of a stream's renderer and encoder. */
export interface StreamSettings {
  /** Bits per second. */
  readonly bitrate: number;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly preset: Preset;
  /** Constant quantization parameter instead of a target bitrate (H.264 scale). */
  readonly qp?: number;
}

/** Encoder presets from fast to slow; a slower one compresses better. */
export const presets = ['ultrafast', 'veryfast', 'fast', 'medium'] as const;
/** An encoder preset. */
export type Preset = (typeof presets)[number];

/** Settings a controller may choose. */
export interface SettingsBounds {
  /** Bits per second. */
  readonly bitrate: { readonly least: number; readonly most: number };
  /** Picture sizes, largest first. */
  readonly sizes: readonly { readonly width: number; readonly height: number }[];
  /** Frame rates, highest first. */
  readonly rates: readonly number[];
  readonly presets: readonly Preset[];
  readonly qp: { readonly least: number; readonly most: number };
}

/** Default bounds. */
export const defaultBounds: SettingsBounds = {
  bitrate: { least: 1e6, most: 40e6 },
  sizes: [
    { width: 1920, height: 1080 },
    { width: 1600, height: 900 },
    { width: 1280, height: 720 },
    { width: 960, height: 540 },
  ],
  rates: [60, 30],
  presets,
  qp: { least: 18, most: 42 },
};

/** Bits per pixel of a stream. */
export function bitsPerPixel(settings: Pick<StreamSettings, 'bitrate' | 'width' | 'height' | 'fps'>): number {
  return settings.bitrate / (settings.width * settings.height * settings.fps);
}

/** A bitrate as text: `8.0 Mbit/s`. */
function megabits(bitrate: number): string {
  return `${(bitrate / 1e6).toFixed(1)} Mbit/s`;
}

/** Formats settings: `1280x720 60 Hz 8.0 Mbit/s fast`. */
export function describeSettings(settings: StreamSettings): string {
  const rate = settings.qp === undefined ? megabits(settings.bitrate) : `QP ${settings.qp}`;
  return `${settings.width}x${settings.height} ${settings.fps} Hz ${rate} ${settings.preset}`;
}

/** Texts of the settings by name; a stream with a constant QP has no bitrate. */
const describers = {
  bitrate: ({ bitrate, qp }) => (qp === undefined && bitrate !== undefined ? megabits(bitrate) : ''),
  qp: ({ qp }) => String(qp ?? ''),
  size: ({ width, height }) => `${width}x${height}`,
  fps: ({ fps }) => String(fps),
  preset: ({ preset }) => preset ?? '',
} satisfies Record<string, (settings: Partial<StreamSettings>) => string>;

/** Name of a setting. */
export type Parameter = keyof typeof describers;

/** A changed setting and the reason. */
export interface Change {
  readonly parameter: Parameter;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** Lists the settings that differ. */
export function listChanges(now: Partial<StreamSettings>, then: Partial<StreamSettings>, reason: string): Change[] {
  return (Object.keys(describers) as Parameter[])
    .map((parameter) => ({ parameter, from: describers[parameter](now), to: describers[parameter](then), reason }))
    .filter(({ from, to }) => from !== to);
}

/** Rounds bitrate and QP to steps of 100 kbit/s and 1, within the bounds. */
export function clampRate<T extends Partial<StreamSettings>>(settings: T, { bitrate, qp }: SettingsBounds): T {
  return {
    ...settings,
    ...(settings.bitrate !== undefined && { bitrate: within(Math.round(settings.bitrate / 1e5) * 1e5, bitrate) }),
    ...(settings.qp !== undefined && { qp: within(Math.round(settings.qp), qp) }),
  };
}

function within(value: number, { least, most }: SettingsBounds['qp']): number {
  return Math.min(most, Math.max(least, value));
}

/** Multiplies the bitrate, or changes QP to the same effect: six steps halve the rate. */
export function scaleRate<T extends Partial<StreamSettings>>(settings: T, factor: number): T {
  const { bitrate, qp } = settings;
  if (qp !== undefined) return { ...settings, qp: qp - 6 * Math.log2(factor) };
  return bitrate === undefined ? settings : { ...settings, bitrate: bitrate * factor };
}

/** The next smaller picture size within the bounds. */
export function smallerSize({ sizes }: SettingsBounds, width: number, height: number) {
  return sizes.find((size) => size.width * size.height < width * height);
}
