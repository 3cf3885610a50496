import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** Sources that the benchmarks of live sessions measure. */
export const SOURCES = ['file', 'pipe', 'srt', 'rtmp', 'tcp', 'udp'] as const;
export type SourceName = (typeof SOURCES)[number];

/** How ffmpeg sends to a live session. */
export interface Sender {
  /** What the session watches. */
  readonly source: string;
  /** The session waits for the sender, so that it must run before. */
  readonly listens: boolean;
  /** Starts ffmpeg; what it writes to its standard output is that of the source `pipe`. */
  readonly start: () => ChildProcess;
}

/**
 * Lets ffmpeg send a recording to a live session.
 *
 * @param input Options of ffmpeg up to the recording.
 * @param codec Options of ffmpeg by which it is encoded, or copied.
 * @param folder For the growing file.
 */
export function createSender(
  name: SourceName,
  { input, codec, folder, port }: { input: readonly string[]; codec: readonly string[]; folder: string; port: number },
): Sender {
  const growing = join(folder, 'growing.ts');
  const ts = ['-f', 'mpegts', '-flush_packets', '1', '-muxdelay', '0', '-muxpreload', '0'];
  const address = `127.0.0.1:${port}`;
  const ways: Readonly<Record<SourceName, readonly [source: string, to: readonly string[]]>> = {
    file: [growing, [...ts, growing]],
    pipe: ['-', [...ts, 'pipe:1']],
    srt: [`srt://${address}`, [...ts, `srt://${address}?mode=caller`]],
    rtmp: [`rtmp://${address}/live/key`, ['-f', 'flv', `rtmp://${address}/live/key`]],
    tcp: [`tcp://${address}`, [...ts, `tcp://${address}`]],
    udp: [`udp://${address}`, [...ts, `udp://${address}?pkt_size=1316`]],
  };
  const [source, to] = ways[name];
  return {
    source,
    listens: name === 'srt' || name === 'rtmp' || name === 'tcp',
    start: () =>
      spawn('ffmpeg', ['-v', 'error', '-y', ...input, '-map', '0:v', ...codec, ...to], {
        stdio: ['ignore', name === 'pipe' ? 'pipe' : 'ignore', 'inherit'],
      }),
  };
}

/** The value below which a share of the list lies; NaN of an empty list. */
export function quantile(list: readonly number[], part: number): number {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

/** Counts by upper bounds in ms: `<100: 12, <200: 3`. */
export function histogram(list: readonly number[], bounds: readonly number[]): string {
  const counts = bounds.map((most, i) => list.filter((one) => one < most && one >= (bounds[i - 1] ?? 0)).length);
  return bounds.map((most, i) => `${most === Number.POSITIVE_INFINITY ? 'more' : `<${most}`}: ${counts[i]}`).join(', ');
}
