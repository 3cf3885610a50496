import { PlaybyplayError } from '../../errors.ts';
import { suggestSpelling } from '../../spelling.ts';
import { loadKindCatalog } from '../../pipeline/schemas.ts';
import { builtInPack, listGames } from '../../profile/load.ts';
import { publishedProfileSchema } from '../../profile/schema.ts';
import type { Command, CommandIo } from '../command.ts';
import { checkCommand } from '../profile/check.ts';
import { exportCommand, exportHelp } from '../profile/export.ts';
import { glyphsCommand, glyphsHelp } from '../profile/glyphs.ts';
import { placeCommand, placeHelp } from '../profile/place.ts';
import { soundCommand, soundHelp } from '../profile/sound.ts';
import { tryCommand, tryHelp } from '../profile/try.ts';

type Subcommand = (args: string[], io: CommandIo) => Promise<number>;

const subcommands: Readonly<Record<string, Subcommand>> = {
  check: checkCommand,
  export: exportCommand,
  glyphs: glyphsCommand,
  place: placeCommand,
  sound: soundCommand,
  try: tryCommand,
  async list(_args, io) {
    for (const game of await listGames(builtInPack())) io.stdout.write(`${game}\n`);
    return 0;
  },
  async schema(_args, io) {
    io.stdout.write(`${JSON.stringify(publishedProfileSchema(await loadKindCatalog()), undefined, 2)}
`);
    return 0;
  },
};

export const profile: Command = {
  name: 'profile',
  summary:
    'check and try a game profile, find its HUD in a recording, learn its fonts and sounds, export training data',
  help: `playbyplay profile check <game or path>… [--language <tag>] [--plugin <file or package>]… [--json]

Checks profiles: their form, what their names refer to, the files they use, and
whether their script can be loaded. Says all that is wrong at once, each with its
JSON path. With --language also what reading that language needs is checked: Tesseract's
data must be installed. Exit code 3 when there are mistakes.

${tryHelp}
${glyphsHelp}
${soundHelp}
${exportHelp}
${placeHelp}
playbyplay profile list      the games that come with the program
playbyplay profile schema    the JSON Schema of a profile, with every detector kind

Examples:
  playbyplay profile check freedoom
  playbyplay profile check ./my-game/configs/my-game/profile.json
  playbyplay profile schema > profile.schema.json
`,
  run(args, io) {
    const [name, ...rest] = args;
    const run = name === undefined ? undefined : subcommands[name];
    if (run !== undefined) return run(rest, io);
    const names = Object.keys(subcommands);
    const suggestion = name === undefined ? undefined : suggestSpelling(name, names);
    const hint = suggestion ?? `There are ${names.join(', ')}.`;
    throw new PlaybyplayError('usage', name === undefined ? 'profile what?' : `profile has no “${name}”`, { hint });
  },
};
