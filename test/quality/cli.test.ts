import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../fixtures/command-line.ts';
import { type SessionQuality, scoreSession } from '../../src/quality/meter.ts';
import { randomSession } from '../fixtures/quality/sessions.ts';

const folder = mkdtempSync(join(tmpdir(), 'quality-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));
const sample = (name: string): string => new URL(`../fixtures/quality/${name}`, import.meta.url).pathname;

async function run(...args: readonly string[]) {
  const { code, out, err } = await runCommandLine('quality', ...args);
  return { status: code, stdout: out, stderr: err };
}

const info = { fps: 60, width: 1920, height: 1080, targetBitrate: 2e7 };
const records = [...randomSession(1500, 31)].map((record) => ({ ...record, targetBitrate: undefined }));
const session = join(folder, 'session.ndjson');
writeFileSync(session, [info, ...records].map((line) => JSON.stringify(line)).join('\n'));

describe('playbyplay quality', () => {
  it('prints figures with --json and those of every frame with --series', async () => {
    const { status, stdout } = await run(session, '--json', '--series');
    const { series, ...figures } = JSON.parse(stdout) as SessionQuality & { series: unknown[] };
    const expected = scoreSession(records, info, { series: true });
    expect(status).toBe(0);
    expect(figures).toMatchObject(JSON.parse(JSON.stringify(expected.quality)) as object);
    expect(series).toEqual(JSON.parse(JSON.stringify(expected.series)));
    expect(figures.stutterLatency).toBeCloseTo(figures.base! - figures.offset!, 12);
    expect(JSON.parse((await run(session, '--json')).stdout)).toMatchObject({
      total: figures.total,
      raw: figures.raw,
      frames: 1500,
    });
  });

  it('prints a text summary', async () => {
    const { status, stdout, stderr } = await run(sample('presentmon-1.csv'), '--fps', '60', '--ascii');
    expect(status).toBe(0);
    expect(stdout).toMatch(/arena\.exe \(presentmon\): 300 frames in 00:05\.4 at 60 Hz\n/);
    expect(stdout).toMatch(/capture delta +18\.2 ms +22\.4 ms +400\.0 ms +299/);
    expect(stdout).toMatch(/no round trip: the session was not streamed/);
    expect(stderr).toMatch(/frames of dwm\.exe left out: 150/);
  });

  it('exits with 3 for findings, 1 for unreadable files, 2 for wrong usage', async () => {
    const spoilt = join(folder, 'spoilt.ndjson');
    writeFileSync(spoilt, `${readFileSync(session, 'utf8')}\nnonsense\n`);
    expect(await run(spoilt, '--json')).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(/spoilt\.ndjson:1502: skipped a line that is not JSON/),
    });
    expect(await run(join(folder, 'absent'))).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/does not exist/),
    });
    expect(await run(session, '--fsp', '60')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/Did you mean "--fps"/),
    });
    expect((await run(session, '--fps', 'many')).status).toBe(2);
    expect((await run()).status).toBe(2);
  });

  it('accepts constants and reports unknown ones', async () => {
    const constants = join(folder, 'constants.json');
    writeFileSync(constants, JSON.stringify({ total: { scale: 0.5, shift: 50 }, base: { z: 0 } }));
    const figures = JSON.parse((await run(session, '--json', '--constants', constants)).stdout) as SessionQuality;
    expect(figures.total).toBe(100);
    writeFileSync(constants, JSON.stringify({ bse: {}, offset: { zz: 3 } }));
    const { status, stderr } = await run(session, '--constants', constants);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /"bse" is not a known property — Did you mean "base"\?[\s\S]*"zz" is not a known property — Did you mean "z"\?/,
    );
  });

  it('writes a report, advises, simulates and compares models', async () => {
    const page = join(folder, 'page.html');
    expect((await run(session, '--report', page)).status).toBe(0);
    expect(existsSync(page)).toBe(true);
    expect(await run('advise', session)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Lower the settings: the session has a total of/),
    });
    const simulated = await run('simulate', '--seed', '2', '--minutes', '0.5', '--json');
    expect(JSON.parse(simulated.stdout)).toMatchObject({ seed: 2, network: expect.stringMatching(/\w/), played: 1 });
    expect(JSON.parse((await run('compare', session, '--json')).stdout)).toMatchObject({
      sessions: [{ name: 'session.ndjson' }],
    });
  });
});
