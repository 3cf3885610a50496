// Writes event logs from the independent truth of clips instead of from their frames, for work on highlights:
//   node bench/highlights/logs.ts <folder to write> <clip folder>…
// Each clip folder holds video.mp4 and truth.json; <folder>/<clip>.mp4 becomes a copy of the video, and the log is
// <folder>/<clip>.mp4.playbyplay.
import { constants } from 'node:fs';
import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { render } from '../../src/dictionary/sentences/render.ts';
import type { EventLine, LogLine } from '../../src/events/log.ts';
import { loadTruth } from '../../test/truth/truth.ts';

const [out, ...clips] = process.argv.slice(2);
if (out === undefined) throw new RangeError('usage: logs.ts <folder> <clip folder>…');
const { dictionary } = await loadBuiltin();
const zero = { name: 'truth', version: '1.0.0', hash: '0' };

for (const clip of clips) {
  const truth = await loadTruth(clip);
  const session = basename(resolve(clip));
  const media = join(resolve(clip), 'video.mp4');
  const name = `${session}.mp4`;
  const folder = join(out, `${name}.playbyplay`);
  await mkdir(folder, { recursive: true });
  // Links that lead out of a folder of logs are not followed.
  await copyFile(media, join(out, name), constants.COPYFILE_FICLONE);
  const events = truth.raw.flatMap(({ t, statement }, index): EventLine[] => {
    let text: string;
    try {
      text = render(statement, dictionary);
    } catch (error) {
      if (error instanceof RangeError) return [];
      throw error;
    }
    return [
      { type: 'event', id: `${index}`, t, end: t, game: truth.game, session, text, statement, confidence: 1, cues: [] },
    ];
  });
  const header: LogLine = {
    type: 'header',
    format: 'playbyplay/1',
    game: truth.game,
    session,
    media: {
      name,
      hash: '0',
      bytes: (await stat(media)).size,
      duration: truth.frames / truth.fps,
      width: truth.width ?? 1280,
      height: truth.height ?? 720,
      frameRate: { num: truth.fps, den: 1 },
      start: 0,
    },
    profile: zero,
    dictionaries: ['common', truth.game].map((each) => ({ ...zero, name: each })),
    plan: { kind: 'full', interval: 0.1 },
    program: '0',
  };
  const end: LogLine = { type: 'end', events: events.length, gaps: 0, samples: 0 };
  const lines = [header, ...events, end].map((line) => JSON.stringify(line)).join('\n');
  await writeFile(join(folder, 'events.ndjson'), `${lines}\n`);
  process.stdout.write(
    `${folder}: ${events.length} events, ${truth.raw.length - events.length} without a known word\n`,
  );
}
