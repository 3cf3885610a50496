import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { LoggedCue } from '../../events/log.ts';
import { isPropertyStatement, type Statement } from '../../events/statement.ts';
import type { FusionRule, FusionSpec } from '../../profile/profile.ts';
import { roundTime } from '../../time.ts';
import type { ScriptStatement } from '../script.ts';
import { calibrated, combined, lineOf } from './confidence.ts';
import { says, weightOf } from './says.ts';

/** Seconds within which statements may be about one happening, unless the profile says otherwise. */
const WINDOW = 0.5;

interface Waiting extends ScriptStatement {
  readonly ordinal: number;
  /** The detectors behind it, those of sequences' steps in the place of the sequences. */
  readonly detectors: ReadonlySet<string>;
}

export interface FusedStatements {
  readonly statements: readonly ScriptStatement[];
  /** Seconds: no statement to come is earlier. */
  readonly settled: number;
}

/**
 * Relates statements about one happening and counts it once. Of two statements from different detectors, at most a window
 * apart, one of which says all that the other says, the fuller one stays: with the cues of both, at the earliest time at which
 * one that could stand by itself places it, at a confidence that both support. A detector tells of a happening once,
 * so two statements that rest on the same detector are two happenings. What only supports makes no event by itself.
 *
 * Statements are taken in order of time, each with the nearest that fit it, so the result depends on neither the portions in
 * which they come nor on what comes more than a window later.
 */
export class Fusion {
  readonly #spec: FusionSpec;
  readonly #isOff: boolean;
  readonly #dictionary: Dictionary;
  readonly #partsOf: (detector: string) => readonly string[];
  readonly #widest: number;
  #waiting: Waiting[] = [];
  #ordinal = 0;

  /** `partsOf` tells what a sequence consists of; of a detector, itself. */
  constructor(
    spec: FusionSpec | false | undefined,
    dictionary: Dictionary,
    partsOf: (detector: string) => readonly string[] = (detector) => [detector],
  ) {
    this.#isOff = spec === false;
    this.#spec = spec === false ? {} : (spec ?? {});
    this.#dictionary = dictionary;
    this.#partsOf = partsOf;
    const { window = WINDOW, rules = [] } = this.#spec;
    this.#widest = this.#isOff ? 0 : Math.max(window, ...rules.map((rule) => rule.window ?? 0));
  }

  add(made: ScriptStatement): void {
    const detectors = new Set(made.cues.flatMap(({ detector }) => this.#partsOf(detector)));
    this.#waiting.push({ ...made, confidence: this.#confidenceOf(made), detectors, ordinal: this.#ordinal++ });
  }

  /** No statement to come is earlier than `until` seconds: gives out what is final. */
  settle(until: number): FusedStatements {
    this.#waiting.sort((a, b) => a.t - b.t || a.ordinal - b.ordinal);
    const statements: ScriptStatement[] = [];
    while (this.#waiting.length > 0 && this.#waiting[0]!.t + this.#widest < until) {
      const group = this.#take();
      const makers = group.filter(({ support }) => !support);
      if (makers.length > 0) statements.push(this.#merge(group, makers));
    }
    return { statements, settled: Math.min(until, this.#waiting[0]?.t ?? until) };
  }

  /** Takes the earliest statement and all that belong to it. */
  #take(): readonly Waiting[] {
    const first = this.#waiting.shift()!;
    const group = [first];
    if (this.#isOff || !this.#isFusible(first)) return group;
    const near = this.#waiting.filter((one) => one.t - first.t <= this.#widest + 1e-6);
    for (const one of near) {
      const apart = roundTime(one.t - first.t);
      if (this.#isFusible(one) && group.every((other) => this.#fit(other, one, apart))) group.push(one);
    }
    if (group.length > 1) this.#waiting = this.#waiting.filter((one) => !group.includes(one));
    return group;
  }

  /** Without evidence nothing tells whose happening it is. */
  #isFusible({ alone, detectors, statement }: Waiting): boolean {
    return alone !== true && detectors.size > 0 && this.#ruleOf(statement)?.off !== true;
  }

  /** Whether two statements can be about one happening. */
  #fit(a: Waiting, b: Waiting, apart: number): boolean {
    for (const detector of a.detectors) if (b.detectors.has(detector)) return false;
    const fuller = this.#says(a, b) ? a : this.#says(b, a) ? b : undefined;
    return fuller !== undefined && apart <= this.#windowOf(fuller.statement) + 1e-6;
  }

  #says(a: Waiting, b: Waiting): boolean {
    return says(a.statement, b.statement, this.#dictionary);
  }

  #ruleOf(statement: Statement): FusionRule | undefined {
    return this.#spec.rules?.find(({ action, property }) =>
      isPropertyStatement(statement)
        ? property !== undefined && this.#dictionary.isA(statement.property, property, 'property')
        : action !== undefined && this.#dictionary.isA(statement.action, action, 'action'),
    );
  }

  #windowOf(statement: Statement): number {
    return this.#ruleOf(statement)?.window ?? this.#spec.window ?? WINDOW;
  }

  #confidenceOf({ cues, confidence, given }: ScriptStatement): number {
    if (given === true || cues.length === 0) return confidence;
    return Math.min(...cues.map((cue) => calibrated(cue.confidence, lineOf(this.#spec, cue.detector))));
  }

  #merge(group: readonly Waiting[], makers: readonly Waiting[]): ScriptStatement {
    // Any two of a group say one another's, so one says all.
    const top = makers.find((one) => makers.every((other) => this.#says(one, other)))!;
    const whole = weightOf(top.statement);
    const others = group.filter((one) => one !== top);
    const support = others.map(({ confidence, statement }) => ({
      confidence,
      share: Math.min(1, weightOf(statement) / whole),
    }));
    return {
      t: Math.min(...makers.map(({ t }) => t)),
      end: Math.max(...makers.map(({ end }) => end)),
      statement: top.statement,
      confidence: combined(top.confidence, support, this.#spec.independence),
      cues: evidenceOf([top, ...others]),
    };
  }
}

/** The cues behind several statements, each once, in order of time. */
function evidenceOf(statements: readonly ScriptStatement[]): readonly LoggedCue[] {
  if (statements.length === 1) return statements[0]!.cues;
  const byKey = new Map(statements.flatMap(({ cues }) => cues.map((cue) => [JSON.stringify(cue), cue] as const)));
  return [...byKey.values()].toSorted((a, b) => a.t - b.t);
}
