import type { Dictionary } from '../dictionary/dictionary.ts';
import { renderCaption } from '../dictionary/sentences/caster.ts';
import type { EventLine } from '../events/log.ts';
import { isPropertyStatement, type Slot, type Statement, wordOf } from '../events/statement.ts';
import type { Size } from '../geometry.ts';
import type { OverlaidRegion } from '../media/write/frame-filter.ts';
import { roundTime } from '../time.ts';
import { dropRedundantChanges } from './captions.ts';
import type { HighlightList, ListedScene, Scene, ScoredEvent } from './list.ts';
import type { ReelStyle, Transition } from './style.ts';
import { sceneSubtitles, type Subtitle } from './subtitles.ts';
import { isAnyOf, isPlayerVictory } from './weights.ts';

// A reel as data: what is shown when, before anything is decoded or drawn.

/** A stretch of a recording at one speed. */
export interface PlannedShot {
  readonly start: number;
  readonly end: number;
  /** Seconds of the recording per second of the reel. */
  readonly speed: number;
}

/** A scene, cut into shots. */
export interface PlannedScene {
  readonly shots: readonly PlannedShot[];
  /** Times of the recording at which the picture is enlarged for a moment. */
  readonly punches: readonly number[];
}

/** Something drawn over the picture. Seconds of the reel. */
export type OverlayItem = { readonly start: number; readonly end: number } & (
  | {
      readonly kind: 'caption';
      readonly lines: readonly string[];
      /** Words that matter: names, weapons. */
      readonly emphasis: readonly string[];
    }
  /** What is said. */
  | { readonly kind: 'subtitle'; readonly lines: readonly string[] }
  | { readonly kind: 'banner'; readonly text: string; readonly detail?: string }
  | { readonly kind: 'counter'; readonly value: number; readonly label: string }
  /** The game's own icon of a word, at the side of the counter with this label. */
  | { readonly kind: 'sticker'; readonly word: string; readonly game: string; readonly label: string }
  /** A bar that grows with the time. */
  | { readonly kind: 'progress' }
  | { readonly kind: 'logo' }
  /** A part of the HUD shown whole that a crop would cut off. */
  | ({ readonly kind: 'hud' } & OverlaidRegion)
);

/** A reel before it is rendered. */
export interface Storyboard extends Size {
  readonly format: 'playbyplay/storyboard/1';
  /** Seconds. */
  readonly duration: number;
  readonly layout: string;
  readonly transition: Transition;
  /** Seconds of the reel at which one scene follows another. */
  readonly cuts: readonly number[];
  readonly scenes: readonly ListedScene[];
  readonly overlays: readonly OverlayItem[];
  readonly music?: { readonly path: string; readonly tempo?: number };
}

/** Seconds of the recording around a victory that are shown slowly, and how slowly. */
const SLOW_BEFORE_SECONDS = 0.25;
const SLOW_AFTER_SECONDS = 0.65;
const SLOW_SPEED = 0.5;
/** Shortest slow motion that is worth it. */
const MIN_SLOW_SECONDS = 0.5;
/** Seconds that music may take from the beginning and the end of a scene, and what it leaves around its events. */
const MAX_BEAT_SHIFT_SECONDS = 0.6;
const KEPT_LEAD_SECONDS = 1.2;
const KEPT_TAIL_SECONDS = 0.8;

/** Inputs of `planScenes`. */
export interface ScenePlanOptions {
  readonly dictionary: Dictionary;
  readonly style: ReelStyle;
  /** Maximum seconds of all scenes; slow motion is left out where it does not fit. */
  readonly duration?: number | undefined;
  /** Beats of the music in seconds from the first scene. */
  readonly beats?: readonly number[];
}

/** Divides scenes into shots: slow motion around decisive victories, and cuts on the beat. */
export function planScenes(scenes: readonly Scene[], options: ScenePlanOptions): PlannedScene[] {
  const { style, dictionary, beats = [] } = options;
  const decisive = scenes.map((scene) => decisiveVictory(scene, dictionary));
  const slow = new Set(style.parts.includes('slow-motion') ? slowScenes(scenes, decisive, options) : []);
  let at = 0;
  return scenes.map((scene, index): PlannedScene => {
    const slowAt = slow.has(index) ? decisive[index]!.event.t : undefined;
    const extra = slowAt === undefined ? 0 : extraSeconds(scene, slowAt);
    const isLast = index === scenes.length - 1;
    const part = isLast ? scene : cutOnBeat(scene, at, extra, beats);
    at += part.end - part.start + extra;
    const victories = scene.events.filter(({ event }) => isPlayerVictory(event.statement, dictionary));
    return {
      shots: slowAt === undefined ? [{ start: part.start, end: part.end, speed: 1 }] : slowShots(part, slowAt),
      punches: style.parts.includes('punch-in') ? victories.map(({ event }) => event.t) : [],
    };
  });
}

