import { Hud } from '../hud.ts';
import { type Genre, series } from './genre.ts';

/** Run and jump: score, coins, lives, world, time left, power, messages between levels. */
export const platformer: Genre = {
  name: 'platformer',
  scenes: ['side'],
  make: ({ theme, design, play, duration }) => {
    const deaths = play.times(12, duration - 8, 16, 30);
    const coins = play.times(2, duration - 2, 0.8, 4.5);
    const foes = play.times(4, duration - 2, 3, 8);
    const hud = new Hud(theme, design, duration, [
      [0, 'play'],
      ...deaths.flatMap((t): [number, string][] => [
        [t + 0.8, 'loading'],
        [t + 3, 'play'],
      ]),
    ]);
    for (const t of deaths) hud.event(t, 'player dies');
    const isAlive = (t: number): boolean => !deaths.some((at) => t >= at && t < at + 3);
    let points = 0;
    const score: [number, number][] = [[0, 0]];
    for (const [t, more] of [
      ...coins.map((at) => [at, 100] as const),
      ...foes.map((at) => [at, 200] as const),
    ].toSorted((a, b) => a[0] - b[0]))
      if (isAlive(t)) score.push([t, (points += more)]);
    const purse = series(play.whole(0, 40), coins.filter(isAlive), (value) => (value === 99 ? 0 : value + 1));
    const lives = series(
      play.whole(3, 5),
      deaths.map((t) => t + 1),
      (value) => Math.max(0, value - 1),
    );
    const worlds = series(play.whole(1, 3), play.times(20, duration - 10, 20, 40), (value) => value + 1);
    const power = series('small', play.times(5, duration - 2, 7, 14), (value) =>
      play.pick(['small', 'big', 'fire', 'star'].filter((one) => one !== value)),
    );
    const limit = design.pick([300, 400]);
    const starts = [0, ...deaths.map((t) => t + 3)];
    const left = (t: number): number => Math.ceil(limit - (t - starts.findLast((at) => at <= t)!));
    const seconds = Array.from({ length: Math.floor(duration * 10) }, (_, i) => [i / 10, left(i / 10)] as const).filter(
      ([, value], i, all) => i === 0 || all[i - 1]![1] !== value,
    );
    const size = design.pick([24, 30]);
    const digits = design.pick([1, 6, 7]);
    const scoreNode = hud.figure({
      id: 'score',
      caption: 'Score',
      values: score,
      write: (value) => String(value).padStart(digits, '0'),
      size,
    });
    const coinNode = hud.figure({
      id: 'coins',
      caption: 'Coins',
      captionAs: 'icon',
      values: purse,
      write: (value) => `×${String(value).padStart(2, '0')}`,
      size,
    });
    const liveNode = hud.figure({ id: 'lives', caption: 'Lives', values: lives, write: (value) => `×${value}`, size });
    const worldNode = hud.figure({
      id: 'world',
      kind: 'name',
      caption: 'World',
      values: worlds.map(([t, n]) => [t, `${Math.ceil(n / 4)}-${((n - 1) % 4) + 1}`] as const),
      size,
    });
    const timeNode = hud.figure({
      id: 'time left',
      kind: 'clock',
      direction: 'down',
      caption: 'Time',
      values: seconds,
      size,
    });
    if (design.chance(0.4)) hud.place('top', scoreNode, coinNode, worldNode, timeNode, liveNode);
    else {
      hud.place('top left', scoreNode, liveNode);
      hud.place('top right', timeNode, worldNode);
      hud.place('top', coinNode);
    }
    hud.place('bottom left', hud.icon('power', power, 50));
    const messages = [
      { t: 0.4, text: 'Get ready', seconds: 1.6 },
      ...play
        .times(8, duration - 4, 10, 18)
        .filter(isAlive)
        .map((t) => ({
          t,
          text: play.pick(['Checkpoint', '1-UP', 'Secret area', 'Combo!', 'Key found']),
          seconds: 1.8,
        })),
    ];
    hud.place('upper', hud.messages('message', messages, design.pick([34, 44])));
    hud.place('centre', hud.label('Get ready', 40, ['loading'], 'message'));
    return hud;
  },
};
