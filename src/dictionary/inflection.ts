// English morphology: regular rules, a table of irregular verbs, and whatever a dictionary entry says itself.

const vowels = /[aeiou]/i;

/** Does a short word end in consonant–vowel–consonant, so that its last letter is doubled (stop, stopped)? */
function doubles(word: string): boolean {
  return /^[^aeiou]*(?:qu)?[aeiou][bdfgklmnprstvz]$/i.test(word);
}

function replaceLast(phrase: string, inflect: (word: string) => string): string {
  const cut = phrase.lastIndexOf(' ') + 1;
  return phrase.slice(0, cut) + inflect(phrase.slice(cut));
}

/** `sword` → `swords`, `body` → `bodies`, `box` → `boxes`; of a phrase the last word, or the one before "of" or "in". */
export function pluralOf(name: string): string {
  const head = /^(.+?)( (?:of|in|on|to|for|from|with) .+)$/.exec(name);
  if (head) return pluralOf(head[1]!) + head[2]!;
  return replaceLast(name, (word) => {
    if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
    if (/(?:s|x|z|ch|sh)$/i.test(word)) return `${word}es`;
    if (word.endsWith('man') && word !== 'human') return `${word.slice(0, -3)}men`;
    return `${word}s`;
  });
}

/** `kill` → `kills`, `carry` → `carries`, `push` → `pushes`. */
function thirdOf(verb: string): string {
  if (verb === 'be') return 'is';
  if (verb === 'have') return 'has';
  if (/[^z]z$/i.test(verb) && doubles(verb)) return `${verb}zes`;
  if (/[^aeiou]y$/i.test(verb)) return `${verb.slice(0, -1)}ies`;
  if (/(?:s|x|z|ch|sh|o)$/i.test(verb)) return `${verb}es`;
  return `${verb}s`;
}

/** `kill` → `killed`, `stop` → `stopped`, `carry` → `carried`, `move` → `moved`. */
function pastOf(verb: string): string {
  if (/e$/i.test(verb)) return `${verb}d`;
  if (/[^aeiou]y$/i.test(verb)) return `${verb.slice(0, -1)}ied`;
  return doubles(verb) ? `${verb}${verb.at(-1)}ed` : `${verb}ed`;
}

/** `kill` → `killing`, `stop` → `stopping`, `move` → `moving`, `die` → `dying`. */
function gerundOf(verb: string): string {
  if (/ie$/i.test(verb)) return `${verb.slice(0, -2)}ying`;
  if (/[^eoy]e$/i.test(verb) && vowels.test(verb.slice(0, -1))) return `${verb.slice(0, -1)}ing`;
  return doubles(verb) ? `${verb}${verb.at(-1)}ing` : `${verb}ing`;
}

/** The forms of a verb, or of an action of several words in which one is the verb. */
export interface VerbForms {
  readonly base: string;
  readonly third: string;
  readonly past: string;
  readonly participle: string;
  readonly gerund: string;
}

export interface IrregularForms {
  readonly third?: string | undefined;
  readonly past?: string | undefined;
  readonly participle?: string | undefined;
  readonly gerund?: string | undefined;
  readonly verb?: string | undefined;
}

/**
 * All forms of `name`. Irregular forms are given of the verb alone (`"past": "shot"` of "shoot down"); in an action of
 * several words the first is the verb unless `verb` names another ("double jump", verb "jump").
 */
export function verbForms(name: string, irregular: IrregularForms = {}): VerbForms {
  const words = name.split(' ');
  const at = irregular.verb === undefined ? 0 : Math.max(0, words.indexOf(irregular.verb));
  const verb = words[at]!;
  const put = (form: string): string => words.map((word, index) => (index === at ? form : word)).join(' ');
  const known = irregularVerb(verb);
  const past = irregular.past ?? known?.past ?? pastOf(verb);
  return {
    base: name,
    third: put(irregular.third ?? thirdOf(verb)),
    past: put(past),
    participle: put(irregular.participle ?? (irregular.past === undefined ? known?.participle : undefined) ?? past),
    gerund: put(irregular.gerund ?? known?.gerund ?? gerundOf(verb)),
  };
}

