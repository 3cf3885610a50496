import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Dictionary } from '../../src/dictionary/dictionary.ts';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import type { EventLine } from '../../src/events/log.ts';
import type { EarlyMessage } from '../../src/pipeline/messages.ts';
import { ObsClient } from '../../src/live/obs.ts';
import { startLiveServer } from '../../src/live/server.ts';
import { LiveSession } from '../../src/live/session.ts';
import { readTriggers, TriggerMatcher } from '../../src/live/triggers.ts';
import { LiveUses } from '../../src/live/uses.ts';
import { Webhooks } from '../../src/live/webhook.ts';
import { parseLiveSource } from '../../src/media/live/source.ts';
import { openVideo } from '../../src/media/video.ts';
import { scanPackets } from '../../src/media/packets/scan-packets.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { watch } from '../../src/pipeline/live/watch.ts';
import { remux } from '../fixtures/remux.ts';
import { root } from '../paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-uses-'));
let dictionary: Dictionary;

beforeAll(async () => {
  ({ dictionary } = await loadBuiltin([]));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function kill(t: number, subject = 'player', object = 'opponent'): EventLine {
  return {
    type: 'event',
    id: `${count++}`,
    t,
    end: t,
    game: 'freedoom',
    session: 's',
    text: `${subject} kills ${object}`,
    statement: { subject, action: 'kill', object },
    confidence: 0.9,
    cues: [],
  };
}

function early(event: EventLine): EarlyMessage {
  return { ...event, type: 'early' };
}

/** As base64. */
function sha(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** What a server of OBS was asked, and what it shows. */
interface FakeObs {
  readonly address: string;
  readonly requests: { readonly type: string; readonly data: unknown }[];
  readonly server: WebSocketServer;
}

/**
 * A server of the protocol obs-websocket 5 as published (docs/generated/protocol.md of obsproject/obs-websocket): Hello with a
 * challenge, Identify, Identified, Request, RequestResponse. Wrong passwords close the connection with 4009.
 */
async function startObs(password: string): Promise<FakeObs> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'obswebsocket.json' });
  await new Promise((resolve) => server.once('listening', resolve));
  const requests: { type: string; data: unknown }[] = [];
  const [salt, challenge] = ['c2FsdA==', 'Y2hhbGxlbmdl'];
  let scene = 'Game';
  server.on('connection', (socket) => {
    const send = (op: number, d: object): void => socket.send(JSON.stringify({ op, d }));
    send(0, { obsWebSocketVersion: '5.5.2', rpcVersion: 1, authentication: { challenge, salt } });
    socket.on('message', (raw) => {
      const { op, d } = JSON.parse(String(raw)) as { op: number; d: Record<string, unknown> };
      if (op === 1) {
        if (d['authentication'] === sha(sha(password + salt) + challenge)) send(2, { negotiatedRpcVersion: 1 });
        else socket.close(4009, 'Authentication failed.');
      } else if (op === 6) {
        const { requestType, requestId, requestData } = d as {
          requestType: string;
          requestId: string;
          requestData?: { sceneName?: string };
        };
        requests.push({ type: requestType, data: requestData });
        if (requestType === 'SetCurrentProgramScene') scene = requestData!.sceneName!;
        const isKnown = scene !== 'Missing';
        const requestStatus = isKnown
          ? { result: true, code: 100 }
          : { result: false, code: 600, comment: 'No source was found by that name.' };
        const responseData = requestType === 'GetCurrentProgramScene' ? { currentProgramSceneName: scene } : undefined;
        send(7, { requestType, requestId, requestStatus, ...(responseData && { responseData }) });
      }
    });
  });
  return { address: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, server };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('OBS', () => {
  it('saves the replay buffer, marks chapters, and shows a scene for some time', async () => {
    const obs = await startObs('correct horse');
    const problems: string[] = [];
    {
      await using uses = await LiveUses.open({
        game: 'freedoom',
        dictionary,
        folder,
        triggers: {
          format: 'playbyplay/triggers/1',
          obs: { address: obs.address, password: 'correct horse' },
          triggers: [
            { query: 'kills by player', do: [{ action: 'save-replay' }, { action: 'chapter', name: '{time} {text}' }] },
            { query: 'player dies', do: [{ action: 'switch-scene', scene: 'Replay', seconds: 0.05 }] },
          ],
        },
        onProblem: (message) => problems.push(message),
      });
      uses.add(kill(61.4));
      uses.add(kill(75, 'opponent', 'player'));
    }
    expect(problems).toEqual([]);
    expect(obs.requests).toEqual(
      expect.arrayContaining([
        { type: 'SaveReplayBuffer', data: undefined },
        { type: 'CreateRecordChapter', data: { chapterName: '01:01 player kills opponent' } },
        { type: 'SetCurrentProgramScene', data: { sceneName: 'Replay' } },
      ]),
    );
    expect(obs.requests.at(-1)).toEqual({ type: 'SetCurrentProgramScene', data: { sceneName: 'Game' } });
    obs.server.close();
  });

  it('reports what fails, without the password', async () => {
    const obs = await startObs('correct horse');
    const problems: string[] = [];
    const wrong = new ObsClient({
      address: obs.address,
      password: 'battery staple',
      onProblem: (text) => problems.push(text),
    });
    expect(await wrong.saveReplay()).toBe(false);
    await wrong[Symbol.asyncDispose]();
    const right = new ObsClient({
      address: obs.address,
      password: 'correct horse',
      onProblem: (text) => problems.push(text),
    });
    expect(await right.showScene('Missing')).toBe(false);
    await right[Symbol.asyncDispose]();
    obs.server.close();
    expect(problems).toHaveLength(2);
    expect(problems[0]).toContain('Authentication failed');
    expect(problems[1]).toContain('No source was found by that name');
    expect(problems.join()).not.toMatch(/battery|horse/);
  });
});

describe('webhooks', () => {
  it('post a message that calls nobody, and try again when they are asked to wait', async () => {
    const bodies: unknown[] = [];
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        bodies.push(JSON.parse(text));
        response.writeHead(bodies.length === 1 ? 429 : 204, { 'retry-after': '0' }).end();
      });
    });
    const address = await listening(server);
    const problems: string[] = [];
    {
      await using webhooks = new Webhooks({ onProblem: (text) => problems.push(text) });
      await webhooks.post(`${address}/api/webhooks/1/secret`, '@everyone player wins');
    }
    server.close();
    const body = { content: '@everyone player wins', username: 'playbyplay', allowed_mentions: { parse: [] } };
    expect(bodies).toEqual([body, body]);
    expect(problems).toEqual([]);
  });

  it('report failures without the secret in the address, and follow no redirect', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end();
    });
    const address = await listening(server);
    const problems: string[] = [];
    {
      await using webhooks = new Webhooks({ onProblem: (text) => problems.push(text) });
      await webhooks.post(`${address}/api/webhooks/1/secret`, 'player wins');
    }
    server.close();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${address}/…`);
    expect(problems[0]).not.toContain('secret');
  });
});

describe('triggers', () => {
  it('match single events and series, once each, and pause', () => {
    const matcher = new TriggerMatcher(
      [
        { query: '3 kills by player within 10 s', do: [{ action: 'save-replay' }] },
        { query: 'player dies', pause: 30, do: [{ action: 'clip' }] },
      ],
      dictionary,
    );
    const ends = [
      kill(1),
      kill(3),
      kill(20),
      kill(22),
      kill(24),
      kill(26),
      kill(28, 'opponent', 'player'),
      kill(40, 'opponent', 'player'),
    ]
      .flatMap((event) => matcher.add(event))
      .map(({ query, t, end }) => [query, t, end]);
    expect(ends).toEqual([
      ['3 kills by player within 10 s', 20, 24],
      ['player dies', 28, 28],
    ]);
  });

  it('take secrets from the environment, and report all mistakes of the file', async () => {
    const path = join(folder, 'triggers.json');
    const trigger = { query: 'player dies', do: [{ action: 'webhook', url: 'env:HOOK' }] };
    writeFileSync(
      path,
      JSON.stringify({ format: 'playbyplay/triggers/1', obs: { password: 'env:OBS' }, triggers: [trigger] }),
    );
    const file = await readTriggers(path, dictionary, { HOOK: 'https://example.org/x', OBS: 'pass' });
    expect(file.obs?.password).toBe('pass');
    expect(file.triggers?.[0]?.do[0]).toEqual({ action: 'webhook', url: 'https://example.org/x' });
    const missing = readTriggers(path, dictionary, {});
    await expect(missing).rejects.toMatchObject({ code: 'triggers-invalid' });
    await expect(missing).rejects.toHaveProperty('issues.length', 2);
  });

  it('name the place of every query that cannot be understood', async () => {
    const path = join(folder, 'unknown-words.json');
    const counters = [
      { name: 'Robs', query: 'frobs by player' },
      { name: 'Streaks', query: '3 kills by player within 10 s' },
    ];
    const triggers = ['player dies', 'kills with zzz'].map((query) => ({ query, do: [{ action: 'clip' }] }));
    writeFileSync(path, JSON.stringify({ format: 'playbyplay/triggers/1', counters, triggers }));
    const pointers = ['/counters/0/query', '/counters/1/query', '/triggers/1/query'];
    await expect(readTriggers(path, dictionary, {})).rejects.toMatchObject({
      code: 'triggers-invalid',
      issues: pointers.map((pointer) => ({ path: `${path}#${pointer}` })),
    });
  });
});

