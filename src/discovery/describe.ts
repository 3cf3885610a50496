import type { Rect, Size } from '../geometry.ts';
import type { FieldReading, FieldType } from './classify.ts';
import { usualArea } from './elements.ts';
import type { Gauge } from './gauges.ts';
import { growRegion } from './grow.ts';
import { FIGURES, type HudField } from './hud-field.ts';
import type { Icon } from './icons.ts';
import {
  cleanName,
  displayWord,
  findCaptions,
  findConstantValues,
  findSides,
  findTable,
  type Label,
  nameOfCaption,
  placeOnScreen,
  uniqueName,
} from './names.ts';
import { asName, type IdentifiedHud } from './selection.ts';
import { withoutMargin } from './steady-edges.ts';
import { overlap, type Survey } from './survey.ts';
import { figureArea, learnFieldFont } from './learn-field-font.ts';

/** Values that are kept as examples. */
const MAX_EXAMPLES = 8;

/**
 * Names the elements of a HUD by their captions and places, and describes how they behave.
 *
 * @param survey Where edges stay, and symbols that do, in pixels of the reference frame.
 */
export function describeHud(
  { texts, gauges, rows, icons, feeds }: IdentifiedHud,
  { steady, symbols }: Pick<Survey, 'steady' | 'symbols'>,
  reference: Size,
): readonly HudField[] {
  const labelled = texts.flatMap(({ element: { rect }, reading }, i): (Label & { readonly field: number })[] =>
    reading.type === 'label' ? [{ rect, text: reading.caption!, field: i }] : [],
  );
  const isSide = findSides(
    labelled,
    [...gauges, ...rows].map(({ rect }) => rect),
    reference,
  );
  const isValue = findConstantValues(labelled);
  const labels = labelled.filter((label) => !isSide.has(label) && !isValue.has(label));
  /** Constant texts that are other ones in the next match. */
  const named = new Set(labelled.flatMap((label) => (isSide.has(label) || isValue.has(label) ? [label.field] : [])));
  const rects = texts.map(({ element, reading, samples, row }): Rect => {
    if (row) return trimRows(element.rect, steady);
    const whole = reading.type === 'clock' ? usualArea(element) : element.rect;
    const isBare = FIGURES.has(reading.type) && reading.caption === undefined;
    return trimRows(isBare ? figureArea(samples, reading, element.rect, whole, element.isPart) : whole, steady);
  });
  const values = new Set([...isValue].map(({ field }) => field));
  const uncaptioned = rects.filter(
    (_, i) => values.has(i) || (FIGURES.has(texts[i]!.reading.type) && texts[i]!.reading.caption === undefined),
  );
  const heads = texts.flatMap(({ element: { rect }, reading }, i) => {
    const isConstant = reading.type === 'counter' && reading.caption !== undefined && reading.behaviour.changes === 0;
    if (reading.type !== 'label' && !isConstant) return [];
    return [{ rect, text: isConstant ? reading.values[0]!.shown : reading.caption!, field: i }];
  });
  const table = findTable(uncaptioned, heads);
  const inTable = new Set(heads.flatMap((head) => (table.rowHeads.has(head) ? [head.field] : [])));
  const captions = new Map(
    [uncaptioned, [...gauges, ...rows].map(({ rect }) => rect), icons.map(({ rect }) => rect)].flatMap((own) => [
      ...findCaptions(own, labels),
    ]),
  );
  /** Names of each kind, and identifiers: a gauge and a counter may both be called “Food”. */
  const taken = new Map<string, Set<string>>();
  const ids = new Set<string>();
  const nameField = (
    type: FieldType,
    rect: Rect,
    own: string | undefined,
  ): Pick<HudField, 'id' | 'type' | 'name' | 'isCaptioned' | 'place'> => {
    const place = placeOnScreen(rect, reference);
    const caption =
      type === 'label'
        ? cleanName(own ?? '')
        : nameOfCaption(own ?? table.names.get(rect) ?? captions.get(rect)?.text ?? '');
    const word = type === 'label' ? type : displayWord(type);
    const names = taken.get(word) ?? new Set();
    taken.set(word, names);
    const name = uniqueName(caption === '' ? `${place}` : caption, names);
    const plain = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
    return { id: uniqueName(plain, ids, '-'), type, name, isCaptioned: caption !== '', place };
  };
  const untaught = texts.map(({ element, reading: own, row }, i): HudField => {
    const { align } = element;
    // The caption of a row may have a number: “Player 1”.
    const reading: FieldReading =
      inTable.has(i) && own.type !== 'label'
        ? { ...own, type: 'label', caption: own.values[0]!.shown }
        : named.has(i)
          ? asName(own)
          : own;
    const { type, pattern, secondPattern, isGrouped = false, isStopwatch = false, behaviour, certainty } = reading;
    return {
      ...nameField(type, rects[i]!, named.has(i) ? undefined : reading.caption),
      rect: roundRect(rects[i]!),
      align,
      ...(element.isPart === true ? { bounds: roundRect(element.rect) } : {}),
      ...(pattern === undefined ? {} : { pattern }),
      ...(row ? { row: { ...row, rect: roundRect(row.rect) } } : {}),
      ...(secondPattern === undefined ? {} : { secondPattern }),
      ...(isGrouped ? { isGrouped } : {}),
      ...(isStopwatch ? { isStopwatch } : {}),
      behaviour,
      certainty: Math.round(1000 * certainty) / 1000,
      examples: pickExamples(reading),
    };
  });
  const fields = untaught.map((field, i): HudField => {
    const { element, reading, samples, row } = texts[i]!;
    if (row || !FIGURES.has(field.type)) return field;
    const font = learnFieldFont(
      samples,
      reading,
      element.rect,
      growRegion(field, untaught, reference, symbols),
      field.id,
    );
    return font ? { ...field, font } : field;
  });
  const filled = gauges.map((gauge): HudField => {
    const { rect, direction, fill, shades, otherFill, empty, radii } = gauge;
    return {
      ...nameField('gauge', rect, undefined),
      rect,
      align: 'left',
      gauge: {
        direction,
        fill,
        ...(shades === undefined ? {} : { shades }),
        ...(otherFill === undefined ? {} : { otherFill }),
        ...(empty === undefined ? {} : { empty }),
        ...(radii ? { radii } : {}),
      },
      ...describeGauge(gauge),
    };
  });
  const cellRows = rows.map(
    (row): HudField => ({
      ...nameField('gauge', row.rect, undefined),
      rect: row.rect,
      align: 'left',
      gauge: { direction: row.direction, fill: row.fill },
      cells: row.cells,
      ...describeGauge(row),
    }),
  );
  const feedFields = feeds.map(
    ({ rect, type, examples, presence, certainty, pictures }): HudField => ({
      ...nameField(type, rect, undefined),
      rect: roundRect(rect),
      align: 'left',
      ...(pictures.length > 0 ? { pictures } : {}),
      ...(type === 'message' ? { isLog: true } : {}),
      behaviour: { resets: false, changes: examples.length, presence },
      certainty,
      examples: examples.filter((_, i) => i % Math.ceil(examples.length / MAX_EXAMPLES) === 0),
    }),
  );
  const iconFields = icons.map(
    (icon): HudField => ({
      ...nameField('icon', icon.rect, undefined),
      rect: icon.rect,
      align: 'left',
      pictures: icon.pictures,
      ...describeIcon(icon),
    }),
  );
  return [...fields, ...filled, ...cellRows, ...iconFields, ...feedFields];
}

