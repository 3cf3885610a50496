import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { importCommand } from '../../src/cli/commands/import.ts';
import { query } from '../../src/cli/commands/query.ts';
import type { Command } from '../../src/cli/command.ts';
import { fixture } from '../paths.ts';

// The query command over the log of a real server: what a person sees.

const folder = mkdtempSync(join(tmpdir(), 'query-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(command: Command, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const texts = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr'): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        texts[name] += chunk.toString();
        done();
      },
    });
  const io = { stdout: into('stdout'), stderr: into('stderr'), isTty: false, signal: new AbortController().signal };
  return { code: await command.run(args, io), out: texts.stdout, err: texts.stderr };
}

const source = fixture('logs', 'quake3-games.txt');
await run(importCommand, source, '--player', 'Sarge', '-o', folder);
const ask = (sentence: string, ...options: string[]): ReturnType<typeof run> =>
  run(query, sentence, folder, ...options);

describe('playbyplay query', () => {
  it('answers a sentence and its structured form alike', async () => {
    const sentence = await ask('kills with launcher');
    const structured = await ask('{"find":{"action":["kill"],"with":{"any":[{"words":["launcher"]}]}}}');
    expect(sentence.out).toMatch(/^\d\d:\d\d\.\d {2}.+ kills .+ with (?:rocket|grenade) launcher\n/);
    expect(structured).toEqual(sentence);
  });

  it('counts as many deaths as kills and deaths by one’s own doing together', async () => {
    const [kills, alone, deaths] = await Promise.all(
      ['count kills', 'count deaths except kills', 'count deaths'].map((sentence) => ask(sentence)),
    );
    expect(Number(kills!.out)).toBeGreaterThan(0);
    expect(Number(deaths!.out)).toBe(Number(kills!.out) + Number(alone!.out));
  });

  it('explains which stretch of the sentence each word is', async () => {
    const { out } = await ask('count kills by weapon', '--explain');
    expect(out.split('\n').slice(0, 2)).toEqual(['  count kills by weapon', '        ^^^^^    ^^^^^^']);
    expect(out).toContain('“kills”: action "kill" and the ');
    expect(out).toContain('“weapon”: object "weapon" and the ');
  });

  it('points at what it does not know, in a sentence and in a form', async () => {
    expect(await ask('kills with gnu')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('\n             ^^^\n'),
    });
    expect(await ask('{"find":{"action":["kil"]}}')).toMatchObject({
      code: 2,
      err: '  #/find/action/0: "kil" is not a known action — did you mean "kill"?\n',
    });
  });

  it('tells of a name that no event has', async () => {
    expect((await ask('kills by Grund')).err).toMatch(
      /^no event names “Grund”; did you mean “Grunt”\?\nno match among \d+ events\n$/,
    );
  });
});
