// Who is followed, who the player is, and whose the figures are.
import { AT_ONCE, BURST, TOGETHER } from './moments.js';

/** Seconds between two looks at the followed player's name, and for which it may not have been readable. */
const LOOKS = 0.2;

export const UNREAD = 1.6;

/** Whose name stands above the picture. A spectator may follow one after the other: the figures are the next one's then, and have not changed. */
export function onFollowed(cue, game) {
  const { player, follows = [] } = game.state;
  game.state.player = cue.value;
  if (isSlip(follows.at(-1), cue)) {
    follows.at(-1).name = cue.value;
    return;
  }
  game.state.follows = [...follows, { t: cue.t, name: cue.value }].slice(-8);
  if (follows.length === 0 || cue.value === player) return;
  game.after(TOGETHER, () => {
    game.state.turns = [...(game.state.turns ?? []), turnOf(cue.t, game)].slice(-8);
  });
}

/** Seconds within which a name that differs by a character in four is the same, read better. */
const BETTER = 3;

/** Whether the name that was read before is the new one with blanks for characters, or was read a little otherwise just now. */
function isSlip(before, { t, value }) {
  if (before?.name?.length !== value.length) return false;
  const differing = [...value].flatMap((char, i) => (char === before.name[i] ? [] : [before.name[i]]));
  if (differing.every((char) => char === ' ')) return true;
  return t - before.t < BETTER && differing.length <= Math.max(1, value.length / 4);
}

/** Remembers when the player's body (health, armor) and when the arms (the weapon, a figure that no shots changed) became others. */
export function mark(cue, game) {
  const isBody = cue.detector === 'health' || cue.detector === 'armor';
  const spent = cue.detector === 'ammunition' && cue.trigger === 'changed' ? cue.previous - cue.value : 0;
  const isArms = cue.detector === 'weapon' || (cue.detector === 'ammunition' && !(spent > 0 && spent <= BURST));
  if (!isBody && !isArms) return;
  const marks = (game.state.marks ??= []);
  marks.push({ t: cue.t, isBody });
  while (marks[0].t < cue.t - 5) marks.shift();
}

/** From when to when figures became another player's, whose name was seen from t on: where body and arms changed at once, last. */
function turnOf(t, game) {
  const { marks = [], turns = [] } = game.state;
  const since = Math.max(turns.at(-1)?.to ?? 0, t - UNREAD);
  const near = marks.filter((one) => one.t > since && one.t <= t + AT_ONCE);
  const both = near.findLast((one) =>
    near.some((other) => other.isBody !== one.isBody && other.t >= one.t && other.t <= one.t + AT_ONCE),
  );
  return both ? { from: both.t - 0.05, to: both.t + 0.12 } : { from: t - LOOKS - 0.05, to: t + 0.1 };
}

/** Whether another was followed from about t on; the weapon's icon is seen a little later. */
export function turned(t, game, property) {
  const late = property === 'weapon' ? AT_ONCE : 0;
  return (game.state.turns ?? []).some(({ from, to }) => t > from && t <= to + late);
}

/** Seconds in which the scores would vanish, too, where the match is over. */
const OVER = 1;

/** Nobody's name stands above the picture any more: where the scores do and no figures, the spectator floats about on his own. */
export function onLeft(cue, game) {
  game.after(OVER, () => {
    if (game.reading('first score') === undefined || game.reading('health') !== undefined) return;
    game.state.follows = [...(game.state.follows ?? []), { t: cue.t }].slice(-8);
    game.state.player = undefined;
  });
}

/** Who is meant by a name on the screen at t: the player, or one of the others. */
export function who(name, game, t) {
  return isPlayer(name, game, t) ? 'player' : { word: 'opponent', name };
}

/** The name of the player who is followed stands on the screen; that of one who plays is inferred (`knowSelf`). */
export function isPlayer(name, game, t) {
  const { follows = [], player, self } = game.state;
  const followed = follows.findLast((one) => one.t - LOOKS / 2 <= t) ?? follows[0];
  const own = followed ? followed.name : (player ?? self);
  return name === own || (own !== undefined && name?.length >= CUT && own.startsWith(name));
}

/** The least length to which the kill line cuts a name: 29 characters, with those that only colour it. */
export const CUT = 15;

/** Seconds between the line that tells of the player's death and the end of the figures. */
const SAME_DEATH = 0.35;

/** Nobody's name is above the picture: the one victim just when the figures vanish, or the one by far nearest to that, is the player. */
export function knowSelf(game) {
  const { player, self, gone, lines = [] } = game.state;
  if (player !== undefined || self !== undefined || gone === undefined) return;
  const [first, second] = lines
    .filter(({ victim }) => victim !== undefined)
    .map(({ t, victim }) => ({ victim, apart: Math.abs(t - gone) }))
    .filter(({ apart }) => apart <= SAME_DEATH)
    .toSorted((a, b) => a.apart - b.apart);
  if (first !== undefined && !(second?.apart - first.apart < SAME_DEATH / 2)) game.state.self = first.victim;
}
