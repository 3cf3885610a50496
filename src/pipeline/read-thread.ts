import { serve } from '../compute/scheduler/threads.ts';
import type { Chunk, PacketIndex } from '../media/packet-index.ts';
import { openVideo, type VideoFile } from '../media/video.ts';
import type { HudSettings } from '../regions/place.ts';
import { loadProfile } from '../profile/load.ts';
import { type ChunkContext, type ChunkPlan, readAdaptively, readFully } from './read-chunk.ts';
import { SampleReader } from './sample-reader.ts';

/** What a reading thread is told first. */
export interface OpenRequest {
  readonly open: {
    readonly media: string;
    /** Path of the profile. */
    readonly profile: string;
    readonly hud: HudSettings | undefined;
  };
}

/** One chunk to read; `persists` in seconds asks for the adaptive plan. */
export interface ReadRequest {
  readonly chunk: Chunk;
  readonly index: PacketIndex;
  readonly plan: ChunkPlan;
  readonly persists: number | undefined;
}

interface Session {
  readonly file: VideoFile;
  readonly reader: SampleReader;
  readonly detectors: number;
}

let session: Session | undefined;

serve(async (request) => {
  const wanted = request as OpenRequest | ReadRequest;
  if ('open' in wanted) {
    const { media, profile: path, hud } = wanted.open;
    const { profile, assets } = await loadProfile(path);
    const file = openVideo(media);
    const reader = await SampleReader.open(profile, assets, file.info, hud);
    session = { file, reader, detectors: Object.keys(profile.detectors).length };
    return undefined;
  }
  if (!session) throw new TypeError('the reading thread has not been told what to open');
  const context: ChunkContext = { ...session, index: wanted.index };
  return wanted.persists === undefined
    ? readFully(context, wanted.chunk, wanted.plan)
    : readAdaptively(context, wanted.chunk, wanted.plan, wanted.persists);
});
