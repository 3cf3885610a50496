import { readFileSync } from 'node:fs';
import { formatKernelC, formatKernelJson, formatKernelTable } from '../../compute/quantize/format.ts';
import type { Kernel, NestedNumbers } from '../../compute/quantize/kernel.ts';
import { exactSum, toKernel } from '../../compute/quantize/kernel.ts';
import type { QuantizedKernel, QuantizeOptions } from '../../compute/quantize/quantize.ts';
import { quantizeKernel, quantizeSeparable } from '../../compute/quantize/quantize.ts';
import type { SymmetryName } from '../../compute/quantize/symmetry.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { readInputText } from '../../files/input.ts';
import { rowsJson } from '../../schema/json-text.ts';
import type { RunCommand } from '../command.ts';
import { usageError } from '../options.ts';
import type * as specs from '../specs.ts';

const SYMMETRY_NAMES = ['horizontal', 'vertical', 'diagonal', 'point'] as const;

/** `playbyplay kernel quantize <kernel>` */
export const quantize: RunCommand<typeof specs.kernelQuantize> = (io, options, source) => {
  const settings: QuantizeOptions = {
    mantissaBits: options.bits,
    exponentBits: options['exponent-bits'],
    method: options.method,
    symmetry: parseSymmetry(options.symmetry),
  };
  const kernels = quantizeAxes(scaleToSum(readKernel(source), options.sum), settings, options.separate);
  io.stdout.write(formatKernels(kernels, options.json ? 'json' : options.format));
  return 0;
};

function scaleToSum(nested: NestedNumbers, sum: number | undefined): NestedNumbers | Kernel {
  if (sum === undefined) return nested;
  const { shape, data } = rejectInvalid(() => toKernel(nested));
  const own = exactSum(data);
  if (own === 0) throw usageError('a kernel whose sum is 0 cannot be scaled to another sum');
  return { shape, data: data.map((value) => (value * sum) / own) };
}

/** Reports a kernel that cannot be quantized as the user's mistake. */
function rejectInvalid<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new PlaybyplayError('invalid-kernel', `the kernel cannot be used: ${error.message}`, { cause: error });
  }
}

function quantizeAxes(
  nested: NestedNumbers | Kernel,
  settings: QuantizeOptions,
  separate: boolean,
): readonly QuantizedKernel[] {
  if (!separate) return [rejectInvalid(() => quantizeKernel(nested, settings))];
  const separated = rejectInvalid(() => quantizeSeparable(nested, settings));
  if (separated) return separated.factors;
  throw new PlaybyplayError('kernel-not-separable', 'the kernel is not a product of one-dimensional ones', {
    hint: 'Leave out --separate.',
  });
}

function formatKernels(kernels: readonly QuantizedKernel[], format: 'table' | 'c' | 'json'): string {
  if (format === 'json')
    return `${rowsJson(kernels.length === 1 ? formatKernelJson(kernels[0]!) : kernels.map(formatKernelJson))}\n`;
  if (format === 'c')
    return kernels
      .map((one, axis) => formatKernelC(one, kernels.length === 1 ? 'kernel' : `kernel_${axis}`))
      .join('\n');
  return kernels.map((one, axis) => (kernels.length === 1 ? '' : `axis ${axis}\n`) + formatKernelTable(one)).join('\n');
}

function readKernel(source: string): NestedNumbers {
  let text: string;
  const given = /^\s*[[{]/.test(source);
  const name = given ? 'The kernel' : source === '-' ? 'Standard input' : source;
  try {
    text = given ? source : source === '-' ? readFileSync(0, 'utf8') : readInputText(source, 'no-such-file');
  } catch (error) {
    if (error instanceof PlaybyplayError) throw error;
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

function parseSymmetry(text: string): 'auto' | 'none' | readonly SymmetryName[] {
  if (text === 'auto' || text === 'none') return text;
  return text.split(',').map((part) => {
    const name = SYMMETRY_NAMES.find((one) => one === part.trim());
    if (name === undefined)
      throw usageError(`--symmetry must be auto, none or some of ${SYMMETRY_NAMES.join(',')}, not "${part}"`);
    return name;
  });
}
