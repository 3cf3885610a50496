import type { Dictionary } from '../dictionary/dictionary.ts';
import { contentSecurityPolicy, escapeAttribute, escapeText } from '../markup.ts';
import { mean } from '../statistics.ts';
import type { Moment } from '../library/player-statistics.ts';
import { formatClock } from '../time.ts';
import {
  activityChart,
  barChart,
  FIGHT_SERIES,
  histogram,
  intervalChart,
  renderChart,
  sessionChart,
  timeChart,
} from './charts.ts';
import type { Coaching } from './coaching.ts';
import type { DifficultyPoint } from './difficulty.ts';
import type { PersonalRecord, SeasonFigures } from './figures.ts';
import type { RatedPlayer } from './ratings.ts';
import type { Recommendation } from './recommend.ts';
import type { PlayTimeline } from './timeline.ts';

/** What a statistics page shows. */
export interface SeasonPageData {
  readonly title: string;
  /** What was looked at: `30 sessions of openarena`. */
  readonly scope: string;
  readonly figures: SeasonFigures;
  readonly timelines: readonly PlayTimeline[];
  readonly coaching: Coaching;
  /** Of the last session. */
  readonly difficulty: readonly DifficultyPoint[];
  readonly ratings: readonly RatedPlayer[];
  readonly recommendations: readonly Recommendation[];
  readonly dictionary: Dictionary;
  /** The address of a moment in its recording, if there is one, and what the moment is called. */
  readonly linkTo: (moment: Moment) => { readonly href: string | undefined; readonly label: string };
}

const MAX_BARS = 10;
const MAX_MOMENTS = 12;
const MAX_ACTIVITY_MINUTES = 60;
/** Values that a distribution needs. */
const MIN_DISTRIBUTION = 8;

/**
 * Renders statistics as one HTML page without scripts: charts are SVG, each with its numbers as a table. Colors follow the
 * reader's light or dark theme.
 */
