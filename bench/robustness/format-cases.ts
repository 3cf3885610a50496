/** A recording in a format that a person might have. */
export interface FormatCase {
  readonly name: string;
  readonly group: 'files' | 'colour' | 'pictures' | 'time';
  /** File extension, which selects the container. */
  readonly end: string;
  /** ffmpeg arguments after the inputs; the recording is input 0. */
  readonly args: readonly string[];
  /** Arguments before the recording, and further inputs. */
  readonly before?: readonly string[];
  readonly inputs?: readonly string[];
  /** Maps seconds of the recording to seconds of the copy; undefined where they are not shown. */
  readonly at?: (t: number) => number | undefined;
  /** `all`: every event must be detected; `some`: any subset without false events; `none`: no event may be detected. */
  readonly expect?: 'all' | 'some' | 'none';
}

const X264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20'];
const FAST = ['-c:v', 'libx264', '-preset', 'superfast', '-crf', '18'];
const X265 = (params: string) => [
  '-c:v',
  'libx265',
  '-preset',
  'ultrafast',
  '-crf',
  '18',
  '-x265-params',
  `log-level=error:${params}`,
];
const VP9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-row-mt', '1', '-b:v', '4M'];
const AV1 = ['-c:v', 'libsvtav1', '-preset', '12', '-crf', '28', '-g', '120'];
const COPY = ['-c', 'copy'];
const AAC = ['-c:a', 'aac'];
const vf = (filter: string): string[] => ['-vf', filter];
/** 10-bit BT.2020 with a transfer characteristic; `filter` converts the recording to it. */
const hdr = (transfer: string, filter: string): string[] => [
  ...X265('keyint=60'),
  ...vf(filter),
  '-colorspace',
  'bt2020nc',
  '-color_trc',
  transfer,
  '-color_primaries',
  'bt2020',
  ...AAC,
];

