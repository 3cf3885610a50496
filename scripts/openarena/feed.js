// What the feed and the lines in the middle of the screen tell: kills, deaths, the match's begin and end.
import { CUT, isPlayer, knowSelf, who } from './followed.js';

/** Of two of a team, one of whom is the player, the other. */
const mate = (name) => ({ word: 'teammate', name });

export function onLine(cue, game) {
  knowSelf(game);
  const { event, slots, action, with: means, at, team } = cue.detail;
  const options = { t: cue.t, cues: [cue] };
  const more = { ...(means === undefined ? {} : { with: means }), ...(at === undefined ? {} : { at }) };
  if (event === 'enter') {
    onEntry(cue, game, options);
    return;
  }
  if (event === 'join') onJoin(cue, game, options);
  if (cue.detail.says !== undefined) {
    game.emit(ofTeams(cue.detail), options);
    return;
  }
  if (event === 'win' || event === 'end') {
    onMatchEnd(slots.player, game, options);
    return;
  }
  const victim = who(slots.victim ?? slots.player, game, cue.t);
  if (victim === 'player' && slots.victim !== undefined)
    game.state.deaths = [...(game.state.deaths ?? []), cue.t].slice(-8);
  if (event === 'kill' && slots.killer !== slots.victim) {
    if (isPlayer(slots.killer, game, cue.t))
      game.state.frags = [...(game.state.frags ?? []), { t: cue.t, victim: slots.victim }].slice(-16);
    const killer = who(slots.killer, game, cue.t);
    const object = team && killer === 'player' ? mate(slots.victim) : victim;
    const subject = team && victim === 'player' ? mate(slots.killer) : killer;
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

/** What a line says of rounds and teams. */
function ofTeams({ says, slots: { point } }) {
  const object = point === undefined ? named(says.object) : { word: says.object, name: point };
  const { subject, action } = says;
  return { subject: named(subject), action, ...(object === undefined ? {} : { object }) };
}

/** Seconds between a kill's line in the feed and the one in the middle of the screen, and after which both are understood. */
const SAME_KILL = 0.7;

const FED = 2.2;

/** Seconds for which the line in the middle stands; who dies with his victim sees it only in his next life. */
const STANDS = 3;

/** “You fragged Sarge” stands in the middle of the screen: it makes the feed's line surer, and tells of the kill where the feed does not. */
export function onFragged(cue, game) {
  const { victim } = cue.detail.slots;
  // A name in a colour that cannot be read there.
  if (victim === '') {
    game.emit({ subject: 'player', action: 'kill', object: 'opponent' }, { t: cue.t, cues: [cue], support: true });
    return;
  }
  const word = cue.detail.team ? 'teammate' : 'opponent';
  const statement = { subject: 'player', action: 'kill', object: { word, name: victim } };
  const told = (game.state.lines ?? []).filter((one) => one.victim === victim && Math.abs(one.t - cue.t) <= SAME_KILL);
  if (told.length === 1 && told[0].killer !== undefined) game.state.self ??= told[0].killer;
  game.after(FED, () => {
    const { frags = [] } = game.state;
    const fed = frags.some(({ t }) => Math.abs(t - cue.t) <= SAME_KILL);
    const late = frags.some((one) => one.victim === victim && one.t < cue.t && cue.t - one.t <= STANDS + SAME_KILL);
    if (fed || !late) game.emit(statement, { t: cue.t, cues: [cue], support: fed });
  });
}

/** Seconds after which the feed's line of a death is known, and not yet understood. */
const LINED = 1.5;

/** “Fragged by Sarge” stands above the table of scores of who is dead: it tells who plays, and of the kill where the feed does not. */
export function onFraggedBy(cue, game) {
  const { killer: name } = cue.detail.slots;
  game.after(LINED, () => {
    const { lines = [], deaths = [], player } = game.state;
    // The line may be read late, and the name of who is followed lies over it.
    const isNear = (t) => cue.t - t <= STANDS && t - cue.t <= SAME_KILL;
    const isKiller = (killer) => killer === name || (killer?.length >= CUT && name.startsWith(killer));
    const told = lines.filter(({ t, killer }) => Math.abs(t - cue.t) <= SAME_KILL && isKiller(killer));
    if (told.length === 1) game.state.self ??= told[0].victim;
    const killer = name === '' ? 'opponent' : { word: 'opponent', name };
    // A name that is partly in colours is read in part: a line of the feed knows better.
    const { self } = game.state;
    const fed = lines.some((one) => isNear(one.t) && one.killer !== undefined && one.victim === (self ?? one.victim));
    const support = player !== undefined || fed || deaths.some(isNear) || name === '';
    game.emit({ subject: killer, action: 'kill', object: 'player' }, { t: cue.t, cues: [cue], support });
  });
}

/** Seconds in which the scores of a new match show. */
const NEW_SCORES = 1.5;

/** OpenArena greets whoever enters the game; at the end of the warm-up that is everybody, and nobody has a point. */
function onEntry(cue, game, options) {
  game.after(NEW_SCORES, () => {
    const scores = ['first score', 'own score'].map((name) => game.reading(name));
    const { begins = [] } = game.state;
    if (!scores.every((score) => score === 0) || begins.some((t) => Math.abs(t - cue.t) <= NEW_SCORES)) return;
    game.state.begins = [...begins, cue.t].slice(-4);
    game.emit({ subject: 'match', action: 'begin' }, options);
  });
}

/** How many come into the game at once, and within how many seconds, where a match begins: of many lines the first are not shown. */
const CROWD = 3;
const TOGETHER_IN = 0.3;

function onJoin(cue, game, options) {
  const joins = [...(game.state.joins ?? []), cue.t].filter((t) => cue.t - t <= TOGETHER_IN);
  game.state.joins = joins;
  if (joins.length === CROWD) onEntry(cue, game, options);
}

/** The line that says who, or that the time, reached the limit. */
function onMatchEnd(winner, game, options) {
  game.emit({ subject: 'match', action: 'end' }, options);
  if (winner === undefined) return;
  const subject = winner === 'Red' || winner === 'Blue' ? { word: 'team', name: winner } : who(winner, game, options.t);
  game.emit({ subject, action: 'win', object: 'match' }, options);
}
