/**
 * Compares presentation times and pictures with the ffmpeg command's, over containers, codecs and unusual files.
 *
 *   node bench/robustness/times.ts [--keep <folder>] [name part]…
 *
 * For each small file made by ffmpeg: scanned times equal those of ffprobe's frames to the microsecond, every frame is
 * decoded at its time, and its luma is byte-identical (MPEG-4: except for rounding; pictures converted to 8 bits or from
 * RGB: within 1.5 levels on average). Exit code 1 if any file fails.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/errors.ts';
import { readAudio } from '../../src/media/audio.ts';
import { isGap, decodeFrames } from '../../src/media/decode/decode-frames.ts';
import type { VideoInfo } from '../../src/media/container/info.ts';
import type { Picture } from '../../src/media/picture.ts';
import { splitIntoChunks, scanPackets } from '../../src/media/packets/scan-packets.ts';
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

/** Made from an earlier case's file, from `at` seconds on. */
interface Cut {
  readonly of: string;
  readonly at?: string;
}

/** File name and the ffmpeg arguments after the inputs. */
const cases: readonly (readonly [name: string, args: readonly string[], source?: readonly string[], cut?: Cut])[] = [
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
  ['deep.mp4', ['-c:v', 'libx264', '-bf', '3', '-g', '20', '-x264-params', 'b-pyramid=normal:scenecut=0', ...AAC]],
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
  ['interlaced-mbaff.mp4', ['-c:v', 'libx264', '-x264-params', 'tff=1:keyint=15:bframes=2', '-s', '160x96']],
  ['interlaced-mpeg2.ts', ['-c:v', 'mpeg2video', '-flags', '+ildct+ilme', '-bf', '2', '-top', '1', '-s', '160x96']],
  ['hidden.mkv', ['-c:v', 'libvpx-vp9', '-auto-alt-ref', '6', '-lag-in-frames', '25', '-b:v', '200k', '-g', '60']],
  ['hidden.mp4', ['-c:v', 'libvpx-vp9', '-auto-alt-ref', '1', '-lag-in-frames', '16', '-b:v', '200k', '-g', '20']],
  ['vp8-hidden.webm', ['-c:v', 'libvpx', '-auto-alt-ref', '1', '-lag-in-frames', '16', '-b:v', '200k', '-g', '20']],
  ['grain.mkv', ['-c:v', 'libsvtav1', '-preset', '10', '-g', '20', '-svtav1-params', 'film-grain=20']],
  ['aom-hidden.mkv', ['-c:v', 'libaom-av1', '-cpu-used', '8', '-lag-in-frames', '19', '-g', '40', '-b:v', '200k']],
  ['aom-hidden.mp4', ['-c:v', 'libaom-av1', '-cpu-used', '8', '-lag-in-frames', '19', '-g', '40', '-b:v', '200k']],
  ['layers.ts', ['-c:v', 'libx265', '-x265-params', 'log-level=error:temporal-layers=3:bframes=4:keyint=20']],
  ['hevc-fields.ts', ['-c:v', 'libx265', '-x265-params', 'log-level=error:interlace=tff:keyint=20:bframes=0']],
  ['sidx.mp4', [...H264, '-movflags', 'dash+global_sidx+frag_keyframe', ...AAC]],
  ['live.mp4', [...H264, '-movflags', 'frag_every_frame+empty_moov+default_base_moof', ...AAC]],
  ['twelve-bit.mkv', ['-c:v', 'libx265', '-x265-params', 'log-level=error:keyint=15', '-pix_fmt', 'yuv420p12le']],
  ['rgb-h264.mp4', ['-c:v', 'libx264rgb', '-preset', 'ultrafast', '-g', '15', '-crf', '10']],
  ['hevc-rgb.mkv', ['-c:v', 'libx265', '-pix_fmt', 'gbrp', '-x265-params', 'log-level=error:keyint=15']],
  ['gray.mkv', ['-c:v', 'libx264', '-pix_fmt', 'gray', '-g', '15']],
  ['anamorphic.mp4', [...H264, '-vf', 'setsar=4/3']],
  ['fast.mp4', [...H264, '-r', '120']],
  ['telecine.mkv', [...H264, '-vf', 'fps=24,fps=60']],
  ['one-picture.mp4', [...H264, '-frames:v', '1']],
  ['one-picture.ts', [...H264, '-frames:v', '1']],
  ['long-sound.mp4', [...H264, '-t', '0.5', ...AAC], ['-t', '0.5']],
  ['two-videos.mkv', [...H264, '-map', '0:v', '-map', '0:v', '-s:v:1', '80x48', '-map', '1:a', ...AAC]],
  [
    'chapters.mkv',
    [
      ...H264,
      ...AAC,
      '-map',
      '0',
      '-map',
      '1',
      '-attach',
      import.meta.filename,
      '-metadata:s:t',
      'mimetype=text/plain',
    ],
  ],
  [
    'open-recovery.ts',
    [
      '-c:v',
      'libx264',
      '-x264-params',
      'open-gop=1:keyint=12:bframes=3:aud=1:nal-hrd=vbr:vbv-maxrate=500:vbv-bufsize=500',
    ],
  ],
  ['slices.mp4', ['-c:v', 'libx264', '-x264-params', 'slices=6:keyint=15:bframes=2']],
  ['cut.mp4', ['-c', 'copy'], [], { of: 'h264.mp4', at: '0.77' }],
  ['cut-b.mp4', ['-c', 'copy'], [], { of: 'deep.mp4', at: '0.9' }],
  ['cut-b.mov', ['-c', 'copy'], [], { of: 'deep.mp4', at: '0.9' }],
  ['cut-b.mkv', ['-c', 'copy'], [], { of: 'deep.mp4', at: '0.9' }],
  ['cut-b.ts', ['-c', 'copy'], [], { of: 'deep.mp4', at: '0.9' }],
  ['cut-b.flv', ['-c', 'copy'], [], { of: 'deep.mp4', at: '0.9' }],
  ['cut-noaudio.mp4', ['-c', 'copy', '-an'], [], { of: 'deep.mp4', at: '0.9' }],
  ['cut-negative.mp4', ['-c', 'copy', '-avoid_negative_ts', 'disabled'], [], { of: 'deep.mp4', at: '0.9' }],
  [
    'cut-negative-fragments.mp4',
    ['-c', 'copy', '-movflags', 'frag_keyframe+empty_moov+negative_cts_offsets'],
    [],
    { of: 'deep.mp4', at: '0.9' },
  ],
  ['cut-hevc.mp4', ['-c', 'copy'], [], { of: 'hevc-open.mp4', at: '0.9' }],
  ['cut-hevc.mkv', ['-c', 'copy'], [], { of: 'hevc-open.mp4', at: '0.9' }],
  ['cut-hevc.ts', ['-c', 'copy'], [], { of: 'hevc-open.mp4', at: '0.9' }],
  ['rasl-first.ts', ['-c', 'copy', '-bsf:v', "noise=drop='lt(n,17)'"], [], { of: 'hevc-open.mp4' }],
  ['rasl-first.mkv', ['-c', 'copy', '-bsf:v', "noise=drop='lt(n,17)'"], [], { of: 'hevc-open.mp4' }],
  ['cut-open.mp4', ['-c', 'copy'], [], { of: 'open-groups.mkv', at: '0.9' }],
  ['cut-open.ts', ['-c', 'copy'], [], { of: 'open-recovery.ts', at: '0.9' }],
  ['open-first.ts', ['-c', 'copy', '-bsf:v', "noise=drop='lt(n,12)'"], [], { of: 'open-recovery.ts' }],
  ['open-first.mkv', ['-c', 'copy', '-bsf:v', "noise=drop='lt(n,12)'"], [], { of: 'open-recovery.ts' }],
  ['middle-open.ts', ['-c', 'copy', '-bsf:v', "noise=drop='lt(n,7)'"], [], { of: 'open-recovery.ts' }],
  ['middle.ts', ['-c', 'copy', '-bsf:v', "noise=drop='lt(n,7)'"], [], { of: 'deep.mp4' }],
  ['middle.mkv', ['-c', 'copy', '-bsf:v', "noise=drop='lt(n,7)'"], [], { of: 'deep.mp4' }],
  ['cut-vp9.webm', ['-c', 'copy'], [], { of: 'hidden.webm', at: '0.9' }],
  ['cut-vp9.mp4', ['-c', 'copy'], [], { of: 'hidden.webm', at: '0.9' }],
  ['cut-av1.mkv', ['-c', 'copy'], [], { of: 'aom-hidden.mkv', at: '1.5' }],
  ['joined.mp4', ['-c', 'copy'], ['-stream_loop', '1'], { of: 'deep.mp4' }],
];

