import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ArenaSeries,
  type Gain,
  type Kill,
  type PlayerRow,
  type TeamsRow,
  STANDINGS,
  arenaSeries,
  arenaStatements,
  repeatedGains,
  drawnLines,
  followedAt,
  turnsOf,
  killStatement,
  matchStatements,
} from './openarena.ts';
import { type DoomRow, type DoomSeries, doomSeries, doomStatements } from './doom.ts';
import type { Slot } from '../../src/events/statement.ts';
import { roundTime } from '../../src/time.ts';
import { itemStatement } from './words.ts';
import { type Rule, type Series, type TruthLine, reduceSeries } from './series.ts';

/** A rule with the times (ascending, seconds) at which the detector reads. */
export interface Sampled extends Rule {
  readonly times: readonly number[];
}

/** By HUD element (`health`, `message`, …); `default` for the rest. */
export type Rules = Readonly<Record<string, Sampled>> & { readonly default: Sampled };

/** What a recording shows, known without the program. */
export interface Truth {
  readonly game: 'freedoom' | 'openarena';
  /** Frames per second and their number; frame i is shown at i / fps. */
  readonly fps: number;
  readonly frames: number;
  readonly width?: number;
  readonly height?: number;
  /** What each HUD element shows over time, by name. */
  readonly series: Readonly<Record<string, Series>>;
  /** Kinds of events that this recording's truth does not contain. */
  readonly untold?: readonly string[];
  /** Everything that was drawn, however briefly. */
  readonly raw: readonly TruthLine[];
  /** Seconds at which anything that the game's profile reads changes, ascending; also what disappears, if the truth contains it. */
  readonly changes: readonly number[];
  /** What a perfect reader reports under the declared sampling and stability. */
  reduce(rules: Rules): TruthLine[];
}

interface DoomFile {
  readonly fps: number;
  readonly frames: number;
  readonly width?: number;
  readonly height?: number;
  readonly series: readonly DoomRow[];
  /** Frames (or times) at which "A secret is revealed!" appears in the centre. */
  readonly centre_text?: readonly (number | { readonly t?: number; readonly frame?: number })[];
}

interface ArenaFile {
  readonly fps: number;
  readonly frames: number;
  readonly width?: number;
  readonly height?: number;
  readonly followed_player: string;
  readonly kills: readonly Kill[];
  readonly series: readonly PlayerRow[];
  readonly pick_ups?: readonly Gain[];
  readonly awards?: readonly Gain[];
  readonly teams?: readonly TeamsRow[];
  /** `begin`, `intermission`, or a line that the server printed. */
  readonly match?: readonly Gain[];
}

/** Reads a clip's truth: a `.json` file, or `truth.json` of a folder. Throws the error of the file system, or SyntaxError. */
export async function loadTruth(path: string): Promise<Truth> {
  const file: unknown = JSON.parse(await readFile(path.endsWith('.json') ? path : join(path, 'truth.json'), 'utf8'));
  if (typeof file !== 'object' || file === null) throw new SyntaxError(`${path}: no object`);
  const { series, fps, frames } = file as Partial<DoomFile>;
  if (!Array.isArray(series) || !(Number(fps) > 0) || !(Number(frames) > 0))
    throw new SyntaxError(`${path}: no truth: it needs "series", "fps" and "frames" (recorded with TRUTH=none?)`);
  return 'kills' in file ? arenaTruth(file as ArenaFile) : doomTruth(file as DoomFile);
}

function doomTruth(file: DoomFile): Truth {
  const series = doomSeries(timed(file.series, file.fps));
  const centre = secrets(file);
  const reduce = (rules: Rules): TruthLine[] => {
    const seen = reduceAll({ ...series, table: [], repeat: [] }, rules);
    const owned = reduceAll(series.owned, rules);
    const reduced: DoomSeries = { ...series, ...seen, owned, table: series.table, repeat: series.repeat };
    return merge(doomStatements(reduced, series), centre);
  };
  const rows = Object.fromEntries(['bullets', 'shells', 'rockets', 'cells'].map((name, k) => [name, series.table[k]!]));
  const { health, armor, ammunition, message } = series;
  const shown = { health, armor, ammunition, message, ...rows };
  // The truth knows that there is no status bar, not which screen is there instead.
  return {
    game: 'freedoom',
    untold: [
      ...(file.series.some(({ level }) => level !== undefined) ? [] : ['complete']),
      ...['kill', 'item', 'secret'].map((what) => `freedoom:${what} percentage`),
      ...(series.weapon.length === 0 ? ['weapon'] : []),
      ...(file.series.some(({ frags }) => frags !== undefined) ? [] : ['score']),
    ],
    ...extent(file),
    series: shown,
    raw: merge(doomStatements(series), centre),
    changes: timesIn(
      [...Object.values(shown), series.frags, series.weapon, series['status bar'], ...Object.values(series.owned)],
      [...doomStatements(series), ...centre],
    ),
    reduce,
  };
}

