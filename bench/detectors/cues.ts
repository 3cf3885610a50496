// The cues that a profile's detectors make on a recording, without script and log: what the benchmarks of kinds judge.
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cue } from '../../src/cues/cue.ts';
import { createTracker } from '../../src/cues/tracker.ts';
import { loadKind } from '../../src/detectors/registry.ts';
import { scanPackets } from '../../src/media/packets/scan-packets.ts';
import { openVideo } from '../../src/media/video.ts';
import { readingsOf } from '../../src/pipeline/reading/chunk-readings.ts';
import { intervalOf } from '../../src/profile/interval.ts';
import { planPortions } from '../../src/pipeline/reading/plan.ts';
import { readFully } from '../../src/pipeline/reading/read-chunk.ts';
import { SampleReader } from '../../src/pipeline/reading/sample-reader.ts';
import { Seams } from '../../src/pipeline/seams.ts';
import type { LoadedProfile } from '../../src/profile/load.ts';
import { loadProfile } from '../../src/profile/load.ts';

/** Loads a profile that stands in memory: `detectors` over `regions`, measured at 1280 × 720. */
export async function makeshiftProfile(
  regions: Readonly<Record<string, unknown>>,
  detectors: Readonly<Record<string, unknown>>,
): Promise<LoadedProfile> {
  const folder = mkdtempSync(join(tmpdir(), 'profile-'));
  try {
    mkdirSync(join(folder, 'configs', 'bench'), { recursive: true });
    const profile = {
      format: 'playbyplay/profile/1',
      game: 'bench',
      title: 'Benchmark',
      version: '1',
      reference: { width: 1280, height: 720 },
      regions,
      detectors,
    };
    writeFileSync(join(folder, 'configs', 'bench', 'profile.json'), JSON.stringify(profile));
    return await loadProfile(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** All cues of the detectors that look, in order of their trackers' output, and how many samples were read. */
export async function cuesOf(
  media: string,
  { profile, assets }: LoadedProfile,
): Promise<{ readonly cues: readonly Cue[]; readonly samples: number; readonly duration: number }> {
  using file = openVideo(media);
  const index = scanPackets(file);
  using reader = await SampleReader.open(profile, assets, file.info);
  if (reader.looksAtVectors) file.exportMotionVectors();
  const seams = await Seams.open(profile);
  const names = Object.keys(profile.detectors);
  const trackers = await Promise.all(
    names.map(async (name) => {
      const spec = profile.detectors[name]!;
      const kind = await loadKind(spec.kind);
      const interval = intervalOf(profile, name);
      return kind.track ? kind.track(name, spec, interval, assets) : createTracker(name, spec, interval);
    }),
  );
  const cues: Cue[] = [];
  let samples = 0;
  for (const { chunk, plan } of planPortions(index, profile, {}, 'full')) {
    const readings = seams.mend(await readFully({ file, index, reader, detectors: names.length }, chunk, plan));
    for (let i = 0; i < readings.t.length; i++) {
      samples++;
      for (const reading of readingsOf(readings, i, names))
        cues.push(...trackers[names.indexOf(reading.detector)]!.push(reading));
    }
  }
  const duration = index.t.at(-1) ?? 0;
  for (const tracker of trackers) cues.push(...tracker.end(duration));
  return { cues, samples, duration };
}
