import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { PlaybyplayError } from '../../errors.ts';
import type { EventLine } from '../../events/log.ts';
import { detect as detectEvents, type DetectSummary } from '../../pipeline/detect.ts';
import type { HudSettings } from '../../geometry.ts';
import { recogniseGame } from '../../pipeline/placement/decide.ts';
import { describePlacement, readPlacement } from '../placement.ts';
import type { CompanionSource } from '../../pipeline/sources/companions.ts';
import type { StreamSource } from '../../pipeline/sources/following.ts';
import { knownProfiles } from '../../profile/known.ts';
import { formatClock, parseTime } from '../../time.ts';
import { type Command, type CommandIo, usage } from '../command.ts';
import { besideOf } from '../beside.ts';
import { counted, formatIssues } from '../explain.ts';
import { namedPlugins, namedProfiles } from '../plugins.ts';
import { ProgressBar } from '../progress.ts';

const help = `playbyplay detect <recording> --game <name or profile> [options]

Watches a recording and writes down what happened: events.ndjson, one line an event.

  --game <name|path>     freedoom, hedgewars, nethack, openarena, the path of your own profile or pack, or auto: the one that is seen
  --profiles <path>      your own profiles, to be named or recognised like the built-in ones: a pack, or a folder of packs; may
                         stand several times, and in your settings (docs/profiles.md)
  --out <folder>         where the log goes (default: <recording>.playbyplay beside it)
  --plan full|adaptive   read every sample (default), or only the stretches in which keyframes differ
  --workers <n>          reading threads (default: one a core); the log does not depend on it
  --from <time>          only from here on: 90, 1:30, 2m
  --to <time>            only up to here
  --place <where>        where the HUD lies: auto (default) looks whether its elements are where the profile has them, and else
                         searches them (letterbox, window, stream layout, HUD scale); default does not look; or a file
                         that profile place wrote
  --plugin <name>        a plug-in that brings kinds of detectors: a file or folder (./my-detector.js) or an npm package seen
                         from here; may stand several times. It is a program, and is run: name only what you trust
  --language <tag>       the language of the game in this recording, if the profile reads several: de, pt-BR; or several (ru,en)
  --hud-scale <factor>   the HUD is drawn larger or smaller than the game's default
  --stream <name=file>   a file beside the recording for the profile's stream detectors: inputs, heart rate, events
                         (CSV, JSON), subtitles (SRT, VTT); may stand several times. “name=file@2.5”: its clock begins at
                         2.5 s of the recording; “@10:12.5,900:902.6”: its second 10 is the recording's 12.5, and so on;
                         “@auto”: by what is heard when its records are (see playbyplay align)
  --media <name=file>    a second recording of the session (a webcam's, say) for the detectors that name it by “media”; its
                         clock as for --stream, “@auto” by what both recordings heard; may stand several times
  --resume               go on where an interrupted run stopped; after a finished one, try a changed script
                         on the same readings (kept in readings.journal, which may be deleted)
  --trace <file>         write a timeline of the threads' work, for chrome://tracing or ui.perfetto.dev
  --quiet                print no events
  --json                 print the events as NDJSON instead of sentences

Examples:
  playbyplay detect match.mp4 --game openarena
  playbyplay detect doom.mkv --game freedoom --plan adaptive --out logs/doom
  playbyplay detect long.mp4 --game openarena --resume
  playbyplay detect stream.mp4 --game auto
  playbyplay detect match.mp4 --game ./my-pack --media webcam=cam.mkv@auto --stream keys=keys.csv@2.5
  playbyplay detect clip.mp4 --game ./my-pack --json | jq -r .text
`;

