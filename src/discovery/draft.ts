import { join } from 'node:path';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { type OutputPolicy, writeOutput } from '../files/output.ts';
import { LEVEL_STEP } from './describe.ts';
import type { Discovery, HudField, RowPlace } from './hud-field.ts';
import type { AtlasFile } from '../detectors/text/atlas.ts';
import { growRegion } from './grow.ts';
import { figurePattern } from './learn-field-font.ts';
import { cleanName, displayWord, placeOnScreen, uniqueName } from './names.ts';

/** Something that recordings do not show, with the answer that is assumed. */
export interface Question {
  readonly id: string;
  readonly question: string;
  readonly assumed: string;
}

/** Answers by id of the question. */
export type Answers = Readonly<Record<string, string>>;

/** A pack drafted from a discovery: what `detect` needs to read the game. */
export interface Draft {
  readonly game: string;
  readonly profile: Readonly<Record<string, unknown>>;
  /** Undefined where no word is missing. */
  readonly dictionary: Readonly<Record<string, unknown>> | undefined;
  readonly questions: readonly Question[];
  /** Fonts by path, relative to the profile. */
  readonly fonts: ReadonlyMap<string, AtlasFile>;
  /** PNG files of icons by path, relative to the profile. */
  readonly pictures: ReadonlyMap<string, Uint8Array>;
  /** By field: its name after the answers; fields that were answered away are missing. */
  readonly names: ReadonlyMap<HudField, string>;
  /** By field: the name of its detector. */
  readonly keys: ReadonlyMap<HudField, string>;
  /** Fields that make no events, and why. */
  readonly silent: ReadonlyMap<HudField, SilenceReason>;
}

/**
 * Changes too often, such as a speed; the scene shows through, so that a level follows what is behind it; or it is read now as this
 * and now as that.
 */
export type SilenceReason = 'restless' | 'translucent' | 'unsteady';

/** Seconds between samples of a drafted profile: a value that is shown for half a second is read twice. */
const INTERVAL_SECONDS = 0.2;
/** The same for names, messages and feeds: they stand for longer, and reading words costs more than reading figures. */
const TEXT_INTERVAL_SECONDS = 0.4;
/** Seconds for which a clock must show the same to be reported as halted: one of whole seconds, and one with fractions of them. */
const [HALT_SECONDS, EXACT_HALT_SECONDS] = [3.5, 1.2];
/** Changes per minute in which it is shown above which a figure makes no events: it is a measurement, such as a speed. */
export const MAX_CHANGES_PER_MINUTE = 60;
/** Minutes for which a figure counts as shown at least: a combo that is counted up now and then is no measurement. */
const MIN_SHOWN_MINUTES = 0.25;
/** Confidence that readings need. */
const MIN_CONFIDENCE = 0.6;
const MIN_TEXT_CONFIDENCE = 0.8;
/** Samples for which a text must be read alike where it is hard to read. */
const UNCLEAR_SAMPLES = 4;
/** Share of the changes of a figure or name that are taken back at once from which it is hard to read, and from which it tells nothing. */
const [MIN_UNCLEAR_SHARE, MIN_UNSTEADY_SHARE] = [0.15, 0.5];
const MIN_REVERSALS = 3;
const MIN_MESSAGE_CONFIDENCE = 0.65;
/** Likeness that an icon needs, and pixels by which it may be displaced. */
const MIN_ICON_LIKENESS = 0.7;
const ICON_SEARCH_PIXELS = 2;
/** A row of a feed with two names, and with an icon between them. */
const KILL_ROW = String.raw`^([^>]*\p{L}[^>]*) > ([^>]*\p{L}[^>]*)$`;
const ICON_ROW = String.raw`^([^>]*\p{L}[^>]*) > \[([^\]>]+)\] > ([^>]*\p{L}[^>]*)$`;
/** An answer that says whose figure it is: “Player 2: strokes”. */
const OWNED = /^\s*(.*\S)\s*:\s*(\S.*)$/;
/** Certainty below which it is asked whether a field is part of the HUD. */
const CERTAIN = 0.6;
/** Answer that removes a field. */
const NO = 'no';
const MAX_QUESTIONS = 10;

/**
 * Drafts a profile with event mappings, and a dictionary extension with the words that the answers bring.
 *
 * @param game Identifier of the game: lower-case letters, digits and hyphens.
 * @param dictionary The common dictionary, in which answers are looked up.
 * @throws RangeError for an answer to a question that is not asked.
 */
