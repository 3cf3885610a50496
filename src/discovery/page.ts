import { basename } from 'node:path';
import sharp from 'sharp';
import { escapeText } from '../markup.ts';
import { drawRegions } from '../pipeline/authoring/inspect-pictures.ts';
import { decodePicture, frameAt } from '../pipeline/placement/pictures.ts';
import { cropRgb } from '../regions/crop.ts';
import { formatClock } from '../time.ts';
import type { Discovery, HudField } from './hud-field.ts';
import type { Draft, SilenceReason } from './draft.ts';
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

/** Groups of the page, in order. */
const GROUPS: readonly (readonly [title: string, types: readonly HudField['type'][]])[] = [
  ['Clocks and figures', ['clock', 'time', 'counter', 'fraction', 'percentage']],
  ['Messages and names', ['message', 'feed', 'name']],
  ['Bars and icons', ['gauge', 'icon']],
];

const SILENCE: Readonly<Record<SilenceReason, string>> = {
  restless: 'no events: changes all the time, such as a speed',
  translucent: 'no events: the scene shows through its empty part',
  unsteady: 'no events: most of what is read is taken back at once',
};

/** What `detect` reports of a field. */
const REPORTED: Readonly<Record<HudField['type'], string>> = {
  counter: 'each change is an event',
  fraction: 'each change is an event',
  percentage: 'each change is an event',
  clock: 'an event when it stops',
  time: 'each change is an event',
  name: 'each change is an event',
  message: 'an event when a text appears',
  label: 'constant',
  gauge: 'an event when its level changes',
  icon: 'an event when its picture changes',
  feed: 'an event for each row',
};

const STYLE = `:root { color-scheme: light dark; --paper: #fff; --raised: #f5f6f8; --ink: #1b1f24; --soft: #5b6570; --line: #dfe3e8; --blue: #2563c9; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --raised: #1c2026; --ink: #e8ebee; --soft: #9aa4ae; --line: #2c333b; --blue: #6ea8ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1440px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { font-size: 22px; margin: 0 0 2px; } h2 { font-size: 16px; margin: 34px 0 10px; } h2 span { color: var(--soft); font-weight: 400; }
p { margin: 0 0 12px; } .sub, .soft { color: var(--soft); } .sub { margin-bottom: 20px; overflow-wrap: anywhere; }
.frame { display: block; width: 100%; max-width: 1120px; height: auto; border: 1px solid var(--line); border-radius: 6px; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 330px), 1fr)); gap: 14px; }
.card { border: 1px solid var(--line); border-left: 4px solid var(--kind); border-radius: 6px; padding: 12px 14px; background: var(--raised); min-width: 0; }
.card.out { opacity: .5; } .card h3 { font-size: 15px; margin: 0; overflow-wrap: anywhere; } .card p { margin: 2px 0 0; font-size: 13px; }
.shots { display: flex; flex-wrap: wrap; gap: 8px 10px; margin-top: 10px; } figure { margin: 0; max-width: 100%; }
figure img { display: block; height: 26px; max-width: 100%; object-fit: contain; object-position: left; border-radius: 3px; background: #000; }
figcaption { color: var(--soft); font-size: 12px; line-height: 1.35; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
code { font: 12.5px/1.5 ui-monospace, monospace; background: var(--raised); border: 1px solid var(--line); padding: 1px 5px; border-radius: 4px; overflow-wrap: anywhere; }
.card code { background: var(--paper); } pre { overflow-x: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: 12px 14px; font: 13px/1.55 ui-monospace, monospace; }
ol, ul { padding-left: 22px; margin: 0; } li { margin-bottom: 8px; } summary { cursor: pointer; color: var(--blue); } summary:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
@media print { :root { color-scheme: light; } .card { break-inside: avoid; } }`;

/**
 * Renders a self-contained page of everything that was found: the frame, the fields in groups with examples, and the questions.
 *
 * @param profile Path of the profile, as it is named on the page.
 */
