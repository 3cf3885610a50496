import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { request, type IncomingHttpHeaders } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clip } from '../../../test/paths.ts';
import { Workspace } from '../workspace.ts';
import { startStudio, type Studio } from './studio-server.ts';

let folder: string;
let studio: Studio;
let cookie: string;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request exactly as given: `fetch` would not send another Host. */
async function ask(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string; address?: string } = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body, address = studio.address } = options;
  return await new Promise((resolve, reject) => {
    const sent = request(new URL(path, address), { method, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text: Buffer.concat(parts).toString(),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The code of the error in an answer. */
function codeOf({ text }: Answer): string {
  return (JSON.parse(text) as { code: string }).code;
}

const change = { 'content-type': 'application/json', 'x-playbyplay': '1' };
const undo = JSON.stringify({ path: 'opened', step: 'undo' });

/** What a script would need to reach files, other programs or the network, and what it says where it finds it. */
const CURIOUS_SCRIPT = `
const found = [];
for (const name of ['process', 'require', 'fetch', 'WebSocket', 'Worker', 'WebAssembly', 'setTimeout', 'Deno'])
  try { if (globalThis[name].name !== undefined) globalThis[name](''), found.push(name); } catch {}
for (const [name, escape] of [
  ['constructor', () => onEnd.constructor('return process')()],
  ['eval', () => (0, eval)('process')],
  ['game', (game) => game.note.constructor('return process')()],
  ['state', (game) => game.state.constructor.constructor('return process')()],
]) found.push((game) => { try { escape(game); return name; } catch { return ''; } });
function onEnd(game) {
  game.note('found: ' + found.map((one) => (typeof one === 'string' ? one : one(game))).join(''));
}
`;
const MARKUP = '<img src=x onerror=alert(1)>';

/** Part of a schema of the interface's description. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly schema?: Schema;
}

/** Whether a value is a path: `PATH` in `src/studio/api/workspace.ts`. */
function isPath({ type, minLength, maxLength }: Schema): boolean {
  return type === 'string' && minLength === 1 && maxLength === 4096;
}

/** Values that match a schema, one for each alternative; every path in them is `path`. */
function valuesOf(schema: Schema, path: string, name = ''): readonly unknown[] {
  const { type, oneOf, anyOf, items, properties = {}, required = [] } = schema;
  if (isPath(schema)) return [path];
  if ('const' in schema) return [schema.const];
  if (schema.enum) return [schema.enum[0]];
  if (oneOf ?? anyOf) return (oneOf ?? anyOf)!.flatMap((one) => valuesOf(one, path, name));
  if (type === 'array') return valuesOf(items!, path, name).map((item) => [item]);
  if (type === 'integer' || type === 'number')
    return [/^(?:to|end)$/.test(name) ? 2 : Math.max(schema.minimum ?? 0, 1)];
  if (type === 'boolean') return [true];
  if (type === 'string') return ['x.mp4'];
  // A description of a detector, of which any is as good.
  if (type === 'object' && !schema.properties) return [{ kind: 'color' }];
  const members = Object.entries(properties)
    .filter(([member, each]) => required.includes(member) || JSON.stringify(each).includes('"maxLength":4096'))
    .map(([member, each]) => [member, valuesOf(each, path, member)] as const);
  const count = Math.max(1, ...members.map(([, values]) => values.length));
  return Array.from({ length: count }, (_, n) =>
    Object.fromEntries(members.map(([member, values]) => [member, values[n % values.length]])),
  );
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'studio-security-'));
  const opened = join(folder, 'opened');
  const pages = join(folder, 'pages');
  await mkdir(join(opened, 'inside'), { recursive: true });
  await mkdir(join(pages, 'assets'), { recursive: true });
  await writeFile(join(pages, 'index.html'), '<!doctype html><title>pages</title>');
  await writeFile(join(pages, 'locked.html'), '<!doctype html><title>locked</title>');
  await writeFile(join(folder, 'secret.ndjson'), 'secret');
  await writeFile(join(opened, 'mine.txt'), 'mine');
  await symlink(folder, join(opened, 'way-out'));
  for (const inside of ['match.playbyplay', 'game']) await mkdir(join(opened, inside));
  await writeFile(join(opened, 'match.playbyplay', 'events.ndjson'), '');
  await symlink(join(folder, 'secret.ndjson'), join(opened, 'match.playbyplay', 'readings.journal'));
  await symlink(folder, join(opened, 'game', '.playbyplay'));
  await mkdir(join(folder, 'readings'));
  const hash = createHash('sha256')
    .update(join(await realpath(opened), 'mine.txt'))
    .digest('hex')
    .slice(0, 16);
  await writeFile(join(folder, 'readings', `${hash}.journal`), 'secret');
  await symlink(join(folder, 'secret.ndjson'), join(opened, 'secret.ndjson'));
  await cp(join(clip, '..', 'test-pattern.mp4'), join(opened, 'clip.mp4'));
  for (const [game, name] of [
    ['curious', 'patch'],
    ['markup', MARKUP],
  ] as const) {
    await mkdir(join(opened, game, 'configs', game), { recursive: true });
    const profile = {
      format: 'playbyplay/profile/1',
      game,
      title: name,
      version: '1',
      reference: { width: 320, height: 180 },
      unit: 'pixel',
      regions: { [name]: { x: 0, y: 0, width: 32, height: 32 } },
      detectors: { [name]: { kind: 'color', region: name, colors: { [name]: '#ffffff' } } },
    };
    await writeFile(join(opened, game, 'configs', game, 'profile.json'), JSON.stringify(profile));
  }
  await mkdir(join(opened, 'curious', 'scripts'));
  await writeFile(join(opened, 'curious', 'scripts', 'curious.js'), CURIOUS_SCRIPT);
  studio = await startStudio({ workspace: await Workspace.open([opened]), pages });
  const opening = await ask(studio.createLink());
  cookie = opening.headers['set-cookie']![0]!.split(';')[0]!;
});
afterAll(async () => {
  await studio[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

describe('the server of the studio', () => {
  it('opens one session for each token, whose cookie scripts and other sites do not get', async () => {
    const link = studio.createLink();
    const first = await ask(link);
    expect(first.status).toBe(303);
    expect(first.headers['set-cookie']![0]).toMatch(/; HttpOnly; SameSite=Strict$/);
    const second = await ask(link);
    expect(second.headers.location).toBe('/locked');
    expect(second.headers['set-cookie']).toBeUndefined();
    expect((await ask('/open?token=x')).headers['set-cookie']).toBeUndefined();
  });

  it.each(['/', '/api', '/api/workspace', '/api/frame?path=opened/x.mp4', '/api/history?path=opened', '/nothing'])(
    'answers %s only to a browser with a session',
    async (path) => {
      expect((await ask(path)).status).toBe(401);
      expect((await ask(path, { headers: { cookie: `${cookie}x` } })).status).toBe(401);
      expect((await ask(path, { headers: { cookie } })).status).not.toBe(401);
    },
  );

  it('answers under its own name only, so that no other site can be made to lead to it', async () => {
    const { port } = new URL(studio.address);
    for (const host of [`evil.example:${port}`, `127.0.0.1.evil.example:${port}`, '127.0.0.1:1', 'localhost'])
      expect(codeOf(await ask('/api/workspace', { headers: { cookie, host } }))).toBe('wrong-host');
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`])
      expect((await ask('/api/workspace', { headers: { cookie, host } })).status).toBe(200);
  });

  it('refuses what pages of other sites send, with or without the cookie', async () => {
    for (const headers of [
      { ...change, origin: 'https://evil.example' },
      { ...change, origin: 'null' },
      { ...change, 'sec-fetch-site': 'cross-site' },
      { ...change, 'sec-fetch-site': 'same-site' },
      // A form of another page, which cannot set the header.
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'text/plain' },
    ])
      expect(codeOf(await ask('/api/history', { method: 'POST', headers: { ...headers, cookie }, body: undo }))).toBe(
        'wrong-origin',
      );
    const own = { ...change, cookie, origin: studio.address.slice(0, -1), 'sec-fetch-site': 'same-origin' };
    expect((await ask('/api/history', { method: 'POST', headers: own, body: undo })).status).toBe(200);
    const embedded = { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' };
    expect(codeOf(await ask('/api/workspace', { headers: embedded }))).toBe('wrong-origin');
  });

  it('allows scripts and styles of its own files only, and no frame around it', async () => {
    for (const path of ['/', '/locked', '/api/workspace']) {
      const { headers } = await ask(path, { headers: { cookie } });
      const policy = headers['content-security-policy'] as string;
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "frame-ancestors 'none'",
        ]),
      );
      expect(policy).not.toMatch(/unsafe|\*|data:/);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it.each([
    'secret.ndjson',
    'opened/../secret.ndjson',
    'opened/inside/../../secret.ndjson',
    'opened/way-out/secret.ndjson',
    'opened/secret.ndjson',
    '/etc/passwd',
    'opened//etc/passwd/../../../../etc/passwd',
    'opened/..',
    'opened/.playbyplay/history/position',
    'opened/mine.txt\0.mp4',
  ])('reads nothing outside the opened folders: %s', async (path) => {
    for (const url of [
      '/api/version?path=',
      '/api/log?log=',
      '/api/recording?path=',
      '/api/media?path=',
      '/api/stream?from=0&to=1&path=',
      '/api/readings?from=0&to=1&log=',
      '/api/readings?from=0&to=1&media=opened/mine.txt&pack=',
      '/api/readings/change?t=0&direction=next&pack=opened&media=',
    ])
      expect(codeOf(await ask(url + encodeURIComponent(path), { headers: { cookie } }))).toBe('outside-workspace');
  });

  it('follows no link from the folder of a log or a pack', async () => {
    for (const place of ['log=opened/match.playbyplay/events.ndjson', 'pack=opened/game&media=opened/mine.txt'])
      expect(codeOf(await ask(`/api/readings?from=0&to=1&${place}`, { headers: { cookie } }))).toBe(
        'outside-workspace',
      );
    const learn = { path: 'opened', game: 'x', media: '../secret.ndjson', label: 'x', ranges: [{ from: 0, to: 1 }] };
    const send = { method: 'POST', headers: { ...change, cookie }, body: JSON.stringify(learn) } as const;
    expect(codeOf(await ask('/api/sounds/learn', send))).toBe('outside-workspace');
  });

  it('reads and writes nothing outside the opened folders, whatever route is given their paths', async () => {
    const { paths } = JSON.parse((await ask('/api', { headers: { cookie } })).text) as {
      readonly paths: Readonly<
        Record<
          string,
          Readonly<
            Record<
              string,
              {
                readonly parameters?: readonly (Schema & { readonly name: string; readonly required?: boolean })[];
                readonly requestBody?: {
                  readonly content: { readonly 'application/json': { readonly schema: Schema } };
                };
              }
            >
          >
        >
      >;
    };
    const outside = 'opened/way-out/secret.ndjson';
    const asked: string[] = [];
    const answers: string[] = [];
    for (const [url, methods] of Object.entries(paths))
      for (const [method, { parameters = [], requestBody }] of Object.entries(methods)) {
        if (!JSON.stringify([parameters, requestBody]).includes('"maxLength":4096')) continue;
        const query = new URLSearchParams(
          parameters
            .filter(({ required, schema }) => required === true || isPath(schema!))
            .map(({ name, schema }) => [name, String(valuesOf(schema!, outside, name)[0])]),
        );
        const bodies = requestBody ? valuesOf(requestBody.content['application/json'].schema, outside) : [undefined];
        for (const body of bodies) {
          const answer = await ask(`${url}?${query}`, {
            method: method.toUpperCase(),
            headers: { ...change, cookie },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          });
          asked.push(`${method} ${url}`);
          if (answer.status !== 403 || codeOf(answer) !== 'outside-workspace')
            answers.push(`${method} ${url} ${JSON.stringify(body)}: ${answer.status} ${answer.text.slice(0, 200)}`);
        }
      }
    expect(answers).toEqual([]);
    expect(asked).toEqual(expect.arrayContaining(['get /api/frame', 'post /api/pack/export', 'post /api/render']));
  });

  it('runs scripts of games in the sandbox only', async () => {
    const body = JSON.stringify({ path: 'opened/curious', game: 'curious', media: 'opened/clip.mp4' });
    const run = await ask('/api/tests/run', { method: 'POST', headers: { ...change, cookie }, body });
    expect(JSON.parse(run.text)).toMatchObject({ notes: [{ text: 'found: ' }], events: [] });
  });

  it('sends names with markup as data, which no browser takes for a page', async () => {
    const pack = await ask('/api/pack?path=opened/markup&game=markup', { headers: { cookie } });
    expect(JSON.parse(pack.text)).toMatchObject({ title: MARKUP, elements: [{ name: MARKUP }] });
    const wrong = await ask(`/api/log?log=${encodeURIComponent(`opened/${MARKUP}`)}`, { headers: { cookie } });
    expect(wrong.text).toContain(MARKUP);
    for (const { headers } of [pack, wrong]) {
      expect(headers['content-type']).toMatch(/^application\/json/);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('gives nothing but its own pages where pages are asked for', async () => {
    for (const name of ['..%2findex.html', '..%2f..%2fsecret.ndjson', '%2e%2e/%2e%2e/secret.ndjson'])
      expect((await ask(`/assets/${name}`, { headers: { cookie } })).text).not.toMatch(/secret|pages/);
  });

  it('refuses bodies that are too long, of another type, or not as the route says', async () => {
    const headers = { ...change, cookie };
    const long = JSON.stringify({ path: 'x'.repeat(2 << 20), step: 'undo' });
    expect((await ask('/api/history', { method: 'POST', headers, body: long })).status).toBe(413);
    const edit = JSON.stringify({ path: 'opened/curious', game: 'curious', edit: { op: 'x'.repeat(9 << 20) } });
    expect((await ask('/api/pack/edit', { method: 'POST', headers, body: edit })).status).toBe(413);
    const other = { ...headers, 'content-type': 'application/xml' };
    expect((await ask('/api/history', { method: 'POST', headers: other, body: '<x/>' })).status).toBe(415);
    for (const body of [
      '{"path":"opened"}',
      '{"path":"opened","step":"undo","more":1}',
      '[]',
      '{"path":7,"step":"undo"}',
    ])
      expect(codeOf(await ask('/api/history', { method: 'POST', headers, body }))).toBe('bad-request');
    expect((await ask('/api/history', { method: 'POST', headers, body: '{' })).status).toBe(400);
  });

  it('describes its routes to whoever has a session', async () => {
    const { paths } = JSON.parse((await ask('/api', { headers: { cookie } })).text) as { paths: object };
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/api/workspace', '/api/frame', '/api/corrections']));
  });

  it('cannot be reached from another machine', async () => {
    const other = Object.values(networkInterfaces())
      .flat()
      .find((each) => each && !each.internal && each.family === 'IPv4');
    if (!other) return;
    const address = `http://${other.address}:${new URL(studio.address).port}/`;
    await expect(ask('/', { address })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('answers other machines only with a password, which it asks for', async () => {
    const workspace = await Workspace.open([join(folder, 'opened')]);
    const pages = join(folder, 'pages');
    for (const password of [undefined, '', 'short'])
      await expect(startStudio({ workspace, pages, host: '0.0.0.0', password })).rejects.toMatchObject({
        code: 'password-missing',
      });
    await using remote = await startStudio({ workspace, pages, host: '0.0.0.0', password: 'correct horse' });
    const { address } = remote;
    const signIn = (password: string) =>
      ask('/sign-in', { method: 'POST', headers: change, body: JSON.stringify({ password }), address });
    expect((await ask('/api/workspace', { address })).status).toBe(401);
    expect(codeOf(await signIn('wrong horse'))).toBe('wrong-password');
    const [own] = (await signIn('correct horse')).headers['set-cookie']!;
    const headers = { cookie: own!.split(';')[0]! };
    expect((await ask('/api/workspace', { address, headers })).status).toBe(200);
    const { port } = new URL(address);
    expect(
      codeOf(await ask('/api/workspace', { address, headers: { ...headers, host: `evil.example:${port}` } })),
    ).toBe('wrong-host');
  });
});
