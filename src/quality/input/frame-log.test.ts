import { afterAll, describe, expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { random } from '../../../test/fixtures/quality/reference.ts';
import { randomSession } from '../../../test/fixtures/quality/sessions.ts';
import type { FrameRecord } from '../frame.ts';
import { scoreSession } from '../meter.ts';
import { type ScoredInput, scoreFiles } from '../score.ts';

const folder = mkdtempSync(join(tmpdir(), 'quality-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const info = { fps: 60, width: 1280, height: 720, targetBitrate: 12e6 };
const records = [...randomSession(3000, 7)];
const expected = scoreSession(records, info).quality;
const ndjson = (lines: readonly unknown[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const pick = (record: FrameRecord, fields: readonly (keyof FrameRecord)[]): Partial<FrameRecord> =>
  Object.fromEntries(fields.filter((field) => record[field] !== undefined).map((field) => [field, record[field]]));
const serverHalf = records.map((record) =>
  pick(record, ['frame', 'captured', 'transmitted', 'returned', 'targetBitrate']),
);
const clientHalf = records.map((record) => pick(record, ['frame', 'received', 'presented', 'inputs']));
const whole = file('whole.ndjson', ndjson([info, ...records]));

/** The same lines in disorder: each may come up to `by` places early or late. */
function shuffled<T>(lines: readonly T[], by: number, seed: number): T[] {
  const next = random(seed);
  return lines
    .map((line, i) => ({ line, at: i + by * next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ line }) => line);
}

describe('frame logs', () => {
  it('score the same from NDJSON as from records in memory', async () => {
    const [scored] = await scoreFiles([whole]);
    expect(scored!.quality).toEqual(expected);
    expect(scored).toMatchObject({ format: 'playbyplay', fpsFrom: 'header', issues: [], counts: { lines: 3001 } });
    expect(Object.keys(scored!.derived)).toHaveLength(4);
  });

  it('join unordered halves in either order', async () => {
    const server = file('server.ndjson', ndjson([info, ...shuffled(serverHalf, 300, 1)]));
    const client = file('client.ndjson', ndjson(shuffled(clientHalf, 300, 2)));
    for (const paths of [
      [server, client],
      [client, server],
    ]) {
      const [scored] = await scoreFiles(paths);
      expect(scored!.quality).toEqual(expected);
      expect(scored!.counts['outOfOrder']).toBeGreaterThan(1000);
    }
  });

  it('join halves that follow each other in one file, and shuffled records', async () => {
    // Longer than the join waits for a late record, so that it has to begin again with everything in memory.
    const long = [...randomSession(80_000, 8)];
    const figures = scoreSession(long, info).quality;
    const after = file(
      'after.ndjson',
      ndjson([
        info,
        ...long.map((one) => pick(one, ['frame', 'captured', 'transmitted', 'returned', 'targetBitrate'])),
        ...long.map((one) => pick(one, ['frame', 'received', 'presented', 'inputs'])),
      ]),
    );
    expect((await scoreFiles([after]))[0]!.quality).toEqual(figures);
    const disorder = file('disorder.ndjson', ndjson([info, ...shuffled(long, 80_000, 3)]));
    expect((await scoreFiles([disorder]))[0]!.quality).toEqual(figures);
  });

  it('join halves whose server lists the inputs or which both contain all fields', async () => {
    const inputs = new Map(records.map((record) => [record.frame, record.inputs]));
    const server = file(
      'declared-server.ndjson',
      ndjson([info, ...serverHalf.map((half) => ({ ...half, inputs: inputs.get(half.frame!), presented: null }))]),
    );
    const client = file(
      'declared-client.ndjson',
      ndjson(clientHalf.map((half) => ({ ...half, inputs: [], captured: null }))),
    );
    const scored = await scoreFiles([server, client]);
    expect(scored).toHaveLength(1);
    expect(scored[0]!.quality).toEqual(expected);
  });

  it('score the same for any clock offset', async () => {
    const moved = records.map((record) => ({
      ...record,
      // A multiple of the input samples' 100 ms, which are aligned to the client's clock.
      ...(record.received !== undefined && { received: record.received + 3_600_000 }),
      ...(record.presented !== undefined && { presented: record.presented + 3_600_000 }),
      ...(record.inputs && { inputs: record.inputs.map((input) => input + 3_600_000) }),
    }));
    const [scored] = await scoreFiles([file('moved.ndjson', ndjson([info, ...moved]))]);
    expect(scored!.quality.raw).toBeCloseTo(expected.raw!, 6);
  });

  it('score the same from CSV with any delimiter, decimal comma, column order and gzip', async () => {
    const fields = [
      'inputs',
      'presented',
      'received',
      'targetBitrate',
      'returned',
      'transmitted',
      'captured',
      'frame',
    ] as const;
    const rows = (delimiter: string, number: (value: number) => string): string =>
      [
        `# ${JSON.stringify(info)}`,
        fields.map((field) => field.toUpperCase()).join(delimiter),
        ...records.map((record) =>
          fields
            .map((field) => {
              const value = record[field];
              if (value === undefined) return '';
              return typeof value === 'number' ? number(value) : value.map(number).join(' ');
            })
            .join(delimiter),
        ),
      ].join('\r\n');
    const paths = [
      file('plain.csv', rows(',', String)),
      file('comma.csv', `\uFEFF${rows(';', (value) => String(value).replace('.', ','))}`),
      file('tabs.csv', Buffer.from(`\uFEFF${rows('\t', String)}`, 'utf16le')),
      file('plain.csv.gz', gzipSync(rows(',', String))),
    ];
    for (const path of paths) expect((await scoreFiles([path]))[0]!.quality).toEqual(expected);
  });

  it('accept JSON settings above the table and inputs listed in any form', async () => {
    for (const [i, inputs] of ['40.5 60', '40.5|60', '40.5;60', '"40.5,60"', '"[60, 40.5]"'].entries()) {
      const text = `${JSON.stringify(info)}\nframe,presented,inputs\n0,100,${inputs}\n1,120,\n`;
      const [scored] = await scoreFiles([file(`inputs-${i}.csv`, text)]);
      expect(scored!.quality.components['stackLatency']).toMatchObject({ measured: 1, mean: 59.5 });
      expect(scored!.info).toEqual(info);
      expect(scored!.issues).toEqual([]);
    }
  });

  it('report the figures that a missing half would provide', async () => {
    const [scored] = await scoreFiles([file('half.ndjson', ndjson([info, ...serverHalf]))]);
    expect(scored!.missing).toEqual({
      presentDelta: 'no record has presented',
      roundTripDelay: 'no record has received, presented',
      stackLatency: 'no record has inputs, presented',
    });
  });

  it('count frames without a record', async () => {
    const some = records.filter((record) => record.frame % 10 !== 3);
    const [scored] = await scoreFiles([file('lost.ndjson', ndjson([info, ...some]))]);
    expect(scored!.counts['missingFrames']).toBe(300);
    expect(scored!.quality).toEqual(scoreSession(some, info).quality);
  });
});

async function read(name: string, content: string | Buffer): Promise<ScoredInput> {
  return (await scoreFiles([file(name, content)]))[0]!;
}

describe('several frame logs', () => {
  it('are separate sessions if each is complete', async () => {
    const other = [...randomSession(2000, 9)];
    const scored = await scoreFiles([whole, file('other.ndjson', ndjson([info, ...other]))]);
    expect(scored.map((one) => one.quality)).toEqual([expected, scoreSession(other, info).quality]);
  });

  it('pair halves in order and reject an unmatched half', async () => {
    const other = [...randomSession(2000, 9)];
    const half = (name: string, of: readonly FrameRecord[], fields: readonly (keyof FrameRecord)[]): string =>
      file(name, ndjson([info, ...of.map((record) => pick(record, fields))]));
    const server = ['frame', 'captured', 'transmitted', 'returned', 'targetBitrate'] as const;
    const client = ['frame', 'received', 'presented', 'inputs'] as const;
    const paths = [
      half('s1', records, server),
      half('s2', other, server),
      half('c1', records, client),
      half('c2', other, client),
    ];
    expect((await scoreFiles(paths)).map((one) => one.quality)).toEqual([expected, scoreSession(other, info).quality]);
    await expect(scoreFiles(paths.slice(0, 3))).rejects.toMatchObject({ code: 'halves-unclear' });
  });
});

describe('invalid frame logs', () => {
  const steady = Array.from({ length: 200 }, (_, frame) => ({ frame, captured: (1000 / 60) * frame }));
  const lines = ndjson([info, ...steady]).split('\n');

  it('skip and count lines that are not JSON objects with a frame', async () => {
    const spoilt = [
      ...lines.slice(0, 50),
      '{"frame":50,',
      '[1]',
      '{"captured":3}',
      '{"frame":"x"}',
      ...lines.slice(50),
    ];
    const scored = await read('spoilt.ndjson', spoilt.join('\n'));
    expect(scored.counts).toMatchObject({ malformed: 4 });
    expect(scored.issues.map(({ code }) => code)).toEqual(['not-json', 'not-an-object', 'no-frame', 'frame-number']);
    expect(scored.issues[0]!.path).toMatch(/spoilt\.ndjson:51$/);
    expect(scored.quality).toEqual(scoreSession(steady, info).quality);
  });

  it('treat a negative rate as missing and accept one or many inputs', async () => {
    const fields = [{ targetBitrate: -5 }, { inputs: 20 }, { inputs: [30, null, 'x'] }];
    const scored = await read(
      'odd.ndjson',
      ndjson([info, ...fields.map((one, frame) => ({ frame, presented: 50, ...one }))]),
    );
    expect(scored.quality.picture).toEqual(scoreSession([{ frame: 0 }], info).quality.picture);
    expect(scored.quality.components['stackLatency']).toMatchObject({ measured: 2, mean: 25, max: 30 });
    expect(scored.counts).toMatchObject({ badValues: 2 });
    expect(scored.issues.map(({ message }) => message)).toEqual([
      'targetBitrate is not a number of at least 0; treated as missing',
      'inputs is not a list of numbers; treated as missing',
    ]);
  });

  it('reject a file of a few bytes', async () => {
    await expect(read('few', '\n\n')).rejects.toMatchObject({ code: 'unknown-format' });
  });

  it('skip an incomplete last line', async () => {
    const scored = await read('cut.ndjson', lines.join('\n').slice(0, -15));
    expect(scored).toMatchObject({ quality: { frames: 199 }, counts: { malformed: 1 } });
  });

  it('treat a value that is not a number as missing, and null silently', async () => {
    const scored = await read(
      'values.ndjson',
      ndjson([info, ...steady.map((one) => (one.frame === 9 ? { ...one, captured: '150', presented: null } : one))]),
    );
    expect(scored.counts).toMatchObject({ badValues: 1 });
    expect(scored.issues).toMatchObject([
      { code: 'not-a-number', message: 'captured is not a number; treated as missing' },
    ]);
    expect(scored.quality.components['captureDelta']!.measured).toBe(198);
  });

  it('report a misspelled field', async () => {
    const scored = await read('misspelt.ndjson', ndjson([info, ...steady.map((one) => ({ ...one, presentd: 1 }))]));
    expect(scored.issues).toMatchObject([{ code: 'unknown-field', hint: 'Did you mean "presented"?' }]);
  });

  it('keep the first of two conflicting records and count the conflict', async () => {
    const scored = await read('twice.ndjson', ndjson([info, ...steady, { frame: 199, captured: 9999 }]));
    expect(scored.counts).toMatchObject({ duplicates: 1, outOfOrder: 1 });
    expect(scored.quality.components['captureDelta']!.max).toBeLessThan(17);
  });

  it('suspect times in seconds', async () => {
    const scored = await read(
      'seconds.ndjson',
      ndjson([info, ...steady.map((one) => ({ ...one, captured: one.captured / 1000 }))]),
    );
    expect(scored.issues.map(({ code }) => code)).toEqual(['time-unit']);
  });

  it('estimate the frame rate without a header, unless --fps is given', async () => {
    const scored = await read('headless.ndjson', ndjson(steady));
    expect(scored).toMatchObject({ fpsFrom: 'estimated', info: { fps: 60 }, issues: [{ code: 'rate-estimated' }] });
    const [score] = await scoreFiles([file('headless.ndjson', ndjson(steady))], { fps: 30 });
    expect(score).toMatchObject({ fpsFrom: 'option', info: { fps: 30 }, issues: [] });
  });

  it('report conflicting headers', async () => {
    const paths = [
      file('a.ndjson', ndjson([info, ...steady])),
      file(
        'b.ndjson',
        ndjson([{ ...info, fps: 30 }, ...steady.map(({ frame, captured }) => ({ frame, presented: captured }))]),
      ),
    ];
    const [scored] = await scoreFiles(paths);
    expect(scored).toMatchObject({ info: { fps: 60 }, issues: [{ code: 'header-differs' }] });
  });

  it('reject a file without frames', async () => {
    await expect(read('header-only.ndjson', ndjson([info]))).rejects.toMatchObject({ code: 'no-frames' });
    await expect(read('empty.ndjson', '')).rejects.toMatchObject({ code: 'file-empty' });
    await expect(scoreFiles([join(folder, 'absent.ndjson')])).rejects.toMatchObject({ code: 'file-missing' });
    await expect(read('cut.ndjson.gz', gzipSync(lines.join('\n')).subarray(0, -40))).rejects.toMatchObject({
      code: 'gzip-damaged',
    });
  });
});
