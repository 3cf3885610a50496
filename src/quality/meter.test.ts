import { describe, expect, it } from 'vitest';
import { deviation, mean, reference } from '../../test/fixtures/quality/reference.ts';
import { randomSession } from '../../test/fixtures/quality/sessions.ts';
import { type ConstantsInput, defaultConstants, monotoneCubic } from './constants.ts';
import { type FrameRecord, RawValueReader } from './frame.ts';
import { type FrameQuality, QualityMeter, scoreSession } from './meter.ts';

/*
 * A session of twelve frames worked on paper. 50 frames a second, 100 × 100 pixels.
 *
 * Stutter: 1.5 · 20 ms = 30 ms, deltaMax 80: score 100 below 30, else 50 − (raw − 30); weight 1 + (raw − 30)/5, 1 to 11.
 * Latency: score 100 − raw, weight raw/10, at least 1. Input samples: 4 of 50 ms, so each active one counts 25.
 *
 * frame            0     1     2     3     4     5     6     7     8     9    10    11
 * captured      1000  1020  1040  1060  1080  1130  1150  1170  1190  1210  1230  1250
 * presented     5060  5080  5100  5120  5140  5190  5210  5230     –  5270  5290  5310
 * capture delta    –    20    20    20    20    50    20    20    20    20    20    20
 *   score/weight       100/1 100/1 100/1 100/1  30/5 100/1 100/1 100/1 100/1 100/1 100/1
 * present delta    –    20    20    20    20    50    20    20  (20)    40    20    20      8 is dropped: filled; then 40
 *   score/weight       100/1 100/1 100/1 100/1  30/5 100/1 100/1 100/1  40/3 100/1 100/1
 * RTD             10    10    10    40    10    10    10    10  (10)    10    10    10
 *   score/weight 90/1  90/1  90/1  60/4  90/1  90/1  90/1  90/1  90/1  90/1  90/1  90/1
 * stack latency    –     –    50  (50)  (50)  (50)    80  (80)  (80)  (80)    50  (50)      frame 6: 5130 is the earlier
 *   score/weight              50/5  50/5  50/5  50/5  20/8  20/8  20/8  20/8  50/5  50/5
 *
 * Base, x = 2, y = 2, z = 1. Value = min(score, rolling weighted mean of two frames); only where that mean is lower:
 *   frame 4 RTD      (60·4 + 90·1)/5        = 66
 *   frame 6 deltas   (30·5 + 100·1)/6       = 125/3
 *   frame 10 present (40·3 + 100·1)/4       = 55
 *   frame 10 stack   (20·8 + 50·5)/13       = 410/13
 * CWS:
 *   0  90                                             6  (2·125/3 + 90 + 20·8)/11         = 1000/33
 *   1  (100 + 100 + 90)/3               = 290/3       7  (100 + 100 + 90 + 20·8)/11       = 450/11
 *   2  (100 + 100 + 90 + 50·5)/8        = 135/2       8  the same                         = 450/11
 *   3  (100 + 100 + 60·4 + 50·5)/11     = 690/11      9  (100 + 40·3 + 90 + 20·8)/13      = 470/13
 *   4  (100 + 100 + 66 + 50·5)/8        = 129/2      10  (100 + 55 + 90 + 410/13·5)/8     = 5235/104
 *   5  (30·5 + 30·5 + 90 + 50·5)/16     = 40         11  (100 + 100 + 90 + 50·5)/8        = 135/2
 * Of two values a, b: mean − 1·std = (a + b)/2 − |a − b|/2 = min(a, b), so
 *   base = 90, 90, 135/2, 690/11, 690/11, 40, 1000/33, 1000/33, 450/11, 470/13, 470/13, 5235/104
 *
 * Offset, x = 3, y = 2, z = 2. Rolling means of three frames that are below the score:
 *   RTD 4 and 5      (60·4 + 90 + 90)/6, (90 + 60·4 + 90)/6   = 70, 70
 *   deltas 6 and 7   (100 + 30·5 + 100)/7, …                  = 50, 50
 *   present 10, 11   (100 + 40·3 + 100)/5, …                  = 64, 64
 *   stack 10, 11     (20·8 + 20·8 + 50·5)/21 = 190/7, (20·8 + 50·5 + 50·5)/18 = 110/3
 * CWS: 90, 290/3, 135/2, 690/11, (100+100+70+250)/8 = 65, (150+150+70+250)/16 = 155/4, (50+50+90+160)/11 = 350/11,
 *      350/11, 450/11, 470/13, (100+64+90+190/7·5)/8 = 341/7, (100+64+90+110/3·5)/8 = 164/3
 * mean − 2·std of two = (a + b)/2 − |a − b|:
 *   90, 260/3, 635/12, 2655/44, 1355/22, 205/8, 2495/88, 350/11, 300/11, 4830/143, 5437/182, 1921/42
 *   their population standard deviation: 21.859580134570702
 *
 * Input samples of 50 ms: 5050 → 101, 5130 → 102, 5180 → 103, 5240 → 104. Presented ends in sample
 *   101 101 102 102 102 103 104 104 (104) 105 105 106, the last four samples, or as many as have passed, hold
 *   –/1 –/1 1/2 1/2 1/2 1/3 3/4 3/4 3/4   2/4 3/4 2/4 → weights 1 1 50 50 50 33 75 75 75 50 75 50, sum 585
 *   (5190 lies in 103: the window 100…103 holds only 101 until frame 6 brings 102 and 103 with it;
 *    at 105 the window 102…105 has lost 101; frame 10 adds 104; at 106 the window 103…106 has lost 102)
 * base = (90 + 90 + 50·(135/2 + 690/11 + 690/11) + 33·40 + 75·(1000/33 + 1000/33 + 450/11) + 50·470/13
 *         + 75·470/13 + 50·5235/104)/585 = 2951225/66924 = 44.098156117386885
 *
 * Picture: 50 000 and, from frame 6 on, 100 000 bit/s over 500 000 pixels a second = 0.1 and 0.2 bits a pixel: six
 * times 78, six times 92: mean 85, std 7, picture 85 − 1.5·7 = 74.5.
 * stutter–latency 44.0982… − 21.8595… = 22.238575982816183; raw 96.73857598281619; total 48.36928799140809.
 */
