import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { describeService } from '../../test/fixtures/service-suite.ts';
import { root } from '../../test/paths.ts';
import { type OpenApi, renderApi } from '../../tools/api.ts';
import { SqliteQueue } from '../batch/sqlite-queue.ts';
import { openDatabase } from './database.ts';
import { startService } from './service.ts';
import { isPrivateAddress, Webhooks } from './webhooks.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-server-'));
afterAll(() => rmSync(folder, { recursive: true }));

describeService(() => ({
  database: undefined,
  openQueue: async (data) => SqliteQueue.open(join(data, 'jobs.sqlite')),
}));

describe('a service with a low limit', () => {
  test('refuses a key that asks too often, and no other one', async () => {
    await using service = await startService({ data: join(folder, 'limited'), workers: 0, requestsPerMinute: 5 });
    const [one, other] = [await service.tenants.add('one'), await service.tenants.add('other')];
    const ask = async (key: string): Promise<number> =>
      (await fetch(`${service.address}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })).status;
    const states: number[] = [];
    for (let i = 0; i < 7; i++) states.push(await ask(one.key));
    expect(states).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect(await ask(other.key)).toBe(200);
  });
});

describe('the reference of the interface', () => {
  test('is up to date (node tools/api.ts)', async () => {
    await using service = await startService({ data: join(folder, 'reference'), workers: 0 });
    const description = (await (await fetch(`${service.address}/openapi.json`)).json()) as OpenApi;
    expect(readFileSync(join(root, 'docs', 'reference', 'api.md'), 'utf8')).toBe(renderApi(description));
  });
});

describe('webhooks', () => {
  test.each([
    'http://example.com/hook',
    'https://localhost/hook',
    'https://127.0.0.1/hook',
    'https://2130706433/hook',
    'https://0x7f.1/hook',
    'https://[::1]/hook',
    'https://[::ffff:127.0.0.1]/hook',
    'https://[::ffff:7f00:1]/hook',
    'https://169.254.169.254/latest/meta-data',
    'https://10.1.2.3/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://db.internal/',
    'https://user:password@example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'no address',
  ])('do not call %s', async (url) => {
    await using database = await openDatabase(':memory:');
    await expect(new Webhooks(database).add('tenant', url)).rejects.toMatchObject({ code: 'bad-webhook' });
  });

  test('know the addresses of the internet', () => {
    for (const address of [
      '93.184.215.14',
      '8.8.8.8',
      '2606:2800:21f:cb07:6820:80da:af6b:8b2c',
      '172.32.0.1',
      '100.128.0.1',
    ])
      expect([address, isPrivateAddress(address)]).toEqual([address, false]);
  });
});

describe('the database of a service', () => {
  test('is opened again as it was, and refused if a later version made it', async () => {
    const path = join(folder, 'service.sqlite');
    {
      await using database = await openDatabase(path);
      await database.all("INSERT INTO tenant VALUES ('1', 'kept', 0, 1, 1)");
    }
    {
      await using database = await openDatabase(path);
      expect(await database.all('SELECT name FROM tenant')).toEqual([{ name: 'kept' }]);
      await database.all("INSERT INTO migration VALUES (99, 'later')");
    }
    await expect(openDatabase(path)).rejects.toMatchObject({ code: 'service-database' });
  });

  test('undoes a transaction that fails, and keeps others out of it', async () => {
    await using database = await openDatabase(join(folder, 'transactions.sqlite'));
    const insert = 'INSERT INTO tenant VALUES (?, ?, 0, 1, 1)';
    const failing = database.transaction(async (queries) => {
      await queries.all(insert, '1', 'one');
      await Promise.resolve();
      throw new Error('no');
    });
    const other = database.all(insert, '2', 'two');
    await expect(failing).rejects.toThrow('no');
    await other;
    expect(await database.all('SELECT name FROM tenant')).toEqual([{ name: 'two' }]);
  });
});
