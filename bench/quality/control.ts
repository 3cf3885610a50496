// Compares the controller with fixed settings over many scenarios:
//   node bench/quality/control.ts [scenarios] [seconds] [first seed]
// Every scenario is played with the controller and with each of 48 fixed settings (3 sizes, 2 frame rates, 8 bitrates).
// `outcome` is the session's total minus the planned time that was not played because the player gave up.
import { compareWithFixedSettings } from '../../src/quality/control/simulation.ts';

const [scenarios = 24, seconds = 300, first = 201] = process.argv.slice(2).map(Number);
const start = process.cpuUsage();
const { controller, fixed } = compareWithFixedSettings({
  seeds: Array.from({ length: scenarios }, (_, i) => first + i),
  duration: seconds,
  onSeed: (seed) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${seed - first + 1} of ${scenarios}`);
  },
});
const cpu = (process.cpuUsage(start).user / 1e6).toFixed(0);
console.log(`${scenarios} scenarios of ${seconds} s from seed ${first}, ${cpu} CPU s\n`);
console.log(
  `${'controller'.padEnd(34)} outcome ${controller.mean.toFixed(2)}  played ${(100 * controller.played).toFixed(1)} %`,
);
for (const { name, mean, played, behind, error, won } of fixed) {
  const ahead = `${behind >= 0 ? '+' : ''}${behind.toFixed(2)} ± ${error.toFixed(2)}`;
  console.log(
    `${name.padEnd(34)} outcome ${mean.toFixed(2).padStart(5)}  played ${(100 * played).toFixed(1).padStart(5)} %  controller ${ahead}, better in ${won}`,
  );
}
const best = controller.outcomes.map((_, i) => Math.max(...fixed.map(({ outcomes }) => outcomes[i]!)));
const mean = best.reduce((sum, one) => sum + one, 0) / best.length;
console.log(`\nbest fixed setting of each scenario, known beforehand: ${mean.toFixed(2)}`);
