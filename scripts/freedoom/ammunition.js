// The large ammunition number, and the rows of the small table that explain its changes.
import { WEAPONS } from './inventory.js';
import { belongsToNewLife } from './health.js';
import { emitUnlessNewGame } from './changes.js';
import { PICK_UPS, GAINS, MESSAGE_SECONDS } from './pick-ups.js';
import { ROWS, RELATED_SECONDS, elementOf, readElement } from './screen.js';

/**
 * Emits changes of ammunition. The large number also changes with the weapon in hand: then no row of the table changes, one row shows the
 * new number and another the old one.
 */
export function onAmmunition(cue, game) {
  if (cue.trigger !== 'changed') return;
  game.after(RELATED_SECONDS, () => {
    const row = (game.state.rows ?? []).find(
      (other) =>
        Math.abs(other.t - cue.t) <= RELATED_SECONDS && other.value === cue.value && other.previous === cue.previous,
    );
    const rows = (game.state.rows ?? []).filter((other) => other.t >= cue.t && other.t <= cue.t + RELATED_SECONDS);
    const shows = (value) =>
      ROWS.some((name) => readElement(name, game) === value) || rows.some((other) => other.previous === value);
    if (row === undefined && shows(cue.value) && shows(cue.previous)) return;
    if (isTableHidden(game) && !isUseOrPickUp(cue, game)) return;
    if (belongsToNewLife(cue.t, game)) return;
    const steps = findSteps(cue, game);
    for (const step of steps.slice(0, -1)) emitAmmunition(step, step.t, [step], game);
    const last = steps.at(-1) ?? row;
    emitAmmunition(steps.at(-1) ?? cue, cue.t, last === undefined ? [cue] : [cue, last], game);
  });
}

/** Whether the small table is hidden, for example by a webcam overlay. */
function isTableHidden(game) {
  const isSeen = (game.state.rows ?? []).some((row) => game.t - row.t < ROW_MEMORY_SECONDS);
  return !isSeen && ROWS.every((name) => readElement(name, game) === undefined);
}

/** Maximum rounds that are fired singly between two samples. */
const MAX_ROUNDS_PER_SAMPLE = 5;

/** Rounds of one shot of the BFG. */
const MAX_ROUNDS_PER_SHOT = 40;

/** Without the table, distinguishes use and pick-ups from a switch of weapons by the size of the change. */
function isUseOrPickUp({ t, previous, value }, game) {
  const { message, weapons = [] } = game.state;
  if (value < previous) return previous - value <= MAX_ROUNDS_PER_SAMPLE || previous - value === MAX_ROUNDS_PER_SHOT;
  const [, figure, most] = GAINS.find(([words]) => words.test(message?.value ?? '')) ?? [];
  if (!ROWS.includes(figure) || t - message.t > MESSAGE_SECONDS || value - previous > most) return false;
  // The first weapon of a kind is raised at once and changes the number.
  const object = PICK_UPS[message.value];
  return !WEAPONS.includes(object) || weapons.filter((one) => one.object === object).length > 1;
}

function emitAmmunition({ previous, value }, t, cues, game) {
  emitUnlessNewGame({ subject: 'player', property: 'ammunition', from: previous, to: value }, t, cues, game);
}

/** Seconds for which changes of a row are remembered. */
const ROW_MEMORY_SECONDS = 2.5;

/** The changes of a row that lead from the old to the new value: the large number may be read later than the row. */
function findSteps(cue, { state }) {
  for (const name of ROWS) {
    const own = (state.rows ?? []).filter((other) => elementOf(other) === name && cue.t - other.t < ROW_MEMORY_SECONDS);
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
  game.state.rows = [...(game.state.rows ?? []).filter((other) => cue.t - other.t < ROW_MEMORY_SECONDS), cue];
}
