// What each command takes: the source of the parser, `--help`, shell completion and docs/reference/commands.md.
import { declare } from './command.ts';
import {
  bitrate,
  bitrateRange,
  bytes,
  choice,
  correctedEvent,
  decimal,
  list,
  mediaLimit,
  output,
  pair,
  framePart,
  pictureSize,
  positiveNumber,
  proposing,
  reelPart,
  required,
  seconds,
  shardOf,
  toggle,
  value,
  wholeNumber,
} from './options.ts';

const plugin = list(
  'name',
  'A plug-in with further detector kinds: a file or folder (./my-detector.js) or an npm package. Plug-ins run with full rights: name only what you trust.',
);
const games = async () => {
  const { builtInPack, listGames } = await import('../profile/find.ts');
  return listGames(builtInPack());
};
const tentativeEvents = toggle('Include events with weak evidence ("tentative" in the log).');
const dictionaryFiles = list('file', 'A further dictionary file.');
const libraryFile = value(
  'file|address',
  'The library: a file, or the address of a PostgreSQL database (postgres://user:password@host/database, with ?library=name for one of several). Default: PLAYBYPLAY_LIBRARY, else library.sqlite in the data folder of the user.',
);
const overwrite = toggle(
  'Replace outputs that exist as another kind of file or as symbolic links. Files that are read are never replaced.',
);
const hour = decimal(0, 3600);
const limit = list(
  'name=number',
  'Change a limit on recordings: pixels (of a picture), hours, streams, rate (packets a second) or packets.',
  { parse: mediaLimit },
);

/** Arguments and options of `playbyplay detect`. */
export const detect = declare({
  summary: 'Detect the events of a recording and write an event log',
  arguments: ['recording'],
  options: {
    game: proposing(
      value(
        'name|path',
        'A game (freedoom, hedgewars, nethack, openarena), the path of a profile or pack, or auto to recognize the game; of an unknown game, what its screen shows is read (as by `profile draft`).',
        {
          default: 'auto',
        },
      ),
      async () => ['auto', ...(await games())],
    ),
    profiles: list(
      'path',
      'Further profiles, to be named or recognized like the built-in ones: a pack, or a folder of packs.',
    ),
    out: output(
      value('folder', 'Where the log is written. Default: <recording>.playbyplay next to the recording.', {
        short: 'o',
      }),
    ),
    plan: choice(
      ['full', 'adaptive'],
      'full reads every sample; adaptive decodes keyframes first and reads in full only between keyframes that differ.',
      'full',
    ),
    workers: value(
      'n',
      'Parts of the recording that are read at once. The log does not depend on it. Default: one per core.',
      {
        parse: wholeNumber(1, 256),
      },
    ),
    from: value('time', 'Start here: 90, 1:30, 2m.', { parse: seconds }),
    to: value('time', 'Stop here.', { parse: seconds }),
    place: value(
      'auto|default|file',
      'Where the HUD lies: auto looks for it where the profile has it and searches elsewhere if it is not there (letterbox, window, stream layout, HUD scale); default does not look; a file written by `profile place --write`. Default: auto.',
    ),
    'hud-scale': value('factor', 'Size of the HUD relative to the game’s default.', { parse: decimal(0.1, 10) }),
    language: value(
      'tag',
      'Language of the game in this recording, if the profile supports several: de, pt-BR, or a list (ru,en).',
    ),
    plugin,
    stream: list(
      'name=file[@clock]',
      'A file with inputs, heart rate, events (CSV, JSON) or subtitles (SRT, VTT) for the profile’s stream detectors. Clock: @2.5 starts at second 2.5 of the recording; @10:12.5,900:902.6 maps second 10 to 12.5 and 900 to 902.6; @auto aligns by sound (see `playbyplay align`).',
    ),
    media: list(
      'name=file[@clock]',
      'A second recording of the session (such as a webcam) for the detectors that name it by "media". Clock as for --stream.',
    ),
    resume: toggle(
      'Continue an interrupted run. After a finished run, apply a changed script to the stored readings (readings.journal).',
    ),
    trace: output(value('file', 'Write a timeline of all threads for chrome://tracing or ui.perfetto.dev.')),
    quiet: toggle('Print no events.', 'q'),
    overwrite,
    json: toggle('Print events as NDJSON instead of sentences.'),
    limit,
  },
  examples: [
    'detect match.mp4',
    'detect match.mp4 --game openarena',
    'detect doom.mkv --game freedoom --plan adaptive --out logs/doom',
    'detect long.mp4 --game openarena --resume',
    'detect match.mp4 --game ./my-pack --media webcam=cam.mkv@auto --stream keys=keys.csv@2.5',
    'detect clip.mp4 --game ./my-pack --json | jq -r .text',
  ],
});

/** Arguments and options of `playbyplay live`. */
export const live = declare({
  summary: 'Detect the events of a stream, a screen or a file that is still being written',
  description:
    'Sources: a file that another program writes (mkv, fragmented or hybrid mp4, ts, flv), - for standard input, an address (srt, rtmp, rtsp, udp, tcp, http, HLS playlist), screen[:display], window:number, camera[:device]. Prints each sentence as soon as it is stated. The log is that of `detect` on the finished recording; where reading was too slow, it leaves out samples and says which. A log that did not end, because the program was killed, is continued.',
  arguments: ['source'],
  options: {
    game: proposing(
      value(
        'name|path',
        'A game (freedoom, hedgewars, nethack, openarena), the path of a profile or pack, or auto: recognize the game in the first seconds, or draft a profile from the first minute.',
        { default: 'auto' },
      ),
      async () => ['auto', ...(await games())],
    ),
    profiles: list('path', 'Further profiles: a pack, or a folder of packs.'),
    out: output(
      value(
        'folder',
        'Where the log is written. Default: <file>.playbyplay next to a file, else live-<date>-<time>.playbyplay.',
        {
          short: 'o',
        },
      ),
    ),
    place: value(
      'default|file',
      'Where the HUD lies: where the profile has it (default), or as in a file written by `profile place --write`.',
    ),
    'hud-scale': value('factor', 'Size of the HUD relative to the game’s default.', { parse: decimal(0.1, 10) }),
    language: value('tag', 'Language of the game, if the profile supports several: de, pt-BR, or a list (ru,en).'),
    plugin,
    listen: toggle('Wait for a sender to connect (srt, rtmp, tcp) instead of connecting to one.'),
    size: value('size', 'Size of a screen or camera picture: 1280x720.'),
    fps: value('n', 'Pictures a second of a screen or camera. Default: 60 of a screen.', {
      parse: positiveNumber(1000),
    }),
    idle: value('time', 'Time without growth after which a file is complete. Default: 10s.', { parse: seconds }),
    stall: value('time', 'Time without data after which a connection is considered lost. Default: 10s.', {
      parse: seconds,
    }),
    reconnect: value('time', 'Time for which a lost connection is retried. Default: until you stop the program.', {
      parse: seconds,
    }),
    http: value(
      'port',
      'Serve the session to this machine: /overlay for the browser source of OBS, /events (Server-Sent Events), /ws (WebSocket), /state.',
      { parse: wholeNumber(0, 65_535) },
    ),
    host: value('address', 'With --http: another address to listen on. Whoever reaches it can read the events.'),
    triggers: value(
      'file',
      'Actions on events: OBS saves its replay buffer, switches scenes or marks chapters; clips are cut; webhooks are called. See docs/guide/live.md.',
    ),
    frames: value(
      'file',
      'The frame log (NDJSON) of the program that streams the game. Incidents of the stream are printed among the events; all scores are written to quality.ndjson next to the log.',
    ),
    adjust: value(
      'lowest-highest',
      'With --frames: decide bitrate, size and frame rate that fit the network, with bitrates such as 1M-20M.',
      { parse: bitrateRange },
    ),
    'read-all': toggle('Read all samples of a file or of standard input, even if reading falls behind.'),
    early: toggle(
      'With --json, also print likely events ("early"), seconds before they are in the log, and those that turn out wrong ("withdrawn").',
    ),
    quiet: toggle('Print no events.', 'q'),
    overwrite,
    json: toggle('Print the lines of the log as NDJSON instead of sentences.'),
    limit,
  },
  examples: [
    'live recording.mkv --game openarena',
    'live srt://0.0.0.0:9000 --listen',
    'live recording.mkv --game openarena --http 8420 --triggers triggers.json',
    'live rtmp://0.0.0.0:1935/live/key --listen --game ./my-game',
    'live srt://0.0.0.0:9000 --listen --frames session.ndjson --adjust 1M-20M --http 8420',
    'live screen::0 --size 1280x720 --fps 30 --game freedoom',
    'live - --game nethack < capture.mkv',
  ],
});

