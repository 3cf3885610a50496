import { refuseModel } from '../../compute/inference.ts';
import type { Model, ValueInfo } from '../../compute/tiling/model.ts';

/** An optional key and a quoted string, as in Python's notation of lists and dictionaries. */
const ENTRY = /(?:(\d+)\s*:\s*)?(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/gs;

/**
 * Reads class names from the metadata `names` of YOLO exports: a list, or a dictionary of numbers.
 *
 * @throws PlaybyplayError `model-refused` if there are none or numbers are missing.
 */
export function readLabels({ metadata }: Model, file: string): readonly string[] {
  const labels: string[] = [];
  for (const [, number, single, double] of (metadata?.get('names') ?? '').matchAll(ENTRY))
    labels[number === undefined ? labels.length : Number(number)] = unescaped(single ?? double!);
  if (labels.length === 0)
    throw refuseModel(
      file,
      'it does not say what its classes are called',
      'List them as "labels", in the network’s order.',
    );
  if (labels.length > MAX_LABELS || Array.from(labels).includes(undefined!))
    throw refuseModel(file, 'its “names” leave some classes out', 'List all as "labels", in the network’s order.');
  return labels;
}

const MAX_LABELS = 10_000;

/** Reads a text recognizer's characters from its metadata, one per line. @throws PlaybyplayError `model-refused`. */
export function readCharacters({ metadata }: Model, file: string): readonly string[] {
  const found = metadata?.get('character') ?? metadata?.get('dictionary');
  if (found === undefined)
    throw refuseModel(file, 'it does not say which characters it knows', 'Name the file of them as "dictionary".');
  const lines = found.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line === '' ? ' ' : line));
}

/** Reads the size of a YOLO export (`imgsz`: height, width) if its input leaves it open. */
export function readExportSize(
  { metadata }: Model,
  { dims }: ValueInfo,
): { readonly width?: number; readonly height?: number } {
  const [height, width] = [...(metadata?.get('imgsz') ?? '').matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const open = dims.length === 4 && typeof dims[2] !== 'number' && typeof dims[3] !== 'number';
  return open && height && width ? { width, height } : {};
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, '$1');
}
