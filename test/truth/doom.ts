import { type Change, type Series, type Step, type TruthLine, changes, compact, valueAt } from './series.ts';
import { doomMessage } from './words.ts';

/** A row of a Doom clip's truth.json: what the screen shows from this frame on. */
export interface DoomRow {
  readonly t: number;
  readonly frame?: number;
  readonly hud: boolean;
  readonly health: number | null;
  readonly armor: number | null;
  readonly ammo: number | null;
  /** Small yellow table, top to bottom: bullets, shells, rockets, cells. */
  readonly ammo_table?: readonly (number | null)[];
  /** Weapon slots 2 to 7, negative where not owned. */
  readonly arms?: readonly (number | null)[];
  /** Keys on the bar: "blue card", "red skull". */
  readonly keys?: readonly string[];
  /** Of a deathmatch; missing in older truth. */
  readonly frags?: number | null;
  readonly message: string;
  readonly palette: number | null;
  /** What the screen between levels says, "finished" or "entering", and of which level; missing in older truth. */
  readonly level?: readonly [string, string] | null;
}

/** The HUD of a Doom clip as series. */
export interface DoomSeries {
  readonly health: Series;
  readonly armor: Series;
  readonly ammunition: Series;
  readonly frags: Series;
  readonly table: readonly Series[];
  readonly message: Series;
  /** The weapon in hand, as far as numbers, the ARMS panel and messages show it; empty if the truth has no ARMS. */
  readonly weapon: Series;
  readonly 'status bar': Series;
  /** "finished E1M3" or "entering E1M4" while the screen between levels says so. */
  readonly 'level name': Series;
  /** Weapons and keys on the bar, by the detector that reads each: its word, or `none`. */
  readonly owned: Readonly<Record<string, Series>>;
  /** Not a series of readings: each step is a pickup under an unchanged message, visible only in a number. */
  readonly repeat: Series;
}

export function doomSeries(rows: readonly DoomRow[]): DoomSeries {
  const of = (value: (row: DoomRow) => Step['value']): Series =>
    compact(rows.map((row) => ({ t: row.t, value: value(row) })));
  return {
    health: of((row) => row.health),
    armor: of((row) => row.armor),
    ammunition: of((row) => row.ammo),
    frags: of((row) => row.frags ?? null),
    table: [0, 1, 2, 3].map((k) => of((row) => row.ammo_table?.[k] ?? null)),
    message: of((row) => (row.message === '' ? null : row.message)),
    weapon: weapons(rows),
    'status bar': of((row) => (row.hud ? 'status bar' : null)),
    'level name': of(({ level }) => (level ? level.join(' ') : null)),
    owned: Object.fromEntries([
      ...ARMS.map((word, k) => [`arms ${k + 3}`, of(({ arms }) => ownedAt(arms?.[k + 1], word))]),
      ...COLOURS.map((colour) => [`${colour} key`, of((row) => keyOf(row, colour))]),
    ]),
    repeat: repeats(rows),
  };
}

/** What the slots 3 to 7 hold; of two weapons of one slot the first is named. */
const ARMS = ['shotgun', 'chaingun', 'rocket launcher', 'plasma gun', 'freedoom:BFG'] as const;
const COLOURS = ['blue', 'yellow', 'red'] as const;

function ownedAt(slot: number | null | undefined, word: string): string | null {
  return slot === null || slot === undefined ? null : slot > 0 ? word : 'none';
}

function keyOf({ hud, keys }: DoomRow, colour: string): string | null {
  if (!hud || keys === undefined) return null;
  const key = keys.find((name) => name.startsWith(colour));
  return key === undefined ? 'none' : `freedoom:${colour} ${key.endsWith('skull') ? 'skull key' : 'keycard'}`;
}

/** Seconds between a message and what it names on the bar, at most. */
const SAME = 1;

/** What came onto the bar without a message of its own: by a cheat, or under another message. */
function unnamed({ owned }: DoomSeries, { message }: DoomSeries): TruthLine[] {
  const named = message.flatMap(({ t, value }) => {
    const statement = typeof value === 'string' ? doomMessage(value) : undefined;
    const object = statement && 'object' in statement ? String(statement.object) : undefined;
    return object === undefined ? [] : [{ t, object: object === 'double-barreled shotgun' ? 'shotgun' : object }];
  });
  return Object.values(owned).flatMap((series) =>
    changes(series).flatMap(({ t, from, to }): TruthLine[] => {
      if (from !== 'none' || named.some((one) => one.object === to && Math.abs(one.t - t) <= SAME)) return [];
      return [{ t, statement: { subject: 'player', action: 'obtain', object: String(to) } }];
    }),
  );
}