const files: readonly FormatCase[] = (
  [
    ...['mp4', 'mov', 'mkv', 'ts', 'flv'].map((end) => ({ name: `copied to ${end}`, end, args: COPY })),
    { name: 'fragmented mp4', end: 'mp4', args: [...COPY, '-movflags', 'frag_keyframe+empty_moov+default_base_moof'] },
    { name: 'encoded anew', end: 'mp4', args: [...X264, ...AAC] },
    { name: 'H.264 in avi', end: 'avi', args: [...X264, '-c:a', 'mp3'] },
    { name: 'ts that starts after 20 hours', end: 'ts', args: [...COPY, '-output_ts_offset', '72000'] },
    { name: 'ts whose clock wraps after 5 s', end: 'ts', args: [...COPY, '-output_ts_offset', '95437.7'] },
    {
      name: 'H.264, open groups',
      end: 'mp4',
      args: [...X264, '-x264-params', 'open-gop=1:keyint=60:bframes=3', ...AAC],
    },
    {
      name: 'H.264, intra refresh',
      end: 'mkv',
      args: [...X264, '-x264-params', 'intra-refresh=1:keyint=60:bframes=0', ...AAC],
    },
    { name: 'H.264, 10 bits', end: 'mp4', args: [...X264, '-pix_fmt', 'yuv420p10le', ...AAC] },
    { name: 'H.264, 4:4:4', end: 'mp4', args: [...X264, '-pix_fmt', 'yuv444p', ...AAC] },
    { name: 'H.264, 4:2:2, 10 bits', end: 'mov', args: [...X264, '-pix_fmt', 'yuv422p10le', ...AAC] },
    {
      name: 'H.264, interlaced',
      end: 'ts',
      args: [...X264, '-flags', '+ildct+ilme', '-x264-params', 'tff=1:keyint=50', ...AAC],
    },
    {
      name: 'H.264, many slices, long groups',
      end: 'mkv',
      args: [...X264, '-x264-params', 'slices=8:keyint=600', ...AAC],
    },
    { name: 'HEVC, open groups', end: 'mp4', args: [...X265('open-gop=1:keyint=50:bframes=4'), ...AAC] },
    { name: 'HEVC, 10 bits', end: 'mkv', args: [...X265('keyint=60'), '-pix_fmt', 'yuv420p10le', ...AAC] },
    { name: 'VP9', end: 'webm', args: [...VP9, '-c:a', 'libopus'] },
    {
      name: 'VP9, hidden pictures, two passes in one',
      end: 'webm',
      args: [
        ...VP9.slice(0, 2),
        '-deadline',
        'good',
        '-cpu-used',
        '8',
        '-b:v',
        '4M',
        '-auto-alt-ref',
        '1',
        '-lag-in-frames',
        '16',
        '-an',
      ],
    },
    { name: 'VP9, profile 2', end: 'mkv', args: [...VP9, '-pix_fmt', 'yuv420p10le', '-profile:v', '2', '-an'] },
    { name: 'AV1', end: 'mkv', args: [...AV1, '-c:a', 'libopus'] },
    { name: 'AV1, 10 bits', end: 'mp4', args: [...AV1, '-pix_fmt', 'yuv420p10le', ...AAC] },
    {
      name: 'MPEG-4 with B-frames in avi',
      end: 'avi',
      args: ['-c:v', 'mpeg4', '-q:v', '2', '-bf', '2', '-c:a', 'mp3'],
    },
    { name: 'Xvid, packed B-frames', end: 'avi', args: ['-c:v', 'libxvid', '-q:v', '2', '-bf', '2', '-c:a', 'mp3'] },
    {
      name: 'MJPEG in avi',
      end: 'avi',
      args: ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p', '-c:a', 'pcm_s16le'],
    },
    {
      name: 'MPEG-2 in ts',
      end: 'ts',
      args: ['-c:v', 'mpeg2video', '-q:v', '3', '-bf', '2', '-r', '30', '-c:a', 'mp2'],
    },
    { name: 'Windows Media', end: 'wmv', args: ['-c:v', 'wmv2', '-q:v', '2', '-c:a', 'wmav2'] },
    { name: 'ProRes', end: 'mov', args: ['-c:v', 'prores_ks', '-profile:v', '1', '-c:a', 'pcm_s16le'] },
    {
      name: 'turned by 90°, which the file says',
      end: 'mp4',
      args: [...COPY, '-metadata:s:v', 'rotate=90'],
      before: [],
    },
    {
      name: 'cut at 5.3 s without encoding (edit list)',
      end: 'mp4',
      before: ['-ss', '5.3'],
      args: COPY,
      at: (t: number) => (t < 5.3 ? undefined : t - 5.3),
    },
    {
      name: 'cut at 5.3 s without encoding (mkv)',
      end: 'mkv',
      before: ['-ss', '5.3'],
      args: COPY,
      expect: 'some' as const,
    },
    {
      name: 'a cover first, not marked as one',
      end: 'mkv',
      inputs: ['-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:d=0.04'],
      args: ['-map', '1:v', '-map', '0', '-c', 'copy', '-c:v:0', 'mjpeg', '-pix_fmt:v:0', 'yuvj420p'],
    },
    {
      name: 'a small preview stream first',
      end: 'mkv',
      args: ['-map', '0:v', '-map', '0:v', '-map', '0:a?', ...FAST, '-filter:v:0', 'scale=160:-2', ...AAC],
    },
    {
      name: 'a larger webcam stream second',
      end: 'mkv',
      inputs: ['-f', 'lavfi', '-i', 'mandelbrot=s=1920x1080:r=10'],
      args: [
        '-map',
        '0:v',
        '-map',
        '1:v',
        '-map',
        '0:a?',
        '-c:v:0',
        'copy',
        '-c:v:1',
        'libx264',
        '-preset:v:1',
        'ultrafast',
        '-shortest',
        '-disposition:v:0',
        'default',
        ...AAC,
      ],
    },
    { name: 'no sound', end: 'mp4', args: [...COPY, '-an'] },
    {
      name: 'sound 2 s before the picture',
      end: 'mp4',
      before: ['-itsoffset', '2'],
      inputs: ['-f', 'lavfi', '-i', 'sine=d=15'],
      args: ['-map', '0:v', '-map', '1:a', '-c:v', 'copy', ...AAC],
    },
    {
      name: 'odd size, cropped coded picture',
      end: 'mp4',
      args: [...X264, ...vf('scale=853:479,format=yuv444p'), ...AAC],
      expect: 'some' as const,
    },
    { name: 'no length in the header (live mkv)', end: 'mkv', args: [...COPY, '-live', '1'] },
  ] satisfies readonly Omit<FormatCase, 'group'>[]
).map((one) => ({ ...one, group: 'files' as const }));

