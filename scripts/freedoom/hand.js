// The weapon in hand.
import { isMissing } from './belongings.js';
import { ROWS, elementOf, shown } from './screen.js';

/** Seconds for which a figure must stand beside another row than before to tell of another weapon. */
const IN_HAND = 0.3;

/**
 * The weapon in hand shows in the big figure: it is that of one row, or there is none. Where two rows show the same, and
 * where two weapons fire the same, it says no more than is sure. Shots in the meantime change figure and row alike.
 */
export function onHand(cue, game) {
  const { state } = game;
  if (elementOf(cue) === 'ammunition') state.figure = cue;
  const row = rowInHand(game);
  if (row === undefined || row === state.hand?.row) return;
  game.cancel(state.handTimer);
  state.hand = row === state.row || state.figure === undefined ? undefined : { row, since: state.figure };
  if (state.hand !== undefined) state.handTimer = game.after(IN_HAND, settleHand);
}

/** Seconds after which it is looked again where figure and row do not fit each other yet. */
const AGAIN = 0.1;

function settleHand(game) {
  const { state } = game;
  const row = rowInHand(game);
  if (row === undefined) {
    if (game.t - state.hand.since.t < 1) state.handTimer = game.after(AGAIN, settleHand);
    else state.hand = undefined;
    return;
  }
  const { since } = state.hand;
  state.hand = undefined;
  if (row === state.row || state.dead || state.between) return;
  tellHand(game);
  const before = state.weapon;
  state.row = row;
  state.weapon = weaponOf(row, since.t, game);
  if (before === undefined || before === state.weapon) return;
  state.raised = { before, since };
  game.after(LATE, () => state.raised?.since === since && tellHand(game));
}

/** Seconds in which a number under ARMS may still tell which weapon was raised: it turns before, but may be read late. */
const LATE = 1.5;

export function tellHand(game) {
  const { raised, weapon } = game.state;
  if (raised === undefined) return;
  game.state.raised = undefined;
  game.emit(
    { subject: 'player', property: 'weapon', from: { word: raised.before }, to: { word: weapon } },
    { t: raised.since.t, cues: [raised.since] },
  );
}

/** The one row that shows what the big figure does, `none` where there is no big figure; undefined where that is open. */
function rowInHand(game) {
  if (shown('bullets', game) === undefined) return undefined;
  const figure = shown('ammunition', game);
  if (figure === undefined) return 'none';
  const rows = ROWS.filter((name) => shown(name, game) === figure);
  return rows.length === 1 ? rows[0] : undefined;
}

/** Seconds between a weapon's message and its being raised, at most: the one in hand fires to the end (a double-barrelled shotgun 1.6 s) and is put away. */
const RAISED = 2.3;

function weaponOf(row, t, game) {
  const obtained = (game.state.weapons ?? []).findLast((weapon) => Math.abs(weapon.t - t) <= RAISED)?.object;
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
