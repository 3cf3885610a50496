// Weapons and their ammunition: which changes of the figure are shots, and which another weapon's.
import { changes, isSure, unlessNew } from './changes.js';
import { BLINK, BURST, TOGETHER } from './moments.js';

/** Seconds by which the icon of another weapon may be seen later, and earlier, than its figure. */
const ICON_LATE = 0.2;

const ICON_EARLY = 0.15;

/** Seconds of a life without a figure of ammunition after which the gauntlet is in hand. */
const BARE_HANDS = 1;

/** Seconds between the ends of two figures that vanish with a life. */
const WITH_LIFE = 0.15;

const STORM = 15;

/** Whether the icon of one and the same weapon stands since well before t. */
function inHand(t, game) {
  return game.state.armed < t - TOGETHER && !(game.state.switches ?? []).some((one) => Math.abs(one.t - t) <= TOGETHER);
}

/**
 * Another weapon brings its own figure: of the changes of the figure about a switch the greatest is the switch's, the
 * others are shots before or after it. A figure that comes or goes belongs to a switch before any that changes.
 */
export function onAmmunition(cue, game) {
  const steps = (game.state.steps ??= []);
  const isChange = cue.trigger === 'changed';
  game.state.figure = cue.trigger !== 'lost';
  if (cue.trigger === 'lost') game.state.bare = cue.t;
  // The figures of a life that was lived without this one: the gauntlet is in hand.
  if (cue.trigger === 'found' && game.state.drawn === undefined && cue.t - game.state.born > BARE_HANDS)
    game.state.weapon ??= 'gauntlet';
  if (cue.trigger === 'found') game.state.drawn = [...(game.state.drawn ?? []), cue.t].slice(-8);
  const step = {
    t: cue.t,
    size: isChange ? Math.abs(cue.value - cue.previous) : 1e9,
    gone: cue.trigger === 'lost',
    from: cue.previous,
    to: cue.value,
    sure: isSure(cue),
  };
  steps.push(step);
  while (steps[0].t < cue.t - 3) steps.shift();
  if (!isChange || cue.previous - cue.value > STORM) return;
  game.after(ICON_LATE + TOGETHER, () => {
    const isSwitch = (one) =>
      (game.state.switches ?? []).some(
        ({ t, gone }) => !(gone && died(t, game)) && isAbout(one, t) && greatestAbout(t, steps, game) === one,
      );
    const isMuch = cue.previous - cue.value > BURST && !inHand(cue.t, game);
    if (!isMuch && !isSwitch(step) && !isUndone(step, steps, isSwitch)) changes('ammunition', cue, game);
  });
}

/** Whether a step is one half of such a blink; a switch of weapons is none. */
function isUndone(step, steps, isSwitch) {
  return steps.some(
    (other) =>
      !isSwitch(other) &&
      !(step.sure && other.sure) &&
      other.from === step.to &&
      other.to === step.from &&
      Math.abs(other.t - step.t) <= BLINK &&
      step.size < 1e9,
  );
}

/** Whether what vanished at t went with the player's life. */
function died(t, game) {
  return game.state.alive === false && Math.abs(game.state.gone - t) <= WITH_LIFE;
}

/** The greatest change of the figure that can be due to a switch at t, of equals the last; a figure that goes with the life is none. */
function greatestAbout(t, steps, game) {
  const about = steps.filter((step) => isAbout(step, t) && !(step.gone && died(step.t, game)));
  return about.reduce((best, step) => (step.size >= (best?.size ?? 0) ? step : best), undefined);
}

/** Whether a change of the figure can be due to the switch of weapons whose icon was seen at t. */
function isAbout(step, t) {
  return step.t >= t - ICON_LATE && step.t <= t + ICON_EARLY;
}

/** The gauntlet has no ammunition, so no icon; what looks like one where no figure stands is scenery. */
export function onWeapon(cue, game) {
  const switches = (game.state.switches ??= []);
  switches.push({ t: cue.t, gone: cue.trigger === 'lost' });
  while (switches[0].t < cue.t - 3) switches.shift();
  const armed = game.state.armed;
  game.state.armed = cue.trigger === 'lost' ? undefined : cue.t;
  game.after(TOGETHER, () => {
    const weapon = cue.trigger === 'lost' ? 'gauntlet' : cue.value;
    const before = game.state.weapon;
    // What a life begins with is no switch; what is taken after that, however soon, is one.
    const { born = 0 } = game.state;
    const isFirst = Math.abs(born - cue.t) <= TOGETHER && !(armed >= born && armed < cue.t);
    // An icon that was seen is a switch even just before death; one that vanished with the player is none.
    if (cue.trigger === 'lost' && game.state.alive === false) return;
    const figure = game.state.figure !== false || game.state.bare > cue.t;
    if (cue.trigger !== 'lost' && !figure && game.state.alive) return;
    game.state.weapon = weapon;
    if (before === undefined || before === weapon || isFirst) return;
    const statement = { subject: 'player', property: 'weapon', from: { word: before }, to: { word: weapon } };
    unlessNew(statement, { t: cue.t, cues: [cue] }, game);
  });
}
