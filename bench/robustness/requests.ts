/**
 * Sends generated requests to every route of the servers: the studio, and the service with a key of one of two tenants.
 *
 *   node bench/robustness/requests.ts [--count 200] [--seed 1] [--only text] [--show]
 *
 * Paths, queries and bodies are made from the schemas that the servers publish (with paths of existing files, paths that lead
 * out of the workspace, ends of ranges and strings at which programs break), and then changed. Each request must be answered
 * within 20 s by a status below 500, an error by JSON with a code and a message; nothing outside the workspace may change, and nothing of the
 * other tenant may be shown or removed. Addresses of private networks must be refused as webhooks.
 * Prints a table; exit code 1 if a rule is broken. `--show` prints each request that breaks one. Needs ffmpeg.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { recordLog } from '../../src/pipeline/record-log.ts';
import type { Schema, SchemaObject } from '../../src/schema/from-schema.ts';
import { startService } from '../../src/server/service.ts';
import { startStudio } from '../../src/studio/server/studio-server.ts';
import { Workspace } from '../../src/studio/workspace.ts';
import { valuesOf } from '../../test/fixtures/generated/from-schema.ts';
import { mutatedJson } from '../../test/fixtures/generated/mutations.ts';
import { makeChangingGame, makeChangingRecording } from './changing-recording.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    show: { type: 'boolean', default: false },
  },
});
const MAX_MS = 20_000;
const folder = mkdtempSync(join(tmpdir(), 'requests-'));
const work = join(folder, 'work');

/** A recording with its log, a pack, and links that lead out of the workspace. */
async function prepare(): Promise<void> {
  mkdirSync(join(folder, 'source'));
  mkdirSync(join(work, 'pages', 'assets'), { recursive: true });
  const recording = makeChangingRecording({ folder: join(folder, 'source'), minutes: 1, fps: 5, group: 10 });
  cpSync(recording, join(work, 'clip.mp4'));
  const game = makeChangingGame(folder, 0.5);
  await recordLog({
    media: join(work, 'clip.mp4'),
    game,
    out: join(work, 'clip.playbyplay'),
    place: 'default',
    workers: 1,
  });
  cpSync(game, join(work, 'pack', 'configs', 'hours'), { recursive: true });
  writeFileSync(join(folder, 'secret.ndjson'), 'secret');
  writeFileSync(join(work, 'notes.txt'), 'notes');
  for (const page of ['index.html', 'locked.html']) writeFileSync(join(work, 'pages', page), '<!doctype html>');
  symlinkSync(folder, join(work, 'way-out'));
  spawnSync('mkfifo', [join(work, 'pipe.mp4')]);
}

/** Hash of all files outside the workspace. */
function outsideState(): string {
  const hash = createHash('sha256');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (path.startsWith(work) || !entry.isFile()) continue;
    hash.update(path).update(readFileSync(path));
  }
  return hash.digest('hex');
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: SchemaObject }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

interface ErrorBody {
  readonly code?: string | number;
  readonly message?: string;
}

/** A server, and who sends requests to it. */
interface Target {
  readonly name: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where it publishes its routes. */
  readonly api: string;
  /** Values of what stands in paths. */
  readonly ids: readonly string[];
  /** What no answer may contain. */
  readonly secrets: readonly string[];
}

const [clip, log, pack] = ['work/clip.mp4', 'work/clip.playbyplay/events.ndjson', 'work/pack'] as const;
const badPaths = [
  'work/way-out/secret.ndjson',
  'work/../secret.ndjson',
  '/etc/passwd',
  'work/pipe.mp4',
  'work/notes.txt',
  'work/new',
  'work/.playbyplay/history/1.json',
  'WORK/clip.mp4',
  'work//clip.mp4',
  'work/clip.mp4/x',
  'http://127.0.0.1/x',
  'work',
  'work/new.mp4',
  'work/clip.playbyplay',
];
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const anyPath = [...times(9, clip), ...times(9, log), ...times(9, pack), ...badPaths];
const hints = {
  names: ['hours', 'lamp', 'bar', 'player', 'kill', 'a'],
  properties: {
    ...Object.fromEntries(['path', 'folder', 'file', 'out', 'output', 'paths', 'other'].map((name) => [name, anyPath])),
    ...Object.fromEntries(
      ['media', 'recording', 'recordings'].map((name) => [name, [...times(20, clip), ...badPaths]]),
    ),
    ...Object.fromEntries(['log', 'logs'].map((name) => [name, [...times(20, log), ...badPaths]])),
    game: [...times(12, 'hours'), 'freedoom', '../hours'],
  },
};

