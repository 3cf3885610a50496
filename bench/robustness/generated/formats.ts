import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { placementSchema } from '../../../src/geometry.ts';
import { configSchema } from '../../../src/cli/plugins.ts';
import { readPlacement } from '../../../src/cli/placement.ts';
import { planGraphFile } from '../../../src/cli/commands/graph.ts';
import { quantize } from '../../../src/cli/commands/kernel.ts';
import type { CommandIo } from '../../../src/cli/command.ts';
import { graphSchema } from '../../../src/compute/scheduler/description.ts';
import { readStream } from '../../../src/detectors/stream/read-stream.ts';
import { readFingerprint, soundSchema } from '../../../src/detectors/sound/fingerprint.ts';
import { atlasSchema, parseAtlas } from '../../../src/detectors/text/atlas.ts';
import { lexiconSchema, openLexicon } from '../../../src/detectors/text/lexicon.ts';
import { LightMeter, lightSchema } from '../../../src/detectors/text/line-image.ts';
import { builtinFolder, loadBuiltin } from '../../../src/dictionary/files.ts';
import { dictionarySchema } from '../../../src/dictionary/format.ts';
import { loadDictionary } from '../../../src/dictionary/load.ts';
import { PlaybyplayError } from '../../../src/errors.ts';
import { readTruth } from '../../../src/evaluate/truth.ts';
import { evaluate } from '../../../src/evaluate/evaluate.ts';
import { correctionSchema } from '../../../src/events/corrections.ts';
import { importForeign, recognizeForeign } from '../../../src/events/import/foreign/index.ts';
import { importLog } from '../../../src/events/import/import-log.ts';
import { compileMapping, loadMapping, logMappingSchema } from '../../../src/events/import/mapping.ts';
import { openJournal } from '../../../src/events/journal.ts';
import { LINE_SCHEMAS, loadLog } from '../../../src/events/reader.ts';
import { STATEMENT_SCHEMA } from '../../../src/events/statement.ts';
import { brandSchema, readBrand } from '../../../src/highlights/brand.ts';
import { chooseScenes } from '../../../src/highlights/choose.ts';
import { exportAs, exportFormats } from '../../../src/highlights/export.ts';
import { preferenceFactors, preferencesSchema, readPreferences } from '../../../src/highlights/preferences.ts';
import { readSettings, unknownWords } from '../../../src/highlights/settings.ts';
import { settingsSchema } from '../../../src/highlights/settings.ts';
import { loadSources } from '../../../src/highlights/sources.ts';
import { readViewerWeights, viewerFactors, viewerWeightSchema } from '../../../src/highlights/weights.ts';
import { parseLabels } from '../../../src/pipeline/authoring/learn.ts';
import { constantsSchema, parseConstants } from '../../../src/quality/constants.ts';
import { scoreFiles } from '../../../src/quality/score.ts';
import { parseJsonFile } from '../../../src/schema/parse.ts';
import type { Schema } from '../../../src/schema/from-schema.ts';
import { compileQuery, runQuery } from '../../../src/query/run.ts';
import { querySchema, type Query } from '../../../src/query/query.ts';
import { mutatedJson, mutatedLines, mutatedText } from '../../../test/fixtures/generated/mutations.ts';
import { EXTREME_NUMBERS, type SchemaHints, valuesOf } from '../../../test/fixtures/generated/from-schema.ts';
import { random as seeded } from '../../../test/fixtures/quality/reference.ts';

/** A format of files that come from others, and the code that reads it. */
export interface Format {
  readonly inputs: fc.Arbitrary<Uint8Array>;
  /**
   * Reads an input as the program does, and uses what was read.
   *
   * @throws PlaybyplayError if the input is refused.
   */
  read(input: Uint8Array): Promise<unknown> | unknown;
}

const root = join(import.meta.dirname, '..', '..', '..');
const fixture = (...path: string[]): string => join(root, 'test', 'fixtures', ...path);
const textOf = (input: Uint8Array): string => Buffer.from(input).toString('utf8');
const builtIn = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));

