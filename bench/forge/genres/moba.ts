import { Hud } from '../hud.ts';
import { cooldowns, type Genre, pickNames, series, simulateHealth, simulateKills } from './genre.ts';

/** Two teams and their heroes: kills, deaths and assists, gold, level, game clock, health and mana in figures, four abilities. */
export const moba: Genre = {
  name: 'moba',
  scenes: ['above'],
  make: ({ theme, design, play, duration }) => {
    const names = pickNames(play, 10);
    const teams = [names.slice(0, 5), names.slice(5)] as const;
    const me = teams[0][0]!;
    const kills = simulateKills(play, play.times(4, duration - 2, 3, 9), teams, ['spell', 'sword', 'tower']);
    for (const [i, kill] of kills.entries())
      if (i % 3 === 0) Object.assign(kill, { killer: me, victim: teams[1][i % 5]!, team: 0 });
    const most = design.whole(12, 22) * 40;
    const { steps: health, deaths } = simulateHealth(
      play,
      { most, hits: play.times(3, duration - 3, 2, 6), damage: [20, 160], heal: 9, absence: 6 },
      duration,
    );
    const hud = new Hud(theme, design, duration);
    const own = kills.filter(({ killer }) => killer === me).map(({ t }) => t);
    for (const t of deaths) hud.event(t, 'player dies');
    for (const t of own) hud.event(t, 'player kills');
    const assists = play.times(6, duration, 10, 22);
    const minions = play.times(2, duration, 1.6, 5);
    const goldTimes = [
      ...minions.map((t) => [t, play.whole(18, 60)] as const),
      ...own.map((t) => [t, 300] as const),
    ].toSorted((a, b) => a[0] - b[0]);
    let gold = play.whole(300, 2200);
    const golds: [number, number][] = [
      [0, gold],
      ...goldTimes.map(([t, more]): [number, number] => [t, (gold += more)]),
    ];
    const levels = series(play.whole(5, 9), play.times(10, duration - 3, 14, 26), (value) => value + 1);
    for (const [t, to] of levels.slice(1)) hud.event(t, 'level', { to });
    const mostMana = design.whole(6, 14) * 40;
    const uses = [4, 6, 9, 30].map((seconds) => ({ seconds, at: play.times(2, duration - 4, seconds, seconds * 2.2) }));
    let mana = mostMana;
    const manas: [number, number][] = [[0, mana]];
    for (let t = 1; t < duration; t++) {
      const used = uses.flatMap(({ at }) => at).filter((one) => one >= t - 1 && one < t).length;
      mana = Math.max(0, Math.min(mostMana, mana + 4 - 45 * used));
      if (mana !== manas.at(-1)![1]) manas.push([t, mana]);
    }
    const began = play.whole(300, 1500);
    const score = (team: 0 | 1) =>
      series(
        play.whole(2, 20),
        kills.filter((kill) => kill.team === team).map(({ t }) => t),
        (value) => value + 1,
      );
    hud.place(
      'top',
      hud.group(
        [
          hud.figure({ id: 'own kills', values: score(0), size: 30, captionAs: 'none', color: theme.teams[0] }),
          hud.clock({ id: 'game clock', direction: 'up', reading: (t) => began + t, size: 26, isPadded: true }),
          hud.figure({ id: 'enemy kills', values: score(1), size: 30, captionAs: 'none', color: theme.teams[1] }),
        ],
        'row',
        24,
      ),
    );
    const slash = () => hud.label('/', 24, ['play'], 'figure');
    const kda = hud.row(
      [
        hud.figure({
          id: 'kills',
          values: series(play.whole(0, 5), own, (value) => value + 1),
          size: 26,
          captionAs: 'none',
        }),
        slash(),
        hud.figure({
          id: 'deaths',
          values: series(play.whole(0, 5), deaths, (value) => value + 1),
          size: 26,
          captionAs: 'none',
        }),
        slash(),
        hud.figure({
          id: 'assists',
          values: series(play.whole(0, 8), assists, (value) => value + 1),
          size: 26,
          captionAs: 'none',
        }),
      ],
      8,
    );
    hud.place('top right', kda, hud.feed('kill feed', kills, 18));
    const bar = (id: string, steps: readonly (readonly [number, number])[], top: number, color: string) =>
      hud.column(
        [
          hud.figure({
            id,
            kind: 'fraction',
            values: steps,
            write: (value) => `${value} / ${top}`,
            size: 20,
            captionAs: 'none',
          }),
          hud.gauge({
            id: `${id} bar`,
            values: steps.map(([t, value]) => [t, value / top] as const),
            width: 300,
            height: 14,
            color,
          }),
        ],
        2,
        'center',
      );
    const abilities = hud.row(
      uses.map(({ seconds, at }, i) => hud.icon(`ability ${'QWER'[i]}`, cooldowns(at, seconds), 50)),
      6,
    );
    hud.place(
      'bottom',
      hud.column(
        [abilities, bar('health', health, most, '#4fc35a'), bar('mana', manas, mostMana, '#4a7dff')],
        6,
        'center',
      ),
    );
    hud.place('bottom left', hud.figure({ id: 'level', caption: 'Level', values: levels, size: 30 }));
    hud.place('bottom right', hud.figure({ id: 'gold', caption: 'Gold', values: golds, size: 28, color: '#ffd24a' }));
    const messages = [
      ...kills
        .filter(({ killer }) => killer !== me)
        .filter((_, i) => i % 2 === 0)
        .map(({ t, victim }) => ({ t, text: `${victim} has been slain`, seconds: 2.2 })),
      ...levels.slice(1).map(([t]) => ({ t: t + 0.2, text: 'Level up!', seconds: 1.8 })),
    ];
    hud.place('upper', hud.messages('message', messages, design.pick([30, 38])));
    return hud;
  },
};
