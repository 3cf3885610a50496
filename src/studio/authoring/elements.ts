import type { HudField } from '../../discovery/hud-field.ts';
import { cleanName, placeOnScreen, uniqueName } from '../../discovery/names.ts';
import { PlaybyplayError } from '../../errors.ts';
import type { Rect } from '../../geometry.ts';
import type { DetectorSpec, EventMapping, Profile, RegionSpec } from '../../profile/profile.ts';
import { roundTo } from '../../statistics.ts';

/** What the author has decided about an element. */
export type ElementStatus = 'proposed' | 'accepted' | 'refused';

/** An element of the HUD as the author sees it: a detector with its region. */
export interface HudElement {
  /** The name of the detector. */
  readonly name: string;
  readonly kind: string;
  readonly status: ElementStatus;
  /** In pixels of the reference frame; undefined for what has no place of its own (sounds, streams). */
  readonly box?: Rect;
  readonly region?: RegionSpec;
  readonly detector: DetectorSpec;
  /** Number of rules that use it. */
  readonly rules: number;
  /** How sure the draft is of it, 0…1, and what it showed; only of drafted elements. */
  readonly certainty?: number;
  readonly examples?: readonly ElementExample[];
}

/** A refused element with everything that was removed for it, so that it can be restored. */
export interface RefusedElement {
  readonly region?: RegionSpec;
  readonly detector: DetectorSpec;
  readonly events: readonly EventMapping[];
}

/** What the author has decided, kept in `authoring.json` of the pack. */
export interface Review {
  readonly format: 'playbyplay/authoring/1';
  /** Recordings by path relative to the pack: those from which is learnt, and those on which is tested only. */
  readonly recordings: readonly { readonly path: string; readonly use: 'learn' | 'test' }[];
  readonly accepted: readonly string[];
  readonly refused: Readonly<Record<string, RefusedElement>>;
  /** By detector: the drafted element that it was. */
  readonly drafted: Readonly<Record<string, string>>;
  /** By drawn element: what it showed. */
  readonly examples: Readonly<Record<string, readonly ElementExample[]>>;
}

/** What an element showed at a time. */
export interface ElementExample {
  /** Seconds. */
  readonly t: number;
  readonly text: string;
}

/** A pack's profile and the decisions about it; what the operations here take and return. */
export interface Draft {
  readonly profile: Profile;
  readonly review: Review;
}

/** The review of a pack about which nothing was decided. */
export const EMPTY_REVIEW: Review = {
  format: 'playbyplay/authoring/1',
  recordings: [],
  accepted: [],
  refused: {},
  drafted: {},
  examples: {},
};

/** Lists the elements: those of the profile in its order, then the refused ones. */
export function listElements({ profile, review }: Draft, fields: readonly HudField[] = []): readonly HudElement[] {
  const known = new Map(fields.map((field) => [field.id, field]));
  const describe = (
    name: string,
    status: ElementStatus,
    detector: DetectorSpec,
    region: RegionSpec | undefined,
    rules: number,
  ): HudElement => {
    const field = known.get(review.drafted[name] ?? '');
    const examples = review.examples[name] ?? field?.examples.map(({ t, text }) => ({ t, text }));
    return {
      name,
      kind: detector.kind,
      status,
      detector,
      rules,
      ...(region === undefined ? {} : { region }),
      ...(region === undefined || region.relative ? {} : { box: toPixels(profile, region) }),
      ...(field === undefined ? {} : { certainty: field.certainty }),
      ...(examples === undefined ? {} : { examples }),
    };
  };
  return [
    ...Object.entries(profile.detectors).map(([name, detector]) =>
      describe(
        name,
        review.accepted.includes(name) ? 'accepted' : 'proposed',
        detector,
        detector.region === undefined ? undefined : profile.regions[detector.region],
        rulesOf(profile, name).length,
      ),
    ),
    ...Object.entries(review.refused).map(([name, { detector, region, events }]) =>
      describe(name, 'refused', detector, region, events.length),
    ),
  ];
}

function rulesOf({ events = [] }: Profile, detector: string): readonly EventMapping[] {
  return events.filter(({ on }) => on.detector === detector);
}