/** What assistants send. */
const RPC: Schema = {
  type: 'object',
  required: ['jsonrpc', 'method', 'id', 'params'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: 'integer' },
    method: { enum: ['initialize', 'tools/list', 'tools/call', 'resources/list', 'ping', 'x'] },
    params: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        arguments: { type: 'object', properties: { question: { type: 'string' }, session: { type: 'string' } } },
      },
    },
  },
};

await prepare();
const before = outsideState();
await using resources = new AsyncDisposableStack();
const targets = [await openStudio(), await openService()];
let total = 0;
for (const target of targets) await ask(target);
await checkWebhooks(targets[1]!);
await resources.disposeAsync();
rmSync(folder, { recursive: true, force: true });
process.exit(total > 0 ? 1 : 0);

async function openStudio(): Promise<Target> {
  const workspace = await Workspace.open([work]);
  const { address, createLink } = resources.use(await startStudio({ workspace, pages: join(work, 'pages') }));
  const opened = await fetch(createLink(), { redirect: 'manual' });
  const cookie = opened.headers.getSetCookie()[0]!.split(';')[0]!;
  return {
    name: 'studio',
    address,
    headers: { cookie, 'x-playbyplay': '1' },
    api: '/api',
    ids: [],
    secrets: ['root:x:', 'secret'],
  };
}

async function openService(): Promise<Target> {
  const service = resources.use(
    await startService({ data: join(work, 'service'), workers: 0, requestsPerMinute: 1e9 }),
  );
  const [own, other] = [await service.tenants.add('own'), await service.tenants.add('other')];
  const [mine, theirs] = [
    await upload(service.address, own.key, 'mine.mp4'),
    await upload(service.address, other.key, 'theirs.mp4'),
  ];
  return {
    name: 'service',
    address: service.address,
    headers: { authorization: `Bearer ${own.key}`, accept: 'application/json, text/event-stream' },
    api: '/openapi.json',
    ids: [...times(10, mine), theirs, theirs, theirs, '..', '../x', '%00', 'x'.repeat(64)],
    secrets: ['root:x:', 'theirs.mp4'],
  };
}

/** Uploads the recording; returns its id. */
async function upload(address: string, key: string, name: string): Promise<string> {
  const bytes = readFileSync(join(work, 'clip.mp4'));
  const headers = { authorization: `Bearer ${key}`, 'tus-resumable': '1.0.0' };
  const made = await fetch(new URL('/v1/uploads', address), {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(bytes.length),
      'upload-metadata': `filename ${Buffer.from(name).toString('base64')}`,
    },
  });
  const location = made.headers.get('location')!;
  const sent = await fetch(new URL(location, address), {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: bytes,
  });
  if (sent.status !== 204) throw new Error(`upload: ${sent.status} ${await sent.text()}`);
  return location.split('/').at(-1)!;
}

/** Addresses that a service must not be made to call. */
async function checkWebhooks({ address, headers }: Target): Promise<void> {
  const urls = [
    ...'https://127.0.0.1/ https://localhost/ https://[::1]/ https://0x7f000001/ https://2130706433/ https://017700000001/'.split(
      ' ',
    ),
    ...'https://[::ffff:127.0.0.1]/ https://169.254.169.254/latest https://10.0.0.1/ https://192.168.1.1/ https://0/'.split(
      ' ',
    ),
    ...'http://example.com/ ftp://example.com/ file:///etc/passwd https://a:b@example.com/ https://metadata.google.internal/'.split(
      ' ',
    ),
    ...'https://[fd00::1]/ https://[fe80::1]/ https://[64:ff9b::7f00:1]/ https://printer.local/ //x/ javascript:1'.split(
      ' ',
    ),
  ];
  let refused = 0;
  for (const url of urls) {
    const answer = await fetch(new URL('/v1/webhooks', address), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    });
    if (answer.status === 400) refused++;
    else console.log(`  ! ${url}: ${answer.status}`);
  }
  console.log(`webhooks: ${refused} of ${urls.length} addresses that are not of the internet were refused`);
  total += urls.length - refused;
}

