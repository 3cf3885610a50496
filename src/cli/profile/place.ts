import { writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { parseArgs } from 'node:util';

import type { HudSettings } from '../../geometry.ts';
import { formatClock } from '../../time.ts';
import { scanPacketsAsync } from '../../media/packets/scan-packets.ts';
import { openVideo } from '../../media/video.ts';
import { openGame } from '../../pipeline/game.ts';
import { decidePlacement } from '../../pipeline/placement/decide.ts';
import type { Evidence } from '../../pipeline/placement/count.ts';
import { evidenceAt } from '../../pipeline/placement/find.ts';
import { drawPlacement } from '../../pipeline/placement/draw.ts';
import { smallText } from '../../pipeline/placement/legible.ts';
import type { Stretch } from '../../pipeline/placement/pictures.ts';
import { type CommandIo, usage } from '../command.ts';
import { describePlacement } from '../placement.ts';
import { namedPlugins } from '../plugins.ts';

export const placeHelp = `playbyplay profile place <media> --game <name or path> [--write <file>] [--picture <png>]

Finds where the HUD of a profile lies on a recording: at another scale, stretched, letterboxed, in a window or in a
stream's layout, and from when on it lies elsewhere. Says how sure that is and which elements were seen. Exit code 3 where nothing was found. detect does the same
by itself; the file lets it take the placement without looking.

  --write <file>         the placement as JSON, for detect --place <file>
  --picture <png>        a frame with the regions drawn on it: green where something was read; where the layout changes, one
                         for each (regions.png, regions-2.png)
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
  if (media === undefined || rest.length > 0) throw usage('which recording?', 'Give one.');
  if (values.game === undefined) throw usage('whose HUD?', 'Give --game.');
  const game = await openGame(values.game, await namedPlugins(values.plugin));
  using file = openVideo(media);
  const index = await scanPacketsAsync(file, { signal: io.signal });
  const { hud = {}, doubt, remarks = [] } = await decidePlacement(file, index, game, io.signal);
  const end = index.t.at(-1) ?? 0;
  const { changes = [], ...first } = hud;
  const layouts: Layout[] = [];
  for (const [i, { t, confidence: _, ...own }] of [{ t: 0, ...first }, ...changes].entries()) {
    const within = changes.length === 0 ? undefined : { t, end: changes[i]?.t ?? end };
    layouts.push({ t, hud: own, within, evidence: await evidenceAt(file, index, game, own, within) });
  }
  const { confidence, elements, pictures } = layouts[0]!.evidence;
  if (values.write !== undefined && !doubt)
    await writeFile(
      values.write,
      `${JSON.stringify({ format: 'playbyplay/placement/1', ...first, confidence, ...(changes.length > 0 ? { changes } : {}) }, undefined, 2)}\n`,
    );
  if (values.picture !== undefined)
    for (const [i, { hud: own, within }] of layouts.entries())
      await writeFile(numbered(values.picture, i), await drawPlacement(file, index, game, own, within));
  const small = doubt ? undefined : await smallText(game, file.info, first);
  const warnings = [...remarks, ...(small ? [small] : [])];
  if (values.json) {
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
}

/** Where the HUD lies from a time on. */
interface Layout {
  readonly t: number;
  readonly hud: HudSettings;
  readonly within: Stretch | undefined;
  readonly evidence: Evidence;
}

/** `regions.png`, `regions-2.png` … */
function numbered(path: string, i: number): string {
  const { dir, name, ext } = parse(path);
  return i === 0 ? path : join(dir, `${name}-${i + 1}${ext}`);
}
