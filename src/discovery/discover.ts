import type { Anchor, Rect, Size } from '../geometry.ts';
import { TextRecognizer } from '../recognition/text-recognizer.ts';
import { type Behaviour, classifyField, type FieldReading, type FieldType, type FieldValue } from './classify.ts';
import { type Alignment, groupElements, groupMessages, type TextElement, usualArea } from './elements.ts';
import { followPlaces } from './follow.ts';
import { cleanName, findCaption, type Label, placeOnScreen, uniqueName } from './names.ts';
import { findGauges, type Gauge } from './gauges.ts';
import { CHARACTER_WIDTH, growRegion } from './grow.ts';
import { readSteadyPlaces } from './steady-text.ts';
import { openRecordings, overlap, type Recording, shareInCommon, type Survey, surveyText } from './survey.ts';
import { figureArea, type TaughtFont, teachFont } from './teach.ts';

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
  readonly place: Anchor;
  readonly pattern?: string;
  readonly secondPattern?: string;
  /** Of a gauge: how it fills, and its colours. */
  readonly gauge?: Pick<Gauge, 'direction' | 'fill' | 'empty' | 'radii'>;
  /** The font of its figures, where its readings taught one. */
  readonly font?: TaughtFont;
  readonly behaviour: Behaviour;
  /** How sure it is that this is right, 0…1. */
  readonly certainty: number;
  /** Some of its values. */
  readonly examples: readonly Pick<FieldValue, 'recording' | 't' | 'text'>[];
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
  /** Answers that were given, by id of the question. */
  readonly answers?: Readonly<Record<string, string>>;
}

