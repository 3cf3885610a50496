import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { FileStorage, type RecordingStorage } from './file-storage.ts';
import { S3Storage } from './s3-storage.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-storage-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Of a server that runs, with AWS_ENDPOINT_URL_S3 and the keys in the environment. */
const bucket = process.env['PLAYBYPLAY_TEST_BUCKET'];
if (bucket === undefined)
  console.log('storage in a bucket is not tested: set PLAYBYPLAY_TEST_BUCKET to s3://bucket of a server that runs');

const places: [string, () => Promise<RecordingStorage>][] = [
  ['a folder', () => Promise.resolve(new FileStorage(join(folder, 'files')))],
];
if (bucket !== undefined) places.push(['a bucket', () => S3Storage.open(bucket, join(folder, 'copies'))]);

describe.each(places)('storage in %s', (_, open) => {
  // More than a part, so that it is sent in several.
  const recording = randomBytes(20 * 2 ** 20 + 1);

  const upload = async (storage: RecordingStorage, tenant: string, id: string): Promise<string> => {
    const path = join(folder, 'upload');
    writeFileSync(path, recording);
    const target = join(storage.folderOf(tenant, id), 'match.mp4');
    await storage.adopt(path, target);
    expect(existsSync(path)).toBe(false);
    return target;
  };

  test('gives back recordings and logs on any machine, until they are removed', async () => {
    const storage = await open();
    const media = await upload(storage, 'ann', '1');
    const other = await upload(storage, 'ann', '10');
    expect(await storage.has(media)).toBe(true);
    await storage.fetch(media);
    expect(readFileSync(media).equals(recording)).toBe(true);
    const log = join(storage.folderOf('ann', '1'), 'match.playbyplay', 'events.ndjson');
    mkdirSync(dirname(log));
    writeFileSync(log, 'a log\n');
    await storage.keep(dirname(log));
    for (const path of [media, dirname(log)]) await storage.release(path);
    await storage.fetch(log);
    expect(readFileSync(log, 'utf8')).toBe('a log\n');
    await storage.remove('ann', '1');
    expect([await storage.has(media), await storage.has(log), await storage.has(other)]).toEqual([false, false, true]);
    expect(existsSync(media)).toBe(false);
    await storage.remove('ann', '10');
  });

  test('is ready, and has nothing that was not stored', async () => {
    const storage = await open();
    mkdirSync(join(folder, 'files'), { recursive: true });
    expect(await storage.isReady()).toBe(true);
    expect(await storage.has(join(storage.folderOf('ann', '2'), 'match.mp4'))).toBe(false);
  });
});

describe('a bucket', () => {
  test.each(['bucket', 's3://', 's3://Upper', 'http://bucket', 's3://bucket?x', 's3://../x'])(
    'is not %s',
    async (address) => {
      await expect(S3Storage.open(address, folder)).rejects.toMatchObject({ code: 'bad-storage' });
    },
  );

  test('that cannot be used is named, with what to look at', async () => {
    await using server = createServer((_request, response) => response.writeHead(403).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${port}`);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    await expect(S3Storage.open('s3://recordings', folder)).rejects.toMatchObject({
      code: 'storage-unreachable',
      message: expect.stringContaining('recordings'),
      hint: expect.stringContaining('AWS_ENDPOINT_URL_S3'),
    });
    vi.unstubAllEnvs();
  });
});
