import { readFileSync } from 'node:fs';

/** What an element of a HUD is. */
export type ElementKind =
  | 'counter'
  | 'fraction'
  | 'percentage'
  | 'clock'
  | 'time'
  | 'name'
  | 'message'
  | 'gauge'
  | 'icon'
  | 'feed';

/** A rectangle in pixels of the recording. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The first line: what the recording is. */
export interface HeaderLine {
  readonly type: 'header';
  readonly format: 'playbyplay/forge/1';
  readonly game: string;
  readonly genre: string;
  readonly seed: number;
  readonly part: 'learn' | 'judge';
  readonly width: number;
  readonly height: number;
  /** Frames a second; of recordings with variable rate, at most. */
  readonly frameRate: number;
  readonly isVariable: boolean;
  readonly codec: 'h264' | 'hevc' | 'av1';
  /** Bits a second that the encoder was asked for. */
  readonly bitrate: number;
  /** Seconds. */
  readonly duration: number;
  readonly language: string;
  /** Size of the HUD, 1 as designed. */
  readonly scale: number;
  readonly scene: string;
}

/** What is on the screen as a whole: play, menu, scoreboard, killcam. */
export interface ScreenLine {
  readonly type: 'screen';
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** An element of the HUD. */
export interface ElementLine {
  readonly type: 'element';
  readonly id: string;
  readonly kind: ElementKind;
  /** Of a clock. */
  readonly direction?: 'up' | 'down';
  /** Everything that it draws over the recording, its caption included where that is drawn with it. */
  readonly box: Box;
  /** Of a caption that is drawn apart. */
  readonly captionBox?: Box;
  readonly caption?: string;
  readonly font?: string;
  /** Effects of its text: italic, outline, shadow, glow, gradient, small-caps. */
  readonly effects?: readonly string[];
  /** It changes all the time, such as a speed: its changes are no events. */
  readonly isRestless?: boolean;
  /** When it is drawn: pairs of seconds. */
  readonly visible: readonly (readonly [from: number, to: number])[];
}

/** Something drawn that is no element: a constant caption, a map, a text of a menu. */
export interface DecorLine {
  readonly type: 'decor';
  readonly id: string;
  readonly text?: string;
  readonly box: Box;
  readonly screen: string;
}

/** What an element shows from `t` on; `null` where it is not drawn. */
export interface ValueLine {
  readonly type: 'value';
  readonly t: number;
  readonly element: string;
  /** A number (seconds of a clock, 0…1 of a gauge), or a text. */
  readonly value: number | string | null;
  /** As drawn. */
  readonly text?: string;
}

/** What happens in the game. */
export interface EventLine {
  readonly type: 'event';
  readonly t: number;
  /** `change`, `level`, `switch`, `message`, `halt` and `kill` can be seen at `element`; others are named by the rules of the genre. */
  readonly name: string;
  readonly element?: string;
  readonly from?: number | string;
  readonly to?: number | string;
  readonly text?: string;
  readonly killer?: string;
  readonly victim?: string;
  readonly weapon?: string;
  /** Until when a row or message stays. */
  readonly until?: number;
}

/** A line of truth.ndjson. */
export type TruthLine = HeaderLine | ScreenLine | ElementLine | DecorLine | ValueLine | EventLine;

/** The truth of a recording. */
export interface Truth {
  readonly header: HeaderLine;
  readonly screens: readonly ScreenLine[];
  readonly elements: readonly ElementLine[];
  readonly decor: readonly DecorLine[];
  readonly values: readonly ValueLine[];
  readonly events: readonly EventLine[];
}

/** Reads a truth.ndjson. */
export function readTruth(path: string): Truth {
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TruthLine);
  const of = <K extends TruthLine['type']>(type: K): Extract<TruthLine, { type: K }>[] =>
    lines.filter((line): line is Extract<TruthLine, { type: K }> => line.type === type);
  return {
    header: of('header')[0]!,
    screens: of('screen'),
    elements: of('element'),
    decor: of('decor'),
    values: of('value'),
    events: of('event'),
  };
}