const presentedOnPaper = [5060, 5080, 5100, 5120, 5140, 5190, 5210, 5230, undefined, 5270, 5290, 5310];
const inputsOnPaper: Readonly<Record<number, readonly number[]>> = { 2: [5050], 6: [5180, 5130], 10: [5240] };
const paper: readonly FrameRecord[] = presentedOnPaper.map((presented, frame) => {
  const captured = 1000 + 20 * frame + (frame >= 5 ? 30 : 0);
  const roundTrip = frame === 3 ? 40 : 10;
  return {
    frame,
    captured,
    transmitted: captured + 5,
    received: 5050 + 20 * frame,
    presented,
    returned: presented === undefined ? undefined : captured + 5 + roundTrip + (presented - (5050 + 20 * frame)),
    inputs: inputsOnPaper[frame],
    targetBitrate: frame === 6 ? 100_000 : undefined,
  };
});
const paperStutter = { kind: 'stutter', deltaMax: 80, weightMax: 11 } as const;
const paperConstants: ConstantsInput = {
  components: { captureDelta: paperStutter, presentDelta: paperStutter },
  base: { x: 2, y: 2, z: 1 },
  offset: { x: 3, y: 2, z: 2 },
  windowRate: 50,
  input: { samples: 4, sampleMs: 50 },
};
const paperInfo = { fps: 50, width: 100, height: 100, targetBitrate: 50_000 };

