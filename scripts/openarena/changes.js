// Changes of the player's numbers, emitted once nothing else explains them.
import { wasFollowedSwitched } from './followed.js';
import { MISREAD_SECONDS, MAX_ROUNDS_PER_SAMPLE, RELATED_SECONDS } from './timing.js';

export function emitChange(property, cue, game, options = {}) {
  const statement = { subject: 'player', property, from: cue.previous, to: cue.value };
  const figures = (game.state.figures ??= []);
  figures.push({ t: cue.t, property, from: cue.previous, to: cue.value, sure: isCertain(cue) });
  while (figures[0].t < cue.t - MATCH_BEGIN_KNOWN_SECONDS - 1) figures.shift();
  emitUnlessMatchBegan(statement, { t: cue.t, cues: [cue], ...options }, game);
}

/** Seconds after which it is known whether a match began. */
const MATCH_BEGIN_KNOWN_SECONDS = 3;

/** Seconds from the begin of a match to its first weapon. */
const FIRST_WEAPON_SECONDS = 1;

/** Emits a change after a delay, unless a match began, which resets all values. */
export function emitUnlessMatchBegan(statement, options, game) {
  const pending = (game.state.pending ??= []);
  pending.push({ statement, options });
  game.after(MATCH_BEGIN_KNOWN_SECONDS, () => emitPending(game, game.setAt));
}

export function emitPending(game, until) {
  const { pending = [], begins = [] } = game.state;
  for (const { statement, options } of pending.filter((one) => one.options.t <= until)) {
    const after = statement.property === 'weapon' ? FIRST_WEAPON_SECONDS : RELATED_SECONDS;
    const began = begins.some((t) => t - options.t <= RELATED_SECONDS && options.t - t <= after);
    if (!began && !wasFollowedSwitched(options.t, game, statement.property) && !wasMisread(statement, options.t, game))
      game.emit(statement, options);
  }
  game.state.pending = pending.filter((one) => one.options.t > until);
}

/** Confidence from which a small change that lasts for one sample is real: a shot followed by picking up a round. */
const CERTAIN_CONFIDENCE = 0.995;

export const isCertain = ({ confidence, previous, value }) =>
  confidence >= CERTAIN_CONFIDENCE && Math.abs(value - previous) <= MAX_ROUNDS_PER_SAMPLE;

/** Whether a change and its immediate reversal include an uncertain reading. */
function wasMisread({ property, from, to }, t, game) {
  const { figures = [] } = game.state;
  const own = figures.find((one) => one.property === property && one.t === t);
  return figures.some(
    (other) =>
      other.property === property &&
      other.from === to &&
      other.to === from &&
      Math.abs(other.t - t) <= MISREAD_SECONDS &&
      !(own?.sure && other.sure),
  );
}
