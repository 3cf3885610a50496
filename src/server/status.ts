import { describeFailure } from '../http/requests.ts';

/** HTTP status of errors; others are mistakes in what was asked: 400. */
const STATUS: Readonly<Record<string, number>> = {
  'not-authenticated': 401,
  'not-allowed': 403,
  'no-such-recording': 404,
  'no-such-webhook': 404,
  'no-such-key': 404,
  'no-such-page': 404,
  'no-log': 404,
  'no-sessions': 404,
  'not-failed': 409,
  'still-reading': 409,
  'quota-exceeded': 402,
  'too-many-requests': 429,
  'storage-unreachable': 503,
};

/** What a caller learns of a failure. Of those of the service itself no more than that: their messages name its parts. */
export function describePublicly(error: Error): ReturnType<typeof describeFailure> {
  const { status, body } = describeFailure(error, STATUS);
  if (status === 503)
    return { status, body: { code: body.code, message: 'this cannot be done for now; try again later' } };
  return status >= 500 ? { status, body: { code: 'internal', message: 'internal error' } } : { status, body };
}