/** Arguments and options of `playbyplay process`. */
export const processRecordings = declare({
  summary: 'Detect the events of many recordings, on one machine or several',
  description:
    'Reads every recording of a folder, or of a list with a path per line, with a process for each worker. A queue records what is done, so that the same command continues where an earlier one stopped. Recordings that fail are set aside with the reason and the command to try again (exit code 3). Several machines share the queue of a PostgreSQL database, or divide the recordings by --shard. Workers see recordings and logs under the same paths.',
  arguments: ['folder or list'],
  options: {
    game: proposing(
      value('name|path', 'As for `detect`: a game, a profile, or auto to recognize the game of each recording.', {
        default: 'auto',
      }),
      async () => ['auto', ...(await games())],
    ),
    profiles: list('path', 'Further profiles, to be named or recognized like the built-in ones.'),
    plan: choice(['full', 'adaptive'], 'As for `detect`.', 'full'),
    language: value('tag', 'As for `detect`.'),
    plugin,
    out: output(
      value('folder', 'Where the folders of logs are made. Default: next to each recording.', { short: 'o' }),
    ),
    workers: value('n', 'Recordings that are read at once. Default: one per core.', { parse: wholeNumber(1, 256) }),
    shard: value('i/n', 'Reads only the i-th of n parts of the recordings.', { parse: shardOf }),
    split: value(
      'time',
      'Recordings of twice this length and more are divided at keyframes, so that several workers read them; 0: never.',
      { default: '30m', parse: seconds },
    ),
    queue: value(
      'file|address',
      'The queue: a file, or postgres://user:password@host/database for several machines. Default: playbyplay-jobs.sqlite in the folder.',
    ),
    library: value('file|address', 'Add the logs to this library at the end.'),
    price: value('n', 'Price of one core for an hour; prints the cost per hour of recording.', { parse: decimal() }),
    retry: toggle('Retry recordings that failed.'),
    json: toggle('Print a JSON object for each recording, and one with the totals.'),
    limit,
  },
  examples: [
    'process recordings/',
    'process season.txt --game openarena --out logs --library season.sqlite',
    'process /mnt/recordings --queue postgres://worker@db/playbyplay --workers 8',
    'process recordings/ --shard 2/4',
    'process recordings/ --retry',
  ],
});

const serviceData = value('folder', 'Where uploads, recordings and logs are stored.', { default: 'playbyplay-data' });
const serviceDatabase = value(
  'address',
  'PostgreSQL database for tenants, jobs and libraries: postgres://user:password@host/database. Default: PLAYBYPLAY_DATABASE, else files in the folder.',
);

const serviceStorage = value(
  'address',
  'Bucket for recordings and logs: s3://bucket/prefix. Server and keys: AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY. Default: PLAYBYPLAY_STORAGE, else the folder.',
);

/** Arguments and options of `playbyplay serve`. */
export const serve = declare({
  summary: 'Run a service that reads uploaded recordings and answers questions about them over HTTP',
  description:
    'Tenants upload recordings (tus), follow their progress, and ask questions about all of their recordings; assistants ask at /mcp. The interface is described at /openapi.json. Without --database, everything is kept in files, for one machine. With it, several processes share the work: some answer (--role api), others read (--role worker), all with the same folder or bucket (--storage). For HTTPS, put a proxy in front of it.',
  arguments: [],
  options: {
    data: serviceData,
    database: serviceDatabase,
    storage: serviceStorage,
    host: value('address', 'Address to listen on; 0.0.0.0 for all.', { default: '127.0.0.1' }),
    port: value('n', 'Port to listen on; 0: a free one.', { default: '8080', parse: wholeNumber(0, 65_535) }),
    role: choice(['all', 'api', 'worker'], 'What this process does.', 'all'),
    workers: value('n', 'Recordings that are read at once.', { default: '1', parse: wholeNumber(1, 256) }),
    'max-upload': value('bytes', 'Size of a recording at most, such as 20G. Default: 50G.', { parse: bytes }),
    'rate-limit': value('n', 'Requests of a key within a minute. Default: 1200.', { parse: wholeNumber(1) }),
    'allow-private-webhooks': toggle('Let webhooks call private addresses, and by plain HTTP.'),
    'trust-proxy': toggle('Take the addresses of clients from the headers of a proxy.'),
  },
  examples: [
    'serve',
    'serve --host 0.0.0.0 --data /srv/playbyplay --workers 4',
    'serve --role worker --workers 8 --data /srv/playbyplay --database postgres://playbyplay@db/playbyplay',
  ],
});

/** Arguments and options of `playbyplay tenant add`. */
export const tenantAdd = declare({
  summary: 'Add a tenant to a service and print its first key',
  arguments: ['name'],
  options: {
    data: serviceData,
    database: serviceDatabase,
    'max-bytes': value('bytes', 'Recordings that may be stored. Default: 100G.', { parse: bytes }),
    'max-recordings': value('n', 'Recordings within 24 hours. Default: 1000.', { parse: wholeNumber(1, 1e6) }),
    json: toggle('Print tenant and key as JSON.'),
  },
  examples: ['tenant add studio', 'tenant add studio --max-bytes 2T --database postgres://playbyplay@db/playbyplay'],
});

/** Arguments and options of `playbyplay tenant list`. */
export const tenantList = declare({
  summary: 'List the tenants of a service',
  arguments: [],
  options: { data: serviceData, database: serviceDatabase, json: toggle('Print a JSON object for each.') },
});

/** Arguments and options of `playbyplay mcp`. */
export const mcp = declare({
  summary: 'Connect an AI assistant to a library (Model Context Protocol over stdin and stdout)',
  description:
    'Tools: ask, list_sessions, explain, statistics. Nothing is changed. An assistant starts it by a configuration such as {"command": "playbyplay", "args": ["mcp", "--library", "season.sqlite"]}.',
  arguments: [],
  options: { library: libraryFile },
  examples: ['mcp', 'mcp --library season.sqlite'],
});

/** How events are written, of several commands. */
const eventText = {
  style: choice(
    ['log', 'caster'],
    'Wording of events: caster is in the past tense, calls players by name and varies. Default: log.',
  ),
  language: choice(['en', 'de', 'es', 'zh'], 'Language of events: English, German, Spanish or Chinese. Default: en.'),
};

/** Arguments and options of `playbyplay query`. */
export const query = declare({
  summary: 'Find events by a sentence, at any level of the dictionary',
  description:
    'A query names events at any level of the dictionary: "defeats" finds kills and stomps. The structured form is JSON: \'{"find": …}\'. Without a log, the library is asked (see `library add`); with --explain and without a log, the query is only explained.',
  arguments: ['query'],
  rest: 'log or folder',
  minimumRest: 0,
  options: {
    json: toggle('Print matches or groups as NDJSON.'),
    count: toggle('Print only the number of matches.'),
    explain: toggle('Show how the query is understood and which words it covers.'),
    ...eventText,
    tentative: tentativeEvents,
    library: libraryFile,
    limit: value('n', 'Matches of a library that are printed; 0: all.', { default: '50', parse: wholeNumber() }),
    dictionary: dictionaryFiles,
  },
  examples: [
    'query "player defeats enemy with gun" match.playbyplay',
    'query "health drops below 20" season/*.playbyplay',
    'query "kill followed by kill within 4 s" match.playbyplay',
    'query "count kills by weapon" match.playbyplay/events.ndjson',
    'query "kills" match.playbyplay --language de',
    'query --explain "kills with any weapon except railgun"',
    'query "kills with railgun by Gargoyle"',
  ],
});

/** Which sessions a command about seasons is about. */
const seasonOptions = {
  player: value('name', 'The player to report on, by name. Default: the player who recorded.'),
  game: list('name', 'Only sessions of this game.'),
  session: list('name', 'Only this session, by its name or that of its log.'),
  tentative: tentativeEvents,
  library: libraryFile,
  dictionary: dictionaryFiles,
};

