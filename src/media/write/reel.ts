import { rename, rm } from 'node:fs/promises';
import { hardwareEncoder, type VideoEncoding } from './encoder.ts';
import { finishMatroska } from './finish-matroska.ts';
import { finishMp4 } from './finish.ts';
import { PlaybyplayError } from '../../errors.ts';
import { type Container, containerOf } from './container.ts';
import { even } from './frame-layout.ts';
import type { ReelOptions, ReelPlan, WrittenReel } from './reel-options.ts';
import { ReelWriter, type WriterPlan } from './reel-writer.ts';
import { layOut, Recordings, secondsIn, type Cut, type Timeline } from './timeline.ts';

export type { Cut };
export type {
  Accompaniment,
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
  using recordings = new Recordings(options.audioTrack);
  const timeline = layOut(cuts, recordings, options.frameRate);
  if (timeline.cuts.length === 0)
    throw new PlaybyplayError('no-frame', 'No frame of the recording lies in what is to be cut.');
  const container = containerOf(path);
  const encoding = encodingOf(timeline, options, container);
  const { width, height } = encoding;
  const plan: ReelPlan = { width, height, ...placesOf(timeline) };
  const accompaniment = (await options.prepare?.(plan)) ?? {};
  // Named by the process: two that write the same reel must not write into one file.
  const parts = [`${path}.${process.pid}.part`, `${path}.${process.pid}.part2`] as const;
  try {
    const counts = await writeFrames(parts[0], container, { timeline, encoding, accompaniment }, options);
    if (container === 'mp4' || container === 'mov') {
      const { captions = [], chapters = [], log, title } = accompaniment;
      const before = 1 + Number(timeline.cuts.some((cut) => cut.recording.hasSound)) + Number(captions.length > 0);
      await finishMp4(
        parts[0],
        parts[1],
        {
          chapters,
          ...(chapters.length > 0 && { chapterTrack: before }),
          ...(log !== undefined && { log }),
          ...(title !== undefined && { title }),
        },
        options.signal,
      );
      await rename(parts[1], path);
    } else {
      const { chapters = [], log } = accompaniment;
      const titles = chapters.map(({ start, end, title }) => ({ start, end, text: title }));
      const attached = container === 'matroska' && log !== undefined;
      await finishMatroska(parts[0], { chapters: titles, ...(attached && { log }) });
      await rename(parts[0], path);
    }
    return { path, ...plan, ...counts, encoder: encoding.encoder };
  } finally {
    for (const part of parts) await rm(part, { force: true });
  }
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
      throw new PlaybyplayError('no-encoder', `A webm holds VP9, which ${encoding.encoder} does not encode.`, {
        hint: 'Name the reel .mp4, .mov or .mkv.',
      });
    return encoding;
  }
  const found = container === 'webm' ? undefined : hardwareEncoder(encoding);
  return { ...encoding, encoder: found ?? software };
}
