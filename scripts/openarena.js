// OpenArena and Quake III Arena: kills from the feed, the followed player's health, armor and ammunition.
import { onAmmunition, onWeapon } from './openarena/arms.js';
import { onArmor, onHealth } from './openarena/body.js';
import { tellSettled } from './openarena/changes.js';
import { onFragged, onFraggedBy, onLine } from './openarena/feed.js';
import { mark, onFollowed, onLeft } from './openarena/followed.js';
import { onItem } from './openarena/items.js';
import { OF_TEAMS, inTeams, onScores } from './openarena/scores.js';

export function onCue(cue, game) {
  support(cue, game);
  mark(cue, game);
  switch (cue.detector) {
    case 'followed':
      if (cue.trigger === 'lost') onLeft(cue, game);
      else onFollowed(cue, game);
      break;
    case 'feed':
      if (cue.detail !== undefined) (game.state.lines ??= []).push({ t: cue.t, ...cue.detail.slots });
      while (game.state.lines?.[0]?.t < cue.t - 5) game.state.lines.shift();
      // The followed player's name may become known a moment after the first line.
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
      // Behind the table of scores no medal is drawn.
      if (cue.trigger !== 'lost' && game.state.alive !== false && (inTeams(game) || !OF_TEAMS.includes(cue.value)))
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
  tellSettled(game, Infinity);
}

/** What else tells of kills by the player and of the player's deaths, if not of whom or by what: it makes the feed's line surer. */
function support(cue, game) {
  const isFirst = game.reading('first') === 'own' && game.reading('second') !== 'own';
  const scored =
    !inTeams(game) && cue.detector === (isFirst ? 'first score' : 'own score') && cue.value - cue.previous === 1;
  const rewarded = ['openarena:excellent', 'openarena:humiliation'].includes(cue.value) && cue.trigger !== 'lost';
  if (scored || rewarded) game.emit({ subject: 'player', action: 'kill', object: 'opponent' }, { support: true });
  // While the player is dead no figures are shown.
  if (cue.detector === 'health' && cue.trigger === 'lost')
    game.emit({ subject: 'player', action: 'die' }, { support: true });
}
