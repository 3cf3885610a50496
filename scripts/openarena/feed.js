// The kill feed and the lines in the centre of the screen: kills, deaths, begin and end of matches.
import { countNames, findName } from './names.js';
import { MIN_CUT_NAME_LENGTH, isPlayer, inferPlayerName, playerOrOpponent } from './followed.js';

/** A teammate by name. */
const toTeammate = (name) => ({ word: 'teammate', name });

export function onLine(cue, game) {
  inferPlayerName(game);
  const { event, slots, action, with: means, at, team } = cue.detail;
  const options = { t: cue.t, cues: [cue] };
  const more = { ...(means === undefined ? {} : { with: means }), ...(at === undefined ? {} : { at }) };
  if (event === 'enter') {
    onEntry(cue, game, options);
    return;
  }
  if (event === 'join') onJoin(cue, game, options);
  if (cue.detail.says !== undefined) {
    game.emit(toTeamStatement(cue.detail), options);
    return;
  }
  if (event === 'win' || event === 'end') {
    onMatchEnd(slots.player, game, options);
    return;
  }
  const victim = playerOrOpponent(slots.victim ?? slots.player, game, cue.t);
  if (victim === 'player' && slots.victim !== undefined)
    game.state.deaths = [...(game.state.deaths ?? []), cue.t].slice(-8);
  if (event === 'kill' && slots.killer !== slots.victim) {
    if (isPlayer(slots.killer, game, cue.t))
      game.state.frags = [...(game.state.frags ?? []), { t: cue.t, victim: slots.victim }].slice(-16);
    const killer = playerOrOpponent(slots.killer, game, cue.t);
    const object = team && killer === 'player' ? toTeammate(slots.victim) : victim;
    const subject = team && victim === 'player' ? toTeammate(slots.killer) : killer;
    game.emit({ subject, action: action ?? 'kill', object, ...more }, options);
  } else if (event === 'kill' || event === 'suicide') {
    game.emit({ subject: victim, action: 'kill oneself', ...more }, options);
  } else if (event === 'death') {
    game.emit({ subject: victim, action: action ?? 'die', ...more }, options);
  } else if (event === 'capture point') {
    game.emit({ subject: victim, action: 'capture', object: { word: 'control point', name: slots.point } }, options);
  } else {
    game.emit({ subject: victim, action: event }, options);
  }
}

const named = (word) => (word === 'Red' || word === 'Blue' ? { word: 'team', name: word } : word);

/** The statement of a line about rounds and teams. */
function toTeamStatement({ says, slots: { point } }) {
  const object = point === undefined ? named(says.object) : { word: says.object, name: point };
  const { subject, action } = says;
  return { subject: named(subject), action, ...(object === undefined ? {} : { object }) };
}

/** Maximum seconds between the feed line and the centre line of a kill. */
const SAME_KILL_SECONDS = 0.7;

/** Seconds after which both have been read. */
const FEED_READ_SECONDS = 2.2;

/** Seconds for which the centre line is shown; after a simultaneous death it appears in the next life. */
const CENTRE_LINE_SECONDS = 3;

/** “You fragged Sarge” stands in the middle of the screen: it makes the feed's line surer, and tells of the kill where the feed does not. */
export function onFragged(cue, game) {
  const read = cue.detail.slots.victim;
  const known = findName(read, game);
  const victim = known ?? read;
  if (read !== '') countNames({ victim }, game);
  // The same line, read differently.
  const isSame = cue.trigger === 'changed' && victim === game.state.fragged;
  game.state.fragged = victim;
  if (isSame) return;
  // A name in a colour that cannot be read there.
  if (victim === '') {
    game.emit({ subject: 'player', action: 'kill', object: 'opponent' }, { t: cue.t, cues: [cue], support: true });
    return;
  }
  const word = cue.detail.team ? 'teammate' : 'opponent';
  const statement = { subject: 'player', action: 'kill', object: { word, name: victim } };
  const matching = (game.state.lines ?? []).filter(
    (one) => one.victim === victim && Math.abs(one.t - cue.t) <= SAME_KILL_SECONDS,
  );
  if (matching.length === 1 && matching[0].killer !== undefined) game.state.self ??= matching[0].killer;
  game.after(FEED_READ_SECONDS, () => {
    const { frags = [] } = game.state;
    const fed = frags.some(({ t }) => Math.abs(t - cue.t) <= SAME_KILL_SECONDS);
    const late = frags.some(
      (one) => one.victim === victim && one.t < cue.t && cue.t - one.t <= CENTRE_LINE_SECONDS + SAME_KILL_SECONDS,
    );
    if (fed || !late) game.emit(statement, { t: cue.t, cues: [cue], support: fed, tentative: known === undefined });
  });
}

