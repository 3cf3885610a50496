// Freedoom and Doom: interprets the status bar and the messages in the upper left corner.
import { onAmmunition, onRow } from './freedoom/ammunition.js';
import { onArms, onKey, onWeapons } from './freedoom/inventory.js';
import { onChange, onFrags, onHealth, emitDeath } from './freedoom/health.js';
import { emitPending } from './freedoom/changes.js';
import { onWeaponInHand, emitWeaponChange } from './freedoom/weapon-in-hand.js';
import {
  BAR,
  PERCENT,
  SCREENS,
  SECRETS,
  onLevelName,
  onPercent,
  onScreen,
  onSecret,
  onStatusBar,
} from './freedoom/levels.js';
import { onMessage, onGain } from './freedoom/pick-ups.js';
import { ROWS, elementOf } from './freedoom/screen.js';

export function onCue(cue, game) {
  onGain(cue, game);
  emitSupport(cue, game);
  const element = elementOf(cue);
  if (cue.trigger !== 'lost') (game.state.figures ??= {})[element] = cue.value;
  if (element === 'ammunition' || ROWS.includes(element)) onWeaponInHand(cue, game);
  if (BAR.includes(cue.detector)) onStatusBar(cue, game);
  else if (SCREENS.includes(element)) onScreen(cue, game);
  else if (element === 'level name') onLevelName(cue, game);
  else if (SECRETS.includes(element)) onSecret(cue, game);
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

export function onEnd(game) {
  emitDeath(game);
  emitWeaponChange(game);
  emitPending(game, Infinity);
}

/** Emits supporting evidence of a pick-up when a number rises, which raises the confidence of the message. */
function emitSupport(cue, game) {
  if (cue.trigger !== 'changed' || !(cue.value > cue.previous)) return;
  const object = { health: 'healing item', armor: 'armor' }[elementOf(cue)];
  const gain = ROWS.includes(elementOf(cue)) ? 'ammunition' : object;
  if (gain !== undefined) game.emit({ subject: 'player', action: 'obtain', object: gain }, { support: true });
}
