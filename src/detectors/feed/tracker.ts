import type { Cue } from '../../cues/cue.ts';
import type { Tracker } from '../../cues/tracker.ts';
import type { Reading } from '../kind.ts';
import type { Lexicon, PhraseMatch, Rivals } from './lexicon.ts';
import { detailOf } from '../text/lexicon.ts';
import { type FeedLine, isFeedDetail } from './lines.ts';

/** What the sightings of a line together say. */
interface Line {
  readonly t: number;
  readonly slot: number;
  readonly text: string;
  readonly confidence: number;
  readonly rivals: Rivals;
}

/** A line being followed from sample to sample. */
interface Track {
  readonly t: number;
  slot: number;
  /** Per column: summed evidence for each character. */
  readonly columns: Map<string, number>[];
  seen: number;
  /** Sightings since it came to its slot. */
  still: number;
  missed: number;
  emitted: boolean;
}

export interface FeedRules {
  /** Samples that must have shown a line. */
  readonly samples: number;
  /** Samples in a row that may not show it before it is over. */
  readonly gaps: number;
  /** Sightings after which a line is read for good, though it still stands. */
  readonly enough: number;
  /** Least confidence of a line. */
  readonly confidence: number;
  /** What becomes of lines that no phrase explains. */
  readonly others: 'keep' | 'drop';
}

/** Share of a track's characters that a line must show again to be taken for it; a covered one shows some at least. */
const LIKENESS = 0.5;
const GLIMPSE = 4;
/**
 * Share of the characters compared that may differ: the video's compression lets the line that stood there before shine
 * through for some frames after it moved, but after a gap, or once a line has stood there, another, alike but for the
 * names, can have come.
 */
const CONFLICTS = 0.35;
const CONFLICTS_LATER = 0.1;
/** Sightings in one slot after which nothing shines through any more. */
const YOUNG = 6;
/** What a standing line that an assumed shift leaves without a match takes from that shift's score. */
const UNMATCHED = 0.1;
/** Seconds for which a line with a doubtful name waits for the name to be seen elsewhere. */
const PATIENCE = 15;
/** Evidence (log likelihood ratio) per sighting of a character that is surely there. */
const SURE = 30;

/**
 * Follows lines that appear at the bottom of a feed, move up and vanish. Every sighting of a line adds to the evidence
 * for each of its characters; the line is read from all of them together, once, and gives one `found` cue at the time of
 * its first sighting.
 */
export class FeedTracker implements Tracker {
  readonly #detector: string;
  readonly #region: string | undefined;
  readonly #rules: FeedRules;
  readonly #lexicon: Lexicon | undefined;
  readonly #shown: (text: string) => string;
  #tracks: Track[] = [];
  /** Lines over, whose names are in doubt. */
  #waiting: Line[] = [];
  #last: number | undefined;

  constructor(
    detector: string,
    region: string | undefined,
    rules: FeedRules,
    lexicon: Lexicon | undefined,
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
    if (observation.state === 'unreadable' && observation.detail === undefined) return [];
    const detail = observation.state === 'absent' ? undefined : observation.detail;
    const lines = isFeedDetail(detail) ? detail.lines : [];
    this.#follow(lines, t);
    const over = this.#tracks.filter((track) => track.missed > this.#rules.gaps);
    this.#tracks = this.#tracks.filter((track) => track.missed <= this.#rules.gaps);
    const ready = this.#tracks.filter((track) => !track.emitted && track.seen >= this.#rules.enough);
    return this.#settle([...over, ...ready], t - PATIENCE);
  }

  end(): Cue[] {
    const rest = this.#tracks;
    this.#tracks = [];
    return this.#settle(rest, Number.POSITIVE_INFINITY);
  }

