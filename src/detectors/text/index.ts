import { PlaybyplayError } from '../../errors.ts';
import { DEFAULT_LANGUAGE, languagesOf } from '../../language/tags.ts';
import { graphemesOf, normalizeText } from '../../language/text.ts';
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
import { alikeIn, spoken } from './alike.ts';
import { type Atlas, charactersOf, isByColour, lookalikes, parseAtlas, plainCase } from './atlas.ts';
import { Fallback, type FallbackOptions } from './fallback.ts';
import { FontReaders } from './fonts.ts';
import { languageData, languageRequirements } from './language-data.ts';
import { openLexicon, type TextLexicon } from './lexicon.ts';
import { type ValueKind, valueOf } from './value.ts';
import type { Align, LineReading } from './line.ts';
import { LightMeter } from './light.ts';
import { hasRoom, lineImage } from './line-view.ts';

export interface TextOptions {
  /** The font: an atlas file in the profile's folder. Without one the fallback reads everything. */
  readonly atlas?: string;
  /** What reads text that fits no glyph; it is given the region after its `preprocess` steps. */
  readonly fallback?: FallbackOptions;
  /** The same font as it looks otherwise: in other colours, or in a channel that a tint leaves. Asked where `atlas` is not sure. */
  readonly variants?: readonly string[];
  /** Where the text starts from in its region; default left. */
  readonly align?: Align;
  /** The characters that can occur; default all of the atlas. */
  readonly charset?: string;
  /** `number`: the text is a number, given as one; `time`: a clock or a duration, given in seconds. */
  readonly value?: ValueKind;
  /** Languages (BCP 47) of the text: those of the profile. */
  readonly language?: string | readonly string[];
  /** Pixels (of the atlas) by which the text may be shifted in its region; default 1. */
  readonly jitter?: number;
  /** A part of the HUD that never changes, and its picture in plain light (a light file): tints are measured there. */
  readonly light?: { readonly region: string; readonly file: string };
  /** A file of the texts or phrases that can occur: a reading a slip away from just one of them becomes that one. */
  readonly lexicon?: string;
  /** In what a reading and a text of the lexicon may differ. */
  readonly ignore?: readonly ('case' | 'diacritics')[];
  /** What becomes of texts that are not in the lexicon: kept as they are read (default), or taken for unreadable. */
  readonly others?: 'keep' | 'drop';
  /** Readings below this confidence count as unreadable; default 0.3. */
  readonly reject?: number;
  /** How many times as large the text may be drawn about the middle of its region, where it is not read as it is. */
  readonly scales?: readonly number[];
}

/** What the fallback needs for the detector's languages: English, unless the profile says otherwise. */
function dataOf({ language, fallback }: TextOptions, assets: Assets): ReturnType<typeof languageData> {
  const tags = languagesOf(language);
  return languageData(tags.length === 0 ? [DEFAULT_LANGUAGE] : tags, fallback?.data ?? [], assets);
}

/**
 * Reads one line of text in a known font with a glyph atlas. What fits no glyph is not read: the observation is `absent`
 * where blanks explain the picture, `unreadable` where nothing does, and then asked of the fallback, if the profile has one.
 */
