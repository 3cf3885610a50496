import type { Cue } from '../../cues/cue.ts';
import type { Tracker } from '../../cues/tracker.ts';
import type { TextReading } from '../../recognition/text-recognizer.ts';
import type { Rect } from '../../geometry.ts';
import { editDistance } from '../../spelling.ts';
import type { Reading } from '../kind.ts';

/** Stands between the parts of a row in what a detector reads. */
export const PART_SEPARATOR = ' > ';

/** A row that was read. */
export interface FeedRow {
  /** Where it lies, in pixels of the crop. */
  readonly rect: Rect;
  /** From left to right. */
  readonly parts: readonly TextReading[];
  /** The name of the icon between two parts, if it is known. */
  readonly icon?: string;
}

/** What a reading of a feed of smooth text says besides its texts. */
export interface RowDetail {
  readonly rows: readonly FeedRow[];
}

/** A row followed from sample to sample. */
interface Track {
  readonly t: number;
  /** What it was read as, by sample. */
  readonly seen: (readonly { readonly text: string; readonly confidence: number }[])[];
  /** Names of the icon between its parts, by sample in which it is known. */
  readonly icons: string[];
  missed: number;
  /** Where its middle was last, in pixels. */
  y: number;
  height: number;
  isReported: boolean;
  /** The numbers in it, and since when they are the same. */
  numbers: string;
  since: number;
}

/** When rows are reported. */
export interface RowRules {
  /** Samples that must show a row. */
  readonly samples: number;
  /** Samples without a row after which it is over. */
  readonly gaps: number;
  /** Least confidence. */
  readonly confidence: number;
  /** Samples after which a row is reported while it is still shown. */
  readonly enough: number;
}

/** Share of the letters that must agree for two readings to be of one row, and for two names to be of one player. */
const MIN_SAME_ROW = 0.55;
const MIN_SAME_NAME = 0.7;
/** Confidence from which a spelling is not corrected by another one. */
const CERTAIN_SPELLING = 0.93;
/** Confidence of a name that nothing else shows, below which it is tentative. */
const MIN_LONE_CONFIDENCE = 0.7;

/** Seconds after which a row that shows another number is another row, unlike a countdown, and confidence of the number. */
const MIN_NUMBER_SECONDS = 3;
const CERTAIN_NUMBER = 0.9;

/** Follows rows that appear, move and vanish; each is read from all samples that show it and gives one `found` cue at the first. */
export class RowTracker implements Tracker {
  readonly #detector: string;
  readonly #region: string | undefined;
  readonly #rules: RowRules;
  #tracks: Track[] = [];
  #last: number | undefined;
  /** By spelling: how surely it was read, over all rows. */
  readonly #names = new Map<string, number>();

  constructor(detector: string, region: string | undefined, rules: RowRules) {
    this.#detector = detector;
    this.#region = region;
    this.#rules = rules;
  }

  push({ t, observation }: Reading): Cue[] {
    if (t === this.#last) return [];
    this.#last = t;
    if (observation.state === 'unreadable') return [];
    const detail = observation.state === 'seen' ? (observation.detail as RowDetail | undefined) : undefined;
    this.#assign(detail?.rows ?? [], t);
    const over = this.#tracks.filter(({ missed }) => missed > this.#rules.gaps);
    this.#tracks = this.#tracks.filter(({ missed }) => missed <= this.#rules.gaps);
    const enough = this.#tracks.filter(({ seen }) => seen.length >= this.#rules.enough);
    return [...over, ...enough].flatMap((track) => this.#report(track));
  }

  end(): Cue[] {
    const rest = this.#tracks;
    this.#tracks = [];
    return rest.flatMap((track) => this.#report(track));
  }

  pendingSince(): number | undefined {
    const open = this.#tracks.filter(({ isReported }) => !isReported);
    return open.length === 0 ? undefined : Math.min(...open.map(({ t }) => t));
  }

  /** Gives each row the track that says most nearly the same. */
  #assign(rows: readonly FeedRow[], t: number): void {
    const pairs = this.#tracks.flatMap((track) =>
      rows.map((row) => ({
        track,
        row,
        likeness: Math.max(...track.seen.slice(-3).map((parts) => likenessOf(parts, row.parts))),
      })),
    );
    const taken = new Set<Track | FeedRow>();
    for (const { track, row, likeness } of pairs.toSorted((a, b) => b.likeness - a.likeness)) {
      if (likeness < MIN_SAME_ROW || taken.has(track) || taken.has(row) || isNextRow(track, row, t)) continue;
      taken.add(track).add(row);
      const numbers = numbersOf(row);
      if (numbers !== track.numbers) [track.numbers, track.since] = [numbers, t];
      track.seen.push(row.parts);
      if (row.icon !== undefined) track.icons.push(row.icon);
      track.missed = 0;
      [track.y, track.height] = [row.rect.y + row.rect.height / 2, row.rect.height];
    }
    for (const track of this.#tracks) if (!taken.has(track)) track.missed++;
    for (const row of rows)
      if (!taken.has(row))
        this.#tracks.push({
          t,
          seen: [row.parts],
          icons: row.icon === undefined ? [] : [row.icon],
          missed: 0,
          y: row.rect.y + row.rect.height / 2,
          height: row.rect.height,
          isReported: false,
          numbers: numbersOf(row),
          since: t,
        });
  }

