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
  const word = /([A-Za-z]{2,})$/.exec(value)?.[1];
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

function onTimer(cue, game) {
  const { trigger, value, previous, t } = cue;
  if (trigger === 'found' || value > previous + 1) {
    const turn = { t, fired: false, weapon: undefined };
    game.state.turn = turn;
    game.after(WEAPON_LATE, (later) => {
      turn.color = later.reading(`ink ${rowSince(t, later)}`);
      if (turn.color === undefined) return;
      tell(turn.color, (who) => ({ subject: { word: 'turn', of: who }, action: 'begin' }), t, [cue], later);
    });
  } else if (trigger === 'changed' && value < previous - 1) shot(t, [cue], game);
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

/** The weapon's name is shown when a turn begins and whenever another is taken: "Watermelon Bomb, 3 sec". */
function onWeapon(cue, game) {
  const { turn } = game.state;
  const text = cue.value.toLowerCase();
  const weapon = (WEAPONS.find(([name]) => text.includes(name)) ??
    WEAPONS.find(([name]) => isAlmostIn(name, text)))?.[1];
  if (turn === undefined || weapon === undefined || weapon === turn.weapon) return;
  const isChosen = cue.t > turn.t + WEAPON_LATE && !turn.fired;
  turn.weapon = weapon;
  if (isChosen) tell(turn.color, (who) => ({ subject: who, action: 'equip', object: weapon }), cue.t, [cue], game);
}

/** Whether a name of five letters and more stands in a text with one letter misread. */
function isAlmostIn(name, text) {
  for (let i = 0; name.length >= 5 && i + name.length <= text.length; i++) {
    let wrong = 0;
    for (let j = 0; j < name.length && wrong < 2; j++) if (text[i + j] !== name[j]) wrong++;
    if (wrong < 2) return true;
  }
  return false;
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

// Captions. Each happening is worded in a hundred ways; PHRASES says by which words a kind is told.

/** Seconds within which the same caption is the same happening. */
const AGAIN = 6;

function onCaption(row, cue, game) {
  const text = cue.value
    .toLowerCase()
    .replaceAll('-', ' ')
    .replace(/[^a-z0-9 ]/g, '');
  const shown = game.since(`white ${row}`);
  const t = shown !== undefined && cue.t - shown < 0.6 ? shown : cue.t;
  const rounds =
    /(\d+) rounds till sudden death/.exec(text)?.[1] ?? (text.includes('last round till sudden') ? 1 : undefined);
  if (rounds !== undefined) onRounds(Number(rounds), t, cue, game);
  else if (text.includes('sudden death'))
    once('sudden death', { subject: 'hedgewars:sudden death', action: 'begin' }, t, cue, game);
  else if (/\d remaining/.test(text)) shot(t, [cue], game);
  else {
    for (const [kind, marks] of Object.entries(PHRASES)) {
      for (const mark of marks.split('; ')) {
        const name = match(mark, text, cue.value);
        if (name !== undefined) return happens({ kind, name, mark }, t, cue, game);
      }
    }
  }
}

/** They only become fewer: a border beside the figure may look like another digit. */
function onRounds(rounds, t, cue, game) {
  if (rounds >= (game.state.rounds ?? 100)) return;
  game.state.rounds = rounds;
  game.emit({ subject: 'match', property: 'hedgewars:rounds till sudden death', to: rounds }, { t, cues: [cue] });
}

/** The name beside a phrase ('' for one without), or undefined where the phrase is not in the text. */
function match(mark, text, original) {
  const words = mark.replace(/^\* | \*$/, '');
  const at = ` ${text} `.indexOf(` ${words} `);
  if (at < 0) return undefined;
  if (words === mark) return '';
  const near = mark.startsWith('* ') ? text.slice(0, at) : text.slice(at + words.length);
  const candidates = near.trim().split(/ +/);
  const name = mark.startsWith('* ') ? candidates.at(-1) : candidates[0];
  // As it is written on the screen; a border beside it may look like one more capital.
  const written = original
    .split(/[^\p{L}\p{N}]+/u)
    .find((word) => word.toLowerCase() === name && /^\p{Lu}/u.test(word));
  return written?.replace(/^\p{Lu}(?=\p{Lu}\p{Ll})/u, '');
}

function happens({ kind, name, mark }, t, cue, game) {
  const hog = { word: 'hedgewars:hedgehog', name };
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

/** The words of weapons, by what the game calls them; longer names first, as some are part of others. */
const WEAPONS = [
  ['hellish hand grenade', 'hedgewars:hellish hand grenade'],
  ['molotov cocktail', 'incendiary grenade'],
  ['watermelon bomb', 'hedgewars:watermelon bomb'],
  ['old limburger', 'hedgewars:limburger'],
  ['cluster bomb', 'hedgewars:cluster bomb'],
  ['desert eagle', 'hedgewars:desert eagle'],
  ['baseball bat', 'baseball bat'],
  ['drill rocket', 'hedgewars:drill rocket'],
  ['sniper rifle', 'sniper rifle'],
  ['piano strike', 'hedgewars:piano strike'],
  ['flamethrower', 'flamethrower'],
  ['drill strike', 'hedgewars:drill strike'],
  ['pick hammer', 'pickaxe'],
  ['mine strike', 'hedgewars:mine strike'],
  ['sticky mine', 'hedgewars:sticky mine'],
  ['homing bee', 'hedgewars:homing bee'],
  ['air attack', 'hedgewars:air attack'],
  ['blow torch', 'hedgewars:blow torch'],
  ['shoryuken', 'hedgewars:shoryuken'],
  ['seduction', 'hedgewars:seduction'],
  ['dynamite', 'hedgewars:dynamite'],
  ['kamikaze', 'hedgewars:kamikaze'],
  ['rc plane', 'hedgewars:RC plane'],
  ['sine gun', 'hedgewars:sine gun'],
  ['air mine', 'hedgewars:air mine'],
  ['grenade', 'grenade'],
  ['bazooka', 'rocket launcher'],
  ['shotgun', 'shotgun'],
  ['ballgun', 'hedgewars:ballgun'],
  ['mudball', 'hedgewars:mudball'],
  ['cleaver', 'hedgewars:cleaver'],
  ['creeper', 'hedgewars:creeper'],
  ['minigun', 'chaingun'],
  ['mortar', 'mortar'],
  ['napalm', 'hedgewars:napalm'],
  ['hammer', 'war hammer'],
  ['birdy', 'hedgewars:birdy'],
  ['rope', 'rope'],
  ['mine', 'mine'],
  ['whip', 'hedgewars:whip'],
  ['cake', 'hedgewars:cake'],
];

/** By which words captions are told (tools/record/hedgewars_phrases.py makes the list from the game's own texts); * is a name. */
const PHRASES = {
  die: '* has kicked; * has seen; * never saw; * waves; * has gone to a; * meets; * can hang; * has done; * makes the ultimate; * departs; * makes like a; * has timed; * says peace; * will be fondly; * leaves behind; * has launched; * has tossed; * has baked; * has swung; * has called; * has pumped; * has thrown; * has drawn; * took one; * could really; * has gone to play; * has ragequit; * fails; poor poor *; * prefers warmux; * has been blocking; * is a hero; * finds; * has left the; * goes the way; * brings hedgehogs; * brings a; * is an ex hog; * is pushing; * has ceased; goodbye to *; left for *; * faces; got em *; * suffers a; * has passed; * is stone; * is no more; * has expired; * rests; * joins; * we hardly; * had a low; * could have used an; is there; * wont get up; * didnt make; * just pretends; * sees; * is worm; * has bit; game over *; over for *; * will return; * needs some rest; * wasnt; bye *; * goes to; * has been eliminated; avenged *; * wont feel; * was just; * waits; * has an after; * lost in; * has been destroyed; * goes into; why did *; oh no *; * doesnt need; * has been freed; * assumes room; * comes to; * is dead as; * dropped; * is six; * lets natural; * says no; * went to the; * forgot how; * tripped; * faints; * reached',
  drown:
    '* plays submarine; * mimics; * swims; * floats; * checks; * goes glug; * goes splash; * forgot his; * really should; * left his; * is washed; * is one soggy; * forgot to bring his; * goes splish; * is sleeping; * thinks the; * looks thirsty; claims *; * is lost at; * should have brought his; * gets a burial; * has that; * is practicing; * goes in; * is not jesus; * is finding; * springs; how many; * makes the ocean; * didnt enlist; * is doing his; toilet *; neither can *; * wants to play ecco; * has gone to visit; * has found; little work *; * should have brought a jet; * doesnt like; * is forever; * is short; * thinks salt; * gets salt; * has walked; * has a bath; * is wet; * gets his; locker for *; * explores; gills *; * is swimming; * needs a refreshing; * retreats; * always wanted to try; * mistook the; * went to its; * prefers water',
  begin:
    'lets fight; armed and; get ready; get it on; this party; last hog; lets rock; lets jam; beginning; start of; welcome to; the front; crush your; best hog; or death; the spoils; losing is; the hogs; hedgewarsorg; luck and; youre not; your all; cleaning; millennium; fight of; your best; destroy the; good luck; have fun; the good; fight dirty; fight with; dont give; surrender; and sock; fragfest; a tussle; go go go; hedgehogs advance; bring it; have no fear; be brave',
  win: '* wins; * is the champion; * showed; * is the best of; * does the; victory for *; winner is *; congratulations *; down to *; * has mastered; * won; * made an; * is the number; bravo *; applause applause *; exciting victory *; * destroyed the; * has conquered; * has crushed; cheers for *; * chose; * gets a star; * drinks; triumph for *; * takes a sip; * masterfully; * is the victor; * wins with; * earns; * rules; whos the winner *; * is having; * demonstrated',
  draw: 'round draw; its a draw; draw how; draw now; disappointing; bravely to; where is; have all; my tickets; dead good',
  health:
    'incoming aid; aid from; pack for; health in; the doctor; band aids; make you; a potion; a pick me; a healthy; a remedy; can find; urgent delivery; hope incoming; fountain; life in boxes; in sight; you feel; pitch up; there is; expectancy; health maker; crate of life; your life; say achoo; this you; health and; aids and; looks healthy; cure the; this is good; likes you; before the; gain some; help for; need help; everything; wounded we; too late; bread rations; your health; this will; a doctors; get instant; health booster; boost your; fight the sickness; heal yourself; bless you; recommended; did somebody; friend of; helper in; heals your; little longer; box will; some help; here let; on health; 1 health; to great; efficient; favourable; have been; today is; extra health; health bonus; healthier; emergency; are good; take your; forgotten; your total; you covered; have help; toughness; the aid to; you make; your death; wont let; suffering; pays off; healthcare; this medicine; for soldiers; dr health; hunger for; more health; guaranteed; painkillers; when you; hesitate; guardian; the gods; bandages; suspicious; box with; cant get; still not; immortality; almost like',
  weapon:
    'more weapons; reinforcements; lock and; weapon is; could be; christmas; special delivery; a nightmare; destructive; volatile; is yours; mmmmm ammo; whatevers; weapon drop; dont let; new toys; mysterious; of pandora; who wants; give your; the party; great fun; birthday; guns lots; of these; make the; for wimps; explosive; gun nuts; battlefield; intimidate; ammo crate; nice surprise; surprises; advantage; collect me; some big; who will; extend your; ammunition; forecast; gets the; seize this; offense is; some fun; play with; weapon crate; no ammo no; to reload; this one; some hogs; punishment; smite the; explosions; upon your; you never; better grab; this means; leads to; warriors; temperatures; you have; worthy of; weaponry; surprise weapon; damage in; some damage; see this; its raining; just run; its a blast; its such; find out; unbox this; crate creates; terminator; explosion; additional; difference; outblast; not over; the show; collect or; bet this; world of; superior; firepower; a weapon; of chaos; finders keepers; hear guns; its time; fun time; now were; the arms; grabs it; unattended; children; aint for; you like; special package; complete; ultimate chance; it or blow; got some; ultimate weapon; childrens; greetings; further to; annihilation; the things; to defend; even the; ammo not; stockpile; viciously; argument; hope its; cant win; firearms; go alone; likes to; pew in a',
  utility:
    'tooltime; in handy; utilities; utilise this; out below; tools for; should be; this wisely; is heavy; need this; this something; whats in; more than; more tools; looks useful; engineers; strategists; mobility; nuts and; hedgecogs; fool grab; you hand; construction; cool a tool; technology; build something; builders; buildings; utility crate; dont drop; box full; here have; a toolbox; useful delivery; some tools; so exited; falling from; helper for; your options; outsmart; bridges to; surprise utility; useful present; heavy toolbox; mightier; yes we can; the roof; possibilities; renovation; it while; better is; here take; or abuse; invention; thingamajig; inventive; part diy; it yourself; those diyers; get mobile; be damned; collectibles; found in; a spanner; knife in; may need; appeared; the more; included; for tactical; pinnacle; high tech; of options; a toaster; you need; straight; with care; contents fragile; this may; piece of; the tools',
};
