// The big figure of ammunition, and the rows of the small table that explain it.
import { WEAPONS } from './belongings.js';
import { isOfNewLife } from './body.js';
import { unlessRenewed } from './changes.js';
import { PICK_UPS, RISES, STANDS } from './pick-ups.js';
import { ROWS, TOGETHER, elementOf, shown } from './screen.js';

/**
 * The big figure also changes with the weapon in hand. Then no row of the table changes: one shows the new figure, and
 * another still the old one.
 */
export function onAmmunition(cue, game) {
  if (cue.trigger !== 'changed') return;
  game.after(TOGETHER, () => {
    const row = (game.state.rows ?? []).find(
      (other) => Math.abs(other.t - cue.t) <= TOGETHER && other.value === cue.value && other.previous === cue.previous,
    );
    const rows = (game.state.rows ?? []).filter((other) => other.t >= cue.t && other.t <= cue.t + TOGETHER);
    const shows = (value) =>
      ROWS.some((name) => shown(name, game) === value) || rows.some((other) => other.previous === value);
    if (row === undefined && shows(cue.value) && shows(cue.previous)) return;
    if (isTableHidden(game) && !isUseOrPickUp(cue, game)) return;
    if (isOfNewLife(cue.t, game)) return;
    const steps = stepsTo(cue, game);
    for (const step of steps.slice(0, -1)) tellAmmunition(step, step.t, [step], game);
    const last = steps.at(-1) ?? row;
    tellAmmunition(steps.at(-1) ?? cue, cue.t, last === undefined ? [cue] : [cue, last], game);
  });
}

/** A webcam's picture over the right end of the bar hides the small table. */
function isTableHidden(game) {
  const isSeen = (game.state.rows ?? []).some((row) => game.t - row.t < REMEMBERED);
  return !isSeen && ROWS.every((name) => shown(name, game) === undefined);
}

/** Shots between two samples, at most, and what the greatest gun takes for one. */
const SHOTS = 5;

const GREATEST = 40;

/** Without the table another weapon's figure is known by the size of the step. */
function isUseOrPickUp({ t, previous, value }, game) {
  const { message, weapons = [] } = game.state;
  if (value < previous) return previous - value <= SHOTS || previous - value === GREATEST;
  const [, figure, most] = RISES.find(([words]) => words.test(message?.value ?? '')) ?? [];
  if (!ROWS.includes(figure) || t - message.t > STANDS || value - previous > most) return false;
  // A weapon's figure comes with the weapon where it is the first of its kind.
  const object = PICK_UPS[message.value];
  return !WEAPONS.includes(object) || weapons.filter((one) => one.object === object).length > 1;
}

function tellAmmunition({ previous, value }, t, cues, game) {
  unlessRenewed({ subject: 'player', property: 'ammunition', from: previous, to: value }, t, cues, game);
}

/** Seconds for which a row's changes are remembered. */
const REMEMBERED = 2.5;

/** The changes of a row by which the big figure came to its new value: it cannot always be read as soon as the small one. */
function stepsTo(cue, { state }) {
  for (const name of ROWS) {
    const own = (state.rows ?? []).filter((other) => elementOf(other) === name && cue.t - other.t < REMEMBERED);
    const steps = [];
    for (let i = own.findLastIndex((other) => other.value === cue.value); i >= 0; i--) {
      if (steps.length > 0 && own[i].value !== steps[0].previous) break;
      steps.unshift(own[i]);
      if (own[i].previous === cue.previous) return steps;
    }
  }
  return [];
}

export function onRow(cue, game) {
  if (!ROWS.includes(elementOf(cue)) || cue.trigger !== 'changed') return;
  game.state.rows = [...(game.state.rows ?? []).filter((other) => cue.t - other.t < REMEMBERED), cue];
}