/** A region in pixels of the reference frame, whatever the unit of the profile. */
export function toPixels({ unit, reference }: Profile, { x, y, width, height }: RegionSpec): Rect {
  if (unit === 'pixel') return { x, y, width, height };
  const [w, h] = [reference.width, reference.height];
  return { x: roundTo(x * w, 2), y: roundTo(y * h, 2), width: roundTo(width * w, 2), height: roundTo(height * h, 2) };
}

/** A rectangle in pixels of the reference frame, in the unit of the profile, inside the frame. */
export function fromPixels({ unit, reference }: Profile, box: Rect): Rect {
  const x = Math.min(Math.max(0, box.x), reference.width - MIN_SIDE);
  const y = Math.min(Math.max(0, box.y), reference.height - MIN_SIDE);
  const width = Math.min(Math.max(MIN_SIDE, box.width), reference.width - x);
  const height = Math.min(Math.max(MIN_SIDE, box.height), reference.height - y);
  if (unit === 'pixel')
    return { x: roundTo(x, 2), y: roundTo(y, 2), width: roundTo(width, 2), height: roundTo(height, 2) };
  const [w, h] = [reference.width, reference.height];
  return { x: fraction(x, w), y: fraction(y, h), width: fraction(width, w), height: fraction(height, h) };
}

function fraction(part: number, whole: number): number {
  return Math.floor((1e6 * part) / whole) / 1e6;
}

/** Smallest side of a region, in pixels. */
const MIN_SIDE = 2;

/** Marks elements as right. */
export function acceptElements(draft: Draft, names: readonly string[]): Draft {
  for (const name of names) requireElement(draft, name);
  const accepted = [...new Set([...draft.review.accepted, ...names])];
  return { ...draft, review: { ...draft.review, accepted } };
}

/** Removes an element from the profile, with its rules; `restoreElement` brings all of it back. */
export function refuseElement(draft: Draft, name: string): Draft {
  const { profile, review } = draft;
  const detector = requireElement(draft, name);
  const users = namesThatNeed(profile, name);
  if (users.length > 0)
    throw new PlaybyplayError('element-in-use', `${users.map((one) => `“${one}”`).join(', ')} depends on “${name}”`, {
      hint: 'Change or refuse what depends on it first.',
    });
  const region = detector.region === undefined ? undefined : profile.regions[detector.region];
  const isShared = isRegionShared(profile, name);
  const { [name]: _, ...detectors } = profile.detectors;
  const regions = isShared ? profile.regions : without(profile.regions, detector.region);
  const refused: RefusedElement = { detector, events: rulesOf(profile, name), ...(region ? { region } : {}) };
  return {
    profile: {
      ...profile,
      regions,
      detectors,
      ...withEvents(profile, (events) => events.filter(({ on }) => on.detector !== name)),
    },
    review: {
      ...review,
      accepted: review.accepted.filter((one) => one !== name),
      refused: { ...review.refused, [name]: refused },
    },
  };
}

/** Brings a refused element back, as a proposed one, with its rules. */
export function restoreElement({ profile, review }: Draft, name: string): Draft {
  const refused = review.refused[name];
  if (!refused) throw unknownElement(name, Object.keys(review.refused));
  const { region, detector, events } = refused;
  const key = detector.region;
  return {
    profile: {
      ...profile,
      regions: region && key !== undefined ? { ...profile.regions, [key]: region } : profile.regions,
      detectors: { ...profile.detectors, [name]: detector },
      ...withEvents(profile, (own) => [...own, ...events]),
    },
    review: { ...review, refused: without(review.refused, name) },
  };
}

/** Adds an element; its name is made unique. */
export function addElement(
  { profile, review }: Draft,
  wanted: string,
  box: Rect | undefined,
  detector: Omit<DetectorSpec, 'region'> & { readonly kind: string },
): { readonly draft: Draft; readonly name: string } {
  const taken = new Set([
    ...Object.keys(profile.detectors),
    ...Object.keys(profile.regions),
    ...Object.keys(review.refused),
  ]);
  const clean = cleanName(wanted);
  const name = uniqueName(clean === '' ? 'element' : clean, taken);
  const region = box && { ...fromPixels(profile, box), anchor: placeOnScreen(box, profile.reference) };
  return {
    name,
    draft: {
      profile: {
        ...profile,
        regions: region ? { ...profile.regions, [name]: region } : profile.regions,
        detectors: { ...profile.detectors, [name]: { ...detector, ...(region ? { region: name } : {}) } },
      },
      review: { ...review, accepted: [...review.accepted, name] },
    },
  };
}

