import type { Dictionary, Word } from '../../dictionary/dictionary.ts';
import { getLexicon } from '../../dictionary/sentences/lexicon.ts';
import type { Display } from '../../dictionary/sentences/parse-context.ts';
import { numberValue, type Token } from '../../dictionary/sentences/tokenize.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { ordinals } from './ordinals.ts';
import { structuralWords, substitute } from './questions/words.ts';
import { compileTemplate, matchTemplate, type Bindings, type Template } from './templates.ts';

type Tokens = readonly Token[];

/** What a rewrite may know of the logs. */
export interface RewriteFacts {
  readonly dictionary: Dictionary;
  readonly vocabulary?: Vocabulary | undefined;
  readonly displays: readonly Display[];
}

/** Makes other forms of a question, which mean the same. */
type Rewrite = (tokens: Tokens, facts: RewriteFacts) => readonly Tokens[];

const nth = `ord:${Object.keys(ordinals).join('|')}`;
const be = 'is|are|was|were';
const we = 'i|we|you|my_team';
const getting =
  'bag|net|bank|notch|tally|rack_up|chalk_up|register|snag|nab|claim|pop|clock|manage|amass|pull_off|land';
const killing =
  'blow_up|blew_up|smoke|smoked|wreck|wrecked|own|owned|merk|merked|clap|clapped|pop|popped|delete|deleted|waste|wasted|obliterate|obliterated|nuke|nuked|bust|busted';
const someone = 'person|player|guy|one|opponent|enemy|driver|fighter|champion|bot';
const causes = 'to|on|from|in|because_of|due_to|through|by|for|off|with|thanks_to';
/** Seconds after an event in which a change is its effect; the answer shows it. */
const effect = 'within 5 s after';

/**
 * Forms that people type, each with the forms of the same meaning that the grammar reads. They are tried where a question is not
 * understood as it stands. {@link compileTemplate} describes templates; `<x>` in a form is what the part `x` stands for.
 */
