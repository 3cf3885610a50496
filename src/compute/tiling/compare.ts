import { type Pass, sizeAlong } from './pass.ts';
import { passesOf, traffic } from './passes.ts';
import { type Chain, memoryFor, programOf, programsOf, type TilingPlan } from './plan.ts';
import type { Program } from './instructions.ts';

/** What a way to run a network takes. */
export interface Expense {
  /** Bytes of features and weights. */
  readonly memory: number;
  /** Rows (or columns) of the picture that are fetched, over all passes and sources. */
  readonly fetched: number;
  /** Multiply-adds. */
  readonly macs: number;
  readonly passes: number;
}

export interface Comparison {
  readonly untiled: Expense;
  /** Tiles that share nothing, as few as fit the same memory; undefined where none fit. */
  readonly recomputing: Expense | undefined;
  /** The plan itself, and the plan that fetches the picture's overlap again instead of keeping it. */
  readonly plan: Expense;
  readonly fetchingAgain: Expense;
}

/** A plan beside what it saves against: no tiling, and tiles that fetch and compute their overlap again. */
export function compare(plan: TilingPlan): Comparison {
  const { analysis, axis, chains } = plan;
  const once = traffic(analysis, axis, passesOf(analysis, { axis, tiles: 1 }));
  const alone = chains.map((chain) => recomputing(plan, chain));
  return {
    untiled: { memory: plan.untiled, fetched: once.fetched, macs: once.macs, passes: 1 },
    recomputing: alone.every((passes) => passes !== undefined) ? expense(plan, alone) : undefined,
    plan: expense(
      plan,
      chains.map(({ passes }) => passes),
    ),
    fetchingAgain: expense(
      plan,
      chains.map((chain) => again(plan, chain)),
    ),
  };
}

/** Programs of the same chains without any help between tiles, within the same memory. */
export function recomputingPrograms(plan: TilingPlan): Program[] | undefined {
  const programs = plan.chains.map((chain) => {
    const passes = recomputing(plan, chain);
    return passes && programOf(chain.analysis, plan.axis, passes);
  });
  return programs.every((program) => program !== undefined) ? programs : undefined;
}

/** Programs of the plan that fetch the picture's overlap again. */
export function fetchingAgainPrograms(plan: TilingPlan): Program[] {
  const chains = plan.chains.map((chain) => ({
    ...chain,
    passes: again(plan, chain),
  }));
  return programsOf({ ...plan, chains });
}

function again({ axis }: TilingPlan, { analysis, step, tiles }: Chain): Pass[] {
  return passesOf(analysis, { axis, ...(tiles ? { tiles } : { step }), keepInput: false });
}

function expense({ axis, chains, weights }: TilingPlan, passes: readonly (readonly Pass[])[]): Expense {
  let [most, fetched, macs, count] = [0, 0, 0, 0];
  for (const [i, { analysis }] of chains.entries()) {
    const { main, aux } = memoryFor(analysis, axis, passes[i]!);
    const made = traffic(analysis, axis, passes[i]!);
    most = Math.max(most, 4 * (main + aux));
    fetched += made.fetched;
    macs += made.macs;
    count += passes[i]!.length;
  }
  return { memory: weights + most, fetched, macs, passes: count };
}

/** The fewest tiles without help that take no more memory than the chain with it. */
function recomputing({ axis }: TilingPlan, { analysis, main, aux }: Chain): Pass[] | undefined {
  const most = Math.min(...analysis.results.map((name) => sizeAlong(analysis, name, axis)));
  const attempt = (tiles: number) => {
    const passes = passesOf(analysis, { axis, tiles, recompute: true });
    return 4 * memoryFor(analysis, axis, passes).main <= main + aux ? passes : undefined;
  };
  let high = 1;
  let found = attempt(high);
  while (!found && high < most) {
    high = Math.min(2 * high, most);
    found = attempt(high);
  }
  let low = high >> 1;
  while (found && high - low > 1) {
    const middle = (low + high) >> 1;
    const fits = attempt(middle);
    if (fits) [found, high] = [fits, middle];
    else low = middle;
  }
  return found;
}
