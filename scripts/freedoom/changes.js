// Changes of the player's numbers, emitted once it is known which life and level they belong to.

/** Seconds for which the screen wipe may still cover numbers of a new life. */
export const WIPE_OVERLAP_SECONDS = 0.2;

/** Seconds after which the disappearance of the status bar is known. */
const BAR_LOST_SECONDS = 0.9;

/** Maximum seconds that a change is pending. */
const MAX_PENDING_SECONDS = 6;

/** A number that changes and changes back within this time was misread. */
export const MISREAD_SECONDS = 0.25;

/** Emits a change of a property (`from`, `to`) after a delay, unless another game or level has replaced the one that it belongs to. */
export function emitUnlessNewGame(statement, t, cues, game) {
  const pending = (game.state.pending ??= []);
  const { property, from, to } = statement;
  const before = pending.findLastIndex((one) => one.statement.property === property);
  const { statement: last, t: since } = pending[before] ?? {};
  // Small changes and those of ammunition are often reversed at once in the game.
  const isOdd = property !== 'ammunition' && Math.abs(to - from) > 2;
  if (last?.from === to && last.to === from && t - since <= MISREAD_SECONDS && isOdd) {
    pending.splice(before, 1);
    return;
  }
  pending.push({ statement, t, cues });
  game.after(BAR_LOST_SECONDS, () => emitPending(game, game.setAt));
}

export function emitPending(game, until) {
  const { away = {}, pending = [] } = game.state;
  const isWithin = ({ t }) =>
    t >= away.from - WIPE_OVERLAP_SECONDS && t <= (away.to ?? Infinity) + WIPE_OVERLAP_SECONDS;
  // While the bar is hidden or has just reappeared, it is unknown what the numbers belong to.
  const isOpen = (one) =>
    isWithin(one) && away.renewed === undefined && game.t - one.t < MAX_PENDING_SECONDS && until < Infinity;
  const due = pending.filter((one) => one.t <= until && !isOpen(one));
  game.state.pending = pending.filter((one) => !due.includes(one));
  if (pending.length > due.length && until < Infinity)
    game.after(BAR_LOST_SECONDS, () => emitPending(game, game.setAt));
  // Health 0 belongs to the old life.
  const isOfNew = (one) =>
    isWithin(one) && away.renewed && !(one.statement.property === 'health' && one.statement.to === 0);
  for (const one of due.filter((each) => !isOfNew(each))) game.emit(one.statement, { t: one.t, cues: one.cues });
}
