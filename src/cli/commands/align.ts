import { alignMoments, alignSound, type ClockAlignment } from '../../pipeline/align/align.ts';
import type { RunCommand } from '../command.ts';
import type * as specs from '../specs.ts';

const LOG_FILE = /\.(?:csv|tsv|json|ndjson|jsonl|srt|vtt|txt)$/i;

/** `playbyplay align <recording> <second file>` */
export const align: RunCommand<typeof specs.align> = async (io, options, recording, second) => {
  const tracks = { track: options.track, otherTrack: options['other-track'], signal: io.signal };
  const found = LOG_FILE.test(second)
    ? await alignMoments(recording, second, tracks)
    : alignSound(recording, second, tracks);
  io.stdout.write(options.json ? `${JSON.stringify(toJson(found))}\n` : formatAlignment(found, second));
  return found.matched ? 0 : 3;
};

function toJson(found: ClockAlignment): object {
  return found.matched
    ? { ...found, clock: formatClockMapping(found) }
    : { matched: false, by: found.by, places: found.places };
}

/** The mapping as `detect --stream` takes it: pairs of times on the second clock and the recording's. */
function formatClockMapping({ offset, drift }: ClockAlignment): string {
  const at = (t: number): string => String(Math.round((offset + (1 + drift / 1e6) * t) * 1e4) / 1e4);
  return drift === 0 ? at(0) : `0:${at(0)},1000:${at(1000)}`;
}

function formatAlignment(found: ClockAlignment, second: string): string {
  if (!found.matched) return `${second}: no alignment found\n`;
  const { offset, drift, confidence, agreeing, places, scatter, by } = found;
  const method = { waveform: 'waveforms', onsets: 'sound onsets', moments: 'records and sound onsets' }[by];
  return [
    `offset      ${offset.toFixed(4)} s: where the second file starts in the recording`,
    `drift       ${drift.toFixed(1)} ppm: the second clock runs ${drift >= 0 ? 'slow' : 'fast'}`,
    `confidence  ${confidence.toFixed(3)}: by ${method}, ${agreeing} of ${places} places agree within ${(1000 * scatter).toFixed(1)} ms`,
    `clock       @${formatClockMapping(found)}`,
    '',
  ].join('\n');
}
