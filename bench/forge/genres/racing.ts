import { Hud, writeTime } from '../hud.ts';
import { type Genre, pickNames, series } from './genre.ts';

const SUFFIXES = ['th', 'st', 'nd', 'rd'];

/** 1st, 2nd, 3rd, 4th. */
function ordinal(place: number): string {
  return `${place}${SUFFIXES[place] ?? 'th'}`;
}

/** Laps against rivals: lap, place, race clock, lap times, speed, gear, boost. */
export const racing: Genre = {
  name: 'racing',
  scenes: ['footage', 'footage', 'footage', 'above'],
  make: ({ theme, design, play, duration }) => {
    const start = 3.2;
    const rivals = design.pick([4, 6, 8, 12]);
    const laps = design.pick([2, 3, 4]);
    const hud = new Hud(theme, design, duration, [
      [0, 'play'],
      [duration - 3, 'results'],
    ]);
    const finish = duration - 3 - play.between(4, 6);
    // Laps of about the same length; the last ends at the finish.
    const lapLength = (finish - start) / laps;
    const ends = Array.from(
      { length: laps },
      (_, i) => start + (i + 1) * lapLength * (i + 1 < laps ? play.between(0.96, 1.04) : 1),
    );
    const boostTimes = play.times(start + 4, finish, 5, 11);
    const places = series(play.whole(2, Math.min(rivals, 8)), play.times(start + 3, finish - 1, 3, 8), (place) =>
      place === 1 ? 2 : place === rivals ? place - 1 : place + (play.chance(0.68) ? -1 : 1),
    );
    const lap = series(1, ends.slice(0, -1), (value) => value + 1);
    const isAllInOne = design.chance(0.5);
    const speeds: [number, number][] = [];
    let speed = 0;
    const top = design.pick([120, 180, 260, 320]);
    for (let t = 0; t < duration; t += 0.1) {
      const boosted = boostTimes.some((at) => t >= at && t < at + 1.6);
      const wanted =
        t < start ? 0 : t > finish ? 0 : top * (boosted ? 1.15 : 0.75 + 0.2 * Math.sin(0.7 * t) * Math.sin(0.31 * t));
      speed += (wanted - speed) * 0.06 + play.between(-0.5, 0.5);
      speeds.push([t, Math.max(0, Math.round(speed))]);
    }
    const boost: [number, number][] = [];
    let tank = 0.5;
    for (let t = 0; t < duration; t += 0.2) {
      tank = boostTimes.some((at) => t >= at && t < at + 1.6) ? Math.max(0, tank - 0.06) : Math.min(1, tank + 0.009);
      boost.push([t, tank]);
    }
    const race = (t: number): number => Math.max(0, Math.min(t, finish) - start);
    const lapTimes: [number, number | undefined][] = [[0, undefined]];
    const best: [number, number | undefined][] = [[0, undefined]];
    for (const [i, end] of ends.entries()) {
      const own = Math.round(100 * (end - (ends[i - 1] ?? start))) / 100;
      lapTimes.push([end, own]);
      if (best.at(-1)![1] === undefined || own < best.at(-1)![1]!) best.push([end, own]);
      hud.event(end, i + 1 === laps ? 'finish' : 'lap', { to: Math.min(i + 2, laps), from: i + 1 });
    }
    for (const [t, to] of places.slice(1)) hud.event(t, 'place', { to });
    const messages = [
      ...['3', '2', '1'].map((text, i) => ({ t: start - 3 + i, text, seconds: 0.8 })),
      { t: start, text: 'GO!', seconds: 1 },
      { t: ends.at(-2)!, text: 'Final lap!' },
      { t: finish, text: play.pick(['Finish!', 'Race complete']), seconds: 3 },
      ...ends
        .slice(1, -1)
        .map((t, i) => ({ t: t + 3, text: best.some(([at]) => at === ends[i + 1]) ? 'New record' : 'Checkpoint' })),
      ...play
        .times(start + 5, finish - 6, 9, 22)
        .map((t) => ({ t, text: play.pick(['Wrong way', 'Perfect drift', 'Slipstream', 'Collision', 'Near miss']) })),
    ].toSorted((a, b) => a.t - b.t);
    const figureSize = design.pick([26, 32, 38]);
    const lapNode = hud.figure({
      id: 'lap',
      kind: 'fraction',
      caption: 'Lap',
      values: lap,
      write: (value) => `${value}/${laps}`,
      size: figureSize,
    });
    const form = design.pick(['ordinal', 'fraction', 'P'] as const);
    const placeNode = hud.figure({
      id: 'place',
      kind: form === 'fraction' ? 'fraction' : 'counter',
      ...(form === 'P'
        ? {}
        : { caption: 'Position', captionAs: form === 'ordinal' ? ('none' as const) : theme.captionStyle }),
      values: places,
      write: (value) =>
        form === 'ordinal' ? ordinal(Number(value)) : form === 'P' ? `P${value}` : `${value}/${rivals}`,
      size: design.pick([40, 56, 70]),
    });
    const clockNode = hud.clock({
      id: 'race time',
      direction: 'up',
      caption: 'Time',
      reading: race,
      digits: design.pick([0, 1, 2]),
      isPadded: design.chance(0.5),
      size: figureSize,
    });
    const timeNode = (id: string, caption: string, values: [number, number | undefined][]) =>
      hud.figure({ id, kind: 'time', caption, captionAs: 'before', values, write: writeTime, size: 20 });
    const times = hud.group([clockNode, timeNode('last lap', 'Last', lapTimes), timeNode('best lap', 'Best', best)]);
    const speedNode = hud.column(
      [
        hud.figure({
          id: 'speed',
          values: speeds,
          isRestless: true,
          size: design.pick([44, 60, 76]),
          captionAs: 'none',
        }),
        hud.label(design.pick(['km/h', 'mph', 'KPH']), 18),
      ],
      0,
      'end',
    );
    const gear = series(1, play.times(start + 0.5, finish, 1.5, 4), (value) =>
      Math.max(1, Math.min(6, value + (play.chance(0.6) ? 1 : -1))),
    );
    const dash = hud.row(
      [
        ...(design.chance(0.5)
          ? [hud.figure({ id: 'gear', caption: 'Gear', captionAs: 'below', values: gear, size: 40 })]
          : []),
        speedNode,
      ],
      18,
      'end',
    );
    const boostNode = hud.gauge({
      id: 'boost',
      values: boost,
      isRestless: true,
      form: design.pick(['bar', 'ring']),
      height: design.chance(0.5) ? 14 : 60,
      ...(design.chance(0.5) ? { caption: 'Boost' } : {}),
    });
    const corners = design.shuffle(['top left', 'top right'] as const);
    const lower = design.shuffle(['bottom left', 'bottom right'] as const);
    if (isAllInOne) hud.place(corners[0]!, hud.group([lapNode, times]));
    else {
      hud.place(corners[0]!, lapNode);
      hud.place(corners[1]!, times);
    }
    hud.place(isAllInOne ? corners[1]! : lower[1]!, placeNode);
    hud.place(lower[0]!, boostNode, dash);
    hud.place('upper', hud.messages('message', messages, design.pick([40, 52, 64])));
    // The results after the race are a screen of their own.
    const names = pickNames(play, Math.min(6, rivals));
    const gaps = names.map(() => play.between(0.4, 2));
    const column = (texts: readonly string[], align: 'start' | 'end') =>
      hud.column(
        texts.map((text) => hud.label(text, 24, ['results'])),
        4,
        align,
      );
    const total = (count: number): string =>
      writeTime(finish - start + gaps.slice(0, count).reduce((sum, gap) => sum + gap, 0));
    const ranks = names.map((_, i) => i + 1);
    const table = [column(ranks.map(String), 'end'), column(names, 'start'), column(ranks.map(total), 'end')];
    hud.place('centre', hud.group([hud.label('Results', 34, ['results'], 'message'), hud.row(table, 24)]));
    return hud;
  },
};
