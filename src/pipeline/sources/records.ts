import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Reading, StreamEntry } from '../../detectors/kind.ts';
import { readStream } from '../../detectors/stream/read-stream.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { HeaderLine } from '../../events/log.ts';
import { readInput } from '../../files/input.ts';
import type { CompiledProfile } from '../compile-profile.ts';
import { alignClocks, type ClockPairs, toRecordingTime } from './clock.ts';

/** Limit of the size of such a file. */
const MAX_STREAM_BYTES = 256 << 20;

/** A file that accompanies the recording, with a clock of its own. */
export interface StreamSource {
  /** As the profile's `stream` detectors call it. */
  readonly name: string;
  readonly path: string;
  /** Times on its clock and in the recording that belong together, in seconds; one: an offset, several: also drift. */
  readonly pairs?: ClockPairs;
}

/** Reads the records of files that accompany a recording, as far as they are asked for. */
export class RecordReader {
  /** For the header of the log. */
  readonly headers: NonNullable<HeaderLine['streams']>;
  readonly #entries: ReadonlyMap<string, readonly StreamEntry[]>;
  #readings: readonly Reading[] = [];
  #next = 0;

  private constructor(
    headers: NonNullable<HeaderLine['streams']>,
    entries: ReadonlyMap<string, readonly StreamEntry[]>,
  ) {
    this.headers = headers;
    this.#entries = entries;
  }

  /** @throws PlaybyplayError `bad-stream` if a file cannot be read. */
  static async open(sources: readonly StreamSource[]): Promise<RecordReader> {
    const headers: NonNullable<HeaderLine['streams']>[number][] = [];
    const entries = new Map<string, readonly StreamEntry[]>();
    for (const { name, path, pairs } of sources) {
      const content = await readInput(path, MAX_STREAM_BYTES, 'bad-stream').catch((error: unknown) => {
        if (error instanceof PlaybyplayError) throw error;
        throw new PlaybyplayError('bad-stream', `${path} cannot be read: ${messageOf(error)}`, { cause: error });
      });
      const clock = alignClocks(pairs ?? []);
      const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
      const at = (t: number): number => toRecordingTime(clock, t);
      const file = readStream(content.toString('utf8'), basename(path));
      headers.push({ name, hash, ...clock, records: file.entries.length, skipped: file.skipped });
      entries.set(
        name,
        file.entries.map((one) => ({ ...one, t: at(one.t), ...(one.end !== undefined && { end: at(one.end) }) })),
      );
    }
    return new RecordReader(headers, entries);
  }

  /** Makes the readings of a profile's detectors within [from, to) seconds; `onMissing` is called for files not given. */
  read(
    { detectors }: CompiledProfile,
    { from, to }: { readonly from: number; readonly to: number },
    onMissing: (detector: string, stream: string) => void,
  ): void {
    const readings: Reading[] = [];
    for (const { name, kind, spec } of detectors) {
      if (kind.input !== 'records') continue;
      const stream = String(spec['stream']);
      const entries = this.#entries.get(stream);
      if (!entries) onMissing(name, stream);
      for (const { t, observation } of kind.follow(spec, entries ?? []))
        if (t >= from && t < to) readings.push({ detector: name, t, observation });
    }
    this.#readings = readings.toSorted((a, b) => a.t - b.t);
  }

  /** The readings before `t` seconds that were not given out yet, in order of time. */
  until(t: number): readonly Reading[] {
    const first = this.#next;
    while (this.#next < this.#readings.length && this.#readings[this.#next]!.t < t) this.#next++;
    return this.#readings.slice(first, this.#next);
  }
}
