import { basename } from 'node:path';
import { roundTime } from '../../time.ts';
import { titleOfScene, type Scene, type Source } from '../scene.ts';
import { csvField } from './edl.ts';

/** A LosslessCut project of one recording: its scenes as segments. JSON is JSON5, which the program reads. */
export function losslessCut(scenes: readonly Scene[], source: Source): string {
  const project = {
    version: 2,
    mediaFileName: basename(source.media ?? source.header.media.name),
    cutSegments: scenes.map((scene) => ({
      start: roundTime(scene.start),
      end: roundTime(scene.end),
      name: titleOfScene(scene),
      tags: { score: String(scene.score), because: scene.because },
      selected: true,
    })),
  };
  return `${JSON.stringify(project, undefined, 2)}\n`;
}

/** The same as LosslessCut's CSV: start and end in seconds, name; no header. */
export function losslessCutCsv(scenes: readonly Scene[]): string {
  return scenes
    .map((scene) => `${roundTime(scene.start)},${roundTime(scene.end)},${csvField(titleOfScene(scene))}\n`)
    .join('');
}
