// Writes the sample files of test/fixtures/quality: one game session in each supported format. Columns, units
// and spellings are those of the formats' own documentation and source:
// PresentMon (README of 1.9.2, 2.3.0 and 2.3.1), CapFrameX (session classes), MangoHud (logging), Chrome's
// webrtc-internals dump and the log lines of OBS Studio.
import { mkdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type TrueFrame, trueSession } from '../test/fixtures/quality/truth.ts';
import { webrtcDump } from './quality-samples-webrtc.ts';

const folder = new URL('../test/fixtures/quality/', import.meta.url);
mkdirSync(folder, { recursive: true });
const frames = trueSession();
const write = (name: string, content: string | Buffer): void => writeFileSync(new URL(name, folder), content);
const fixed = (value: number, decimals = 4): string => value.toFixed(decimals);

/** The frame shown before this one, if any. */
function shownBefore(at: number): number | undefined {
  for (let i = at - 1; i >= 0; i--) if (frames[i]!.shown !== undefined) return frames[i]!.shown;
  return undefined;
}

/** The time that a frame stood on the screen. */
function displayed(at: number): number | undefined {
  const { shown } = frames[at]!;
  if (shown === undefined) return undefined;
  const next = frames.slice(at + 1).find((frame) => frame.shown !== undefined)?.shown;
  return next === undefined ? 16.6667 : next - shown;
}

const game = 'arena.exe,4711,0x00000224B280A1C0';
const desktop = 'dwm.exe,1268,0x00000215D79100AB';

function presentMon1(frame: TrueFrame, i: number): string {
  const before = shownBefore(i);
  const cells = [
    `${game},DXGI,0,0,${frame.shown === undefined ? 1 : 0}`,
    fixed(frame.present / 1000, 14),
    '0.18000000000000',
    fixed(i === 0 ? 16.5 : frame.present - frames[i - 1]!.present, 14),
    '1,Hardware: Independent Flip,3.20000000000000',
    fixed(frame.shown === undefined ? 0 : frame.shown - frame.present, 14),
    fixed(frame.shown === undefined || before === undefined ? 0 : frame.shown - before, 14),
    fixed(frame.input === undefined ? 0 : frame.present - frame.input, 14),
  ];
  return cells.join(',');
}
const header1 =
  'Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,Dropped,TimeInSeconds,msInPresentAPI,' +
  'msBetweenPresents,AllowsTearing,PresentMode,msUntilRenderComplete,msUntilDisplayed,msBetweenDisplayChange,msSinceInput';
const compositor1 = (i: number): string =>
  `${desktop},DXGI,1,0,0,${fixed((100 + 33.3 * i) / 1000, 14)},0.1,33.3,0,Composed: Flip,1,16,33.3,0`;
// Two processes in one file.
write(
  'presentmon-1.csv',
  `${[header1, ...frames.flatMap((frame, i) => [presentMon1(frame, i), ...(i % 2 === 0 ? [compositor1(i / 2)] : [])])].join('\r\n')}\r\n`,
);

/** 2.0 to 2.3.0: times count from the CPU's start of the frame, FrameTime leads to the next start. */
function presentMon2(frame: TrueFrame, i: number): string {
  const next = frames[i + 1]?.start ?? frame.present + 0.2;
  const time = displayed(i);
  return [
    `${game},DXGI,0,0,1,Hardware: Independent Flip,Application`,
    String(Math.round(2_076_511_276 + frame.start * 10_000)),
    fixed(next - frame.start),
    '15.9000,0.2000,0.8529,9.5144,8.0752,1.4392,0.0000',
    frame.shown === undefined ? 'NA' : fixed(frame.shown - frame.start),
    time === undefined ? 'NA' : fixed(time),
    'NA,NA,NA',
    frame.input === undefined || frame.shown === undefined ? 'NA' : fixed(frame.shown - frame.input),
    'NA',
  ].join(',');
}
const header2 =
  'Application,ProcessID,SwapChainAddress,PresentRuntime,SyncInterval,PresentFlags,AllowsTearing,PresentMode,FrameType,' +
  'CPUStartQPC,FrameTime,CPUBusy,CPUWait,GPULatency,GPUTime,GPUBusy,GPUWait,VideoBusy,DisplayLatency,DisplayedTime,' +
  'AnimationError,AnimationTime,MsFlipDelay,AllInputToPhotonLatency,ClickToPhotonLatency';