export function discoveryPage(
  discovery: Discovery,
  draft: Draft,
  { frame, crops }: DiscoveryPictures,
  profile: string,
): string {
  const { fields } = discovery;
  const { names, questions, game } = draft;
  const reported = fields.filter((field) => names.has(field) && field.type !== 'label' && !draft.silent.has(field));
  const groups = GROUPS.flatMap(([title, types]) => {
    const own = fields.filter(({ type }) => types.includes(type));
    if (own.length === 0) return [];
    const cards = own.map((field) => fieldCard(field, draft, crops.get(field) ?? []));
    return [`<h2>${title} <span>${own.length}</span></h2>\n<div class="cards">\n${cards.join('\n')}\n</div>`];
  });
  const labels = fields.filter(({ type }) => type === 'label');
  const constant =
    labels.length === 0
      ? ''
      : `<details><summary>Constant texts <span class="soft">${labels.length}</span></summary>\n<p class="soft">They name what stands next to them, and make no events.</p>\n<ul>${labels.map((field) => `<li>${escapeText(names.get(field) ?? field.name)} <span class="soft">${field.place}</span></li>`).join('')}</ul></details>`;
  const asked = questions.map(
    ({ id, question, assumed }) =>
      `<li>${escapeText(question)} <span class="soft">Assumed: ${escapeText(assumed)}.</span><br><code>--answer ${escapeText(id)}=…</code></li>`,
  );
  const found =
    groups.length === 0
      ? '<p>No text, bar or icon stays on the screen of these recordings. Draft from a recording of at least half a minute of play, without a menu over it.</p>'
      : groups.join('\n');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>HUD of ${escapeText(game)}</title>
<style>
${STYLE}
</style>
<main>
<h1>HUD of ${escapeText(game)}</h1>
<p class="sub">${fields.length - labels.length} elements in ${discovery.recordings.map(({ path }) => escapeText(basename(path))).join(', ')}, ${reported.length} of which make events. Profile: <code>${escapeText(profile)}</code></p>
<img class="frame" alt="A frame with the elements" src="${pngUri(frame)}">
${found}
${asked.length === 0 ? '' : `<h2>Questions <span>${asked.length}</span></h2>\n<p class="soft">Answers name elements or leave them out. They need no recording: <code>playbyplay profile draft --out &lt;folder&gt; --overwrite --answer id=…</code></p>\n<ol>${asked.join('\n')}</ol>`}
<h2>Next</h2>
<pre>playbyplay detect &lt;recording&gt; --game &lt;folder&gt;
playbyplay query &lt;log&gt; "…"</pre>
${constant}
</main>
</html>
`;
}

/** A field with its examples, and what `detect` reports of it. */
function fieldCard(field: HudField, { names, silent }: Draft, crops: readonly Buffer[]): string {
  const { type, certainty, place, examples, pattern, behaviour } = field;
  const name = names.get(field);
  const silence = silent.get(field);
  const says = name === undefined ? 'left out by an answer' : silence === undefined ? REPORTED[type] : SILENCE[silence];
  const shots = crops.map((crop, i) => {
    const { text = '', t = 0 } = examples[i] ?? {};
    return `<figure><img alt="" src="${pngUri(crop)}"><figcaption>${escapeText(text)}<br>${formatClock(t)}</figcaption></figure>`;
  });
  // The icons of a feed, with the names that rows give them.
  const icons = (type === 'feed' ? (field.pictures ?? []) : []).map(
    ({ png, t }, i) =>
      `<figure><img alt="" src="data:image/png;base64,${png}"><figcaption>[${i + 1}]<br>${formatClock(t)}</figcaption></figure>`,
  );
  const share = `certain ${Math.round(100 * certainty)} %, shown ${Math.round(100 * behaviour.presence)} %`;
  return [
    `<article class="card${name === undefined ? ' out' : ''}" style="--kind: ${COLORS[type]}">`,
    `<h3>${type} “${escapeText(name ?? field.name)}”</h3>`,
    `<p>${escapeText(describeBehavior(field))}; ${says}</p>`,
    `<p class="soft">${place}, ${share}${pattern === undefined ? '' : `, <code>${escapeText(pattern)}</code>`}</p>`,
    `<div class="shots">${[...shots, ...icons].join('')}</div>`,
    '</article>',
  ].join('\n');
}

function pngUri(png: Buffer): string {
  return `data:image/png;base64,${png.toString('base64')}`;
}

/** Says in words how a field behaves. */
export function describeBehavior({ behaviour, type }: HudField): string {
  const { min, max, direction, resets, changes } = behaviour;
  if (type === 'label') return 'constant';
  const isTime = type === 'clock' || type === 'time';
  const format = (value: number): string => (isTime ? formatClock(value) : String(Math.round(100 * value) / 100));
  const range =
    min === undefined || max === undefined ? [] : [min === max ? format(min) : `${format(min)} to ${format(max)}`];
  const way = direction === undefined ? [] : [direction === 'up' ? 'rises' : 'falls'];
  return [...range, ...way, ...(resets ? ['resets'] : []), `${changes} ${changes === 1 ? 'change' : 'changes'}`].join(
    ', ',
  );
}