export const kind: FrameDetectorKind<TextOptions> = {
  input: 'frame',
  name: 'text',
  description:
    'One line of text in a font that was learnt (`playbyplay profile glyphs`): counters, names, messages. The value is the text, or a number.',
  schema: {
    type: 'object',
    properties: {
      atlas: { type: 'string', format: 'asset', description: "Atlas file, relative to the profile's folder." },
      variants: {
        type: 'array',
        minItems: 1,
        maxItems: 8,
        uniqueItems: true,
        items: { type: 'string', format: 'asset' },
        description:
          'Atlas files of the same font as it looks otherwise: in other colours, or in a channel that a tint leaves. Asked where the first is not sure; the surest reading counts.',
      },
      align: {
        enum: ['left', 'right', 'centre'],
        description: 'Where the text starts from in its region; default left.',
      },
      charset: { type: 'string', minLength: 1, description: 'The characters that can occur; default all.' },
      value: {
        enum: ['text', 'number', 'time'],
        description:
          '`number`: gives a number, written as in the language (1.234,5 in German; 45 % is 45). `time`: gives seconds (1:23.4, 1\'23"4, 2h05).',
      },
      jitter: {
        type: 'integer',
        minimum: 0,
        maximum: 8,
        description: 'Pixels of the atlas by which the text may lie elsewhere in its region; default 1.',
      },
      lexicon: {
        type: 'string',
        format: 'asset',
        description:
          'File of the texts that can occur, one a line, or of phrases (playbyplay/lexicon/1, as for feeds), which may stand anywhere in the text: a reading a slip away from just one of them becomes that one.',
      },
      ignore: {
        type: 'array',
        uniqueItems: true,
        items: { enum: ['case', 'diacritics'] },
        description: 'In what a reading and a text of the lexicon may differ; of phrases the case never counts.',
      },
      others: {
        enum: ['keep', 'drop'],
        description: 'Texts that are not in the lexicon: kept as they are read (default), or taken for unreadable.',
      },
      reject: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        description: 'Readings of glyphs that are less sure count as unreadable; default 0.3.',
      },
      scales: {
        type: 'array',
        items: { type: 'number', minimum: 0.5, maximum: 3 },
        minItems: 1,
        maxItems: 8,
        description:
          'How many times as large the text may be drawn about the middle of its region: tried where it is not read as it is (a counter that swells when it changes). What is larger than the region must lie in its `padding`: 0.3 for 1.6 times.',
      },
      fallback: {
        type: 'object',
        description:
          'What reads text that fits no glyph, or has no atlas: a recogniser of unknown fonts, about 90 ms a crop. Wants dark text on light, capitals 20 to 30 pixels high, after the `preprocess` steps of the region.',
        required: ['reader'],
        additionalProperties: false,
        properties: {
          reader: { enum: ['tesseract'] },
          whitelist: { type: 'string', minLength: 1 },
          layout: { enum: ['line', 'word', 'character', 'block'] },
          reject: { type: 'number', minimum: 0, maximum: 1 },
          data: {
            type: 'array',
            minItems: 1,
            maxItems: 8,
            items: { type: 'string', format: 'asset' },
            description:
              "Tesseract's language data beside the profile (`rus.traineddata.gz`), for languages whose npm package is not installed.",
          },
        },
      },
      light: {
        type: 'object',
        required: ['region', 'file'],
        additionalProperties: false,
        properties: { region: { type: 'string', format: 'region' }, file: { type: 'string', format: 'asset' } },
      },
    },
  },
  regions: (options) => (options.light ? [options.light.region] : []),
  landmarks: landmarksOf,
  byColour: async ({ atlas }, assets) => atlas !== undefined && isByColour((await loadAtlas(atlas, assets)).file),
  async characters({ atlas, value }: TextOptions, assets: Assets): Promise<CharacterSize | undefined> {
    return atlas === undefined ? undefined : charactersOf((await loadAtlas(atlas, assets)).file, value === 'number');
  },
  async open(options: TextOptions, assets: Assets): Promise<Detector> {
    if (options.atlas === undefined && !options.fallback)
      throw new PlaybyplayError('no-font', 'a text detector needs an atlas, a fallback, or both');
    const atlas = options.atlas === undefined ? undefined : await loadAtlas(options.atlas, assets);
    const meter = options.light && new LightMeter(await readText(assets, options.light.file), options.light.file);
    const languages = languagesOf(options.language);
    const lexicon =
      options.lexicon === undefined
        ? undefined
        : openLexicon(await readText(assets, options.lexicon), options.lexicon, languages, {
            case: options.ignore?.includes('case') ?? false,
            diacritics: options.ignore?.includes('diacritics') ?? false,
          });
    const fallback =
      options.fallback && new Fallback(options.fallback, options.charset, () => dataOf(options, assets), languages);
    const variants = await Promise.all((options.variants ?? []).map((path) => loadAtlas(path, assets)));
    return new TextDetector(atlas ? [atlas, ...variants] : [], options, meter, lexicon, fallback);
  },
  async requires(options: TextOptions, assets: Assets): Promise<readonly Requirement[]> {
    return options.fallback ? languageRequirements(dataOf(options, assets)) : [];
  },
};

/** A glyph counts as a landmark from so many pixels of the reference frame on: smaller ones look like much else. */
const LEAST_LANDMARK = 16;
/** Places of a line, from where it is aligned, at which a glyph of a fixed layout is looked for. */
const PLACES = 3;

/** The light's reference, which is always there; and of fonts in which every character has its place the larger glyphs. */
async function landmarksOf(options: TextOptions & { readonly region?: string }, assets: Assets): Promise<Landmark[]> {
  const { atlas: path, light, align = 'left', region = '', charset } = options;
  if (light) return [new LightMeter(await readText(assets, light.file), light.file).landmark(light.region)];
  if (path === undefined || align === 'centre') return [];
  const { file } = await loadAtlas(path, assets);
  const { pixels, height, pitch, layout } = file;
  const step = pitch! / pixels.x;
  if (layout !== 'fixed' || Math.min(step, height / pixels.y) < LEAST_LANDMARK) return [];
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
        Array.from({ length: PLACES }, (_, n) => ({ x: align === 'left' ? n * step : whole - (n + 1) * step, y: 0 })),
    }));
}

export async function readText(assets: Assets, path: string): Promise<string> {
  return Buffer.from(await assets.read(path)).toString('utf8');
}

/** Atlases by the text of their files, so that detectors of one font share it and what is worked out from it. */
const atlases = new Map<string, Atlas>();
const MOST_ATLASES = 16;

export async function loadAtlas(path: string, assets: Assets): Promise<Atlas> {
  const text = await readText(assets, path);
  const known = atlases.get(text);
  if (known) return known;
  const atlas = parseAtlas(text, path);
  if (atlases.size >= MOST_ATLASES) atlases.clear();
  atlases.set(text, atlas);
  return atlas;
}

