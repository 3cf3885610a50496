import { Hud } from '../hud.ts';
import { type Genre, series } from './genre.ts';

const TEAMS = [
  'LIONS',
  'HAWKS',
  'COMETS',
  'TIGERS',
  'RAVENS',
  'STORM',
  'WOLVES',
  'PIRATES',
  'ROYALS',
  'SHARKS',
] as const;

/** A match of two sides: score, match clock, period, shot clock, stamina, goals and replays. */
export const sports: Genre = {
  name: 'sports',
  scenes: ['field'],
  make: ({ theme, design, play, duration }) => {
    const isUp = design.chance(0.5);
    const period = design.pick([20, 26, 30]);
    const points = design.pick([[1], [2, 3], [3, 7]]);
    const goals = play
      .times(6, duration - 6, 5, 13)
      .map((t) => ({ t, team: play.chance(0.5) ? 0 : 1, points: play.pick(points) }));
    const replays = goals.filter((_, i) => i % 3 === 1).map(({ t }) => t + 1.8);
    const hud = new Hud(theme, design, duration, [
      [0, 'play'],
      ...replays.flatMap((t): [number, string][] => [
        [t, 'replay'],
        [t + 2.2, 'play'],
      ]),
    ]);
    const score = (team: number) => {
      let now = play.whole(0, 30) * (points[0]! > 1 ? 1 : 0);
      return [
        [0, now],
        ...goals.filter((goal) => goal.team === team).map((goal) => [goal.t, (now += goal.points)]),
      ] as [number, number][];
    };
    for (const goal of goals) hud.event(goal.t, 'goal', { to: goal.team });
    const periods = series(
      play.whole(1, 2),
      [period, 2 * period].filter((t) => t < duration - 3),
      (value) => value + 1,
    );
    const began = play.whole(0, 300);
    // The clock stands after a goal, until play goes on.
    const reading = (t: number): number => {
      const stood = goals.reduce((sum, goal) => sum + Math.max(0, Math.min(4, t - goal.t)), 0);
      return isUp ? began + t - stood : Math.ceil(Math.max(0, 700 - began - (t - stood)));
    };
    const names = play.shuffle(TEAMS).slice(0, 2);
    const board = (team: 0 | 1) => [
      hud.figure({
        id: `name ${team + 1}`,
        kind: 'name',
        values: [[0, names[team]!]],
        size: 24,
        role: 'label',
        captionAs: 'none',
        color: theme.teams[team],
      }),
      hud.figure({ id: `score ${team + 1}`, values: score(team), size: 30, captionAs: 'none' }),
    ];
    const clock = hud.clock({
      id: 'match clock',
      direction: isUp ? 'up' : 'down',
      reading,
      size: 28,
      isPadded: design.chance(0.6),
    });
    const ordinals = ['', '1st', '2nd', '3rd', '4th', '5th'];
    const part = hud.figure({
      id: 'period',
      values: periods,
      write: (value) => ordinals[Number(value)]!,
      size: 22,
      role: 'label',
      captionAs: 'none',
    });
    hud.place(
      design.pick(['top', 'top left', 'bottom'] as const),
      hud.group([...board(0), ...board(1).toReversed(), clock, part], 'row', 18),
    );
    const shots = play.times(2, duration, 8, 22);
    const shot = (t: number): number => Math.ceil(Math.max(0, 24 - (t - (shots.findLast((at) => at <= t) ?? 0))));
    hud.place(
      'top right',
      hud.clock({ id: 'shot clock', direction: 'down', caption: 'Shot', reading: shot, size: 30 }),
    );
    const stamina: [number, number][] = [];
    let level = 1;
    for (let t = 0; t < duration; t += 0.3) {
      level = Math.max(0.1, Math.min(1, level + (Math.sin(0.5 * t) > 0.2 ? -0.03 : 0.02)));
      stamina.push([t, level]);
    }
    hud.place(
      'bottom left',
      hud.group([
        hud.figure({
          id: 'player',
          kind: 'name',
          values: series(play.whole(2, 30), play.times(4, duration, 5, 12), () => play.whole(2, 30)).map(
            ([t, n]) => [t, `${n} ${['Adler', 'Brandt', 'Costa', 'Dietz', 'Evans'][n % 5]}`] as const,
          ),
          size: 22,
          role: 'label',
          captionAs: 'none',
        }),
        hud.gauge({ id: 'stamina', values: stamina, isRestless: true, width: 150, height: 10 }),
      ]),
    );
    const messages = [
      ...goals.map(({ t }) => ({ t: t + 0.1, text: 'Goal!', seconds: 1.6 })),
      ...play
        .times(9, duration - 4, 9, 18)
        .map((t) => ({ t, text: play.pick(['Foul', 'Corner', 'Timeout', 'Substitution', 'Offside']) })),
    ];
    hud.place('upper', hud.messages('message', messages, design.pick([36, 48, 60])));
    hud.place('centre', hud.label('REPLAY', 40, ['replay'], 'message'));
    return hud;
  },
};
