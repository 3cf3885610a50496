import { flag, integer, list, number, object, oneOf } from '../../schema/build.ts';
import { declareRoute } from './route.ts';
import { PATH } from './workspace.ts';

const TEXT = { type: 'string' } as const;
const BOUNDED_TEXT = { type: 'string', maxLength: 4000 } as const;
const NAME = { type: 'string', minLength: 1, maxLength: 200 } as const;
const ANY = { type: 'object' } as const;
const SECONDS = { type: 'number', minimum: 0, maximum: 1e7 } as const;
const VALUE = { type: ['string', 'number', 'boolean'] } as const;
const JOB = { type: 'string', maxLength: 64, description: 'A name by which the page asks for the progress.' } as const;
const BOX = object(
  ['x', 'y', 'width', 'height'],
  { x: { type: 'number' }, y: { type: 'number' }, width: { type: 'number' }, height: { type: 'number' } },
  'A rectangle in pixels of the reference frame.',
);
const ISSUES = list(object(['code', 'message'], { code: TEXT, path: TEXT, message: TEXT, hint: TEXT }), []);
const TRIGGER = oneOf(['appears', 'shows', 'changes', 'rises', 'falls', 'disappears']);
const RULE_PARTS = {
  element: NAME,
  trigger: TRIGGER,
  match: BOUNDED_TEXT,
  by: { type: 'number' },
  below: { type: 'number' },
  above: { type: 'number' },
  statement: ANY,
} as const;
const RULE = object(['element', 'trigger', 'statement'], RULE_PARTS);
const MARKS = list(object(['t', 'statement'], { t: SECONDS, statement: ANY, sentence: TEXT }), []);
const RECORDING = object(['media', 'use'], { media: PATH, use: oneOf(['learn', 'test']) });
const EXAMPLES = list(object(['t', 'text'], { t: SECONDS, text: TEXT }), []);
const EXAMPLE = object([], { value: VALUE, previous: VALUE });
const DIFF = list(
  object(['path', 'lines'], {
    path: TEXT,
    lines: list(object(['kind', 'text'], { kind: oneOf(['same', 'added', 'removed', 'skipped']), text: TEXT }), []),
  }),
  [],
);

/** A pack as the pages of an author show it. */
const PACK = object(
  [
    'game',
    'title',
    'reference',
    'elements',
    'rules',
    'recordings',
    'tests',
    'labels',
    'script',
    'words',
    'issues',
    'warnings',
    'diff',
  ],
  {
    game: TEXT,
    title: TEXT,
    reference: object(['width', 'height'], { width: integer([1]), height: integer([1]) }),
    elements: list(
      object(['name', 'kind', 'status', 'detector', 'rules'], {
        name: NAME,
        kind: TEXT,
        status: oneOf(['proposed', 'accepted', 'refused']),
        box: BOX,
        region: ANY,
        detector: ANY,
        rules: integer([0]),
        certainty: number([0, 1]),
        examples: EXAMPLES,
        example: { ...EXAMPLE, description: 'A change that a recording has shown.' },
      }),
      [],
    ),
    rules: list(
      object(['element', 'trigger', 'statement', 'indices', 'issues', 'isDetailed'], {
        ...RULE_PARTS,
        indices: list(integer([0]), []),
        sentence: TEXT,
        issues: ISSUES,
        isDetailed: flag('It has options that only the text of the profile shows.'),
      }),
      [],
    ),
    recordings: list(RECORDING, []),
    tests: list(
      object(['name', 'isComplete', 'marks'], {
        name: NAME,
        media: PATH,
        from: SECONDS,
        to: SECONDS,
        isComplete: flag(),
        marks: MARKS,
      }),
      [],
    ),
    labels: {
      type: 'object',
      additionalProperties: integer([0]),
      description: 'By element: how many moments are labelled.',
    },
    script: TEXT,
    words: list(object(['kind', 'name', 'definition'], { kind: TEXT, name: TEXT, definition: TEXT }), []),
    issues: ISSUES,
    warnings: ISSUES,
    diff: { ...DIFF, description: 'What the last edit changed in the files.' },
  },
);