  #report(track: Track): Cue[] {
    if (track.isReported || track.seen.length < this.#rules.samples) return [];
    track.isReported = true;
    const read = readParts(track.seen);
    if (read.length === 0) return [];
    const parts = read.map(({ text, weight, confidence }) => {
      const known = this.#findName(text);
      const isWeaker = known !== undefined && this.#names.get(known)! >= weight && confidence < CERTAIN_SPELLING;
      // A player has one spelling, whatever the case of its letters is read as.
      const spelling = known !== undefined && (isWeaker || plain(known) === plain(text)) ? known : text;
      this.#names.set(spelling, (this.#names.get(spelling) ?? 0) + weight);
      return { text: spelling, confidence, isLone: known === undefined };
    });
    const confidence = Math.round(1000 * Math.min(...parts.map((one) => one.confidence))) / 1000;
    if (confidence < this.#rules.confidence) return [];
    const isThin = parts.some((one) => one.isLone && one.confidence < MIN_LONE_CONFIDENCE);
    return [
      {
        t: track.t,
        detector: this.#detector,
        ...(this.#region === undefined ? {} : { region: this.#region }),
        trigger: 'found',
        value: withIcon(
          parts.map(({ text }) => text),
          track.icons,
        ).join(PART_SEPARATOR),
        confidence,
        ...(isThin ? { tentative: true } : {}),
      },
    ];
  }

  /** The known name that is most like a text. */
  #findName(text: string): string | undefined {
    let [best, most] = [undefined as string | undefined, MIN_SAME_NAME];
    for (const name of this.#names.keys()) {
      const isOther = digitsOf(name) !== digitsOf(text) || hasOtherWord(name, text);
      const likeness = isOther ? 0 : likenessOfTexts(name, text);
      if (likeness >= most) [best, most] = [name, likeness];
    }
    return best;
  }
}

/** Share of the samples with a known icon that agree on it. */
const MIN_ICON_SHARE = 0.6;

/** The two parts of a row with the icon between them, where most samples show the same one. */
function withIcon(parts: readonly string[], icons: readonly string[]): readonly string[] {
  const [usual] = [...Map.groupBy(icons, (icon) => icon).values()].toSorted((a, b) => b.length - a.length);
  if (parts.length !== 2 || !usual || usual.length < MIN_ICON_SHARE * icons.length) return parts;
  return [parts[0]!, `[${usual[0]!}]`, parts[1]!];
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Whether a row takes the place of one that said the same of another number for long: “Player 2’s turn” after “Player 1’s turn”. */
function isNextRow(track: Track, row: FeedRow, t: number): boolean {
  return (
    t - track.since >= MIN_NUMBER_SECONDS &&
    numbersOf(row) !== track.numbers &&
    row.parts.every(({ confidence }) => confidence >= CERTAIN_NUMBER)
  );
}

function numbersOf({ parts }: FeedRow): string {
  return parts.map(({ text }) => digitsOf(text)).join(' ');
}

/** Texts with different numbers say different things. */
function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}

/** Share of the letters of two texts that agree. */
function likenessOfTexts(a: string, b: string): number {
  const [one, other] = [plain(a), plain(b)];
  const length = Math.max(one.length, other.length);
  return length === 0 ? 0 : 1 - editDistance(one, other) / length;
}

/** Factor for the likeness of rows with another amount or word, letters of a word, and share of them that agree in another one. */
const OTHER_WORD = 0.6;
const MIN_WORD_LETTERS = 4;
const MAX_OTHER_WORD = 0.34;

function likenessOf(a: readonly { readonly text: string }[], b: readonly { readonly text: string }[]): number {
  const [one, other] = [a, b].map((parts) => parts.map(({ text }) => text).join(' ')) as [string, string];
  const [before, after] = [amountsOf(one), amountsOf(other)];
  const isSame = (before === after || isCountdown(before, after)) && !hasOtherWord(one, other);
  return likenessOfTexts(one, other) * (isSame ? 1 : OTHER_WORD);
}

/** Whether a number is counted down: “Respawn in 3” after “Respawn in 4”. */
function isCountdown(before: string, after: string): boolean {
  const step = Number(before) - Number(after);
  return step > 0 && step <= 1;
}

/** Whether a word of two texts with as many words is another one: “eliminated Gareth”, “eliminated Ulric”. */
function hasOtherWord(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => text.split(' ')) as [string[], string[]];
  return (
    one.length === other.length &&
    one.some((word, i) => {
      const length = Math.min(plain(word).length, plain(other[i]!).length);
      return length >= MIN_WORD_LETTERS && likenessOfTexts(word, other[i]!) <= MAX_OTHER_WORD;
    })
  );
}

