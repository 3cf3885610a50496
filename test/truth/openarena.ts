import type { Slot, Statement } from '../../src/events/statement.ts';
import { type Series, type Step, type TruthLine, changes, compact } from './series.ts';
import { deathStatement, itemStatement, weaponWord } from './words.ts';

/** A line of the kill feed, from an OpenArena clip's truth.json. */
export interface Kill {
  readonly t: number;
  readonly frame?: number;
  /** A player's name; `<world>` or the victim's own name without a killer. */
  readonly killer: string;
  readonly victim: string;
  /** `MOD_…` */
  readonly means: string;
  readonly feed_text: string;
}

/** What the followed player's HUD shows from this time on. */
export interface PlayerRow {
  readonly t: number;
  readonly frame?: number;
  readonly health: number;
  readonly dead: boolean;
  readonly armor: number;
  readonly weapon: string;
  /** −1 or null for weapons without ammunition. */
  readonly ammo: number | null;
  readonly score: number;
  /** The place by points, 1 the first, and whether others have as many. */
  readonly rank?: number;
  readonly rank_tied?: boolean;
  /** Whom the spectator follows then, where the truth says so: another, when the first is out of the game. */
  readonly followed?: string;
  /** The match is over: the score table stands, no figures. */
  readonly over?: boolean;
}

/** Something that the followed player picked up or was awarded: an item's or a medal's name in the game's code. */
export interface Gain {
  readonly t: number;
  readonly frame?: number;
  readonly what: string;
}

/** The scores of both teams from this time on, in a game of teams. */
export interface TeamsRow {
  readonly t: number;
  readonly frame?: number;
  readonly red: number;
  readonly blue: number;
}

/** The HUD of an OpenArena clip. While the player is dead no figures but the score are drawn. */
export interface ArenaSeries {
  readonly health: Series;
  /** 0 is not drawn; here it is 0 while the player lives. */
  readonly armor: Series;
  readonly ammunition: Series;
  readonly weapon: Series;
  /** In a game of teams the player's own is not shown, but both teams' are. */
  readonly score: Series;
  readonly red: Series;
  readonly blue: Series;
  /** The item named at the lower left, and the medal shown above; empty if the truth does not contain it. */
  readonly item: Series;
  readonly medal: Series;
  /** `lead`, `openarena:tie for lead` or `trail`, where everyone is against everyone. */
  readonly standing: Series;
}

const NO_AMMUNITION: ReadonlySet<string> = new Set(['gauntlet', 'grappling hook']);

export function arenaSeries(
  recorded: readonly PlayerRow[],
  items: readonly Gain[] = [],
  medals: readonly Gain[] = [],
  teams: readonly TeamsRow[] = [],
): ArenaSeries {
  // The first snapshot is what the first frames show, whichever of them the fitted clock gives it to.
  const rows = recorded.map((row, i) => (i === 0 ? { ...row, t: 0 } : row));
  const alive = (value: (row: PlayerRow) => Step['value']): Series =>
    compact(rows.map((row) => ({ t: row.t, value: row.dead || row.over ? null : value(row) })));
  return {
    health: alive((row) => row.health),
    armor: alive((row) => row.armor),
    ammunition: alive((row) => (row.ammo === null || row.ammo < 0 || NO_AMMUNITION.has(row.weapon) ? null : row.ammo)),
    weapon: alive((row) => (row.weapon === 'none' ? null : weaponWord(row.weapon))),
    score: teams.length > 0 ? [] : compact(rows.map((row) => ({ t: row.t, value: row.over ? null : row.score }))),
    red: compact(teams.map(({ t, red }) => ({ t, value: red }))),
    blue: compact(teams.map(({ t, blue }) => ({ t, value: blue }))),
    item: shownFor(ITEM_SHOWN, namedItems(items, spawns(rows))),
    medal: shownFor(MEDAL_SHOWN, medals),
    standing: teams.length > 0 ? [] : compact(rows.map((row) => ({ t: row.t, value: standingOf(row) }))),
  };
}

/** How the player stands among all; nothing is said of who is dead from the first or after the match. */
function standingOf({ over, rank, rank_tied: tied }: PlayerRow): string | null {
  if (over || rank === undefined) return null;
  if (rank > 1) return 'trail';
  return tied ? 'openarena:tie for lead' : 'lead';
}

/** Times from which another player's figures are shown: the spectator follows another. */
export function turnsOf(rows: readonly PlayerRow[]): number[] {
  const turns = rows.flatMap((row, i) => (i > 0 && rows[i - 1]!.followed !== row.followed ? [row] : []));
  // Who is followed may seem dead in the first picture.
  return turns.flatMap((row) => [
    row.t,
    ...(row.dead ? rows.filter(({ t, dead }) => t > row.t && !dead).slice(0, 1) : []).map(({ t }) => t),
  ]);
}

/** Seconds within which a sample shows that another is followed. */
const TURN = 0.12;

/** Seconds for which the game shows what was picked up, and a medal. */
const ITEM_SHOWN = 3;
const MEDAL_SHOWN = 3;

