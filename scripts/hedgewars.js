// Hedgewars: turns, weapons, shots, the teams' health, the wind, deaths and crates.

/** Seconds that a statement may lie in the past: what moves is told when it stands still, and names are waited for. */
const lookback = 120;

/** Seconds that pass before anything is said of a team, and again while its name has not been read. */
const PATIENCE = 6;

function onCue(cue, game) {
  const [, what, row] = /^(\w+) (\w+)$/.exec(cue.detector) ?? [cue.detector, cue.detector];
  if (what === 'timer') onTimer(cue, game);
  if (what === 'wind') settle('wind', cue, game);
  if (what === 'bar' || what === 'badge') onBar(row, cue, game);
  if (what === 'name' && cue.trigger !== 'lost') onName(row, cue, game);
  if (what === 'weapon' && cue.trigger !== 'lost') onWeapon(cue, game);
  if (what === 'caption' && cue.trigger !== 'lost') onCaption(row, cue, game);
}

// Who is who: a team is told by its colour; its name stands beside its bar and is read again and again.

/** What was read beside the bar of each colour: how sure each name is, over all readings. */
const names = {};

function onName(row, { value, confidence }, game) {
  const color = game.reading(`badge ${row}`);
  const word = /(\p{L}[\p{L}\p{M}]+)$/u.exec(value)?.[1];
  if (color === undefined || word === undefined) return;
  const name = word[0].toUpperCase() + word.slice(1);
  names[color] ??= {};
  names[color][name] = (names[color][name] ?? 0) + confidence;
}

function team(color) {
  const [best] = Object.entries(names[color] ?? {}).sort((a, b) => b[1] - a[1]);
  return best === undefined ? { word: 'team' } : { word: 'team', name: best[0] };
}

/** What waits for a team's name. */
const waiting = [];

/** Says what a team did or met at t, once its name is known or the time for waiting is over. */
function tell(color, make, t, cues, game) {
  waiting.push({ color, make, t, cues });
  game.after(PATIENCE, look);
}

function look(game, isOver = false) {
  for (const one of waiting.splice(0)) {
    const { color, make, t, cues } = one;
    const isDue = names[color] !== undefined ? game.t >= t + PATIENCE : game.t > t + lookback - 2 * PATIENCE;
    if (isDue || isOver) game.emit(make(team(color)), { t, cues });
    else waiting.push(one);
  }
  if (waiting.length > 0 && !isOver) game.after(PATIENCE, look);
}

function onEnd(game) {
  look(game, true);
}

// Turns. The clock at the bottom left is there only while somebody may act; a shot cuts it to three seconds of retreat.

/** Seconds within which the weapon's name, in the team's colour, appears when a turn begins. */
const WEAPON_LATE = 0.5;

/** Seconds by which it may be read before the clock. */
const WEAPON_EARLY = 0.2;

function onTimer(cue, game) {
  const { trigger, value, previous, t } = cue;
  if (trigger === 'found' || value > previous + 1) {
    const turn = { t, fired: false, weapon: shownNow(game) };
    game.state.turn = turn;
    game.after(WEAPON_LATE, (later) => {
      turn.color = later.reading(`ink ${rowSince(t, later)}`);
      if (turn.color === undefined) return;
      tell(turn.color, (who) => ({ subject: { word: 'turn', of: who }, action: 'begin' }), t, [cue], later);
    });
  } else if (trigger === 'changed' && value < previous - 1) shot(t, [cue], game);
}

/** The weapon whose name has just appeared: the captions may be read a sample before the clock. */
function shownNow(game) {
  const just = (row) => game.recent(WEAPON_EARLY, `weapon ${row}`).filter(({ trigger }) => trigger !== 'lost');
  return [...just(1), ...just(2)].at(-1)?.detail?.weapon;
}

