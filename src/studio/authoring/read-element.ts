import { minConfidenceOf } from '../../cues/tracker.ts';
import { plausibilityOf } from '../../cues/plausible.ts';
import type { Observation } from '../../detectors/kind.ts';
import type { AtlasFile } from '../../detectors/text/atlas.ts';
import { GeneralReader } from '../../detectors/text/general-reader.ts';
import { type Issue, PlaybyplayError } from '../../errors.ts';
import type { Rect } from '../../geometry.ts';
import { toLanguageTags } from '../../language/tags.ts';
import { splitGraphemes } from '../../language/text.ts';
import type { Picture } from '../../media/picture.ts';
import { compileProfile } from '../../pipeline/compile-profile.ts';
import { SampleReader } from '../../pipeline/reading/sample-reader.ts';
import { Pattern } from '../../pattern.ts';
import { loadKindCatalog } from '../../pipeline/schemas.ts';
import { checkProfile } from '../../profile/check.ts';
import type { DetectorSpec, PreprocessStep, Profile, RegionSpec } from '../../profile/profile.ts';
import { withFractionalRegions } from '../../profile/units.ts';
import { type Crop, cropGrey, cropRgb } from '../../regions/crop.ts';
import { placeRegion } from '../../regions/place.ts';
import { compilePreprocess } from '../../regions/preprocess/compile.ts';

/** An element that is read: perhaps one that is not saved yet. */
export interface ElementSpec {
  readonly name: string;
  readonly detector: DetectorSpec;
  readonly region: RegionSpec;
}

/** What an element shows in one picture, and why nothing where nothing is read. */
export interface ElementReading {
  /** Time of the picture in seconds. */
  readonly t: number;
  /** Where the element lies, in pixels of the picture. */
  readonly rect: Rect;
  /** The crop, and the crop after each step of the preprocessing. */
  readonly steps: readonly { readonly step: string; readonly crop: Crop }[];
  /** `accepted`: a value that counts. `rejected`: there is one, for which see `reasons`. */
  readonly verdict: 'accepted' | 'rejected' | 'absent' | 'unreadable' | 'invalid';
  readonly value?: string | number | boolean;
  readonly confidence: number;
  /** The confidence that counts. */
  readonly least: number;
  /** Why there is no value that counts, in words for the author; empty for an accepted reading. */
  readonly reasons: readonly string[];
  /** Characters seen here that the font does not know. */
  readonly unknown: readonly string[];
  /** Mistakes in the options. */
  readonly issues: readonly Issue[];
}

/** Opened detectors that are kept: those of the elements that are worked on. */
const MAX_OPEN = 24;

/** Reads single elements of a HUD in single pictures, with what is saved or with changed options. */
export class ElementReader implements Disposable {
  /** By what they depend on, the least recently used first. */
  readonly #open = new Map<string, Promise<SampleReader>>();
  #general: Promise<GeneralReader | undefined> | undefined;

  /**
   * Reads an element.
   *
   * @param profile The profile, for what all elements have in common: unit, reference, language.
   * @param assets Files of the profile; `version` changes when any of them does.
   */
  async read(
    profile: Profile,
    assets: { read(path: string): Promise<Uint8Array> },
    version: string,
    { name, detector, region }: ElementSpec,
    picture: Picture,
  ): Promise<ElementReading> {
    const { own, key } = onlyElement(profile, name, detector, region);
    const kinds = await loadKindCatalog(new Set([detector.kind]));
    const { issues } = checkProfile(own, 'profile.json', kinds);
    if (issues.length > 0) return invalidReading(picture.t, issues);
    const alone = withFractionalRegions(own);
    const placed = placeRegion(alone.regions[key]!, picture, alone.reference);
    const steps = await stepPictures(region.preprocess ?? [], placed, picture);
    const base = { t: picture.t, rect: placed.rect, steps, least: minConfidenceOf(detector), issues: [] };
    let observation: Observation | undefined;
    try {
      const reader = await this.#reader(alone, assets, version, picture);
      reader.begin(false);
      [observation] = await reader.read(picture, Uint8Array.of(1));
    } catch (error) {
      if (!(error instanceof PlaybyplayError)) throw error;
      const { code, message, hint } = error;
      return { ...invalidReading(picture.t, [{ code, message, ...(hint === undefined ? {} : { hint }) }]), ...base };
    }
    return await this.#explain(observation, base, detector, steps[0]?.crop, assets);
  }

