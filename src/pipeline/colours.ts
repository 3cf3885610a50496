import { loadKind } from '../detectors/registry.ts';
import type { Issue } from '../errors.ts';
import type { PacketIndex } from '../media/packets/packet-index.ts';
import type { Picture, Plane } from '../media/picture.ts';
import type { VideoFile } from '../media/video.ts';
import { mediaOf } from '../profile/media.ts';
import type { Game } from './game.ts';
import { pictureAt, spreadFrames } from './placement/pictures.ts';

/** Pictures that must all be grey for a recording to be. */
const LOOKED_AT = 6;
/** Levels by which the colour of a grey picture may be off, as encoders round. */
const SLACK = 4;
/** How many detectors are named. */
const NAMED = 8;

/** Says that a recording has no colours, where the profile tells things by them. */
export async function withoutColours(game: Game, file: VideoFile, index: PacketIndex): Promise<Issue | undefined> {
  let looked = 0;
  for (const frame of spreadFrames(index, LOOKED_AT)) {
    using picture = pictureAt(file, index, frame);
    if (!picture) continue;
    if (!isGrey(picture)) return undefined;
    looked++;
  }
  if (looked === 0) return undefined;
  const names: string[] = [];
  for (const [name, spec] of Object.entries(game.profile.detectors)) {
    if (mediaOf(spec) !== undefined) continue;
    const kind = await loadKind(spec.kind, game.plugins);
    if (kind.input === 'audio' || kind.input === 'records') continue;
    if (await kind.byColour?.(spec, game.assets)) names.push(name);
  }
  if (names.length === 0) return undefined;
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return {
    code: 'no-colours',
    message: `the recording has no colours (all ${looked} pictures looked at are grey), by which ${names.length} of the ${Object.keys(game.profile.detectors).length} detectors of ${game.profile.game} tell what they see, wholly or in part: ${names.slice(0, NAMED).join(', ')}${more}`,
    hint: 'Much is not read then. Give a recording in colour; if the game itself is grey, have the profile tell things by brightness (fonts learnt with --channel luma, icons with "color": false, greys as colours).',
  };
}

function isGrey({ u, v }: Picture): boolean {
  return isLevel(u) && isLevel(v);
}

/** Whether a plane of colour differences is nearly without any. */
function isLevel({ data, stride, width, height }: Plane): boolean {
  for (let row = 0; row < height; row++)
    for (let i = row * stride; i < row * stride + width; i++) if (Math.abs(data[i]! - 128) > SLACK) return false;
  return true;
}
