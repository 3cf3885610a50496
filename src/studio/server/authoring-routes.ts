import type { FastifyInstance } from 'fastify';
import { createHash } from 'node:crypto';
import { join, posix } from 'node:path';
import type { SoundFile } from '../../detectors/sound/fingerprint.ts';
import type { AtlasFile } from '../../detectors/text/atlas.ts';
import { loadBuiltin } from '../../dictionary/files.ts';
import { searchWords as searchDictionary } from '../../dictionary/search.ts';
import type { Dictionary, Word } from '../../dictionary/dictionary.ts';
import { render } from '../../dictionary/sentences/render.ts';
import { PlaybyplayError } from '../../errors.ts';
import type { CueValue } from '../../events/log.ts';
import { parseStatement } from '../../events/statement.ts';
import type { Score } from '../../evaluate/evaluate.ts';
import { versionOf } from '../../files/history.ts';
import { openVideo } from '../../media/video.ts';
import type { DetectorSpec, EventMapping, RegionSpec } from '../../profile/profile.ts';
import { mean } from '../../statistics.ts';
import {
  collectCrops,
  composeRule,
  createPack,
  cutIcon,
  draftElements,
  editPack,
  exportPack as exportPackRoute,
  learnFont,
  learnSound,
  pickColor,
  readElements,
  runTests,
  searchWords,
  showPack,
  showProgress,
  identifyElement,
} from '../api/authoring.ts';
import type { RouteBody, RouteResponse } from '../api/route.ts';
import type { ProfileSource } from '../authoring/authoring-thread.ts';
import type { DrawnFeed } from '../authoring/draw-feed.ts';
import { AuthoringWorkers } from '../authoring/authoring-workers.ts';
import { fromPixels } from '../authoring/elements.ts';
import { exportLabels, exportPack } from '../authoring/export-pack.ts';
import { exampleOf, type PackEdit, PackSession } from '../authoring/pack-session.ts';
import { type FileDiff, type PackStore } from '../authoring/pack-store.ts';
import { completeSentence, composeStatement, type ExampleCue } from '../authoring/rules.ts';
import { compareRuns, type RunResult } from '../authoring/run-test.ts';
import type { TestCase } from '../authoring/test-case.ts';
import { STUDIO_FOLDER } from '../authoring/test-readings.ts';
import type { Workspace } from '../workspace.ts';
import { addRoute } from './add-route.ts';
import type { StudioContext } from './studio-server.ts';

type PackResponse = RouteResponse<typeof showPack>;
type ScoreResponse = RouteResponse<typeof runTests>['all'];

const MAX_WORDS = 20;
/** Progress of requests that is remembered. */
const MAX_JOBS = 64;

/** Routes by which an author writes game packs. */
export function registerAuthoringRoutes(app: FastifyInstance, { workspace }: StudioContext): void {
  const authoring = new Authoring(workspace);
  app.addHook('onClose', async () => await authoring.workers[Symbol.asyncDispose]());
  registerPackRoutes(app, authoring);
  registerElementRoutes(app, authoring);
  registerRuleRoutes(app, authoring);
}

/** What the routes share: the workspace, the workers, and the progress of what they do. */
class Authoring {
  readonly workspace: Workspace;
  readonly workers = new AuthoringWorkers();
  readonly #progress = new Map<string, number>();

  constructor(workspace: Workspace) {
    this.workspace = workspace;
  }

  async open(path: string, game: string): Promise<PackSession> {
    return new PackSession(await openStore(this.workspace, path), game);
  }

  async resolveAll(media: readonly string[]): Promise<readonly string[]> {
    return await Promise.all(media.map((path) => this.workspace.resolve(path)));
  }

  async describe(session: PackSession, diff: readonly FileDiff[] = []): Promise<PackResponse> {
    return await describePack(this.workspace, session, diff);
  }

