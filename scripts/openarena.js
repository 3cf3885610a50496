// OpenArena and Quake III Arena: kills from the feed, the followed player's health, armor and ammunition.
import { onAmmunition, onWeapon } from './openarena/weapons.js';
import { onArmor, onHealth } from './openarena/health.js';
import { emitPending } from './openarena/changes.js';
import { onFragged, onFraggedBy, onLine } from './openarena/feed.js';
import { recordSwitch, onFollowed, onLeft } from './openarena/followed.js';
import { countNames } from './openarena/names.js';
import { onItem } from './openarena/items.js';
import { TEAM_MEDALS, isTeamGame, onScores } from './openarena/scores.js';

export function onCue(cue, game) {
  emitSupport(cue, game);
  recordSwitch(cue, game);
  switch (cue.detector) {
    case 'followed':
      if (cue.trigger === 'lost') onLeft(cue, game);
      else onFollowed(cue, game);
      break;
    case 'feed':
      if (cue.detail !== undefined) {
        (game.state.lines ??= []).push({ t: cue.t, ...cue.detail.slots });
        if (cue.tentative !== true) countNames(cue.detail.slots, game);
      }
      while (game.state.lines?.[0]?.t < cue.t - 5) game.state.lines.shift();
      // The name of the followed player may be read shortly after the first line.
      if (cue.detail !== undefined) game.after(game.state.player === undefined ? 2 : 0, () => onLine(cue, game));
      break;
    case 'health':
      onHealth(cue, game);
      break;
    case 'armor':
      onArmor(cue, game);
      break;
    case 'ammunition':
      onAmmunition(cue, game);
      break;
    case 'weapon':
      onWeapon(cue, game);
      break;
    case 'item':
      onItem(cue, game);
      break;
    case 'medal':
      // The scoreboard hides medals.
      if (
        cue.trigger !== 'lost' &&
        game.state.alive !== false &&
        (isTeamGame(game) || !TEAM_MEDALS.includes(cue.value))
      )
        game.emit({ subject: 'player', action: 'earn', object: cue.value });
      break;
    case 'fragged':
    case 'fragged in teams':
      if (cue.trigger !== 'lost' && cue.detail !== undefined) onFragged(cue, game);
      break;
    case 'fragged by':
      if (cue.trigger !== 'lost' && cue.detail !== undefined) onFraggedBy(cue, game);
      break;
    case 'console':
    case 'first ground':
    case 'second ground':
      break;
    default:
      onScores(cue, game);
  }
}

export function onEnd(game) {
  emitPending(game, Infinity);
}

/** Emits supporting evidence of kills and deaths of the player, which raises the confidence of the feed's lines. */
function emitSupport(cue, game) {
  const isFirst = game.reading('first') === 'own' && game.reading('second') !== 'own';
  const scored =
    !isTeamGame(game) && cue.detector === (isFirst ? 'first score' : 'own score') && cue.value - cue.previous === 1;
  const rewarded = ['openarena:excellent', 'openarena:humiliation'].includes(cue.value) && cue.trigger !== 'lost';
  if (scored || rewarded) game.emit({ subject: 'player', action: 'kill', object: 'opponent' }, { support: true });
  // The HUD shows no numbers while the player is dead.
  if (cue.detector === 'health' && cue.trigger === 'lost')
    game.emit({ subject: 'player', action: 'die' }, { support: true });
}
