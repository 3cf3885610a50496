import { flag, list, number, object, oneOf } from '../../schema/build.ts';
import { declareRoute } from './route.ts';
import { PATH } from './workspace.ts';

const TEXT = { type: 'string', maxLength: 10_000 } as const;

/** Schema of something that takes minutes. */
export const jobSchema = object(['id', 'state', 'done', 'total', 'name', 'path'], {
  id: TEXT,
  name: { type: 'string', description: 'The file that is written.' },
  state: oneOf(['running', 'done', 'failed', 'cancelled']),
  done: number([0]),
  total: number([0]),
  path: { ...PATH, description: 'The file as pages name it.' },
  problem: TEXT,
  hint: TEXT,
});

/** How far a job is. */
export const showJob = declareRoute({
  method: 'GET',
  url: '/api/job',
  tag: 'job',
  summary: 'Say how far a job is',
  query: object(['id'], { id: TEXT }),
  response: jobSchema,
});

/** What is running. */
export const listJobs = declareRoute({
  method: 'GET',
  url: '/api/jobs',
  tag: 'job',
  summary: 'List the jobs that are running',
  response: object(['jobs'], { jobs: list(jobSchema, []) }),
});

/** Stops a job. */
export const cancelJob = declareRoute({
  method: 'DELETE',
  url: '/api/job',
  tag: 'job',
  summary: 'Stop a job; what it wrote is removed',
  query: object(['id'], { id: TEXT }),
  response: object(['wasRunning'], { wasRunning: flag() }),
});

/** Detects the events of a recording. */
export const detectEvents = declareRoute({
  method: 'POST',
  url: '/api/detect',
  tag: 'job',
  summary: 'Detect the events of a recording; its game is recognized, also by the packs of the opened folders',
  body: object(['path'], { path: PATH }),
  response: jobSchema,
});
