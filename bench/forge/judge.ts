// Judges how the program reads games of the forge: drafts a profile from the learning recording, detects with it, compares with truth.
//   node bench/forge/judge.ts <game folder>… [--answers] [--first] [--work <folder>] [--list]
// --answers answers the draft's questions from truth, at most ten; --first detects the learning recording without a profile, too;
// --list prints what is missed and what is wrong. With --work, results that lie there are not made again.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { proportion } from '../../src/evaluate/statistics.ts';
import {
  compareElements,
  compareEvents,
  type DraftField,
  type ElementResult,
  elementAt,
  type EventResult,
  insideShare,
  type LogEvent,
  plain,
  union,
} from './compare.ts';
import { type Box, type ElementLine, type HeaderLine, readTruth, type Truth } from './truth.ts';

const MAX_ANSWERS = 10;
const program = join(import.meta.dirname, '../../src/cli/launch.js');

/** Share of a detector's region in the field that it reads. */
const MIN_INSIDE = 0.7;

/** What was measured of a game. */
interface GameResult {
  readonly header: HeaderLine;
  readonly elements: readonly ElementResult[];
  readonly falseFields: readonly DraftField[];
  readonly fields: number;
  /** On the judging recording with the draft. */
  readonly expected: readonly EventResult[];
  readonly reported: readonly EventResult[];
  /** On the learning recording without a profile. */
  readonly first?: { readonly expected: readonly EventResult[]; readonly reported: readonly EventResult[] };
  readonly answers: number;
  /** Seconds of processor time. */
  readonly draftSeconds: number;
  readonly detectSeconds: number;
}

/** A result that is made once and then kept in a file. */
function once<T>(path: string, make: () => T): T {
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as T;
  const made = make();
  writeFileSync(path, JSON.stringify(made));
  return made;
}

/** Runs the program; returns what it printed and the processor time of it and its children. */
function run(...args: string[]): { readonly output: string; readonly seconds: number } {
  const { status, stdout, stderr } = spawnSync(
    '/usr/bin/env',
    ['bash', '-c', 'time -p "$@"', 'judge', process.execPath, program, ...args],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    },
  );
  // 3: nothing was found.
  if (status !== 0 && status !== 3) throw new Error(`playbyplay ${args.join(' ')} ended with ${status}:\n${stderr}`);
  const seconds = ['user', 'sys'].reduce(
    (sum, name) => sum + Number(new RegExp(`${name} ([\\d.]+)`).exec(stderr)?.[1] ?? 0),
    0,
  );
  return { output: stdout, seconds };
}

/**
 * The events of a log, with the regions of the detectors that saw them.
 *
 * @param learn Truth of the recording that the draft was made from.
 */
function readLog(
  folder: string,
  profilePath: string,
  fields: readonly DraftField[],
  learn: Truth,
): readonly LogEvent[] {
  const { regions, detectors } = JSON.parse(readFileSync(profilePath, 'utf8')) as {
    readonly regions: Readonly<Record<string, Box>>;
    readonly detectors: Readonly<
      Record<string, { readonly region?: string; readonly cells?: number; readonly row?: { readonly part: number } }>
    >;
  };
  // Parts of a row share its region.
  const partOf = (detector: string | undefined): DraftField | undefined => {
    const { region = '', row } = detectors[detector ?? ''] ?? {};
    return row && fields.find((field) => field.row?.part === row.part && field.row.rect.x === regions[region]?.x);
  };
  return readFileSync(join(folder, 'events.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as {
          type: string;
          tentative?: boolean;
          t: number;
          text: string;
          statement: Record<string, unknown>;
          cues: { detector: string }[];
        },
    )
    .filter(({ type, tentative }) => type === 'event' && tentative !== true)
    .map(({ t, text, statement, cues }) => ({
      t,
      text,
      statement: asShare(statement, detectors[cues[0]?.detector ?? '']?.cells),
      element: elementOf(partOf(cues[0]?.detector), learn),
      boxes: cues.flatMap(({ detector }) => {
        const box = regions[detectors[detector]?.region ?? ''];
        // A detector may read the figures of a field without its caption.
        return box
          ? [
              box,
              ...fields
                .map(({ rect }) => rect)
                .filter((rect) => insideShare(box, rect) >= MIN_INSIDE || insideShare(rect, box) >= MIN_INSIDE),
            ]
          : [];
      }),
    }));
}

