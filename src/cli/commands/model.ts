import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { listInstructions } from '../../compute/tiling/compile.ts';
import { type Axis, rangeLength } from '../../compute/tiling/layers.ts';
import { readModel } from '../../compute/tiling/model.ts';
import {
  comparePlan,
  type Expense,
  formatBytes,
  planTiling,
  type TilingOptions,
  type TilingPlan,
} from '../../compute/tiling/plan.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { Command } from '../command.ts';

const help = `playbyplay model plan <model.onnx> --input <width>x<height> --budget <size> [options]

Plans how a network runs on an image within a memory budget: the image is cut into tiles, every layer computes only new
rows of a tile, and rows that the next tile needs are kept in an auxiliary buffer. Prints the plan and what it saves.
In a profile, the option memoryBudget of an onnx detector does this.

  --input <w>x<h>      size of the image in pixels
  --budget <size>      memory for features and weights: 16MiB, 500KiB, 1000000
  --axis <name>        cut along rows or columns (default: whichever is cheaper)
  --tiles <n>          number of even tiles of the result (default: as few as fit the budget)
  --fetch-again        fetch the overlap of the image again for every tile instead of keeping it
  --recompute          keep nothing: fetch and compute the overlap again for every tile, for comparison
  --instructions       list the instructions of every pass
  --json               print everything as JSON

Examples:
  playbyplay model plan detector.onnx --input 1920x1080 --budget 16MiB
  playbyplay model plan detector.onnx --input 3840x2160 --budget 64MiB --json
`;

const options = {
  input: { type: 'string' },
  budget: { type: 'string' },
  axis: { type: 'string' },
  tiles: { type: 'string' },
  'fetch-again': { type: 'boolean' },
  recompute: { type: 'boolean' },
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
      ...(values.tiles === undefined ? {} : { tiles: countOf('--tiles', values.tiles) }),
      keep: values.recompute ? 'none' : values['fetch-again'] ? 'features' : 'all',
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
  const { axis, budget, memory, weights, betweenChains, untiled, chains, network } = plan;
  return {
    axis,
    budget,
    memory,
    weights,
    betweenChains,
    untiled,
    remainder: network.remainder.map(({ op }) => op),
    comparison: comparePlan(plan),
    chains: chains.map(({ network: { layers, sources, results }, passes, main, aux }) => ({
      passes: passes.length,
      main,
      aux,
      sources,
      results,
      layers: layers.map((layer) => {
        return { name: layer.name, ...describe(layer, plan), kept: mostKept(layer.outputs, passes) };
      }),
    })),
    ...(withInstructions ? { instructions: chains.map((chain) => listInstructions(chain.network, chain.passes)) } : {}),
  };
}

type FusedLayer = TilingPlan['network']['layers'][number];
type Passes = TilingPlan['chains'][number]['passes'];

function describe({ layers, windows, inputs, outputs }: FusedLayer, { axis, network }: TilingPlan) {
  const window = windows.get(inputs[0]!)![axis];
  const { channels, height, width } = network.shapes.get(outputs[0]!)!;
  return { operators: layers.map(({ node }) => node.op), window, output: { channels, height, width } };
}

function mostKept(maps: readonly string[], passes: Passes): number {
  return Math.max(0, ...passes.flatMap((pass) => maps.map((name) => rangeLength(pass.maps.get(name)!.keep))));
}

function mostComputed(layer: FusedLayer, passes: Passes): number {
  return Math.max(
    ...passes.flatMap(({ layers }) => layers.filter((one) => one.layer === layer).map(({ out }) => rangeLength(out))),
  );
}

function tableOf(name: string, plan: TilingPlan): string {
  const { axis, chains, network, weights, memory, betweenChains, untiled, budget } = plan;
  const shape = network.shapes.get(network.sources[0]!)!;
  const lines = [
    `${name} on ${shape.width} × ${shape.height} within ${formatBytes(budget)}: ${formatBytes(memory)}, untiled ${formatBytes(untiled)} (${(untiled / memory).toFixed(1)} times as much)`,
    '',
  ];
  for (const [i, { network: part, passes, main, aux }] of chains.entries()) {
    lines.push(
      `chain ${i + 1}: ${passes.length} passes over ${axis}; main buffer ${formatBytes(main)}, auxiliary ${formatBytes(aux)}, weights ${formatBytes(weights)}`,
    );
    const rows = part.layers.map((layer) => {
      const { operators, window, output } = describe(layer, plan);
      const over = window.upsample > 1 ? `up ${window.upsample}` : `${window.kernel}/${window.stride}`;
      const size = `${output.channels} × ${output.height} × ${output.width}`;
      const computed = String(mostComputed(layer, passes));
      return [layer.name, over, size, computed, String(mostKept(layer.outputs, passes)), operators.join(' ')];
    });
    lines.push(aligned([['layer', 'kernel/stride', 'output', `${axis} per pass`, 'kept', 'operators'], ...rows]), '');
  }
  if (betweenChains > 0)
    lines.push(`handed from chain to chain, outside the budget: ${formatBytes(betweenChains)}`, '');
  if (network.remainder.length > 0)
    lines.push(`run untiled on the results: ${network.remainder.map(({ op }) => op).join(' ')}`, '');
  const { untiled: whole, recomputing, plan: ours, fetchingAgain } = comparePlan(plan);
  lines.push(
    aligned([
      ['', 'memory', `${axis} fetched`, 'multiply-adds, 10⁹', 'passes'],
      cells('untiled', whole),
      cells('tiles that recompute their overlap', recomputing),
      cells('this plan, fetching the overlap of the image again', fetchingAgain),
      cells('this plan', ours),
    ]),
  );
  return `${lines.join('\n')}\n`;
}

function cells(title: string, of: Expense | undefined): string[] {
  return of
    ? [title, formatBytes(of.memory), String(of.fetched), (of.macs / 1e9).toFixed(2), String(of.passes)]
    : [title, 'does not fit', '–', '–', '–'];
}

function instructionsOf(plan: TilingPlan): string {
  const rows = plan.chains
    .flatMap(({ network, passes }) => listInstructions(network, passes))
    .map(({ pass, op, layer, from, to }) => [String(pass), op, layer ?? '', from.join(' + '), '→', to.join(', ')]);
  return `${aligned([['pass', 'instruction', 'layer', 'from', '', 'to'], ...rows])}\n`;
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')}`.trimEnd()).join('\n');
}
