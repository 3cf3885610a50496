import type { FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlaybyplayError } from '../errors.ts';
import { openInput } from '../files/input.ts';

/** Milliseconds between two looks at a file that has not grown. */
const POLL_MS = 50;
const READ_BYTES = 1 << 16;
/** A longer line is none of the formats that are followed. */
const MAX_LINE_CHARACTERS = 1 << 16;

/**
 * Yields the lines of a text file that another program writes, as they are completed. Waits for the file to appear.
 *
 * @param signal Ends the generator, after the lines that are complete by then.
 * @throws PlaybyplayError `not-a-file`; `file-replaced` if the file gets shorter; `line-too-long`.
 */
export async function* followLines(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<readonly string[], void, undefined> {
  await using file = await openWhenThere(path, signal);
  if (!file) return;
  const buffer = Buffer.alloc(READ_BYTES);
  const decoder = new TextDecoder();
  let position = 0;
  let rest = '';
  for (;;) {
    const isLast = signal.aborted;
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES, position);
    position += bytesRead;
    const lines = (rest + decoder.decode(buffer.subarray(0, bytesRead), { stream: true })).split('\n');
    rest = lines.pop()!;
    if (rest.length > MAX_LINE_CHARACTERS)
      throw new PlaybyplayError('line-too-long', `${path} has a line of more than ${MAX_LINE_CHARACTERS} characters`);
    if (lines.length > 0) yield lines;
    if (bytesRead > 0) continue;
    if (isLast) return;
    if ((await file.stat()).size < position)
      throw new PlaybyplayError('file-replaced', `${path} has become shorter while it was read`, {
        hint: 'Append to the file, and start a new one for a new session.',
      });
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Opens a file as soon as it exists; undefined if `signal` comes first. */
async function openWhenThere(path: string, signal: AbortSignal): Promise<FileHandle | undefined> {
  while (!signal.aborted) {
    try {
      return await openInput(path);
    } catch (error) {
      if ((error as { readonly code?: string }).code !== 'ENOENT') throw error;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