/**
 * Half of the values are generated from the schema, half are built-in files.
 *
 * @param connect Makes seven of eight generated values consistent where the schema cannot say what is.
 */
function jsonOf(
  schema: Schema,
  examples: readonly unknown[],
  hints?: SchemaHints,
  connect?: (value: Record<string, unknown>) => unknown,
): fc.Arbitrary<Uint8Array> {
  const values = connected(valuesOf(schema, hints), connect);
  return mutatedJson(examples.length === 0 ? values : fc.oneof(values, fc.constantFrom(...examples)));
}

function connected(
  values: fc.Arbitrary<unknown>,
  connect: (value: Record<string, unknown>) => unknown = (value) => value,
): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 7, arbitrary: values.map((value) => connect(value as Record<string, unknown>)) }, values);
}

/** So many bytes in base64; of a size that no file has, none. */
const bytesInBase64 = (count: unknown): string =>
  Buffer.alloc(Math.min(1e5, Math.max(0, Number(count) || 0)), 7).toString('base64');

/** The members of a schema that name the kind of a line. */
const typed = (type: string): { readonly type: { readonly const: string } } => ({ type: { const: type } });

/** A line whose end is not before its beginning. */
const inOrder = (line: Record<string, unknown>): unknown => ({
  ...line,
  t: Math.min(Number(line['t']), Number(line['end'])),
  end: Math.max(Number(line['t']), Number(line['end'])),
});

/** A font whose glyphs have as many bytes as their sizes say. */
const sized = (file: Record<string, unknown>): unknown => ({
  ...file,
  glyphs: ((file['glyphs'] ?? []) as Record<string, unknown>[]).map((glyph) => {
    const bytes = bytesInBase64(Number(glyph['width']) * Number(file['height']));
    return { ...glyph, level: bytes, sigma: bytes };
  }),
});

/** Part of an example, so that a case takes no longer than its file is long. */
function firstWords(path: string, count: number): unknown {
  const file = builtIn(path) as Record<string, unknown[]>;
  return {
    ...file,
    objects: file['objects']?.slice(0, count),
    actions: file['actions']?.slice(0, count),
    events: file['events']?.slice(0, 3),
  };
}

const io = {
  stdout: { write: () => true },
  stderr: { write: () => true },
  signal: new AbortController().signal,
} as unknown as CommandIo;

