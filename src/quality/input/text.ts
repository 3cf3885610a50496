import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { messageOf, PlaybyplayError } from '../../errors.ts';

/** Maximum characters of a line and of a document read into memory. */
const MAX_LINE_CHARACTERS = 16 * 2 ** 20;
const MAX_DOCUMENT_CHARACTERS = 400 * 2 ** 20;

/** Reads the first bytes of a file, decompressed if gzipped. */
export async function readHead(path: string, bytes = 65_536, signal?: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of byteStream(path, await isGzip(path), signal)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= bytes) break;
    }
  } catch (error) {
    // A damaged end is reported by the reader that gets that far.
    if (error instanceof PlaybyplayError || signal?.aborted) throw error;
    if (size === 0) throw damaged(path, error);
  }
  return Buffer.concat(chunks).subarray(0, bytes);
}

/**
 * Reads lines in batches without line ends: UTF-8 or UTF-16 (by byte order mark), gzipped or not. `complete` is false
 * if the last line has no line end and may be truncated.
 */
export async function* readLines(
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<{ readonly lines: readonly string[]; readonly complete: boolean }> {
  let rest = '';
  for await (const text of textStream(path, signal)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    if (rest.length > MAX_LINE_CHARACTERS) {
      throw new PlaybyplayError('line-too-long', `${path} has a line of more than ${MAX_LINE_CHARACTERS} characters`, {
        hint: 'Is it a text file?',
      });
    }
    for (let i = 0; i < lines.length; i++) if (lines[i]!.endsWith('\r')) lines[i] = lines[i]!.slice(0, -1);
    if (lines.length > 0) yield { lines, complete: true };
  }
  if (rest !== '') yield { lines: [rest.endsWith('\r') ? rest.slice(0, -1) : rest], complete: false };
}

/** Reads a whole text file. */
export async function readText(path: string, signal?: AbortSignal): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  for await (const text of textStream(path, signal)) {
    parts.push(text);
    length += text.length;
    if (length > MAX_DOCUMENT_CHARACTERS) {
      throw new PlaybyplayError('file-too-large', `${path} is larger than ${MAX_DOCUMENT_CHARACTERS / 2 ** 20} MiB`);
    }
  }
  return parts.join('');
}

/**
 * Reads and parses a JSON file.
 *
 * @throws PlaybyplayError `not-json` with `hint`.
 */
export async function readJson(path: string, hint: string, signal?: AbortSignal): Promise<unknown> {
  const text = (await readText(path, signal)).replace(/^\uFEFF/, '');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PlaybyplayError('not-json', `${path} is not JSON: ${messageOf(error)}`, { hint });
  }
}

/** Decodes text by its byte order mark; UTF-8 without one. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(detectEncoding(bytes)).decode(bytes);
}

async function* textStream(path: string, signal?: AbortSignal): AsyncGenerator<string> {
  const gzip = await isGzip(path);
  let decoder: TextDecoder | undefined;
  try {
    for await (const chunk of byteStream(path, gzip, signal)) {
      decoder ??= new TextDecoder(detectEncoding(chunk));
      yield decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    if (!gzip || signal?.aborted) throw error;
    throw damaged(path, error);
  }
  const last = decoder?.decode();
  if (last) yield last;
}

function damaged(path: string, cause: unknown): PlaybyplayError {
  return new PlaybyplayError('gzip-damaged', `${path} cannot be decompressed: ${messageOf(cause)}`, {
    hint: 'The file may be incomplete; download it again.',
    cause,
  });
}

function byteStream(path: string, gzip: boolean, signal?: AbortSignal): Readable {
  const file = createReadStream(path, { highWaterMark: 1 << 18, ...(signal && { signal }) });
  if (!gzip) return file;
  const inflated = createGunzip();
  file.on('error', (error) => inflated.destroy(error));
  return file.pipe(inflated);
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path).catch((error: unknown) => {
    throw new PlaybyplayError('file-unreadable', `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } catch (error) {
    throw new PlaybyplayError('file-unreadable', `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  } finally {
    await file.close();
  }
}

function detectEncoding(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}