/** Arguments and options of `playbyplay stats`. */
export const stats = declare({
  summary:
    'Compute statistics of a player: counts, rates, trends, records, causes of death; as text or a page of charts',
  description:
    'Counts by the hierarchy of words, so that kills and stomps are defeats in every game. Without a log, the library is asked (see `library add`), and the chosen sessions are compared with the others. Trends need six sessions and are reported at a significance of 5 %. Intervals are 95 % intervals.',
  arguments: [],
  rest: 'log or folder',
  minimumRest: 0,
  options: {
    html: toggle('Write a page of charts. It needs no network and runs no script.'),
    out: output(
      value('file', 'Where the page (or, with --json, the JSON) is written. Default: standard output.', { short: 'o' }),
    ),
    json: toggle('Print everything as one JSON object.'),
    ...seasonOptions,
    overwrite,
  },
  examples: [
    'stats match.playbyplay',
    'stats season/ --html -o season.html',
    'stats season/ --player Gargoyle',
    'stats --game openarena --json',
  ],
});

/** Arguments and options of `playbyplay coach`. */
export const coach = declare({
  summary: 'Find what leads to failures: causes with their scenes, and conditions before deaths',
  description:
    'Compares deaths a minute with low health, each weapon, each place and soon after spawning with deaths a minute otherwise. A ratio has its interval; an asterisk marks what is clear, considering how many circumstances are compared. Circumstances are those two seconds before a death.',
  arguments: [],
  rest: 'log or folder',
  minimumRest: 0,
  options: { json: toggle('Print everything as one JSON object.'), ...seasonOptions },
  examples: ['coach match.playbyplay', 'coach season/ --player Gargoyle', 'coach --game openarena --json'],
});

/** Arguments and options of `playbyplay ratings`. */
export const ratings = declare({
  summary: 'Rate players by who defeats whom, and pair them for even matches',
  description:
    'Ratings have an uncertainty, which falls with every session (Weng and Lin 2011, Bradley-Terry). Everybody starts at 25 ± 16.7. Players are ordered by what can be relied on, and paired so that matches are as even as possible.',
  arguments: [],
  rest: 'log or folder',
  minimumRest: 0,
  options: {
    match: list('name', 'Pair these players.'),
    json: toggle('Print ratings and pairs as JSON.'),
    ...seasonOptions,
  },
  examples: ['ratings season/', 'ratings season/ --match Sarge --match Grunt --match Major --match Gargoyle'],
});

/** Arguments and options of `playbyplay recommend`. */
export const recommend = declare({
  summary: 'Recommend games, genres and what to practice',
  description:
    'Compares the words of a player’s events, with the words that they are kinds of, with those of the built-in dictionaries, weighted by how rare they are (TF-IDF, cosine). What to practice: what others in the library do more often, and what succeeds clearly less than the rest.',
  arguments: [],
  rest: 'log or folder',
  minimumRest: 0,
  options: { json: toggle('Print everything as one JSON object.'), ...seasonOptions },
  examples: ['recommend match.playbyplay', 'recommend --player Gargoyle'],
});

/** Arguments and options of `playbyplay library add`. */
export const libraryAdd = declare({
  summary: 'Add logs to the library, and bring it up to date',
  description:
    'The library is an index of logs, so that questions about a season need not read every log. Logs that have not changed are skipped; those that are gone are removed. Without a path, all logs that were added before are checked again.',
  arguments: [],
  rest: 'log or folder',
  minimumRest: 0,
  options: { library: libraryFile, json: toggle('Print the numbers as JSON.') },
  examples: ['library add season/', 'library add', 'library add cup/*.playbyplay --library cup.sqlite'],
});

/** Arguments and options of `playbyplay library rebuild`. */
export const libraryRebuild = declare({
  summary: 'Build the library anew from the logs that were added',
  description:
    'Reads all logs again: for a library of another version of the program, or one that is damaged. If it is interrupted, `library add` continues.',
  arguments: [],
  options: { library: libraryFile, json: toggle('Print the numbers as JSON.') },
  examples: ['library rebuild', 'library rebuild --library cup.sqlite'],
});

/** Arguments and options of `playbyplay library list`. */
export const libraryList = declare({
  summary: 'List the sessions of the library',
  arguments: [],
  options: { library: libraryFile, json: toggle('Print one JSON object per session.') },
  examples: ['library list', 'library list --json | jq -r .path'],
});

/** Arguments and options of `playbyplay library remove`. */
export const libraryRemove = declare({
  summary: 'Remove logs from the library; the logs themselves stay',
  arguments: [],
  rest: 'log or folder',
  options: { library: libraryFile },
  examples: ['library remove season/scrim.playbyplay'],
});

/** Arguments and options of `playbyplay correct`. */
export const correct = declare({
  summary: 'Correct a log: approve, change, delete or add events; list the corrections',
  description:
    'Corrections are in corrections.ndjson next to the log, which stays as it is. Queries, reels, statistics and exports apply them; `evaluate` does not. An id may be shortened to its first characters.',
  arguments: ['log or folder'],
  options: {
    approve: list('id', 'The event happened as the log says. It is no longer tentative.'),
    delete: list('id', 'The event did not happen.'),
    change: value('id=sentence', 'The event was another. Without a sentence, only its time changes.', {
      parse: correctedEvent,
    }),
    add: value('sentence', 'An event that the log lacks, with --at.'),
    at: value('time', 'When it happened, for --change and --add.', { parse: seconds }),
    end: value('time', 'When it ended, for --change and --add.', { parse: seconds }),
    revert: list('id', 'Take back the corrections of this event.'),
    dictionary: dictionaryFiles,
    json: toggle('Print the corrections as NDJSON.'),
  },
  examples: [
    'correct match.playbyplay',
    'correct match.playbyplay --approve 5f0c1a --delete 77ab',
    'correct match.playbyplay --change "5f0c=player kills opponent with railgun"',
    'correct match.playbyplay --add "player dies" --at 1:23.4',
  ],
});

/** Arguments and options of `playbyplay library export`. */
export const libraryExport = declare({
  summary: 'Write the library as tables for DuckDB, pandas, Spark or a spreadsheet',
  description:
    'Writes two tables: sessions and events, with a column for each part of a statement. Events are read from the index, not from the logs. The library itself has views for SQL with readable names: sessions, statements, session_statements, session_names.',
  arguments: ['folder'],
  options: {
    parquet: toggle('Write sessions.parquet and events.parquet. Default, unless --csv is given.'),
    csv: toggle('Write sessions.csv and events.csv.'),
    tentative: tentativeEvents,
    library: libraryFile,
    overwrite,
    json: toggle('Print the files and numbers as JSON.'),
  },
  examples: ['library export tables/', 'library export tables/ --csv --library cup.sqlite'],
});

/** Options of the commands that select scenes. */
export const selectionOptions = {
  preset: choice(
    ['short', 'montage', 'cinematic', 'plain', 'coaching', 'fails', 'lowlights', 'everything'],
    'A purpose that sets the defaults of the other options.',
  ),
  query: list('sentence', 'Only events that this query finds ("player defeats enemy with gun").'),
  exclude: list('sentence', 'Not the events that this query finds.'),
  duration: value('time|all', 'Maximum duration of the reel: 60s, 1:30, all.'),
  before: value('time', 'Time shown before an event. Default: by kind of event.', { parse: seconds }),
  after: value('time', 'Time shown after an event.', { parse: seconds }),
  'per-session': value('n', 'Maximum number of scenes per session.', { parse: wholeNumber(1) }),
  settings: list('file', 'Weights and margins of words, on top of configs/<game>/highlights.json.'),
  viewers: value('file', 'Viewer reactions: lines of {"t", "end", "weight"}; a weight of 1 changes nothing.'),
  preferences: value('file', 'Preferences learned from your earlier choices (JSON, written by `highlights --edited`).'),
  'bad-stream': choice(
    ['down', 'skip', 'keep'],
    'Scenes spoiled by a freeze, stutter or lag that the log contains (see `playbyplay quality --events`): down halves their score.',
    'down',
  ),
  media: list(
    'file',
    'The recording, if it is neither next to its log nor in the current folder; once per log. Or a folder with recordings of the same names and content.',
  ),
  'audio-track': value('n|mix', 'Sound track of the recordings, counted from 0, or mix for all of them.', {
    default: '0',
    parse: (text) => (text === 'mix' ? text : wholeNumber()(text)),
  }),
  tentative: tentativeEvents,
  dictionary: dictionaryFiles,
};

