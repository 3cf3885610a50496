// A plug-in with the detector kind "spots", which counts separate bright spots in a region: dots on a minimap, lives, lamps.
// The region's preprocessing steps decide what is bright. See docs/games/plugins.md.

/** Part of the fingerprint in the header of a log. */
export const version = '1.0.0';

/** @type {import('playbyplay/detector').FrameDetectorKind<{ minimumArea?: number, maximumCount?: number }>} */
export const kind = {
  input: 'frame',
  name: 'spots',
  description:
    'How many separate bright spots a region shows, after its preprocessing. Spots smaller than `minimumArea` pixels of the reference frame are ignored; with more than `maximumCount` spots the region is unreadable.',
  schema: {
    type: 'object',
    required: ['region'],
    properties: {
      minimumArea: { type: 'number', exclusiveMinimum: 0, maximum: 100_000, default: 4 },
      maximumCount: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
    },
  },

  async open({ minimumArea = 4, maximumCount = 100 }) {
    return {
      async read(view) {
        const { data, width, height, channels } = await view.prepared();
        if (width === 0 || height === 0) return { state: 'unreadable', confidence: 1 };
        const bright = new Uint8Array(width * height);
        for (let i = 0; i < bright.length; i++) bright[i] = data[i * channels] >= 128 ? 1 : 0;
        // In pixels of this frame: the same profile must count the same at every resolution.
        const smallest = minimumArea * view.scaleX * view.scaleY;
        const areas = measureSpots(bright, width, height);
        const count = areas.filter((area) => area >= smallest).length;
        if (count > maximumCount) return { state: 'unreadable', confidence: 1 };
        // A spot near the limit may or may not count.
        const doubtful = areas.filter((area) => area > smallest / 2 && area < smallest * 2).length;
        const confidence = 0.95 ** (1 + 4 * doubtful);
        return count === 0 ? { state: 'absent', confidence } : { state: 'seen', value: count, confidence };
      },
      [Symbol.dispose]() {},
    };
  },
};

/** Returns the areas of connected spots, in pixels; clears them in `bright`. */
function measureSpots(bright, width, height) {
  const areas = [];
  for (let start = 0; start < bright.length; start++) {
    if (!bright[start]) continue;
    const pending = [start];
    bright[start] = 0;
    let area = 0;
    while (pending.length > 0) {
      const at = pending.pop();
      area++;
      const [x, y] = [at % width, Math.floor(at / width)];
      for (const [nx, ny] of [
        [x - 1, y],
        [x + 1, y],
        [x, y - 1],
        [x, y + 1],
      ]) {
        if (nx < 0 || ny < 0 || nx >= width || ny >= height || !bright[ny * width + nx]) continue;
        bright[ny * width + nx] = 0;
        pending.push(ny * width + nx);
      }
    }
    areas.push(area);
  }
  return areas;
}
