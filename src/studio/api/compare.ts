import { flag, number, object } from '../../schema/build.ts';
import { declareRoute } from './route.ts';
import { PATH } from './workspace.ts';

/** How the clocks of two recordings lie. */
export const alignRecordings = declareRoute({
  method: 'POST',
  url: '/api/align',
  tag: 'compare',
  summary: 'Find by their sound how the clocks of two recordings lie',
  body: object(['path', 'other'], { path: PATH, other: PATH }),
  response: object(['matched'], {
    matched: flag(),
    offset: number([], 'Seconds of the first recording at which the second begins.'),
    drift: number([], 'Parts per million by which the second clock runs slow.'),
    confidence: number([0, 1]),
  }),
});
