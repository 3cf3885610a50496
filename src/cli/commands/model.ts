import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { compare, type Expense } from '../../compute/tiling/compare.ts';
import { listing } from '../../compute/tiling/listing.ts';
import { readModel } from '../../compute/tiling/onnx.ts';
import { inMiB, planTiling, type TilingOptions, type TilingPlan } from '../../compute/tiling/plan.ts';
import type { Axis } from '../../compute/tiling/units.ts';
import { length } from '../../compute/tiling/window.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { Command } from '../command.ts';

const help = `playbyplay model plan <model.onnx> --input <width>x<height> --budget <size> [options]

Plans how a network runs on a picture within a budget of memory: in passes over strips of the picture, each layer
computing new rows only, what the next pass needs kept in an auxiliary buffer. Prints the plan and what it saves.
In a profile, the onnx detector's memoryBudget does this.

  --input <w>x<h>      size of the picture in pixels
  --budget <size>      bytes for features and weights: 16MiB, 500KiB, 1000000
  --axis <name>        cut along rows or columns (default: whichever is cheaper)
  --step <n>           rows (columns) of the picture per pass (default: as many as fit)
  --tiles <n>          the result in that many even tiles, one a pass, instead
  --recompute          with --tiles: nothing is kept between tiles, for comparison
  --fetch-again        fetch the picture's own overlap again instead of keeping it
  --instructions       list what is done pass by pass
  --json               everything as JSON

Examples:
  playbyplay model plan detector.onnx --input 1920x1080 --budget 16MiB
  playbyplay model plan detector.onnx --input 3840x2160 --budget 64MiB --json
`;

const options = {
  input: { type: 'string' },
  budget: { type: 'string' },
  axis: { type: 'string' },
  step: { type: 'string' },
  tiles: { type: 'string' },
  recompute: { type: 'boolean' },
  'fetch-again': { type: 'boolean' },
  instructions: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export const model: Command = {
  name: 'model',
  summary: 'plan how a network runs within a budget of memory',
  help,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (values.recompute && values.tiles === undefined) throw new PlaybyplayError('usage', '--recompute needs --tiles');
    const [verb, path, ...rest] = positionals;
    if (verb !== 'plan')
      throw new PlaybyplayError('usage', `“${verb ?? ''}” is not something to do with a model`, {
        hint: 'Write playbyplay model plan …',
      });
    if (path === undefined || rest.length > 0) throw new PlaybyplayError('usage', 'give one model');
    const plan = await planned(path, {
      ...sizeOf(values.input),
      budget: bytesIn(values.budget),
      ...(values.axis === undefined ? {} : { axis: axisOf(values.axis) }),
      ...(values.step === undefined ? {} : { step: countOf('--step', values.step) }),
      ...(values.tiles === undefined ? {} : { tiles: countOf('--tiles', values.tiles) }),
      recompute: values.recompute === true,
      keepInput: values['fetch-again'] !== true,
    });
    if (values.json) io.stdout.write(`${JSON.stringify(jsonOf(plan, values.instructions === true), undefined, 2)}\n`);
    else io.stdout.write(tableOf(basename(path), plan) + (values.instructions ? `\n${instructionsOf(plan)}` : ''));
    return 0;
  },
};

/** Plans a file's network; what is wrong is said of the file. */
async function planned(path: string, tiling: TilingOptions): Promise<TilingPlan> {
  const bytes = await bytesOf(path);
  try {
    return planTiling(readModel(bytes), tiling);
  } catch (error) {
    if (!(error instanceof PlaybyplayError)) throw error;
    const { code, message, hint } = error;
    throw new PlaybyplayError(code, `${path}: ${message}`, { cause: error, ...(hint === undefined ? {} : { hint }) });
  }
}

