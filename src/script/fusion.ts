import type { Dictionary } from '../dictionary/dictionary.ts';
import type { LoggedCue } from '../events/log.ts';
import { isPropertyStatement, type Statement } from '../events/statement.ts';
import type { FusionRule, FusionSpec } from '../profile/profile.ts';
import { roundTime } from '../time.ts';
import type { ScriptStatement } from './script.ts';
import { calibrateConfidence, combineConfidence } from './confidence.ts';
import { entails, countFacts } from './entailment.ts';

const DEFAULT_WINDOW_SECONDS = 0.5;

interface PendingStatement extends ScriptStatement {
  readonly ordinal: number;
  /** The detectors it is based on; for a sequence, those of its steps. */
  readonly detectors: ReadonlySet<string>;
}

/** Statements whose fusion is decided. */
export interface FusedStatements {
  readonly statements: readonly ScriptStatement[];
  /** Seconds: no later statement is earlier than this. */
  readonly settled: number;
}

/**
 * Merges statements that are about the same event.
 *
 * Two statements of different detectors, at most a window apart, are merged when one entails the other. The more specific one
 * remains, with the cues of both, the earliest time of those that are not merely supporting, and a combined confidence. A
 * detector reports an event once, so two statements based on the same detector are two events. Supporting statements alone make
 * no event.
 *
 * Statements are taken in order of time, each with the nearest that can be merged with it, so the result depends neither on how
 * they are batched nor on what follows more than a window later.
 */
export class Fusion {
  readonly #spec: FusionSpec;
  readonly #isOff: boolean;
  readonly #dictionary: Dictionary;
  readonly #partsOf: (detector: string) => readonly string[];
  readonly #maxWindow: number;
  #pending: PendingStatement[] = [];
  #ordinal = 0;

  /** @param partsOf Returns the detectors of a sequence; for a detector, itself. */
  constructor(
    spec: FusionSpec | false | undefined,
    dictionary: Dictionary,
    partsOf: (detector: string) => readonly string[] = (detector) => [detector],
  ) {
    this.#isOff = spec === false;
    this.#spec = spec === false ? {} : (spec ?? {});
    this.#dictionary = dictionary;
    this.#partsOf = partsOf;
    const { window = DEFAULT_WINDOW_SECONDS, rules = [] } = this.#spec;
    this.#maxWindow = this.#isOff ? 0 : Math.max(window, ...rules.map((rule) => rule.window ?? 0));
  }

  add(made: ScriptStatement): void {
    const detectors = new Set(made.cues.flatMap(({ detector }) => this.#partsOf(detector)));
    this.#pending.push({ ...made, confidence: this.#confidenceOf(made), detectors, ordinal: this.#ordinal++ });
  }

  /** Returns the merged statements that are final, given that no later statement is earlier than `until` seconds. */
  settle(until: number): FusedStatements {
    this.#pending.sort((a, b) => a.t - b.t || a.ordinal - b.ordinal);
    const statements: ScriptStatement[] = [];
    while (this.#pending.length > 0 && this.#pending[0]!.t + this.#maxWindow < until) {
      const group = this.#takeGroup();
      const makers = group.filter(({ support }) => !support);
      if (makers.length > 0) statements.push(this.#merge(group, makers));
    }
    return { statements, settled: Math.min(until, this.#pending[0]?.t ?? until) };
  }

  /** Removes the earliest statement and those that merge with it. */
  #takeGroup(): readonly PendingStatement[] {
    const first = this.#pending.shift()!;
    const group = [first];
    if (this.#isOff || !this.#isFusible(first)) return group;
    const near = this.#pending.filter((one) => one.t - first.t <= this.#maxWindow + 1e-6);
    for (const one of near) {
      const apart = roundTime(one.t - first.t);
      if (this.#isFusible(one) && group.every((other) => this.#canMerge(other, one, apart))) group.push(one);
    }
    if (group.length > 1) this.#pending = this.#pending.filter((one) => !group.includes(one));
    return group;
  }

  /** A statement without cues cannot be attributed to a detector. */
  #isFusible({ alone, detectors, statement }: PendingStatement): boolean {
    return alone !== true && detectors.size > 0 && this.#ruleOf(statement)?.off !== true;
  }

  /** Whether two statements can be about the same event. */
  #canMerge(a: PendingStatement, b: PendingStatement, apart: number): boolean {
    for (const detector of a.detectors) if (b.detectors.has(detector)) return false;
    const fuller = this.#entails(a, b) ? a : this.#entails(b, a) ? b : undefined;
    return fuller !== undefined && apart <= this.#windowOf(fuller.statement) + 1e-6;
  }

  #entails(a: PendingStatement, b: PendingStatement): boolean {
    return entails(a.statement, b.statement, this.#dictionary);
  }

  #ruleOf(statement: Statement): FusionRule | undefined {
    return this.#spec.rules?.find(({ action, property }) =>
      isPropertyStatement(statement)
        ? property !== undefined && this.#dictionary.isA(statement.property, property, 'property')
        : action !== undefined && this.#dictionary.isA(statement.action, action, 'action'),
    );
  }

  #windowOf(statement: Statement): number {
    return this.#ruleOf(statement)?.window ?? this.#spec.window ?? DEFAULT_WINDOW_SECONDS;
  }

  #confidenceOf({ cues, confidence, given }: ScriptStatement): number {
    if (given === true || cues.length === 0) return confidence;
    const { calibration = {} } = this.#spec;
    const of = (name: string) => (Object.hasOwn(calibration, name) ? calibration[name] : undefined);
    return Math.min(...cues.map((cue) => calibrateConfidence(cue.confidence, of(cue.detector))));
  }

  #merge(group: readonly PendingStatement[], makers: readonly PendingStatement[]): ScriptStatement {
    // Of any two statements of a group one entails the other, so one entails all.
    const top = makers.find((one) => makers.every((other) => this.#entails(one, other)))!;
    const whole = countFacts(top.statement);
    const others = group.filter((one) => one !== top);
    const support = others.map(({ confidence, statement }) => ({
      confidence,
      share: Math.min(1, countFacts(statement) / whole),
    }));
    // Certain evidence for all that the statement says makes up for thin evidence.
    const isTentative = top.tentative && !others.some((other) => !other.tentative && this.#entails(other, top));
    return {
      t: Math.min(...makers.map(({ t }) => t)),
      end: Math.max(...makers.map(({ end }) => end)),
      statement: top.statement,
      confidence: combineConfidence(top.confidence, support, this.#spec.independence),
      cues: evidenceOf([top, ...others]),
      ...(isTentative ? { tentative: true } : {}),
    };
  }
}

/** The cues behind several statements, each once, in order of time. */
function evidenceOf(statements: readonly ScriptStatement[]): readonly LoggedCue[] {
  if (statements.length === 1) return statements[0]!.cues;
  const byKey = new Map(statements.flatMap(({ cues }) => cues.map((cue) => [JSON.stringify(cue), cue] as const)));
  return [...byKey.values()].toSorted((a, b) => a.t - b.t);
}