export function draftPack(discovery: Discovery, game: string, dictionary: Dictionary, answers: Answers = {}): Draft {
  const { reference, recordings, fields, symbols, languages } = discovery;
  const minutes = recordings.reduce((sum, { duration }) => sum + duration, 0) / 60;
  const questions = selectQuestions(fields.filter(({ id }) => answers[`hud-${id}`] !== NO));
  const unknown = Object.keys(answers).find((id) => !allQuestionIds(fields).has(id));
  if (unknown !== undefined) throw new RangeError(`there is no question “${unknown}”`);
  const regions: Record<string, unknown> = {};
  const detectors: Record<string, unknown> = {};
  const events: unknown[] = [];
  const fonts = new Map<string, AtlasFile>();
  const pictures = new Map<string, Uint8Array>();
  const names = new Map<HudField, string>();
  const keys = new Map<HudField, string>();
  const silent = new Map<HudField, SilenceReason>();
  const words = new Map<string, string>();
  const taken = new Set<string>();
  const rowKeys = new Map<string, string>();
  const rowKeyOf = ({ rect }: RowPlace): string => {
    const id = JSON.stringify(rect);
    const key = rowKeys.get(id) ?? uniqueName(cleanName(`row ${placeOnScreen(rect, reference)}`), taken);
    rowKeys.set(id, key);
    regions[key] = { ...rect, anchor: placeOnScreen(rect, reference) };
    return key;
  };
  const gate = gateOf(fields.filter(({ id }) => answers[`hud-${id}`] !== NO));
  for (const field of fields) {
    if (answers[`hud-${field.id}`] === NO) continue;
    const answer = answers[`name-${field.id}`]?.trim();
    const name = answer === undefined || answer === '' ? field.name : answer;
    names.set(field, name);
    if (field.type === 'label') continue;
    const word = displayWord(field.type);
    const key = uniqueName(cleanName(`${word} ${name}`), taken);
    keys.set(field, key);
    const region = field.font?.region ?? growRegion(field, fields, reference, symbols);
    const regionKey = field.row ? rowKeyOf(field.row) : key;
    if (!field.row) regions[key] = { ...region, anchor: field.place };
    const isGrown = !field.row && !field.bounds && field.pattern !== undefined && region.width > field.rect.width;
    const silence = silenceOf(field, minutes);
    const [, owner, measure = answer] = OWNED.exec(answer ?? '') ?? [];
    const property =
      measure === undefined || word !== 'counter' ? undefined : propertyFor(measure, game, dictionary, words);
    const whose = owner === undefined ? 'player' : { word: 'character', name: owner };
    const subject = property === undefined ? { word, name } : whose;
    const said = property ?? 'reading';
    if (field.font) fonts.set(`fonts/${fileName(key)}.json`, field.font.file);
    const icons = iconsOf(field, fileName(key), answers);
    for (const { path, png } of icons) pictures.set(path, png);
    detectors[key] = {
      ...detectorOf(field, regionKey, field.font?.pattern ?? field.pattern),
      ...(field.row && { row: { parts: field.row.parts, part: field.row.part } }),
      ...(isGrown && { align: field.type === 'clock' || field.type === 'time' ? 'centre' : field.align }),
      ...(icons.length > 0 && { icons: Object.fromEntries(icons.map((icon) => [icon.name, icon.path])) }),
      ...(field.font && {
        reader: undefined,
        atlas: `fonts/${fileName(key)}.json`,
        align: 'centre',
        fallback: { reader: 'general', reject: MIN_CONFIDENCE },
      }),
    };
    if (silence !== undefined) silent.set(field, silence);
    else events.push(...eventsOf(field, key, subject, said));
    if (field.secondPattern !== undefined && !field.row) {
      const second = uniqueName(cleanName(`${word} ${name} total`), taken);
      detectors[second] = detectorOf(field, key, field.font ? figurePattern(field.secondPattern) : field.secondPattern);
      if (silence === undefined) events.push(...eventsOf(field, second, { word, name: `${name} total` }, 'reading'));
    }
  }
  // Scenery that shows while the HUD is hidden may look like a gauge or an icon.
  const gateKey = gate && keys.get(gate);
  if (gateKey !== undefined)
    for (const [field, key] of keys)
      if (isPictured(field)) detectors[key] = { ...(detectors[key] as object), when: { detector: gateKey } };
  const profile = {
    format: 'playbyplay/profile/1',
    game,
    title: game,
    version: '1',
    description: 'Drafted from recordings by “playbyplay profile draft”: names and ranges are what they showed.',
    unit: 'pixel',
    ...(languages ? { language: languages } : {}),
    reference,
    sampling: { interval: INTERVAL_SECONDS },
    regions,
    detectors,
    events,
  };
  const own = {
    format: 'playbyplay/dictionary/1',
    name: game,
    version: '1.0.0',
    title: game,
    description: 'Words for the figures of this game.',
    extends: { common: '^1.0.0' },
    properties: Array.from(words, ([name, definition]) => ({ name, parent: 'measure', definition })),
  };
  return {
    game,
    profile,
    dictionary: words.size > 0 ? own : undefined,
    questions,
    names,
    keys,
    silent,
    fonts,
    pictures,
  };
}