/** Options of the commands that can show scenes at other speeds. */
export const effectOptions = {
  effects: choice(
    ['plain', 'short', 'montage', 'cinematic'],
    'What is added to the scenes: short has a counter, streak banners, captions, punch-ins, slow motion and a progress bar; montage whip pans; cinematic slow motion in every scene. Default: plain, or the preset’s.',
  ),
  with: list(
    'part',
    'Add a part to the effects: counter, banners, captions, stickers (icons of weapons), hud (text that a crop would cut off), slow-motion, punch-in, progress, end-card.',
    { parse: reelPart },
  ),
  without: list('part', 'Leave a part of the effects out.', { parse: reelPart }),
};

/** Arguments and options of `playbyplay highlights`. */
export const highlights = declare({
  summary: 'Select the best scenes and cut them into a reel',
  description:
    'Selects scenes from one or more event logs and cuts them into a frame-exact reel with sound, chapters, captions and its own event log.',
  arguments: [],
  rest: 'log or folder',
  options: {
    out: output(
      list(
        'file',
        'reel.mp4 (.mov, .mkv, .webm), list.json, sheet.png, preview.gif, preview.webp or post.txt (a text to publish with the reel). Default: reel.mp4, highlights.json and sheet.png in the folder that holds the logs.',
        { short: 'o' },
      ),
    ),
    clips: output(value('folder', 'Write each scene as a file of its own.')),
    thumbnails: output(value('folder', 'Write a picture of each scene.')),
    aspect: choice(['source', '16:9', '9:16', '1:1'], 'Aspect ratio of the reel. Default: source, or the preset’s.'),
    layout: choice(
      ['crop', 'hud', 'split', 'blur', 'pad'],
      'How a picture is fitted into another aspect ratio: crop keeps what the player looks at; hud is crop above a panel with the figures of the HUD; split is crop below a camera picture (--facecam); blur shows it whole over a blurred copy; pad shows it between bars.',
    ),
    facecam: value(
      'x,y,w,h',
      'Where the recording shows a camera picture, in fractions of the frame; for --layout split. Default: where it is found.',
      { parse: framePart },
    ),
    ...eventText,
    captions: choice(
      ['track', 'burn', 'none'],
      'Captions as a track, drawn into the picture clear of the HUD, or none. Default: track, or the preset’s.',
    ),
    subtitles: list(
      'file',
      'Subtitles of the speech in a recording (SRT, WebVTT or ASS), drawn into the reel; once per log.',
    ),
    ...effectOptions,
    music: value('file', 'Music under the game’s sound, or over it in montages. Cuts move to its beats.'),
    brand: value('file', 'JSON with your fonts, colors and logo.'),
    title: value('text', 'A title before the first scene; auto generates one.'),
    plan: output(value('file', 'Write the timeline of the reel as JSON.')),
    preview: output(
      value('file', 'Write a contact sheet (.png, .jpg) of the planned reel, with its overlays, instead of the reel.'),
    ),
    quality: value('n', 'Encoder quality from 0 (lossless) to 51. Default: 20.', { parse: decimal(0, 51) }),
    hardware: toggle('Encode on the graphics card, if possible.'),
    codec: choice(['h264', 'hevc', 'av1'], 'Codec of the reel. Default: h264, in webm VP9.'),
    fit: choice(
      ['discord', 'tiktok', 'youtube'],
      'Make the file fit a platform: discord 10 MB, tiktok 287 MB and upright, youtube better quality.',
    ),
    encoder: choice(
      [
        'libx264',
        'libx265',
        'libsvtav1',
        'hevc_nvenc',
        'hevc_qsv',
        'hevc_amf',
        'hevc_videotoolbox',
        'av1_nvenc',
        'av1_qsv',
        'av1_amf',
        'h264_nvenc',
        'h264_qsv',
        'h264_amf',
        'h264_videotoolbox',
        'h264_v4l2m2m',
      ],
      'The encoder by name.',
    ),
    full: toggle('Encode every frame instead of copying what can be copied.'),
    edited: value(
      'list.json',
      'The list of scenes of an earlier run, without the scenes that you do not want. Your choice is stored in --preferences, and the scenes are chosen again.',
    ),
    overwrite,
    json: toggle('Print the list of scenes as JSON.'),
    ...selectionOptions,
    limit,
  },
  examples: [
    'highlights match.playbyplay --duration 30s',
    'highlights match.playbyplay --query "player kills" -o kills.mp4 -o kills.json',
    'highlights season --query "player defeats enemy with launcher" --per-session 1 --duration 90s -o season.mp4',
    'highlights match.playbyplay --preset short -o short.mp4',
    'highlights match.playbyplay --preset montage --music song.mp3 -o montage.mp4',
    'highlights match.playbyplay --preset short --without progress --preview sheet.png',
    'highlights match.playbyplay --preset short --subtitles match.srt -o short.mp4',
    'highlights match.playbyplay --duration 45s --fit discord -o clip.mp4',
    'highlights match.playbyplay --edited kept.json --preferences taste.json -o reel.mp4',
  ],
});

/** Arguments and options of `playbyplay export`. */
export const exportScenes = declare({
  summary: 'Export scenes and markers to editing programs, or captions and chapters',
  description:
    'Editing programs: otio (OpenTimelineIO), edl (CMX3600), fcpxml (Final Cut Pro X, DaVinci Resolve), xmeml (Premiere Pro), mlt (Shotcut, Kdenlive), losslesscut and losslesscut-csv (LosslessCut, one recording), resolve-edl and resolve-csv (DaVinci Resolve markers), recording-otio (whole recordings, every event a marker). Texts: vtt and srt (the events as subtitles of the recording), reel-vtt and reel-srt (of the reel), youtube (chapters), markdown, text, play-by-play, json (the list of scenes). Editing programs show the cuts and the slow motion of the reel with the same preset and effects; other effects are the reel’s alone.',
  arguments: [],
  rest: 'log or folder',
  options: {
    format: proposing(
      list('name', 'One of these formats.', { short: 'f' }),
      async () => (await import('../highlights/export.ts')).exportFormats,
    ),
    out: output(list('file', 'Where to write; once per format. Default: standard output.', { short: 'o' })),
    rate: value('fraction', 'Frame rate of the edit: 30, 29.97, 30000/1001. Default: that of the first recording.'),
    relative: toggle('Write media paths relative to the output file.'),
    title: value('text', 'Name of the edit.'),
    ...eventText,
    ...effectOptions,
    ...selectionOptions,
    overwrite,
    limit,
  },
  examples: [
    'export match.playbyplay -f otio -o match.otio',
    'export match.playbyplay -f vtt > match.vtt',
    'export match.playbyplay --preset cinematic -f mlt -o match.mlt',
    'export season/*.playbyplay -f fcpxml --per-session 1 --relative -o season.fcpxml',
  ],
});

/** Arguments and options of `playbyplay studio`. */
export const studio = declare({
  summary: 'Watch, review and cut recordings in the browser',
  description:
    'Starts a server for this machine and opens the browser. Only the folders that are named, and those of the named recordings, can be seen; by default the current folder. Everything is saved in the files that the other commands read.',
  arguments: [],
  rest: 'recording or folder',
  minimumRest: 0,
  options: {
    'no-open': toggle('Print the address instead of opening the browser.'),
    port: value('n', 'Port to listen on. Default: a free one.', { parse: wholeNumber(0, 65_535) }),
    host: value(
      'address',
      'Also answer other machines, at this address (0.0.0.0: all of this machine). Needs a password; what is sent is not encrypted. Default: this machine only.',
    ),
    password: value(
      'text',
      'Password of further browsers, at least 8 characters. Default: PLAYBYPLAY_PASSWORD, which other users of the machine do not see.',
    ),
    json: toggle('Print the address as JSON.'),
  },
  examples: ['studio', 'studio match.mp4', 'studio recordings/ --port 8080 --no-open'],
});

