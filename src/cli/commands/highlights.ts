import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import { type OutputPolicy, writeOutput } from '../../files/output.ts';
import { inputsOf, makeHighlightList } from '../../highlights/list.ts';
import { isPropertyStatement } from '../../events/statement.ts';
import { type Brand, readBrand } from '../../highlights/brand.ts';
import type { HighlightReelOptions } from '../../highlights/design.ts';
import { planReel, writeReelPreview } from '../../highlights/preview.ts';
import { type HighlightReel, makeReel } from '../../highlights/reel.ts';
import type { Storyboard } from '../../highlights/storyboard.ts';
import { readSubtitles } from '../../highlights/subtitles.ts';
import type { ReelStyle } from '../../highlights/style.ts';
import { summarize } from '../../highlights/summary.ts';
import { dropRedundantChanges } from '../../highlights/captions.ts';
import { writeClips, writePreview, writeSheet, writeThumbnails } from '../../highlights/images.ts';
import { isHardwareEncoder } from '../../media/write/encoder.ts';
import type { CommandIo, RunCommand } from '../command.ts';
import { formatCount } from '../describe-error.ts';
import { openEventTexts } from '../event-text.ts';
import { type OptionValues, usageError } from '../options.ts';
import { ProgressBar } from '../progress.ts';
import {
  DEFAULT_DURATION,
  findPreset,
  formatScene,
  mediaOf,
  reportNoScenes,
  reservedSeconds,
  type Selection,
  selectScenes,
  slowSeconds,
  styleOf,
} from '../select-scenes.ts';
import type * as specs from '../specs.ts';

const VIDEO_EXTENSIONS = ['.mp4', '.mov', '.mkv', '.webm', '.m4v'];
const SHEET_EXTENSIONS = ['.png', '.jpg', '.jpeg'];
const PREVIEW_EXTENSIONS = ['.gif', '.webp'];
const POST_EXTENSION = '.txt';

/** What platforms accept of everybody, and what looks good there. */
const platforms: Readonly<Record<string, { bytes?: number; aspect?: '9:16'; quality?: number }>> = {
  discord: { bytes: 10_000_000 },
  tiktok: { bytes: 287_000_000, aspect: '9:16' },
  // It encodes everything again.
  youtube: { quality: 17 },
};

type HighlightOptions = OptionValues<(typeof specs.highlights)['options']>;

/** `playbyplay highlights <log or folder>…` */
export const highlights: RunCommand<typeof specs.highlights> = async (io, options, ...paths) => {
  for (const path of options.out ?? []) checkExtension(path);
  // The time of cards and slow motion is taken from the scenes.
  const preset = findPreset(options.preset, options.duration);
  const style = styleOf(options, preset);
  const selection = await selectScenes(paths, options, io, {
    reserve: reservedSeconds(options.title !== undefined || preset.titles === true, style),
    duration: DEFAULT_DURATION,
    looksAtPictures: true,
    edited: options.edited,
  });
  if (!selection) return 2;
  if (selection.choice.scenes.length === 0) return reportNoScenes(io, selection.sources);
  const texts = await openEventTexts(options, selection.dictionary);
  const brand = options.brand === undefined ? undefined : await readBrand(options.brand);
  const captionTexts = texts.ofScenes(selection);
  const subtitles = options.subtitles?.map(readSubtitles);
  const settings = { ...reelSettings(options, selection, { style, brand }, io), captionTexts, subtitles };
  texts.reportMissing(io);
  const policy = {
    inputs: [...inputsOf(selection.sources), ...(options.subtitles ?? [])],
    overwrite: options.overwrite,
  };
  const isPreview = options.preview !== undefined;
  const outputs = options.out ?? (options.clips || options.thumbnails || isPreview ? [] : defaultOutputs(selection));
  const written = [...outputs, ...(await writeFolders(options, selection, io))];
  if (isPreview) {
    if (!SHEET_EXTENSIONS.includes(extname(options.preview!)))
      throw usageError(`cannot write ${options.preview!}: a preview is ${SHEET_EXTENSIONS.join(', ')}`);
    await using plan = await planReel(selection.choice, selection.sources, mediaOf, settings);
    await writeReelPreview(options.preview!, plan, { signal: io.signal, ...policy });
    written.push(options.preview!);
  }
  const reels: HighlightReel[] = [];
  for (const path of outputs.filter((each) => VIDEO_EXTENSIONS.includes(extname(each)))) {
    const bar = new ProgressBar(io, 'writing reel', { isRealTime: true });
    const onProgress = (done: number, total: number): void => bar.show(done, total);
    const made = await makeReel(path, selection.choice, selection.sources, mediaOf, {
      ...settings,
      onProgress,
    }).finally(() => bar.clear());
    reels.push(made);
    const { whyEncoded, encoder } = made.reel;
    if (options.hardware && !isHardwareEncoder(encoder))
      io.stderr.write(`${path}: hardware encoding is not available, used ${encoder}.\n`);
    const missing = selection.choice.scenes.length - made.list.scenes.length;
    if (missing > 0)
      io.stderr.write(`${path}: ${formatCount(missing, 'scene')} skipped: the recording has no picture there.\n`);
    const expected =
      settings.captions === 'burn' ||
      subtitles !== undefined ||
      settings.aspect !== 'source' ||
      extname(path) === '.webm';
    if (whyEncoded !== undefined && !expected) io.stderr.write(`${path}: every frame was encoded: ${whyEncoded}.\n`);
  }
  const list = reels[0]?.list ?? makeHighlightList(selection.choice, selection.sources);
  if (options.plan !== undefined) {
    const board = reels[0]?.storyboard ?? (await plannedStoryboard(selection, settings));
    await writeOutput(options.plan, `${JSON.stringify(board, undefined, 2)}\n`, { kind: 'storyboard', ...policy });
    written.push(options.plan);
  }
  for (const path of outputs) {
    if (extname(path) === POST_EXTENSION) {
      const { post } = summarize(selection.sources, selection.choice.scenes, selection.dictionary, list);
      await writeOutput(path, `${post}\n`, { kind: 'text', ...policy });
    } else if (extname(path) === '.json')
      await writeOutput(path, `${JSON.stringify(list, undefined, 2)}\n`, { kind: 'highlights', ...policy });
    else if (SHEET_EXTENSIONS.includes(extname(path))) await writeSceneSheet(path, selection, io.signal, policy);
    else if (PREVIEW_EXTENSIONS.includes(extname(path)))
      await writePreview(path, selection.choice, selection.sources, mediaOf, policy);
  }
  if (options.json) io.stdout.write(`${JSON.stringify(list)}\n`);
  else {
    for (const scene of list.scenes) io.stdout.write(formatScene(scene));
    for (const path of written) io.stdout.write(`${path}\n`);
  }
  return 0;
};