/**
 * Writes a draft as a pack: `configs/<game>/profile.json` and `dictionary/<game>.json`.
 *
 * @returns The path of the profile.
 * @throws PlaybyplayError as `writeOutput` does.
 */
export async function writePack(
  folder: string,
  { game, profile, dictionary, fonts, pictures }: Draft,
  policy: OutputPolicy = {},
): Promise<string> {
  const path = join(folder, 'configs', game, 'profile.json');
  for (const [font, file] of fonts)
    await writeOutput(join(folder, 'configs', game, font), `${JSON.stringify(file)}\n`, { kind: 'atlas', ...policy });
  for (const [picture, png] of pictures)
    await writeOutput(join(folder, 'configs', game, picture), png, { kind: 'picture', ...policy });
  await writeOutput(path, `${JSON.stringify(profile, undefined, 2)}\n`, { kind: 'profile', ...policy });
  if (dictionary)
    await writeOutput(join(folder, 'dictionary', `${game}.json`), `${JSON.stringify(dictionary, undefined, 2)}\n`, {
      kind: 'dictionary',
      ...policy,
    });
  return path;
}

/** Share of the samples in which a text is read that says whether the HUD is shown, of that of the field most often read. */
const MIN_GATE_PRESENCE = 0.85;
const MIN_GATE_CERTAINTY = 0.9;

/** How surely a figure is read, whatever it shows: one that showed few values may show others that are hard to read. */
function reliability({ behaviour: { presence, changes } }: HudField): number {
  return presence * (1 - 1 / (changes + 2));
}

/** The figure by which one sees whether the HUD is shown: the one that is read most reliably. */
function gateOf(fields: readonly HudField[]): HudField | undefined {
  const [best] = fields
    .filter(
      ({ type, certainty, behaviour }) =>
        GATES.has(type) && certainty >= MIN_GATE_CERTAINTY && behaviour.presence >= MIN_GATE_PRESENCE,
    )
    .toSorted((a, b) => reliability(b) - reliability(a) || b.certainty - a.certainty);
  return best;
}

/** Types by which one sees whether the HUD is shown. */
const GATES: ReadonlySet<HudField['type']> = new Set(['counter', 'fraction', 'percentage', 'clock']);

/** Whether a field is read from colours and pictures. */
function isPictured({ type }: HudField): boolean {
  return type === 'gauge' || type === 'icon';
}

/** The pictures of an icon, named by answers or by number. */
function iconsOf(
  { id, pictures = [] }: HudField,
  file: string,
  answers: Answers,
): readonly { readonly name: string; readonly path: string; readonly png: Uint8Array }[] {
  const taken = new Set<string>();
  return pictures.map(({ png }, i) => {
    const answer = cleanName(answers[pictureId(id, i)] ?? '');
    const name = uniqueName(answer === '' ? String(i + 1) : answer, taken);
    return { name, path: `icons/${file}-${i + 1}.png`, png: Buffer.from(png, 'base64') };
  });
}

/** Stands for a picture of an icon in questions and answers. */
function pictureId(id: string, picture: number): string {
  return `picture-${id}-${picture + 1}`;
}

/** The name of a detector as that of a file. */
function fileName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
}

/** Questions that are left to pictures at least, where there are so many. */
const PICTURE_QUESTIONS = 4;

/** The questions that matter most: what is no part of the HUD, what changes often, what stands between the names of a feed. */
function selectQuestions(fields: readonly HudField[]): readonly Question[] {
  const changing = fields.toSorted((a, b) => b.behaviour.changes - a.behaviour.changes);
  const [doubts, names] = [fields.flatMap(questionsOf), changing.flatMap(questionsOf)].map((all, i) =>
    all.filter(({ id }) => id.startsWith('hud-') === (i === 0)),
  ) as [Question[], Question[]];
  const byKind = fields.toSorted((a, b) => Number(b.type === 'feed') - Number(a.type === 'feed'));
  const pictures = byKind.flatMap(pictureQuestionsOf);
  const left = Math.max(0, MAX_QUESTIONS - doubts.length - Math.min(pictures.length, PICTURE_QUESTIONS));
  return [...doubts, ...names.slice(0, left), ...pictures].slice(0, MAX_QUESTIONS);
}

