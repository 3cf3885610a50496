import type { Reading } from '../../detectors/kind.ts';
import type { CompiledProfile } from '../compile-profile.ts';
import type { ChunkEndMessage, SampleMessage, SideMessage, SummaryMessage } from '../messages.ts';
import type { Observations } from '../reading/chunk-readings.ts';
import { interpolate, interpolationRules, isProvable, type SampleReading } from '../reading/interpolation.ts';
import type { SampleReader } from '../reading/sample-reader.ts';

type ReadingMessage = SampleMessage | ChunkEndMessage | SideMessage | SummaryMessage;

/**
 * Gives samples the readings that they have in the log of the finished recording, where samples that those around them prove are
 * not read. A live session reads them, as it states what follows before the next sample is there. Such a sample, and what
 * follows it, waits for the next one; early statements do not wait.
 */
export async function* interpolateReadings(
  messages: AsyncIterable<ReadingMessage>,
  game: CompiledProfile,
  select: SampleReader['select'],
): AsyncGenerator<ReadingMessage, void, undefined> {
  const rules = interpolationRules(game);
  if (!rules) {
    yield* messages;
    return;
  }
  const names = game.detectors.map(({ name }) => name);
  let last: SampleReading | undefined;
  let held: { readonly message: SampleMessage; readonly frame: SampleReading } | undefined;
  let waiting: ReadingMessage[] = [];
  const release = (after: SampleReading | undefined): readonly ReadingMessage[] => {
    const proven = held && last && after && interpolate(held.frame, last, after, rules, select);
    const released = held ? [proven ? withSeen(held.message, proven, names) : held.message, ...waiting] : [];
    last = after;
    held = undefined;
    waiting = [];
    return released;
  };
  for await (const message of messages) {
    const frame = message.type === 'sample' ? message.frame : undefined;
    if (frame && !held && last && isProvable(frame, last, rules)) {
      held = { message: message as SampleMessage, frame };
      continue;
    }
    if (frame || isBreak(message)) yield* release(frame);
    if (held && message.type !== 'early') waiting.push(message);
    else yield message;
  }
}

/** Whether samples before and after a message have nothing to do with each other. */
function isBreak(message: ReadingMessage): boolean {
  if (message.type === 'chunk-end') return message.end !== undefined;
  return message.type === 'gap' || message.type === 'connection' || message.type === 'summary';
}

/** A message with other readings of its frame; those of sound stay. */
function withSeen(message: SampleMessage, seen: Observations, names: readonly string[]): SampleMessage {
  const { t, frame, readings } = message;
  const count = frame!.seen.filter((observation) => observation !== undefined).length;
  return { ...message, readings: [...toReadings(t, seen, names), ...readings.slice(count)] };
}

/** What detectors saw at `t` seconds, by number, as readings. @param names The names of the detectors. */
export function toReadings(t: number, seen: Observations, names: readonly string[]): readonly Reading[] {
  return seen.flatMap((observation, d) => (observation ? [{ detector: names[d]!, t, observation }] : []));
}
