// Event logs for attacks, and what they must not leave behind.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a log is made with. */
export interface LogOptions {
  /** Name of the recording in the header. */
  readonly media?: string;
  /** Texts of the events, one per second. */
  readonly texts?: readonly string[];
  /** Name of the opponent in every statement. */
  readonly opponent?: string;
}

/** Writes `<folder>/match.playbyplay/events.ndjson` and returns the folder of the log, relative to `folder`. */
export function writeLog(
  folder: string,
  { media = 'match.mp4', texts = ['player kills opponent Grunt with railgun'], opponent = 'Grunt' }: LogOptions = {},
): string {
  const lines = [
    {
      type: 'header',
      format: 'playbyplay/1',
      game: 'openarena',
      session: 'match',
      media: {
        name: media,
        hash: '',
        bytes: 0,
        duration: Math.max(8, texts.length + 2),
        width: 320,
        height: 180,
        start: 0,
      },
      profile: { name: 'openarena', version: '1.0.0', hash: '' },
      dictionaries: [
        { name: 'common', version: '1.0.0', hash: '' },
        { name: 'openarena', version: '1.0.0', hash: '' },
      ],
      plan: { kind: 'full', interval: 0.2 },
      program: '0.2.0',
    },
    ...texts.map((text, index) => ({
      type: 'event',
      id: index.toString(16).padStart(16, '0'),
      t: index + 1,
      end: index + 1,
      game: 'openarena',
      session: 'match',
      text,
      statement: { subject: 'player', action: 'kill', object: { word: 'opponent', name: opponent }, with: 'railgun' },
      confidence: 1,
      cues: [{ detector: 'feed', t: index + 1, trigger: 'found', value: text, confidence: 1 }],
    })),
    { type: 'end', events: texts.length, gaps: 0, samples: 10 },
  ];
  mkdirSync(join(folder, 'match.playbyplay'), { recursive: true });
  writeFileSync(
    join(folder, 'match.playbyplay', 'events.ndjson'),
    `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`,
  );
  return 'match.playbyplay';
}

/** Writes a recording of eight seconds and returns its name. */
export function writeRecording(folder: string, name = 'match.mp4'): string {
  const source = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=10:d=8'];
  execFileSync('ffmpeg', [
    '-v',
    'error',
    '-y',
    ...source,
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-g',
    '10',
    join(folder, name),
  ]);
  return name;
}
