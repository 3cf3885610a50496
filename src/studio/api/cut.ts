import { exportFormatNames, reelAspects, reelStyleNames } from './cut-choices.ts';
import { integer, list, number, object, oneOf } from '../../schema/build.ts';
import { jobSchema } from './job.ts';
import { declareRoute } from './route.ts';
import { PATH } from './workspace.ts';

const TEXT = { type: 'string', maxLength: 10_000 } as const;
const SECONDS = { type: 'number', minimum: 0, maximum: 1e7 } as const;
const LOGS = list(PATH, [1, 50], 'The logs of the recordings.');
const MAX_SCENES = 1000;

const SCENE = object(['log', 'start', 'end', 'title', 'because', 'kind', 'score', 'events'], {
  log: PATH,
  start: SECONDS,
  end: SECONDS,
  title: { ...TEXT, description: 'The caption of its best moment, and its chapter.' },
  because: TEXT,
  kind: TEXT,
  score: number([]),
  events: list(object(['id', 't', 'text'], { id: TEXT, t: SECONDS, text: TEXT }), [0, 1000]),
});

const SCENES = list(SCENE, [0, MAX_SCENES]);

/** Scenes worth seeing. */
export const chooseScenes = declareRoute({
  method: 'POST',
  url: '/api/scenes',
  tag: 'cut',
  summary: 'Choose the scenes of logs that are worth seeing',
  body: object(['logs', 'duration'], {
    logs: LOGS,
    duration: number([1, 36_000], 'Seconds of the reel at most.'),
    question: { type: 'string', maxLength: 2000, description: 'Only events that it finds.' },
  }),
  response: object(['scenes', 'available'], {
    scenes: SCENES,
    available: object(['scenes', 'seconds'], { scenes: integer([0]), seconds: number([0]) }),
  }),
});

/** The scenes of a reel as they were left. */
export const showCut = declareRoute({
  method: 'GET',
  url: '/api/cut',
  tag: 'cut',
  summary: 'Give the scenes of the reel that is being cut from a log',
  query: object(['log'], { log: PATH }),
  response: object(['path', 'version', 'scenes'], { path: PATH, version: TEXT, scenes: SCENES }),
});

/** Saves the scenes of a reel. */
export const saveCut = declareRoute({
  method: 'PUT',
  url: '/api/cut',
  tag: 'cut',
  summary: 'Save the scenes of a reel as a list of highlights next to the log',
  body: object(['log', 'version', 'label', 'scenes'], {
    log: PATH,
    version: TEXT,
    label: { type: 'string', maxLength: 200, description: 'What was changed, as undo names it.' },
    scenes: SCENES,
  }),
  response: object(['version'], { version: TEXT }),
});

const LOOK = {
  aspect: oneOf(reelAspects),
  captions: oneOf(['none', 'track', 'burn']),
  style: oneOf(reelStyleNames),
  title: { type: 'string', maxLength: 200 },
} as const;

/** Renders a reel. */
export const renderReel = declareRoute({
  method: 'POST',
  url: '/api/render',
  tag: 'cut',
  summary: 'Write a reel of the scenes next to the recording of the first log',
  body: object(['logs', 'scenes', 'name'], {
    logs: LOGS,
    scenes: list(SCENE, [1, MAX_SCENES]),
    name: { type: 'string', minLength: 1, maxLength: 120, pattern: '\\.(?:mp4|mkv|webm|mov)$' },
    ...LOOK,
  }),
  response: jobSchema,
});

/** Writes the scenes for an editing program. */
export const exportReel = declareRoute({
  method: 'POST',
  url: '/api/export',
  tag: 'cut',
  summary: 'Give the scenes in the format of an editing program, as captions or as a text',
  body: object(['logs', 'scenes', 'format', 'title'], {
    logs: LOGS,
    scenes: list(SCENE, [1, MAX_SCENES]),
    format: oneOf(exportFormatNames),
    title: { type: 'string', maxLength: 200 },
  }),
  response: object(['text', 'issues'], { text: { type: 'string' }, issues: list(TEXT, []) }),
});
