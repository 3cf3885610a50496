import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PlaybyplayError } from '../../errors.ts';
import type { Source } from '../../highlights/scene.ts';
import { openVideo } from '../../media/video.ts';
import { writeAtomically } from '../../media/write/output-file.ts';
import { exportAs, exportFormats } from '../../highlights/export.ts';
import { choiceHelp, choiceOptions, choose, nothing, titleOf } from '../highlights/choice.ts';
import type { Command } from '../command.ts';

const list = Object.entries(exportFormats)
  .map(([name, { extension, summary }]) => `  ${name.padEnd(16)} ${extension.padEnd(13)} ${summary}`)
  .join('\n');

const help = `playbyplay export <log or folder>… --format <name> [options]

Hands scenes and markers over to an editing program, or writes the words that go along with a video.

${list}

  -f, --format <name>    one of these; may be given several times
  -o, --out <file>       where to (default: standard output); once for each format
  --rate <fraction>      frame rate of the edit: 30, 29.97, 30000/1001 (default: that of the first recording)
  --relative             media paths relative to the written file
  --title <text>         name of the edit
${choiceHelp}
Examples:
  playbyplay export match.playbyplay -f otio -o match.otio
  playbyplay export match.playbyplay -f vtt > match.vtt
  playbyplay export season/*.playbyplay -f fcpxml --per-session 1 --relative -o season.fcpxml
`;

export const exportCommand: Command = {
  name: 'export',
  summary: 'hand scenes over to an editing program, or as captions, chapters and text',
  help,
  async run(args, io) {
    const options = {
      ...choiceOptions,
      format: { type: 'string', short: 'f', multiple: true },
      out: { type: 'string', short: 'o', multiple: true },
      rate: { type: 'string' },
      relative: { type: 'boolean' },
      title: { type: 'string' },
    } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const wanted = values.format ?? [];
    const outputs = values.out ?? [];
    if (wanted.length === 0) {
      throw new PlaybyplayError('usage', 'which format?', {
        hint: `Formats are ${Object.keys(exportFormats).join(', ')}.`,
      });
    }
    if (outputs.length > 0 && outputs.length !== wanted.length) {
      throw new PlaybyplayError('usage', `${wanted.length} exportFormats, but ${outputs.length} files to write`);
    }
    const rate = values.rate === undefined ? undefined : rateElement(values.rate);
    const chosen = await choose(positionals, values, io);
    if (!chosen) return 2;
    if (chosen.choice.scenes.length === 0) return nothing(io, chosen.sources);
    for (const [index, format] of wanted.entries()) {
      const out = outputs[index];
      const { text, issues } = exportAs(format, {
        ...chosen,
        title: values.title ?? titleOf(chosen),
        hasSound,
        ...(rate && { rate }),
        ...(values.relative && { relativeTo: resolve(dirname(out ?? 'x')) }),
      });
      for (const issue of issues) io.stderr.write(`playbyplay: ${issue.message}. ${issue.hint ?? ''}\n`);
      if (issues.length > 0 && text === '') return 3;
      if (out === undefined) io.stdout.write(text);
      else {
        mkdirSync(dirname(resolve(out)), { recursive: true });
        await writeAtomically(out, (part) => writeFile(part, text));
      }
    }
    return 0;
  },
};

/** Whether a recording has sound; one that was not found is taken to have some. */
function hasSound({ media }: Source): boolean {
  if (media === undefined) return true;
  using file = openVideo(media);
  return file.info.audio.length > 0;
}

/** `30`, `29.97`, `30000/1001`. */
function rateElement(text: string): { num: number; den: number } {
  const match = /^(\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(text);
  const value = match ? Number(match[1]) / Number(match[2] ?? 1) : 0;
  if (!(value > 0 && value <= 1000)) {
    throw new PlaybyplayError('usage', `--rate ${text} is not a frame rate`, {
      hint: 'Write 30, 29.97 or 30000/1001.',
    });
  }
  if (match![2] !== undefined) return { num: Number(match![1]), den: Number(match![2]) };
  // 23.976, 29.97, 59.94 mean fractions of 1001.
  const whole = Math.round(value);
  if (Math.abs(value - (whole * 1000) / 1001) < 0.005) return { num: whole * 1000, den: 1001 };
  return Number.isInteger(value) ? { num: value, den: 1 } : { num: Math.round(value * 1000), den: 1000 };
}