const TABLE = ['bullets', 'shells', 'rockets', 'cells'] as const;
const SLOT: Readonly<Record<string, number>> = { chaingun: 4, 'freedoom:BFG': 7, 'plasma gun': 6 };
/** Weapons that share their ammunition with one that may be in hand already. */
const FIRES: Readonly<Record<string, string>> = { chaingun: 'bullets', 'freedoom:BFG': 'cells' };
/** Seconds for which the big figure must be that of another row, and between a weapon's message and its being raised. */
const HELD = 0.3;
const RAISED = 1.5;

/** The weapon in hand over time: the big figure is that of one row of the table, or there is none. */
function weapons(rows: readonly DoomRow[]): Series {
  if (!rows.some((row) => row.arms)) return [];
  const rowOf = ({ ammo, ammo_table }: DoomRow): string | undefined => {
    if (ammo === null) return 'none';
    const same = TABLE.filter((_, k) => ammo_table?.[k] === ammo);
    return same.length === 1 ? same[0] : undefined;
  };
  const steps: Step[] = [];
  let inHand: string | undefined;
  for (const [i, row] of rows.entries()) {
    const next = rows[i + 1];
    if (!row.hud || row.health === null || row.health === 0) {
      // A new life, which in a deathmatch begins without a new picture, begins with a weapon in hand.
      if (row.hud && row.health !== 0) continue;
      steps.push({ t: row.t, value: null });
      inHand = undefined;
      continue;
    }
    const now = rowOf(row);
    const fresh = newWeapon(rows, i);
    if (fresh !== undefined && inHand === FIRES[fresh]) steps.push({ t: row.t, value: fresh });
    const stays = rows.slice(i + 1).find((later) => later.t >= row.t + HELD || rowOf(later) !== now);
    if (now === undefined || now === inHand || (next && stays && stays.t < row.t + HELD)) continue;
    inHand = now;
    const obtained = rows.find(
      (one) => Math.abs(one.t - row.t) <= RAISED && /^YOU GOT THE|^THE SKAG/.test(one.message),
    );
    const object = obtained && (doomMessage(obtained.message) as { object?: string } | undefined)?.object;
    steps.push({ t: row.t, value: weaponWord(now, row, object) });
  }
  return compact(steps);
}

/** A weapon that is owned from this row on and may fire what the one in hand does. */
function newWeapon(rows: readonly DoomRow[], i: number): string | undefined {
  const [before, row] = [rows[i - 1], rows[i]!];
  return Object.keys(FIRES).find(
    (name) => before?.arms?.[SLOT[name]! - 2] === -SLOT[name]! && row.arms?.[SLOT[name]! - 2] === SLOT[name]!,
  );
}

function weaponWord(row: string, { arms }: DoomRow, obtained: string | undefined): string {
  // In a deathmatch the frags stand in the place of the arms: which are owned is not known.
  const owns = (name: string): boolean => Number(arms?.[SLOT[name]! - 2] ?? 1) > 0;
  if (row === 'bullets') return obtained === 'chaingun' ? obtained : owns('chaingun') ? 'gun' : 'pistol';
  if (row === 'shells') return 'shotgun';
  if (row === 'rockets') return 'rocket launcher';
  if (row === 'none') return obtained === 'chainsaw' ? obtained : 'melee weapon';
  if (obtained !== undefined && obtained in SLOT && obtained !== 'chaingun') return obtained;
  return owns('freedoom:BFG') ? 'energy gun' : 'plasma gun';
}

const QUANTITY: readonly [RegExp, (row: DoomRow) => number | null | undefined][] = [
  [/CLIP|BOX OF AMMO|MINIGUN/, (row) => row.ammo_table?.[0]],
  [/SHELLS|SHOTGUN/, (row) => row.ammo_table?.[1]],
  [/MISSILE/, (row) => row.ammo_table?.[2]],
  [/ENERGY|SKAG/, (row) => row.ammo_table?.[3]],
  [/HEALTH|OVERDRIVE/, (row) => row.health],
  [/ARMOR/, (row) => row.armor],
];

