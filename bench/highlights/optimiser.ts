// Compares the exact scene selection with the greedy one on 1000 random cases: gain and time.
//   node bench/highlights/optimiser.ts [cases]
import { select, selectGreedily, type Candidate } from '../../src/highlights/select.ts';

const cases = Number(process.argv[2] ?? 1000);
let seed = 20_260_101;
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
}

const kinds = ['kill with shotgun', 'kill with railgun', 'die', 'obtain key', 'complete level'];

/** 5 to 60 scenes of 3 to 20 s in one to six sessions, values as scores have them: many small, few large. */
function randomCase(): { candidates: Candidate[]; duration: number; perSession?: number } {
  const count = 5 + Math.floor(random() * 56);
  const sessions = 1 + Math.floor(random() * 6);
  const candidates = Array.from(
    { length: count },
    (_, scene): Candidate => ({
      scene,
      session: String(Math.floor((scene * sessions) / count)),
      kind: kinds[Math.floor(random() ** 1.5 * kinds.length)]!,
      duration: Math.round((3 + random() * 17) * 1000) / 1000,
      value: Math.round(40 * random() ** 3 * 10) / 10 + 1,
    }),
  );
  const duration = 15 + Math.floor(random() * 106);
  return { candidates, duration, ...(random() < 0.3 && { perSession: 1 + Math.floor(random() * 3) }) };
}

const gains: number[] = [];
const times: number[] = [];
let better = 0;
for (let i = 0; i < cases; i++) {
  const { candidates, ...options } = randomCase();
  const greedy = selectGreedily(candidates, options).value;
  const start = performance.now();
  const exact = select(candidates, options);
  times.push(performance.now() - start);
  if (exact.value < greedy - 1e-9) throw new Error(`case ${i}: exact ${exact.value} below greedy ${greedy}`);
  if (exact.value > greedy + 1e-9) better++;
  gains.push(greedy > 0 ? exact.value / greedy - 1 : 0);
}
gains.sort((a, b) => a - b);
times.sort((a, b) => a - b);
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
process.stdout.write(`${cases} cases: exact better in ${better}, worse in 0\n`);
process.stdout.write(
  `gain over greedy: mean ${percent(gains.reduce((sum, gain) => sum + gain, 0) / cases)}, median ${percent(gains[cases >> 1]!)}, 95th percentile ${percent(gains[Math.floor(cases * 0.95)]!)}, most ${percent(gains.at(-1)!)}\n`,
);
process.stdout.write(
  `time: median ${times[cases >> 1]!.toFixed(2)} ms, 99th percentile ${times[Math.floor(cases * 0.99)]!.toFixed(1)} ms, most ${times.at(-1)!.toFixed(1)} ms\n`,
);
