// Truth of a recorded clip as NDJSON lines {t, statement}: `node test/truth/convert.ts <clip folder or truth.json> [--reduced] [--interval s] [--samples n]`.
import { parseArgs } from 'node:util';
import { gridTimes, loadTruth } from './truth.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    reduced: { type: 'boolean', default: false },
    interval: { type: 'string', default: '0.1' },
    samples: { type: 'string', default: '2' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [folder] = positionals;
if (values.help || folder === undefined) {
  process.stderr.write(
    'usage: node test/truth/convert.ts <clip folder or truth.json> [--reduced [--interval 0.1] [--samples 2]] > truth.ndjson\n' +
      'Everything shown, or what a perfect reader reports at that sampling interval and stability.\n',
  );
  process.exitCode = values.help ? 0 : 2;
} else {
  const truth = await loadTruth(folder);
  const times = gridTimes(truth.fps, truth.frames, Number(values.interval));
  const lines = values.reduced ? truth.reduce({ default: { times, samples: Number(values.samples) } }) : truth.raw;
  process.stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