  pendingSince(): number | undefined {
    const waiting = [...this.#tracks.filter((track) => !track.emitted), ...this.#waiting];
    return waiting.length === 0 ? undefined : Math.min(...waiting.map((track) => track.t));
  }

  /** Finds by how many slots the lines have moved up, and gives each track its line. */
  #follow(lines: readonly FeedLine[], t: number): void {
    const bySlot = new Map(lines.map((line) => [line.slot, line]));
    const shift = this.#shift(bySlot);
    for (const track of this.#tracks) {
      track.slot -= shift;
      if (shift > 0) track.still = 0;
    }
    // Of two tracks that have come to the same slot the one that shows more of the line has it.
    const taken = new Map<number, { track: Track; same: number }>();
    for (const track of this.#tracks) {
      const line = bySlot.get(track.slot);
      const { fits, same } = compare(track, line);
      if (fits && same > (taken.get(track.slot)?.same ?? 0)) taken.set(track.slot, { track, same });
    }
    for (const track of this.#tracks) {
      if (taken.get(track.slot)?.track === track) {
        track.missed = 0;
        track.seen++;
        track.still++;
        gather(track, bySlot.get(track.slot)!);
      } else {
        // Covered for a moment, or gone: what is above has moved up past it.
        track.missed = track.slot < 0 ? this.#rules.gaps + 1 : track.missed + 1;
      }
    }
    for (const line of lines) {
      if (taken.has(line.slot) || !isTelling(line)) continue;
      const track: Track = {
        t,
        slot: line.slot,
        columns: [],
        seen: 1,
        still: 1,
        missed: 0,
        emitted: false,
      };
      gather(track, line);
      this.#tracks.push(track);
    }
    this.#tracks.sort((a, b) => a.t - b.t || a.slot - b.slot);
  }

  /** By how many slots the lines have moved up: where they fit best, and the fewer are left over. */
  #shift(bySlot: ReadonlyMap<number, FeedLine>): number {
    const deepest = Math.max(0, ...this.#tracks.map((track) => track.slot));
    let shift = 0;
    let best = 0;
    for (let d = 0; d <= deepest; d++) {
      let total = 0;
      let matched = false;
      for (const track of this.#tracks) {
        if (track.slot < d) continue;
        const { fits, likeness } = compare(track, bySlot.get(track.slot - d), d > 0);
        total += fits ? likeness : -UNMATCHED;
        matched ||= fits;
      }
      if (matched && (total > best + 1e-6 || best === 0)) {
        best = total;
        shift = d;
      }
    }
    return shift;
  }

