import { ordinals } from '../parse/ordinals.ts';

/**
 * What a word or phrase can express, any one of these: `neg`, `max`, `min`, `avg`, `ord <n>` and `num <n>` are parts that only one
 * word says; `id <id>` is a word of the dictionary or one under it; everything else is a trait of the query.
 */
export type Expression = readonly string[];

const table = new Map<string, Expression>();

function express(phrases: string, ...meanings: readonly string[]): void {
  for (const phrase of phrases.split(' ')) {
    const words = phrase.replaceAll('_', ' ');
    table.set(words, [...(table.get(words) ?? []), ...meanings]);
  }
}

/** Words that only carry grammar: they change nothing of what is asked. */
export const grammarWords: ReadonlySet<string> = new Set(
  (
    'a an the this that these those there here he she it its they them ' +
    'his her him their theirs oneself someone somebody anyone anybody everyone everybody something anything everything ' +
    'who whom whose what which where how is are was were am be been being do does did done have has had having get gets ' +
    'got gotten getting make makes made making can could will would shall should may might to of in on at by for with ' +
    'from into onto upon as so any some all every each via using please pls plz ever hey hi hello ok okay um uh hmm well ' +
    'thanks thx bro dude lol btw actually really simply also too even many much often show list find give tell display ' +
    'print fetch see know want like need let happen happens happened happening occur occurs occurred took_place go went ' +
    'going gone come came one ones thing things stuff event events time times moment moments occasion occasions player ' +
    'take takes took taken deal deals dealt land landed commit commits committed commited draw draws drew drawn score scored ' +
    'scores achieve achieved record recorded perform performed suffer suffered receive received reach reached pull pulled ' +
    'up back down off out away players person people guy guys bot bots match game session round video recording clip log vod'
  ).split(' '),
);

// Whom a question is about.
// Whose laps a log states, it does not say of laps as periods.
express('my', 'length of period');
express('i my mine myself me we us our ours you your yours', 'id player', 'id teammate', 'other owner');
express(
  'show_me tell_me give_me list_me get_me find_me can_you could_you would_you will_you do_you_know',
  'number',
  'list',
  'whether',
);
express('let_me let_us thank_you i_want i_would i_need i_wanna', 'number', 'list', 'whether');

// Negations.
express('not no never without except excluding unless nobody nothing none neither nor other else besides', 'neg');
express('other_than apart_from with_no not_a without_a without_any without_ever nobody_else no_one rest_of', 'neg');
express('different distinct unique', 'distinct', 'by');
express('kinds_of types_of kind_of type_of kind type kinds types various', 'distinct', 'by');
express('never', 'neg');
express('but', 'and', 'neg');
express('but_not', 'neg');

// What logs do not say unless they have these words themselves.
express(
  'alone together jointly only solely exclusively merely both again once twice thrice once_more instead just single',
);

// Extremes.
express('most', 'max');
express(
  'highest biggest largest greatest top max maximum peak longest hardest heaviest strongest hottest warmest richest',
  'max',
);
express('healthiest hungriest thirstiest deadliest favorite favourite preferred main go-to nemesis', 'max');
express('least fewest lowest smallest min minimum shortest slightest lightest coldest weakest poorest rarest', 'min');
express('best worst fastest quickest slowest closest', 'max', 'min');
express('most_often most_frequently most_times the_most_of most_of', 'max');
express('least_often', 'min');
express('most_used most_common most_frequent most_popular most_played most_effective most_successful', 'max');
express('least_used least_common least_effective', 'min');
express(
  'worst_enemy biggest_enemy biggest_threat arch_enemy archenemy main_killer top_scorer top_killer top_fragger',
  'max',
);
express('high_score', 'max');
express('leads led leader leading is_ahead ahead lead', 'max', 'id rank', 'versus', 'difference');
express('how_low', 'min');
express('how_high', 'max', 'at', 'number');
express('at_once in_one_go in_one_hit in_a_hit in_a_single_hit from_one_hit at_a_time', 'of change', 'of amount');

// Averages, rates and sums.
express('average mean typical usual averaged', 'avg');
express('on_average in_average', 'avg');
express('together combined between_them jointly', 'joint');
express('total overall altogether sum', 'count', 'sum', 'at', 'by', 'list', 'streak');
express('in_total in_all all_in_all', 'number', 'list');
express('rate', 'per', 'share', 'ratio');
express('per', 'per', 'of life', 'by', 'ratio', 'state');
express(
  'a_minute a_second an_hour a_match a_game a_life a_round',
  'per',
  'by',
  'number',
  'period',
  'time',
  'while',
  'near',
);
express('percentage percent share proportion fraction pct part', 'share', 'value');
express('ratio kd kda', 'ratio', 'share');
express('kpm', 'per');