async function bytesOf(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new PlaybyplayError('no-such-file', `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

function sizeOf(text: string | undefined): { width: number; height: number } {
  const [, width, height] = /^([1-9]\d{0,4})[x×]([1-9]\d{0,4})$/.exec(text ?? '') ?? [];
  if (width === undefined || height === undefined)
    throw new PlaybyplayError('usage', text === undefined ? '--input is missing' : `--input ${text} is not a size`, {
      hint: 'Write --input 1920x1080.',
    });
  return { width: Number(width), height: Number(height) };
}

const UNITS = new Map([
  ['', 1],
  ['b', 1],
  ...['k', 'm', 'g'].flatMap((letter, i): [string, number][] => [
    [letter, 1024 ** (i + 1)],
    [`${letter}ib`, 1024 ** (i + 1)],
    [`${letter}b`, 1000 ** (i + 1)],
  ]),
] as const);

function bytesIn(text: string | undefined): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text ?? '') ?? [];
  const factor = UNITS.get(unit?.toLowerCase() ?? '?');
  if (number === undefined || factor === undefined)
    throw new PlaybyplayError('usage', text === undefined ? '--budget is missing' : `--budget ${text} is not a size`, {
      hint: 'Write --budget 16MiB.',
    });
  return Math.floor(Number(number) * factor);
}

function axisOf(text: string): Axis {
  if (text === 'rows' || text === 'columns') return text;
  throw new PlaybyplayError('usage', `--axis ${text} is neither rows nor columns`);
}

function countOf(option: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new PlaybyplayError('usage', `${option} must be a whole number above 0, not ${text}`);
  return count;
}

function jsonOf(plan: TilingPlan, withInstructions: boolean) {
  const { axis, budget, memory, weights, between, untiled, chains, analysis } = plan;
  return {
    axis,
    budget,
    memory,
    weights,
    between,
    untiled,
    rest: analysis.rest.map(({ op }) => op),
    comparison: compare(plan),
    chains: chains.map(({ analysis: { units, sources, results }, step, passes, main, aux }) => ({
      step,
      passes: passes.length,
      main,
      aux,
      sources,
      results,
      units: units.map((unit) => ({ name: unit.name, ...layerOf(unit, plan), kept: mostKept(unit.outputs, passes) })),
    })),
    ...(withInstructions ? { instructions: chains.map(({ analysis: part, passes }) => listing(part, passes)) } : {}),
  };
}

type Unit = TilingPlan['analysis']['units'][number];

function layerOf({ operators, windows, inputs, outputs }: Unit, { axis, analysis }: TilingPlan) {
  const { kernel, stride, before, after, up } = windows.get(inputs[0]!)![axis];
  const { channels, height, width } = analysis.shapes.get(outputs[0]!)!;
  return {
    operators: operators.map(({ node }) => node.op),
    window: { kernel, stride, before, after, up },
    output: { channels, height, width },
  };
}

function mostKept(maps: readonly string[], passes: TilingPlan['chains'][number]['passes']): number {
  return Math.max(0, ...passes.flatMap((pass) => maps.map((name) => length(pass.maps.get(name)?.keep ?? NONE))));
}

const NONE = { from: 0, to: 0 };

function tableOf(name: string, plan: TilingPlan): string {
  const { axis, chains, analysis, weights, memory, between, untiled, budget } = plan;
  const shape = analysis.shapes.get(analysis.sources[0]!)!;
  const lines = [
    `${name} on ${shape.width} × ${shape.height} within ${inMiB(budget)}: ${inMiB(memory)}, untiled ${inMiB(untiled)} (${(untiled / memory).toFixed(1)} times as much)`,
    '',
  ];
  for (const [i, { analysis: part, step, tiles, passes, main, aux }] of chains.entries()) {
    lines.push(
      `chain ${i + 1}: ${passes.length} passes of ${tiles ? 'a tile' : `${step} ${axis}`}; main buffer ${inMiB(main)}, auxiliary ${inMiB(aux)}, weights ${inMiB(weights)}`,
    );
    const rows = part.units.map((unit) => {
      const { operators, window, output } = layerOf(unit, plan);
      const made = Math.max(
        ...passes.flatMap(({ units }) => units.filter((p) => p.unit === unit).map((p) => length(p.out))),
      );
      const over = window.up > 1 ? `up ${window.up}` : `${window.kernel}/${window.stride}`;
      const size = `${output.channels} × ${output.height} × ${output.width}`;
      return [unit.name, over, size, String(made), String(mostKept(unit.outputs, passes)), operators.join(' ')];
    });
    lines.push(aligned([['unit', 'kernel/stride', 'output', `${axis} a pass`, 'kept', 'operators'], ...rows]), '');
  }
  if (between > 0) lines.push(`handed from chain to chain, outside the budget: ${inMiB(between)}`, '');
  if (analysis.rest.length > 0)
    lines.push(`executed at once behind it: ${analysis.rest.map(({ op }) => op).join(' ')}`, '');
  const { untiled: whole, recomputing, plan: ours, fetchingAgain } = compare(plan);
  lines.push(
    aligned([
      ['', 'memory', `${axis} fetched`, 'multiply-adds, 10⁹', 'passes'],
      cells('untiled', whole),
      cells('tiles that recompute their overlap', recomputing),
      cells('this, fetching the overlap of the picture again', fetchingAgain),
      cells('this', ours),
    ]),
  );
  return `${lines.join('\n')}\n`;
}

function cells(title: string, of: Expense | undefined): string[] {
  return of
    ? [title, inMiB(of.memory), String(of.fetched), (of.macs / 1e9).toFixed(2), String(of.passes)]
    : [title, 'does not fit', '–', '–', '–'];
}

function instructionsOf(plan: TilingPlan): string {
  const rows = plan.chains
    .flatMap(({ analysis, passes }) => listing(analysis, passes))
    .map(({ pass, op, unit, from, to }) => [String(pass), op, unit ?? '', from.join(' + '), '→', to.join(', ')]);
  return `${aligned([['pass', 'instruction', 'unit', 'from', '', 'to'], ...rows])}\n`;
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')}`.trimEnd()).join('\n');
}
