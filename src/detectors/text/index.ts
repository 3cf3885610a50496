import { PlaybyplayError } from '../../errors.ts';
import { DEFAULT_LANGUAGE, toLanguageTags } from '../../language/tags.ts';
import { splitGraphemes, normalizeText } from '../../language/text.ts';
import { Pattern } from '../../pattern.ts';
import type {
  Assets,
  CharacterSize,
  Detector,
  FrameDetectorKind,
  Landmark,
  Observation,
  Requirement,
  View,
} from '../kind.ts';
import {
  type Atlas,
  charactersOf,
  readsColors,
  lookalikes,
  lookalikesIn,
  parseAtlas,
  plainCase,
  toReadingOrder,
} from './atlas.ts';
import { FontReader } from './font-reader.ts';
import { openLexicon, type TextLexicon } from './lexicon.ts';
import { fitsPadding, LightMeter, sampleTextLine } from './line-image.ts';
import type { LineReading } from './line-reading.ts';
import { Fallback } from './fallback.ts';
import { generalReaderRequirements } from './general-reader.ts';
import { GeneralTextDetector } from './general-detector.ts';
import { languageData, languageRequirements } from './language-data.ts';
import { parseValue, textPattern } from './value.ts';
import { readText } from './read-text.ts';
import { TEXT_SCHEMA, type TextOptions } from './options.ts';

/** Finds the fallback's data for the detector's languages, by default English. */
function fallbackData({ language, fallback }: TextOptions, assets: Assets): ReturnType<typeof languageData> {
  const tags = toLanguageTags(language);
  return languageData(tags.length === 0 ? [DEFAULT_LANGUAGE] : tags, fallback?.data ?? [], assets);
}

/**
 * Reads one line of text in a known font with a glyph atlas. The observation is `absent` where blanks explain the picture,
 * `unreadable` where nothing does; the fallback, if the profile has one, then reads it.
 */
export const kind: FrameDetectorKind<TextOptions> = {
  input: 'frame',
  name: 'text',
  description:
    'One line of text: counters, names, messages. Read in a font that was learned (`playbyplay profile glyphs`), or in any font by a trained network (`"reader": "general"`). The value is the text, or a number.',
  schema: TEXT_SCHEMA,
  regions: (options) => (options.light ? [options.light.region] : []),
  landmarks: findLandmarks,
  async byColour(options, assets) {
    const atlas = atlasOf(options);
    return atlas !== undefined && readsColors((await loadAtlas(atlas, assets)).file);
  },
  async characters(options: TextOptions, assets: Assets): Promise<CharacterSize | undefined> {
    const atlas = atlasOf(options);
    return atlas === undefined
      ? undefined
      : charactersOf((await loadAtlas(atlas, assets)).file, options.value === 'number' || options.value === 'integer');
  },
  async open(options: TextOptions, assets: Assets): Promise<Detector> {
    if (options.reader === 'general') return await GeneralTextDetector.open(options, assets);
    if (options.atlas === undefined && !options.fallback)
      throw new PlaybyplayError('no-font', 'a text detector needs an atlas, a fallback, or both', {
        hint: 'To read a font without learning it: "reader": "general".',
      });
    const atlas = options.atlas === undefined ? undefined : await loadAtlas(options.atlas, assets);
    const meter = options.light && new LightMeter(await readText(assets, options.light.file), options.light.file);
    const languages = toLanguageTags(options.language);
    const lexicon =
      options.lexicon === undefined
        ? undefined
        : openLexicon(await readText(assets, options.lexicon), options.lexicon, languages, {
            case: options.ignore?.includes('case') ?? false,
            diacritics: options.ignore?.includes('diacritics') ?? false,
          });
    const fallback =
      options.fallback && new Fallback(options.fallback, options, () => fallbackData(options, assets), languages);
    const variants = await Promise.all((options.variants ?? []).map((path) => loadAtlas(path, assets)));
    return new TextDetector(atlas ? [atlas, ...variants] : [], options, meter, lexicon, fallback);
  },
  async requires(options: TextOptions, assets: Assets): Promise<readonly Requirement[]> {
    if (options.reader === 'general') return await generalReaderRequirements();
    if (options.fallback?.reader === 'general') return await generalReaderRequirements();
    return options.fallback ? languageRequirements(fallbackData(options, assets)) : [];
  },
};

/** Least size, in pixels of the reference frame, of a glyph that serves as a landmark. */
const MIN_LANDMARK_SIZE = 16;
/** Cells of a fixed-pitch line, from its aligned end, in which landmarks are searched for. */
const LANDMARK_CELLS = 3;

