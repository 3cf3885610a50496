import type { RunCommand } from '../command.ts';
import { openSeason } from '../season.ts';
import type * as specs from '../specs.ts';
import { alignColumns } from '../table.ts';

/** Rows that are printed; `--json` prints all. */
const MAX_ROWS = 20;

/** `playbyplay ratings [<log or folder>…]` */
export const ratings: RunCommand<typeof specs.ratings> = async (io, options, ...paths) => {
  await using season = await openSeason(io, paths, options);
  const { pairPlayers, ratePlayers, winProbability } = await import('../../season/ratings.ts');
  const rated = await ratePlayers(season.chosen);
  const named = options.match ?? [];
  const chosen = named.map((name) => {
    const found = rated.find((player) => player.name === name || player.name.endsWith(` ${name}`));
    if (found) return found;
    io.stderr.write(`playbyplay: no log says how ${name} fights; paired as a newcomer\n`);
    return { name, rating: { mu: 25, sigma: 25 / 3 } };
  });
  const pairs = pairPlayers(chosen);
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ ratings: rated, pairs })}\n`);
    return 0;
  }
  const rows = rated
    .slice(0, MAX_ROWS)
    .map(({ name, rating, sessions }, i) => [
      String(i + 1),
      name,
      rating.mu.toFixed(1),
      `± ${(2 * rating.sigma).toFixed(1)}`,
      String(sessions),
    ]);
  const lines = alignColumns([['', 'player', 'rating', '', 'sessions'], ...rows]);
  if (pairs.length > 0)
    lines.push(
      '',
      ...pairs.map(
        ({ first, second, probability }) => `${first} – ${second}: ${first} wins ${(100 * probability).toFixed(0)} %`,
      ),
    );
  else if (rated.length > 1) {
    const [a, b] = rated as [(typeof rated)[number], (typeof rated)[number]];
    lines.push(
      '',
      `${a.name} is expected to beat ${b.name} ${(100 * winProbability(a.rating, b.rating)).toFixed(0)} times in 100.`,
    );
  }
  if (rated.length === 0) lines.push('Nobody defeats anybody in these logs.');
  io.stdout.write(`${lines.join('\n')}\n`);
  return 0;
};

/** `playbyplay recommend [<log or folder>…]` */
export const recommend: RunCommand<typeof specs.recommend> = async (io, options, ...paths) => {
  await using season = await openSeason(io, paths, options);
  const { collectTimelines } = await import('../../season/timeline.ts');
  const { recommendGames, recommendSkills } = await import('../../season/season.ts');
  const timelines = await collectTimelines(season.chosen, options.player);
  const games = await recommendGames(timelines);
  const skills = await recommendSkills(season.chosen, season.all, options.player);
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ games, skills })}\n`);
    return 0;
  }
  const lines = ['Games and genres like what you do:', ''];
  lines.push(
    ...games
      .slice(0, 6)
      .map(
        ({ title, similarity, because }) =>
          `  ${title} (${similarity.toFixed(2)}): ${because.map((id) => id.replace(/^.*:|#.*$/g, '')).join(', ')}`,
      ),
  );
  if (skills.length > 0)
    lines.push('', 'Worth practising:', '', ...skills.slice(0, 5).map(({ what, why }) => `  ${what}: ${why}`));
  io.stdout.write(`${lines.join('\n')}\n`);
  return 0;
};