const colour: readonly FormatCase[] = (
  [
    {
      name: 'full range, untagged',
      end: 'mkv',
      args: [...X264, ...vf('scale=out_range=pc,setparams=range=unknown'), ...AAC],
    },
    {
      name: 'full range, tagged (yuvj420p)',
      end: 'mp4',
      args: [...X264, ...vf('scale=out_range=pc'), '-pix_fmt', 'yuvj420p', '-color_range', 'pc', ...AAC],
    },
    {
      name: 'limited range, tagged full',
      end: 'mp4',
      args: [...X264, ...vf('setparams=range=pc'), '-color_range', 'pc', ...AAC],
    },
    {
      name: 'BT.601 tagged BT.709',
      end: 'mp4',
      args: [...X264, ...vf('setparams=colorspace=bt709'), '-colorspace', 'bt709', ...AAC],
    },
    {
      name: 'BT.709 untagged',
      end: 'mp4',
      args: [...X264, ...vf('scale=in_color_matrix=bt601:out_color_matrix=bt709,setparams=colorspace=unknown'), ...AAC],
    },
    {
      name: 'BT.709 tagged',
      end: 'mp4',
      args: [...X264, ...vf('scale=in_color_matrix=bt601:out_color_matrix=bt709'), '-colorspace', 'bt709', ...AAC],
    },
    {
      name: 'BT.601 tagged BT.2020',
      end: 'mp4',
      args: [...X264, ...vf('setparams=colorspace=bt2020nc'), '-colorspace', 'bt2020nc', ...AAC],
    },
    { name: 'RGB H.264', end: 'mkv', args: ['-c:v', 'libx264rgb', '-preset', 'ultrafast', '-crf', '10', ...AAC] },
    { name: 'FFV1, RGB', end: 'mkv', args: ['-c:v', 'ffv1', '-pix_fmt', 'bgr0', ...AAC] },
    { name: 'FFV1, 4:2:0', end: 'mkv', args: ['-c:v', 'ffv1', ...AAC] },
    { name: 'UT video, RGB', end: 'avi', args: ['-c:v', 'utvideo', '-pix_fmt', 'gbrp', '-c:a', 'pcm_s16le'] },
    { name: 'lossless H.264', end: 'mkv', args: ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0', ...AAC] },
    { name: 'grey pictures (gray)', end: 'mkv', args: [...X264, '-pix_fmt', 'gray', ...AAC], expect: 'some' as const },
    { name: 'no colour (yuv420p)', end: 'mp4', args: [...X264, ...vf('hue=s=0'), ...AAC], expect: 'some' as const },
    {
      name: 'HDR, PQ',
      end: 'mkv',
      args: hdr(
        'smpte2084',
        'zscale=tin=iec61966-2-1:min=bt709:pin=bt709:t=smpte2084:m=bt2020nc:p=bt2020:npl=203,format=yuv420p10le',
      ),
    },
    {
      name: 'HDR, HLG',
      end: 'mkv',
      args: hdr(
        'arib-std-b67',
        'zscale=tin=bt709:min=bt709:pin=bt709:t=arib-std-b67:m=bt2020nc:p=bt2020:npl=203,format=yuv420p10le',
      ),
    },
    {
      name: 'washed out (contrast 0.7, saturation 0.7)',
      end: 'mp4',
      args: [...X264, ...vf('eq=contrast=0.7:brightness=0.08:saturation=0.7'), ...AAC],
    },
    { name: 'gamma 1.4', end: 'mp4', args: [...X264, ...vf('eq=gamma=1.4'), ...AAC] },
    { name: 'gamma 0.75', end: 'mp4', args: [...X264, ...vf('eq=gamma=0.75'), ...AAC] },
  ] satisfies readonly Omit<FormatCase, 'group'>[]
).map((one) => ({ ...one, group: 'colour' as const }));

const over = (filter: string, inputs: readonly string[] = []): Pick<FormatCase, 'args' | 'inputs'> => ({
  inputs,
  args: ['-filter_complex', filter, '-map', '[out]', '-map', '0:a?', ...X264, ...AAC],
});
const still = (spec: string): string[] => ['-f', 'lavfi', '-i', spec];

const pictures: readonly FormatCase[] = (
  [
    { name: '480 lines', end: 'mp4', args: [...X264, ...vf('scale=-2:480'), ...AAC], expect: 'some' as const },
    { name: '360 lines', end: 'mp4', args: [...X264, ...vf('scale=-2:360'), ...AAC], expect: 'some' as const },
    {
      name: 'pixels of 4:3 declared by the file (SAR)',
      end: 'mp4',
      args: [...X264, ...vf('scale=960:720,setsar=4/3'), ...AAC],
    },
    {
      name: 'turned by 180° in the pixels',
      end: 'mp4',
      args: [...X264, ...vf('hflip,vflip'), ...AAC],
      expect: 'none' as const,
    },
    { name: 'mirrored', end: 'mp4', args: [...X264, ...vf('hflip'), ...AAC], expect: 'none' as const },
    {
      name: 'upright 9:16, picture in the middle, blurred round it',
      end: 'mp4',
      ...over(
        '[0:v]split[a][b];[a]scale=-2:1280,crop=720:1280,boxblur=20[bg];[b]scale=720:-2[fg];[bg][fg]overlay=0:(H-h)/2[out]',
      ),
      expect: 'some' as const,
    },
    {
      name: 'upright 9:16, cut out of the middle',
      end: 'mp4',
      args: [...X264, ...vf('crop=405:720'), ...AAC],
      expect: 'some' as const,
    },
    {
      name: 'overscan 2.5 %',
      end: 'mp4',
      args: [...X264, ...vf('crop=iw*0.95:ih*0.95,scale=1280:720,setsar=1'), ...AAC],
      expect: 'some' as const,
    },
    {
      name: 'overscan 5 %, noise',
      end: 'mp4',
      args: [...X264, ...vf('crop=iw*0.9:ih*0.9,scale=1280:720,setsar=1,noise=alls=12:allf=t'), ...AAC],
      expect: 'some' as const,
    },
    { name: 'noise', end: 'mp4', args: [...X264, ...vf('noise=alls=14:allf=t'), ...AAC] },
    {
      name: 'filmed off a screen (perspective)',
      end: 'mp4',
      args: [
        ...X264,
        ...vf('perspective=x0=90:y0=60:x1=1200:y1=20:x2=40:y2=690:x3=1260:y3=640:sense=destination'),
        ...AAC,
      ],
      expect: 'none' as const,
    },
    {
      name: '16:9 squeezed into 4:3, bars',
      end: 'mp4',
      args: [...X264, ...vf('scale=960:540,pad=960:720:0:90,setsar=1'), ...AAC],
    },
    { name: '4:3 stretched to 16:9', end: 'mp4', args: [...X264, ...vf('scale=1706:720,setsar=1'), ...AAC] },
    {
      name: 'webcam over the upper right corner',
      end: 'mp4',
      ...over('[0:v][1:v]overlay=1000:0:shortest=1[out]', still('mandelbrot=s=280x160:r=30')),
      expect: 'some' as const,
    },
    {
      name: 'webcam over the lower right corner (part of the HUD)',
      end: 'mp4',
      ...over('[0:v][1:v]overlay=960:520:shortest=1[out]', still('mandelbrot=s=320x200:r=30')),
      expect: 'some' as const,
    },
    {
      name: 'alerts and a chat box that come and go',
      end: 'mp4',
      args: [
        ...X264,
        ...vf(
          "drawbox=x=440:y=60:w=400:h=90:c=0x6441a5@0.9:t=fill:enable='lt(mod(t,4),2)',drawtext=text='NEW SUBSCRIBER 100':x=480:y=90:fontsize=32:fontcolor=white:enable='lt(mod(t,4),2)',drawbox=x=10:y=250:w=260:h=220:c=black@0.5:t=fill:enable='gt(mod(t,6),2)',drawtext=text='kim_ 25 health lol':x=20:y=280:fontsize=20:fontcolor=red:enable='gt(mod(t,6),2)'",
        ),
        ...AAC,
      ],
    },
    {
      name: 'face camera from 4 to 8 s',
      end: 'mp4',
      ...over("[0:v][1:v]overlay=0:0:shortest=1:enable='between(t,4,8)'[out]", still('mandelbrot=s=1280x720:r=30')),
      expect: 'some' as const,
    },
    {
      name: 'black from 4 to 8 s',
      end: 'mp4',
      args: [...X264, ...vf("drawbox=c=black:t=fill:enable='between(t,4,8)'"), ...AAC],
      expect: 'some' as const,
    },
  ] satisfies readonly Omit<FormatCase, 'group'>[]
).map((one) => ({ ...one, group: 'pictures' as const }));

const time: readonly FormatCase[] = (
  [
    { name: '144 fps (repeated frames)', end: 'mp4', args: [...FAST, '-r', '144', ...AAC] },
    { name: '24 fps (dropped frames)', end: 'mp4', args: [...X264, '-r', '24', ...AAC] },
    {
      name: 'variable rate, frames dropped at random',
      end: 'mp4',
      args: [
        ...X264,
        ...vf("select='gt(random(1),0.35)'"),
        '-fps_mode',
        'vfr',
        '-video_track_timescale',
        '90000',
        ...AAC,
      ],
    },
    {
      name: 'only changed frames (screen capture)',
      end: 'mkv',
      args: [...X264, ...vf('mpdecimate=max=20'), '-fps_mode', 'vfr', ...AAC],
    },
    { name: 'PAL: 25 fps, frames blended', end: 'mp4', args: [...X264, ...vf('framerate=fps=25'), ...AAC] },
    {
      name: 'PAL: 50 fields',
      end: 'mp4',
      args: [...X264, ...vf('minterpolate=fps=50:mi_mode=blend,interlace'), '-flags', '+ildct+ilme', ...AAC],
      expect: 'some' as const,
    },
    {
      name: 'twice as fast',
      end: 'mp4',
      args: [...X264, ...vf('setpts=PTS/2'), '-an'],
      at: (t: number) => t / 2,
      expect: 'some' as const,
    },
    { name: 'half as fast', end: 'mp4', args: [...X264, ...vf('setpts=PTS*2'), '-an'], at: (t: number) => t * 2 },
  ] satisfies readonly Omit<FormatCase, 'group'>[]
).map((one) => ({ ...one, group: 'time' as const }));

export const CASES: readonly FormatCase[] = [...files, ...colour, ...pictures, ...time];
