/** A fraction, such as a time base (seconds per tick) or a frame rate (frames per second). */
export interface Rational {
  readonly num: number;
  readonly den: number;
}

/** Rounds seconds to the microsecond, the precision of all public times. */
export function roundTime(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}

/** Formats seconds as `mm:ss.s`, with hours if there are any: `00:06.8`, `1:02:03.4`. */
export function formatClock(seconds: number, decimals = 1): string {
  const sign = seconds < 0 ? '-' : '';
  const unit = 10 ** decimals;
  const total = Math.round(Math.abs(seconds) * unit);
  const hours = Math.floor(total / (3600 * unit));
  const minutes = Math.floor(total / (60 * unit)) % 60;
  const rest = ((total % (60 * unit)) / unit).toFixed(decimals).padStart(decimals > 0 ? 3 + decimals : 2, '0');
  const mm = String(minutes).padStart(2, '0');
  return hours > 0 ? `${sign}${hours}:${mm}:${rest}` : `${sign}${mm}:${rest}`;
}

/**
 * Parses a time: `90`, `90s`, `1.5m`, `1m30s`, `1:30`, `01:02:03.5`, `500ms`.
 *
 * @returns Seconds, or `undefined` if the text is no time.
 */
export function parseTime(text: string): number | undefined {
  const input = text.trim().toLowerCase();
  const clock = /^(?:(\d+):)?(\d{1,3}):(\d{1,2}(?:\.\d+)?)$/.exec(input);
  if (clock) return Number(clock[1] ?? 0) * 3600 + Number(clock[2]) * 60 + Number(clock[3]);
  if (/^\d+(?:\.\d+)?$/.test(input)) return Number(input);
  const parts = /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/.exec(input);
  if (!parts || input === '') return undefined;
  const [hours, minutes, seconds, milliseconds] = parts.slice(1).map((part) => Number(part ?? 0));
  return hours! * 3600 + minutes! * 60 + seconds! + milliseconds! / 1000;
}
