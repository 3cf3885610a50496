import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Reading, StreamEntry } from '../../detectors/kind.ts';
import type { Plugins } from '../../detectors/plugins/load.ts';
import { loadKind } from '../../detectors/registry.ts';
import { readStream } from '../../detectors/stream/entries.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { HeaderLine } from '../../events/log.ts';
import type { Profile } from '../../profile/profile.ts';

/** A file beside the recording, with a clock of its own. */
export interface StreamSource {
  readonly name: string;
  readonly path: string;
  /** Times on its clock and in the recording that belong together, in seconds; one: an offset, several: also drift. */
  readonly pairs?: readonly (readonly [stream: number, recording: number])[];
}

type StreamPrint = NonNullable<HeaderLine['streams']>[number];

/** The files beside a recording, on its clock: readings up to any time on demand. */
export class Following {
  /** For the log's header: what the readings depend on. */
  readonly prints: readonly StreamPrint[];
  readonly #entries: ReadonlyMap<string, readonly StreamEntry[]>;
  #readings: readonly Reading[] = [];
  #next = 0;

  private constructor(prints: readonly StreamPrint[], entries: ReadonlyMap<string, readonly StreamEntry[]>) {
    this.prints = prints;
    this.#entries = entries;
  }

  /** Reads the files. Throws PlaybyplayError `bad-stream` where one cannot be read. */
  static async open(sources: readonly StreamSource[]): Promise<Following> {
    const prints: StreamPrint[] = [];
    const entries = new Map<string, readonly StreamEntry[]>();
    for (const { name, path, pairs } of sources) {
      const content = await readFile(path).catch((error: unknown) => {
        throw new PlaybyplayError('bad-stream', `${path} cannot be read: ${messageOf(error)}`, { cause: error });
      });
      const { offset, rate } = alignment(pairs ?? []);
      const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
      const at = (t: number): number => onRecording({ offset, rate }, t);
      const file = readStream(content.toString('utf8'), basename(path));
      prints.push({ name, hash, offset, rate, records: file.entries.length, skipped: file.skipped });
      entries.set(
        name,
        file.entries.map((one) => ({ ...one, t: at(one.t), ...(one.end !== undefined && { end: at(one.end) }) })),
      );
    }
    return new Following(prints, entries);
  }

  /** Makes the readings of a profile's detectors within [from, to) seconds; `missing` is told of files not given. */
  async read(
    { detectors }: Profile,
    from: number,
    to: number,
    missing: (detector: string, stream: string) => void,
    plugins?: Plugins,
  ): Promise<void> {
    const readings: Reading[] = [];
    for (const [detector, spec] of Object.entries(detectors)) {
      const kind = await loadKind(spec.kind, plugins);
      if (kind.input !== 'records') continue;
      const entries = this.#entries.get(String(spec['stream']));
      if (!entries) missing(detector, String(spec['stream']));
      for (const { t, observation } of kind.follow(spec, entries ?? []))
        if (t >= from && t < to) readings.push({ detector, t, observation });
    }
    this.#readings = readings.toSorted((a, b) => a.t - b.t);
  }

  /** The readings before `t` seconds that were not given yet, in order of time. */
  until(t: number): readonly Reading[] {
    const first = this.#next;
    while (this.#next < this.#readings.length && this.#readings[this.#next]!.t < t) this.#next++;
    return this.#readings.slice(first, this.#next);
  }
}

/** A second clock's time in seconds of the recording, to the microsecond. */
export function onRecording({ offset, rate }: { readonly offset: number; readonly rate: number }, t: number): number {
  return Math.round((offset + rate * t) * 1e6) / 1e6;
}

/** The line through the pairs with the least squares: recording = offset + rate · stream. */
export function alignment(pairs: readonly (readonly [number, number])[]): { offset: number; rate: number } {
  if (pairs.length === 0) return { offset: 0, rate: 1 };
  const mean = (value: (pair: readonly [number, number]) => number): number =>
    pairs.reduce((sum, pair) => sum + value(pair), 0) / pairs.length;
  const s = mean(([stream]) => stream);
  const r = mean(([, recording]) => recording);
  const spread = mean(([stream]) => (stream - s) ** 2);
  const rate = spread === 0 ? 1 : mean(([stream, recording]) => (stream - s) * (recording - r)) / spread;
  if (!(rate > 0.5 && rate < 2)) {
    throw new PlaybyplayError(
      'bad-stream',
      `the alignment would make the clock run ${rate.toPrecision(3)} times as fast`,
      {
        hint: 'pairs are stream:recording, both in seconds',
      },
    );
  }
  return { offset: r - rate * s, rate };
}
