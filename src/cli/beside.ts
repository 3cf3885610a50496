import { PlaybyplayError } from '../errors.ts';
import { type CommandIo, usage } from './command.ts';

/** What lies beside a recording: a file of records (`stream`), or a second recording (`media`). */
export interface Beside {
  readonly name: string;
  readonly path: string;
  readonly pairs?: readonly (readonly [own: number, recording: number])[];
}

/** `name=file`, `name=file@offset`, `name=file@own:recording,…` or `name=file@auto`, given to the option `--stream` or `--media`. */
export async function besideOf(
  option: 'stream' | 'media',
  text: string,
  media: string,
  io: CommandIo,
): Promise<Beside> {
  const [, name, path, clock] = /^([^=]+)=(.+?)(?:@(auto|[-\d.:,]+))?$/.exec(text) ?? [];
  if (name === undefined || path === undefined) throw usage(`--${option} is name=file, not ${text}`);
  if (clock === undefined) return { name, path };
  if (clock === 'auto') return { name, path, pairs: await heardPairs(option, media, name, path, io) };
  const pairs = clock.split(',').map((pair): [number, number] => {
    const [own, recording] = pair.includes(':') ? pair.split(':').map(Number) : [0, Number(pair)];
    if (pair === '' || !Number.isFinite(own) || !Number.isFinite(recording))
      throw usage(`“${pair}” of --${option} is no alignment`);
    return [own!, recording!];
  });
  return { name, path, pairs };
}

/** The clock of a log by what is heard when its records are, or of a second recording by what both heard. */
async function heardPairs(
  option: 'stream' | 'media',
  media: string,
  name: string,
  path: string,
  io: CommandIo,
): Promise<[number, number][]> {
  const { alignMoments, alignSound } = await import('../pipeline/align/align.ts');
  const found =
    option === 'stream'
      ? await alignMoments(media, path, { signal: io.signal })
      : alignSound(media, path, { signal: io.signal });
  const { matched, offset, drift, confidence } = found;
  if (!matched) {
    const why =
      option === 'stream'
        ? 'its records do not fall together with what is heard'
        : 'what it heard is not what the recording heard';
    throw new PlaybyplayError(
      option === 'stream' ? 'bad-stream' : 'bad-media',
      `${path} could not be aligned: ${why}`,
      {
        hint: `Give its clock by hand: --${option} name=file@offset.`,
      },
    );
  }
  const [start, later] = [offset, offset + 1000 * (1 + drift / 1e6)].map((t) => Math.round(t * 1e4) / 1e4) as [
    number,
    number,
  ];
  io.stderr.write(`${name} aligned: @0:${start},1000:${later}, confidence ${confidence.toFixed(2)}\n`);
  return [
    [0, start],
    [1000, later],
  ];
}
