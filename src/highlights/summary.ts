import type { Dictionary } from '../dictionary/dictionary.ts';
import { pluralOf } from '../dictionary/inflection.ts';
import type { EventLine } from '../events/log.ts';
import { isPropertyStatement, type ActionStatement } from '../events/statement.ts';
import { formatClock, roundTime } from '../time.ts';
import { countWords, nameFor, series, type WordCount } from './count.ts';
import { strongestOf, type Scene, type Source } from './scene.ts';
import { bareWord, isDeed, isDownfall, lineage, wordOf } from './settings/weights.ts';

/** What happened in one session or several, counted at the levels of the hierarchy that say most. */
export interface Summary {
  readonly format: 'playbyplay/summary/1';
  readonly games: readonly string[];
  readonly sessions: number;
  /** Seconds recorded. */
  readonly duration: number;
  readonly headline: string;
  /** The headline without where: `6 kills, 8 deaths`. */
  readonly tally: string;
  /** What the player did, each sort of action with its parts. */
  readonly lines: readonly SummaryLine[];
  /** The best moments, best first. */
  readonly moments: readonly {
    readonly session: string;
    /** What its log is called. */
    readonly name: string;
    readonly t: number;
    readonly text: string;
    readonly because: string;
  }[];
  /** A short text for posting. */
  readonly post: string;
}

export interface SummaryLine {
  /** `kill`, `death`, `obtain` … */
  readonly word: string;
  readonly count: number;
  /** `14 kills: 6 with shotgun, 5 with rocket launcher and 3 with pistol`. */
  readonly text: string;
  readonly parts: readonly { readonly word: string; readonly count: number }[];
}

/** Deaths are kills seen from the other side: the one word that is not an action's. */
const DEATH = 'death';

/** Counts events and puts them into words. `scenes` (any order) give the best moments. */
export function summarize(sources: readonly Source[], scenes: readonly Scene[], dictionary: Dictionary): Summary {
  const events = sources.flatMap((source) => source.events);
  const lines = [
    ...deedLines(events, dictionary),
    ...deathLines(events, dictionary),
    ...otherLines(events, dictionary),
    ...(sources.length === 1 ? extremes(events, dictionary) : []),
  ];
  const games = [...new Set(sources.map((source) => source.header.game))];
  const duration = sources.reduce((sum, source) => sum + source.header.media.duration, 0);
  // A death may be the strongest moment of a session, but only where there is nothing else is it one of the best.
  const good = scenes.filter((scene) => !isDownfall(strongestOf(scene)!.event.statement, dictionary));
  const best = (good.length > 0 ? good : scenes)
    .toSorted((a, b) => b.score - a.score || a.source - b.source || a.start - b.start)
    .slice(0, 5);
  const moments = best.map((scene) => {
    const { t, text } = strongestOf(scene)!.event;
    const name = sources[scene.source]?.name ?? scene.session;
    return { session: scene.session, name, t, text, because: scene.because };
  });
  const titles = games.map((game) => titleOf(game, dictionary));
  const where = placeOf(titles, sources.length);
  const tally = events.length === 0 ? 'No events' : tallyOf(lines, dictionary);
  const headline = `${tally} ${where}`;
  return {
    format: 'playbyplay/summary/1',
    games: titles,
    sessions: sources.length,
    duration: roundTime(duration),
    headline,
    tally,
    lines,
    moments,
    post: postOf({ headline, lines, moments, games: titles }, where),
  };
}

/** What the player did to others, by the action's level that says most, each split by instrument or else by victim. */
function deedLines(events: readonly EventLine[], dictionary: Dictionary): SummaryLine[] {
  const deeds = events.filter(({ statement }) => isDeed(statement, dictionary));
  return actionLines(deeds, dictionary);
}

function deathLines(events: readonly EventLine[], dictionary: Dictionary): SummaryLine[] {
  const falls = events.filter(({ statement }) => isDownfall(statement, dictionary));
  if (falls.length === 0) return [];
  // A kill and a death of the same moment are one death; what both say is taken from the kill.
  const killed = falls.filter(({ statement }) => !isPropertyStatement(statement) && statement.object !== undefined);
  const single = falls.filter((event) => killed.includes(event) || !killed.some(({ t }) => Math.abs(t - event.t) < 1));
  const line = lineOf(
    DEATH,
    single.map(({ statement }) => statement as ActionStatement),
    dictionary,
  );
  return [line];
}