describe('the server of a session', () => {
  it('sends state and events by both protocols, filtered, and goes on where a listener stopped', async () => {
    const session = new LiveSession(dictionary);
    await using server = await startLiveServer({ session, dictionary, port: 0 });
    const socket = new WebSocket(
      `${server.address.replace('http', 'ws')}/ws?query=${encodeURIComponent('player dies')}`,
    );
    const received: { type: string; id?: string }[] = [];
    const died = new Promise((resolve) => {
      socket.on('message', (raw) => {
        const message = JSON.parse(String(raw)) as { type: string; id?: string };
        received.push(message);
        if (message.type === 'event') resolve(undefined);
      });
    });
    await new Promise((resolve) => socket.once('open', resolve));
    const first = kill(3);
    for (const event of [first, kill(4), kill(5, 'opponent', 'player')]) session.add(event);
    await died;
    expect(received.filter(({ type }) => type === 'event')).toMatchObject([{ text: 'opponent kills player' }]);
    socket.close();
    const stream = await fetch(`${server.address}/events`, { headers: { 'last-event-id': first.id } });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('opponent kills player')) text += (await reader.read()).value ?? '';
    expect(text.match(/^event: \w+$/gm)).toEqual(['event: state', 'event: event', 'event: event']);
    await reader.cancel();
    const state = (await (await fetch(`${server.address}/state`)).json()) as unknown;
    expect(state).toMatchObject({
      counters: [
        { name: 'Kills', value: 2 },
        { name: 'Deaths', value: 1 },
      ],
      streak: 0,
      bestStreak: 2,
    });
  });

  it('counts what was stated early at once, each event once, and not what is withdrawn', () => {
    const session = new LiveSession(dictionary);
    const figures = () => {
      const { counters, streak, events } = session.state;
      return [...counters.map(({ value }) => value), streak, events];
    };
    const [first, wrong, death] = [kill(3), kill(4), kill(5, 'opponent', 'player')];
    for (const event of [first, death, wrong]) session.add(early(event));
    expect(figures()).toEqual([2, 1, 0, 0]);
    session.add(first);
    session.add({ type: 'withdrawn', id: wrong.id, t: wrong.t, text: wrong.text });
    expect(figures()).toEqual([1, 1, 0, 1]);
    session.add(death);
    expect(figures()).toEqual([1, 1, 0, 2]);
    session.add(early(kill(6)));
    expect(figures()).toEqual([2, 1, 1, 2]);
  });

  it('says why it cannot listen', async () => {
    const shown = { session: new LiveSession(dictionary), dictionary };
    await using server = await startLiveServer({ ...shown, port: 0 });
    const port = Number(new URL(server.address).port);
    await expect(startLiveServer({ ...shown, port })).rejects.toMatchObject({
      code: 'port-in-use',
      message: `port ${port} is in use`,
    });
    const elsewhere = startLiveServer({ ...shown, port: 0, host: 'host.invalid' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'no-such-host' });
  });

  it('answers no page of another site', async () => {
    await using server = await startLiveServer({ session: new LiveSession(dictionary), dictionary, port: 0 });
    const foreign = await fetch(`${server.address}/state`, { headers: { origin: 'https://example.org' } });
    expect(foreign.status).toBe(403);
    const { port } = new URL(server.address);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { origin: 'https://example.org' });
    const status = await new Promise((resolve) => {
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.once('open', () => resolve('open'));
      socket.on('error', () => undefined);
    });
    expect(status).toBe(403);
    const wrongQuery = await fetch(`${server.address}/events?query=${encodeURIComponent('frobnicates')}`);
    expect(wrongQuery.status).toBe(400);
  });
});