const pairs: readonly (readonly [template: string, ...forms: string[]])[] = [
  // Who, by a clause with an infinitive.
  [`who|what|which ${be} the? ${nth} ${someone} to <v>`, 'the <ord> time someone <v>'],
  [`who|what|which ${be} the? ${nth} to <v>`, 'the <ord> time someone <v>'],
  ["list|show|name|who_are|who_were? <s> 's victims|victim|targets|prey", 'who did <s> kill'],
  ['my victims|targets|prey', 'who did i kill'],
  ['victims|targets of <s>', 'who did <s> kill'],

  // What something was done with.
  ['what|which_weapon|which_gun|what_weapon|what_gun did <s> use|used to <v>', 'which weapon did <s> <v> with'],
  ['what was|is <e> with', 'which weapon did i use for <e>'],
  ['what|which <n> got|gave|earned me|us? <e>', 'which <n> did i use for <e>'],
  ['which|what <n> <v> more <r*>', 'which <n> <v> the most <r>'],
  ['who <v> more|better', 'who <v> the most'],

  // Times and stretches of time.
  [`what|which|at_what|at_which min|minute|minutes|second|time|timestamp be:${be}|did <x>`, 'when <be> <x>'],
  [`the? time|timestamp|moment when|that|at_which <x>`, 'when <x>'],
  [`the? time|timestamp|moment who:${we} <x>`, 'when <who> <x>'],
  ['time|timestamp|moment of <x>', 'when was <x>'],
  ['times|timestamps|moments of <x>', '<x>'],
  ['how_long after the? start|beginning be:is|was|were|did <x>', 'when <be> <x>'],
  [`the? longest time|stretch|spell ${we} went between two|2? <k>`, 'longest time between my <k>'],
  ['the? longest drought|wait between <k>', 'longest time between <k>'],
  [`what|which <n> did ${we} use most|the_most|most_often for <e>`, 'which <n> did i get the most <e> with'],
  [`how quick|quickly|fast|soon did <c>`, 'how long until <c>'],
  ['how_many|how_much seconds|minutes|time until|till|before <e>', 'how long until <e>'],
  [`how_many|how_much seconds|minutes|time v:${be}|did <e>`, 'how long <v> <e>'],
  ['gap|interval|delay|distance between <x>', 'time between <x>'],
  [
    'time|how_long between <a> and <b>',
    'time between my <a> and my <b>',
    'time between i <a> and i <b>',
    'time between <a> and i <b>',
  ],
  [`the? longest <k> drought`, 'longest time between my <k>'],
  ['<a> the? 2|two <b> and <c>', '<a> the first <b> and the first <c>'],

  ['how_long after <a> did <c>', 'time between <a> and <c>', 'time between the <a> and <c>'],
  [
    'longest spell|drought|stretch|run|wait|gap|time without|with_no a|an|any|the? <x>',
    'longest time without <x>',
    'longest time between <x>',
  ],
  ['how_long|how_far into the? video|match|game|recording|race|session is|was|did <x>', 'when was <x>'],
  ['<p> at|on the? finish|finish_line|final_whistle|buzzer|line', '<p> at the end'],

  [`the? total? time ${we} spent <r>`, 'time spent <r>'],
  ['how:average|mean|longest|shortest time|seconds|wait it_took|took me|us? to respawn', '<how> respawn time'],
  ['average|mean <p> per hit|drop|loss <r*>', 'average <p> loss <r>'],
  ['by_how_much did my|the? <p> grow|rise|increase|improve|go_up <r*>', 'how much <p> did i gain <r>'],
  ['by_how_much did my|the? <p> drop|fall|shrink|decrease|go_down <r*>', 'how much <p> did i lose <r>'],
  ['<n> gained|made_up <r*>', 'how many <n> did i gain <r>'],

  // Beginnings and ends.
  ['<a> kick|kicks|kicked off', '<a> begin'],
  ['time_of|when_was|when_is the? kick_off|kickoff|tip_off|tipoff', 'when did the match begin'],
  [`when ${be} <x> over|done|finished|complete|completed`, 'when did <x> end'],
  [`be:${be} <x> side:after|before|during <y>`, 'did <x> happen <side> <y>'],
  ['<a> the? ord:' + Object.keys(ordinals).join('|') + ' time <c>', '<a> when <c> the <ord> time'],

  // States.
  [`when ${be} ${we} x:lowest|highest|weakest on|in <p> <r*>`, 'when was my <p> <x> <r>'],
  [`did ${we} lose all|all_of my|our|the? <p> <r*>`, 'did my <p> become 0 <r>'],
  ['how_long did <s> hold|keep|stay_in|have first_place|1st_place|first_position', 'how long was <s> in first place'],
  [`<a> time|stretch|spell that? who:${we} was|were not <v>`, '<a> time without <who> was <v>'],
  [
    `what be:${be} ${we} holding|using|wielding|carrying|playing_with|armed_with|equipped_with|running when|while|as <c>`,
    'my weapon when <c>',
  ],
  [
    `what be:${be} ${we} holding|using|wielding|carrying|playing_with|armed_with|equipped_with|running <c>`,
    'my weapon <c>',
  ],
  [`<a> running|sitting|placed|positioned|lying in? ${nth} <r*>`, '<a> in <ord> <r>'],
  [`what|which place|position|rank|spot did ${we} come|finish|end|end_up|place <r*>`, 'where did i finish <r>'],
  ['how low did <p> get|go|drop|fall|sink|dip <r*>', 'lowest <p> <r>'],
  ['how high did <p> get|go|rise|climb <r*>', 'highest <p> <r>'],
  ['when was <p> at its|my|their x:lowest|highest|peak <r*>', 'when was <p> <x> <r>'],
  ['<a> single_digit|single-digit|single_digits <r*>', '<a> below 10 <r>'],
  ['<p> over_time', '<p>'],
  ['how_many <n> left|remained|remaining <r*>', 'how many <n> were left <r>'],

  ['how low did i|we get|go <r*>', 'my lowest health <r>'],
  ['how low did <s> get|go <r*>', "<s> 's lowest health <r>"],
  ['<a*> bullets|rounds|shells left <b>', '<a> ammunition left <b>'],
  ['when was|were my|the? <p> at <n>', 'when did my <p> become <n>'],
  ['when did my|the? <p> hit|reach|get_to <n>', 'when did my <p> become <n>'],
  ['biggest|largest heal|healing', 'my biggest health gain'],
  ['fastest|top_speed i|we went|drove|was|got <r*>', 'my highest speed <r>'],
  [`when|while be:was|were|did ${we} on|at|have|down_to|to <n> <p>`, 'when did my <p> become <n>'],
  [`<a> drop|drops|dropped|fall|fell|slip|slipped to|into ${nth} <r*>`, '<a> get <ord> place <r>'],

  ['<a> the? pits|pitlane|pit_lane <r*>', '<a> pit stop <r>'],

  ['<p> after|at_the_end_of|on every|each lap', '<p> when i complete lap'],
  ['<p> left|remaining side:after|before <e>', '<p> <side> <e>'],

  // What an event causes, by what changes soon after it.
  [`how_much|how_many <p> did <c> cost|lose me|us`, ...effects('lose')],
  [`how_much|how_many <p> did <c> give|get|gain|earn|bring|net|restore|heal me|us`, ...effects('gain')],
  [`how_much did <c> heal|restore|regenerate me|us?`, ...effects('gain', 'health')],
  [
    `how_much|how_many <p> did|have ${we} make|made|get|gain|gained|earn|earned|win|collect|heal from|for|by|through|off|with <c>`,
    ...effects('gain'),
  ],
  [`how_much|how_many <p> did|have ${we} lose|lost to|from|by <c>`, ...effects('lose', '<p>', "opponent 's <c>")],
  [`how_much|how_many <p> did|have ${we} lose|lost|spend|spent|use|used|waste|pay ${causes} <c>`, ...effects('lose')],
  [
    'how_much did <c> cost me|us?',
    ...['gold', 'money'].map((each) => `how much ${each} did i lose ${effect} i buy <c>`),
  ],
  [`<p> ${we}? spent|lost|used|wasted ${causes} <c>`, ...effects('lose')],
  [`<p> ${we}? gained|earned|won|made ${causes} <c>`, ...effects('gain')],

  // What is one's own: a log names who takes it.
  ["who <v> my team 's <n>", 'which opponent <v> <n>'],
  ['how_many <n> against me|us|my_team <r*>', 'how many opponent <n> <r>'],
  ['<n> against me|us|my_team <r*>', 'opponent <n> <r>'],
  ['who <v> our|my <n>', 'which opponent <v> <n>'],
  [`how_many|number_of <n> did ${we} lose <r*>`, 'how many <n> did opponents take <r>'],
  [`when did ${we} lose our|my|a|the? <n>`, 'when did opponents take <n>'],
  ['number_of|how_many <n> lost <r*>', 'how many <n> did opponents take <r>'],
  [`how_many <n> did ${we} let_in|concede|give_up|give_away|leak|ship <r*>`, 'how many <n> did opponents get <r>'],
  ['<n> conceded|let_in <r*>', 'opponent <n> <r>'],

  // What one does, in other words.
  [`how_many|what|which <n> did <s> ${getting} <r*>`, 'how many <n> did <s> get <r>'],
  ['<a> kill_feed|killfeed <r*>', '<a> kills <r>'],
  ['kill_feed|killfeed <r*>', 'kills <r>'],
  ['how_many shots did <s> stop|keep_out|deny|parry <r*>', 'how many saves did <s> make <r>'],
  ['how_many <n> did <s> land|connect|hit <r*>', 'how many times did <s> hit someone with <n> <r>'],
  [`how_many <n> did <s> pass|cross|clear|reach|go_through|hit <r*>`, 'how many <n> did <s> get <r>'],
  ['<a*> moves|move <b*>', '<a> attacks <b>'],
  ['<a> need|needs|needed <b>', '<a> requires <b>'],
  ['my x:biggest|hardest|largest hit on|to <b>', '<x> hit on <b>'],
  [`how_many <n> did ${we} finish|complete|do|run|drive|make in? x:under|below|over|above <t>`, 'how many <n> <x> <t>'],
  ['which_of_us|who_of_us|which_one_of_us <v>', 'who <v>'],
  ['what did it|the_screen|the_game say|show at|around <t>', 'what message appeared at <t>'],
  ['x:longest|best|biggest|highest streak|spree|run <r*>', '<x> kill streak <r>'],
  [`<a> ${killing} <b>`, '<a> kill <b>'],
  ['<a> finish|finished <b>', '<a> kill <b>'],
  ['<n> shown|given|handed to <s>', '<n> <s> received', 'what <n> did <s> receive'],
  ['<a> down|downed <b>', '<a> knock down <b>', '<a> kill <b>'],
  [`<a> blow|blew <b> up <r*>`, '<a> kill <b> <r>'],
  ['how_much|how_many <p> did|have <s> gain|get|win|earn|take back <r*>', 'how much <p> did <s> gain <r>'],
  [`<a> got|get|gets|scored|score his|her|my|their|the? ${nth}`, '<a> scored the <ord> goal', '<a> got the <ord> kill'],
  [`when did ${we} get|gain|collect|lose my|the|a? ${nth} <n>`, 'when did <n> rise the <ord> time'],
  ['<a> finish|finished|did|do a|the|each|every? lap <r*>', '<a> completed lap <r>'],

  [`<h> did ${we} <v> my <n>`, '<h> did i <v> <n>'],
  ['how_many cars|drivers|racers|people|guys|players <v>', 'how many times someone <v>'],
  ['<a> side:after|before|since the <n>', '<a> <side> <n>'],
  ['<a> with a|an <b>', '<a> with <b>'],
  ['how_many <n> for <s>', 'how many <n> did <s> get'],
  ['how_many <n> went to <s>', 'how many <n> did <s> win'],
  ['who was|got sent_off|shown_a_red|shown_red|red_carded|red-carded <r*>', 'who received a red card <r>'],
  ['<a> sent_off|shown_a_red|shown_red|red_carded|red-carded <r*>', '<a> get a red card <r>'],
  ['who was|got booked|yellow_carded|yellow-carded|cautioned <r*>', 'who received a yellow card <r>'],
  ['<a> booked|yellow_carded|yellow-carded|cautioned <r*>', '<a> get a yellow card <r>'],
  [`how_much <p> did ${we} put_in|add|take_on|top_up|fill_up|load|pour_in|restore <r*>`, 'how much <p> did i gain <r>'],
  ['level ups|up-s <r*>', 'times anyone levels up <r>'],
  ['<a> level ups|up-s <r*>', '<a> level up <r>'],
  ['<a> hit|hits|hitting the|a? n:wall|barrier|guardrail|fence|tree <r*>', '<a> crash into the <n> <r>'],
  ['<a> from_far_away|from_distance|from_long_range|at_long_range|from_range', '<a> from afar'],
  ['what|which gun|weapon|guns|weapons did <s> use|run|play_with <r*>', 'what weapon did <s> kill with <r>'],
  [
    'how_many_times|how_often did <s> shoot|hit someone|anyone|people|somebody in_the_head <r*>',
    'how many headshots did <s> get <r>',
  ],
  ['did <a> outkill|outfrag <b>', 'did <a> get more kills than <b>'],
  ['did <a> outscore <b>', 'did <a> get more points than <b>', 'did <a> score more goals than <b>'],
  ['<a> finish|finished|end|ended ahead_of|before <b>', '<a> cross finish line before <b>'],
  ['<k> with_no|without deaths|death|dying|any_deaths in_between? , most i had|got|made?', 'most <k> without dying'],
  ['<a> vs|versus|against|v <b> head_to_head|head-to-head|h2h', '<a> kills <b> vs <b> kills <a>'],
  ['head_to_head|head-to-head|h2h <a> vs|versus|against|and|v <b>', '<a> kills <b> vs <b> kills <a>'],
  ['<a*> storms|storm|zones|circle|circles <b*>', '<a> safe zone <b>'],
  ['what is|was the most who:i|we healed|regained at_once|in_one_go|in_one_hit', 'my biggest health gain'],
  [`which lap ${be} ${we} x:slowest|fastest|quickest on|in?`, 'which was my <x> lap'],
];

