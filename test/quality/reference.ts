// The metric a second time, written straight from its specification and as plainly as possible: every window is summed
// anew for every frame. Shares no code with src/quality and is compared with it.
export interface ReferenceRecord {
  captured?: number | undefined;
  transmitted?: number | undefined;
  returned?: number | undefined;
  received?: number | undefined;
  presented?: number | undefined;
  inputs?: readonly number[] | undefined;
  targetBitrate?: number | undefined;
}

export interface ReferenceSettings {
  fps: number;
  pixels: number;
  base: { x: number; y: number; z: number };
  offset: { x: number; y: number; z: number };
  /** Bits per pixel → score. */
  curve: (bitsPerPixel: number) => number;
}

type Series = (number | undefined)[];

function latency(raw: number) {
  return { score: raw > 100 ? 0 : 100 - raw, weight: Math.max(1, Math.min(200, raw / 10)) };
}

export function reference(records: readonly ReferenceRecord[], settings: ReferenceSettings) {
  const raws = rawSeries(records).map(fillForward);
  const least = (1.5 * 1000) / settings.fps;
  const most = least > 116 ? 2 * least : 116;
  const stutter = (raw: number) => ({
    score: raw < least ? 100 : Math.max(0, 50 - (50 / (most - least)) * (raw - least)),
    weight: Math.min(100, Math.max(1, 1 + (99 * (raw - least)) / (most - least))),
  });
  const judged = raws.map((series, i) =>
    series.map((raw) => (raw === undefined ? undefined : i < 2 ? stutter(raw) : latency(raw))),
  );
  const cws = (x: number): Series =>
    records.map((_, at) => {
      let sum = 0;
      let weights = 0;
      for (const component of judged) {
        const now = component[at];
        if (!now) continue;
        let scores = 0;
        let scoreWeights = 0;
        for (let i = Math.max(0, at - x + 1); i <= at; i++) {
          const one = component[i];
          if (!one) continue;
          scores += one.score * one.weight;
          scoreWeights += one.weight;
        }
        const rolling = scores / scoreWeights;
        sum += Math.min(now.score, rolling) * now.weight;
        weights += now.weight;
      }
      return weights === 0 ? undefined : sum / weights;
    });
  const combined = (series: Series, y: number, z: number): Series =>
    series.map((value, at) => {
      if (value === undefined) return undefined;
      const window: number[] = [];
      for (let i = Math.max(0, at - y + 1); i <= at; i++) if (series[i] !== undefined) window.push(series[i]!);
      return mean(window) - z * deviation(window);
    });
  const baseCws = cws(settings.base.x);
  const offsetCws = cws(settings.offset.x);
  const base = combined(baseCws, settings.base.y, settings.base.z);
  const offset = combined(offsetCws, settings.offset.y, settings.offset.z);
  const frequency = inputFrequency(records);
  let sum = 0;
  let weights = 0;
  base.forEach((value, at) => {
    if (value === undefined) return;
    sum += value * frequency[at]!;
    weights += frequency[at]!;
  });
  const stutterLatency = sum / weights - deviation(offset.filter((one) => one !== undefined));
  const pictures = fillForward(records.map((record) => record.targetBitrate))
    .filter((bitrate) => bitrate !== undefined)
    .map((bitrate) => settings.curve(bitrate / (settings.pixels * settings.fps)));
  const picture = mean(pictures) - 1.5 * deviation(pictures);
  const raw = picture + stutterLatency;
  const total = Math.min(100, Math.max(0, raw / 2));
  return { baseCws, offsetCws, base, offset, frequency, stutterLatency, picture, raw, total };
}

function rawSeries(records: readonly ReferenceRecord[]): Series[] {
  const deltas = (times: Series): Series =>
    times.map((time, at) => {
      const before = times.slice(0, at).findLast((one) => one !== undefined);
      return time === undefined || before === undefined ? undefined : time - before;
    });
  return [
    deltas(records.map((record) => record.captured)),
    deltas(records.map((record) => record.presented)),
    records.map((r) =>
      [r.returned, r.transmitted, r.presented, r.received].includes(undefined)
        ? undefined
        : r.returned! - (r.transmitted! + (r.presented! - r.received!)),
    ),
    records.map((r) =>
      r.inputs?.length && r.presented !== undefined ? r.presented - Math.min(...r.inputs) : undefined,
    ),
  ];
}

function fillForward(series: Series): Series {
  let last: number | undefined;
  return series.map((value) => {
    last = value ?? last;
    return last;
  });
}

function inputFrequency(records: readonly ReferenceRecord[]): number[] {
  const active = new Set<number>();
  let now = Number.NEGATIVE_INFINITY;
  return records.map((record) => {
    for (const input of record.inputs ?? []) active.add(Math.floor(input / 100));
    if (record.presented !== undefined) now = Math.max(now, Math.floor(record.presented / 100));
    if (now === Number.NEGATIVE_INFINITY) return 1;
    let count = 0;
    for (let sample = now - 99; sample <= now; sample++) if (active.has(sample)) count++;
    return Math.max(1, count);
  });
}

export function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

export function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(values.reduce((total, value) => total + (value - middle) ** 2, 0) / values.length);
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