function elementOf(field: DraftField | undefined, { elements }: Truth): string | undefined {
  return field && elementAt(field.rect, elements)?.id;
}

/** Truth has the share of the cells that are full, a log their number. */
function asShare(statement: Readonly<Record<string, unknown>>, cells: number | undefined): Record<string, unknown> {
  const share = (value: unknown): unknown => (cells === undefined || typeof value !== 'number' ? value : value / cells);
  return Object.fromEntries(
    Object.entries(statement).map(([key, value]) => [key, key === 'from' || key === 'to' ? share(value) : value]),
  );
}

/** What the picture of an icon shows, or that between two names of a feed. */
function pictureOf(
  { id }: ElementLine,
  { t, between }: NonNullable<DraftField['pictures']>[number],
  { values, events }: Truth,
): string | undefined {
  if (between) {
    const [killer, victim] = between.map(plain);
    const row = events.findLast((one) => plain(one.killer ?? '') === killer && plain(one.victim ?? '') === victim);
    return row?.weapon;
  }
  const value = values.findLast((one) => one.element === id && one.t <= t)?.value;
  return value === null || value === undefined ? undefined : String(value);
}

/** Answers questions from truth: what belongs to the HUD, what it is called, what its pictures show. */
function answer(questions: string, fields: readonly DraftField[], truth: Truth): readonly string[] {
  const ids = [...questions.matchAll(/--answer ([^=\s]+)=/g)].map(([, id]) => id!);
  return ids
    .flatMap((id) => {
      const [, kind, field] = /^(\w+)-(.*)$/.exec(id) ?? [];
      const picture = /^(.*)-(\d+)$/.exec(kind === 'picture' ? field! : '');
      const asked = fields.find((one) => one.id === (picture?.[1] ?? field));
      if (asked === undefined) return [];
      const element = elementAt(asked.rect, truth.elements);
      if (picture) {
        const shown = element && pictureOf(element, asked.pictures![Number(picture[2]) - 1]!, truth);
        return shown === undefined ? [] : [`${id}=${shown}`];
      }
      if (kind === 'hud') return [`${id}=${element ? 'yes' : 'no'}`];
      return kind === 'name' && element ? [`${id}=${element.id}`] : [];
    })
    .slice(0, MAX_ANSWERS);
}

/** Truth whose areas cover what both recordings of a game show there: a draft knows those that it was made from. */
function withExtentsOf(truth: Truth, other: Truth): Truth {
  const elements = truth.elements.map((element) => {
    const twin = other.elements.find(({ id }) => id === element.id);
    return twin ? { ...element, box: union(element.box, twin.box) } : element;
  });
  return { ...truth, elements };
}

