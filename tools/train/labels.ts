// Labels for `profile export --labels` and `profile glyphs --labels` from recordings with truth:
//   node tools/train/labels.ts <detector> <clip: video.mp4, truth.json>… [--interval 0.2] > labels.ndjson
// The detector is named as its series in truth. Moments within 0.1 s of a change are left out; nothing shown is an empty text.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { valueAt } from '../../test/truth/series.ts';
import { loadTruth } from '../../test/truth/truth.ts';

/** What truth calls otherwise than the profiles; null: the HUD shows nothing then. */
const CALLED: Readonly<Record<string, string | null>> = { machinegun: 'machine gun', gauntlet: null, none: null };
const GUARD = 0.1;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { interval: { type: 'string', default: '0.2' } },
});
const [detector, ...clips] = positionals;
if (detector === undefined || clips.length === 0)
  throw new TypeError('usage: node tools/train/labels.ts <detector> <clip>…');
for (const clip of clips) {
  const { series, fps, frames } = await loadTruth(clip);
  const shown = series[detector];
  if (!shown) throw new RangeError(`${clip} has no truth for ${detector}`);
  for (let t = 0; t < (frames - 1) / fps; t += Number(values.interval)) {
    const value = valueAt(shown, t);
    if (valueAt(shown, t - GUARD) !== value || valueAt(shown, t + GUARD) !== value) continue;
    const called = value === null ? null : (CALLED[String(value)] ?? (String(value) in CALLED ? null : String(value)));
    const media = resolve(clip, 'video.mp4');
    process.stdout.write(`${JSON.stringify({ media, t: Math.round(1e3 * t) / 1e3, detector, text: called ?? '' })}\n`);
  }
}