  /** Reads lines for good. Those with a doubtful name wait, unless they came before `until`, in seconds. */
  #settle(tracks: readonly Track[], until: number): Cue[] {
    const cues: Cue[] = [];
    const lines = [...this.#waiting];
    for (const track of tracks) {
      if (!track.emitted && track.seen >= this.#rules.samples) lines.push(readTrack(track));
      track.emitted = true;
    }
    this.#waiting = [];
    for (const line of lines.toSorted((a, b) => a.t - b.t || a.slot - b.slot)) {
      const match = this.#lexicon?.match(line.text, line.rivals);
      if (match?.doubtful && line.t > until) this.#waiting.push(line);
      else {
        const cue = this.#cueOf(line, match);
        if (cue) cues.push(cue);
      }
    }
    return cues;
  }

  #cueOf({ t, text, confidence, rivals }: Line, match: PhraseMatch | undefined): Cue | undefined {
    if (match) this.#lexicon!.learn(match);
    else this.#lexicon?.hear(text, rivals);
    if (!match && (this.#rules.others === 'drop' || confidence < this.#rules.confidence)) return undefined;
    return {
      t,
      detector: this.#detector,
      ...(this.#region === undefined ? {} : { region: this.#region }),
      trigger: 'found',
      value: this.#shown(match?.text ?? text),
      confidence: match ? Math.max(confidence, 0.99 * (1 - match.slips)) : confidence,
      ...(match ? { detail: detailOf(match.wording, mapped(match.slots, this.#shown)) } : {}),
    };
  }
}

interface Comparison {
  /** The line can be another sighting of the track's. */
  readonly fits: boolean;
  /** Characters that are the same. */
  readonly same: number;
  /** Share of the track's characters that are the same. */
  readonly likeness: number;
}

/** Compares the characters that track and line are sure of; `moves`: the track would have moved to the line's slot. */
function compare(track: Track, line: FeedLine | undefined, moves = false): Comparison {
  if (!line) return { fits: false, same: 0, likeness: 0 };
  const near = new Map(line.rivals?.map(([column, char, score]) => [`${column} ${char}`, score]));
  let same = 0;
  let all = 0;
  let conflicts = 0;
  for (const [column, scores] of track.columns.entries()) {
    if (!scores) continue;
    const [char, score] = strongest(scores);
    if (char === ' ' || score < SURE) continue;
    all++;
    const seen = line.text[column] ?? ' ';
    const evidence = line.scores[column] ?? 0;
    if (seen === char) same++;
    else if (seen !== ' ' && evidence >= SURE)
      conflicts +=
        1 - Math.min(1, Math.max((scores.get(seen) ?? 0) / score, (near.get(`${column} ${char}`) ?? 0) / evidence));
  }
  const likeness = all === 0 ? 0 : same / all;
  const limit = track.missed === 0 && (moves || track.still < YOUNG) ? CONFLICTS : CONFLICTS_LATER;
  const agrees = conflicts <= Math.max(1, limit * (same + conflicts));
  return {
    fits: agrees && (likeness >= LIKENESS || same >= GLIMPSE),
    same,
    likeness,
  };
}

/** A line that starts a track must show some characters beyond doubt. */
function isTelling(line: FeedLine): boolean {
  return line.scores.filter((score, column) => line.text[column] !== ' ' && score >= SURE).length >= 4;
}

function gather(track: Track, line: FeedLine): void {
  for (let column = 0; column < line.text.length; column++) {
    const scores = (track.columns[column] ??= new Map());
    const char = line.text[column]!;
    const score = char === ' ' ? BLANK : line.scores[column]!;
    scores.set(char, (scores.get(char) ?? 0) + score);
  }
  for (const [column, char, score] of line.rivals ?? []) {
    const scores = track.columns[column]!;
    scores.set(char, (scores.get(char) ?? 0) + score);
  }
}

/** Evidence that a column is blank, per sighting of nothing: less than that of a character, for scenery can hide one. */
const BLANK = 12;

function strongest(scores: ReadonlyMap<string, number>): [string, number] {
  let best: [string, number] = [' ', 0];
  for (const [char, score] of scores) if (score > best[1]) best = [char, score];
  return best;
}

/** The text that all sightings together say, up to its first gap; and how sure it is. */
function readTrack(track: Track): Line {
  let text = '';
  let confidence = 1;
  const rivals: Map<string, number>[] = [];
  for (const [column, scores] of track.columns.entries()) {
    const [char, score] = strongest(scores ?? NOTHING);
    const total = (scores ?? NOTHING).values().reduce((sum, one) => sum + Math.max(0, one), 0);
    const weak = char !== ' ' && score < SURE * 0.8 * Math.min(2, track.seen);
    text += weak ? ' ' : char;
    if (char === ' ' || weak) continue;
    confidence *= 1 - (1 - score / total) * 0.3;
    rivals[column] = new Map([...scores!].filter(([other]) => other !== char).map(([other, s]) => [other, s / score]));
  }
  const end = text.search(/\s{3,}|\s*$/);
  return {
    t: track.t,
    slot: track.slot,
    text: text.slice(0, end).trimEnd(),
    confidence,
    rivals: (column) => rivals[column] ?? NOTHING,
  };
}

function mapped(slots: Readonly<Record<string, string>>, shown: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(slots).map(([slot, name]) => [slot, shown(name)]));
}

const NOTHING: ReadonlyMap<string, number> = new Map();