/** What changes soon after an event. */
function effects(verb: 'gain' | 'lose', property = '<p>', ...others: readonly string[]): readonly string[] {
  return [...others, '<c>', 'i <c>', 'my <c>', 'i obtain <c>'].map(
    (cause) => `how much ${property} did i ${verb} ${effect} ${cause}`,
  );
}

interface Pair {
  readonly template: Template;
  readonly forms: readonly (readonly string[])[];
}

const compiled: readonly Pair[] = pairs.map(([source, ...forms]) => {
  const template = compileTemplate(source);
  // No part of a question may be lost.
  const runs = template.elements.flatMap((each) => (each.kind === 'run' ? [`<${each.name}>`] : []));
  const partial = forms.find((form) => !runs.every((run) => form.includes(run)));
  if (partial !== undefined) throw new Error(`the form "${partial}" lacks a part of "${source}"`);
  return { template, forms: forms.map((form) => form.split(' ')) };
});

/** The words of these forms, which need not be words of the dictionary. */
export const rewriteWords: ReadonlySet<string> = new Set(compiled.flatMap(({ template }) => template.words));

/** A word or a number in place of another. */
function literal(text: string, place: Token): Token {
  const token = substitute(text, place);
  if (text === "'s") return { ...token, kind: 'possessive' };
  return /^\d/.test(text) ? { ...token, kind: 'number' } : token;
}

