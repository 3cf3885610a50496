import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { PlaybyplayError } from '../../errors.ts';
import { isPropertyStatement } from '../../events/statement.ts';
import { makeHighlightList } from '../../highlights/list.ts';
import { TITLE_CARD_SECONDS, makeReel, type HighlightReel, type HighlightReelOptions } from '../../highlights/reel.ts';
import { summarize } from '../../highlights/summary.ts';
import { dropRedundantChanges } from '../../highlights/captions.ts';
import { writeSheet, writeClips, writePreview, writeThumbnails } from '../../highlights/images.ts';
import { hardwareEncoders } from '../../media/write/encoder.ts';
import { writeAtomically } from '../../media/write/output-file.ts';
import { counted } from '../explain.ts';
import {
  audioTrackOf,
  choiceHelp,
  choiceOptions,
  choose,
  DEFAULT_DURATION,
  mediaOf,
  nothing,
  presetOf,
  sceneLines,
  type Chosen,
} from '../highlights/choice.ts';
import type { Command, CommandIo } from '../command.ts';

const help = `playbyplay highlights <log or folder>… [options]

Chooses the scenes worth seeing from one event log or many and cuts them into a reel, frame by frame exact, with sound,
chapters, captions and its own event log.

  -o, --out <file>       reel.mp4 (or .mov, .mkv, .webm), list.json, sheet.png, preview.gif, preview.webp; may be given
                         several times (default: reel.mp4, highlights.json and sheet.png in the log's
                         folder; of several logs, in the folder that holds them)
  --clips <folder>       each scene as a file of its own
  --thumbnails <folder>  a picture of each scene
  --aspect <shape>       source (default), 16:9, 9:16 or 1:1
  --layout <how>         what does not fit: crop (follows the action), hud (the same above the whole HUD), blur (whole,
                         before a blurred copy of itself), pad (between bars)
  --captions <how>       track (default), burn (drawn into the picture, clear of the HUD), none
  --title [text]         a title before the first scene; "auto" makes one up
  --quality <n>          0 (lossless) to 51, default 20
  --hardware             encode on the graphics card, where one can
  --encoder <name>       the same by name: ${hardwareEncoders.join(', ')};
                         libx264 (default)
  --full                 encode every frame anew instead of copying what can be copied
  --json                 print the highlight list
${choiceHelp}
Examples:
  playbyplay highlights match.playbyplay --duration 30s
  playbyplay highlights match.playbyplay --query "player kills" -o kills.mp4 -o kills.json
  playbyplay highlights season --query "player defeats enemy with launcher" --per-session 1 --duration 90s -o season.mp4
  playbyplay highlights match.playbyplay --preset short -o short.mp4
`;

const videos = ['.mp4', '.mov', '.mkv', '.webm', '.m4v'];
const sheets = ['.png', '.jpg', '.jpeg'];
const previews = ['.gif', '.webp'];

const highlightOptions = {
  ...choiceOptions,
  out: { type: 'string', short: 'o', multiple: true },
  clips: { type: 'string' },
  thumbnails: { type: 'string' },
  aspect: { type: 'string' },
  layout: { type: 'string' },
  captions: { type: 'string' },
  title: { type: 'string' },
  quality: { type: 'string' },
  full: { type: 'boolean' },
  hardware: { type: 'boolean' },
  encoder: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof highlightOptions }>>['values'];

export const highlights: Command = {
  name: 'highlights',
  summary: 'choose the scenes worth seeing and cut them into a reel',
  help,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args, options: highlightOptions, allowPositionals: true });
    for (const path of values.out ?? []) checkName(path);
    // A title takes its time from the scenes.
    const titled = values.title !== undefined || presetOf(values.preset).titles === true;
    const chosen = await choose(positionals, values, io, {
      reserve: titled ? TITLE_CARD_SECONDS : 0,
      duration: DEFAULT_DURATION,
    });
    if (!chosen) return 2;
    if (chosen.choice.scenes.length === 0) return nothing(io, chosen.sources);
    const options = reelOptions(values, chosen, io);
    const outputs = values.out ?? (values.clips || values.thumbnails ? [] : defaultOutputs(chosen));
    const written = [...outputs, ...(await folders(values, chosen, io))];
    const reels: HighlightReel[] = [];
    for (const path of outputs.filter((each) => videos.includes(extname(each)))) {
      mkdirSync(dirname(resolve(path)), { recursive: true });
      const made = await makeReel(path, chosen.choice, chosen.sources, mediaOf, options);
      reels.push(made);
      if (io.isTty) io.stderr.write('\r\x1b[K');
      const { whyEncoded, encoder } = made.reel;
      if (values.hardware && !hardwareEncoders.some((name) => name === encoder))
        io.stderr.write(`${path}: no graphics card encodes here, ${encoder} did.\n`);
      const missing = chosen.choice.scenes.length - made.list.scenes.length;
      if (missing > 0)
        io.stderr.write(`${path}: ${counted(missing, 'scene')} left out: the recording has no picture there.\n`);
      const expected = options.captions === 'burn' || options.aspect !== 'source' || extname(path) === '.webm';
      if (whyEncoded !== undefined && !expected)
        io.stderr.write(`${path}: every frame was encoded anew: ${whyEncoded}.\n`);
    }
    const list = reels[0]?.list ?? makeHighlightList(chosen.choice, chosen.sources);
    for (const path of outputs) {
      mkdirSync(dirname(resolve(path)), { recursive: true });
      if (extname(path) === '.json')
        await writeAtomically(path, (part) => writeFile(part, `${JSON.stringify(list, undefined, 2)}\n`));
      else if (sheets.includes(extname(path))) await sheet(path, chosen, io.signal);
      else if (previews.includes(extname(path))) await writePreview(path, chosen.choice, chosen.sources, mediaOf);
    }
    if (values.json) io.stdout.write(`${JSON.stringify(list)}\n`);
    else {
      for (const scene of list.scenes) io.stdout.write(sceneLines(scene));
      for (const path of written) io.stdout.write(`${path}\n`);
    }
    return 0;
  },
};

