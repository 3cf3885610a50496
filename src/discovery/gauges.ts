import type { Rect, Size } from '../geometry.ts';
import { decodePicture, spreadFrames } from '../pipeline/placement/pictures.ts';
import { type Crop, cropRgb } from '../regions/crop.ts';
import { upperMedian } from '../statistics.ts';
import { type Recording, shareInCommon, wholePixels } from './survey.ts';

/** A bar or ring that fills and empties. */
export interface Gauge {
  /** The bar without its border, or the square around the ring, in pixels of the reference frame. */
  readonly rect: Rect;
  readonly direction: 'right' | 'left' | 'up' | 'down' | 'clockwise' | 'counterclockwise';
  /** Colours as #rrggbb; no colour of the empty part where the scene shows through it. */
  readonly fill: string;
  /** Further colours of the full part where it is drawn with a gradient. */
  readonly shades?: readonly string[];
  /** The colour of the full part where that is another one, such as red when little is left. */
  readonly otherFill?: string;
  readonly empty?: string;
  /** Of a ring: inner and outer radius, as fractions of half the size. */
  readonly radii?: readonly [number, number];
  /** How full it was, 0…1, at the moments in which it was seen. */
  readonly levels: readonly { readonly recording: number; readonly t: number; readonly level: number }[];
  /** Share of the moments in which it was seen. */
  readonly presence: number;
}

type Colour = readonly [number, number, number];
/** Mean colours along a gauge, from one end to the other. */
type Profile = readonly Colour[];

/** Frames in which gauges are looked for. */
const MAX_FRAMES = 60;
/** Places that are tried. */
const MAX_PLACES = 110;
/** Share of both areas that one gauge has in common with another that is the same. */
const MIN_SAME = 0.4;
/** Length of a bar, in its widths; shorter ones are tried as rings. */
const MIN_BAR_ASPECT = 2.5;
const MAX_RING_ASPECT = 1.3;
const MIN_RING_PIXELS = 24;
/** Steps of a ring: angles, and radii from the middle of the inner half on. */
const RING_STEPS = 72;
/** Neighbouring radii that must show the same: a single one is an edge of something. */
const MIN_RING_BAND = 2;
const RING_RADII = Array.from({ length: 11 }, (_, i) => 0.45 + 0.05 * i);

/**
 * Finds gauges among places where edges stay: their colours lie in two parts, of which one keeps its colour while the border
 * between them moves.
 *
 * @param places In pixels of the reference frame.
 */
export function findGauges(recordings: readonly Recording[], places: readonly Rect[]): readonly Gauge[] {
  const reference = recordings[0]!.size;
  const tried = places.filter((place) => isNarrow(place, reference)).slice(0, MAX_PLACES);
  const seen: { readonly recording: number; readonly t: number; readonly crops: readonly Crop[] }[] = [];
  const share = Math.ceil(MAX_FRAMES / recordings.length);
  for (const [recording, { file, index, size }] of recordings.entries())
    for (const frame of spreadFrames(index, share).toSorted((a, b) => a - b)) {
      using picture = decodePicture(file, index, frame);
      if (!picture || size.width !== reference.width || size.height !== reference.height) continue;
      const crops = tried.map((place): Crop => {
        const rect = wholePixels(place, size);
        return { data: cropRgb(picture, rect), width: rect.width, height: rect.height, channels: 3 };
      });
      seen.push({ recording, t: picture.t, crops });
    }
  const found = tried.flatMap((place, i): Gauge[] => {
    const crops = seen.map((one) => one.crops[i]!);
    const model = findGauge(crops);
    if (!model) return [];
    const { rect, levels, ...rest } = model;
    const { x, y } = wholePixels(place, reference);
    const known = levels.flatMap((level, n) =>
      level === undefined ? [] : [{ recording: seen[n]!.recording, t: seen[n]!.t, level }],
    );
    return [
      { ...rest, rect: { ...rect, x: x + rect.x, y: y + rect.y }, levels: known, presence: known.length / seen.length },
    ];
  });
  const large = found.filter(({ rect: { width, height }, radii }) => {
    const [short, long] = [Math.min(width, height), Math.max(width, height)];
    return radii || (short >= MIN_BAR_BREADTH * reference.height && long >= MIN_BAR_LENGTH * reference.height);
  });
  // A gauge may be found by its outline and with what is around it.
  return large.filter((one, i) => !large.some((other, j) => j < i && shareInCommon(one.rect, other.rect) > MIN_SAME));
}