/** Seconds for which the row of weapons stands after one was picked up or a life began; while it does, no item is named. */
const WEAPONS_SHOWN = 1.4;
/** Items that bring up the row of weapons, and so are not named. */
const SWITCHING = /^weapon_(?!machinegun)/;

interface Named {
  readonly t: number;
  readonly what: string | null;
}

/** Times at which a life begins: the row of weapons comes up. */
function spawns(rows: readonly PlayerRow[]): number[] {
  return rows.flatMap((row, i) => (i > 0 && rows[i - 1]!.dead && !row.dead ? [row.t] : []));
}

/** What is named of what was picked up; the row of weapons takes an older name away, and none comes while it stands. */
function namedItems(items: readonly Gain[], lives: readonly number[]): Named[] {
  const rows = [...items.flatMap((gain) => (SWITCHING.test(gain.what) ? [gain.t] : [])), ...lives];
  const named = items.filter((gain) => !rows.some((t) => t <= gain.t && gain.t < t + WEAPONS_SHOWN));
  return [...named, ...rows.map((t) => ({ t, what: null }))].toSorted((a, b) => a.t - b.t);
}

/** What is shown for some seconds, or until the next takes its place. */
function shownFor(seconds: number, gains: readonly Named[]): Series {
  const steps = gains.flatMap((gain, i): Step[] => {
    const end = gain.t + seconds;
    const next = gains[i + 1];
    const step = { t: gain.t, value: gain.what };
    return next && next.t < end ? [step] : [step, { t: end, value: null }];
  });
  return compact(steps.length === 0 ? [] : [{ t: 0, value: null }, ...steps]);
}

/** The same item gained again while its message is displayed: not visible on the screen. */
export function repeatedGains(gains: readonly Gain[], seconds = ITEM_SHOWN): Gain[] {
  return gains.filter((gain, i) => i > 0 && gains[i - 1]!.what === gain.what && gain.t < gains[i - 1]!.t + seconds);
}

const TEAMS: ReadonlySet<string> = new Set(['Red', 'Blue']);

/** What the game said of the match: `begin` (the warm-up is over), or a line that the server printed. `name`: how a player is meant. */
export function matchStatements(what: string, name: (name: string) => Slot): Statement[] {
  if (what === 'begin') return [{ subject: 'match', action: 'begin' }];
  // Somebody says it: the game sets this between name and words.
  if (what.includes('\u0019')) return [];
  const over = { subject: 'match', action: 'end' } as const;
  if (what === 'Timelimit hit.') return [over];
  const [, winner] = /^(.+) hit the \w+limit\.$/.exec(what) ?? [];
  if (winner !== undefined) {
    const subject = TEAMS.has(winner) ? { word: 'team', name: winner } : name(winner);
    return [over, { subject, action: 'win', object: 'match' }];
  }
  const rounds = ROUNDS[what];
  if (rounds !== undefined) return [rounds];
  const [, taker, taken] = /^(Red|Blue) took '(.+)'$/.exec(what) ?? [];
  if (taker !== undefined) return [{ subject: team(taker), action: 'capture', object: point(taken!) }];
  const [, hero, held] = /^(.+) \((?:RED|BLUE)\) took control of (\w)!$/.exec(what) ?? [];
  if (hero !== undefined) return [{ subject: name(hero), action: 'capture', object: point(held!) }];
  const [, member, came] = /^(.+) (entered the game|disconnected)$/.exec(what) ?? [];
  if (member !== undefined) return [{ subject: name(member), action: came === 'disconnected' ? 'leave' : 'join' }];
  const [, who, deed] = /^(.+) (got|captured|returned) the (?:\w+ )?flag!$/.exec(what) ?? [];
  return who === undefined ? [] : [{ subject: name(who), action: FLAGS[deed!]! }];
}

const team = (name: string): Slot => ({ word: 'team', name });
const point = (name: string): Slot => ({ word: 'control point', name });
const eliminated = (subject: string, object: string): Statement => ({
  subject: team(subject),
  action: 'eliminate',
  object: team(object),
});
const roundWon = (name: string): Statement => ({ subject: team(name), action: 'win', object: 'round' });
const roundOver: Statement = { subject: 'round', action: 'end' };

/** What the server prints of rounds and of teams. */
const ROUNDS: Readonly<Record<string, Statement>> = {
  'A new round has started': { subject: 'round', action: 'begin' },
  'Red Team eliminated!': eliminated('Blue', 'Red'),
  'Blue Team eliminated!': eliminated('Red', 'Blue'),
  'Red team defended the base': roundWon('Red'),
  'Blue team defended the base': roundWon('Blue'),
  'Red team has most survivers!': roundWon('Red'),
  'Blue team has most survivers!': roundWon('Blue'),
  'Red team has more health left!': roundWon('Red'),
  'Blue team has more health left!': roundWon('Blue'),
  'We have a winner!': roundOver,
  'No teams eliminated.': roundOver,
  'All death... how sad': roundOver,
  'Red team scores!': { subject: team('Red'), action: 'score' },
  'Blue team scores!': { subject: team('Blue'), action: 'score' },
};

