import { RecordingPool } from '../media/write/timeline.ts';
import { findDullSpans } from '../media/write/picture-survey.ts';
import { type ChooseOptions, chooseScenes, type SceneChoice } from './choose.ts';
import type { Scene, Source } from './list.ts';
import { joinSpans, type Span } from './windows.ts';

/** How often scenes are chosen again without what their pictures showed to be dull. */
const MAX_ROUNDS = 4;
/** Seconds around an event that are shown even if the picture stands still. */
const KEPT_BEFORE_SECONDS = 1;
const KEPT_AFTER_SECONDS = 0.8;

/**
 * Chooses scenes as `chooseScenes` does, and looks at their pictures: black ones and those that stand still (menus, score tables,
 * loading screens) are cut out, and what they leave time for is chosen instead. Sources without a recording are not looked at.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const { scenes } = chooseWatchableScenes(sources, { dictionary, duration: 5 });
 * console.log(scenes.map(({ start, end }) => [start, end]));
 * ```
 */
export function chooseWatchableScenes(
  sources: readonly Source[],
  options: ChooseOptions & { readonly signal?: AbortSignal } = {},
): SceneChoice {
  using recordings = new RecordingPool();
  const hidden = sources.map((_, source) => [...(options.hidden?.[source] ?? [])]);
  const seen: Span[][] = sources.map(() => []);
  for (let round = 1; ; round++) {
    const choice = chooseScenes(sources, { ...options, hidden });
    let isChanged = false;
    for (const [source, { media }] of sources.entries()) {
      if (media === undefined) continue;
      const scenes = choice.scenes.filter((scene) => scene.source === source);
      const parts = unseen(joinSpans(scenes), seen[source]!);
      if (parts.length === 0) continue;
      const found = findDullSpans(recordings.open(media), parts, options.signal);
      const dull = found.flatMap((span) => withoutEvents(span, scenes));
      seen[source] = joinSpans([...seen[source]!, ...parts]);
      hidden[source] = joinSpans([...hidden[source]!, ...dull]);
      isChanged ||= dull.length > 0;
    }
    if (!isChanged || round === MAX_ROUNDS) return isChanged ? chooseScenes(sources, { ...options, hidden }) : choice;
  }
}

/** The parts of spans that are not in others. Both ascend without overlaps. */
function unseen(spans: readonly Span[], seen: readonly Span[]): Span[] {
  return seen.reduce<Span[]>((left, span) => left.flatMap((part) => subtract(part, span)), [...spans]);
}

function subtract(part: Span, { start, end }: Span): Span[] {
  if (end <= part.start || start >= part.end) return [part];
  return [
    { start: part.start, end: start },
    { start: end, end: part.end },
  ].filter((rest) => rest.end > rest.start);
}

/** What is left of a dull span around the events of scenes; nothing where too little is left to cut out. */
function withoutEvents(span: Span, scenes: readonly Scene[]): Span[] {
  const events = scenes.flatMap((scene) => scene.events);
  return unseen(
    [span],
    events.map(({ event }) => ({ start: event.t - KEPT_BEFORE_SECONDS, end: event.end + KEPT_AFTER_SECONDS })),
  ).filter(({ start, end }) => end - start >= 0.3);
}
