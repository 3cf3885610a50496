import { PlaybyplayError } from '../errors.ts';
import type { CommandIo } from './command.ts';
import { usageError } from './options.ts';

/** A file that belongs to a recording: a log of records or a second recording, and how its clock maps to the recording's. */
export interface Companion {
  readonly name: string;
  readonly path: string;
  readonly pairs?: readonly (readonly [own: number, recording: number])[];
}

/**
 * Parses the value of `--stream` or `--media`: `name=file`, `name=file@offset`, `name=file@own:recording,…` or `name=file@auto`.
 *
 * @param recording - The recording that `@auto` aligns with.
 */
export async function parseCompanion(
  option: 'stream' | 'media',
  text: string,
  recording: string,
  io: CommandIo,
): Promise<Companion> {
  const [, name, path, clock] = /^([^=]+)=(.+?)(?:@(auto|[-\d.:,]+))?$/.exec(text) ?? [];
  if (name === undefined || path === undefined) throw usageError(`--${option} must be name=file, not "${text}"`);
  if (clock === undefined) return { name, path };
  if (clock === 'auto') return { name, path, pairs: await alignClock(option, recording, { name, path }, io) };
  const pairs = clock.split(',').map((pair): [number, number] => {
    const [own, there] = pair.includes(':') ? pair.split(':').map(Number) : [0, Number(pair)];
    if (pair === '' || !Number.isFinite(own) || !Number.isFinite(there))
      throw usageError(`--${option} must map times such as 10:12.5, not "${pair}"`);
    return [own!, there!];
  });
  return { name, path, pairs };
}

/** Aligns a log by the sounds at its records, or a second recording by what both heard. */
async function alignClock(
  option: 'stream' | 'media',
  recording: string,
  { name, path }: Companion,
  io: CommandIo,
): Promise<[number, number][]> {
  const { alignMoments, alignSound } = await import('../pipeline/align/align.ts');
  const { matched, offset, drift, confidence } =
    option === 'stream'
      ? await alignMoments(recording, path, { signal: io.signal })
      : alignSound(recording, path, { signal: io.signal });
  if (!matched) {
    const reason =
      option === 'stream' ? 'its records do not coincide with sounds of the recording' : 'the two share no sound';
    throw new PlaybyplayError(option === 'stream' ? 'bad-stream' : 'bad-media', `cannot align ${path}: ${reason}`, {
      hint: `Give the clock yourself: --${option} name=file@offset.`,
    });
  }
  const [start, later] = [offset, offset + 1000 * (1 + drift / 1e6)].map((t) => Math.round(t * 1e4) / 1e4);
  io.stderr.write(`${name} aligned: @0:${start},1000:${later}, confidence ${confidence.toFixed(2)}\n`);
  return [
    [0, start!],
    [1000, later!],
  ];
}