const FLAGS: Readonly<Record<string, string>> = { got: 'take flag', captured: 'capture flag', returned: 'return flag' };

/** Lines that the console shows at most. */
const LINES = 4;

/** What is drawn of the lines of a match: of many at once the last. */
export function drawnLines(lines: readonly Gain[]): Gain[] {
  // What came with a restart of the map was wiped away with the lines before it.
  const wiped = (line: Gain, i: number): boolean =>
    line.what !== 'begin' &&
    lines.slice(i + 1).some((other) => other.what === 'begin' && Math.abs(other.t - line.t) < 1e-6);
  return lines.filter((line, i) => {
    if (wiped(line, i)) return false;
    const later = lines.slice(i + 1).filter((other) => other.t - line.t < 1e-6 && other.what !== 'begin');
    return line.what === 'begin' || later.length < LINES;
  });
}

/** Whose name the screen shows as the followed player's at t: what changes with a death shows after it. */
export function followedAt(rows: readonly PlayerRow[], t: number, otherwise: string): string {
  return rows.findLast((row) => row.t < t - 1e-6)?.followed ?? otherwise;
}

/** The least length to which the kill line cuts a name: 29 characters, with those that only colour it. */
const CUT = 15;

/** What a line of the kill feed says. The followed player is `player`, everybody else an opponent by name. */
export function killStatement(kill: Kill, followed: string): Statement {
  // The kill line cuts long names off.
  const isCut = (name: string): boolean => name.length >= CUT && followed.startsWith(name);
  const slot = (name: string): Slot => (name === followed || isCut(name) ? 'player' : { word: 'opponent', name });
  const alone = kill.killer === kill.victim || kill.killer === '<world>' || !kill.feed_text.includes(kill.killer);
  return deathStatement(kill.means, slot(kill.victim), alone ? undefined : slot(kill.killer));
}

/**
 * Statements of the followed player's HUD, raw or reduced. A figure that changes with the weapon is no change of
 * ammunition, and a new life's figures are no changes.
 */
export function arenaStatements(
  series: ArenaSeries,
  raw: ArenaSeries = series,
  turns: readonly number[] = [],
): TruthLine[] {
  const lines: TruthLine[] = [];
  const subject = 'player';
  for (const property of ['health', 'armor', 'ammunition', 'weapon', 'score'] as const) {
    for (const { t, since, from, to } of changes(series[property])) {
      if (property === 'ammunition' && raw.weapon.some((step) => step.t > since && step.t <= t + 1e-6)) {
        if (!sameWeapon(raw, since, t, from)) continue;
      }
      const value = (shown: number | string) => (property === 'weapon' ? { word: String(shown) } : shown);
      lines.push({ t, statement: { subject, property, from: value(from), to: value(to) } });
    }
  }
  for (const [name, scores] of [
    ['Red', series.red],
    ['Blue', series.blue],
  ] as const)
    for (const { t, from, to } of changes(scores))
      lines.push({ t, statement: { subject: { word: 'team', name }, property: 'score', from, to } });
  for (const { t, value } of series.item)
    if (typeof value === 'string') lines.push({ t, statement: itemStatement(value) });
  for (const { t, value } of series.medal)
    if (typeof value === 'string')
      lines.push({ t, statement: { subject, action: 'earn', object: `openarena:${value}` } });
  for (const { t, to } of changes(series.standing)) lines.push({ t, statement: { subject, action: String(to) } });
  for (const [i, step] of series.health.entries()) {
    if (i > 0 && series.health[i - 1]!.value === null)
      lines.push({ t: step.t, statement: { subject, action: 'respawn' } });
  }
  // Another's figures are no changes of the figures before, nor a new life.
  const turned = ({ t }: TruthLine): boolean => turns.some((turn) => t >= turn - 1e-6 && t < turn + TURN);
  const isOwn = ({ statement }: TruthLine): boolean =>
    'property' in statement
      ? statement.subject === subject
      : statement.action === 'respawn' || STANDINGS.has(statement.action);
  return lines.filter((line) => !turned(line) || !isOwn(line)).toSorted((a, b) => a.t - b.t);
}

/** What the player does in the contest of all. */
export const STANDINGS: ReadonlySet<string> = new Set(['lead', 'openarena:tie for lead', 'trail']);

/** The weapon changed since the earlier figure began; was that figure ever shown with the weapon now in hand? */
function sameWeapon(raw: ArenaSeries, since: number, t: number, from: number | string): boolean {
  const latest = raw.weapon.findLast((step) => step.t <= t + 1e-6);
  if (!latest || latest.t >= t - 1e-6) return false;
  return raw.ammunition.some((step, i) => {
    const end = raw.ammunition[i + 1]?.t ?? Number.POSITIVE_INFINITY;
    return step.value === from && step.t >= since - 1e-6 && end > latest.t + 1e-6 && step.t < t - 1e-6;
  });
}