function fill(form: readonly string[], { tokens }: Bindings, place: Token): Tokens {
  let last = place;
  return form.flatMap((part) => {
    const run = /^<(\w+)>$/.exec(part)?.[1];
    const filled = run === undefined ? [literal(part, last)] : tokens(run);
    last = filled.at(-1) ?? last;
    return filled;
  });
}

const byForm: Rewrite = (tokens) =>
  compiled.flatMap(({ template, forms }) =>
    matchTemplate(template, tokens).flatMap((part) => forms.map((form) => fill(form, part, tokens[0]!))),
  );

/** "storms/zones" are storms or zones. */
const byAlternatives: Rewrite = (tokens) => {
  if (!tokens.some(({ kind, lower }) => kind === 'word' && /^\p{L}+\/\p{L}+$/u.test(lower))) return [];
  const split = tokens.map((token) => (token.kind === 'word' ? token.lower.split('/') : [token.lower]));
  return [0, 1].map((index) =>
    tokens.map((token, at) => (split[at]!.length === 2 ? substitute(split[at]![index]!, token) : token)),
  );
};

const atLeast = compileTemplate('<a> more_than|over <n> <x>');

/** "save more than 1 shot" is to save 2 shots. */
const byNumber: Rewrite = (tokens) =>
  matchTemplate(atLeast, tokens).flatMap((part) => {
    const number = part.tokens('n').length === 1 ? numberValue(part.tokens('n')[0]) : undefined;
    if (number === undefined || !Number.isInteger(number) || number > 9) return [];
    const place = part.tokens('n')[0]!;
    const times = number === 1 ? ['twice'] : [`${number + 1}`, 'times'];
    return [
      [...part.tokens('a'), literal(`${number + 1}`, place), ...part.tokens('x')],
      [...part.tokens('a'), ...part.tokens('x'), ...times.map((each) => literal(each, place))],
    ];
  });

