import type { Cue } from '../../cues/cue.ts';
import type { Tracker } from '../../cues/tracker.ts';
import type { Reading } from '../kind.ts';
import type { FeedLexicon, ParsedLine, PhraseMatch, Rivals } from './lexicon.ts';
import { phraseDetail } from '../text/lexicon.ts';
import { type FeedLine, isFeedDetail } from './lines.ts';

/** A line as read from all its sightings. */
interface Line {
  readonly t: number;
  readonly slot: number;
  readonly track: Track;
  readonly text: string;
  readonly confidence: number;
  readonly rivals: Rivals;
}

/** A line that a phrase explains, and whose names other lines may still confirm or correct. */
interface WaitingLine extends Line {
  readonly parsed: ParsedLine;
}

/** A line followed from sample to sample. */
interface Track {
  t: number;
  /** Numbers of the samples of its first and last sighting. */
  readonly first: number;
  last: number;
  slot: number;
  /** By column: summed log likelihood ratio of each character. */
  readonly columns: Map<string, number>[];
  seen: number;
  /** Sightings since it reached its slot. */
  seenInSlot: number;
  /** Consecutive samples in which it was not recognized, and in which its slot showed nothing. */
  missed: number;
  empty: number;
  emitted: boolean;
}

/** When a line of a feed is reported. */
export interface FeedRules {
  /** Samples that must show a line. */
  readonly samples: number;
  /** Consecutive samples with nothing in a line's place before it ends. */
  readonly gaps: number;
  /** Sightings after which a line is reported while it is still shown. */
  readonly enough: number;
  /** Seconds for which a line waits for another line that shows its names. */
  readonly nameWaitSeconds: number;
  /** Least confidence of a line. */
  readonly confidence: number;
  /** Whether lines that no phrase explains are reported. */
  readonly others: 'keep' | 'drop';
}

/** Reported lines that are remembered: more than a feed shows within the wait for names. */
const MAX_REMEMBERED_LINES = 200;
/** Share of a track's characters that a sighting must show, or number of them where it is partly covered. */
const MIN_SAME_SHARE = 0.5;
const MIN_SAME_CHARACTERS = 4;
/**
 * Share of the compared characters that may differ. Compression lets the previous line of a slot shine through for some frames
 * after a line moved there; later, or after a gap, a different line of the same wording can have replaced it.
 */
const MAX_CONFLICTS_MOVED = 0.35;
const MAX_CONFLICTS_SETTLED = 0.1;
/** Sightings in one slot after which a line is settled. */
const SETTLED_SIGHTINGS = 6;
/** Consecutive samples for which something in its place, say blurred characters, may not be recognized as a line before it ends. */
const MAX_UNRECOGNIZED_SAMPLES = 20;
/** Samples within which a line that reads as one that vanished is the same line, tracked anew. */
const MAX_BROKEN_SAMPLES = 2;
/** Equal characters, as a number and as a share of those that both show, from which a blurred line is the beginning of another. */
const MIN_BLURRED_CHARACTERS = 6;
const MIN_BLURRED_SHARE = 0.6;
/** Penalty of an assumed scroll for each line that it leaves unmatched. */
const UNMATCHED_PENALTY = 0.1;
/** Seconds for which a line waits for another line that shows its names, where it is to be certain. */
export const NAME_WAIT_SECONDS = 15;
/** Sightings of a line that is reported early. */
export const EARLY_SIGHTINGS = 3;
/** Log likelihood ratio per sighting from which a character is certain. */
const CERTAIN_LLR = 30;

/**
 * Follows lines that appear at the bottom of a feed, move up and vanish. Every sighting adds to the evidence for each character;
 * the line is read once, from all sightings together, and gives one `found` cue at the time of the first.
 */
export class FeedTracker implements Tracker {
  readonly #detector: string;
  readonly #region: string | undefined;
  readonly #rules: FeedRules;
  readonly #lexicon: FeedLexicon | undefined;
  readonly #shown: (text: string) => string;
  #tracks: Track[] = [];
  /** Ended lines with unconfirmed names. */
  #waiting: WaitingLine[] = [];
  #last: number | undefined;
  #sample = 0;
  /** The last reported line of each text. */
  readonly #reported = new Map<string, Track>();