/** What else the player did: obtained, completed, opened … Only what is worth telling in a count. */
function otherLines(events: readonly EventLine[], dictionary: Dictionary): SummaryLine[] {
  const others = events.filter(({ statement }) => {
    if (isPropertyStatement(statement) || wordOf(statement.subject) !== 'player') return false;
    if (isDeed(statement, dictionary) || isDownfall(statement, dictionary)) return false;
    return lineage(dictionary, statement.action, 'action').some((id) => TOLD.has(bareWord(id)));
  });
  return actionLines(others, dictionary);
}

const TOLD = new Set(['obtain', 'capture', 'destroy', 'revive', 'win', 'complete', 'achieve', 'unlock']);

function actionLines(events: readonly EventLine[], dictionary: Dictionary): SummaryLine[] {
  const statements = events.map(({ statement }) => statement as ActionStatement);
  const groups = countWords(
    statements.map(({ action }) => action),
    dictionary,
    'action',
    3,
  );
  return groups.map(({ word, words }) =>
    lineOf(
      word,
      statements.filter(({ action }) => words.includes(action)),
      dictionary,
    ),
  );
}

/** One sort of action: its count, and what it splits into. */
function lineOf(word: string, statements: readonly ActionStatement[], dictionary: Dictionary): SummaryLine {
  const count = statements.length;
  const tools = statements.flatMap((statement) => wordOf(statement.with) ?? []);
  const objects = statements.flatMap((statement) => wordOf(statement.object) ?? []);
  const byTool = tools.length * 2 >= count && tools.length > 0;
  const noun = nounOf(word, count, dictionary);
  if (byTool) {
    const parts = countWords(tools, dictionary, 'object');
    const by = word === DEATH ? 'by' : 'with';
    const details = parts.map(
      (part) => `${count === 1 ? '' : `${part.count} `}${by} ${toolName(part, parts, dictionary)}`,
    );
    if (tools.length < count) details.push(`${count - tools.length} otherwise`);
    return { word, count, text: `${count} ${noun}${count === 1 ? ' ' : ': '}${series(details)}`, parts: plain(parts) };
  }
  const verb = dictionary.find(word, 'action')?.forms.past;
  const things = new Set(objects).size > 0 && !objects.every((object) => object === 'player');
  if (things && verb !== undefined) {
    const parts = countWords(objects, dictionary, 'object', 6);
    const details = parts.map((part) => `${part.count} ${nameFor(part.word, part.count, dictionary)}`);
    return { word, count, text: `${verb} ${series(details)}`, parts: plain(parts) };
  }
  return { word, count, text: `${count} ${noun}`, parts: [] };
}

/** A weapon's name, or what several are together: `guns`, beside one of them `other guns`. */
function toolName({ word, words }: WordCount, parts: readonly WordCount[], dictionary: Dictionary): string {
  if (words.length === 1) return nameFor(word, 1, dictionary);
  const beside = parts.some((part) => part.word !== word && lineage(dictionary, part.word, 'object').includes(word));
  return `${beside ? 'other ' : ''}${nameFor(word, 2, dictionary)}`;
}

function plain(parts: readonly { word: string; count: number }[]): { word: string; count: number }[] {
  return parts.map(({ word, count }) => ({ word, count }));
}

/** The doing as a thing to count: `kills`, `defeats`; the verb serves where English has no other word. */
function nounOf(word: string, count: number, dictionary: Dictionary): string {
  const name = word === DEATH ? DEATH : (dictionary.find(word, 'action')?.name ?? bareWord(word));
  return count === 1 ? name : pluralOf(name);
}

/** The reach of the player's numbers: how low health fell, where the score ended. */
function extremes(events: readonly EventLine[], dictionary: Dictionary): SummaryLine[] {
  const values = new Map<string, number[]>();
  for (const { statement } of events) {
    if (!isPropertyStatement(statement) || wordOf(statement.subject) !== 'player') continue;
    if (typeof statement.to !== 'number') continue;
    values.set(statement.property, [...(values.get(statement.property) ?? []), statement.to]);
  }
  return [...values].flatMap(([property, list]): SummaryLine[] => {
    const name = bareWord(property);
    const ids = lineage(dictionary, property, 'property').map(bareWord);
    if (ids.includes('result') && !['kills', 'deaths'].includes(name)) {
      return [{ word: property, count: list.length, text: `final ${name} ${list.at(-1)}`, parts: [] }];
    }
    const living = list.filter((value) => value > 0);
    if (name !== 'health' || living.length === 0) return [];
    return [{ word: property, count: list.length, text: `lowest health ${Math.min(...living)}`, parts: [] }];
  });
}

