import type { Issue } from '../errors.ts';
import { isObject, membersOf, type Json } from './check-tools.ts';
import type { Profile, RegionSpec } from './profile.ts';

/** Sides of a region, and along which side of the frame each is measured. */
const SIDES = { x: 'width', width: 'width', y: 'height', height: 'height' } as const;

type Size = { readonly width: number; readonly height: number };

/** The frame on which a region was measured: that of the companion recording that its detectors look at, else the profile's. */
function frameOf(value: unknown, region: string): unknown {
  const profile: Json = isObject(value) ? value : {};
  const media = membersOf(value, 'detectors').find(([, spec]) => spec['region'] === region)?.[1]['media'];
  const companion = membersOf(value, 'media').find(([name]) => name === media)?.[1];
  return (companion ?? profile)['reference'];
}

function isInPixels(value: unknown): boolean {
  return isObject(value) && value['unit'] === 'pixel';
}

/** What the whole frame is in the unit of the profile, if that can be known. */
export function wholeOf(value: unknown, region: string, length: 'width' | 'height'): number | undefined {
  if (!isInPixels(value)) return 1;
  const frame = frameOf(value, region);
  const whole = isObject(frame) ? frame[length] : undefined;
  return typeof whole === 'number' ? whole : undefined;
}

/** A profile whose regions are in pixels, with regions in fractions: what everything behind the check works with. */
export function inFractions(profile: Profile): Profile {
  const { unit, ...rest } = profile;
  if (unit !== 'pixel') return profile;
  const regions = Object.entries(profile.regions).map(([name, region]): [string, RegionSpec] => {
    if (region.relative !== undefined && region.relative.unit !== 'frame') return [name, region];
    const { width, height } = frameOf(profile, name) as Size;
    return [
      name,
      {
        ...region,
        x: region.x / width,
        y: region.y / height,
        width: region.width / width,
        height: region.height / height,
      },
    ];
  });
  return { ...rest, regions: Object.fromEntries(regions) };
}

/** Who writes pixels where fractions are wanted is told the fraction, and how to stay with pixels. */
export function toldInPixels(issue: Issue, value: unknown): Issue {
  const [, pointer, side] = /#\/regions\/([^/]+)\/(x|y|width|height)$/.exec(issue.path ?? '') ?? [];
  if (pointer === undefined || issue.code !== 'schema-range' || isInPixels(value)) return issue;
  const name = pointer.replaceAll('~1', '/').replaceAll('~0', '~');
  const region = membersOf(value, 'regions').find(([one]) => one === name)?.[1];
  const given = region?.[side!];
  if (typeof given !== 'number' || given <= 1 || region?.['relative']) return issue;
  const length = SIDES[side as keyof typeof SIDES];
  const frame = frameOf(value, name);
  const whole = isObject(frame) ? frame[length] : undefined;
  if (typeof whole !== 'number' || given > whole)
    return { ...issue, hint: `Write it as a part of the frame's ${length}.` };
  const fraction = Math.round((given / whole) * 1e6) / 1e6;
  return {
    ...issue,
    hint: `Of ${whole} pixels that is ${fraction}; or write "unit": "pixel" beside “reference”, and pixels everywhere.`,
  };
}
