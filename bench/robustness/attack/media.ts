// Recordings that are something else, name other files, promise more than they hold, or keep the program busy.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttackCase, Expectation } from './case.ts';

const group = 'media';
const footage = join(import.meta.dirname, '..', '..', '..', 'test', 'footage', 'freedoom-demo1.mp4');

function ffmpeg(folder: string, ...args: readonly string[]): void {
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args], { cwd: folder });
}

/** Cuts the beginning of a recording: the file that must not be read. */
function cut(folder: string, file: string, ...args: readonly string[]): void {
  ffmpeg(folder, '-t', '4', '-i', footage, ...(args.length > 0 ? args : ['-c', 'copy']), file);
}

/** A FIFO that nobody writes to: whoever opens it for reading waits for ever. */
function canary(folder: string): string {
  const path = join(folder, 'canary.mp4');
  if (!existsSync(path)) execFileSync('mkfifo', [path]);
  return path;
}

const DETECT = ['--game', 'freedoom', '--out', 'log'];
const detect = (file: string, ...options: readonly string[]): string[] => ['detect', file, ...DETECT, ...options];

/** No file of the log may exist: nothing was read. */
const wroteNothing = (folder: string): string | undefined =>
  readdirSync(folder).some((file) => file === 'log' || file.endsWith('.playbyplay')) ? 'a log was written' : undefined;

const dash = (target: string): string =>
  `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT4S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet mimeType="video/mp4"><Representation id="0" bandwidth="1"><BaseURL>${target}</BaseURL></Representation></AdaptationSet></Period></MPD>`;
const hls = (target: string): string =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-VERSION:3\n#EXTINF:4.0,\n${target}\n#EXT-X-ENDLIST\n`;
const IMF_CPL =
  '<?xml version="1.0"?><CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"><Id>urn:uuid:8713c020-2489-45f5-a9f7-87be539e20b5</Id><ContentTitle>x</ContentTitle><EditRate>24 1</EditRate><SegmentList></SegmentList></CompositionPlaylist>';

/** A text under the name of a recording, next to a FIFO that it may name. */
function text(
  name: string,
  file: string,
  content: (canary: string) => string,
  says: RegExp,
  command: (file: string) => readonly string[] = detect,
): AttackCase {
  return {
    group,
    name,
    make(folder) {
      writeFileSync(join(folder, file), content(canary(folder)));
      return command(file);
    },
    expect: { says, check: wroteNothing, seconds: 30 },
  };
}

const DASH = /is a DASH manifest: it names other files/;
const HLS = /is an HLS playlist: it names other files/;

const references: readonly AttackCase[] = [
  text('DASH manifest of a neighbour', 'a.mp4', () => dash('canary.mp4'), DASH),
  text('DASH manifest with an absolute path', 'a.mkv', dash, DASH),
  text('DASH manifest with file://', 'a.mp4', (path) => dash(`file://${path}`), DASH),
  text('DASH manifest with an address', 'a.mp4', () => dash('http://127.0.0.1:9/x.mp4'), DASH),
  text('HLS playlist of a neighbour', 'a.m3u8', () => hls('canary.mp4'), HLS),
  text('HLS playlist with file://', 'a.m3u8', (path) => hls(`file://${path}`), HLS),
  text('HLS playlist upwards', 'a.m3u8', () => hls('../../../../../../etc/hostname'), HLS),
  text('HLS playlist named mp4', 'a.mp4', hls, HLS),
  text('IMF composition', 'a.mp4', () => IMF_CPL, /is an IMF composition playlist/),
  text('ffconcat of itself', 'a.mp4', () => 'ffconcat version 1.0\nfile a.mp4\nfile a.mp4\n', /is a list of files/),
  text('ffconcat of a neighbour', 'a.ts', () => 'ffconcat version 1.0\nfile canary.mp4\n', /is a list of files/),
  text('session description', 'a.mp4', () => 'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\n', /is a session description/),
  text('series of pictures', 'a%03d.png', () => 'x'.repeat(100), /./),
  text('address as a name', 'a.mp4', () => 'x', /no file/, () => detect('http://127.0.0.1:9/a.mp4')),
  text('protocol as a name', 'a.mp4', () => 'x', /no file/, () => detect('concat:a.mp4|canary.mp4')),
  text('text named mp4', 'a.mp4', () => 'not a recording\n'.repeat(100), /not a video/),
]; // biome-ignore format: a table

