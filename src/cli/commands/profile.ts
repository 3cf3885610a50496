import { join, parse } from 'node:path';
import type { SoundFile } from '../../detectors/sound/fingerprint.ts';
import { PlaybyplayError } from '../../errors.ts';
import { readInputText } from '../../files/input.ts';
import { checkOutput, writeOutput } from '../../files/output.ts';
import type { HudSettings } from '../../geometry.ts';
import { settingsSchema } from '../../highlights/settings.ts';
import { appendPointer } from '../../json.ts';
import { scanPacketsAsync } from '../../media/packets/scan-packets.ts';
import { openVideo } from '../../media/video.ts';
import type { InspectedReading, PictureInspection } from '../../pipeline/authoring/inspect-pictures.ts';
import { parseLabels } from '../../pipeline/authoring/learn.ts';
import { findOccurrences, learnSound } from '../../pipeline/authoring/learn-sound.ts';
import { checkProfile } from '../../pipeline/check-profile.ts';
import { compileProfile } from '../../pipeline/compile-profile.ts';
import { meetRequirements, openGame } from '../../pipeline/game.ts';
import { decidePlacement } from '../../pipeline/placement/decide-placement.ts';
import type { Evidence } from '../../pipeline/placement/evidence.ts';
import { collectEvidence, drawPlacement } from '../../pipeline/placement/inspect-placement.ts';
import type { TimeSpan } from '../../pipeline/placement/pictures.ts';
import { loadKindCatalog } from '../../pipeline/schemas.ts';
import { textTooSmall } from '../../pipeline/warnings.ts';
import { builtInPack, listGames } from '../../profile/find.ts';
import { type LoadedProfile, loadProfile } from '../../profile/load.ts';
import { publishedProfileSchema } from '../../profile/schema.ts';
import { suggestSpelling } from '../../spelling.ts';
import { formatClock } from '../../time.ts';
import type { RunCommand } from '../command.ts';
import { formatCount, formatIssues } from '../describe-error.ts';
import { usageError } from '../options.ts';
import { describePlacement } from '../placement.ts';
import { findPlugins, loadUserPlugins } from '../plugins.ts';
import { ProgressBar } from '../progress.ts';
import type * as specs from '../specs.ts';

type Spec<K extends keyof typeof specs> = (typeof specs)[K];

/** `playbyplay profile check <game or path>…` */
export const check: RunCommand<Spec<'profileCheck'>> = async (io, { plugin, language, json }, ...names) => {
  const plugins = await loadUserPlugins(plugin);
  let total = 0;
  for (const name of names) {
    const { location, issues, warnings, sampleCues } = await checkProfile(name, {
      plugins,
      language,
      highlightSettings: settingsSchema,
    });
    total += issues.length + warnings.length;
    if (json) io.stdout.write(`${JSON.stringify({ profile: location, issues, warnings, sampleCues })}\n`);
    else {
      const mistakes = issues.length === 0 ? 'no mistakes' : formatCount(issues.length, 'mistake');
      const more = warnings.length === 0 ? '' : `, ${formatCount(warnings.length, 'warning')}`;
      const tried = sampleCues > 0 ? ` (script run on ${formatCount(sampleCues, 'sample cue')})` : '';
      io.stdout.write(`${location}: ${mistakes}${more}${tried}\n${formatIssues(issues)}${formatIssues(warnings)}`);
    }
  }
  if (!json)
    io.stdout.write('Not checked, because it takes a recording: where the HUD is, and streams and companion files.\n');
  return total > 0 ? 3 : 0;
};

/** `playbyplay profile list` */
export const listBuiltIn: RunCommand<Spec<'profileList'>> = async (io) => {
  for (const game of await listGames(builtInPack())) io.stdout.write(`${game}\n`);
  return 0;
};

/** `playbyplay profile schema` */
export const printSchema: RunCommand<Spec<'profileSchema'>> = async (io) => {
  io.stdout.write(`${JSON.stringify(publishedProfileSchema(await loadKindCatalog()), undefined, 2)}\n`);
  return 0;
};

