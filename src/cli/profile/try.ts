import { parseArgs } from 'node:util';
import { loadPlugins } from '../../detectors/plugins/load.ts';
import { kindNames } from '../../detectors/registry.ts';
import { PlaybyplayError } from '../../errors.ts';
import { suggestSpelling } from '../../spelling.ts';
import { type Look, look, type Seen } from '../../pipeline/authoring/look.ts';
import { meetRequirements } from '../../pipeline/game.ts';
import { loadKindCatalog } from '../../pipeline/schemas.ts';
import { type LoadedProfile, loadProfile } from '../../profile/load.ts';
import { parseTime } from '../../time.ts';
import { type CommandIo, usage } from '../command.ts';
import { namedPlugins } from '../plugins.ts';

export const tryHelp = `playbyplay profile try <game or path> <recording> --at <time>… [--out <folder>]

Shows what each detector reads at moments of a recording, and how surely: for making a profile. A script is not needed yet, nor
are the files of detectors (fonts that are still to be learnt), nor detectors: with --out all regions are drawn.

  --at <time>            seconds, or minutes and seconds (1:02.5); may be given several times
  --detector <name>      only this detector; may be given several times
  --media <name>         the recording is a companion (a webcam's, say) of that name; shows the detectors that look at it
  --out <folder>         also writes the frame with all regions drawn in, and each region as its detectors are shown it
  --language <tag>       the language of the game in this recording, if the profile reads several
  --plugin <name>        a plug-in that brings kinds of the profile (see playbyplay detectors --help)
  --json                 print NDJSON: an object a moment

Example:
  playbyplay profile try ./my-game match.mp4 --at 12.3 --at 1:02 --out looks
`;

export async function tryCommand(args: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      at: { type: 'string', multiple: true },
      detector: { type: 'string', multiple: true },
      media: { type: 'string' },
      out: { type: 'string', short: 'o' },
      language: { type: 'string' },
      plugin: { type: 'string', multiple: true },
      json: { type: 'boolean' },
    },
  });
  const [game, media, ...more] = positionals;
  if (game === undefined || media === undefined || more.length > 0)
    throw usage('which game, and which recording?', 'Give one of each.');
  if (!values.at) throw usage('when?', 'Give --at, such as --at 12.3.');
  const times = values.at.map(timeOf);
  const plugins = await loadPlugins(await namedPlugins(values.plugin), kindNames());
  const loaded = await loadProfile(game, {
    kinds: (used, steps) => loadKindCatalog(used, steps, plugins),
    language: values.language,
    unfinished: true,
  });
  const names = Object.keys(loaded.profile.detectors);
  const made = Object.entries(loaded.profile.detectors).filter(([name]) => !isUnmade(loaded, name));
  await meetRequirements({ ...loaded, profile: { ...loaded.profile, detectors: Object.fromEntries(made) } }, plugins);
  for (const name of values.detector ?? []) if (!names.includes(name)) throw unknownDetector(name, names);
  const known = Object.keys(loaded.profile.media ?? {});
  if (values.media !== undefined && !known.includes(values.media))
    throw new PlaybyplayError('unknown-media', `the profile knows no companion recording “${values.media}”`, {
      hint: known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`,
    });
  const options = {
    plugins,
    ...(values.media === undefined ? {} : { companion: values.media }),
    ...(values.detector ? { detectors: values.detector } : {}),
    ...(values.out === undefined ? {} : { out: values.out }),
  };
  let count = 0;
  for await (const one of look(loaded, media, times, options)) {
    io.signal?.throwIfAborted();
    count++;
    io.stdout.write(values.json ? `${JSON.stringify(one)}\n` : shown(one));
  }
  if (count === 0) throw new PlaybyplayError('no-picture', 'the recording shows nothing at these times');
  return 0;
}

/** A moment as a table. */
function shown({ t, seen, files }: Look): string {
  const rows = seen.map((one) => [one.detector, one.kind, ...read(one)] as const);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
  const written = files.length === 0 ? '' : `  → ${files[0]} and ${files.length - 1} regions\n`;
  return [`${t.toFixed(2)} s\n`, ...lines.map((line) => `${line}\n`), written].join('');
}

function read({ observation, least, when, region, implausible, lacks }: Seen): [string, string] {
  if (lacks !== undefined) return ['cannot be read yet', lacks];
  if (observation === undefined)
    return ['not asked', when === undefined ? (region === undefined ? 'reads no pictures' : '') : `waits for ${when}`];
  const sure = observation.confidence.toFixed(2);
  if (observation.state === 'absent') return ['nothing there', sure];
  if (observation.state === 'unreadable') return unreadable(observation.detail, sure);
  const value = typeof observation.value === 'string' ? `“${observation.value}”` : String(observation.value);
  if (implausible) return [value, `${sure}, but does not fit “plausible”`];
  return [value, observation.confidence < least ? `${sure}, below the ${least} that it must have` : sure];
}

/** What a text detector would have read, were it surer, tells whether the font or the place is wrong. */
function unreadable(detail: unknown, sure: string): [string, string] {
  return typeof detail === 'string' && detail.trim() !== ''
    ? [`unreadable, perhaps “${detail}”`, `${sure}, too little`]
    : ['unreadable', ''];
}

function isUnmade({ lacking, path, pack }: LoadedProfile, detector: string): boolean {
  const start = `${pack.locate(path)}#/detectors/${detector.replaceAll('~', '~0').replaceAll('/', '~1')}/`;
  return lacking.some((issue) => issue.path?.startsWith(start));
}

function timeOf(text: string): number {
  const t = parseTime(text);
  if (t === undefined) throw usage(`${text} is no time`, `Write 12.3 or 1:02.5.`);
  return t;
}

function unknownDetector(name: string, names: readonly string[]): PlaybyplayError {
  return new PlaybyplayError('unknown-detector', `the profile has no detector “${name}”`, {
    hint: suggestSpelling(name, names) ?? `There are ${names.join(', ')}.`,
  });
}
