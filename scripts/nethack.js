// NetHack: the status line's figures and the messages in the top line.

/** The status line: figures by name. */
const STATUS =
  /^Dlvl:(\d+) +\$:(\d+) +HP:(\d+)\((\d+)\) +Pw:(\d+)\((\d+)\) +AC:(-?\d+) +(?:Xp|Exp|HD):(\d+)(?:\/(\d+))?(?: +T:(\d+))?/;
const PROPERTIES = [
  'nethack:dungeon level',
  'gold',
  'health',
  'maximum health',
  'mana',
  undefined,
  'nethack:armor class',
  'character level',
  'experience',
];

/** Sentences of the top line and their statements; the first group is the monster's name. */
const MONSTER = '(?:the |an? )?(?:poor |invisible |saddled )?([a-z][a-z -]*?)';
const SENTENCES = [
  [`^You (?:kill|destroy) ${MONSTER}!`, (name) => ({ subject: 'player', action: 'kill', object: name })],
  [`^You (?:hit|bite) ${MONSTER}[.!]`, (name) => ({ subject: 'player', action: 'hit', object: name })],
  [`^You miss ${MONSTER}[.!]`, (name) => ({ subject: 'player', action: 'miss', object: name })],
  [`^The ${MONSTER} (?:just )?misses(?: you)?[.!]`, (name) => ({ subject: name, action: 'miss', object: 'player' })],
  [
    `^The ${MONSTER} (?:hits|bites|butts|kicks|stings|claws|touches you)[.!]`,
    (name) => ({ subject: name, action: 'hit', object: 'player' }),
  ],
  ['^You die\\.\\.\\.', () => ({ subject: 'player', action: 'die' })],
].map(([pattern, statement]) => [new RegExp(pattern), statement]);

function onCue(cue, game) {
  if (cue.detector === 'status' && cue.trigger !== 'lost') onStatus(cue, game);
  if (cue.detector === 'message') onMessage(cue, game);
}

function onStatus(cue, game) {
  const match = STATUS.exec(cue.value);
  if (match === null) return;
  const values = match.slice(1, 10).map((text) => (text === undefined ? undefined : Number(text)));
  const { values: before, turn } = game.state;
  game.state.values = values;
  game.state.turn = match[10];
  PROPERTIES.forEach((property, i) => {
    if (property === undefined || before?.[i] === undefined || values[i] === undefined || before[i] === values[i])
      return;
    game.emit({ subject: 'player', property, from: before[i], to: values[i] }, { t: cue.t, cues: [cue] });
  });
  if (turn !== undefined && turn !== match[10]) onTurn(game);
}

/** Maximum seconds between the changes of the two lines in one turn. */
const SAME_TURN_SECONDS = 0.25;

/** The game rewrites the top line with each turn: a text that is unchanged in the next turn is a new message. */
function onTurn(game) {
  const { t } = game;
  const { message } = game.state;
  if (
    message === undefined ||
    t - message.t <= SAME_TURN_SECONDS ||
    t - (game.state.emittedAt ?? 0) <= SAME_TURN_SECONDS
  )
    return;
  game.after(SAME_TURN_SECONDS, () => {
    if (game.state.message === message) emitSentences(message, game, { t, cues: [message] });
  });
}

function onMessage(cue, game) {
  game.state.message = cue.trigger === 'lost' ? undefined : cue;
  if (cue.trigger !== 'lost') emitSentences(cue, game, { t: cue.t, cues: [cue] });
}

/** Emits the statements of a line, whose sentences are two spaces apart. */
function emitSentences(cue, game, options) {
  game.state.emittedAt = options.t;
  for (const sentence of cue.value.replace('--More--', '').split(/ {2,}/)) {
    for (const [pattern, statement] of SENTENCES) {
      const match = pattern.exec(sentence.trim());
      if (match === null) continue;
      game.emit(statement(...match.slice(1).map((name) => ({ word: 'opponent', name }))), options);
    }
  }
}