/** Sides of a bar without its border, in heights of the frame: smaller ones are parts of other drawings. */
const [MIN_BAR_BREADTH, MIN_BAR_LENGTH] = [0.006, 0.08];
/** Shorter side of a bar, and side of a ring, in heights of the frame. */
const [MAX_BAR_BREADTH, MAX_RING_SIDE] = [0.1, 0.25];

function isNarrow({ width, height }: Rect, frame: Size): boolean {
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const limit = long / short <= MAX_RING_ASPECT ? MAX_RING_SIDE : MAX_BAR_BREADTH;
  return short <= limit * frame.height;
}

/**
 * Finds out whether one place shows a gauge.
 *
 * @param crops What the place showed at different moments, all of one size.
 * @returns The gauge with its place in the crops, and by crop how full it is; undefined for anything else.
 */
export function findGauge(crops: readonly Crop[]): FoundGauge | undefined {
  const [first] = crops;
  if (!first) return undefined;
  const shape = first.width / first.height;
  if (shape >= MIN_BAR_ASPECT || shape <= 1 / MIN_BAR_ASPECT) return findBar(crops);
  return Math.max(shape, 1 / shape) <= MAX_RING_ASPECT && first.width >= MIN_RING_PIXELS ? findRing(crops) : undefined;
}

type FoundGauge = Omit<Gauge, 'levels' | 'presence'> & { readonly levels: readonly (number | undefined)[] };

function findBar(crops: readonly Crop[]): FoundGauge | undefined {
  const { width, height } = crops[0]!;
  const isWide = width > height;
  const [length, breadth] = isWide ? [width, height] : [height, width];
  // The border and what is around it are left out.
  const rows = [
    Math.floor(breadth * 0.38),
    Math.max(Math.floor(breadth * 0.38) + 1, Math.ceil(breadth * 0.62)),
  ] as const;
  const colourAt = ({ data, width: columns }: Crop, along: number, across: number): Colour => {
    const at = 3 * (isWide ? across * columns + along : along * columns + across);
    return [data[at]!, data[at + 1]!, data[at + 2]!];
  };
  const profileOf = (crop: Crop, first: number, end: number): Profile =>
    Array.from({ length }, (_, along) =>
      meanColour(Array.from({ length: end - first }, (_unused, i) => colourAt(crop, along, first + i))),
    );
  const profiles = crops.map((crop) => profileOf(crop, ...rows));
  const model = analyse(profiles) ?? followGradient(profiles);
  if (!model) return undefined;
  const { fill, fillAt, shades, otherFill, empty, from, to, isForward, levels } = model;
  // The rows that have the colours of the gauge where it is always full.
  const inside = isForward ? from + 1 : to - 2;
  const isOwn = (across: number): boolean => {
    const near = crops.filter(
      (crop, n) => levels[n] !== undefined && distance(colourAt(crop, inside, across), fillAt(inside)) <= MAX_DISTANCE,
    );
    return near.length >= 0.5 * levels.filter((level) => level !== undefined && level > 0.05).length;
  };
  const own = Array.from({ length: breadth }, (_, across) => across).filter(isOwn);
  const [top, bottom] = own.length === 0 ? rows : [own[0]!, own.at(-1)! + 1];
  const bands = EDGE_BANDS.map(([first, end]) => {
    const start = top + Math.floor(first * (bottom - top));
    const stop = Math.max(start + 1, top + Math.ceil(end * (bottom - top)));
    return crops.map((crop) => profileOf(crop, start, stop));
  }) as [Profile[], Profile[]];
  if (!isStraight(model, bands)) return undefined;
  const direction = isWide ? (isForward ? 'right' : 'left') : isForward ? 'down' : 'up';
  const rect = isWide
    ? { x: from, y: top, width: to - from, height: bottom - top }
    : { x: top, y: from, width: bottom - top, height: to - from };
  return {
    rect,
    direction,
    fill: toHex(fill),
    ...(shades.length > 0 ? { shades: shades.map(toHex) } : {}),
    ...(otherFill ? { otherFill: toHex(otherFill) } : {}),
    ...(empty ? { empty: toHex(empty) } : {}),
    levels,
  };
}

