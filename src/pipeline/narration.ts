import type { Reading } from '../detectors/kind.ts';
import type { EventLine } from '../events/log.ts';
import type { LogWriter } from '../events/writer.ts';
import type { ChunkReadings } from './reading/chunk-readings.ts';
import type { Interpreter } from './interpreter.ts';
import type { OtherSources } from './sources/other-sources.ts';

export type Gap = ChunkReadings['gaps'][number];

/** No samples. */
const NOTHING: ChunkReadings = { t: [], observations: [], seen: [], gaps: [] };

/**
 * What runs once, in order, behind all threads: puts the readings of the recording together with those of its other sources,
 * hands them to the interpreter, and writes what comes of them.
 */
export class Narration {
  readonly #interpreter: Interpreter;
  readonly #others: OtherSources;
  readonly #log: LogWriter;
  readonly #onEvent: ((event: EventLine) => void) | undefined;
  /** What could not be read so far. */
  readonly gaps: Gap[] = [];

  constructor(interpreter: Interpreter, others: OtherSources, log: LogWriter, onEvent?: (event: EventLine) => void) {
    this.#interpreter = interpreter;
    this.#others = others;
    this.#log = log;
    this.#onEvent = onEvent;
  }

  gap(gap: Gap): void {
    this.gaps.push(gap);
    this.#log.gap(gap.t, gap.end, gap.reason);
  }

  /** Takes the readings of the next chunk, which ends at `end` (seconds). */
  async take(readings: ChunkReadings, end: number): Promise<void> {
    for (const gap of readings.gaps) this.gap(gap);
    const { events, settled } = await this.#interpreter.push(readings, await this.#beside(end));
    for (const event of events) this.#log.add(event);
    await this.#publish(settled);
  }

  /** Takes what is left behind the last chunk of a recording of `duration` seconds. */
  async finish(duration: number): Promise<void> {
    const rest = await this.#interpreter.push(NOTHING, await this.#beside(Number.POSITIVE_INFINITY));
    const last = await this.#interpreter.end(duration);
    for (const event of [...rest.events, ...last.events]) this.#log.add(event);
    await this.#publish(Number.POSITIVE_INFINITY);
  }

  async #beside(until: number): Promise<readonly Reading[]> {
    const { readings, gaps } = await this.#others.until(until);
    for (const gap of gaps) this.gap(gap);
    return readings;
  }

  async #publish(until: number): Promise<void> {
    for (const event of await this.#log.settle(until)) this.#onEvent?.(event);
  }
}
