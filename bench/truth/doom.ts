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
  readonly message: string;
  readonly palette: number | null;
}

/** The HUD of a Doom clip as series. */
export interface DoomSeries {
  readonly health: Series;
  readonly armor: Series;
  readonly ammunition: Series;
  readonly table: readonly Series[];
  readonly message: Series;
  readonly 'status bar': Series;
  /** Not a series of readings: each step is a pick-up under an unchanged message, which only a number tells. */
  readonly repeat: Series;
}

export function doomSeries(rows: readonly DoomRow[]): DoomSeries {
  const of = (value: (row: DoomRow) => Step['value']): Series =>
    compact(rows.map((row) => ({ t: row.t, value: value(row) })));
  return {
    health: of((row) => row.health),
    armor: of((row) => row.armor),
    ammunition: of((row) => row.ammo),
    table: [0, 1, 2, 3].map((k) => of((row) => row.ammo_table?.[k] ?? null)),
    message: of((row) => (row.message === '' ? null : row.message)),
    'status bar': of((row) => (row.hud ? 'status bar' : null)),
    repeat: repeats(rows),
  };
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
 * Statements that follow from the series, raw or reduced (then `raw` gives what lies between the samples). Appearing is
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
  for (const step of series.health) {
    if (step.value === 0) lines.push({ t: step.t, statement: { subject: 'player', action: 'die' } });
  }
  for (const { t, value } of series['status bar']) {
    if (value !== null && t > 0) lines.push({ t, statement: { subject: 'level', action: 'begin' } });
  }
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
