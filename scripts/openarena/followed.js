// Whom the spectator follows, who the player is, and whose numbers are shown.
import { SIMULTANEOUS_SECONDS, MAX_ROUNDS_PER_SAMPLE, RELATED_SECONDS } from './timing.js';

/** Interval between two readings of the followed player's name. */
const NAME_INTERVAL_SECONDS = 0.2;

/** Maximum seconds for which that name may be unreadable. */
export const NAME_UNREADABLE_SECONDS = 1.6;

/** Handles the name of the followed player. When a spectator follows another player, the numbers are that player's and have not changed. */
export function onFollowed(cue, game) {
  const { player, follows = [] } = game.state;
  game.state.player = cue.value;
  if (isSameName(follows.at(-1), cue)) {
    follows.at(-1).name = cue.value;
    return;
  }
  game.state.follows = [...follows, { t: cue.t, name: cue.value }].slice(-8);
  if (follows.length === 0 || cue.value === player) return;
  game.after(RELATED_SECONDS, () => {
    game.state.turns = [...(game.state.turns ?? []), switchInterval(cue.t, game)].slice(-8);
  });
}

/** Within this time a name that differs in a quarter of its characters is the same name, read better. */
const SAME_NAME_SECONDS = 3;

/** Whether the previous name is the new one with missing characters, or a recent reading with few differences. */
function isSameName(before, { t, value }) {
  if (before?.name?.length !== value.length) return false;
  const differing = [...value].flatMap((char, i) => (char === before.name[i] ? [] : [before.name[i]]));
  if (differing.every((char) => char === ' ')) return true;
  return t - before.t < SAME_NAME_SECONDS && differing.length <= Math.max(1, value.length / 4);
}

/** Records changes of health and armor, and of weapon and ammunition other than by shots, which occur together when another player is followed. */
export function recordSwitch(cue, game) {
  const isBody = cue.detector === 'health' || cue.detector === 'armor';
  const spent = cue.detector === 'ammunition' && cue.trigger === 'changed' ? cue.previous - cue.value : 0;
  const isArms =
    cue.detector === 'weapon' || (cue.detector === 'ammunition' && !(spent > 0 && spent <= MAX_ROUNDS_PER_SAMPLE));
  if (!isBody && !isArms) return;
  const marks = (game.state.marks ??= []);
  marks.push({ t: cue.t, isBody });
  while (marks[0].t < cue.t - 5) marks.shift();
}

/** The interval in which the numbers became those of the player whose name was read at t: the last simultaneous change of both groups. */
function switchInterval(t, game) {
  const { marks = [], turns = [] } = game.state;
  const since = Math.max(turns.at(-1)?.to ?? 0, t - NAME_UNREADABLE_SECONDS);
  const near = marks.filter((one) => one.t > since && one.t <= t + SIMULTANEOUS_SECONDS);
  const both = near.findLast((one) =>
    near.some((other) => other.isBody !== one.isBody && other.t >= one.t && other.t <= one.t + SIMULTANEOUS_SECONDS),
  );
  return both ? { from: both.t - 0.05, to: both.t + 0.12 } : { from: t - NAME_INTERVAL_SECONDS - 0.05, to: t + 0.1 };
}

/** Whether another player was followed from about t on; the weapon's icon is read a little later. */
export function wasFollowedSwitched(t, game, property) {
  const late = property === 'weapon' ? SIMULTANEOUS_SECONDS : 0;
  return (game.state.turns ?? []).some(({ from, to }) => t > from && t <= to + late);
}

/** Seconds in which the scores would also disappear if the match were over. */
const MATCH_OVER_SECONDS = 1;

/** The name disappeared: if the scores remain without numbers, the spectator follows nobody. */
export function onLeft(cue, game) {
  game.after(MATCH_OVER_SECONDS, () => {
    if (game.reading('first score') === undefined || game.reading('health') !== undefined) return;
    game.state.follows = [...(game.state.follows ?? []), { t: cue.t }].slice(-8);
    game.state.player = undefined;
  });
}

/** The player or opponent that a name on the screen at t refers to. */
export function playerOrOpponent(name, game, t) {
  return isPlayer(name, game, t) ? 'player' : { word: 'opponent', name };
}

/** The name of a followed player is on the screen; that of the recording player is inferred (`inferPlayerName`). */
export function isPlayer(name, game, t) {
  const { follows = [], player, self } = game.state;
  const followed = follows.findLast((one) => one.t - NAME_INTERVAL_SECONDS / 2 <= t) ?? follows[0];
  const own = followed ? followed.name : (player ?? self);
  return name === own || (own !== undefined && name?.length >= MIN_CUT_NAME_LENGTH && own.startsWith(name));
}

/** Minimum length of a name that the kill line truncates: it keeps 29 characters including colour codes. */
export const MIN_CUT_NAME_LENGTH = 15;

/** Maximum seconds between the feed line of the player's death and the disappearance of the numbers. */
const SAME_DEATH_SECONDS = 0.35;

/** Infers the name of the recording player: the victim whose death is by far nearest to the disappearance of the numbers. */
export function inferPlayerName(game) {
  const { player, self, figuresLost, lines = [] } = game.state;
  if (player !== undefined || self !== undefined || figuresLost === undefined) return;
  const [first, second] = lines
    .filter(({ victim }) => victim !== undefined)
    .map(({ t, victim }) => ({ victim, apart: Math.abs(t - figuresLost) }))
    .filter(({ apart }) => apart <= SAME_DEATH_SECONDS)
    .toSorted((a, b) => a.apart - b.apart);
  if (first !== undefined && !(second?.apart - first.apart < SAME_DEATH_SECONDS / 2)) game.state.self = first.victim;
}
