// Weapons and ammunition: distinguishes shots from the ammunition of another weapon.
import { emitChange, isCertain, emitUnlessMatchBegan } from './changes.js';
import { MISREAD_SECONDS, MAX_ROUNDS_PER_SAMPLE, RELATED_SECONDS } from './timing.js';

/** Maximum seconds by which the icon of another weapon may be read later, or earlier, than its ammunition. */
const ICON_LATE_SECONDS = 0.2;

const ICON_EARLY_SECONDS = 0.15;

/** Seconds of a life without ammunition after which the weapon is the gauntlet. */
const GAUNTLET_SECONDS = 1;

/** Maximum seconds between the disappearance of two numbers at a death. */
const DEATH_SECONDS = 0.15;

/** Larger losses of ammunition are another weapon's number. */
const MAX_AMMUNITION_LOSS = 15;

/** Whether the weapon's icon has been the same since well before t. */
function isWeaponSteady(t, game) {
  return (
    game.state.armed < t - RELATED_SECONDS &&
    !(game.state.switches ?? []).some((one) => Math.abs(one.t - t) <= RELATED_SECONDS)
  );
}

/**
 * Each weapon has its own ammunition: of the changes near a switch the greatest is due to the switch, the others are shots before or
 * after it. A number that appears or disappears takes precedence over one that changes.
 */
export function onAmmunition(cue, game) {
  const steps = (game.state.steps ??= []);
  const isChange = cue.trigger === 'changed';
  game.state.figure = cue.trigger !== 'lost';
  if (cue.trigger === 'lost') game.state.bare = cue.t;
  // No ammunition so far in this life: the weapon was the gauntlet.
  if (cue.trigger === 'found' && game.state.drawn === undefined && cue.t - game.state.lifeBegan > GAUNTLET_SECONDS)
    game.state.weapon ??= 'gauntlet';
  if (cue.trigger === 'found') game.state.drawn = [...(game.state.drawn ?? []), cue.t].slice(-8);
  const step = {
    t: cue.t,
    size: isChange ? Math.abs(cue.value - cue.previous) : 1e9,
    gone: cue.trigger === 'lost',
    from: cue.previous,
    to: cue.value,
    sure: isCertain(cue),
  };
  steps.push(step);
  while (steps[0].t < cue.t - 3) steps.shift();
  if (!isChange || cue.previous - cue.value > MAX_AMMUNITION_LOSS) return;
  game.after(ICON_LATE_SECONDS + RELATED_SECONDS, () => {
    const isSwitch = (one) =>
      (game.state.switches ?? []).some(
        ({ t, gone }) => !(gone && died(t, game)) && isNear(one, t) && greatestNear(t, steps, game) === one,
      );
    const isMuch = cue.previous - cue.value > MAX_ROUNDS_PER_SAMPLE && !isWeaponSteady(cue.t, game);
    if (!isMuch && !isSwitch(step) && !isReverted(step, steps, isSwitch)) emitChange('ammunition', cue, game);
  });
}

/** Whether a change is part of a misreading; a switch of weapons is not. */
function isReverted(step, steps, isSwitch) {
  return steps.some(
    (other) =>
      !isSwitch(other) &&
      !(step.sure && other.sure) &&
      other.from === step.to &&
      other.to === step.from &&
      Math.abs(other.t - step.t) <= MISREAD_SECONDS &&
      step.size < 1e9,
  );
}

/** Whether a disappearance at t is due to the player's death. */
function died(t, game) {
  return game.state.alive === false && Math.abs(game.state.figuresLost - t) <= DEATH_SECONDS;
}

/** The greatest change that can be due to a switch at t, of equal ones the last, except a disappearance at death. */
function greatestNear(t, steps, game) {
  const about = steps.filter((step) => isNear(step, t) && !(step.gone && died(step.t, game)));
  return about.reduce((best, step) => (step.size >= (best?.size ?? 0) ? step : best), undefined);
}

/** Whether a change can be due to the switch whose icon was read at t. */
function isNear(step, t) {
  return step.t >= t - ICON_LATE_SECONDS && step.t <= t + ICON_EARLY_SECONDS;
}

/** The gauntlet has neither ammunition nor icon; an icon without ammunition is background. */
export function onWeapon(cue, game) {
  const switches = (game.state.switches ??= []);
  switches.push({ t: cue.t, gone: cue.trigger === 'lost' });
  while (switches[0].t < cue.t - 3) switches.shift();
  const armed = game.state.armed;
  game.state.armed = cue.trigger === 'lost' ? undefined : cue.t;
  game.after(RELATED_SECONDS, () => {
    const weapon = cue.trigger === 'lost' ? 'gauntlet' : cue.value;
    const before = game.state.weapon;
    // The first weapon of a life is no switch.
    const { lifeBegan = 0 } = game.state;
    const isFirst = Math.abs(lifeBegan - cue.t) <= RELATED_SECONDS && !(armed >= lifeBegan && armed < cue.t);
    // An icon that disappears at death is no switch.
    if (cue.trigger === 'lost' && game.state.alive === false) return;
    const figure = game.state.figure !== false || game.state.bare > cue.t;
    if (cue.trigger !== 'lost' && !figure && game.state.alive) return;
    game.state.weapon = weapon;
    if (before === undefined || before === weapon || isFirst) return;
    const statement = { subject: 'player', property: 'weapon', from: { word: before }, to: { word: weapon } };
    emitUnlessMatchBegan(statement, { t: cue.t, cues: [cue] }, game);
  });
}
