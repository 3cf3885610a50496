import type { Anchor, Rect, Size } from '../geometry.ts';
import type { FieldBehavior, FieldType, FieldValue } from './classify.ts';
import type { Alignment } from './elements.ts';
import type { Gauge } from './gauges.ts';
import type { IconPicture } from './icons.ts';
import type { PartKind } from '../recognition/row-parts.ts';
import type { LearnedFieldFont } from './learn-field-font.ts';

/** An element of the HUD that was found. */
export interface HudField {
  /** Stands for it in questions and answers. */
  readonly id: string;
  readonly type: FieldType;
  /** Its caption, or its place on the screen. */
  readonly name: string;
  readonly isCaptioned: boolean;
  /** In pixels of the reference frame. */
  readonly rect: Rect;
  readonly align: Alignment;
  /** Where it may grow: between the separators of a series. */
  readonly bounds?: Rect;
  readonly place: Anchor;
  readonly pattern?: string;
  readonly secondPattern?: string;
  /** Whether the digits of its numbers stand in groups of three. */
  readonly isGrouped?: boolean;
  /** Whether a time is written in minutes, seconds and hundredths with colons: 01:23:45. */
  readonly isStopwatch?: boolean;
  /** Of a gauge: how it fills, and its colours. */
  readonly gauge?: Pick<Gauge, 'direction' | 'fill' | 'shades' | 'otherFill' | 'empty' | 'radii'>;
  /** Of a gauge: in how many equal cells it is divided. */
  readonly cells?: number;
  /** Of an icon: what it shows; of a feed: the icons between two names. */
  readonly pictures?: readonly IconPicture[];
  /** Of messages: rows that appear, move and vanish. */
  readonly isLog?: boolean;
  /** Where it is a part of a row of texts that move. */
  readonly row?: RowPlace;
  /** The font of its figures, where its readings taught one. */
  readonly font?: LearnedFieldFont;
  readonly behaviour: FieldBehavior;
  /** How sure it is that this is right, 0…1. */
  readonly certainty: number;
  /** Some of its values. */
  readonly examples: readonly Pick<FieldValue, 'recording' | 't' | 'text'>[];
}

/** A row of texts of which a field is a part. */
export interface RowPlace {
  /** In pixels of the reference frame, with space for longer texts. */
  readonly rect: Rect;
  /** What stands in the row, from left to right, and which of it the field is. */
  readonly parts: readonly PartKind[];
  readonly part: number;
}

/** The HUD of a game as far as recordings show it. */
export interface Discovery {
  readonly format: 'playbyplay/discovery/1';
  /** Frame size of the first recording, in whose pixels the fields lie. */
  readonly reference: Size;
  readonly recordings: readonly { readonly path: string; readonly duration: number }[];
  /** The surveyed frame that shows most text. */
  readonly moment: { readonly recording: number; readonly t: number };
  readonly fields: readonly HudField[];
  /** Symbols that stay, such as an icon in front of a figure, which must not grow over it; in pixels of the reference frame. */
  readonly symbols?: readonly Rect[];
  /** Languages of its texts, as BCP 47 tags, if others than English. */
  readonly languages?: readonly string[];
  /** Answers that were given, by id of the question. */
  readonly answers?: Readonly<Record<string, string>>;
}

/** Types of figures, which have a font that can be learnt. */
export const FIGURES: ReadonlySet<FieldType> = new Set(['counter', 'fraction', 'percentage', 'clock', 'time']);
