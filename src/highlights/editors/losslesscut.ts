import { basename } from 'node:path';
import { roundTime } from '../../time.ts';
import { sceneTitle, type Scene, type Source } from '../scene.ts';
import { csvField } from './edl.ts';

/** Writes a LosslessCut project of one recording with its scenes as segments. */
export function losslessCut(scenes: readonly Scene[], source: Source): string {
  const project = {
    version: 2,
    mediaFileName: basename(source.media ?? source.header.media.name),
    cutSegments: scenes.map((scene) => ({
      start: roundTime(scene.start),
      end: roundTime(scene.end),
      name: sceneTitle(scene),
      tags: { score: String(scene.score), because: scene.because },
      selected: true,
    })),
  };
  return `${JSON.stringify(project, undefined, 2)}\n`;
}

/** Writes LosslessCut's CSV: start and end in seconds, name; no header. */
export function losslessCutCsv(scenes: readonly Scene[]): string {
  return scenes
    .map((scene) => `${roundTime(scene.start)},${roundTime(scene.end)},${csvField(sceneTitle(scene))}\n`)
    .join('');
}