  constructor(
    detector: string,
    region: string | undefined,
    rules: FeedRules,
    lexicon: FeedLexicon | undefined,
    shown: (text: string) => string = (text) => text,
  ) {
    this.#shown = shown;
    this.#detector = detector;
    this.#region = region;
    this.#rules = rules;
    this.#lexicon = lexicon;
  }

  push({ t, observation }: Reading): Cue[] {
    if (t === this.#last) return [];
    this.#last = t;
    this.#sample++;
    if (observation.state === 'unreadable' && observation.detail === undefined) return [];
    const detail = observation.state === 'absent' ? undefined : observation.detail;
    const lines = isFeedDetail(detail) ? detail.lines : [];
    this.#assign(lines, t);
    const over = this.#tracks.filter((track) => this.#isOver(track));
    this.#tracks = this.#tracks.filter((track) => !this.#isOver(track));
    const ready = this.#tracks.filter((track) => !track.emitted && track.seen >= this.#rules.enough);
    return this.#report([...over, ...ready], t - this.#rules.nameWaitSeconds);
  }

  end(): Cue[] {
    const rest = this.#tracks;
    this.#tracks = [];
    return this.#report(rest, Number.POSITIVE_INFINITY);
  }

  pendingSince(): number | undefined {
    const waiting = [...this.#tracks.filter((track) => !track.emitted), ...this.#waiting];
    return waiting.length === 0 ? undefined : Math.min(...waiting.map((track) => track.t));
  }

  #isOver({ slot, missed, empty }: Track): boolean {
    return slot < 0 || empty > this.#rules.gaps || missed > Math.max(this.#rules.gaps, MAX_UNRECOGNIZED_SAMPLES);
  }

  /** Finds by how many slots the lines have scrolled, and assigns each track its line. */
  #assign(lines: readonly FeedLine[], t: number): void {
    const bySlot = new Map(lines.map((line) => [line.slot, line]));
    const shift = this.#findScroll(bySlot);
    for (const track of this.#tracks) {
      track.slot -= shift;
      if (shift > 0) track.seenInSlot = 0;
    }
    // Of two tracks in the same slot the one with more equal characters gets the line.
    const taken = new Map<number, { track: Track; same: number }>();
    for (const track of this.#tracks) {
      const line = bySlot.get(track.slot);
      const { fits, same } = compare(track, line);
      if (fits && same > (taken.get(track.slot)?.same ?? 0)) taken.set(track.slot, { track, same });
    }
    for (const track of this.#tracks) {
      if (taken.get(track.slot)?.track === track) {
        track.missed = 0;
        track.empty = 0;
        track.last = this.#sample;
        track.seen++;
        track.seenInSlot++;
        addSighting(track, bySlot.get(track.slot)!);
      } else {
        // Covered for a moment, or scrolled out.
        track.missed++;
        track.empty = bySlot.has(track.slot) ? 0 : track.empty + 1;
      }
    }
    for (const line of lines) {
      if (taken.has(line.slot) || !startsTrack(line)) continue;
      const track: Track = {
        t,
        first: this.#sample,
        last: this.#sample,
        slot: line.slot,
        columns: [],
        seen: 1,
        seenInSlot: 1,
        missed: 0,
        empty: 0,
        emitted: false,
      };
      addSighting(track, line);
      const blurred = this.#tracks.find((one) => one.slot === line.slot && one.missed === 1 && !one.emitted);
      if (blurred && this.#isBeginningOf(blurred, line)) {
        track.t = blurred.t;
        this.#tracks.splice(this.#tracks.indexOf(blurred), 1);
      }
      this.#tracks.push(track);
    }
    this.#tracks.sort((a, b) => a.t - b.t || a.slot - b.slot);
  }

