// The process that reads generated inputs for generated.ts, which ends it when an input takes too long or too much memory.
import { PlaybyplayError } from '../../../src/errors.ts';
import * as fc from 'fast-check';
import { openFormats } from './formats.ts';

/** Inputs are made in batches, each from its own seed, so that any of them can be made again alone. */
export const BATCH = 50;

/** What became of one input. */
export interface Outcome {
  readonly index: number;
  /** The code of the error; undefined if the input was accepted. */
  readonly code?: string;
  /** Whether the error names a place, or says what to do. */
  readonly explained?: boolean;
  /** An error that is not one of the user's data. */
  readonly crash?: string;
  /** Processor time. */
  readonly ms: number;
  readonly bytes: number;
}

interface Task {
  readonly format: string;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** When to stop, in milliseconds since 1970; null: never. */
  readonly until: number | null;
  /** Inputs that ended an earlier process. */
  readonly skipped: readonly number[];
  readonly folder: string;
}

/** Makes the inputs of a batch. */
export function inputsOf(inputs: fc.Arbitrary<Uint8Array>, seed: number, batch: number): readonly Uint8Array[] {
  return fc.sample(inputs, { seed: (seed * 1_000_003 + batch) | 0, numRuns: BATCH });
}

function milliseconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

async function readAll({ format: name, seed, from, to, until, skipped, folder }: Task): Promise<void> {
  const formats = await openFormats(folder);
  const format = await formats[name]!();
  for (let batch = Math.floor(from / BATCH); batch * BATCH < to && Date.now() < (until ?? Infinity); batch++) {
    const outcomes: Outcome[] = [];
    for (const [i, input] of inputsOf(format.inputs, seed, batch).entries()) {
      const index = batch * BATCH + i;
      if (index < from || index >= to || skipped.includes(index)) continue;
      process.send?.({ at: index });
      const start = process.cpuUsage();
      const done = { index, bytes: input.length };
      try {
        await format.read(input);
        outcomes.push({ ...done, ms: milliseconds(start) });
      } catch (error) {
        const ms = milliseconds(start);
        if (error instanceof PlaybyplayError) {
          const explained = error.hint !== undefined || error.issues.length > 0 || /[:“"#]/.test(error.message);
          outcomes.push({ ...done, ms, code: error.issues[0]?.code ?? error.code, explained });
        } else
          outcomes.push({
            ...done,
            ms,
            crash: error instanceof Error ? (error.stack ?? error.message) : String(error),
          });
      }
    }
    // Until it is sent, so that messages do not pile up where reading never leaves the processor.
    await new Promise((resolve) => process.send?.({ outcomes, memory: process.memoryUsage().rss }, resolve));
  }
  process.send?.({}, () => process.exit(0));
}

process.on('message', (task: Task) => {
  readAll(task).catch((error: unknown) => {
    // Inputs have their own errors: this is one of the benchmark.
    process.send?.({ failed: error instanceof Error ? error.stack : String(error) }, () => process.exit(1));
  });
});
