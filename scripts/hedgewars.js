// Hedgewars: turns, weapons, shots, the teams' health, the wind, deaths and crates.

/** Maximum age of a statement in seconds: gauges are reported once they stop, and statements wait for team names. */
const lookback = 120;

/** Interval in which a statement about a team waits for the team's name. */
const NAME_WAIT_SECONDS = 6;

function onCue(cue, game) {
  const [, what, row] = /^(\w+) (\w+)$/.exec(cue.detector) ?? [cue.detector, cue.detector];
  if (what === 'timer') onTimer(cue, game);
  if (what === 'wind') updateGauge('wind', cue, game);
  if (what === 'bar' || what === 'badge') onBar(row, cue, game);
  if (what === 'name' && cue.trigger !== 'lost') onName(row, cue, game);
  if (what === 'weapon' && cue.trigger !== 'lost') onWeapon(cue, game);
  if (what === 'caption' && cue.trigger !== 'lost') onCaption(row, cue, game);
}

// Teams are identified by colour; the name next to each bar is read repeatedly.

/** Names read for each colour, with the sum of their confidences. */
const names = {};

function onName(row, { value, confidence }, game) {
  const color = game.reading(`badge ${row}`);
  const word = /(\p{L}[\p{L}\p{M}]+)$/u.exec(value)?.[1];
  if (color === undefined || word === undefined) return;
  const name = word[0].toUpperCase() + word.slice(1);
  names[color] ??= {};
  names[color][name] = (names[color][name] ?? 0) + confidence;
}

function toTeam(color) {
  const [best] = Object.entries(names[color] ?? {}).sort((a, b) => b[1] - a[1]);
  return best === undefined ? { word: 'team' } : { word: 'team', name: best[0] };
}

/** Statements that wait for a team's name. */
const waiting = [];

/** Emits a statement about a team once its name is known or the wait is over. */
function emitForTeam(color, make, t, cues, game) {
  waiting.push({ color, make, t, cues });
  game.after(NAME_WAIT_SECONDS, emitWaiting);
}

function emitWaiting(game, isOver = false) {
  for (const one of waiting.splice(0)) {
    const { color, make, t, cues } = one;
    const isDue =
      names[color] !== undefined ? game.t >= t + NAME_WAIT_SECONDS : game.t > t + lookback - 2 * NAME_WAIT_SECONDS;
    if (isDue || isOver) game.emit(make(toTeam(color)), { t, cues });
    else waiting.push(one);
  }
  if (waiting.length > 0 && !isOver) game.after(NAME_WAIT_SECONDS, emitWaiting);
}

function onEnd(game) {
  emitWaiting(game, true);
}

// Turns. The clock at the bottom left is visible during a turn; a shot reduces it to three seconds of retreat.

/** Maximum seconds from the begin of a turn to the weapon's name in the team's colour. */
const WEAPON_LATE_SECONDS = 0.5;

/** Maximum seconds by which it may be read before the clock. */
const WEAPON_EARLY_SECONDS = 0.2;

function onTimer(cue, game) {
  const { trigger, value, previous, t } = cue;
  if (trigger === 'found' || value > previous + 1) {
    const turn = { t, fired: false, weapon: shownWeapon(game) };
    game.state.turn = turn;
    game.after(WEAPON_LATE_SECONDS, (later) => {
      turn.color = later.reading(`ink ${findCaptionRow(t, later)}`);
      if (turn.color === undefined) return;
      emitForTeam(turn.color, (who) => ({ subject: { word: 'turn', of: who }, action: 'begin' }), t, [cue], later);
    });
  } else if (trigger === 'changed' && value < previous - 1) onShot(t, [cue], game);
}

/** The weapon whose name has just appeared: captions may be read a sample before the clock. */
function shownWeapon(game) {
  const just = (row) => game.recent(WEAPON_EARLY_SECONDS, `weapon ${row}`).filter(({ trigger }) => trigger !== 'lost');
  return [...just(1), ...just(2)].at(-1)?.detail?.weapon;
}

