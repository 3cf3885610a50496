// Health, armor and frags; lives and deaths.
import { ARMS } from './inventory.js';
import { WIPE_OVERLAP_SECONDS, MISREAD_SECONDS, emitUnlessNewGame } from './changes.js';
import { emitWeaponChange } from './weapon-in-hand.js';
import { elementOf } from './screen.js';

export function onChange(cue, game) {
  // The initial values of the next level are no changes.
  if (cue.trigger !== 'changed' || game.state.between || belongsToNewLife(cue.t, game)) return;
  const statement = { subject: 'player', property: elementOf(cue), from: cue.previous, to: cue.value };
  emitUnlessNewGame(statement, cue.t, [cue], game);
}

/** In a deathmatch frags replace the numbers under ARMS. */
export function onFrags(cue, game) {
  if (cue.trigger !== 'changed' || ARMS.some((name) => game.reading(name) !== undefined)) return;
  emitUnlessNewGame({ subject: 'player', property: 'score', from: cue.previous, to: cue.value }, cue.t, [cue], game);
}

/** Whether a change at t belongs to a new life, whose numbers the melting old picture may cover for a while. */
export function belongsToNewLife(t, { state }) {
  // Changes at death itself belong to the old life.
  return (
    (t - state.respawned < WIPE_OVERLAP_SECONDS && t > state.died) ||
    (state.dead && t > state.died + WIPE_OVERLAP_SECONDS)
  );
}

export function onHealth(cue, game) {
  if (cue.trigger === 'changed' && cue.previous === 0) {
    if (wasDeathMisread(cue, game)) return;
    game.state.weapons = [];
    game.state.held = [];
    // In a deathmatch a life begins without a screen wipe; its first weapon is no switch.
    game.cancel(game.state.handTimer);
    emitWeaponChange(game);
    Object.assign(game.state, { dead: false, row: undefined, weapon: undefined, hand: undefined });
    game.emit({ subject: 'player', action: 'respawn' });
    game.state.respawned = cue.t;
    // Changes since death are the initial values of the new life.
    const begun = ({ t, statement }) => statement.property !== 'score' && t > game.state.died + WIPE_OVERLAP_SECONDS;
    game.state.pending = (game.state.pending ?? []).filter((one) => !begun(one));
    return;
  }
  onChange(cue, game);
  if (cue.trigger !== 'lost' && cue.value === 0) Object.assign(game.state, { dead: true, died: cue.t });
  if (cue.trigger !== 'lost' && cue.value === 0) {
    game.state.dying = { cue, timer: game.after(MISREAD_SECONDS, () => emitDeath(game)) };
  }
}

export function emitDeath(game) {
  const { dying } = game.state;
  game.state.dying = undefined;
  if (dying) game.emit({ subject: 'player', action: 'die' }, { t: dying.cue.t, cues: [dying.cue] });
}

/** Whether health 0 was a misreading of the last digit, for a sample or two. */
function wasDeathMisread(cue, game) {
  const { dying, pending = [] } = game.state;
  // After an immediate respawn, as in a deathmatch, the health differs.
  if (!dying || cue.t - dying.cue.t > MISREAD_SECONDS || cue.value !== dying.cue.previous) return false;
  game.cancel(dying.timer);
  const since = ({ t, statement }) => statement.property === 'health' && t >= dying.cue.t;
  Object.assign(game.state, { dying: undefined, dead: false, pending: pending.filter((one) => !since(one)) });
  return true;
}