describe('clips', () => {
  it('are cut from the packets of the stream, around events, until the stream ends', async () => {
    const stream = join(folder, 'stream.ts');
    remux(join(root, 'test/footage/freedoom-demo1.mp4'), stream, 'mpegts', { seconds: 7 });
    const game = await openGame('freedoom');
    const clips: string[] = [];
    const problems: string[] = [];
    {
      await using uses = await LiveUses.open({
        game: 'freedoom',
        dictionary: game.dictionary,
        folder,
        triggers: {
          format: 'playbyplay/triggers/1',
          triggers: [{ query: "player's ammunition drops", pause: 100, do: [{ action: 'clip', before: 1, after: 1 }] }],
        },
        onClip: (path) => clips.push(path),
        onProblem: (text) => problems.push(text),
      });
      const messages = watch(parseLiveSource('-'), game, {
        identity: '0'.repeat(32),
        readsAll: true,
        stdin: Readable.from([readFileSync(stream)]),
        onPacket: (packet) => uses.keep(packet),
      });
      for await (const message of messages) uses.add(message);
    }
    expect(problems).toEqual([]);
    expect(clips).toHaveLength(1);
    expect(readdirSync(join(folder, 'clips'))).toEqual([expect.stringMatching(/ammunition drops.*\.mp4$/)]);
    using video = openVideo(clips[0]!);
    const { t, key } = scanPackets(video);
    expect(key[0]).toBe(1);
    // From the keyframe before the beginning: the recording has one every 2.4 s.
    expect(t.at(-1)).toBeGreaterThan(1.9);
    expect(t.at(-1)).toBeLessThan(2 + 2.5);
  });
});
