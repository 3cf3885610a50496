import sharp from 'sharp';
import { escapeAttribute, escapeText } from '../markup.ts';
import { drawRegions } from '../pipeline/authoring/inspect-pictures.ts';
import { decodePicture, frameAt } from '../pipeline/placement/pictures.ts';
import { cropRgb } from '../regions/crop.ts';
import { formatClock } from '../time.ts';
import type { Discovery, HudField } from './discover.ts';
import type { Draft } from './draft.ts';
import { wholePixels } from './survey.ts';
import { openRecordings, type Recording, wholePicture } from './survey.ts';

/** Pictures of what was found. */
export interface DiscoveryPictures {
  /** A frame with the fields drawn on it, as PNG. */
  readonly frame: Buffer;
  /** Examples by field, as PNG. */
  readonly crops: ReadonlyMap<HudField, readonly Buffer[]>;
}

/** Examples of a field that are shown. */
const SHOWN_EXAMPLES = 4;
/** Height of an example on the page, in pixels. */
const EXAMPLE_HEIGHT = 36;

const COLORS: Readonly<Record<HudField['type'], string>> = {
  counter: '#00e676',
  fraction: '#00e676',
  percentage: '#00e676',
  clock: '#40c4ff',
  time: '#40c4ff',
  name: '#ffd740',
  message: '#ff6e40',
  label: '#bdbdbd',
  gauge: '#e040fb',
  icon: '#f7a8ff',
  feed: '#ff6e40',
};

/** Draws the fields of a discovery on a frame, and cuts examples of each out of the recordings. */
export async function drawDiscovery({
  recordings: found,
  fields,
  moment,
  reference,
}: Discovery): Promise<DiscoveryPictures> {
  using resources = new DisposableStack();
  const recordings = await openRecordings(found.map(({ path }) => path));
  for (const { file } of recordings) resources.use(file);
  const crops = new Map<HudField, readonly Buffer[]>();
  for (const field of fields) {
    const own: Buffer[] = [];
    for (const { recording, t } of field.examples.slice(0, SHOWN_EXAMPLES)) {
      const crop = await cutExample(recordings[recording]!, t, field, reference);
      if (crop) own.push(crop);
    }
    crops.set(field, own);
  }
  const { file, index, size } = recordings[moment.recording]!;
  using picture = decodePicture(file, index, frameAt(index, moment.t))!;
  const { data, width, height } = wholePicture(picture);
  const [scaleX, scaleY] = [size.width / reference.width, size.height / reference.height];
  const boxes = fields.map(({ rect, name, type }) => {
    const { x, y, width: wide, height: high } = rect;
    return { x: x * scaleX, y: y * scaleY, width: wide * scaleX, height: high * scaleY, color: COLORS[type], name };
  });
  return { frame: await drawRegions({ width, height, rgb: data }, boxes), crops };
}

async function cutExample(
  { file, index, size }: Recording,
  t: number,
  { rect }: HudField,
  reference: Discovery['reference'],
): Promise<Buffer | undefined> {
  using picture = decodePicture(file, index, frameAt(index, t));
  if (!picture) return undefined;
  const [scaleX, scaleY] = [size.width / reference.width, size.height / reference.height];
  const { x, y, width: wide, height: high } = rect;
  const area = wholePixels({ x: x * scaleX, y: y * scaleY, width: wide * scaleX, height: high * scaleY }, size);
  if (area.width < 1 || area.height < 1) return undefined;
  const raw = { width: area.width, height: area.height, channels: 3 as const };
  return await sharp(cropRgb(picture, area), { raw }).png().toBuffer();
}

/**
 * Renders a self-contained page of everything that was found: the frame, a table of the fields with examples, and the questions.
 *
 * @param profile Path of the profile, as it is named on the page.
 */
export function discoveryPage(
  discovery: Discovery,
  { names, questions, game }: Draft,
  { frame, crops }: DiscoveryPictures,
  profile: string,
): string {
  const rows = discovery.fields.map((field) => {
    const { type, behaviour, certainty, place, examples, pattern } = field;
    const name = names.get(field);
    const pictures = (crops.get(field) ?? []).map(
      (crop, i) =>
        `<figure><img alt="" height="${EXAMPLE_HEIGHT}" src="${pngUri(crop)}"><figcaption>${escapeText(examples[i]?.text ?? '')}<br>${formatClock(examples[i]?.t ?? 0)}</figcaption></figure>`,
    );
    // The icons of a feed, with the names that rows give them.
    if (type === 'feed')
      pictures.push(
        ...(field.pictures ?? []).map(
          ({ png, t }, i) =>
            `<figure><img alt="" height="${EXAMPLE_HEIGHT}" src="data:image/png;base64,${png}"><figcaption>[${i + 1}]<br>${formatClock(t)}</figcaption></figure>`,
        ),
      );
    return `<tr${name === undefined ? ' class="out"' : ''}><td><b style="color:${COLORS[type]}">■</b> ${type}</td><td>${escapeText(name ?? 'left out')}</td><td>${place}</td><td>${escapeText(describeBehaviour(field))}</td><td>${Math.round(100 * certainty)} %</td><td>${Math.round(100 * behaviour.presence)} %</td><td>${pictures.join('')}</td><td><code>${escapeText(pattern ?? '')}</code></td></tr>`;
  });
  const asked = questions.map(
    ({ id, question, assumed }) =>
      `<li>${escapeText(question)} Assumed: ${escapeText(assumed)}. <code>--answer ${escapeAttribute(id)}=…</code></li>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>HUD of ${escapeText(game)}</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; background: #16181c; color: #e8e8e8 }
img.frame { max-width: 100% }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #3a3f47; padding: .4em .6em; text-align: left; vertical-align: top }
figure { display: inline-block; margin: 0 .6em .3em 0 }
figcaption { font-size: .8em; color: #a8b0ba }
tr.out { opacity: .45 }
code { background: #24282f; padding: .1em .3em; border-radius: 3px }
</style>
<h1>HUD of ${escapeText(game)}</h1>
<p>${discovery.fields.length} elements found in ${discovery.recordings.map(({ path }) => escapeText(path)).join(', ')}. Profile: <code>${escapeText(profile)}</code></p>
<p><img class="frame" alt="A frame with the elements" src="${pngUri(frame)}"></p>
<table>
<thead><tr><th>What</th><th>Name</th><th>Place</th><th>Behaviour</th><th>Certainty</th><th>Shown</th><th>Examples</th><th>Pattern</th></tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table>
${asked.length === 0 ? '' : `<h2>Questions</h2>\n<ul>${asked.join('\n')}</ul>`}
</html>
`;
}

function pngUri(png: Buffer): string {
  return `data:image/png;base64,${png.toString('base64')}`;
}

/** Says in words how a field behaves. */
export function describeBehaviour({ behaviour, type }: HudField): string {
  const { min, max, direction, resets, changes } = behaviour;
  if (type === 'label') return 'constant';
  const range = min === undefined || max === undefined ? [] : [min === max ? `${min}` : `${min} to ${max}`];
  const way = direction === undefined ? [] : [direction === 'up' ? 'rises' : 'falls'];
  return [...range, ...way, ...(resets ? ['resets'] : []), `${changes} changes`].join(', ');
}