/** Seconds after which the feed line of a death has been read but not interpreted. */
const DEATH_LINE_SECONDS = 1.5;

/** “Fragged by Sarge” above the scoreboard of a dead player identifies the player, and reports a kill that the feed misses. */
export function onFraggedBy(cue, game) {
  const known = findName(cue.detail.slots.killer, game);
  const name = known ?? cue.detail.slots.killer;
  game.after(DEATH_LINE_SECONDS, () => {
    const { lines = [], deaths = [], player } = game.state;
    // The line may be read late, and the followed player's name may cover it.
    const isNear = (t) => cue.t - t <= CENTRE_LINE_SECONDS && t - cue.t <= SAME_KILL_SECONDS;
    const isKiller = (killer) => killer === name || (killer?.length >= MIN_CUT_NAME_LENGTH && name.startsWith(killer));
    const matching = lines.filter(({ t, killer }) => Math.abs(t - cue.t) <= SAME_KILL_SECONDS && isKiller(killer));
    if (matching.length === 1) game.state.self ??= matching[0].victim;
    const killer = name === '' ? 'opponent' : { word: 'opponent', name };
    // A partly coloured name may be read incompletely: a feed line has precedence.
    const { self } = game.state;
    const fed = lines.some((one) => isNear(one.t) && one.killer !== undefined && one.victim === (self ?? one.victim));
    const support = player !== undefined || fed || deaths.some(isNear) || name === '';
    const tentative = known === undefined && name !== '';
    game.emit({ subject: killer, action: 'kill', object: 'player' }, { t: cue.t, cues: [cue], support, tentative });
  });
}

/** Seconds until the scores of a new match are shown. */
const NEW_MATCH_SECONDS = 1.5;

/** OpenArena announces each player who enters; at the end of the warm-up that is everybody, with all scores 0. */
function onEntry(cue, game, options) {
  game.after(NEW_MATCH_SECONDS, () => {
    const scores = ['first score', 'own score'].map((name) => game.reading(name));
    const { begins = [] } = game.state;
    if (!scores.every((score) => score === 0) || begins.some((t) => Math.abs(t - cue.t) <= NEW_MATCH_SECONDS)) return;
    game.state.begins = [...begins, cue.t].slice(-4);
    game.emit({ subject: 'match', action: 'begin' }, options);
  });
}

/** Minimum number of players who enter within `CROWD_SECONDS` when a match begins; the feed does not show all of them. */
const MIN_JOINS = 3;
const CROWD_SECONDS = 0.3;

function onJoin(cue, game, options) {
  const joins = [...(game.state.joins ?? []), cue.t].filter((t) => cue.t - t <= CROWD_SECONDS);
  game.state.joins = joins;
  if (joins.length === MIN_JOINS) onEntry(cue, game, options);
}

/** Handles the line that a player or the time reached the limit. */
function onMatchEnd(winner, game, options) {
  game.emit({ subject: 'match', action: 'end' }, options);
  if (winner === undefined) return;
  const subject =
    winner === 'Red' || winner === 'Blue' ? { word: 'team', name: winner } : playerOrOpponent(winner, game, options.t);
  game.emit({ subject, action: 'win', object: 'match' }, options);
}
