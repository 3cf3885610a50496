// OpenArena and Quake III Arena: kills from the feed, the followed player's health, armor and ammunition.

function onCue(cue, game) {
  support(cue, game);
  mark(cue, game);
  switch (cue.detector) {
    case 'followed':
      if (cue.trigger === 'lost') onLeft(cue, game);
      else onFollowed(cue, game);
      break;
    case 'feed':
      if (cue.detail !== undefined) (game.state.lines ??= []).push({ t: cue.t, ...cue.detail.slots });
      while (game.state.lines?.[0]?.t < cue.t - 5) game.state.lines.shift();
      // The followed player's name may become known a moment after the first line.
      if (cue.detail !== undefined) game.after(game.state.player === undefined ? 2 : 0, () => onLine(cue, game));
      break;
    case 'health':
      onHealth(cue, game);
      break;
    case 'armor':
      onArmor(cue, game);
      break;
    case 'ammunition':
      onAmmunition(cue, game);
      break;
    case 'weapon':
      onWeapon(cue, game);
      break;
    case 'item':
      onItem(cue, game);
      break;
    case 'medal':
      // Behind the table of scores no medal is drawn.
      if (cue.trigger !== 'lost' && game.state.alive !== false && (inTeams(game) || !OF_TEAMS.includes(cue.value)))
        game.emit({ subject: 'player', action: 'earn', object: cue.value });
      break;
    case 'fragged':
    case 'fragged in teams':
      if (cue.trigger !== 'lost' && cue.detail !== undefined) onFragged(cue, game);
      break;
    case 'console':
    case 'first ground':
    case 'second ground':
      break;
    default:
      onScores(cue, game);
  }
}

/** Seconds between two looks at the followed player's name, and for which it may not have been readable. */
const LOOKS = 0.2;
const UNREAD = 1.6;