/** The two halves of a bar in which its border is compared, as shares of its breadth. */
const EDGE_BANDS = [
  [0.12, 0.42],
  [0.58, 0.88],
] as const;
/** Difference of the levels in both halves, as a share, at most of the moments. */
const MAX_SLANT = 0.05;
const MIN_STRAIGHT_SHARE = 0.7;

/** Whether the border of a bar is where it is over its whole breadth: what moves in front of a scene has other outlines. */
function isStraight(
  { fillAt, otherFill, empty, from, to, levels }: ProfileModel,
  [one, other]: readonly [readonly Profile[], readonly Profile[]],
): boolean {
  const fullShare = (profile: Profile): number => {
    let full = 0;
    for (let step = from; step < to; step++) {
      const colour = profile[step]!;
      const near = Math.min(distance(colour, fillAt(step)), otherFill ? distance(colour, otherFill) : Infinity);
      if (near <= (empty ? distance(colour, empty) : MAX_DISTANCE)) full++;
    }
    return full / (to - from);
  };
  const inner = levels.flatMap((level, n) => (level !== undefined && level > 0.02 && level < 0.98 ? [n] : []));
  const straight = inner.filter((n) => Math.abs(fullShare(one[n]!) - fullShare(other[n]!)) <= MAX_SLANT);
  return straight.length >= MIN_STRAIGHT_SHARE * inner.length;
}

function findRing(crops: readonly Crop[]): FoundGauge | undefined {
  const { width, height } = crops[0]!;
  const profilesAt = (radius: number): readonly Profile[] =>
    crops.map(({ data }) =>
      Array.from({ length: RING_STEPS }, (_, i): Colour => {
        const angle = ((i + 0.5) / RING_STEPS) * 2 * Math.PI;
        const x = Math.min(width - 1, Math.max(0, Math.floor((width / 2) * (1 + radius * Math.sin(angle)))));
        const y = Math.min(height - 1, Math.max(0, Math.floor((height / 2) * (1 - radius * Math.cos(angle)))));
        const at = 3 * (y * width + x);
        return [data[at]!, data[at + 1]!, data[at + 2]!];
      }),
    );
  const models = RING_RADII.map((radius) => ({ radius, model: analyse(profilesAt(radius), true) })).flatMap(
    ({ radius, model }) => (model ? [{ radius, model }] : []),
  );
  const [best] = models.toSorted((a, b) => b.model.fit - a.model.fit);
  if (!best) return undefined;
  const band = models.filter(({ model }) => distance(model.fill, best.model.fill) <= MAX_DISTANCE);
  if (band.length < MIN_RING_BAND) return undefined;
  const { fill, shades, otherFill, empty, isForward, levels } = best.model;
  return {
    rect: { x: 0, y: 0, width, height },
    direction: isForward ? 'clockwise' : 'counterclockwise',
    fill: toHex(fill),
    ...(shades.length > 0 ? { shades: shades.map(toHex) } : {}),
    ...(otherFill ? { otherFill: toHex(otherFill) } : {}),
    ...(empty ? { empty: toHex(empty) } : {}),
    radii: [
      Math.round(1000 * (band[0]!.radius - 0.02)) / 1000,
      Math.round(1000 * Math.min(1, band.at(-1)!.radius + 0.02)) / 1000,
    ],
    levels,
  };
}

