import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { PlaybyplayError } from '../../errors.ts';
import { scanInTurns } from '../../media/packets.ts';
import { openVideo } from '../../media/video.ts';
import { openGame } from '../../pipeline/game.ts';
import { decidePlacement } from '../../pipeline/placement/decide.ts';
import { evidenceAt } from '../../pipeline/placement/find.ts';
import { drawPlacement } from '../../pipeline/placement/draw.ts';
import type { CommandIo } from '../command.ts';
import { describePlacement } from '../placement.ts';
import { namedPlugins } from '../plugins.ts';

export const placeHelp = `playbyplay profile place <media> --game <name or path> [--write <file>] [--picture <png>]

Finds where the HUD of a profile lies on a recording: at another scale, letterboxed, in a window or in a stream's
layout. Says how sure that is and which elements were seen. Exit code 3 where nothing was found. detect does the same
by itself; the file lets it take the placement without looking.

  --write <file>         the placement as JSON, for detect --place <file>
  --picture <png>        a frame with the regions drawn on it: green where something was read
  --plugin <name>        a plug-in that brings kinds of the profile
  --json                 placement, confidence and elements as JSON

Example:
  playbyplay profile place stream.mp4 --game openarena --picture regions.png
`;

const options = {
  game: { type: 'string' },
  write: { type: 'string' },
  picture: { type: 'string' },
  plugin: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;

export async function placeCommand(args: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const [media, ...rest] = positionals;
  if (media === undefined || rest.length > 0) throw new PlaybyplayError('usage', 'Which recording? Give one.');
  if (values.game === undefined) throw new PlaybyplayError('usage', 'Whose HUD? Give --game.');
  const game = await openGame(values.game, await namedPlugins(values.plugin));
  using file = openVideo(media);
  const index = await scanInTurns(file, { signal: io.signal });
  const { hud = {}, doubt } = await decidePlacement(file, index, game, io.signal);
  const evidence = await evidenceAt(file, index, game, hud);
  const { confidence, elements, pictures } = evidence;
  if (values.write !== undefined && !doubt)
    await writeFile(
      values.write,
      `${JSON.stringify({ format: 'playbyplay/placement/1', ...hud, confidence }, undefined, 2)}\n`,
    );
  if (values.picture !== undefined) await writeFile(values.picture, await drawPlacement(file, index, game, hud));
  if (values.json) {
    const found = doubt ? { found: false, reason: doubt.message } : { found: true, placement: hud };
    io.stdout.write(
      `${JSON.stringify({ media, game: game.profile.game, ...found, confidence, pictures, elements })}\n`,
    );
  } else if (doubt) io.stdout.write(`${doubt.message}. ${doubt.hint ?? ''}\n`);
  else {
    const lines = Object.entries(elements).map(([name, count]) => `  ${name}: ${count} of ${pictures} pictures`);
    io.stdout.write(`${game.profile.game} lies ${describePlacement(hud)} (confidence ${confidence.toFixed(2)})\n`);
    io.stdout.write(`${lines.join('\n')}\n`);
  }
  return doubt ? 3 : 0;
}
