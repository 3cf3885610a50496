import type { Constraint } from './constraint.ts';
import { DEAD } from './constraint.ts';

/** A line as the recogniser saw it: at each step, the probabilities of the characters that matter. */
export interface LineSteps {
  /** By step: the probability of the blank. */
  readonly blank: Float64Array;
  /** By step: characters and their probabilities, the likeliest first. */
  readonly candidates: readonly (readonly Candidate[])[];
  /** Steps in which the crop lies, a fraction; the rest is padding. Default: all. */
  readonly span?: number;
}

/** A character that may be written at a step. */
export interface Candidate {
  readonly char: string;
  readonly probability: number;
}

/** A text found in a line. */
export interface DecodedLine {
  readonly text: string;
  /**
   * Probability that the line says this, of all lines: the sum over all ways of writing it (the forward recursion of CTC), whatever
   * its spaces, which the network sees least surely.
   */
  readonly probability: number;
  /** Its probability divided by that of all possible texts that were considered. */
  readonly share: number;
}

/** Texts that are followed at a time. */
const BEAM_WIDTH = 16;
/** Share of all texts below which a text is not followed: far less than what shows in a confidence. */
const MIN_WEIGHT = 1e-8;

interface Beam {
  readonly text: string;
  readonly state: number;
  /** Character written last; '' at the beginning. */
  readonly last: string;
  /** Nothing but spaces may follow. */
  readonly isOver: boolean;
  /** Probabilities of all ways to write it that end in a blank, and in its last character. */
  blank: number;
  written: number;
}

/**
 * Finds the most probable text that a constraint allows, by a prefix beam search over its automaton: impossible texts are never
 * followed, so that they cannot crowd out possible ones.
 *
 * @param valueOf What counts of a text: the probabilities of texts with the same value are added. Default: all but its spaces.
 * @returns Undefined where no possible text has any probability. An empty text is possible if the constraint accepts it.
 */
export function decodeLine(
  { blank, candidates }: LineSteps,
  constraint: Constraint,
  valueOf: (text: string) => string = withoutSpaces,
): DecodedLine | undefined {
  let beams: Beam[] = [{ text: '', state: constraint.start, last: '', isOver: false, blank: 1, written: 0 }];
  let scale = 0;
  for (const [t, choices] of candidates.entries()) {
    const next = new Map<string, Beam>();
    const at = (text: string, state: number, last: string, isOver: boolean): Beam => {
      const key = isOver ? `${text}${END}` : text;
      let beam = next.get(key);
      if (!beam) next.set(key, (beam = { text, state, last, isOver, blank: 0, written: 0 }));
      return beam;
    };
    for (const beam of beams) {
      const { text, state, last, isOver } = beam;
      const total = beam.blank + beam.written;
      at(text, state, last, isOver).blank += total * blank[t]!;
      for (const { char, probability } of choices) {
        if (char === ' ' && (text === '' || isOver)) {
          // Spaces around a text are no part of it.
          at(text, state, last, isOver).blank += total * probability;
          continue;
        }
        if (isOver || total * probability < MIN_WEIGHT) continue;
        if (char === last) at(text, state, last, false).written += beam.written * probability;
        const before = char === last ? beam.blank : total;
        const after = before > 0 ? stepThrough(constraint, state, char) : DEAD;
        if (after !== DEAD) at(text + char, after, char, false).written += before * probability;
        else if (char === ' ' && constraint.accepts(state)) at(text, state, last, true).blank += before * probability;
      }
    }
    beams = [...next.values()].toSorted((a, b) => b.blank + b.written - a.blank - a.written).slice(0, BEAM_WIDTH);
    const sum = beams.reduce((all, beam) => all + beam.blank + beam.written, 0);
    if (!(sum > 0)) return undefined;
    // Probabilities of long lines would underflow.
    scale += Math.log(sum);
    for (const beam of beams) {
      beam.blank /= sum;
      beam.written /= sum;
    }
  }
  const possible = beams.filter(({ state }) => constraint.accepts(state));
  const groups = [...Map.groupBy(possible, ({ text }) => valueOf(text)).values()].map((group) => ({
    text: group[0]!.text.trim(),
    weight: group.reduce((sum, beam) => sum + beam.blank + beam.written, 0),
  }));
  const [best] = groups.toSorted((a, b) => b.weight - a.weight);
  if (!best) return undefined;
  const all = groups.reduce((sum, { weight }) => sum + weight, 0);
  return { text: best.text, probability: Math.exp(scale) * best.weight, share: best.weight / all };
}

/** Follows a character that the network knows as one, and that is written as several: “℃” is “°C”. */
function stepThrough(constraint: Constraint, state: number, chars: string): number {
  if (chars.length === 1) return constraint.step(state, chars);
  let after = state;
  for (const char of chars) {
    if (after === DEAD) return DEAD;
    after = constraint.step(after, char);
  }
  return after;
}

