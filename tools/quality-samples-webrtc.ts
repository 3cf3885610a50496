/** The second with the freeze. */
const frozen = 11;

function framesIn(second: number): number {
  if (second === frozen) return 37;
  return second === 15 ? 30 : 60;
}

/**
 * A dump of a receiving connection of 30 s at 60 Hz: 1080p, 8 Mbit/s and after 20 s 4 Mbit/s, 40 ms round trip, one
 * freeze of 400 ms in second 11, a second (15) in which only 30 frames came. With the time stamps that Chrome 117 added.
 */
export function webrtcDump(timestamps: boolean): unknown {
  const start = Date.UTC(2026, 2, 1, 12);
  const seconds = Array.from({ length: 31 }, (_, i) => i);
  const running = (gain: (second: number) => number): number[] => {
    let total = 0;
    return seconds.map((second) => (total += second === 0 ? 0 : gain(second)));
  };
  // In the frozen second one delay of 0.4 s and 36 of 1/60 s; else all delays are equal.
  const squares = (second: number): number =>
    second === frozen ? 0.4 ** 2 + 36 * (0.6 / 36) ** 2 : framesIn(second) * (1 / framesIn(second)) ** 2;
  const series: Record<string, { type: string; values: readonly unknown[] }> = {};
  const add = (id: string, type: string, metrics: Record<string, readonly unknown[]>): void => {
    for (const [metric, values] of Object.entries(metrics)) series[`${id}-${metric}`] = { type, values };
    if (timestamps) series[`${id}-timestamp`] = { type, values: seconds.map((second) => start + 1000 * second + 0.4) };
  };
  const constant = (value: unknown): unknown[] => seconds.map(() => value);
  add('IT01V2873482', 'inbound-rtp', {
    kind: constant('video'),
    ssrc: constant(2_873_482),
    framesDecoded: running(framesIn),
    framesReceived: running(framesIn),
    framesDropped: constant(0),
    framesPerSecond: seconds.map(framesIn),
    frameWidth: constant(1920),
    frameHeight: constant(1080),
    bytesReceived: running((second) => (second <= 20 ? 1_000_000 : 500_000)),
    '[bytesReceived_in_bits/s]': seconds.map((second) => (second <= 20 ? 8e6 : 4e6)),
    totalInterFrameDelay: running(() => 1),
    totalSquaredInterFrameDelay: running(squares),
    '[interFrameDelayStDev_in_ms]': constant(0),
    freezeCount: running((second) => (second === frozen ? 1 : 0)),
    totalFreezesDuration: running((second) => (second === frozen ? 0.4 : 0)),
    jitterBufferDelay: running(() => 1.2),
    jitterBufferEmittedCount: running(framesIn),
    packetsLost: constant(0),
  });
  add('IT01A911', 'inbound-rtp', { kind: constant('audio'), packetsReceived: running(() => 50) });
  add('CPx7Y_aa', 'candidate-pair', {
    currentRoundTripTime: constant(0.04),
    bytesReceived: running(() => 1_050_000),
    state: constant('succeeded'),
  });
  add('T01', 'transport', { selectedCandidatePairId: constant('CPx7Y_aa') });
  const stats = Object.fromEntries(
    Object.entries(series).map(([key, { type, values }]) => [
      key,
      {
        startTime: new Date(start).toISOString(),
        endTime: new Date(start + 30_000).toISOString(),
        statsType: type,
        values: JSON.stringify(values),
      },
    ]),
  );
  return {
    getUserMedia: [],
    PeerConnections: {
      '13-1': {
        pid: 13,
        rid: 1,
        rtcConfiguration: '{ iceServers: [], iceTransportPolicy: all }',
        constraints: '',
        url: 'https://play.example/session',
        stats,
        updateLog: [{ time: '3/1/2026, 12:00:00 PM', type: 'connectionstatechange', value: 'connected' }],
      },
    },
    UserAgent: `Mozilla/5.0 (X11; Linux x86_64) Chrome/${timestamps ? 141 : 112}.0.0.0`,
  };
}