let failed = 0;
const needed = new Set(cases.flatMap(([name, , , cut]) => (cut && chosen(name) ? [cut.of] : [])));
for (const [name, args, source = [], cut] of cases) {
  if (!chosen(name) && !needed.has(name)) continue;
  const path = join(folder, name);
  const drawn = ['-f', 'lavfi', '-i', 'testsrc2=s=160x96:r=30:d=2', '-f', 'lavfi', '-i', 'sine=d=2'];
  const inputs = [...source, ...(cut ? [...(cut.at ? ['-ss', cut.at] : []), '-i', join(folder, cut.of)] : drawn)];
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

function chosen(name: string): boolean {
  return positionals.length === 0 || positionals.some((part) => name.includes(part));
}

function compare(path: string): string {
  try {
    using file = openVideo(path);
    const index = scanPackets(file);
    const probed = ffprobeTimes(path);
    // Frames before the first keyframe cannot be decoded. They have times, but the command leaves them out.
    const lead = Math.max(0, index.t.length - probed.length);
    const start = index.t[lead] ?? 0;
    const [, ...wrong] = Array.from(
      { length: Math.max(probed.length, index.t.length - lead) + 1 },
      (_, i) => i - 1,
    ).filter((i) => i < 0 || !(Number.isNaN(probed[i]) || Math.abs(probed[i]! - (index.t[i + lead]! - start)) < 2e-6));
    let decoded = 0;
    const problems: string[] = [];
    const lumas: Uint8Array[] = [];
    for (const chunk of splitIntoChunks(index, { minSeconds: 0.5 })) {
      const wanted = Array.from({ length: chunk.lastFrame - chunk.firstFrame }, (_, i) => chunk.firstFrame + i);
      for (const item of decodeFrames(file, index, chunk, wanted)) {
        if (isGap(item)) problems.push(`${item.t}–${item.end} ${item.reason}`);
        else {
          decoded++;
          lumas.push(packLuma(item));
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
    const unlike = describeDifferences(path, lumas, info);
    if (lead > 0 && problems.length === 0) return `${lead} frames more than the command has; ${facts.join(', ')}`;
    if (wrong.length === 0 && (unlike === undefined || problems.length > 0))
      return `ok ${[...facts, ...(unlike ? [unlike] : [])].join(', ')}`;
    if (wrong.length === 0) return `${unlike}; ${facts.join(', ')}`;
    const first = wrong[0]!;
    return `${wrong.length} times differ, first frame ${first}: ${index.t[first]} instead of ${probed[first]} (${index.t.length} frames, ffprobe ${probed.length}); ${facts.join(', ')}`;
  } catch (error) {
    return messageOf(error);
  }
}

function packLuma({ y: { data, stride, width, height } }: Picture): Uint8Array {
  const out = new Uint8Array(width * height);
  for (let row = 0; row < height; row++) out.set(data.subarray(row * stride, row * stride + width), row * width);
  return out;
}

/** Describes how the pictures differ from the command's, in presentation order. */
function describeDifferences(
  path: string,
  lumas: readonly Uint8Array[],
  { codec, pixelFormat, width, height }: VideoInfo,
): string | undefined {
  // HDR is tone-mapped to SDR on purpose.
  if (/hdr/.test(path)) return undefined;
  const exact = /^yuvj?4(?:20|22|44)p$/.test(pixelFormat);
  const to = /rgb|gbr|bgr/.test(pixelFormat)
    ? 'scale=flags=accurate_rnd+bitexact,format=yuv444p'
    : exact
      ? 'null'
      : 'format=yuv420p';
  const args = ['-v', 'error', '-i', path, '-map', '0:V:0', '-fps_mode', 'passthrough', '-vf', `${to},extractplanes=y`];
  const { stdout } = spawnSync('ffmpeg', [...args, '-f', 'rawvideo', '-'], { maxBuffer: 1 << 30 });
  const size = width * height;
  const theirs = stdout.length / size;
  if (theirs !== lumas.length) return `${lumas.length} pictures, the command gives ${theirs}`;
  for (const [i, luma] of lumas.entries()) {
    let sum = 0;
    for (let at = 0; at < size; at++) sum += Math.abs(luma[at]! - stdout[i * size + at]!);
    if (sum / size > (!exact ? 1.5 : codec === 'mpeg4' ? 0.01 : 0))
      return `picture ${i} differs by ${(sum / size).toFixed(2)} levels`;
  }
  return undefined;
}

/** Seconds of the decoded frames after the first by ffprobe; NaN where it does not know (the last ones of an avi). */
function ffprobeTimes(path: string): number[] {
  const show = [
    '-v',
    'error',
    '-select_streams',
    'v:0',
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