function questionsOf(field: HudField): Question[] {
  const example = field.examples.at(-1)?.text ?? '';
  const { id, type, place, certainty, isCaptioned, name } = field;
  return [
    ...(certainty < CERTAIN && type !== 'label'
      ? [
          {
            id: `hud-${id}`,
            question: `Is the text at the ${place} (“${example}”) part of the HUD? (yes, no)`,
            assumed: 'yes',
          },
        ]
      : []),
    ...(isCaptioned || type === 'message' || type === 'label' || type === 'feed'
      ? []
      : [
          {
            id: `name-${id}`,
            question: `What does the ${displayWord(type)} at the ${place} (“${example}”) show?`,
            assumed: name,
          },
        ]),
  ];
}

/** Pictures of an icon that are asked for. */
const MAX_ASKED_PICTURES = 4;

function pictureQuestionsOf({ id, type, place, pictures = [] }: HudField): Question[] {
  if (pictures.length > (type === 'feed' ? MAX_QUESTIONS : MAX_ASKED_PICTURES)) return [];
  return pictures.map(({ t, between }, i) => ({
    id: pictureId(id, i),
    question: between
      ? `What does the icon between “${between[0]}” and “${between[1]}” stand for, at ${writeMoment(t)}?`
      : `What does the icon at the ${place} show at ${writeMoment(t)}?`,
    assumed: String(i + 1),
  }));
}

/** Minutes and seconds of a recording. */
function writeMoment(t: number): string {
  return `${Math.floor(t / 60)}:${(t % 60).toFixed(1).padStart(4, '0')}`;
}

function allQuestionIds(fields: readonly HudField[]): ReadonlySet<string> {
  return new Set(
    fields.flatMap(({ id, pictures = [] }) => [`hud-${id}`, `name-${id}`, ...pictures.map((_, i) => pictureId(id, i))]),
  );
}

/** The property that an answer names; one that the dictionary lacks is added to `words`. */
function propertyFor(
  answer: string,
  game: string,
  dictionary: Dictionary,
  words: Map<string, string>,
): string | undefined {
  const name = answer.toLowerCase();
  const known =
    dictionary.find(name, 'property') ??
    dictionary.words('property').find(({ synonyms }) => synonyms.some((one) => one.toLowerCase() === name));
  if (known) return known.id;
  // A name with a number is that of one figure among several: “hole 2”.
  if (!/^\p{L}+(?:[ -]\p{L}+)*$/u.test(name)) return undefined;
  words.set(name, `What the game shows as ${name}.`);
  return `${game}:${name}`;
}

function silenceOf(field: HudField, minutes: number): SilenceReason | undefined {
  const { type, gauge, behaviour } = field;
  const shownMinutes = Math.max(MIN_SHOWN_MINUTES, minutes * behaviour.presence);
  if (behaviour.changes / shownMinutes > MAX_CHANGES_PER_MINUTE && type !== 'clock') return 'restless';
  if (reversalShare(field) >= MIN_UNSTEADY_SHARE) return 'unsteady';
  return gauge?.shades !== undefined && gauge.empty === undefined ? 'translucent' : undefined;
}

/** Share of the changes that are taken back at once, where there are some; those of a clock do not matter. */
function reversalShare({ type, behaviour: { changes, reversals = 0 } }: HudField): number {
  // Each is a change there and one back.
  return reversals < MIN_REVERSALS || type === 'clock' ? 0 : (2 * reversals) / changes;
}