/** The last victory of the longest streak, else the best victory. */
function decisiveVictory(scene: Scene, dictionary: Dictionary): ScoredEvent | undefined {
  const victories = scene.events.filter(({ event }) => isPlayerVictory(event.statement, dictionary));
  const lengths = streakLengths(victories.map(({ event }) => event));
  return victories
    .map((event, index) => ({ event, length: lengths[index]! }))
    .toSorted((a, b) => b.length - a.length || b.event.score - a.event.score)[0]?.event;
}

/** Indices of the scenes with slow motion, as many as fit the duration, best first. */
function slowScenes(
  scenes: readonly Scene[],
  decisive: readonly (ScoredEvent | undefined)[],
  { style, duration = Number.POSITIVE_INFINITY }: ScenePlanOptions,
): number[] {
  let seconds = scenes.reduce((sum, { start, end }) => sum + end - start, 0);
  const ranked = decisive
    .flatMap((event, index) => (event ? [{ event, index }] : []))
    .filter(({ event, index }) => extraSeconds(scenes[index]!, event.event.t) >= MIN_SLOW_SECONDS)
    .toSorted((a, b) => b.event.score - a.event.score);
  return ranked.slice(0, style.slowMotion === 'best' ? 1 : undefined).flatMap(({ event, index }) => {
    const extra = extraSeconds(scenes[index]!, event.event.t);
    if (seconds + extra > duration) return [];
    seconds += extra;
    return [index];
  });
}

function slowSpan({ start, end }: { readonly start: number; readonly end: number }, t: number) {
  return { start: Math.max(start, t - SLOW_BEFORE_SECONDS), end: Math.min(end, t + SLOW_AFTER_SECONDS) };
}

/** Seconds that slow motion adds. */
function extraSeconds(scene: { readonly start: number; readonly end: number }, t: number): number {
  const { start, end } = slowSpan(scene, t);
  return Math.max(0, end - start) * (1 / SLOW_SPEED - 1);
}

function slowShots(scene: { readonly start: number; readonly end: number }, t: number): PlannedShot[] {
  const slow = slowSpan(scene, t);
  return [
    { start: scene.start, end: slow.start, speed: 1 },
    { ...slow, speed: SLOW_SPEED },
    { start: slow.end, end: scene.end, speed: 1 },
  ].filter(({ start, end }) => end - start > 0.02);
}

/** Shortens a scene so that it ends on a beat, first at its beginning, then at its end; not where that takes too much. */
function cutOnBeat(scene: Scene, at: number, extra: number, beats: readonly number[]) {
  const { start, end, events } = scene;
  const until = at + end - start + extra;
  const beat = beats.findLast((each) => each <= until + 1e-6);
  if (beat === undefined) return { start, end };
  const first = Math.min(...events.map(({ event }) => event.t));
  const last = Math.max(...events.map(({ event }) => event.end));
  const lead = Math.max(0, Math.min(MAX_BEAT_SHIFT_SECONDS, first - KEPT_LEAD_SECONDS - start));
  const tail = Math.max(0, Math.min(MAX_BEAT_SHIFT_SECONDS, end - KEPT_TAIL_SECONDS - last));
  const surplus = until - beat;
  if (surplus > lead + tail) return { start, end };
  return { start: start + Math.min(surplus, lead), end: end - Math.max(0, surplus - lead) };
}

/** Seconds between the victories of a multiple kill (the dictionary's "double kill" and "triple kill"). */
const MULTIPLE_SECONDS = 4;

/** How many victories in quick succession each event completes. */
function streakLengths(victories: readonly Pick<EventLine, 't'>[]): number[] {
  let length = 0;
  return victories.map(({ t }, index) => {
    const before = victories[index - 1];
    length = before && t - before.t <= MULTIPLE_SECONDS ? length + 1 : 1;
    return length;
  });
}

/** What a multiple kill is called. */
const MULTIPLES = ['', '', 'DOUBLE', 'TRIPLE', 'QUAD', 'PENTA', 'HEXA'];
const BANNER_SECONDS = 1.5;
const STICKER_SECONDS = 1.8;
/** Seconds that a caption stays at least and at most, and characters read in a second. */
const MIN_CAPTION_SECONDS = 1.3;
const MAX_CAPTION_SECONDS = 3;
const READING_SPEED = 15;
/** A caption that a cut leaves less time is not shown. */
const MIN_READABLE_SECONDS = 0.9;
/** Events closer together share a caption: that of the one with the greater score. */
const MIN_CAPTION_DISTANCE = 0.6;

