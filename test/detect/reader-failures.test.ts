import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { recordLog } from '../../src/pipeline/record-log.ts';
import { makeVideo } from '../fixtures/videos.ts';
import { launcher } from '../paths.ts';

/**
 * A detector kind that reads the brightness of a region. It ends, hangs or blocks in native code, once, the thread that makes the fifth
 * reading or reaches the twentieth frame; a marker file records which thread it was.
 */
const plugin = `
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread, threadId } from 'node:worker_threads';
let [pictures, readings] = [0, 0];
function end(when, count, at) {
  const wanted = process.env.GLOW_ENDS;
  const marker = process.env.GLOW_FOLDER + '/' + wanted;
  if (!wanted.endsWith(when) || count !== at || isMainThread) return;
  try {
    writeFileSync(marker, String(threadId), { flag: 'wx' });
  } catch {
    return;
  }
  // Opening a pipe that nobody writes to never returns.
  if (wanted.startsWith('blocks')) readFileSync(process.env.GLOW_FOLDER + '/pipe');
  if (!wanted.startsWith('hangs')) process.exit(3);
  for (;;) Math.random();
}
export const kind = {
  name: 'glow', description: 'How light it is.', schema: { type: 'object' },
  open: async () => {
    const settle = async ({ deferred }) => {
      end('readings', ++readings, 5);
      const mean = deferred.reduce((sum, level) => sum + level, 0) / deferred.length;
      return { state: 'seen', value: Math.round(mean), confidence: 1 };
    };
    const defer = async (view) => {
      end('pictures', ++pictures, 20);
      const { data } = await view.prepared();
      const deferred = Uint8Array.from(data);
      return { deferred, memory: [deferred.buffer] };
    };
    return { defer, settle, read: async (view) => settle(await defer(view)) };
  },
};`;

const region = { x: 0.45, y: 0.45, width: 0.05, height: 0.05 };
const profile = {
  format: 'playbyplay/profile/1',
  game: 'glow',
  title: 'Glow',
  version: '1',
  reference: { width: 1280, height: 720 },
  regions: { middle: { ...region, preprocess: [{ step: 'grayscale' }] }, left: { ...region, x: 0.1 } },
  detectors: {
    middle: { kind: 'glow', region: 'middle', stability: { samples: 1 } },
    left: { kind: 'glow', region: 'left', stability: { samples: 1 } },
    light: { kind: 'glow', region: 'left', stability: { samples: 1 } },
    dark: { kind: 'glow', region: 'middle', stability: { samples: 1 }, when: { detector: 'light' } },
  },
  events: ['middle', 'left', 'dark'].map((detector) => ({
    on: { detector, trigger: 'changed' },
    statement: { subject: 'player', action: 'move' },
  })),
};

/** Three chunks of eight seconds, in which the brightness of the picture and its left part changes. */
const [framesPerSecond, seconds] = [10, 24];

let folder = '';
let media = '';
let alone: Awaited<ReturnType<typeof run>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'playbyplay-shared-'));
  process.env['GLOW_FOLDER'] = folder;
  await writeFile(join(folder, 'glow.mjs'), plugin);
  await writeFile(join(folder, 'profile.json'), JSON.stringify(profile));
  media = join(folder, 'lights.mp4');
  makeVideo({
    path: media,
    codec: 'libx264',
    width: 320,
    height: 180,
    pts: Array.from({ length: seconds * framesPerSecond }, (_, frame) => frame),
    timeBase: { num: 1, den: framesPerSecond },
    keyEvery: framesPerSecond,
    paint([luma, ...chroma], [stride = 0], frame) {
      for (const plane of chroma) plane.fill(128);
      luma!.fill(40 + 10 * (Math.floor(frame / 4) % 18));
      const left = 220 - 9 * (Math.floor(frame / 6) % 19);
      for (let y = 0; y < 180; y++) luma!.fill(left, y * stride, y * stride + 80);
    },
  });
  alone = await run(1);
});
afterAll(async () => {
  delete process.env['GLOW_ENDS'];
  await rm(folder, { recursive: true });
});

interface Traced {
  readonly name: string;
  readonly ph: string;
  readonly cat?: string;
  readonly tid: number;
}

