import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { followStreamQuality, type StreamMessage } from '../../src/live/stream-quality.ts';
import { makeScenario, StreamSimulator } from '../../src/quality/control/simulation.ts';
import { scoreFiles } from '../../src/quality/score.ts';
import { analyzeFiles } from '../../src/quality/timeline.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-stream-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const START = { bitrate: 12e6, width: 1280, height: 720, fps: 60, preset: 'fast' } as const;
const SECONDS = 60;

/** A stream over a simulated mobile network whose frame log grows; what is decided is applied from the next frame on. */
async function play(name: string, adjusts: boolean) {
  const frames = join(folder, `${name}.ndjson`);
  const out = join(folder, `${name}.quality.ndjson`);
  const { fps, width, height, bitrate: targetBitrate } = START;
  writeFileSync(frames, `${JSON.stringify({ fps, width, height, targetBitrate })}\n`);
  const simulator = new StreamSimulator(makeScenario(5, SECONDS, 'mobile'), START);
  const messages: StreamMessage[] = [];
  const problems: string[] = [];
  const stream = await followStreamQuality({
    frames,
    out,
    adjust: adjusts ? { least: 1e6, most: 20e6 } : undefined,
    sessionTime: () => 100,
    onMessage: (message) => {
      messages.push(message);
      if (message.type === 'settings') simulator.apply(message.settings);
    },
    onProblem: (message) => problems.push(message),
  });
  let lines = '';
  for (let record = simulator.next(), count = 1; record; record = simulator.next(), count++) {
    // The two sides write their halves.
    const { received, decoded, clientRendered, presented, returned, ...server } = record;
    const client = { frame: record.frame, received, decoded, clientRendered, presented, returned };
    lines += `${JSON.stringify(server)}\n${JSON.stringify(client)}\n`;
    if (count % 60 > 0) continue;
    // The session has followed up to a second before what was just written.
    const t = 100 + count / fps - 1;
    appendFileSync(frames, lines);
    lines = '';
    const hasFollowed = (): boolean => messages.some((one) => one.type === 'quality' && one.t >= t);
    if (count > 60) await vi.waitUntil(hasFollowed, { interval: 5, timeout: 30_000 });
  }
  appendFileSync(frames, lines);
  await stream.stop();
  return { frames, messages, problems, written: readFileSync(out, 'utf8') };
}

let fixed: Awaited<ReturnType<typeof play>>;
beforeAll(async () => {
  fixed = await play('fixed', false);
});

describe('the frame log of a stream', () => {
  it('is followed while it is written: the incidents are those of the complete log', async () => {
    const { frames, messages, problems, written } = fixed;
    expect(problems).toEqual([]);
    expect(
      written
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(messages.map((message) => JSON.parse(JSON.stringify(message)) as unknown));
    const [after] = await analyzeFiles([frames]);
    const times = after!.incidents.filter(({ kind }) => kind !== 'bad').map(({ t }) => (100 + t).toFixed(3));
    const live = messages.filter(({ type }) => type === 'incident') as { t: number; text: string }[];
    const timesLive = live.filter(({ text }) => !/degrade|recover/.test(text)).map(({ t }) => t.toFixed(3));
    expect(times.length).toBeGreaterThan(10);
    expect(timesLive.toSorted()).toEqual(times.toSorted());
    const figures = messages.filter(({ type }) => type === 'quality');
    expect(figures.length).toBeGreaterThan(1.9 * SECONDS);
  });

  it('adjusts the stream to its network', async () => {
    const adjusted = await play('adjusted', true);
    const settings = adjusted.messages.filter(({ type }) => type === 'settings');
    expect(settings.length).toBeGreaterThan(2);
    expect(settings[0]).toMatchObject({ text: expect.stringMatching(/^bitrate 12\.0 Mbit\/s → .* \(.*\)$/) as string });
    const lost = ({ messages }: typeof fixed): number =>
      messages.reduce((sum, one) => sum + (one.type === 'quality' ? one.lost * one.frames : 0), 0);
    expect(lost(adjusted)).toBeLessThan(0.2 * lost(fixed));
    const [[before], [after]] = [await scoreFiles([fixed.frames]), await scoreFiles([adjusted.frames])];
    expect(after!.quality.total!).toBeGreaterThan(before!.quality.total! + 10);
  });

  it.each([
    ['no header', '{"frame":0,"captured":1}\n', /does not begin with the frame rate/],
    ['a header without a size', '{"fps":60}\n{"frame":0,"captured":1}\n', /lacks width, height or targetBitrate/],
    ['a line without end', `{"fps":60}\n${'x'.repeat(70_000)}`, /a line of more than/],
    ['lines that are not JSON', '{"fps":60}\nfoo\nbar\n', /:2: skipped a line that is not JSON \(2 times\)/],
  ])('says what is wrong with %s, and lets the session go on', async (name, text, message) => {
    const frames = join(folder, `${name}.ndjson`);
    writeFileSync(frames, text);
    const problems: string[] = [];
    const stream = await followStreamQuality({
      frames,
      out: join(folder, `${name}.out`),
      adjust: { least: 1e6, most: 2e6 },
      sessionTime: () => 0,
      onMessage: () => undefined,
      onProblem: (problem) => problems.push(problem),
    });
    await stream.stop();
    expect(problems).toEqual([expect.stringMatching(message)]);
  });
});
