import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a recording is made. */
export interface ChangingRecording {
  readonly folder: string;
  readonly minutes: number;
  readonly fps: number;
  /** Frames from one keyframe to the next. */
  readonly group: number;
}

function ffmpeg(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** Makes a small recording in which a colour and the length of a bar change every few seconds; returns its path. */
export function makeChangingRecording({ folder, minutes, fps, group }: ChangingRecording): string {
  const [minute, list, long] = ['minute.mp4', 'list.txt', 'long.mp4'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const source = `color=s=160x90:r=${fps}:d=60:c=black,format=yuv420p,drawbox=w=80:h=45:t=fill:c=red:enable='lt(mod(t,10),5)',drawbox=x=80:y=70:w='8+8*mod(floor(t/3),8)':h=10:t=fill:c=white`;
  const encoding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', String(group), '-bf', '0'];
  ffmpeg('-f', 'lavfi', '-i', source, ...encoding, minute);
  writeFileSync(list, `file '${minute}'\n`.repeat(minutes));
  ffmpeg('-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy', long);
  return long;
}

/** Makes a game with a detector for the colour and one for the bar, and an event for every change; returns its path. */
export function makeChangingGame(folder: string, interval: number): string {
  const pack = join(folder, 'changing-game');
  mkdirSync(pack);
  const profile = {
    format: 'playbyplay/profile/1',
    game: 'hours',
    title: 'Hours',
    version: '1',
    reference: { width: 160, height: 90 },
    dictionaries: [],
    sampling: { interval },
    regions: { lamp: { x: 0, y: 0, width: 0.4, height: 0.4 }, bar: { x: 0.5, y: 0.8, width: 0.4, height: 0.08 } },
    detectors: {
      lamp: { kind: 'color', region: 'lamp', colors: { on: '#ff0000', off: '#000000' }, stability: { samples: 1 } },
      bar: { kind: 'bar', region: 'bar', fill: ['#ffffff'], stability: { samples: 1 } },
    },
    events: [
      { on: { detector: 'lamp', trigger: 'changed', match: 'on' }, statement: { subject: 'player', action: 'die' } },
      {
        on: { detector: 'bar', trigger: 'changed' },
        statement: { subject: 'player', property: 'health', from: '$previous', to: '$value' },
      },
    ],
  };
  writeFileSync(join(pack, 'profile.json'), JSON.stringify(profile));
  return pack;
}