/** "the damage I did" to the only other one is the health that this one lost. */
const byRival: Rewrite = (tokens, { vocabulary }) => {
  const name = vocabulary?.rival?.name;
  if (name === undefined) return [];
  const done = matchTemplate(damageDone, tokens).map((part) => [
    ...['how', 'much', 'health', 'did', name, 'lose'].map((each) => substitute(each, tokens[0]!)),
    ...part.tokens('r'),
  ]);
  // "minions I summoned vs Mott": there is nobody else.
  const isAgainst = /^(?:vs|versus|v|against)$/.test(tokens.at(-2)?.lower ?? '');
  return isAgainst && tokens.at(-1)!.lower === name.toLowerCase() ? [...done, tokens.slice(0, -2)] : done;
};
const damageDone = compileTemplate('how_much|what damage did|have i|we do|deal|inflict|cause|done|dealt <r*>');

const comparisons = new Set(['below', 'under', 'above', 'over']);

/** "below 20" where something has health. */
const byHealth: Rewrite = (tokens, { dictionary, vocabulary, displays }) => {
  const at = tokens.findIndex(({ lower }, i) => comparisons.has(lower) && numberValue(tokens[i + 1]) !== undefined);
  const follower = tokens[at + 2];
  const health = dictionary.find('health', 'property');
  const isKnown =
    (health && vocabulary?.has(health)) || displays.some(({ name }) => name.toLowerCase() === health?.name);
  if (at < 0 || !isKnown || (follower && !/^(?:when|while|before|after|in|at|on|and|during)$/.test(follower.lower)))
    return [];
  return [[...tokens.slice(0, at + 2), substitute('health', tokens[at + 1]!), ...tokens.slice(at + 2)]];
};