  /** Adds to what a detector observes why it does not count. */
  async #explain(
    observation: Observation | undefined,
    base: Pick<ElementReading, 't' | 'rect' | 'steps' | 'least' | 'issues'>,
    detector: DetectorSpec,
    crop: Crop | undefined,
    assets: { read(path: string): Promise<Uint8Array> },
  ): Promise<ElementReading> {
    const none = { ...base, confidence: 0, reasons: [], unknown: [] };
    if (!observation) return { ...none, verdict: 'unreadable', reasons: ['This kind does not read single pictures.'] };
    const { confidence } = observation;
    if (observation.state === 'seen' && !('pending' in observation)) {
      const { value } = observation;
      const reasons = [
        ...(confidence < base.least
          ? [`The confidence ${confidence.toFixed(2)} is below the ${base.least} that a reading needs.`]
          : []),
        ...(plausibilityOf(detector)(value, undefined) === 'impossible'
          ? [`“${String(value)}” is excluded by “plausible”.`]
          : []),
      ];
      const verdict = reasons.length === 0 ? 'accepted' : 'rejected';
      return { ...none, verdict, value, confidence, reasons };
    }
    const isFont = detector.kind === 'text' && typeof detector['atlas'] === 'string';
    const general = detector.kind === 'text' && crop ? await this.#readGenerally(crop, detector) : undefined;
    const chars = isFont ? await knownCharacters(detector['atlas'] as string, assets) : undefined;
    const unknown =
      general && chars
        ? [...new Set(splitGraphemes(general.text))].filter((c) => c.trim() !== '' && !chars.has(c))
        : [];
    const detail = 'detail' in observation && typeof observation.detail === 'string' ? observation.detail.trim() : '';
    if (observation.state === 'absent')
      return {
        ...none,
        verdict: 'absent',
        confidence,
        unknown,
        reasons: [
          'Nothing is drawn here.',
          ...(general && general.confidence >= base.least ? [`Another reader sees “${general.text}”.`] : []),
        ],
      };
    const reasons = [
      ...(detail === ''
        ? []
        : [`The best reading is “${detail}”, with a confidence of ${confidence.toFixed(2)} only.`]),
      ...(general && general.text !== detail ? [`Another reader sees “${general.text}”.`] : []),
      ...(unknown.length > 0 ? [`The font has never seen: ${unknown.join(' ')}`] : []),
      ...(typeof detector['pattern'] === 'string' && general && !fits(detector['pattern'], general.text)
        ? [`“${general.text}” does not match the pattern ${detector['pattern']}.`]
        : []),
    ];
    return {
      ...none,
      verdict: 'unreadable',
      confidence,
      unknown,
      reasons: reasons.length > 0 ? reasons : ['Nothing that this kind knows is seen here.'],
    };
  }

  /** What the general reader sees without any constraint; undefined for nothing, or where it is not installed. */
  async #readGenerally(
    crop: Crop,
    { language }: DetectorSpec,
  ): Promise<{ readonly text: string; readonly confidence: number } | undefined> {
    this.#general ??= GeneralReader.open({ languages: toLanguageTags(language) }).catch((error: unknown) => {
      if (error instanceof PlaybyplayError) return undefined;
      throw error;
    });
    const [read] = (await (await this.#general)?.read([crop])) ?? [];
    return read && 'text' in read && read.text.trim() !== '' ? read : undefined;
  }

  #reader(
    profile: Profile,
    assets: { read(path: string): Promise<Uint8Array> },
    version: string,
    { width, height }: Picture,
  ): Promise<SampleReader> {
    const key = JSON.stringify([profile.detectors, profile.regions, profile.reference, width, height, version]);
    let reader = this.#open.get(key);
    this.#open.delete(key);
    reader ??= compileProfile({ profile, assets }).then((game) => SampleReader.open(game, { width, height }));
    reader.catch(() => this.#open.delete(key));
    if (this.#open.size >= MAX_OPEN) {
      const [oldest, old] = this.#open.entries().next().value!;
      this.#open.delete(oldest);
      void old.then((one) => one[Symbol.dispose]()).catch(() => undefined);
    }
    this.#open.set(key, reader);
    return reader;
  }

  [Symbol.dispose](): void {
    for (const one of this.#open.values()) void one.then((reader) => reader[Symbol.dispose]()).catch(() => undefined);
    this.#open.clear();
    void this.#general?.then((reader) => reader?.[Symbol.dispose]());
  }
}

function invalidReading(t: number, issues: readonly Issue[]): ElementReading {
  return {
    t,
    rect: { x: 0, y: 0, width: 0, height: 0 },
    steps: [],
    verdict: 'invalid',
    confidence: 0,
    least: 0,
    reasons: issues.map(({ message, hint }) => (hint === undefined ? message : `${message}. ${hint}`)),
    unknown: [],
    issues,
  };
}

/** A profile with one detector, which is read whatever others show; `key` is the name of its region. */
function onlyElement(
  profile: Profile,
  name: string,
  detector: DetectorSpec,
  region: RegionSpec,
): { readonly own: Profile; readonly key: string } {
  const { when: _when, after: _after, modes: _modes, screens: _screens, media: _media, ...spec } = detector;
  const { format, game, title, version, unit, reference, language } = profile;
  const key = detector.region ?? name;
  // Options of a kind may name other regions.
  const others = Object.entries(profile.regions).filter(([, { relative }]) => relative === undefined);
  const regions = [...others, [key, region] as const].map(([one, place]) => [one, withoutConditions(place)] as const);
  return {
    key,
    own: {
      format,
      game,
      title,
      version,
      reference,
      ...(unit === undefined ? {} : { unit }),
      ...(language === undefined ? {} : { language }),
      regions: Object.fromEntries(regions),
      detectors: { [name]: { ...spec, region: key } as DetectorSpec },
    },
  };
}

function withoutConditions({ modes: _modes, relative: _relative, ...place }: RegionSpec): RegionSpec {
  return place;
}

/** The crop of a region, then the crop after each of its steps. */
async function stepPictures(
  steps: readonly PreprocessStep[],
  { rect, scaleX, scaleY }: ReturnType<typeof placeRegion>,
  picture: Picture,
): Promise<ElementReading['steps']> {
  if (rect.width === 0 || rect.height === 0) return [];
  const shape = { width: rect.width, height: rect.height, scaleX, scaleY };
  const crops = { grey: cropGrey(picture, rect), color: cropRgb(picture, rect) };
  const pictures: { step: string; crop: Crop }[] = [
    { step: 'crop', crop: { data: crops.color, width: rect.width, height: rect.height, channels: 3 } },
  ];
  for (let count = 1; count <= steps.length; count++) {
    try {
      const { from, run } = compilePreprocess(steps.slice(0, count), shape);
      const channels = from === 'grey' ? 1 : 3;
      const crop = await run({ data: crops[from], width: rect.width, height: rect.height, channels });
      pictures.push({ step: steps[count - 1]!.step, crop });
    } catch (error) {
      // A step that cannot be used is reported with the reading.
      if (!(error instanceof PlaybyplayError)) throw error;
      break;
    }
  }
  return pictures;
}

async function knownCharacters(
  path: string,
  assets: { read(path: string): Promise<Uint8Array> },
): Promise<ReadonlySet<string> | undefined> {
  try {
    const { glyphs } = JSON.parse(Buffer.from(await assets.read(path)).toString('utf8')) as AtlasFile;
    return new Set(glyphs.map(({ char }) => char));
  } catch {
    return undefined;
  }
}

function fits(pattern: string, text: string): boolean {
  try {
    return new Pattern(`^(?:${pattern})$`).test(text);
  } catch {
    return true;
  }
}
