// Measures whether the choice of scenes learns a person's taste, on simulated users:
//   node bench/highlights/preferences.ts [users]
// Each user values kills with some weapons and finds of some items more than others (a factor from 0.1 to 10 a word, unknown to the
// program), and keeps a scene with a probability that grows with its value. Of sessions of 20 minutes the program chooses 40 s; after
// each, it learns what was kept. Printed: the share of scenes that is kept, by session, with and without learning.
import { loadBuiltin } from '../../src/dictionary/files.ts';
import type { EventLine } from '../../src/events/log.ts';
import { chooseScenes } from '../../src/highlights/choose.ts';
import type { Scene, Source } from '../../src/highlights/list.ts';
import { learnPreferences, noPreferences, preferenceFactors } from '../../src/highlights/preferences.ts';

const users = Number(process.argv[2] ?? 40);
const SESSIONS = 8;
const WEAPONS = ['railgun', 'shotgun', 'rocket launcher', 'machine gun', 'grenade launcher', 'gauntlet'];
const ITEMS = ['medikit', 'key', 'armor'];
const { dictionary } = await loadBuiltin();

function randomNumbers(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_507) + 0x9e37_79b9;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

function session(random: () => number): Source {
  const events: EventLine[] = [];
  for (let t = 10; t < 1200; t += 8 + random() * 20) {
    const isKill = random() < 0.7;
    const statement = isKill
      ? { subject: 'player', action: 'kill', object: 'opponent', with: WEAPONS[Math.floor(random() * WEAPONS.length)]! }
      : { subject: 'player', action: 'obtain', object: ITEMS[Math.floor(random() * ITEMS.length)]! };
    const line = {
      type: 'event',
      id: `${t}`,
      t,
      end: t,
      game: 'openarena',
      session: 's',
      text: '',
      statement,
    } as const;
    events.push({ ...line, confidence: 1, cues: [] });
  }
  const media = { name: 's.mp4', duration: 1210, width: 1280, height: 720 };
  return { header: { game: 'openarena', session: 's', media }, events } as unknown as Source;
}

const totals = {
  plain: Array.from({ length: SESSIONS }, () => [0, 0]),
  learning: Array.from({ length: SESSIONS }, () => [0, 0]),
};
for (let user = 1; user <= users; user++) {
  const taste = randomNumbers(user);
  const values = new Map([...WEAPONS, ...ITEMS].map((word) => [word, 10 ** (2 * taste() - 1)]));
  for (const mode of ['plain', 'learning'] as const) {
    const random = randomNumbers(1000 + user);
    let known = noPreferences;
    for (let round = 0; round < SESSIONS; round++) {
      const factors = mode === 'learning' ? { factors: preferenceFactors(known) } : {};
      const { scenes } = chooseScenes([session(random)], { dictionary, duration: 40, notable: 1, ...factors });
      const kept = scenes.filter((scene: Scene) => {
        const best = Math.max(
          ...scene.events.map(({ event }) => {
            const { with: tool, object } = event.statement as { with?: string; object: string };
            return values.get(tool ?? object) ?? 1;
          }),
        );
        return random() < best / (1 + best);
      });
      known = learnPreferences(known, scenes, kept);
      totals[mode][round]![0]! += kept.length;
      totals[mode][round]![1]! += scenes.length;
    }
  }
}
for (const [mode, rounds] of Object.entries(totals))
  console.log(mode.padEnd(9), rounds.map(([kept, all]) => `${((100 * kept!) / all!).toFixed(0)} %`).join('  '));
