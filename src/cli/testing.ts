import { Writable } from 'node:stream';
import { main } from './main.ts';

/** Runs a command line in this process. */
export async function runCommandLine(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const sink = (key: 'out' | 'err') =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        written[key] += chunk.toString();
        done();
      },
    });
  const io = { stdout: sink('out'), stderr: sink('err'), isTty: false, signal: new AbortController().signal };
  return { code: await main(args, io), ...written };
}
