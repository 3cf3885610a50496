import { readFeed } from '../../discovery/feeds.ts';
import { followPlaces, type FollowedSample } from '../../discovery/follow.ts';
import { boundsOf, type Rect, type Size } from '../../geometry.ts';
import { TextRecognizer } from '../../recognition/text-recognizer.ts';
import { type DrawnElement, describeDrawn } from './draw-element.ts';
import type { RecordingPictures } from './recording.ts';

/** A feed that was found by one of its rows. */
export interface DrawnFeed extends DrawnElement {
  /** The area of all its rows, in pixels of the first recording. */
  readonly box: Rect;
}

/** Rows above and below the drawn one among which others are looked for, and by which share of its width rows may be wider. */
const MAX_ROWS = 10;
const MAX_WIDER_SHARE = 0.75;
/** By how much rows of one feed may differ: edges in heights, heights as a ratio, distances of neighbours in heights. */
const MAX_EDGE_DISTANCE = 1;
const MAX_HEIGHT_RATIO = 1.5;
const MAX_ROW_DISTANCE = 2.4;
/** Moments near which the feed is read: that of the drawn row, and others all over the recording. */
const MOMENTS = 7;
/** Rows that a feed has room for at least, as the drawn one may have stood alone. */
const MIN_ROWS = 3;
const MAX_EXAMPLES = 8;

/**
 * Finds the feed to which a row belongs that somebody drew: where its other rows appear, and what they say.
 *
 * @param box The row, in pixels of the recording.
 * @param t When it is shown, in seconds.
 * @param name What the author calls the feed.
 * @returns Undefined if no text is read in the row.
 */
export async function identifyDrawnFeed(
  recording: RecordingPictures,
  box: Rect,
  t: number,
  name: string,
  dictionary: Parameters<typeof describeDrawn>[2],
  options: {
    readonly signal?: AbortSignal | undefined;
    readonly onProgress?: ((share: number) => void) | undefined;
  } = {},
): Promise<DrawnFeed | undefined> {
  const { path, file, index, duration } = recording;
  const frame: Size = { width: file.info.width, height: file.info.height };
  const source = { path, file, index, size: frame };
  const area = within(
    {
      x: box.x - MAX_WIDER_SHARE * box.width,
      y: box.y - MAX_ROWS * box.height,
      width: (1 + 2 * MAX_WIDER_SHARE) * box.width,
      height: (2 * MAX_ROWS + 1) * box.height,
    },
    frame,
  );
  const spread = Array.from({ length: MOMENTS - 1 }, (_, i) => ((i + 0.5) / (MOMENTS - 1)) * duration);
  const near = [t, ...spread].map((at) => ({ recording: 0, t: at }));
  using recognizer = await TextRecognizer.open();
  const [followed = []] = await followPlaces([source], [{ rect: area, isFeed: true, near }], recognizer, {
    signal: options.signal,
    onSample: options.onProgress,
  });
  // Rows are found in pixels of the area.
  const samples = followed.map(
    (sample): FollowedSample => ({
      ...sample,
      rows: (sample.rows ?? []).map(({ rect, ...row }) => ({
        ...row,
        rect: { ...rect, x: rect.x + area.x, y: rect.y + area.y },
      })),
    }),
  );
  const rows = samples.flatMap((sample) => (sample.rows ?? []).map(({ rect }) => rect));
  const own = rowsLike(box, rows);
  if (own.length === 0) return undefined;
  const feed = within(withMargin(atLeast(boundsOf([box, ...own]), box.height), 0.3 * box.height), frame);
  const inside = samples.map((sample) => ({
    ...sample,
    rows: sample.rows?.filter(({ rect }) => centreIn(rect, feed)) ?? [],
  }));
  const read = readFeed(feed, inside);
  const seen = inside.flatMap((sample) =>
    sample.rows.map(({ parts }) => ({ recording: 0, t: sample.t, text: parts.map(({ text }) => text).join(' > ') })),
  );
  const lines = [...new Map(seen.map((line) => [line.text, line])).values()];
  const isKills = lines.filter(({ text }) => text.includes(' > ')).length > lines.length / 2;
  const examples = read?.examples ?? lines;
  const step = Math.max(1, Math.ceil(examples.length / MAX_EXAMPLES));
  const described = describeDrawn(
    {
      name,
      type: read?.type ?? (isKills ? 'feed' : 'message'),
      rect: feed,
      behaviour: { resets: false, changes: lines.length, presence: share(inside) },
      certainty: read?.certainty ?? 0.3,
      examples: examples.filter((_, i) => i % step === 0),
    },
    [{ path, duration, size: frame }],
    dictionary,
  );
  return { ...described, box: feed };
}

/** The rows that have the height of one and an edge in common with it, neighbour by neighbour. */
function rowsLike(box: Rect, rows: readonly Rect[]): readonly Rect[] {
  const { height } = box;
  const isAlike = (row: Rect): boolean =>
    Math.max(row.height, height) / Math.min(row.height, height) <= MAX_HEIGHT_RATIO &&
    (Math.abs(row.x - box.x) <= MAX_EDGE_DISTANCE * height ||
      Math.abs(row.x + row.width - box.x - box.width) <= MAX_EDGE_DISTANCE * height);
  let left = rows.filter(isAlike);
  const found: Rect[] = [];
  let reach: Rect = box;
  for (;;) {
    const next = left.filter(
      ({ y, height: own }) =>
        y <= reach.y + reach.height + MAX_ROW_DISTANCE * height && y + own >= reach.y - MAX_ROW_DISTANCE * height,
    );
    if (next.length === 0) return found;
    found.push(...next);
    reach = boundsOf([reach, ...next]);
    left = left.filter((row) => !next.includes(row));
  }
}

function atLeast(rect: Rect, rowHeight: number): Rect {
  return { ...rect, height: Math.max(rect.height, MIN_ROWS * 1.4 * rowHeight) };
}

function withMargin({ x, y, width, height }: Rect, margin: number): Rect {
  return { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin };
}

/** The part of a rectangle in a frame, in whole pixels. */
function within({ x, y, width, height }: Rect, frame: Size): Rect {
  const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
  return {
    x: left,
    y: top,
    width: Math.min(frame.width, Math.ceil(x + width)) - left,
    height: Math.min(frame.height, Math.ceil(y + height)) - top,
  };
}

function centreIn({ x, y, width, height }: Rect, box: Rect): boolean {
  const [across, down] = [x + width / 2, y + height / 2];
  return across >= box.x && across <= box.x + box.width && down >= box.y && down <= box.y + box.height;
}

function share(samples: readonly { readonly rows: readonly unknown[] }[]): number {
  return samples.filter(({ rows }) => rows.length > 0).length / Math.max(1, samples.length);
}