/** Inputs of `planOverlays`. */
export interface OverlayPlanOptions {
  readonly dictionary: Dictionary;
  readonly style: ReelStyle;
  /** Characters that fit on a line of a caption. */
  readonly captionWidth: number;
  readonly hasLogo?: boolean;
  /** Texts of captions by event id, instead of a caster's. */
  readonly texts?: ReadonlyMap<string, string> | undefined;
  /** What is said in each source, and how it is divided into lines. */
  readonly subtitles?: readonly (readonly Subtitle[] | undefined)[] | undefined;
  readonly wrapSubtitle?: (text: string) => readonly string[];
}

/** Plans what is drawn over a reel. @param scenes Those of the list, in its order. */
export function planOverlays(
  list: HighlightList,
  scenes: readonly Scene[],
  options: OverlayPlanOptions,
): OverlayItem[] {
  const { style, dictionary } = options;
  const { parts } = style;
  const items: OverlayItem[] = [];
  let count = 0;
  const label = counterLabel(scenes, dictionary);
  const counts: { value: number; at: number }[] = [];
  for (const [index, scene] of scenes.entries()) {
    const listed = list.scenes[index]!;
    const sceneEnd = listed.at + listed.duration;
    const shown = scene.events.map((event, at) => ({ ...event, at: listed.events[at]!.at }));
    const victories = shown.filter(({ event }) => isPlayerVictory(event.statement, dictionary));
    const lengths = streakLengths(victories.map(({ event }) => event));
    for (const [order, { event, at, reasons }] of victories.entries()) {
      counts.push({ value: ++count, at });
      const until = Math.min(sceneEnd, at + BANNER_SECONDS, victories[order + 1]?.at ?? Number.POSITIVE_INFINITY);
      const detail = reasons.find(({ kind }) => kind === 'comeback')?.text.toUpperCase();
      const text = multipleName(event.statement, lengths[order]!, dictionary);
      if (parts.includes('banners') && (text !== undefined || detail !== undefined))
        items.push({
          kind: 'banner',
          start: at,
          end: until,
          text: text ?? detail!,
          ...(text !== undefined && detail !== undefined && { detail }),
        });
      const weapon = isPropertyStatement(event.statement) ? undefined : wordOf(event.statement.with);
      if (parts.includes('stickers') && weapon !== undefined)
        items.push({
          kind: 'sticker',
          start: at,
          end: Math.min(sceneEnd, at + STICKER_SECONDS, victories[order + 1]?.at ?? Number.POSITIVE_INFINITY),
          word: weapon,
          game: scene.game,
          label,
        });
    }
    if (parts.includes('captions')) items.push(...sceneCaptions(shown, sceneEnd, options));
    const said = sceneSubtitles(
      listed,
      options.subtitles?.[scene.source] ?? [],
      options.wrapSubtitle ?? ((text) => [text]),
    );
    items.push(...said.map((each): OverlayItem => ({ kind: 'subtitle', ...each })));
  }
  if (parts.includes('counter') && counts.length > 0) items.push(...counterItems(counts, list, label));
  if (parts.includes('progress')) items.push({ kind: 'progress', start: 0, end: list.duration });
  if (options.hasLogo) items.push({ kind: 'logo', start: 0, end: list.duration });
  return items.map((item) => ({ ...item, start: roundTime(item.start), end: roundTime(item.end) }));
}

/** `TRIPLE KILL`; undefined for a single one. */
function multipleName(statement: Statement, length: number, dictionary: Dictionary): string | undefined {
  if (length < 2) return undefined;
  const noun = isKill(statement, dictionary) ? 'KILL' : 'WIN';
  return MULTIPLES[length] === undefined ? `${length} ${noun}S IN A ROW` : `${MULTIPLES[length]} ${noun}`;
}

/** What the counter counts. */
function counterLabel(scenes: readonly Scene[], dictionary: Dictionary): string {
  const victories = scenes
    .flatMap(({ events }) => events.map(({ event }) => event.statement))
    .filter((statement) => isPlayerVictory(statement, dictionary));
  return victories.every((statement) => isKill(statement, dictionary)) ? 'KILLS' : 'WINS';
}

function isKill(statement: Statement, dictionary: Dictionary): boolean {
  return !isPropertyStatement(statement) && isAnyOf(dictionary, statement.action, 'action', 'kill');
}

/** The counter from the first scene to the end of the last, with each value as an item. */
function counterItems(
  counts: readonly { readonly value: number; readonly at: number }[],
  list: HighlightList,
  label: string,
): OverlayItem[] {
  const [first, last] = [list.scenes[0]!, list.scenes.at(-1)!];
  return [{ value: 0, at: first.at }, ...counts].map(({ value, at }, index): OverlayItem => {
    return { kind: 'counter', start: at, end: counts[index]?.at ?? last.at + last.duration, value, label };
  });
}

