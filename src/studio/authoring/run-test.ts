import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import { render } from '../../dictionary/sentences/render.ts';
import { type Issue, PlaybyplayError } from '../../errors.ts';
import { evaluate, type Miss, type Score } from '../../evaluate/evaluate.ts';
import { type Journal, type JournalKey, openJournal } from '../../events/journal.ts';
import type { EventLine, GapLine } from '../../events/log.ts';
import { makeFolder } from '../../files/folder.ts';
import { writeOutput } from '../../files/output.ts';
import { detect } from '../../pipeline/detect.ts';
import { type Game, openGame } from '../../pipeline/game.ts';
import type { CueBreakpoint, StopMessage } from '../../pipeline/messages.ts';
import type { ChunkReadings } from '../../pipeline/reading/chunk-readings.ts';
import { loadKindCatalog } from '../../pipeline/schemas.ts';
import { openSource } from '../../pipeline/source.ts';
import { checkProfile } from '../../profile/check.ts';
import type { TestCase } from './test-case.ts';
import { readingsPaths } from './test-readings.ts';

/** What a run of a pack on a recording gave. */
export interface RunResult {
  readonly events: readonly EventLine[];
  readonly gaps: readonly GapLine[];
  /** What is wrong or uncertain: placement, silent detectors, mistakes of the script. */
  readonly warnings: readonly Issue[];
  /** What the script noted (`game.note`). */
  readonly notes: readonly { readonly t: number; readonly text: string }[];
  /** What was known at the cues with breakpoints. */
  readonly stops: readonly StopMessage[];
  /** Share of the chunks whose readings were stored already, 0…1. */
  readonly stored: number;
}

