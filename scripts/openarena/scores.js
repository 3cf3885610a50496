// The two score boxes: whose scores they show, and the scores of teams.
import { emitUnlessMatchBegan } from './changes.js';
import { NAME_UNREADABLE_SECONDS } from './followed.js';
import { RELATED_SECONDS } from './timing.js';

/** Medals that exist only in team games. */
export const TEAM_MEDALS = ['openarena:defend', 'openarena:assist', 'openarena:capture'];

/** In team games the boxes are red and blue; otherwise never the left red and the right blue at once. */
export function isTeamGame(game) {
  return game.reading('first ground') === 'red' && game.reading('second ground') === 'blue';
}

const TEAMS = { 'first score': 'Red', 'own score': 'Blue' };

/** Emits a change of a team's score. */
function onTeamScore(cue, game) {
  if (cue.trigger !== 'changed') return;
  const subject = { word: 'team', name: TEAMS[cue.detector] };
  emitUnlessMatchBegan(
    { subject, property: 'score', from: cue.previous, to: cue.value },
    { t: cue.t, cues: [cue] },
    game,
  );
}

/**
 * The left box has the leader's score, the right box the followed player's, or the second score if the followed player leads. The frame
 * marks the player's own box; the background may have the colour of the frame.
 */
export function onScores(cue, game) {
  if (isTeamGame(game)) {
    if (cue.detector in TEAMS) onTeamScore(cue, game);
    return;
  }
  const scores = (game.state.scores ??= {});
  scores[cue.detector] = cue.trigger === 'lost' ? undefined : cue.value;
  if (scores.since === undefined) scores.since = cue.t;
  game.after(RELATED_SECONDS, () => {
    // Both boxes seem framed: waits for a clear reading.
    if (scores.first === 'own' && scores.second === 'own') {
      if (!(cue.detector in TEAMS)) scores.since = undefined;
      return;
    }
    // Neither seems framed: compression has blurred the frame, so the last reading holds.
    if (scores.first === 'own') scores.isFirst = true;
    else if (scores.second === 'own') scores.isFirst = false;
    const own = scores[scores.isFirst ? 'first score' : 'own score'];
    const { since, last } = scores;
    emitStanding(scores, since ?? cue.t, cue, game);
    if (own === undefined) return;
    scores.since = undefined;
    if (own === last) return;
    scores.last = own;
    const statement = { subject: 'player', property: 'score', from: last, to: own };
    if (last !== undefined) emitUnlessMatchBegan(statement, { t: since ?? cue.t, cues: [cue] }, game);
  });
}

/** Seconds for which a standing must last: boxes and frames are not read as changed at the same time. */
const STANDING_SECONDS = 0.8;

/** Emits whether the player leads, ties or trails. */
function emitStanding({ isFirst, 'first score': first, 'own score': second }, t, cue, game) {
  if (isFirst === undefined || !(first >= second) || (first === second && !isFirst)) return;
  const { standing = {} } = game.state;
  const ahead = first > second ? 'lead' : 'openarena:tie for lead';
  const now = isFirst ? ahead : 'trail';
  if (now === standing.now) return;
  game.state.standing = { now, emitted: standing.emitted };
  game.after(STANDING_SECONDS, () => {
    const { state } = game;
    if (state.standing.now !== now || state.standing.emitted === now || isTeamGame(game)) return;
    const known = state.standing.emitted !== undefined;
    state.standing.emitted = now;
    const followed = (state.follows ?? []).slice(1).some((one) => Math.abs(one.t - t) <= NAME_UNREADABLE_SECONDS);
    if (known && !followed) emitUnlessMatchBegan({ subject: 'player', action: now }, { t, cues: [cue] }, game);
  });
}