write('presentmon-2.csv', `\uFEFF${[header2, ...frames.map(presentMon2)].join('\n')}\n`);
// Decimal commas, semicolons, columns in another order, one column less.
const order = header2
  .split(',')
  .map((_, i) => i)
  .filter((i) => i !== 17)
  .toReversed();
const german = [header2, ...frames.map(presentMon2)]
  .map((line) => line.split(','))
  .map((cells, row) =>
    order.map((i) => (/^[\d.-]+$/.test(cells[i]!) && row > 0 ? cells[i]!.replace('.', ',') : cells[i])).join(';'),
  );
write('presentmon-2-decimal-comma.csv', `\uFEFF${german.join('\r\n')}\r\n`);

/** From 2.3.1 on. */
function presentMon23(frame: TrueFrame, i: number): string {
  const before = shownBefore(i);
  const shown = frame.shown;
  return [
    `${game},DXGI,0,0,1,Hardware: Independent Flip,Application`,
    fixed(frame.present),
    'NA',
    fixed(i === 0 ? 16.5 : frame.present - frames[i - 1]!.present, 14),
    shown === undefined || before === undefined ? 'NA' : fixed(shown - before, 14),
    '0.18000000000000,3.20000000000000',
    shown === undefined ? 'NA' : fixed(shown - frame.present),
    'NA',
    `${fixed(frame.start)},16.3000,16.1000,0.2000,0.8529,9.5144,8.0752,1.4392`,
    'NA,NA,NA',
    frame.input === undefined || shown === undefined ? 'NA' : fixed(shown - frame.input),
    'NA',
  ].join(',');
}
const header23 =
  'Application,ProcessID,SwapChainAddress,PresentRuntime,SyncInterval,PresentFlags,AllowsTearing,PresentMode,FrameType,' +
  'TimeInMs,MsBetweenSimulationStart,MsBetweenPresents,MsBetweenDisplayChange,MsInPresentAPI,MsRenderPresentLatency,' +
  'MsUntilDisplayed,MsPCLatency,CPUStartTimeInMs,MsBetweenAppStart,MsCPUBusy,MsCPUWait,MsGPULatency,MsGPUTime,' +
  'MsGPUBusy,MsGPUWait,MsAnimationError,AnimationTime,MsFlipDelay,MsAllInputToPhotonLatency,MsClickToPhotonLatency';
write('presentmon-2.3.1.csv', `${[header23, ...frames.map(presentMon23)].join('\r\n')}\r\n`);

const capture = {
  TimeInSeconds: frames.map((frame) => frame.present / 1000),
  MsBetweenPresents: frames.map((frame, i) => (i === 0 ? 16.5 : round(frame.present - frames[i - 1]!.present))),
  MsInPresentAPI: frames.map(() => 0.18),
  MsBetweenDisplayChange: frames.map(({ shown }, i) =>
    shown === undefined ? 0 : round(shown - (shownBefore(i) ?? shown)),
  ),
  MsUntilRenderComplete: frames.map(() => 3.2),
  MsUntilDisplayed: frames.map((frame) => (frame.shown === undefined ? 0 : round(frame.shown - frame.present))),
  QPCTime: frames.map((frame) => 2_076_511_276 + Math.round(frame.present * 10_000)),
  PresentMode: frames.map(() => 3),
  AllowsTearing: frames.map(() => 1),
  SyncInterval: frames.map(() => 0),
  Dropped: frames.map((frame) => frame.shown === undefined),
  PcLatency: frames.map((frame) =>
    frame.input === undefined || frame.shown === undefined ? 'NaN' : round(frame.shown - frame.input),
  ),
};
function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
const info = {
  AppVersion: { Major: 1, Minor: 7, Build: 6 },
  Processor: 'AMD Ryzen 7 7800X3D',
  GameName: 'Arena',
  ProcessName: 'arena.exe',
  GPU: 'GeForce RTX 4070',
  Comment: null,
  ResolutionInfo: '2560x1440',
};
write(
  'capframex.json',
  JSON.stringify({
    Hash: 'e3b0c442',
    Info: info,
    Runs: [{ Hash: 'e3b0', PresentMonRuntime: 'DXGI', CaptureData: capture, SampleTime: 0 }],
  }),
);
write(
  'capframex.csv',
  `${['//GameName=Arena', '//ProcessName=arena.exe', '//CreationDate=2026-03-30', '//Comment=', header1, ...frames.map(presentMon1)].join('\r\n')}\r\n`,
);

