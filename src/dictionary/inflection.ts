/** English morphology: regular rules, a table of irregular verbs, and the forms that a dictionary entry gives itself. */

/** The forms of a verb, or of an action of several words of which one is the verb. */
export interface VerbForms {
  readonly base: string;
  /** Third person singular present. */
  readonly third: string;
  readonly past: string;
  readonly participle: string;
  readonly gerund: string;
}

/** Irregular forms of a verb; `verb` names the inflected word of an action of several words. */
export interface IrregularForms {
  readonly third?: string | undefined;
  readonly past?: string | undefined;
  readonly participle?: string | undefined;
  readonly gerund?: string | undefined;
  readonly verb?: string | undefined;
}

/** Grammatical tense of a rendered sentence. */
export type Tense = 'present' | 'past' | 'perfect' | 'future';

/** Grammatical person of the player in a rendered sentence. */
export type Person = 'first' | 'second' | 'third';

/**
 * Forms the plural of a noun: `sword` → `swords`, `body` → `bodies`, `box` → `boxes`.
 *
 * In a phrase the last word is inflected, or the word before a preposition (`stroke over par` → `strokes over par`).
 */
export function pluralOf(name: string): string {
  const head = /^(.+?)( (?:of|in|on|to|for|from|with) .+)$/.exec(name);
  if (head) return pluralOf(head[1]!) + head[2]!;
  const lastWord = name.lastIndexOf(' ') + 1;
  return name.slice(0, lastWord) + pluralOfWord(name.slice(lastWord));
}

function pluralOfWord(word: string): string {
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  if (/(?:s|x|z|ch|sh)$/i.test(word)) return `${word}es`;
  if (word.endsWith('man') && word !== 'human') return `${word.slice(0, -3)}men`;
  return `${word}s`;
}

/**
 * Inflects an action.
 *
 * @param name The base form. In an action of several words the first is the verb unless `irregular.verb` names another
 * (`double jump`, verb `jump`).
 * @param irregular Forms of the verb alone (`"past": "shot"` for `shoot down`); they take precedence over the table.
 */
export function verbForms(name: string, irregular: IrregularForms = {}): VerbForms {
  const words = name.split(' ');
  const verbIndex = irregular.verb === undefined ? 0 : Math.max(0, words.indexOf(irregular.verb));
  const verb = words[verbIndex]!;
  const withVerb = (form: string): string => words.with(verbIndex, form).join(' ');
  const listed = irregularVerbs.get(verb.toLowerCase());
  const past = irregular.past ?? listed?.past ?? pastOf(verb);
  return {
    base: name,
    third: withVerb(irregular.third ?? thirdOf(verb)),
    past: withVerb(past),
    participle: withVerb(
      irregular.participle ?? (irregular.past === undefined ? listed?.participle : undefined) ?? past,
    ),
    gerund: withVerb(irregular.gerund ?? listed?.gerund ?? gerundOf(verb)),
  };
}

/** Is the last consonant doubled before a suffix (`stop` → `stopped`)? True for short consonant–vowel–consonant words. */
function doublesFinalConsonant(word: string): boolean {
  return /^[^aeiou]*(?:qu)?[aeiou][bdfgklmnprstvz]$/i.test(word);
}

function thirdOf(verb: string): string {
  if (verb === 'be') return 'is';
  if (verb === 'have') return 'has';
  if (/[^z]z$/i.test(verb) && doublesFinalConsonant(verb)) return `${verb}zes`;
  if (/[^aeiou]y$/i.test(verb)) return `${verb.slice(0, -1)}ies`;
  if (/(?:s|x|z|ch|sh|o)$/i.test(verb)) return `${verb}es`;
  return `${verb}s`;
}

function pastOf(verb: string): string {
  if (/e$/i.test(verb)) return `${verb}d`;
  if (/[^aeiou]y$/i.test(verb)) return `${verb.slice(0, -1)}ied`;
  return doublesFinalConsonant(verb) ? `${verb}${verb.at(-1)}ed` : `${verb}ed`;
}

function gerundOf(verb: string): string {
  if (/ie$/i.test(verb)) return `${verb.slice(0, -2)}ying`;
  if (/[^eoy]e$/i.test(verb) && /[aeiou]/i.test(verb.slice(0, -1))) return `${verb.slice(0, -1)}ing`;
  return doublesFinalConsonant(verb) ? `${verb}${verb.at(-1)}ing` : `${verb}ing`;
}

/** Agreement of a verb with its subject. */
export interface Agreement {
  readonly person: Person;
  readonly plural: boolean;
}

/** Writes a verb with its auxiliaries, in agreement with its subject: `kills`, `has killed`, `is killed`, `will be killed`. */
export function verbPhrase(forms: VerbForms, tense: Tense, { person, plural }: Agreement, passive: boolean): string {
  const third = person === 'third' && !plural;
  if (tense === 'future') return passive ? `will be ${forms.participle}` : `will ${forms.base}`;
  if (tense === 'perfect') return `${third ? 'has' : 'have'} ${passive ? 'been ' : ''}${forms.participle}`;
  if (!passive) return tense === 'past' ? forms.past : third ? forms.third : forms.base;
  if (tense === 'past') return `${third || person === 'first' ? 'was' : 'were'} ${forms.participle}`;
  return `${person === 'first' && !plural ? 'am' : third ? 'is' : 'are'} ${forms.participle}`;
}

