// The weapon in hand, inferred from the ammunition numbers.
import { isMissing } from './inventory.js';
import { ROWS, elementOf, readElement } from './screen.js';

/** Seconds for which the number must match another row before the weapon has changed. */
const WEAPON_STEADY_SECONDS = 0.3;

/**
 * Infers the weapon from the row of the table that equals the large number, or from its absence. If two rows are equal or two weapons
 * share ammunition, only what is certain is emitted. Shots change number and row alike.
 */
export function onWeaponInHand(cue, game) {
  const { state } = game;
  if (elementOf(cue) === 'ammunition') state.figure = cue;
  const row = rowOfWeapon(game);
  if (row === undefined || row === state.hand?.row) return;
  game.cancel(state.handTimer);
  state.hand = row === state.row || state.figure === undefined ? undefined : { row, since: state.figure };
  if (state.hand !== undefined) state.handTimer = game.after(WEAPON_STEADY_SECONDS, settleWeapon);
}

/** Interval of retries while number and rows do not match. */
const RETRY_SECONDS = 0.1;

function settleWeapon(game) {
  const { state } = game;
  const row = rowOfWeapon(game);
  if (row === undefined) {
    if (game.t - state.hand.since.t < 1) state.handTimer = game.after(RETRY_SECONDS, settleWeapon);
    else state.hand = undefined;
    return;
  }
  const { since } = state.hand;
  state.hand = undefined;
  if (row === state.row || state.dead || state.between) return;
  emitWeaponChange(game);
  const before = state.weapon;
  state.row = row;
  state.weapon = weaponOf(row, since.t, game);
  if (before === undefined || before === state.weapon) return;
  state.raised = { before, since };
  game.after(ARMS_LATE_SECONDS, () => state.raised?.since === since && emitWeaponChange(game));
}

/** Seconds within which a late reading of ARMS may still identify the raised weapon. */
const ARMS_LATE_SECONDS = 1.5;

export function emitWeaponChange(game) {
  const { raised, weapon } = game.state;
  if (raised === undefined) return;
  game.state.raised = undefined;
  game.emit(
    { subject: 'player', property: 'weapon', from: { word: raised.before }, to: { word: weapon } },
    { t: raised.since.t, cues: [raised.since] },
  );
}

/** The only row equal to the large number, `none` without a large number; undefined if ambiguous. */
function rowOfWeapon(game) {
  if (readElement('bullets', game) === undefined) return undefined;
  const figure = readElement('ammunition', game);
  if (figure === undefined) return 'none';
  const rows = ROWS.filter((name) => readElement(name, game) === figure);
  return rows.length === 1 ? rows[0] : undefined;
}

/** Maximum seconds from a weapon's message until it is raised: the previous weapon first completes its shot (up to 1.6 s) and is lowered. */
const RAISE_SECONDS = 2.3;

function weaponOf(row, t, game) {
  const obtained = (game.state.weapons ?? []).findLast((weapon) => Math.abs(weapon.t - t) <= RAISE_SECONDS)?.object;
  switch (row) {
    case 'bullets':
      if (obtained === 'chaingun') return 'chaingun';
      return isMissing('4', game) ? 'pistol' : 'gun';
    case 'shells':
      return 'shotgun';
    case 'rockets':
      return 'rocket launcher';
    case 'cells':
      if (obtained === 'freedoom:BFG' || obtained === 'plasma gun') return obtained;
      return isMissing('7', game) ? 'plasma gun' : 'energy gun';
    default:
      return obtained === 'chainsaw' ? 'chainsaw' : 'melee weapon';
  }
}