/** Distance of two colours that count as one, and of the two parts of a gauge. */
const MAX_DISTANCE = 45;
const MIN_CONTRAST = 90;
/** Share of the moments that must have the colours of the gauge, in one piece each. */
const MIN_FIT = 0.5;
/** The same of a ring: parts of other drawings are rings now and then. */
const MIN_RING_FIT = 0.7;
/** Share of a profile that may have the wrong colour. */
const MAX_WRONG = 0.1;
/** Moments with a border without which nothing is said, and how far it must move. */
const MIN_BORDERS = 5;
const MIN_MOVEMENT = 0.06;

interface ProfileModel {
  readonly fill: Colour;
  /** The colour of the full part at a step; the same everywhere unless it is drawn with a gradient. */
  readonly fillAt: (step: number) => Colour;
  /** Colours of a gradient besides the usual one. */
  readonly shades: readonly Colour[];
  readonly otherFill: Colour | undefined;
  readonly empty: Colour | undefined;
  /** Steps that belong to the gauge; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Fills from the first step to the last. */
  readonly isForward: boolean;
  /** Share of the moments that it explains. */
  readonly fit: number;
  /** By moment; undefined where the gauge is not there. */
  readonly levels: readonly (number | undefined)[];
}

/**
 * Finds two colours that divide all profiles in two parts; undefined where there are none.
 *
 * @param isWhole Whether the gauge is as long as the profiles; else its ends are found.
 */
function analyse(profiles: readonly Profile[], isWhole = false): ProfileModel | undefined {
  const splits = profiles.flatMap((profile) => {
    const parts = split(profile);
    return parts ? [{ ...parts, profile }] : [];
  });
  if (splits.length < MIN_BORDERS) return undefined;
  const [before, after] = [splits.map((one) => one.before), splits.map((one) => one.after)];
  const candidates = [
    { colour: medianColour(before), spread: spreadOf(before), isForward: true, other: after },
    { colour: medianColour(after), spread: spreadOf(after), isForward: false, other: before },
  ].filter(({ spread }) => spread <= MAX_DISTANCE);
  const models = candidates.flatMap(({ colour, isForward, other }) => {
    const empty = spreadOf(other) <= MAX_DISTANCE / 2 ? medianColour(other) : undefined;
    const fillAt = gradientOf(splits, colour, isForward);
    return fitModel(profiles, { fill: colour, fillAt, empty }, { isForward, isWhole }) ?? [];
  });
  // Where both parts keep their colours, the more colourful one is full.
  const [best] = models.toSorted(
    (a, b) => Math.round(10 * (b.fit - a.fit)) || colourfulness(b.fill) - colourfulness(a.fill),
  );
  return best;
}

/** Moments at which a step must be full, and distance of its colour from the usual one, in a gradient. */
const MIN_FULL_STEPS = 4;
const MIN_GRADIENT = 25;
/** Where the colours of a gradient are taken, as shares of the length. */
const GRADIENT_SHARES = [0.1, 0.35, 0.65, 0.9];

/** The colour of the full part by step, where it is not the same everywhere: bars are often drawn with a gradient. */
function gradientOf(
  splits: readonly { readonly profile: Profile; readonly at: number }[],
  fill: Colour,
  isForward: boolean,
): readonly Colour[] | undefined {
  const { length } = splits[0]!.profile;
  const known = Array.from({ length }, (_, step): Colour | undefined => {
    // The border itself is blurred.
    const full = splits.filter(({ at }) => (isForward ? step < at - 1 : step > at));
    return full.length < MIN_FULL_STEPS ? undefined : medianColour(full.map(({ profile }) => profile[step]!));
  });
  const first = known.findIndex((colour) => colour !== undefined);
  if (first < 0) return undefined;
  // Steps that were never full go on from the nearest one that was.
  const near = (step: number): Colour =>
    known[step] ?? known.slice(0, step).findLast((colour) => colour !== undefined) ?? known[first]!;
  const colours = known.map((_, step) => near(step));
  return colours.some((colour) => distance(colour, fill) >= MIN_GRADIENT) ? colours : undefined;
}