// Numbers of things.
express(
  'matches games sessions recordings videos logs races',
  'by session',
  'per session',
  'scope',
  'id match',
  'id race',
);
express('number no #', 'nth');
express('count number tally counter amount counts how_many how_often how_frequently', 'number', 'property', 'sequence');

express('how_much', 'quantity');
express('besides aside_from apart_from everyone_but', 'neg');
express('have_at_the_end had_at_the_end got_at_the_end', 'count', 'at end');
express('twice two_times 2_times more_than_once at_least_twice', 'times 2');
express('thrice three_times 3_times', 'times 3');
express('four_times', 'times 4');
express('five_times', 'times 5');
express('my_team our_team my_squad our_squad', 'own team');
express('cold hot hungry thirsty rich', 'extreme', 'at', 'state');

// Comparisons.
express('than', 'within', 'versus', 'bound', 'confidence', 'time', 'near', 'neg');
express('more fewer less', 'within', 'versus', 'bound', 'max', 'min', 'of change');
express(
  'more_than less_than under_than fewer_than at_least at_most no_more_than not_more_than no_less_than up_to',
  'bound',
  'versus',
  'within',
);
express('as_many_as as_often_as as_much_as as_many as_often as_much equally', 'versus equal');
express(
  'higher greater bigger larger longer lower smaller shorter faster quicker slower better worse',
  'versus',
  'bound',
  'max',
  'min',
);
express('vs versus compared_to compared_with compare against', 'versus', 'slot object', 'slot subject', 'ratio');
express('difference gap', 'versus difference', 'of gap', 'of duration', 'of change', 'changes');
express('below under above over exceed exceeds exceeded', 'bound', 'time', 'period', 'sum');
express('exactly', 'value', 'bound', 'number', 'list', 'at');

// Relations of time.
express('before after', 'near', 'time', 'state', 'period', 'sequence', 'at', 'versus', 'of time', 'of duration');
express('between', 'bound', 'near', 'time', 'of gap', 'of duration', 'versus', 'ratio');
express('within', 'near', 'sequence', 'time', 'period');
express('during throughout', 'period', 'time', 'while', 'near');
express('whenever every_time', 'list', 'state');
express('while whilst whenever as_long_as', 'while', 'state', 'near');
express(
  'when',
  'list',
  'while',
  'state',
  'near',
  'of time',
  'sequence',
  'whether',
  'of duration',
  'period',
  'max',
  'min',
);
express('then next afterwards later following followed_by', 'sequence', 'near', 'of gap', 'time', 'at', 'state');
express('until till since', 'near', 'of time', 'time', 'of duration', 'of life', 'period', 'sequence');
express('past', 'time');
express(
  'soon shortly immediately directly straight right just_after just_before right_after right_before',
  'near',
  'state',
  'sequence',
  'at',
);
express('at_the_same_time simultaneously', 'within');
express('each_other one_another', 'mutual', 'same');
express('consecutive successive straight in_a_row back_to_back', 'streak', 'row', 'of gap', 'sequence');
express('streak spree chain run killstreak', 'streak', 'row', 'event', 'of gap');
express('row', 'streak', 'row');
express('in_one_life in_a_life in_a_single_life in_a_single_go', 'streak', 'row');
express(
  'start beginning started begin begins began starting initial',
  'at start',
  'part 10',
  'start',
  'period',
  'time',
  'ord 1',
);
express(
  'end ending finish finished finishing ended final_score',
  'at end',
  'at',
  'part 10',
  'period',
  'time',
  'of duration',
);
express('middle mid', 'part 3', 'time');
express('half_time halftime the_half the_break', 'period', 'at');
express('leading winning in_the_lead ahead', 'max');
express('quarter', 'part 4', 'period', 'num 0.25');
express('third', 'part 3');
express('half halves', 'part 2', 'period', 'num 0.5');
express('mark', 'time', 'at');
express('onwards onward on', 'time');
const timed = ['time', 'within', 'of duration', 'of gap', 'of time', 'of held', 'of life', 'at'];
express('minute minutes min mins m', 'per minute', 'by minute', ...timed);
express('seconds sec secs s ms', 'per second', ...timed);
// Without a number before it, which makes it a unit, "second" is an ordinal.
express('second', 'per second');
express('which_second what_second split_second', ...timed);
express('hour hours h', 'per hour', ...timed);
express('how_long', 'of duration', 'of gap', 'of life', 'of held', 'of time', 'max', 'min');
express('how_fast how_quickly how_soon', 'of duration', 'of time', 'id speed', 'of gap');
express('how_fast how_quick how_slow how_long', 'id lap time');
express('how_far', 'of time', 'of amount', 'of change');
express(
  'alive survive survived lived live last lasts stay_alive stayed_alive',
  'of life',
  'at',
  'state',
  'of held',
  'of gap',
);
express(
  'life lives lifetime lifespan survival',
  'of life',
  'per life',
  'by life',
  'near',
  'streak',
  'row',
  'id lives',
  'per',
  'drops',
);
express('dead down', 'of duration', 'id die', 'id down');
express('interval pause break wait delay period stretch', 'of gap', 'of duration', 'period', 'of life', 'at');
express('length duration', 'of held', 'of duration');
express('stay stayed remain remained', 'of held', 'state');
express('passed passes elapsed went_by', 'of duration', 'of gap');
express('after_the_first', 'time', 'at');
express('two', 'of gap');
express('spend spent', 'of held', 'sum', 'versus', 'of duration');