describe('twelve frames computed by hand', () => {
  const { quality, series } = scoreSession(paper, paperInfo, { constants: paperConstants, series: true });
  const column = (value: (frame: FrameQuality) => number | undefined) => series.map((frame) => value(frame) ?? null);

  it('forward-fills raw values', () => {
    expect(column((frame) => frame.raw['captureDelta'])).toEqual([null, 20, 20, 20, 20, 50, 20, 20, 20, 20, 20, 20]);
    expect(column((frame) => frame.raw['presentDelta'])).toEqual([null, 20, 20, 20, 20, 50, 20, 20, 20, 40, 20, 20]);
    expect(column((frame) => frame.raw['roundTripDelay'])).toEqual([10, 10, 10, 40, 10, 10, 10, 10, 10, 10, 10, 10]);
    expect(column((frame) => frame.raw['stackLatency'])).toEqual([null, null, 50, 50, 50, 50, 80, 80, 80, 80, 50, 50]);
  });

  it('scores and weights the worst frame and the frame after a drop', () => {
    expect(series[5]!.score).toEqual({ captureDelta: 30, presentDelta: 30, roundTripDelay: 90, stackLatency: 50 });
    expect(series[5]!.weight).toEqual({ captureDelta: 5, presentDelta: 5, roundTripDelay: 1, stackLatency: 5 });
    expect(series[9]!.score['presentDelta']).toBe(40);
    expect(series[9]!.weight['presentDelta']).toBe(3);
  });

  it('combines weighted scores in both windows', () => {
    const base = [90, 290 / 3, 67.5, 690 / 11, 64.5, 40, 1000 / 33, 450 / 11, 450 / 11, 470 / 13, 5235 / 104, 67.5];
    const offset = [90, 290 / 3, 67.5, 690 / 11, 65, 155 / 4, 350 / 11, 350 / 11, 450 / 11, 470 / 13, 341 / 7, 164 / 3];
    expect(
      distance(
        column((frame) => frame.cws?.base),
        base,
      ),
    ).toBeLessThan(1e-12);
    expect(
      distance(
        column((frame) => frame.cws?.offset),
        offset,
      ),
    ).toBeLessThan(1e-12);
  });

  it('computes the series of base and offset', () => {
    const base = [90, 90, 67.5, 690 / 11, 690 / 11, 40, 1000 / 33, 1000 / 33, 450 / 11, 470 / 13, 470 / 13, 5235 / 104];
    const offset = [
      90,
      260 / 3,
      635 / 12,
      2655 / 44,
      1355 / 22,
      205 / 8,
      2495 / 88,
      350 / 11,
      300 / 11,
      4830 / 143,
      5437 / 182,
      1921 / 42,
    ];
    expect(
      distance(
        column((frame) => frame.base),
        base,
      ),
    ).toBeLessThan(1e-12);
    expect(
      distance(
        column((frame) => frame.offset),
        offset,
      ),
    ).toBeLessThan(1e-12);
  });

  it('weights by remote-input frequency', () => {
    expect(column((frame) => frame.inputFrequency)).toEqual([1, 1, 50, 50, 50, 33, 75, 75, 75, 50, 75, 50]);
  });

  it('computes the session figures', () => {
    expect(quality.base).toBeCloseTo(2951225 / 66924, 12);
    expect(quality.offset).toBeCloseTo(21.859580134570702, 12);
    expect(quality.stutterLatency).toBeCloseTo(44.098156117386885 - 21.859580134570702, 12);
    expect(quality.picture).toBeCloseTo(74.5, 12);
    expect(quality.raw).toBeCloseTo(96.73857598281619, 12);
    expect(quality.total).toBeCloseTo(48.36928799140809, 12);
    expect(quality).toMatchObject({ frames: 12, scored: 12, fps: 50, duration: 0.25, pictureFrom: 'bitrate' });
  });
});