function checkExtension(path: string): void {
  const known = [...VIDEO_EXTENSIONS, ...SHEET_EXTENSIONS, ...PREVIEW_EXTENSIONS, '.json', POST_EXTENSION];
  if (known.includes(extname(path))) return;
  throw usageError(
    `cannot write ${path}: unknown file type`,
    `Known types are ${known.join(', ')}; for others see playbyplay export.`,
  );
}

function reelSettings(
  options: HighlightOptions,
  { sources, choice, dictionary, preset, duration }: Selection,
  { style, brand }: { readonly style: ReelStyle; readonly brand: Brand | undefined },
  io: CommandIo,
): HighlightReelOptions {
  const { layout, facecam, hardware, encoder, codec } = options;
  const fit = options.fit === undefined ? undefined : platforms[options.fit];
  const quality = options.quality ?? fit?.quality;
  const isAutomatic = options.title === 'auto' || (options.title === undefined && preset.titles === true);
  const summarized = summarize(sources, choice.scenes, dictionary);
  // Of a game without a profile, cards would say that nothing is known of it.
  const isKnown = summarized.games.length > 0;
  const tally = isKnown ? summarized.tally : '';
  const title = isAutomatic ? (isKnown ? summarized.games.join(', ') : undefined) : options.title;
  return {
    aspect: options.aspect ?? preset.aspect ?? fit?.aspect ?? 'source',
    captions: options.captions ?? preset.captions ?? 'track',
    layout: layout ?? (facecam && 'split'),
    facecam,
    ...(title !== undefined && title !== '' && { title, subtitle: tally }),
    ...(tally !== '' && { ending: tally }),
    style,
    dictionary,
    duration: duration && duration + slowSeconds(style),
    brand,
    music: options.music,
    quality,
    codec,
    maxBytes: fit?.bytes,
    encoder: encoder ?? (hardware ? 'hardware' : undefined),
    audioTrack: options['audio-track'],
    method: options.full ? 'full' : 'smart',
    overwrite: options.overwrite,
    signal: io.signal,
  };
}

async function plannedStoryboard({ choice, sources }: Selection, settings: HighlightReelOptions): Promise<Storyboard> {
  await using plan = await planReel(choice, sources, mediaOf, settings);
  return plan.board;
}

/** Writes clips and thumbnails, each into its folder. */
async function writeFolders(
  options: HighlightOptions,
  { choice, sources }: Selection,
  io: CommandIo,
): Promise<string[]> {
  const written: string[] = [];
  if (options.clips !== undefined) {
    const method = options.full ? 'full' : 'smart';
    const { overwrite } = options;
    const settings = { method, audioTrack: options['audio-track'], signal: io.signal, overwrite } as const;
    written.push(...(await writeClips(options.clips, choice, sources, mediaOf, settings)));
  }
  if (options.thumbnails !== undefined)
    written.push(...(await writeThumbnails(options.thumbnails, choice, sources, mediaOf, undefined, options)));
  return written;
}

async function writeSceneSheet(
  path: string,
  { choice, sources, dictionary }: Selection,
  signal: AbortSignal,
  policy: OutputPolicy,
): Promise<void> {
  const { scenes } = choice;
  const entries = scenes.flatMap(({ source, events }) => {
    const captions = events.map(({ event: { t, text, statement } }) => {
      return { t, caption: text, kind: isPropertyStatement(statement) ? 'property' : 'action' };
    });
    return dropRedundantChanges(captions).map(({ t, caption }) => ({ media: mediaOf(sources[source]!), t, caption }));
  });
  const { games } = summarize(sources, choice.scenes, dictionary);
  const title = `${games.join(', ')}: ${formatCount(entries.length, 'moment')} in ${formatCount(scenes.length, 'scene')}`;
  await writeSheet(path, entries, { title, signal, ...policy });
}

function defaultOutputs({ sources }: Selection): string[] {
  const folder = commonFolder(sources.map(({ log }) => dirname(log ?? '.')));
  return ['reel.mp4', 'highlights.json', 'sheet.png'].map((name) => join(folder, name));
}

/** The folder of a log, or the folder that holds several. */
function commonFolder(places: readonly string[]): string {
  const [first, ...others] = places.map((each) => resolve(each));
  let common = first!;
  while (others.some((other) => !`${other}${sep}`.startsWith(join(common, sep)))) common = dirname(common);
  if (common === first) return places[0]!;
  const near = relative('.', common);
  return near.startsWith('..') ? common : near || '.';
}
