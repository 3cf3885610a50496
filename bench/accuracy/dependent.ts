// Dependent detectors on a recording of OpenArena: `node bench/accuracy/dependent.ts <clip folder> [--to seconds] [--rounds n]`.
// Compares a region relative to a found icon with the fixed region and the truth, and a sequence (a medal after a kill) with the truth's
// kills; checks modes; measures the processor time of inactive detectors in alternating runs (medians).
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadLog } from '../../src/events/reader.ts';
import { recordLog } from '../../src/pipeline/record-log.ts';
import type { DetectorSpec, Profile } from '../../src/profile/profile.ts';
import { journalRecords } from '../../test/truth/journal.ts';
import { kindOf } from '../../test/truth/match.ts';
import { valueAt } from '../../test/truth/series.ts';
import { loadTruth } from '../../test/truth/truth.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string', default: '132' }, rounds: { type: 'string', default: '3' } },
});
const clip = positionals[0];
if (clip === undefined) {
  process.stderr.write('usage: node bench/accuracy/dependent.ts <clip folder> [--to seconds] [--rounds n]\n');
  process.exit(2);
}

const root = join(import.meta.dirname, '..', '..');
const work = await mkdtemp(join(tmpdir(), 'dependent-'));
const profile = JSON.parse(await readFile(join(root, 'configs', 'openarena', 'profile.json'), 'utf8')) as Profile;