/** Moves or resizes an element; `box` is in pixels of the reference frame. */
export function moveElement(draft: Draft, name: string, box: Rect): Draft {
  const { profile } = draft;
  return updateRegion(draft, name, (region) => ({ ...region, ...fromPixels(profile, box) }));
}

/** Sets options of an element's region, such as its anchor, scale or preprocessing; undefined removes one. */
export function setRegionOptions(draft: Draft, name: string, options: Readonly<Record<string, unknown>>): Draft {
  return updateRegion(draft, name, (region) => withOptions(region, options) as RegionSpec);
}

/** Sets options of an element's detector, its kind among them; undefined removes one. */
export function setDetectorOptions(draft: Draft, name: string, options: Readonly<Record<string, unknown>>): Draft {
  const detector = withOptions(requireElement(draft, name), options) as DetectorSpec;
  return {
    ...draft,
    profile: { ...draft.profile, detectors: replaceKey(draft.profile.detectors, name, name, detector) },
  };
}

function withOptions(value: object, options: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries({ ...value, ...options }).filter(([, one]) => one !== undefined));
}

function updateRegion(draft: Draft, name: string, update: (region: RegionSpec) => RegionSpec): Draft {
  const { profile } = draft;
  const { region: key } = requireElement(draft, name);
  const region = key === undefined ? undefined : profile.regions[key];
  if (key === undefined || region === undefined)
    throw new PlaybyplayError('unknown-region', `the detector “${name}” has no region`, {
      hint: 'Draw a box for it.',
    });
  // Another detector of the same region keeps its place.
  if (!isRegionShared(profile, name))
    return { ...draft, profile: { ...profile, regions: replaceKey(profile.regions, key, key, update(region)) } };
  const own = uniqueName(name, new Set(Object.keys(profile.regions)));
  return {
    ...draft,
    profile: {
      ...profile,
      regions: { ...profile.regions, [own]: update(region) },
      detectors: { ...profile.detectors, [name]: { ...profile.detectors[name]!, region: own } },
    },
  };
}

/**
 * Renames an element: the detector, its region where it has one of its own, all that refers to them, and the name in the sentences
 * of its rules where these show the old one.
 *
 * @throws PlaybyplayError `unknown-detector`, `element-exists`, `bad-element-name`.
 */
export function renameElement(draft: Draft, from: string, wanted: string): Draft {
  const { profile, review } = draft;
  const detector = requireElement(draft, from);
  const to = cleanName(wanted);
  if (to === '')
    throw new PlaybyplayError('bad-element-name', `“${wanted}” cannot be a name`, {
      hint: 'A name has letters, digits, spaces, dots and hyphens.',
    });
  if (to === from) return draft;
  if (Object.hasOwn(profile.detectors, to) || Object.hasOwn(review.refused, to))
    throw new PlaybyplayError('element-exists', `there is an element “${to}” already`, {
      hint: 'Choose another name, or merge the two.',
    });
  const key = detector.region;
  const hasOwnRegion =
    key !== undefined &&
    key in profile.regions &&
    !isRegionShared(profile, from) &&
    (to === key || !(to in profile.regions));
  const regions = hasOwnRegion ? replaceKey(profile.regions, key, to, profile.regions[key]!) : profile.regions;
  const renamed = hasOwnRegion ? { ...detector, region: to } : detector;
  const detectors = replaceKey(profile.detectors, from, to, renamed);
  const all = replaceDetectorName({ ...profile, regions, detectors }, from, to);
  return {
    profile: {
      ...all,
      ...withEvents(all, (events) =>
        events.map((event) => (event.on.detector === to ? retitle(event, from, to) : event)),
      ),
    },
    review: {
      ...review,
      accepted: review.accepted.map((one) => (one === from ? to : one)),
      examples:
        from in review.examples ? replaceKey(review.examples, from, to, review.examples[from]!) : review.examples,
      drafted: from in review.drafted ? replaceKey(review.drafted, from, to, review.drafted[from]!) : review.drafted,
    },
  };
}

