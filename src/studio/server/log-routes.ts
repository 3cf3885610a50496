import type { FastifyInstance } from 'fastify';
import { type Issue, PlaybyplayError } from '../../errors.ts';
import { addCorrections, additionOf, type Correction, correctionsPath } from '../../events/corrections.ts';
import {
  checkSentence,
  completeQuestion as completeQuestionRoute,
  correctEvents,
  findEvent,
  listEvents,
  readLanes,
  showLog,
} from '../api/log.ts';
import type { RouteBody } from '../api/route.ts';
import { completeQuestion } from '../review/complete-question.ts';
import { lanesOf, type ReviewedEvent, type ReviewedLog, versionOfLog } from '../review/reviewed-log.ts';
import { addRoute } from './add-route.ts';
import type { StudioContext } from './studio-server.ts';

const DEFAULT_COUNT = 100;
const DEFAULT_BINS = 400;

/** Routes of logs and their review. */
export function registerLogRoutes(app: FastifyInstance, { workspace, logs }: StudioContext): void {
  const open = async (path: string): Promise<ReviewedLog> => await logs.get(await workspace.resolve(path));

  addRoute(app, showLog, async ({ query }) => {
    const log = await open(query.log);
    const { game, session, media, plan } = log.header;
    return {
      game,
      session,
      media: media.name,
      duration: media.duration,
      ...(plan?.interval !== undefined && { interval: plan.interval }),
      events: log.events.length,
      corrected: log.events.filter(({ status }) => status !== undefined).length,
      uncertain: log.events.filter(({ event }) => event.tentative).length,
      version: log.version,
    };
  });

  addRoute(app, listEvents, async ({ query }) => {
    const { question = '', filter = 'all', offset = 0, count = DEFAULT_COUNT } = query;
    const log = await open(query.log);
    const { indices, asked } = log.list(question, filter);
    return {
      total: indices.length,
      all: log.events.length,
      version: log.version,
      rows: indices.slice(offset, offset + count).map((index) => toRow(log, index)),
      ...(asked && {
        asked: {
          isUnderstood: asked.found !== undefined,
          issues: asked.issues.map(toIssue),
          reading: asked.reading,
          corrections: asked.corrections,
          answers: asked.answers,
          suggestions: asked.suggestions,
        },
      }),
    };
  });

  addRoute(app, findEvent, async ({ query: { t, question = '', filter = 'all', ...query } }) => {
    const log = await open(query.log);
    const { indices } = log.list(question, filter);
    // A frame begins up to a microsecond before the time that the event names.
    const isBefore = (index: number): boolean => log.events[index]!.event.t < t - 1e-4;
    const isAfter = (index: number): boolean => log.events[index]!.event.t > t + 1e-4;
    const previous = indices.findLast(isBefore);
    const next = indices.find(isAfter);
    const position = next === undefined ? indices.length : indices.indexOf(next);
    return {
      position,
      ...(previous !== undefined && { previous: toRow(log, previous) }),
      ...(next !== undefined && { next: toRow(log, next) }),
    };
  });

  addRoute(app, completeQuestionRoute, async ({ query }) => completeQuestion(await open(query.log), query.before));

  addRoute(app, readLanes, async ({ query: { from, to, bins = DEFAULT_BINS, ...query } }) => {
    if (!(to > from)) throw new PlaybyplayError('bad-request', 'the time range must end after it begins');
    const log = await open(query.log);
    return { version: log.version, lanes: lanesOf(log, from, to, bins) };
  });

  addRoute(app, checkSentence, async ({ query }) => {
    const { text, issues } = (await open(query.log)).parse(query.sentence);
    return { ...(text !== undefined && { text }), issues: issues.map(toIssue) };
  });

  addRoute(app, correctEvents, async ({ body }) => {
    const path = await workspace.resolve(body.log);
    const log = await logs.get(path);
    const corrections = toCorrections(log, body.corrections);
    const file = workspace.publicPath(correctionsPath(path));
    await workspace.record(describe(log, corrections), file, () => addCorrections(path, corrections));
    return { version: await versionOfLog(path), ids: corrections.map(({ id }) => id) };
  });
}

type RequestedCorrection = RouteBody<typeof correctEvents>['corrections'][number];

function toCorrections(log: ReviewedLog, requested: readonly RequestedCorrection[]): readonly Correction[] {
  const known = new Map(log.corrections);
  return requested.map((one): Correction => {
    const { type, id, sentence } = one;
    const before = id === undefined ? undefined : log.events[log.indexOf(id)];
    if (type !== 'add' && !before)
      throw new PlaybyplayError('no-such-event', `the log has no event ${id ?? '(without id)'}`);
    if (type === 'approve' || type === 'delete' || type === 'revert') return { type, id: before!.event.id };
    const statement = sentence === undefined ? before?.event.statement : readSentence(log, sentence);
    const t = one.t ?? before?.event.t;
    if (statement === undefined || t === undefined)
      throw new PlaybyplayError('bad-request', 'an event that is added needs a sentence and a time');
    const length = before ? before.event.end - before.event.t : 0;
    const text = log.render(statement);
    const event = { t, end: Math.max(t, one.end ?? t + length), text, statement };
    if (type === 'change') {
      const { id: own } = before!.event;
      return { type: before!.status === 'added' ? 'add' : 'change', id: own, event };
    }
    const addition = additionOf(event, known);
    known.set(addition.id, addition);
    return addition;
  });
}

function readSentence(log: ReviewedLog, sentence: string) {
  const { statement, issues } = log.parse(sentence);
  if (statement) return statement;
  throw new PlaybyplayError('bad-sentence', issues[0]?.message ?? 'the sentence is not understood', {
    hint: issues[0]?.hint,
    issues,
  });
}

const VERBS: Readonly<Record<Correction['type'], string>> = {
  approve: 'approve',
  change: 'change',
  delete: 'delete',
  add: 'add',
  revert: 'take back the correction of',
};

/** What corrections do, as undo names it. */
function describe(log: ReviewedLog, corrections: readonly Correction[]): string {
  const [first] = corrections;
  const verb = VERBS[first!.type];
  if (corrections.length > 1) return `${verb} ${corrections.length} events`;
  const text = 'event' in first! ? first.event.text : log.events[log.indexOf(first!.id)]?.event.text;
  return `${verb} “${text ?? first!.id}”`;
}

function toRow(log: ReviewedLog, index: number) {
  const { event, status, original }: ReviewedEvent = log.events[index]!;
  const { id, t, end, text, confidence, tentative } = event;
  return {
    index,
    id,
    t,
    end,
    text,
    confidence,
    ...(tentative && { tentative }),
    ...(status && { status }),
    ...(original && { original: original.text }),
  };
}

function toIssue(issue: Issue) {
  const { code, message, hint, start, end } = issue as Issue & { readonly start?: number; readonly end?: number };
  return {
    code,
    message,
    ...(hint !== undefined && { hint }),
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
  };
}