/** A pack with everything that an author sees. */
export const showPack = declareRoute({
  method: 'GET',
  url: '/api/pack',
  tag: 'authoring',
  summary: 'Describe a game pack: elements, rules, recordings, tests, mistakes',
  query: object(['path', 'game'], { path: PATH, game: NAME }),
  response: PACK,
});

/** Makes a pack, empty or drafted from recordings. */
export const createPack = declareRoute({
  method: 'POST',
  url: '/api/pack',
  tag: 'authoring',
  summary: 'Make a game pack from recordings: drafted, or without elements',
  body: object(['folder', 'title', 'media'], {
    folder: { ...PATH, description: 'The opened folder, or a folder in it, in which the pack is made.' },
    title: NAME,
    media: list(PATH, [1, 8]),
    isEmpty: flag('Without looking for the HUD.', false),
    job: JOB,
  }),
  response: object(['path', 'game'], { path: PATH, game: NAME }),
});

/** Looks for the HUD again, or in further recordings. */
export const draftElements = declareRoute({
  method: 'POST',
  url: '/api/pack/draft',
  tag: 'authoring',
  summary: 'Find the elements of the HUD; what the author decided stays',
  body: object(['path', 'game', 'media'], { path: PATH, game: NAME, media: list(PATH, [1, 8]), job: JOB }),
  response: PACK,
});

/** How far a long request has come. */
export const showProgress = declareRoute({
  method: 'GET',
  url: '/api/progress',
  tag: 'authoring',
  summary: 'Say how far a long request has come',
  query: object(['job'], { job: JOB }),
  response: object(['share'], { share: number([0, 1]) }),
});

const OPTIONS = { type: 'object', description: 'New values by name; null removes an option.' } as const;
const op = <const Name extends string>(name: Name) => ({ const: name }) as const;

/** Changes a pack. */
export const editPack = declareRoute({
  method: 'POST',
  url: '/api/pack/edit',
  tag: 'authoring',
  summary: 'Change a pack by one step, which can be undone',
  bodyLimit: 8 << 20,
  body: object(['path', 'game', 'edit'], {
    path: PATH,
    game: NAME,
    edit: {
      oneOf: [
        object(['op', 'names'], { op: oneOf(['accept', 'merge']), names: list(NAME, [1, 500]) }),
        object(['op', 'name'], { op: oneOf(['refuse', 'restore', 'remove-test']), name: NAME }),
        object(['op', 'name', 'to'], { op: op('rename'), name: NAME, to: NAME }),
        object(['op', 'name', 'box'], { op: op('move'), name: NAME, box: BOX }),
        object(['op', 'name', 'options'], { op: oneOf(['set-region', 'set-detector']), name: NAME, options: OPTIONS }),
        object(['op', 'name', 'box', 'detector'], {
          op: op('add'),
          name: NAME,
          box: BOX,
          detector: { type: 'object', required: ['kind'] },
          events: list(ANY, [0, 50]),
          font: ANY,
          examples: EXAMPLES,
        }),
        object(['op', 'name', 'icon', 'png'], { op: op('icon'), name: NAME, icon: NAME, png: TEXT }),
        object(['op', 'name', 'sound'], { op: op('sound'), name: NAME, sound: ANY }),
        object(['op', 'rule'], { op: op('add-rule'), rule: RULE }),
        object(['op', 'rule', 'indices'], { op: op('replace-rule'), rule: RULE, indices: list(integer([0]), [1, 50]) }),
        object(['op', 'indices'], { op: op('remove-rule'), indices: list(integer([0]), [1, 50]) }),
        object(['op', 'kind', 'name', 'parent', 'definition'], {
          op: op('add-word'),
          kind: oneOf(['object', 'action', 'property']),
          name: NAME,
          parent: NAME,
          definition: BOUNDED_TEXT,
        }),
        object(['op', 'source'], { op: op('script'), source: { type: 'string', maxLength: 1 << 20 } }),
        object(['op', 'recordings'], { op: op('recordings'), recordings: list(RECORDING, [0, 500]) }),
        object(['op', 'test'], {
          op: op('test'),
          test: object(['name', 'media', 'isComplete', 'marks'], {
            name: NAME,
            media: PATH,
            from: SECONDS,
            to: SECONDS,
            isComplete: flag(),
            marks: list(object(['t', 'statement'], { t: SECONDS, statement: ANY }), [0, 100_000]),
          }),
        }),
      ],
    },
  }),
  response: PACK,
});

