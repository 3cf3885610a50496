import { markdownSummary, plainSummary, summarize } from '../../highlights/summary.ts';
import type { RunCommand } from '../command.ts';
import { selectScenes } from '../select-scenes.ts';
import type * as specs from '../specs.ts';

/** `playbyplay summary <log or folder>…` */
export const summary: RunCommand<typeof specs.summary> = async (io, options, ...paths) => {
  const format = options.json ? 'json' : options.format;
  const selection = await selectScenes(paths, options, io, {});
  if (!selection) return 2;
  const summarized = summarize(selection.sources, selection.choice.scenes, selection.dictionary);
  if (format === 'json') io.stdout.write(`${JSON.stringify(summarized)}\n`);
  else if (format === 'post') io.stdout.write(`${summarized.post}\n`);
  else io.stdout.write(format === 'markdown' ? markdownSummary(summarized) : plainSummary(summarized));
  return 0;
};