/** Options of `runPack`. */
export interface RunOptions {
  /** Seconds; default the whole recording. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Cues at which what is known is reported. */
  readonly breakpoints?: readonly CueBreakpoint[] | undefined;
  /** Folder for readings, so that a changed rule or script needs no new ones. */
  readonly readings: string;
  readonly signal?: AbortSignal | undefined;
  /** Called with the share that is done, 0…1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/** Greatest difference in seconds between an event and its mark: people press a key up to this late. */
const TOLERANCE_SECONDS = 1;

/**
 * Detects the events of a recording with a pack, from stored readings where only rules, script or words have changed since.
 *
 * @param game Path of the pack or profile.
 * @throws PlaybyplayError as `openGame`, `openSource` and `detect`.
 */
export async function runPack(game: string, media: string, options: RunOptions): Promise<RunResult> {
  const { from, to, readings, breakpoints, signal, onProgress } = options;
  const opened = await openGame(game);
  const readingsHash = await hashReadings(opened);
  using source = await openSource(media);
  await makeFolder(readings);
  const { stem, whole, stretch } = readingsPaths(readings, source.path);
  // Readings of the whole recording serve for a stretch, too.
  const isWhole = from === undefined && to === undefined;
  const usesWhole = isWhole || (await readFile(`${stem}.done`, 'utf8').catch(() => '')) === readingsHash;
  const range = usesWhole ? {} : { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const path = usesWhole ? whole : stretch;
  const [events, gaps, warnings, notes]: [EventLine[], GapLine[], Issue[], { t: number; text: string }[]] = [
    [],
    [],
    [],
    [],
  ];
  const stops: StopMessage[] = [];
  let known = 0;
  const messages = detect(source, opened, {
    ...range,
    ...(signal ? { signal } : {}),
    ...(breakpoints ? { breakpoints } : {}),
    openJournal: async (key) => {
      // Rules are not among what readings depend on.
      const journal = await resumeJournal(path, { ...key, profile: readingsHash });
      known = journal.completed.size;
      return journal;
    },
  });
  let chunks = 0;
  for await (const message of messages) {
    if (message.type === 'event') events.push(message);
    else if (message.type === 'gap') gaps.push(message);
    else if (message.type === 'warning') warnings.push(message.issue);
    else if (message.type === 'note') notes.push({ t: message.note.t, text: message.note.text });
    else if (message.type === 'stop') stops.push(message);
    else if (message.type === 'progress') {
      chunks++;
      onProgress?.(Math.min(1, message.done / Math.max(1e-9, (to ?? message.total) || message.done)));
    }
  }
  if (usesWhole) await writeOutput(`${stem}.done`, readingsHash, { kind: 'text', overwrite: true });
  const isInside = ({ t }: { readonly t: number }): boolean => t >= (from ?? 0) && t < (to ?? Number.POSITIVE_INFINITY);
  return {
    events: events.filter(isInside),
    gaps,
    warnings,
    notes: notes.filter(isInside),
    stops: stops.filter(isInside),
    stored: chunks === 0 ? 0 : Math.min(1, known / chunks),
  };
}

/** Continues a journal; one of other readings is begun anew. */
async function resumeJournal(path: string, key: JournalKey): Promise<Journal<ChunkReadings>> {
  try {
    return await openJournal<ChunkReadings>(path, key, { resume: true });
  } catch (error) {
    if (error instanceof PlaybyplayError && error.code === 'resume-mismatch') return await openJournal(path, key);
    throw error;
  }
}

/** A hash of everything in a profile that readings depend on: all but its rules and its texts for people. */
async function hashReadings({ profile, assets }: Game): Promise<string> {
  const {
    events: _events,
    fusion: _fusion,
    title: _title,
    description: _description,
    version: _version,
    ...read
  } = profile;
  const used = new Set(Object.values(profile.detectors).map(({ kind }) => kind));
  const { assets: files } = checkProfile(profile, 'profile.json', await loadKindCatalog(used));
  const digest = createHash('sha256').update(JSON.stringify(read));
  for (const path of [...new Set(files.map((one) => one.path))].toSorted())
    digest.update(`\0${path}\0`).update(await assets.read(path));
  return digest.digest('hex').slice(0, 32);
}

/** A miss or a false event, with its sentence. */
export interface Difference extends Miss {
  readonly kind: 'missed' | 'wrong';
  readonly sentence: string;
  readonly insteadSentence?: string;
  /** Of a wrong event: what its detectors read. */
  readonly cues?: EventLine['cues'];
}

/** What a test of a pack came to. */
export interface TestResult {
  readonly kinds: readonly Score[];
  readonly all: Score;
  readonly differences: readonly Difference[];
}

/** Compares what runs gave with what is marked. */
export function compareRuns(
  runs: readonly { readonly test: TestCase; readonly events: readonly EventLine[] }[],
  dictionary: Dictionary,
): TestResult {
  const sentence = (statement: Miss['statement']): string => render(statement, dictionary);
  const results = runs.map(({ test, events }) => {
    const certain = events.filter(({ tentative }) => tentative !== true);
    const evaluation = evaluate([{ name: test.name, events: certain, truth: test.marks }], {
      tolerance: TOLERANCE_SECONDS,
      kinds: test.isComplete ? 'all' : 'truth',
      isA: (a, b) => dictionary.isA(a, b),
      ...(test.from === undefined ? {} : { from: test.from }),
      ...(test.to === undefined ? {} : { to: test.to }),
    });
    const cuesOf = new Map(certain.map((event) => [`${event.t} ${JSON.stringify(event.statement)}`, event.cues]));
    const describe = (kind: Difference['kind'], miss: Miss): Difference => {
      const cues = cuesOf.get(`${miss.t} ${JSON.stringify(miss.statement)}`);
      return {
        ...miss,
        kind,
        sentence: sentence(miss.statement),
        ...(miss.instead === undefined ? {} : { insteadSentence: sentence(miss.instead) }),
        ...(kind === 'wrong' && cues ? { cues } : {}),
      };
    };
    return {
      clip: { name: test.name, events: certain, truth: test.marks, test },
      differences: [
        ...evaluation.misses.map((miss) => describe('missed', miss)),
        ...evaluation.falseEvents.map((miss) => describe('wrong', miss)),
      ],
    };
  });
  const clips = results.map(({ clip: { name, events, truth, test } }) => {
    const isInside = ({ t }: { readonly t: number }): boolean =>
      t >= (test.from ?? 0) - TOLERANCE_SECONDS && t < (test.to ?? Number.POSITIVE_INFINITY) + TOLERANCE_SECONDS;
    return { name, events: events.filter(isInside), truth };
  });
  const pooled = evaluate(clips, {
    tolerance: TOLERANCE_SECONDS,
    kinds: runs.every(({ test }) => test.isComplete) ? 'all' : 'truth',
    isA: (a, b) => dictionary.isA(a, b),
  });
  return {
    kinds: pooled.kinds,
    all: pooled.all,
    differences: results.flatMap(({ differences }) => differences).toSorted((a, b) => a.t - b.t),
  };
}