export function renderSeasonPage(data: SeasonPageData): string {
  const { title, scope } = data;
  const sections = [
    section('Overview', tiles(data)),
    section('Over the season', cards(trendCharts(data))),
    section('Fights', cards(fightCharts(data))),
    section('Skill', cards(skillCharts(data))),
    section('Coaching', coachingSection(data)),
    section(
      'Records and ratings',
      cards([recordsTable(data), ratingsTable(data), recommendationList(data)].filter((one) => one !== '')),
    ),
  ];
  const body = sections.filter((one) => one !== '').join('\n');
  const nothing =
    '<section><h2>Nothing to show yet</h2><p>The logs say nothing that this player does. Name somebody who appears in them with <code>--player</code>, or add more logs.</p></section>';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${contentSecurityPolicy()}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeAttribute(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><div><h1>${escapeText(title)}</h1><p>${escapeText(scope)}</p></div></header>
<main>
${body === '' ? nothing : body}
</main>
<footer><p>Made by playbyplay from event logs. Intervals hold the true value in 95 of 100 cases.</p></footer>
</body>
</html>
`;
}

function section(title: string, content: string): string {
  if (content === '') return '';
  const id = title.toLowerCase().replaceAll(/\W+/g, '-');
  return `<section aria-labelledby="${id}"><h2 id="${id}">${escapeText(title)}</h2>${content}</section>`;
}

function cards(charts: readonly string[]): string {
  return charts.length === 0 ? '' : `<div class="cards">${charts.join('\n')}</div>`;
}

function tiles({ figures, coaching }: SeasonPageData): string {
  const { ratio, streak, life, actions, sessions, duration, standings } = figures;
  const count = (action: string): number | undefined => actions.find((one) => one.action === action)?.total;
  const standing = standings.find(({ what }) => what.startsWith('defeat'));
  const shown: readonly (readonly [string, string, string] | undefined)[] = [
    [String(sessions), sessions === 1 ? 'session' : 'sessions', formatClock(duration, 0)],
    count('defeat') === undefined
      ? undefined
      : [String(count('defeat')), 'defeats', `${((count('defeat')! / duration) * 3600).toFixed(0)} an hour`],
    coaching.deaths === 0
      ? undefined
      : [String(coaching.deaths), 'deaths', `${((coaching.deaths / duration) * 3600).toFixed(0)} an hour`],
    ratio === null
      ? undefined
      : [ratio.toFixed(2), 'defeats by deaths', standing ? `better than ${standing.percentile.toFixed(0)} %` : ''],
    streak < 2 ? undefined : [String(streak), 'longest streak', 'without a death'],
    life === null
      ? undefined
      : [`${life.average.toFixed(0)} s`, 'average life', `longest ${formatClock(life.longest, 0)}`],
    ...figures.success
      .slice(0, 2)
      .map(({ of, rate, hits, tries }): readonly [string, string, string] => [
        percent(rate.value ?? 0),
        `of ${of}`,
        `${hits} of ${tries}`,
      ]),
    ...figures.reactions
      .slice(0, 1)
      .map((one): readonly [string, string, string] => [
        `${one.median.toFixed(2)} s`,
        `reaction to ${one.cue}`,
        `median of ${one.count}`,
      ]),
  ];
  const items = shown.flatMap((tile) =>
    tile
      ? [
          `<li><strong>${escapeText(tile[0])}</strong><span>${escapeText(tile[1])}</span><small>${escapeText(tile[2])}</small></li>`,
        ]
      : [],
  );
  return actions.length === 0 ? '' : `<ul class="tiles">${items.join('')}</ul>`;
}

function trendCharts({ figures }: SeasonPageData): readonly string[] {
  const { bySession, actions } = figures;
  if (bySession.length < 2) return [];
  const charts: string[] = [];
  const fought = bySession.some(({ defeats, deaths }) => defeats + deaths > 0);
  const trendOf = (action: string): string => {
    const trend = actions.find((one) => one.action === action)?.trend;
    return trend === undefined ? 'no clear trend' : trend;
  };
  if (fought) {
    charts.push(
      renderChart(
        sessionChart(
          'Defeats and deaths per minute',
          `Session by session. Defeats: ${trendOf('defeat')}; deaths: ${trendOf('die')}.`,
          bySession.map(({ name, defeats, deaths, duration }) => ({
            name,
            values: duration > 0 ? [(defeats / duration) * 60, (deaths / duration) * 60] : [null, null],
          })),
          FIGHT_SERIES,
        ),
        FIGHT_SERIES,
      ),
      renderChart(
        sessionChart(
          'Defeats by deaths',
          'Session by session; sessions without a death are left out.',
          bySession.map(({ name, defeats, deaths }) => ({ name, values: [deaths === 0 ? null : defeats / deaths] })),
          [{ name: 'defeats by deaths', color: 'var(--accent)' }],
        ),
      ),
    );
  }
  for (const { action, bySession: counts, total, trend } of actions
    .filter((one) => !['defeat', 'die'].includes(one.action))
    .slice(0, 2))
    charts.push(
      renderChart(
        sessionChart(
          capitalize(countName(action)),
          `${total} in all, session by session: ${trend ?? 'no clear trend'}.`,
          counts.map(({ session, count }) => ({ name: session, values: [count] })),
          [{ name: action, color: 'var(--accent)' }],
        ),
      ),
    );
  return charts;
}

function fightCharts({ figures, timelines }: SeasonPageData): readonly string[] {
  const charts: string[] = [];
  const duels = (title: string, text: string, all: SeasonFigures['instruments']): void => {
    if (all.length > 0) charts.push(renderChart(barChart(title, text, all.slice(0, MAX_BARS)), FIGHT_SERIES));
  };
  duels('Weapons', 'Defeats with each, and deaths by each.', figures.instruments);
  duels('Opponents', 'Who was defeated how often, and who defeated you.', figures.opponents);
  if (figures.actions.length > 0)
    charts.push(
      renderChart(
        barChart(
          'What you do',
          'How often, at each level of meaning.',
          figures.actions.slice(0, MAX_BARS).map(({ action, total }) => ({ name: countName(action), defeats: total })),
          'var(--accent)',
        ),
      ),
    );
  const parts = activity(timelines);
  if (parts.length > 1)
    charts.push(
      renderChart(
        activityChart('When it happens', 'Defeats above and deaths below the line, by minute of the sessions.', parts),
        FIGHT_SERIES,
      ),
    );
  if (figures.objects.length > 0)
    charts.push(
      renderChart(
        barChart(
          'Objects',
          'What was picked up, bought or used.',
          figures.objects.slice(0, MAX_BARS).map(({ object, count }) => ({ name: object, defeats: count })),
          'var(--accent)',
        ),
      ),
    );
  return charts;
}

function activity(
  timelines: readonly PlayTimeline[],
): readonly { readonly minute: number; readonly defeats: number; readonly deaths: number }[] {
  const longest = Math.max(0, ...timelines.map(({ session }) => session.duration));
  const minutes = Math.min(MAX_ACTIVITY_MINUTES, Math.ceil(longest / 60));
  const count = (list: 'defeats' | 'deaths', minute: number): number =>
    timelines.reduce(
      (sum, timeline) => sum + timeline[list].filter(({ t }) => Math.floor(t / 60) === minute).length,
      0,
    );
  const parts = Array.from({ length: minutes }, (_, minute) => ({
    minute,
    defeats: count('defeats', minute),
    deaths: count('deaths', minute),
  }));
  return parts.some(({ defeats, deaths }) => defeats + deaths > 0) ? parts : [];
}

function skillCharts({ figures, difficulty, timelines }: SeasonPageData): readonly string[] {
  const charts: string[] = [];
  for (const { of, by, rate } of figures.success) {
    const rows = [{ name: 'all', ...rate }, ...by.map(({ name, rate: one }) => ({ name, ...one }))].slice(0, MAX_BARS);
    charts.push(
      renderChart(
        intervalChart(
          `Success: ${of}`,
          'Share that hits or succeeds, with its interval.',
          rows.map(({ name, value, low, high }) => ({
            name,
            value: (value ?? 0) * 100,
            low: low * 100,
            high: high * 100,
          })),
          { unit: '%' },
        ),
      ),
    );
  }
  for (const { cue, response, times, count, cues } of figures.reactions)
    if (times.length >= MIN_DISTRIBUTION)
      charts.push(
        renderChart(
          histogram(
            `Reaction: ${cue}`,
            `Seconds to ${response}; ${count} of ${cues} were answered within 5 s.`,
            times,
            'seconds',
          ),
        ),
      );
  if (figures.lives.length >= MIN_DISTRIBUTION)
    charts.push(renderChart(histogram('Length of lives', 'From spawn to death.', figures.lives, 'seconds')));
  if (difficulty.length > 12 && difficulty.some(({ value }) => value !== 0.5))
    charts.push(
      renderChart(
        timeChart(
          'Difficulty',
          `Share of what went wrong lately, in ${timelines.at(-1)?.session.name ?? 'the last session'}: above the line it was hard, below easy.`,
          difficulty,
          'share of failures',
        ),
      ),
    );
  if (figures.standings.length > 0)
    charts.push(
      renderChart(
        barChart(
          'Where you stand',
          `Share of the others whose value is lower, in percent (${figures.standings[0]!.among} others).`,
          figures.standings.map(({ what, percentile }) => ({ name: what, defeats: Math.round(percentile) })),
          'var(--accent)',
        ),
      ),
    );
  return charts;
}

function coachingSection({ coaching, linkTo }: SeasonPageData): string {
  const { failures, circumstances, advice, deaths } = coaching;
  if (failures.length === 0) return '';
  const sentences =
    advice.length > 0
      ? `<ul class="advice">${advice.map((text) => `<li>${escapeText(text)}</li>`).join('')}</ul>`
      : `<p class="note">${deaths < 5 ? 'There are too few deaths to say what leads to them.' : 'No circumstance differs clearly before deaths from other moments. More sessions narrow the intervals.'}</p>`;
  const shown = circumstances.slice(0, MAX_BARS);
  const chart =
    shown.length === 0
      ? ''
      : renderChart(
          intervalChart(
            'What leads to deaths',
            'Deaths a minute so, divided by deaths a minute otherwise: right of the line is deadlier.',
            shown.map(({ factor, value, ratio, low, high }) => ({
              name: `${factor === 'time since spawn' ? 'since spawn' : factor} ${value}`,
              value: limit(ratio),
              low: limit(low),
              high: limit(high),
            })),
            { line: 1, scale: 'log', unit: 'times as often' },
          ),
        );
  const rows = failures.slice(0, MAX_BARS).map(({ cause, count, share, thirds, moments }) => {
    const links = moments.slice(0, MAX_MOMENTS).map((moment) => link(linkTo(moment)));
    const more =
      moments.length > MAX_MOMENTS ? ` <span class="more">and ${moments.length - MAX_MOMENTS} more</span>` : '';
    return `<tr><th scope="row">${escapeText(cause)}</th><td class="number">${count}</td><td class="number">${percent(share)}</td><td class="number">${thirds.join(' · ')}</td><td class="moments">${links.join(' ')}${more}</td></tr>`;
  });
  const table = `<div class="card wide"><h3>Failures by cause</h3><p>Where they lie: in the first, second and last third of the sessions.</p><div class="scroll" tabindex="0" role="region" aria-label="Failures by cause"><table><thead><tr><th scope="col">Cause</th><th scope="col" class="number">Times</th><th scope="col" class="number">Share</th><th scope="col" class="number">Thirds</th><th scope="col">Scenes</th></tr></thead><tbody>${rows.join('')}</tbody></table></div></div>`;
  return `${sentences}<div class="cards">${chart}${table}</div>`;
}

/** Keeps a ratio within the chart. */
function limit(ratio: number): number {
  return Math.min(10, Math.max(0.1, ratio));
}

function recordsTable({ figures, linkTo }: SeasonPageData): string {
  if (figures.records.length === 0) return '';
  const rows = figures.records.map(
    (record) =>
      `<tr><th scope="row">${escapeText(capitalize(record.what))}</th><td class="number">${escapeText(formatRecord(record))}</td><td>${link(linkTo(record.moment))}</td></tr>`,
  );
  return `<div class="card"><h3>Personal records</h3><div class="scroll" tabindex="0" role="region" aria-label="Personal records"><table><thead><tr><th scope="col">Record</th><th scope="col" class="number">Value</th><th scope="col">Scene</th></tr></thead><tbody>${rows.join('')}</tbody></table></div></div>`;
}

function formatRecord({ value, unit }: PersonalRecord): string {
  if (unit === 'seconds') return value >= 60 ? formatClock(value, 0) : `${value.toFixed(1)} s`;
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

function ratingsTable({ ratings, figures }: SeasonPageData): string {
  if (ratings.length < 2) return '';
  const self = figures.player ?? 'player';
  const rows = ratings.slice(0, 15).map(({ name, rating, sessions }, i) => {
    const isSelf = name === self || name.endsWith(` ${self}`);
    return `<tr${isSelf ? ' class="self"' : ''}><td class="number">${i + 1}</td><th scope="row">${escapeText(name)}</th><td class="number">${rating.mu.toFixed(1)} ± ${(2 * rating.sigma).toFixed(1)}</td><td class="number">${sessions}</td></tr>`;
  });
  const average = mean(ratings.map(({ rating }) => rating.mu));
  return `<div class="card"><h3>Ratings</h3><p>By who defeated whom in each session; everybody starts at 25 ± 16.7. Here the mean is ${average.toFixed(1)}. Ordered by what can be relied on.</p><div class="scroll" tabindex="0" role="region" aria-label="Ratings"><table><thead><tr><th scope="col" class="number">Rank</th><th scope="col">Player</th><th scope="col" class="number">Rating</th><th scope="col" class="number">Sessions</th></tr></thead><tbody>${rows.join('')}</tbody></table></div></div>`;
}

function recommendationList({ recommendations, dictionary }: SeasonPageData): string {
  if (recommendations.length === 0) return '';
  const items = recommendations.slice(0, 5).map(({ title, because }) => {
    const words = because.map((id) => dictionary.find(id)?.name ?? id);
    return `<li><strong>${escapeText(title)}</strong><span>shares with what you do: ${escapeText(words.join(', '))}</span></li>`;
  });
  return `<div class="card"><h3>You may like</h3><p>Genres and games whose words are those of what you do.</p><ul class="list">${items.join('')}</ul></div>`;
}

function link({ href, label }: ReturnType<SeasonPageData['linkTo']>): string {
  return href === undefined
    ? `<span class="moment">${escapeText(label)}</span>`
    : `<a class="moment" href="${escapeAttribute(href)}">${escapeText(label)}</a>`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

const COUNT_NAMES: Readonly<Record<string, string>> = { die: 'deaths', defeat: 'defeats' };

/** What an action is called when it is counted. */
function countName(action: string): string {
  return COUNT_NAMES[action] ?? action;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Colors have a contrast of 4.5 : 1 for text and 3 : 1 for marks on their background (WCAG 2.2, 1.4.3 and 1.4.11). */
const STYLE = `
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1b1f27;--soft:#555e6d;--line:#dfe3ea;--accent:#2563c9;--good:#15805d;--bad:#c2412d;--mark:#eaf1fd}
@media (prefers-color-scheme:dark){:root{--page:#12151b;--card:#1b2029;--text:#e8ebf1;--soft:#a3adbd;--line:#303846;--accent:#7fb0ff;--good:#4cc79a;--bad:#ff8a75;--mark:#24324a}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif}
header,main,footer{max-width:1840px;margin:0 auto;padding:0 clamp(16px,3vw,48px)}
header{padding-top:32px}
h1{font-size:clamp(26px,3vw,36px);line-height:1.2;margin:0}
header p,footer p{color:var(--soft);margin:6px 0 0}
footer{padding-bottom:40px;font-size:14px}
section{margin:36px 0}
h2{font-size:22px;margin:0 0 14px}
h3{font-size:17px;margin:0}
p{margin:4px 0 12px}
.tiles{list-style:none;display:grid;grid-template-columns:repeat(auto-fit,minmax(132px,1fr));gap:16px;margin:0;padding:0}
.tiles li{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px;display:flex;flex-direction:column}
.tiles strong{font-size:28px;line-height:1.15;font-variant-numeric:tabular-nums}
.tiles span{font-weight:600}
.tiles small{color:var(--soft);font-size:14px}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr));gap:16px;align-items:start}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px;margin:0;min-width:0}
.card p{color:var(--soft);font-size:14px}
.wide{grid-column:1/-1}
@media (min-width:1760px){.cards>.wide:not(:only-child){grid-column:2/-1}}
svg{display:block;width:100%;height:auto;max-width:560px;margin:0 auto}
.legend{display:flex;gap:16px;font-size:14px;margin:0 0 8px}
.key i{display:inline-block;width:12px;height:12px;border-radius:3px;margin-right:6px;vertical-align:-1px}
details{margin-top:8px;font-size:14px}
summary{cursor:pointer;color:var(--soft)}
summary:focus-visible,a:focus-visible,.scroll:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th,td{padding:6px 10px 6px 0;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}
thead th{color:var(--soft);font-weight:600;white-space:nowrap}
tbody th{font-weight:600}
td.number,th.number{text-align:right;white-space:nowrap;padding-left:10px}
.moments{line-height:2;min-width:280px;width:70%}
.moment{display:inline-block;padding:0 8px;border-radius:6px;background:var(--mark);color:var(--text);white-space:nowrap;line-height:1.6}
a.moment{color:var(--accent)}
.more{color:var(--soft);white-space:nowrap}
.self{background:var(--mark)}
.advice{margin:0 0 16px;padding:0;list-style:none;display:grid;gap:10px}
.advice li{background:var(--card);border:1px solid var(--line);border-left:5px solid var(--accent);border-radius:8px;padding:12px 16px;max-width:110ch}
.note{color:var(--soft)}
.list{list-style:none;margin:0;padding:0;display:grid;gap:10px}
.list strong{display:block}
.list span{color:var(--soft);font-size:14px}
code{background:var(--mark);border-radius:4px;padding:0 4px}
@media print{body{background:#fff}.card,.tiles li{break-inside:avoid}details{display:none}}
`;