const hudHeader =
  'fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,ram_used,swap_used,process_rss,cpu_mhz,elapsed';
const system = [
  'os,cpu,gpu,ram,kernel,driver,cpuscheduler',
  'Arch Linux,AMD Ryzen 7 7800X3D,Radeon RX 7800 XT,32768,6.9.1-arch1,Mesa 24.1.0,performance',
];
const hudRow = (frame: TrueFrame, i: number): string => {
  const delta = i === 0 ? 16.5 : frame.present - frames[i - 1]!.present;
  const fps = (1000 / delta).toPrecision(6);
  return [
    fps,
    delta.toPrecision(6),
    '21.4',
    '65.2',
    '97',
    '61',
    '58',
    '2430',
    '2425',
    '6.91',
    '212',
    '11.2',
    '0',
    '3.4',
    '4875',
    Math.round(frame.present * 1e6),
  ].join(',');
};
write(
  'mangohud.csv',
  `${['v1', '0.7.2', '---------------------SYSTEM INFO---------------------', ...system, '--------------------FRAME METRICS--------------------', hudHeader, ...frames.map(hudRow)].join('\n')}\n`,
);
write(
  'mangohud-sampled.csv',
  `${[...system, hudHeader, ...frames.filter((_, i) => i % 6 === 0).map((frame, i) => hudRow(frame, 6 * i))].join('\n')}\n`,
);

const dump = JSON.stringify(webrtcDump(true));
write('webrtc_internals_dump.txt', dump);
write('webrtc_internals_dump.gz', gzipSync(dump, { level: 9 }));
write('webrtc_internals_dump-before-117.txt', JSON.stringify(webrtcDump(false)));

write('obs.txt', `\uFEFF${obsLog().join('\r\n')}\r\n`);

function stamped(time: string, ...lines: string[]): string[] {
  return lines.map((line) => `${time}: ${line}`);
}

function obsLog(): string[] {
  return [
    ...stamped('19:00:00.101', 'CPU Name: AMD Ryzen 7 7800X3D 8-Core Processor', 'OBS 32.0.2 (64-bit, windows)'),
    ...stamped(
      '19:00:00.412',
      '---------------------------------',
      'video settings reset:',
      '\tbase resolution:   2560x1440',
    ),
    ...stamped(
      '19:00:00.412',
      '\toutput resolution: 1920x1080',
      '\tdownscale filter:  Bicubic',
      '\tfps:               60/1',
    ),
    ...stamped('19:00:00.412', '\tformat:            NV12', '\tYUV mode:          Rec. 709/Partial'),
    ...stamped('19:02:10.020', '==== Streaming Start ==============================================='),
    ...stamped(
      '19:02:10.020',
      "[FFmpeg aac encoder: 'adv_stream_audio'] bitrate: 160, channels: 2, channel_layout: stereo, track: 1",
    ),
    ...stamped(
      '19:02:10.031',
      "[x264 encoder: 'advanced_video_stream'] preset: veryfast",
      "[x264 encoder: 'advanced_video_stream'] settings:",
    ),
    ...stamped(
      '19:02:10.031',
      '\trate_control: CBR',
      '\tbitrate:      6000',
      '\tbuffer size:  6000',
      '\tcrf:          0',
    ),
    ...stamped(
      '19:02:10.031',
      '\tfps_num:      60',
      '\tfps_den:      1',
      '\twidth:        1920',
      '\theight:       1080',
      '\tkeyint:       120',
    ),
    ...stamped('20:02:10.440', "[rtmp stream: 'adv_stream'] User stopped the stream", "Output 'adv_stream': stopping"),
    ...stamped('20:02:10.441', "Output 'adv_stream': Total frames output: 212760 (216000 attempted)"),
    ...stamped('20:02:10.441', "Output 'adv_stream': Total drawn frames: 214920 (216000 attempted)"),
    ...stamped('20:02:10.441', "Output 'adv_stream': Number of lagged frames due to rendering lag/stalls: 1080 (0.5%)"),
    ...stamped(
      '20:02:10.441',
      "Output 'adv_stream': Number of dropped frames due to insufficient bandwidth/connection stalls: 3240 (1.5%)",
    ),
    ...stamped('20:02:10.442', 'Video stopped, number of skipped frames due to encoding lag: 432/216000 (0.2%)'),
    ...stamped('20:02:10.442', '==== Streaming Stop ================================================'),
  ];
}
