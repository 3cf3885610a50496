import { existsSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hardwareEncoder, type VideoEncoding } from './encoder.ts';
import { addToMatroska } from './container-edits.ts';
import { addToMp4 } from './container-edits.ts';
import { PlaybyplayError } from '../../errors.ts';
import { type Container, containerForPath } from './muxer.ts';
import { even } from './frame-filter.ts';
import type { ReelOptions, ReelPlan, WrittenReel } from './reel-options.ts';
import { ReelWriter, type WriterPlan } from './reel-writer.ts';
import { writeAtomically } from './output-file.ts';
import { createTimeline, RecordingPool, secondsIn, type Cut, type Timeline } from './timeline.ts';

export type { Cut };
export type {
  ReelExtras,
  FramePlanes,
  Paint,
  PlacedCut,
  ReelOptions,
  ReelPlan,
  WrittenReel,
} from './reel-options.ts';

/**
 * Writes the cuts one after the other as mp4, mov, mkv or webm (by the name), with sound. The file appears under its
 * name only when it is complete. Throws PlaybyplayError `unwritable`, `unreadable-media`, `no-video`, or the signal's
 * reason.
 */
export async function writeReel(path: string, cuts: readonly Cut[], options: ReelOptions = {}): Promise<WrittenReel> {
  refuseSources(path, cuts);
  using recordings = new RecordingPool(options.audioTrack);
  const timeline = createTimeline(cuts, recordings, options.frameRate);
  if (timeline.cuts.length === 0)
    throw new PlaybyplayError('no-frame', 'no frame of the recording lies in what is to be cut');
  const container = containerForPath(path);
  const encoding = encodingOf(timeline, options, container);
  const { width, height } = encoding;
  const plan: ReelPlan = { width, height, ...placesOf(timeline) };
  const accompaniment = (await options.prepare?.(plan)) ?? {};
  const counts = await writeAtomically(path, (part) =>
    container === 'mp4' || container === 'mov'
      ? writeMp4(part, container, { timeline, encoding, accompaniment }, options)
      : writeMatroska(part, container, { timeline, encoding, accompaniment }, options),
  );
  return { path, ...plan, ...counts, encoder: encoding.encoder };
}

/** Frames, sound and texts first, then the index with chapters and log moved before them. */
async function writeMp4(path: string, container: Container, plan: WriterPlan, options: ReelOptions) {
  const { captions = [], chapters = [], log, title } = plan.accompaniment;
  const before = 1 + Number(plan.timeline.cuts.some((cut) => cut.recording.hasAudio)) + Number(captions.length > 0);
  const frames = `${path}.frames`;
  try {
    const counts = await writeFrames(frames, container, plan, options);
    const finish = {
      chapters,
      ...(chapters.length > 0 && { chapterTrack: before }),
      ...(log !== undefined && { log }),
      ...(title !== undefined && { title }),
    };
    await addToMp4(frames, path, finish, options.signal);
    return counts;
  } finally {
    await rm(frames, { force: true });
  }
}

async function writeMatroska(path: string, container: Container, plan: WriterPlan, options: ReelOptions) {
  const { chapters = [], log } = plan.accompaniment;
  const counts = await writeFrames(path, container, plan, options);
  const titles = chapters.map(({ start, end, title }) => ({ start, end, text: title }));
  const attached = container === 'matroska' && log !== undefined;
  await addToMatroska(path, { chapters: titles, ...(attached && { log }) });
  return counts;
}

/** A reel never takes the place of a recording that it is cut from. */
function refuseSources(path: string, cuts: readonly Cut[]): void {
  if (!existsSync(path)) return;
  const place = realpathSync(path);
  if (!cuts.some(({ media }) => existsSync(media) && realpathSync(media) === place)) return;
  throw new PlaybyplayError('unwritable', `${path} is a recording that the reel is cut from`, {
    hint: 'Give the reel another name.',
  });
}

async function writeFrames(path: string, container: Container, plan: WriterPlan, options: ReelOptions) {
  using writer = new ReelWriter(path, container, plan, options);
  // Awaited here: the writer must live until its last packet.
  return await writer.write();
}

function placesOf({ cuts, timeBase, length }: Timeline): Pick<WrittenReel, 'duration' | 'cuts'> {
  return {
    duration: secondsIn(length, timeBase),
    cuts: cuts.map((cut) => {
      const start = cut.recording.seconds(cut.times[0]!);
      return {
        media: cut.recording.path,
        start,
        end: start + secondsIn(cut.length, timeBase),
        offset: secondsIn(cut.offset, timeBase),
        index: cut.index,
      };
    }),
  };
}

function encodingOf(
  timeline: Timeline,
  options: ReelOptions,
  container: Container,
): VideoEncoding & { readonly encoder: string } {
  const first = timeline.cuts[0]!.recording;
  const software = container === 'webm' ? 'libvpx-vp9' : 'libx264';
  const encoding = {
    width: even(options.width ?? first.width),
    height: even(options.height ?? first.height),
    timeBase: timeline.timeBase,
    frameRate: timeline.frameRate,
    encoder: options.encoder ?? software,
    color: first.color,
    ...(options.quality !== undefined && { quality: options.quality }),
    ...(options.preset !== undefined && { preset: options.preset }),
  };
  if (options.encoder !== 'hardware') {
    if (container === 'webm' && encoding.encoder !== software)
      throw new PlaybyplayError('no-encoder', `a webm holds VP9, which ${encoding.encoder} does not encode`, {
        hint: 'Name the reel .mp4, .mov or .mkv.',
      });
    return encoding;
  }
  const found = container === 'webm' ? undefined : hardwareEncoder(encoding);
  return { ...encoding, encoder: found ?? software };
}
