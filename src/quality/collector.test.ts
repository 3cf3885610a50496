import { describe, expect, it } from 'vitest';
import { random } from '../../test/fixtures/quality/reference.ts';
import { randomSession } from '../../test/fixtures/quality/sessions.ts';
import { type FramePart, SessionCollector } from './collector.ts';
import type { FrameRecord } from './frame.ts';
import { scoreSession } from './meter.ts';

const info = { fps: 60, width: 1280, height: 720, targetBitrate: 1e7 };
const records = [...randomSession(5000, 21)];
const server = ({ captured, transmitted, returned, targetBitrate }: FrameRecord): FramePart => ({
  captured,
  transmitted,
  returned,
  targetBitrate,
});
const client = ({ received, presented, inputs }: FrameRecord): FramePart => ({ received, presented, inputs });

/** Both halves of all frames, each some frames late, in the order of their arrival. */
function arrivals(of: readonly FrameRecord[], latest: number): { frame: number; part: FramePart }[] {
  const next = random(4);
  return of
    .flatMap((record) => [
      { at: record.frame, frame: record.frame, part: server(record) },
      { at: record.frame + latest * next(), frame: record.frame, part: client(record) },
    ])
    .toSorted((a, b) => a.at - b.at);
}

/** The inputs as the collector keeps them: of those in one sample of 100 ms the first. */
function sampled(of: readonly FrameRecord[]): FrameRecord[] {
  return of.map((record) => {
    const seen = new Set<number>();
    const inputs = record.inputs?.filter(
      (input) => !seen.has(Math.floor(input / 100)) && seen.add(Math.floor(input / 100)),
    );
    return { ...record, inputs };
  });
}

describe('SessionCollector', () => {
  it('joins late and unordered halves and scores the whole session', () => {
    const collector = new SessionCollector(info);
    for (const { frame, part } of arrivals(records, 100)) collector.add(frame, part);
    const expected = scoreSession(sampled(records), info).quality;
    expect(collector.quality()).toEqual(expected);
    expect(collector.finish()).toEqual(expected);
    expect(collector.counts.late).toBe(0);
  });

  it('keeps and scores the last frames only', () => {
    const collector = new SessionCollector(info, { capacity: 600 });
    for (const { frame, part } of arrivals(records, 60)) collector.add(frame, part);
    expect([...collector.records()].map(({ frame }) => frame)).toEqual(Array.from({ length: 600 }, (_, i) => 4400 + i));
    // The ring begins without the settings of earlier frames.
    expect(collector.quality()).toEqual(scoreSession(sampled(records.slice(-600)), info).quality);
    // The live figures have followed from the first frame on.
    expect(collector.finish()).toEqual(scoreSession(sampled(records), info).quality);
  });

  it('never revises settled live figures', () => {
    const collector = new SessionCollector(info, { settle: 50 });
    for (const record of records.slice(0, 400)) {
      collector.add(record.frame, server(record));
      if (record.frame >= 20) collector.add(record.frame - 20, client(records[record.frame - 20]!));
    }
    const live = collector.live()!;
    const { series } = scoreSession(sampled(records.slice(0, 350)), info, { series: true });
    expect(live.frame).toBe(349);
    expect(live).toEqual(series.at(-1));
  });

  it('counts parts that arrive too late', () => {
    const collector = new SessionCollector(info, { capacity: 100 });
    collector.add(500, { captured: 1 });
    collector.add(400, { captured: 1 });
    collector.add(401, { captured: 1 });
    expect(collector.counts.late).toBe(1);
    expect([...collector.records()].map(({ frame }) => frame)).toEqual([401, 500]);
    expect(() => collector.add(1.5, {})).toThrow(RangeError);
  });

  it('skips a jump of the frame numbers in constant time', () => {
    const collector = new SessionCollector(info, { capacity: 100, settle: 10 });
    for (let frame = 0; frame < 30; frame++) collector.add(frame, { captured: 16 * frame });
    collector.add(2 ** 40, { captured: 1000 });
    expect([...collector.records()]).toHaveLength(1);
    expect(collector.total().frames).toBe(20);
  });
});

// Capture every 16 ms from 1000 on; 20 ms to the client, whose clock is 5000 ms ahead; 10 ms until it is shown; the
// metadata take 20 ms back: a round trip of 40 ms.
function feed(collector: SessionCollector, frames: number): void {
  for (let frame = 0; frame < frames; frame++) {
    const captured = 1000 + 16 * frame;
    collector.add(frame, {
      captured,
      transmitted: captured,
      received: captured + 5020,
      presented: captured + 5030,
      returned: captured + 50,
    });
  }
}

describe('SessionCollector.input', () => {
  it('assigns an input to the next frame captured after its arrival at the server', () => {
    const collector = new SessionCollector(info);
    expect(collector.predict(6000)).toBeUndefined();
    feed(collector, 60);
    // Made at 6500 on the client's clock it is at the server at 1520: frame 33 is captured at 1528, 32 at 1512.
    expect(collector.predict(6500)).toBe(33);
    // Frame 59 is captured at 1944; made at 6980, at the server at 2000, it will be in the one expected at 2008.
    expect(collector.predict(6980)).toBe(63);
    collector.input(6980);
    feed(collector, 80);
    expect([...collector.records()].filter(({ inputs }) => inputs).map(({ frame, inputs }) => [frame, inputs])).toEqual(
      [[63, [6980]]],
    );
    // Frame 63: presented at 2008 + 5030 = 7038, 58 ms after the input.
    expect(collector.quality().components['stackLatency']).toMatchObject({ measured: 1, mean: 58 });
  });

  it('samples inputs at 10 Hz', () => {
    const collector = new SessionCollector(info);
    feed(collector, 60);
    for (const time of [6900, 6910, 6999, 7000, 7050]) collector.input(time);
    feed(collector, 100);
    expect([...collector.records()].flatMap(({ inputs }) => inputs ?? [])).toEqual([6900, 7000]);
  });

  it('counts inputs without a predictable frame', () => {
    const collector = new SessionCollector(info);
    collector.input(100);
    expect(collector.counts.unplacedInputs).toBe(1);
  });
});