function withoutSpaces(text: string): string {
  return text.replaceAll(' ', '');
}

/**
 * Finds where the characters of a text are in a line, by its most probable path (Viterbi).
 *
 * @returns By character the middle of the steps that write it, as a share of the crop's width; undefined where the text cannot be
 *   written so.
 */
export function locateCharacters(
  { blank, candidates, span = blank.length }: LineSteps,
  text: string,
): number[] | undefined {
  const chars = Array.from(text);
  // States: a blank before each character, the character, and a blank at the end.
  const count = 2 * chars.length + 1;
  let scores = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  const from: Int32Array[] = [];
  for (const [t, choices] of candidates.entries()) {
    const next = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
    const back = new Int32Array(count);
    for (let state = 0; state < count; state++) {
      const char = state % 2 === 1 ? chars[(state - 1) / 2]! : '';
      const probability = char === '' ? blank[t]! : (choices.find((one) => one.char === char)?.probability ?? 0);
      let [best, previous] = t === 0 ? [state < 2 ? 0 : Number.NEGATIVE_INFINITY, state] : [scores[state]!, state];
      const before = t === 0 ? [] : [state - 1, ...(char !== '' && char !== chars[(state - 3) / 2] ? [state - 2] : [])];
      for (const other of before) if (other >= 0 && scores[other]! > best) [best, previous] = [scores[other]!, other];
      next[state] = best + Math.log(Math.max(MIN_STEP_PROBABILITY, probability));
      back[state] = previous;
    }
    scores = next;
    from.push(back);
  }
  let state = scores[count - 1]! >= scores[count - 2]! ? count - 1 : count - 2;
  if (!(scores[state]! > Number.NEGATIVE_INFINITY)) return undefined;
  const [sums, steps] = [new Float64Array(chars.length), new Float64Array(chars.length)];
  for (let t = candidates.length - 1; t >= 0; t--) {
    if (state % 2 === 1) {
      sums[(state - 1) / 2]! += t + 0.5;
      steps[(state - 1) / 2]!++;
    }
    state = from[t]![state]!;
  }
  return steps.includes(0) ? undefined : Array.from(sums, (sum, i) => sum / steps[i]! / span);
}

/** A line in which capital and small letters are one: all are written small. */
export function foldCase(line: LineSteps): LineSteps {
  return foldCharacters(line, (char) => char.toLowerCase());
}

/** A line in which characters that look alike are one. */
export function foldCharacters({ candidates, ...rest }: LineSteps, fold: (char: string) => string): LineSteps {
  return {
    ...rest,
    candidates: candidates.map((choices) => {
      const byChar = new Map<string, number>();
      for (const { char, probability } of choices) {
        const folded = fold(char);
        byChar.set(folded, (byChar.get(folded) ?? 0) + probability);
      }
      return Array.from(byChar, ([char, probability]) => ({ char, probability })).toSorted(
        (a, b) => b.probability - a.probability,
      );
    }),
  };
}

/** Steps without a character from which a gap separates two texts: letters of one text are closer. */
const MIN_GAP_STEPS = 4;

/** A line in which every wide gap is one space: the network sees none in some, and several in others. */
export function markGaps({ blank, candidates, ...rest }: LineSteps): LineSteps {
  const marked = { blank: blank.slice(), candidates: [...candidates], ...rest };
  let last: number | undefined;
  for (const [t, choices] of candidates.entries()) {
    const [best] = choices.filter(({ char }) => char !== ' ');
    if (!best || best.probability <= blank[t]!) continue;
    if (last !== undefined && t - last > MIN_GAP_STEPS) {
      for (let step = last + 1; step < t; step++) {
        const spaces = candidates[step]!.filter(({ char }) => char === ' ');
        marked.blank[step]! += spaces.reduce((sum, { probability }) => sum + probability, 0);
        marked.candidates[step] = candidates[step]!.filter(({ char }) => char !== ' ');
      }
      const middle = Math.floor((last + t) / 2);
      marked.blank[middle] = 1 - GAP_PROBABILITY;
      marked.candidates[middle] = [{ char: ' ', probability: GAP_PROBABILITY }];
    }
    last = t;
  }
  return marked;
}

/** Probability of a space in a wide gap. */
const GAP_PROBABILITY = 0.99;

/** The part of a line from one share of the crop's width to another. */
export function sliceLine({ blank, candidates, span = blank.length }: LineSteps, from: number, to: number): LineSteps {
  const [first, end] = [Math.max(0, Math.floor(from * span)), Math.min(blank.length, Math.ceil(to * span))];
  return { blank: blank.slice(first, end), candidates: candidates.slice(first, end), span: (to - from) * span };
}

/** Probability of a character at a step at which it was not followed. */
const MIN_STEP_PROBABILITY = 1e-7;

/** Marks the key of a text that is over. */
const END = '\uFFFF';