/** The row of captions in which a team's colour appeared first since t; what else looks like one is scenery. */
function rowSince(t, game) {
  const since = (row) => game.since(`ink ${row}`);
  const rows = ['1', '2'].filter((row) => game.reading(`ink ${row}`) !== undefined && since(row) >= t - WEAPON_LATE);
  return rows.sort((a, b) => since(a) - since(b))[0] ?? '1';
}

/** The first shot of a turn. */
function shot(t, cues, game) {
  const { turn } = game.state;
  if (turn === undefined || turn.fired || turn.color === undefined) return;
  turn.fired = true;
  const means = turn.weapon === undefined ? {} : { with: turn.weapon };
  tell(turn.color, (who) => ({ subject: who, action: 'attack', ...means }), t, cues, game);
}

/** The weapon's name is shown when a turn begins and whenever another is taken: "Watermelon Bomb, 3 sec" (weapons.json). */
function onWeapon(cue, game) {
  const { turn } = game.state;
  const weapon = cue.detail?.weapon;
  if (turn === undefined || weapon === undefined || weapon === turn.weapon) return;
  const isChosen = cue.t > turn.t + WEAPON_LATE && !turn.fired;
  turn.weapon = weapon;
  if (!isChosen) return;
  const make = (who) => ({ subject: who, action: 'equip', object: weapon });
  game.after(WEAPON_EARLY, (later) => {
    if (later.state.turn === turn) tell(turn.color, make, cue.t, [cue], later);
  });
}

// Gauges. They move to a new value for up to two seconds; it counts from when they began, and is read when they stand.

/** Seconds without movement after which a gauge stands. */
const STILL = 0.7;

/** The least change, in percent: a pixel of the wind's gauge is one and a half. */
const LEAST = 2;

/** What each gauge (wind, or a team's colour) stood at, and since when it moves. */
const gauges = {};

function wind(game) {
  return (game.reading('wind right') ?? 0) - (game.reading('wind left') ?? 0);
}

function settle(key, cue, game, value = () => wind(game)) {
  const gauge = (gauges[key] ??= { at: undefined });
  gauge.now = value();
  const moves = gauge.at === undefined || Math.abs(gauge.now - gauge.at) >= LEAST;
  // A pixel more or less, now and then, is no movement.
  if (!moves && gauge.timer === undefined) return;
  if (moves && gauge.began === undefined) Object.assign(gauge, { began: cue.t, cue });
  if (gauge.timer !== undefined) game.cancel(gauge.timer);
  gauge.timer = game.after(STILL, (later) => stands(key, gauge, cue, later));
}

function stands(key, gauge, last, game) {
  const { at, now, began, cue } = gauge;
  Object.assign(gauge, { began: undefined, timer: undefined });
  if (at !== undefined && Math.abs(now - at) < LEAST) return;
  gauge.at = now;
  // When a match is over the picture goes dark, and the gauges with it.
  if (at === undefined || game.state.over) return;
  const change = { from: at, to: now };
  if (key === 'wind') game.emit({ subject: 'level', property: 'wind', ...change }, { t: began, cues: [cue, last] });
  else tell(key, (who) => ({ subject: who, property: 'health', ...change }), began, [cue, last], game);
}

/** Seconds that a team's bar is away, while others stand, when the team is out. */
const OUT = 2;

/** Seconds from the first bar within which all have been seen. */
const GATHER = 10;

const ROWS = ['1', '2', '3'];

/** The rows change places when one team's health falls below another's: a bar belongs to the colour that it has. */
function onBar(row, cue, game) {
  if (cue.detector.startsWith('badge') && gauges[cue.previous]?.at > 0 && !game.state.over)
    game.after(OUT, (later) => isOut(cue.previous, cue, later));
  const color = game.reading(`badge ${row}`);
  const value = game.reading(`bar ${row}`);
  if (color === undefined || value === undefined) return;
  game.state.began ??= cue.t;
  // No team comes later: what looks like one more row is scenery.
  if (gauges[color] === undefined && cue.t > game.state.began + GATHER) return;
  settle(color, cue, game, () => value);
}

