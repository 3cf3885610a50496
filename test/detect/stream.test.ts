// `detect` as a library: a stream of messages, on sources whose end is not known.
import { describe, expect, it } from 'vitest';
import { createChunk, sliceIndex } from '../../src/media/packets/packet-index.ts';
import { detect, type DetectOptions } from '../../src/pipeline/detect.ts';
import { type Game, openGame } from '../../src/pipeline/game.ts';
import type { DetectMessage } from '../../src/pipeline/messages.ts';
import { openSource, type Source } from '../../src/pipeline/source.ts';
import { clip } from '../paths.ts';

/** A source without a known end, and how many of its chunks are there. */
interface GrowingSource extends Source {
  available: number;
  /** Chunks that have been given out. */
  given: number;
}

/** The recording as if it were still being written: `arrive` adds another chunk. */
async function openGrowing(): Promise<{ readonly source: GrowingSource; readonly arrive: () => void }> {
  const file = await openSource(clip);
  let wake = Promise.withResolvers<void>();
  const source: GrowingSource = {
    path: file.path,
    video: file.video,
    available: 2,
    given: 0,
    identify: async () => ({ ...(await file.identify()), duration: undefined }),
    async preview() {
      const index = await file.preview();
      return sliceIndex(index, createChunk(index, 0, 2));
    },
    async *chunks(minSeconds, signal) {
      signal?.addEventListener('abort', () => wake.resolve());
      for await (const { chunk, index, gaps } of file.chunks(minSeconds)) {
        while (source.given >= source.available) {
          await wake.promise;
          if (signal?.aborted) return;
          wake = Promise.withResolvers();
        }
        source.given++;
        // No more is known than the group after the chunk.
        yield { chunk, gaps, index: sliceIndex(index, createChunk(index, 0, chunk.lastGroup)) };
      }
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
  const arrive = (): void => {
    source.available++;
    wake.resolve();
  };
  return { source, arrive };
}

const OPTIONS: DetectOptions = { place: 'default', workers: 1, to: 23 };

async function eventsOf(source: Source, game: Game, onMessage?: (message: DetectMessage) => void): Promise<string[]> {
  const events: string[] = [];
  for await (const message of detect(source, game, OPTIONS)) {
    onMessage?.(message);
    if (message.type === 'event') events.push(`${message.t} ${message.text}`);
  }
  return events;
}

describe('detect on a source without a known end', () => {
  it('yields the events of each chunk before later chunks are there, and the same as of the whole file', async () => {
    const game = await openGame('freedoom');
    using file = await openSource(clip);
    const whole = await eventsOf(file, game);
    expect(whole.length).toBeGreaterThan(20);
    const { source, arrive } = await openGrowing();
    using resources = new DisposableStack();
    resources.use(source);
    const given: number[] = [];
    const events = await eventsOf(source, game, (message) => {
      if (message.type !== 'progress') return;
      expect(message.total).toBeUndefined();
      given.push(source.given);
      // The next chunk arrives only now.
      arrive();
    });
    expect(events).toEqual(whole);
    expect(given.slice(0, 2)).toEqual([2, 3]);
  });

  it('ends and closes what it opened when its reader stops, or aborts the signal', async () => {
    const game = await openGame('freedoom');
    const { source } = await openGrowing();
    using resources = new DisposableStack();
    resources.use(source);
    // The source waits for its third chunk, which never comes.
    for await (const { type } of detect(source, game, OPTIONS)) if (type === 'progress') break;
    expect(source.given).toBe(2);
    using file = await openSource(clip);
    const abort = new AbortController();
    const messages = detect(file, game, { ...OPTIONS, signal: abort.signal });
    await expect(async () => {
      for await (const { type } of messages) if (type === 'event') abort.abort();
    }).rejects.toThrow(/abort/i);
  });
});
