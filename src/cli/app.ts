import { buildApplication, buildRouteMap, type Command, text_en } from '@stricli/core';
import { type CommandSpec, command, type Context } from './command.ts';
import { didYouMean } from '../spelling.ts';
import { describeArgumentError, describeError, exitCodeOf } from './describe-error.ts';
import { helpIntegration } from './help.ts';
import * as specs from './specs.ts';
import { style } from './terminal.ts';

/** A built command with its declaration. */
export type SpecifiedCommand = Command<Context> & { readonly spec: CommandSpec };

const profile = {
  draft: command(specs.profileDraft, async () => (await import('./commands/profile-draft.ts')).draft),
  check: command(specs.profileCheck, async () => (await import('./commands/profile.ts')).check),
  try: command(specs.profileTry, async () => (await import('./commands/profile.ts')).tryDetectors),
  place: command(specs.profilePlace, async () => (await import('./commands/profile.ts')).place),
  glyphs: command(specs.profileGlyphs, async () => (await import('./commands/profile-glyphs.ts')).glyphs),
  sheet: command(specs.profileSheet, async () => (await import('./commands/profile-glyphs.ts')).collectLabels),
  test: command(specs.profileTest, async () => (await import('./commands/profile-test.ts')).testPack),
  score: command(specs.profileScore, async () => (await import('./commands/profile-score.ts')).score),
  sound: command(specs.profileSound, async () => (await import('./commands/profile.ts')).sound),
  export: command(specs.profileExport, async () => (await import('./commands/profile.ts')).exportDataset),
  list: command(specs.profileList, async () => (await import('./commands/profile.ts')).listBuiltIn),
  schema: command(specs.profileSchema, async () => (await import('./commands/profile.ts')).printSchema),
};

const dictionary = {
  tree: command(specs.dictionaryTree, async () => (await import('./commands/dictionary.ts')).tree),
  show: command(specs.dictionaryShow, async () => (await import('./commands/dictionary.ts')).show),
  search: command(specs.dictionarySearch, async () => (await import('./commands/dictionary.ts')).search),
  check: command(specs.dictionaryCheck, async () => (await import('./commands/dictionary.ts')).check),
  parse: command(specs.dictionaryParse, async () => (await import('./commands/dictionary.ts')).parseSentence),
  render: command(specs.dictionaryRender, async () => (await import('./commands/dictionary.ts')).renderStatement),
  diff: command(specs.dictionaryDiff, async () => (await import('./commands/dictionary.ts')).diff),
  'import-hed': command(specs.dictionaryImportHed, async () => (await import('./commands/dictionary.ts')).importHed),
  html: command(specs.dictionaryHtml, async () => (await import('./commands/dictionary.ts')).html),
};

const quality = {
  score: command(specs.qualityScore, async () => (await import('./commands/quality.ts')).score),
  advise: command(specs.qualityAdvise, async () => (await import('./commands/quality-control.ts')).adviseSettings),
  compare: command(specs.qualityCompare, async () => (await import('./commands/quality.ts')).compare),
  simulate: command(
    specs.qualitySimulate,
    async () => (await import('./commands/quality-control.ts')).simulateSessions,
  ),
};

const library = {
  add: command(specs.libraryAdd, async () => (await import('./commands/library.ts')).add),
  list: command(specs.libraryList, async () => (await import('./commands/library.ts')).listSessions),
  rebuild: command(specs.libraryRebuild, async () => (await import('./commands/library.ts')).rebuild),
  remove: command(specs.libraryRemove, async () => (await import('./commands/library.ts')).remove),
  export: command(specs.libraryExport, async () => (await import('./commands/library-export.ts')).exportTables),
};

const tenant = {
  add: command(specs.tenantAdd, async () => (await import('./commands/tenant.ts')).addTenant),
  list: command(specs.tenantList, async () => (await import('./commands/tenant.ts')).listTenants),
};

const group = (brief: string, routes: Readonly<Record<string, SpecifiedCommand>>, defaultCommand?: string) =>
  buildRouteMap<string, Context>({ routes, docs: { brief }, ...(defaultCommand !== undefined && { defaultCommand }) });