const READING = object(['name', 't', 'rect', 'steps', 'verdict', 'confidence', 'least', 'reasons', 'unknown'], {
  name: NAME,
  t: SECONDS,
  rect: BOX,
  steps: list(
    object(['step', 'png', 'width', 'height'], { step: TEXT, png: TEXT, width: integer([0]), height: integer([0]) }),
    [],
  ),
  verdict: oneOf(['accepted', 'rejected', 'absent', 'unreadable', 'invalid']),
  value: VALUE,
  confidence: number([0, 1]),
  least: number([0, 1]),
  reasons: list(TEXT, [], 'Why there is no value that counts.'),
  unknown: list(TEXT, [], 'Characters seen here that the font does not know.'),
  issues: ISSUES,
});

/** Reads elements at a time, as they are saved or with changes that are not. */
export const readElements = declareRoute({
  method: 'POST',
  url: '/api/elements/read',
  tag: 'authoring',
  summary: 'Read elements in the picture at a time: value, confidence, and why nothing is read',
  body: object(['path', 'game', 'media', 't'], {
    path: PATH,
    game: NAME,
    media: PATH,
    t: SECONDS,
    names: list(NAME, [0, 500], 'Which elements; default all.'),
    trial: object(
      ['name', 'detector'],
      { name: NAME, box: BOX, region: OPTIONS, detector: OPTIONS },
      'An element as it would be with other options, or a new one.',
    ),
    hasPictures: flag('With the crop after each step.', false),
  }),
  response: object(['readings', 'milliseconds'], { readings: list(READING, []), milliseconds: number([0]) }),
});

/** Describes a drawn box by what it shows over time. */
export const identifyElement = declareRoute({
  method: 'POST',
  url: '/api/elements/study',
  tag: 'authoring',
  summary:
    'Find out what a drawn box shows: its kind, its form, a font, rules; or the feed that a drawn row belongs to',
  body: object(['path', 'game', 'media', 'box', 'name'], {
    path: PATH,
    game: NAME,
    media: list(PATH, [1, 8]),
    box: BOX,
    name: NAME,
    rowAt: { ...SECONDS, description: 'The box is a row of a feed that is shown at this time.' },
    job: JOB,
  }),
  response: object(['isFound'], {
    isFound: flag(),
    box: { ...BOX, description: 'Of a feed: the area of all its rows.' },
    type: TEXT,
    certainty: number([0, 1]),
    detector: ANY,
    events: list(ANY, []),
    font: ANY,
    examples: EXAMPLES,
  }),
});

const COVERAGE = object(['known', 'neverSeen'], { known: list(TEXT, []), neverSeen: list(TEXT, []) });

/** Crops of an element to be labelled. */
export const collectCrops = declareRoute({
  method: 'POST',
  url: '/api/elements/crops',
  tag: 'authoring',
  summary: 'Collect the crops of a text element over recordings, alike ones together',
  body: object(['path', 'game', 'name', 'media'], {
    path: PATH,
    game: NAME,
    name: NAME,
    media: list(PATH, [1, 8]),
    job: JOB,
  }),
  response: object(['sheet', 'clusters', 'coverage'], {
    sheet: integer([1]),
    clusters: list(
      object(['id', 'times', 'png', 'width', 'height', 'suggestion', 'confidence'], {
        id: integer([0]),
        times: list(SECONDS, []),
        png: TEXT,
        width: integer([1]),
        height: integer([1]),
        suggestion: TEXT,
        confidence: number([0, 1]),
      }),
      [],
    ),
    coverage: COVERAGE,
  }),
});