/** Runs a variant of the profile; CPU seconds. */
async function run(name: string, variant: Profile): Promise<number> {
  const pack = join(work, name);
  await mkdir(join(pack, 'configs'), { recursive: true });
  await cp(join(root, 'configs', 'openarena'), join(pack, 'configs', 'openarena'), { recursive: true });
  await cp(join(root, 'scripts'), join(pack, 'scripts'), { recursive: true });
  const path = join(pack, 'configs', 'openarena', 'profile.json');
  await writeFile(path, JSON.stringify({ dictionaries: ['openarena'], ...variant }));
  const before = process.cpuUsage();
  await recordLog({
    media: join(clip!, 'video.mp4'),
    game: path,
    out: join(pack, 'out'),
    workers: 1,
    to: Number(values.to),
  });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const truth = await loadTruth(clip);
const readEvents = async (name: string) => (await loadLog(join(work, name, 'out'))).events;

// 1. The ammunition's figure is left of the weapon's icon, which is searched for in an area twelve times as large.
const { weapon, ammunition } = profile.detectors as { weapon: DetectorSpec; ammunition: DetectorSpec };
const figure = profile.regions['ammunition']!;
const icon = profile.regions['weapon']!;
const { search: _, when: __, ...anywhere } = weapon;
const following: Profile = {
  ...profile,
  regions: {
    ...profile.regions,
    'lower left': { x: 0.1, y: 0.86, width: 0.2, height: 0.14, anchor: 'bottom left', scale: 'stretch' },
    relative: {
      x: (figure.x - icon.x) / icon.width,
      y: (figure.y - icon.y) / icon.height,
      width: figure.width / icon.width,
      height: figure.height / icon.height,
      scale: 'stretch',
      relative: { detector: 'icon anywhere' },
    },
  },
  detectors: {
    ...profile.detectors,
    'icon anywhere': { ...anywhere, region: 'lower left' },
    'relative figure': { ...ammunition, region: 'relative', interval: 0.1 },
  },
};
await run('following', following);
const counts = { fixed: [0, 0], following: [0, 0], both: [0, 0] };
const names = Object.keys(following.detectors);
for (const { t, observations, seen } of await journalRecords(join(work, 'following', 'out', 'readings.journal'))) {
  for (const [i, time] of t.entries()) {
    const [fixed, relative] = ['ammunition', 'relative figure'].map(
      (name) => observations[seen[i]![names.indexOf(name)]!],
    );
    const now = valueAt(truth.series['ammunition']!, time);
    const steady = [-2, 2].every((frames) => valueAt(truth.series['ammunition']!, time + frames / truth.fps) === now);
    if (relative?.state !== 'seen' || !steady || typeof now !== 'number') continue;
    counts.following[0]! += Number(relative.value === now);
    counts.following[1]! += 1;
    if (fixed?.state !== 'seen') continue;
    counts.fixed[0]! += Number(fixed.value === now);
    counts.fixed[1]! += 1;
    counts.both[0]! += Number(fixed.value === relative.value);
    counts.both[1]! += 1;
  }
}
say('## A region that follows the weapon’s icon, looked for in a fortieth of the frame\n');
say('| figures read | right | of |\n|---|---|---|');
say(`| relative to the found icon | ${counts.following[0]} | ${counts.following[1]} |`);
say(`| of those, in the fixed region | ${counts.fixed[0]} | ${counts.fixed[1]} |`);
say(`| the same in both | ${counts.both[0]} | ${counts.both[1]} |\n`);

// 2. A medal after a kill by the followed player, and a mode: nothing but feed and names is read while no figures are shown.
const player = (JSON.parse(await readFile(join(clip, 'truth.json'), 'utf8')) as { followed_player: string })
  .followed_player;
const linked: Profile = {
  ...profile,
  modes: { alive: { detector: 'health' } },
  sequences: {
    'rewarded kill': {
      steps: [
        {
          detector: 'feed',
          trigger: 'found',
          match: `^(.+) (?:was|ate|almost|were|didn't).* (?:by )?${player}(?:'s .*)?$`,
        },
        { detector: 'medal', within: 2.5 },
      ],
      statement: { subject: 'player', action: 'earn', object: '$2', from: { word: 'opponent', name: '$1' } },
    },
  },
  detectors: Object.fromEntries(
    Object.entries(profile.detectors).map(([name, spec]) => [
      name,
      ['weapon', 'armor'].includes(name) ? { ...spec, modes: ['alive'] } : spec,
    ]),
  ),
};
await run('plain', profile);
await run('linked', linked);
const chains = (await readEvents('linked')).filter(
  ({ statement }) => 'action' in statement && statement.from !== undefined,
);
const medals = (await readEvents('plain')).filter(
  ({ statement }) => 'action' in statement && statement.action === 'earn',
);
const kills = truth.raw.filter(
  ({ statement }) => kindOf(statement) === 'kill' && 'subject' in statement && statement.subject === 'player',
);
say('## A medal within 2.5 s of a kill\n');
for (const { t, text, cues } of chains) {
  const kill = kills.findLast((one) => one.t <= t + 0.1);
  say(
    `- ${t.toFixed(1)} s ${text} (kill at ${cues[0]!.t.toFixed(1)} s; the truth's last at ${kill?.t.toFixed(1) ?? '–'} s)`,
  );
}
say(
  `\n${chains.length} of ${medals.length} medals seen in ${values.to} s follow a kill by ${player}; the truth has ${kills.length} such kills.\n`,
);

// 3. Modes: armor and weapon are read while there is a life.
const plainEvents = await readEvents('plain');
const linkedEvents = (await readEvents('linked')).filter((event) => !chains.includes(event));
const missing = plainEvents.filter((one) => !linkedEvents.some(({ t, text }) => t === one.t && text === one.text));
const more = linkedEvents.filter((one) => !plainEvents.some(({ t, text }) => t === one.t && text === one.text));
say('## Armor and weapon only while figures are shown (mode “alive”)\n');
say(
  `${plainEvents.length} events without, ${linkedEvents.length} with the mode; ${missing.length} missing, ${more.length} more.`,
);
for (const [sign, list] of [
  ['−', missing],
  ['+', more],
] as const)
  for (const { t, text } of list) say(`    ${sign} ${t.toFixed(1)} ${text}`);

// 4. What is switched off costs.
const idle: Profile = {
  ...profile,
  sequences: { never: { steps: [{ detector: 'health', match: '^never$' }, { detector: 'armor' }] } },
  detectors: {
    ...profile.detectors,
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_none, i) => [
        `idle ${i}`,
        { ...profile.detectors['item']!, after: { detector: 'never', for: 2 } },
      ]),
    ),
  },
};
const times: number[][] = [[], []];
for (let round = 0; round < Number(values.rounds); round++) {
  times[0]!.push(await run('without', profile));
  times[1]!.push(await run('idle', idle));
}
if (times[0]!.length > 0) {
  const [without, off] = times.map((list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!) as [
    number,
    number,
  ];
  say(`\n## Twenty detectors that are never switched on\n`);
  say(
    `CPU ${without.toFixed(2)} s without, ${off.toFixed(2)} s with them: ${(off / without).toFixed(3)} (medians of ${values.rounds}, in turns)`,
  );
}
await rm(work, { recursive: true });
