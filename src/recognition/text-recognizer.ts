import { type Network, openNetwork, type Values } from '../compute/inference.ts';
import { InputBuilder } from '../detectors/onnx/input.ts';
import type { Size } from '../geometry.ts';
import { getScripts } from '../language/tags.ts';
import { foldText } from '../language/text.ts';
import type { Crop } from '../regions/crop.ts';
import { anyText, type Constraint, spellingsConstraint } from './constraint.ts';
import { type Candidate, decodeLine, foldCase, type LineSteps } from './decode.ts';
import { loadTextModels } from './models.ts';

/** A line of text as the general reader read it. */
export interface TextReading {
  readonly text: string;
  /** Probability that the text is right, calibrated on rendered text; rounded to thousandths. */
  readonly confidence: number;
}

/** How readings are decoded. */
export interface RecognizerOptions {
  /** Which of the recogniser's characters can occur at all; default those of Latin script. */
  readonly allows?: (char: string) => boolean;
  /** Threads of the network, whose outputs do not depend on them; default 1. */
  readonly threads?: number | undefined;
}

const FILE = 'ch_PP-OCRv4_rec_infer.onnx';
/** The recogniser's input: height, and the step in which its width grows, so that few shapes occur. */
const HEIGHT = 48;
const WIDTH_STEP = 32;
const MIN_WIDTH = 96;
const MAX_WIDTH = 2048;
/** Crops that the network takes at once. */
const MAX_BATCH = 8;
/** Characters less probable than this at a step are not followed. */
const MIN_PROBABILITY = 1e-6;
/** Characters that are followed at a step. */
const MAX_CANDIDATES = 24;

/** Whether a character belongs to Latin script or is common to all: digits, punctuation, signs. */
function isLatin(char: string): boolean {
  return !/[^\p{sc=Latn}\p{sc=Zyyy}]/u.test(char);
}

/** Which of the recogniser's characters can occur in texts of some languages. */
export function charactersOf(languages: readonly string[]): (char: string) => boolean {
  const isChinese = languages.some((tag) => getScripts([tag]).some((script) => script.startsWith('Han')));
  return isChinese ? (char) => isLatin(char) || /\p{sc=Han}/u.test(char) : isLatin;
}

/**
 * Reads lines of text in fonts it has never seen, by a trained network (PP-OCRv4) that knows Latin letters without accents, digits,
 * signs and Chinese characters. A reading depends on its crop and constraint alone, not on the crops that are read with it: the
 * network runs on one thread, and what is decided from its outputs is rounded first.
 */
export class TextRecognizer implements Disposable {
  readonly #network: Network;
  /** By class: the character it stands for; '' for the blank, undefined for one that cannot occur. */
  readonly #classes: readonly (string | undefined)[];
  readonly #inputs = new Map<number, InputBuilder>();

  private constructor(network: Network, characters: readonly string[], allows: (char: string) => boolean) {
    this.#network = network;
    this.#classes = ['', ...characters.map((char) => (allows(foldCharacter(char)) ? foldCharacter(char) : undefined))];
  }

  /** @throws PlaybyplayError `no-text-models` or `runtime-missing` if a package is not installed. */
  static async open({ allows = isLatin, threads = 1 }: RecognizerOptions = {}): Promise<TextRecognizer> {
    const { recognizer, characters } = await loadTextModels();
    const network = await openNetwork(recognizer, { file: FILE, isTrusted: true, threads });
    return new TextRecognizer(network, characters, allows);
  }

  /**
   * Reads crops of one line each.
   *
   * @param crops Grey or RGB, cropped closely, light on dark or dark on light.
   * @param constraint What the lines can say, one for all or one each.
   * @returns By crop: the reading; undefined where nothing possible is read.
   */
  async read(
    crops: readonly Crop[],
    constraint: Constraint | readonly Constraint[],
  ): Promise<readonly (TextReading | undefined)[]> {
    const lines = await this.recognize(crops);
    return lines.map((line, n) => readLine(line, 'start' in constraint ? constraint : constraint[n]!));
  }

  /** Returns what the network sees in each crop. Crops of like width are run together. */
  async recognize(crops: readonly Crop[]): Promise<readonly LineSteps[]> {
    const lines: LineSteps[] = [];
    for (const [width, group] of Map.groupBy(crops.keys(), (n) => inputWidth(crops[n]!)))
      for (let from = 0; from < group.length; from += MAX_BATCH) {
        const part = group.slice(from, from + MAX_BATCH);
        const { values, fitted } = this.#input(width).make(part.map((n) => crops[n]!));
        const outputs = await this.#network.run({ x: values });
        const output = outputs.values().next().value!;
        for (const [i, n] of part.entries()) lines[n] = this.#stepsOf(output, i, fitted[i]!.width / width);
      }
    return lines;
  }

