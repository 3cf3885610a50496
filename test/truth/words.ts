import type { ActionStatement, Slot, Statement } from '../../src/events/statement.ts';

/** Lines that Freedoom draws in the top left corner when something is picked up, and the word for what was obtained. */
export const PICK_UPS: Readonly<Record<string, string>> = {
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

const DOOR = /^THIS (DOOR|OBJECT) REQUIRES (?:A|THE) (BLUE|RED|YELLOW) (KEY|PASSCARD|SKELETON KEY)\.$/;

/** What a line in the top left corner says, or undefined if it is not about the game (saving, cheats, settings). */
export function doomMessage(message: string): Statement | undefined {
  const object = PICK_UPS[message];
  if (object !== undefined) return { subject: 'player', action: 'obtain', object };
  const door = DOOR.exec(message);
  if (!door) return undefined;
  const [, subject, colour, kind] = door;
  const key = { PASSCARD: 'keycard', 'SKELETON KEY': 'skull key' }[kind!];
  const needed = key === undefined ? 'key' : `freedoom:${colour!.toLowerCase()} ${key}`;
  return { subject: subject === 'DOOR' ? 'door' : 'switch', action: 'require', object: needed };
}

/** What a means of death adds to a statement: for a kill, and for a death without a killer. */
interface Means {
  readonly kill: Partial<ActionStatement>;
  readonly alone: Partial<ActionStatement>;
}

const weapon = (word: string): Means => ({ kill: { with: word }, alone: { action: 'kill oneself', with: word } });
const place = (word: string): Means => ({ kill: { at: word }, alone: { at: word } });

/** Means of death of Quake III Arena and OpenArena (bg_public.h). A shot and its splash are one weapon. */
export const MEANS: Readonly<Record<string, Means>> = {
  MOD_UNKNOWN: { kill: {}, alone: {} },
  MOD_SHOTGUN: weapon('shotgun'),
  MOD_GAUNTLET: weapon('gauntlet'),
  MOD_MACHINEGUN: weapon('machine gun'),
  MOD_GRENADE: weapon('grenade launcher'),
  MOD_GRENADE_SPLASH: weapon('grenade launcher'),
  MOD_ROCKET: weapon('rocket launcher'),
  MOD_ROCKET_SPLASH: weapon('rocket launcher'),
  MOD_PLASMA: weapon('plasma gun'),
  MOD_PLASMA_SPLASH: weapon('plasma gun'),
  MOD_RAILGUN: weapon('railgun'),
  MOD_LIGHTNING: weapon('lightning gun'),
  MOD_BFG: weapon('openarena:BFG'),
  MOD_BFG_SPLASH: weapon('openarena:BFG'),
  MOD_WATER: { kill: { at: 'water' }, alone: { action: 'drown' } },
  MOD_SLIME: place('slime'),
  MOD_LAVA: place('lava'),
  MOD_CRUSH: { kill: { action: 'openarena:crush' }, alone: {} },
  MOD_TELEFRAG: { kill: { action: 'openarena:telefrag' }, alone: {} },
  MOD_FALLING: { kill: {}, alone: { action: 'fall to death' } },
  MOD_SUICIDE: { kill: {}, alone: { action: 'kill oneself' } },
  MOD_TARGET_LASER: { kill: { with: 'laser' }, alone: { with: 'laser' } },
  MOD_TRIGGER_HURT: place('hazard'),
  MOD_NAIL: weapon('nailgun'),
  MOD_CHAINGUN: weapon('chaingun'),
  MOD_PROXIMITY_MINE: weapon('openarena:proximity mine launcher'),
  MOD_KAMIKAZE: weapon('openarena:kamikaze'),
  MOD_JUICED: { kill: {}, alone: {} },
  MOD_GRAPPLE: weapon('grappling hook'),
};

/** `victim` was killed by `killer`, or died without a killer. Throws RangeError for an unknown means of death. */
export function deathStatement(means: string, victim: Slot, killer: Slot | undefined): ActionStatement {
  const known = Object.hasOwn(MEANS, means) ? MEANS[means] : undefined;
  if (!known) throw new RangeError(`unknown means of death ${JSON.stringify(means)}`);
  if (killer === undefined) return { subject: victim, action: 'die', ...known.alone };
  return { subject: killer, action: 'kill', object: victim, ...known.kill };
}

/** OpenArena's weapons, as the truth names them, that are not words of the dictionary by that name. */
const WEAPONS: Readonly<Record<string, string>> = {
  machinegun: 'machine gun',
  bfg10k: 'openarena:BFG',
  'grappling hook': 'grappling hook',
  'prox launcher': 'openarena:proximity mine launcher',
};

export function weaponWord(name: string): string {
  return WEAPONS[name] ?? name;
}

/** OpenArena's items by their names in the game's code. */
const ITEMS: Readonly<Record<string, string>> = {
  weapon_gauntlet: 'gauntlet',
  weapon_machinegun: 'machine gun',
  weapon_shotgun: 'shotgun',
  weapon_grenadelauncher: 'grenade launcher',
  weapon_rocketlauncher: 'rocket launcher',
  weapon_lightning: 'lightning gun',
  weapon_railgun: 'railgun',
  weapon_plasmagun: 'plasma gun',
  weapon_bfg: 'openarena:BFG',
  weapon_grapplinghook: 'grappling hook',
  weapon_nailgun: 'nailgun',
  weapon_prox_launcher: 'openarena:proximity mine launcher',
  weapon_chaingun: 'chaingun',
  ammo_bullets: 'bullet',
  ammo_shells: 'shell',
  ammo_rockets: 'rocket',
  ammo_grenades: 'openarena:grenade box',
  ammo_cells: 'openarena:plasma cell',
  ammo_lightning: 'openarena:lightning ammo',
  ammo_slugs: 'openarena:slug',
  ammo_bfg: 'openarena:BFG ammo',
  ammo_nails: 'openarena:nail',
  ammo_mines: 'openarena:proximity mine',
  ammo_belt: 'openarena:belt',
  item_armor_shard: 'armor bonus',
  item_armor_combat: 'openarena:combat armor',
  item_armor_body: 'openarena:red armor',
  item_health_small: 'openarena:small health',
  item_health: 'openarena:medium health',
  item_health_large: 'openarena:large health',
  item_health_mega: 'openarena:mega health',
  item_quad: 'openarena:quad damage',
  item_enviro: 'openarena:battle suit',
  item_haste: 'openarena:haste',
  item_invis: 'invisibility',
  item_regen: 'regeneration',
  item_flight: 'openarena:flight',
  item_scout: 'openarena:scout#power-up',
  item_guard: 'openarena:guard#power-up',
  item_doubler: 'openarena:doubler',
  item_ammoregen: 'openarena:ammo regen',
  holdable_medkit: 'openarena:personal medikit',
  holdable_teleporter: 'openarena:personal teleporter',
  holdable_kamikaze: 'openarena:kamikaze',
  holdable_invulnerability: 'invulnerability',
  team_CTF_redflag: 'openarena:red flag',
  team_CTF_blueflag: 'openarena:blue flag',
  team_CTF_neutralflag: 'openarena:neutral flag',
};

/** The followed player picked something up. Throws RangeError for an item that no table knows. */
export function itemStatement(item: string): ActionStatement {
  const object = ITEMS[item];
  if (object === undefined) throw new RangeError(`unknown item ${JSON.stringify(item)}`);
  return { subject: 'player', action: 'pick up', object };
}
