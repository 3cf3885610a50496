import { flag, integer, list, number, object, oneOf } from '../../schema/build.ts';
import { declareRoute } from './route.ts';
import { PATH } from './workspace.ts';

const TEXT = { type: 'string', maxLength: 10_000 } as const;
const QUESTION = { type: 'string', maxLength: 2000 } as const;
const SECONDS = { type: 'number', minimum: -1e7, maximum: 1e7 } as const;
const FILTER = oneOf(['all', 'open', 'uncertain', 'corrected'], 'Which events, by what a person said of them.');
const STATUS = oneOf(['approved', 'changed', 'deleted', 'added']);

const ISSUE = object(['code', 'message'], {
  code: TEXT,
  path: TEXT,
  message: TEXT,
  hint: TEXT,
  start: integer([0], 'Where in the text it is.'),
  end: integer([0]),
});

/** An event in the list of a page. */
const ROW = object(['index', 'id', 't', 'end', 'text', 'confidence'], {
  index: integer([0], 'Place among all events.'),
  id: TEXT,
  t: SECONDS,
  end: SECONDS,
  text: TEXT,
  confidence: number([0, 1]),
  tentative: flag(),
  status: STATUS,
  original: { type: 'string', description: 'The text before a person changed it.' },
});

/** What is known of a log. */
export const showLog = declareRoute({
  method: 'GET',
  url: '/api/log',
  tag: 'log',
  summary: 'Describe a log and how much of it was reviewed',
  query: object(['log'], { log: PATH }),
  response: object(['game', 'session', 'duration', 'events', 'corrected', 'uncertain', 'version', 'media'], {
    game: TEXT,
    session: TEXT,
    media: { type: 'string', description: 'Name of the recording.' },
    duration: number([0]),
    interval: { type: 'number', description: 'Seconds between samples.' },
    events: integer([0]),
    corrected: integer([0]),
    uncertain: integer([0]),
    version: TEXT,
  }),
});

/** A page of events. */
export const listEvents = declareRoute({
  method: 'GET',
  url: '/api/events',
  tag: 'log',
  summary: 'List events of a log that answer a question, page by page',
  query: object(['log'], {
    log: PATH,
    question: QUESTION,
    filter: FILTER,
    offset: integer([0]),
    count: integer([0, 500]),
  }),
  response: object(['total', 'all', 'rows', 'version'], {
    total: integer([0], 'Events that answer the question.'),
    all: integer([0], 'Events of the log.'),
    version: TEXT,
    rows: list(ROW, []),
    asked: object(['issues', 'reading', 'corrections', 'answers', 'suggestions', 'isUnderstood'], {
      isUnderstood: flag(),
      issues: list(ISSUE, []),
      reading: list(TEXT, []),
      corrections: list(object(['written', 'read'], { written: TEXT, read: TEXT }), []),
      answers: list(TEXT, []),
      suggestions: list(TEXT, []),
    }),
  }),
});

/** The event nearest to a time. */
export const findEvent = declareRoute({
  method: 'GET',
  url: '/api/event',
  tag: 'log',
  summary: 'Find the events before, at and after a time among those that answer a question',
  query: object(['log', 't'], { log: PATH, question: QUESTION, filter: FILTER, t: SECONDS }),
  response: object(['position'], {
    position: integer([0], 'How many of the events begin by the time.'),
    previous: ROW,
    next: ROW,
  }),
});

/** Completions of a question. */
export const completeQuestion = declareRoute({
  method: 'GET',
  url: '/api/completions',
  tag: 'log',
  summary: 'Complete the last word of a question',
  query: object(['log', 'before'], { log: PATH, before: QUESTION }),
  response: object(['from', 'completions'], {
    from: integer([0]),
    completions: list(object(['text', 'about'], { text: TEXT, about: TEXT }), []),
  }),
});

/** What happens along a stretch. */
export const readLanes = declareRoute({
  method: 'GET',
  url: '/api/lanes',
  tag: 'log',
  summary: 'Describe a stretch of a log as lanes: chapters, events, numbers, gaps',
  query: object(['log', 'from', 'to'], { log: PATH, from: SECONDS, to: SECONDS, bins: integer([1, 4096]) }),
  response: object(['lanes', 'version'], {
    version: TEXT,
    lanes: list(
      object(['name', 'kind'], {
        name: TEXT,
        kind: oneOf(['chapters', 'events', 'values', 'gaps']),
        marks: list(object(['t', 'end', 'text'], { id: TEXT, t: SECONDS, end: SECONDS, text: TEXT }), []),
        bins: list(integer([0]), []),
        points: list(object(['t', 'value'], { t: SECONDS, value: { type: 'number' } }), []),
      }),
      [],
    ),
  }),
});

/** Reads a sentence while it is written. */
export const checkSentence = declareRoute({
  method: 'GET',
  url: '/api/sentence',
  tag: 'log',
  summary: 'Check a sentence, and give it as a log has it',
  query: object(['log', 'sentence'], { log: PATH, sentence: QUESTION }),
  response: object(['issues'], { text: TEXT, issues: list(ISSUE, []) }),
});

/** What a person says of events. */
export const correctEvents = declareRoute({
  method: 'POST',
  url: '/api/corrections',
  tag: 'log',
  summary: 'Approve, change, delete or add events; the log itself stays as it is',
  body: object(['log', 'corrections'], {
    log: PATH,
    corrections: list(
      object(['type'], {
        type: oneOf(['approve', 'change', 'delete', 'add', 'revert']),
        id: TEXT,
        sentence: { ...QUESTION, description: 'What happened; for change and add.' },
        t: SECONDS,
        end: SECONDS,
      }),
      [1, 10_000],
    ),
  }),
  response: object(['version', 'ids'], { version: TEXT, ids: list(TEXT, []) }),
});
