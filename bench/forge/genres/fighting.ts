import { Hud, type Steps } from '../hud.ts';
import { type Genre } from './genre.ts';

const FIGHTERS = [
  'KENJI',
  'AURORA',
  'BORIS',
  'MEI LIN',
  'DIEGO',
  'FREYA',
  'RAVEN',
  'GOLEM',
  'SOLANGE',
  'TUSK',
] as const;

/** Two fighters, best of several rounds: health bars, round clock, combo counter, super meters, announcements. */
export const fighting: Genre = {
  name: 'fighting',
  scenes: ['arena'],
  make: ({ theme, design, play, duration }) => {
    const roundLength = design.pick([60, 99]);
    const health: [[number, number][], [number, number][]] = [[[0, 1]], [[0, 1]]];
    const meter: [[number, number][], [number, number][]] = [[[0, 0]], [[0, 0]]];
    const wins: [[number, number][], [number, number][]] = [[[0, 0]], [[0, 0]]];
    const combo: [number, number | undefined][] = [[0, undefined]];
    const messages: { t: number; text: string; seconds: number }[] = [];
    const rounds: { from: number; to: number }[] = [];
    const events: [number, string][] = [];
    const tints: number[] = [];
    let points = 0;
    const score: [number, number][] = [[0, 0]];
    let t = 0.3;
    let round = 1;
    while (t < duration - 10) {
      messages.push({ t, text: `Round ${round}`, seconds: 1.3 }, { t: t + 1.5, text: 'Fight!', seconds: 0.9 });
      if (round > 1) for (const own of health) own.push([t, 1]);
      const from = t + 2;
      let now = from + play.between(0.5, 1.5);
      while (now < duration - 4) {
        const by = play.chance(0.55) ? 0 : 1;
        const other = by === 0 ? 1 : 0;
        const hits = play.pick([1, 1, 2, 3, 5, 8]);
        for (let hit = 1; hit <= hits; hit++) {
          const left = Math.max(0, health[other].at(-1)![1] - play.between(0.015, 0.05));
          health[other].push([now, left]);
          meter[by].push([now, Math.min(1, meter[by].at(-1)![1] + 0.03)]);
          if (by === 0) {
            points += 100 * hit;
            score.push([now, points]);
            if (hit > 1) combo.push([now, hit]);
          }
          now += 0.24;
        }
        if (hits >= 5) tints.push(now);
        if (by === 0 && hits > 1) combo.push([now + 1.2, undefined]);
        if (health[other].at(-1)![1] === 0) {
          messages.push({ t: now + 0.1, text: 'K.O.', seconds: 2 });
          wins[by].push([now + 0.6, Math.min(3, wins[by].at(-1)![1] + 1)]);
          events.push([now, by === 0 ? 'round won' : 'round lost']);
          break;
        }
        if (meter[by].at(-1)![1] >= 1) meter[by].push([now, 0]);
        now += play.between(1.6, 3.2);
      }
      rounds.push({ from, to: now });
      round++;
      t = now + 4;
    }
    const hud = new Hud(theme, design, duration);
    for (const [at, name] of events) hud.event(at, name);
    for (const at of tints) hud.tint(at, [255, 255, 255], 0.5, 0.25);
    const reading = (now: number): number => {
      const one = rounds.findLast(({ from }) => now >= from - 2) ?? rounds[0]!;
      return Math.ceil(roundLength - Math.max(0, Math.min(now, one.to) - one.from));
    };
    const names = play.shuffle(FIGHTERS).slice(0, 2);
    const width = 420 * Math.min(1, theme.width / theme.height / 1.78);
    const side = (i: 0 | 1) =>
      hud.column(
        [
          hud.gauge({
            id: `health ${i + 1}`,
            values: health[i],
            width,
            height: 26,
            color: theme.teams[i],
            isMirrored: i === 0,
          }),
          hud.row(
            [
              hud.figure({
                id: `name ${i + 1}`,
                kind: 'name',
                values: [[0, names[i]!]],
                size: 22,
                role: 'label',
                captionAs: 'none',
              }),
              hud.gauge({
                id: `wins ${i + 1}`,
                values: wins[i].map(([at, n]) => [at, n / 3] as const),
                form: 'cells',
                cells: 3,
                width: 60,
                height: 14,
              }),
            ],
            20,
          ),
        ],
        6,
        i === 0 ? 'start' : 'end',
      );
    // Fighting games draw bare seconds.
    const seconds: Steps<number> = Array.from(
      { length: Math.floor(duration * 10) },
      (_, i) => [i / 10, reading(i / 10)] as const,
    ).filter(([, value], i, all) => i === 0 || all[i - 1]![1] !== value);
    const clock = hud.figure({
      id: 'round clock',
      kind: 'clock',
      direction: 'down',
      values: seconds,
      write: (value) => String(value).padStart(2, '0'),
      size: 46,
      captionAs: 'none',
    });
    hud.place('top', hud.row([side(0), clock, side(1)], 16, 'start'));
    for (const [i, slot] of (['bottom left', 'bottom right'] as const).entries())
      hud.place(
        slot,
        hud.gauge({
          id: `meter ${i + 1}`,
          values: meter[i]!,
          width: 260,
          height: 18,
          color: theme.colors.accent,
          isRestless: true,
        }),
      );
    hud.place(
      design.pick(['left', 'right'] as const),
      hud.figure({
        id: 'combo',
        caption: 'Hits',
        captionAs: design.pick(['below', 'inline']),
        values: combo,
        size: 44,
      }),
    );
    if (design.chance(0.5))
      hud.place(
        'bottom',
        hud.figure({
          id: 'score',
          values: score,
          size: 24,
          captionAs: 'none',
          isRestless: true,
          write: (value) => String(value).padStart(6, '0'),
        }),
      );
    hud.place('centre', hud.messages('message', messages, design.pick([64, 84])));
    return hud;
  },
};