/** Every command that opens a recording, on a manifest. */
const openers: readonly AttackCase[] = (
  [
    ['quality', (file) => ['quality', 'score', file]],
    ['align', (file) => ['align', 'victim.mp4', file]],
    ['profile try', (file) => ['profile', 'try', 'freedoom', file, '--at', '1']],
    ['profile place', (file) => ['profile', 'place', file, '--game', 'freedoom']],
    [
      'profile learn sound',
      (file) => ['profile', 'sound', file, '--from', '1', '--to', '2', '--label', 'x', '--out', 'sound.wav'],
    ],
    ['profile export', (file) => ['profile', 'export', 'freedoom', file, '--out', 'crops']],
    ['detect without a game', (file) => ['detect', file]],
    ['highlights', () => ['highlights', 'logs', '--duration', 'all', '--out', 'reel.mp4']],
  ] as readonly (readonly [string, (file: string) => readonly string[]])[]
).map(
  ([name, command]): AttackCase => ({
    group,
    name: `DASH manifest given to ${name}`,
    make(folder) {
      cut(folder, 'victim.mp4');
      writeFileSync(join(folder, 'a.mp4'), dash('victim.mp4'));
      if (name === 'highlights') writeLog(folder);
      return command('a.mp4');
    },
    expect: {
      exit: [1, 2],
      says: name === 'highlights' ? /DASH manifest|a\.mp4/ : name === 'quality' ? /no supported format/ : DASH,
      check: (folder) => (existsSync(join(folder, 'reel.mp4')) ? 'a reel was made' : undefined),
    },
  }),
);