/** Arguments and options of `playbyplay summary`. */
export const summary = declare({
  summary: 'Summarize sessions: counts, the best moments, a headline and a post',
  arguments: [],
  rest: 'log or folder',
  options: {
    format: choice(['text', 'markdown', 'post', 'json'], 'Output format.', 'text'),
    json: toggle('The same as --format json.'),
    ...eventText,
    ...selectionOptions,
  },
  examples: [
    'summary match.playbyplay',
    'summary season --format markdown > season.md',
    'summary match.playbyplay --format post',
    'summary match.playbyplay --style caster',
  ],
});

/** Arguments and options of `playbyplay evaluate`. */
export const evaluate = declare({
  summary: 'Compare event logs with ground truth',
  description:
    'Computes precision, recall and time error for every kind of event and lists each miss and false positive. Several pairs of log and truth are pooled. A line of truth is {"t": seconds, "statement": {…}}. An event matches a truth when all slots are equal and the times differ by no more than the tolerance; each counts once. Pairs in which one word is a kind of the other ("stomp" for "kill") are counted separately. Exit code 3: something was missed or false.',
  arguments: [],
  rest: 'log> <truth',
  options: {
    tolerance: value('time', 'Maximum difference of times. Default: 1.5 samples.', { parse: seconds }),
    numbers: value('n', 'Maximum difference of numbers (from, to, amount), for gauges without figures.', {
      default: '0',
      parse: decimal(),
    }),
    from: value('time', 'Evaluate from here on: 90, 1:30, 2m.', { parse: seconds }),
    to: value('time', 'Evaluate up to here.', { parse: seconds }),
    all: toggle('Evaluate every kind of event. Default: only kinds that the truth contains.'),
    tentative: tentativeEvents,
    json: toggle('Print the figures as JSON.'),
  },
  examples: [
    'evaluate match.playbyplay match.truth.ndjson',
    'evaluate a.playbyplay a.ndjson b.playbyplay b.ndjson --json',
    'evaluate match.playbyplay match.truth.ndjson --from 1:00',
  ],
});

/** Arguments and options of `playbyplay import`. */
export const importLog = declare({
  summary: 'Import events from logs and data of games, servers and other programs',
  description:
    'Each match in the file becomes an event log of its own, which can be queried like a detected one, or be the truth for `evaluate` and `profile score`. Read by their content: Steam timelines, Counter-Strike 2 Game State Integration and demoparser JSON, League of Legends Live Client Data and match timelines, Dota 2 (OpenDota, clarity), Rocket League (boxcars), OBS logs with saved replays, and logs of lines by a mapping.',
  arguments: ['file'],
  options: {
    format: value(
      'name|path',
      'quake3 (games.log), levelstat (PrBoom+, dsda-doom), steam-timeline, cs2-gsi, cs2-demo, league-live, league-timeline, dota2, rocket-league, obs, or the path of a mapping of lines (or of the titles of a Steam timeline). Default: recognized from the content.',
    ),
    player: value(
      'name',
      'Name of the player whose session it is; all others are opponents or teammates. Default: as the file says.',
    ),
    out: output(value('folder', 'Where the logs are written. Default: <file>.playbyplay', { short: 'o' })),
    overwrite,
  },
  examples: [
    'import games.log --player Grunt',
    'query "count kills by weapon" games.log.playbyplay',
    'import levelstat.txt -o doom',
    'import timeline_730.json',
    'import replay.json --player Cakeboss -o rocket-league',
  ],
});

/** Arguments and options of `playbyplay align`. */
export const align = declare({
  summary: 'Align the clock of a second recording or log with a recording',
  description:
    'Computes the offset and drift of the second file’s clock. The second file is a recording (a webcam video, another player’s capture, a sound file), compared by sound, or a log (CSV, JSON, NDJSON, SRT, VTT) whose records coincide with sounds. The printed clock can be given to `playbyplay detect --stream name=file@clock`. Exit code 3: no alignment was found.',
  arguments: ['recording', 'second file'],
  options: {
    track: value('n', 'Sound track of the recording, counted from 0.', { default: '0', parse: wholeNumber() }),
    'other-track': value('n', 'Sound track of the second file.', { default: '0', parse: wholeNumber() }),
    json: toggle('Print the alignment as JSON.'),
    limit,
  },
  examples: ['align match.mp4 webcam.mkv', 'align match.mp4 keys.csv --json'],
});

/** Options that say how session files are read and scored. */
export const scoringOptions = {
  fps: value('n', 'Target frame rate, if the file lacks it or has it wrong.', { parse: positiveNumber(1000) }),
  size: value('w×h', 'Picture size in pixels, likewise.', { parse: pictureSize }),
  bitrate: value('bits/s', 'Target bitrate, likewise: 20000000, 20M, 800k.', { parse: bitrate }),
  process: value('name', 'The process to score, if the file holds several.'),
  constants: value('file', 'JSON with other constants of the metric.'),
};

/** Arguments and options of `playbyplay quality score`. */
export const qualityScore = declare({
  summary: 'Score stutter, delay and picture quality of a session, frame by frame',
  description:
    'Scores from 0 to 100. Reads per-frame NDJSON or CSV (server and client may be two files), PresentMon, CapFrameX, MangoHud, webrtc-internals dumps and OBS logs, gzipped or not; or a recording: repeated frames, freezes, gaps, bitrate. The file type is recognized from the content. Exit code 3: scored, but the file had errors (listed on stderr).',
  arguments: [],
  rest: 'file',
  options: {
    ...scoringOptions,
    events: value(
      'log',
      'The event log of the same session. Writes a copy with the stream’s incidents and separates losses under bad quality from others.',
    ),
    offset: value('s', 'Time in the recording at which the session’s clock starts.', {
      default: '0',
      parse: decimal(Number.NEGATIVE_INFINITY),
    }),
    out: output(
      value('log', 'Where the copy is written. Default: events.stream.ndjson next to the log.', { short: 'o' }),
    ),
    before: list('file', 'Another session to compare with (needs --report).'),
    report: output(value('file', 'Write an HTML page with charts, of one session or of many.')),
    overwrite,
    json: toggle('Print the figures as JSON.'),
    series: toggle('With --json: also the figures of every frame.'),
    ascii: toggle('Use ASCII characters only.'),
    limit,
  },
  examples: [
    'quality match.mp4',
    'quality server.ndjson client.ndjson --json',
    'quality PresentMon-2026-11-20.csv --fps 60',
    'quality webrtc_internals_dump.gz',
    'quality monday/*.csv --before friday/a.csv --before friday/b.csv --report change.html',
    'quality session.ndjson --report page.html --events match.playbyplay',
  ],
});

/** Arguments and options of `playbyplay quality advise`. */
export const qualityAdvise = declare({
  summary: 'Advise which stream settings to lower or raise',
  arguments: [],
  rest: 'file',
  options: {
    ...scoringOptions,
    down: value('total', 'Mean total below which settings are lowered. Default: 40.', { parse: positiveNumber() }),
    up: value('total', 'Mean total above which settings are raised. Default: 70.', { parse: positiveNumber() }),
    preset: choice(['ultrafast', 'veryfast', 'fast', 'medium'], 'The encoder preset that the sessions used.'),
    json: toggle('Print the advice as JSON.'),
  },
  examples: ['quality advise session.ndjson', 'quality advise tuesday/*.ndjson'],
});

/** Arguments and options of `playbyplay quality compare`. */
export const qualityCompare = declare({
  summary: 'Compare the score with ITU-T G.1072 and rtcscore',
  arguments: [],
  rest: 'file',
  options: { ...scoringOptions, json: toggle('Print the scores as JSON.') },
  examples: ['quality compare session.ndjson', 'quality compare sessions/*.ndjson'],
});

/** Arguments and options of `playbyplay quality simulate`. */
export const qualitySimulate = declare({
  summary: 'Simulate streamed sessions with and without a quality controller',
  description:
    'Plays sessions on random networks and machines, once with a controller of bitrate, size, frame rate and encoder preset, and once for each fixed setting.',
  arguments: [],
  options: {
    seeds: value('n', 'Number of scenarios.', { default: '10', parse: wholeNumber(1, 100_000) }),
    first: value('n', 'Seed of the first scenario.', { default: '1', parse: wholeNumber(1, 1e9) }),
    minutes: value('n', 'Length of each scenario.', { default: '3', parse: positiveNumber(1440) }),
    network: choice(['fibre', 'cable', 'wifi', 'mobile'], 'Only this kind of network.'),
    seed: value('n', 'Play one scenario and print every decision.', { parse: wholeNumber(1) }),
    json: toggle('Print the results as JSON.'),
  },
  examples: ['quality simulate --seed 7 --network wifi', 'quality simulate --seeds 20'],
});