/** Percent to which drafted profiles round the levels of gauges. */
export const LEVEL_STEP = 5;
/** Change of a gauge, as a share, that is one, and share of neighbouring moments with one for a gauge that never rests. */
const MIN_GAUGE_CHANGE = 0.03;
const RESTLESS_SHARE = 0.6;

function percent(level: number): number {
  return Math.round(100 * level);
}

/** How a gauge behaves, from the moments in which it was seen. */
function describeGauge({
  levels,
  presence,
}: Pick<Gauge, 'levels' | 'presence'>): Pick<HudField, 'behaviour' | 'certainty' | 'examples'> {
  const steps = levels.filter((one, i) => i > 0 && Math.abs(one.level - levels[i - 1]!.level) >= MIN_GAUGE_CHANGE);
  // A gauge that differs from moment to moment changes between these samples, too: by so many of the steps that make events.
  const way = levels.reduce((sum, { level }, i) => sum + (i > 0 ? Math.abs(level - levels[i - 1]!.level) : 0), 0);
  const isRestless = steps.length > RESTLESS_SHARE * (levels.length - 1);
  return {
    behaviour: {
      min: percent(Math.min(...levels.map(({ level }) => level))),
      max: percent(Math.max(...levels.map(({ level }) => level))),
      resets: false,
      changes: isRestless ? Math.max(steps.length, Math.round((100 * way) / LEVEL_STEP)) : steps.length,
      presence,
    },
    certainty: Math.round(1000 * presence) / 1000,
    examples: [levels[0]!, ...steps]
      .filter((_, i, all) => i % Math.ceil(all.length / MAX_EXAMPLES) === 0)
      .map(({ recording, t, level }) => ({ recording, t, text: `${percent(level)} %` })),
  };
}

