import type { Anchor, Rect, Size } from '../geometry.ts';
import { TextRecognizer } from '../recognition/text-recognizer.ts';
import { type Behaviour, classifyField, type FieldReading, type FieldType, type FieldValue } from './classify.ts';
import { type Alignment, groupElements, groupMessages, usualArea } from './elements.ts';
import { followPlaces } from './follow.ts';
import { cleanName, findCaption, type Label, placeOnScreen, uniqueName } from './names.ts';
import { openRecordings, type Survey, surveyText } from './survey.ts';

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
  const lasting = groupElements(survey, reference);
  const elements = [...lasting, ...groupMessages(survey, lasting, reference)];
  const recognizer = resources.use(await TextRecognizer.open());
  const followed = await followPlaces(
    recordings,
    elements.map(({ rect, comesAndGoes, sightings }) =>
      comesAndGoes ? { rect, find: true, near: sightings } : { rect },
    ),
    recognizer,
    { signal, onSample: (share) => onProgress?.(SURVEY_SHARE + (1 - SURVEY_SHARE) * share) },
  );
  const read = elements.flatMap((element, i) => {
    const reading = classifyField(followed[i]!, element);
    return reading && reading.certainty >= MIN_CERTAINTY ? [{ element, reading }] : [];
  });
  const labels = read.flatMap(({ element: { rect }, reading }): Label[] =>
    reading.type === 'label' ? [{ rect, text: reading.caption! }] : [],
  );
  const taken = new Set<string>();
  const fields = read.map(({ element, reading }): HudField => {
    const { align } = element;
    const rect = reading.type === 'clock' ? usualArea(element) : element.rect;
    const { type, pattern, secondPattern, behaviour, certainty } = reading;
    const place = placeOnScreen(rect, reference);
    const caption = cleanName(reading.caption ?? (type === 'label' ? '' : (findCaption(rect, labels)?.text ?? '')));
    const name = uniqueName(caption === '' ? `${place}` : caption, taken);
    return {
      id: name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-'),
      type,
      name,
      isCaptioned: caption !== '',
      rect: roundRect(rect),
      align,
      place,
      ...(pattern === undefined ? {} : { pattern }),
      ...(secondPattern === undefined ? {} : { secondPattern }),
      behaviour,
      certainty: Math.round(1000 * certainty) / 1000,
      examples: pickExamples(reading),
    };
  });
  return {
    format: 'playbyplay/discovery/1',
    reference,
    recordings: recordings.map(({ path, index }) => ({ path, duration: index.t.at(-1) ?? 0 })),
    moment: fullestFrame(survey),
    fields,
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