function stemOf(word: string): string {
  return word
    .toLowerCase()
    .replace(/(?:ies|y)$/, 'i')
    .replace(/(?:n?ned|ed|ing|es|s|e)$/, '');
}

const clauseEnds = /^(?:before|after|while|when|within|in|at|during|between|and|or|by|on|per|the)$/;

/** "did anyone rail me", "sniped": a weapon of the logs as a verb or as a noun. */
const byWeapon: Rewrite = (tokens, { dictionary, vocabulary }) => {
  if (!vocabulary) return [];
  return tokens.flatMap((token, at): readonly Tokens[] => {
    const stem = stemOf(token.lower);
    // "shot" is no shotgun.
    const isVerb = getLexicon(dictionary)
      .find('action', tokens, at)
      .some(({ end, entry }) => end === at + 1 && !entry.word.name.startsWith(stem));
    if (token.kind !== 'word' || stem.length < 4 || isVerb) return [];
    const weapon = dictionary
      .descendants('weapon', 'object')
      .find((word) => vocabulary.states(word) && word.name.toLowerCase().startsWith(stem) && word.name !== token.lower);
    if (!weapon) return [];
    const name = weapon.name.split(' ').map((each) => substitute(each, token));
    const rest = tokens.slice(at + 1);
    const length = rest.findIndex(({ lower }, i) => clauseEnds.test(lower) && (i > 0 || lower !== 'the'));
    const object = rest.slice(0, length < 0 ? rest.length : length);
    const after = rest.slice(object.length);
    const before = tokens.slice(0, at);
    const isPassive =
      token.lower.endsWith('ed') && /^(?:got|get|gets|was|were|is|been|being)$/.test(before.at(-1)?.lower ?? '');
    const verb = substitute(isPassive ? 'killed' : 'kill', token);
    const means = [substitute('with', token), ...name];
    return [
      [...before, verb, ...object, ...means, ...after],
      [...before, ...name, substitute('kills', token), ...rest],
    ];
  });
};

const lightVerbs = new Set(
  'get gets got take takes took finish finishes finished grab grabs grabbed secure secured complete completed do did clear cleared down downed land landed clutch bag bagged hit win won make made'.split(
    ' ',
  ),
);
const notDone = ['lose', 'drop', 'discard', 'receive'];

/** "finish my sword" where all that the logs say of swords is that somebody buys them. */
const byOnlyAction: Rewrite = (tokens, { dictionary, vocabulary }) => {
  if (!vocabulary) return [];
  return tokens.flatMap((token, at): readonly Tokens[] => {
    if (at < 1 || !lightVerbs.has(token.lower)) return [];
    const objects = tokens
      .slice(at + 1, at + 5)
      .flatMap(({ lower }) => [dictionary.find(lower, 'object'), dictionary.find(lower.replace(/s$/, ''), 'object')]);
    const action = objects.flatMap((word) => (word ? (vocabulary.onlyActionOn(word) ?? []) : []))[0];
    if (!action || notDone.some((id) => dictionary.isA(action.id, id, 'action'))) return [];
    return [[...tokens.slice(0, at), ...verbTokens(action, token), ...tokens.slice(at + 1)]];
  });
};

function verbTokens({ name }: Word, place: Token): Tokens {
  return name.split(' ').map((each) => substitute(each, place));
}

/** Words around what a message says: that it is said, and by whom it happens. */
const aroundMessages = new Set(
  (
    'i we you me my it go goes went get gets got come comes came appear appeared appears show shows showed shown say said says ' +
    'pop popped up pass passed see saw reach reached message messages text texts banner screen start started happen happened ' +
    'the a an is was were are did does do there to on notification alert warning sign flash flashed'
  ).split(' '),
);

const messageHeads: readonly (readonly [template: Template, head: string, isQuestion: boolean])[] = (
  [
    ['how_many_times|how_often|how_many <x>', 'how many times did'],
    ['number_of|times <x>', 'how many times did'],
    ['when|what_time|at_what_time <x>', 'when did'],
    ['time|moment|timestamp of|when|that? <x>', 'when did'],
    ['how_long until|till|before|to <x>', 'how long until'],
    ['did|was|were|is|does|has|any|was_there|is_there <x>', 'did'],
    ['<q> when|after|before|until|while <x>', ''],
  ] as const
).map(([template, head]) => [compileTemplate(template), head, head !== '' && !head.endsWith('until')]);

