// Measures how sound changes the choice of scenes and cuts, on the sound as decoded by the ffmpeg command:
//   node bench/highlights/sound.ts <log>…            (DURATION=20 QUERY="player dies")
// For each log, with and without sound: the loudness of the chosen events relative to the overall level of the recording, the
// scenes that differ and why, and the loudness of the 100 ms around cuts. Needs the ffmpeg command (Debian: ffmpeg).
import { spawnSync } from 'node:child_process';
import { chooseScenes, type SceneChoice } from '../../src/highlights/choose.ts';
import { loadSources, makeQueryFilter } from '../../src/highlights/sources.ts';
import type { Scene } from '../../src/highlights/list.ts';
import { measureAudioLevels } from '../../src/media/write/audio-levels.ts';

const logs = process.argv.slice(2);
if (logs.length === 0) throw new RangeError('usage: sound.ts <log>…');
const duration = Number(process.env['DURATION'] ?? 20);
const RATE = 16_000;

function soundOf(path: string): Float32Array {
  const args = ['-v', 'error', '-i', path, '-map', '0:a:0', '-ac', '1', '-ar', `${RATE}`, '-f', 'f32le', '-'];
  const { stdout } = spawnSync('ffmpeg', args, { maxBuffer: 1 << 30 });
  return new Float32Array(stdout.buffer, stdout.byteOffset, Math.floor(stdout.length / 4));
}

/** Root mean square from `from` to `to` seconds, in decibels. */
function level(sound: Float32Array, from: number, to: number): number {
  const part = sound.subarray(Math.max(0, Math.round(from * RATE)), Math.round(to * RATE));
  const power = part.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, part.length);
  return 10 * Math.log10(power + 1e-10);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Events that scenes are named after. */
function peaks({ scenes }: SceneChoice): number[] {
  return scenes.map(({ events }) => events.toSorted((a, b) => b.score - a.score)[0]!.event.t);
}

function name({ start, end, because }: Scene): string {
  return `${start.toFixed(1)}–${end.toFixed(1)} ${because}`;
}

function overlap(a: Scene, b: Scene): boolean {
  return a.start < b.end && b.start < a.end;
}

for (const log of logs) {
  const gathered = await loadSources([log]);
  const { sources, dictionary } = gathered;
  const query = process.env['QUERY'];
  const asked = { dictionary, ...(query !== undefined && { include: makeQueryFilter([query], gathered) }) };
  const { media, header } = sources[0]!;
  const envelopes = [await measureAudioLevels(media!, header.media.duration)];
  const heard = chooseScenes(sources, { ...asked, duration, envelopes });
  const deaf = chooseScenes(sources, { ...asked, duration });
  const sound = soundOf(media!);
  const overall = level(sound, 0, header.media.duration);
  const above = (choice: SceneChoice) => mean(peaks(choice).map((t) => level(sound, t - 1, t + 1.5) - overall));
  process.stdout.write(
    `${header.media.name}: the chosen moments are ${above(heard).toFixed(1)} dB above the overall level with the sound, ${above(deaf).toFixed(1)} dB without\n`,
  );
  for (const scene of heard.scenes)
    process.stdout.write(`  ${deaf.scenes.some((other) => overlap(scene, other)) ? ' ' : '+'} ${name(scene)}\n`);
  for (const scene of deaf.scenes.filter((each) => !heard.scenes.some((other) => overlap(each, other))))
    process.stdout.write(`  − ${name(scene)}\n`);
  // All scenes of both, so that the same cuts are compared.
  const all = [envelopes, undefined].map((known) =>
    chooseScenes(sources, { ...asked, ...(known && { envelopes: known }) }).scenes.flatMap(({ start, end }) => [
      start,
      end,
    ]),
  );
  const cuts = all.map((times) =>
    times
      .filter((t) => t > 0.1 && t < header.media.duration - 0.1)
      .map((t) => level(sound, t - 0.05, t + 0.05) - overall),
  );
  process.stdout.write(
    `  ${cuts[0]!.length} cuts: ${mean(cuts[0]!).toFixed(1)} dB relative to the overall level with the sound, ${mean(cuts[1]!).toFixed(1)} dB without\n`,
  );
}