function fitModel(
  profiles: readonly Profile[],
  {
    fill,
    fillAt: gradient,
    empty,
  }: { readonly fill: Colour; readonly fillAt: readonly Colour[] | undefined; readonly empty: Colour | undefined },
  { isForward, isWhole }: { readonly isForward: boolean; readonly isWhole: boolean },
): ProfileModel | undefined {
  const length = profiles[0]!.length;
  const fillAt = (step: number): Colour => gradient?.[step] ?? fill;
  const isFull = (colour: Colour, step: number): boolean =>
    distance(colour, fillAt(step)) <= (empty ? distance(colour, empty) : MAX_DISTANCE) &&
    distance(colour, fillAt(step)) <= 2 * MAX_DISTANCE;
  const isEmpty = (colour: Colour): boolean => empty === undefined || distance(colour, empty) <= 2 * MAX_DISTANCE;
  const steps = Array.from({ length }, (_, i) => i).filter((i) => {
    const own = profiles.filter((profile) =>
      [fillAt(i), ...(empty ? [empty] : [])].some((colour) => distance(profile[i]!, colour) <= MAX_DISTANCE),
    );
    return own.length >= (empty ? MIN_FIT : 0.05) * profiles.length;
  });
  const [from, to] = isWhole ? [0, length] : [steps[0] ?? 0, (steps.at(-1) ?? -1) + 1];
  if (to - from < 0.5 * length) return undefined;
  const levelOf = (profile: Profile, others: readonly Colour[]): number | undefined => {
    const isOther = (colour: Colour): boolean => others.some((one) => distance(colour, one) <= MAX_DISTANCE);
    const own = profile.slice(from, to).map((colour, i) => (isOther(colour) ? fillAt(from + i) : colour));
    const isStepFull = own.map((colour, i) => isFull(colour, from + i));
    const full = isForward ? isStepFull : isStepFull.toReversed();
    const count = full.filter(Boolean).length;
    const wrong =
      full.filter((one, i) => one !== i < count).length + own.filter((c, i) => !isStepFull[i] && !isEmpty(c)).length;
    return wrong <= MAX_WRONG * own.length && (empty !== undefined || count > 0) ? count / own.length : undefined;
  };
  const plainLevels = profiles.map((profile) => levelOf(profile, []));
  const otherFill = gradient ? undefined : findOtherFill(profiles, plainLevels, { fill, empty, from, to, isForward });
  const levels = otherFill ? profiles.map((profile) => levelOf(profile, [otherFill])) : plainLevels;
  const known = levels.filter((level) => level !== undefined);
  const fit = known.length / profiles.length;
  const inner = known.filter((level) => level > 0.02 && level < 0.98);
  const isMoving = Math.max(...inner) - Math.min(...inner) >= MIN_MOVEMENT;
  const differ = empty === undefined || distance(fill, empty) >= MIN_CONTRAST;
  const shades = gradient
    ? GRADIENT_SHARES.map((share) => fillAt(from + Math.floor(share * (to - from)))).filter(
        (colour) => distance(colour, fill) > MIN_GRADIENT / 2,
      )
    : [];
  return differ && fit >= (isWhole ? MIN_RING_FIT : MIN_FIT) && inner.length >= MIN_BORDERS && isMoving
    ? { fill, fillAt, shades, otherFill, empty, from, to, isForward, fit, levels }
    : undefined;
}

