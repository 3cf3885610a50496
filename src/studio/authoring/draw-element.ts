import type { HudField } from '../../discovery/hud-field.ts';
import { draftPack } from '../../discovery/draft.ts';
import { classifyField, type FieldReading, type FieldType } from '../../discovery/classify.ts';
import { CHARACTER_WIDTH } from '../../discovery/grow.ts';
import { followPlaces } from '../../discovery/follow.ts';
import { placeOnScreen } from '../../discovery/names.ts';
import { learnFieldFont } from '../../discovery/learn-field-font.ts';
import type { AtlasFile } from '../../detectors/text/atlas.ts';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { Rect, Size } from '../../geometry.ts';
import type { DetectorSpec, EventMapping } from '../../profile/profile.ts';
import { TextRecognizer } from '../../recognition/text-recognizer.ts';
import type { RecordingPictures } from './recording.ts';

/** What was found out about a drawn box. */
export interface DrawnElement {
  readonly type: FieldType;
  /** How sure that is, 0…1. */
  readonly certainty: number;
  readonly detector: DetectorSpec;
  readonly events: readonly EventMapping[];
  /** A font that its readings taught. */
  readonly font?: AtlasFile;
  /** Some of its values, with their times. */
  readonly examples: readonly { readonly recording: number; readonly t: number; readonly text: string }[];
}

/** Kinds of fields whose font is learnt. */
const FIGURES: ReadonlySet<FieldType> = new Set(['counter', 'fraction', 'percentage', 'clock', 'time']);
const MAX_EXAMPLES = 8;
/** Readings in a row that all differ, from which a figure changes faster than an element is usually read. */
const MIN_FAST_READINGS = 3;
/** Seconds between readings of the study that follow each other, at most. */
const MAX_NEXT_SECONDS = 0.75;
/** How often such a figure is read: each value of a burst of five a second is read twice. */
const FAST_INTERVAL_SECONDS = 0.1;

/**
 * Reads a box that somebody drew over whole recordings, and describes it as a draft does.
 *
 * @param box In pixels of the first recording.
 * @param name What the author calls it.
 * @returns Undefined if nothing is read there that stays or changes as texts of a HUD do.
 */
export async function identifyDrawnBox(
  recordings: readonly RecordingPictures[],
  box: Rect,
  name: string,
  dictionary: Dictionary,
  options: {
    readonly signal?: AbortSignal | undefined;
    readonly onProgress?: ((share: number) => void) | undefined;
  } = {},
): Promise<DrawnElement | undefined> {
  const sources = recordings.map(({ path, file, index }) => ({
    path,
    file,
    index,
    size: { width: file.info.width, height: file.info.height },
  }));
  const reference: Size = sources[0]!.size;
  using recognizer = await TextRecognizer.open();
  const place = { rect: box, keep: Math.ceil(CHARACTER_WIDTH * box.height) };
  const [samples = []] = await followPlaces(sources, [place], recognizer, {
    signal: options.signal,
    onSample: options.onProgress,
  });
  const reading = classifyField(samples) ?? classifyField(samples, { comesAndGoes: true });
  if (!reading || reading.type === 'label') return undefined;
  const { type, pattern, secondPattern, behaviour, certainty, values } = reading;
  const font = FIGURES.has(type) ? learnFieldFont(samples, reading, box, box, name) : undefined;
  const changes = values.filter((one, i) => i === 0 || values[i - 1]!.text !== one.text);
  const step = Math.max(1, Math.ceil(changes.length / MAX_EXAMPLES));
  const drawn = describeDrawn(
    {
      name,
      type,
      rect: box,
      ...(pattern === undefined ? {} : { pattern }),
      ...(secondPattern === undefined ? {} : { secondPattern }),
      ...(font === undefined ? {} : { font: { ...font, region: box } }),
      behaviour,
      certainty,
      examples: changes.filter((_, i) => i % step === 0).map(({ recording, t, text }) => ({ recording, t, text })),
    },
    recordings.map(({ path, duration }) => ({ path, duration, size: reference })),
    dictionary,
  );
  if (!changesFast(reading)) return drawn;
  return { ...drawn, detector: { ...drawn.detector, interval: FAST_INTERVAL_SECONDS } };
}

/** Whether a figure was seen to change from each reading to the next; a clock does, and is read for its halts. */
function changesFast({ type, values }: FieldReading): boolean {
  if (!FIGURES.has(type) || type === 'clock' || type === 'time') return false;
  let inRow = 1;
  return values.some(({ recording, t, text }, i) => {
    const before = values[i - 1];
    const isNext = before?.recording === recording && t - before.t <= MAX_NEXT_SECONDS;
    inRow = isNext && before.text !== text ? inRow + 1 : 1;
    return inRow >= MIN_FAST_READINGS;
  });
}

/**
 * Describes one element as a draft does: its detector, its rules and its font.
 *
 * @param field What is known of it; its rectangle is in pixels of the first recording.
 */
export function describeDrawn(
  field: Omit<HudField, 'id' | 'isCaptioned' | 'align' | 'place'>,
  recordings: readonly { readonly path: string; readonly duration: number; readonly size: Size }[],
  dictionary: Dictionary,
): DrawnElement {
  const reference = recordings[0]!.size;
  const { profile, fonts } = draftPack(
    {
      format: 'playbyplay/discovery/1',
      reference,
      recordings: recordings.map(({ path, duration }) => ({ path, duration })),
      moment: { recording: 0, t: 0 },
      fields: [
        { ...field, id: 'drawn', isCaptioned: true, align: 'left', place: placeOnScreen(field.rect, reference) },
      ],
    },
    'drawn',
    dictionary,
  );
  const { detectors, events } = profile as {
    readonly detectors: Readonly<Record<string, DetectorSpec>>;
    readonly events: readonly EventMapping[];
  };
  const [key, detector] = Object.entries(detectors)[0]!;
  return {
    type: field.type,
    certainty: field.certainty,
    detector: withoutUndefined(detector),
    events: events.filter(({ on }) => on.detector === key),
    ...(fonts.size > 0 ? { font: [...fonts.values()][0]! } : {}),
    examples: field.examples,
  };
}

function withoutUndefined(detector: DetectorSpec): DetectorSpec {
  return JSON.parse(JSON.stringify(detector)) as DetectorSpec;
}
