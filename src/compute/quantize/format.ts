import { toNestedArrays } from './kernel.ts';
import type { QuantizedKernel } from './quantize.ts';

/** Formats a quantized kernel as a JSON value, with mantissas and exponents nested like the kernel. */
export function formatKernelJson({ shape, mantissas, exponents, sum, report }: QuantizedKernel): unknown {
  const shared = new Set(exponents).size <= 1;
  return {
    shape,
    mantissas: toNestedArrays(shape, mantissas),
    ...(shared ? { exponent: exponents[0] } : { exponents: toNestedArrays(shape, exponents) }),
    sum,
    report,
  };
}

/** Formats a quantized kernel as C: an array of the smallest sufficient type, and a shift or an array of exponents. */
export function formatKernelC({ shape, mantissas, exponents, sum, report }: QuantizedKernel, name = 'kernel'): string {
  const type = report.mantissaBits <= 8 ? 'int8_t' : report.mantissaBits <= 16 ? 'int16_t' : 'int32_t';
  const dimensions = shape.map((length) => `[${length}]`).join('');
  const shared = new Set(exponents).size <= 1;
  const lines = [
    `/* coefficient = mantissa * 2^exponent; sum ${sum}, largest error ${report.maxError.toExponential(2)} */`,
  ];
  lines.push(`static const ${type} ${name}${dimensions} = ${braces(shape, mantissas)};`);
  if (shared)
    lines.push(`enum { ${name}_shift = ${-exponents[0]! || 0} }; /* divide the sum of products by 2^shift */`);
  else lines.push(`static const int16_t ${name}_exponents${dimensions} = ${braces(shape, exponents)};`);
  return `${lines.join('\n')}\n`;
}

function braces(shape: readonly number[], data: ArrayLike<number>): string {
  const build = (value: unknown, depth: number): string => {
    if (!Array.isArray(value)) return String(value);
    const items = value.map((item) => build(item, depth + 1));
    const innermost = depth === shape.length - 1;
    return innermost
      ? `{ ${items.join(', ')} }`
      : `{\n${items.map((item) => `${'  '.repeat(depth + 1)}${item}`).join(',\n')}\n${'  '.repeat(depth)}}`;
  };
  return build(toNestedArrays(shape, data), 0);
}

/** Formats a quantized kernel as text: coefficients, plane by plane, and the report. */
export function formatKernelTable(kernel: QuantizedKernel): string {
  const { shape, mantissas, exponents, sum, report } = kernel;
  const shared = new Set(exponents).size <= 1;
  const cells = Array.from(mantissas, (m, i) => (shared || m === 0 ? String(m) : `${m}·2^${exponents[i]}`));
  const width = Math.max(...cells.map((cell) => cell.length));
  const columns = shape.at(-1)!;
  const rows = shape.at(-2) ?? 1;
  const lines: string[] = [];
  for (let at = 0; at < cells.length; at += columns) {
    if (at > 0 && (at / columns) % rows === 0) lines.push('');
    lines.push(
      cells
        .slice(at, at + columns)
        .map((cell) => cell.padStart(width))
        .join('  '),
    );
  }
  const { target, sumError, maxError, rmsError, granularity } = report;
  lines.push('');
  if (shared) lines.push(`times 2^${exponents[0]}`);
  lines.push(`sum         ${sum} (target ${target}, error ${sumError}, granularity ${granularity})`);
  lines.push(`error       ${maxError.toExponential(3)} maximum, ${rmsError.toExponential(3)} RMS`);
  lines.push(
    `symmetry    ${report.symmetries.join(', ') || 'none'} (group of ${report.symmetryOrder}, ${report.classes} classes)`,
  );
  for (const { cells: members, steps } of report.forced) {
    lines.push(
      `forced      ${members.length === 1 ? 'coefficient' : 'coefficients'} ${members.join(', ')}: ${steps} steps from the nearest value`,
    );
  }
  if (report.response) {
    const { deviation, proven } = report.response;
    lines.push(`response    deviates by at most ${deviation.toExponential(3)}${proven ? ' (proven minimum)' : ''}`);
  }
  return `${lines.join('\n')}\n`;
}
