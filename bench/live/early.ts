// Measures the early statements of a live session: how long after the frame that dates an event it is stated, in seconds of the
// recording, and how many of the early statements stand in the log afterwards, how many of the log were stated early.
//   node bench/live/early.ts <game> <recording>…
import { spawn } from 'node:child_process';
import { isPropertyStatement } from '../../src/events/statement.ts';
import { parseLiveSource } from '../../src/media/live/source.ts';
import { openGame } from '../../src/pipeline/game.ts';
import type { DetectMessage, EarlyMessage } from '../../src/pipeline/messages.ts';
import { watch } from '../../src/pipeline/live/watch.ts';

const [name = '', ...recordings] = process.argv.slice(2);
const game = await openGame(name);

interface Figures {
  readonly delays: number[];
  early: number;
  confirmed: number;
  logged: number;
  foretold: number;
}

const kinds = new Map<string, Figures>();

function figuresOf({ statement }: Pick<EarlyMessage, 'statement'>): Figures {
  const kind = isPropertyStatement(statement) ? statement.property : statement.action;
  const found = kinds.get(kind) ?? { delays: [], early: 0, confirmed: 0, logged: 0, foretold: 0 };
  kinds.set(kind, found);
  return found;
}

for (const recording of recordings) {
  const sender = spawn(
    'ffmpeg',
    ['-v', 'error', '-i', recording, '-map', '0:v', '-c', 'copy', '-f', 'mpegts', 'pipe:1'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const early = new Map<string, EarlyMessage>();
  const ids = new Set<string>();
  let latest = 0;
  const messages: AsyncIterable<DetectMessage> = watch(parseLiveSource('-'), game, {
    identity: '0'.repeat(32),
    readsAll: true,
    stdin: sender.stdout,
    onSample: ({ t }) => void (latest = t),
  });
  for await (const message of messages) {
    if (message.type === 'early' && !message.tentative && !early.has(message.id)) {
      early.set(message.id, message);
      figuresOf(message).early++;
      figuresOf(message).delays.push(latest - message.t);
    } else if (message.type === 'event' && !message.tentative) {
      ids.add(message.id);
      const figures = figuresOf(message);
      figures.logged++;
      if (early.has(message.id)) figures.foretold++;
      else if (process.env['SHOW']) console.log('not early', message.t, message.text);
    }
  }
  for (const [id, message] of early)
    if (ids.has(id)) figuresOf(message).confirmed++;
    else if (process.env['SHOW']) console.log('unconfirmed', message.t, message.text);
}

function share(list: readonly number[], part: number): string {
  const sorted = list.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN).toFixed(2);
}

process.stdout.write(
  '| kind | early | of these in the log | in the log | of these early | p50 s | p95 s |\n|---|---|---|---|---|---|---|\n',
);
const all: Figures = { delays: [], early: 0, confirmed: 0, logged: 0, foretold: 0 };
for (const [kind, one] of kinds) {
  all.delays.push(...one.delays);
  all.early += one.early;
  all.confirmed += one.confirmed;
  all.logged += one.logged;
  all.foretold += one.foretold;
  process.stdout.write(
    `| ${kind} | ${one.early} | ${one.confirmed} | ${one.logged} | ${one.foretold} | ${share(one.delays, 0.5)} | ${share(one.delays, 0.95)} |\n`,
  );
}
process.stdout.write(
  `| all | ${all.early} | ${all.confirmed} | ${all.logged} | ${all.foretold} | ${share(all.delays, 0.5)} | ${share(all.delays, 0.95)} |\n`,
);
process.exit();
