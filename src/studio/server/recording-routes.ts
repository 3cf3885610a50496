import { basename, dirname } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { PlaybyplayError } from '../../errors.ts';
import {
  listTimes,
  readFrame,
  readMedia,
  readPeaks,
  readPreview,
  readSound,
  readStream,
  showRecording,
} from '../api/recording.ts';
import type { EncodedFrame } from '../player/frame-thread.ts';
import type { OpenRecording } from '../player/open-recording.ts';
import { addRoute } from './add-route.ts';
import type { StudioContext } from './studio-server.ts';

const DEFAULT_PREVIEW_WIDTH = 640;
const DEFAULT_COLUMNS = 400;
const MAX_SOUND_SECONDS = 10;
const MAX_TIMES_SECONDS = 600;
/** Containers and codecs that browsers play; whether this one does, the page finds out. */
const PLAYABLE_CONTAINERS = /mp4|matroska|webm|ogg/;
const PLAYABLE_CODECS: readonly string[] = ['h264', 'vp8', 'vp9', 'av1', 'hevc', 'theora'];

/** Routes of the player. */
export function registerRecordingRoutes(app: FastifyInstance, { workspace, recordings }: StudioContext): void {
  const open = async (path: string): Promise<OpenRecording> => {
    if (!(await workspace.isRecording(path)))
      throw new PlaybyplayError('not-a-video', `${path} is not a recording that can be opened`);
    return await recordings.get(await workspace.resolve(path));
  };

  addRoute(app, showRecording, async ({ query: { path } }) => {
    const { info, chapters, version, ready } = await open(path);
    const { width, height, pixelAspect, codec, container, frameRate, duration, audio } = info;
    const log = await workspace.logOf(path);
    const rate = frameRate.num / frameRate.den;
    const end = ready ? ready.lastTime + (rate > 0 ? 1 / rate : 0) : duration;
    return {
      path,
      width,
      height,
      ...(pixelAspect !== undefined && { pixelAspect }),
      codec,
      container,
      frameRate: rate,
      ...(end !== undefined && { duration: end }),
      hasSound: audio.length > 0,
      ...(log !== undefined && { log }),
      version,
      isPlayable: PLAYABLE_CONTAINERS.test(container) && PLAYABLE_CODECS.includes(codec),
      ...(ready && { index: ready }),
      ...(chapters.length > 0 && {
        chapters: chapters.map(({ t, title }) => ({ t: Math.max(0, t - (ready?.origin ?? 0)), title })),
      }),
    };
  });

  addRoute(app, readFrame, async ({ query, signal, reply }) => {
    const { path, frame, t = 0, format = 'jpeg', width, version } = query;
    const recording = await open(path);
    const read = await recording.frame(frame === undefined ? { t } : { frame }, format, width, signal);
    return sendFrame(reply, read, format, version === recording.version);
  });

  addRoute(app, readPreview, async ({ query, signal, reply }) => {
    const { path, t, format = 'jpeg', width = DEFAULT_PREVIEW_WIDTH, version } = query;
    const recording = await open(path);
    return sendFrame(reply, await recording.preview(t, format, width, signal), format, version === recording.version);
  });

  addRoute(app, listTimes, async ({ query: { path, from, to } }) => {
    checkTimeRange(from, to, MAX_TIMES_SECONDS);
    const { first, times } = await (await open(path)).times(from, to);
    return { first, times: [...times] };
  });

  addRoute(app, readStream, async ({ query: { path, from, to, columns = DEFAULT_COLUMNS }, signal }) => {
    checkTimeRange(from, to, Number.POSITIVE_INFINITY);
    const { rates, stays, usualStay } = await (await open(path)).stream(from, to, columns, signal);
    return { rates: [...rates], stays: [...stays], usualStay };
  });

  addRoute(app, readPeaks, async ({ query: { path, from, to, count }, signal, reply }) => {
    checkTimeRange(from, to, Number.POSITIVE_INFINITY);
    const { peaks, isComplete } = await (await open(path)).peaks(from, to, count, signal);
    return reply
      .header('content-type', 'application/octet-stream')
      .header('x-complete', isComplete ? '1' : '0')
      .send(Buffer.from(peaks.buffer, peaks.byteOffset, peaks.byteLength));
  });

  addRoute(app, readSound, async ({ query: { path, from, to }, signal, reply }) => {
    checkTimeRange(from, to, MAX_SOUND_SECONDS);
    const samples = await (await open(path)).sound(from, to, signal);
    return reply
      .header('content-type', 'application/octet-stream')
      .send(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength));
  });

  addRoute(app, readMedia, async ({ query: { path }, reply }) => {
    const { path: file, info } = await open(path);
    const type = /mp4/.test(info.container) ? 'video/mp4' : /ogg/.test(info.container) ? 'video/ogg' : 'video/webm';
    return reply.type(type).sendFile(basename(file), dirname(file), { cacheControl: false, contentType: false });
  });
}

function checkTimeRange(from: number, to: number, maxSeconds: number): void {
  if (to > from && to - from <= maxSeconds) return;
  const rule = to > from ? `at most ${maxSeconds} s` : 'longer than nothing';
  throw new PlaybyplayError('bad-request', `the time range from ${from} to ${to} s must be ${rule}`);
}

function sendFrame(
  reply: FastifyReply,
  { frame, t, image, problem }: EncodedFrame,
  format: string,
  isSameVersion: boolean,
): FastifyReply {
  if (image === undefined)
    throw new PlaybyplayError('no-picture', `the frame at ${t} s cannot be decoded: ${problem ?? 'unknown reason'}`);
  // A picture of this version of the file never changes.
  if (isSameVersion) reply.header('cache-control', 'private, max-age=3600, immutable');
  return reply
    .header('content-type', `image/${format}`)
    .header('x-frame', String(frame))
    .header('x-time', String(t))
    .send(Buffer.from(image.buffer, image.byteOffset, image.byteLength));
}
