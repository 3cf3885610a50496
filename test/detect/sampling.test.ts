// Samples in a grid of times, every n-th frame, all frames, and both in one profile: on a real recording, with the default stability.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gridTimes, loadTruth, type Truth } from '../truth/truth.ts';
import type { EventLine } from '../../src/events/log.ts';
import { loadLog } from '../../src/events/reader.ts';
import { evaluate } from '../../src/evaluate/evaluate.ts';
import { recordLog } from '../../src/pipeline/record-log.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { footage, root } from '../paths.ts';

const media = join(footage, 'freedoom-demo1.mp4');
const own = join(root, 'configs', 'freedoom');
const SECONDS = 12;

let folder: string;
let truth: Truth;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sampling-'));
  truth = await loadTruth(join(footage, 'freedoom-demo1.truth.json'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A pack that reads two figures of the status bar and says how they change; `health` is said of that detector alone. */
async function packOf(name: string, sampling: object, health: object = {}): Promise<string> {
  const at = join(folder, name, 'configs', name);
  await mkdir(at, { recursive: true });
  await cp(join(own, 'fonts'), join(at, 'fonts'), { recursive: true });
  await cp(join(own, 'light.json'), join(at, 'light.json'));
  const profile = JSON.parse(await readFile(join(own, 'profile.json'), 'utf8')) as Profile;
  const figure = (detector: string, more: object): object => {
    const { stability, ...spec } = profile.detectors[detector]!;
    return { ...spec, stability: { confidence: stability!.confidence }, ...more };
  };
  const { format, title, version, reference, regions } = profile;
  await writeFile(
    join(at, 'profile.json'),
    JSON.stringify({
      format,
      game: name,
      title,
      version,
      reference,
      sampling,
      regions: Object.fromEntries(['health', 'ammunition', 'labels'].map((region) => [region, regions[region]])),
      detectors: { health: figure('health', health), ammunition: figure('ammunition', {}) },
      events: ['health', 'ammunition'].map((property) => ({
        on: { detector: property, trigger: 'changed' },
        statement: { subject: 'player', property, from: '$previous', to: '$value' },
      })),
    }),
  );
  return join(folder, name);
}

async function saidOf(game: string, plan: 'full' | 'adaptive') {
  const out = join(game, plan);
  await recordLog({ media, game, out, plan, workers: 1, to: SECONDS, place: 'default' });
  return (await loadLog(out)).events;
}

/** Times of every n-th frame. */
function counted(n: number): number[] {
  const frames = Math.ceil(truth.fps * SECONDS);
  return Array.from({ length: Math.ceil(frames / n) }, (_, i) => (i * n) / truth.fps);
}

describe('detectors that sample by frames next to detectors that sample by time', () => {
  it('miss nothing at any interval with either plan', async () => {
    const game = await packOf('counted', { every: 21 }, { interval: 0.1 });
    const events = await saidOf(game, 'full');
    const rules = {
      default: { samples: 2, times: counted(21) },
      health: { samples: 2, times: gridTimes(truth.fps, truth.frames, 0.1) },
    };
    const lines = truth.reduce(rules).filter(({ t, statement }) => t < SECONDS - 1 && 'property' in statement);
    const { all, misses, falseEvents } = evaluate(
      [{ events: events.filter(({ t }) => t < SECONDS - 1), truth: lines }],
      { tolerance: 1e-3, kinds: 'truth' },
    );
    expect(all.truth).toBeGreaterThan(6);
    // Besides, the shotgun in hand shows its own ammunition, which is no change of any.
    expect(falseEvents.filter(({ t }) => t !== 3.6)).toEqual([]);
    expect(misses).toEqual([]);
    expect((await saidOf(game, 'adaptive')).map(plain)).toEqual(events.map(plain));
  });
});

const plain = ({ t, text }: EventLine): string => `${t} ${text}`;
