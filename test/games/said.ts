import type { Cue } from '../../src/cues/cue.ts';
import type { Statement } from '../../src/events/statement.ts';
import { builtInPack } from '../../src/profile/find.ts';
import { readScript } from '../../src/profile/script.ts';
import { openScript, type ScriptStatement } from '../../src/script/script.ts';

export type Short = readonly [
  t: number,
  detector: string,
  trigger: Cue['trigger'],
  value?: unknown,
  previous?: unknown,
  first?: true | undefined,
  confidence?: number,
];

/** What a built-in game's script says of some cues, in order of time. */
export async function said(
  game: string,
  cues: readonly Short[],
  end = 60,
): Promise<{ t: number; statement: Statement }[]> {
  using script = await openScript((await readScript(builtInPack(), game))!);
  const events: ScriptStatement[] = [];
  for (const t of new Set(cues.map(([at]) => at))) {
    const now = cues.filter(([at]) => at === t).map((cue) => cueOf(cue));
    events.push(...script.onCues(t, now).statements);
  }
  events.push(...script.end(end).statements);
  // What only supports other statements is no event of its own.
  return events
    .filter(({ support }) => support !== true)
    .map(({ t, statement }) => ({ t, statement }))
    .toSorted((a, b) => a.t - b.t);
}

function cueOf([t, detector, trigger, value, previous, first, confidence = 1]: Short): Cue {
  const isLine = ['feed', 'fragged', 'fragged by'].includes(detector);
  const given = isLine ? { value: '', detail: value } : { value };
  return { t, detector, trigger, confidence, previous, first, ...given } as Cue;
}