/** Learns the font of labelled crops and saves it. */
export const learnFont = declareRoute({
  method: 'POST',
  url: '/api/elements/font',
  tag: 'authoring',
  summary: 'Learn the font of an element from labelled crops, and save it with the labels',
  body: object(['path', 'game', 'name', 'sheet', 'media', 'labels'], {
    path: PATH,
    game: NAME,
    name: NAME,
    sheet: integer([1]),
    media: PATH,
    labels: list(object(['cluster', 'text'], { cluster: integer([0]), text: BOUNDED_TEXT }), [1, 500]),
  }),
  response: object(['isLearnt', 'labels', 'misread', 'rare', 'coverage'], {
    isLearnt: flag(),
    labels: integer([0]),
    misread: list(object(['cluster', 'label', 'text'], { cluster: integer([0]), label: TEXT, text: TEXT }), []),
    rare: list(TEXT, []),
    coverage: COVERAGE,
    pack: PACK,
  }),
});

/** Cuts out an icon. */
export const cutIcon = declareRoute({
  method: 'POST',
  url: '/api/elements/icon',
  tag: 'authoring',
  summary: 'Cut out an icon by clicks on it, from what stays the same in several frames',
  body: object(['path', 'game', 'name', 'media', 't', 'points'], {
    path: PATH,
    game: NAME,
    name: NAME,
    media: PATH,
    t: SECONDS,
    points: list(object(['x', 'y'], { x: number([0, 1]), y: number([0, 1]) }), [1, 64]),
    tolerance: number([0, 255]),
  }),
  response: object(['pixels'], { pixels: integer([0]), png: TEXT, width: integer([1]), height: integer([1]) }),
});

/** Learns a sound that was marked. */
export const learnSound = declareRoute({
  method: 'POST',
  url: '/api/sounds/learn',
  tag: 'authoring',
  summary: 'Learn a sound from the parts of a recording in which it is heard, and find it in all of it',
  body: object(['path', 'game', 'media', 'label', 'ranges'], {
    path: PATH,
    game: NAME,
    media: PATH,
    label: NAME,
    ranges: list(object(['from', 'to'], { from: SECONDS, to: SECONDS }), [1, 32]),
    job: JOB,
  }),
  response: object(['sound', 'isByWaveform', 'found'], {
    sound: { ...ANY, description: 'What the edit `sound` saves.' },
    isByWaveform: flag(),
    found: list(object(['t', 'confidence'], { t: SECONDS, confidence: number([0, 1]) }), []),
  }),
});

/** The colour at a point of a frame. */
export const pickColor = declareRoute({
  method: 'GET',
  url: '/api/color',
  tag: 'authoring',
  summary: 'Give the colour at a point of a frame, in fractions of it',
  query: object(['media', 't', 'x', 'y'], { media: PATH, t: SECONDS, x: number([0, 1]), y: number([0, 1]) }),
  response: object([], { color: TEXT }),
});

/** Understands the sentence of a rule. */
export const composeRule = declareRoute({
  method: 'POST',
  url: '/api/rules/compose',
  tag: 'authoring',
  summary: 'Understand a sentence: its statement, the sentence of the log, completions at the cursor',
  body: object(['path', 'game', 'sentence'], {
    path: PATH,
    game: NAME,
    sentence: BOUNDED_TEXT,
    cursor: integer([0]),
    example: EXAMPLE,
  }),
  response: object(['issues', 'completions'], {
    statement: ANY,
    sentence: TEXT,
    issues: list(
      object(['message', 'start', 'end'], { message: TEXT, hint: TEXT, start: integer([0]), end: integer([0]) }),
      [],
    ),
    completions: object(['start', 'options'], {
      start: integer([0]),
      options: list(
        object(['text', 'kind', 'definition'], {
          text: TEXT,
          kind: TEXT,
          definition: TEXT,
          example: TEXT,
          joins: flag(),
        }),
        [],
      ),
    }),
  }),
});

