import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type ScoredInput, scoreFiles } from '../score.ts';

const folder = mkdtempSync(join(tmpdir(), 'quality-malformed-'));
afterAll(() => rmSync(folder, { recursive: true }));
const sample = (name: string): string =>
  readFileSync(new URL(`../../../test/fixtures/quality/${name}`, import.meta.url), 'utf8');

async function read(content: string | Buffer, name = 'file'): Promise<ScoredInput> {
  const path = join(folder, name);
  writeFileSync(path, content);
  return (await scoreFiles([path]))[0]!;
}
const codes = (scored: ScoredInput): string[] =>
  scored.issues.map(({ code }) => code).filter((code) => code !== 'rate-estimated');

describe('a table', () => {
  const table = sample('presentmon-2.3.1.csv');
  const lines = table.split('\r\n');
  const cells = lines.map((line) => line.split(','));
  const column = (name: string): number => cells[0]!.indexOf(name);

  it('loses only an incomplete last row', async () => {
    const scored = await read(table.slice(0, -150));
    expect(scored.counts).toMatchObject({ frames: 299, malformed: 1 });
    expect(codes(scored)).toEqual(['row-cut']);
  });

  it('is rejected if decimal commas collide with the delimiter', async () => {
    await expect(
      read(lines.map((line, i) => (i === 0 ? line : line.replaceAll('.', ','))).join('\n')),
    ).rejects.toMatchObject({
      code: 'no-frames',
      issues: [{ code: 'row-too-long', hint: 'Decimal commas need another delimiter than the comma, or quotes.' }],
    });
  });

  it('may have quoted decimal commas', async () => {
    const quoted = cells.map((row, i) =>
      (i === 0 ? row : row.map((cell) => (/^[\d.]+$/.test(cell) ? `"${cell.replace('.', ',')}"` : cell))).join(','),
    );
    const plain = await read(table);
    expect((await read(quoted.join('\n'))).quality).toEqual(plain.quality);
  });

  it('has frame times without the columns of display and input', async () => {
    const without = new Set(
      ['MsBetweenDisplayChange', 'MsUntilDisplayed', 'MsAllInputToPhotonLatency', 'TimeInMs', 'CPUStartTimeInMs'].map(
        column,
      ),
    );
    const scored = await read(cells.map((row) => row.filter((_, i) => !without.has(i)).join(',')).join('\n'));
    expect(Object.keys(scored.derived)).toEqual(['captureDelta']);
    expect(Object.keys(scored.missing)).toEqual(['roundTripDelay', 'picture', 'presentDelta', 'stackLatency']);
    expect(codes(scored)).toEqual(['no-clock']);
    expect(scored.quality.components['captureDelta']!.max).toBeCloseTo(400, 6);
  });

  it('treats words instead of numbers as missing', async () => {
    const between = column('MsBetweenPresents');
    const scored = await read(
      cells.map((row, i) => row.map((cell, j) => (j === between && i % 50 === 7 ? 'oops' : cell)).join(',')).join('\n'),
    );
    expect(scored.issues.find(({ code }) => code === 'not-a-number')?.message).toBe(
      'column MsBetweenPresents has a value that is not a number; treated as missing (6 times)',
    );
  });

  it('reports a misspelled column', async () => {
    const scored = await read(table.replace('MsUntilDisplayed', 'MsUntilDisplaed'));
    expect(scored.issues.find(({ code }) => code === 'unknown-column')?.hint).toBe('Did you mean "MsUntilDisplayed"?');
  });

  it('is rejected if it has only a header', async () => {
    await expect(read(lines[0]!)).rejects.toMatchObject({ code: 'no-frames' });
    await expect(read(sample('mangohud.csv').split('\n').slice(0, 7).join('\n'))).rejects.toMatchObject({
      code: 'no-frames',
    });
  });

  it('of MangoHud keeps the valid rows', async () => {
    const hud = sample('mangohud.csv').split('\n');
    hud[20] = hud[20]!.replace(/^[\d.]+,[\d.]+/, '60,broken');
    const scored = await read(hud.join('\n').slice(0, -40));
    expect(scored.counts).toMatchObject({ frames: 299, malformed: 1 });
    expect(codes(scored)).toEqual(['not-a-number', 'row-cut']);
  });
});

function session(): { Runs: { CaptureData: Record<string, unknown> }[] } {
  return JSON.parse(sample('capframex.json')) as { Runs: { CaptureData: Record<string, unknown> }[] };
}

describe('CapFrameX JSON', () => {
  it('is rejected if incomplete', async () => {
    await expect(read(sample('capframex.json').slice(0, 9000))).rejects.toMatchObject({ code: 'not-json' });
  });

  it('is rejected without runs or frame times', async () => {
    const none = session();
    delete none.Runs[0]!.CaptureData['MsBetweenPresents'];
    await expect(read(JSON.stringify(none))).rejects.toMatchObject({ code: 'no-frames' });
    await expect(read('{"Info":{},"Runs":[]}')).rejects.toMatchObject({ code: 'no-runs' });
  });

  it('reports lists of different lengths and invalid values', async () => {
    const odd = session();
    (odd.Runs[0]!.CaptureData['MsUntilDisplayed'] as unknown[]).length = 100;
    (odd.Runs[0]!.CaptureData['MsBetweenPresents'] as unknown[])[5] = 'x';
    odd.Runs[0]!.CaptureData['Dropped'] = 3;
    const scored = await read(JSON.stringify(odd));
    expect(codes(scored)).toEqual(['not-a-list', 'lengths-differ', 'not-a-number']);
    // The frame time that is a word follows from the times of its frame and the one before.
    expect(scored.quality.components['captureDelta']!.measured).toBe(299);
  });

  it('gives a session per run', async () => {
    const twice = session();
    twice.Runs.push(twice.Runs[0]!);
    writeFileSync(join(folder, 'twice.json'), JSON.stringify(twice));
    const scored = await scoreFiles([join(folder, 'twice.json')]);
    expect(scored.map(({ name }) => name)).toEqual(['Arena run 1', 'Arena run 2']);
  });
});

