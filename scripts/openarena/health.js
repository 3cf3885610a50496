// Health and armor, lives and deaths.
import { emitChange } from './changes.js';
import { wasFollowedSwitched } from './followed.js';
import { RELATED_SECONDS } from './timing.js';

/** The HUD shows no numbers while the player is dead; the next ones belong to a new life. */
export function onHealth(cue, game) {
  if (cue.trigger === 'changed') emitChange('health', cue, game);
  if (cue.trigger === 'lost') {
    game.state.alive = false;
    game.state.figuresLost = cue.t;
  }
  const before = game.state.health;
  game.state.health = cue.trigger === 'lost' ? before : cue.value;
  if (cue.trigger !== 'found') return;
  game.state.alive = true;
  game.state.lifeBegan = cue.t;
  // Numbers that reappear after a menu or the final scoreboard are no new life. Evidence is a death in the feed, or scores
  // without numbers followed by full health.
  const since = Math.max(
    game.state.figuresLost ?? 0,
    Math.min(game.since('first score') ?? cue.t, game.since('own score') ?? cue.t),
  );
  const bare = cue.t - since;
  game.after(LINES_READ_SECONDS, () => {
    const { deaths = [], lived = -1, drawn = [] } = game.state;
    game.state.lived = cue.t;
    const atOnce = drawn.includes(cue.t);
    const whole = cue.value >= INITIAL_HEALTH && !(cue.value <= before);
    if (wasFollowedSwitched(cue.t, game)) return;
    if (
      (whole && bare > (atOnce ? DEAD_SECONDS_IF_SIMULTANEOUS : DEAD_SECONDS)) ||
      deaths.some((t) => t > lived && t <= cue.t)
    )
      game.emit({ subject: 'player', action: 'respawn' }, { t: cue.t, cues: [cue] });
  });
}

/** Minimum seconds of scores without numbers at a death; less if all numbers reappear at once, which excludes smoke. */
const DEAD_SECONDS = 0.5;

const DEAD_SECONDS_IF_SIMULTANEOUS = 0.3;

/** Minimum health at the begin of a life. */
const INITIAL_HEALTH = 100;

/** Seconds after which the feed lines before a new life have been read. */
const LINES_READ_SECONDS = 2.5;

/** Whether a life began or ended near t. */
function isLifeBoundary(t, game) {
  return game.state.alive === false || Math.abs((game.state.lifeBegan ?? 0) - t) <= RELATED_SECONDS;
}

/** Armor of 0 is not drawn: a number that appears rose from 0, one that disappears fell to 0, unless a life began or ended. */
export function onArmor(cue, game) {
  if (cue.trigger === 'changed') emitChange('armor', cue, game);
  else
    game.after(RELATED_SECONDS, () => {
      if (!isLifeBoundary(cue.t, game)) emitChange('armor', { previous: 0, value: 0, ...cue }, game, { cues: [cue] });
    });
}
