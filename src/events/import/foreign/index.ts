import { loadBuiltin } from '../../../dictionary/files.ts';
import type { Dictionary } from '../../../dictionary/dictionary.ts';
import type { CompiledMapping } from '../mapping.ts';
import { type Imported, SessionBuilder } from '../session-builder.ts';
import { cs2Demo } from './cs2-demo.ts';
import { cs2Gsi } from './cs2-gsi.ts';
import { dota2 } from './dota2.ts';
import { type ForeignFile, type ForeignFormat, People } from './format.ts';
import { readJsonItems } from './json-items.ts';
import { leagueLive } from './league-live.ts';
import { leagueTimeline } from './league-timeline.ts';
import { openInput, readInput } from '../../../files/input.ts';
import { obsLog } from './obs-log.ts';
import { rocketLeague } from './rocket-league.ts';
import { steamTimeline } from './steam-timeline.ts';

/** The formats of other programs that are read without a mapping, by their content. */
export const foreignFormats: readonly ForeignFormat[] = [
  steamTimeline,
  cs2Gsi,
  cs2Demo,
  leagueTimeline,
  leagueLive,
  dota2,
  rocketLeague,
  obsLog,
];

/** Bytes of a file by which its format is recognized. */
const HEAD_BYTES = 1 << 16;
const MAX_LINE_LENGTH = 20_000;
const MAX_TEXT_BYTES = 256 << 20;
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Recognizes a file of another program by its first 64 KiB.
 *
 * @returns The format, or `undefined` for another one.
 */
export async function recognizeForeign(path: string): Promise<ForeignFormat | undefined> {
  const head = await readHead(path);
  return foreignFormats.find(({ recognize }) => recognize(head));
}

async function readHead(path: string): Promise<string> {
  await using file = await openInput(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.toString('utf8', 0, bytesRead);
}

async function beginsWithArray(path: string): Promise<boolean> {
  return (await readHead(path)).replace(BYTE_ORDER_MARK, '').trimStart().startsWith('[');
}

/** Options of {@link importForeign}. */
export interface ForeignOptions {
  /** The name of the recording player. Default: as the file says. */
  readonly player?: string | undefined;
  /** The name of the session. */
  readonly session: string;
  /** Rules for formats whose texts are those of the game. */
  readonly mapping?: CompiledMapping | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Imports a file of another program as events. The file is read as a stream: its size does not matter, that of each value in it
 * is limited.
 *
 * @throws PlaybyplayError `log-not-json`, `log-too-large`.
 * @example
 * const format = await recognizeForeign('timeline.json');
 * if (format) console.log((await importForeign('timeline.json', format, { session: 'match' })).sessions);
 */
export async function importForeign(
  path: string,
  format: ForeignFormat,
  { player, session, mapping, signal }: ForeignOptions,
): Promise<Imported & { readonly dictionary: Dictionary }> {
  const { dictionary } = await loadBuiltin(mapping?.mapping.dictionaries ?? format.dictionaries, { meaning: false });
  const game = mapping?.mapping.game ?? format.game;
  const sessions = new SessionBuilder({ dictionary, game, session });
  await format.read(openForeign(path, signal), { sessions, people: new People(player), mapping });
  return { ...sessions.finish(), dictionary };
}

function openForeign(path: string, signal: AbortSignal | undefined): ForeignFile {
  return {
    path,
    items: (patterns) => readJsonItems(path, patterns, signal),
    isArray: async () => beginsWithArray(path),
    async *documents() {
      yield* readJsonItems(path, [(await beginsWithArray(path)) ? '*' : ''], signal);
    },
    async *lines() {
      const text = await readInput(path, MAX_TEXT_BYTES, 'log-too-large');
      for (const [i, line] of text.toString().split(/\r?\n/).entries())
        yield { text: line.slice(0, MAX_LINE_LENGTH), number: i + 1 };
    },
  };
}
