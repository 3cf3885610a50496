// Health and armor, lives and deaths.
import { changes } from './changes.js';
import { turned } from './followed.js';
import { TOGETHER } from './moments.js';

/** While the player is dead no figures are shown: what stands there afterwards belongs to a new life. */
export function onHealth(cue, game) {
  if (cue.trigger === 'changed') changes('health', cue, game);
  if (cue.trigger === 'lost') {
    game.state.alive = false;
    game.state.gone = cue.t;
  }
  const before = game.state.health;
  game.state.health = cue.trigger === 'lost' ? before : cue.value;
  if (cue.trigger !== 'found') return;
  game.state.alive = true;
  game.state.born = cue.t;
  // Figures that come back after a menu or the table at a match's end are no new life: somebody must have died, or the
  // scores have stood without the figures, as they do behind the table of scores, too: then a life must be whole.
  const since = Math.max(
    game.state.gone ?? 0,
    Math.min(game.since('first score') ?? cue.t, game.since('own score') ?? cue.t),
  );
  const bare = cue.t - since;
  game.after(KNOWN, () => {
    const { deaths = [], lived = -1, drawn = [] } = game.state;
    game.state.lived = cue.t;
    const atOnce = drawn.includes(cue.t);
    const whole = cue.value >= WHOLE && !(cue.value <= before);
    if (turned(cue.t, game)) return;
    if ((whole && bare > (atOnce ? BARE_AT_ONCE : BARE)) || deaths.some((t) => t > lived && t <= cue.t))
      game.emit({ subject: 'player', action: 'respawn' }, { t: cue.t, cues: [cue] });
  });
}

/** Seconds for which scores stand without figures where a player is dead; fewer where all the figures come at once, which no smoke does. */
const BARE = 0.5;

const BARE_AT_ONCE = 0.3;

/** The least health with which a life begins. */
const WHOLE = 100;

/** Seconds after which lines before a new life are understood. */
const KNOWN = 2.5;

/** Whether a life began or ended within a moment of t. */
function bornOrDead(t, game) {
  return game.state.alive === false || Math.abs((game.state.born ?? 0) - t) <= TOGETHER;
}

/** No armor is not drawn at all: a figure found rose from 0, one lost fell to 0, unless a life began or ended. */
export function onArmor(cue, game) {
  if (cue.trigger === 'changed') changes('armor', cue, game);
  else
    game.after(TOGETHER, () => {
      if (!bornOrDead(cue.t, game)) changes('armor', { previous: 0, value: 0, ...cue }, game, { cues: [cue] });
    });
}
