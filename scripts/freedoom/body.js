// Health, armor and frags, lives and deaths.
import { ARMS } from './belongings.js';
import { MELTING, MISREAD, unlessRenewed } from './changes.js';
import { tellHand } from './hand.js';
import { elementOf } from './screen.js';

export function onChange(cue, game) {
  // What the next level begins with did not change before anyone's eyes.
  if (cue.trigger !== 'changed' || game.state.between || isOfNewLife(cue.t, game)) return;
  const statement = { subject: 'player', property: elementOf(cue), from: cue.previous, to: cue.value };
  unlessRenewed(statement, cue.t, [cue], game);
}

/** In a deathmatch frags stand in the place of the numbers under ARMS. */
export function onFrags(cue, game) {
  if (cue.trigger !== 'changed' || ARMS.some((name) => game.reading(name) !== undefined)) return;
  unlessRenewed({ subject: 'player', property: 'score', from: cue.previous, to: cue.value }, cue.t, [cue], game);
}

/** The old picture runs down over the new one, so figures of a new life may show in part, or late. */
export function isOfNewLife(t, { state }) {
  // What changed with death itself was still of the old one.
  return (t - state.respawned < MELTING && t > state.died) || (state.dead && t > state.died + MELTING);
}

export function onHealth(cue, game) {
  if (cue.trigger === 'changed' && cue.previous === 0) {
    if (isAliveAfterAll(cue, game)) return;
    game.state.weapons = [];
    game.state.held = [];
    // In a deathmatch a new life begins without a new picture; what it begins with is no switch.
    game.cancel(game.state.handTimer);
    tellHand(game);
    Object.assign(game.state, { dead: false, row: undefined, weapon: undefined, hand: undefined });
    game.emit({ subject: 'player', action: 'respawn' });
    game.state.respawned = cue.t;
    // Who is dead neither fires nor loses armor: what changed since is what the new life begins with.
    const begun = ({ t, statement }) => statement.property !== 'score' && t > game.state.died + MELTING;
    game.state.waiting = (game.state.waiting ?? []).filter((one) => !begun(one));
    return;
  }
  onChange(cue, game);
  if (cue.trigger !== 'lost' && cue.value === 0) Object.assign(game.state, { dead: true, died: cue.t });
  if (cue.trigger !== 'lost' && cue.value === 0) {
    game.state.dying = { cue, timer: game.after(MISREAD, () => tellDeath(game)) };
  }
}

export function tellDeath(game) {
  const { dying } = game.state;
  game.state.dying = undefined;
  if (dying) game.emit({ subject: 'player', action: 'die' }, { t: dying.cue.t, cues: [dying.cue] });
}

/** A figure of which for a sample or two no more than its last nought was read is no death. */
function isAliveAfterAll(cue, game) {
  const { dying, waiting = [] } = game.state;
  // Who begins anew at once, as in a deathmatch, has another health than before.
  if (!dying || cue.t - dying.cue.t > MISREAD || cue.value !== dying.cue.previous) return false;
  game.cancel(dying.timer);
  const since = ({ t, statement }) => statement.property === 'health' && t >= dying.cue.t;
  Object.assign(game.state, { dying: undefined, dead: false, waiting: waiting.filter((one) => !since(one)) });
  return true;
}
