import type { Rect, Size } from '../geometry.ts';
import { actionAt, followAction, watchAction } from '../media/write/follow-action.ts';
import type { View } from '../media/write/frame-filter.ts';
import type { RecordingPool } from '../media/write/timeline.ts';
import type { Span } from './windows.ts';

/** Centre of a crop over time, as fractions of the frame. @param t Seconds of the recording. */
export type CropCenter = (t: number) => Pick<View, 'x' | 'y'>;

/** What a crop is made for. */
interface CroppedScene extends Span {
  readonly media: string;
  /** The part that the player looks at, in fractions of the frame, if it is known. */
  readonly attention?: Rect | undefined;
  /** Share of the frame's width that the crop shows. */
  readonly width: number;
}

/** Share of a frame's width that a crop to another shape shows. */
export function shownWidth(source: Size, target: Size): number {
  return Math.min(1, (target.width * source.height) / (target.height * source.width));
}

/**
 * Decides where the crops of scenes lie: around what the player looks at where the profile names it, else where the picture
 * moves, near the middle. What a camera does in one scene of a recording says how it is held in the others.
 */
export function cropCenters(scenes: readonly CroppedScene[], recordings: RecordingPool): CropCenter[] {
  const actions = scenes.map(({ media, start, end, attention, width }) =>
    attention || width >= 1 ? undefined : watchAction(recordings.open(media), start, end),
  );
  const withCamera = new Set(scenes.flatMap(({ media }, i) => (actions[i]?.cameraMoves ? [media] : [])));
  return scenes.map(({ media, attention, width }, i) => {
    const { x, y, width: wide, height } = attention ?? { x: 0, y: 0, width: 1, height: 1 };
    const action = actions[i];
    if (!action) return () => ({ x: x + wide / 2, y: y + height / 2 });
    const path = followAction({ ...action, cameraMoves: withCamera.has(media) }, width);
    return (t) => ({ x: actionAt(path, t), y: 0.5 });
  });
}

/** Largest shift of a crop, as a share of the frame's width, to leave out what is shown elsewhere. */
const MAX_SHIFT = 0.08;

/**
 * Shifts crops that show a small part of a rectangle so far that they show nothing of it.
 *
 * @param width Share of the frame's width that the crop shows.
 */
export function moveCropOff(center: CropCenter, { x: left, width: wide }: Rect, width: number): CropCenter {
  return (t) => {
    const { x, y } = center(t);
    const isRight = left + wide / 2 > x;
    const overlap = isRight ? x + width / 2 - left : left + wide - (x - width / 2);
    return overlap > 0 && overlap <= MAX_SHIFT ? { x: x + (isRight ? -overlap : overlap), y } : { x, y };
  };
}