/** Drafts, detects and compares one game. */
function judgeGame(
  folder: string,
  work: string,
  options: { readonly answers: boolean; readonly first: boolean },
): GameResult {
  const game = basename(folder);
  const [learn, judge] = [readTruth(join(folder, 'learn.ndjson')), readTruth(join(folder, 'judge.ndjson'))];
  const pack = join(work, game);
  const [draftedPath, detectedPath] = [join(work, `${game}.draft.json`), join(work, `${game}.detect.json`)];
  const profile = join(pack, 'configs', game, 'profile.json');
  const readFields = (): readonly DraftField[] =>
    (JSON.parse(readFileSync(join(pack, 'discovery.json'), 'utf8')) as { fields: readonly DraftField[] }).fields;
  const log = join(work, `${game}.log`);
  const drafted = once(draftedPath, () => {
    // What was found without answers is what is asked about.
    const recordings = existsSync(join(pack, 'discovery.json')) ? [] : [join(folder, 'learn.mp4')];
    const { output, seconds } = run('profile', 'draft', ...recordings, '--out', pack, '--overwrite');
    const answers = options.answers ? answer(output, readFields(), learn) : [];
    if (answers.length > 0)
      run('profile', 'draft', '--out', pack, '--overwrite', ...answers.flatMap((one) => ['--answer', one]));
    return { draftSeconds: seconds, answers: answers.length };
  });
  const detected = once(detectedPath, () => ({
    detectSeconds: run('detect', join(folder, 'judge.mp4'), '--game', pack, '--out', log, '--overwrite').seconds,
  }));
  const events = compareEvents(readLog(log, profile, readFields(), learn), withExtentsOf(judge, learn));
  const found = compareElements(readFields(), learn);
  const firstLog = join(work, `${game}.first`);
  // The same draft is made in memory: its regions are those of the pack.
  if (options.first && !existsSync(join(firstLog, 'events.ndjson')))
    run('detect', join(folder, 'learn.mp4'), '--out', firstLog, '--overwrite');
  return {
    header: judge.header,
    ...found,
    ...events,
    ...(options.first ? { first: compareEvents(readLog(firstLog, profile, readFields(), learn), learn) } : {}),
    ...drafted,
    ...detected,
  };
}

function percent(hits: number, total: number): string {
  const { value, low, high } = proportion(hits, total);
  if (value === undefined) return '–';
  const [a, b] = [low, high].map((one) => Math.round(100 * one));
  return `${(100 * value).toFixed(0)} % (${a}–${b}), ${hits}/${total}`;
}

function count<T>(items: readonly T[], isRight: (item: T) => boolean): string {
  return percent(items.filter(isRight).length, items.length);
}

/** A Markdown table. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

const ELEMENT_HEAD = ['Elements', 'Found', 'Found with its type', 'False', 'Recall', 'Precision'];

function summarize(
  elements: readonly ElementResult[],
  falseFields: string,
  expected: readonly EventResult[],
  reported: readonly EventResult[],
): string[] {
  return [
    String(elements.length),
    count(elements, ({ isFound }) => isFound),
    count(elements, ({ isTyped }) => isTyped),
    falseFields,
    count(expected, ({ isRight }) => isRight),
    count(reported, ({ isRight }) => isRight),
  ];
}

function summarizeGames(games: readonly GameResult[]): string[] {
  const all = <T>(pick: (game: GameResult) => readonly T[]): T[] => games.flatMap((game) => pick(game));
  return summarize(
    all(({ elements }) => elements),
    percent(
      all(({ falseFields }) => falseFields).length,
      games.reduce((sum, { fields }) => sum + fields, 0),
    ),
    all(({ expected }) => expected),
    all(({ reported }) => reported),
  );
}

/** Bits per pixel and second, in classes. */
function bitrateClass({ bitrate, width, height }: HeaderLine): string {
  const rate = (bitrate / 1e6) * ((1280 * 720) / (width * height));
  return rate < 2 ? 'below 2 Mbit/s' : rate < 5 ? '2–5 Mbit/s' : 'from 5 Mbit/s';
}