describe('comparison with a direct implementation of the specification', () => {
  const curve = monotoneCubic(defaultConstants.picture.curve);

  it.each([
    { seed: 1, fps: 60, frames: 12_000 },
    { seed: 3, fps: 30, frames: 10_000 },
    { seed: 4, fps: 10, frames: 2_000 },
  ])('agrees to 1e-9 on $frames random frames at $fps a second (seed $seed)', ({ seed, fps, frames }) => {
    const records = [...randomSession(frames, seed, fps)];
    const { quality, series } = scoreSession(records, { fps, width: 1280, height: 720 }, { series: true });
    const scaled = (x: number) => (x * fps) / 60;
    const expected = reference(records, {
      fps,
      pixels: 1280 * 720,
      base: { x: scaled(600), y: scaled(3600), z: 6 },
      offset: { x: scaled(3600), y: scaled(600), z: 4 },
      curve,
    });
    const actual = (value: (frame: FrameQuality) => number | undefined) => series.map((frame) => value(frame) ?? null);
    expect(
      distance(
        actual((frame) => frame.cws?.base),
        expected.baseCws,
      ),
    ).toBeLessThan(1e-9);
    expect(
      distance(
        actual((frame) => frame.cws?.offset),
        expected.offsetCws,
      ),
    ).toBeLessThan(1e-9);
    expect(
      distance(
        actual((frame) => frame.base),
        expected.base,
      ),
    ).toBeLessThan(1e-9);
    expect(
      distance(
        actual((frame) => frame.offset),
        expected.offset,
      ),
    ).toBeLessThan(1e-9);
    expect(actual((frame) => frame.inputFrequency)).toEqual(expected.frequency);
    for (const figure of ['stutterLatency', 'picture', 'raw', 'total'] as const) {
      expect(Math.abs(quality[figure]! - expected[figure])).toBeLessThan(1e-9);
    }
  });

  // At 60 Hz, five times as many frames: bench/quality/meter.ts.
  it('does not drift over ten hours', () => {
    const fps = 12;
    const frames = 10 * 3600 * fps;
    const tail: FrameRecord[] = [];
    const bases = new Float64Array(frames);
    const offsets = new Float64Array(frames);
    const frequencies = new Float64Array(frames);
    const meter = new QualityMeter({ fps, width: 1920, height: 1080, targetBitrate: 2e7 });
    const values = new RawValueReader();
    let scored = 0;
    for (const record of randomSession(frames, 5, fps)) {
      meter.push(values.next(record));
      const now = meter.latest;
      if (now.base !== undefined) {
        bases[scored] = now.base;
        offsets[scored] = now.offset!;
        frequencies[scored++] = now.inputFrequency;
      }
      if (record.frame >= frames - 150 * fps) tail.push(record);
    }
    // The last frame's windows reach back 70 s; a session that begins 150 s before has the same last figures.
    const { series } = scoreSession(tail, { fps }, { series: true });
    expect(Math.abs(meter.current()!.base! - series.at(-1)!.base!)).toBeLessThan(1e-9);
    expect(Math.abs(meter.current()!.offset! - series.at(-1)!.offset!)).toBeLessThan(1e-9);
    const weight = exactSum(frequencies.subarray(0, scored));
    const base = exactSum(bases.subarray(0, scored).map((value, i) => value * frequencies[i]!)) / weight;
    const middle = exactSum(offsets.subarray(0, scored)) / scored;
    const offset = Math.sqrt(exactSum(offsets.subarray(0, scored).map((value) => (value - middle) ** 2)) / scored);
    expect(Math.abs(meter.result().base! - base)).toBeLessThan(1e-9);
    expect(Math.abs(meter.result().offset! - offset)).toBeLessThan(1e-9);
  });
});

