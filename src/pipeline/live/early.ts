import { render } from '../../dictionary/sentences/render.ts';
import { eventId } from '../../events/log-lines.ts';
import type { Game } from '../game.ts';
import { interpretCues, trackCues } from '../interpret.ts';
import type {
  ChunkEndMessage,
  DetectMessage,
  EarlyMessage,
  SampleMessage,
  SideMessage,
  StatementsMessage,
  SummaryMessage,
} from '../messages.ts';

type ReadingMessage = SampleMessage | ChunkEndMessage | SideMessage | SummaryMessage;

/**
 * Seconds for which a script may wait before it states something early. Most of what a script waits for concerns the same moment
 * and is read a few samples later; what comes after that seldom changes a statement.
 */
const MAX_EARLY_DELAY_SECONDS = 0.2;

/**
 * Gives out what rules and script make of readings as soon as it is likely: in a second instance of trackers and script, whose
 * trackers wait for nothing that would only confirm or correct, whose script waits briefly, and before statements of other
 * detectors are merged.
 */
export async function* announceEarly(
  messages: AsyncIterable<ReadingMessage>,
  game: Game,
): AsyncGenerator<ReadingMessage, void, undefined> {
  const { dictionary } = game;
  const waiting: ReadingMessage[] = [];
  async function* input(): AsyncGenerator<ReadingMessage, void, undefined> {
    for (;;) yield waiting.shift()!;
  }
  const statements = interpretCues(trackCues(input(), game, false, true), game, {
    maxDelaySeconds: MAX_EARLY_DELAY_SECONDS,
  });
  try {
    for await (const message of messages) {
      if (message.type === 'sample') waiting.push(message);
      else if (message.type === 'chunk-end' && message.end === undefined) {
        waiting.push(message);
        // Each end of a chunk is answered by one `settled`; the input is not asked for more before.
        for (let next = await statements.next(); !next.done; next = await statements.next()) {
          if (next.value.type === 'settled') break;
          if (next.value.type === 'statements') yield* earlyMessages(next.value, dictionary);
        }
      }
      yield message;
    }
  } finally {
    await statements.return();
  }
}

function* earlyMessages({ statements }: StatementsMessage, dictionary: Game['dictionary']): Generator<SideMessage> {
  for (const { t, end, statement, confidence, support, tentative } of statements) {
    if (support) continue;
    const text = render(statement, dictionary);
    const id = eventId(t, statement, 0);
    yield { type: 'early', id, t, end, text, statement, confidence, ...(tentative ? { tentative } : {}) };
  }
}

/**
 * Says which early statements did not become events as they were stated: once the log has passed their time, as its lines are in
 * order of time.
 */
export async function* withdrawUnconfirmed(
  messages: AsyncIterable<DetectMessage>,
): AsyncGenerator<DetectMessage, void, undefined> {
  const open = new Map<string, EarlyMessage>();
  function* withdraw(before: number): Generator<DetectMessage> {
    for (const [id, { t, text }] of open)
      if (t < before) {
        open.delete(id);
        yield { type: 'withdrawn', id, t, text };
      }
  }
  for await (const message of messages) {
    if (message.type === 'early') open.set(message.id, message);
    else if (message.type === 'event') open.delete(message.id);
    if (message.type === 'event' || message.type === 'gap') yield* withdraw(message.t);
    else if (message.type === 'end') yield* withdraw(Number.POSITIVE_INFINITY);
    yield message;
  }
}
