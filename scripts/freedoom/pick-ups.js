// Pick-up messages, and the numbers that rise with them.
import { WEAPONS } from './inventory.js';
import { elementOf } from './screen.js';

/** Words for the items of pick-up messages. */
export const PICK_UPS = {
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
  'YOU GOT THE DOUBLE-BARRELLED SHOTGUN!': 'double-barreled shotgun',
  'YOU GOT THE MINIGUN!': 'chaingun',
  'YOU GOT THE MISSILE LAUNCHER!': 'rocket launcher',
  'YOU GOT THE POLARIC ENERGY CANNON!': 'plasma gun',
  'THE SKAG 1337 ... TIME TO KICK SOME ASS!': 'freedoom:BFG',
  'YOU GOT THE ANGLE GRINDER!': 'chainsaw',
};

const LOCKED = /^THIS (DOOR|OBJECT) REQUIRES (?:A|THE) (BLUE|RED|YELLOW) (KEY|PASSCARD|SKELETON KEY)\.$/;

const KEYS = { PASSCARD: 'keycard', 'SKELETON KEY': 'skull key' };

/** Seconds for which a message is shown. */
export const MESSAGE_SECONDS = 4.5;

/** The number that rises with each item, and the maximum gain. A repeated message is visible only in this number. */
export const GAINS = [
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

/** Maximum seconds between a number and the message of the same pick-up. */
const SAME_PICK_UP_SECONDS = 0.35;
/** Maximum seconds by which a message may be read later than the number. */
const MESSAGE_LATE_SECONDS = 0.15;

/** Emits another pick-up of the same item when the number rises while its message is still shown. */
export function onGain(cue, game) {
  if (cue.trigger !== 'changed' || !(cue.value > cue.previous)) return;
  game.after(SAME_PICK_UP_SECONDS, () => {
    const standing = (game.state.messages ?? []).findLast(({ message }) => message.t <= cue.t + MESSAGE_LATE_SECONDS);
    const { message } = standing ?? {};
    if (message?.value === undefined) return;
    const object = PICK_UPS[message.value];
    const [, figure, most] = GAINS.find(([words]) => words.test(message.value)) ?? [];
    // A larger gain includes another item whose message was covered.
    if (object === undefined || figure !== elementOf(cue) || cue.value - cue.previous > most) return;
    // The gain at the time of the message belongs to it; an earlier one belongs to an item whose message it replaced.
    const isFirst = standing.rise === undefined || (standing.rise < message.t && cue.t <= message.t);
    const isItsOwn = isFirst && cue.t - message.t <= SAME_PICK_UP_SECONDS;
    if (isItsOwn) standing.rise = cue.t;
    else game.emit({ subject: 'player', action: 'obtain', object }, { t: cue.t, cues: [message, cue] });
  });
}

/** Seconds after the bar disappeared in which a bare message is a remnant of the screen before. */
const REMNANT_SECONDS = 1.5;

function isBarRemnant(cue, game) {
  const { away } = game.state;
  const isBare = game.reading('bare percent') !== undefined || game.reading('text label') !== undefined;
  const hasBar = game.reading('status bar') !== undefined || game.reading('left of the bar') !== undefined;
  return (
    cue.detector === 'bare message' && !isBare && (hasBar || cue.t - (away?.from ?? -REMNANT_SECONDS) < REMNANT_SECONDS)
  );
}

export function onMessage(cue, game) {
  if (isBarRemnant(cue, game)) return;
  game.state.message = cue;
  game.state.messages = [...(game.state.messages ?? []).slice(-2), { message: cue }];
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
