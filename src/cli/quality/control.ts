import { parseArgs } from 'node:util';
import { PlaybyplayError } from '../../errors.ts';
import { advise, type Advice } from '../../quality/control/advise.ts';
import { describeDecision } from '../../quality/control/controller.ts';
import { networks, type Network, scenarioOf } from '../../quality/control/scenario.ts';
import { describeSettings, type Preset, presets, type StreamSettings } from '../../quality/control/settings.ts';
import { simulate, startSettings, compareWithFixedSettings, type TrialRow } from '../../quality/control/simulation.ts';
import { scoreFiles } from '../../quality/score.ts';
import type { CommandIo } from '../command.ts';
import { positive, readScoreOptions, scoreOptions } from './options.ts';
import { complain } from './score.ts';

const adviseOptions = {
  ...scoreOptions,
  preset: { type: 'string' },
  down: { type: 'string' },
  up: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** `playbyplay quality advise <file>…` */
export async function runAdvise(args: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: adviseOptions, allowPositionals: true });
  if (positionals.length === 0)
    throw new PlaybyplayError('usage', 'which sessions?', { hint: 'Give logs of their frames.' });
  const scored = await scoreFiles(positionals, readScoreOptions(values, io.signal));
  const { info } = scored.at(-1)!;
  const settings: Partial<StreamSettings> = {
    fps: info.fps,
    ...(info.width !== undefined && { width: info.width }),
    ...(info.height !== undefined && { height: info.height }),
    ...(info.targetBitrate !== undefined && { bitrate: info.targetBitrate }),
    ...(values.preset !== undefined && { preset: presetOf(values.preset) }),
  };
  const advice = advise(
    scored.map(({ quality }) => quality),
    settings,
    {
      ...(values.down !== undefined && { down: positive('down', values.down)! }),
      ...(values.up !== undefined && { up: positive('up', values.up)! }),
    },
  );
  if (!advice) throw new PlaybyplayError('nothing-to-score', 'none of the sessions could be scored');
  io.stdout.write(values.json ? `${JSON.stringify({ ...advice, settings })}\n` : adviceText(advice));
  return complain(scored, io);
}

function presetOf(name: string): Preset {
  const preset = presets.find((one) => one === name);
  if (preset) return preset;
  throw new PlaybyplayError('usage', `--preset must be one of ${presets.join(', ')}`);
}

function adviceText(advice: Advice): string {
  const words = { down: 'Take less', up: 'Take more', stay: 'Leave it as it is' }[advice.direction];
  const steps = advice.steps.map(({ parameter, from, to, reason }) => `  ${parameter} ${from} → ${to}  (${reason})`);
  return `${[`${words}: ${advice.reason}.`, ...steps].join('\n')}\n`;
}

const simulateOptions = {
  seeds: { type: 'string' },
  first: { type: 'string' },
  minutes: { type: 'string' },
  network: { type: 'string' },
  seed: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** `playbyplay quality simulate` */
export async function runSimulate(args: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({ args, options: simulateOptions });
  const network = networks.find((one) => one === values.network);
  if (values.network !== undefined && !network) {
    throw new PlaybyplayError('usage', `--network must be one of ${networks.join(', ')}`);
  }
  const duration = 60 * (positive('minutes', values.minutes) ?? 3);
  if (values.seed !== undefined)
    return playOne(Math.round(positive('seed', values.seed)!), duration, network, values.json ?? false, io);
  const first = Math.round(positive('first', values.first) ?? 1);
  const count = Math.round(positive('seeds', values.seeds) ?? 10);
  const result = compareWithFixedSettings({
    seeds: Array.from({ length: count }, (_, i) => first + i),
    duration,
    network,
    signal: io.signal,
    onSeed: (seed) => {
      if (io.isTty) io.stderr.write(`\rscenario ${seed - first + 1} of ${count}`);
    },
  });
  if (io.isTty) io.stderr.write('\r\u001B[K');
  if (values.json) io.stdout.write(`${JSON.stringify(result)}\n`);
  else io.stdout.write(trialText(result.controller, result.fixed, count));
  return 0;
}

function trialText(controller: TrialRow, fixed: readonly TrialRow[], count: number): string {
  const line = ({ name, mean, behind, error, won, played }: TrialRow, own = false): string => {
    const against = own ? '' : `${behind >= 0 ? '+' : '−'}${Math.abs(behind).toFixed(1)} ± ${error.toFixed(1)}`;
    return `  ${name.padEnd(36)}${mean.toFixed(1).padStart(6)}${`${(100 * played).toFixed(0)} %`.padStart(9)}${against.padStart(16)}${own ? '' : `${won} of ${count}`.padStart(12)}`;
  };
  return `${[
    `  ${'settings'.padEnd(36)}  mean   played   controller is    better in`,
    line(controller, true),
    ...fixed.slice(0, 12).map((row) => line(row)),
    `  … and ${Math.max(0, fixed.length - 12)} more`,
  ].join('\n')}\n`;
}

/** One scenario with the controller, every decision said. */
function playOne(seed: number, duration: number, network: Network | undefined, json: boolean, io: CommandIo): number {
  const scenario = scenarioOf(seed, duration, network);
  const run = simulate(scenario, startSettings, { controller: true });
  const { decisions, outcome, played, quality, bitrate } = run;
  if (json) {
    io.stdout.write(
      `${JSON.stringify({ seed, network: scenario.network, outcome, played, bitrate, quality, decisions })}\n`,
    );
    return 0;
  }
  const lines = [
    `seed ${seed}: ${scenario.network}, ${scenario.oneWay.toFixed(0)} ms one way; begins with ${describeSettings(startSettings)}`,
    ...decisions.map((decision) => `  ${describeDecision(decision)}`),
    `outcome ${outcome.toFixed(1)}: picture ${quality.picture?.toFixed(1)}, stutter–latency ${quality.stutterLatency?.toFixed(1)}, ${(bitrate / 1e6).toFixed(1)} Mbit/s sent`,
  ];
  io.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}
