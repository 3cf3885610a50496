import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { random } from '../../../test/fixtures/quality/reference.ts';
import { PlaybyplayError } from '../../errors.ts';
import { scoreFiles } from '../score.ts';

const folder = mkdtempSync(join(tmpdir(), 'quality-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true }));
const samples = new URL('../../../test/fixtures/quality/', import.meta.url).pathname;

/** A file as transfers, editors and full disks leave it: bytes changed, stretches lost, doubled or moved, the end cut. */
function damage(bytes: Buffer, next: () => number): Buffer {
  const at = Math.floor(next() * bytes.length);
  const length = Math.floor(next() * Math.min(400, bytes.length - at));
  const part = bytes.subarray(at, at + length);
  switch (Math.floor(next() * 5)) {
    case 0:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);
    case 2:
      return Buffer.from(bytes.subarray(0, at));
    case 3: {
      const copy = Buffer.from(bytes);
      for (let i = 0; i < 20; i++) copy[Math.floor(next() * copy.length)] = Math.floor(next() * 256);
      return copy;
    }
    default: {
      const copy = Buffer.from(bytes);
      const signs = ',;.-"{}[]\n0e';
      for (let i = 0; i < 20; i++)
        copy[Math.floor(next() * copy.length)] = signs.charCodeAt(Math.floor(next() * signs.length));
      return copy;
    }
  }
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(numbersIn);
}

it.each(readdirSync(samples))(
  '%s damaged in sixty ways is read in part or refused, never a crash or a figure that is none',
  async (name) => {
    const bytes = readFileSync(join(samples, name));
    const next = random(name.length * 31 + bytes.length);
    const path = join(folder, name);
    const wrong: unknown[] = [];
    for (let round = 0; round < 60; round++) {
      let spoilt = damage(bytes, next);
      if (next() < 0.5) spoilt = damage(spoilt, next);
      writeFileSync(path, spoilt);
      try {
        for (const { quality } of await scoreFiles([path])) {
          if (numbersIn(quality).some((figure) => !Number.isFinite(figure))) wrong.push({ round, quality });
          if (quality.total !== null && (quality.total < 0 || quality.total > 100))
            wrong.push({ round, total: quality.total });
        }
      } catch (error) {
        if (!(error instanceof PlaybyplayError)) wrong.push({ round, error });
      }
    }
    expect(wrong).toEqual([]);
  },
);
