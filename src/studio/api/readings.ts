import { flag, integer, list, number, object, oneOf } from '../../schema/build.ts';
import { declareRoute } from './route.ts';
import { PATH } from './workspace.ts';

const SECONDS = { type: 'number', minimum: 0, maximum: 1e7 } as const;
const NAME = { type: 'string', maxLength: 500 } as const;
const VALUE = { type: ['string', 'number', 'boolean'] } as const;
/** Where the readings are: with a log, or with a pack from its last test of a recording. */
const STORED = { log: PATH, pack: { ...PATH, description: 'Instead of a log: the pack.' }, media: PATH } as const;
const PERCENTAGES = list(integer([0, 100]), []);
const NUMBERS = list({ type: ['number', 'null'] }, []);

/** What detectors read along a stretch. */
export const readReadings = declareRoute({
  method: 'GET',
  url: '/api/readings',
  tag: 'recording',
  summary: 'Describe what each detector read along a stretch: runs of equal readings, or columns where there are many',
  query: object(['from', 'to'], { ...STORED, from: SECONDS, to: SECONDS, columns: integer([1, 4096]) }),
  response: object(['lanes', 'isComplete'], {
    isComplete: flag('All stored readings were taken in; otherwise ask again.'),
    lanes: list(
      object(['name', 'isNumber'], {
        name: NAME,
        isNumber: flag(),
        low: { type: 'number' },
        high: { type: 'number' },
        runs: list(
          object(['t', 'end', 'state', 'confidence'], {
            t: SECONDS,
            end: SECONDS,
            state: oneOf(['read', 'doubtful', 'unreadable', 'absent']),
            value: VALUE,
            confidence: number([0, 1]),
          }),
          [],
        ),
        columns: object(['low', 'high', 'covered', 'read', 'unreadable', 'absent', 'confidence', 'changes'], {
          low: NUMBERS,
          high: NUMBERS,
          covered: PERCENTAGES,
          read: PERCENTAGES,
          unreadable: PERCENTAGES,
          absent: PERCENTAGES,
          confidence: PERCENTAGES,
          changes: list(integer([0]), []),
        }),
      }),
      [],
    ),
  }),
});

/** The next change of a reading. */
export const findChange = declareRoute({
  method: 'GET',
  url: '/api/readings/change',
  tag: 'recording',
  summary: 'Find the next change of what a detector reads, or the last one before: of one detector, or of any',
  query: object(['t', 'direction'], { ...STORED, t: SECONDS, direction: oneOf(['next', 'previous']), name: NAME }),
  response: object([], {
    change: object(['name', 't'], { name: NAME, t: SECONDS, from: VALUE, to: VALUE }),
  }),
});