/** `6 kills, 8 deaths`; where nobody was defeated, what was gained instead. */
function tallyOf(lines: readonly SummaryLine[], dictionary: Dictionary): string {
  const [first] = lines;
  if (!first) return 'A session';
  const death = lines.find(({ word }) => word === DEATH);
  const gain = first === death ? lines.find(({ word }) => dictionary.find(word, 'action')) : undefined;
  const head = gain ? gainOf(gain, dictionary) : first.text.split(':')[0]!;
  const against =
    death && (gain || first !== death) ? `, ${death.count} ${death.count === 1 ? 'death' : 'deaths'}` : '';
  return `${capital(head)}${against}`;
}

/** `obtained 15 items`: what a line tells, in one number. */
function gainOf({ word, count, parts, text }: SummaryLine, dictionary: Dictionary): string {
  const things = parts.flatMap((part) => Array.from({ length: part.count }, () => part.word));
  const [whole, ...more] = countWords(things, dictionary, 'object', 1);
  const verb = dictionary.find(word, 'action')?.forms.past;
  if (!whole || verb === undefined) return text;
  return `${verb} ${count} ${more.length > 0 ? 'things' : nameFor(whole.word, count, dictionary)}`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** `in OpenArena`, `across 2 games, 5 sessions`. */
function placeOf(games: readonly string[], sessions: number): string {
  const where = games.length === 1 ? `in ${games[0]!}` : `across ${games.length} games`;
  return sessions > 1 ? `${where}, ${sessions} sessions` : where;
}

/** The title of the game's dictionary, else its id with capitals. */
function titleOf(game: string, dictionary: Dictionary): string {
  const title = dictionary.sources.find(({ name }) => name === game)?.title;
  if (title !== undefined) return title;
  return game.replaceAll(
    /(^|[-_ ])(\p{L})/gu,
    (_, gap: string, letter: string) => `${gap ? ' ' : ''}${letter.toUpperCase()}`,
  );
}

/** At most 280 characters: what was done and what with, the best moment, the games as tags. */
function postOf(summary: Pick<Summary, 'headline' | 'lines' | 'moments' | 'games'>, where: string): string {
  const { headline, lines, moments, games } = summary;
  const tags = games.map((game) => `#${game.replaceAll(/[^\p{L}\p{N}]/gu, '')}`).join(' ');
  const [first, ...others] = lines;
  const [head, parts] = first?.text.split(': ') ?? [];
  const fell = lines.find(({ word }) => word === DEATH)?.text.split(':')[0];
  const gained = others.find((line) => line.parts.length > 1)?.text;
  let told = `${headline}.`;
  if (first?.word !== DEATH && parts !== undefined)
    told = `${capital(head!)} (${parts})${fell === undefined ? '' : ` and ${fell}`} ${where}.`;
  else if (first?.word === DEATH && gained !== undefined) told = `${capital(gained)}; ${fell} ${where}.`;
  const best = moments[0] && `Best moment: ${moments[0].text}, at ${formatClock(moments[0].t, 0)}.`;
  let text = length(told, tags) <= LONGEST ? told : `${headline}.`;
  if (best !== undefined && length(`${text} ${best}`, tags) <= LONGEST) text = `${text} ${best}`;
  return length(text, tags) <= LONGEST ? `${text} ${tags}` : text;
}

const LONGEST = 280;

function length(text: string, tags: string): number {
  return [...text, ...tags].length + 1;
}

/** The summary as plain text. */
export function plainSummary(summary: Summary): string {
  const lines = summary.lines.map(({ text }) => `- ${text}`);
  const several = summary.sessions > 1;
  const moments = summary.moments.map(
    ({ name, t, text }) => `  ${several ? `${name}  ` : ''}${formatClock(t)}  ${text}`,
  );
  return [summary.headline, ...lines, ...(moments.length > 0 ? ['', 'Best moments', ...moments] : []), ''].join('\n');
}

/** The summary as Markdown. */
export function markdownSummary(summary: Summary): string {
  const rows = summary.moments.map(
    ({ name, t, text, because }) => `| ${formatClock(t)} | ${cell(text)} | ${cell(because)} | ${cell(name)} |`,
  );
  return [
    `# ${summary.headline}`,
    '',
    `${formatClock(summary.duration, 0)} of ${series(summary.games)}, ${summary.sessions} session${summary.sessions === 1 ? '' : 's'}.`,
    ...(summary.lines.length > 0 ? [''] : []),
    ...summary.lines.map(({ text }) => `- ${text}`),
    ...(rows.length > 0
      ? ['', '## Best moments', '', '| time | what | because | session |', '|---|---|---|---|', ...rows]
      : []),
    '',
    `> ${summary.post}`,
    '',
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