/** Whose name stands above the picture. A spectator may follow one after the other: the figures are the next one's then, and have not changed. */
function onFollowed(cue, game) {
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

/** Seconds within which what changes together does so. */
const AT_ONCE = 0.2;

/** Remembers when the player's body (health, armor) and when the arms (the weapon, a figure that no shots changed) became others. */
function mark(cue, game) {
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
function turned(t, game, property) {
  const late = property === 'weapon' ? AT_ONCE : 0;
  return (game.state.turns ?? []).some(({ from, to }) => t > from && t <= to + late);
}

/** Seconds in which the scores would vanish, too, where the match is over. */
const OVER = 1;

/** Nobody's name stands above the picture any more: where the scores do and no figures, the spectator floats about on his own. */
function onLeft(cue, game) {
  game.after(OVER, () => {
    if (game.reading('first score') === undefined || game.reading('health') !== undefined) return;
    game.state.follows = [...(game.state.follows ?? []), { t: cue.t }].slice(-8);
    game.state.player = undefined;
  });
}

/** Who is meant by a name on the screen at t: the player, or one of the others. */
function who(name, game, t) {
  return isPlayer(name, game, t) ? 'player' : { word: 'opponent', name };
}

/** The name of the player who is followed stands on the screen; that of one who plays is inferred (`knowSelf`). */
function isPlayer(name, game, t) {
  const { follows = [], player, self } = game.state;
  const followed = follows.findLast((one) => one.t - LOOKS / 2 <= t) ?? follows[0];
  const own = followed ? followed.name : (player ?? self);
  return name === own || (own !== undefined && name?.length >= CUT && own.startsWith(name));
}

/** The least length to which the kill line cuts a name: 29 characters, with those that only colour it. */
const CUT = 15;

/** Seconds between the line that tells of the player's death and the end of the figures. */
const SAME_DEATH = 0.35;

/** Nobody's name is above the picture: the one victim just when the figures vanish, or the one by far nearest to that, is the player. */
function knowSelf(game) {
  const { player, self, gone, lines = [] } = game.state;
  if (player !== undefined || self !== undefined || gone === undefined) return;
  const [first, second] = lines
    .filter(({ victim }) => victim !== undefined)
    .map(({ t, victim }) => ({ victim, apart: Math.abs(t - gone) }))
    .filter(({ apart }) => apart <= SAME_DEATH)
    .sort((a, b) => a.apart - b.apart);
  if (first !== undefined && !(second?.apart - first.apart < SAME_DEATH / 2)) game.state.self = first.victim;
}

function onLine(cue, game) {
  knowSelf(game);
  const { event, slots, action, with: means, at, team } = cue.detail;
  const options = { t: cue.t, cues: [cue] };
  const more = { ...(means === undefined ? {} : { with: means }), ...(at === undefined ? {} : { at }) };
  if (event === 'enter') {
    onEntry(cue, game, options);
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
    // Of two of a team, one of whom is the player, the other is a teammate.
    const mate = (name) => ({ word: 'teammate', name });
    const object = team && killer === 'player' ? mate(slots.victim) : victim;
    const subject = team && victim === 'player' ? mate(slots.killer) : killer;
    game.emit({ subject, action: action ?? 'kill', object, ...more }, options);
  } else if (event === 'kill' || event === 'suicide') {
    game.emit({ subject: victim, action: 'kill oneself', ...more }, options);
  } else if (event === 'death') {
    game.emit({ subject: victim, action: action ?? 'die', ...more }, options);
  } else {
    game.emit({ subject: victim, action: event }, options);
  }
}

/** Seconds between a kill's line in the feed and the one in the middle of the screen, and after which both are understood. */
const SAME_KILL = 0.7;
const FED = 2.2;
/** Seconds for which the line in the middle stands; who dies with his victim sees it only in his next life. */
const STANDS = 3;

/** “You fragged Sarge” stands in the middle of the screen: it makes the feed's line surer, and tells of the kill where the feed does not. */
function onFragged(cue, game) {
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

/** Seconds in which the scores of a new match show. */
const NEW_SCORES = 1.5;

/** OpenArena greets whoever enters the game; at the end of the warm-up that is everybody, and nobody has a point. */
function onEntry(cue, game, options) {
  game.after(NEW_SCORES, () => {
    const scores = ['first score', 'own score'].map((name) => game.reading(name));
    if (!scores.every((score) => score === 0)) return;
    game.state.begins = [...(game.state.begins ?? []), cue.t].slice(-4);
    game.emit({ subject: 'match', action: 'begin' }, options);
  });
}

/** The line that says who, or that the time, reached the limit. */
function onMatchEnd(winner, game, options) {
  game.emit({ subject: 'match', action: 'end' }, options);
  if (winner === undefined) return;
  const subject = winner === 'Red' || winner === 'Blue' ? { word: 'team', name: winner } : who(winner, game, options.t);
  game.emit({ subject, action: 'win', object: 'match' }, options);
}

/** Seconds within which figures that belong together change. */
const TOGETHER = 0.35;

/** While the player is dead no figures are shown: what stands there afterwards belongs to a new life. */
function onHealth(cue, game) {
  if (cue.trigger === 'changed') changes('health', cue, game);
  if (cue.trigger === 'lost') {
    game.state.alive = false;
    game.state.gone = cue.t;
  }
  const before = game.state.health;
  game.state.health = cue.trigger === 'lost' ? before : cue.value;
  if (cue.trigger !== 'found') return;
  game.state.alive = true;
  game.state.born = cue.t;
  // Figures that come back after a menu or the table at a match's end are no new life: somebody must have died, or the
  // scores have stood without the figures, as they do behind the table of scores, too: then a life must be whole.
  const since = Math.max(
    game.state.gone ?? 0,
    Math.min(game.since('first score') ?? cue.t, game.since('own score') ?? cue.t),
  );
  const bare = cue.t - since;
  game.after(KNOWN, () => {
    const { deaths = [], lived = -1, drawn = [] } = game.state;
    game.state.lived = cue.t;
    const atOnce = drawn.includes(cue.t);
    const whole = cue.value >= WHOLE && !(cue.value <= before);
    if (turned(cue.t, game)) return;
    if ((whole && bare > (atOnce ? BARE_AT_ONCE : BARE)) || deaths.some((t) => t > lived && t <= cue.t))
      game.emit({ subject: 'player', action: 'respawn' }, { t: cue.t, cues: [cue] });
  });
}

/** Seconds for which scores stand without figures where a player is dead; fewer where all the figures come at once, which no smoke does. */
const BARE = 0.5;
const BARE_AT_ONCE = 0.3;

/** The least health with which a life begins. */
const WHOLE = 100;

/** Seconds after which lines before a new life are understood. */
const KNOWN = 2.5;

function changes(property, cue, game, options = {}) {
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
function unlessNew(statement, options, game) {
  const waiting = (game.state.waiting ??= []);
  waiting.push({ statement, options });
  game.after(SETTLED, () => tellSettled(game, game.setAt));
}

function tellSettled(game, until) {
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

const isSure = ({ confidence, previous, value }) => confidence >= SURE && Math.abs(value - previous) <= BURST;

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

function onEnd(game) {
  tellSettled(game, Infinity);
}

/** Whether a life began or ended within a moment of t. */
function bornOrDead(t, game) {
  return game.state.alive === false || Math.abs((game.state.born ?? 0) - t) <= TOGETHER;
}

/** No armor is not drawn at all: a figure found rose from 0, one lost fell to 0, unless a life began or ended. */
function onArmor(cue, game) {
  if (cue.trigger === 'changed') changes('armor', cue, game);
  else
    game.after(TOGETHER, () => {
      if (!bornOrDead(cue.t, game)) changes('armor', { previous: 0, value: 0, ...cue }, game, { cues: [cue] });
    });
}

/** Seconds by which the icon of another weapon may be seen later, and earlier, than its figure. */
const ICON_LATE = 0.2;
const ICON_EARLY = 0.15;

/** Seconds of a life without a figure of ammunition after which the gauntlet is in hand. */
const BARE_HANDS = 1;

/** Seconds between the ends of two figures that vanish with a life. */
const WITH_LIFE = 0.15;

/** The most rounds that leave a weapon between two samples; and where they are far apart, of a weapon that is in hand before and after. */
const BURST = 5;
const STORM = 15;

/** Whether the icon of one and the same weapon stands since well before t. */
function inHand(t, game) {
  return game.state.armed < t - TOGETHER && !(game.state.switches ?? []).some((one) => Math.abs(one.t - t) <= TOGETHER);
}

/**
 * Another weapon brings its own figure: of the changes of the figure about a switch the greatest is the switch's, the
 * others are shots before or after it. A figure that comes or goes belongs to a switch before any that changes.
 */
function onAmmunition(cue, game) {
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

/** Seconds within which a figure that becomes another and comes back was misread in between. */
const BLINK = 0.25;

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
function onWeapon(cue, game) {
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

/** Medals that are won in games of teams only. */
const OF_TEAMS = ['openarena:defend', 'openarena:assist', 'openarena:capture'];

/** In a game of teams the boxes are the teams', red and blue; else the left one is never red where the right one is blue. */
function inTeams(game) {
  return game.reading('first ground') === 'red' && game.reading('second ground') === 'blue';
}

const TEAMS = { 'first score': 'Red', 'own score': 'Blue' };

/** A team's score, which both boxes show, whosever the player is. */
function onTeamScore(cue, game) {
  if (cue.trigger !== 'changed') return;
  const subject = { word: 'team', name: TEAMS[cue.detector] };
  unlessNew({ subject, property: 'score', from: cue.previous, to: cue.value }, { t: cue.t, cues: [cue] }, game);
}

/**
 * The right box shows the followed player's score and is framed, unless the left one, with the first player's, is the
 * player's own and framed. Scenery in the frame's colour lies behind both.
 */
function onScores(cue, game) {
  if (inTeams(game)) {
    if (cue.detector in TEAMS) onTeamScore(cue, game);
    return;
  }
  const scores = (game.state.scores ??= {});
  scores[cue.detector] = cue.trigger === 'lost' ? undefined : cue.value;
  if (scores.since === undefined) scores.since = cue.t;
  game.after(TOGETHER, () => {
    // Where both boxes seem framed, whose score is the player's will be seen.
    if (scores.first === 'own' && scores.second === 'own') {
      if (!(cue.detector in TEAMS)) scores.since = undefined;
      return;
    }
    // Where neither does, compression has washed the frame out.
    if (scores.first === 'own') scores.isFirst = true;
    else if (scores.second === 'own') scores.isFirst = false;
    const own = scores[scores.isFirst ? 'first score' : 'own score'];
    const { since, last } = scores;
    if (own === undefined) return;
    scores.since = undefined;
    if (own === last) return;
    scores.last = own;
    const statement = { subject: 'player', property: 'score', from: last, to: own };
    if (last !== undefined) unlessNew(statement, { t: since ?? cue.t, cues: [cue] }, game);
  });
}

/** The name shown at the lower left of what was picked up, and the word for it. */
const ITEMS = {
  'Armor Shard': 'armor bonus',
  Armor: 'openarena:combat armor',
  'Heavy Armor': 'openarena:red armor',
  '5 Health': 'openarena:small health',
  '25 Health': 'openarena:medium health',
  '50 Health': 'openarena:large health',
  'Mega Health': 'openarena:mega health',
  Shotgun: 'shotgun',
  Machinegun: 'machine gun',
  'Grenade Launcher': 'grenade launcher',
  'Rocket Launcher': 'rocket launcher',
  'Lightning Gun': 'lightning gun',
  Railgun: 'railgun',
  'Plasma Gun': 'plasma gun',
  BFG10K: 'openarena:BFG',
  'Grappling Hook': 'grappling hook',
  Shells: 'shell',
  Bullets: 'bullet',
  Grenades: 'openarena:grenade box',
  Cells: 'openarena:plasma cell',
  Lightning: 'openarena:lightning ammo',
  Rockets: 'rocket',
  Slugs: 'openarena:slug',
  'Bfg Ammo': 'openarena:BFG ammo',
  'Personal Teleporter': 'openarena:personal teleporter',
  Medkit: 'openarena:personal medikit',
  'Quad Damage': 'openarena:quad damage',
  'Battle Suit': 'openarena:battle suit',
  Speed: 'openarena:haste',
  Invisibility: 'invisibility',
  Regeneration: 'regeneration',
  Flight: 'openarena:flight',
  'Red Flag': 'openarena:red flag',
  'Blue Flag': 'openarena:blue flag',
  'Neutral Flag': 'openarena:neutral flag',
  Kamikaze: 'openarena:kamikaze',
  Invulnerability: 'invulnerability',
  Nails: 'openarena:nail',
  'Proximity Mines': 'openarena:proximity mine',
  'Chaingun Belt': 'openarena:belt',
  Scout: 'openarena:scout#power-up',
  Guard: 'openarena:guard#power-up',
  Doubler: 'openarena:doubler',
  'Ammo Regen': 'openarena:ammo regen',
  Nailgun: 'nailgun',
  'Prox Launcher': 'openarena:proximity mine launcher',
  Chaingun: 'chaingun',
};

function onItem(cue, game) {
  const object = cue.trigger === 'lost' ? undefined : ITEMS[cue.value];
  if (object !== undefined) game.emit({ subject: 'player', action: 'pick up', object });
}

/** What else tells of kills by the player and of the player's deaths, if not of whom or by what: it makes the feed's line surer. */
function support(cue, game) {
  const isFirst = game.reading('first') === 'own' && game.reading('second') !== 'own';
  const scored =
    !inTeams(game) && cue.detector === (isFirst ? 'first score' : 'own score') && cue.value - cue.previous === 1;
  const rewarded = ['openarena:excellent', 'openarena:humiliation'].includes(cue.value) && cue.trigger !== 'lost';
  if (scored || rewarded) game.emit({ subject: 'player', action: 'kill', object: 'opponent' }, { support: true });
  // While the player is dead no figures are shown.
  if (cue.detector === 'health' && cue.trigger === 'lost')
    game.emit({ subject: 'player', action: 'die' }, { support: true });
}
