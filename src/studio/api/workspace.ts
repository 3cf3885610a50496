import { flag, integer, list, object, oneOf } from '../../schema/build.ts';
import { declareRoute } from './route.ts';

/** Schema of a path inside the opened folders: the folder's name, then names separated by slashes. */
export const PATH = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  description: 'A path inside the opened folders, beginning with the name of the folder.',
} as const;

const TEXT = { type: 'string' } as const;

/** What the opened folders contain. */
export const listWorkspace = declareRoute({
  method: 'GET',
  url: '/api/workspace',
  tag: 'workspace',
  summary: 'List recordings, logs and game packs of the opened folders',
  response: object(['version', 'folders', 'recordings', 'packs', 'isComplete'], {
    version: { type: 'string', description: 'Version of playbyplay.' },
    folders: list(object(['name'], { name: TEXT }), []),
    initial: { ...PATH, description: 'The recording that the studio was started with.' },
    recordings: list(
      object(['path', 'name', 'bytes'], {
        path: PATH,
        name: TEXT,
        bytes: integer([0]),
        log: { ...PATH, description: 'Its event log, if there is one.' },
      }),
      [],
    ),
    packs: list(
      object(['path', 'game'], {
        path: { ...PATH, description: 'The folder of the pack.' },
        game: { type: 'string', description: 'The game of the profile.' },
      }),
      [],
    ),
    isComplete: flag('Whether everything is listed: very large folders are cut off.'),
  }),
});

const HISTORY = object(['canUndo', 'canRedo'], {
  canUndo: flag(),
  canRedo: flag(),
  undo: { type: 'string', description: 'What would be undone.' },
  redo: { type: 'string', description: 'What would be done again.' },
  files: list(PATH, [], 'The files that the last undo or redo changed.'),
});

/** What can be undone. */
export const showHistory = declareRoute({
  method: 'GET',
  url: '/api/history',
  tag: 'workspace',
  summary: 'Say which change can be undone or done again',
  query: object(['path'], { path: PATH }),
  response: HISTORY,
});

/** Undoes or redoes the last change of a folder. */
export const stepHistory = declareRoute({
  method: 'POST',
  url: '/api/history',
  tag: 'workspace',
  summary: 'Undo or redo the last change in an opened folder',
  body: object(['path', 'step'], { path: PATH, step: oneOf(['undo', 'redo']) }),
  response: HISTORY,
});

/** Version of a file, to notice that another program changed it. */
export const fileVersion = declareRoute({
  method: 'GET',
  url: '/api/version',
  tag: 'workspace',
  summary: 'Give the version of a file, to notice changes by other programs',
  query: object(['path'], { path: PATH }),
  response: object(['version'], {
    version: { type: 'string', description: 'Hash of the content; empty where there is no such file.' },
  }),
});