/** Times at which what the standing message names was obtained again: the message stays, its number rises. */
function repeats(rows: readonly DoomRow[]): Series {
  const steps: Step[] = [];
  for (let i = 1; i < rows.length; i++) {
    const [before, row] = [rows[i - 1]!, rows[i]!];
    if (row.message === '' || row.message !== before.message || doomMessage(row.message) === undefined) continue;
    const quantity = QUANTITY.find(([pattern]) => pattern.test(row.message))?.[1];
    const [from, to] = [quantity?.(before), quantity?.(row)];
    if (typeof from === 'number' && typeof to === 'number' && to > from) steps.push({ t: row.t, value: row.message });
  }
  return steps;
}

/**
 * Statements that follow from the series, raw or reduced (then `raw` has the values between the samples). Appearing is
 * not a change, nor is a switch of weapon or the start of a new life.
 */
export function doomStatements(series: DoomSeries, raw: DoomSeries = series): TruthLine[] {
  const lines: TruthLine[] = [];
  const lives = restarts(raw.health);
  for (const property of ['health', 'armor', 'ammunition'] as const) {
    for (const change of changes(series[property])) {
      if (property === 'ammunition' && !sameWeapon(raw.table, change)) continue;
      if (lives.some((t) => change.since < t && t < change.t + 0.001 && change.t - t < 0.5)) continue;
      const { t, from, to } = change;
      lines.push({ t, statement: { subject: 'player', property, from, to } });
    }
  }
  for (const { t, from, to } of changes(series.frags))
    lines.push({ t, statement: { subject: 'player', property: 'score', from, to } });
  for (const { t, since, from, to } of changes(series.weapon)) {
    // The initial weapon of a life is not a switch, however short the death was.
    if (lives.some((life) => since < life && life <= t + 0.001)) continue;
    const statement = { subject: 'player', property: 'weapon', from: { word: String(from) }, to: { word: String(to) } };
    lines.push({ t, statement });
  }
  for (const step of series.health) {
    if (step.value === 0) lines.push({ t: step.t, statement: { subject: 'player', action: 'die' } });
  }
  lines.push(...levels(series));
  lines.push(...unnamed(series, raw));
  for (const t of lives) lines.push({ t, statement: { subject: 'player', action: 'respawn' } });
  for (const [source, extra] of [
    [series.message, {}],
    [series.repeat, { repeat: true }],
  ] as const) {
    for (const { t, value } of source) {
      const statement = typeof value === 'string' ? doomMessage(value) : undefined;
      if (statement) lines.push({ t, statement, ...extra });
    }
  }
  return lines.toSorted((a, b) => a.t - b.t);
}

/** Level starts and ends. Which level begins is known by the screen before it, or as the one in which the player died. */
function levels(series: DoomSeries): TruthLine[] {
  const named = series['level name'].filter((step): step is Step & { value: string } => typeof step.value === 'string');
  const lines: TruthLine[] = named
    .filter(({ value }) => value.startsWith('finished'))
    .map(({ t, value }) => ({ t, statement: { subject: 'player', action: 'complete', object: levelWord(value) } }));
  let [since, level] = [0, 'level'];
  for (const { t, value } of series['status bar']) {
    if (value === null || t === 0) continue;
    const entered = named.findLast((step) => step.t >= since && step.t < t && step.value.startsWith('entering'));
    if (entered) level = levelWord(entered.value);
    else if (!diedBetween(series.health, since, t)) level = 'level';
    lines.push({ t, statement: { subject: level, action: 'begin' } });
    since = t;
  }
  return lines;
}

function levelWord(heading: string): string {
  return `freedoom:${heading.split(' ')[1]}`;
}

/** Whether the last known health before a time is nought. */
function diedBetween(health: Series, since: number, t: number): boolean {
  return health.findLast((step) => step.t >= since && step.t < t && step.value !== null)?.value === 0;
}

/** Times at which a dead player's health comes back. */
function restarts(health: Series): number[] {
  return health.flatMap((step, i) => {
    const earlier = health.slice(0, i).findLast((one) => one.value !== null);
    return earlier?.value === 0 && Number(step.value ?? 0) > 0 ? [step.t] : [];
  });
}

/** The big figure's change is one of ammunition when a row of the small table made the same change in that time. */
function sameWeapon(table: readonly Series[], { since, t, from, to }: Change): boolean {
  return table.some(
    (row) =>
      valueAt(row, t) === to &&
      (valueAt(row, since) === from || row.some((step) => step.t > since && step.t < t && step.value === from)),
  );
}