describe('incomplete sessions', () => {
  it('returns null for unknown figures', () => {
    expect(scoreSession([], { fps: 60 }).quality).toMatchObject({ total: null, raw: null, picture: null, frames: 0 });
  });

  it('scores stutter and latency only if the picture quality is unknown', () => {
    const { quality } = scoreSession(
      Array.from({ length: 100 }, (_, frame) => ({ frame, captured: (1000 / 60) * frame })),
      { fps: 60 },
    );
    expect(quality).toMatchObject({ total: 100, raw: null, picture: null, pictureFrom: null, stutterLatency: 100 });
    expect(Object.keys(quality.components)).toEqual(['captureDelta']);
  });

  it('derives picture quality from the quantization parameter without a bitrate', () => {
    const { quality } = scoreSession([{ frame: 0, qp: 28 }], { fps: 60, width: 1920, height: 1080 });
    expect(quality.picture).toBeCloseTo(78, 9);
    expect(quality.pictureFrom).toBe('qp');
  });

  it('doubles the maximum stutter if the minimum exceeds it', () => {
    // 12 frames a second: 1.5 · 83.3 = 125 ms > 116 ms, so the line goes from 125 to 250 and 187.5 scores 25.
    const { series } = scoreSession(
      [
        { frame: 0, captured: 0 },
        { frame: 1, captured: 187.5 },
      ],
      { fps: 12 },
      { series: true },
    );
    expect(series[1]!.score['captureDelta']).toBeCloseTo(25, 12);
    expect(series[1]!.weight['captureDelta']).toBeCloseTo(50.5, 12);
  });

  it('gives a frame presented out of order a negative delta with minimum weight', () => {
    const values = new RawValueReader();
    values.next({ frame: 0, presented: 500 });
    expect(values.next({ frame: 1, presented: 560 }).presentDelta).toBe(60);
    expect(values.next({ frame: 2, presented: 550 }).presentDelta).toBe(-10);
    expect(values.next({ frame: 3, presented: 580 }).presentDelta).toBe(30);
    expect(values).toMatchObject({ outOfOrder: 1, impossible: 0 });
    const { series } = scoreSession(
      [500, 560, 550].map((presented, frame) => ({ frame, presented })),
      { fps: 60 },
      { series: true },
    );
    expect(series[2]).toMatchObject({ score: { presentDelta: 100 }, weight: { presentDelta: 1 } });
  });

  it('omits and counts deltas across a clock reset and negative delays', () => {
    const values = new RawValueReader();
    values.next({ frame: 0, captured: 9000, presented: 500 });
    expect(values.next({ frame: 1, captured: 90, presented: 520, inputs: [530] })).toEqual(
      expect.objectContaining({ captureDelta: undefined, presentDelta: 20, stackLatency: undefined }),
    );
    expect(values).toMatchObject({ outOfOrder: 0, impossible: 2 });
  });

  it('scores additional components by name', () => {
    const { quality } = scoreSession(
      [{ frame: 0, extra: { decodeTime: 50 } }],
      { fps: 60 },
      { constants: { components: { decodeTime: { kind: 'latency' } } } },
    );
    expect(quality.base).toBe(50);
  });
});

it('reports all invalid constants at once', () => {
  expect(() => scoreSession([], { fps: 60 }, { constants: { base: { x: 0 }, offset: { z: Number.NaN } } })).toThrow(
    /base\/x.*offset\/z/,
  );
});

it('uses the population deviation', () => {
  expect(deviation([1, 3])).toBe(1);
  expect(mean([1, 3])).toBe(2);
});

/** The greatest difference of two series that must lack the same values. */
function distance(actual: readonly (number | null | undefined)[], expected: readonly (number | undefined)[]): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let most = 0;
  for (const [i, value] of actual.entries()) {
    const other = expected[i];
    if (value === null || value === undefined || other === undefined) {
      if ((value ?? undefined) !== other) return Number.POSITIVE_INFINITY;
    } else {
      most = Math.max(most, Math.abs(value - other));
    }
  }
  return most;
}

/** A sum without rounding until the end (a list of parts that do not overlap, Shewchuk). */
function exactSum(values: Float64Array): number {
  const parts: number[] = [];
  for (let x of values) {
    let kept = 0;
    for (let y of parts) {
      if (Math.abs(x) < Math.abs(y)) [x, y] = [y, x];
      const high = x + y;
      const low = y - (high - x);
      if (low !== 0) parts[kept++] = low;
      x = high;
    }
    parts.length = kept;
    parts.push(x);
  }
  return parts.reduce((sum, part) => sum + part, 0);
}
