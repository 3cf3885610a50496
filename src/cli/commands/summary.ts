import { parseArgs } from 'node:util';
import { PlaybyplayError } from '../../errors.ts';
import { markdownSummary, plainSummary, summarize } from '../../highlights/summary.ts';
import { choiceHelp, choiceOptions, choose } from '../highlights/choice.ts';
import type { Command } from '../command.ts';

const help = `playbyplay summary <log or folder>… [options]

Tells what happened in one session or many: counts at the level of the dictionary that says most, the best moments,
a headline and a short text for posting.

  --format <name>        text (default), markdown, post, json
${choiceHelp}
Examples:
  playbyplay summary match.playbyplay
  playbyplay summary season --format markdown > season.md
  playbyplay summary match.playbyplay --format post
`;

export const summary: Command = {
  name: 'summary',
  summary: 'tell in a few lines what happened, with counts and the best moments',
  help,
  async run(args, io) {
    const options = { ...choiceOptions, format: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const format = values.json ? 'json' : (values.format ?? 'text');
    if (!['text', 'markdown', 'post', 'json'].includes(format)) {
      throw new PlaybyplayError('usage', `there is no format "${format}"`, {
        hint: 'Formats are text, markdown, post, json.',
      });
    }
    const chosen = await choose(positionals, values, io, {});
    if (!chosen) return 2;
    const told = summarize(chosen.sources, chosen.choice.scenes, chosen.dictionary);
    if (format === 'json') io.stdout.write(`${JSON.stringify(told)}\n`);
    else if (format === 'post') io.stdout.write(`${told.post}\n`);
    else io.stdout.write(format === 'markdown' ? markdownSummary(told) : plainSummary(told));
    return 0;
  },
};
