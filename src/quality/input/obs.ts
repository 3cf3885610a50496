import { basename } from 'node:path';
import { PlaybyplayError } from '../../errors.ts';
import { Notes, inMemory, type ReadOptions, type SessionInput } from './session.ts';
import { readLines } from './text.ts';

/** Frame counts of one output (stream or recording). */
export interface ObsOutput {
  readonly name: string;
  /** Frames passed to the output. */
  frames?: number;
  /** Frames drawn by the compositor. */
  drawn?: number;
  /** Not rendered in time. */
  lagged?: number;
  /** Not encoded in time. */
  skipped?: number;
  /** Dropped because of the network. */
  dropped?: number;
  /** Shares of the frames attempted, 0 to 1. */
  readonly share: { lagged?: number; skipped?: number; dropped?: number };
}

const stamped = /^\d{2}:\d{2}:\d{2}\.\d{3}: /;

/** Whether a text is an OBS log: lines stamped `hh:mm:ss.mmm: `. */
export function isObsLog(head: string): boolean {
  const lines = head.split(/\r?\n/, 40).filter((line) => line.trim() !== '');
  const hits = lines.filter((line) => stamped.test(line.replace(/^\uFEFF/, '')));
  return hits.length >= 1 && hits.length * 2 >= lines.length - 1;
}

/**
 * Reads an OBS log. It has no frame times, only counts of the frames each output lost to rendering, encoding and the
 * network, and the settings that determine the picture score; so there is no stutter–latency score.
 */
export async function readObs(path: string, options: ReadOptions = {}): Promise<SessionInput> {
  const notes = new Notes();
  const log = new ObsLog();
  let lines = 0;
  let known = 0;
  for await (const batch of readLines(path, options.signal)) {
    for (const line of batch.lines) {
      if (line.trim() === '') continue;
      lines++;
      const text = line.replace(/^\uFEFF/, '').replace(stamped, '');
      if (text !== line) known++;
      log.take(text.trim());
    }
  }
  if (known === 0) {
    throw new PlaybyplayError('not-a-log', `${path} has no line with the timestamps of an OBS log`);
  }
  notes.count('lines', lines);
  if (log.outputs.length === 0) {
    notes.add('no-output-ended', 'no output has ended: OBS writes the counts when a stream or recording stops', path);
  }
  const picture = log.bitrate !== undefined && log.width !== undefined && log.fps !== undefined;
  const why = 'the log has no frame times';
  return {
    format: 'obs-log',
    name: basename(path),
    fps: log.fps,
    width: log.width,
    height: log.height,
    targetBitrate: log.bitrate,
    derived: picture ? { picture: 'bitrate, output resolution and fps of the settings' } : {},
    missing: {
      captureDelta: why,
      presentDelta: why,
      roundTripDelay: why,
      stackLatency: why,
      ...(!picture && { picture: 'bitrate, resolution or frame rate is missing in the log' }),
    },
    notes,
    extra: { outputs: log.outputs },
    records: () => inMemory([]),
  };
}

class ObsLog {
  readonly outputs: ObsOutput[] = [];
  fps: number | undefined;
  width: number | undefined;
  height: number | undefined;
  bitrate: number | undefined;
  /** The output that ended last: the line about skipped frames has no name and follows it. */
  #last: ObsOutput | undefined;
  #inEncoder = false;

  take(line: string): void {
    this.#settings(line);
    const output = /^Output '([^']*)':\s*(.*)$/.exec(line);
    if (output) this.#counts(output[1]!, output[2]!);
    const skipped = /skipped frames due to encoding lag:\s*(\d+)\/(\d+)/i.exec(line);
    if (skipped) {
      const owner = this.#last ?? this.#output('video');
      owner.skipped = Number(skipped[1]);
      if (Number(skipped[2]) > 0) owner.share.skipped = Number(skipped[1]) / Number(skipped[2]);
      this.#last = undefined;
    }
  }

  #settings(line: string): void {
    const size = /^output resolution:\s*(\d+)x(\d+)/i.exec(line);
    if (size) [this.width, this.height] = [Number(size[1]), Number(size[2])];
    const rate = /^fps:\s*(\d+)\/(\d+)/i.exec(line);
    if (rate && Number(rate[2]) > 0) this.fps = Number(rate[1]) / Number(rate[2]);
    // Audio encoders also report a bitrate, in a line that does not start with the word.
    if (/^\[[^\]]*\]:? settings:/i.test(line)) this.#inEncoder = true;
    const bitrate = /^bitrate:\s*(\d+)(?:\s*\(?kbps\)?)?\s*$/i.exec(line);
    if (bitrate && this.#inEncoder) {
      this.bitrate = Number(bitrate[1]) * 1000;
      this.#inEncoder = false;
    }
  }

  #counts(name: string, text: string): void {
    const total = /^Total frames output:\s*(\d+)(?:\s*\((\d+) attempted\))?/i.exec(text);
    const drawn = /^Total drawn frames:\s*(\d+)(?:\s*\((\d+) attempted\))?/i.exec(text);
    const lagged = /lagged frames due to rendering lag\/stalls:\s*(\d+)(?:\s*\(([\d.,]+)%\))?/i.exec(text);
    const dropped = /dropped frames due to insufficient bandwidth[^:]*:\s*(\d+)(?:\s*\(([\d.,]+)%\))?/i.exec(text);
    if (/^stopping\b/i.test(text)) this.#last = this.#output(name, true);
    if (!total && !drawn && !lagged && !dropped) return;
    const output = this.#output(name);
    this.#last = output;
    if (total) output.frames = Number(total[2] ?? total[1]);
    if (drawn) output.drawn = Number(drawn[2] ?? drawn[1]);
    if (lagged) {
      output.lagged = Number(lagged[1]);
      output.share.lagged = share(output.lagged, output.drawn, lagged[2]);
    }
    if (dropped) {
      output.dropped = Number(dropped[1]);
      output.share.dropped = share(output.dropped, output.frames, dropped[2]);
    }
  }

  #output(name: string, fresh = false): ObsOutput {
    const known = this.outputs.findLast((output) => output.name === name);
    if (known && !(fresh && known.frames !== undefined)) return known;
    const output: ObsOutput = { name, share: {} };
    this.outputs.push(output);
    return output;
  }
}

/** Share computed from the counts if possible, else the percentage in the line. */
function share(part: number, whole: number | undefined, percent: string | undefined): number {
  if (whole !== undefined && whole > 0) return part / whole;
  return percent === undefined ? Number.NaN : Number(percent.replace(',', '.')) / 100;
}
