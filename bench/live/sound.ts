// Compares what sound detectors hear in a live session with what they hear in the finished recording: sound in order with the
// pictures, sound that arrives late, and sound whose clock runs at another rate.
//   node bench/live/sound.ts <recording>… [--late 1.5] [--rate 1.0005]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { remux } from '../../test/fixtures/remux.ts';
import { writeGame } from '../../test/fixtures/games.ts';
import type { EventLine } from '../../src/events/log.ts';
import { parseLiveSource } from '../../src/media/live/source.ts';
import { detect } from '../../src/pipeline/detect.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { watch } from '../../src/pipeline/live/watch.ts';
import { openSource } from '../../src/pipeline/source.ts';
import { quantile } from './senders.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { late: { type: 'string', default: '1.5' }, rate: { type: 'string', default: '1.0005' } },
});
const folder = mkdtempSync(join(tmpdir(), 'playbyplay-sound-'));
const say = (detector: string, trigger: string, object: string): object => ({
  on: { detector, trigger },
  statement: { subject: 'player', action: 'obtain', object },
});
const game = await openGame(
  writeGame(folder, 'sounds', {
    reference: { width: 1280, height: 720 },
    sampling: { interval: 0.1 },
    regions: { view: { x: 0, y: 0, width: 0.05, height: 0.05 } },
    detectors: {
      view: { kind: 'color', region: 'view', colors: { dark: '#000000' } },
      onset: { kind: 'sound', of: 'onset' },
      loud: { kind: 'sound', of: 'loud' },
      voice: { kind: 'sound', of: 'voice' },
    },
    events: [
      say('onset', 'found', 'shotgun'),
      say('loud', 'found', 'rocket launcher'),
      say('loud', 'lost', 'chaingun'),
      say('voice', 'found', 'pistol'),
      say('view', 'found', 'key'),
    ],
    fusion: { window: 0 },
    dictionaries: [],
  }),
);

function keep(event: EventLine): string {
  return JSON.stringify({ ...event, session: '' });
}

const ways = {
  'in order': {},
  [`arrives ${values.late} s late`]: { late: Number(values.late) },
  [`its clock runs ${values.rate} times as fast`]: { rate: Number(values.rate) },
  'arrives 5 s late': { late: 5 },
};
process.stdout.write(
  '| recording | sound | heard | by live | equal | gaps | seconds from sound to event: p50, p95 |\n',
);
process.stdout.write('|---|---|---|---|---|---|---|\n');
for (const recording of positionals)
  for (const [way, sound] of Object.entries(ways)) {
    const path = join(folder, 'stream.ts');
    remux(recording, path, 'mpegts', { sound });
    using source = await openSource(path);
    const detected: string[] = [];
    for await (const message of detect(source, game, { place: 'default', workers: 1 }))
      if (message.type === 'event') detected.push(keep(message));
    const live: string[] = [];
    const delays: number[] = [];
    let gaps = 0;
    let latest = 0;
    const session = watch(parseLiveSource('-'), game, {
      identity: '0'.repeat(32),
      readsAll: true,
      stdin: Readable.from([readFileSync(path)]),
      onSample: ({ t }) => void (latest = t),
    });
    for await (const message of session)
      if (message.type === 'event') live.push(keep(message));
      else if (message.type === 'early') delays.push(latest - message.t);
      else if (message.type === 'gap') gaps++;
    const equal = live.filter((event) => detected.includes(event)).length;
    const delay = [0.5, 0.95].map((part) => quantile(delays, part).toFixed(2)).join(', ');
    process.stdout.write(
      `| ${basename(recording)} | ${way} | ${detected.length} | ${live.length} | ${equal} | ${gaps} | ${delay} |\n`,
    );
  }
rmSync(folder, { recursive: true });
process.exit();
