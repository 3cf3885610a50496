const bars = '▁▂▃▄▅▆▇█';

/**
 * A row of bars for values from `least` to `most` (what lies outside is shown at the edge); a blank where a value is
 * not known. With `ascii` the bars are digits from 0 to 9.
 */
export function sparkline(
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