async function run(workers: number, ends = '', hangLimit = 3): Promise<{ log: string; trace: Traced[] }> {
  process.env['GLOW_ENDS'] = ends;
  const out = join(folder, `out ${workers} ${ends}`);
  const trace = join(folder, `trace ${workers} ${ends}.json`);
  const plugins = [join(folder, 'glow.mjs')];
  const stuckAfter = ends.startsWith('hangs') ? { stuckAfter: hangLimit } : {};
  await recordLog({ media, game: join(folder, 'profile.json'), out, workers, plugins, trace, ...stuckAfter });
  const { traceEvents } = JSON.parse(await readFile(trace, 'utf8')) as { traceEvents: Traced[] };
  return { log: await readFile(join(out, 'events.ndjson'), 'utf8'), trace: traceEvents };
}

/** `run read`, `copy result`: what a trace shows. */
const kinds = (trace: readonly Traced[]) => new Set(trace.map(({ cat, name }) => `${cat} ${name.split(' ')[0]}`));

describe('reading with several threads', () => {
  it('gives the log of one thread, and a trace of its chunks', async () => {
    const [two, three] = [await run(2), await run(3)];
    expect(alone.log.split('\n').length).toBeGreaterThan(30);
    expect(two.log).toBe(alone.log);
    expect(three.log).toBe(alone.log);
    const named = ['undefined thread_name', 'undefined thread_sort_index'];
    for (const { trace } of [alone, two])
      expect(kinds(trace)).toEqual(new Set([...named, 'run read', 'copy request', 'copy result']));
  });

  it.each(['pictures', 'readings'])('repeats a chunk whose thread exits during its %s', async (what) => {
    const ended = await run(2, what);
    expect(existsSync(join(folder, what))).toBe(true);
    expect(ended.log).toBe(alone.log);
  });

  it.each(['pictures', 'readings'])('repeats a chunk whose thread hangs during its %s', async (what) => {
    const ended = await run(2, `hangs ${what}`);
    expect(existsSync(join(folder, `hangs ${what}`))).toBe(true);
    expect(ended.log).toBe(alone.log);
  });

  it('repeats a chunk whose thread is terminated from outside', async () => {
    const threads = new Map<number, Worker>();
    const note = (thread: Worker): unknown => threads.set(thread.threadId, thread);
    process.on('worker', note);
    const running = run(2, 'hangs outside pictures', 600);
    // The thread loops in JavaScript once its marker exists: ended inside a native call, it would end the process.
    const marker = join(folder, 'hangs outside pictures');
    const id = await vi.waitUntil(() => existsSync(marker) && readFileSync(marker, 'utf8'), { timeout: 60_000 });
    expect(await threads.get(Number(id))?.terminate()).toBe(1);
    process.off('worker', note);
    expect((await running).log).toBe(alone.log);
  });

  it.skipIf(process.platform === 'win32')(
    'ends the process where native code does not return; a resumed run goes on',
    async () => {
      execFileSync('mkfifo', [join(folder, 'pipe')]);
      const out = join(folder, 'blocked');
      const args = ['--game', join(folder, 'profile.json'), '--plugin', join(folder, 'glow.mjs'), '--out', out];
      const detect = async (ends: string, ...more: string[]): Promise<readonly [ended: unknown, said: string]> => {
        // Long enough to open a recording on a busy machine: only the blocked thread is to be late.
        const env = { ...process.env, GLOW_ENDS: ends, PLAYBYPLAY_STUCK_SECONDS: '4' };
        const child = spawn(
          process.execPath,
          [launcher, 'detect', media, '--workers', '2', '--quiet', ...args, ...more],
          {
            stdio: ['ignore', 'ignore', 'pipe'],
            env,
          },
        );
        const [said, [code, signal]] = await Promise.all([
          text(child.stderr),
          once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
        ]);
        return [code ?? signal, said];
      };
      const [ended, said] = await detect('blocks pictures');
      expect(said).toMatch(/reader \d has not responded .* while reading .*\n.*--resume/);
      expect(said).toMatch(/ends by force, because a library does not return \(the exit code was 1\)/);
      expect(ended).toBe('SIGKILL');
      const kept = readFileSync(join(out, 'events.ndjson'), 'utf8');
      expect(alone.log.startsWith(kept)).toBe(true);
      expect((await detect('', '--resume'))[0]).toBe(0);
      expect(readFileSync(join(out, 'events.ndjson'), 'utf8')).toBe(alone.log);
    },
  );
});