/** One caption at a time: what happens, as a caster says it. What happens again in the scene is said again of victories only. */
function sceneCaptions(
  shown: readonly (ScoredEvent & { readonly at: number })[],
  sceneEnd: number,
  { dictionary, captionWidth, texts }: OverlayPlanOptions,
): OverlayItem[] {
  const candidates = dropRedundantChanges(
    shown.map((each) => ({
      ...each,
      t: each.event.t,
      kind: isPropertyStatement(each.event.statement) ? 'property' : 'action',
    })),
  );
  const said = new Set<string>();
  const news = candidates.filter(({ event: { statement } }) => {
    const text = JSON.stringify(statement);
    const isNew = !said.has(text) || isPlayerVictory(statement, dictionary);
    said.add(text);
    return isNew;
  });
  const best = news.filter(
    (each) =>
      !news.some(
        (other) =>
          other !== each &&
          Math.abs(other.at - each.at) < MIN_CAPTION_DISTANCE &&
          (other.score > each.score || (other.score === each.score && other.at < each.at)),
      ),
  );
  return best.flatMap(({ event, at }, index): OverlayItem[] => {
    const text = texts?.get(event.id);
    const lines = text === undefined ? captionLines(event, dictionary, captionWidth) : [text];
    const reading = lines.join(' ').length / READING_SPEED;
    const seconds = Math.min(MAX_CAPTION_SECONDS, Math.max(MIN_CAPTION_SECONDS, reading));
    const end = Math.min(sceneEnd, at + seconds, best[index + 1]?.at ?? Number.POSITIVE_INFINITY);
    if (end - at < MIN_READABLE_SECONDS) return [];
    return [{ kind: 'caption', start: at, end, lines, emphasis: emphasizedWords(event.statement, dictionary) }];
  });
}

function captionLines(event: EventLine, dictionary: Dictionary, width: number): string[] {
  const { statement } = event;
  const known = isPropertyStatement(statement)
    ? dictionary.find(statement.property, 'property')
    : dictionary.find(statement.action, 'action');
  // The words of another version of a dictionary are those of the log.
  if (!known) return [event.text];
  return renderCaption(statement, dictionary, { seed: event.id, width, lines: 2 });
}

/** Names and words of a statement that matter: who, and with what. */
function emphasizedWords(statement: Statement, dictionary: Dictionary): string[] {
  const slots: readonly (Slot | undefined)[] = isPropertyStatement(statement)
    ? []
    : [statement.object, statement.with, statement.subject];
  const words = slots.flatMap((slot) => {
    if (slot === undefined || wordOf(slot) === 'player') return [];
    const name = typeof slot === 'object' ? slot.name : undefined;
    return [name ?? dictionary.find(wordOf(slot)!, 'object')?.name ?? ''];
  });
  const numbers = isPropertyStatement(statement) && typeof statement.to === 'number' ? [String(statement.to)] : [];
  return [...words, ...numbers].filter((word) => word !== '');
}

/** How much the picture is enlarged at most. */
const PUNCH_ZOOM = 0.16;
const PUNCH_IN_SECONDS = 0.16;
const PUNCH_HOLD_SECONDS = 0.55;
const PUNCH_OUT_SECONDS = 0.5;

/** Enlargement of the picture at `t` seconds of the recording: in fast at a victory, then slowly out. */
export function zoomAt(punches: readonly number[], t: number): number {
  const most = punches.reduce((zoom, at) => {
    const since = t - at + PUNCH_IN_SECONDS / 2;
    const out = since - PUNCH_IN_SECONDS - PUNCH_HOLD_SECONDS;
    return Math.max(zoom, Math.min(eased(since / PUNCH_IN_SECONDS), eased(1 - out / PUNCH_OUT_SECONDS)));
  }, 0);
  return 1 + PUNCH_ZOOM * most;
}

/** From 0 to 1 with a soft start and end. */
function eased(x: number): number {
  const share = Math.max(0, Math.min(1, x));
  return share * share * (3 - 2 * share);
}

/** Seconds on either side of a cut that a transition takes. */
const DIP_SECONDS = 0.25;
const WHIP_SECONDS = 0.16;
const WHIP_SMEAR = 0.07;

/** What a transition does to the picture at `at` seconds of the reel. */
export function transitionAt(
  transition: Transition,
  cuts: readonly number[],
  at: number,
): { readonly brightness?: number; readonly smear?: number } {
  if (transition === 'cut') return {};
  const distance = Math.min(...cuts.map((cut) => Math.abs(at - cut)));
  if (transition === 'dip') {
    // In whole steps, so that few filters are built.
    const brightness = Math.round(eased(distance / DIP_SECONDS) * 16) / 16;
    return brightness < 1 ? { brightness } : {};
  }
  const smear = WHIP_SMEAR * (1 - Math.min(1, distance / WHIP_SECONDS)) ** 1.5;
  return smear > 0.001 ? { smear: Math.round(smear * 1000) / 1000 } : {};
}