describe('a webrtc-internals dump', () => {
  type Dump = { PeerConnections: Record<string, { stats: Record<string, { values: string }> }> };
  const dump = (): Dump => JSON.parse(sample('webrtc_internals_dump.txt')) as Dump;
  const stats = (of: Dump): Record<string, { values: string }> => of.PeerConnections['13-1']!.stats;

  it('is rejected if incomplete', async () => {
    await expect(read(sample('webrtc_internals_dump.txt').slice(0, 5000))).rejects.toMatchObject({ code: 'not-json' });
  });

  it('is rejected without a connection or video', async () => {
    await expect(read('{"getUserMedia":[],"PeerConnections":{}}')).rejects.toMatchObject({ code: 'no-connection' });
    const silent = dump();
    delete stats(silent)['IT01V2873482-framesDecoded'];
    await expect(read(JSON.stringify(silent))).rejects.toMatchObject({ code: 'no-video' });
  });

  it('ignores a metric that is not JSON', async () => {
    const spoilt = dump();
    stats(spoilt)['CPx7Y_aa-currentRoundTripTime']!.values = '[0.04,';
    const scored = await read(JSON.stringify(spoilt));
    expect(scored.counts).toMatchObject({ badSeries: 1, frames: 1747 });
    expect(Object.keys(scored.derived)).toEqual(['presentDelta', 'picture']);
  });

  it('ignores a second whose counters restart', async () => {
    const again = dump();
    const counts = JSON.parse(stats(again)['IT01V2873482-framesDecoded']!.values) as number[];
    stats(again)['IT01V2873482-framesDecoded']!.values = JSON.stringify(
      counts.map((count, i) => (i < 20 ? count : count - counts[20]!)),
    );
    const scored = await read(JSON.stringify(again));
    expect(scored.counts).toMatchObject({ badSeconds: 1, frames: 1747 - 60 });
  });
});

describe('figures that nothing measures', () => {
  it('a frame counter that jumps by 2³² loses its seconds, not memory', async () => {
    const dump = sample('webrtc_internals_dump.txt');
    const spoilt = dump.replace(
      /(framesDecoded":\{[^}]*"values":"\[0,60,)\d+/,
      (_, before: string) => `${before}${2 ** 32}`,
    );
    expect(spoilt).not.toBe(dump);
    const { counts, issues } = await read(spoilt);
    expect(counts['frames']).toBeLessThan(10_000);
    expect(issues.map(({ code }) => code)).toEqual(expect.arrayContaining(['counter-jump', 'counter-reset']));
  });

  it('a frame rate of 10⁹ Hz takes no more memory than one of 60', async () => {
    const frames = Array.from({ length: 5 }, (_, frame) => JSON.stringify({ frame, captured: 17 * frame }));
    const { quality } = await read(['{"fps":1e9}', ...frames].join('\n'), 'fast.ndjson');
    expect(quality.frames).toBe(5);
  });

  it('a delta of 1e300 ms is left out and counted', async () => {
    const table = sample('presentmon-1.csv').replace('19.48200000000000', '1e300');
    expect(table).toContain('1e300');
    const { quality, counts } = await read(table);
    expect(JSON.stringify(quality)).not.toContain('1e+300');
    expect(counts['impossible']).toBe(1);
  });

  it('an input 1e300 ms before its picture is left out and counted', async () => {
    const table = sample('presentmon-2.3.1.csv').replace('44.2027', '1e300');
    expect(table).toContain('1e300');
    const { quality, counts } = await read(table);
    expect(JSON.stringify(quality)).not.toContain('1e+300');
    expect(counts['impossible']).toBe(1);
  });
});

describe('an OBS log', () => {
  it('has its settings and reports missing counts if no output ended', async () => {
    const scored = await read(sample('obs.txt').slice(0, 1200));
    expect(scored.quality.picture).toBeGreaterThan(50);
    expect(codes(scored)).toEqual(['no-output-ended']);
  });

  it('keeps the counts of several streams apart', async () => {
    const log = sample('obs.txt').replace(/^\uFEFF/, '');
    const second = log.replaceAll('432/216000 (0.2%)', '21600/216000 (10.0%)');
    const scored = await read(`${log}${second}`);
    const outputs = scored.extra!['outputs'] as { skipped: number }[];
    expect(outputs.map(({ skipped }) => skipped)).toEqual([432, 21_600]);
  });
});

describe('other files', () => {
  it('are rejected with a list of the supported formats', async () => {
    await expect(read('Hello\nworld\n')).rejects.toMatchObject({
      code: 'unknown-format',
      hint: expect.stringContaining('MangoHud'),
    });
    await expect(read('{"a":1}')).rejects.toMatchObject({ code: 'unknown-format' });
    await expect(read(Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]))).rejects.toMatchObject({
      code: 'unknown-format',
    });
    await expect(scoreFiles([folder])).rejects.toMatchObject({ code: 'not-a-file' });
  });
});
