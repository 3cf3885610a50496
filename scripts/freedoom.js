// Freedoom and Doom: what the status bar and the messages in the top left corner mean.

/** What a pick-up message says was obtained. */
const PICK_UPS = {
  'PICKED UP AN AMMO CLIP.': 'freedoom:clip',
  'PICKED UP A BOX OF AMMO.': 'freedoom:box of bullets',
  'PICKED UP SOME SHOTGUN SHELLS.': 'shell',
  'PICKED UP A BOX OF SHOTGUN SHELLS.': 'freedoom:box of shells',
  'PICKED UP A MISSILE.': 'rocket',
  'PICKED UP A CRATE OF MISSILES.': 'freedoom:box of rockets',
  'PICKED UP A SMALL ENERGY RECHARGE.': 'energy cell',
  'PICKED UP A LARGE ENERGY RECHARGE.': 'freedoom:cell pack',
  'YOU FOUND A BACKPACK!': 'backpack',
  'PICKED UP A LIGHT ARMOR VEST.': 'freedoom:green armor',
  'PICKED UP A HEAVY ARMOR VEST.': 'freedoom:blue armor',
  'GOT A 1% HEALTH BONUS.': 'health bonus',
  'GOT A 1% ARMOR BONUS.': 'armor bonus',
  'PICKED UP A SMALL HEALTH PACK.': 'stimpack',
  'PICKED UP A LARGE HEALTH PACK.': 'medikit',
  'FOUND A LARGE HEALTH PACK, JUST IN TIME!': 'medikit',
  'YOU GOT THE OVERDRIVE SPHERE!': 'freedoom:soulsphere',
  'YOU GOT THE ULTRA-OVERDRIVE SPHERE!': 'freedoom:megasphere',
  'YOU ARE UNTOUCHABLE!': 'freedoom:invulnerability sphere',
  "PUNCH 'EM TO DEATH!": 'freedoom:berserk pack',
  'YOU GOT THE STEALTH SPHERE!': 'freedoom:partial invisibility',
  'PICKED UP A HAZARD SUIT.': 'freedoom:radiation suit',
  'GOT THE TACTICAL SURVEY MAP.': 'freedoom:computer area map',
  'GOT THE NIGHT VISION GOGGLES.': 'freedoom:light amplification visor',
  'PICKED UP A BLUE PASSCARD.': 'freedoom:blue keycard',
  'PICKED UP A YELLOW PASSCARD.': 'freedoom:yellow keycard',
  'PICKED UP A RED PASSCARD.': 'freedoom:red keycard',
  'PICKED UP A BLUE SKELETON KEY.': 'freedoom:blue skull key',
  'PICKED UP A YELLOW SKELETON KEY.': 'freedoom:yellow skull key',
  'PICKED UP A RED SKELETON KEY.': 'freedoom:red skull key',
  'YOU GOT THE PUMP-ACTION SHOTGUN!': 'shotgun',
  'YOU GOT THE DOUBLE-BARRELLED SHOTGUN!': 'double-barrelled shotgun',
  'YOU GOT THE MINIGUN!': 'chaingun',
  'YOU GOT THE MISSILE LAUNCHER!': 'rocket launcher',
  'YOU GOT THE POLARIC ENERGY CANNON!': 'plasma gun',
  'THE SKAG 1337 ... TIME TO KICK SOME ASS!': 'freedoom:BFG',
  'YOU GOT THE ANGLE GRINDER!': 'chainsaw',
};

const LOCKED = /^THIS (DOOR|OBJECT) REQUIRES (?:A|THE) (BLUE|RED|YELLOW) (KEY|PASSCARD|SKELETON KEY)\.$/;
const KEYS = { PASSCARD: 'keycard', 'SKELETON KEY': 'skull key' };

/** The rows of the small table: which ammunition the big figure may be showing. */
const ROWS = ['bullets', 'shells', 'rockets', 'cells'];
/** Seconds within which the big figure and its row of the table change together. */
const TOGETHER = 0.15;

/** Seconds for which a message stands. */
const STANDS = 4.5;

