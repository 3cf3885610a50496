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

/** Formats settings: `1280x720 60 Hz 8.0 Mbit/s fast`. */
export function describeSettings(settings: StreamSettings): string {
  const rate = settings.qp === undefined ? `${(settings.bitrate / 1e6).toFixed(1)} Mbit/s` : `QP ${settings.qp}`;
  return `${settings.width}x${settings.height} ${settings.fps} Hz ${rate} ${settings.preset}`;
}
