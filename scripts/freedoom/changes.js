// Changes of the player's figures, told once it is known whose they are.

/** Seconds for which the figures of a new life may still be covered in part. */
export const MELTING = 0.2;

/** Seconds after which it is known that the bar went. */
const GONE = 0.9;

/** Seconds for which a figure's change waits at most. */
const LONGEST = 6;

/** Seconds within which a figure that is what it was before was misread in between: what is lost and found again differs. */
export const MISREAD = 0.25;

/** Says that a figure changed, unless another game or level came into the place of the one that it belongs to. */
export function unlessRenewed(statement, t, cues, game) {
  const waiting = (game.state.waiting ??= []);
  const { property, from, to } = statement;
  const before = waiting.findLastIndex((one) => one.statement.property === property);
  const { statement: last, t: since } = waiting[before] ?? {};
  // A bonus of one and a scratch of one are no rarity, nor are a full pocket's last shell and the next shot.
  const isOdd = property !== 'ammunition' && Math.abs(to - from) > 2;
  if (last?.from === to && last.to === from && t - since <= MISREAD && isOdd) {
    waiting.splice(before, 1);
    return;
  }
  waiting.push({ statement, t, cues });
  game.after(GONE, () => tellSettled(game, game.setAt));
}

export function tellSettled(game, until) {
  const { away = {}, waiting = [] } = game.state;
  const isWithin = ({ t }) => t >= away.from - MELTING && t <= (away.to ?? Infinity) + MELTING;
  // While the bar is away, or has only just come back, it is open what the figures belong to.
  const isOpen = (one) => isWithin(one) && away.renewed === undefined && game.t - one.t < LONGEST && until < Infinity;
  const due = waiting.filter((one) => one.t <= until && !isOpen(one));
  game.state.waiting = waiting.filter((one) => !due.includes(one));
  if (waiting.length > due.length && until < Infinity) game.after(GONE, () => tellSettled(game, game.setAt));
  // No life begins dead: that was still the one before.
  const isOfNew = (one) =>
    isWithin(one) && away.renewed && !(one.statement.property === 'health' && one.statement.to === 0);
  for (const one of due.filter((each) => !isOfNew(each))) game.emit(one.statement, { t: one.t, cues: one.cues });
}