  #input(width: number): InputBuilder {
    let input = this.#inputs.get(width);
    if (!input) {
      const options = { width, channels: 'BGR', mean: 0.5, std: 0.5 } as const;
      const defaults = { fit: 'height', pad: 127.5, resample: 'linear' } as const;
      input = new InputBuilder(this.#network.model.inputs[0]!, options, defaults, FILE);
      this.#inputs.set(width, input);
    }
    return input;
  }

  /** The steps of batch item `item`, of which the crop covers `share`. */
  #stepsOf({ dims, data }: Values, item: number, share: number): LineSteps {
    const [, times = 0, count = 0] = dims;
    const used = Math.min(times, Math.ceil(times * share) + 1);
    const blank = new Float64Array(used);
    const candidates = Array.from({ length: used }, (_, t): Candidate[] => {
      const from = (item * times + t) * count;
      const byChar = new Map<string, number>();
      // Probabilities add up to 1: most steps are blanks, which come first, and leave nothing for any character.
      for (let i = 0, left = 1; i < count && left >= MIN_PROBABILITY; i++) {
        const p = data[from + i]!;
        if (p < MIN_PROBABILITY) continue;
        left -= p;
        const char = this.#classes[i];
        if (char === '') blank[t] = p;
        else if (char !== undefined) byChar.set(char, (byChar.get(char) ?? 0) + p);
      }
      return Array.from(byChar, ([char, probability]) => ({ char, probability }))
        .toSorted((a, b) => b.probability - a.probability)
        .slice(0, MAX_CANDIDATES);
    });
    return { blank, candidates, span: times * share };
  }

  [Symbol.dispose](): void {
    this.#network[Symbol.dispose]();
  }
}

/**
 * Decodes a line under a constraint; undefined where nothing possible is read, or nothing at all.
 *
 * @param valueOf What counts of a text, if not all of it: the confidence is that of the value, however the rest is read.
 */
export function readLine(
  line: LineSteps,
  constraint: Constraint,
  valueOf?: (text: string) => string,
): TextReading | undefined {
  const found = decodeLine(line, constraint, valueOf);
  if (!found || found.text.trim() === '') return undefined;
  return { text: found.text.trim(), confidence: calibrate(found.text.length, found.probability, found.share) };
}

/**
 * Decodes a line of a name, which is the same in capital and in small letters: in small capitals the network is unsure of the case of
 * each letter, and of none of the letters.
 */
export function readName(line: LineSteps): TextReading | undefined {
  const found = readLine(foldCase(line), anyText());
  if (!found) return undefined;
  const spelled = readLine(line, spellingsConstraint(found.text));
  if (!spelled) return found;
  const isSure = spelled.confidence >= MIN_CASE_SHARE * found.confidence;
  return { text: isSure ? spelled.text : asCapitals(spelled.text), confidence: found.confidence };
}

/** Decodes a line of any text; one of which the case of the letters alone is unsure, as in small capitals, as a name. */
export function readText(line: LineSteps): TextReading | undefined {
  const found = readLine(line, anyText());
  if (!found || found.confidence >= CERTAIN_TEXT || !/\p{L}/u.test(found.text)) return found;
  const name = readName(line);
  return name && name.confidence > found.confidence ? name : found;
}

/** Confidence of a text from which it is read as it is written. */
const CERTAIN_TEXT = 0.8;

/** Confidence of a spelling, compared with that of its letters, from which the case of each letter is sure. */
const MIN_CASE_SHARE = 0.6;

/** A text whose cases are unsure, in capitals if most of its letters are. */
function asCapitals(text: string): string {
  const [capitals, small] = [/\p{Lu}/gu, /\p{Ll}/gu].map((letter) => text.match(letter)?.length ?? 0) as [
    number,
    number,
  ];
  return capitals > small ? text.toUpperCase() : text;
}

/** The probability that a line is empty: that of a blank at the step that is most likely a character. */
export function emptiness({ blank }: LineSteps): number {
  return Math.round(1000 * blank.reduce((least, p) => Math.min(least, p), 1)) / 1000;
}

/** Turns the network's probabilities into the probability that a text is right. */
function calibrate(length: number, probability: number, share: number): number {
  const perCharacter = probability ** (1 / Math.max(1, length));
  return Math.round(1000 * Math.min(1, share * perCharacter)) / 1000;
}

/**
 * Width, in pixels, of what the network reads for a crop: its processor time grows with it, some 10 ms for 320 on one core. Grows in steps,
 * so that few shapes occur.
 */
export function inputWidth({ width, height }: Size): number {
  const wide = Math.ceil((HEIGHT * width) / Math.max(1, height));
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.ceil(wide / WIDTH_STEP) * WIDTH_STEP));
}

/** Maps the full-width, typographic and other forms of a character to its plain one. */
function foldCharacter(char: string): string {
  if (char.trim() === '') return ' ';
  const folded = foldText(char) || char;
  return PLAIN_FORMS[folded] ?? folded;
}

const PLAIN_FORMS: Readonly<Record<string, string>> = { '×': 'x', '∶': ':', 〇: '0', '●': '•', '∕': '/' };
