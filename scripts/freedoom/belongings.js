// Keys and weapons that the status bar shows as the player's.

/** Seconds between a key's message and its picture on the status bar, at most. */
const SAME_KEY = 1;

/** What shows the keys that are held. */
export const KEYS_SHOWN = ['blue key', 'yellow key', 'red key'];

/** A key on the status bar whose message was not seen: covered by another, or messages are off. */
export function onKey(cue, game) {
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
export const ARMS = ['arms 3', 'arms 4', 'arms 5', 'arms 6', 'arms 7'];

/** The weapons that share their ammunition with one that may be in hand already. */
const FIRES = { chaingun: 'bullets', 'freedoom:BFG': 'cells' };

export const WEAPONS = [...Object.values(SLOTS).flat(), 'chainsaw'];

/** A number under ARMS turned yellow and no message told of the weapon. What the next level begins with was found before. */
export function onArms(cue, game) {
  if (cue.trigger === 'found' && cue.value === 'none') knowInHand(game);
  if (cue.trigger === 'changed' && cue.previous === 'none') onOwned(cue.value, cue, game);
}

/** Without the bar, the numbers of all weapons owned in a line of text. */
export function onWeapons(cue, game) {
  if (cue.trigger === 'found') knowInHand(game);
  if (cue.trigger !== 'changed') return;
  for (const number of cue.value.split(' '))
    if (!cue.previous.includes(number) && number in NUMBERS) onOwned(NUMBERS[number], cue, game);
}

/** Whether it is known that the weapon of a number is not owned. Upon the scene only the numbers of those that are can be read. */
export function isMissing(number, game) {
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