/** Share of the moments in which a gauge is full at the end from which it fills, and of its length in which that end lies. */
const MIN_ALWAYS_FULL = 0.8;
const MAX_BORDER = 0.08;
/** Distance of the colours of neighbouring steps of a gradient. */
const MAX_STEP = 30;

/**
 * Follows a gradient from the end that is always full: its colour changes little from step to step, whatever the scene behind the
 * empty part shows. Two colours do not divide such a bar where the scene is as dark or as bright as it.
 */
function followGradient(profiles: readonly Profile[]): ProfileModel | undefined {
  const models = [true, false].flatMap((isForward) => {
    const model = followFrom(isForward ? profiles : profiles.map((profile) => profile.toReversed()));
    if (!model) return [];
    const { colours, from, to, levels } = model;
    const at = (step: number): number => (isForward ? step : profiles[0]!.length - 1 - step);
    const fillAt = (step: number): Colour => colours[at(step)]!;
    const fill = medianColour(colours.slice(from, to));
    const shades = GRADIENT_SHARES.map((share) => colours[from + Math.floor(share * (to - from))]!);
    const fit = levels.filter((level) => level !== undefined).length / profiles.length;
    const ends = isForward ? { from, to } : { from: at(to - 1), to: at(from) + 1 };
    return [{ ...ends, fill, fillAt, shades, otherFill: undefined, empty: undefined, isForward, fit, levels }];
  });
  return models.toSorted((a, b) => b.fit - a.fit)[0];
}

function followFrom(profiles: readonly Profile[]):
  | {
      readonly colours: readonly Colour[];
      readonly from: number;
      readonly to: number;
      readonly levels: readonly (number | undefined)[];
    }
  | undefined {
  const { length } = profiles[0]!;
  const coloursAt = (step: number): readonly Colour[] => profiles.map((profile) => profile[step]!);
  const near = (step: number, colour: Colour): readonly Colour[] =>
    coloursAt(step).filter((one) => distance(one, colour) <= MAX_STEP);
  const isAlwaysFull = (step: number): boolean =>
    near(step, medianColour(coloursAt(step))).length >= MIN_ALWAYS_FULL * profiles.length;
  // Behind the border.
  const from = Math.ceil(MAX_BORDER * length);
  if (!isAlwaysFull(from)) return undefined;
  const colours: Colour[] = Array.from({ length: from + 1 }, () => medianColour(coloursAt(from)));
  let to = from + 1;
  for (let step = from + 1; step < length; step++) {
    const own = near(step, colours[step - 1]!);
    if (own.length >= MIN_FULL_STEPS) to = step + 1;
    colours.push(own.length >= MIN_FULL_STEPS ? medianColour(own) : colours[step - 1]!);
  }
  if (to - from < 0.5 * length) return undefined;
  if (colours.every((colour) => distance(colour, colours[from]!) < MIN_GRADIENT)) return undefined;
  const levels = profiles.map((profile): number | undefined => {
    const full = profile.slice(from, to).map((colour, i) => distance(colour, colours[from + i]!) <= MAX_DISTANCE);
    const empty = full.indexOf(false);
    const count = empty < 0 ? full.length : empty;
    return count > 0 && full.slice(count).filter(Boolean).length <= MAX_WRONG * full.length
      ? count / full.length
      : undefined;
  });
  const known = levels.filter((level) => level !== undefined);
  const inner = known.filter((level) => level > 0.02 && level < 0.98);
  const isMoving = Math.max(...inner) - Math.min(...inner) >= MIN_MOVEMENT;
  return known.length >= MIN_FIT * profiles.length && inner.length >= MIN_BORDERS && isMoving
    ? { colours, from, to, levels }
    : undefined;
}

/** Moments that show another colour of the full part, and share of the gauge that it covers at least. */
const MIN_OTHER_FILLS = 2;
const MIN_OTHER_LENGTH = 0.03;