/** Every command of the program, in the order of the help. */
const root = buildRouteMap<string, Context>({
  docs: { brief: 'Turns gameplay recordings into event logs' },
  routes: {
    detect: command(specs.detect, async () => (await import('./commands/detect.ts')).detect),
    live: command(specs.live, async () => (await import('./commands/live.ts')).live),
    process: command(specs.processRecordings, async () => (await import('./commands/process.ts')).processRecordings),
    query: command(specs.query, async () => (await import('./commands/query.ts')).query),
    stats: command(specs.stats, async () => (await import('./commands/stats.ts')).stats),
    coach: command(specs.coach, async () => (await import('./commands/coach.ts')).coach),
    ratings: command(specs.ratings, async () => (await import('./commands/season.ts')).ratings),
    recommend: command(specs.recommend, async () => (await import('./commands/season.ts')).recommend),
    library: group('Manage the library, an index for questions about many logs', library),
    serve: command(specs.serve, async () => (await import('./commands/serve.ts')).serve),
    tenant: group('Manage who may use a service', tenant),
    mcp: command(specs.mcp, async () => (await import('./commands/mcp.ts')).mcp),
    highlights: command(specs.highlights, async () => (await import('./commands/highlights.ts')).highlights),
    studio: command(specs.studio, async () => (await import('./commands/studio.ts')).studio),
    summary: command(specs.summary, async () => (await import('./commands/summary.ts')).summary),
    export: command(specs.exportScenes, async () => (await import('./commands/export.ts')).exportScenes),
    correct: command(specs.correct, async () => (await import('./commands/correct.ts')).correct),
    evaluate: command(specs.evaluate, async () => (await import('./commands/evaluate.ts')).evaluate),
    import: command(specs.importLog, async () => (await import('./commands/import.ts')).importLog),
    align: command(specs.align, async () => (await import('./commands/align.ts')).align),
    quality: group('Score, compare and simulate the quality of streamed sessions', quality, 'score'),
    profile: group('Draft, check and try game profiles; learn their fonts and sounds', profile),
    dictionary: group('Show, check and use the dictionary', dictionary),
    detectors: command(specs.detectors, async () => (await import('./commands/detectors.ts')).detectors),
    kernel: group('Convert filter kernels', {
      quantize: command(specs.kernelQuantize, async () => (await import('./commands/kernel.ts')).quantize),
    }),
    model: group('Plan neural networks', {
      plan: command(specs.modelPlan, async () => (await import('./commands/model.ts')).planModel),
    }),
    graph: group('Schedule graphs of kernel calls over several devices', {
      plan: command(specs.graphPlan, async () => (await import('./commands/graph.ts')).planGraphFile),
      run: command(specs.graphRun, async () => (await import('./commands/graph.ts')).runGraphFile),
    }),
    completion: command(specs.completion, async () => (await import('./completion.ts')).completion),
  },
});

/** Highlights the name of the program, which begins every error. */
const markError = (text: string): string => text.replace(/^playbyplay:/, (name) => style('red', name));

/** The command line: parser, help and completion of all commands. */
export const app = buildApplication(
  root,
  {
    name: 'playbyplay',
    scanner: {
      allowArgumentEscapeSequence: true,
      distanceOptions: { threshold: 3, weights: { insertion: 1, deletion: 1, substitution: 1, transposition: 1 } },
    },
    documentation: { disableAnsiColor: true },
    determineExitCode: exitCodeOf,
    localization: {
      text: {
        ...text_en,
        noCommandRegisteredForInput: ({ input, corrections: [near] }) =>
          markError(
            `playbyplay: there is no command "${input}"${near === undefined ? '' : `\n${didYouMean(near.replaceAll('`', ''))}`}`,
          ),
        exceptionWhileParsingArguments: (error) => markError(describeArgumentError(error)),
        exceptionWhileLoadingCommandFunction: (error) => markError(describeError(error)),
        exceptionWhileRunningCommand: (error) => markError(describeError(error)),
      },
    },
  },
  { help: helpIntegration },
);
