// Changes of the player's figures, told once it is known that nothing else explains them.
import { turned } from './followed.js';
import { BLINK, BURST, TOGETHER } from './moments.js';

export function changes(property, cue, game, options = {}) {
  const statement = { subject: 'player', property, from: cue.previous, to: cue.value };
  const figures = (game.state.figures ??= []);
  figures.push({ t: cue.t, property, from: cue.previous, to: cue.value, sure: isSure(cue) });
  while (figures[0].t < cue.t - SETTLED - 1) figures.shift();
  unlessNew(statement, { t: cue.t, cues: [cue], ...options }, game);
}

/** Seconds after which it is known whether a match began. */
const SETTLED = 3;

/** Seconds after which the first weapon of a match is in hand. */
const ARMED = 1;

/** Says that something of the player's changed, unless a match began: then everything is as at its start. */
export function unlessNew(statement, options, game) {
  const waiting = (game.state.waiting ??= []);
  waiting.push({ statement, options });
  game.after(SETTLED, () => tellSettled(game, game.setAt));
}

export function tellSettled(game, until) {
  const { waiting = [], begins = [] } = game.state;
  for (const { statement, options } of waiting.filter((one) => one.options.t <= until)) {
    const after = statement.property === 'weapon' ? ARMED : TOGETHER;
    const began = begins.some((t) => t - options.t <= TOGETHER && options.t - t <= after);
    if (!began && !turned(options.t, game, statement.property) && !cameBack(statement, options.t, game))
      game.emit(statement, options);
  }
  game.state.waiting = waiting.filter((one) => one.options.t > until);
}

/** The confidence from which a figure that changed by a few and stood for a sample only was read rightly: a shot, and a round picked up at once. */
const SURE = 0.995;

export const isSure = ({ confidence, previous, value }) => confidence >= SURE && Math.abs(value - previous) <= BURST;

/** Whether a change is one half of a figure's becoming another and coming back at once, and one of both is not sure. */
function cameBack({ property, from, to }, t, game) {
  const { figures = [] } = game.state;
  const own = figures.find((one) => one.property === property && one.t === t);
  return figures.some(
    (other) =>
      other.property === property &&
      other.from === to &&
      other.to === from &&
      Math.abs(other.t - t) <= BLINK &&
      !(own?.sure && other.sure),
  );
}