/**
 * Past, participle (where it differs from the past) and gerund (where it is not regular) of verbs that occur in sentences
 * about games.
 */
const irregularVerbTable = `
  arise arose arisen, awake awoke awoken, babysit babysat babysat babysitting, be was been, bear bore borne,
  beat beat beaten, become became become, befall befell befallen, begin began begun beginning, bend bent,
  bet bet bet betting, bid bid bid bidding, bind bound, bite bit bitten, bleed bled, blow blew blown,
  break broke broken, breed bred, bring brought, build built, burst burst, buy bought, cast cast, catch caught,
  choose chose chosen, cling clung, come came come, cost cost, creep crept, cut cut cut cutting, deal dealt,
  die died died dying, dig dug dug digging, dive dived, do did done, draw drew drawn, drink drank drunk,
  drive drove driven, drop dropped dropped dropping, dwell dwelt, eat ate eaten, enter entered entered entering,
  equip equipped equipped equipping, fall fell fallen, feed fed, feel felt, fight fought, find found,
  fit fitted fitted fitting, flee fled, fling flung, fly flew flown, forbid forbade forbidden forbidding,
  forget forgot forgotten forgetting, forgive forgave forgiven, freeze froze frozen, get got got getting,
  give gave given, go went gone, grind ground, grow grew grown, hang hung, have had, hear heard, hide hid hidden,
  hit hit hit hitting, hold held, hurt hurt, keep kept, kneel knelt, know knew known, lay laid, lead led, leap leapt,
  leave left, lend lent, let let let letting, lie lay lain lying, light lit, lose lost, make made, mean meant,
  meet met, mislead misled, outbid outbid outbid outbidding, outdo outdid outdone, outrun outran outrun outrunning,
  overcome overcame overcome, overrun overran overrun overrunning, overshoot overshot, overtake overtook overtaken,
  overthrow overthrew overthrown, panic panicked panicked panicking, parry parried, pay paid,
  permit permitted permitted permitting, put put put putting, quit quit quit quitting, read read, rebuild rebuilt,
  refuel refuelled refuelled refuelling, rerun reran rerun rerunning, respawn respawned respawned respawning,
  rid rid rid ridding, ride rode ridden, ring rang rung, rise rose risen, run ran run running, say said, see saw seen,
  seek sought, sell sold, send sent, set set set setting, shake shook shaken, shed shed shed shedding, shine shone,
  shoot shot, show showed shown, shrink shrank shrunk, shut shut shut shutting, sing sang sung, sink sank sunk,
  sit sat sat sitting, sleep slept, slide slid, sling slung, slit slit slit slitting, sow sowed sown,
  speak spoke spoken, speed sped, spend spent, spin spun spun spinning, spit spat spat spitting,
  split split split splitting, spread spread, spring sprang sprung, stand stood, steal stole stolen, stick stuck,
  sting stung, stride strode stridden, strike struck, string strung, swear swore sworn, sweep swept,
  swim swam swum swimming, swing swung, take took taken, teach taught, tear tore torn, tell told, think thought,
  throw threw thrown, thrust thrust, transfer transferred transferred transferring,
  travel travelled travelled travelling, tread trod trodden, understand understood, undergo underwent undergone,
  undo undid undone, unequip unequipped unequipped unequipping, upset upset upset upsetting, wake woke woken,
  wear wore worn, weave wove woven, win won won winning, wind wound, withdraw withdrew withdrawn, write wrote written,
  control controlled controlled controlling, patrol patrolled patrolled patrolling,
  cancel cancelled cancelled cancelling, label labelled labelled labelling, level levelled levelled levelling,
  signal signalled signalled signalling, tunnel tunnelled tunnelled tunnelling, duel duelled duelled duelling,
  defer deferred deferred deferring, refer referred referred referring, recur recurred recurred recurring,
  occur occurred occurred occurring, commit committed committed committing, submit submitted submitted submitting,
  admit admitted admitted admitting, emit emitted emitted emitting, omit omitted omitted omitting,
  compel compelled compelled compelling, propel propelled propelled propelling, expel expelled expelled expelling,
  repel repelled repelled repelling, rebel rebelled rebelled rebelling, kidnap kidnapped kidnapped kidnapping,
  handicap handicapped handicapped handicapping, unplug unplugged unplugged unplugging,
  format formatted formatted formatting, uppercut uppercut uppercut uppercutting,
  backflip backflipped backflipped backflipping, teamkill teamkilled teamkilled teamkilling
`;

const irregularVerbs = new Map(
  irregularVerbTable.split(',').map((entry) => {
    const [base, past, participle, gerund] = entry.trim().split(' ');
    return [base!, { past: past!, participle: participle ?? past!, gerund }];
  }),
);
