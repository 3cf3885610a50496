// Checks what the scenes of a reel are:
//   node bench/highlights/scenes.ts <log folder …> [-- highlights options …]
// Printed for each log: scenes and seconds; defeats of the player inside a scene (before its last 0.1 s) and respawns inside; black and
// frozen seconds of the reel by ffmpeg's blackdetect and freezedetect; level of the sound at the cuts against the mean of the three
// seconds around them, in decibels (below 0: cut at a quieter moment). Needs the ffmpeg command.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPropertyStatement, wordOf } from '../../src/events/statement.ts';
import type { HighlightList } from '../../src/highlights/list.ts';
import { loadSources } from '../../src/highlights/sources.ts';
import { endsPlayerLife, isAnyOf } from '../../src/highlights/weights.ts';
import { meanLevel, measureAudioLevels } from '../../src/media/write/audio-levels.ts';
import { launcher } from '../../test/paths.ts';

const at = process.argv.indexOf('--');
const logs = process.argv.slice(2, at < 0 ? undefined : at);
const options = at < 0 ? [] : process.argv.slice(at + 1);
const folder = mkdtempSync(join(tmpdir(), 'scenes-'));

function total(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((sum, match) => sum + Number(match[1]), 0);
}

for (const log of logs) {
  const [reel, json] = [join(folder, 'reel.mp4'), join(folder, 'list.json')];
  const made = spawnSync(process.execPath, [launcher, 'highlights', log, ...options, '-o', reel, '-o', json]);
  if (made.status !== 0) {
    console.log(`${log}: ${made.stderr.toString().trim()}`);
    continue;
  }
  const list = JSON.parse(readFileSync(json, 'utf8')) as HighlightList;
  const { sources, dictionary } = await loadSources([log]);
  const [{ events, media, header }] = sources as [(typeof sources)[number]];
  const inside = (test: (event: (typeof events)[number]) => boolean): number =>
    list.scenes.reduce(
      (sum, { start, end }) =>
        sum + events.filter((event) => event.t > start + 0.1 && event.t < end - 0.1 && test(event)).length,
      0,
    );
  const defeats = inside(({ statement }) => endsPlayerLife(statement, dictionary));
  const respawns = inside(
    ({ statement }) =>
      !isPropertyStatement(statement) &&
      wordOf(statement.subject) === 'player' &&
      isAnyOf(dictionary, statement.action, 'action', 'spawn'),
  );
  const watch = [
    '-hide_banner',
    '-i',
    reel,
    '-vf',
    'blackdetect=d=0.2,freezedetect=n=0.001:d=1',
    '-an',
    '-f',
    'null',
    '-',
  ];
  const seen = spawnSync('ffmpeg', watch).stderr.toString();
  const levels = await measureAudioLevels(media!, header.media.duration);
  const cuts = list.scenes.flatMap(({ start, end }) => [start, end]);
  const quiet = levels
    ? cuts
        .map((t) => meanLevel(levels, t - 0.05, t + 0.05) - meanLevel(levels, t - 1.5, t + 1.5))
        .toSorted((a, b) => a - b)
    : [];
  console.log(
    `${log}: ${list.scenes.length} scenes, ${list.duration.toFixed(1)} s; defeats inside ${defeats}, respawns inside ${respawns}; ` +
      `black ${total(seen, /black_duration:([\d.]+)/g).toFixed(1)} s, frozen ${total(seen, /freeze_duration: ([\d.]+)/g).toFixed(1)} s; ` +
      `sound at cuts ${(quiet[Math.floor(quiet.length / 2)] ?? 0).toFixed(1)} dB (median)`,
  );
}
rmSync(folder, { recursive: true });