/** The row of captions in which a team's colour appeared first since t; other matches are background. */
function findCaptionRow(t, game) {
  const since = (row) => game.since(`ink ${row}`);
  const rows = ['1', '2'].filter(
    (row) => game.reading(`ink ${row}`) !== undefined && since(row) >= t - WEAPON_LATE_SECONDS,
  );
  return rows.sort((a, b) => since(a) - since(b))[0] ?? '1';
}

/** Emits the first shot of a turn. */
function onShot(t, cues, game) {
  const { turn } = game.state;
  if (turn === undefined || turn.fired || turn.color === undefined) return;
  turn.fired = true;
  const means = turn.weapon === undefined ? {} : { with: turn.weapon };
  emitForTeam(turn.color, (who) => ({ subject: who, action: 'attack', ...means }), t, cues, game);
}

/** The weapon's name appears when a turn begins and whenever the weapon changes: "Watermelon Bomb, 3 sec" (weapons.json). */
function onWeapon(cue, game) {
  const { turn } = game.state;
  const weapon = cue.detail?.weapon;
  if (turn === undefined || weapon === undefined || weapon === turn.weapon) return;
  const isChosen = cue.t > turn.t + WEAPON_LATE_SECONDS && !turn.fired;
  turn.weapon = weapon;
  if (!isChosen) return;
  const make = (who) => ({ subject: who, action: 'equip', object: weapon });
  game.after(WEAPON_EARLY_SECONDS, (later) => {
    if (later.state.turn === turn) emitForTeam(turn.color, make, cue.t, [cue], later);
  });
}

// Gauges move to a new value within two seconds; the change counts from when they began to move and is read when they stop.

/** Seconds without movement after which a gauge has stopped. */
const STILL_SECONDS = 0.7;

/** Minimum change in percent: a pixel of the wind gauge is 1.5. */
const MIN_GAUGE_CHANGE = 2;

/** The value of each gauge (wind, or a team's colour), and since when it has been moving. */
const gauges = {};

function windStrength(game) {
  return (game.reading('wind right') ?? 0) - (game.reading('wind left') ?? 0);
}

function updateGauge(key, cue, game, value = () => windStrength(game)) {
  const gauge = (gauges[key] ??= { at: undefined });
  gauge.now = value();
  const moves = gauge.at === undefined || Math.abs(gauge.now - gauge.at) >= MIN_GAUGE_CHANGE;
  // A jitter of one pixel is no movement.
  if (!moves && gauge.timer === undefined) return;
  if (moves && gauge.began === undefined) Object.assign(gauge, { began: cue.t, cue });
  if (gauge.timer !== undefined) game.cancel(gauge.timer);
  gauge.timer = game.after(STILL_SECONDS, (later) => emitGaugeChange(key, gauge, cue, later));
}

function emitGaugeChange(key, gauge, last, game) {
  const { at, now, began, cue } = gauge;
  Object.assign(gauge, { began: undefined, timer: undefined });
  if (at !== undefined && Math.abs(now - at) < MIN_GAUGE_CHANGE) return;
  gauge.at = now;
  // The picture and its gauges fade to black after a match.
  if (at === undefined || game.state.over) return;
  const change = { from: at, to: now };
  if (key === 'wind') game.emit({ subject: 'level', property: 'wind', ...change }, { t: began, cues: [cue, last] });
  else emitForTeam(key, (who) => ({ subject: who, property: 'health', ...change }), began, [cue, last], game);
}

/** Seconds without a bar, while others are visible, after which a team is out. */
const TEAM_OUT_SECONDS = 2;

/** Seconds from the first bar until all are known. */
const TEAMS_KNOWN_SECONDS = 10;

const ROWS = ['1', '2', '3'];

/** Rows are sorted by health, so a bar belongs to the team of its colour. */
function onBar(row, cue, game) {
  if (cue.detector.startsWith('badge') && gauges[cue.previous]?.at > 0 && !game.state.over)
    game.after(TEAM_OUT_SECONDS, (later) => onTeamOut(cue.previous, cue, later));
  const color = game.reading(`badge ${row}`);
  const value = game.reading(`bar ${row}`);
  if (color === undefined || value === undefined) return;
  game.state.began ??= cue.t;
  // Teams do not join later: another row is background.
  if (gauges[color] === undefined && cue.t > game.state.began + TEAMS_KNOWN_SECONDS) return;
  updateGauge(color, cue, game, () => value);
}