/** Which figure rises when an item is obtained, and by how much at most: the same message drawn again shows only there. */
const RISES = [
  [/AMMO CLIP/, 'bullets', 20],
  [/BOX OF AMMO/, 'bullets', 100],
  [/MINIGUN/, 'bullets', 40],
  [/BOX OF SHOTGUN SHELLS/, 'shells', 40],
  [/SHELLS|SHOTGUN/, 'shells', 16],
  [/A MISSILE/, 'rockets', 2],
  [/MISSILE/, 'rockets', 10],
  [/SMALL ENERGY/, 'cells', 40],
  [/ENERGY|SKAG/, 'cells', 200],
  [/HEALTH BONUS/, 'health', 3],
  [/SMALL HEALTH/, 'health', 10],
  [/LARGE HEALTH/, 'health', 25],
  [/OVERDRIVE/, 'health', 199],
  [/ARMOR BONUS/, 'armor', 3],
  [/ARMOR/, 'armor', 200],
];
/** Seconds between a figure and the message of the same pick-up, at most. */
const SAME_PICK_UP = 0.35;

/** Without a status bar the figures stand bare upon the scene, or as lines of text: each by a detector of its own, `bare health`. */
const LAYOUTS = ['', 'bare ', 'text '];
const LAID_OUT = ['health', 'armor', 'ammunition', ...ROWS];

/** What a cue is about, in whichever layout it is shown. */
function elementOf({ detector }) {
  return detector.replace(/^(?:bare|text) /, '');
}

/** What an element shows, in the layout that is on the screen. */
function shown(name, game) {
  const names = LAID_OUT.includes(name) ? LAYOUTS.map((layout) => layout + name) : [name];
  return names.map((one) => game.reading(one)).find((value) => value !== undefined);
}

function onCue(cue, game) {
  onRise(cue, game);
  support(cue, game);
  const element = elementOf(cue);
  if (cue.trigger !== 'lost') (game.state.figures ??= {})[element] = cue.value;
  if (element === 'ammunition' || ROWS.includes(element)) onHand(cue, game);
  if (BAR.includes(cue.detector)) onStatusBar(cue, game);
  else if (SCREENS.includes(element)) onScreen(cue, game);
  else if (element === 'level name') onLevelName(cue, game);
  else if (element in PERCENT) onPercent(cue, game);
  else if (element.endsWith(' key')) onKey(cue, game);
  else if (cue.detector.startsWith('arms ')) onArms(cue, game);
  else if (element === 'weapons') onWeapons(cue, game);
  else if (element === 'message') onMessage(cue, game);
  else if (element === 'health') onHealth(cue, game);
  else if (element === 'armor') onChange(cue, game);
  else if (element === 'frags') onFrags(cue, game);
  else if (element === 'ammunition') onAmmunition(cue, game);
  else onRow(cue, game);
}

/** The tally after a level, and the screen that names the next. */
const SCREENS = ['tally', 'entering'];
/** Seconds within which a level's name is read off the screen that says that it is finished, and the heading beside it. */
const NAMED = 1;
const HEADED = 0.2;
/** Seconds between a key's message and its picture on the status bar, at most. */
const SAME_KEY = 1;
/** Seconds for which the figures of a new life may still be covered in part. */
const MELTING = 0.2;

/** What the tally counts up to, in percent. */
const PERCENT = {
  'tally kills': 'freedoom:kill percentage',
  'tally items': 'freedoom:item percentage',
  'tally secrets': 'freedoom:secret percentage',
};

function onPercent(cue, game) {
  if (cue.trigger !== 'lost') game.emit({ subject: 'player', property: PERCENT[cue.detector], to: cue.value });
}

function onScreen(cue, game) {
  if (cue.trigger === 'lost') return;
  if (cue.detector === 'tally' && cue.trigger === 'found') {
    game.state.finished = undefined;
    game.after(NAMED, () => {
      const { finished } = game.state;
      const cues = [cue, finished].filter(Boolean);
      const object = finished?.value ?? 'level';
      game.emit({ subject: 'player', action: 'complete', object }, { t: cue.t, cues });
    });
  }
  game.state.between = true;
  game.state.level = undefined;
}

