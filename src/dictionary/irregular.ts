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
