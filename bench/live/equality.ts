// Compares the log of a live session with that of `detect` on the finished recording: ffmpeg writes the recording anew, to
// Matroska, while the session reads it.
//   node bench/live/equality.ts <clip folder>…     (game/clip/video.mp4). Needs ffmpeg.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { EventLine } from '../../src/events/log.ts';
import { parseLiveSource } from '../../src/media/live/source.ts';
import { detect } from '../../src/pipeline/detect.ts';
import { openGame } from '../../src/pipeline/game.ts';
import type { DetectMessage } from '../../src/pipeline/messages.ts';
import { watch } from '../../src/pipeline/live/watch.ts';
import { openSource } from '../../src/pipeline/source.ts';

async function eventsOf(messages: AsyncIterable<DetectMessage>): Promise<readonly string[]> {
  const events: string[] = [];
  for await (const message of messages) if (message.type === 'event') events.push(JSON.stringify(keep(message)));
  return events;
}

/** All of an event but the session, which is named after content that is not known yet. */
function keep(event: EventLine): EventLine {
  return { ...event, session: '' };
}

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-equality-'));
process.stdout.write('| clip | events live | events of detect | only live | only detect |\n|---|---|---|---|---|\n');
for (const clip of process.argv.slice(2)) {
  const game = await openGame(basename(dirname(clip)));
  const path = join(folder, `${basename(clip)}.mkv`);
  const input = ['-readrate', '12', '-i', join(clip, 'video.mp4')];
  const writer = spawn('ffmpeg', ['-v', 'error', '-y', ...input, '-map', '0:v', '-c', 'copy', path], {
    stdio: 'inherit',
  });
  const live = await eventsOf(
    watch(parseLiveSource(path), game, { identity: '0'.repeat(32), idleSeconds: 4, readsAll: true }),
  );
  writer.kill();
  using source = await openSource(path);
  const detected = await eventsOf(detect(source, game, { place: 'default', workers: 1 }));
  const onlyLive = live.filter((event) => !detected.includes(event)).length;
  const onlyDetect = detected.filter((event) => !live.includes(event)).length;
  process.stdout.write(`| ${basename(clip)} | ${live.length} | ${detected.length} | ${onlyLive} | ${onlyDetect} |\n`);
}
rmSync(folder, { recursive: true });
process.exit();