async function ask({ name, address, headers, api, ids, secrets }: Target): Promise<void> {
  const { paths } = (await (await fetch(new URL(api, address), { headers })).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  console.log(
    '| Route | Requests | Answered | Refused | Codes | Slowest, ms | Faults |\n|---|---|---|---|---|---|---|',
  );
  const routes = Object.entries(paths).flatMap(([url, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ url, method, operation })),
  );
  // What is removed answers no more.
  routes.sort((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));
  for (const { url, method, operation } of routes) {
    if (!`${name} ${method} ${url}`.includes(values.only)) continue;
    const requests = fc.sample(fc.tuple(pathsOf(url, ids), queriesOf(operation), bodiesOf(url, operation)), {
      seed: Number(values.seed),
      numRuns: Number(values.count),
    });
    const codes = new Map<string, number>();
    const faults = new Map<string, number>();
    let [answered, slowest] = [0, 0];
    const fail = (what: string, query: string, body: Uint8Array | undefined): void => {
      total++;
      faults.set(what, (faults.get(what) ?? 0) + 1);
      if (values.show)
        console.log(
          `  ${method} ${url}?${query} ${Buffer.from(body ?? [])
            .toString()
            .slice(0, 400)}`,
        );
    };
    for (const [path, query, body] of requests) {
      const began = performance.now();
      try {
        const answer = await fetch(new URL(`${path}?${query}`, address), {
          method: method.toUpperCase(),
          headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: Buffer.from(body) }),
          signal: AbortSignal.timeout(MAX_MS),
        });
        const isStream = answer.headers.get('content-type') === 'text/event-stream';
        const text = isStream ? '' : await answer.text();
        if (isStream) await answer.body?.cancel();
        if (answer.ok) answered++;
        else {
          // The Model Context Protocol has its own form of errors.
          const parsed = JSON.parse(text) as ErrorBody & { readonly error?: ErrorBody };
          const { code = '', message = '' } = parsed.error ?? parsed;
          codes.set(String(code), (codes.get(String(code)) ?? 0) + 1);
          if (answer.status >= 500 || code === '' || message === '') fail(`${answer.status} ${message}`, query, body);
        }
        if (secrets.some((secret) => text.includes(secret))) fail('shows what it must not', query, body);
      } catch (error) {
        fail(String(error), query, body);
      }
      slowest = Math.max(slowest, performance.now() - began);
    }
    if (outsideState() !== before) fail('changes a file outside the workspace', '', undefined);
    const refused = [...codes.values()].reduce((sum, count) => sum + count, 0);
    const broken = [...faults.values()].reduce((sum, count) => sum + count, 0);
    console.log(
      `| ${name}: ${method} ${url} | ${requests.length} | ${answered} | ${refused} | ${codes.size} | ${slowest.toFixed(0)} | ${broken} |`,
    );
    for (const [what, count] of faults) console.log(`  ! ${count} × ${what.slice(0, 300)}`);
  }
}

/** The address of a route, whose places in braces are filled. */
function pathsOf(url: string, ids: readonly string[]): fc.Arbitrary<string> {
  if (!url.includes('{')) return fc.constant(url);
  return fc.constantFrom(...ids).map((id) => url.replace(/\{\w+\}/, () => encodeURIComponent(id)));
}

/** Queries of a route: each parameter is left out in a sixth of the requests. */
function queriesOf(operation: Operation): fc.Arbitrary<string> {
  const given = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const members = given.map(({ name, schema }) =>
    fc.oneof(
      { weight: 5, arbitrary: valuesOf({ type: 'object', properties: { [name]: schema }, required: [name] }, hints) },
      fc.constant({}),
    ),
  );
  return fc.tuple(...members).map((parts) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(Object.assign({}, ...parts) as Record<string, unknown>))
      for (const one of [value].flat()) query.append(name, String(one).toWellFormed());
    return query.toString().slice(0, 8000);
  });
}

function bodiesOf(url: string, operation: Operation): fc.Arbitrary<Uint8Array | undefined> {
  const schema = operation.requestBody?.content['application/json']?.schema ?? (url === '/mcp' ? RPC : undefined);
  return schema === undefined ? fc.constant(undefined) : mutatedJson(valuesOf(schema, hints), 0.6);
}
