import { flag, integer, list, number, object, oneOf } from '../../schema/build.ts';
import { declareRoute } from './route.ts';
import { PATH } from './workspace.ts';

const TEXT = { type: 'string' } as const;
const T = { type: 'number', minimum: 0, maximum: 1e7, description: 'Seconds from the first video frame.' } as const;
const FORMAT = oneOf(['jpeg', 'webp', 'png']);
const WIDTH = integer([16, 8192], 'Pixels of the picture, which is not enlarged.');

/** What is known of a recording. */
export const showRecording = declareRoute({
  method: 'GET',
  url: '/api/recording',
  tag: 'recording',
  summary: 'Describe a recording; frames and times are there once it is indexed',
  query: object(['path'], { path: PATH }),
  response: object(
    ['path', 'width', 'height', 'codec', 'container', 'frameRate', 'hasSound', 'version', 'isPlayable'],
    {
      path: PATH,
      width: integer([1]),
      height: integer([1]),
      pixelAspect: number([0]),
      codec: TEXT,
      container: TEXT,
      frameRate: number([0], 'Average frames per second; 0 where unknown.'),
      duration: number([0], 'Seconds, as the container says; where it is indexed, up to the end of the last frame.'),
      hasSound: flag(),
      log: PATH,
      version: TEXT,
      isPlayable: flag('Whether browsers are likely to play the file themselves.'),
      index: object(['frames', 'lastTime', 'origin', 'keyframes'], {
        frames: integer([0]),
        lastTime: number([0]),
        origin: { type: 'number', description: 'Container time of the first frame, in seconds.' },
        keyframes: integer([0]),
        problem: TEXT,
      }),
      chapters: list(object(['t', 'title'], { t: T, title: TEXT }), []),
    },
  ),
});

/** A frame of a recording, exactly. Headers `x-frame` and `x-time` say which one. */
export const readFrame = declareRoute({
  method: 'GET',
  url: '/api/frame',
  tag: 'recording',
  summary: 'Give a frame by its number or time; x-frame and x-time in the header say which one it is',
  query: object(['path'], {
    path: PATH,
    frame: integer([0]),
    t: T,
    width: WIDTH,
    format: FORMAT,
    version: { type: 'string', description: 'Version of the recording: the picture is then kept by the browser.' },
  }),
  produces: 'image/jpeg',
});

/** The keyframe before a time: what can be shown at once. */
export const readPreview = declareRoute({
  method: 'GET',
  url: '/api/preview',
  tag: 'recording',
  summary: 'Give the last keyframe at or before a time, scaled down',
  query: object(['path', 't'], { path: PATH, t: T, width: WIDTH, format: FORMAT, version: TEXT }),
  produces: 'image/jpeg',
});

/** Presentation times of frames. */
export const listTimes = declareRoute({
  method: 'GET',
  url: '/api/times',
  tag: 'recording',
  summary: 'List the presentation times of the frames of a stretch of at most ten minutes',
  query: object(['path', 'from', 'to'], { path: PATH, from: T, to: T }),
  response: object(['first', 'times'], {
    first: integer([0], 'Number of the first frame.'),
    times: list({ type: 'number' }, []),
  }),
});

/** How the stream comes along a stretch. */
export const readStream = declareRoute({
  method: 'GET',
  url: '/api/stream',
  tag: 'recording',
  summary: 'Describe the stream of a stretch in equal parts: its rate, and the longest time that a picture stays',
  query: object(['path', 'from', 'to'], { path: PATH, from: T, to: T, columns: integer([1, 4096]) }),
  response: object(['rates', 'stays', 'usualStay'], {
    rates: list(integer([0]), [], 'Kilobits per second.'),
    stays: list(
      integer([0]),
      [],
      'Milliseconds that the picture stays that stays longest of those that begin in the part.',
    ),
    usualStay: number([0], 'Milliseconds that a picture usually stays.'),
  }),
});

/** The waveform of a stretch. */
export const readPeaks = declareRoute({
  method: 'GET',
  url: '/api/peaks',
  tag: 'recording',
  summary:
    'Give the lowest and highest sample of each part of a stretch as signed bytes; x-complete says whether all is read',
  query: object(['path', 'from', 'to', 'count'], { path: PATH, from: T, to: T, count: integer([1, 8192]) }),
  produces: 'application/octet-stream',
});

/** Sound of a stretch. */
export const readSound = declareRoute({
  method: 'GET',
  url: '/api/sound',
  tag: 'recording',
  summary: 'Give at most 10 s of sound: interleaved stereo, 16 bits, little-endian, 48 kHz',
  query: object(['path', 'from', 'to'], { path: PATH, from: T, to: T }),
  produces: 'application/octet-stream',
});

/** The file itself, for browsers that play its format. */
export const readMedia = declareRoute({
  method: 'GET',
  url: '/api/media',
  tag: 'recording',
  summary: 'Give the recording itself, by ranges',
  query: object(['path'], { path: PATH, version: TEXT }),
  produces: 'video/mp4',
});
