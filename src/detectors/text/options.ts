import { integer, list, number, oneOf, uniqueList } from '../../schema/build.ts';
import { PART_KINDS } from '../../recognition/row-parts.ts';
import type { DetectorSpec } from '../../profile/profile.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';

/** JSON Schema of the options of `text` detectors. */
export const TEXT_SCHEMA = {
  type: 'object',
  properties: {
    atlas: { type: 'string', format: 'asset', description: "Atlas file, relative to the profile's folder." },
    variants: uniqueList(
      { type: 'string', format: 'asset' },
      [1, 8],
      'Atlas files of the same font in other colors, or in a channel that a tint leaves. Tried where the first reading is uncertain; the most confident reading counts.',
    ),
    align: oneOf(
      ['left', 'right', 'centre'],
      'Where the text starts from in its region; default left. With `reader`: what it reads unsurely is read once more without the space that is free for another character.',
    ),
    charset: { type: 'string', minLength: 1, description: 'The characters that can occur; default all.' },
    value: oneOf(
      ['text', 'number', 'integer', 'time', 'stopwatch'],
      '`number`: gives a number, written as in the language (1.234,5 in German; 45 % is 45). `integer`: gives a whole number, whatever separates its thousands (6,350, 6.350, 6 350). `time`: gives seconds (1:23.4, 1\'23"4, 2h05). `stopwatch`: gives the seconds of minutes, seconds and hundredths with colons (01:23:45 is 83.45).',
    ),
    jitter: integer([0, 8], 'Pixels of the atlas by which the text may lie elsewhere in its region; default 1.'),
    lexicon: {
      type: 'string',
      format: 'asset',
      description:
        'File of the texts that can occur, one a line, or of phrases (playbyplay/lexicon/1, as for feeds), which may be anywhere in the text. A reading that is close to just one of them is corrected to it.',
    },
    ignore: uniqueList(
      { enum: ['case', 'diacritics'] },
      [],
      'In what a reading and a text of the lexicon may differ; of phrases the case never counts.',
    ),
    others: oneOf(
      ['keep', 'drop'],
      'Texts that are not in the lexicon: kept as they are read (default), or taken for unreadable.',
    ),
    reject: number([0, 1], 'Readings of glyphs that are less sure count as unreadable; default 0.3.'),
    scales: list(
      number([0.5, 3]),
      [1, 8],
      'How many times as large the text may be drawn about the middle of its region: tried where it is not read as it is (a counter that swells when it changes). What is larger than the region must lie in its `padding`: 0.3 for 1.6 times.',
    ),
    reader: {
      enum: ['general'],
      description:
        '`general`: reads any font, without an atlas, by a trained network (PP-OCRv4: Latin letters without accents, digits, signs, Chinese), about 10 ms a crop. Only texts that `charset`, `pattern` and `lexicon` allow are considered.',
    },
    pattern: {
      type: 'string',
      format: 'regex',
      maxLength: 1000,
      description:
        'A regular expression of the whole text (`\\d\\d:\\d\\d`, `Lap (\\d+)/\\d+`). Its first group, if it has one, is the value. The general reader considers only such texts; what glyphs read otherwise is unreadable.',
    },
    row: {
      type: 'object',
      description:
        'With `reader`: several texts stand next to each other in the region, as in a score bar, and move when one of them gets wider. One of them is read, wherever it stands: `LIONS 12 9 HAWKS` has the parts words, figure, figure, words.',
      required: ['parts', 'part'],
      additionalProperties: false,
      properties: {
        parts: list({ enum: PART_KINDS }, [2, 16], 'What stands in the row, from left to right.'),
        part: integer([0, 15], 'Number of the part that is read, from 0.'),
      },
    },
    find: {
      type: 'boolean',
      description:
        'With `reader`: finds the lines in the region first, by a second network; for messages that fill their region only in part.',
    },
    fallback: {
      type: 'object',
      description:
        'What reads text that fits no glyph, or has no atlas: `general`, as `reader` above, about 10 ms a crop; or `tesseract`, for other scripts, about 90 ms a crop, which wants dark text on light, capitals 20 to 30 pixels high, after the `preprocess` steps of the region.',
      required: ['reader'],
      additionalProperties: false,
      properties: {
        reader: { enum: ['general', 'tesseract'] },
        whitelist: {
          type: 'string',
          minLength: 1,
          description: 'Characters that can occur; default those of `charset`.',
        },
        layout: oneOf(['line', 'word', 'character', 'block'], 'What the region holds; default one line.'),
        reject: number([0, 1], 'Readings of lower confidence are unreadable; default 0.6.'),
        data: list(
          { type: 'string', format: 'asset' },
          [1, 8],
          "Tesseract's language data next to the profile (`rus.traineddata.gz`), for languages whose npm package is not installed.",
        ),
      },
    },
    light: {
      type: 'object',
      description:
        'A constant part of the HUD and its picture in normal light (a light file), by which tints and fades are measured.',
      required: ['region', 'file'],
      additionalProperties: false,
      properties: { region: { type: 'string', format: 'region' }, file: { type: 'string', format: 'asset' } },
    },
  },
} as const satisfies Schema;

/** Options of the kind, the languages of the detector, and what its texts can be. */
export type TextOptions = FromSchema<typeof TEXT_SCHEMA> & Pick<DetectorSpec, 'language' | 'plausible'>;

/** How text is read that no glyph of the atlas fits, or that has no atlas. */
export type FallbackOptions = NonNullable<TextOptions['fallback']>;

/** The side of the region from which the text starts. */
export type Align = NonNullable<TextOptions['align']>;

/** What a text detector's value is: the text itself, the number or whole number that it is, or the seconds of a clock. */
export type ValueKind = NonNullable<TextOptions['value']>;
