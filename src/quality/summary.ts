import { roundTo } from '../statistics.ts';
import { formatClock } from '../time.ts';
import type { GameplayReport, OutcomeCounts } from './gameplay.ts';
import type { ObsOutput } from './input/obs.ts';
import type { ScoredInput } from './score.ts';
import type { TimelinePoint } from './timeline.ts';

const bars = '▁▂▃▄▅▆▇█';

/** Draws values from `least` to `most` as a row of bars, blank where unknown; digits 0–9 with `ascii`. */
function sparkline(
  values: readonly (number | undefined)[],
  options: { readonly least?: number; readonly most?: number; readonly ascii?: boolean } = {},
): string {
  const { least = 0, most = 100 } = options;
  const symbols = options.ascii ? '0123456789' : bars;
  return values
    .map((value) => {
      if (value === undefined || Number.isNaN(value)) return ' ';
      const share = Math.min(1, Math.max(0, (value - least) / (most - least)));
      return symbols[Math.min(symbols.length - 1, Math.floor(share * symbols.length))]!;
    })
    .join('');
}

/** Display names of the components. */
export const componentTitles: Readonly<Record<string, string>> = {
  captureDelta: 'capture delta',
  presentDelta: 'present delta',
  roundTripDelay: 'round trip',
  stackLatency: 'stack latency',
};

/** Formats a session as text: figures, components and the course as bars. */
export function summarize(scored: ScoredInput, points: readonly TimelinePoint[], ascii = false): string {
  const { quality } = scored;
  const lines = [
    `${scored.name} (${scored.format}): ${quality.frames} frames in ${formatClock(quality.duration)} at ${roundTo(quality.fps, 2)} Hz${rateNote(scored)}`,
    '',
    `  total             ${figure(quality.total)}${bar(quality.total, ascii)}`,
    `  picture           ${figure(quality.picture)}${quality.pictureFrom === 'qp' ? '  estimated from the quantization parameter' : ''}`,
    `  stutter–latency   ${figure(quality.stutterLatency)}  = base ${figure(quality.base).trim()} − offset ${figure(quality.offset).trim()}`,
  ];
  const named = Object.entries(quality.components);
  if (named.length > 0) {
    lines.push('', '                       mean       std       max  measured  score');
    for (const [name, component] of named) {
      const { mean, std, max, measured, score } = component;
      const cells = [mean, std, max].map((value) => `${value.toFixed(1).padStart(7)} ms`).join('');
      lines.push(
        `  ${(componentTitles[name] ?? name).padEnd(16)}${cells}${String(measured).padStart(10)}${score.toFixed(1).padStart(7)}`,
      );
    }
  }
  if (points.length > 1) {
    const course = (title: string, values: readonly (number | undefined)[], most = 100): string =>
      `  ${title.padEnd(16)}  ${sparkline(values, { most, ascii })}`;
    lines.push(
      '',
      course(
        'quality',
        points.map((point) => point.cws),
      ),
      course(
        'worst of it',
        points.map((point) => point.cwsMin),
      ),
    );
    for (const [name, component] of named) {
      const most = Math.max(component.max, 1);
      const label = componentTitles[name] ?? name;
      const values = points.map((point) => point.raw[name]?.max);
      lines.push(course(label, name.endsWith('Delta') ? values : filled(values), most));
    }
    lines.push(`  ${''.padEnd(16)}  0:00${formatClock(quality.duration, 0).padStart(Math.max(1, points.length - 4))}`);
  }
  lines.push(...outputLines(scored));
  const missing = Object.entries(scored.missing);
  if (missing.length > 0) {
    lines.push('', ...missing.map(([name, why]) => `  no ${componentTitles[name] ?? name}: ${why}`));
  }
  return `${lines.join('\n')}\n`;
}

/** Shares of the frames that each output of an OBS log lost. */
function outputLines({ extra }: ScoredInput): string[] {
  const outputs = (extra?.['outputs'] ?? []) as readonly ObsOutput[];
  if (outputs.length === 0) return [];
  const rows = outputs.map(
    ({ name, share }) =>
      `  ${name.padEnd(18)}${shareCell(share.lagged)}${shareCell(share.skipped)}${shareCell(share.dropped)}`,
  );
  return ['', `  ${'output'.padEnd(18)}    lagged   skipped   dropped`, ...rows];
}

function shareCell(share: number | undefined): string {
  return (share === undefined || Number.isNaN(share) ? '–' : `${(100 * share).toFixed(2)} %`).padStart(10);
}

/** Delays are measured occasionally: repeat the last one in between. */
function filled(values: readonly (number | undefined)[]): (number | undefined)[] {
  let last: number | undefined;
  return values.map((value) => (last = value ?? last));
}

function rateNote(scored: ScoredInput): string {
  return scored.fpsFrom === 'estimated' ? ' (estimated)' : '';
}

function figure(value: number | null): string {
  return value === null ? '     –' : value.toFixed(1).padStart(6);
}

function bar(value: number | null, ascii: boolean): string {
  if (value === null) return '';
  const full = Math.round(value / 5);
  return `  ${(ascii ? '#' : '█').repeat(full)}${(ascii ? '.' : '░').repeat(20 - full)}`;
}

/** Formats the outcomes under good and bad stream quality as text. */
export function formatGameplay(play: GameplayReport): string {
  const lines = [
    `The stream was bad in ${formatClock(play.bad)} of ${formatClock(play.duration)}.`,
    '',
    '          total   under bad   after a freeze   a minute bad   a minute good',
    shareRow('losses', play.losses),
    shareRow('wins', play.wins),
  ];
  if (play.excused.length > 0) {
    lines.push('', 'Losses under bad quality:');
    for (const { t, text, because } of play.excused) lines.push(`  ${formatClock(t)}  ${text}  (${because})`);
  }
  return `${lines.join('\n')}\n`;
}

function rateText(rate: number | null): string {
  return (rate === null ? '–' : rate.toFixed(2)).padStart(15);
}

function shareRow(title: string, share: OutcomeCounts): string {
  const counts = `${String(share.total).padStart(5)}${String(share.underBadQuality).padStart(12)}${String(share.afterFreeze).padStart(17)}`;
  return `  ${title.padEnd(8)}${counts}${rateText(share.rateBad)}${rateText(share.rateGood)}`;
}