/** Finds the colour that the full part has at moments at which it has not its usual one. */
function findOtherFill(
  profiles: readonly Profile[],
  levels: readonly (number | undefined)[],
  {
    fill,
    empty,
    from,
    to,
    isForward,
  }: {
    readonly fill: Colour;
    readonly empty: Colour | undefined;
    readonly from: number;
    readonly to: number;
    readonly isForward: boolean;
  },
): Colour | undefined {
  const others = profiles.flatMap((profile, i): Colour[] => {
    if ((levels[i] ?? 0) > MIN_OTHER_LENGTH) return [];
    const own = profile.slice(from, to);
    const steps = isForward ? own : own.toReversed();
    // Where the scene shows through the empty part, the full part ends where its colour does.
    const first = medianColour(steps.slice(1, 4));
    const isEmpty = steps.map((colour) => distance(colour, empty ?? first) <= MAX_DISTANCE === (empty !== undefined));
    const length = isEmpty.indexOf(true, 1);
    if (length < Math.max(3, MIN_OTHER_LENGTH * steps.length)) return [];
    if (isEmpty.slice(length).filter((one) => !one).length > MAX_WRONG * steps.length) return [];
    const part = steps.slice(1, length - 1);
    return spreadOf(part) <= MAX_DISTANCE / 2 ? [medianColour(part)] : [];
  });
  if (others.length < MIN_OTHER_FILLS) return undefined;
  const colour = medianColour(others);
  const near = others.filter((one) => distance(one, colour) <= MAX_DISTANCE);
  return near.length >= Math.max(MIN_OTHER_FILLS, 0.6 * others.length) && distance(colour, fill) > MAX_DISTANCE
    ? colour
    : undefined;
}

/** Divides a profile where its two parts differ most from each other and least within; undefined where it has no two parts. */
function split(profile: Profile): { readonly at: number; readonly before: Colour; readonly after: Colour } | undefined {
  const { length } = profile;
  const sums = [[0, 0, 0]];
  let squares = 0;
  for (const colour of profile) {
    sums.push(sums.at(-1)!.map((sum, k) => sum + colour[k]!));
    squares += colour.reduce((sum, one) => sum + one * one, 0);
  }
  const meanBetween = (from: number, to: number): Colour =>
    [0, 1, 2].map((k) => (sums[to]![k]! - sums[from]![k]!) / (to - from)) as unknown as Colour;
  const explained = (from: number, to: number): number =>
    meanBetween(from, to).reduce((sum, one) => sum + one * one, 0) * (to - from);
  const total = squares - explained(0, length);
  const margin = Math.max(2, Math.round(0.04 * length));
  let [best, most] = [-1, 0];
  for (let at = margin; at <= length - margin; at++) {
    const gain = explained(0, at) + explained(at, length) - explained(0, length);
    if (gain > most) [best, most] = [at, gain];
  }
  if (best < 0 || most < 0.7 * total) return undefined;
  const [before, after] = [meanBetween(0, best), meanBetween(best, length)];
  return distance(before, after) >= MIN_CONTRAST ? { at: best, before, after } : undefined;
}

function distance(a: Colour, b: Colour): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function meanColour(colours: readonly Colour[]): Colour {
  return [0, 1, 2].map((k) => colours.reduce((sum, one) => sum + one[k]!, 0) / colours.length) as unknown as Colour;
}

function medianColour(colours: readonly Colour[]): Colour {
  return [0, 1, 2].map((k) => upperMedian(colours.map((one) => one[k]!))!) as unknown as Colour;
}

/** Median distance from the median. */
function spreadOf(colours: readonly Colour[]): number {
  const middle = medianColour(colours);
  return upperMedian(colours.map((one) => distance(one, middle)))!;
}

function colourfulness(colour: Colour): number {
  return Math.max(...colour) - Math.min(...colour) + 0.1 * Math.max(...colour);
}

function toHex(colour: Colour): string {
  return `#${colour.map((one) => Math.round(one).toString(16).padStart(2, '0')).join('')}`;
}
