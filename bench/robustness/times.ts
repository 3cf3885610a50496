// Presentation times against ffprobe's, over containers, codecs and oddities: `node bench/robustness/times.ts [--keep <folder>] [name part]…`.
// Small files are made by the ffmpeg command; for each: do the scanned times equal those of ffprobe's decoded frames, to the
// microsecond after rounding, and does every frame come out of the decoder at its time? Ends with 1 if any does not.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/errors.ts';
import { readAudio } from '../../src/media/audio.ts';
import { isProblem, readPictures } from '../../src/media/decode/decode.ts';
import { chunksOf, scanPackets } from '../../src/media/scan/packets.ts';
import { openVideo } from '../../src/media/video.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { keep: { type: 'string' } } });
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'media-'));
mkdirSync(folder, { recursive: true });

const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '15'];
const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error:bframes=3:keyint=15'];
const VP9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-g', '15'];
const AV1 = ['-c:v', 'libsvtav1', '-preset', '12', '-g', '15', '-svtav1-params', 'lookahead=0'];
const MPEG4 = ['-c:v', 'mpeg4', '-g', '15'];
const AAC = ['-c:a', 'aac'];
const OPUS = ['-c:a', 'libopus'];

/** Name (with its ending) and the ffmpeg arguments behind the inputs. */
const cases: readonly (readonly [name: string, args: readonly string[], source?: readonly string[]])[] = [
  ...['mp4', 'mov', 'mkv', 'ts', 'flv', 'avi'].map((end) => [`h264.${end}`, [...H264, ...AAC]] as const),
  ...['mp4', 'mov', 'mkv', 'ts'].map((end) => [`hevc.${end}`, [...HEVC, ...AAC]] as const),
  ...['webm', 'mkv', 'mp4'].map((end) => [`vp9.${end}`, [...VP9, ...OPUS]] as const),
  ...['webm', 'mkv', 'mp4'].map((end) => [`av1.${end}`, [...AV1, ...OPUS]] as const),
  ['mpeg4.avi', [...MPEG4, ...AAC]],
  ['variable-rate.mp4', [...H264, '-vf', "setpts='(N+0.4*mod(N*N,7))/30/TB'", '-fps_mode', 'vfr', ...AAC]],
  ['variable-rate.mkv', [...H264, '-vf', "setpts='(N+0.4*mod(N*N,7))/30/TB'", '-fps_mode', 'vfr', ...AAC]],
  ['offset.ts', [...H264, '-output_ts_offset', '1234.5', ...AAC]],
  ['offset.mkv', [...H264, '-output_ts_offset', '7.25', ...AAC]],
  ['late-picture.mp4', [...H264, ...AAC], ['-itsoffset', '0.5']],
  ['ntsc.mp4', [...H264, '-r', '30000/1001', ...AAC]],
  ['rotated.mp4', [...H264, '-metadata:s:v', 'rotate=90']],
  ['ten-bit.mp4', ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', '-g', '15']],
  ['ten-bit.mkv', [...HEVC, '-pix_fmt', 'yuv420p10le']],
  [
    'hdr-pq.mkv',
    [
      ...HEVC,
      '-pix_fmt',
      'yuv420p10le',
      '-color_trc',
      'smpte2084',
      '-color_primaries',
      'bt2020',
      '-colorspace',
      'bt2020nc',
    ],
  ],
  ['odd-size.mkv', ['-c:v', 'libx264', '-preset', 'ultrafast', '-vf', 'scale=157:93,format=yuv444p', '-g', '15']],
  ['odd-size.webm', [...VP9, '-vf', 'scale=157:93,format=yuv420p']],
  ['four-two-two.mp4', [...H264, '-pix_fmt', 'yuv422p']],
  ['four-four-four.mp4', [...H264, '-pix_fmt', 'yuv444p']],
  ['full-range.mp4', [...H264, '-pix_fmt', 'yuvj420p', '-color_range', 'pc']],
  ['rgb.mkv', ['-c:v', 'ffv1', '-pix_fmt', 'bgr0']],
  [
    'interlaced.ts',
    ['-c:v', 'libx264', '-preset', 'ultrafast', '-flags', '+ildct+ilme', '-x264-params', 'tff=1:keyint=15'],
  ],
  ['open-groups.mkv', ['-c:v', 'libx264', '-bf', '3', '-x264-params', 'open-gop=1:keyint=12:b-pyramid=normal']],
  ['two-tracks.mkv', [...H264, '-map', '0:v', '-map', '1:a', '-map', '1:a', ...AAC]],
  ['fragmented.mp4', [...H264, '-movflags', 'frag_keyframe+empty_moov', ...AAC]],
  ['packed.avi', ['-c:v', 'libxvid', '-bf', '2', '-g', '15', '-q:v', '3']],
  ['low-delay.avi', [...MPEG4, '-vf', "select='not(between(n,20,24))'", '-fps_mode', 'vfr']],
  ['motion-jpeg.avi', ['-c:v', 'mjpeg']],
  ['program.mpg', ['-c:v', 'mpeg2video', '-bf', '2', '-g', '15']],
  ['refresh.mkv', ['-c:v', 'libx264', '-x264-params', 'intra-refresh=1:keyint=15:bframes=0']],
  ['refresh.ts', ['-c:v', 'libx264', '-x264-params', 'intra-refresh=1:keyint=15:bframes=0']],
  ['hevc-open.mp4', ['-c:v', 'libx265', '-x265-params', 'log-level=error:open-gop=1:keyint=20:bframes=4']],
  ['hidden.webm', ['-c:v', 'libvpx-vp9', '-auto-alt-ref', '1', '-lag-in-frames', '16', '-b:v', '200k', '-g', '20']],
  ['profile-2.mkv', [...VP9, '-pix_fmt', 'yuv420p10le', '-profile:v', '2']],
  ['wrapped.ts', [...H264, '-output_ts_offset', '95442.5', ...AAC]],
  ['hours.ts', [...H264, '-output_ts_offset', '72000', ...AAC]],
  ['fast.mkv', [...H264, '-r', '144']],
  ['utvideo.avi', ['-c:v', 'utvideo']],
  ['dropped-packets.ts', [...H264, '-bsf:v', "noise=drop='eq(mod(n,23),11)'", '-an']],
];

let failed = 0;
for (const [name, args, source = []] of cases) {
  if (positionals.length > 0 && !positionals.some((part) => name.includes(part))) continue;
  const path = join(folder, name);
  const inputs = [...source, '-f', 'lavfi', '-i', 'testsrc2=s=160x96:r=30:d=2', '-f', 'lavfi', '-i', 'sine=d=2'];
  const made = spawnSync('ffmpeg', ['-v', 'error', '-y', ...inputs, ...args, path], {
    encoding: 'utf8',
  });
  const verdict = made.status === 0 ? compare(path) : `not made: ${made.stderr.trim().split('\n').at(-1)}`;
  const good = verdict.startsWith('ok') || verdict.startsWith('not made');
  if (!good) failed++;
  console.log(`${good ? ' ' : '!'} ${name.padEnd(20)} ${verdict}`);
}
if (values.keep === undefined) rmSync(folder, { recursive: true });
if (failed > 0) process.exitCode = 1;

function compare(path: string): string {
  try {
    using file = openVideo(path);
    const index = scanPackets(file);
    const probed = ffprobeTimes(path);
    const [, ...wrong] = Array.from({ length: Math.max(probed.length, index.t.length) + 1 }, (_, i) => i - 1).filter(
      (i) => i < 0 || !(Number.isNaN(probed[i]) || Math.abs(probed[i]! - index.t[i]!) < 2e-6),
    );
    let decoded = 0;
    const problems: string[] = [];
    for (const chunk of chunksOf(index, { minSeconds: 0.5 })) {
      const wanted = Array.from({ length: chunk.lastFrame - chunk.firstFrame }, (_, i) => chunk.firstFrame + i);
      for (const item of readPictures(file, index, chunk, wanted)) {
        if (isProblem(item)) problems.push(`${item.t}–${item.end} ${item.reason}`);
        else {
          decoded++;
          item[Symbol.dispose]();
        }
      }
    }
    const sound = file.info.audio.map(({ track }) => {
      let samples = 0;
      for (const block of readAudio(path, { track, sampleRate: 16_000 })) samples += block.samples.length;
      return `${(samples / 16_000).toFixed(2)} s`;
    });
    const { info } = file;
    const facts = [
      `${info.codec} ${info.width}×${info.height} ${info.pixelFormat}`,
      `${decoded}/${index.t.length} frames`,
    ];
    if (info.rotation !== 0) facts.push(`${info.rotation}°`);
    if (sound.length > 0) facts.push(`sound ${sound.join(', ')}`);
    if (problems.length > 0) facts.push(`${problems.length} gaps: ${problems[0]}`);
    if (wrong.length === 0) return `ok ${facts.join(', ')}`;
    const first = wrong[0]!;
    return `${wrong.length} times differ, first frame ${first}: ${index.t[first]} instead of ${probed[first]} (${index.t.length} frames, ffprobe ${probed.length}); ${facts.join(', ')}`;
  } catch (error) {
    return messageOf(error);
  }
}

/** Seconds of the decoded frames after the first, by another reader; NaN where it does not know (the last ones of an avi). */
function ffprobeTimes(path: string): number[] {
  const show = [
    '-v',
    'error',
    '-select_streams',
    'v',
    '-show_entries',
    'frame=best_effort_timestamp:stream=time_base',
    '-of',
    'json',
  ];
  const { stdout } = spawnSync('ffprobe', [...show, path], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const { frames, streams } = JSON.parse(stdout) as {
    readonly frames: readonly { readonly best_effort_timestamp?: number }[];
    readonly streams: readonly { readonly time_base: string }[];
  };
  const [num, den] = streams[0]!.time_base.split('/').map(Number);
  const ticks = frames.map((frame) => frame.best_effort_timestamp ?? Number.NaN);
  return ticks.map((tick) => ((tick - ticks[0]!) * num!) / den!);
}
