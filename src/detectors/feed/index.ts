import { flag, integer, list, oneOf } from '../../schema/build.ts';
import { toLanguageTags } from '../../language/tags.ts';
import { resolveLookalikes } from '../../language/text.ts';
import type { Tracker } from '../../cues/tracker.ts';
import type { DetectorSpec } from '../../profile/profile.ts';
import type { Assets, CharacterSize, Detector, FrameDetectorKind, Observation, Requirement, View } from '../kind.ts';
import { type Atlas, charactersOf, readsColors, lookalikes, lookalikesIn } from '../text/atlas.ts';
import type { Cell } from '../text/line-reading.ts';
import { readTemplate } from '../icon/template.ts';
import { generalReaderRequirements } from '../text/general-reader.ts';
import { loadAtlas } from '../text/index.ts';
import { readText } from '../text/read-text.ts';
import { FeedLexicon } from './lexicon.ts';
import type { FeedLine } from './lines.ts';
import { LineReader } from './reader.ts';
import { describeIconShape } from '../../recognition/row-icon.ts';
import { type NamedShape, RowDetector } from './row-detector.ts';
import { RowTracker } from './row-tracker.ts';
import { EARLY_SIGHTINGS, FeedTracker, NAME_WAIT_SECONDS } from './tracker.ts';
import { Units } from './units.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';

/** Log likelihood ratio below which a character is taken for scenery. */
const MIN_CHARACTER_LLR = 12;
/** Share of a character's score from which another is recorded as its rival. */
const RIVAL_SHARE = 0.4;

const schema = {
  type: 'object',
  dependentRequired: { atlas: ['lines'], lines: ['atlas'], lexicon: ['atlas'], inks: ['atlas'] },
  properties: {
    atlas: {
      type: 'string',
      format: 'asset',
      description:
        'Atlas file of a fixed-pitch font. Without, the general reader reads the rows, in any smooth font, and writes `A > B` where an icon lies between two texts.',
    },
    lines: integer([1, 40], 'How many lines the region holds.'),
    lexicon: { type: 'string', format: 'asset', description: 'Lexicon file: the phrases that lines follow.' },
    others: oneOf(['keep', 'drop'], 'What happens to lines that match no phrase.', 'keep'),
    enough: integer([1, 1000], 'Samples after which the reading of a line is final.', 20),
    split: flag(
      'Without an atlas: texts on either side of an icon are parts, written `A > B`; else a row is one text.',
      true,
    ),
    icons: {
      type: 'object',
      minProperties: 1,
      maxProperties: 100,
      additionalProperties: { type: 'string', format: 'asset' },
      description:
        'Without an atlas: pictures of the icons that may lie between two texts, by name. A row is then written `A > [name] > B`.',
    },
    inks: list(
      { type: 'string', pattern: '^#[0-9a-fA-F]{6}$' },
      [1, 16],
      'Colors in which characters (names, say) can be drawn in lines whose other characters are white.',
    ),
  },
} as const satisfies Schema;

/** Options of the kind. */
export type FeedOptions = FromSchema<typeof schema> & Pick<DetectorSpec, 'language'>;

/**
 * Reads lines that appear, scroll up and vanish, as in a kill feed or a chat. A sample gives each line's characters; the tracker
 * follows a line from sample to sample.
 */
