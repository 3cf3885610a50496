import { readFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import type { Observation } from '../../src/detectors/kind.ts';
import type { ChunkReadings } from '../../src/pipeline/reading/chunk-readings.ts';
import type { Shown } from './series.ts';

/** The records of a journal: a line of JSON, then frames of length, checksum and deflated JSON. */
export async function journalRecords(path: string): Promise<ChunkReadings[]> {
  const data = await readFile(path);
  const records: ChunkReadings[] = [];
  let at = data.indexOf(10) + 1;
  while (at + 8 <= data.length) {
    const length = data.readUInt32LE(at);
    const text = inflateRawSync(data.subarray(at + 8, at + 8 + length)).toString();
    records.push((JSON.parse(text) as { record: ChunkReadings }).record);
    at += 8 + length;
  }
  return records;
}

/** Names of detectors that read what truth calls otherwise. */
export const ALIASES: Readonly<Record<string, string>> = { 'own score': 'score' };

/** OpenArena draws neither an armor of 0 (of ammunition it does) nor an icon for weapons without ammunition. */
export function drawn(game: string, detector: string, value: Shown): Shown {
  if (game !== 'openarena') return value;
  const isHidden = (detector === 'armor' && value === 0) || value === 'gauntlet' || value === 'grappling hook';
  return isHidden ? null : value;
}

export function shown(observation: Observation): Shown | undefined {
  if (observation.state === 'unreadable') return undefined;
  return observation.state === 'absent' ? null : (observation.value as Shown);
}
