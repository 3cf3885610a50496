import { refuseModel, type Values } from '../../compute/inference.ts';
import type { Observation } from '../kind.ts';
import { clamp, probabilities } from './classify.ts';
import type { ReadOptions } from './options.ts';

/** A line as a network saw it: probabilities of the blank and of the characters, step by step. */
export interface Steps {
  readonly steps: readonly Float64Array[];
  /** By class; the blank is ''. */
  readonly characters: readonly string[];
}

/** The characters of a dictionary file: one a line, in the order of the classes; an empty last line is none. */
export function parseDictionary(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line === '' ? ' ' : line));
}

/** The classes of a recogniser of `count` classes. Throws `model-refused` where the dictionary does not fit. */
function alphabet(dictionary: readonly string[], count: number, options: ReadOptions, file: string): string[] {
  const space = options.space ?? count === dictionary.length + 2;
  const characters = space ? [...dictionary, ' '] : [...dictionary];
  if (characters.length + 1 !== count)
    throw refuseModel(
      file,
      `it has ${count} characters including the blank, and the dictionary has ${dictionary.length}${space ? ' and the space' : ''}`,
      'The dictionary must be the one that the model was trained with.',
    );
  return options.blank === 'last' ? [...characters, ''] : ['', ...characters];
}

/** The steps of item `n` of a batch. */
export function toSteps(
  { dims, data }: Values,
  n: number,
  dictionary: readonly string[],
  options: ReadOptions,
  file: string,
): Steps {
  if (dims.length !== 3)
    throw refuseModel(file, `its output has ${dims.length} dimensions; a line of characters has 3`);
  const timeFirst = options.timeFirst ?? (dims[1] === 1 && dims[0]! > 1);
  const [times, batch, count] = timeFirst ? [dims[0]!, dims[1]!, dims[2]!] : [dims[1]!, dims[0]!, dims[2]!];
  const characters = alphabet(dictionary, count, options, file);
  const allowed = options.charset;
  const steps = Array.from({ length: times }, (_, t) => {
    const from = (timeFirst ? t * batch + n : n * times + t) * count;
    const p = probabilities(data, from, count, options.activation ?? 'none', options.temperature);
    if (allowed === undefined) return p;
    let sum = 0;
    for (let i = 0; i < count; i++) {
      if (characters[i] !== '' && !allowed.includes(characters[i]!)) p[i] = 0;
      sum += p[i]!;
    }
    return sum > 0 ? p.map((each) => each / sum) : p;
  });
  return { steps, characters };
}

/** The best class at each step, repeats and blanks taken out; indices of classes. */
export function greedy({ steps, characters }: Steps): number[] {
  const blank = characters.indexOf('');
  const out: number[] = [];
  let before = blank;
  for (const p of steps) {
    let best = 0;
    for (let i = 1; i < p.length; i++) if (p[i]! > p[best]!) best = i;
    if (best !== blank && best !== before) out.push(best);
    before = best;
  }
  return out;
}

interface Beam {
  readonly text: readonly number[];
  /** Probability of all ways to write it that end in a blank, and in its last character. */
  blank: number;
  last: number;
}

/** Classes less likely than this at a step begin no new reading. */
const MIN_STEP_PROBABILITY = 1e-4;

/** Prefix beam search: the text whose ways of being written are likeliest together. */
export function beamSearch({ steps, characters }: Steps, width: number): number[] {
  const blank = characters.indexOf('');
  let beams: Beam[] = [{ text: [], blank: 1, last: 0 }];
  for (const p of steps) {
    const next = new Map<string, Beam>();
    const at = (text: readonly number[]): Beam => {
      const key = text.join(' ');
      let beam = next.get(key);
      if (!beam) next.set(key, (beam = { text, blank: 0, last: 0 }));
      return beam;
    };
    for (const beam of beams) {
      const end = beam.text.at(-1);
      const stay = at(beam.text);
      stay.blank += (beam.blank + beam.last) * p[blank]!;
      if (end !== undefined) stay.last += beam.last * p[end]!;
      for (let i = 0; i < p.length; i++) {
        if (i === blank || p[i]! < MIN_STEP_PROBABILITY) continue;
        at([...beam.text, i]).last += (i === end ? beam.blank : beam.blank + beam.last) * p[i]!;
      }
    }
    const sum = [...next.values()].reduce((total, beam) => total + beam.blank + beam.last, 0);
    beams = [...next.values()].toSorted((a, b) => b.blank + b.last - a.blank - a.last).slice(0, width);
    // Probabilities of long lines would run out of numbers.
    for (const beam of beams) {
      beam.blank /= sum;
      beam.last /= sum;
    }
  }
  return [...beams[0]!.text];
}

/** The probability that the line is `text`: all ways of writing it combineRegions (the forward recursion of CTC), 0…1. */
export function lineProbability(text: readonly number[], { steps, characters }: Steps): number {
  const blank = characters.indexOf('');
  const states = [blank, ...text.flatMap((one) => [one, blank])];
  let alpha: readonly number[] = states.map(() => 0);
  let scale = 0;
  for (const [t, p] of steps.entries()) {
    alpha = states.map((state, s) => {
      if (t === 0) return s <= 1 ? p[state]! : 0;
      const skip = s > 1 && state !== blank && state !== states[s - 2] ? alpha[s - 2]! : 0;
      return (alpha[s]! + (s > 0 ? alpha[s - 1]! : 0) + skip) * p[state]!;
    });
    const sum = alpha.reduce((total, each) => total + each, 0);
    if (sum === 0) return 0;
    scale += Math.log(sum);
    alpha = alpha.map((each) => each / sum);
  }
  return Math.exp(scale + Math.log(alpha.at(-1)! + (states.length > 1 ? alpha.at(-2)! : 0) || 1e-300));
}

/** The line that a recogniser saw. */
export function readLine(line: Steps, options: ReadOptions): Observation {
  const { beams = 1, threshold = 0.5, value: form = 'text', confidence: per = 'line' } = options;
  const found = beams > 1 ? beamSearch(line, beams) : greedy(line);
  const confidence = clamp(lineProbability(found, line) ** (per === 'line' ? 1 : 1 / Math.max(1, found.length)));
  const text = found
    .map((i) => line.characters[i]!)
    .join('')
    .trim();
  if (text === '') return { state: confidence < threshold ? 'unreadable' : 'absent', confidence };
  if (confidence < threshold) return { state: 'unreadable', confidence, detail: text };
  if (form === 'text') return { state: 'seen', value: text, confidence };
  const number = Number(text);
  return Number.isFinite(number)
    ? { state: 'seen', value: number, confidence }
    : { state: 'unreadable', confidence, detail: text };
}
