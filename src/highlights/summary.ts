import type { Dictionary } from '../dictionary/dictionary.ts';
import type { WordKind } from '../dictionary/format.ts';
import { pluralOf } from '../dictionary/inflection.ts';
import { type EventLine, UNKNOWN_GAME } from '../events/log.ts';
import { type ActionStatement, isPropertyStatement, wordOf } from '../events/statement.ts';
import { escapeMarkdown } from '../markup.ts';
import { formatClock, roundTime } from '../time.ts';
import { type HighlightList, type Scene, type Source, strongestEvent } from './list.ts';
import { displayOf, isAnyOf, isPlayerDefeat, isPlayerVictory, unqualified, withAncestors } from './weights.ts';

/** Occurrences of a word and its descendants. */
export interface WordCount {
  readonly word: string;
  readonly count: number;
  /** The words that occur: this word or its descendants. */
  readonly words: readonly string[];
}

/**
 * Counts words in at most `groups` groups: while there are more, the rarest are merged under their deepest common
 * ancestor; words without a common ancestor stay single. Most frequent first, then by name.
 */
export function countWords(words: readonly string[], dictionary: Dictionary, kind: WordKind, groups = 4): WordCount[] {
  const counts = new Map<string, { count: number; words: Set<string> }>();
  for (const word of words) {
    const entry = counts.get(word) ?? { count: 0, words: new Set([word]) };
    entry.count++;
    counts.set(word, entry);
  }
  while (counts.size > groups) {
    const merge = cheapestMerge(counts, dictionary, kind);
    if (!merge) break;
    const merged = { count: 0, words: new Set<string>() };
    for (const word of merge.words) {
      const entry = counts.get(word)!;
      merged.count += entry.count;
      for (const each of entry.words) merged.words.add(each);
      counts.delete(word);
    }
    counts.set(merge.ancestor, merged);
  }
  return [...counts]
    .map(([word, entry]) => ({ word, count: entry.count, words: [...entry.words].toSorted() }))
    .toSorted((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1));
}

/** Finds the words to merge next: those under the deepest common ancestor, and of these the least frequent. */
function cheapestMerge(
  counts: ReadonlyMap<string, { count: number }>,
  dictionary: Dictionary,
  kind: WordKind,
): { ancestor: string; words: string[] } | undefined {
  const under = new Map<string, { words: string[]; depth: number; count: number }>();
  for (const [word, { count }] of counts) {
    const ids = withAncestors(dictionary, word, kind);
    for (const [height, id] of ids.entries()) {
      const entry = under.get(id) ?? { words: [], depth: ids.length - height, count: 0 };
      entry.words.push(word);
      entry.count += count;
      under.set(id, entry);
    }
  }
  const best = [...under]
    .filter(([, { words }]) => words.length > 1)
    .toSorted(([a, x], [b, y]) => y.depth - x.depth || x.count - y.count || (a < b ? -1 : 1))[0];
  return best && { ancestor: best[0], words: best[1].words };
}

/** Display name of a word, singular or plural by `count`. */
export function wordName(word: string, count: number, dictionary: Dictionary): string {
  const found = dictionary.find(word, 'object') ?? dictionary.find(word);
  const name = found?.name ?? unqualified(word);
  return count === 1 ? name : (found?.plural ?? pluralOf(name));
}