/** A team without health has no row. */
function isOut(color, cue, game) {
  const shown = ROWS.map((row) => game.reading(`badge ${row}`));
  const gauge = gauges[color];
  if (gauge === undefined || shown.includes(color) || shown.every((one) => one === undefined)) return;
  const { at, began = cue.t, timer } = gauge;
  if (timer !== undefined) game.cancel(timer);
  delete gauges[color];
  tell(color, (who) => ({ subject: who, property: 'health', from: at, to: 0 }), began, [cue], game);
}

// Captions. Each happening is worded in a hundred ways, in every language; captions.json has them all, with what they tell.

/** Seconds within which the same caption is the same happening. */
const AGAIN = 6;

function onCaption(row, cue, game) {
  const { tells, text, rounds, slots } = cue.detail ?? {};
  const shown = game.since(`white ${row}`);
  const t = shown !== undefined && cue.t - shown < 0.6 ? shown : cue.t;
  if (tells === 'rounds') onRounds(rounds ?? Number(/\d+/.exec(slots.rounds)?.[0]), t, cue, game);
  else if (tells === 'sudden death')
    once('sudden death', { subject: 'hedgewars:sudden death', action: 'begin' }, t, cue, game);
  else if (tells === 'shot') shot(t, [cue], game);
  else if (tells !== undefined) happens({ kind: tells, name: nameIn(text, slots.name), mark: text }, t, cue, game);
}

/** They become fewer, five at a time at most: a border beside the figure may look like another digit, or hide one. */
function onRounds(rounds, t, cue, game) {
  const { rounds: before } = game.state;
  if (!(rounds < (before ?? 100)) || rounds < before - 5) return;
  game.state.rounds = rounds;
  game.emit({ subject: 'match', property: 'hedgewars:rounds till sudden death', to: rounds }, { t, cues: [cue] });
}

/** The name beside a phrase; what stands further off, and what looks like one more capital, is border and scenery. */
function nameIn(text, read = '') {
  const words = read
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => /\p{L}{2}|^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u.test(word));
  const word = text.startsWith('{') ? words.at(-1) : words[0];
  return word?.replace(/^\p{L}(?=\p{Lu}\p{Ll})/u, '') ?? '';
}

function happens({ kind, name, mark }, t, cue, game) {
  const hog = { word: 'hedgewars:hedgehog', ...(name === '' ? {} : { name }) };
  const statement = {
    die: { subject: hog, action: 'die' },
    drown: { subject: hog, action: 'drown' },
    begin: { subject: 'match', action: 'begin' },
    win: { subject: { word: 'team', name: known(name) }, action: 'win', object: 'match' },
    draw: { subject: 'match', action: 'end' },
    health: { subject: 'hedgewars:health crate', action: 'appear' },
    weapon: { subject: 'hedgewars:weapon crate', action: 'appear' },
    utility: { subject: 'hedgewars:utility crate', action: 'appear' },
  }[kind];
  if (kind === 'begin') Object.assign(game.state, { over: false, rounds: undefined });
  if (kind === 'win' || kind === 'draw') game.state.over = true;
  // Two crates in a row are worded differently, two readings of one caption are not.
  once(`${kind} ${{ win: '', draw: '', begin: '' }[kind] ?? (name === '' ? mark : name)}`, statement, t, cue, game);
}

/** The team's name that a word ends with, if any: a border beside it may look like a letter. */
function known(word) {
  const teams = Object.keys(names).map((color) => team(color).name);
  return teams.find((name) => name !== undefined && word.endsWith(name)) ?? word;
}

/** A caption may be misread, or begin again, between two readings. */
function once(key, statement, t, cue, game) {
  const said = (game.state.said ??= {});
  if (said[key] !== undefined && t - said[key] < AGAIN) return;
  said[key] = t;
  game.emit(statement, { t, cues: [cue] });
}