/** Arguments and options of `playbyplay detectors`. */
export const detectors = declare({
  summary: 'List the detector kinds and their options',
  arguments: [],
  rest: 'kind',
  minimumRest: 0,
  propose: async () => (await import('../detectors/registry.ts')).kindNames(),
  options: { plugin, json: toggle('Print name, description, plug-in and schema of each as NDJSON.') },
  examples: ['detectors', 'detectors icon', 'detectors spots --plugin ./spots.js'],
});

/** Options that select dictionaries. */
const words = {
  game: proposing(list('name', 'Only the common dictionary and this game’s.'), games),
  dictionary: dictionaryFiles,
};

/** Arguments and options of `playbyplay dictionary tree`. */
export const dictionaryTree = declare({
  summary: 'Print the hierarchy of words',
  arguments: [],
  rest: 'word',
  minimumRest: 0,
  options: { ...words, depth: value('n', 'Number of levels.', { parse: wholeNumber(1) }) },
  examples: ['dictionary tree', 'dictionary tree weapon --depth 3'],
});

/** Arguments and options of `playbyplay dictionary show`. */
export const dictionaryShow = declare({
  summary: 'Show a word: definition, ancestors, kinds, synonyms, forms, pattern',
  arguments: [],
  rest: 'word',
  options: { ...words, json: toggle('Print the word as JSON.') },
  examples: ['dictionary show kill'],
});

/** Arguments and options of `playbyplay dictionary search`. */
export const dictionarySearch = declare({
  summary: 'Search words by name, synonym or definition',
  arguments: [],
  rest: 'text',
  options: { ...words, json: toggle('Print the words as NDJSON.') },
  examples: ['dictionary search rocket'],
});

/** Arguments and options of `playbyplay dictionary check`. */
export const dictionaryCheck = declare({
  summary: 'Check dictionary files',
  description: 'Lists every finding of the files, or of the built-in dictionaries. Exit code 3: there are findings.',
  arguments: [],
  rest: 'file',
  minimumRest: 0,
  options: { ...words, json: toggle('Print findings and counts as JSON.') },
  examples: ['dictionary check', 'dictionary check my-game.json'],
});

/** Arguments and options of `playbyplay dictionary parse`. */
export const dictionaryParse = declare({
  summary: 'Parse a sentence into a statement',
  arguments: [],
  rest: 'sentence',
  options: { ...words, json: toggle('Print statement, readings and issues as JSON.') },
  examples: ['dictionary parse "the enemy is killed by the player"'],
});

/** Arguments and options of `playbyplay dictionary render`. */
export const dictionaryRender = declare({
  summary: 'Render a statement (JSON) as a sentence',
  arguments: ['statement'],
  options: {
    ...words,
    ...eventText,
    tense: choice(['present', 'past', 'perfect', 'future'], 'Tense of the sentence. Default: present.'),
    person: choice(['first', 'second', 'third'], 'Person of the player: second renders "you kill …". Default: third.'),
    articles: toggle('Render articles.'),
  },
  examples: [`dictionary render '{"subject":"player","action":"kill","object":"opponent"}'`],
});

/** Arguments and options of `playbyplay dictionary diff`. */
export const dictionaryDiff = declare({
  summary: 'Compare two versions of a dictionary file',
  description: 'Lists changes, and whether they break existing logs or queries. Exit code 3: some do.',
  arguments: ['old file', 'new file'],
  options: { json: toggle('Print changes as NDJSON.') },
  examples: ['dictionary diff old.json new.json'],
});

/** Arguments and options of `playbyplay dictionary import-hed`. */
export const dictionaryImportHed = declare({
  summary: 'Make a dictionary from a HED schema',
  description:
    'Turns a schema of Hierarchical Event Descriptors (hedtags.org) in its JSON or MediaWiki form into a dictionary that extends the common one. Give the result to other commands with --dictionary.',
  arguments: ['schema'],
  options: {
    name: value('name', 'Namespace of the words.', { default: 'hed' }),
    out: output(value('file', 'Where the dictionary is written.', { short: 'o', default: 'hed.json' })),
    overwrite,
  },
  examples: ['dictionary import-hed HED8.4.0.json', "dictionary search 'button press' --dictionary hed.json"],
});

/** Arguments and options of `playbyplay dictionary html`. */
export const dictionaryHtml = declare({
  summary: 'Write a page to browse all words',
  arguments: [],
  options: {
    ...words,
    out: output(value('file', 'Where the page is written.', { short: 'o', default: 'dictionary.html' })),
    overwrite,
  },
  examples: ['dictionary html -o words.html'],
});

/** Arguments and options of `playbyplay kernel quantize`. */
export const kernelQuantize = declare({
  summary: 'Convert a filter kernel to fixed point, keeping its sum',
  description:
    'The sum of the coefficients is preserved, so a flat picture keeps its level. The kernel is a file, - for standard input, or JSON: numbers in nested arrays, one level per dimension.',
  arguments: ['kernel'],
  options: {
    bits: value('n', 'Bits of a signed coefficient.', { default: '8', parse: wholeNumber(2, 32) }),
    'exponent-bits': value('n', 'Bits of each coefficient’s own exponent; 0: one shared exponent.', {
      default: '0',
      parse: wholeNumber(0, 8),
    }),
    method: choice(
      ['exact', 'frequency', 'source', 'nearest'],
      'exact: least error; frequency: least deviation of the frequency response; source: the published greedy algorithm; nearest: each coefficient rounded on its own.',
      'exact',
    ),
    symmetry: value('names', 'auto, none, or some of horizontal,vertical,diagonal,point.', { default: 'auto' }),
    sum: value('n', 'Scale the kernel to this sum first.', { parse: decimal(Number.NEGATIVE_INFINITY) }),
    separate: toggle('One kernel per axis, if the kernel is their product.'),
    format: choice(['table', 'c', 'json'], 'Output format.', 'table'),
    json: toggle('The same as --format json.'),
  },
  examples: [
    "kernel quantize '[[1,2,1],[2,4,2],[1,2,1]]' --sum 1",
    'kernel quantize gaussian.json --bits 8 --format c',
    'kernel quantize gaussian.json --bits 12 --separate --json',
  ],
});

/** Arguments and options of `playbyplay model plan`. */
export const modelPlan = declare({
  summary: 'Plan how a neural network runs within a memory budget',
  description:
    'The image is cut into tiles: every layer computes only new rows of a tile, and rows that the next tile needs are kept in an auxiliary buffer. Prints the plan and what it saves. In a profile, the option memoryBudget of an onnx detector does this.',
  arguments: ['model.onnx'],
  options: {
    input: required('w×h', 'Size of the image in pixels.', { parse: pictureSize }),
    budget: required('size', 'Memory for features and weights: 16MiB, 500KiB, 1000000.', { parse: bytes }),
    axis: choice(['rows', 'columns'], 'Cut along rows or columns. Default: whichever is cheaper.'),
    tiles: value('n', 'Number of even tiles of the result. Default: as few as fit the budget.', {
      parse: wholeNumber(1),
    }),
    'fetch-again': toggle('Fetch the overlap of the image again for every tile instead of keeping it.'),
    recompute: toggle('Keep nothing: fetch and compute the overlap again for every tile, for comparison.'),
    instructions: toggle('List the instructions of every pass.'),
    json: toggle('Print everything as JSON.'),
  },
  examples: [
    'model plan detector.onnx --input 1920x1080 --budget 16MiB',
    'model plan detector.onnx --input 3840x2160 --budget 64MiB --json',
  ],
});

/** Arguments and options of `playbyplay graph plan`. */
export const graphPlan = declare({
  summary: 'Show how a graph of kernel calls is scheduled over devices',
  description:
    'Prints, for each call, the order in which each device claims portions along its space-filling curve, and what each portion waits for. The format of the file is described in docs/reference/compute.md.',
  arguments: ['graph.json'],
  options: {
    devices: value('n', 'Number of devices.', { default: '4', parse: wholeNumber(1, 4000) }),
    json: toggle('Print everything as JSON.'),
  },
  examples: ['graph plan filters.json --devices 4'],
});

