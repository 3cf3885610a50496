import { countLeading } from '../../binary-search.ts';
import { PlaybyplayError } from '../../errors.ts';
import { asObject } from '../../json.ts';
import { jsonText } from '../../schema/json-text.ts';
import { median } from '../../statistics.ts';
import { type FrameRecord, standardRate } from '../frame.ts';
import { inMemory, Notes, type ReadOptions, type SessionInput } from './session.ts';
import { readJson } from './text.ts';

/** A metric over time: ms since the epoch, raw values. */
interface Series {
  readonly times: readonly number[];
  readonly values: readonly unknown[];
}

/** An RTP stream (or candidate pair) with its metrics by name. */
interface Stat {
  readonly id: string;
  readonly type: string;
  readonly metrics: Map<string, Series>;
}

/**
 * Reads a chrome://webrtc-internals dump: one session per peer connection with video. The dump has statistics once a
 * second, not frames; frames are reconstructed within each second so that their number, the sum of their delays and the
 * sum of the squared delays match the measurements: ordinary jitter over all frames, what exceeds it as one long delay.
 */
export async function readWebrtc(path: string, options: ReadOptions = {}): Promise<SessionInput[]> {
  const dump = await readJson(path, 'The dump may be incomplete; create it again.', options.signal);
  const connections = asObject(asObject(dump)['PeerConnections']);
  if (Object.keys(connections).length === 0) {
    throw new PlaybyplayError('no-connection', `${path} has no peer connection`, {
      hint: 'Create the dump while the connection is open.',
    });
  }
  const sessions: SessionInput[] = [];
  const without: string[] = [];
  for (const [id, connection] of Object.entries(connections)) {
    const notes = new Notes();
    const stats = readStats(asObject(asObject(connection)['stats']), `${path}#/PeerConnections/${id}`, notes);
    const session = readConnection(id, stats, notes);
    if (session) sessions.push(session);
    else without.push(id);
  }
  if (sessions.length === 0) {
    throw new PlaybyplayError('no-video', `${path} has no connection with statistics of a video stream`, {
      hint: `Connections: ${without.join(', ')}`,
    });
  }
  return sessions;
}

function readStats(stats: Readonly<Record<string, unknown>>, path: string, notes: Notes): Map<string, Stat> {
  const found = new Map<string, Stat>();
  for (const [key, report] of Object.entries(stats)) {
    const [id, metric] = splitKey(key);
    const fields = asObject(report);
    if (metric === '') continue;
    let values: unknown;
    try {
      values = typeof fields['values'] === 'string' ? JSON.parse(fields['values']) : fields['values'];
    } catch {
      notes.count('badSeries');
      notes.add('not-json', 'ignored a metric whose values are not JSON', `${path}/stats/${key}`);
      continue;
    }
    if (!Array.isArray(values)) continue;
    const start = Date.parse(jsonText(fields['startTime']));
    let stat = found.get(id);
    if (!stat) {
      stat = { id, type: statType(id, fields['statsType']), metrics: new Map() };
      found.set(id, stat);
    }
    // Before Chrome 117 values have no timestamps, only an interval of one second.
    stat.metrics.set(metric, { times: values.map((_, i) => start + 1000 * i), values });
  }
  for (const stat of found.values()) applyTimestamps(stat);
  return found;
}

function applyTimestamps(stat: Stat): void {
  const stamps = stat.metrics.get('timestamp')?.values;
  if (!stamps?.every((stamp) => typeof stamp === 'number')) return;
  for (const [name, series] of stat.metrics) {
    // Metrics that appeared later are shorter; all end with the last second.
    const shift = stamps.length - series.values.length;
    if (shift < 0) continue;
    stat.metrics.set(name, { ...series, times: series.values.map((_, i) => stamps[i + shift] as number) });
  }
}

/** Splits `<stat>-<metric>`; a computed metric is in brackets and may contain hyphens. */
function splitKey(key: string): [id: string, metric: string] {
  const bracket = key.indexOf('-[');
  const cut = bracket >= 0 ? bracket : key.lastIndexOf('-');
  return cut < 0 ? [key, ''] : [key.slice(0, cut), key.slice(cut + 1)];
}