/** Returns the light's reference, which is always visible, else the larger glyphs of a fixed-pitch font. */
async function findLandmarks(options: TextOptions & { readonly region?: string }, assets: Assets): Promise<Landmark[]> {
  const { atlas: path, light, align = 'left', region = '', charset } = options;
  if (light) return [new LightMeter(await readText(assets, light.file), light.file).landmark(light.region)];
  if (path === undefined || align === 'centre') return [];
  const { file } = await loadAtlas(path, assets);
  const { pixels, height, pitch, layout } = file;
  const step = pitch! / pixels.x;
  if (layout !== 'fixed' || Math.min(step, height / pixels.y) < MIN_LANDMARK_SIZE) return [];
  return file.glyphs
    .filter(({ char }) => (charset === undefined || charset.includes(char)) && /[\p{L}\p{N}]/u.test(char))
    .map(({ width, level, sigma }) => ({
      region,
      width: width / pixels.x,
      height: height / pixels.y,
      columns: width,
      rows: height,
      levels: Buffer.from(level, 'base64'),
      weights: Buffer.from(sigma, 'base64').map((deviation) => Math.round(255 / (1 + (deviation / 32) ** 2))),
      at: ({ width: whole }) =>
        Array.from({ length: LANDMARK_CELLS }, (_, n) => ({
          x: align === 'left' ? n * step : whole - (n + 1) * step,
          y: 0,
        })),
    }));
}

/** Atlases by the text of their files: detectors of one font share it and what is derived from it. */
/** The font that a detector reads, if it reads one: the general reader uses none. */
function atlasOf({ atlas, reader }: TextOptions): string | undefined {
  return reader === 'general' ? undefined : atlas;
}

const atlases = new Map<string, Atlas>();
const MAX_CACHED_ATLASES = 16;

/**
 * Loads an atlas of a profile's pack.
 *
 * @throws PlaybyplayError `bad-atlas`, or as `Assets.read` does.
 */
export async function loadAtlas(path: string, assets: Assets): Promise<Atlas> {
  const text = await readText(assets, path);
  const known = atlases.get(text);
  if (known) return known;
  const atlas = parseAtlas(text, path);
  if (atlases.size >= MAX_CACHED_ATLASES) atlases.clear();
  atlases.set(text, atlas);
  return atlas;
}

/** Confidence from which other sizes are not tried, and which they must have. */
const MIN_SCALED_CONFIDENCE = 0.8;

class TextDetector implements Detector {
  readonly #fonts: FontReader | undefined;
  /** Maps lookalikes to one character, in fonts in which l and I look the same. */
  readonly #canonical: ((char: string) => string) | undefined;
  readonly #fallback: Fallback | undefined;
  readonly #pattern: Pattern | undefined;
  readonly #options: TextOptions;
  readonly #light: { meter: LightMeter; region: string; key: string } | undefined;

  readonly #languages: readonly string[];
  readonly #lookalikes: (char: string) => readonly string[];
  readonly #lexicon: TextLexicon | undefined;
  /** Whether the font has a colon, with which times are then written. */
  readonly #hasColon: boolean;
  readonly #plausible: ReturnType<typeof textPattern>;

