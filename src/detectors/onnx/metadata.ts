import { refused } from '../../compute/inference.ts';
import type { Model, ValueInfo } from '../../compute/tiling/model.ts';

/** A number and a text in quotation marks, as Python writes lists and dictionaries of texts. */
const ENTRY = /(?:(\d+)\s*:\s*)?(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/gs;

/**
 * The classes that a model's maker noted in it: `names`, as the YOLO family's exports have them, a list or numbers with
 * texts. Throws `model-refused` where there are none, or numbers are left out.
 */
export function labelsIn({ metadata }: Model, file: string): readonly string[] {
  const labels: string[] = [];
  for (const [, number, single, double] of (metadata?.get('names') ?? '').matchAll(ENTRY))
    labels[number === undefined ? labels.length : Number(number)] = unescaped(single ?? double!);
  if (labels.length === 0)
    throw refused(
      file,
      'it does not say what its classes are called',
      'List them as "labels", in the network’s order.',
    );
  // A hole is no text.
  if (labels.length > MOST_LABELS || Array.from(labels).includes(undefined!))
    throw refused(file, 'its “names” leave some classes out', 'List all as "labels", in the network’s order.');
  return labels;
}

const MOST_LABELS = 10_000;

/** The characters that a recogniser's maker noted in it: `character`, one a line. Throws `model-refused`. */
export function charactersIn({ metadata }: Model, file: string): readonly string[] {
  const found = metadata?.get('character') ?? metadata?.get('dictionary');
  if (found === undefined)
    throw refused(file, 'it does not say which characters it knows', 'Name the file of them as "dictionary".');
  const lines = found.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line === '' ? ' ' : line));
}

/** The size that a model of the YOLO family was exported for (`imgsz`: height, width), where its input leaves that open. */
export function sizeIn(
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