function statType(id: string, statsType: unknown): string {
  if (typeof statsType === 'string' && statsType !== '') return statsType;
  if (id.startsWith('RTCInboundRTP')) return 'inbound-rtp';
  if (id.startsWith('RTCOutboundRTP')) return 'outbound-rtp';
  if (id.startsWith('RTCRemoteInboundRtp')) return 'remote-inbound-rtp';
  if (id.startsWith('RTCIceCandidatePair')) return 'candidate-pair';
  return '';
}

const counterOf = { 'inbound-rtp': 'framesDecoded', 'outbound-rtp': 'framesEncoded' } as const;

function readConnection(id: string, stats: ReadonlyMap<string, Stat>, notes: Notes): SessionInput | undefined {
  const videos = [...stats.values()]
    .filter((stat) => stat.type in counterOf && isVideo(stat) && stat.metrics.has(counter(stat)))
    .toSorted((a, b) => total(b) - total(a) || (a.type < b.type ? -1 : 1));
  // Prefer the receiving side, the player's; a dump of the sending side still has the capture.
  const video = videos.find((stat) => stat.type === 'inbound-rtp' && total(stat) > 0) ?? videos[0];
  if (!video || total(video) === 0) return undefined;
  for (const other of videos) {
    if (other !== video && total(other) > 0) {
      notes.count('otherStreams');
      notes.add('other-stream', `ignored frames of stream ${other.id}: ${total(other)}`, id);
    }
  }
  const incoming = video.type === 'inbound-rtp';
  const records = reconstructFrames(video, incoming, roundTrips(stats, video), notes);
  notes.count('frames', records.length);
  const squares = incoming && video.metrics.has('totalSquaredInterFrameDelay');
  const how = squares
    ? 'reconstructed from frame counts and inter-frame delays per second'
    : 'reconstructed from frame counts and freezes per second';
  const rates = numbers(video.metrics.get('framesPerSecond')).map(([, rate]) => rate);
  const side = incoming ? 'presentDelta' : 'captureDelta';
  return {
    format: 'webrtc-internals',
    name: `connection ${id}`,
    fps: standardRate(rates),
    width: latest(video, 'frameWidth'),
    height: latest(video, 'frameHeight'),
    measuredRate: incoming,
    notes,
    derived: {
      [side]: how,
      ...(records.some((one) => one.roundTripDelay !== undefined) && { roundTripDelay: 'currentRoundTripTime' }),
      ...(records.some((one) => one.targetBitrate !== undefined) && {
        picture: incoming ? 'bits received a second' : 'targetBitrate',
      }),
    },
    missing: {
      [incoming ? 'captureDelta' : 'presentDelta']: `the dump is of the ${incoming ? 'receiving' : 'sending'} side`,
      stackLatency: 'the dump has no inputs',
    },
    extra: { freezes: latest(video, 'freezeCount') ?? null, framesDropped: latest(video, 'framesDropped') ?? null },
    records: () => inMemory(records),
  };
}

function counter(stat: Stat): string {
  return counterOf[stat.type as keyof typeof counterOf];
}

function isVideo(stat: Stat): boolean {
  const kind = stat.metrics.get('kind')?.values[0] ?? stat.metrics.get('mediaType')?.values[0];
  return kind === 'video' || (kind === undefined && (stat.metrics.has('frameWidth') || /video/i.test(stat.id)));
}

function total(stat: Stat): number {
  return latest(stat, counter(stat)) ?? 0;
}

function latest(stat: Stat, metric: string): number | undefined {
  return numbers(stat.metrics.get(metric)).at(-1)?.[1];
}

function numbers(series: Series | undefined): [time: number, value: number][] {
  const points: [number, number][] = [];
  for (const [i, value] of (series?.values ?? []).entries()) {
    if (typeof value === 'number' && Number.isFinite(value)) points.push([series!.times[i]!, value]);
  }
  return points;
}