/** "when did the zone close" where the screen shows "ZONE IS CLOSING". */
const byMessage: Rewrite = (tokens, { vocabulary }) => {
  const messages = vocabulary?.messages ?? [];
  if (messages.length === 0) return [];
  return messageHeads.flatMap(([template, head, isQuestion]) =>
    matchTemplate(template, tokens).flatMap((part) => {
      const said = part.tokens('x').filter(({ lower, kind }) => kind === 'quoted' || !aroundMessages.has(lower));
      if (said.length === 0) return [];
      return messages
        .filter((message) => saysAll(message, said))
        .map((message): Tokens => {
          const [place] = said;
          const quoted: Token = { ...place!, kind: 'quoted', text: message, lower: message.toLowerCase() };
          const subject = [substitute('message', place!), quoted];
          const verb = substitute(isQuestion ? 'appear' : 'appears', place!);
          const link = head === '' ? tokens.slice(0, tokens.length - part.tokens('x').length) : [];
          return [
            ...link,
            ...(head === '' ? [] : head.split(' ').map((each) => substitute(each, tokens[0]!))),
            ...subject,
            verb,
          ];
        });
    }),
  );
};

/** Does a message contain all of these words, in some form? */
function saysAll(message: string, words: Tokens): boolean {
  const said = message
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map((each) => stemOf(each));
  return words.every(({ lower }) => said.includes(stemOf(lower)) || said.join('') === stemOf(lower));
}

/** "checkpoints" where the screen shows "CKPT". */
const byAbbreviation: Rewrite = (tokens, { displays }) =>
  tokens.flatMap((token, at): readonly Tokens[] => {
    const word = token.lower.replace(/s$/, '');
    if (token.kind !== 'word' || word.length < 4 || structuralWords.has(word)) return [];
    const display = displays.find(({ name }) => isAbbreviation(name.toLowerCase(), word));
    return display ? [tokens.map((each, i) => (i === at ? substitute(display.name.toLowerCase(), each) : each))] : [];
  });

/** Is a caption the consonants of a word, from its first letter on? */
function isAbbreviation(caption: string, word: string): boolean {
  if (!/^[^\Waeiou\d_]{3,}$/.test(caption) || caption[0] !== word[0]) return false;
  let at = 0;
  for (const letter of word) if (letter === caption[at]) at++;
  return at === caption.length;
}

const pointsOf = ['how_many goals|points did <p> score|get|make', 'the? final score for|of <p>'].map((each) =>
  compileTemplate(each),
);

/** "how many goals did Red score" where the screen shows a figure for each side. */
const byScore: Rewrite = (tokens, { displays }) =>
  pointsOf
    .flatMap((template) => matchTemplate(template, tokens))
    .flatMap((part) => {
      const isShown = displays.some(({ name }) => name.toLowerCase() === part.text('p'));
      return isShown ? [[substitute('final', tokens[0]!), ...part.tokens('p')]] : [];
    });

const aroundCounter = new Set('when how long what time did does was is the my at'.split(' '));
const caption = /^(?:lap|round|level|wave|stage|day)s?$/;