/** Opens the formats. @param folder A folder for files, in memory if possible. */
export async function openFormats(folder: string): Promise<Readonly<Record<string, () => Promise<Format>>>> {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, input: Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, input);
    return path;
  };
  const logText = readFileSync(fixture('logs', 'freedoom-demo1.ndjson'), 'utf8');
  const logLines = logText
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  const words = { names: ['player', 'opponent', 'kill', 'health', 'rocket launcher', 'a'] };
  const log = fc
    .tuple(
      fc.oneof(
        { weight: 5, arbitrary: fc.constant(logLines[0]) },
        connected(valuesOf(LINE_SCHEMAS.header, words), (line) => ({
          ...line,
          type: 'header',
          format: 'playbyplay/1',
        })),
      ),
      fc.array(
        fc.oneof(
          fc.constantFrom(...logLines.slice(1, -1)),
          connected(
            valuesOf(
              {
                ...LINE_SCHEMAS.event,
                required: ['type', ...(LINE_SCHEMAS.event['required'] as string[])],
                properties: {
                  ...(LINE_SCHEMAS.event['properties'] as object),
                  ...typed('event'),
                  statement: STATEMENT_SCHEMA,
                },
              },
              { ...words, schemas: schemaReferences(STATEMENT_SCHEMA) },
            ),
            inOrder,
          ),
          connected(
            valuesOf({
              ...LINE_SCHEMAS.gap,
              required: ['type', 't', 'end'],
              properties: { ...(LINE_SCHEMAS.gap['properties'] as object), ...typed('gap') },
            }),
            inOrder,
          ),
        ),
        { maxLength: 12 },
      ),
      fc.option(fc.constant(logLines.at(-1)), { nil: undefined }),
    )
    .map(([head, lines, end]) => [head, ...lines, ...(end === undefined ? [] : [end])]);
  return {
    dictionary: async () => {
      const common = { file: 'common.json', data: readFileSync(join(builtinFolder, 'common.json'), 'utf8') };
      const base = JSON.stringify(firstWords('dictionary/common.json', 40));
      let turn = 0;
      return {
        inputs: jsonOf(
          dictionarySchema,
          ['openarena', 'freedoom', 'nethack'].map((name) => firstWords(`dictionary/${name}.json`, 12)),
          {
            names: ['weapon', 'player', 'kill', 'my-game', 'b'],
            properties: {
              version: ['1.0.0', '0.12.3', '999999999.0.1'],
              name: ['my-game', 'b', 'fall', 'kill', 'torch'],
              parent: ['thing', 'happen', 'vitality', 'weapon', 'b'],
              definition: ['what burns', 'to come down'],
              sense: ['a', 'game-of'],
              language: ['en', 'de'],
            },
          },
          (file) => ({ ...file, name: 'my-game', version: '1.0.0', extends: { common: '^1.0.0' } }),
        ),
        read(input) {
          // The whole common dictionary takes longer than all else.
          const first = turn++ % 1000 === 0 ? common : { file: 'common.json', data: base };
          const { issues } = loadDictionary([first, { file: 'own.json', data: textOf(input) }]);
          refuse(issues.filter(({ path }) => path?.startsWith('own')));
        },
      };
    },
    'highlight-settings': async () => {
      const { dictionary } = await loadBuiltin(['freedoom']);
      const logFile = write('settings.ndjson', Buffer.from(logText));
      const { sources } = await loadSources([logFile]);
      return {
        inputs: jsonOf(
          settingsSchema,
          ['freedoom', 'openarena'].map((game) => builtIn(`configs/${game}/highlights.json`)),
          words,
        ),
        read(input) {
          const settings = readSettings(write('settings.json', input));
          unknownWords(settings, dictionary, 'settings.json');
          chooseScenes(sources, { dictionary, settings: [settings], duration: 20 });
        },
      };
    },
    'viewer-weights': async () => {
      const logFile = write('viewers.ndjson', Buffer.from(logText));
      const { sources } = await loadSources([logFile]);
      return {
        inputs: mutatedLines(fc.array(connected(valuesOf(viewerWeightSchema), inOrder), { maxLength: 8 })),
        read(input) {
          const factor = viewerFactors(readViewerWeights(write('viewers.json', input)), sources);
          for (const event of sources[0]!.events.slice(0, 20)) factor(0, event);
        },
      };
    },
    atlas: async () => {
      const fonts = readdirSync(join(root, 'configs/openarena/fonts')).filter((name) => name.endsWith('.json'));
      const small = fonts
        .map((name) => builtIn(`configs/openarena/fonts/${name}`) as { glyphs: unknown[] })
        .map((one) => ({ ...one, glyphs: one.glyphs.slice(0, 4) }));
      return {
        inputs: jsonOf(atlasSchema, small, { formats: {}, properties: { char: ['a', 'b', '0', '1', '💀'] } }, sized),
        read: (input) => parseAtlas(textOf(input), 'font.json'),
      };
    },
    light: async () => ({
      inputs: jsonOf(
        lightSchema,
        [{ format: 'playbyplay/light/1', width: 2, height: 2, y: 'AAECAw==', cb: 'gICAgA==', cr: 'gICAgA==' }],
        {},
        (file) => {
          const plane = bytesInBase64(Number(file['width']) * Number(file['height']));
          return { ...file, y: plane, cb: plane, cr: plane };
        },
      ),
      read: (input) => new LightMeter(textOf(input), 'light.json'),
    }),
    lexicon: async () => {
      const examples = ['openarena/feed', 'openarena/centre', 'hedgewars/captions', 'hedgewars/weapons'].map((name) =>
        builtIn(`configs/${name}.json`),
      );
      return {
        inputs: fc.oneof(
          jsonOf(lexiconSchema, examples),
          mutatedText([readFileSync(join(root, 'configs/freedoom/messages.txt'), 'utf8')]),
        ),
        read: (input) =>
          openLexicon(textOf(input), 'words.json', ['en'], { case: true, diacritics: false }).find(
            'You got the shotgun!',
          ),
      };
    },
    sound: async () => {
      const frames = 4;
      const cells = Buffer.alloc(frames * 48, 7).toString('base64');
      return {
        inputs: jsonOf(
          soundSchema,
          [
            {
              format: 'playbyplay/sound/1',
              label: 'a',
              bands: (soundSchema.properties.bands as { const: number }).const,
              frames,
              onset: 0,
              levels: cells,
              weights: cells,
              examples: 1,
            },
          ],
          {},
          (file) => {
            const bytes = bytesInBase64(Number(file['frames']) * 48);
            return { ...file, levels: bytes, weights: bytes };
          },
        ),
        read: (input) => readFingerprint(textOf(input), 'sound.json'),
      };
    },
    'event-log': async () => {
      const { dictionary } = await loadBuiltin(['freedoom']);
      const queries = [
        'kills by player',
        'count deaths',
        'health below 50',
        'longest time between kills',
        'kill then die within 5 seconds',
      ].flatMap((text) => {
        try {
          return [compileQuery(text, dictionary)];
        } catch {
          return [];
        }
      });
      const formats = exportFormats;
      let turn = 0;
      return {
        inputs: mutatedLines(log),
        async read(input) {
          const loaded = await loadSources([write('events.ndjson', input)]);
          const { sources } = loaded;
          for (const query of queries) runQuery(query, sources[0]!.events);
          const choice = chooseScenes(sources, { dictionary, duration: 20 });
          exportAs(formats[turn++ % formats.length]!, { choice, sources, dictionary, title: 'Title' });
        },
      };
    },
    query: async () => {
      const { dictionary } = await loadBuiltin(['freedoom']);
      const events = logLines.filter((line) => (line as { type: string }).type === 'event') as Parameters<
        typeof runQuery
      >[1];
      const sentences = (builtIn('test/cases/queries.json') as { matches: { query: string }[] }).matches.map(
        ({ query }) => query,
      );
      return {
        inputs: fc.oneof(
          jsonOf(querySchema, [], words),
          sentences.length === 0 ? fc.constant(Buffer.from('kills')) : mutatedText(sentences),
        ),
        read(input) {
          const text = textOf(input);
          let query: string | Query = text;
          try {
            const value: unknown = JSON.parse(text);
            if (typeof value === 'object' && value !== null) query = value as Query;
          } catch {
            // A sentence.
          }
          runQuery(compileQuery(query, dictionary), events);
        },
      };
    },
    journal: async () => {
      const key = { media: 'a', profile: 'b', plan: 'full' };
      const path = join(folder, 'readings.journal');
      await using journal = await openJournal<unknown>(path, key);
      for (let i = 0; i < 5; i++) await journal.append(`${i}`, { readings: [[1, 2, i]], text: 'x'.repeat(i * 40) });
      const bytes = readFileSync(path);
      return {
        inputs: fc.tuple(fc.nat(), fc.nat({ max: 6 })).map(([seed, count]) => damageBytes(bytes, seed, count)),
        async read(input) {
          await using opened = await openJournal<unknown>(write('damaged.journal', input), key, { resume: true });
          for (const chunk of opened.completed) await opened.read(chunk);
        },
      };
    },
    labels: async () => ({
      inputs: mutatedLines(
        fc.array(
          fc.record({
            media: fc.constantFrom('clip.mp4', '../x.mp4'),
            t: fc.double(),
            detector: fc.constantFrom('a', 'b'),
            text: fc.constantFrom('87', '💀'),
          }),
          { maxLength: 6 },
        ),
      ),
      read: (input) => parseLabels(textOf(input), 'labels.ndjson'),
    }),
    truth: async () => {
      const { dictionary } = await loadBuiltin(['freedoom']);
      const { sources } = await loadSources([write('own.ndjson', Buffer.from(logText))]);
      const lines = readFileSync(join(root, 'test/footage/freedoom-demo1.truth.ndjson'), 'utf8')
        .trim()
        .split('\n')
        .slice(0, 40)
        .map((line) => JSON.parse(line) as unknown);
      return {
        inputs: mutatedLines(fc.array(fc.constantFrom(...lines), { maxLength: 12 })),
        async read(input) {
          const truth = await readTruth(write('truth.ndjson', input));
          evaluate([{ name: 'clip', truth, events: sources[0]!.events.slice(0, 40) }], {
            dictionary,
            tolerance: 0.5,
          } as Parameters<typeof evaluate>[1]);
        },
      };
    },
    'log-mapping': async () => {
      const { dictionary } = await loadBuiltin(['openarena']);
      const text = readFileSync(fixture('logs', 'quake3-games.txt'), 'utf8').split('\n').slice(0, 60).join('\n');
      return {
        inputs: jsonOf(
          logMappingSchema,
          [builtIn('configs/openarena/quake3.log.json'), builtIn('configs/freedoom/levelstat.log.json')],
          { names: ['kill', 'a'], formats: { regex: ['^(\\d+):(\\d+) (.*)$', 'Kill: (\\d+)', '.'] } },
        ),
        read: (input) =>
          importLog(text, compileMapping(parseText(textOf(input), 'map.json', 'bad-mapping'), 'map.json'), dictionary),
      };
    },
    'foreign-log': async () => {
      const { dictionary } = await loadBuiltin(['openarena']);
      const mapping = await loadMapping('quake3');
      const text = readFileSync(fixture('logs', 'quake3-games.txt'), 'utf8').split('\n');
      const parts = Array.from({ length: 10 }, (_, i) => text.slice(i * 30, i * 30 + 40).join('\n')).filter(
        (part) => part !== '',
      );
      return { inputs: mutatedText(parts), read: (input) => importLog(textOf(input), mapping, dictionary) };
    },
    corrections: async () => {
      const path = write('corrected.ndjson', Buffer.from(logText));
      const ids = logLines.flatMap((line) => ('id' in (line as object) ? [(line as { id: string }).id] : []));
      const corrections = connected(
        valuesOf(
          {
            ...correctionSchema,
            properties: {
              ...correctionSchema.properties,
              event: {
                ...correctionSchema.properties.event,
                properties: { ...correctionSchema.properties.event.properties, statement: STATEMENT_SCHEMA },
              },
            },
          } as Schema,
          {
            ...words,
            properties: { id: [...ids.slice(0, 20), '+1'], text: ['player dies'] },
            schemas: schemaReferences(STATEMENT_SCHEMA),
          },
        ),
        (line) => ({
          ...line,
          ...(line['event'] === undefined ? {} : { event: inOrder(line['event'] as Record<string, unknown>) }),
        }),
      );
      return {
        inputs: mutatedLines(
          fc.array(corrections, { maxLength: 8 }).map((lines) => [{ format: 'playbyplay/corrections/1' }, ...lines]),
        ),
        async read(input) {
          write('corrected.corrections.ndjson', input);
          await loadLog(path);
        },
      };
    },
    preferences: async () => {
      const { sources } = await loadSources([write('preferred.ndjson', Buffer.from(logText))]);
      return {
        inputs: jsonOf(preferencesSchema as Schema, [{ format: 'playbyplay/preferences/1', words: {} }], words),
        read(input) {
          const factor = preferenceFactors(readPreferences(write('preferences.json', input)));
          for (const event of sources[0]!.events.slice(0, 20)) factor(0, event);
        },
      };
    },
    brand: async () => ({
      inputs: jsonOf(brandSchema as Schema, [{ format: 'playbyplay/brand/1', colors: { accent: '#00e5a8' } }], {
        properties: { logo: ['logo.png', '../logo.png'], displayFont: ['font.ttf'], textFont: ['../../font.ttf'] },
      }),
      read: (input) => readBrand(write('brand.json', input)),
    }),
    'foreign-json': async () => {
      const texts = readdirSync(fixture('foreign')).map((name) => readFileSync(fixture('foreign', name), 'utf8'));
      const values = texts.flatMap((text) => {
        try {
          return [JSON.parse(text) as unknown];
        } catch {
          return [];
        }
      });
      return {
        inputs: fc.oneof(mutatedText(texts), mutatedJson(fc.constantFrom(...values))),
        async read(input) {
          const path = write('foreign.json', input);
          const format = await recognizeForeign(path);
          if (!format) throw new PlaybyplayError('unknown-log', 'the format is not known', { hint: 'Name it.' });
          await importForeign(path, format, { session: 'generated' });
        },
      };
    },
    quality: async () => {
      const names = readdirSync(fixture('quality')).filter((name) => !/\.(?:ts|gz)$/.test(name));
      const head = (name: string): string => readFileSync(fixture('quality', name), 'utf8');
      const texts = names
        .map((name) => (/csv$|obs/.test(name) ? head(name).split('\n').slice(0, 40).join('\n') : head(name)))
        .filter((text) => text.length < 60_000);
      return {
        inputs: mutatedText(texts),
        async read(input) {
          for (const { quality } of await scoreFiles([write('session.csv', input)])) checkFigures(quality);
        },
      };
    },
    'quality-constants': async () => ({
      inputs: jsonOf(constantsSchema as Schema, [
        {
          base: { x: 600, y: 3600, z: 6 },
          picture: {
            curve: [
              [0, 0],
              [1, 100],
            ],
            deviation: 1,
          },
        },
      ]),
      async read(input) {
        parseConstants(parseText(textOf(input), 'constants.json', 'quality-constants'), 'constants.json');
      },
    }),
    stream: async () => {
      const texts = [
        '1\n00:00:01,000 --> 00:00:02,500\nHello\n\n2\n00:00:03,000 --> 00:00:04,000\nBye\n',
        'WEBVTT\n\n00:01.000 --> 00:02.000\n<b>Hi</b>\n',
        '[Script Info]\n[Events]\nFormat: Layer, Start, End, Style, Text\nDialogue: 0,0:00:01.00,0:00:02.00,Default,{\\b1}Hi\n',
        '[{"t": 1, "key": "w"}, {"t": 2.5, "key": "a", "message": {"body": "x"}}]',
        '{"time_ms": 1000, "hr": 80}\n{"time_ms": 2000, "hr": 82}\n',
        'time;hr (bpm)\n0;80\n1,5;82\n',
        't,key\n0.1,w\n0.2,"a,b"\n',
        '<TrainingCenterDatabase><Track><Trackpoint><Time>2024-01-01T00:00:00Z</Time><HeartRateBpm><Value>80</Value></HeartRateBpm></Trackpoint></Track></TrainingCenterDatabase>',
        '<gpx><trk><trkseg><trkpt lat="1" lon="2"><time>2024-01-01T00:00:00Z</time></trkpt></trkseg></trk></gpx>',
        '[00:01] anna: hi\n[00:05] bob: ho\n',
        '812\n790\n805\n799\n',
      ];
      return { inputs: mutatedText(texts), read: (input) => readStream(textOf(input), 'side.csv') };
    },
    placement: async () => ({
      inputs: jsonOf(placementSchema, [
        { format: 'playbyplay/placement/1', scale: 0.8, content: { x: 0, y: 0, width: 1, height: 1 }, confidence: 1 },
      ]),
      read: (input) => readPlacement(write('place.json', input)),
    }),
    config: async () => ({
      inputs: jsonOf(configSchema, [{ plugins: ['./a.js'], profiles: ['./games'] }]),
      read: (input) => parseJsonFile(configSchema, textOf(input), { source: 'config.json', code: 'config-broken' }),
    }),
    graph: async () => ({
      inputs: jsonOf(graphSchema, [
        {
          resources: [{ name: 'a', regions: [6, 4], bytes: 64 }],
          calls: [
            { name: 'b', space: [6, 4], writes: [{ resource: 'a' }] },
            { name: 'c', space: [6, 4], reads: [{ resource: 'a', regions: { radius: 1 } }] },
          ],
        },
      ]),
      read: (input) =>
        planGraphFile(
          io,
          { devices: 2, json: true } as Parameters<typeof planGraphFile>[1],
          write('graph.json', input),
        ),
    }),
    kernel: async () => {
      // Rows of one length: two kernels of three have up to 81 coefficients, the others two rows of any length.
      const coefficients = fc.oneof(
        { weight: 10, arbitrary: fc.integer({ min: -300, max: 300 }).map((value) => value / 8) },
        {
          weight: 30,
          arbitrary: fc
            .double({ min: -10, max: 10, noNaN: true })
            .filter((value) => value === 0 || Math.abs(value) > 1e-9),
        },
        fc.constantFrom<number>(0, ...EXTREME_NUMBERS),
      );
      const rectangular = fc
        .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
        .chain(([rows, length]) =>
          fc.array(fc.array(coefficients, { minLength: length, maxLength: length }), {
            minLength: rows,
            maxLength: rows,
          }),
        );
      const row = fc.array(coefficients, { minLength: 1, maxLength: 9 });
      const kernels = fc.oneof<fc.Arbitrary<unknown>[]>(
        rectangular,
        row,
        fc.array(row, { maxLength: 2 }),
        rectangular.map((kernel) => ({ kernel })),
        fc.constantFrom(
          [
            [1, 2, 1],
            [2, 4, 2],
            [1, 2, 1],
          ],
          [0.25, 0.5, 0.25],
          [
            [-1, 0, 1],
            [-2, 0, 2],
            [-1, 0, 1],
          ],
        ),
      );
      // A search of the frequency response takes as long as a hundred other roundings.
      const methods = [...Array.from({ length: 3 }, () => ['exact', 'source', 'nearest'] as const).flat(), 'frequency'];
      let turn = 0;
      return {
        inputs: mutatedJson(kernels),
        read: (input) =>
          quantize(
            io,
            {
              bits: 8,
              'exponent-bits': 4,
              method: methods[turn++ % methods.length],
              symmetry: 'auto',
              separate: turn % 5 === 0,
              json: true,
              format: 'json',
            } as unknown as Parameters<typeof quantize>[1],
            write('kernel.json', input),
          ),
      };
    },
    profile: async () => (await import('./packs.ts')).openProfiles(join(folder, 'pack')),
  };
}