function arenaTruth(file: ArenaFile): Truth {
  const rows = timed(file.series, file.fps);
  const items = timed(file.pick_ups ?? [], file.fps);
  const series = arenaSeries(rows, items, timed(file.awards ?? [], file.fps), timed(file.teams ?? [], file.fps));
  const again = repeatedGains(items).map(({ t, what }) => ({
    t,
    statement: itemStatement(what),
    repeat: true as const,
  }));
  const ofMatch = [
    'begin',
    'end',
    'win',
    'take flag',
    'capture flag',
    'return flag',
    'join',
    'leave',
    'eliminate',
    'capture',
  ];
  const untold = [
    ...(file.pick_ups ? [] : ['pick up']),
    ...(file.awards ? [] : ['earn']),
    ...(file.match ? [] : ofMatch),
    ...(file.series.some(({ rank }) => rank !== undefined) ? [] : ['lead']),
  ];
  const kills = timed(file.kills, file.fps).map((kill) => ({
    t: kill.t,
    statement: killStatement(kill, followedAt(rows, kill.t, file.followed_player)),
  }));
  const drawn = drawnLines(timed(file.match ?? [], file.fps)).flatMap(({ t, what }) => {
    const name = (one: string): Slot =>
      one === followedAt(rows, t, file.followed_player) ? 'player' : { word: 'opponent', name: one };
    return matchStatements(what, name).map((statement) => ({ t, statement }));
  });
  const turns = turnsOf(rows);
  // With a match everything begins anew: no change.
  const begins = (file.match ?? []).filter(({ what }) => what === 'begin');
  const kept = (lines: TruthLine[]): TruthLine[] =>
    lines.filter(({ t, statement }) => {
      const isNew = !('property' in statement) && !STANDINGS.has(statement.action);
      return isNew || !begins.some((one) => Math.abs(one.t - t) < 0.3);
    });
  const reduce = (rules: Rules): TruthLine[] => {
    const reduced: ArenaSeries = { ...series, ...reduceAll({ ...series }, rules) };
    const { times, samples } = rules['feed'] ?? rules.default;
    const last = times.at(-samples) ?? 0;
    return merge(
      kept(arenaStatements(reduced, series, turns)),
      [...kills, ...drawn].filter((line) => line.t <= last),
    );
  };
  return {
    game: 'openarena',
    ...extent(file),
    series: { ...series },
    untold,
    raw: merge(kept(arenaStatements(series, series, turns)), again, kills, drawn),
    changes: timesIn(Object.values(series), [...arenaStatements(series, series, turns), ...kills, ...drawn], turns),
    reduce,
  };
}

/** Rows dated by their frame, to the microsecond: the times written next to the frames are rounded. */
function timed<T extends { readonly t: number; readonly frame?: number }>(rows: readonly T[], fps: number): T[] {
  return rows.map((row) => (row.frame === undefined ? row : { ...row, t: roundTime(row.frame / fps) }));
}

function reduceAll<T extends Readonly<Record<string, unknown>>>(all: T, rules: Rules): Record<string, Series> {
  const series = Object.entries(all).filter(
    (entry): entry is [string, Series] => Array.isArray(entry[1]) && entry[1].length > 0,
  );
  return Object.fromEntries(
    series.map(([name, one]) => {
      const rule = rules[name] ?? rules.default;
      return [name, reduceSeries(one, rule.times, rule)];
    }),
  );
}

function extent(file: DoomFile | ArenaFile): Pick<Truth, 'fps' | 'frames' | 'width' | 'height'> {
  const { fps, frames, width, height } = file;
  return { fps, frames, ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) };
}

/** All times in them but that of the first picture, ascending. */
function timesIn(series: readonly Series[], lines: readonly TruthLine[], others: readonly number[] = []): number[] {
  const times = new Set([...series.flat().map(({ t }) => t), ...lines.map(({ t }) => t), ...others]);
  return [...times].filter((t) => t > 0).toSorted((a, b) => a - b);
}

function secrets(file: DoomFile): TruthLine[] {
  const statement = { subject: 'player', action: 'find', object: 'secret' } as const;
  return (file.centre_text ?? []).flatMap((one) => {
    const t = typeof one === 'number' ? one / file.fps : (one.t ?? (one.frame ?? 0) / file.fps);
    return [{ t, statement }];
  });
}

function merge(...lists: readonly (readonly TruthLine[])[]): TruthLine[] {
  return lists.flat().toSorted((a, b) => a.t - b.t);
}

/** Sample times of a grid over `frames` frames: the frame nearest each tick, the earlier on a tie; `eligible` frames first. */
export function gridTimes(
  fps: number,
  frames: number,
  interval: number,
  eligible?: (frame: number) => boolean,
): number[] {
  const times: number[] = [];
  const end = (frames - 1) / fps;
  for (let k = 0; k * interval <= end + interval / 2; k++) {
    const tick = k * interval;
    const frame = nearest(tick, fps, frames, interval, eligible) ?? nearest(tick, fps, frames, interval);
    if (frame === undefined) continue;
    const t = roundTime(frame / fps);
    if (t !== times.at(-1)) times.push(t);
  }
  return times;
}

function nearest(
  tick: number,
  fps: number,
  frames: number,
  interval: number,
  eligible?: (frame: number) => boolean,
): number | undefined {
  let best: number | undefined;
  const from = Math.max(0, Math.ceil((tick - interval / 2) * fps - 1e-6));
  const to = Math.min(frames - 1, Math.floor((tick + interval / 2) * fps + 1e-6));
  for (let frame = from; frame <= to; frame++) {
    if (eligible && !eligible(frame)) continue;
    if (best === undefined || Math.abs(frame / fps - tick) < Math.abs(best / fps - tick) - 1e-9) best = frame;
  }
  return best;
}