/** Which level the screen between levels names: the one that was finished, or the next. */
function onLevelName(cue, game) {
  if (cue.trigger === 'lost') return;
  game.after(HEADED, () => {
    if (game.reading('entering') === undefined) game.state.finished = cue;
    else game.state.level = cue.value;
  });
}

/** What shows that there is a HUD: two places of the status bar, far from each other, or what stands beside the health without it. */
const BAR = ['status bar', 'left of the bar', 'bare percent', 'text label'];
/** Seconds in which the old screen runs down over the status bar. */
const WIPE = 0.6;

/**
 * A level begins where the whole status bar comes first, after the tally, or after death; it can also be hidden for a while.
 * What is there from the first picture on says nothing about when its level began.
 */
function onStatusBar(cue, game) {
  const { state } = game;
  if (cue.trigger === 'lost') {
    if (!BAR.some((name) => game.reading(name) !== undefined)) onBarGone(cue, game);
    return;
  }
  if (cue.trigger !== 'found') return;
  if (state.away?.to === undefined || cue.t - state.away.to <= WIPE) state.away = { ...state.away, to: cue.t };
  if (state.coming !== undefined) {
    state.coming.push(cue);
    return;
  }
  state.coming = [cue];
  // The new life's figures may be seen before the whole bar is.
  const lives = state.dead || cue.t - state.respawned <= WIPE;
  const begins = (state.played !== true && cue.first !== true) || state.between || lives;
  state.played = true;
  state.between = false;
  state.dead = false;
  game.after(WIPE, () => {
    const cues = state.coming;
    state.coming = undefined;
    const t = Math.max(...cues.map((one) => one.t));
    state.away.renewed = isRenewed(state.away, game);
    if (state.away.renewed) tellHand(game);
    // Neither a tally nor a death before it: another game, in a level that nothing names.
    if (state.away.renewed && !begins) state.level = undefined;
    if (state.away.renewed) Object.assign(state, { row: undefined, weapon: undefined, hand: undefined });
    if (begins || state.away.renewed) state.held = KEYS_SHOWN.map((name) => game.reading(name)).filter(Boolean);
    if (begins || (state.away.renewed && isWiped(state.away)))
      game.emit({ subject: state.level ?? 'level', action: 'begin' }, { t, cues });
  });
}

/** Figures by which it is told whether what comes after the bar was away is what was there before. */
const FIGURES = ['health', 'armor', ...ROWS];
/** Seconds for which the bar is away at least where the old screen runs down. */
const RUNS_DOWN = 0.4;

/** And at most; what is away for longer was covered by another picture, under which the game went on. */
const ANOTHER_PICTURE = 2.5;

function isWiped({ from, to }) {
  return to - from <= ANOTHER_PICTURE;
}

function onBarGone(cue, game) {
  game.state.away = { from: cue.t, figures: FIGURES.map((name) => game.state.figures?.[name]) };
}

/** Without a tally: a game was loaded, or the player went to another level by a word. A help screen leaves the figures as they were. */
function isRenewed({ from, to, figures }, game) {
  return figures !== undefined && to - from >= RUNS_DOWN && FIGURES.some((name, i) => shown(name, game) !== figures[i]);
}

/** Seconds after which it is known that the bar went. */
const GONE = 0.9;
/** Seconds for which a figure's change waits at most. */
const LONGEST = 6;

/** Seconds within which a figure that is what it was before was misread in between: what is lost and found again differs. */
const MISREAD = 0.25;