/** "when did lap 2 start", "how long did lap 2 take" where the screen counts laps. */
const byCounter: Rewrite = (tokens, { displays }) => {
  const counted = displays.filter(({ name }) => caption.test(name.toLowerCase()));
  if (counted.length === 0) return [];
  const at = tokens.findIndex(({ lower }) => caption.test(lower));
  const noun = tokens[at];
  if (!noun || !counted.some(({ name }) => stemOf(name) === stemOf(noun.lower))) return [];
  const before = ordinals[tokens[at - 1]?.lower ?? ''];
  const number = numberValue(tokens[at + 1]) ?? (before !== undefined && before > 0 ? before : undefined);
  if (number === undefined || !Number.isInteger(number)) return [];
  const isAfter = numberValue(tokens[at + 1]) !== undefined;
  const start = isAfter ? at : at - 1;
  const [head, rest] = [tokens.slice(0, start), tokens.slice(at + (isAfter ? 2 : 1))];
  const last = rest.at(-1)?.lower ?? '';
  const one = (n: number): Tokens => [noun, literal(`${n}`, noun)];
  const words = (text: string): Tokens => text.split(' ').map((each) => substitute(each, noun));
  const length = [...words('time between'), ...one(number), ...words('and'), ...one(number + 1)];
  // Nothing else may be said of it.
  const isBare = rest.length <= 1 && head.every(({ lower }) => aroundCounter.has(lower));
  const isLength = head[0]?.lower === 'how' && head[1]?.lower === 'long' && /^(?:|take|last|took|lasted)$/.test(last);
  if (isBare && (isLength || /^(?:time|duration|length)$/.test(last))) return [length];
  if (isBare && /^(?:start|starts|started|begin|begins|began)$/.test(last))
    return [[...words('when was'), ...one(number)]];
  if (isBare && /^(?:end|ends|ended|over|done|finish|finished|complete|completed)$/.test(last))
    return [[...words('when was'), ...one(number + 1)]];
  // "lowest health on lap 3"
  const preposition = head.findLastIndex(({ lower }) => /^(?:in|on|during)$/.test(lower));
  if (preposition < 1) return [];
  return [[...head.slice(0, preposition), ...words('while'), noun, ...words('is'), one(number)[1]!, ...rest]];
};

const numberedOwners = new Set(['the', 'my', 'his', 'her', 'their', 'our']);

/** "destroy the second tower" is to destroy a tower the second time. */
const byOrdinal: Rewrite = (tokens) => {
  const at = tokens.findIndex(({ lower }, i) => i > 1 && Object.hasOwn(ordinals, lower));
  // "Brand's second goal" is a noun already.
  const isNoun = at < 0 || tokens[at - 1]!.kind === 'possessive' || tokens[at + 1]?.lower === 'time';
  if (isNoun || at === tokens.length - 1) return [];
  const head = numberedOwners.has(tokens[at - 1]!.lower) ? tokens.slice(0, at - 1) : tokens.slice(0, at);
  const time = [substitute('the', tokens[at]!), tokens[at]!, substitute('time', tokens[at]!)];
  return [1, 2].flatMap((length) => {
    const end = at + 1 + length;
    return end > tokens.length ? [] : [[...head, ...tokens.slice(at + 1, end), ...time, ...tokens.slice(end)]];
  });
};

const placing = compileTemplate(
  'how_many|number_of <n> did <s> place|make|do|set|set_up|perform|put_down|throw|play|land <r*>',
);

/** "how many wards did I place" where the logs have a verb for it. */
const byVerb: Rewrite = (tokens, { dictionary, vocabulary }) =>
  matchTemplate(placing, tokens).flatMap((part): readonly Tokens[] => {
    const noun = part.tokens('n').at(-1)!;
    const verb = dictionary.find(noun.lower.replace(/s$/, ''), 'action');
    if (part.tokens('n').length > 1 || !verb || !vocabulary?.has(verb)) return [];
    const head = ['how', 'many', 'times', 'did'].map((each) => substitute(each, tokens[0]!));
    return [[...head, ...part.tokens('s'), substitute(verb.name, noun), ...part.tokens('r')]];
  });

const rewrites: readonly Rewrite[] = [
  byMessage,
  byCounter,
  byRival,
  byScore,
  byAlternatives,
  byAbbreviation,
  byForm,
  byVerb,
  byNumber,
  byHealth,
  byWeapon,
  byOnlyAction,
  byOrdinal,
];

/** The most rewrites of one question, one after another. */
const maxSteps = 3;
const maxRewritten = 24;

/** Other forms of a question, those with the fewest changes first. */
export function* rewriteQuestion(tokens: Tokens, facts: RewriteFacts): Generator<Tokens> {
  const keyOf = (each: Tokens): string => each.map(({ kind, lower }) => `${kind}${lower}`).join(' ');
  const known = new Set([keyOf(tokens)]);
  let open: readonly Tokens[] = [tokens];
  for (let step = 0; step < maxSteps; step++) {
    const next: Tokens[] = [];
    for (const each of open)
      for (const rewrite of rewrites)
        for (const form of rewrite(each, facts)) {
          const key = keyOf(form);
          if (known.has(key) || known.size > maxRewritten) continue;
          known.add(key);
          next.push(form);
          yield form;
        }
    open = next;
  }
}
