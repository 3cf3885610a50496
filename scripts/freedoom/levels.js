// Begin and end of levels: the tally, the screens between levels, and the status bar.
import { KEYS_SHOWN } from './inventory.js';
import { emitWeaponChange } from './weapon-in-hand.js';
import { ROWS, readElement } from './screen.js';

/** Detectors of the tally after a level and of the screen that names the next level. */
export const SCREENS = ['tally', 'entering'];

/** Maximum seconds until the level's name is read on the tally. */
const LEVEL_NAME_SECONDS = 1;

/** Maximum seconds until the heading is read that tells finished from next level. */
const HEADING_SECONDS = 0.2;

/** Detectors of the secret message in the centre of the screen: dsda-doom, and slightly lower Crispy Doom. */
export const SECRETS = ['secret', 'secret below'];

export function onSecret(cue, game) {
  if (cue.trigger === 'found') game.emit({ subject: 'player', action: 'find', object: 'secret' });
}

/** Properties of the percentages on the tally. */
export const PERCENT = {
  'tally kills': 'freedoom:kill percentage',
  'tally items': 'freedoom:item percentage',
  'tally secrets': 'freedoom:secret percentage',
};

export function onPercent(cue, game) {
  if (cue.trigger !== 'lost') game.emit({ subject: 'player', property: PERCENT[cue.detector], to: cue.value });
}

export function onScreen(cue, game) {
  if (cue.trigger === 'lost') return;
  if (cue.detector === 'tally' && cue.trigger === 'found') {
    game.state.finished = undefined;
    game.after(LEVEL_NAME_SECONDS, () => {
      const { finished } = game.state;
      const cues = [cue, finished].filter(Boolean);
      const object = finished?.value ?? 'level';
      game.emit({ subject: 'player', action: 'complete', object }, { t: cue.t, cues });
    });
  }
  game.state.between = true;
  game.state.level = undefined;
}

/** Handles the level name on a screen between levels: the finished or the next level. */
export function onLevelName(cue, game) {
  if (cue.trigger === 'lost') return;
  game.after(HEADING_SECONDS, () => {
    if (game.reading('entering') === undefined) game.state.finished = cue;
    else game.state.level = cue.value;
  });
}

/** Detectors of the HUD: two distant parts of the status bar, or the marks next to the health in layouts without it. */
export const BAR = ['status bar', 'left of the bar', 'bare percent', 'text label'];

/** Maximum seconds between the parts of the status bar during a screen wipe. */
const WIPE_SECONDS = 0.6;

/**
 * A level begins when the whole status bar first appears, after the tally, or after death; otherwise the bar was only hidden. A bar in the
 * first picture does not tell when its level began.
 */
export function onStatusBar(cue, game) {
  const { state } = game;
  if (cue.trigger === 'lost') {
    if (!BAR.some((name) => game.reading(name) !== undefined)) onBarLost(cue, game);
    return;
  }
  if (cue.trigger !== 'found') return;
  if (state.away?.to === undefined || cue.t - state.away.to <= WIPE_SECONDS) state.away = { ...state.away, to: cue.t };
  if (state.coming !== undefined) {
    state.coming.push(cue);
    return;
  }
  state.coming = [cue];
  // Numbers of the new life may be read before the whole bar.
  const lives = state.dead || cue.t - state.respawned <= WIPE_SECONDS;
  const begins = (state.played !== true && cue.first !== true) || state.between || lives;
  state.played = true;
  state.between = false;
  state.dead = false;
  game.after(WIPE_SECONDS, () => {
    const cues = state.coming;
    state.coming = undefined;
    const t = Math.max(...cues.map((one) => one.t));
    state.away.renewed = isNewGame(state.away, game);
    if (state.away.renewed) emitWeaponChange(game);
    // Without tally or death it is another game in an unknown level.
    if (state.away.renewed && !begins) state.level = undefined;
    if (state.away.renewed) Object.assign(state, { row: undefined, weapon: undefined, hand: undefined });
    if (begins || state.away.renewed) state.held = KEYS_SHOWN.map((name) => game.reading(name)).filter(Boolean);
    if (begins || (state.away.renewed && isWiped(state.away)))
      game.emit({ subject: state.level ?? 'level', action: 'begin' }, { t, cues });
  });
}

/** Numbers that are compared before and after the bar was hidden. */
const FIGURES = ['health', 'armor', ...ROWS];

/** Minimum duration of a screen wipe. */
const MIN_WIPE_SECONDS = 0.4;

/** Maximum duration of a screen wipe; a bar hidden for longer was covered while the game went on. */
const MAX_WIPE_SECONDS = 2.5;

function isWiped({ from, to }) {
  return to - from <= MAX_WIPE_SECONDS;
}

function onBarLost(cue, game) {
  game.state.away = { from: cue.t, figures: FIGURES.map((name) => game.state.figures?.[name]) };
}

/** Whether a game was loaded or a cheat changed the level: the numbers differ, which a help screen leaves unchanged. */
function isNewGame({ from, to, figures }, game) {
  return (
    figures !== undefined &&
    to - from >= MIN_WIPE_SECONDS &&
    FIGURES.some((name, i) => readElement(name, game) !== figures[i])
  );
}
