// A plug-in: the detector kind "spots", which counts separate bright spots in a region: dots on a minimap, lives, lamps.
// What is bright is the business of the region's preprocess steps; this only counts. See docs/games/plugins.md.

/** Part of the fingerprint that a log's header tells. */
export const version = '1.0.0';

/** @type {import('playbyplay/detector').FrameDetectorKind<{ minimum?: number, most?: number }>} */
export const kind = {
  input: 'frame',
  name: 'spots',
  description:
    'How many separate bright spots a region shows, after its preprocessing. Spots of less than `minimum` pixels of the reference frame are dirt; with more than `most` of them nothing is read.',
  schema: {
    type: 'object',
    required: ['region'],
    properties: {
      minimum: { type: 'number', exclusiveMinimum: 0, maximum: 100_000, default: 4 },
      most: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
    },
  },

  async open({ minimum = 4, most = 100 }) {
    return {
      async read(view) {
        const { data, width, height, channels } = await view.prepared();
        if (width === 0 || height === 0) return { state: 'unreadable', confidence: 1 };
        const bright = new Uint8Array(width * height);
        for (let i = 0; i < bright.length; i++) bright[i] = data[i * channels] >= 128 ? 1 : 0;
        // Pixels of this frame per pixel of the reference frame, so that the same profile counts alike in every size.
        const least = minimum * view.scaleX * view.scaleY;
        const areas = spots(bright, width, height);
        const count = areas.filter((area) => area >= least).length;
        if (count > most) return { state: 'unreadable', confidence: 1 };
        // A spot near the limit could be either.
        const doubtful = areas.filter((area) => area > least / 2 && area < least * 2).length;
        const confidence = 0.95 ** (1 + 4 * doubtful);
        return count === 0 ? { state: 'absent', confidence } : { state: 'seen', value: count, confidence };
      },
      [Symbol.dispose]() {},
    };
  },
};

/** The areas of connected spots, in pixels. Takes them out of `bright`. */
function spots(bright, width, height) {
  const areas = [];
  for (let start = 0; start < bright.length; start++) {
    if (!bright[start]) continue;
    const open = [start];
    bright[start] = 0;
    let area = 0;
    while (open.length > 0) {
      const at = open.pop();
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
        open.push(ny * width + nx);
      }
    }
    areas.push(area);
  }
  return areas;
}
