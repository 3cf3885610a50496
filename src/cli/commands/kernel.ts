import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { toC, toJson, toTable } from '../../compute/quantize/format.ts';
import type { Kernel, NestedNumbers } from '../../compute/quantize/kernel.ts';
import { exactSum, toKernel } from '../../compute/quantize/kernel.ts';
import type { QuantizedKernel, QuantizeOptions } from '../../compute/quantize/quantize.ts';
import { quantizeKernel } from '../../compute/quantize/quantize.ts';
import { quantizeSeparable } from '../../compute/quantize/quantize.ts';
import type { SymmetryName } from '../../compute/quantize/symmetry.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { Command } from '../command.ts';

const methods = ['exact', 'frequency', 'source', 'nearest'] as const;
const formats = ['table', 'c', 'json'] as const;
const symmetryNames = ['horizontal', 'vertical', 'diagonal', 'point'] as const;

const help = `playbyplay kernel quantize <json> [options]

Converts a filter kernel to fixed point so that the sum of its coefficients is kept: a flat picture keeps its level.
<json> is a file, - for standard input, or the kernel itself: numbers in arrays of arrays, one level per dimension.

  --bits <n>           bits of a signed coefficient, 2 to 32 (default 8)
  --exponent-bits <n>  bits of each coefficient's own exponent (default 0: one exponent, so integers and a shift)
  --method <name>      exact (default), frequency (least deviation of the frequency response),
                       source (the published greedy pass), nearest (each coefficient by itself)
  --symmetry <names>   auto (default), none, or some of horizontal,vertical,diagonal,point
  --sum <number>       scale the kernel to this sum first (default: keep its own)
  --separate           one kernel per axis, if the kernel is their product
  --format <name>      table (default), c, json
  --json               the same as --format json

Examples:
  playbyplay kernel quantize '[[1,2,1],[2,4,2],[1,2,1]]' --sum 1
  playbyplay kernel quantize gaussian.json --bits 8 --format c
  playbyplay kernel quantize gaussian.json --bits 12 --separate --json
`;

const options = {
  bits: { type: 'string', default: '8' },
  'exponent-bits': { type: 'string', default: '0' },
  method: { type: 'string', default: 'exact' },
  symmetry: { type: 'string', default: 'auto' },
  sum: { type: 'string' },
  separate: { type: 'boolean' },
  format: { type: 'string', default: 'table' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export const kernel: Command = {
  name: 'kernel',
  summary: 'convert a filter kernel to fixed point, keeping its sum',
  help,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (values.help) {
      io.stdout.write(help);
      return 0;
    }
    const [verb, source, ...rest] = positionals;
    if (verb !== 'quantize')
      throw new PlaybyplayError('usage', `“${verb ?? ''}” is not something to do with a kernel`, {
        hint: 'Write playbyplay kernel quantize …',
      });
    if (source === undefined || rest.length > 0)
      throw new PlaybyplayError('usage', 'give one kernel: a file, - or JSON');
    const format = oneOf(values.json ? 'json' : values.format, formats, '--format');
    const quantizeOptions: QuantizeOptions = {
      mantissaBits: numberOf(values.bits, '--bits', 2, 32),
      exponentBits: numberOf(values['exponent-bits'], '--exponent-bits', 0, 8),
      method: oneOf(values.method, methods, '--method'),
      symmetry: symmetryOf(values.symmetry),
    };
    const kernels = quantized(scaled(read(source), values.sum), quantizeOptions, values.separate === true);
    io.stdout.write(write(kernels, format));
    return 0;
  },
};

/** The kernel times what brings its sum to the wanted one. */
function scaled(nested: NestedNumbers, wanted: string | undefined): NestedNumbers | Kernel {
  if (wanted === undefined) return nested;
  const sum = Number(wanted);
  if (!Number.isFinite(sum)) throw new PlaybyplayError('usage', `--sum ${wanted} is not a number`);
  const { shape, data } = usable(() => toKernel(nested));
  const own = exactSum(data);
  if (own === 0) throw new PlaybyplayError('usage', 'a kernel that sums to 0 cannot be scaled to another sum');
  return { shape, data: data.map((value) => (value * sum) / own) };
}

/** A kernel that cannot be used is a person's mistake, not the program's. */
function usable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new PlaybyplayError('invalid-kernel', `the kernel cannot be used: ${error.message}`, { cause: error });
  }
}

function quantized(
  nested: NestedNumbers | Kernel,
  settings: QuantizeOptions,
  separate: boolean,
): readonly QuantizedKernel[] {
  if (!separate) return [usable(() => quantizeKernel(nested, settings))];
  const separated = usable(() => quantizeSeparable(nested, settings));
  if (separated) return separated.factors;
  throw new PlaybyplayError('kernel-not-separable', 'the kernel is not a product of one-dimensional ones', {
    hint: 'Leave out --separate.',
  });
}

function write(kernels: readonly QuantizedKernel[], format: (typeof formats)[number]): string {
  if (format === 'json')
    return `${JSON.stringify(kernels.length === 1 ? toJson(kernels[0]!) : kernels.map(toJson), undefined, 2)}\n`;
  if (format === 'c')
    return kernels.map((one, axis) => toC(one, kernels.length === 1 ? 'kernel' : `kernel_${axis}`)).join('\n');
  return kernels.map((one, axis) => (kernels.length === 1 ? '' : `axis ${axis}\n`) + toTable(one)).join('\n');
}

function read(source: string): NestedNumbers {
  let text: string;
  const given = /^\s*[[{]/.test(source);
  const name = given ? 'The kernel' : source === '-' ? 'Standard input' : source;
  try {
    text = given ? source : readFileSync(source === '-' ? 0 : source, 'utf8');
  } catch (error) {
    throw new PlaybyplayError('no-such-file', `cannot read ${source}: ${messageOf(error)}`, { cause: error });
  }
  try {
    const value: unknown = JSON.parse(text);
    const nested = Array.isArray(value) ? value : (value as { kernel?: unknown } | null)?.kernel;
    if (Array.isArray(nested)) return nested as NestedNumbers;
  } catch (error) {
    throw new PlaybyplayError('invalid-kernel', `${name} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  throw new PlaybyplayError('invalid-kernel', `${name} must be an array of numbers, or arrays of arrays`, {
    hint: 'For example [[1, 2, 1], [2, 4, 2], [1, 2, 1]].',
  });
}

function numberOf(text: string, option: string, least: number, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new PlaybyplayError('usage', `${option} must be a whole number from ${least} to ${most}, not ${text}`);
  return value;
}

function oneOf<T extends string>(value: string, allowed: readonly T[], option: string): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new PlaybyplayError('usage', `${option} ${value} is none of ${allowed.join(', ')}`);
  return found;
}

function symmetryOf(text: string): 'auto' | 'none' | readonly SymmetryName[] {
  if (text === 'auto' || text === 'none') return text;
  return text.split(',').map((name) => oneOf(name.trim(), symmetryNames, '--symmetry'));
}