/** Keys whose strings name detectors. */
const DETECTOR_KEYS: ReadonlySet<string> = new Set(['detector']);

/** Replaces the name of a detector wherever a profile refers to it. */
function replaceDetectorName(profile: Profile, from: string, to: string): Profile {
  const replace = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') {
      if (DETECTOR_KEYS.has(key)) return value === from ? to : value;
      return value.replaceAll(`$(${from})`, () => `$(${to})`);
    }
    if (Array.isArray(value)) return value.map((one) => replace(one, ''));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replace(one, name)]));
  };
  return replace(profile, '') as Profile;
}

/** Shows the new name in a sentence that shows the old one: `counter "Lap"` of the element `counter Lap`. */
function retitle(event: EventMapping, from: string, to: string): EventMapping {
  const { subject } = event.statement as { readonly subject?: unknown };
  if (typeof subject !== 'object' || subject === null) return event;
  const { word, name } = subject as { readonly word?: unknown; readonly name?: unknown };
  if (typeof name !== 'string' || (name !== from && `${String(word)} ${name}` !== from)) return event;
  const shown = to.startsWith(`${String(word)} `) ? to.slice(String(word).length + 1) : to;
  return { ...event, statement: { ...event.statement, subject: { ...subject, name: shown } } } as EventMapping;
}

/** Merges elements into the first: its box then covers all, the others and their rules are removed. */
export function mergeElements(draft: Draft, names: readonly string[]): Draft {
  const [first, ...rest] = names;
  if (first === undefined || rest.length === 0) return draft;
  const boxes = names.flatMap((name) => {
    const { region } = requireElement(draft, name);
    const spec = region === undefined ? undefined : draft.profile.regions[region];
    return spec && !spec.relative ? [toPixels(draft.profile, spec)] : [];
  });
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  let merged = draft;
  for (const name of rest) merged = refuseElement(merged, name);
  return moveElement(merged, first, { x, y, width: right - x, height: bottom - y });
}

/** Detectors and rules of others that refer to a detector. */
function namesThatNeed(profile: Profile, name: string): readonly string[] {
  const mentions = (value: unknown): boolean => {
    const text = JSON.stringify(value) ?? '';
    return text.includes(`"detector":${JSON.stringify(name)}`) || text.includes(`$(${name})`);
  };
  const parts: readonly (readonly [string, unknown])[] = [
    ...Object.entries(profile.detectors).filter(([own]) => own !== name),
    ...Object.entries(profile.screens ?? {}),
    ...Object.entries(profile.modes ?? {}),
    ...Object.entries(profile.sequences ?? {}),
    ...Object.entries(profile.regions).filter(([, { relative }]) => relative !== undefined),
  ];
  return parts.filter(([, value]) => mentions(value)).map(([own]) => own);
}

function isRegionShared({ detectors }: Profile, name: string): boolean {
  const region = detectors[name]?.region;
  return (
    region !== undefined && Object.entries(detectors).some(([own, spec]) => own !== name && spec.region === region)
  );
}

function withEvents(
  { events }: Profile,
  update: (events: readonly EventMapping[]) => readonly EventMapping[],
): { readonly events?: EventMapping[] } {
  const updated = update(events ?? []);
  return events === undefined && updated.length === 0 ? {} : { events: [...updated] };
}

function without<T>(record: Readonly<Record<string, T>>, key: string | undefined): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

/** Replaces an entry of a record, and perhaps its key, at its place in the order. */
function replaceKey<T>(
  record: Readonly<Record<string, T>>,
  from: string,
  to: string,
  value: T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).map(([name, one]) => (name === from ? [to, value] : [name, one])));
}

function requireElement({ profile }: Draft, name: string): DetectorSpec {
  const detector = Object.hasOwn(profile.detectors, name) ? profile.detectors[name] : undefined;
  if (!detector) throw unknownElement(name, Object.keys(profile.detectors));
  return detector;
}

function unknownElement(name: string, names: readonly string[]): PlaybyplayError {
  return new PlaybyplayError('unknown-detector', `there is no element “${name}”`, {
    hint: names.length === 0 ? 'There are none.' : `There are ${names.join(', ')}.`,
  });
}
