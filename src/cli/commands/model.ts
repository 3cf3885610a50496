import { basename } from 'node:path';
import { listInstructions } from '../../compute/tiling/compile.ts';
import { rangeLength } from '../../compute/tiling/layers.ts';
import { MAX_MODEL_BYTES } from '../../compute/onnx/checked-model.ts';
import { readModel } from '../../compute/tiling/model.ts';
import {
  comparePlan,
  type RunCost,
  formatBytes,
  planTiling,
  type TilingOptions,
  type TilingPlan,
} from '../../compute/tiling/plan.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { readInput } from '../../files/input.ts';
import type { RunCommand } from '../command.ts';
import type * as specs from '../specs.ts';

/** `playbyplay model plan <model.onnx>` */
export const planModel: RunCommand<typeof specs.modelPlan> = async (io, options, path) => {
  const { axis, tiles, recompute, instructions } = options;
  const plan = await planFile(path, {
    ...options.input,
    budget: options.budget,
    axis,
    tiles,
    keep: recompute ? 'none' : options['fetch-again'] ? 'features' : 'all',
  });
  if (options.json) io.stdout.write(`${JSON.stringify(toJson(plan, instructions), undefined, 2)}\n`);
  else io.stdout.write(formatPlan(basename(path), plan) + (instructions ? `\n${formatInstructions(plan)}` : ''));
  return 0;
};

/** Plans the network of a file. Errors name the file. */
async function planFile(path: string, tiling: TilingOptions): Promise<TilingPlan> {
  const bytes = await readModelFile(path);
  try {
    return planTiling(readModel(bytes), tiling);
  } catch (error) {
    if (!(error instanceof PlaybyplayError)) throw error;
    const { code, message, hint } = error;
    throw new PlaybyplayError(code, `${path}: ${message}`, { cause: error, hint });
  }
}

async function readModelFile(path: string): Promise<Uint8Array> {
  try {
    return await readInput(path, MAX_MODEL_BYTES, 'model-too-large');
  } catch (error) {
    if (error instanceof PlaybyplayError) throw error;
    throw new PlaybyplayError('no-such-file', `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

function toJson(plan: TilingPlan, withInstructions: boolean) {
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
        return { name: layer.name, ...describeLayer(layer, plan), kept: maxRetained(layer.outputs, passes) };
      }),
    })),
    ...(withInstructions ? { instructions: chains.map((chain) => listInstructions(chain.network, chain.passes)) } : {}),
  };
}

type FusedLayer = TilingPlan['network']['layers'][number];
type Passes = TilingPlan['chains'][number]['passes'];

function describeLayer({ layers, windows, inputs, outputs }: FusedLayer, { axis, network }: TilingPlan) {
  const window = windows.get(inputs[0]!)![axis];
  const { channels, height, width } = network.shapes.get(outputs[0]!)!;
  return { operators: layers.map(({ node }) => node.op), window, output: { channels, height, width } };
}

function maxRetained(maps: readonly string[], passes: Passes): number {
  return Math.max(0, ...passes.flatMap((pass) => maps.map((name) => rangeLength(pass.maps.get(name)!.keep))));
}

function maxComputed(layer: FusedLayer, passes: Passes): number {
  return Math.max(
    ...passes.flatMap(({ layers }) => layers.filter((one) => one.layer === layer).map(({ out }) => rangeLength(out))),
  );
}

function formatPlan(name: string, plan: TilingPlan): string {
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
      const { operators, window, output } = describeLayer(layer, plan);
      const over = window.upsample > 1 ? `up ${window.upsample}` : `${window.kernel}/${window.stride}`;
      const size = `${output.channels} × ${output.height} × ${output.width}`;
      const computed = String(maxComputed(layer, passes));
      return [layer.name, over, size, computed, String(maxRetained(layer.outputs, passes)), operators.join(' ')];
    });
    lines.push(
      alignColumns([['layer', 'kernel/stride', 'output', `${axis} per pass`, 'kept', 'operators'], ...rows]),
      '',
    );
  }
  if (betweenChains > 0) lines.push(`passed between chains, outside the budget: ${formatBytes(betweenChains)}`, '');
  if (network.remainder.length > 0)
    lines.push(`run untiled on the results: ${network.remainder.map(({ op }) => op).join(' ')}`, '');
  const { untiled: whole, recomputing, plan: ours, fetchingAgain } = comparePlan(plan);
  lines.push(
    alignColumns([
      ['', 'memory', `${axis} fetched`, 'multiply-adds, 10⁹', 'passes'],
      expenseCells('untiled', whole),
      expenseCells('tiles that recompute their overlap', recomputing),
      expenseCells('this plan, fetching the overlap of the image again', fetchingAgain),
      expenseCells('this plan', ours),
    ]),
  );
  return `${lines.join('\n')}\n`;
}

function expenseCells(title: string, of: RunCost | undefined): string[] {
  return of
    ? [title, formatBytes(of.memory), String(of.fetched), (of.macs / 1e9).toFixed(2), String(of.passes)]
    : [title, 'does not fit', '–', '–', '–'];
}

function formatInstructions(plan: TilingPlan): string {
  const rows = plan.chains
    .flatMap(({ network, passes }) => listInstructions(network, passes))
    .map(({ pass, op, layer, from, to }) => [String(pass), op, layer ?? '', from.join(' + '), '→', to.join(', ')]);
  return `${alignColumns([['pass', 'instruction', 'layer', 'from', '', 'to'], ...rows])}\n`;
}

function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')}`.trimEnd()).join('\n');
}
