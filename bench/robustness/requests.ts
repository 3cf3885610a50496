/**
 * Sends generated requests to every route of the studio's server.
 *
 *   node bench/robustness/requests.ts [--count 200] [--seed 1] [--only text] [--show]
 *
 * Queries and bodies are made from the schemas that the server publishes under /api (with paths of existing files, paths that lead
 * out of the workspace, ends of ranges and strings at which programs break), and then changed. Each request must be answered
 * within 20 s by a status below 500, an error by JSON with a code and a message, and nothing outside the workspace may change.
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

await prepare();
const before = outsideState();
const workspace = await Workspace.open([work]);
await using studio = await startStudio({ workspace, pages: join(work, 'pages') });
const opened = await fetch(studio.createLink(), { redirect: 'manual' });
const cookie = opened.headers.getSetCookie()[0]!.split(';')[0]!;
const headers = { cookie, 'x-playbyplay': '1' };
const api = (await (await fetch(new URL('/api', studio.address), { headers })).json()) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
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

function bodiesOf(operation: Operation): fc.Arbitrary<Uint8Array | undefined> {
  const schema = operation.requestBody?.content['application/json']?.schema;
  return schema === undefined ? fc.constant(undefined) : mutatedJson(valuesOf(schema, hints), 0.6);
}

console.log('| Route | Requests | Answered | Refused | Codes | Slowest, ms | Faults |\n|---|---|---|---|---|---|---|');
let total = 0;
for (const [url, operations] of Object.entries(api.paths))
  for (const [method, operation] of Object.entries(operations)) {
    if (!`${method} ${url}`.includes(values.only)) continue;
    const requests = fc.sample(fc.tuple(queriesOf(operation), bodiesOf(operation)), {
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
    for (const [query, body] of requests) {
      const began = performance.now();
      try {
        const answer = await fetch(new URL(`${url}?${query}`, studio.address), {
          method: method.toUpperCase(),
          headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: Buffer.from(body) }),
          signal: AbortSignal.timeout(MAX_MS),
        });
        const text = await answer.text();
        if (answer.ok) answered++;
        else {
          const { code = '', message = '' } = JSON.parse(text) as { readonly code?: string; readonly message?: string };
          codes.set(code, (codes.get(code) ?? 0) + 1);
          if (answer.status >= 500 || code === '' || message === '') fail(`${answer.status} ${message}`, query, body);
        }
        if (text.includes('root:x:') || text === 'secret') fail('shows a file outside the workspace', query, body);
      } catch (error) {
        fail(String(error), query, body);
      }
      slowest = Math.max(slowest, performance.now() - began);
    }
    if (outsideState() !== before) fail('changes a file outside the workspace', '', undefined);
    const refused = [...codes.values()].reduce((sum, count) => sum + count, 0);
    const broken = [...faults.values()].reduce((sum, count) => sum + count, 0);
    console.log(
      `| ${method} ${url} | ${requests.length} | ${answered} | ${refused} | ${codes.size} | ${slowest.toFixed(0)} | ${broken} |`,
    );
    for (const [what, count] of faults) console.log(`  ! ${count} × ${what.slice(0, 300)}`);
  }
rmSync(folder, { recursive: true, force: true });
process.exit(total > 0 ? 1 : 0);