/** Writes the log of a recording `a.mp4` with one event. */
function writeLog(folder: string): void {
  const fingerprint = { name: 'freedoom', version: '1', hash: '0'.repeat(32) };
  const media = { name: 'a.mp4', hash: '0'.repeat(32), bytes: 1, duration: 4, width: 1280, height: 720, start: 0 };
  const common = { game: 'freedoom', session: 's' };
  const lines = [
    { type: 'header', format: 'playbyplay/1', ...common, media, profile: fingerprint, dictionaries: [], plan: { kind: 'full', interval: 0.1 }, program: '0.1.0' },
    { type: 'event', id: 'e1', t: 2, end: 2, ...common, text: 'player obtains shotgun', statement: { subject: 'player', action: 'obtain', object: 'shotgun' }, confidence: 1, cues: [] },
    { type: 'end', events: 1, gaps: 0, samples: 1 },
  ]; // biome-ignore format: a line of the log each
  execFileSync('mkdir', ['-p', join(folder, 'logs')]);
  writeFileSync(join(folder, 'logs', 'events.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  execFileSync('cp', [join(folder, 'a.mp4'), join(folder, 'logs', 'a.mp4')]);
}

/** Something that is not a file in the place of a recording. */
function special(name: string, make: (folder: string) => readonly string[]): AttackCase {
  return { group, name, make, expect: { says: /is not a regular file|is a folder/, check: wroteNothing, seconds: 20 } };
}

const specials: readonly AttackCase[] = [
  special('FIFO', (folder) => detect(canary(folder))),
  special('link to a FIFO', (folder) => {
    symlinkSync(canary(folder), join(folder, 'a.mp4'));
    return detect('a.mp4');
  }),
  special('device', () => detect('/dev/zero')),
  special('terminal', () => detect('/dev/tty')),
  special('folder', () => detect('.')),
  special('standard input', () => detect('/dev/stdin')),
];

/** A recording made by ffmpeg and changed. */
function altered(name: string, make: (folder: string) => readonly string[], expect: Expectation): AttackCase {
  return { group, name, make, expect: { seconds: 60, ...expect } };
}

/** Overwrites 32-bit numbers after the first occurrence of a box's type. */
function patchBox(folder: string, name: string, type: string, values: Readonly<Record<number, number>>): void {
  const bytes = readFileSync(join(folder, name));
  const at = bytes.indexOf(type, 0, 'latin1') + 4;
  for (const [offset, value] of Object.entries(values)) bytes.writeUInt32BE(value, at + Number(offset));
  writeFileSync(join(folder, name), bytes);
}

const READ_OR_REFUSED: Expectation = { exit: [0, 1, 3] };

const promises: readonly AttackCase[] = [
  altered(
    'pictures of 15,360²',
    (folder) => {
      const source = ['-f', 'lavfi', '-i', 'color=s=15360x15360:r=2:d=1'];
      ffmpeg(folder, ...source, '-c:v', 'mjpeg', '-q:v', '31', '-pix_fmt', 'yuvj420p', 'a.avi');
      return detect('a.avi');
    },
    { exit: [1], says: /235929600 pixels in a picture.*\n.*--limit pixels/, megabytes: 600 },
  ),
  altered(
    'last picture after 300 years',
    (folder) => {
      cut(folder, 'a.mkv', '-c', 'copy', '-an', '-bsf:v', "setts=ts='if(eq(N,139),9467280000000,TS)'");
      return detect('a.mkv');
    },
    { exit: [1], says: /hours by its timestamps.*\n.*--limit hours/ },
  ),
  altered(
    'last picture after 300 years, limit raised',
    (folder) => {
      cut(folder, 'a.mkv', '-c', 'copy', '-an', '-bsf:v', "setts=ts='if(eq(N,139),9467280000000,TS)'");
      return detect('a.mkv', '--limit', 'hours=9000000');
    },
    { exit: [0] },
  ),
  altered(
    'a picture a century, adaptive plan, limit raised',
    (folder) => {
      cut(folder, 'a.mkv', '-c', 'copy', '-an', '-bsf:v', "setts=ts='TS*100000000'");
      return detect('a.mkv', '--plan', 'adaptive', '--limit', 'hours=90000000');
    },
    READ_OR_REFUSED,
  ),
  altered(
    '150 streams',
    (folder) => {
      const maps = Array.from({ length: 150 }, () => ['-map', '0:v']).flat();
      cut(folder, 'a.mkv', '-t', '0.2', ...maps, '-c', 'copy');
      return detect('a.mkv');
    },
    { exit: [1], says: /101 streams, more than 100.*\n.*--limit streams/ },
  ),
  altered(
    'table of 4 billion samples',
    (folder) => {
      cut(folder, 'a.mp4');
      patchBox(folder, 'a.mp4', 'stsz', { 4: 1, 8: 0xffff_fff0 });
      return detect('a.mp4');
    },
    READ_OR_REFUSED,
  ),
  altered(
    'table of 4 billion samples in one chunk',
    (folder) => {
      cut(folder, 'a.mp4');
      patchBox(folder, 'a.mp4', 'stsz', { 4: 1, 8: 0x7fff_fff0 });
      patchBox(folder, 'a.mp4', 'stsc', { 12: 0x7fff_fff0 });
      return detect('a.mp4');
    },
    READ_OR_REFUSED,
  ),
  altered(
    'edit list of centuries',
    (folder) => {
      cut(folder, 'a.mp4');
      patchBox(folder, 'a.mp4', 'elst', { 8: 0x7fff_ffff, 12: 0x7fff_ffff });
      return detect('a.mp4');
    },
    READ_OR_REFUSED,
  ),
  altered(
    'resolution and shape that change',
    (folder) => {
      const encode = ['-an', '-c:v', 'libx264', '-preset', 'ultrafast'];
      cut(folder, '1.ts', ...encode);
      cut(folder, '2.ts', '-vf', 'scale=640:360', ...encode);
      cut(folder, '3.ts', '-vf', 'scale=640:480', ...encode);
      const parts = ['1.ts', '2.ts', '3.ts'].map((part) => readFileSync(join(folder, part)));
      writeFileSync(join(folder, 'a.ts'), Buffer.concat(parts));
      return detect('a.ts');
    },
    {
      exit: [0],
      check: (folder) =>
        readFileSync(join(folder, 'log', 'events.ndjson'), 'utf8').includes('changes its shape here, to 640×480')
          ? undefined
          : 'no gap for the other shape',
    },
  ),
];

/** An EBML element (RFC 8794) with a size of four bytes. */
function element(id: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE((0x10000000 | content.length) >>> 0);
  return Buffer.concat([Buffer.from(id, 'hex'), size, content]);
}

/** Makes a Matroska file say that it goes on in another one: NextFilename and NextUUID (RFC 9559 §5.1.2), in front of its first cluster. */
function linkSegment(path: string, target: string): void {
  const bytes = readFileSync(path);
  const next = [element('3e83bb', Buffer.from(target)), element('3eb923', Buffer.alloc(16, 7))];
  const info = element('1549a966', Buffer.concat([element('2ad7b1', Buffer.from([0x0f, 0x42, 0x40])), ...next]));
  const cluster = bytes.indexOf(Buffer.from('1f43b675', 'hex'));
  writeFileSync(path, Buffer.concat([bytes.subarray(0, cluster), info, bytes.subarray(cluster)]));
}

/** The size of the picture that a log is about. */
const readSize = (folder: string): string => {
  const [header = '{}'] = readFileSync(join(folder, 'log', 'events.ndjson'), 'utf8').split('\n');
  const { media } = JSON.parse(header) as { readonly media: { readonly width: number; readonly height: number } };
  return `${media.width}x${media.height}`;
};

/** Files with more than one video and a sound track. */
const streams: readonly AttackCase[] = [
  altered(
    'Matroska segment that goes on in a neighbour',
    (folder) => {
      // Streamed files have no index, whose positions would no longer be right.
      cut(folder, 'a.mkv', '-c', 'copy', '-live', '1');
      linkSegment(join(folder, 'a.mkv'), canary(folder));
      return detect('a.mkv');
    },
    { exit: [0], check: (folder) => (readSize(folder) === '1280x720' ? undefined : 'another recording was read') },
  ),
  altered(
    'Matroska attachment with a path',
    (folder) => {
      writeFileSync(join(folder, 'font'), 'x'.repeat(1000));
      const attachment = ['-attach', 'font', '-metadata:s:t', 'mimetype=application/x-truetype-font'];
      cut(folder, 'a.mkv', '-c', 'copy', ...attachment, '-metadata:s:t', 'filename=../evil.ttf');
      return detect('a.mkv');
    },
    {
      exit: [0],
      check: (folder) =>
        [folder, join(folder, '..')].some((place) => existsSync(join(place, 'evil.ttf')))
          ? 'the attachment was written'
          : undefined,
    },
  ),
  altered(
    'cover picture in front of the video',
    (folder) => {
      ffmpeg(folder, '-f', 'lavfi', '-i', 'color=red:s=64x64', '-frames:v', '1', 'cover.png');
      const maps = ['-map', '0', '-map', '1', '-c', 'copy', '-disposition:v:0', 'attached_pic'];
      ffmpeg(folder, '-i', 'cover.png', '-t', '4', '-i', footage, ...maps, 'a.mp4');
      return detect('a.mp4');
    },
    { exit: [0], check: (folder) => (readSize(folder) === '1280x720' ? undefined : 'the cover was read') },
  ),
  altered(
    'DASH manifest as a companion recording',
    (folder) => {
      cut(folder, 'victim.mp4');
      writeFileSync(join(folder, 'a.mp4'), dash('victim.mp4'));
      const profile = {
        format: 'playbyplay/profile/1',
        game: 'two',
        title: 'Two',
        version: '1.0.0',
        reference: { width: 1280, height: 720 },
        media: { second: { reference: { width: 1280, height: 720 } } },
        regions: { whole: { x: 0, y: 0, width: 1, height: 1 } },
        detectors: { light: { kind: 'motion', of: 'black', region: 'whole', media: 'second' } },
      };
      writeFileSync(join(folder, 'profile.json'), JSON.stringify(profile));
      return ['detect', 'victim.mp4', '--game', 'profile.json', '--media', 'second=a.mp4@0', '--out', 'log'];
    },
    { exit: [1, 2], says: DASH },
  ),
];

const interruptions: readonly AttackCase[] = (['SIGINT', 'SIGTERM'] as const).flatMap((signal) => [
  altered(
    `${signal} while a recording is read`,
    () => detect(footage),
    { interrupt: { signal, after: 3 }, exit: [130] },
  ),
  altered(
    `${signal} while a plug-in never returns`,
    (folder) => {
      writeFileSync(join(folder, 'endless.js'), 'for (;;);\n');
      return detect(footage, '--plugin', './endless.js');
    },
    { interrupt: { signal, after: 2 } },
  ),
]); // biome-ignore format: a case each

/** The commands on hostile recordings. */
export const cases: readonly AttackCase[] = [
  ...references,
  ...openers,
  ...specials,
  ...promises,
  ...streams,
  ...interruptions,
];
