import type { Issue } from '../errors.ts';
import type { Size } from '../geometry.ts';
import { isObject, parsePointer } from '../json.ts';
import type { Profile, RegionSpec } from './profile.ts';
import { membersOf } from './unchecked.ts';

/** The side of the frame along which each side of a region is measured. */
const FRAME_SIDES = { x: 'width', width: 'width', y: 'height', height: 'height' } as const;

/** The frame size on which a region was measured: that of its detectors' companion recording, or the profile's. */
function referenceOf(value: unknown, region: string): unknown {
  const media = membersOf(value, 'detectors').find(([, spec]) => spec['region'] === region)?.[1]['media'];
  const companion = membersOf(value, 'media').find(([name]) => name === media)?.[1];
  return (companion ?? (isObject(value) ? value : {}))['reference'];
}

function referenceSide(value: unknown, region: string, side: 'width' | 'height'): number | undefined {
  const reference = referenceOf(value, region);
  const length = isObject(reference) ? reference[side] : undefined;
  return typeof length === 'number' ? length : undefined;
}

function isInPixels(value: unknown): boolean {
  return isObject(value) && value['unit'] === 'pixel';
}

/** The width or height of the whole frame in the profile's unit; `undefined` if the reference frame is not known. */
export function frameExtent(value: unknown, region: string, side: 'width' | 'height'): number | undefined {
  return isInPixels(value) ? referenceSide(value, region, side) : 1;
}

/** Converts the regions of a valid profile to fractions of the reference frame. */
export function withFractionalRegions(profile: Profile): Profile {
  const { unit, ...rest } = profile;
  if (unit !== 'pixel') return profile;
  const regions = Object.entries(profile.regions).map(([name, region]): [string, RegionSpec] => {
    if (region.relative !== undefined && region.relative.unit !== 'frame') return [name, region];
    const { width, height } = referenceOf(profile, name) as Size;
    const [x, y] = [region.x / width, region.y / height];
    return [name, { ...region, x, y, width: region.width / width, height: region.height / height }];
  });
  return { ...rest, regions: Object.fromEntries(regions) };
}

/** Adds a hint to the issue of a region that was given in pixels where fractions are wanted. */
export function withPixelHint(issue: Issue, value: unknown): Issue {
  const [section, name = '', side = ''] = parsePointer(issue.path?.replace(/^[^#]*#/, '') ?? '');
  if (section !== 'regions' || !(side in FRAME_SIDES) || issue.code !== 'schema-range' || isInPixels(value))
    return issue;
  const region = membersOf(value, 'regions').find(([one]) => one === name)?.[1];
  const pixels = region?.[side];
  if (typeof pixels !== 'number' || pixels <= 1 || region?.['relative']) return issue;
  const frameSide = FRAME_SIDES[side as keyof typeof FRAME_SIDES];
  const frame = referenceSide(value, name, frameSide);
  if (frame === undefined || pixels > frame)
    return { ...issue, hint: `Write it as a fraction of the frame's ${frameSide}.` };
  const fraction = Math.round((pixels / frame) * 1e6) / 1e6;
  return {
    ...issue,
    hint: `As a fraction of ${frame} pixels: ${fraction}. To write pixels, set "unit": "pixel" in the profile.`,
  };
}
