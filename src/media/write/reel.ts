import { PlaybyplayError } from '../../errors.ts';
import { checkOutput, type OutputOptions, produceOutput, TemporaryFile } from '../../files/output.ts';
import { addChaptersToMatroska, addToMp4 } from './container-edits.ts';
import { findHardwareEncoder, type VideoEncoding } from './encoder.ts';
import { even } from './frame-filter.ts';
import { type Container, containerForPath, isMp4Family } from './muxer.ts';
import type { ReelOptions, ReelPlan, WrittenReel } from './reel-options.ts';
import { ReelWriter, type WrittenFrames, type WriterPlan } from './reel-writer.ts';
import { type Cut, createTimeline, RecordingPool, secondsIn, type Timeline } from './timeline.ts';

export type { Cut };
export type {
  FramePlanes,
  Paint,
  PlacedCut,
  ReelExtras,
  ReelOptions,
  ReelPlan,
  WrittenReel,
} from './reel-options.ts';

/**
 * Writes cuts one after the other, with audio, to an mp4, mov, mkv or webm file. The file appears under its name only when
 * it is complete.
 *
 * @throws PlaybyplayError `unwritable`, `output-is-input`, `output-exists`, `no-frame`, `no-encoder`, `encoder-failed`, and those of opening a recording; or
 * the signal's reason.
 *
 * @example
 * ```ts
 * const cuts = [{ media: 'match.mp4', start: 61, end: 68.5 }];
 * const { duration, copied, encoded } = await writeReel('reel.mp4', cuts, { loudness: -16 });
 * ```
 */
export async function writeReel(path: string, cuts: readonly Cut[], options: ReelOptions = {}): Promise<WrittenReel> {
  const inputs = [...(options.inputs ?? []), ...cuts.map(({ media }) => media)];
  const output: OutputOptions = { kind: 'video', inputs, overwrite: options.overwrite };
  await checkOutput(path, output);
  using recordings = new RecordingPool(options.audioTrack);
  const timeline = createTimeline(cuts, recordings, options.frameRate);
  if (timeline.cuts.length === 0) throw new PlaybyplayError('no-frame', 'the cuts contain no frame of the recording');
  const container = containerForPath(path);
  const encoding = chooseEncoding(timeline, options, container);
  const { width, height } = encoding;
  const plan: ReelPlan = { width, height, ...placeCuts(timeline) };
  const extras = (await options.prepare?.(plan)) ?? {};
  const writerPlan: WriterPlan = { container, timeline, encoding, extras };
  const written = await produceOutput(
    path,
    (temporaryPath) =>
      isMp4Family(container)
        ? writeMp4(temporaryPath, writerPlan, options)
        : writeMatroska(temporaryPath, writerPlan, options),
    output,
  );
  return { path, ...plan, ...written, encoder: encoding.encoder };
}

/** Writes frames, audio and texts first, then a copy with chapters and log added. */
async function writeMp4(path: string, plan: WriterPlan, options: ReelOptions): Promise<WrittenFrames> {
  const { captions = [], chapters = [], log } = plan.extras;
  const hasAudio = plan.timeline.cuts.some((cut) => cut.recording.hasAudio);
  const chapterTrack = 1 + Number(hasAudio) + Number(captions.length > 0);
  await using frames = await TemporaryFile.create(path);
  const written = await writeFrames(frames.path, plan, options);
  const additions = { chapters, ...(chapters.length > 0 && { chapterTrack }), ...(log !== undefined && { log }) };
  await addToMp4(frames.path, path, additions, options.signal);
  return written;
}

async function writeMatroska(path: string, plan: WriterPlan, options: ReelOptions): Promise<WrittenFrames> {
  const written = await writeFrames(path, plan, options);
  await addChaptersToMatroska(path, plan.extras.chapters ?? []);
  return written;
}

async function writeFrames(path: string, plan: WriterPlan, options: ReelOptions): Promise<WrittenFrames> {
  using writer = new ReelWriter(path, plan, options);
  // Awaited here, so that the writer lives until its last packet.
  return await writer.write();
}

function placeCuts({ cuts, timeBase, length }: Timeline): Pick<WrittenReel, 'duration' | 'cuts'> {
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

function chooseEncoding(
  timeline: Timeline,
  options: ReelOptions,
  container: Container,
): VideoEncoding & { readonly encoder: string } {
  const first = timeline.cuts[0]!.recording;
  const softwareEncoder = container === 'webm' ? 'libvpx-vp9' : 'libx264';
  const encoding = {
    width: even(options.width ?? first.width),
    height: even(options.height ?? first.height),
    timeBase: timeline.timeBase,
    frameRate: timeline.frameRate,
    encoder: options.encoder ?? softwareEncoder,
    color: first.color,
    ...(options.quality !== undefined && { quality: options.quality }),
    ...(options.preset !== undefined && { preset: options.preset }),
  };
  if (options.encoder === 'hardware') {
    const hardwareEncoder = container === 'webm' ? undefined : findHardwareEncoder(encoding);
    return { ...encoding, encoder: hardwareEncoder ?? softwareEncoder };
  }
  if (container === 'webm' && encoding.encoder !== softwareEncoder)
    throw new PlaybyplayError('no-encoder', `webm contains VP9, which ${encoding.encoder} does not encode`, {
      hint: 'Name the reel .mp4, .mov or .mkv.',
    });
  return encoding;
}
