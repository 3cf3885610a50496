import { parseArgs } from 'node:util';

import { alignMoments, alignSound, type ClockAlignment } from '../../pipeline/align/align.ts';
import { type Command, usage } from '../command.ts';

const help = `playbyplay align <recording> <second> [options]

Finds how the clock of a second record of the same session runs against the recording's: by how much it began later, and by how much
it runs fast or slow. <second> is another recording (a webcam's video, a capture of the other player, a sound file), compared by
what both heard, or a log (CSV, JSON, NDJSON, SRT, VTT) whose records fall together with something that is heard.

  --track <n>          sound track of the recording, counted from 0 (default 0)
  --other-track <n>    sound track of the second (default 0)
  --json               the alignment as JSON

Exit code 3: the two do not belong together, as far as can be heard. What is printed behind “clock” can be given to
“playbyplay detect --stream name=file@clock”.

Examples:
  playbyplay align match.mp4 webcam.mkv
  playbyplay align match.mp4 keys.csv --json
`;

const options = {
  track: { type: 'string', default: '0' },
  'other-track': { type: 'string', default: '0' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export const align: Command = {
  name: 'align',
  summary: 'find how the clock of a second recording or log runs against a recording',
  help,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (values.help) {
      io.stdout.write(help);
      return 0;
    }
    const [first, second, ...more] = positionals;
    if (first === undefined || second === undefined || more.length > 0)
      throw usage('which two?', 'Give the recording and the second record of the session.');
    const given = {
      track: number('track', values.track),
      otherTrack: number('other-track', values['other-track']),
      signal: io.signal,
    };
    const found = /\.(?:csv|tsv|json|ndjson|jsonl|srt|vtt|txt)$/i.test(second)
      ? await alignMoments(first, second, given)
      : alignSound(first, second, given);
    io.stdout.write(values.json ? `${JSON.stringify(report(found))}\n` : told(found, second));
    return found.matched ? 0 : 3;
  },
};

function report(found: ClockAlignment): object {
  return found.matched ? { ...found, clock: clockOf(found) } : { matched: false, by: found.by, places: found.places };
}

/** As `--stream` takes it: pairs of times on the second's clock and the recording's. */
function clockOf({ offset, drift }: ClockAlignment): string {
  const at = (t: number): string => String(Math.round((offset + (1 + drift / 1e6) * t) * 1e4) / 1e4);
  return drift === 0 ? at(0) : `0:${at(0)},1000:${at(1000)}`;
}

function told(found: ClockAlignment, second: string): string {
  if (!found.matched) return `${second} does not belong to it, as far as can be heard\n`;
  const { offset, drift, confidence, agreeing, places, scatter, by } = found;
  const how = { waveform: 'waveforms', onsets: 'what sets in', moments: 'its records and what sets in' }[by];
  return [
    `offset      ${offset.toFixed(4)} s: where the second begins in the recording`,
    `drift       ${drift.toFixed(1)} ppm: the second's clock runs ${drift >= 0 ? 'slow' : 'fast'} by so much`,
    `confidence  ${confidence.toFixed(3)}: by ${how}, ${agreeing} of ${places} places agree, ${(1000 * scatter).toFixed(1)} ms apart`,
    `clock       @${clockOf(found)}`,
    '',
  ].join('\n');
}

function number(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw usage(`--${name} needs a number from 0 on, not ${text}`);
  return value;
}
