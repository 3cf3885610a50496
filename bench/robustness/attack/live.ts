// Live sources that name other files, never answer, never end, or are no recordings.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { AttackCase, Expectation } from './case.ts';

const group = 'live';
const footage = join(import.meta.dirname, '..', '..', '..', 'test', 'footage', 'freedoom-demo1.mp4');
const OPTIONS = ['--game', 'freedoom', '--out', 'log', '--idle', '2s', '--reconnect', '1s', '--quiet'];
const live = (source: string, ...more: readonly string[]): string[] => ['live', source, ...OPTIONS, ...more];

/** A FIFO that nobody writes to: whoever opens it for reading waits for ever. */
function canary(folder: string): string {
  const path = join(folder, 'canary.mp4');
  if (!existsSync(path)) execFileSync('mkfifo', [path]);
  return path;
}

/** Serves answers on a free port of this machine, as long as the benchmark runs; returns the address. */
async function serve(answer: (response: ServerResponse, path: string) => void): Promise<string> {
  const server = createServer((request, response) => answer(response, request.url ?? ''));
  server.unref();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function transportStream(folder: string): Buffer {
  const path = join(folder, 'part.ts');
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-t', '3', '-i', footage, '-c', 'copy', '-an', path]);
  return readFileSync(path);
}

const dash = (target: string): string =>
  `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT4S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet mimeType="video/mp4"><Representation id="0" bandwidth="1"><BaseURL>${target}</BaseURL></Representation></AdaptationSet></Period></MPD>`;
const hls = (target: string): string =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-VERSION:3\n#EXTINF:4.0,\n${target}\n#EXT-X-ENDLIST\n`;

const noEvents = (folder: string): string | undefined => {
  const log = join(folder, 'log', 'events.ndjson');
  return existsSync(log) && readFileSync(log, 'utf8').includes('"type":"event"') ? 'events were logged' : undefined;
};
const refused: Expectation = { check: noEvents, seconds: 45 };

/** A text in a file that is said to be still written. */
function file(name: string, path: string, content: (canary: string) => string): AttackCase {
  return {
    group,
    name,
    make(folder) {
      writeFileSync(join(folder, path), content(canary(folder)));
      return live(path);
    },
    expect: refused,
  };
}

/** What a server on this machine answers. */
function answering(
  name: string,
  path: string,
  respond: (response: ServerResponse, folder: string) => void,
  expect: Expectation = refused,
): AttackCase {
  return {
    group,
    name,
    make: async (folder) => live(`${await serve((response) => respond(response, folder))}${path}`),
    expect,
  };
}

export const cases: readonly AttackCase[] = [
  file('DASH manifest that is still written', 'a.mp4', dash),
  file('HLS playlist that is still written', 'a.m3u8', hls),
  file('ffconcat that is still written', 'a.ts', () => 'ffconcat version 1.0\nfile canary.mp4\n'),
  file('endless text', 'a.mkv', () => 'not a recording\n'.repeat(200_000)),
  {
    group,
    name: 'pipe that nobody writes to',
    make: (folder) => (canary(folder), live('canary.mp4')),
    expect: refused,
  },
  { group, name: 'device that never ends', make: () => live('/dev/zero'), expect: refused },
  {
    group,
    name: 'interrupted while it waits for a sender',
    make: () => live('tcp://127.0.0.1:48211', '--listen'),
    expect: { ...refused, exit: [0], interrupt: { signal: 'SIGINT', after: 4 } },
  },
  answering('server that sends a DASH manifest', '/a.mp4', (response, folder) => response.end(dash(canary(folder)))),
  answering('playlist of a local file', '/a.m3u8', (response, folder) => response.end(hls(`file://${canary(folder)}`))),
  answering('server that redirects to a file', '/a.ts', (response, folder) =>
    response.writeHead(302, { location: `file://${canary(folder)}` }).end(),
  ),
  answering('server that redirects to itself', '/a.ts', (response) =>
    response.writeHead(302, { location: '/a.ts' }).end(),
  ),
  answering('server that never answers', '/a.ts', () => undefined),
  answering('server that sends zeros for ever', '/a.ts', (response) => {
    const zeros = Buffer.alloc(1 << 16);
    const send = (): void => {
      while (!response.destroyed && response.write(zeros));
      if (!response.destroyed) response.once('drain', send);
    };
    send();
  }),
  {
    group,
    name: 'server that breaks off and does not come back',
    async make(folder) {
      let count = 0;
      const part = transportStream(folder).subarray(0, 200_000);
      const address = await serve((response) => (count++ === 0 ? response.end(part) : response.writeHead(404).end()));
      return live(`${address}/a.ts`);
    },
    expect: { exit: [0, 1], seconds: 60 },
  },
];