/** Last value at or before a time. */
function valueAt(points: readonly (readonly [number, number])[], time: number): number | undefined {
  return points[countLeading(points.length, (i) => points[i]![0] <= time + 0.5) - 1]?.[1];
}

/** Round trips in ms: from the remote report if the stream is sent, else from the candidate pair in use. */
function roundTrips(stats: ReadonlyMap<string, Stat>, video: Stat): [number, number][] {
  const selected = [...stats.values()]
    .find((stat) => stat.type === 'transport')
    ?.metrics.get('selectedCandidatePairId');
  const pairs = [...stats.values()].filter((stat) => stat.type === 'candidate-pair');
  const inUse =
    pairs.find((pair) => pair.id === selected?.values.at(-1)) ??
    pairs.toSorted((a, b) => (latest(b, 'bytesReceived') ?? 0) - (latest(a, 'bytesReceived') ?? 0))[0];
  let points = numbers(inUse?.metrics.get('currentRoundTripTime'));
  if (points.length === 0 && video.type === 'outbound-rtp') {
    const remote = [...stats.values()].find((stat) => stat.type === 'remote-inbound-rtp' && isVideo(stat));
    points = numbers(remote?.metrics.get('roundTripTime'));
  }
  return points.map(([time, seconds]) => [time, seconds * 1000]);
}

/** More frames in a second are a damaged counter: no display shows so many. */
const MAX_FRAMES_PER_SECOND = 1000;
/** Longest time between two reports whose frames are reconstructed. */
const MAX_REPORT_GAP_SECONDS = 60;
/** Frames of a dump that are reconstructed: ten hours at 240 Hz. */
const MAX_FRAMES = 8_640_000;

/** Reconstructs the frames second by second. */
function reconstructFrames(
  video: Stat,
  incoming: boolean,
  trips: readonly [number, number][],
  notes: Notes,
): FrameRecord[] {
  const get = (metric: string): [number, number][] => numbers(video.metrics.get(metric));
  const counts = get(counter(video));
  const delays = get('totalInterFrameDelay');
  const squares = get('totalSquaredInterFrameDelay');
  const freezes = get('totalFreezesDuration');
  const bytes = get(incoming ? 'bytesReceived' : 'bytesSent');
  const targets = get('targetBitrate');
  const widths = get('frameWidth');
  const heights = get('frameHeight');
  const jitter = usualJitter(counts, delays, squares);
  const records: FrameRecord[] = [];
  for (let i = 1; i < counts.length; i++) {
    const [from, before] = counts[i - 1]!;
    const [to, after] = counts[i]!;
    const frames = after - before;
    const gained = (series: readonly [number, number][]): number | undefined => {
      const start = valueAt(series, from);
      const end = valueAt(series, to);
      return start === undefined || end === undefined ? undefined : end - start;
    };
    if (frames < 0 || to <= from) {
      notes.count('badSeconds');
      notes.add('counter-reset', 'ignored a second whose frame count or time runs backwards');
      continue;
    }
    const seconds = Math.min(MAX_REPORT_GAP_SECONDS, Math.max(1, (to - from) / 1000));
    if (frames > MAX_FRAMES_PER_SECOND * seconds || records.length + frames > MAX_FRAMES) {
      notes.count('badSeconds');
      notes.add('counter-jump', `ignored a second whose frame count rises by more than ${MAX_FRAMES_PER_SECOND}`);
      continue;
    }
    const received = gained(bytes);
    const rate = incoming || targets.length === 0 ? bitsPerSecond(received, to - from) : valueAt(targets, to);
    const measured = { sum: gained(delays), squares: gained(squares), frozen: gained(freezes), jitter };
    const times = frameTimes(from, to, frames, measured);
    for (const [j, time] of times.entries()) {
      records.push({
        frame: records.length,
        [incoming ? 'presented' : 'captured']: time,
        ...(j === 0 && {
          roundTripDelay: valueAt(trips, to),
          targetBitrate: rate,
          width: valueAt(widths, to),
          height: valueAt(heights, to),
        }),
      });
    }
  }
  return records;
}