/** Arguments and options of `playbyplay graph run`. */
export const graphRun = declare({
  summary: 'Run a graph of kernel calls on worker threads with memories of their own',
  description:
    'A portion starts as soon as the regions that it reads are written. The kernels are functions of a JavaScript module: see docs/reference/compute.md.',
  arguments: ['graph.json'],
  options: {
    kernels: required('module', 'JavaScript module that exports "kernels", a function per call.'),
    devices: value('n', 'Number of worker threads. Default: one per CPU core.', { parse: wholeNumber(1, 256) }),
    out: output(value('folder', 'Write the content of each resource to this folder.', { short: 'o' })),
    trace: output(value('file', 'Write what each device did when, for chrome://tracing or ui.perfetto.dev.')),
    overwrite,
    json: toggle('Print the result as JSON.'),
  },
  examples: ['graph run filters.json --kernels filters.js --devices 2 --trace trace.json'],
});

/** Arguments and options of `playbyplay profile check`. */
export const profileCheck = declare({
  summary: 'Check game profiles with their assets, script and words',
  description:
    'Opens each profile as detect does, and lists all mistakes at once, each with its JSON path: detect refuses a profile with any of them. Warnings do not stop detect: rules and steps without effect, words in a script that the dictionary does not have, mistakes in highlight settings and in files for other languages. What depends on a recording is not checked. Exit code 3: there are mistakes or warnings.',
  arguments: [],
  rest: 'game or path',
  propose: games,
  options: {
    language: value('tag', 'Open it for this language, with what reading it needs, such as Tesseract’s data.'),
    plugin,
    json: toggle('Print findings as NDJSON.'),
  },
  examples: ['profile check freedoom', 'profile check ./my-game/configs/my-game/profile.json'],
});

/** Arguments and options of `playbyplay profile try`. */
export const profileTry = declare({
  summary: 'Show what each detector reads at moments of a recording',
  description:
    'For writing a profile. The script, the files of detectors (fonts that are still to be learned) and the detectors themselves may be missing: with --out all regions are drawn.',
  arguments: ['game or path', 'recording'],
  options: {
    at: list('time', 'A moment: seconds, or minutes and seconds (1:02.5).', { parse: seconds }),
    detector: list('name', 'Only this detector.'),
    media: value('name', 'The recording is a companion (such as a webcam) of this name.'),
    out: output(
      value('folder', 'Write the frame with all regions drawn, and the crop of each region.', { short: 'o' }),
    ),
    language: value('tag', 'Language of the game in this recording.'),
    plugin,
    overwrite,
    json: toggle('Print an object per moment as NDJSON.'),
    limit,
  },
  examples: [
    'profile try openarena match.mp4 --at 2.5 --out crops',
    'profile try ./my-game match.mp4 --at 12.3 --at 1:02 --detector health',
  ],
});

/** Arguments and options of `playbyplay profile test`. */
export const profileTest = declare({
  summary: 'Run the tests of a pack: recordings with marked events',
  description:
    'Detects the events of each recording that tests/*.ndjson names, or of its stretch, and lists what is missed and what is wrong. The studio writes such tests; evaluate reads them as ground truth. Readings are stored in the pack, in .playbyplay: after a change of rules, script or words, nothing is read again. Exit code 3: there are differences.',
  arguments: ['pack'],
  options: {
    name: list('test', 'Only this test.'),
    json: toggle('Print a JSON object for each test.'),
  },
  examples: ['profile test ./my-game', 'profile test ./my-game --name final-lap'],
});

/** Arguments and options of `playbyplay profile score`. */
export const profileScore = declare({
  summary: 'Measure a profile on a recording, with ground truth from another program',
  description:
    'Detects the events of a recording, finds the clock of the truth by the events that agree, and prints precision and recall per kind of event. The truth is whatever `import` reads (a Steam timeline, a demo, a replay, a server log) or a ground truth of `evaluate`. An event is a hit where it does not contradict the truth: words may be related, and what only one of them says is no difference. Exit code 3: something was missed or false.',
  arguments: ['game or path', 'recording'],
  options: {
    truth: required('file', 'Ground truth: a file of another program.'),
    player: value('name', 'Who recorded, in the truth. Default: as the file says.'),
    format: value('name|path', 'Format or mapping of the truth. Default: recognized from the content.'),
    offset: value('s', 'Time in the recording at which the truth’s clock starts. Default: found by the events.', {
      parse: decimal(Number.NEGATIVE_INFINITY),
    }),
    tolerance: value(
      'time',
      'Maximum difference of times. Default: 1.5 samples, and half a second more for truth in whole seconds.',
      {
        parse: seconds,
      },
    ),
    from: value('time', 'Start here: 90, 1:30, 2m.', { parse: seconds }),
    to: value('time', 'End here.', { parse: seconds }),
    plan: choice(['full', 'adaptive'], 'Which samples are read, as for `detect`.', 'full'),
    workers: value('n', 'Number of reading threads. Default: one per core.', { parse: wholeNumber(1, 1024) }),
    all: toggle('Also count kinds of events as missed that the profile never reports.'),
    tentative: tentativeEvents,
    json: toggle('Print the figures as JSON.'),
  },
  examples: [
    'profile score openarena match.mp4 --truth match.truth.ndjson --offset 0',
    'profile score openarena match.mp4 --truth games.log --player Grunt',
    'profile score ./my-game match.mp4 --truth timeline_730.json --json',
  ],
});

/** Arguments and options of `playbyplay profile sheet`. */
export const profileSheet = declare({
  summary: 'Collect what a text detector shows over a recording, to be labelled',
  description:
    'Writes sheet.png, a row for each text that the region shows, and labels.ndjson, a line for each row with what the general reader reads there. Correct the texts, then learn the font: profile glyphs --labels.',
  arguments: ['game or path', 'recording'],
  options: {
    detector: list('name', 'A text detector; its font need not exist yet.'),
    out: output(value('folder', 'Where the sheet is written.', { default: 'labels', short: 'o' })),
    interval: value('time', 'Time between crops.', { default: '1', parse: seconds }),
    rows: value('n', 'Rows of each detector at most.', { default: '60', parse: decimal(1, 1000) }),
    overwrite,
  },
  examples: [
    'profile sheet openarena match.mp4 --detector health --out sheet',
    'profile sheet ./my-game match.mp4 --detector health --detector timer --interval 0.5',
  ],
});

/** Arguments and options of `playbyplay profile glyphs`. */
export const profileGlyphs = declare({
  summary: 'Learn the font of a text detector',
  description:
    'Learns a glyph atlas from labelled moments of recordings (--labels), from a sprite sheet (--sheet) or from one image per character (--images).',
  arguments: ['game or path'],
  options: {
    out: output(required('atlas.json', 'Where the atlas is written.', { short: 'o' })),
    labels: value('file', 'NDJSON: {"media": "clip.mp4", "t": 12.3, "detector": "health", "text": "87"} per line.'),
    detector: list('name', 'The detectors whose labels are used.'),
    sheet: value('png', 'An image with the characters in equal cells.'),
    columns: value('n', 'Columns of the sheet.', { default: '16', parse: decimal() }),
    rows: value('n', 'Rows of the sheet.', { default: '16', parse: decimal() }),
    first: value('code', 'Character code of the first cell.', { default: '0', parse: decimal() }),
    images: value(
      'folder',
      'One PNG per character, named by its code points (u0041.png, u0065_0301.png), as wide as the advance to the next character, opaque where the ink is.',
    ),
    chars: value('text', 'The characters to learn. Default: printable ASCII of a sheet, all images.'),
    pitch: value(
      'n',
      'Distance between characters in pixels, in a fixed-pitch font. Without it the font is proportional.',
      {
        parse: decimal(),
      },
    ),
    space: value('n', 'Width of a space in a proportional font from --images.', { parse: decimal() }),
    width: value('n', 'Width of a character in atlas pixels. Default: the pitch, or the width of the images.', {
      parse: decimal(),
    }),
    height: value('n', 'Height of a character in atlas pixels. Default: that of the images or the region.', {
      parse: decimal(),
    }),
    pixels: value('x,y', 'Atlas pixels per pixel of the reference frame (0.25,0.25: a quarter of the size).', {
      default: '1,1',
      parse: pair,
    }),
    channel: choice(
      ['luma', 'red', 'green', 'blue', 'saturation red'],
      'Where the ink stands out. Default: luma; for labels without --pitch, whichever reads best.',
    ),
    inks: value(
      'colors',
      'The colors of a white font from --sheet or --images: #ffb000,#ff3333. It is then read by color, not by channel.',
    ),
    align: choice(['left', 'right', 'centre'], 'Alignment of the labelled text.', 'left'),
    gain: value('n', 'How much the text may be tinted.', { default: '0.15', parse: decimal() }),
    offset: value('n', 'How much the text may be faded.', { default: '15', parse: decimal() }),
    noise: value(
      'n',
      'Minimum deviation of a pixel in gray levels. Default: 15 for images, 6 for labels with --pitch, otherwise what reads most labels.',
      {
        parse: decimal(),
      },
    ),
    jitter: value('n', 'How far edges may be displaced from the images, in pixels. Default: 0.25.', {
      parse: decimal(),
    }),
    shadow: value('x,y', 'Offset of a black shadow in atlas pixels.', { parse: pair }),
    light: value('region', 'Learn the appearance of this region in plain light instead of a font.'),
    source: value('text', 'Where the font comes from, recorded in the atlas.'),
    overwrite,
    limit,
  },
  examples: [
    'profile glyphs openarena --labels labels.ndjson --detector health --out health.json',
    'profile glyphs ./my-game --labels labels.ndjson --detector timer --out my-game/configs/my-game/fonts/timer.json',
    'profile glyphs openarena --sheet bigchars.png --pitch 8 --height 16 --pixels 1,1 --out console.json',
    "profile glyphs openarena --images numbers --pitch 16 --height 18 --pixels 0.25,0.25 --inks '#ffb000,#ff3333' --out numbers.json",
  ],
});

