import type { FrameRecord } from '../../src/quality/frame.ts';
import { random } from './reference.ts';

/**
 * A session as a stream makes it, seeded: jitter everywhere, stutters, network spikes, dropped frames, lost fields,
 * a client clock of its own, inputs in bursts, a target bitrate that changes. Yields frame after frame.
 */
export function* randomSession(frames: number, seed: number, fps = 60): Generator<FrameRecord> {
  const next = random(seed);
  const apart = 1e6 * next() - 5e5;
  let captured = 1000;
  let presented = 0;
  let spike = 0;
  for (let frame = 0; frame < frames; frame++) {
    captured += (1000 / fps) * (next() < 0.01 ? 1 + 8 * next() : 0.8 + 0.4 * next());
    if (next() < 0.002) spike = 150 * next();
    spike *= 0.97;
    const transmitted = captured + 4 + 3 * next();
    const received = transmitted + apart + 8 + spike + 4 * next();
    const dropped = next() < 0.01;
    presented = Math.max(presented + 1, received + 6 + 8 * next());
    const rtt = 15 + 2 * spike + 5 * next();
    const active = Math.floor(frame / 900) % 2 === 0;
    yield {
      frame,
      captured: next() < 0.005 ? undefined : captured,
      transmitted,
      returned: next() < 0.02 ? undefined : transmitted + rtt + (presented - received),
      received,
      presented: dropped ? undefined : presented,
      inputs: active && next() < 0.15 ? [presented - 40 - 60 * next(), presented - 40] : undefined,
      targetBitrate: frame % 1500 === 0 ? 4e6 + 3e7 * next() : undefined,
    };
  }
}
