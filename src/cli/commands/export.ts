import { dirname, resolve } from 'node:path';
import { fileKindOf } from '../../files/file-kind.ts';
import { writeOutput } from '../../files/output.ts';
import { exportAs } from '../../highlights/export.ts';
import { inputsOf, type Source } from '../../highlights/list.ts';
import { planScenes } from '../../highlights/storyboard.ts';
import { openVideo } from '../../media/video.ts';
import type { RunCommand } from '../command.ts';
import { formatCount } from '../describe-error.ts';
import { openEventTexts } from '../event-text.ts';
import { usageError } from '../options.ts';
import {
  DEFAULT_DURATION,
  findPreset,
  reportNoScenes,
  reservedSeconds,
  selectScenes,
  slowSeconds,
  styleOf,
  titleOf,
} from '../select-scenes.ts';
import type * as specs from '../specs.ts';

/** `playbyplay export <log or folder>…` */
export const exportScenes: RunCommand<typeof specs.exportScenes> = async (io, options, ...paths) => {
  const { format: formats = [], out: outputs = [] } = options;
  if (formats.length === 0) throw usageError('missing option --format', 'See the formats in playbyplay export --help.');
  if (outputs.length > 0 && outputs.length !== formats.length)
    throw usageError(`${formatCount(formats.length, 'format')}, but ${formatCount(outputs.length, 'output file')}`);
  const rate = options.rate === undefined ? undefined : parseFrameRate(options.rate);
  const preset = findPreset(options.preset, options.duration);
  const style = styleOf(options, preset);
  const found = await selectScenes(paths, options, io, {
    reserve: reservedSeconds(preset.titles === true, style),
    duration: DEFAULT_DURATION,
    looksAtPictures: true,
  });
  if (!found) return 2;
  if (found.choice.scenes.length === 0) return reportNoScenes(io, found.sources);
  const texts = await openEventTexts(options, found.dictionary);
  const selection = texts.withTexts(found);
  texts.reportMissing(io);
  const { dictionary, duration } = selection;
  const limit = duration === undefined ? undefined : duration + slowSeconds(style);
  const shots = planScenes(selection.choice.scenes, { dictionary, style, duration: limit });
  for (const [index, format] of formats.entries()) {
    const out = outputs[index];
    const { text, issues } = exportAs(format, {
      ...selection,
      title: options.title ?? titleOf(selection),
      hasSound,
      shots: shots.map((scene) => scene.shots),
      ...(rate && { rate }),
      ...(options.relative && { relativeTo: resolve(dirname(out ?? 'x')) }),
    });
    for (const issue of issues) io.stderr.write(`playbyplay: ${issue.message}. ${issue.hint ?? ''}\n`);
    if (issues.length > 0 && text === '') return 3;
    if (out === undefined) io.stdout.write(text);
    else {
      await writeOutput(out, text, {
        kind: fileKindOf(Buffer.from(text.slice(0, 4096))),
        inputs: inputsOf(selection.sources),
        overwrite: options.overwrite,
      });
    }
  }
  return 0;
};

/** Whether a recording has sound. A missing one is assumed to have it. */
function hasSound({ media }: Source): boolean {
  if (media === undefined) return true;
  using file = openVideo(media);
  return file.info.audio.length > 0;
}

/** `30`, `29.97`, `30000/1001`. */
function parseFrameRate(text: string): { num: number; den: number } {
  const match = /^(\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(text);
  const value = match ? Number(match[1]) / Number(match[2] ?? 1) : 0;
  if (!(value > 0 && value <= 1000)) {
    throw usageError(`--rate must be a frame rate such as 30, 29.97 or 30000/1001, not "${text}"`);
  }
  if (match![2] !== undefined) return { num: Number(match![1]), den: Number(match![2]) };
  // 23.976, 29.97, 59.94 mean fractions of 1001.
  const whole = Math.round(value);
  if (Math.abs(value - (whole * 1000) / 1001) < 0.005) return { num: whole * 1000, den: 1001 };
  return Number.isInteger(value) ? { num: value, den: 1 } : { num: Math.round(value * 1000), den: 1000 };
}
