import { readFileSync } from 'node:fs';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { parseConstants } from '../../quality/constants.ts';
import { readVideo } from '../../quality/input/video.ts';
import type { FileOptions } from '../../quality/score.ts';

/** The options that say how sessions are read and scored. */
export const scoreOptions = {
  fps: { type: 'string' },
  size: { type: 'string' },
  bitrate: { type: 'string' },
  process: { type: 'string' },
  constants: { type: 'string' },
} as const;

type Values = { readonly [K in keyof typeof scoreOptions]?: string | undefined };

export function readScoreOptions(values: Values, signal: AbortSignal): FileOptions {
  const size = values.size === undefined ? undefined : parseSize(values.size);
  return {
    fps: positive('fps', values.fps),
    width: size?.[0],
    height: size?.[1],
    targetBitrate: values.bitrate === undefined ? undefined : parseBitrate(values.bitrate),
    process: values.process,
    ...(values.constants !== undefined && { constants: parseConstants(readJson(values.constants), values.constants) }),
    video: readVideo,
    signal,
  };
}

export function positive(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new PlaybyplayError('usage', `--${name} must be a number above 0, not “${value}”`);
}

function parseSize(value: string): [width: number, height: number] {
  const parts = /^(\d+)[x×](\d+)$/i.exec(value.trim());
  if (parts && Number(parts[1]) > 0 && Number(parts[2]) > 0) return [Number(parts[1]), Number(parts[2])];
  throw new PlaybyplayError('usage', `--size must be like 1920x1080, not “${value}”`);
}

function parseBitrate(value: string): number {
  const parts = /^(\d+(?:\.\d+)?)\s*([kmg]?)(?:bit\/s|bps)?$/i.exec(value.trim());
  const unit = { '': 1, k: 1e3, m: 1e6, g: 1e9 }[parts?.[2]?.toLowerCase() ?? ''];
  if (parts && unit !== undefined && Number(parts[1]) > 0) return Number(parts[1]) * unit;
  throw new PlaybyplayError('usage', `--bitrate must be like 20000000, 20M or 800k, not “${value}”`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new PlaybyplayError('not-json', `${path} cannot be read: ${messageOf(error)}`);
  }
}