  constructor(
    fonts: readonly Atlas[],
    options: TextOptions,
    meter: LightMeter | undefined,
    lexicon: TextLexicon | undefined,
    fallback: Fallback | undefined,
  ) {
    const [atlas] = fonts;
    this.#languages = toLanguageTags(options.language);
    this.#lookalikes = atlas && this.#languages.length > 0 ? lookalikesIn(atlas) : (char) => [char];
    this.#lexicon = lexicon;
    this.#plausible = textPattern(options);
    this.#hasColon = atlas?.file.glyphs.some(({ char }) => char === ':') ?? false;
    this.#fonts =
      atlas && new FontReader(fonts, options.charset === undefined ? undefined : splitGraphemes(options.charset));
    const canon = atlas && lookalikes(atlas);
    this.#canonical = canon && canon('l') === canon('I') && canon('l') !== 'l' ? canon : undefined;
    this.#fallback = fallback;
    this.#options = options;
    this.#pattern = options.pattern === undefined ? undefined : new Pattern(`^(?:${options.pattern})$`);
    this.#light = meter && options.light && { meter, region: options.light.region, key: options.light.file };
    if (this.#fonts?.isEmpty)
      throw new PlaybyplayError('bad-charset', `no glyph of ${options.atlas} is in the charset`);
  }

  read(view: View): Observation | Promise<Observation> {
    const own = this.#readGlyphs(view);
    // A font also takes ink of another colour for nothing; the general reader sees it.
    const isSettled =
      own?.state === 'seen' || (own?.state === 'absent' && this.#options.fallback?.reader !== 'general');
    return this.#fallback && !isSettled ? this.#readFallback(this.#fallback, view, own) : own!;
  }

  /** Reads with the fallback; `own` is the result where it cannot read either. */
  async #readFallback(fallback: Fallback, view: View, own: Observation | undefined): Promise<Observation> {
    const nothing: Observation = own ?? { state: 'unreadable', confidence: 0 };
    const found = await fallback.read(await view.prepared());
    if (!found) return nothing;
    // The general reader's text is what its pattern counts already.
    const isWhole = this.#options.fallback?.reader !== 'general';
    const seen = this.#observe(found.text, found.confidence, found.confidence, isWhole);
    return seen.state === 'seen' ? seen : nothing;
  }

  #readGlyphs(view: View): Observation | undefined {
    const first = this.#readAt(view, 1);
    const { scales = [] } = this.#options;
    if (!first || scales.length === 0 || (first.state === 'seen' && first.confidence >= MIN_SCALED_CONFIDENCE))
      return first;
    let [best, greatest] = [first, Number.NEGATIVE_INFINITY];
    for (const scale of scales) {
      if (scale === 1 || !fitsPadding(view, scale)) continue;
      const one = this.#readAt(view, scale);
      if (one?.state !== 'seen' || one.confidence < MIN_SCALED_CONFIDENCE || this.#score <= greatest) continue;
      [best, greatest] = [one, this.#score];
    }
    return best;
  }

  /** Log likelihood ratio of the last line read. */
  #score = 0;

  #readAt(view: View, scale: number): Observation | undefined {
    const { align = 'left', jitter = 1, reject = 0.3 } = this.#options;
    if (!this.#fonts) return undefined;
    const read = this.#fonts.read((atlas) => sampleTextLine(view, atlas, jitter, this.#light, scale), align, jitter);
    if (!read) return { state: 'unreadable', confidence: 0 };
    this.#score = read.cells.reduce((sum, { llr }) => sum + llr, 0);
    const line = this.#inReadingOrder(read);
    const seen = line.text === '' ? undefined : this.#observe(line.text, line.confidence);
    const confidence = seen?.state === 'seen' ? seen.confidence : line.confidence;
    if (confidence < reject) return { state: 'unreadable', confidence, detail: line.text };
    return seen ?? { state: 'absent', confidence };
  }

  /** What counts of a text: the first group of the pattern, if it has one; undefined where the text does not match. */
  #valueOf(text: string): string | undefined {
    if (!this.#pattern) return text;
    const found = this.#pattern.exec(text);
    return found ? (found[1] ?? found[0]) : undefined;
  }

  /** Converts a line's text to reading order. */
  #inReadingOrder(line: LineReading): LineReading {
    if (line.text === '') return line;
    const text = toReadingOrder(line.text, this.#languages, this.#lookalikes);
    return { ...line, text: this.#canonical ? plainCase(text, this.#canonical) : text };
  }

  /**
   * Makes an observation of a text, corrected by the lexicon.
   *
   * @param maximum Largest confidence of a corrected text, which may be more certain than its reading.
   * @param isWhole Whether the pattern is about the text; not for one that it was applied to.
   */
  #observe(read: string, confidence: number, maximum = 1, isWhole = true): Observation {
    const own = isWhole ? this.#valueOf(read) : read;
    if (own === undefined) return { state: 'unreadable', confidence, detail: read };
    const text = this.#languages.length === 0 ? own : normalizeText(own, this.#languages);
    const found = this.#lexicon?.find(text);
    if (this.#lexicon && !found && this.#options.others === 'drop')
      return { state: 'unreadable', confidence, detail: text };
    const certainty = found ? Math.min(found.confidence, maximum) : confidence;
    const seen = parseValue(
      found?.text ?? text,
      certainty,
      this.#options.value ?? 'text',
      this.#languages,
      this.#hasColon,
      this.#plausible,
    );
    return found?.detail && seen.state === 'seen' ? { ...seen, detail: found.detail } : seen;
  }

  [Symbol.dispose](): void {
    this.#fallback?.[Symbol.dispose]();
  }
}
