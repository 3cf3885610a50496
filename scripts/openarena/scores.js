// The two boxes of scores: whose they are, and in games of teams the teams'.
import { unlessNew } from './changes.js';
import { UNREAD } from './followed.js';
import { TOGETHER } from './moments.js';

/** Medals that are won in games of teams only. */
export const OF_TEAMS = ['openarena:defend', 'openarena:assist', 'openarena:capture'];

/** In a game of teams the boxes are the teams', red and blue; else the left one is never red where the right one is blue. */
export function inTeams(game) {
  return game.reading('first ground') === 'red' && game.reading('second ground') === 'blue';
}

const TEAMS = { 'first score': 'Red', 'own score': 'Blue' };

/** A team's score, which both boxes show, whosever the player is. */
function onTeamScore(cue, game) {
  if (cue.trigger !== 'changed') return;
  const subject = { word: 'team', name: TEAMS[cue.detector] };
  unlessNew({ subject, property: 'score', from: cue.previous, to: cue.value }, { t: cue.t, cues: [cue] }, game);
}

/**
 * The right box shows the followed player's score and is framed, unless the left one, with the first player's, is the
 * player's own and framed. Scenery in the frame's colour lies behind both.
 */
export function onScores(cue, game) {
  if (inTeams(game)) {
    if (cue.detector in TEAMS) onTeamScore(cue, game);
    return;
  }
  const scores = (game.state.scores ??= {});
  scores[cue.detector] = cue.trigger === 'lost' ? undefined : cue.value;
  if (scores.since === undefined) scores.since = cue.t;
  game.after(TOGETHER, () => {
    // Where both boxes seem framed, whose score is the player's will be seen.
    if (scores.first === 'own' && scores.second === 'own') {
      if (!(cue.detector in TEAMS)) scores.since = undefined;
      return;
    }
    // Where neither does, compression has washed the frame out.
    if (scores.first === 'own') scores.isFirst = true;
    else if (scores.second === 'own') scores.isFirst = false;
    const own = scores[scores.isFirst ? 'first score' : 'own score'];
    const { since, last } = scores;
    onStanding(scores, since ?? cue.t, cue, game);
    if (own === undefined) return;
    scores.since = undefined;
    if (own === last) return;
    scores.last = own;
    const statement = { subject: 'player', property: 'score', from: last, to: own };
    if (last !== undefined) unlessNew(statement, { t: since ?? cue.t, cues: [cue] }, game);
  });
}

/** Seconds for which a standing is the same before it is told: the boxes and their frames are not seen to change at once. */
const STANDING = 0.8;

/** The left box holds the most points of all, the right one the player's, or, where the player has the most, the next ones. */
function onStanding({ isFirst, 'first score': first, 'own score': second }, t, cue, game) {
  if (isFirst === undefined || !(first >= second) || (first === second && !isFirst)) return;
  const { standing = {} } = game.state;
  const ahead = first > second ? 'lead' : 'openarena:tie for lead';
  const now = isFirst ? ahead : 'trail';
  if (now === standing.now) return;
  game.state.standing = { now, told: standing.told };
  game.after(STANDING, () => {
    const { state } = game;
    if (state.standing.now !== now || state.standing.told === now || inTeams(game)) return;
    const known = state.standing.told !== undefined;
    state.standing.told = now;
    const followed = (state.follows ?? []).slice(1).some((one) => Math.abs(one.t - t) <= UNREAD);
    if (known && !followed) unlessNew({ subject: 'player', action: now }, { t, cues: [cue] }, game);
  });
}