function checkName(path: string): void {
  const known = [...videos, ...sheets, ...previews, '.json'];
  if (known.includes(extname(path))) return;
  throw new PlaybyplayError('usage', `${path} is of a kind that cannot be written`, {
    hint: `Name it ${known.join(', ')}; for other formats see playbyplay export.`,
  });
}

/** One of some words, or the fallback. */
function oneOf<T extends string>(name: string, value: string | undefined, words: readonly T[], fallback: T): T {
  if (value === undefined) return fallback;
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new PlaybyplayError('usage', `--${name} ${value} is not known`, { hint: `It can be ${words.join(', ')}.` });
}

function reelOptions(values: Values, chosen: Chosen, io: CommandIo): HighlightReelOptions {
  const { preset } = chosen;
  const quality = values.quality === undefined ? undefined : Number(values.quality);
  if (quality !== undefined && !(quality >= 0 && quality <= 51)) {
    throw new PlaybyplayError('usage', `--quality ${values.quality} is not between 0 and 51`);
  }
  const scenes = counted(chosen.choice.scenes.length, 'scene');
  const automatic = values.title === 'auto' || (values.title === undefined && preset.titles === true);
  const told = automatic ? summarize(chosen.sources, chosen.choice.scenes, chosen.dictionary) : undefined;
  const title = told ? told.games.join(', ') : values.title;
  return {
    aspect: oneOf('aspect', values.aspect, ['source', '16:9', '9:16', '1:1'], preset.aspect ?? 'source'),
    captions: oneOf('captions', values.captions, ['track', 'burn', 'none'], preset.captions ?? 'track'),
    ...(values.layout !== undefined && {
      layout: oneOf('layout', values.layout, ['crop', 'hud', 'blur', 'pad'], 'pad'),
    }),
    ...(title !== undefined && title !== '' && { title, subtitle: told ? `${told.tally} · ${scenes}` : scenes }),
    ...(quality !== undefined && { quality }),
    ...encoderOf(values),
    audioTrack: audioTrackOf(values['audio-track']),
    method: values.full ? 'full' : 'smart',
    signal: io.signal,
    onProgress: progress(io, 'reel'),
  };
}

/** Who encodes; nobody named: who does it for the kind of file. */
function encoderOf({ hardware, encoder }: Values): Pick<HighlightReelOptions, 'encoder'> {
  if (encoder !== undefined) return { encoder: oneOf('encoder', encoder, [...hardwareEncoders, 'libx264'], 'libx264') };
  return hardware ? { encoder: 'hardware' } : {};
}

/** Clips and thumbnails, each in a folder. */
async function folders(values: Values, { choice, sources }: Chosen, io: CommandIo): Promise<string[]> {
  const written: string[] = [];
  if (values.clips !== undefined) {
    const method = values.full ? 'full' : 'smart';
    const audioTrack = audioTrackOf(values['audio-track']);
    const options = { method, audioTrack, signal: io.signal } as const;
    written.push(...(await writeClips(values.clips, choice, sources, mediaOf, options)));
  }
  if (values.thumbnails !== undefined)
    written.push(...(await writeThumbnails(values.thumbnails, choice, sources, mediaOf)));
  return written;
}

async function sheet(path: string, { choice, sources, dictionary }: Chosen, signal: AbortSignal): Promise<void> {
  const { scenes } = choice;
  const entries = scenes.flatMap(({ source, events }) => {
    const told = events.map(({ event: { t, text, statement } }) => {
      return { t, caption: text, kind: isPropertyStatement(statement) ? 'property' : 'action' };
    });
    return dropRedundantChanges(told).map(({ t, caption }) => ({ media: mediaOf(sources[source]!), t, caption }));
  });
  const { games } = summarize(sources, choice.scenes, dictionary);
  const title = `${games.join(', ')}: ${counted(entries.length, 'moment')} in ${counted(scenes.length, 'scene')}`;
  await writeSheet(path, entries, { title, signal });
}

function defaultOutputs({ sources }: Chosen): string[] {
  const folder = folderOf(sources.map(({ log }) => dirname(log ?? '.')));
  return ['reel.mp4', 'highlights.json', 'sheet.png'].map((name) => join(folder, name));
}

/** Where a log lies; of several logs, the folder that holds them all. */
function folderOf(places: readonly string[]): string {
  const [first, ...others] = places.map((each) => resolve(each));
  let common = first!;
  while (others.some((other) => !`${other}${sep}`.startsWith(join(common, sep)))) common = dirname(common);
  if (common === first) return places[0]!;
  const near = relative('.', common);
  return near.startsWith('..') ? common : near || '.';
}

/** Draws a progress line on a terminal, nothing elsewhere. */
function progress(io: CommandIo, what: string): (done: number, total: number) => void {
  let shown = -1;
  return (done, total) => {
    const percent = Math.floor((100 * done) / total);
    if (!io.isTty || percent === shown) return;
    shown = percent;
    const bar = '█'.repeat(Math.floor(percent / 5)).padEnd(20, '░');
    io.stderr.write(`\r${what} ${bar} ${percent} %`);
  };
}