/** A reading from which on other sizes are not tried. */
const PLAIN = 0.8;

class TextDetector implements Detector {
  readonly #fonts: FontReaders | undefined;
  /** Which characters look the same, where the font has letters of which some do. */
  readonly #canon: ((char: string) => string) | undefined;
  readonly #fallback: Fallback | undefined;
  readonly #options: TextOptions;
  readonly #light: { meter: LightMeter; region: string; key: string } | undefined;

  readonly #languages: readonly string[];
  readonly #alike: (char: string) => readonly string[];
  readonly #lexicon: TextLexicon | undefined;
  readonly #marked: boolean;

  constructor(
    fonts: readonly Atlas[],
    options: TextOptions,
    meter: LightMeter | undefined,
    lexicon: TextLexicon | undefined,
    fallback: Fallback | undefined,
  ) {
    const [atlas] = fonts;
    this.#languages = languagesOf(options.language);
    this.#alike = atlas && this.#languages.length > 0 ? alikeIn(atlas) : (char) => [char];
    this.#lexicon = lexicon;
    this.#marked = atlas?.file.glyphs.some(({ char }) => char === ':') ?? false;
    this.#fonts =
      atlas && new FontReaders(fonts, options.charset === undefined ? undefined : graphemesOf(options.charset));
    const canon = atlas && lookalikes(atlas);
    this.#canon = canon && canon('l') === canon('I') && canon('l') !== 'l' ? canon : undefined;
    this.#fallback = fallback;
    this.#options = options;
    this.#light = meter && options.light && { meter, region: options.light.region, key: options.light.file };
    if (this.#fonts?.isEmpty)
      throw new PlaybyplayError('bad-charset', `no glyph of ${options.atlas} is in the charset`);
  }

  read(view: View): Observation | Promise<Observation> {
    const own = this.#readGlyphs(view);
    if (!this.#fallback || own?.state === 'seen' || own?.state === 'absent') return own!;
    return this.#ask(this.#fallback, view, own);
  }

  /** What the fallback reads; where it cannot either, what the glyphs said. */
  async #ask(fallback: Fallback, view: View, own: Observation | undefined): Promise<Observation> {
    const nothing: Observation = own ?? { state: 'unreadable', confidence: 0 };
    const found = await fallback.read(await view.prepared());
    if (!found) return nothing;
    const seen = this.#observed(found.text, found.confidence, found.confidence);
    return seen.state === 'seen' ? seen : nothing;
  }

  #readGlyphs(view: View): Observation | undefined {
    const first = this.#readAt(view, 1);
    const { scales = [] } = this.#options;
    if (!first || scales.length === 0 || (first.state === 'seen' && first.confidence >= PLAIN)) return first;
    let [best, most] = [first, Number.NEGATIVE_INFINITY];
    for (const scale of scales) {
      if (scale === 1 || !hasRoom(view, scale)) continue;
      const one = this.#readAt(view, scale);
      if (one?.state !== 'seen' || one.confidence < PLAIN || this.#proof <= most) continue;
      [best, most] = [one, this.#proof];
    }
    return best;
  }

  /** How well the characters of the last line fit, all together. */
  #proof = 0;

  #readAt(view: View, scale: number): Observation | undefined {
    const { align = 'left', jitter = 1, reject = 0.3 } = this.#options;
    if (!this.#fonts) return undefined;
    const read = this.#fonts.read((atlas) => lineImage(view, atlas, jitter, this.#light, scale), align, jitter);
    if (!read) return { state: 'unreadable', confidence: 0 };
    this.#proof = read.cells.reduce((sum, { llr }) => sum + llr, 0);
    const line = this.#spoken(read);
    const seen = line.text === '' ? undefined : this.#observed(line.text, line.confidence);
    const confidence = seen?.state === 'seen' ? seen.confidence : line.confidence;
    if (confidence < reject) return { state: 'unreadable', confidence, detail: line.text };
    return seen ?? { state: 'absent', confidence };
  }

  /** The line with its text as it is spoken. */
  #spoken(line: LineReading): LineReading {
    if (line.text === '') return line;
    const text = spoken(line.text, this.#languages, this.#alike);
    return { ...line, text: this.#canon ? plainCase(text, this.#canon) : text };
  }

  /**
   * What a text is as the detector's value: the one of the lexicon that it is a slip away from, which is surer than the reading was (at
   * most `most`), else as it was read.
   */
  #observed(read: string, confidence: number, most = 1): Observation {
    const text = this.#languages.length === 0 ? read : normalizeText(read, this.#languages);
    const found = this.#lexicon?.find(text);
    if (this.#lexicon && !found && this.#options.others === 'drop')
      return { state: 'unreadable', confidence, detail: text };
    const sure = found ? Math.min(found.confidence, most) : confidence;
    const seen = valueOf(found?.text ?? text, sure, this.#options.value ?? 'text', this.#languages, this.#marked);
    return found?.detail && seen.state === 'seen' ? { ...seen, detail: found.detail } : seen;
  }

  [Symbol.dispose](): void {
    this.#fallback?.[Symbol.dispose]();
  }
}