/** Options of `discoverHud`. */
export interface DiscoverOptions {
  readonly signal?: AbortSignal | undefined;
  /** Bytes for the text finder's features and weights: it runs in tiles where it needs more. */
  readonly memoryBudget?: number | undefined;
  /** Called with the share that is done, 0…1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/** Types whose font is learnt. */
const FIGURES: ReadonlySet<FieldType> = new Set(['counter', 'fraction', 'percentage', 'clock', 'time']);
/** Share of the work that the survey is. */
const SURVEY_SHARE = 0.7;
/** Values that are kept as examples. */
const MAX_EXAMPLES = 8;
/** Certainty from which a field is reported. */
const MIN_CERTAINTY = 0.3;

/**
 * Finds the HUD of a game that nobody has described: lines of text are searched in frames spread over the recordings; those that
 * stay at one place belong to the HUD. Each is then read over time, which says what it is: a counter, a clock, a message.
 *
 * @throws PlaybyplayError if a recording cannot be read, or a package is missing (`no-text-models`, `runtime-missing`).
 *
 * @example
 * const { fields } = await discoverHud(['race.mp4']);
 * for (const { type, name, behaviour } of fields) console.log(type, name, behaviour);
 */
export async function discoverHud(paths: readonly string[], options: DiscoverOptions = {}): Promise<Discovery> {
  const { signal, memoryBudget, onProgress } = options;
  using resources = new DisposableStack();
  const recordings = await openRecordings(paths, signal);
  for (const { file } of recordings) resources.use(file);
  const reference = recordings[0]!.size;
  const survey = await surveyText(recordings, {
    signal,
    memoryBudget,
    onFrame: (done, total) => onProgress?.((SURVEY_SHARE * done) / total),
  });
  const recognizer = resources.use(await TextRecognizer.open());
  const found = groupElements(survey, reference);
  const lasting = [...found, ...(await readSteadyPlaces(recordings, survey.steady, found, recognizer))];
  const gauges = findGauges(recordings, survey.steady);
  const texts = lasting.filter(
    ({ rect, isSteady }) => !isSteady || !gauges.some((gauge) => shareInCommon(rect, gauge.rect) > MAX_COMMON_AREA),
  );
  const elements = [...texts, ...groupMessages(survey, texts, reference)];
  const followed = await followPlaces(
    recordings,
    elements.map(({ rect, comesAndGoes, sightings }) =>
      comesAndGoes ? { rect, find: true, near: sightings } : { rect, keep: Math.ceil(CHARACTER_WIDTH * rect.height) },
    ),
    recognizer,
    { signal, onSample: (share) => onProgress?.(SURVEY_SHARE + (1 - SURVEY_SHARE) * share) },
  );
  const classified = elements.flatMap((element, i) => {
    const reading = classifyField(followed[i]!, element);
    return reading && reading.certainty >= MIN_CERTAINTY ? [{ element, reading, samples: followed[i]! }] : [];
  });
  // One thing may have been found as a line of text and by its edges. Messages may appear over others.
  const read = classified.filter(
    (one) =>
      one.element.comesAndGoes ||
      !classified.some(
        (other) =>
          other !== one &&
          (one.element.isSteady === true || other.element.isSteady === true) &&
          overlap(one.element.rect, other.element.rect) > MAX_COMMON_AREA &&
          rankOf(other) > rankOf(one),
      ),
  );
  const labels = read.flatMap(({ element: { rect }, reading }): Label[] =>
    reading.type === 'label' ? [{ rect, text: reading.caption! }] : [],
  );
  const taken = new Set<string>();
  const nameField = (
    rect: Rect,
    type: FieldType,
    own: string | undefined,
  ): Pick<HudField, 'id' | 'name' | 'isCaptioned' | 'place'> => {
    const place = placeOnScreen(rect, reference);
    const caption = cleanName(own ?? (type === 'label' ? '' : (findCaption(rect, labels)?.text ?? '')));
    const name = uniqueName(caption === '' ? `${place}` : caption, taken);
    const id = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
    return { id, name, isCaptioned: caption !== '', place };
  };
  const untaught = read.map(({ element, reading, samples }): HudField => {
    const { align } = element;
    const whole = reading.type === 'clock' ? usualArea(element) : element.rect;
    const isBare = FIGURES.has(reading.type) && reading.caption === undefined;
    const rect = isBare ? figureArea(samples, reading, element.rect, whole) : whole;
    const { type, pattern, secondPattern, behaviour, certainty } = reading;
    return {
      ...nameField(rect, type, reading.caption),
      type,
      rect: roundRect(rect),
      align,
      ...(pattern === undefined ? {} : { pattern }),
      ...(secondPattern === undefined ? {} : { secondPattern }),
      behaviour,
      certainty: Math.round(1000 * certainty) / 1000,
      examples: pickExamples(reading),
    };
  });
  const fields = untaught.map((field, i): HudField => {
    const { element, reading, samples } = read[i]!;
    if (!FIGURES.has(field.type)) return field;
    const font = teachFont(samples, reading, element.rect, growRegion(field, untaught, reference), field.id);
    return font ? { ...field, font } : field;
  });
  // Figures may stand on a bar or in a ring.
  const unwritten = gauges.filter(
    ({ rect }) => !read.some(({ element }) => shareInCommon(rect, element.rect) > MAX_COMMON_AREA),
  );
  const filled = unwritten.map((gauge): HudField => {
    const { rect, direction, fill, empty, radii } = gauge;
    return {
      ...nameField(rect, 'gauge', undefined),
      type: 'gauge',
      rect,
      align: 'left',
      gauge: { direction, fill, ...(empty === undefined ? {} : { empty }), ...(radii ? { radii } : {}) },
      ...describeGauge(gauge, recordings),
    };
  });
  return {
    format: 'playbyplay/discovery/1',
    reference,
    recordings: recordings.map(({ path, index }) => ({ path, duration: index.t.at(-1) ?? 0 })),
    moment: fullestFrame(survey),
    fields: [...fields, ...filled],
  };
}

/** How much is known of what an element shows: figures say more than texts, a line with its caption more than its figures. */
function rankOf({
  element,
  reading: { type, caption, certainty },
}: {
  readonly element: TextElement;
  readonly reading: FieldReading;
}): number {
  return (FIGURES.has(type) ? 2 : 0) + (caption === undefined ? 0 : 1) + certainty - (element.isSteady ? 0.01 : 0);
}

/** Share of a place that two elements may have in common. */
const MAX_COMMON_AREA = 0.4;
/** Change of a gauge, as a share, that is one, and share of neighbouring moments with one for a gauge that never rests. */
const MIN_GAUGE_CHANGE = 0.03;
const RESTLESS_SHARE = 0.6;

function percent(level: number): number {
  return Math.round(100 * level);
}

/** How a gauge behaves, from the moments in which it was seen. */
function describeGauge(
  { levels, presence }: Gauge,
  recordings: readonly Recording[],
): Pick<HudField, 'behaviour' | 'certainty' | 'examples'> {
  const steps = levels.filter((one, i) => i > 0 && Math.abs(one.level - levels[i - 1]!.level) >= MIN_GAUGE_CHANGE);
  const seconds = recordings.reduce((sum, { index }) => sum + (index.t.at(-1) ?? 0), 0);
  // A gauge that differs from moment to moment changes at every sample, not just at these.
  const isRestless = steps.length > RESTLESS_SHARE * (levels.length - 1);
  return {
    behaviour: {
      min: percent(Math.min(...levels.map(({ level }) => level))),
      max: percent(Math.max(...levels.map(({ level }) => level))),
      resets: false,
      changes: isRestless ? Math.round(seconds) : steps.length,
      presence,
    },
    certainty: Math.round(1000 * presence) / 1000,
    examples: [levels[0]!, ...steps]
      .filter((_, i, all) => i % Math.ceil(all.length / MAX_EXAMPLES) === 0)
      .map(({ recording, t, level }) => ({ recording, t, text: `${percent(level)} %` })),
  };
}

/** The frame in which most lines were seen. */
function fullestFrame({ sightings, frames }: Survey): Discovery['moment'] {
  const counts = Map.groupBy(sightings, ({ frame }) => frame);
  const [fullest] = [...counts].toSorted((a, b) => b[1].length - a[1].length);
  return frames[fullest?.[0] ?? 0] ?? { recording: 0, t: 0 };
}

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