/** Says that a figure changed, unless another game or level came into the place of the one that it belongs to. */
function unlessRenewed(statement, t, cues, game) {
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

function tellSettled(game, until) {
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

function onEnd(game) {
  tellDeath(game);
  tellHand(game);
  tellSettled(game, Infinity);
}

/** What shows the keys that are held. */
const KEYS_SHOWN = ['blue key', 'yellow key', 'red key'];

/** A key on the status bar whose message was not seen: covered by another, or messages are off. */
function onKey(cue, game) {
  if (cue.trigger === 'lost') return;
  // What was held before a screen covered the bar is not obtained when it comes back.
  const held = (game.state.held ??= []);
  const isHeld = held.includes(cue.value);
  if (!isHeld) held.push(cue.value);
  if (isHeld || cue.first) return;
  game.after(SAME_KEY, () => {
    const told = (game.state.keys ?? []).some((key) => key.object === cue.value && Math.abs(key.t - cue.t) <= SAME_KEY);
    if (!told) game.emit({ subject: 'player', action: 'obtain', object: cue.value }, { t: cue.t, cues: [cue] });
  });
}

/** What says of a weapon that it was obtained: the words of its slot on the status bar, of which each is one. */
const SLOTS = {
  shotgun: ['shotgun', 'double-barrelled shotgun'],
  chaingun: ['chaingun'],
  'rocket launcher': ['rocket launcher'],
  'plasma gun': ['plasma gun'],
  'freedoom:BFG': ['freedoom:BFG'],
};

/** The weapon of each number. */
const NUMBERS = { 3: 'shotgun', 4: 'chaingun', 5: 'rocket launcher', 6: 'plasma gun', 7: 'freedoom:BFG' };
/** Numbers under ARMS. */
const ARMS = ['arms 3', 'arms 4', 'arms 5', 'arms 6', 'arms 7'];
/** The weapons that share their ammunition with one that may be in hand already. */
const FIRES = { chaingun: 'bullets', 'freedoom:BFG': 'cells' };
const WEAPONS = [...Object.values(SLOTS).flat(), 'chainsaw'];

/** A number under ARMS turned yellow and no message told of the weapon. What the next level begins with was found before. */
function onArms(cue, game) {
  if (cue.trigger === 'found' && cue.value === 'none') knowInHand(game);
  if (cue.trigger === 'changed' && cue.previous === 'none') onOwned(cue.value, cue, game);
}

/** Without the bar, the numbers of all weapons owned in a line of text. */
function onWeapons(cue, game) {
  if (cue.trigger === 'found') knowInHand(game);
  if (cue.trigger !== 'changed') return;
  for (const number of cue.value.split(' '))
    if (!cue.previous.includes(number) && number in NUMBERS) onOwned(NUMBERS[number], cue, game);
}

/** Whether it is known that the weapon of a number is not owned. Upon the scene only the numbers of those that are can be read. */
function isMissing(number, game) {
  if (game.reading('bare percent') !== undefined) return game.reading(`bare arms ${number}`) === undefined;
  return game.reading(`arms ${number}`) === 'none' || game.reading('text weapons')?.includes(number) === false;
}

/** What was in hand before the numbers could be read is known now. */
function knowInHand(game) {
  if (game.state.weapon === 'gun' && isMissing('4', game)) game.state.weapon = 'pistol';
  if (game.state.weapon === 'energy gun' && isMissing('7', game)) game.state.weapon = 'plasma gun';
}

function onOwned(word, cue, game) {
  game.after(SAME_KEY, () => {
    const weapons = (game.state.weapons ??= []);
    // Once told it is not told again, however late or often the number is seen to turn.
    const told = weapons.some(({ object }) => SLOTS[word].includes(object));
    if (!told) game.emit({ subject: 'player', action: 'obtain', object: word }, { t: cue.t, cues: [cue] });
    if (!told) weapons.push({ t: cue.t, object: word });
    raise(word, cue, game);
  });
}

/** A weapon obtained for the first time is raised at once, also where the big figure stays because it fires the same. */
function raise(word, cue, game) {
  const { state } = game;
  const before = state.weapon;
  if (before === undefined || before === word || state.row !== FIRES[word]) return;
  const message = state.weapons?.findLast(
    (weapon) => SLOTS[word].includes(weapon.object) && Math.abs(weapon.t - cue.t) <= SAME_KEY,
  );
  state.weapon = word;
  if (state.raised !== undefined) return;
  game.emit(
    { subject: 'player', property: 'weapon', from: { word: before }, to: { word } },
    { t: message?.t ?? cue.t, cues: [cue] },
  );
}

/** Seconds for which a figure must stand beside another row than before to tell of another weapon. */
const IN_HAND = 0.3;

/**
 * The weapon in hand shows in the big figure: it is that of one row, or there is none. Where two rows show the same, and
 * where two weapons fire the same, it says no more than is sure. Shots in the meantime change figure and row alike.
 */
function onHand(cue, game) {
  const { state } = game;
  if (elementOf(cue) === 'ammunition') state.figure = cue;
  const row = rowInHand(game);
  if (row === undefined || row === state.hand?.row) return;
  game.cancel(state.handTimer);
  state.hand = row === state.row || state.figure === undefined ? undefined : { row, since: state.figure };
  if (state.hand !== undefined) state.handTimer = game.after(IN_HAND, settleHand);
}

/** Seconds after which it is looked again where figure and row do not fit each other yet. */
const AGAIN = 0.1;

function settleHand(game) {
  const { state } = game;
  const row = rowInHand(game);
  if (row === undefined) {
    if (game.t - state.hand.since.t < 1) state.handTimer = game.after(AGAIN, settleHand);
    else state.hand = undefined;
    return;
  }
  const { since } = state.hand;
  state.hand = undefined;
  if (row === state.row || state.dead || state.between) return;
  tellHand(game);
  const before = state.weapon;
  state.row = row;
  state.weapon = weaponOf(row, since.t, game);
  if (before === undefined || before === state.weapon) return;
  state.raised = { before, since };
  game.after(LATE, () => state.raised?.since === since && tellHand(game));
}

/** Seconds in which a number under ARMS may still tell which weapon was raised: it turns before, but may be read late. */
const LATE = 1.5;

function tellHand(game) {
  const { raised, weapon } = game.state;
  if (raised === undefined) return;
  game.state.raised = undefined;
  game.emit(
    { subject: 'player', property: 'weapon', from: { word: raised.before }, to: { word: weapon } },
    { t: raised.since.t, cues: [raised.since] },
  );
}

/** The one row that shows what the big figure does, `none` where there is no big figure; undefined where that is open. */
function rowInHand(game) {
  if (shown('bullets', game) === undefined) return undefined;
  const figure = shown('ammunition', game);
  if (figure === undefined) return 'none';
  const rows = ROWS.filter((name) => shown(name, game) === figure);
  return rows.length === 1 ? rows[0] : undefined;
}

/** Seconds between a weapon's message and its being raised, at most: the one in hand fires to the end (a double-barrelled shotgun 1.6 s) and is put away. */
const RAISED = 2.3;

function weaponOf(row, t, game) {
  const obtained = (game.state.weapons ?? []).findLast((weapon) => Math.abs(weapon.t - t) <= RAISED)?.object;
  switch (row) {
    case 'bullets':
      if (obtained === 'chaingun') return 'chaingun';
      return isMissing('4', game) ? 'pistol' : 'gun';
    case 'shells':
      return 'shotgun';
    case 'rockets':
      return 'rocket launcher';
    case 'cells':
      if (obtained === 'freedoom:BFG' || obtained === 'plasma gun') return obtained;
      return isMissing('7', game) ? 'plasma gun' : 'energy gun';
    default:
      return obtained === 'chainsaw' ? 'chainsaw' : 'melee weapon';
  }
}

function onChange(cue, game) {
  // What the next level begins with did not change before anyone's eyes.
  if (cue.trigger !== 'changed' || game.state.between || isOfNewLife(cue.t, game)) return;
  const statement = { subject: 'player', property: elementOf(cue), from: cue.previous, to: cue.value };
  unlessRenewed(statement, cue.t, [cue], game);
}

/** In a deathmatch frags stand in the place of the numbers under ARMS. */
function onFrags(cue, game) {
  if (cue.trigger !== 'changed' || ARMS.some((name) => game.reading(name) !== undefined)) return;
  unlessRenewed({ subject: 'player', property: 'score', from: cue.previous, to: cue.value }, cue.t, [cue], game);
}

/** The old picture runs down over the new one, so figures of a new life may show in part, or late. */
function isOfNewLife(t, { state }) {
  // What changed with death itself was still of the old one.
  return (t - state.respawned < MELTING && t > state.died) || (state.dead && t > state.died + MELTING);
}

function onHealth(cue, game) {
  if (cue.trigger === 'changed' && cue.previous === 0) {
    if (isAliveAfterAll(cue, game)) return;
    game.state.weapons = [];
    game.state.held = [];
    // In a deathmatch a new life begins without a new picture; what it begins with is no switch.
    game.cancel(game.state.handTimer);
    tellHand(game);
    Object.assign(game.state, { dead: false, row: undefined, weapon: undefined, hand: undefined });
    game.emit({ subject: 'player', action: 'respawn' });
    game.state.respawned = cue.t;
    // Who is dead neither fires nor loses armor: what changed since is what the new life begins with.
    const begun = ({ t, statement }) => statement.property !== 'score' && t > game.state.died + MELTING;
    game.state.waiting = (game.state.waiting ?? []).filter((one) => !begun(one));
    return;
  }
  onChange(cue, game);
  if (cue.trigger !== 'lost' && cue.value === 0) Object.assign(game.state, { dead: true, died: cue.t });
  if (cue.trigger !== 'lost' && cue.value === 0) {
    game.state.dying = { cue, timer: game.after(MISREAD, () => tellDeath(game)) };
  }
}

function tellDeath(game) {
  const { dying } = game.state;
  game.state.dying = undefined;
  if (dying) game.emit({ subject: 'player', action: 'die' }, { t: dying.cue.t, cues: [dying.cue] });
}

/** A figure of which for a sample or two no more than its last nought was read is no death. */
function isAliveAfterAll(cue, game) {
  const { dying, waiting = [] } = game.state;
  // Who begins anew at once, as in a deathmatch, has another health than before.
  if (!dying || cue.t - dying.cue.t > MISREAD || cue.value !== dying.cue.previous) return false;
  game.cancel(dying.timer);
  const since = ({ t, statement }) => statement.property === 'health' && t >= dying.cue.t;
  Object.assign(game.state, { dying: undefined, dead: false, waiting: waiting.filter((one) => !since(one)) });
  return true;
}

/**
 * The big figure also changes with the weapon in hand. Then no row of the table changes: one shows the new figure, and
 * another still the old one.
 */
function onAmmunition(cue, game) {
  if (cue.trigger !== 'changed') return;
  game.after(TOGETHER, () => {
    const row = (game.state.rows ?? []).find(
      (other) => Math.abs(other.t - cue.t) <= TOGETHER && other.value === cue.value && other.previous === cue.previous,
    );
    const rows = (game.state.rows ?? []).filter((other) => other.t >= cue.t && other.t <= cue.t + TOGETHER);
    const shows = (value) =>
      ROWS.some((name) => shown(name, game) === value) || rows.some((other) => other.previous === value);
    if (row === undefined && shows(cue.value) && shows(cue.previous)) return;
    if (isTableHidden(game) && !isUseOrPickUp(cue, game)) return;
    if (isOfNewLife(cue.t, game)) return;
    const steps = stepsTo(cue, game);
    for (const step of steps.slice(0, -1)) tellAmmunition(step, step.t, [step], game);
    const last = steps.at(-1) ?? row;
    tellAmmunition(steps.at(-1) ?? cue, cue.t, last === undefined ? [cue] : [cue, last], game);
  });
}

/** A webcam's picture over the right end of the bar hides the small table. */
function isTableHidden(game) {
  const isSeen = (game.state.rows ?? []).some((row) => game.t - row.t < REMEMBERED);
  return !isSeen && ROWS.every((name) => shown(name, game) === undefined);
}

/** Shots between two samples, at most, and what the greatest gun takes for one. */
const SHOTS = 5;
const GREATEST = 40;

/** Without the table another weapon's figure is known by the size of the step. */
function isUseOrPickUp({ t, previous, value }, game) {
  const { message, weapons = [] } = game.state;
  if (value < previous) return previous - value <= SHOTS || previous - value === GREATEST;
  const [, figure, most] = RISES.find(([words]) => words.test(message?.value ?? '')) ?? [];
  if (!ROWS.includes(figure) || t - message.t > STANDS || value - previous > most) return false;
  // A weapon's figure comes with the weapon where it is the first of its kind.
  const object = PICK_UPS[message.value];
  return !WEAPONS.includes(object) || weapons.filter((one) => one.object === object).length > 1;
}

function tellAmmunition({ previous, value }, t, cues, game) {
  unlessRenewed({ subject: 'player', property: 'ammunition', from: previous, to: value }, t, cues, game);
}

/** Seconds for which a row's changes are remembered. */
const REMEMBERED = 2.5;

/** The changes of a row by which the big figure came to its new value: it cannot always be read as soon as the small one. */
function stepsTo(cue, { state }) {
  for (const name of ROWS) {
    const own = (state.rows ?? []).filter((other) => elementOf(other) === name && cue.t - other.t < REMEMBERED);
    const steps = [];
    for (let i = own.findLastIndex((other) => other.value === cue.value); i >= 0; i--) {
      if (steps.length > 0 && own[i].value !== steps[0].previous) break;
      steps.unshift(own[i]);
      if (own[i].previous === cue.previous) return steps;
    }
  }
  return [];
}

function onRow(cue, game) {
  if (!ROWS.includes(elementOf(cue)) || cue.trigger !== 'changed') return;
  game.state.rows = [...(game.state.rows ?? []).filter((other) => cue.t - other.t < REMEMBERED), cue];
}

/** A figure rises while the message of such an item stands already: the item was obtained once more. */
function onRise(cue, game) {
  if (cue.trigger !== 'changed' || !(cue.value > cue.previous)) return;
  game.after(SAME_PICK_UP, () => {
    const { message } = game.state;
    if (!message || message.value === undefined || Math.abs(message.t - cue.t) <= SAME_PICK_UP || message.t > cue.t)
      return;
    const object = PICK_UPS[message.value];
    const [, figure, most] = RISES.find(([words]) => words.test(message.value)) ?? [];
    // Another item at the same time, whose own message was covered, raises the figure by more.
    if (object === undefined || figure !== elementOf(cue) || cue.value - cue.previous > most) return;
    game.emit({ subject: 'player', action: 'obtain', object }, { t: cue.t, cues: [message, cue] });
  });
}

/** Seconds after the bar went in which a message upon the scene is one that runs down with it, or stood before. */
const STOOD = 1.5;

function isOfBar(cue, game) {
  const { away } = game.state;
  const isBare = game.reading('bare percent') !== undefined || game.reading('text label') !== undefined;
  const hasBar = game.reading('status bar') !== undefined || game.reading('left of the bar') !== undefined;
  return cue.detector === 'bare message' && !isBare && (hasBar || cue.t - (away?.from ?? -STOOD) < STOOD);
}

function onMessage(cue, game) {
  if (isOfBar(cue, game)) return;
  game.state.message = cue;
  if (cue.trigger === 'lost') return;
  const object = PICK_UPS[cue.value];
  if (object !== undefined) game.emit({ subject: 'player', action: 'obtain', object });
  if (WEAPONS.includes(object)) game.state.weapons = [...(game.state.weapons ?? []), { t: cue.t, object }].slice(-40);
  if (/ (keycard|skull key)$/.test(object))
    game.state.keys = [...(game.state.keys ?? []), { t: cue.t, object }].slice(-6);
  const locked = LOCKED.exec(cue.value);
  if (locked === null) return;
  const [, barrier, colour, key] = locked;
  const needed = key === 'KEY' ? 'key' : `freedoom:${colour.toLowerCase()} ${KEYS[key]}`;
  game.emit({ subject: barrier === 'DOOR' ? 'door' : 'switch', action: 'require', object: needed });
}

/** What a figure that rises tells of a pick-up: of which sort it was, which makes the message surer. */
function support(cue, game) {
  if (cue.trigger !== 'changed' || !(cue.value > cue.previous)) return;
  const object = { health: 'healing item', armor: 'armor' }[elementOf(cue)];
  const gain = ROWS.includes(elementOf(cue)) ? 'ammunition' : object;
  if (gain !== undefined) game.emit({ subject: 'player', action: 'obtain', object: gain }, { support: true });
}
