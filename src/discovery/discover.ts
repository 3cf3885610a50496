import { charactersOf, TextRecognizer } from '../recognition/text-recognizer.ts';
import { describeHud } from './describe.ts';
import { cutSightings, groupElements, separateNeighbors } from './elements.ts';
import { readHiddenFrames } from './hidden-lines.ts';
import type { Discovery } from './hud-field.ts';
import { findPlaces, followHud } from './places.ts';
import { identifyHud } from './selection.ts';
import { NETWORK_THREADS, openRecordings, type Survey, surveyText } from './survey.ts';

/** Options of `discoverHud`. */
export interface DiscoverOptions {
  readonly signal?: AbortSignal | undefined;
  /** Bytes for the text finder's features and weights: it runs in tiles where it needs more. */
  readonly memoryBudget?: number | undefined;
  /** Called with the share that is done, 0…1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/** Languages of a game that writes Chinese: names and some words are in Latin script. */
const CHINESE: readonly string[] = ['en', 'zh'];
/** Share of the work that the survey is. */
const SURVEY_SHARE = 0.7;

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
  const threads = NETWORK_THREADS;
  const latin = resources.use(await TextRecognizer.open({ threads }));
  const chinese = resources.use(await TextRecognizer.open({ allows: charactersOf(CHINESE), threads }));
  const surveyed = await surveyText(
    recordings,
    { latin, chinese },
    {
      signal,
      memoryBudget,
      onFrame: (done, total) => onProgress?.((SURVEY_SHARE * done) / total),
    },
  );
  const recognizer = surveyed.isChinese ? chinese : latin;
  const cut = { ...surveyed, sightings: cutSightings(surveyed.sightings, surveyed.steady) };
  const found = separateNeighbors(groupElements(cut, reference));
  const hiddenMessages = await readHiddenFrames(recordings, surveyed, found, recognizer);
  const survey = { ...cut, appeared: [...surveyed.appeared, ...hiddenMessages] };
  const places = await findPlaces(recordings, { surveyed, cut: survey, found }, recognizer);
  const followed = await followHud(recordings, places, recognizer, {
    signal,
    onSample: (share) => onProgress?.(SURVEY_SHARE + (1 - SURVEY_SHARE) * share),
  });
  const identified = await identifyHud(places, followed, reference);
  return {
    format: 'playbyplay/discovery/1',
    reference,
    recordings: recordings.map(({ path, index }) => ({ path, duration: index.t.at(-1) ?? 0 })),
    moment: fullestFrame(survey),
    ...(surveyed.isChinese ? { languages: CHINESE } : {}),
    fields: describeHud(identified, survey, reference),
    symbols: survey.symbols,
  };
}

/** The frame in which most lines were seen. */
function fullestFrame({ sightings, frames }: Survey): Discovery['moment'] {
  const counts = Map.groupBy(sightings, ({ frame }) => frame);
  const [fullest] = [...counts].toSorted((a, b) => b[1].length - a[1].length);
  return frames[fullest?.[0] ?? 0] ?? { recording: 0, t: 0 };
}
