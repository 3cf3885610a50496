// Keys and weapons on the status bar.

/** Maximum seconds between a key's message and its icon on the status bar. */
const SAME_KEY_SECONDS = 1;

/** Detectors of the keys on the status bar. */
export const KEYS_SHOWN = ['blue key', 'yellow key', 'red key'];

/** Emits a key on the status bar whose message was not read: it was covered, or messages are off. */
export function onKey(cue, game) {
  if (cue.trigger === 'lost' || cue.value === 'none') return;
  // Keys held before the bar was covered are not obtained again.
  const held = (game.state.held ??= []);
  const isHeld = held.includes(cue.value);
  if (!isHeld) held.push(cue.value);
  if (isHeld || cue.first) return;
  game.after(SAME_KEY_SECONDS, () => {
    const isEmitted = (game.state.keys ?? []).some(
      (key) => key.object === cue.value && Math.abs(key.t - cue.t) <= SAME_KEY_SECONDS,
    );
    if (!isEmitted) game.emit({ subject: 'player', action: 'obtain', object: cue.value }, { t: cue.t, cues: [cue] });
  });
}

/** Weapons that share a slot on the status bar. */
const SLOTS = {
  shotgun: ['shotgun', 'double-barreled shotgun'],
  chaingun: ['chaingun'],
  'rocket launcher': ['rocket launcher'],
  'plasma gun': ['plasma gun'],
  'freedoom:BFG': ['freedoom:BFG'],
};

/** The weapon of each number. */
const WEAPON_BY_NUMBER = { 3: 'shotgun', 4: 'chaingun', 5: 'rocket launcher', 6: 'plasma gun', 7: 'freedoom:BFG' };

/** Detectors of the numbers under ARMS. */
export const ARMS = ['arms 3', 'arms 4', 'arms 5', 'arms 6', 'arms 7'];

/** Ammunition of weapons that share it with another weapon. */
const AMMUNITION_OF = { chaingun: 'bullets', 'freedoom:BFG': 'cells' };

export const WEAPONS = [...Object.values(SLOTS).flat(), 'chainsaw'];

/** Handles a number under ARMS that turns yellow: the weapon is owned. */
export function onArms(cue, game) {
  if (cue.trigger === 'found' && cue.value === 'none') resolveWeaponInHand(game);
  if (cue.trigger === 'changed' && cue.previous === 'none') onOwned(cue.value, cue, game);
}

/** Handles the numbers of the owned weapons in a line of text, in layouts without the bar. */
export function onWeapons(cue, game) {
  if (cue.trigger === 'found') resolveWeaponInHand(game);
  if (cue.trigger !== 'changed') return;
  for (const number of cue.value.split(' '))
    if (!cue.previous.includes(number) && number in WEAPON_BY_NUMBER) onOwned(WEAPON_BY_NUMBER[number], cue, game);
}

/** Whether the weapon of a number is known not to be owned. Without the bar only the numbers of owned weapons are readable. */
export function isMissing(number, game) {
  if (game.reading('bare percent') !== undefined) return game.reading(`bare arms ${number}`) === undefined;
  return game.reading(`arms ${number}`) === 'none' || game.reading('text weapons')?.includes(number) === false;
}

/** Resolves a weapon in hand that was ambiguous until the numbers could be read. */
function resolveWeaponInHand(game) {
  if (game.state.weapon === 'gun' && isMissing('4', game)) game.state.weapon = 'pistol';
  if (game.state.weapon === 'energy gun' && isMissing('7', game)) game.state.weapon = 'plasma gun';
}

function onOwned(word, cue, game) {
  game.after(SAME_KEY_SECONDS, () => {
    const weapons = (game.state.weapons ??= []);
    // Emitted once, however late or often the number is read as turning yellow.
    const isEmitted = weapons.some(({ object }) => SLOTS[word].includes(object));
    if (!isEmitted) game.emit({ subject: 'player', action: 'obtain', object: word }, { t: cue.t, cues: [cue] });
    if (!isEmitted) weapons.push({ t: cue.t, object: word });
    emitRaised(word, cue, game);
  });
}

/** Emits the switch to a weapon obtained for the first time, which the player raises at once even if it uses the same ammunition. */
function emitRaised(word, cue, game) {
  const { state } = game;
  const before = state.weapon;
  if (before === undefined || before === word || state.row !== AMMUNITION_OF[word]) return;
  const message = state.weapons?.findLast(
    (weapon) => SLOTS[word].includes(weapon.object) && Math.abs(weapon.t - cue.t) <= SAME_KEY_SECONDS,
  );
  state.weapon = word;
  if (state.raised !== undefined) return;
  game.emit(
    { subject: 'player', property: 'weapon', from: { word: before }, to: { word } },
    { t: message?.t ?? cue.t, cues: [cue] },
  );
}
