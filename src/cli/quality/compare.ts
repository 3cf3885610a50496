import { parseArgs } from 'node:util';
import { PlaybyplayError } from '../../errors.ts';
import type { FrameRecord } from '../../quality/frame.ts';
import { rankCorrelations, disagreements, type NamedModelScores, scoreWithModels } from '../../quality/compare.ts';
import { scoreFiles } from '../../quality/score.ts';
import type { CommandIo } from '../command.ts';
import { readScoreOptions, scoreOptions } from './options.ts';
import { complain } from './score.ts';

const options = { ...scoreOptions, json: { type: 'boolean' } } as const;

/** `playbyplay quality compare <file>…` */
export async function runCompare(args: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (positionals.length === 0)
    throw new PlaybyplayError('usage', 'which sessions?', { hint: 'Give logs of their frames.' });
  let kept: FrameRecord[][] = [];
  const score = readScoreOptions(values, io.signal);
  const scored = await scoreFiles(positionals, {
    ...score,
    observe: () => {
      const mine: FrameRecord[] = [];
      kept = [...kept, mine];
      return (_meter, record) => mine.push(record);
    },
  });
  const records = kept.slice(-scored.length);
  const judged: NamedModelScores[] = [];
  for (const [i, { name, info }] of scored.entries()) {
    const judgement = scoreWithModels(records[i]!, info, score.constants);
    if (judgement) judged.push({ name, judgement });
    else io.stderr.write(`${name}: the other models need bitrate, size and round trip, which it does not tell\n`);
  }
  const all = {
    rankCorrelations: judged.length > 2 ? rankCorrelations(judged) : [],
    disagreements: disagreements(judged),
  };
  if (values.json) {
    const sessions = judged.map(({ name, judgement: { quality, ...rest } }) => ({
      name,
      total: quality.total,
      raw: quality.raw,
      ...rest,
    }));
    io.stdout.write(`${JSON.stringify({ sessions, ...all })}\n`);
  } else io.stdout.write(text(judged, all));
  return complain(scored, io);
}

function text(
  judged: readonly NamedModelScores[],
  all: {
    readonly rankCorrelations: ReturnType<typeof rankCorrelations>;
    readonly disagreements: ReturnType<typeof disagreements>;
  },
): string {
  const lines = [`${'session'.padEnd(40)}  total     raw   G.1072   rtcscore   stutter`];
  for (const { name, judgement } of judged) {
    const { quality, g1072, rtcScore, stutterShare } = judgement;
    const cells = [
      quality.total?.toFixed(1) ?? '–',
      quality.raw?.toFixed(1) ?? '–',
      g1072.mos.toFixed(2),
      rtcScore.toFixed(2),
    ];
    lines.push(
      `${name.slice(0, 40).padEnd(40)}${cells[0]!.padStart(7)}${cells[1]!.padStart(8)}${cells[2]!.padStart(9)}${cells[3]!.padStart(11)}${`${(100 * stutterShare).toFixed(1)} %`.padStart(10)}`,
    );
  }
  if (all.rankCorrelations.length > 0) {
    lines.push('', 'rank correlations (Spearman, Kendall)');
    for (const { a, b, spearman, kendall } of all.rankCorrelations) {
      lines.push(
        `  ${`${a} and ${b}`.padEnd(52)} ${(spearman?.toFixed(2) ?? '–').padStart(6)} ${(kendall?.toFixed(2) ?? '–').padStart(6)}`,
      );
    }
  }
  for (const { name, other, here, there, because } of all.disagreements) {
    lines.push(
      '',
      `${name}: better than ${percent(here)} by the metric, than ${percent(there)} by ${other}`,
      `  ${because}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
