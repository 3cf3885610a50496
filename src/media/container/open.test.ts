import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeVideo } from '../../../test/fixtures/videos.ts';
import { scanPackets } from '../packets/scan-packets.ts';
import { openVideo } from '../video.ts';
import { openFile } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-open-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A FIFO that nobody writes to: opening it for reading never returns. */
const canary = join(folder, 'canary.mp4');
execFileSync('mkfifo', [canary]);

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const dash = (target: string) =>
  `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT4S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet mimeType="video/mp4"><Representation id="0" bandwidth="1"><BaseURL>${target}</BaseURL></Representation></AdaptationSet></Period></MPD>`;
const hls = (target: string) =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-VERSION:3\n#EXTINF:4.0,\n${target}\n#EXT-X-ENDLIST\n`;
const imf = `<?xml version="1.0"?><CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"><Id>urn:uuid:8713c020-2489-45f5-a9f7-87be539e20b5</Id><ContentTitle>x</ContentTitle><EditRate>24 1</EditRate><SegmentList></SegmentList></CompositionPlaylist>`;

describe('a recording is one file', () => {
  const files: readonly (readonly [string, string, RegExp])[] = [
    ['dash.mp4', dash('canary.mp4'), /is a DASH manifest: it names other files/],
    ['absolute.mp4', dash(`file://${canary}`), /is a DASH manifest: it names other files/],
    ['list.m3u8', hls(canary), /is an HLS playlist: it names other files/],
    ['list.mp4', hls(`file://${canary}`), /is an HLS playlist: it names other files/],
    ['upwards.ts', hls(`../${folder.split('/').at(-1)}/canary.mp4`), /is an HLS playlist: it names other files/],
    ['composition.mov', imf, /is an IMF composition playlist: it names other files/],
    ['self.mp4', 'ffconcat version 1.0\nfile self.mp4\nfile canary.mp4\n', /is a list of files \(ffconcat\)/],
    [
      'session.mkv',
      'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\n',
      /is a session description/,
    ],
  ];
  it.each(files)('refuses %s and opens nothing else', (name, content, message) => {
    const path = write(name, content);
    expect(() => openVideo(path)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(message),
        code: 'refers-to-files',
        hint: expect.stringContaining('one-file.mkv'),
      }),
    );
  });

  it('refuses what is not a regular file before opening it', () => {
    for (const path of [canary, '/dev/zero', folder])
      for (const open of [openVideo, openFile])
        expect(() => open(path)).toThrow(expect.objectContaining({ code: 'not-a-video' }));
  });

  it('does not follow the reference of a QuickTime track to another file', () => {
    const path = join(folder, 'reference.mov');
    makeVideo({ path, pts: Array.from({ length: 40 }, (_, i) => i * 40), timeBase: { num: 1, den: 1000 } });
    writeFileSync(path, referTo(canary, readFileSync(path)));
    using file = openVideo(path);
    expect(scanPackets(file).t).toHaveLength(0);
  });
});

/** The alias record of a file (Inside Macintosh: Files, “Alias Manager”) with its path, in the fields that FFmpeg reads. */
function aliasOf(path: string): Buffer {
  const name = path.split('/').at(-1)!;
  const record = Buffer.alloc(150 + 8 + path.length + (path.length & 1));
  record[50] = name.length;
  record.write(name, 51, 'latin1');
  record.writeUInt16BE(1, 130);
  record.writeUInt16BE(1, 132);
  record.writeUInt16BE(2, 150);
  record.writeUInt16BE(path.length, 152);
  record.write(path.replaceAll('/', ':'), 154, 'latin1');
  record.writeUInt16BE(0xffff, record.length - 4);
  return record;
}

function box(type: string, ...content: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.reduce((sum, { length }) => sum + length, 0), 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, ...content]);
}

/** Replaces the boxes at a path of types (ISO/IEC 14496-12 §4.2). */
function replaceBoxes(bytes: Buffer, [type, ...inner]: readonly string[], content: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const own = bytes.toString('latin1', at + 4, at + 8);
    const body = bytes.subarray(at + 8, at + size);
    if (own !== type) parts.push(bytes.subarray(at, at + size));
    else parts.push(box(own, inner.length > 0 ? replaceBoxes(body, inner, content) : content));
    at += size;
  }
  return Buffer.concat(parts);
}

/** Makes the tracks of a mov file refer to another file. */
function referTo(path: string, file: Buffer): Buffer {
  const version = Buffer.alloc(4);
  const count = Buffer.from([0, 0, 0, 1]);
  const references = Buffer.concat([version, count, box('alis', version, aliasOf(path))]);
  return replaceBoxes(file, ['moov', 'trak', 'mdia', 'minf', 'dinf', 'dref'], references);
}
