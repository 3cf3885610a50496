// Compares the kills of an imported Quake III family server log with truth made independently from the recorded demo.
//   node bench/words/foreign.ts <games.log> <truth.json>
import { readFileSync } from 'node:fs';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import type { Mention, Slot } from '../../src/events/statement.ts';
import { loadMapping } from '../../src/events/import/mapping.ts';
import { importLog } from '../../src/events/import/import-log.ts';
import { compileQuery, matchEvents } from '../../src/query/run.ts';
import { deathStatement } from '../../test/truth/words.ts';

interface Truth {
  readonly followed_player: string;
  readonly kills: readonly {
    readonly killer: string;
    readonly victim: string;
    readonly means: string;
    readonly games_log_t: number;
  }[];
}

const [logPath, truthPath] = process.argv.slice(2);
if (logPath === undefined || truthPath === undefined) throw new TypeError('give games.log and truth.json');
const truth = JSON.parse(readFileSync(truthPath, 'utf8')) as Truth;
const { dictionary } = await loadBuiltin(['openarena']);
const { sessions, issues } = await importLog(readFileSync(logPath, 'utf8'), await loadMapping('quake3'), dictionary, {
  player: truth.followed_player,
});
const who = (name: string): Slot =>
  name === truth.followed_player ? 'player' : ({ word: 'opponent', name } satisfies Mention);
const key = (t: number, statement: object): string => JSON.stringify([t, Object.entries(statement).toSorted()]);

const said = new Map<string, number>();
for (const { events } of matchEvents(compileQuery('kills or deaths', dictionary), sessions[0]!.events)) {
  const { t, statement } = events[0]!;
  said.set(key(t, statement), (said.get(key(t, statement)) ?? 0) + 1);
}
let right = 0;
const missed: string[] = [];
for (const { killer, victim, means, games_log_t: t } of truth.kills) {
  const wanted =
    killer === victim
      ? { subject: who(victim), action: 'kill oneself', ...withOf(means) }
      : deathStatement(means, who(victim), who(killer));
  const left = said.get(key(t, wanted)) ?? 0;
  if (left > 0) {
    right++;
    said.set(key(t, wanted), left - 1);
  } else missed.push(key(t, wanted));
}
process.stdout.write(
  `kills in the truth ${truth.kills.length}, said alike ${right}, issues ${issues.length}\n${missed.map((line) => `missed ${line}\n`).join('')}`,
);

function withOf(means: string): object {
  const weapon = (deathStatement(means, 'player', 'opponent') as { with?: Slot }).with;
  return weapon === undefined ? {} : { with: weapon };
}