/** Reports health 0 for a team without a row. */
function onTeamOut(color, cue, game) {
  const shown = ROWS.map((row) => game.reading(`badge ${row}`));
  const gauge = gauges[color];
  if (gauge === undefined || shown.includes(color) || shown.every((one) => one === undefined)) return;
  const { at, began = cue.t, timer } = gauge;
  if (timer !== undefined) game.cancel(timer);
  delete gauges[color];
  emitForTeam(color, (who) => ({ subject: who, property: 'health', from: at, to: 0 }), began, [cue], game);
}

// Captions. captions.json has the many wordings of each event in every language.

/** Seconds within which equal captions are one event. */
const SAME_CAPTION_SECONDS = 6;

function onCaption(row, cue, game) {
  const { tells, text, rounds, slots } = cue.detail ?? {};
  const shown = game.since(`white ${row}`);
  const t = shown !== undefined && cue.t - shown < 0.6 ? shown : cue.t;
  if (tells === 'rounds') onRounds(rounds ?? Number(/\d+/.exec(slots.rounds)?.[0]), t, cue, game);
  else if (tells === 'sudden death')
    emitOnce('sudden death', { subject: 'hedgewars:sudden death', action: 'begin' }, t, cue, game);
  else if (tells === 'shot') onShot(t, [cue], game);
  else if (tells !== undefined)
    onCaptionEvent({ kind: tells, name: findName(text, slots.name), mark: text }, t, cue, game);
}

/** Accepts decreases by at most five rounds: the border next to the number may look like a digit, or hide one. */
function onRounds(rounds, t, cue, game) {
  const { rounds: before } = game.state;
  if (!(rounds < (before ?? 100)) || rounds < before - 5) return;
  game.state.rounds = rounds;
  game.emit({ subject: 'match', property: 'hedgewars:rounds till sudden death', to: rounds }, { t, cues: [cue] });
}

/** The name next to a phrase; words further away and an additional capital are border and background. */
function findName(text, read = '') {
  const words = read
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => /\p{L}{2}|^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u.test(word));
  const word = text.startsWith('{') ? words.at(-1) : words[0];
  return word?.replace(/^\p{L}(?=\p{Lu}\p{Ll})/u, '') ?? '';
}

function onCaptionEvent({ kind, name, mark }, t, cue, game) {
  const hog = { word: 'hedgewars:hedgehog', ...(name === '' ? {} : { name }) };
  const statement = {
    die: { subject: hog, action: 'die' },
    drown: { subject: hog, action: 'drown' },
    begin: { subject: 'match', action: 'begin' },
    win: { subject: { word: 'team', name: matchTeamName(name) }, action: 'win', object: 'match' },
    draw: { subject: 'match', action: 'end' },
    health: { subject: 'hedgewars:health crate', action: 'appear' },
    weapon: { subject: 'hedgewars:weapon crate', action: 'appear' },
    utility: { subject: 'hedgewars:utility crate', action: 'appear' },
  }[kind];
  if (kind === 'begin') Object.assign(game.state, { over: false, rounds: undefined });
  if (kind === 'win' || kind === 'draw') game.state.over = true;
  // Consecutive crates have different wordings, two readings of one caption have the same.
  emitOnce(`${kind} ${{ win: '', draw: '', begin: '' }[kind] ?? (name === '' ? mark : name)}`, statement, t, cue, game);
}

/** The team name that a word ends with, if any: the border next to it may look like a letter. */
function matchTeamName(word) {
  const teams = Object.keys(names).map((color) => toTeam(color).name);
  return teams.find((name) => name !== undefined && word.endsWith(name)) ?? word;
}

/** Emits one statement per caption, which may be misread for a while and then read again. */
function emitOnce(key, statement, t, cue, game) {
  const emitted = (game.state.emitted ??= {});
  if (emitted[key] !== undefined && t - emitted[key] < SAME_CAPTION_SECONDS) return;
  emitted[key] = t;
  game.emit(statement, { t, cues: [cue] });
}
