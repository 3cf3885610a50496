import { type ReelPart, reelParts } from '../highlights/style.ts';
import { PlaybyplayError } from '../errors.ts';
import { DEFAULT_MEDIA_LIMITS, type MediaLimits } from '../media/limits.ts';
import { parseTime } from '../time.ts';

declare const VALUE: unique symbol;

/** Values that completion proposes. */
export type Proposals = readonly string[] | Promise<readonly string[]>;

/** An option of a command. `T` is the type of its value; `undefined` where it may be left out. */
export interface Option<T = unknown> {
  /** The parser's description of the option. */
  readonly parameter: {
    readonly kind: 'boolean' | 'enum' | 'parsed';
    readonly brief: string;
    readonly placeholder?: string;
    readonly values?: readonly string[];
    readonly default?: unknown;
    readonly optional?: boolean;
    readonly variadic?: boolean;
    readonly parse?: (text: string) => unknown;
    readonly proposeCompletions?: () => Proposals;
  };
  /** The letter of its short form. */
  readonly short?: string;
  /** Names what the command writes. Every other option may name what it reads. */
  readonly isOutput?: boolean;
  readonly [VALUE]?: T;
}

/** Options by their names without dashes. */
export type Options = Readonly<Record<string, Option>>;

/** What a command receives for its options. */
export type OptionValues<O extends Options> = {
  readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never;
};

interface Settings {
  /** The letter of the short form. */
  readonly short?: string;
  readonly default?: string;
}

interface ParsedSettings<T> extends Settings {
  /** Turns the text into a value. Throws a `RangeError` whose message completes “--name must be …”. */
  readonly parse: (text: string) => T;
}

/**
 * An option with a value.
 *
 * @param placeholder - What help shows for the value, such as `folder`.
 * @param brief - What the option does. Help appends the default value to it.
 */
export function value<T>(
  placeholder: string,
  brief: string,
  settings: ParsedSettings<T> & { default: string },
): Option<T>;
export function value<T>(placeholder: string, brief: string, settings: ParsedSettings<T>): Option<T | undefined>;
export function value(placeholder: string, brief: string, settings: Settings & { default: string }): Option<string>;
export function value(placeholder: string, brief: string, settings?: Settings): Option<string | undefined>;
export function value(placeholder: string, brief: string, settings: Partial<ParsedSettings<unknown>> = {}): Option {
  const { short, parse = String, default: preset } = settings;
  const presence = preset === undefined ? { optional: true } : { default: preset };
  return {
    parameter: { kind: 'parsed', brief, placeholder, parse, ...presence },
    ...(short !== undefined && { short }),
  };
}

/** An option that must be given. */
export function required<T>(placeholder: string, brief: string, settings: ParsedSettings<T>): Option<T>;
export function required(placeholder: string, brief: string, settings?: Settings): Option<string>;
export function required(placeholder: string, brief: string, settings: Settings = {}): Option {
  const { parameter, ...rest } = value(placeholder, brief, settings);
  return { ...rest, parameter: { ...parameter, optional: false } };
}

/** An option that can be given several times. */
export function list<T>(
  placeholder: string,
  brief: string,
  settings: ParsedSettings<T>,
): Option<readonly T[] | undefined>;
export function list(placeholder: string, brief: string, settings?: Settings): Option<readonly string[] | undefined>;
export function list(placeholder: string, brief: string, settings: Settings = {}): Option {
  const { parameter, ...rest } = value(placeholder, brief, settings);
  return { ...rest, parameter: { ...parameter, variadic: true } };
}

/** An option whose value is one of several words. */
export function choice<const T extends string, const D extends T | undefined = undefined>(
  values: readonly T[],
  brief: string,
  preset?: D,
): Option<D extends undefined ? T | undefined : T> {
  const presence = preset === undefined ? { optional: true } : { default: preset };
  return { parameter: { kind: 'enum', brief, values, ...presence } };
}

/** An option without a value: off unless given. */
export function toggle(brief: string, short?: string): Option<boolean> {
  return { parameter: { kind: 'boolean', brief, default: false }, ...(short !== undefined && { short }) };
}

/** Proposes values of an option to the completion of a shell, which completes file names where none fits. */
export function proposing<O extends Option>(option: O, propose: () => Proposals): O {
  return { ...option, parameter: { ...option.parameter, proposeCompletions: propose } };
}

/** Declares that an option names a file or folder that the command writes. */
export function output<O extends Option>(option: O): O {
  return { ...option, isOutput: true };
}

/** A mistake in the command line: a clause that says what is wrong, and a sentence that says what to write instead. */
export function usageError(message: string, hint?: string): PlaybyplayError {
  return new PlaybyplayError('usage', message, { hint });
}

/** Parses whole numbers from `minimum` to `maximum`. */
export function wholeNumber(minimum = 0, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const isOpen = maximum === Number.MAX_SAFE_INTEGER;
  const range = isOpen ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  return (text) => {
    const number = Number(text);
    if (isOpen && number > maximum) throw new RangeError(`a whole number of at most ${maximum}`);
    if (text.trim() === '' || !Number.isInteger(number) || number < minimum || number > maximum)
      throw new RangeError(`a whole number ${range}`);
    return number;
  };
}

/** The largest magnitude of a number without a limit of its own: sums and products of such numbers stay finite. */
const MAX_NUMBER = 1e15;

/** Refuses what overflowed or would overflow later. */
function checkMagnitude(number: number): number {
  if (Math.abs(number) > MAX_NUMBER) throw new RangeError(`a number of at most ${MAX_NUMBER} in magnitude`);
  return number;
}

