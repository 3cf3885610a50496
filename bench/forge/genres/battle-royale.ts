import { Hud } from '../hud.ts';
import { type Genre, pickNames, series, simulateHealth, simulateKills, simulateShots } from './genre.ts';

/** Many players, one survivor: players alive, own kills, a closing zone, shield and health, feed. */
export const battleRoyale: Genre = {
  name: 'battle-royale',
  scenes: ['footage', 'footage', 'above'],
  make: ({ theme, design, play, duration }) => {
    const names = pickNames(play, 30);
    const me = names[0]!;
    const others = names.slice(1);
    const kills = simulateKills(
      play,
      play.times(3, duration - 2, 1.8, 6),
      [[me, ...others.slice(0, 9)], others.slice(9)],
      ['rifle', 'shotgun', 'bow', 'storm', 'pistol', 'sniper'],
    );
    for (const [i, kill] of kills.entries())
      if (i % 4 === 1) Object.assign(kill, { killer: me, victim: others[9 + (i % 10)]!, team: 0 });
    const own = kills.filter(({ killer }) => killer === me);
    const hud = new Hud(theme, design, duration);
    const alive = series(
      play.whole(40, 97),
      kills.map(({ t }) => t),
      (value) => value - 1,
    );
    const ownKills = series(
      play.whole(0, 3),
      own.map(({ t }) => t),
      (value) => value + 1,
    );
    for (const { t, victim } of own) hud.event(t, 'player kills', { victim });
    const { steps: health, hits } = simulateHealth(
      play,
      { most: 100, hits: play.times(5, duration - 4, 4, 10), damage: [4, 18], heal: 3 },
      duration,
    );
    for (const t of hits) hud.tint(t, [200, 30, 20], 0.3, 0.4);
    const shield = series(100, play.times(6, duration - 2, 4, 9), (value) =>
      value < 20 ? Math.min(100, value + 50) : value - play.whole(5, 25),
    );
    // The zone waits, then closes, again and again.
    const wait = design.pick([20, 25, 30]);
    const zone = (t: number): number => Math.ceil(wait - (t % wait));
    const zoneTimes = Array.from({ length: Math.floor(duration / wait) }, (_, i) => (i + 1) * wait);
    const messages = [
      ...zoneTimes.map((t) => ({ t, text: 'Zone is closing', seconds: 3 })),
      ...own.map(({ t, victim }) => ({ t: t + 0.1, text: `You eliminated ${victim}`, seconds: 2 })),
    ];
    const corner = hud.group(
      [
        hud.figure({ id: 'alive', caption: 'Alive', values: alive, size: 28 }),
        hud.figure({ id: 'kills', caption: 'Kills', values: ownKills, size: 28 }),
      ],
      design.pick(['row', 'column']),
      14,
    );
    const zoneNode = hud.clock({
      id: 'zone clock',
      direction: 'down',
      caption: 'Zone',
      captionAs: 'icon',
      reading: zone,
      size: 26,
    });
    hud.place('top right', corner, zoneNode);
    hud.place(design.pick(['top left', 'left'] as const), hud.feed('kill feed', kills, design.pick([17, 20])));
    const bars = hud.column(
      [
        hud.row([
          hud.figure({ id: 'shield', values: shield, size: 22, captionAs: 'none', color: '#7ac8ff' }),
          hud.gauge({
            id: 'shield bar',
            values: shield.map(([t, v]) => [t, v / 100] as const),
            width: 260,
            color: '#4aa8ff',
          }),
        ]),
        hud.row([
          hud.figure({ id: 'health', values: health, size: 22, captionAs: 'none', low: 25 }),
          hud.gauge({
            id: 'health bar',
            values: health.map(([t, v]) => [t, v / 100] as const),
            width: 260,
            color: '#67d967',
          }),
        ]),
      ],
      6,
    );
    hud.place(design.pick(['bottom', 'bottom left'] as const), bars);
    const gun = series('rifle', play.times(6, duration, 8, 18), (value) => (value === 'rifle' ? 'shotgun' : 'rifle'));
    const ammo = simulateShots(play, play.times(2, duration, 1.5, 5), { size: 30, reserve: 150, gap: 0.1 });
    hud.place(
      'bottom right',
      hud.row(
        [
          hud.icon('weapon', gun, 52),
          hud.figure({
            id: 'ammo',
            kind: 'fraction',
            values: ammo,
            write: (value) => String(value).replace('/', ' / '),
            size: 34,
            captionAs: 'none',
          }),
        ],
        12,
      ),
    );
    hud.place('upper', hud.messages('message', messages, design.pick([30, 38])));
    return hud;
  },
};
