import { markdownSummary, plainSummary, summarize } from '../../highlights/summary.ts';
import type { RunCommand } from '../command.ts';
import { openEventTexts } from '../event-text.ts';
import { selectScenes } from '../select-scenes.ts';
import type * as specs from '../specs.ts';

/** `playbyplay summary <log or folder>…` */
export const summary: RunCommand<typeof specs.summary> = async (io, options, ...paths) => {
  const format = options.json ? 'json' : options.format;
  const selection = await selectScenes(paths, options, io, {});
  if (!selection) return 2;
  const texts = await openEventTexts(options, selection.dictionary);
  const { sources, choice, dictionary } = texts.withTexts(selection);
  const summarized = summarize(sources, choice.scenes, dictionary);
  texts.reportMissing(io);
  if (format === 'json') io.stdout.write(`${JSON.stringify(summarized)}\n`);
  else if (format === 'post') io.stdout.write(`${summarized.post}\n`);
  else io.stdout.write(format === 'markdown' ? markdownSummary(summarized) : plainSummary(summarized));
  return 0;
};