/** Parses decimal numbers from `minimum` to `maximum`. */
export function decimal(minimum = 0, maximum = Number.POSITIVE_INFINITY): (text: string) => number {
  const isOpen = maximum === Number.POSITIVE_INFINITY;
  const range = isOpen ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  return (text) => {
    const number = Number(text);
    if (isOpen) checkMagnitude(number);
    if (text.trim() === '' || Number.isNaN(number) || number < minimum || number > maximum)
      throw new RangeError(minimum === Number.NEGATIVE_INFINITY ? 'a number' : `a number ${range}`);
    return number;
  };
}

/** Parses numbers above 0, up to `maximum`. */
export function positiveNumber(maximum = MAX_NUMBER): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!(number > 0)) throw new RangeError('a number above 0');
    if (number > maximum) throw new RangeError(`a number above 0 and of at most ${maximum}`);
    return number;
  };
}

/** Parses times such as `90`, `1:30` or `2m` to seconds. */
export function seconds(text: string): number {
  const time = parseTime(text);
  if (time === undefined) throw new RangeError('a time such as 90, 1:30 or 2m');
  return checkMagnitude(time);
}

/** Parses the id of an event and what it was instead: `5f0c=player dies`, or `5f0c` alone. */
export function correctedEvent(text: string): readonly [id: string, sentence: string] {
  const [, id = '', sentence = ''] = /^\s*([^\s=]+)\s*(?:=\s*(.*))?$/s.exec(text) ?? [];
  if (id === '') throw new RangeError('the id of an event and a sentence, such as "5f0c=player dies"');
  return [id, sentence.trim()];
}

/** Parses sizes such as `1920x1080`. */
export function pictureSize(text: string): { readonly width: number; readonly height: number } {
  const [, width, height] = /^([1-9]\d{0,4})[x×]([1-9]\d{0,4})$/i.exec(text.trim()) ?? [];
  if (width === undefined || height === undefined) throw new RangeError('a size such as 1920x1080');
  return { width: Number(width), height: Number(height) };
}

/** Parses the name of a part of a reel's style. */
export function reelPart(text: string): ReelPart {
  const part = reelParts.find((each) => each === text);
  if (part) return part;
  throw new RangeError(`one of ${reelParts.join(', ')}`);
}

/** Parses a part of a frame such as `0.75,0.7,0.25,0.3`: left, top, width and height as fractions. */
export function framePart(text: string): {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
} {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [x, y, width, height] = numbers as [number, number, number, number];
  const isInside = numbers.length === 4 && x >= 0 && y >= 0 && width > 0.01 && height > 0.01 && x + width <= 1.001;
  if (!isInside || !(y + height <= 1.001)) throw new RangeError('a part of the frame such as 0.75,0.7,0.25,0.3');
  return { x, y, width, height };
}

/** Parses amounts of memory such as `16MiB` or `500kB` to bytes. */
export function bytes(text: string): number {
  const [, number, prefix, binary] = /^(\d+(?:\.\d+)?)\s*([kmg]?)(i?)b?$/i.exec(text) ?? [];
  if (number === undefined) throw new RangeError('a size such as 16MiB, 500KiB or 1000000');
  const exponent = ['', 'k', 'm', 'g'].indexOf(prefix!.toLowerCase());
  const isDecimal = binary === '' && /b$/i.test(text);
  return checkMagnitude(Math.floor(Number(number) * (isDecimal ? 1000 : 1024) ** exponent));
}

/** Parses bitrates such as `20M` to bits per second. */
export function bitrate(text: string): number {
  const [, number, prefix] = /^(\d+(?:\.\d+)?)\s*([kmg]?)(?:bit\/s|bps)?$/i.exec(text.trim()) ?? [];
  if (!(Number(number) > 0)) throw new RangeError('a bitrate such as 20000000, 20M or 800k');
  return checkMagnitude(Number(number) * 1000 ** ['', 'k', 'm', 'g'].indexOf(prefix!.toLowerCase()));
}

/** Parses a range of bitrates such as `1M-20M`, in bits per second. */
export function bitrateRange(text: string): { readonly least: number; readonly most: number } {
  const parts = text.split('-');
  if (parts.length !== 2) throw new RangeError('two bitrates such as 1M-20M');
  const [least = 0, most = 0] = parts.map(bitrate);
  if (least > most) throw new RangeError('the lower bitrate first: 1M-20M');
  return { least, most };
}

/** Parses two numbers such as `0.25,0.25`. */
export function pair(text: string): { readonly x: number; readonly y: number } {
  const [x, y, ...more] = text.split(',').map(Number);
  if (!(x! >= 0 && y! >= 0) || more.length > 0) throw new RangeError('two numbers such as 0.25,0.25');
  return { x: checkMagnitude(x!), y: checkMagnitude(y!) };
}

/** Parses one of several parts such as `2/4`. */
export function shardOf(text: string): { readonly index: number; readonly count: number } {
  const [, index = 0, count = 0] = /^(\d{1,5})\/(\d{1,5})$/.exec(text.trim())?.map(Number) ?? [];
  if (!(index >= 1 && index <= count)) throw new RangeError('a part such as 2/4: the second of four');
  return { index, count };
}

/** Parses a limit on recordings such as `hours=200`. */
export function mediaLimit(text: string): Partial<MediaLimits> {
  const names = Object.keys(DEFAULT_MEDIA_LIMITS);
  const [, name = '', amount] = /^(\w+)=(\d+)$/.exec(text.trim()) ?? [];
  if (!names.includes(name) || !(Number(amount) > 0))
    throw new RangeError(`name=number with one of ${names.join(', ')}, such as hours=200`);
  return { [name]: checkMagnitude(Number(amount)) };
}
