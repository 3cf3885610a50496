// Freedoom and Doom: what the status bar and the messages in the top left corner mean.
import { onAmmunition, onRow } from './freedoom/ammunition.js';
import { onArms, onKey, onWeapons } from './freedoom/belongings.js';
import { onChange, onFrags, onHealth, tellDeath } from './freedoom/body.js';
import { tellSettled } from './freedoom/changes.js';
import { onHand, tellHand } from './freedoom/hand.js';
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
import { onMessage, onRise } from './freedoom/pick-ups.js';
import { ROWS, elementOf } from './freedoom/screen.js';

export function onCue(cue, game) {
  onRise(cue, game);
  support(cue, game);
  const element = elementOf(cue);
  if (cue.trigger !== 'lost') (game.state.figures ??= {})[element] = cue.value;
  if (element === 'ammunition' || ROWS.includes(element)) onHand(cue, game);
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
  tellDeath(game);
  tellHand(game);
  tellSettled(game, Infinity);
}

/** What a figure that rises tells of a pick-up: of which sort it was, which makes the message surer. */
function support(cue, game) {
  if (cue.trigger !== 'changed' || !(cue.value > cue.previous)) return;
  const object = { health: 'healing item', armor: 'armor' }[elementOf(cue)];
  const gain = ROWS.includes(elementOf(cue)) ? 'ammunition' : object;
  if (gain !== undefined) game.emit({ subject: 'player', action: 'obtain', object: gain }, { support: true });
}