const options = {
  game: { type: 'string' },
  out: { type: 'string', short: 'o' },
  plan: { type: 'string' },
  workers: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  'hud-scale': { type: 'string' },
  place: { type: 'string' },
  profiles: { type: 'string', multiple: true },
  language: { type: 'string' },
  plugin: { type: 'string', multiple: true },
  stream: { type: 'string', multiple: true },
  media: { type: 'string', multiple: true },
  resume: { type: 'boolean' },
  trace: { type: 'string' },
  quiet: { type: 'boolean', short: 'q' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export const detect: Command = {
  name: 'detect',
  summary: 'watch a recording and write down what happened',
  help,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [media, ...rest] = positionals;
    if (media === undefined)
      throw usage('which recording?', 'For example: playbyplay detect match.mp4 --game openarena');
    if (rest.length > 0) throw usage(`one recording at a time: ${rest.join(' ')} is too much`);
    if (values.game === undefined)
      throw usage('which game?', 'Give --game: --game freedoom, or the path of a profile.');
    const { plan = 'full' } = values;
    if (plan !== 'full' && plan !== 'adaptive') throw usage(`--plan is full or adaptive, not ${plan}`);
    const workers = count('workers', values.workers) ?? availableParallelism();
    const from = time('from', values.from);
    const to = time('to', values.to);
    if (from !== undefined && to !== undefined && !(from < to)) throw usage('--from must be before --to');
    const hudScale = factor('hud-scale', values['hud-scale']);
    const place = await placeOf(values.place, hudScale);
    const plugins = await namedPlugins(values.plugin);
    const profiles = await namedProfiles(values.profiles);
    const game =
      values.game === 'auto' ? await recognised(media, io, profiles, plugins) : await chosen(values.game, profiles);
    const bar = new ProgressBar(io, 'watching');
    const show = (event: EventLine): void => {
      if (values.quiet) return;
      bar.clear();
      io.stdout.write(
        values.json ? `${JSON.stringify(event)}\n` : `${formatClock(event.t).padStart(9)}  ${event.text}\n`,
      );
    };
    const streams: StreamSource[] = [];
    for (const text of values.stream ?? []) streams.push(await besideOf('stream', text, media, io));
    const companions: CompanionSource[] = [];
    for (const text of values.media ?? []) companions.push(await besideOf('media', text, media, io));
    const summary = await detectEvents({
      ...(plugins.length > 0 ? { plugins } : {}),
      ...(profiles.length > 0 ? { profiles } : {}),
      ...(streams.length > 0 ? { streams } : {}),
      ...(companions.length > 0 ? { companions } : {}),
      media,
      game,
      ...place,
      plan,
      workers,
      resume: values.resume ?? false,
      signal: io.signal,
      ...(values.out === undefined ? {} : { out: values.out }),
      ...(values.language === undefined ? {} : { language: values.language }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(values.trace === undefined ? {} : { trace: values.trace }),
      onProgress: (done, total) => bar.show(done, total),
      onEvent: show,
      onProblem: (issue) => {
        bar.clear();
        io.stderr.write(formatIssues([issue]));
      },
      onNote: ({ t, text }) => {
        bar.clear();
        io.stderr.write(`${formatClock(t).padStart(9)}  (script) ${text}\n`);
      },
    }).finally(() => bar.clear());
    report(summary, io);
    return summary.doubt ? 3 : 0;
  },
};

/** Problems of recordings and files that are not there. */
const NOTHING_TO_READ = ['no-such-media', 'no-such-stream', 'no-such-audio-track'];

/** What a person wants to know at the end, on stderr. */
function report(summary: DetectSummary, io: CommandIo): void {
  const { events, gaps, log, duration, problems, placement, doubt, silent = [], warnings = [] } = summary;
  if (placement?.confidence !== undefined)
    io.stderr.write(`  The HUD was found ${describePlacement(placement)} (${placement.confidence.toFixed(2)}).\n`);
  for (const { t, confidence = 0, ...later } of placement?.changes ?? [])
    io.stderr.write(`  From ${formatClock(t)} on it was ${describePlacement(later)} (${confidence.toFixed(2)}).\n`);
  for (const gap of gaps)
    io.stderr.write(`  ${formatClock(gap.t)} to ${formatClock(gap.end)} could not be read: ${gap.reason}\n`);
  const faults = Object.values(problems).reduce((sum, n) => sum + n, 0);
  const failures = problems['plugin-failed'] ?? 0;
  if (failures > 0)
    io.stderr.write(
      `  ${counted(failures, 'reading')} ${failures === 1 ? 'is' : 'are'} missing because a plug-in failed.\n`,
    );
  const idle = NOTHING_TO_READ.reduce((sum, code) => sum + (problems[code] ?? 0), 0);
  if (idle > 0) io.stderr.write(`  ${idle} ${idle === 1 ? 'detector has' : 'detectors have'} nothing to read.\n`);
  const unused = faults - failures - idle;
  if (unused > 0)
    io.stderr.write(
      `  ${unused === 1 ? 'A mistake' : `${unused} mistakes`} of script or profile: what came of it is left out.\n`,
    );
  if (silent.length > 0)
    io.stderr.write(`  Nothing was ever read by ${silent.join(', ')}: “profile try” shows what they see.\n`);
  io.stderr.write(`${counted(events, 'event')} in ${formatClock(duration)} of video → ${log}\n`);
  for (const { message, hint } of warnings) io.stderr.write(`Warning: ${message}. ${hint ?? ''}\n`);
  if (doubt) io.stderr.write(`Warning: ${doubt.message}. ${doubt.hint ?? ''}\n`);
}

/** What `--place` and `--hud-scale` say. */
async function placeOf(
  place: string | undefined,
  scale: number | undefined,
): Promise<{ readonly place?: 'auto' | 'default'; readonly hud?: HudSettings }> {
  if (scale !== undefined) {
    if (place !== undefined) throw usage('--place and --hud-scale both say where the HUD lies');
    return { hud: { scale } };
  }
  if (place === undefined || place === 'auto' || place === 'default') return { place: place ?? 'auto' };
  return { hud: await readPlacement(place) };
}

/** The game that a recording shows. Throws PlaybyplayError `unknown-recording`. */
async function recognised(
  media: string,
  io: CommandIo,
  profiles: readonly string[],
  plugins: readonly string[],
): Promise<string> {
  const { found, known } = await recogniseGame(media, { signal: io.signal, profiles, plugins });
  if (!found)
    throw new PlaybyplayError('unknown-recording', `${media} shows none of the games known: ${known.join(', ')}`, {
      hint: 'Name the game, or the path of a profile: --game ./my-game.',
    });
  io.stderr.write(`This looks like ${found.game} (${found.confidence.toFixed(2)}).\n`);
  return found.path;
}

/** What opens a game that is named: one of the user's own, a built-in one, or a path. */
async function chosen(name: string, profiles: readonly string[]): Promise<string> {
  if (profiles.length === 0) return name;
  return (await knownProfiles(profiles)).find(({ game }) => game === name)?.path ?? name;
}

function time(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = parseTime(text);
  if (value === undefined) throw usage(`--${name} ${text} is not a time`, 'Write 90, 1:30 or 2m.');
  return value;
}

function count(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 256)
    throw usage(`--${name} must be a whole number from 1 to 256`);
  return value;
}

function factor(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!(value > 0.1 && value < 10)) throw usage(`--${name} must be a factor between 0.1 and 10`);
  return value;
}