/** `a`, `a and b`, `a, b and c`. */
function joinList(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** Counts and best moments of one or more sessions. */
export interface Summary {
  readonly format: 'playbyplay/summary/1';
  /** Titles of the games that have a profile. */
  readonly games: readonly string[];
  readonly sessions: number;
  /** Total duration of the recordings in seconds. */
  readonly duration: number;
  readonly headline: string;
  /** The headline without game and session: `6 kills, 8 deaths`. */
  readonly tally: string;
  /** The player's actions, each with its breakdown. */
  readonly lines: readonly SummaryLine[];
  readonly moments: readonly {
    readonly session: string;
    /** Name of the log. */
    readonly name: string;
    readonly t: number;
    /** Seconds of the reel, if it was given. */
    readonly at?: number;
    readonly text: string;
    readonly because: string;
  }[];
  /** Text for a social media post, at most 280 characters. Its times are those of the reel. */
  readonly post: string;
}

/** One counted action or property. */
export interface SummaryLine {
  /** `kill`, `death`, `obtain` … */
  readonly word: string;
  readonly count: number;
  /** `14 kills: 6 with shotgun, 5 with rocket launcher and 3 with pistol`. */
  readonly text: string;
  readonly parts: readonly { readonly word: string; readonly count: number }[];
}

/** The count of the player's deaths is the only line that is not named after an action. */
const DEATH = 'death';

/**
 * Summarizes sessions.
 *
 * @param scenes Scored scenes, in any order, that supply the best moments.
 * @param reel The reel that the post is about.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const choice = chooseScenes(sources, { dictionary, duration: 5 });
 * console.log(summarize(sources, choice.scenes, dictionary).headline);
 * ```
 */
export function summarize(
  sources: readonly Source[],
  scenes: readonly Scene[],
  dictionary: Dictionary,
  reel?: HighlightList,
): Summary {
  const events = sources.flatMap((source) => source.events);
  const lines = [
    ...victoryLines(events, dictionary),
    ...defeatLines(events, dictionary),
    ...otherLines(events, dictionary),
    ...(sources.length === 1 ? [...valueExtremes(events, dictionary), ...displayLines(events, dictionary)] : []),
  ];
  const games = [...new Set(sources.map((source) => source.header.game))];
  const duration = sources.reduce((sum, source) => sum + source.header.media.duration, 0);
  // A defeat is a best moment only if there is nothing else.
  const good = scenes.filter((scene) => !isPlayerDefeat(strongestEvent(scene)!.event.statement, dictionary));
  const best = (good.length > 0 ? good : scenes)
    .toSorted((a, b) => b.score - a.score || a.source - b.source || a.start - b.start)
    .slice(0, 5);
  const moments = best.map((scene) => {
    const { id, t, text } = strongestEvent(scene)!.event;
    const name = sources[scene.source]?.name ?? scene.session;
    const at = reel?.scenes
      .filter(({ session }) => session === scene.session)
      .flatMap(({ events: shown }) => shown)
      .find((event) => event.id === id)?.at;
    return { session: scene.session, name, t, ...(at !== undefined && { at }), text, because: scene.because };
  });
  const titles = games.filter((game) => game !== UNKNOWN_GAME).map((game) => gameTitle(game, dictionary));
  const where = describeScope(titles, sources.length);
  const tally = events.length === 0 ? 'No events' : makeTally(lines, dictionary);
  const headline = [tally, where].filter(Boolean).join(' ');
  return {
    format: 'playbyplay/summary/1',
    games: titles,
    sessions: sources.length,
    duration: roundTime(duration),
    headline,
    tally,
    lines,
    moments,
    post: composePost({ headline, lines, moments, games: titles }, where),
  };
}

/** Victories, grouped by action and broken down by instrument, else by victim. */
function victoryLines(events: readonly EventLine[], dictionary: Dictionary): SummaryLine[] {
  const deeds = events.filter(({ statement }) => isPlayerVictory(statement, dictionary));
  return actionLines(deeds, dictionary);
}

function defeatLines(events: readonly EventLine[], dictionary: Dictionary): SummaryLine[] {
  const falls = events.filter(({ statement }) => isPlayerDefeat(statement, dictionary));
  if (falls.length === 0) return [];
  // A kill and a death at the same moment are one death; the kill says more about it.
  const killed = falls.filter(({ statement }) => !isPropertyStatement(statement) && statement.object !== undefined);
  const single = falls.filter((event) => killed.includes(event) || !killed.some(({ t }) => Math.abs(t - event.t) < 1));
  const line = summaryLine(
    DEATH,
    single.map(({ statement }) => statement as ActionStatement),
    dictionary,
  );
  return [line];
}

/** Other countable actions of the player: obtained, completed, opened … */
function otherLines(events: readonly EventLine[], dictionary: Dictionary): SummaryLine[] {
  const others = events.filter(({ statement }) => {
    if (isPropertyStatement(statement) || wordOf(statement.subject) !== 'player') return false;
    if (isPlayerVictory(statement, dictionary) || isPlayerDefeat(statement, dictionary)) return false;
    return withAncestors(dictionary, statement.action, 'action').some((id) => COUNTED_ACTIONS.has(unqualified(id)));
  });
  return actionLines(others, dictionary);
}

const COUNTED_ACTIONS = new Set(['obtain', 'capture', 'destroy', 'revive', 'win', 'complete', 'achieve', 'unlock']);

function actionLines(events: readonly EventLine[], dictionary: Dictionary): SummaryLine[] {
  const statements = events.map(({ statement }) => statement as ActionStatement);
  const groups = countWords(
    statements.map(({ action }) => action),
    dictionary,
    'action',
    3,
  );
  return groups.map(({ word, words }) =>
    summaryLine(
      word,
      statements.filter(({ action }) => words.includes(action)),
      dictionary,
    ),
  );
}

/** One action's count and breakdown. */
function summaryLine(word: string, statements: readonly ActionStatement[], dictionary: Dictionary): SummaryLine {
  const count = statements.length;
  const tools = statements.flatMap((statement) => wordOf(statement.with) ?? []);
  const objects = statements.flatMap((statement) => wordOf(statement.object) ?? []);
  const byTool = tools.length * 2 >= count && tools.length > 0;
  const noun = actionNoun(word, count, dictionary);
  if (byTool) {
    const parts = countWords(tools, dictionary, 'object');
    const by = word === DEATH ? 'by' : 'with';
    const details = parts.map(
      (part) => `${count === 1 ? '' : `${part.count} `}${by} ${instrumentName(part, parts, dictionary)}`,
    );
    if (tools.length < count) details.push(`${count - tools.length} otherwise`);
    return {
      word,
      count,
      text: `${count} ${noun}${count === 1 ? ' ' : ': '}${joinList(details)}`,
      parts: plain(parts),
    };
  }
  const verb = dictionary.find(word, 'action')?.forms.past;
  const things = new Set(objects).size > 0 && !objects.every((object) => object === 'player');
  if (things && verb !== undefined) {
    const parts = countWords(objects, dictionary, 'object', 6);
    const details = parts.map((part) => `${part.count} ${wordName(part.word, part.count, dictionary)}`);
    return { word, count, text: `${verb} ${joinList(details)}`, parts: plain(parts) };
  }
  return { word, count, text: `${count} ${noun}`, parts: [] };
}

/** Name of an instrument, or the plural of a group: `guns`, or `other guns` where one of them is listed separately. */
function instrumentName({ word, words }: WordCount, parts: readonly WordCount[], dictionary: Dictionary): string {
  if (words.length === 1) return wordName(word, 1, dictionary);
  const listedSeparately = parts.some(
    (part) => part.word !== word && withAncestors(dictionary, part.word, 'object').includes(word),
  );
  return `${listedSeparately ? 'other ' : ''}${wordName(word, 2, dictionary)}`;
}

function plain(parts: readonly { word: string; count: number }[]): { word: string; count: number }[] {
  return parts.map(({ word, count }) => ({ word, count }));
}

/** The action as a countable noun (`kills`), for which English often uses the verb itself. */
function actionNoun(word: string, count: number, dictionary: Dictionary): string {
  const name = word === DEATH ? DEATH : (dictionary.find(word, 'action')?.name ?? unqualified(word));
  return count === 1 ? name : pluralOf(name);
}

/** Extreme values of the player's properties: lowest health, final score. */
function valueExtremes(events: readonly EventLine[], dictionary: Dictionary): SummaryLine[] {
  const values = new Map<string, number[]>();
  for (const { statement } of events) {
    if (!isPropertyStatement(statement) || wordOf(statement.subject) !== 'player') continue;
    if (typeof statement.to !== 'number') continue;
    const list = values.get(statement.property);
    if (list) list.push(statement.to);
    else values.set(statement.property, [statement.to]);
  }
  return [...values].flatMap(([property, list]): SummaryLine[] => {
    const name = unqualified(property);
    const ids = withAncestors(dictionary, property, 'property').map(unqualified);
    if (ids.includes('result') && !['kills', 'deaths'].includes(name)) {
      return [{ word: property, count: list.length, text: `final ${name} ${list.at(-1)}`, parts: [] }];
    }
    const living = list.filter((value) => value > 0);
    if (name !== 'health' || living.length === 0) return [];
    return [{ word: property, count: list.length, text: `lowest health ${lowest(living)}`, parts: [] }];
  });
}

/** Displays of a game without a profile that are listed, those that change least first: goals and laps before ammunition. */
const MAX_DISPLAYS = 6;
/** Changes from which the range of a display says more than where it began and ended. */
const MANY_CHANGES = 20;

/** What the counters of a game without a profile showed: `counter RED from 0 to 5`. */
function displayLines(events: readonly EventLine[], dictionary: Dictionary): SummaryLine[] {
  const values = new Map<string, { readonly word: string; readonly shown: number[] }>();
  for (const { statement } of events) {
    if (!isPropertyStatement(statement) || typeof statement.subject !== 'object') continue;
    const { subject, from, to } = statement;
    if (typeof to !== 'number' || displayOf(statement, dictionary) === undefined) continue;
    const word = `${unqualified(subject.word)} ${subject.name ?? ''}`.trim();
    const known = values.get(word);
    if (known) known.shown.push(to);
    else values.set(word, { word: subject.word, shown: typeof from === 'number' ? [from, to] : [to] });
  }
  return [...values]
    .toSorted(([, a], [, b]) => a.shown.length - b.shown.length)
    .slice(0, MAX_DISPLAYS)
    .map(([name, { word, shown }]): SummaryLine => {
      const [first, last] = [shown[0]!, shown.at(-1)!];
      const isRange = first === last || shown.length > MANY_CHANGES;
      const range = `between ${lowest(shown)} and ${highest(shown)}`;
      const text = `${name} ${isRange ? range : `from ${first} to ${last}`}`;
      return { word, count: shown.length - 1, text, parts: [] };
    });
}

/** Of any number of values: a call takes some hundred thousand arguments at most. */
function lowest(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

function highest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}

function isDisplay(word: string, dictionary: Dictionary): boolean {
  return isAnyOf(dictionary, word, 'object', 'display');
}

/** `6 kills, 8 deaths`; without victories, what was gained. */
function makeTally(lines: readonly SummaryLine[], dictionary: Dictionary): string {
  const [first] = lines;
  if (!first || isDisplay(first.word, dictionary)) return 'A session';
  const death = lines.find(({ word }) => word === DEATH);
  const gain = first === death ? lines.find(({ word }) => dictionary.find(word, 'action')) : undefined;
  const head = gain ? summarizeGain(gain, dictionary) : first.text.split(':')[0]!;
  const against =
    death && (gain || first !== death) ? `, ${death.count} ${death.count === 1 ? 'death' : 'deaths'}` : '';
  return `${capital(head)}${against}`;
}

/** Sums a line up in one number: `obtained 15 items`. */
function summarizeGain({ word, count, parts, text }: SummaryLine, dictionary: Dictionary): string {
  const things = parts.flatMap((part) => Array.from({ length: part.count }, () => part.word));
  const [whole, ...more] = countWords(things, dictionary, 'object', 1);
  const verb = dictionary.find(word, 'action')?.forms.past;
  if (!whole || verb === undefined) return text;
  return `${verb} ${count} ${more.length > 0 ? 'things' : wordName(whole.word, count, dictionary)}`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** `in OpenArena`, `across 2 games, 5 sessions`; empty for a session of a game without a profile. */
function describeScope(games: readonly string[], sessions: number): string {
  const where = games.length > 1 ? `across ${games.length} games` : games.map((game) => `in ${game}`).join('');
  return [where, sessions > 1 ? `${sessions} sessions` : ''].filter(Boolean).join(', ');
}

/** Title of the game's dictionary, else its id capitalized. */
function gameTitle(game: string, dictionary: Dictionary): string {
  const title = dictionary.sources.find(({ name }) => name === game)?.title;
  if (title !== undefined) return title;
  return game.replaceAll(
    /(^|[-_ ])(\p{L})/gu,
    (_, gap: string, letter: string) => `${gap ? ' ' : ''}${letter.toUpperCase()}`,
  );
}

/** Composes the post: headline with breakdown, best moment, the games as tags. */
function composePost(summary: Pick<Summary, 'headline' | 'lines' | 'moments' | 'games'>, where: string): string {
  const { headline, lines, moments, games } = summary;
  const tags = games.map((game) => `#${game.replaceAll(/[^\p{L}\p{N}]/gu, '')}`).join(' ');
  const [first, ...others] = lines;
  const [head, parts] = first?.text.split(': ') ?? [];
  const fell = lines.find(({ word }) => word === DEATH)?.text.split(':')[0];
  const gained = others.find((line) => line.parts.length > 1)?.text;
  let opening = `${headline}.`;
  const scope = where === '' ? '' : ` ${where}`;
  if (first?.word !== DEATH && parts !== undefined)
    opening = `${capital(head!)} (${parts})${fell === undefined ? '' : ` and ${fell}`}${scope}.`;
  else if (first?.word === DEATH && gained !== undefined) opening = `${capital(gained)}; ${fell}${scope}.`;
  const [moment] = moments;
  const time = moment?.at === undefined ? '' : `, at ${formatClock(moment.at, 0)}`;
  const best = moment && `Best moment: ${moment.text}${time}.`;
  let text = length(opening, tags) <= MAX_POST_CHARACTERS ? opening : `${headline}.`;
  if (best !== undefined && length(`${text} ${best}`, tags) <= MAX_POST_CHARACTERS) text = `${text} ${best}`;
  return tags !== '' && length(text, tags) <= MAX_POST_CHARACTERS ? `${text} ${tags}` : text;
}

const MAX_POST_CHARACTERS = 280;

function length(text: string, tags: string): number {
  return [...text, ...tags].length + 1;
}

/**
 * The summary as plain text.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const choice = chooseScenes(sources, { dictionary, duration: 5 });
 * console.log(plainSummary(summarize(sources, choice.scenes, dictionary)));
 * ```
 */
export function plainSummary(summary: Summary): string {
  const lines = summary.lines.map(({ text }) => `- ${text}`);
  const hasSeveralSessions = summary.sessions > 1;
  const moments = summary.moments.map(
    ({ name, t, text }) => `  ${hasSeveralSessions ? `${name}  ` : ''}${formatClock(t)}  ${text}`,
  );
  return [summary.headline, ...lines, ...(moments.length > 0 ? ['', 'Best moments', ...moments] : []), ''].join('\n');
}

/**
 * The summary as Markdown.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const choice = chooseScenes(sources, { dictionary, duration: 5 });
 * console.log(markdownSummary(summarize(sources, choice.scenes, dictionary)));
 * ```
 */
export function markdownSummary(summary: Summary): string {
  const rows = summary.moments.map(
    ({ name, t, text, because }) =>
      `| ${formatClock(t)} | ${escapeMarkdown(text)} | ${escapeMarkdown(because)} | ${escapeMarkdown(name)} |`,
  );
  return [
    `# ${escapeMarkdown(summary.headline)}`,
    '',
    `${formatClock(summary.duration, 0)} of ${escapeMarkdown(joinList(summary.games))}, ${summary.sessions} session${summary.sessions === 1 ? '' : 's'}.`,
    ...(summary.lines.length > 0 ? [''] : []),
    ...summary.lines.map(({ text }) => `- ${escapeMarkdown(text)}`),
    ...(rows.length > 0
      ? ['', '## Best moments', '', '| time | what | because | session |', '|---|---|---|---|', ...rows]
      : []),
    '',
    `> ${escapeMarkdown(summary.post)}`,
    '',
  ].join('\n');
}
