// Compares the session score with ITU-T G.1072 and with a score in the manner of rtcscore on simulated sessions:
//   node bench/quality/compare.ts [scenarios] [seconds]
// Prints the rank correlations and the sessions on which they differ most, with the reason.
import { disagreements, type NamedModelScores, rankCorrelations, scoreWithModels } from '../../src/quality/compare.ts';
import { makeScenario, simulate } from '../../src/quality/control/simulation.ts';
import { describeSettings, type StreamSettings } from '../../src/quality/control/settings.ts';

const [scenarios = 16, seconds = 120] = process.argv.slice(2).map(Number);
const settings: StreamSettings[] = [
  { width: 1920, height: 1080, fps: 60, bitrate: 20e6, preset: 'fast' },
  { width: 1920, height: 1080, fps: 30, bitrate: 8e6, preset: 'fast' },
  { width: 1280, height: 720, fps: 60, bitrate: 8e6, preset: 'fast' },
  { width: 1280, height: 720, fps: 60, bitrate: 3e6, preset: 'fast' },
  { width: 1280, height: 720, fps: 30, bitrate: 3e6, preset: 'fast' },
  { width: 960, height: 540, fps: 60, bitrate: 2e6, preset: 'fast' },
];
const sessions: NamedModelScores[] = [];
for (let seed = 1; seed <= scenarios; seed++) {
  const scenario = makeScenario(seed, seconds);
  for (const one of settings) {
    const { records } = simulate(scenario, one, { keep: true, quitsWhen: false });
    const judgement = scoreWithModels(records, { fps: one.fps, width: one.width, height: one.height });
    if (judgement) sessions.push({ name: `seed ${seed} (${scenario.network}), ${describeSettings(one)}`, judgement });
  }
}
console.log(`${sessions.length} sessions of ${seconds} s\n`);
console.log('rank correlations                                        Spearman  Kendall');
for (const { a, b, spearman, kendall } of rankCorrelations(sessions)) {
  console.log(
    `${`${a} and ${b}`.padEnd(56)} ${(spearman?.toFixed(2) ?? '–').padStart(7)} ${(kendall?.toFixed(2) ?? '–').padStart(8)}`,
  );
}
console.log('\nplaces far apart (0 worst, 1 best)');
for (const { name, other, here, there, because } of disagreements(sessions, 12)) {
  console.log(`${name}: metric ${here.toFixed(2)}, ${other} ${there.toFixed(2)} — ${because}`);
}
