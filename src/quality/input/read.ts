import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { PlaybyplayError } from '../../errors.ts';
import {
  isMangoHudHeader,
  presentMonVersion,
  readCapFrameXCsv,
  readCapFrameXJson,
  readMangoHud,
  readPresentMon,
} from './frame-tables.ts';
import { detectFrameLog, readFrameLog, detectSides } from './frame-log.ts';
import { isObsLog, readObs } from './obs.ts';
import type { Format, ReadOptions, SessionInput } from './session.ts';
import { decodeText, readHead } from './text.ts';
import { readWebrtc } from './webrtc.ts';

/** Kind of a file, detected from its content. */
export type Kind = Exclude<Format, 'capframex' | 'playbyplay'> | 'ndjson' | 'csv' | 'capframex-json' | 'capframex-csv';

/**
 * Detects the kind of a file.
 *
 * @throws PlaybyplayError if the file is missing, empty or of no supported format.
 */
async function detectKind(path: string, signal?: AbortSignal): Promise<Kind> {
  const info = await stat(path).catch(() => undefined);
  if (!info) throw new PlaybyplayError('file-missing', `${path} does not exist`);
  if (!info.isFile()) throw new PlaybyplayError('not-a-file', `${path} is not a file`);
  const bytes = await readHead(path, 65_536, signal);
  if (bytes.length === 0) throw new PlaybyplayError('file-empty', `${path} is empty`);
  if (isVideo(bytes)) return 'video';
  const head = decodeText(bytes).replace(/^\uFEFF/, '');
  const kind = kindOfText(head);
  if (kind) return kind;
  throw new PlaybyplayError('unknown-format', `${basename(path)} has no supported format`, {
    hint: 'Supported: per-frame NDJSON or CSV, PresentMon, CapFrameX, MangoHud, webrtc-internals, OBS logs, videos.',
  });
}

function kindOfText(head: string): Kind | undefined {
  const native = detectFrameLog(head);
  if (native) return native;
  const trimmed = head.trimStart();
  if (trimmed.startsWith('{')) {
    if (/"PeerConnections"\s*:/.test(head)) return 'webrtc-internals';
    if (/"(?:Runs|CaptureData|MsBetweenPresents)"\s*:/.test(head)) return 'capframex-json';
    // Both may start with a long block of other data.
    if (/"getUserMedia"\s*:|"UserAgent"\s*:/.test(head)) return 'webrtc-internals';
    if (/"(?:Info|Hash)"\s*:/.test(head)) return 'capframex-json';
    return undefined;
  }
  if (isObsLog(head)) return 'obs-log';
  const lines = head.split(/\r?\n/, 60).map((line) => line.trim());
  if (lines.some((line) => presentMonVersion(line) !== undefined)) {
    return lines[0]?.startsWith('//') ? 'capframex-csv' : 'presentmon';
  }
  return lines.some(isMangoHudHeader) ? 'mangohud' : undefined;
}

/** ISO media, Matroska, FLV, AVI, MPEG-TS or an elementary H.264 stream. */
function isVideo(bytes: Buffer): boolean {
  if (bytes.length < 8) return false;
  const ascii = (from: number, to: number): string => bytes.toString('latin1', from, to);
  if (['ftyp', 'moov', 'mdat', 'styp', 'wide'].includes(ascii(4, 8))) return true;
  if (bytes.readUInt32BE(0) === 0x1a45dfa3) return true;
  if (ascii(0, 3) === 'FLV' || ascii(0, 4) === 'RIFF') return true;
  return bytes[0] === 0x47 && bytes[188] === 0x47 && bytes[376] === 0x47;
}

/** Reads a video as a session; injected because only some callers need the media reader. */
export type VideoReader = (path: string, options: ReadOptions) => Promise<SessionInput>;

/**
 * Reads the sessions of files. Frame logs with only the server's or only the client's timestamps are joined in pairs,
 * in order. Every other file stands alone and may contain several sessions.
 */
export async function readSessions(
  paths: readonly string[],
  options: ReadOptions & { readonly window?: number; readonly video?: VideoReader | undefined } = {},
): Promise<SessionInput[]> {
  const kinds = await Promise.all(paths.map((path) => detectKind(path, options.signal)));
  const halves = await pairHalves(paths, kinds, options.signal);
  const sessions: SessionInput[] = [];
  for (const [i, path] of paths.entries()) {
    const kind = kinds[i]!;
    if (kind === 'ndjson' || kind === 'csv') {
      const parts = halves.get(i);
      if (!parts) continue;
      const ownKinds = parts.map((part) => kinds[part] as 'ndjson' | 'csv');
      sessions.push(
        await readFrameLog(
          parts.map((part) => paths[part]!),
          ownKinds,
          options,
        ),
      );
    } else {
      sessions.push(...(await readOtherFormat(path, kind, options)));
    }
  }
  return withDistinctNames(sessions);
}

/** Numbers sessions that have the same name, such as recordings of that name in different folders. */
function withDistinctNames(sessions: readonly SessionInput[]): SessionInput[] {
  const seen = new Map<string, number>();
  return sessions.map((session) => {
    const count = (seen.get(session.name) ?? 0) + 1;
    seen.set(session.name, count);
    return count === 1 ? session : { ...session, name: `${session.name} (${count})` };
  });
}

/** Groups the frame logs of each session, keyed by the first file. */
async function pairHalves(
  paths: readonly string[],
  kinds: readonly Kind[],
  signal: AbortSignal | undefined,
): Promise<Map<number, number[]>> {
  const own = [...paths.keys()].filter((i) => kinds[i] === 'ndjson' || kinds[i] === 'csv');
  if (own.length <= 1) return new Map(own.map((i) => [i, [i]]));
  const sides = new Map(
    await Promise.all(
      own.map(async (i) => [i, detectSides(decodeText(await readHead(paths[i]!, 65_536, signal)))] as const),
    ),
  );
  const servers = own.filter((i) => sides.get(i)!.server && !sides.get(i)!.client);
  const clients = own.filter((i) => !sides.get(i)!.server && sides.get(i)!.client);
  if (servers.length > 0 && clients.length > 0 && servers.length !== clients.length) {
    throw new PlaybyplayError(
      'halves-unclear',
      `${servers.length} files have the server's times and ${clients.length} the client's`,
      {
        hint: 'Pass the halves of one session at a time.',
      },
    );
  }
  const joined =
    clients.length === 0 ? [] : servers.map((server, i) => [server, clients[i]!].toSorted((a, b) => a - b));
  const paired = new Set(joined.flat());
  const alone = own.filter((i) => !paired.has(i)).map((i) => [i]);
  return new Map([...joined, ...alone].map((parts) => [parts[0]!, parts]));
}

async function readOtherFormat(
  path: string,
  kind: Exclude<Kind, 'ndjson' | 'csv'>,
  options: ReadOptions & { readonly video?: VideoReader | undefined },
): Promise<SessionInput[]> {
  switch (kind) {
    case 'presentmon':
      return [await readPresentMon(path, options)];
    case 'capframex-csv':
      return [await readCapFrameXCsv(path, options)];
    case 'capframex-json':
      return readCapFrameXJson(path, options);
    case 'mangohud':
      return [await readMangoHud(path, options)];
    case 'webrtc-internals':
      return readWebrtc(path, options);
    case 'obs-log':
      return [await readObs(path, options)];
    case 'video':
      if (options.video) return [await options.video(path, options)];
      throw new PlaybyplayError(
        'no-video-reader',
        `${path} is a video (${extname(path)}), which this call cannot read`,
      );
  }
}
