import { PlaybyplayError } from '../../errors.ts';
import { type Advice, advise } from '../../quality/control/advise.ts';
import { describeDecision } from '../../quality/control/controller.ts';
import {
  compareWithFixedSettings,
  makeScenario,
  type Network,
  simulate,
  startSettings,
  type TrialRow,
} from '../../quality/control/simulation.ts';
import { describeSettings, type StreamSettings } from '../../quality/control/settings.ts';
import { scoreFiles } from '../../quality/score.ts';
import type { CommandIo, RunCommand } from '../command.ts';
import { ProgressBar } from '../progress.ts';
import { reportIssues, scorerOptions } from '../session-files.ts';
import type * as specs from '../specs.ts';

/** `playbyplay quality advise <file>…` */
export const adviseSettings: RunCommand<typeof specs.qualityAdvise> = async (io, options, ...paths) => {
  const { preset, down, up } = options;
  const scored = await scoreFiles(paths, scorerOptions(options, io.signal));
  const { info } = scored.at(-1)!;
  const settings: Partial<StreamSettings> = {
    fps: info.fps,
    ...(info.width !== undefined && { width: info.width }),
    ...(info.height !== undefined && { height: info.height }),
    ...(info.targetBitrate !== undefined && { bitrate: info.targetBitrate }),
    ...(preset !== undefined && { preset }),
  };
  const sessions = scored.map(({ quality }) => quality);
  const advice = advise(sessions, settings, { down, up });
  if (!advice) throw new PlaybyplayError('nothing-to-score', 'none of the sessions could be scored');
  io.stdout.write(options.json ? `${JSON.stringify({ ...advice, settings })}\n` : formatAdvice(advice));
  return reportIssues(scored, io);
};

function formatAdvice(advice: Advice): string {
  const verdict = { down: 'Lower', up: 'Raise', stay: 'Keep' }[advice.direction];
  const steps = advice.steps.map(({ parameter, from, to, reason }) => `  ${parameter} ${from} → ${to}  (${reason})`);
  return `${[`${verdict} the settings: ${advice.reason}.`, ...steps].join('\n')}\n`;
}

/** `playbyplay quality simulate` */
export const simulateSessions: RunCommand<typeof specs.qualitySimulate> = (io, options) => {
  const { seed, first, seeds: count, network, json } = options;
  const duration = 60 * options.minutes;
  if (seed !== undefined) return simulateOne(seed, { duration, network, json }, io);
  const bar = new ProgressBar(io, 'simulating');
  const result = compareWithFixedSettings({
    seeds: Array.from({ length: count }, (_, i) => first + i),
    duration,
    network,
    signal: io.signal,
    onSeed: (current) => bar.show(current - first + 1, count),
  });
  bar.clear();
  io.stdout.write(json ? `${JSON.stringify(result)}\n` : formatTrial(result.controller, result.fixed, count));
  return 0;
};

function formatTrial(controller: TrialRow, fixed: readonly TrialRow[], count: number): string {
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

/** Simulates one scenario with the controller and prints every decision. */
function simulateOne(
  seed: number,
  { duration, network, json }: { duration: number; network: Network | undefined; json: boolean },
  io: CommandIo,
): number {
  const scenario = makeScenario(seed, duration, network);
  const run = simulate(scenario, startSettings, { controller: true });
  const { decisions, outcome, played, quality, bitrate } = run;
  if (json) {
    io.stdout.write(
      `${JSON.stringify({ seed, network: scenario.network, outcome, played, bitrate, quality, decisions })}\n`,
    );
    return 0;
  }
  const lines = [
    `seed ${seed}: ${scenario.network}, ${scenario.oneWay.toFixed(0)} ms one way; starts with ${describeSettings(startSettings)}`,
    ...decisions.map((decision) => `  ${describeDecision(decision)}`),
    `outcome ${outcome.toFixed(1)}: picture ${quality.picture?.toFixed(1)}, stutter–latency ${quality.stutterLatency?.toFixed(1)}, ${(bitrate / 1e6).toFixed(1)} Mbit/s sent`,
  ];
  io.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}