// Changes of values.
express(
  'lose loses lost losing loss losses decrease decreases decreased drop drops dropped dropping fall falls fell fallen',
  'drops',
);
express(
  'sink sank sunk decline declined shrink shrank worsen worsens worsened use uses used spend spent waste wasted burn',
  'drops',
);
express(
  'burned fire fired shoot shot shots damage hurt hurts hit hits blow blows down taken take took taking suffered worse',
  'drops',
);
express(
  'gain gains gained gaining regain regained regenerate regenerated recover recovered heal heals healed healing',
  'rises',
  'id level up',
);
express(
  'add adds added increase increases increased rise rises rose risen climb climbs climbed climbing grow grew earn earned collect',
  'rises',
);
express(
  'collected win won received made picked pick up improve improves improved improving restored moved advance',
  'rises',
  'id level up',
);
express('move moves', 'rises', 'drops');
express('hit', 'value');
express('jump jumps spike spikes', 'rises');
express('dip dips', 'drops');
express('killers fraggers players scorers', 'by subject');
express('survive live last stay_alive', 'of duration');
express('run_out_of runs_out_of', 'drops');
express('die dies died dying death deaths killed', 'loss of life');
express('say says said show shows showed', 'id appear', 'value');
express('advanced level levelled leveled better', 'rises');
express('fall fell drop dropped rise rose climb climbed get got go went become became', 'extreme');
express(
  'change changes changed changing switch switched switches turn turned turns swap swapped swaps equip',
  'changes',
  'value',
);
express('equipped become became becomes reach reached reaches equals exact', 'value');
express('start started begin began get_to got_to reach reached', 'value');
express('reach reached exceed exceeded cross crossed get got go goes went drop dropped fall fell', 'value', 'bound');

// Conjunctions.
express(
  'and &',
  'and',
  'all',
  'or',
  'near',
  'sequence',
  'time',
  'versus',
  'of duration',
  'list',
  'state',
  'number',
  'by',
);
express('or', 'or', 'versus', 'whether');
express('either', 'or');
express(',', 'or', 'list', 'and', 'versus', 'number', 'all', 'sequence');

// Values.
express('low', 'bound', 'min');
express('high', 'bound', 'max');
express('left remaining', 'at', 'state', 'property', 'value');
express('current currently', 'at end');
express(
  'hold holding held wield wielding carry carrying equipped using have_out in_hand hand hands out',
  'while',
  'state',
  'at',
  'of held',
  'id weapon',
);
express('same', 'same');

express('place places position positions spot spots standing placement ranking', 'id rank');
express('gun guns weapon weapons', 'id weapon');
express('bar counter gauge meter display caption value values', 'property');
express('subject killer attacker', 'by subject');
express('object victim', 'by object');
express('action', 'by action');
express('property', 'by property');
express('manner', 'by manner');
express('means instrument', 'by with');
express('place', 'by at');
express('name', 'by name');
express('confidence', 'confidence');
express('around about', 'time', 'near');
express('break split group grouped breakdown divided', 'by');
express('kill kills', 'event', 'id destroy');
express('use used', 'by', 'any action', 'of held');
express('goal goals', 'id score');
express('goalscorer scorer goal_scorer', 'by subject');
express('rounds bullets shells', 'id ammunition', 'id ammunition in magazine');
express('drove ran posted managed', 'extreme');

// Whom and what something is about.
express('killer attacker murderer', 'by subject', 'slot subject');
express('victim target prey', 'by object', 'slot object');

for (const [word, value] of Object.entries(ordinals)) express(word, `ord ${value}`);
express('final last latest', 'at end');
express('first', 'at start');
express('second_to_last second_last next_to_last penultimate second-to-last second-last', 'ord -2');
express('finally', 'ord -1');

/** What a word or phrase of a question, in lower case, can express; `undefined` for words that are no part of its grammar. */
export function expressionOf(phrase: string): Expression | undefined {
  return table.get(phrase);
}

/** The most words of a phrase. */
export const maxPhraseWords = Math.max(...[...table.keys()].map((phrase) => phrase.split(' ').length));
