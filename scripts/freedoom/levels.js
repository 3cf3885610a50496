// Where a level begins and ends: the tally, the screens between, the status bar that comes and goes.
import { KEYS_SHOWN } from './belongings.js';
import { tellHand } from './hand.js';
import { ROWS, shown } from './screen.js';

/** The tally after a level, and the screen that names the next. */
export const SCREENS = ['tally', 'entering'];

/** Seconds within which a level's name is read off the screen that says that it is finished. */
const NAMED = 1;

/** Seconds within which the heading is read that tells whether a name is of the next level. */
const HEADED = 0.2;

/** Where ports say in the middle of the screen that a secret is revealed: dsda-doom, and Crispy Doom a little lower. */
export const SECRETS = ['secret', 'secret below'];

export function onSecret(cue, game) {
  if (cue.trigger === 'found') game.emit({ subject: 'player', action: 'find', object: 'secret' });
}

/** What the tally counts up to, in percent. */
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
    game.after(NAMED, () => {
      const { finished } = game.state;
      const cues = [cue, finished].filter(Boolean);
      const object = finished?.value ?? 'level';
      game.emit({ subject: 'player', action: 'complete', object }, { t: cue.t, cues });
    });
  }
  game.state.between = true;
  game.state.level = undefined;
}

/** Which level the screen between levels names: the one that was finished, or the next. */
export function onLevelName(cue, game) {
  if (cue.trigger === 'lost') return;
  game.after(HEADED, () => {
    if (game.reading('entering') === undefined) game.state.finished = cue;
    else game.state.level = cue.value;
  });
}

/** What shows that there is a HUD: two places of the status bar, far from each other, or what stands beside the health without it. */
export const BAR = ['status bar', 'left of the bar', 'bare percent', 'text label'];

/** Seconds in which the old screen runs down over the status bar. */
const WIPE = 0.6;

/**
 * A level begins where the whole status bar comes first, after the tally, or after death; it can also be hidden for a while.
 * What is there from the first picture on says nothing about when its level began.
 */
export function onStatusBar(cue, game) {
  const { state } = game;
  if (cue.trigger === 'lost') {
    if (!BAR.some((name) => game.reading(name) !== undefined)) onBarGone(cue, game);
    return;
  }
  if (cue.trigger !== 'found') return;
  if (state.away?.to === undefined || cue.t - state.away.to <= WIPE) state.away = { ...state.away, to: cue.t };
  if (state.coming !== undefined) {
    state.coming.push(cue);
    return;
  }
  state.coming = [cue];
  // The new life's figures may be seen before the whole bar is.
  const lives = state.dead || cue.t - state.respawned <= WIPE;
  const begins = (state.played !== true && cue.first !== true) || state.between || lives;
  state.played = true;
  state.between = false;
  state.dead = false;
  game.after(WIPE, () => {
    const cues = state.coming;
    state.coming = undefined;
    const t = Math.max(...cues.map((one) => one.t));
    state.away.renewed = isRenewed(state.away, game);
    if (state.away.renewed) tellHand(game);
    // Neither a tally nor a death before it: another game, in a level that nothing names.
    if (state.away.renewed && !begins) state.level = undefined;
    if (state.away.renewed) Object.assign(state, { row: undefined, weapon: undefined, hand: undefined });
    if (begins || state.away.renewed) state.held = KEYS_SHOWN.map((name) => game.reading(name)).filter(Boolean);
    if (begins || (state.away.renewed && isWiped(state.away)))
      game.emit({ subject: state.level ?? 'level', action: 'begin' }, { t, cues });
  });
}

/** Figures by which it is told whether what comes after the bar was away is what was there before. */
const FIGURES = ['health', 'armor', ...ROWS];

/** Seconds for which the bar is away at least where the old screen runs down. */
const RUNS_DOWN = 0.4;

/** And at most; what is away for longer was covered by another picture, under which the game went on. */
const ANOTHER_PICTURE = 2.5;

function isWiped({ from, to }) {
  return to - from <= ANOTHER_PICTURE;
}

function onBarGone(cue, game) {
  game.state.away = { from: cue.t, figures: FIGURES.map((name) => game.state.figures?.[name]) };
}

/** Without a tally: a game was loaded, or the player went to another level by a word. A help screen leaves the figures as they were. */
function isRenewed({ from, to, figures }, game) {
  return figures !== undefined && to - from >= RUNS_DOWN && FIGURES.some((name, i) => shown(name, game) !== figures[i]);
}