  /** Starts to record the progress of a job. @returns What takes its share done, 0 to 1. */
  report(job: string | undefined): ((share: number) => void) | undefined {
    if (job === undefined) return undefined;
    if (this.#progress.size >= MAX_JOBS) this.#progress.delete(this.#progress.keys().next().value!);
    this.#progress.set(job, 0);
    return (share) => this.#progress.set(job, Math.min(1, share));
  }

  /** Share done of a job, 0 to 1; 0 of an unknown one. */
  progressOf(job: string): number {
    return this.#progress.get(job) ?? 0;
  }
}

/** Routes of packs as a whole. */
function registerPackRoutes(app: FastifyInstance, authoring: Authoring): void {
  addRoute(app, showProgress, ({ query }) => ({ share: authoring.progressOf(query.job) }));

  addRoute(app, showPack, async ({ query }) => await authoring.describe(await authoring.open(query.path, query.game)));

  addRoute(app, createPack, async ({ body, signal }) => {
    const game = gameName(body.title);
    const path = `${body.folder}/${game}`;
    const { content } = await authoring.workspace.read(`${path}/configs/${game}/profile.json`);
    if (content)
      throw new PlaybyplayError('output-exists', `there is a pack ${path} already`, { hint: 'Choose another name.' });
    const media = await authoring.resolveAll(body.media);
    const discovery =
      body.isEmpty === true
        ? undefined
        : await authoring.workers.call('discover', { media }, { signal, onProgress: authoring.report(body.job) });
    const session = await authoring.open(path, game);
    if (discovery) {
      const { dictionary } = await loadBuiltin([]);
      await session.takeDraft(discovery, dictionary, body.title);
    } else {
      using file = openVideo(media[0]!);
      await session.create(body.title, file.info);
      await session.edit({ op: 'recordings', recordings: media.map((one) => ({ media: one, use: 'learn' })) });
    }
    return { path, game };
  });

  addRoute(app, draftElements, async ({ body, signal }) => {
    const session = await authoring.open(body.path, body.game);
    const media = await authoring.resolveAll(body.media);
    const discovery = await authoring.workers.call(
      'discover',
      { media },
      { signal, onProgress: authoring.report(body.job) },
    );
    const { dictionary } = await loadBuiltin([]);
    return await authoring.describe(session, await session.takeDraft(discovery, dictionary));
  });

  addRoute(app, editPack, async ({ body }) => {
    const session = await authoring.open(body.path, body.game);
    return await authoring.describe(session, await session.edit(await toEdit(authoring.workspace, body.edit)));
  });

  addRoute(app, exportPackRoute, async ({ body }) => {
    const root = await authoring.workspace.resolve(body.path);
    const target = await authoring.workspace.resolveNew(body.target);
    const { format, game } = body;
    if (format === 'folder' || format === 'zip' || format === 'npm')
      return { target: body.target, files: (await exportPack(root, game, format, target)).length };
    const layout = ({ 'labels-folders': 'folders', 'labels-coco': 'coco', 'labels-yolo': 'yolo' } as const)[format];
    const { pictures } = await exportLabels(root, game, layout, target);
    return { target: body.target, files: pictures };
  });
}

/** Routes of elements of the HUD: their readings, and what they learn from crops. */
function registerElementRoutes(app: FastifyInstance, authoring: Authoring): void {
  addRoute(app, readElements, async ({ body, signal }) => {
    const session = await authoring.open(body.path, body.game);
    const source = await sourceOf(session);
    const { profile } = source;
    const wanted = body.names ?? (body.trial ? [] : Object.keys(profile.detectors));
    const elements = wanted.flatMap((name) => {
      const detector = profile.detectors[name];
      const region = detector?.region === undefined ? undefined : profile.regions[detector.region];
      return detector && region && !region.relative ? [{ name, detector, region }] : [];
    });
    if (body.trial) elements.push(trialOf(profile, body.trial));
    const media = await authoring.workspace.resolve(body.media);
    const asked = performance.now();
    const readings = await authoring.workers.call(
      'read',
      { source, media, t: body.t, elements, hasPictures: body.hasPictures === true },
      { signal },
    );
    return { milliseconds: Math.round(performance.now() - asked), readings };
  });

  addRoute(app, identifyElement, async ({ body, signal }) => {
    const media = await authoring.resolveAll(body.media);
    const { box, name, rowAt } = body;
    const options = { signal, onProgress: authoring.report(body.job) };
    const found =
      rowAt === undefined
        ? await authoring.workers.call('study', { media, box, name }, options)
        : await authoring.workers.call('feed', { media: media[0]!, box, t: rowAt, name }, options);
    if (!found) return { isFound: false };
    const { type, certainty, detector, events, font, examples } = found;
    const area = 'box' in found ? (found as DrawnFeed).box : undefined;
    return {
      isFound: true,
      type,
      certainty,
      detector,
      events: events.map(asJson),
      examples: examples.map(({ t, text }) => ({ t, text })),
      ...(area && { box: area }),
      ...(font && { font: asJson(font) }),
    };
  });

  addRoute(app, collectCrops, async ({ body, signal }) => {
    const source = await sourceOf(await authoring.open(body.path, body.game));
    const detector = source.profile.detectors[body.name];
    const region = detector?.region === undefined ? undefined : source.profile.regions[detector.region];
    if (!detector || !region || detector.kind !== 'text')
      throw new PlaybyplayError('unknown-detector', `“${body.name}” is not a text element with a region of its own`, {
        hint: 'Only texts have a font that labels teach.',
      });
    const media = await authoring.resolveAll(body.media);
    const onProgress = authoring.report(body.job);
    return await authoring.workers.call('collect', { source, media, detector, region }, { signal, onProgress });
  });

  addRoute(app, learnFont, async ({ body, signal }) => {
    const session = await authoring.open(body.path, body.game);
    const media = await authoring.workspace.resolve(body.media);
    const { sheet, name, labels } = body;
    const { font, coverage, moments } = await authoring.workers.call('learn', { sheet, name, labels }, { signal });
    if (!font) return { isLearnt: false, labels: 0, misread: [], rare: [], coverage };
    const timesOf = new Map(moments.map(({ cluster, times }) => [cluster, times]));
    const saved = labels.flatMap(({ cluster, text }) => {
      const times = timesOf.get(cluster) ?? [];
      return times.length === 0 ? [] : [{ media, times, text }];
    });
    const { atlas, isOffset, misread, rare } = font;
    const diff = await session.edit({ op: 'font', name, atlas, isOffset, labels: saved });
    return {
      isLearnt: true,
      labels: font.labels,
      misread,
      rare,
      coverage,
      pack: await authoring.describe(session, diff),
    };
  });

  addRoute(app, cutIcon, async ({ body, signal }) => {
    const session = await authoring.open(body.path, body.game);
    const { profile } = await session.draft();
    const { elements } = await session.contents();
    const media = await authoring.workspace.resolve(body.media);
    const box = elements.find(({ name }) => name === body.name)?.box;
    if (!box)
      throw new PlaybyplayError('unknown-region', `“${body.name}” has no region`, { hint: 'Draw a box for it.' });
    const { t, points, tolerance } = body;
    const request = {
      media,
      t,
      box,
      reference: profile.reference,
      points,
      ...(tolerance === undefined ? {} : { tolerance }),
    };
    const icon = await authoring.workers.call('cut', request, { signal });
    return icon ?? { pixels: 0 };
  });

  addRoute(app, learnSound, async ({ body, signal }) => {
    const media = await authoring.workspace.resolve(body.media);
    const request = { media, label: body.label, ranges: body.ranges };
    const studied = await authoring.workers.call('hear', request, { signal, onProgress: authoring.report(body.job) });
    return { sound: asJson(studied.file), isByWaveform: studied.isByWaveform, found: studied.found };
  });

  addRoute(app, pickColor, async ({ query }) => {
    const media = await authoring.workspace.resolve(query.media);
    const color = await authoring.workers.call('pick', { media, t: query.t, x: query.x, y: query.y });
    return color === undefined ? {} : { color };
  });
}

/** Routes of rules and tests: sentences, words, and what a pack finds in recordings. */
function registerRuleRoutes(app: FastifyInstance, authoring: Authoring): void {
  addRoute(app, composeRule, async ({ body }) => {
    const session = await authoring.open(body.path, body.game);
    const dictionary = await session.dictionary();
    const { statement, sentence, issues } = composeStatement(
      body.sentence,
      body.example as ExampleCue | undefined,
      dictionary,
      body.game,
    );
    return {
      ...(statement ? { statement } : {}),
      ...(sentence === undefined ? {} : { sentence }),
      issues: issues.map(({ message, hint, start, end }) => ({
        message,
        ...(hint === undefined ? {} : { hint }),
        start,
        end,
      })),
      completions: completeSentence(body.sentence, body.cursor ?? body.sentence.length, dictionary),
    };
  });

  addRoute(app, searchWords, async ({ query }) => {
    const dictionary = await (await authoring.open(query.path, query.game)).dictionary();
    const found = query.text.trim() === '' ? dictionary.roots(query.kind) : searchDictionary(dictionary, query.text);
    const own = found.filter(({ kind }) => query.kind === undefined || kind === query.kind).slice(0, MAX_WORDS);
    return { words: own.map((word) => describeWord(word, dictionary)) };
  });

  addRoute(app, runTests, async ({ body, signal }) => {
    const session = await authoring.open(body.path, body.game);
    const game = join(session.store.root, session.profilePath);
    const readings = join(session.store.root, STUDIO_FOLDER, 'readings');
    const isTrial = body.media !== undefined;
    const tests = isTrial
      ? [
          {
            name: body.media,
            media: await authoring.workspace.resolve(body.media),
            isComplete: false,
            marks: [],
            ...rangeOf(body),
          },
        ]
      : (await session.tests()).filter(({ name }) => body.names?.includes(name) ?? true);
    const onShare = authoring.report(body.job);
    const runs: TestRun[] = [];
    for (const [i, test] of tests.entries()) {
      const onProgress = (share: number): void => onShare?.((i + share) / tests.length);
      const stops = body.breakpoints ? { breakpoints: body.breakpoints } : {};
      const request = { game, media: test.media, readings, ...stops, ...rangeOf(test) };
      runs.push({ test, ...(await authoring.workers.call('run', request, { signal, onProgress })) });
    }
    return await describeRuns(authoring.workspace, session, runs, isTrial);
  });
}

/** A test of a pack and what running it gave. */
type TestRun = { readonly test: TestCase } & RunResult;

/** What runs found and, unless they are a trial without marks, how that compares with what was marked. */
async function describeRuns(
  workspace: Workspace,
  session: PackSession,
  runs: readonly TestRun[],
  isTrial: boolean,
): Promise<RouteResponse<typeof runTests>> {
  const dictionary = await session.dictionary();
  const { review } = await session.draft();
  const result = compareRuns(isTrial ? [] : runs, dictionary);
  const learnt = new Set(
    review.recordings.filter(({ use }) => use === 'learn').map(({ path }) => session.locate(path)),
  );
  const held = isTrial ? [] : runs.filter(({ test }) => !learnt.has(test.media));
  return {
    events: runs.flatMap(({ test, events }) =>
      events.map(({ t, text, tentative, statement, cues }) => ({
        t,
        text,
        media: publicMedia(workspace, test.media).media ?? test.name,
        isTentative: tentative === true,
        statement: asJson(statement),
        cues: cues.map(asJson),
      })),
    ),
    kinds: result.kinds.map(toScore),
    all: toScore(result.all),
    ...(held.length > 0 && { held: toScore(compareRuns(held, dictionary).all) }),
    differences: result.differences.map(({ t, kind, sentence, insteadSentence, clip = '', statement, cues }) => ({
      t,
      kind,
      sentence,
      ...(insteadSentence !== undefined && { instead: insteadSentence }),
      test: clip,
      ...publicMedia(workspace, runs.find(({ test }) => test.name === clip)?.test.media ?? ''),
      statement: asJson(statement),
      ...(cues && { cues: cues.map(asJson) }),
    })),
    warnings: runs.flatMap(({ warnings }) => warnings),
    notes: runs.flatMap(({ notes }) => notes),
    stops: runs.flatMap(({ stops }) =>
      stops.map(({ t, cue, readings, before, after, statements }) => ({
        t,
        readings,
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
        cue: asJson(cue),
        sentences: statements.map((statement) => render(statement, dictionary)),
      })),
    ),
    stored: runs.length === 0 ? 0 : mean(runs.map(({ stored }) => stored)),
  };
}

/** An object as the schemas of replies know it: any members. */
function asJson(value: object): Record<string, unknown> {
  return value as Record<string, unknown>;
}

/** The files of a pack, through the workspace: checked paths, steps that can be undone, conflicts noticed. */
async function openStore(workspace: Workspace, path: string): Promise<PackStore> {
  const root = await workspace.resolveNew(path);
  return {
    root,
    read: async (file) => (await workspace.read(posix.join(path, file))).content,
    async change(label, edits, base) {
      const changes = Array.from(edits, ([file, content]) => ({
        path: posix.join(path, file),
        content,
        ...(base?.has(file) ? { version: versionOf(base.get(file)) } : {}),
      }));
      await workspace.change(label, changes);
    },
  };
}

async function sourceOf(session: PackSession): Promise<ProfileSource> {
  const { profile } = await session.draft();
  const version = await versionOfPack(session);
  return { root: session.store.root, path: session.profilePath, profile, version };
}

/** Changes when a file that elements read with does. */
async function versionOfPack(session: PackSession): Promise<string> {
  const { profile } = await session.draft();
  const paths = new Set(
    [...JSON.stringify(profile.detectors).matchAll(/"([^"]+\.(?:json|png))"/g)].map(([, path]) => path!),
  );
  const digest = createHash('sha256');
  for (const path of paths)
    digest.update(`${path} ${versionOf(await session.store.read(`configs/${session.game}/${path}`))}\0`);
  return digest.digest('hex');
}

async function describePack(
  workspace: Workspace,
  session: PackSession,
  diff: readonly FileDiff[],
): Promise<PackResponse> {
  const contents = await session.contents();
  const dictionary = await session.dictionary();
  const { elements, recordings, tests, labels, ...rest } = contents;
  return {
    ...rest,
    elements: elements.map(({ region, detector, ...element }) => ({
      ...element,
      ...withExample(exampleOf({ ...element, detector })),
      detector: detector as Record<string, unknown>,
      ...(region && { region: asJson(region) }),
    })),
    recordings: recordings.flatMap(({ path, use }) => {
      const { media } = publicMedia(workspace, session.locate(path));
      return media === undefined ? [] : [{ media, use }];
    }),
    tests: tests.map(({ media, marks, ...test }) => ({
      ...test,
      ...publicMedia(workspace, media),
      marks: marks.map(({ t, statement }) => ({
        t,
        statement: asJson(statement),
        sentence: render(statement, dictionary),
      })),
    })),
    labels: Object.fromEntries(Object.entries(labels).map(([name, own]) => [name, own.length])),
    diff,
  };
}

function withExample(example: ExampleCue | undefined): {
  readonly example?: { value?: CueValue; previous?: CueValue };
} {
  if (!example) return {};
  const { value, previous } = example;
  return { example: { ...(value === undefined ? {} : { value }), ...(previous === undefined ? {} : { previous }) } };
}

/** How pages name a recording; nothing for one outside the opened folders. */
function publicMedia(workspace: Workspace, media: string): { readonly media?: string } {
  try {
    return { media: workspace.publicPath(media) };
  } catch {
    return {};
  }
}

async function toEdit(workspace: Workspace, edit: RouteBody<typeof editPack>['edit']): Promise<PackEdit> {
  switch (edit.op) {
    case 'recordings':
      return {
        op: 'recordings',
        recordings: await Promise.all(
          edit.recordings.map(async ({ media, use }) => ({ media: await workspace.resolve(media), use })),
        ),
      };
    case 'test': {
      const { marks, media, ...test } = edit.test;
      const checked = marks.map(({ t, statement }) => {
        const shaped = parseStatement(statement);
        if ('issues' in shaped) throw new PlaybyplayError('statement-shape', shaped.issues[0]!.message);
        return { t, statement: shaped.statement };
      });
      return { op: 'test', test: { ...test, media: await workspace.resolve(media), marks: checked } };
    }
    case 'add': {
      const { detector, events, font, ...rest } = edit;
      return {
        ...rest,
        detector: detector as DetectorSpec,
        ...(events ? { events: events as unknown as readonly EventMapping[] } : {}),
        ...(font ? { font: font as unknown as AtlasFile } : {}),
      };
    }
    case 'sound':
      return { ...edit, sound: edit.sound as unknown as SoundFile };
    default:
      return edit as PackEdit;
  }
}

/** An element with options that are not saved. */
function trialOf(
  profile: ProfileSource['profile'],
  { name, box, region, detector }: NonNullable<RouteBody<typeof readElements>['trial']>,
): { readonly name: string; readonly detector: DetectorSpec; readonly region: RegionSpec } {
  const saved = profile.detectors[name];
  const place = saved?.region === undefined ? undefined : profile.regions[saved.region];
  const whole = { x: 0, y: 0, width: profile.reference.width, height: profile.reference.height };
  return {
    name,
    detector: withoutNulls({ ...saved, ...detector, region: saved?.region ?? name }) as DetectorSpec,
    region: withoutNulls({
      ...place,
      ...region,
      ...(box || !place ? fromPixels(profile, box ?? whole) : {}),
    }) as unknown as RegionSpec,
  };
}

function withoutNulls(options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
}

function rangeOf({ from, to }: { readonly from?: number; readonly to?: number }): {
  readonly from?: number;
  readonly to?: number;
} {
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

function toScore({ kind, truth, events, hits, precision, recall }: Score): ScoreResponse {
  return { kind, truth, events, hits, precision: precision.value ?? null, recall: recall.value ?? null };
}

function describeWord(
  { id, name, kind, definition, children }: Word,
  dictionary: Dictionary,
): RouteResponse<typeof searchWords>['words'][number] {
  const ancestors = dictionary.ancestors(id, kind).map((word) => word.name);
  return { id, name, kind, definition, ancestors, children: children.length };
}

/** Makes the identifier of a game from its title. */
function gameName(title: string): string {
  const name = title
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'my-game' : name.slice(0, 64).replace(/-+$/, '');
}
