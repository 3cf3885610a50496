import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { loadBuiltin } from '../../dictionary/files.ts';
import { discoverHud } from '../../discovery/discover.ts';
import type { Discovery, HudField } from '../../discovery/hud-field.ts';
import { type Answers, type Draft, draftPack, writePack } from '../../discovery/draft.ts';
import { describeBehavior, discoveryPage, drawDiscovery } from '../../discovery/page.ts';
import { PlaybyplayError } from '../../errors.ts';
import { readInputText } from '../../files/input.ts';
import { checkOutput, writeOutput } from '../../files/output.ts';
import type { RunCommand } from '../command.ts';
import { formatCount } from '../describe-error.ts';
import { usageError } from '../options.ts';
import { PLAIN_INTERVAL_SECONDS, ProgressBar } from '../progress.ts';
import type * as specs from '../specs.ts';

/** `playbyplay profile draft <recording>…` */
export const draft: RunCommand<typeof specs.profileDraft> = async (io, options, ...recordings) => {
  const { out, overwrite, answer = [] } = options;
  const answers = parseAnswers(answer);
  const policy = { inputs: recordings, overwrite };
  const game = gameName(out);
  const store = join(out, 'discovery.json');
  await checkOutput(store, { kind: 'discovery', ...policy });
  await checkOutput(join(out, 'configs', game, 'profile.json'), { kind: 'profile', ...policy });
  const bar = new ProgressBar(io, 'looking for the HUD', { plainIntervalSeconds: PLAIN_INTERVAL_SECONDS });
  const discovery =
    recordings.length === 0
      ? await readDiscovery(store)
      : await discoverHud(
          recordings.map((path) => resolve(path)),
          { signal: io.signal, memoryBudget: options['memory-budget'], onProgress: (share) => bar.show(share, 1) },
        ).finally(() => bar.clear());
  const { dictionary } = await loadBuiltin([]);
  const made = draftAnswered(discovery, game, dictionary, { ...discovery.answers, ...answers });
  await writeOutput(store, `${JSON.stringify({ ...discovery, answers: { ...discovery.answers, ...answers } })}\n`, {
    kind: 'discovery',
    ...policy,
  });
  const profile = await writePack(out, made, policy);
  const pictures = await drawDiscovery(discovery);
  await writeOutput(join(out, 'hud.png'), pictures.frame, { kind: 'picture', ...policy });
  await writeOutput(join(out, 'hud.html'), discoveryPage(discovery, made, pictures, profile), {
    kind: 'HTML',
    ...policy,
  });
  io.stdout.write(formatFields(discovery.fields, made));
  for (const { id, question, assumed } of made.questions)
    if (answers[id] === undefined && discovery.answers?.[id] === undefined)
      io.stdout.write(`? ${question} Assumed: ${assumed}.  --answer ${id}=…\n`);
  io.stderr.write(
    `${formatCount(discovery.fields.length, 'element')} → ${profile}, ${join(out, 'hud.html')}\nNext: playbyplay detect <recording> --game ${out}\n`,
  );
  return discovery.fields.length === 0 ? 3 : 0;
};

function draftAnswered(...[discovery, game, dictionary, answers]: Parameters<typeof draftPack>): Draft {
  try {
    return draftPack(discovery, game, dictionary, answers);
  } catch (error) {
    if (error instanceof RangeError) throw usageError(error.message, 'The questions are listed without --answer.');
    throw error;
  }
}

function parseAnswers(texts: readonly string[]): Answers {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw usageError(`--answer ${text} has no “=”`, 'Write --answer id=value.');
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

async function readDiscovery(path: string): Promise<Discovery> {
  if (!existsSync(path))
    throw new PlaybyplayError('no-draft', `there is no draft at ${path}`, {
      hint: 'Name the recordings from which it is made: playbyplay profile draft race.mp4 --out ./my-game.',
    });
  return JSON.parse(readInputText(path, 'no-draft')) as Discovery;
}

/** Makes the identifier of a game from the name of its folder. */
function gameName(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'my-game' : name.slice(0, 64);
}

function formatFields(fields: readonly HudField[], { names }: Draft): string {
  const rows = fields.map((field) => [
    field.type,
    names.get(field) ?? `${field.name} (left out)`,
    field.place,
    describeBehavior(field),
    `${Math.round(100 * field.certainty)} %`,
    field.examples
      .slice(0, 3)
      .map(({ text }) => text)
      .join(' | '),
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) => `${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}
