/**
 * The overlay: a transparent page that shows captions, counters and the figures of a live session. The query string sets
 * where and how: `theme`, `captions`, `counters`, `figures`, `query`, `hold`, `lines`, `scale`, `background`.
 */
export const OVERLAY_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>playbyplay overlay</title>
<link rel="stylesheet" href="/overlay.css">
</head>
<body>
<main>
<section id="counters" class="panel" aria-label="Counters"></section>
<section id="figures" class="panel" aria-label="Session"></section>
<ol id="captions" aria-live="polite" aria-label="Events"></ol>
<p id="status" role="status" hidden></p>
</main>
<script src="/overlay.js" type="module"></script>
</body>
</html>
`;

/** Colors are tokens of a theme; sizes are relative to the height of the picture, so that a source of any size looks alike. */
export const OVERLAY_STYLE = `:root {
  --scale: 1;
  --unit: calc(1vh * var(--scale));
  --text: #fff;
  --quiet: #c9d1dc;
  --surface: rgb(14 18 26 / 78%);
  --edge: rgb(255 255 255 / 14%);
  --accent: #ffb02e;
  --positive: #4ade80;
  --negative: #ff6b6b;
  --radius: calc(0.9 * var(--unit));
  --shadow: 0 calc(0.3 * var(--unit)) calc(1.4 * var(--unit)) rgb(0 0 0 / 45%);
  --font: "Barlow Condensed", "Roboto Condensed", "Segoe UI", system-ui, sans-serif;
}
[data-theme="light"] {
  --text: #10151f;
  --quiet: #4a5567;
  --surface: rgb(255 255 255 / 88%);
  --edge: rgb(16 21 31 / 12%);
  --accent: #c2410c;
  --positive: #15803d;
  --negative: #b91c1c;
  --shadow: 0 calc(0.3 * var(--unit)) calc(1.4 * var(--unit)) rgb(0 0 0 / 25%);
}
[data-theme="neon"] {
  --surface: rgb(8 5 24 / 74%);
  --edge: rgb(94 234 255 / 45%);
  --accent: #5eeaff;
  --positive: #7dffb2;
  --negative: #ff5ec4;
}
[data-theme="plain"] {
  --surface: transparent;
  --edge: transparent;
  --shadow: none;
}
* { box-sizing: border-box; margin: 0; }
html, body { height: 100%; overflow: hidden; background: transparent; }
[data-background="dark"] body { background: #0b0e14; }
[data-background="light"] body { background: #e7eaf0; }
body {
  color: var(--text);
  font: 500 calc(2.5 * var(--unit)) / 1.25 var(--font);
  font-variant-numeric: tabular-nums;
}
[data-theme="plain"] body { text-shadow: 0 0 calc(0.5 * var(--unit)) #000, 0 calc(0.1 * var(--unit)) calc(0.3 * var(--unit)) #000; }
main { position: absolute; inset: calc(3 * var(--unit)); }
.panel {
  position: absolute;
  display: flex;
  background: var(--surface);
  border: max(1px, calc(0.12 * var(--unit))) solid var(--edge);
  border-radius: var(--radius);
  box-shadow: var(--shadow);
}
.panel:empty, [hidden] { display: none; }
#counters > div { padding: calc(0.9 * var(--unit)) calc(2 * var(--unit)); text-align: center; }
#counters > div + div, #figures > div + div { border-inline-start: max(1px, calc(0.12 * var(--unit))) solid var(--edge); }
#counters b { display: block; font-size: calc(4.6 * var(--unit)); line-height: 1; font-weight: 700; }
#counters b.bump { animation: bump 0.6s cubic-bezier(0.2, 1.6, 0.4, 1); color: var(--accent); }
#counters span, #figures span {
  color: var(--quiet);
  font-size: calc(1.6 * var(--unit));
  letter-spacing: 0.06em;
  text-transform: uppercase;
}
#figures > div { padding: calc(0.7 * var(--unit)) calc(1.5 * var(--unit)); }
#figures b { display: block; font-size: calc(2.4 * var(--unit)); font-weight: 600; }
#captions {
  position: absolute;
  display: flex;
  flex-direction: column;
  gap: calc(0.8 * var(--unit));
  padding: 0;
  max-width: 62%;
  list-style: none;
}
#captions li {
  width: fit-content;
  padding: calc(0.6 * var(--unit)) calc(1.6 * var(--unit));
  background: var(--surface);
  border: max(1px, calc(0.12 * var(--unit))) solid var(--edge);
  border-inline-start: calc(0.5 * var(--unit)) solid var(--quiet);
  border-radius: var(--radius);
  box-shadow: var(--shadow);
  overflow-wrap: anywhere;
  animation: enter 0.28s ease-out;
  transition: opacity 0.4s, transform 0.4s;
}
#captions li.good { border-inline-start-color: var(--positive); }
#captions li.bad { border-inline-start-color: var(--negative); }
#captions li.early { opacity: 0.85; }
#captions li.leaving { opacity: 0; transform: translateY(calc(0.6 * var(--unit))); }
.top-left { top: 0; left: 0; }
.top-right { top: 0; right: 0; }
.top-center { top: 0; left: 50%; translate: -50%; }
.bottom-left { bottom: 0; left: 0; }
.bottom-right { bottom: 0; right: 0; }
.bottom-center { bottom: 0; left: 50%; translate: -50%; }
.center { top: 50%; left: 50%; translate: -50% -50%; }
#captions.top-right, #captions.bottom-right { align-items: flex-end; }
#captions.top-center, #captions.bottom-center, #captions.center { align-items: center; width: max-content; }
#status {
  position: absolute;
  bottom: 0;
  left: 50%;
  translate: -50%;
  padding: calc(0.5 * var(--unit)) calc(1.4 * var(--unit));
  color: var(--quiet);
  background: var(--surface);
  border-radius: var(--radius);
  font-size: calc(1.8 * var(--unit));
}
@keyframes enter { from { opacity: 0; transform: translateY(calc(1.2 * var(--unit))); } }
@keyframes bump { 30% { transform: scale(1.35); } }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
`;

/** The script of the overlay. It follows `/events`; texts are set as text, never as markup. */
export const OVERLAY_SCRIPT = `const settings = new URLSearchParams(location.search);
const PLACES = ['top-left', 'top-right', 'top-center', 'bottom-left', 'bottom-right', 'bottom-center', 'center'];
const place = (name, fallback) => {
  const value = settings.get(name) ?? fallback;
  return value === 'off' ? undefined : PLACES.includes(value) ? value : fallback;
};
const amount = (name, fallback, min, max) => {
  const value = Number(settings.get(name) ?? fallback);
  return Number.isFinite(value) ? Math.min(max, Math.max(min, value)) : fallback;
};
const choose = (name, values, fallback) => (values.includes(settings.get(name)) ? settings.get(name) : fallback);
const root = document.documentElement;
root.dataset.theme = choose('theme', ['dark', 'light', 'neon', 'plain'], 'dark');
root.dataset.background = choose('background', ['dark', 'light'], 'none');
root.style.setProperty('--scale', String(amount('scale', 1, 0.4, 4)));
const holdMs = 1000 * amount('hold', 6, 1, 60);
const maxLines = amount('lines', 4, 1, 20);
const [counters, figures, captions, status] = ['counters', 'figures', 'captions', 'status'].map((id) => document.getElementById(id));
const places = { captions: place('captions', 'bottom-left'), counters: place('counters', 'top-right'), figures: place('figures', 'top-left') };
for (const [name, element] of [['captions', captions], ['counters', counters], ['figures', figures]]) {
  if (places[name]) element.classList.add(places[name]);
  else element.hidden = true;
}

