/** HTTP status of errors; others are mistakes in what was asked: 400. */
export const STATUS: Readonly<Record<string, number>> = {
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
};