function detectorOf(field: HudField, region: string, pattern: string | undefined): Record<string, unknown> {
  const { type, gauge, cells, certainty } = field;
  if (type === 'feed') return { kind: 'feed', region, interval: TEXT_INTERVAL_SECONDS };
  if (type === 'message')
    return {
      kind: 'feed',
      region,
      interval: TEXT_INTERVAL_SECONDS,
      split: false,
      stability: { samples: 2, confidence: MIN_MESSAGE_CONFIDENCE },
    };
  if (type === 'icon')
    return {
      kind: 'icon',
      region,
      icons: {},
      measure: 'difference',
      threshold: MIN_ICON_LIKENESS,
      search: ICON_SEARCH_PIXELS,
      // Its pictures are cut from the recording as it is; a bright border at their edge would be softened unlike that of the screen.
      soften: 0,
      stability: { samples: 2, confidence: MIN_CONFIDENCE },
    };
  if (gauge) {
    const { fill, shades = [], otherFill, empty, ...shape } = gauge;
    const full = [fill, ...shades, ...(otherFill === undefined ? [] : [otherFill])];
    const colours = { fill: full, ...(empty === undefined ? {} : { empty: [empty], anyFill: true, anyEmpty: true }) };
    // A gauge that creeps makes an event only now and then.
    const divided = cells === undefined ? { step: LEVEL_STEP } : { cells, zero: true };
    return {
      kind: 'bar',
      region,
      ...shape,
      ...colours,
      ...divided,
      stability: { samples: 2, confidence: MIN_CONFIDENCE },
    };
  }
  const haltSeconds = hasFraction(field) ? EXACT_HALT_SECONDS : HALT_SECONDS;
  const samples = type === 'clock' ? Math.round(haltSeconds / INTERVAL_SECONDS) : 2;
  const isFigure = type !== 'name';
  // What is hard to read must be read alike for longer.
  const isUnclear = (!isFigure && certainty < MIN_TEXT_CONFIDENCE) || reversalShare(field) >= MIN_UNCLEAR_SHARE;
  return {
    kind: 'text',
    region,
    reader: 'general',
    ...(pattern === undefined ? {} : { pattern }),
    ...(isFigure ? { value: valueKindOf(field) } : { interval: TEXT_INTERVAL_SECONDS }),
    stability: isUnclear
      ? { samples: UNCLEAR_SAMPLES, confidence: MIN_CONFIDENCE }
      : { samples, confidence: isFigure ? MIN_CONFIDENCE : MIN_TEXT_CONFIDENCE },
    // A clock that has not started stands, too.
    ...(type === 'clock' ? { plausible: { min: 0.01 } } : plausibleRise(field)),
  };
}

/** Samples in a row after which a number with more digits than were ever seen is believed. */
const GROWN_SAMPLES = 10;

/** Bounds how much a number rises at once: one that gets a digit is often read with something next to it. */
function plausibleRise({ type, behaviour: { max } }: HudField): {
  readonly plausible?: Readonly<Record<string, number>>;
} {
  if ((type !== 'counter' && type !== 'fraction') || max === undefined) return {};
  const digits = String(Math.floor(Math.abs(max))).length;
  return { plausible: { rise: 10 ** digits - 1, unless: GROWN_SAMPLES } };
}

/** How a figure is written. */
function valueKindOf({ type, isGrouped, isStopwatch }: HudField): 'time' | 'stopwatch' | 'integer' | 'number' {
  if (type === 'clock' || type === 'time') return isStopwatch === true ? 'stopwatch' : 'time';
  return isGrouped === true ? 'integer' : 'number';
}

/** Whether a clock shows fractions of seconds: a point or a space before its last digits. */
function hasFraction({ examples, isStopwatch = false }: HudField): boolean {
  if (isStopwatch) return true;
  return examples.length > 0 && examples.every(({ text }) => /:\s?\d+\s?[.,'" ]\s?\d+$/.test(text));
}

function eventsOf(
  { type, pictures = [] }: HudField,
  detector: string,
  subject: unknown,
  property: string,
): readonly unknown[] {
  const on = (trigger: string): unknown => ({ detector, trigger });
  const change = { subject, property, from: '$previous', to: '$value' };
  switch (type) {
    case 'clock': {
      const statement = { subject, action: 'halt', amount: '$value', unit: 'second' };
      // What stands from the beginning has not halted.
      return [
        { on: { detector, trigger: 'found', initial: false }, statement },
        { on: on('changed'), statement },
      ];
    }
    case 'message': {
      const statement = { subject: { word: 'message', name: '$value' }, action: 'appear' };
      return [{ on: on('found'), statement }];
    }
    case 'label':
      return [];
    case 'feed': {
      const [killer, second, third] = ['$1', '$2', '$3'].map((name) => ({ word: 'character', name }));
      const kill = { subject: killer, action: 'kill', object: second };
      const by = { ...kill, object: third, with: { word: 'icon', name: '$2' } };
      return [
        { on: { detector, trigger: 'found', match: KILL_ROW }, statement: kill },
        ...(pictures.length > 0 ? [{ on: { detector, trigger: 'found', match: ICON_ROW }, statement: by }] : []),
      ];
    }
    case 'icon': {
      const statement = { subject, action: 'show', object: { word: 'picture', name: '$value' } };
      return [{ on: on('changed'), statement }];
    }
    default:
      return [{ on: on('changed'), statement: change }];
  }
}
