// Compares exports to editing programs with the reel of the same scenes, as other programs read them:
//   node bench/highlights/exports.ts <log folder> [highlights options …]
// Frames of the reel by ffprobe; of MLT by melt, and checked by xmllint with MLT's DTD; of EDL and xmeml by their own arithmetic; XML of
// FCPXML and xmeml by xmllint. Needs ffprobe, melt and xmllint (Debian: ffmpeg, melt, libxml2-utils).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launcher } from '../../test/paths.ts';

const [log, ...options] = process.argv.slice(2);
if (log === undefined) throw new RangeError('usage: exports.ts <log folder> [highlights options …]');
const folder = mkdtempSync(join(tmpdir(), 'exports-'));
const MLT_DTD = '/usr/share/mlt-7/xml/mlt-xml.dtd';

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { maxBuffer: 1 << 28 });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr.toString()}`);
  return stdout.toString();
}

const reel = join(folder, 'reel.mp4');
run(process.execPath, launcher, 'highlights', log, ...options, '-o', reel);
const count = ['-v', 'error', '-count_packets', '-select_streams', 'v:0', '-show_entries', 'stream=nb_read_packets'];
const frames = Number.parseInt(run('ffprobe', ...count, '-of', 'csv=p=0', reel), 10);
const formats = ['mlt', 'fcpxml', 'xmeml', 'otio'];
const paths = formats.map((format) => join(folder, `edit.${format}`));
const outputs = formats.flatMap((format, index) => ['-f', format, '-o', paths[index]!]);
run(process.execPath, launcher, 'export', log, ...options, ...outputs);
const [mlt, fcpxml, xmeml, otio] = paths as [string, string, string, string];
run('melt', mlt, '-consumer', `xml:${mlt}.read`, 'all=1');
const read = readFileSync(`${mlt}.read`, 'utf8');
const melted = Number(/<property name="length">(\d+)<\/property>/.exec(read.slice(read.indexOf('<producer')))?.[1]);
// MLT's own DTD declares the content of an element without parentheses, which XML does not allow.
const dtd = join(folder, 'mlt.dtd');
writeFileSync(
  dtd,
  readFileSync(MLT_DTD, 'utf8').replaceAll(
    /<!ELEMENT (\S+) (property|properties) >/g,
    '<!ELEMENT $1 (property|properties)* >',
  ),
);
const validity = spawnSync('xmllint', ['--noout', '--dtdvalid', dtd, mlt]).stderr.toString().trim();
run('xmllint', '--noout', fcpxml);
const clips = run('xmllint', '--xpath', '//video/track/clipitem/start | //video/track/clipitem/end', xmeml);
const sequence = Number(run('xmllint', '--xpath', 'string(/xmeml/sequence/duration)', xmeml));
const track = JSON.parse(readFileSync(otio, 'utf8')).tracks.children[0];
const timeline = track.children.reduce(
  (sum: number, clip: { source_range: { duration: { value: number } } }) => sum + clip.source_range.duration.value,
  0,
);
rmSync(folder, { recursive: true });
console.log(
  `${log}: reel ${frames} frames, melt ${melted}, xmeml ${sequence} (${clips.match(/<end>/g)?.length} clips), OTIO ${timeline}; MLT's DTD: ${validity === '' ? 'valid' : validity.split('\n')[0]}`,
);