  /** Whether a track that no phrase explains was a line that was still blurred: compression can take a second to show a line clearly. */
  #isBeginningOf(blurred: Track, line: FeedLine): boolean {
    let [both, same] = [0, 0];
    for (const [column, scores] of blurred.columns.entries()) {
      const [seen, shown] = [strongest(scores ?? NO_SCORES)[0], line.text[column] ?? ' '];
      if (seen === ' ' || shown === ' ') continue;
      both++;
      if (seen === shown) same++;
    }
    if (same < MIN_BLURRED_CHARACTERS || same < MIN_BLURRED_SHARE * both) return false;
    return this.#lexicon !== undefined && this.#lexicon.parse(readTrack(blurred).text) === undefined;
  }

  /** Finds by how many slots the lines have scrolled: where most fit and fewest are left over. */
  #findScroll(bySlot: ReadonlyMap<number, FeedLine>): number {
    const deepest = Math.max(0, ...this.#tracks.map((track) => track.slot));
    let shift = 0;
    let best = 0;
    for (let d = 0; d <= deepest; d++) {
      let total = 0;
      let matched = false;
      for (const track of this.#tracks) {
        if (track.slot < d) continue;
        const { fits, sameShare } = compare(track, bySlot.get(track.slot - d), d > 0);
        total += fits ? sameShare : -UNMATCHED_PENALTY;
        matched ||= fits;
      }
      if (matched && (total > best + 1e-6 || best === 0)) {
        best = total;
        shift = d;
      }
    }
    return shift;
  }

  /** Reports lines; those with an unconfirmed name wait, unless they came before `until`, in seconds. */
  #report(tracks: readonly Track[], until: number): Cue[] {
    const lines: Line[] = [];
    for (const track of tracks) {
      if (!track.emitted && track.seen >= this.#rules.samples) lines.push(readTrack(track));
      track.emitted = true;
    }
    if (lines.length === 0 && !this.#waiting.some((line) => line.t <= until)) return [];
    const lexicon = this.#lexicon;
    const parsed = lines.map((line) => ({ ...line, parsed: lexicon?.parse(line.text) }));
    const all = [...this.#waiting, ...parsed].toSorted((a, b) => a.t - b.t || a.slot - b.slot);
    const waiting = new NameCounts();
    for (const line of all) if (line.parsed) waiting.add(lexicon!.namesIn(line.parsed), 1);
    this.#waiting = [];
    const cues: Cue[] = [];
    for (const line of all) {
      const names = line.parsed ? lexicon!.namesIn(line.parsed) : [];
      waiting.add(names, -1);
      const match = line.parsed && lexicon!.resolve(line.parsed, line.rivals, waiting.counts);
      if (match?.unconfirmed && line.t > until) {
        this.#waiting.push(line as WaitingLine);
        waiting.add(names, 1);
      } else {
        const cue = this.#toCue(line, match);
        if (cue) cues.push(cue);
      }
    }
    return cues;
  }

  #toCue({ t, text, confidence, rivals, track }: Line, match: PhraseMatch | undefined): Cue | undefined {
    const said = match?.text ?? text;
    const before = this.#reported.get(said);
    this.#reported.delete(said);
    this.#reported.set(said, track);
    if (this.#reported.size > MAX_REMEMBERED_LINES) this.#reported.delete(this.#reported.keys().next().value!);
    if (before && track.first > before.last && track.first - before.last <= MAX_BROKEN_SAMPLES) return undefined;
    if (match) this.#lexicon!.learn(match);
    else this.#lexicon?.learnSpeaker(text, rivals);
    if (!match && (this.#rules.others === 'drop' || confidence < this.#rules.confidence)) return undefined;
    return {
      t,
      detector: this.#detector,
      ...(this.#region === undefined ? {} : { region: this.#region }),
      trigger: 'found',
      value: this.#shown(said),
      confidence: match ? Math.max(confidence, 0.99 * (1 - match.errorShare)) : confidence,
      ...(match ? { detail: phraseDetail(match.wording, mapValues(match.slots, this.#shown)) } : {}),
      ...(match?.doubtful ? { tentative: true } : {}),
    };
  }
}

/** How many lines show each name. */
class NameCounts {
  readonly counts = new Map<string, number>();

  add(names: readonly string[], change: number): void {
    for (const name of names) {
      const count = (this.counts.get(name) ?? 0) + change;
      if (count === 0) this.counts.delete(name);
      else this.counts.set(name, count);
    }
  }
}

interface Comparison {
  /** Whether the line can be another sighting of the track. */
  readonly fits: boolean;
  /** Number of equal characters. */
  readonly same: number;
  /** Share of the track's characters that are equal. */
  readonly sameShare: number;
}

/**
 * Compares the certain characters of a track and a line.
 *
 * @param hasMoved Whether the track would have moved to the line's slot.
 */
function compare(track: Track, line: FeedLine | undefined, hasMoved = false): Comparison {
  if (!line) return { fits: false, same: 0, sameShare: 0 };
  const near = new Map(line.rivals?.map(([column, char, score]) => [`${column} ${char}`, score]));
  let same = 0;
  let all = 0;
  let conflicts = 0;
  for (const [column, scores] of track.columns.entries()) {
    if (!scores) continue;
    const [char, score] = strongest(scores);
    if (char === ' ' || score < CERTAIN_LLR) continue;
    all++;
    const seen = line.text[column] ?? ' ';
    const evidence = line.scores[column] ?? 0;
    if (seen === char) same++;
    else if (seen !== ' ' && evidence >= CERTAIN_LLR)
      conflicts +=
        1 - Math.min(1, Math.max((scores.get(seen) ?? 0) / score, (near.get(`${column} ${char}`) ?? 0) / evidence));
  }
  const sameShare = all === 0 ? 0 : same / all;
  const limit =
    track.missed === 0 && (hasMoved || track.seenInSlot < SETTLED_SIGHTINGS)
      ? MAX_CONFLICTS_MOVED
      : MAX_CONFLICTS_SETTLED;
  const agrees = conflicts <= Math.max(1, limit * (same + conflicts));
  return {
    fits: agrees && (sameShare >= MIN_SAME_SHARE || same >= MIN_SAME_CHARACTERS),
    same,
    sameShare,
  };
}

/** Whether a line shows enough certain characters to start a track. */
function startsTrack(line: FeedLine): boolean {
  return line.scores.filter((score, column) => line.text[column] !== ' ' && score >= CERTAIN_LLR).length >= 4;
}

/** Adds a sighting to a track. */
function addSighting(track: Track, line: FeedLine): void {
  for (let column = 0; column < line.text.length; column++) {
    const scores = (track.columns[column] ??= new Map());
    const char = line.text[column]!;
    const score = char === ' ' ? BLANK_LLR : line.scores[column]!;
    scores.set(char, (scores.get(char) ?? 0) + score);
  }
  for (const [column, char, score] of line.rivals ?? []) {
    const scores = track.columns[column]!;
    scores.set(char, (scores.get(char) ?? 0) + score);
  }
}

/** Log likelihood ratio of a blank per sighting: less than a character's, as scenery can hide one. */
const BLANK_LLR = 12;

function strongest(scores: ReadonlyMap<string, number>): [string, number] {
  let best: [string, number] = [' ', 0];
  for (const [char, score] of scores) if (score > best[1]) best = [char, score];
  return best;
}

/** Reads a track from all its sightings, up to its first gap. */
function readTrack(track: Track): Line {
  let text = '';
  let confidence = 1;
  const rivals: Map<string, number>[] = [];
  for (const [column, scores] of track.columns.entries()) {
    const [char, score] = strongest(scores ?? NO_SCORES);
    const total = (scores ?? NO_SCORES).values().reduce((sum, one) => sum + Math.max(0, one), 0);
    const weak = char !== ' ' && score < CERTAIN_LLR * 0.8 * Math.min(2, track.seen);
    text += weak ? ' ' : char;
    if (char === ' ' || weak) continue;
    confidence *= 1 - (1 - score / total) * 0.3;
    rivals[column] = new Map([...scores!].filter(([other]) => other !== char).map(([other, s]) => [other, s / score]));
  }
  const end = text.search(/\s{3,}|\s*$/);
  return {
    t: track.t,
    slot: track.slot,
    track,
    text: text.slice(0, end).trimEnd(),
    confidence,
    rivals: (column) => rivals[column] ?? NO_SCORES,
  };
}

function mapValues(slots: Readonly<Record<string, string>>, shown: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(slots).map(([slot, name]) => [slot, shown(name)]));
}

const NO_SCORES: ReadonlyMap<string, number> = new Map();