// Past, participle (where different) and gerund (where not regular) of English verbs that sentences about games use.
// A dictionary entry's own forms come first; this table serves names and synonyms that give none.
const table = `
arise arose arisen
awake awoke awoken
babysit babysat babysat babysitting
be was been
bear bore borne
beat beat beaten
become became become
befall befell befallen
begin began begun beginning
bend bent
bet bet bet betting
bid bid bid bidding
bind bound
bite bit bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burst burst
buy bought
cast cast
catch caught
choose chose chosen
cling clung
come came come
cost cost
creep crept
cut cut cut cutting
deal dealt
die died died dying
dig dug dug digging
dive dived
do did done
draw drew drawn
drink drank drunk
drive drove driven
drop dropped dropped dropping
dwell dwelt
eat ate eaten
enter entered entered entering
equip equipped equipped equipping
fall fell fallen
feed fed
feel felt
fight fought
find found
fit fitted fitted fitting
flee fled
fling flung
fly flew flown
forbid forbade forbidden forbidding
forget forgot forgotten forgetting
forgive forgave forgiven
freeze froze frozen
get got got getting
give gave given
go went gone
grind ground
grow grew grown
hang hung
have had
hear heard
hide hid hidden
hit hit hit hitting
hold held
hurt hurt
keep kept
kneel knelt
know knew known
lay laid
lead led
leap leapt
leave left
lend lent
let let let letting
lie lay lain lying
light lit
lose lost
make made
mean meant
meet met
mislead misled
outbid outbid outbid outbidding
outdo outdid outdone
outrun outran outrun outrunning
overcome overcame overcome
overrun overran overrun overrunning
overshoot overshot
overtake overtook overtaken
overthrow overthrew overthrown
panic panicked panicked panicking
parry parried
pay paid
permit permitted permitted permitting
put put put putting
quit quit quit quitting
read read
rebuild rebuilt
refuel refuelled refuelled refuelling
rerun reran rerun rerunning
respawn respawned respawned respawning
rid rid rid ridding
ride rode ridden
ring rang rung
rise rose risen
run ran run running
say said
see saw seen
seek sought
sell sold
send sent
set set set setting
shake shook shaken
shed shed shed shedding
shine shone
shoot shot
show showed shown
shrink shrank shrunk
shut shut shut shutting
sing sang sung
sink sank sunk
sit sat sat sitting
sleep slept
slide slid
sling slung
slit slit slit slitting
sow sowed sown
speak spoke spoken
speed sped
spend spent
spin spun spun spinning
spit spat spat spitting
split split split splitting
spread spread
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
stride strode stridden
strike struck
string strung
swear swore sworn
sweep swept
swim swam swum swimming
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
thrust thrust
transfer transferred transferred transferring
travel travelled travelled travelling
tread trod trodden
understand understood
undergo underwent undergone
undo undid undone
unequip unequipped unequipped unequipping
upset upset upset upsetting
wake woke woken
wear wore worn
weave wove woven
win won won winning
wind wound
withdraw withdrew withdrawn
write wrote written
control controlled controlled controlling
patrol patrolled patrolled patrolling
cancel cancelled cancelled cancelling
label labelled labelled labelling
level levelled levelled levelling
signal signalled signalled signalling
tunnel tunnelled tunnelled tunnelling
duel duelled duelled duelling
defer deferred deferred deferring
refer referred referred referring
recur recurred recurred recurring
occur occurred occurred occurring
commit committed committed committing
submit submitted submitted submitting
admit admitted admitted admitting
emit emitted emitted emitting
omit omitted omitted omitting
compel compelled compelled compelling
propel propelled propelled propelling
expel expelled expelled expelling
repel repelled repelled repelling
rebel rebelled rebelled rebelling
kidnap kidnapped kidnapped kidnapping
handicap handicapped handicapped handicapping
unplug unplugged unplugged unplugging
format formatted formatted formatting
uppercut uppercut uppercut uppercutting
backflip backflipped backflipped backflipping
teamkill teamkilled teamkilled teamkilling
`;

export interface Irregular {
  readonly past: string;
  readonly participle: string;
  readonly gerund: string | undefined;
}

const verbs = new Map<string, Irregular>();
for (const line of table.split('\n')) {
  const [base, past, participle, gerund] = line.split(' ');
  if (base && past) verbs.set(base, { past, participle: participle ?? past, gerund });
}

/** The irregular forms of a verb, if it is known to have any. */
export function irregularVerb(base: string): Irregular | undefined {
  return verbs.get(base.toLowerCase());
}

export type Tense = 'present' | 'past' | 'perfect' | 'future';
export type Person = 'first' | 'second' | 'third';

/** A verb with its auxiliaries, in agreement with its subject: "kills", "has killed", "is killed", "will be killed". */
export function verbPhrase(forms: VerbForms, tense: Tense, person: Person, plural: boolean, passive: boolean): string {
  const third = person === 'third' && !plural;
  const have = third ? 'has' : 'have';
  if (passive) {
    const be = {
      present: person === 'first' && !plural ? 'am' : third ? 'is' : 'are',
      past: third || person === 'first' ? 'was' : 'were',
    };
    if (tense === 'future') return `will be ${forms.participle}`;
    return `${tense === 'perfect' ? `${have} been` : be[tense]} ${forms.participle}`;
  }
  switch (tense) {
    case 'present':
      return third ? forms.third : forms.base;
    case 'past':
      return forms.past;
    case 'perfect':
      return `${have} ${forms.participle}`;
    case 'future':
      return `will ${forms.base}`;
  }
}

const changes = {
  rise: ['rises', 'rose', 'has risen', 'will rise'],
  drop: ['drops', 'dropped', 'has dropped', 'will drop'],
  change: ['changes', 'changed', 'has changed', 'will change'],
  become: ['becomes', 'became', 'has become', 'will become'],
  stay: ['stays', 'stayed', 'has stayed', 'will stay'],
} as const;
const tenses: readonly Tense[] = ['present', 'past', 'perfect', 'future'];

/** The verb by which a property changes. */
export function changeForms(verb: keyof typeof changes, tense: Tense, plural = false): string {
  const form = changes[verb][tenses.indexOf(tense)]!;
  if (!plural) return form;
  return tense === 'present' ? verb : form.replace(/^has /, 'have ');
}
