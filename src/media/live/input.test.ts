import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LiveInput } from './input.ts';
import { parseLiveSource } from './source.ts';

const PATIENCE = { idleSeconds: 0.2, connectSeconds: 0.5, stdin: Readable.from([]) };

function open(name: string, listen = false): Promise<LiveInput> {
  return LiveInput.open(parseLiveSource(name, { listen }), PATIENCE);
}

describe('a source that cannot be opened', () => {
  it('is named, with what to do', async () => {
    await expect(open('camera:/dev/no-such-camera')).rejects.toMatchObject({
      message: expect.stringContaining('camera /dev/no-such-camera cannot be captured'),
      hint: expect.stringMatching(/^This machine has /),
    });
    await expect(open('udp://127.0.0.1:29471')).rejects.toMatchObject({
      message: 'nothing arrived from udp://127.0.0.1:29471 for 0.5 s',
      hint: expect.stringContaining('MPEG-TS'),
    });
    await expect(open('-')).rejects.toMatchObject({ hint: expect.stringContaining('matroska') });
  });

  it('says whether it may wait for a sender', async () => {
    await expect(open('tcp://127.0.0.1:1')).rejects.toMatchObject({ hint: expect.stringContaining('--listen') });
    await expect(open('rtsp://127.0.0.1:1/stream')).rejects.toMatchObject({
      hint: 'Is the address right, and is the server sending?',
    });
  });

  it('says that a port to wait at is in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await expect(open(`tcp://127.0.0.1:${port}`, true)).rejects.toMatchObject({
      message: expect.stringMatching(/^no sender can be waited for at tcp:.* in use\)$/),
    });
    server.close();
  });

  it('is not opened without a port', () => {
    for (const protocol of ['srt', 'tcp', 'udp', 'rtp'])
      expect(() => parseLiveSource(`${protocol}://127.0.0.1`)).toThrow(`${protocol}://127.0.0.1 has no port`);
    for (const protocol of ['rtmp', 'rtsp', 'http']) parseLiveSource(`${protocol}://127.0.0.1/live`);
  });
});
