import type { Slot } from '../../statement.ts';
import { named } from './format.ts';

/** Weapons of Counter-Strike 2 by the name of their class without `weapon_`: word and name. */
const WEAPONS: Readonly<Record<string, readonly [word: string, name?: string]>> = {
  ak47: ['assault rifle', 'AK-47'],
  m4a1: ['assault rifle', 'M4A4'],
  m4a1_silencer: ['assault rifle', 'M4A1-S'],
  aug: ['assault rifle', 'AUG'],
  sg556: ['assault rifle', 'SG 553'],
  famas: ['assault rifle', 'FAMAS'],
  galilar: ['assault rifle', 'Galil AR'],
  awp: ['sniper rifle', 'AWP'],
  ssg08: ['sniper rifle', 'SSG 08'],
  scar20: ['marksman rifle', 'SCAR-20'],
  g3sg1: ['marksman rifle', 'G3SG1'],
  glock: ['pistol', 'Glock-18'],
  hkp2000: ['pistol', 'P2000'],
  usp_silencer: ['pistol', 'USP-S'],
  p250: ['pistol', 'P250'],
  tec9: ['pistol', 'Tec-9'],
  fiveseven: ['pistol', 'Five-SeveN'],
  cz75a: ['pistol', 'CZ75-Auto'],
  deagle: ['pistol', 'Desert Eagle'],
  elite: ['pistol', 'Dual Berettas'],
  revolver: ['revolver', 'R8'],
  mac10: ['submachine gun', 'MAC-10'],
  mp5sd: ['submachine gun', 'MP5-SD'],
  mp7: ['submachine gun', 'MP7'],
  mp9: ['submachine gun', 'MP9'],
  p90: ['submachine gun', 'P90'],
  bizon: ['submachine gun', 'PP-Bizon'],
  ump45: ['submachine gun', 'UMP-45'],
  nova: ['shotgun', 'Nova'],
  xm1014: ['automatic shotgun', 'XM1014'],
  mag7: ['shotgun', 'MAG-7'],
  sawedoff: ['shotgun', 'Sawed-Off'],
  m249: ['machine gun', 'M249'],
  negev: ['machine gun', 'Negev'],
  hegrenade: ['fragmentation grenade'],
  flashbang: ['flash grenade'],
  smokegrenade: ['smoke grenade'],
  molotov: ['incendiary grenade', 'Molotov'],
  incgrenade: ['incendiary grenade'],
  inferno: ['incendiary grenade'],
  decoy: ['grenade', 'Decoy'],
  taser: ['stun gun', 'Zeus x27'],
  c4: ['time bomb'],
  planted_c4: ['time bomb'],
};

/** The weapon of a class (`weapon_ak47`, `ak47`, `knife_karambit`); one that is not listed by its name alone. */
export function cs2Weapon(name: string): Slot {
  const id = name.replace(/^(?:weapon|item)_/, '').toLowerCase();
  if (/knife|bayonet/.test(id)) return 'knife';
  const entry = Object.hasOwn(WEAPONS, id) ? WEAPONS[id] : undefined;
  return entry ? named(...([entry[0], entry[1]] as const)) : named('weapon', name);
}
