import type { Rational } from '../../time.ts';

/** Frame rates that editing programs support. */
export const standardRates: readonly Rational[] = [
  { num: 24_000, den: 1001 },
  { num: 24, den: 1 },
  { num: 25, den: 1 },
  { num: 30_000, den: 1001 },
  { num: 30, den: 1 },
  { num: 48, den: 1 },
  { num: 50, den: 1 },
  { num: 60_000, den: 1001 },
  { num: 60, den: 1 },
];

/**
 * Returns the exact rate behind a measured or rounded one (29.97, 59.9402), else the next higher standard rate, at most
 * 60.
 */
export function standardRate(rate: Rational): Rational {
  const value = rate.num / rate.den;
  const near = standardRates.find((each) => Math.abs(each.num / each.den - value) < 0.005);
  const DEFAULT_MARGIN = standardRates.filter(({ num, den }) => den === 1 && num !== 48);
  return near ?? DEFAULT_MARGIN.find((each) => each.num >= value) ?? { num: 60, den: 1 };
}

/** Frames per second as timecode counts them: 30 for 30000/1001. */
export function nominal(rate: Rational): number {
  return Math.round(rate.num / rate.den);
}

/** Whether timecode at this rate has a drop-frame form: 30000/1001 and 60000/1001. */
export function dropsFrames(rate: Rational): boolean {
  return rate.den === 1001 && nominal(rate) % 30 === 0;
}

/**
 * Formats a frame number as SMPTE timecode `hh:mm:ss:ff`. Drop-frame (`hh:mm:ss;ff`) skips the first two numbers of
 * every minute (four at 59.94) except every tenth, so that the clock follows real time (SMPTE ST 12-1).
 */
export function timecode(frame: number, rate: Rational, drop = dropsFrames(rate)): string {
  const fps = nominal(rate);
  let number = frame;
  if (drop) {
    const skipped = fps / 15;
    const perMinute = fps * 60 - skipped;
    const perTen = perMinute * 10 + skipped;
    const tens = Math.floor(frame / perTen);
    const rest = frame % perTen;
    number += skipped * 9 * tens + (rest >= skipped ? skipped * Math.floor((rest - skipped) / perMinute) : 0);
  }
  const parts = [
    Math.floor(number / (fps * 3600)) % 24,
    Math.floor(number / (fps * 60)) % 60,
    Math.floor(number / fps) % 60,
  ].map((part) => String(part).padStart(2, '0'));
  return `${parts.join(':')}${drop ? ';' : ':'}${String(number % fps).padStart(2, '0')}`;
}

/** Parses a timecode; undefined if it is malformed or names a number that drop-frame skips. */
export function parseTimecode(text: string, rate: Rational): number | undefined {
  const match = /^(\d\d):(\d\d):(\d\d)([:;])(\d\d)$/.exec(text);
  if (!match) return undefined;
  const fps = nominal(rate);
  const [hours, minutes, seconds, frames] = [match[1], match[2], match[3], match[5]].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  if (minutes > 59 || seconds > 59 || frames >= fps) return undefined;
  const number = ((hours * 60 + minutes) * 60 + seconds) * fps + frames;
  if (match[4] === ':') return number;
  const skipped = fps / 15;
  const total = hours * 60 + minutes;
  if (minutes % 10 !== 0 && seconds === 0 && frames < skipped) return undefined;
  return number - skipped * (total - Math.floor(total / 10));
}

/** Frame shown at `t` seconds of a recording with frames at multiples of 1/rate. */
export function frameAt(t: number, rate: Rational): number {
  return Math.round((t * rate.num) / rate.den);
}

/** Formats frames as a fraction of seconds, as Final Cut writes time: `1001/30000s`, `5s`. */
export function rationalSeconds(frames: number, rate: Rational): string {
  const num = frames * rate.den;
  const divisor = gcd(num, rate.num);
  const [n, d] = divisor === 0 ? [0, 1] : [num / divisor, rate.num / divisor];
  return d === 1 ? `${n}s` : `${n}/${d}s`;
}

/** Greatest common divisor. */
export function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** Formats milliseconds as `hh:mm:ss` with three decimals behind `point`. */
export function clockTime(milliseconds: number, point: '.' | ','): string {
  const seconds = Math.floor(milliseconds / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}${point}${String(milliseconds % 1000).padStart(3, '0')}`;
}