/** `playbyplay profile try <game or path> <recording>` */
export const tryDetectors: RunCommand<Spec<'profileTry'>> = async (io, options, game, media) => {
  if (!options.at) throw usageError('missing option --at', 'Give one or more times, such as --at 12.3.');
  const plugins = await loadUserPlugins(options.plugin);
  const loaded = await loadProfile(game, {
    kinds: (used, steps) => loadKindCatalog(used, steps, plugins),
    language: options.language,
    unfinished: true,
  });
  const names = Object.keys(loaded.profile.detectors);
  const compiled = await compileProfile(loaded, plugins);
  await meetRequirements({ ...compiled, detectors: compiled.detectors.filter(({ name }) => !lacksFile(loaded, name)) });
  for (const name of options.detector ?? []) if (!names.includes(name)) throw unknownDetector(name, names);
  const known = Object.keys(loaded.profile.media ?? {});
  if (options.media !== undefined && !known.includes(options.media))
    throw new PlaybyplayError('unknown-media', `the profile has no companion recording “${options.media}”`, {
      hint: known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`,
    });
  const trial = {
    plugins,
    companion: options.media,
    detectors: options.detector,
    out: options.out,
  };
  let moments = 0;
  const { inspectPictures } = await import('../../pipeline/authoring/inspect-pictures.ts');
  for await (const one of inspectPictures(loaded, media, options.at, trial)) {
    io.signal.throwIfAborted();
    moments++;
    io.stdout.write(options.json ? `${JSON.stringify(one)}\n` : formatMoment(one));
  }
  if (moments === 0) throw new PlaybyplayError('no-picture', 'the recording has no picture at these times');
  return 0;
};

/** Formats the readings of a moment as a table. */
function formatMoment({ t, seen, files }: PictureInspection): string {
  const rows = seen.map((one) => [one.detector, one.kind, ...formatReading(one)] as const);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
  const written = files.length === 0 ? '' : `  → ${files[0]} and ${files.length - 1} regions\n`;
  return [`${t.toFixed(2)} s\n`, ...lines.map((line) => `${line}\n`), written].join('');
}

function formatReading({ observation, least, when, region, implausible, lacks }: InspectedReading): [string, string] {
  if (lacks !== undefined) return ['cannot be read yet', lacks];
  if (observation === undefined)
    return ['not asked', when === undefined ? (region === undefined ? 'reads no pictures' : '') : `waits for ${when}`];
  const sure = observation.confidence.toFixed(2);
  if (observation.state === 'absent') return ['nothing there', sure];
  if (observation.state === 'unreadable') return formatUnreadable(observation.detail, sure);
  const value = typeof observation.value === 'string' ? `“${observation.value}”` : String(observation.value);
  if (implausible) return [value, `${sure}, but does not fit “plausible”`];
  return [value, observation.confidence < least ? `${sure}, below the ${least} that it must have` : sure];
}

/** The best candidate of a text detector shows whether the font or the region is wrong. */
function formatUnreadable(detail: unknown, sure: string): [string, string] {
  return typeof detail === 'string' && detail.trim() !== ''
    ? [`unreadable, perhaps “${detail}”`, `${sure}, too little`]
    : ['unreadable', ''];
}

function lacksFile({ missing, path, pack }: LoadedProfile, detector: string): boolean {
  const start = `${pack.locate(path)}#${appendPointer('/detectors', detector)}/`;
  return missing.some((issue) => issue.path?.startsWith(start));
}

function unknownDetector(name: string, names: readonly string[]): PlaybyplayError {
  return new PlaybyplayError('unknown-detector', `the profile has no detector “${name}”`, {
    hint: suggestSpelling(name, names) ?? `Detectors are ${names.join(', ')}.`,
  });
}

/** `playbyplay profile place <recording>` */
export const place: RunCommand<Spec<'profilePlace'>> = async (io, options, media) => {
  const policy = { inputs: [media], overwrite: options.overwrite };
  if (options.write !== undefined) await checkOutput(options.write, { kind: 'placement', ...policy });
  if (options.picture !== undefined) await checkOutput(options.picture, { kind: 'picture', ...policy });
  const game = await openGame(options.game, await findPlugins(options.plugin));
  using file = openVideo(media);
  const index = await scanPacketsAsync(file, { signal: io.signal });
  const source = { file, index, game, signal: io.signal };
  const { hud = {}, doubt, remarks = [] } = await decidePlacement(source);
  const end = index.t.at(-1) ?? 0;
  const { changes = [], ...first } = hud;
  const layouts: Layout[] = [];
  for (const [i, { t, confidence: _, ...own }] of [{ t: 0, ...first }, ...changes].entries()) {
    const within = changes.length === 0 ? undefined : { t, end: changes[i]?.t ?? end };
    layouts.push({ t, hud: own, within, evidence: await collectEvidence(source, own, within) });
  }
  const { confidence, elements, pictures } = layouts[0]!.evidence;
  if (options.write !== undefined && !doubt)
    await writeOutput(
      options.write,
      `${JSON.stringify({ format: 'playbyplay/placement/1', ...first, confidence, ...(changes.length > 0 ? { changes } : {}) }, undefined, 2)}\n`,
      { kind: 'placement', ...policy },
    );
  if (options.picture !== undefined)
    for (const [i, { hud: own, within }] of layouts.entries())
      await writeOutput(numberedPath(options.picture, i), await drawPlacement(source, own, within), {
        kind: 'picture',
        ...policy,
      });
  const small = doubt ? undefined : await textTooSmall(game, file.info, first);
  const warnings = [...remarks, ...(small ? [small] : [])];
  if (options.json) {
    const found = doubt ? { found: false, reason: doubt.message } : { found: true, placement: hud };
    const said = warnings.length > 0 ? { warnings: warnings.map(({ code, message }) => ({ code, message })) } : {};
    io.stdout.write(
      `${JSON.stringify({ media, game: game.profile.game, ...found, confidence, pictures, elements, ...said })}\n`,
    );
  } else if (doubt) io.stdout.write(`${doubt.message}. ${doubt.hint ?? ''}\n`);
  else {
    for (const { t, hud: own, evidence } of layouts) {
      const from = t === 0 ? '' : `from ${formatClock(t)} on `;
      const sure = evidence.confidence.toFixed(2);
      io.stdout.write(`${game.profile.game} lies ${from}${describePlacement(own)} (confidence ${sure})\n`);
      for (const [name, count] of Object.entries(evidence.elements))
        io.stdout.write(`  ${name}: ${count} of ${evidence.pictures} pictures\n`);
    }
    for (const { message, hint } of warnings) io.stdout.write(`Warning: ${message}. ${hint ?? ''}\n`);
  }
  return doubt ? 3 : 0;
};

/** The placement of the HUD from a time on. */
interface Layout {
  readonly t: number;
  readonly hud: HudSettings;
  readonly within: TimeSpan | undefined;
  readonly evidence: Evidence;
}

/** `regions.png`, `regions-2.png`, … */
function numberedPath(path: string, i: number): string {
  const { dir, name, ext } = parse(path);
  return i === 0 ? path : join(dir, `${name}-${i + 1}${ext}`);
}

/** `playbyplay profile sound <recording>` */
export const sound: RunCommand<Spec<'profileSound'>> = async (io, options, media) => {
  const { from = [], to = [], label, out, track, length, overwrite } = options;
  const output = { kind: 'sound', inputs: [media], overwrite };
  await checkOutput(out, output);
  if (from.length === 0 || from.length !== to.length)
    throw usageError('--from and --to must be given equally often, at least once');
  const ranges = from.map((start, i) => ({ media, from: start, to: to[i]! }));
  const occurrences = length === undefined ? ranges : findOccurrences(ranges, length, track);
  const learned = learnSound(label, occurrences, track);
  await writeOutput(out, `${JSON.stringify(learned)}\n`, output);
  const count = occurrences.length === 1 ? 'one occurrence' : `${occurrences.length} occurrences`;
  io.stdout.write(
    `${out}: ${label}, ${(learned.frames / 100).toFixed(2)} s, from ${count}; ${describeRecognition(learned)}\n`,
  );
  return 0;
};

/** How the sound will be recognized, and what would improve it. */
function describeRecognition({ waves = [], examples }: SoundFile): string {
  if (waves.length > 0)
    return `known by ${waves.length === 1 ? 'its waveform' : `${waves.length} waveforms`}, the same in ${waves.map((one) => one.examples).join(' and ')} of them`;
  if (examples === 1)
    return 'known by its spectrogram only: give two more occurrences, and it is known by its waveform';
  return 'known by its spectrogram only: no waveform that they share was found (the game plays it differently each time, or they are too quiet)';
}

/** `playbyplay profile export <game or path> [<recording>…]` */
export const exportDataset: RunCommand<Spec<'profileExport'>> = async (io, options, game, ...media) => {
  if ((media.length === 0) === (options.labels === undefined)) throw usageError('give either recordings or --labels');
  const plugins = await loadUserPlugins(options.plugin);
  const loaded = await loadProfile(game, { kinds: (used, steps) => loadKindCatalog(used, steps, plugins) });
  const bar = new ProgressBar(io, 'exporting');
  const settings = {
    plugins,
    detectors: options.detector,
    region: options.region,
    background: options.background,
    ...given(options, ['confidence', 'interval', 'from', 'to']),
    signal: io.signal,
    onProgress: (done: number, total: number) => bar.show(done, total),
  };
  const { collectLabels, collectReadings, writeDataset } = await import('../../pipeline/authoring/dataset.ts');
  const pictures =
    options.labels === undefined
      ? collectReadings(loaded, media, settings)
      : collectLabels(
          loaded,
          parseLabels(readInputText(options.labels, 'bad-labels'), options.labels),
          options.labels,
          settings,
        );
  const summary = await writeDataset(pictures, {
    out: options.out,
    format: options.format,
    image: options.image,
    ...given(options, ['held', 'most']),
  });
  bar.clear();
  if (options.json) io.stdout.write(`${JSON.stringify({ out: options.out, format: options.format, ...summary })}\n`);
  else {
    const lines = Object.entries(summary.labels).map(
      ([label, { train, val }]) => `  ${label}: ${train} + ${val} held back`,
    );
    io.stdout.write(`${options.out}: ${formatCount(summary.pictures, 'picture')}\n${lines.join('\n')}\n`);
  }
  return 0;
};

/** Those of some numeric options that were given. */
function given<K extends string>(
  options: Readonly<Record<K, number | undefined>>,
  names: readonly K[],
): Partial<Record<K, number>> {
  const found: Partial<Record<K, number>> = {};
  for (const name of names) if (options[name] !== undefined) found[name] = options[name];
  return found;
}
