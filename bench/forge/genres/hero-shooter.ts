import { Hud } from '../hud.ts';
import { cooldowns, type Genre, pickNames, series, simulateHealth, simulateKills, simulateShots } from './genre.ts';

/** Heroes with abilities fight for an objective: progress, health in cells, ultimate, cooldowns, feed, respawns. */
export const heroShooter: Genre = {
  name: 'hero-shooter',
  scenes: ['footage'],
  make: ({ theme, design, play, duration }) => {
    const most = design.pick([200, 250, 300]);
    const {
      steps: health,
      deaths,
      hits,
    } = simulateHealth(
      play,
      { most, hits: play.times(4, duration - 3, 1.5, 5), damage: [15, 70], heal: design.pick([0, 10, 20]) },
      duration,
    );
    const names = pickNames(play, 10);
    const teams = [names.slice(0, 5), names.slice(5)] as const;
    const kills = simulateKills(play, play.times(4, duration - 2, 2, 7), teams, [
      'pulse',
      'hammer',
      'arrow',
      'orb',
      'rocket',
    ]);
    const hud = new Hud(theme, design, duration, [
      [0, 'play'],
      ...deaths.flatMap((t): [number, string][] =>
        t + 3.5 < duration
          ? [
              [t + 0.5, 'killcam'],
              [t + 3.5, 'play'],
            ]
          : [],
      ),
    ]);
    for (const t of hits) hud.tint(t, [190, 10, 10], 0.3, 0.4);
    for (const t of deaths) hud.event(t, 'player dies');
    // The ultimate charges, is used when full, and charges again.
    const charge: [number, number][] = [[0, play.whole(0, 60)]];
    for (let t = 1; t < duration; t += play.between(0.9, 2.4)) {
      const now = charge.at(-1)![1];
      if (now >= 100) hud.event(t, 'ultimate');
      charge.push([t, now >= 100 ? 0 : Math.min(100, now + play.whole(1, 7))]);
    }
    const progress = series(play.whole(0, 40), play.times(5, duration, 2, 6), (value) =>
      Math.min(99, value + play.whole(1, 4)),
    );
    const own = play.pick(teams[0]);
    const messages = [
      { t: 0.5, text: 'Get ready', seconds: 2 },
      ...kills
        .filter(({ killer }) => killer === own)
        .map(({ t, victim }) => ({ t, text: `Eliminated ${victim}`, seconds: 1.8 })),
      ...play
        .times(10, duration - 4, 12, 20)
        .map((t) => ({ t, text: play.pick(['Objective contested', 'Overtime', 'Checkpoint', 'Double kill']) })),
    ];
    hud.place(
      'top left',
      hud.figure({
        id: 'objective',
        kind: 'percentage',
        values: progress,
        write: (value) => `${value}%`,
        size: 34,
        captionAs: 'none',
        color: theme.teams[0],
      }),
    );
    hud.place(
      'top',
      hud.clock({ id: 'match clock', direction: 'down', reading: (t) => Math.ceil(Math.max(0, 245 - t)), size: 32 }),
    );
    hud.place('top right', hud.feed('kill feed', kills, design.pick([18, 22])));
    const healthNode = hud.figure({
      id: 'health',
      kind: 'fraction',
      values: health,
      write: (value) => `${value}/${most}`,
      size: 34,
      captionAs: 'none',
      low: most / 4,
    });
    const cells = hud.gauge({
      id: 'health cells',
      values: health.map(([t, value]) => [t, value / most] as const),
      form: 'cells',
      cells: design.pick([8, 10]),
      width: 230,
      color: '#ffffff',
    });
    const ring = hud.gauge({
      id: 'ultimate ring',
      values: charge.map(([t, value]) => [t, value / 100] as const),
      form: 'ring',
      height: 76,
      isRestless: true,
    });
    hud.place('bottom left', hud.column([healthNode, cells], 4));
    hud.place(
      'bottom',
      hud.column(
        [
          hud.figure({
            id: 'ultimate',
            kind: 'percentage',
            values: charge,
            write: (value) => `${value}%`,
            size: 26,
            captionAs: 'none',
          }),
          ring,
        ],
        2,
        'center',
      ),
    );
    const abilities = ['dash', 'shield', 'trap'].map((id) =>
      hud.icon(id, cooldowns(play.times(2, duration - 8, 5, 12), design.whole(4, 9)), 46),
    );
    const ammo = simulateShots(play, play.times(2, duration, 1.5, 4), {
      size: design.pick([20, 24, 40]),
      reserve: 200,
      gap: 0.13,
    }).map(([t, value]) => [t, Number(value.split('/')[0])] as const);
    hud.place(
      'bottom right',
      hud.figure({ id: 'ammo', caption: 'Ammo', values: ammo, size: 40 }),
      hud.row(abilities, 8),
    );
    hud.place('upper', hud.messages('message', messages, design.pick([32, 40])));
    hud.place(
      'lower',
      hud.messages(
        'respawn',
        deaths.map((t) => ({ t: t + 0.6, text: `Eliminated by ${play.pick(teams[1])}`, seconds: 2.8 })),
        28,
        ['killcam'],
      ),
    );
    return hud;
  },
};