/** How an icon behaves. */
function describeIcon({ shown, presence }: Icon): Pick<HudField, 'behaviour' | 'certainty' | 'examples'> {
  const steps = shown.filter((one, i) => i === 0 || one.picture !== shown[i - 1]!.picture);
  return {
    behaviour: { resets: false, changes: steps.length - 1, presence },
    certainty: Math.round(1000 * presence) / 1000,
    examples: steps
      .filter((_, i) => i % Math.ceil(steps.length / MAX_EXAMPLES) === 0)
      .map(({ recording, t, picture }) => ({ recording, t, text: `picture ${picture + 1}` })),
  };
}

/** Pixels that stay above and below a line of text, in heights of its letters. */
const ROW_MARGIN = 0.05;

/** A line without the empty rows around its letters, where their edges stay. */
function trimRows(rect: Rect, places: readonly Rect[]): Rect {
  const parts = places.map(withoutMargin).filter((place) => isInLine(place, rect));
  if (parts.length === 0) return rect;
  const [top, bottom] = [Math.min(...parts.map(({ y }) => y)), Math.max(...parts.map(({ y, height }) => y + height))];
  const margin = ROW_MARGIN * (bottom - top);
  const y = Math.max(rect.y, top - margin);
  return { ...rect, y, height: Math.min(rect.y + rect.height, bottom + margin) - y };
}

/** Whether a place has nearly the height of a line, and lies in it. */
function isInLine(place: Rect, line: Rect): boolean {
  return (
    place.height >= MIN_LETTER_HEIGHT * line.height && place.height <= 1.2 * line.height && overlap(place, line) > 0.6
  );
}

/** Height of letters in a box of the text finder, as a share. */
const MIN_LETTER_HEIGHT = 0.55;

function roundRect({ x, y, width, height }: Rect): Rect {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  return { x: left, y: top, width: Math.ceil(x + width) - left, height: Math.ceil(y + height) - top };
}

/** Values spread over the recordings, different ones where there are. */
function pickExamples({ values }: FieldReading): HudField['examples'] {
  const changes = values.filter((one, i) => i === 0 || values[i - 1]!.text !== one.text);
  const step = Math.max(1, Math.ceil(changes.length / MAX_EXAMPLES));
  return changes.filter((_, i) => i % step === 0).map(({ recording, t, text }) => ({ recording, t, text }));
}
