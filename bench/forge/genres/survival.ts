import { Hud } from '../hud.ts';
import { type Genre, series, simulateHealth } from './genre.ts';

/** Gather, eat, live through the night: gauges of needs, day and time of day, resources, pick-ups in sliding rows. */
export const survival: Genre = {
  name: 'survival',
  scenes: ['footage', 'above'],
  make: ({ theme, design, play, duration }) => {
    const { steps: health, hits } = simulateHealth(
      play,
      { most: 100, hits: play.times(8, duration - 5, 6, 14), damage: [5, 22], heal: 2 },
      duration,
    );
    const isMenu = play.between(0.4, 0.7) * duration;
    const hud = new Hud(theme, design, duration, [
      [0, 'play'],
      [isMenu, 'menu'],
      [isMenu + 2.5, 'play'],
    ]);
    for (const t of hits) hud.tint(t, [180, 0, 0], 0.4, 0.6);
    const need = (start: number, rate: number, meals: readonly number[]): [number, number][] => {
      let level = start;
      const steps: [number, number][] = [[0, level]];
      const left = [...meals];
      for (let t = 1; t < duration; t++) {
        level = Math.max(0, level - rate);
        if (left[0] !== undefined && left[0] <= t) {
          left.shift();
          level = Math.min(1, level + 0.35);
        }
        steps.push([t, level]);
      }
      return steps;
    };
    const gathers = play
      .times(2, duration - 2, 1.8, 5)
      .map((t) => ({ t, what: play.pick(['Wood', 'Stone', 'Food']), amount: play.whole(1, 8) }));
    for (const { t, what, amount } of gathers) hud.event(t, 'gather', { text: what, to: amount });
    const stock = (what: string) => {
      let now = play.whole(0, 60);
      const own: [number, number][] = [
        [0, now],
        ...gathers.filter((one) => one.what === what).map(({ t, amount }): [number, number] => [t, (now += amount)]),
      ];
      return own;
    };
    const forms = design.pick(['bar', 'ring'] as const);
    const gaugeSize = forms === 'ring' ? { height: 54 } : { width: 170, height: 14 };
    const gauges = [
      hud.gauge({
        id: 'health',
        caption: 'Health',
        values: health.map(([t, v]) => [t, v / 100] as const),
        form: forms,
        ...gaugeSize,
        color: '#e8554a',
      }),
      hud.gauge({
        id: 'food',
        caption: 'Food',
        values: need(0.9, 0.008, play.times(15, duration, 15, 30)),
        form: forms,
        ...gaugeSize,
        color: '#d8a23a',
        isRestless: true,
      }),
      hud.gauge({
        id: 'water',
        caption: 'Water',
        values: need(0.8, 0.011, play.times(12, duration, 12, 25)),
        form: forms,
        ...gaugeSize,
        color: '#4aa8e8',
        isRestless: true,
      }),
    ];
    hud.place('bottom left', hud.group(gauges, forms === 'ring' ? 'row' : 'column', 8));
    const began = play.whole(6 * 60, 20 * 60);
    const minutes = (t: number): number => began + Math.floor(t * 2);
    const days = series(
      play.whole(1, 30),
      [(24 * 60 - began) / 2].filter((t) => t < duration),
      (value) => value + 1,
    );
    const day = hud.figure({ id: 'day', caption: 'Day', values: days, size: 26 });
    const times = Array.from({ length: Math.floor(duration * 2) }, (_, i) => [i / 2, minutes(i / 2) % 1440] as const);
    const clock = hud.figure({
      id: 'time of day',
      kind: 'time',
      values: times,
      write: (value) =>
        `${String(Math.floor(Number(value) / 60)).padStart(2, '0')}:${String(Number(value) % 60).padStart(2, '0')}`,
      size: 26,
      captionAs: 'none',
      isRestless: true,
    });
    hud.place('top left', hud.group([day, clock], 'row', 18));
    const icons = design.chance(0.5) ? 'icon' : theme.captionStyle;
    hud.place(
      'top right',
      hud.group(
        ['Wood', 'Stone', 'Food'].map((what) =>
          hud.figure({
            id: what.toLowerCase() === 'food' ? 'rations' : what.toLowerCase(),
            caption: what,
            captionAs: icons,
            values: stock(what),
            size: 24,
          }),
        ),
        design.pick(['row', 'column']),
        14,
      ),
    );
    const rows = gathers.map(({ t, what, amount }) => ({
      t,
      text: `+${amount} ${what}`,
      html: hud.html(`+${amount} ${what}`, 'label', 19),
    }));
    hud.place('right', hud.rows('pick-ups', 'message', rows, { seconds: 3.5, size: 19, most: 4 }));
    for (const { t, text } of rows) hud.event(t, 'message', { element: 'pick-ups', text, until: t + 3.5 });
    const tool = series('axe', play.times(6, duration, 7, 16), (value) =>
      play.pick(['axe', 'pick', 'torch', 'spear'].filter((one) => one !== value)),
    );
    hud.place('bottom', hud.icon('tool', tool, 54));
    const temperature = series(
      play.whole(-5, 25),
      play.times(4, duration, 5, 11),
      (value) => value + play.pick([-2, -1, 1, 2]),
    );
    hud.place(
      'bottom right',
      hud.figure({
        id: 'temperature',
        values: temperature,
        write: (value) => `${value}°C`,
        size: 24,
        captionAs: 'none',
      }),
    );
    const messages = play
      .times(6, duration - 4, 11, 22)
      .map((t) => ({ t, text: play.pick(['Night falls', 'You are hungry', 'Level up!', 'A storm is coming']) }));
    hud.place('upper', hud.messages('message', messages, design.pick([30, 38])));
    hud.place(
      'centre',
      hud.column(
        ['Resume', 'Inventory', 'Settings', 'Quit'].map((text) => hud.label(text, 34, ['menu'], 'message')),
        10,
        'center',
      ),
    );
    return hud;
  },
};