/** Arguments and options of `playbyplay profile sound`. */
export const profileSound = declare({
  summary: 'Learn a sound for the sound detector',
  description:
    'Learns from where the sound is heard in a recording. Start just before it begins. Give three to twelve occurrences by repeating --from and --to: what else was heard then drops out, and a sound that always has the same waveform is recognized even under louder sounds.',
  arguments: ['recording'],
  options: {
    from: list('time', 'Start of an occurrence.', { parse: seconds }),
    to: list('time', 'End of an occurrence, up to 3 s later.', { parse: seconds }),
    length: value(
      's',
      'Duration of the sound, if --from and --to enclose many repetitions: every onset is an occurrence.',
      {
        parse: decimal(0.03, 3),
      },
    ),
    label: required('name', 'Name of the sound.'),
    track: value('n', 'Sound track, counted from 0.', { default: '0', parse: wholeNumber() }),
    out: output(required('sound.json', 'Where the sound is written.', { short: 'o' })),
    overwrite,
    limit,
  },
  examples: [
    'profile sound match.mp4 --from 2.4 --to 2.9 --label "rocket launcher" --out rocket.json',
    'profile sound arena.mp4 --from 26 --to 31 --length 0.25 --label "plasma gun" --out sounds/plasma.json',
    'profile sound doom.mp4 --from 4.65 --to 5.05 --from 6.75 --to 7.15 --label shotgun --out sounds/shotgun.json',
  ],
});

/** Arguments and options of `playbyplay profile export`. */
export const profileExport = declare({
  summary: 'Export training pictures for a neural network',
  description:
    'Writes crops of a profile’s regions, labelled with what its detectors read. labels.ndjson lists every crop with recording, time, box, label and confidence; labels.txt lists the labels in the order that coco and yolo number them.',
  arguments: ['game or path'],
  rest: 'recording',
  minimumRest: 0,
  options: {
    out: output(required('folder', 'Where the pictures are written.', { short: 'o' })),
    format: choice(['folders', 'coco', 'yolo'], 'folders: crops by label; coco, yolo: frames with boxes.', 'folders'),
    detector: list('name', 'Whose readings are the labels. Default: all detectors with a region.'),
    region: value('name', 'Cut out this region instead of the detector’s own.'),
    confidence: value('n', 'Minimum confidence of a label. Default: 0.9.', { parse: decimal(0, 1) }),
    background: value('label', 'Also export regions in which nothing is read, with this label.'),
    labels: value(
      'file',
      'Labels by a person instead of readings: {"media": "clip.mp4", "t": 12.3, "detector": "weapon", "text": "railgun"} per line.',
    ),
    interval: value('s', 'Seconds between pictures. Default: 0.5.', { parse: hour }),
    from: value('s', 'Start of the part of each recording that is used.', { parse: decimal() }),
    to: value('s', 'End of that part.', { parse: decimal() }),
    held: value('n', 'Share held back for validation, in segments of five seconds. Default: 0.2.', {
      parse: decimal(0, 1),
    }),
    most: value('n', 'Maximum number of regions per label. Default: 2000.', { parse: decimal(0, 1e9) }),
    image: choice(['png', 'jpg'], 'File format of frames.', 'png'),
    plugin,
    overwrite,
    json: toggle('Print the summary as JSON.'),
    limit,
  },
  examples: [
    'profile export openarena match.mp4 --detector weapon --out weapons',
    'profile export openarena *.mp4 --detector weapon --background none --format coco --out weapons-coco',
  ],
});

/** Arguments and options of `playbyplay profile place`. */
export const profilePlace = declare({
  summary: 'Find where the HUD of a profile lies on a recording',
  description:
    'Finds a HUD that is scaled, stretched, letterboxed, in a window or in a stream layout, and when it moves. Prints the confidence and the elements found. `detect` does the same by default. Exit code 3: nothing was found.',
  arguments: ['recording'],
  options: {
    game: proposing(required('name|path', 'The game whose HUD is searched.'), games),
    write: output(value('file', 'Write the placement as JSON, for `detect --place <file>`.')),
    picture: output(
      value(
        'png',
        'Write a frame with the regions drawn on it, green where something was read; one per layout (regions.png, regions-2.png).',
      ),
    ),
    plugin,
    overwrite,
    json: toggle('Print placement, confidence and elements as JSON.'),
    limit,
  },
  examples: ['profile place match.mp4 --game openarena --picture regions.png'],
});

/** Arguments and options of `playbyplay profile draft`. */
export const profileDraft = declare({
  summary: 'Draft a profile from recordings of an unknown game',
  description:
    'Finds the HUD in recordings of a game (counters, clocks, names, messages), reads it over time, and writes a pack that `detect --game <folder>` runs at once: profile, event mappings, and hud.html, a page of everything found. Asks what recordings do not show; answer with --answer, also later and without recordings.',
  arguments: [],
  rest: 'recording',
  minimumRest: 0,
  options: {
    out: output(value('folder', 'Where the pack is written.', { default: 'my-game', short: 'o' })),
    answer: list('id=value', 'Answer to a question: name-top-right=coins, hud-left=no.'),
    'memory-budget': value(
      'bytes',
      'Memory for the features and weights of the network that finds text, such as 32M; it runs in tiles where it needs more. Default: unlimited.',
      { parse: bytes },
    ),
    overwrite,
  },
  examples: [
    'profile draft match.mp4 --out ./my-game',
    'profile draft race.mp4 --out ./my-racer',
    'profile draft --out ./my-racer --answer name-top-right=coins --answer hud-left=no',
    'detect race.mp4 --game ./my-racer',
  ],
});

/** Arguments and options of `playbyplay profile list`. */
export const profileList = declare({ summary: 'List the built-in games', arguments: [], options: {} });

/** Arguments and options of `playbyplay profile schema`. */
export const profileSchema = declare({
  summary: 'Print the JSON Schema of a profile with every detector kind',
  arguments: [],
  options: {},
  examples: ['profile schema > profile.schema.json'],
});

/** Arguments and options of `playbyplay completion`. */
export const completion = declare({
  summary: 'Print a shell completion script',
  description:
    'Load it in the start-up file of the shell, as in the examples. For zsh, the folder must be in fpath before compinit: fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit.',
  arguments: ['bash|zsh|fish'],
  propose: () => ['bash', 'zsh', 'fish'],
  options: {},
  examples: [
    'completion bash >> ~/.bashrc',
    'completion zsh > ~/.zfunc/_playbyplay',
    'completion fish > ~/.config/fish/completions/playbyplay.fish',
  ],
});