/** Parses JSON as the command line does for formats whose reader takes a value. */
function parseText(text: string, source: string, code: string): unknown {
  return parseJsonFile(true as never, text, { source, code });
}

/** Reports what a loader returns as issues in the way that its command does. */
function refuse(issues: readonly { readonly code: string; readonly message: string }[]): void {
  if (issues.length > 0) throw new PlaybyplayError('refused', 'the file has mistakes', { issues });
}

function schemaReferences(schema: {
  readonly $defs: Readonly<Record<string, unknown>>;
}): Readonly<Record<string, Record<string, unknown>>> {
  return Object.fromEntries(
    Object.entries(schema.$defs).map(([name, one]) => [`#/$defs/${name}`, one as Record<string, unknown>]),
  );
}

/** A score is a number from 0 to 100 or none, and no figure of a summary is NaN. */
function checkFigures(quality: unknown): void {
  for (const value of Object.values(quality as object))
    if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`a figure is ${value}`);
    else if (typeof value === 'object' && value !== null) checkFigures(value);
}

/** Changes, cuts, doubles or removes bytes. */
function damageBytes(bytes: Buffer, seed: number, count: number): Uint8Array {
  const next = seeded(seed);
  let damaged = Buffer.from(bytes);
  for (let i = 0; i < count; i++) {
    const at = Math.floor(next() * damaged.length);
    const kind = next();
    if (kind < 0.5 && damaged.length > 0) damaged[at] = Math.floor(next() * 256);
    else if (kind < 0.7) damaged = damaged.subarray(0, at);
    else if (kind < 0.85) damaged = Buffer.concat([damaged.subarray(0, at), damaged]);
    else damaged = Buffer.concat([damaged.subarray(0, at), damaged.subarray(at + 9)]);
  }
  return damaged;
}