/** All tables of a report. */
function report(games: readonly GameResult[]): string {
  const by = (title: string, key: (game: GameResult) => string): string =>
    table(
      [title, 'Games', ...ELEMENT_HEAD],
      [
        ...[...Map.groupBy(games, key)]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, own]) => [name, String(own.length), ...summarizeGames(own)]),
        ['all', String(games.length), ...summarizeGames(games)],
      ],
    );
  const byPart = (title: string, key: (part: ElementResult | EventResult) => string): string => {
    const [elements, expected, reported] = [
      games.flatMap((game) => game.elements),
      games.flatMap((game) => game.expected),
      games.flatMap((game) => game.reported),
    ];
    const names = [...new Set([...elements, ...expected].map(key))].filter((name) => name !== '').toSorted();
    return table(
      [title, ...ELEMENT_HEAD],
      names.map((name) => [
        name,
        ...summarize(
          elements.filter((one) => key(one) === name),
          '',
          expected.filter((one) => key(one) === name),
          reported.filter((one) => key(one) === name),
        ),
      ]),
    );
  };
  const first = games.flatMap((game) => game.first ?? []);
  const pictured = games.flatMap((game) => game.reported).filter((one) => one.isPictureRight !== undefined);
  return [
    by('Genre', ({ header }) => header.genre),
    table(
      ['Kind of element', ...ELEMENT_HEAD.slice(0, 3)],
      [
        ...Map.groupBy(
          games.flatMap((game) => game.elements),
          ({ kind }) => kind,
        ),
      ]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([kind, own]) => [kind, ...summarize(own, '', [], []).slice(0, 3)]),
    ),
    table(
      ['Event', 'Recall', 'Precision'],
      [...new Set(games.flatMap((game) => game.expected).map(({ name }) => name))].toSorted().map((name) => [
        name,
        count(
          games.flatMap((game) => game.expected).filter((one) => one.name === name),
          ({ isRight }) => isRight,
        ),
        count(
          games.flatMap((game) => game.reported).filter((one) => one.name === name),
          ({ isRight }) => isRight,
        ),
      ]),
    ),
    byPart('Font', ({ font }) => font),
    by('Bitrate at 720p', ({ header }) => bitrateClass(header)),
    by('Codec', ({ header }) => header.codec),
    by('Language', ({ header }) => header.language),
    first.length === 0
      ? ''
      : `Without a profile, on the learning recordings: recall ${count(
          first.flatMap(({ expected }) => expected),
          ({ isRight }) => isRight,
        )}, precision ${count(
          first.flatMap(({ reported }) => reported),
          ({ isRight }) => isRight,
        )}.\n`,
    `Pictures of icons that are called what they show: ${count(pictured, (one) => one.isPictureRight === true)}.\n`,
    table(
      ['Game', 'Fields', ...ELEMENT_HEAD, 'Answers', 'Draft, s', 'Detect, s'],
      games.map((game) => [
        game.header.game,
        String(game.fields),
        ...summarizeGames([game]),
        String(game.answers),
        game.draftSeconds.toFixed(0),
        game.detectSeconds.toFixed(0),
      ]),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** What is missed and what is wrong in a game. */
function listFaults({ header, elements, falseFields, expected, reported }: GameResult): string {
  return [
    `# ${header.game}: ${header.width}×${header.height} ${header.codec} ${(header.bitrate / 1e6).toFixed(1)} Mbit/s, ${header.language}`,
    ...elements
      .filter(({ isTyped }) => !isTyped)
      .map(({ kind, id, type }) => `${kind} “${id}”: ${type === undefined ? 'not found' : `taken for ${type}`}`),
    ...falseFields.map(
      ({ type, id, rect }) => `false ${type} “${id}” at ${rect.x},${rect.y} ${rect.width}×${rect.height}`,
    ),
    ...expected
      .filter(({ isRight }) => !isRight)
      .map(({ t, name, element, text }) => `${t.toFixed(1)} missed ${name} of “${element}”: ${text}`),
    ...reported
      .filter(({ isRight }) => !isRight)
      .map(({ t, name, element, text }) => `${t.toFixed(1)} wrong ${name} of “${element}”: ${text}`),
    '',
  ].join('\n');
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    answers: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    work: { type: 'string' },
  },
});
if (positionals.length === 0)
  throw new Error('usage: node bench/forge/judge.ts <game folder>… [--answers] [--first] [--work <folder>] [--list]');
const work = values.work === undefined ? mkdtempSync(join(tmpdir(), 'forge-judge-')) : resolve(values.work);
mkdirSync(work, { recursive: true });
const games: GameResult[] = [];
for (const folder of positionals) {
  const game = judgeGame(resolve(folder), work, values);
  games.push(game);
  if (values.list) console.log(listFaults(game));
  else console.error(`${game.header.game}: ${summarizeGames([game]).join('; ')}`);
}
if (values.work === undefined) rmSync(work, { recursive: true });
console.log(report(games));