function bitsPerSecond(bytes: number | undefined, ms: number): number | undefined {
  return bytes === undefined || bytes < 0 ? undefined : (bytes * 8000) / ms;
}

/** Jitter of at most this share of a frame makes no frame late (2.5 deviations stay below 1.5 frames). */
const MAX_JITTER_FRAMES = 0.2;
/** Standard errors by which a measured variance exceeds the usual one before a frame counts as late. */
const VARIANCE_ERRORS = 4;

/**
 * Ordinary deviation of the inter-frame delays in s: the median over the reports, because late frames are the exception,
 * and at most what makes no frame late.
 */
function usualJitter(
  counts: readonly (readonly [number, number])[],
  sums: readonly (readonly [number, number])[],
  squares: readonly (readonly [number, number])[],
): number {
  const known: { mean: number; deviation: number }[] = [];
  for (let i = 1; i < counts.length; i++) {
    const [from, before] = counts[i - 1]!;
    const [to, after] = counts[i]!;
    const [s0, s1, q0, q1] = [valueAt(sums, from), valueAt(sums, to), valueAt(squares, from), valueAt(squares, to)];
    const n = after - before;
    if (n < 2 || s0 === undefined || s1 === undefined || q0 === undefined || q1 === undefined) continue;
    const mean = (s1 - s0) / n;
    known.push({ mean, deviation: deviationOf(mean, (q1 - q0) / n) });
  }
  if (known.length === 0) return 0;
  const deviation = median(known.map((one) => one.deviation));
  return Math.min(deviation, MAX_JITTER_FRAMES * median(known.map(({ mean }) => mean)));
}

function deviationOf(mean: number, meanSquare: number): number {
  return Math.sqrt(Math.max(0, meanSquare - mean * mean));
}

/**
 * Times of `n` frames in the span from `from` to `to` (ms), from the sum S and the sum of squares Q of their delays (s,
 * s²): mean m = S/n, variance v = Q/n − m². The statistics are polled once a second and say of no frame that it was late.
 * A variance within the sampling error of the session's ordinary jitter j² is spread over all frames, as delays that
 * alternate between m − σ and m + σ. Beyond it, the excess v − j² is one long delay, m + √((v − j²)·(n − 1)), which comes
 * first; the others are equal. With freezes only, the longest delay is the frozen time. Otherwise all delays are equal.
 */
function frameTimes(
  from: number,
  to: number,
  n: number,
  {
    sum,
    squares,
    frozen,
    jitter,
  }: Readonly<Record<'sum' | 'squares' | 'frozen', number | undefined>> & { readonly jitter: number },
): number[] {
  if (n === 0) return [];
  const stretch = to - from;
  const even = stretch / n;
  let long = even;
  if (sum !== undefined && squares !== undefined && sum > 0 && n > 1) {
    const mean = sum / n;
    const variance = deviationOf(mean, squares / n) ** 2;
    if (variance <= jitter * jitter * (1 + VARIANCE_ERRORS * Math.sqrt(2 / n))) {
      const swing = Math.min(even, (Math.sqrt(variance) / mean) * even);
      // Every second frame is early by `swing`; the last of an odd number is on time.
      return Array.from({ length: n }, (_, i) => from + (i + 1) * even - (i % 2 === 0 && i + 1 < n ? swing : 0));
    }
    const longest = Math.min(mean + Math.sqrt((variance - jitter * jitter) * (n - 1)), sum);
    // Delays are measured between frames; the span between two reports differs slightly from their sum.
    long = (longest / sum) * stretch;
  } else if (frozen !== undefined && frozen > 0) {
    long = Math.min(stretch, Math.max(even, frozen * 1000));
  }
  const short = n > 1 ? (stretch - long) / (n - 1) : 0;
  return Array.from({ length: n }, (_, i) => from + long + i * short);
}
