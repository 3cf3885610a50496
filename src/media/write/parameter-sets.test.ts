import { nalUnits } from '../bitstream/nal.ts';
import { describe, expect, it } from 'vitest';
import { isPlainSequence, joinWithLengths, parameterSetIds, readParameterSets, writeAvcRecord } from './stream-copy.ts';

// The parameter sets of a recording by x264 (1280×720, High@3.2, 35 frames a second), as ffprobe -show_data prints them.
const sequence = Buffer.from('67640020acd9405005ba6a020202800000030080000023078c18cb', 'hex');
const picture = Buffer.from('68ef8bcb', 'hex');

describe('NAL units', () => {
  it('are the same after start codes and after lengths', () => {
    const stream = Buffer.concat([Buffer.from([0, 0, 0, 1]), sequence, Buffer.from([0, 0, 1]), picture]);
    const units = [...nalUnits(stream, 0)];
    expect(units.map((unit) => [...unit])).toEqual([[...sequence], [...picture]]);
    expect([...nalUnits(joinWithLengths(units), 4)].map((unit) => [...unit])).toEqual([[...sequence], [...picture]]);
  });

  it('round-trip through an avcC record', () => {
    const record = writeAvcRecord([{ sequences: [sequence], pictures: [picture] }]);
    const sets = readParameterSets(record)!;
    expect(sets.lengthSize).toBe(4);
    expect([...sets.sequences[0]!]).toEqual([...sequence]);
    expect([...sets.pictures[0]!]).toEqual([...picture]);
    expect([...parameterSetIds(sets)]).toEqual([0]);
  });

  it('show that a stream is progressive 8-bit 4:2:0', () => {
    expect(isPlainSequence(sequence)).toBe(true);
  });

  it('are undefined for extradata without parameter sets', () => {
    expect(readParameterSets(null)).toBeUndefined();
    expect(readParameterSets(Uint8Array.from([0, 0, 0, 1, 9, 16, 0, 0]))).toBeUndefined();
  });
});
