import type { ConstantsInput } from '../constants.ts';
import type { ControllerOptions } from './controller.ts';
import { type Network, scenarioOf } from './scenario.ts';
import { describeSettings, type StreamSettings } from './settings.ts';
import { simulate } from './simulate.ts';

/** How one way to run a stream did over many scenarios. */
export interface TrialRow {
  readonly name: string;
  /** Mean outcome over the seeds: total, less what was not played to the end. */
  readonly mean: number;
  /** Mean of the controller's outcome less this one's in the same scenario, and its standard error. */
  readonly behind: number;
  readonly error: number;
  /** Scenarios in which the controller did better. */
  readonly won: number;
  /** Share of the planned time that was played. */
  readonly played: number;
  readonly outcomes: readonly number[];
}

export interface TrialOptions {
  readonly seeds: readonly number[];
  /** Seconds of a scenario. */
  readonly duration: number;
  readonly network?: Network | undefined;
  readonly controller?: ControllerOptions;
  /** Where the controller begins. */
  readonly start?: StreamSettings;
  readonly fixed?: readonly StreamSettings[];
  readonly constants?: ConstantsInput;
  readonly signal?: AbortSignal | undefined;
  readonly onSeed?: ((seed: number) => void) | undefined;
}

/** Modest settings that every line and machine of the scenarios can do. */
export const startSettings: StreamSettings = { bitrate: 2e6, width: 960, height: 540, fps: 60, preset: 'fast' };

/** A grid of settings as a service may set them once and for all. */
function fixedSettings(): StreamSettings[] {
  const sizes = [
    { width: 1920, height: 1080 },
    { width: 1280, height: 720 },
    { width: 960, height: 540 },
  ];
  return sizes.flatMap((size) =>
    [60, 30].flatMap((fps) =>
      [2, 3, 4, 6, 8, 12, 20, 30].map((megabits) => ({
        ...size,
        fps,
        bitrate: megabits * 1e6,
        preset: 'fast' as const,
      })),
    ),
  );
}

/** Plays each scenario with the controller and with each fixed setting: the same scenarios for all. Best row first. */
export function trial(options: TrialOptions): { readonly controller: TrialRow; readonly fixed: readonly TrialRow[] } {
  const fixed = options.fixed ?? fixedSettings();
  const start = options.start ?? startSettings;
  const outcomes: number[][] = fixed.map(() => []);
  const played: number[] = fixed.map(() => 0);
  const adjusted: number[] = [];
  let adjustedPlayed = 0;
  const common = options.constants ? { constants: options.constants } : {};
  for (const seed of options.seeds) {
    options.signal?.throwIfAborted();
    const scenario = scenarioOf(seed, options.duration, options.network);
    const run = simulate(scenario, start, { ...common, controller: options.controller ?? true });
    adjusted.push(run.outcome);
    adjustedPlayed += run.played;
    for (const [i, settings] of fixed.entries()) {
      const one = simulate(scenario, settings, common);
      outcomes[i]!.push(one.outcome);
      played[i]! += one.played;
    }
    options.onSeed?.(seed);
  }
  const count = options.seeds.length;
  const rows = fixed.map((settings, i) => row(describeSettings(settings), outcomes[i]!, adjusted, played[i]! / count));
  return {
    controller: row('controller', adjusted, adjusted, adjustedPlayed / count),
    fixed: rows.toSorted((a, b) => b.mean - a.mean),
  };
}

function row(name: string, outcomes: readonly number[], adjusted: readonly number[], played: number): TrialRow {
  const ahead = outcomes.map((outcome, i) => adjusted[i]! - outcome);
  const behind = mean(ahead);
  const variance = ahead.reduce((sum, one) => sum + (one - behind) ** 2, 0) / Math.max(1, ahead.length - 1);
  return {
    name,
    mean: mean(outcomes),
    behind,
    error: Math.sqrt(variance / ahead.length),
    won: ahead.filter((one) => one > 0).length,
    played,
    outcomes,
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