export const kind: FrameDetectorKind<FeedOptions> = {
  input: 'frame',
  name: 'feed',
  description:
    'Lines that appear, move up and vanish (kill feeds, chats). Each line is followed over its life and read from all its frames together; a lexicon of phrases decides between readings. One `found` cue a line; its detail holds the phrase and its slots.',
  reads: 'luma',
  schema,
  async open(options: FeedOptions, assets: Assets): Promise<Detector> {
    if (options.atlas === undefined) {
      const icons = await readShapes(options.icons ?? {}, assets);
      return await RowDetector.open(options.split ?? true, toLanguageTags(options.language), icons);
    }
    return new FeedDetector(await loadAtlas(options.atlas, assets), options.lines!, options.inks);
  },
  byColour: async ({ atlas }, assets) => atlas !== undefined && readsColors((await loadAtlas(atlas, assets)).file),
  async requires({ atlas }: FeedOptions): Promise<readonly Requirement[]> {
    return atlas === undefined ? await generalReaderRequirements() : [];
  },
  async characters({ atlas }: FeedOptions, assets: Assets): Promise<CharacterSize | undefined> {
    if (atlas === undefined) return undefined;
    return charactersOf((await loadAtlas(atlas, assets)).file, false);
  },
  async track(
    name: string,
    spec: DetectorSpec & FeedOptions,
    _interval: number,
    assets: Assets,
    isEarly = false,
  ): Promise<Tracker> {
    if (spec.atlas === undefined) {
      const { samples = 2, gaps = 3, confidence = 0.4 } = spec.stability ?? {};
      return new RowTracker(name, spec.region, { samples, gaps, confidence, enough: spec.enough ?? 20 });
    }
    const atlas = await loadAtlas(spec.atlas, assets);
    const units = new Units(atlas);
    const alike = lookalikes(atlas);
    const canon = (unit: string): string => units.encodeChar(alike(units.decode(unit)));
    const lexicon =
      spec.lexicon === undefined
        ? undefined
        : new FeedLexicon(await readText(assets, spec.lexicon), spec.lexicon, canon, (text) => units.encode(text));
    const languages = toLanguageTags(spec.language);
    const classes = languages.length === 0 ? (char: string) => [char] : lookalikesIn(atlas);
    const shown = (text: string): string => resolveLookalikes(units.decode(text), classes, languages);
    const rules = {
      samples: spec.stability?.samples ?? 2,
      gaps: spec.stability?.gaps ?? 4,
      confidence: spec.stability?.confidence ?? 0.5,
      enough: isEarly ? EARLY_SIGHTINGS : (spec.enough ?? 20),
      nameWaitSeconds: isEarly ? 0 : NAME_WAIT_SECONDS,
      others: spec.others ?? 'keep',
    } as const;
    return new FeedTracker(
      name,
      spec.region,
      rules,
      lexicon,
      languages.length === 0 ? (text) => units.decode(text) : shown,
    );
  },
};

/** Reads pictures of icons; those in which no icon stands out are left out. */
async function readShapes(icons: Readonly<Record<string, string>>, assets: Assets): Promise<readonly NamedShape[]> {
  const read = await Promise.all(
    Object.entries(icons).map(async ([name, path]): Promise<NamedShape[]> => {
      const { rgb, width, height } = await readTemplate(await assets.read(path), path);
      const shape = describeIconShape({ data: rgb, width, height, channels: 3 });
      return shape ? [{ name, shape }] : [];
    }),
  );
  return read.flat();
}

class FeedDetector implements Detector {
  readonly #reader: LineReader;
  readonly #atlas: Atlas;
  readonly #canon: (char: string) => string;
  readonly #units: Units;

  constructor(atlas: Atlas, lines: number, inks?: readonly string[]) {
    this.#reader = new LineReader(atlas, lines, inks);
    this.#canon = lookalikes(atlas);
    this.#units = new Units(atlas);
    this.#atlas = atlas;
  }

  read(view: View): Observation {
    const found: FeedLine[] = [];
    for (const [slot, cells] of this.#reader.read(view).entries()) {
      const line = this.#lineOf(slot, cells);
      if (line) found.push(line);
    }
    if (found.length === 0) return { state: 'absent', confidence: 0.95 };
    const value = found.map((line) => this.#units.decode(line.text).trimEnd()).join('\n');
    return { state: 'seen', value, confidence: 0.95, detail: { lines: found } };
  }

  #lineOf(slot: number, cells: readonly Cell[]): FeedLine | undefined {
    const { glyphs, file } = this.#atlas;
    const columnOf = (cell: Cell): number => Math.round(cell.x / file.pitch!);
    const kept = cells.filter((cell) => cell.glyph >= 0 && cell.llr >= MIN_CHARACTER_LLR);
    if (kept.length === 0) return undefined;
    const columns = columnOf(kept.at(-1)!) + 1;
    const chars = Array.from({ length: columns }, () => ' ');
    const scores = Array.from({ length: columns }, () => 0);
    const rivals: [number, string, number][] = [];
    for (const cell of kept) {
      const column = columnOf(cell);
      chars[column] = this.#units.encodeChar(cell.char);
      scores[column] = Math.round(cell.llr);
      const rival = cell.second < 0 ? cell.char : glyphs[cell.second]!.char;
      if (cell.secondLlr >= RIVAL_SHARE * cell.llr && this.#canon(rival) !== this.#canon(cell.char))
        rivals.push([column, this.#units.encodeChar(rival), Math.round(cell.secondLlr)]);
    }
    return { slot, text: chars.join(''), scores, ...(rivals.length === 0 ? {} : { rivals }) };
  }

  [Symbol.dispose](): void {}
}
