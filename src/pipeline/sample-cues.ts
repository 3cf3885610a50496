import type { Cue } from '../cues/cue.ts';
import { validateStatement } from '../dictionary/statements.ts';
import { type Issue, PlaybyplayError } from '../errors.ts';
import type { CueValue } from '../events/log.ts';
import type { Profile } from '../profile/profile.ts';
import { openScript, type ScriptOutput } from '../script/script.ts';
import { compileMappings } from '../script/mapping.ts';
import type { Game } from './game.ts';

/** Values of one detector that are tried. */
const MAX_VALUES = 20;
/** Seconds between two sample cues. */
const STEP_SECONDS = 0.5;
/** Confidence of sample cues. */
const CONFIDENCE = 0.95;

/** Kinds that read texts unless their `value` says otherwise. */
const TEXT_KINDS: ReadonlySet<string> = new Set(['text', 'feed', 'general', 'onnx']);

/** What a trial of a script found. */
export interface ScriptTrial {
  /** Number of sample cues that the script got. */
  readonly cues: number;
  readonly issues: readonly Issue[];
}

/**
 * Runs a game's script on cues made up from the profile: every detector finds, changes and loses the values that its options and the
 * profile's rules name. Finds errors, calls beyond the budget, and statements that the dictionary does not allow.
 */
export async function tryScriptOnSamples({ script, profile, dictionary }: Game): Promise<ScriptTrial> {
  const cues = sampleCues(profile);
  const issues: Issue[] = tryMappings({ profile, dictionary }, cues);
  if (script === undefined) return { cues: 0, issues };
  const take = ({ statements, problems }: ScriptOutput): void => {
    issues.push(...problems);
    for (const { statement, t } of statements)
      for (const issue of validateStatement(statement, dictionary))
        issues.push({ ...issue, path: script.name, message: `${issue.message} (statement at ${t} s)` });
  };
  const names = [...Object.keys(profile.detectors), ...Object.keys(profile.sequences ?? {})];
  try {
    using running = await openScript({ ...script, detectors: names });
    for (const cue of cues) take(running.onCues(cue.t, [cue]));
    take(running.end((cues.at(-1)?.t ?? 0) + STEP_SECONDS));
  } catch (error) {
    if (!(error instanceof PlaybyplayError)) throw error;
    issues.push(...error.issues);
  }
  const distinct = new Map(
    issues.map((issue) => [`${issue.code} ${issue.path} ${issue.message.replace(/ \(.*\)$/, '')}`, issue]),
  );
  return {
    cues: cues.length,
    issues: [...distinct.values()].map((issue) => ({ ...issue, message: `on sample cues: ${issue.message}` })),
  };
}

/** Runs the statements of a profile's events on sample cues; returns what the dictionary does not allow. */
function tryMappings({ profile, dictionary }: Pick<Game, 'profile' | 'dictionary'>, cues: readonly Cue[]): Issue[] {
  const mappings = compileMappings(profile.events, profile.sequences);
  const made = [...cues.map((cue) => mappings.take(cue)), mappings.end((cues.at(-1)?.t ?? 0) + STEP_SECONDS)];
  const found = made.flatMap(({ statements }) =>
    statements.flatMap(({ statement, cues: from }) =>
      validateStatement(statement, dictionary).map((issue) => ({
        ...issue,
        path: '#/events',
        message: `${issue.message} (${from[0]?.detector ?? ''} reads ${JSON.stringify(from[0]?.value ?? from[0]?.previous)})`,
      })),
    ),
  );
  const distinct = new Map(found.map((issue) => [`${issue.code} ${issue.message.replace(/ \(.*\)$/, '')}`, issue]));
  return Array.from(distinct.values(), (issue) => ({ ...issue, message: `on sample cues: ${issue.message}` }));
}

/** Makes up cues from a profile, in order of time: each detector finds, changes and loses its values. */
export function sampleCues(profile: Pick<Profile, 'detectors' | 'events' | 'sequences'>): readonly Cue[] {
  const cues: Cue[] = [];
  const add = (detector: string, trigger: Cue['trigger'], value?: CueValue, previous?: CueValue): void => {
    const known = { ...(value === undefined ? {} : { value }), ...(previous === undefined ? {} : { previous }) };
    cues.push({ t: 1 + STEP_SECONDS * cues.length, detector, trigger, confidence: CONFIDENCE, ...known });
  };
  for (const name of Object.keys(profile.detectors)) {
    const values = sampleValues(profile, name);
    for (const [i, value] of values.entries()) add(name, i === 0 ? 'found' : 'changed', value, values[i - 1]);
    add(name, 'lost', undefined, values.at(-1));
  }
  return cues;
}

/** Values that a detector may read: names in its options and the profile's rules, numbers if there are none. */
function sampleValues({ detectors, events = [] }: Pick<Profile, 'detectors' | 'events'>, name: string): CueValue[] {
  const spec: Readonly<Record<string, unknown>> = { ...detectors[name] };
  const named = ['labels', 'words', 'colors', 'icons', 'values', 'prototypes', 'sounds'].flatMap((option) =>
    namesIn(spec[option], option === 'words'),
  );
  const matched = events.flatMap(({ on }) =>
    on.detector === name && on.match !== undefined ? [textLike(on.match)] : [],
  );
  const texts = [...new Set([...named, ...matched])].slice(0, MAX_VALUES);
  if (texts.length > 0) return texts;
  const isText = TEXT_KINDS.has(String(spec['kind'])) && (spec['value'] ?? 'text') === 'text';
  return isText ? ['Sample text', 'Another text'] : [100, 62, 0, 1];
}

function namesIn(option: unknown, isMap: boolean): string[] {
  if (Array.isArray(option)) return option.filter((one) => typeof one === 'string');
  if (typeof option !== 'object' || option === null) return [];
  const names = isMap ? Object.values(option) : Object.keys(option);
  return names.filter((one) => typeof one === 'string');
}

/** A text of the kind that an expression matches: its literal parts, a name for each group. */
function textLike(pattern: string): string {
  return pattern
    .replaceAll(/\((?:\?[:<][^)]*)?[^()]*\)[*+?]?/g, 'Sample')
    .replaceAll(/\\[dw][*+]?|\[[^\]]*\][*+]?/g, '1')
    .replaceAll(/\.[*+]/g, 'Sample')
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(/[\^$*+?]/g, '');
}
