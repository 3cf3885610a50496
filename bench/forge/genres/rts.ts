import { Hud } from '../hud.ts';
import { type Genre } from './genre.ts';

/** Build and fight from above: two resources, supply, game clock, idle workers, alerts in rows. */
export const rts: Genre = {
  name: 'rts',
  scenes: ['above'],
  make: ({ theme, design, play, duration }) => {
    const hud = new Hud(theme, design, duration);
    const resource = (
      start: number,
      income: number,
      costs: readonly number[],
      cost: () => number,
    ): [number, number][] => {
      let now = start;
      const steps: [number, number][] = [[0, now]];
      const left = [...costs];
      for (let t = 1; t < duration; t += 1.5) {
        now += income * play.whole(1, 3);
        while (left[0] !== undefined && left[0] <= t) {
          left.shift();
          now = Math.max(0, now - cost());
        }
        steps.push([t, now]);
      }
      return steps;
    };
    const builds = play.times(3, duration - 3, 3, 8);
    const gold = resource(play.whole(100, 500), 5, builds, () => play.pick([50, 75, 100]));
    const wood = resource(
      play.whole(50, 300),
      4,
      builds.filter((_, i) => i % 2 === 0),
      () => play.pick([25, 50]),
    );
    let [used, most] = [play.whole(12, 40), 0];
    most = used + play.whole(3, 12);
    const supply: [number, string][] = [[0, `${used}/${most}`]];
    const alerts: { t: number; text: string; html: string }[] = [];
    const alert = (t: number, text: string): void => {
      alerts.push({ t, text, html: hud.html(text, 'label', 19) });
    };
    for (const t of builds) {
      const lost = play.chance(0.2);
      if (lost) {
        used--;
        alert(t, play.pick(['Unit lost', 'Your base is under attack']));
        hud.event(t, 'unit lost');
      } else if (used >= most) {
        most += 8;
        alert(t, 'House complete');
      } else {
        used++;
        alert(t, play.pick(['Unit ready', 'Worker ready', 'Research complete']));
        hud.event(t, 'unit built');
      }
      supply.push([t, `${used}/${most}`]);
    }
    const idle: [number, number][] = [[0, 0]];
    for (const t of play.times(4, duration, 5, 12))
      idle.push([t, Math.max(0, idle.at(-1)![1] + play.pick([-1, 1, 1]))]);
    const size = design.pick([22, 26]);
    const began = play.whole(60, 900);
    const stock = hud.group(
      [
        hud.figure({ id: 'gold', caption: 'Gold', values: gold, size, isRestless: true }),
        hud.figure({ id: 'wood', caption: 'Wood', values: wood, size, isRestless: true }),
        hud.figure({ id: 'supply', kind: 'fraction', caption: 'Supply', values: supply, size }),
      ],
      'row',
      26,
    );
    hud.place(design.pick(['top', 'top right', 'top left'] as const), stock);
    hud.place(
      'bottom right',
      hud.clock({
        id: 'game clock',
        direction: 'up',
        reading: (t) => began + t,
        size: 24,
        isPadded: design.chance(0.5),
      }),
    );
    const side = theme.px(170);
    const map = hud.picture(
      `<svg width="${side}" height="${side}" viewBox="0 0 100 100" style="display:block"><rect width="100" height="100" fill="#16301c" stroke="#ddd" stroke-width="2"/><circle cx="24" cy="70" r="6" fill="${theme.teams[0]}"/><circle cx="76" cy="22" r="6" fill="${theme.teams[1]}"/><path d="M10 40 Q50 60 90 50" stroke="#3d78b8" stroke-width="6" fill="none"/></svg>`,
    );
    hud.place(
      'bottom left',
      map,
      hud.figure({ id: 'idle workers', caption: 'Idle', captionAs: 'icon', values: idle, size: 24 }),
    );
    hud.place('left', hud.rows('alerts', 'message', alerts, { seconds: 5, size: 19, most: 4 }));
    for (const { t, text } of alerts) hud.event(t, 'message', { element: 'alerts', text, until: t + 5 });
    return hud;
  },
};