/** Words to put a new one under. */
export const searchWords = declareRoute({
  method: 'GET',
  url: '/api/words',
  tag: 'authoring',
  summary: 'Search words of the game and of the common dictionary, with their place in the tree',
  query: object(['path', 'game', 'text'], {
    path: PATH,
    game: NAME,
    text: BOUNDED_TEXT,
    kind: oneOf(['object', 'action', 'property']),
  }),
  response: object(['words'], {
    words: list(
      object(['id', 'name', 'kind', 'definition', 'ancestors', 'children'], {
        id: TEXT,
        name: TEXT,
        kind: TEXT,
        definition: TEXT,
        ancestors: list(TEXT, []),
        children: integer([0]),
      }),
      [],
    ),
  }),
});

const PROPORTION = { type: ['number', 'null'] } as const;
const SCORE = object(['kind', 'truth', 'events', 'hits', 'precision', 'recall'], {
  kind: TEXT,
  truth: integer([0]),
  events: integer([0]),
  hits: integer([0]),
  precision: PROPORTION,
  recall: PROPORTION,
});

/** Runs the pack on recordings and compares with what is marked. */
export const runTests = declareRoute({
  method: 'POST',
  url: '/api/tests/run',
  tag: 'authoring',
  summary: 'Run a pack on marked recordings, or on a stretch, and list misses and wrong events',
  body: object(['path', 'game'], {
    path: PATH,
    game: NAME,
    names: list(NAME, [0, 500], 'Which tests; default all.'),
    media: { ...PATH, description: 'Runs this recording without comparing.' },
    from: SECONDS,
    to: SECONDS,
    breakpoints: list(
      object(['detector'], { detector: NAME, trigger: oneOf(['found', 'changed', 'lost']), value: BOUNDED_TEXT }),
      [0, 100],
      'Cues at which what is known is reported.',
    ),
    job: JOB,
  }),
  response: object(['events', 'kinds', 'all', 'differences', 'warnings', 'notes', 'stops', 'stored'], {
    events: list(
      object(['t', 'text', 'media', 'isTentative', 'cues'], {
        t: SECONDS,
        text: TEXT,
        media: PATH,
        isTentative: flag(),
        statement: ANY,
        cues: list(ANY, []),
      }),
      [],
    ),
    kinds: list(SCORE, []),
    all: SCORE,
    /** Of recordings that are not learnt from. */
    held: SCORE,
    differences: list(
      object(['t', 'kind', 'sentence', 'test'], {
        t: SECONDS,
        kind: oneOf(['missed', 'wrong']),
        sentence: TEXT,
        instead: TEXT,
        test: NAME,
        media: PATH,
        statement: ANY,
        cues: list(ANY, []),
      }),
      [],
    ),
    warnings: ISSUES,
    notes: list(object(['t', 'text'], { t: SECONDS, text: TEXT }), []),
    stops: list(
      object(['t', 'cue', 'readings', 'sentences'], {
        t: SECONDS,
        cue: ANY,
        readings: { type: 'object', additionalProperties: VALUE },
        before: { type: 'string', description: 'State of the script before it took the cue, as JSON.' },
        after: TEXT,
        sentences: list(TEXT, [], 'What was stated at the cue.'),
      }),
      [],
      'What was known at the cues with breakpoints.',
    ),
    stored: number([0, 1], 'Share of the readings that were stored already.'),
  }),
});

/** Gives a pack away. */
export const exportPack = declareRoute({
  method: 'POST',
  url: '/api/pack/export',
  tag: 'authoring',
  summary: 'Export a pack as a folder, ZIP file or npm package, or its labelled crops as a data set',
  body: object(['path', 'game', 'format', 'target'], {
    path: PATH,
    game: NAME,
    format: oneOf(['folder', 'zip', 'npm', 'labels-folders', 'labels-coco', 'labels-yolo']),
    target: { ...PATH, description: 'A new folder, or the ZIP file.' },
  }),
  response: object(['target', 'files'], { target: PATH, files: integer([0]) }),
});