const shown = new Map();
let newest = 0;
const keyOf = ({ t, statement }) => [t, statement.action ?? statement.property].join(' ');
const SETBACKS = ['die', 'kill oneself', 'lose', 'drown', 'fall to death'];
const toneOf = ({ statement }) => {
  const { subject, object, action } = statement;
  if (action === undefined) return '';
  const word = (slot) => (typeof slot === 'string' ? slot : slot?.word);
  if (word(object) === 'player') return 'bad';
  if (word(subject) !== 'player') return '';
  return SETBACKS.includes(action) ? 'bad' : 'good';
};
const leave = (id) => {
  const item = shown.get(id);
  if (!item) return;
  shown.delete(id);
  item.classList.add('leaving');
  setTimeout(() => item.remove(), 400);
};
const caption = (event) => {
  if (!places.captions || event.tentative) return;
  const known = shown.get(event.id);
  if (known) {
    known.classList.remove('early');
    return;
  }
  // What was stated early and became another event is corrected.
  if (event.type === 'event')
    for (const [id, item] of shown)
      if (item.classList.contains('early') && item.dataset.key === keyOf(event)) {
        shown.delete(id);
        shown.set(event.id, item);
        item.classList.remove('early');
        item.textContent = event.text;
        return;
      }
  if (event.type === 'event' && newest - event.t > 3) return;
  const item = document.createElement('li');
  item.textContent = event.text;
  item.dataset.key = keyOf(event);
  newest = Math.max(newest, event.t);
  item.className = [toneOf(event), event.type === 'early' ? 'early' : ''].join(' ').trim();
  captions.append(item);
  shown.set(event.id, item);
  while (shown.size > maxLines) leave(shown.keys().next().value);
  setTimeout(() => leave(event.id), holdMs);
};

const clock = (seconds) => {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return (parts[0] > 0 ? parts : parts.slice(1)).map((part, i) => (i === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
};
const cell = (parent, name) => {
  let box = [...parent.children].find((child) => child.dataset.name === name);
  if (!box) {
    box = document.createElement('div');
    box.dataset.name = name;
    const [value, label] = [document.createElement('b'), document.createElement('span')];
    label.textContent = name;
    box.append(value, label);
    parent.append(box);
  }
  return box.firstElementChild;
};
const put = (parent, name, text, isBumped) => {
  const value = cell(parent, name);
  if (value.textContent === text) return;
  const isFirst = value.textContent === '';
  value.textContent = text;
  if (isFirst || !isBumped) return;
  value.classList.remove('bump');
  void value.offsetWidth;
  value.classList.add('bump');
};
const showState = ({ state }) => {
  for (const { name, value } of state.counters) put(counters, name, String(value), true);
  put(figures, 'Session', clock(state.t), false);
  put(figures, 'Streak', String(state.streak), false);
  put(figures, 'Best', String(state.bestStreak), false);
  put(figures, 'Events', String(state.events), false);
  if (state.stream?.score !== undefined) put(figures, 'Stream', String(Math.round(state.stream.score)), false);
  const problem = state.hasEnded ? '' : state.isConnected ? '' : 'No picture: ' + state.connection;
  status.textContent = problem;
  status.hidden = problem === '' || settings.get('status') === 'off';
};

const query = settings.get('query');
const source = new EventSource('/events' + (query ? '?query=' + encodeURIComponent(query) : ''));
source.addEventListener('state', ({ data }) => showState(JSON.parse(data)));
for (const type of settings.get('early') === 'off' ? ['event'] : ['early', 'event'])
  source.addEventListener(type, ({ data }) => caption(JSON.parse(data)));
source.addEventListener('withdrawn', ({ data }) => leave(JSON.parse(data).id));
source.addEventListener('error', () => {
  status.textContent = 'Connection to playbyplay lost';
  status.hidden = settings.get('status') === 'off';
});
`;