/** The numbers that stand for themselves: “+6 Wood” is another row than “+2 Wood”, while digits in names are often misread. */
function amountsOf(text: string): string {
  return Array.from(text.matchAll(/(?<![\p{L}\p{N}])[+-]?(\d+)(?![\p{N}])/gu), ([, digits]) => digits).join(' ');
}

/** Confidence of the readings with a space, compared with that of those without, from which the space is there. */
const MIN_SPACED_SHARE = 0.3;

function countSpaces(text: string): number {
  return text.split(' ').length;
}

/** Reads each part of a row by the votes of all samples that show as many parts as most do. */
function readParts(
  seen: Track['seen'],
): readonly { readonly text: string; readonly weight: number; readonly confidence: number }[] {
  const byCount = Map.groupBy(seen, ({ length }) => length);
  // A part may be overlooked, but is seldom invented.
  const [, usual] = [...byCount].toSorted(([a, one], [b, other]) => other.length * b - one.length * a)[0]!;
  return Array.from({ length: usual[0]!.length }, (_, i) => {
    const votes = usual.map((parts) => parts[i]!);
    const groups = [...Map.groupBy(votes, ({ text }) => plain(text)).values()].map((group) => ({
      group,
      weight: group.reduce((sum, { confidence }) => sum + confidence ** 2, 0),
    }));
    const { group, weight } = groups.toSorted((a, b) => b.weight - a.weight)[0]!;
    const spellings = [...Map.groupBy(group, ({ text }) => text)].map(([text, members]) => ({
      text,
      sum: members.reduce((sum, { confidence }) => sum + confidence, 0),
    }));
    const all = groups.reduce((sum, one) => sum + one.weight, 0);
    const most = Math.max(...spellings.map(({ sum }) => sum));
    // The space between words is often overlooked, and seldom invented.
    const usualSpellings = spellings.filter(({ sum }) => sum >= MIN_SPACED_SHARE * most);
    const best = Math.max(...group.map(({ confidence }) => confidence));
    return {
      text: usualSpellings.toSorted((a, b) => countSpaces(b.text) - countSpaces(a.text) || b.sum - a.sum)[0]!.text,
      weight,
      confidence: best * (0.5 + (0.5 * weight) / Math.max(1e-9, all)),
    };
  }).filter(({ text }) => plain(text) !== '');
}
