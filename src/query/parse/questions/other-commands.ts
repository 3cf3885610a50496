import { rule, type Rule } from './readings.ts';
import { be, doing, having } from './words.ts';

const commands: readonly (readonly [string, string])[] = [
  [
    'make|create|cut|show|give|get|play|build|export me? a|my|the|some|all? highlights|highlight|highlight_reel|reel|montage|best_moments|best_plays|best_scenes|best_clips|clips|clip|fragmovie <r*>',
    'highlights',
  ],
  [
    'the|my? highlights|highlight|highlight_reel|reel|montage|best_moments|best_plays|best_scenes|best_clips|fragmovie <r*>',
    'highlights',
  ],
  [
    'show|give|get|print? me? a|the|my? summary|summarize|summarise|recap|overview|scoreboard|stats|statistics|report|match_report|sum_up <r*>',
    'summary',
  ],
  [
    'how_did_i_do|how_well_did_i_do|how_well_did_i_play|how_did_i_play|how_was_my_game|how_did_the_match_go|how_did_it_go|did_i_play_well|was_i_good <r*>',
    'summary',
  ],
  [`how_long ${be} the|this|my match|game|video|recording|session|clip|round`, 'summary'],
  ['why <r*>', 'query --json'],
];

/** Questions that another command answers. */
export const otherCommandRules: readonly Rule[] = [
  // A log says what happened; what could have happened it does not list.
  rule('<x> who:i|we|you|he|she|they|nobody|no_one never|did_not|have_not|has_not|had_not <v>', () => [
    { command: undefined, cost: 2 },
  ]),
  rule(`what|which <x> ${doing}|${having} <s> never|not <v>`, () => [{ command: undefined, cost: 2 }]),
  ...commands.map(([template, command]) => rule(template, () => [{ command, cost: -3 }])),
];
