import { Hud, type Steps } from '../hud.ts';
import { type Genre, pickNames } from './genre.ts';

const WEAPONS = ['vandal', 'kestrel', 'longshot', 'sidearm', 'breacher', 'blade', 'grenade'] as const;
/** Rounds in a magazine, seconds between shots, price. */
const MAGAZINES = { vandal: [30, 0.1], kestrel: [25, 0.12], longshot: [10, 1.2], sidearm: [12, 0.3] } as const;
type Gun = keyof typeof MAGAZINES;

/** Two teams of five, rounds of a minute or less: score, round clock, health, armour, ammunition, money, kill feed. */
export const tacticalShooter: Genre = {
  name: 'tactical-shooter',
  scenes: ['footage'],
  make: ({ theme, design, play, duration }) => {
    const roundLength = design.pick([75, 90, 100]);
    const freeze = 3;
    const maxHealth = design.pick([100, 100, 150]);
    const [mine, theirs] = [pickNames(play, 10).slice(0, 5), [] as string[]];
    theirs.push(
      ...pickNames(play, 30)
        .filter((name) => !mine.includes(name))
        .slice(0, 5),
    );
    const me = mine[0]!;
    type Log<T> = [number, T][];
    const health: Log<number> = [[0, maxHealth]];
    const armor: Log<number> = [[0, 50]];
    const ammo: Log<string> = [];
    const gun: Log<string> = [];
    const money: Log<number> = [[0, play.whole(8, 40) * 100]];
    const scores: [Log<number>, Log<number>] = [[[0, play.whole(0, 9)]], [[0, play.whole(0, 9)]]];
    const alive: [Log<number>, Log<number>] = [[[0, 5]], [[0, 5]]];
    const screens: Log<string> = [[0, 'play']];
    const kills: { t: number; killer: string; victim: string; weapon: string; team: 0 | 1 }[] = [];
    const messages: { t: number; text: string; seconds?: number; color?: string }[] = [];
    const clocks: { from: number; to: number }[] = [];
    const tints: number[] = [];
    const killcams: { from: number; to: number; name: string }[] = [];
    const events: [number, string, Record<string, string | number>][] = [];
    const last = <T>(log: Log<T>): T => log.at(-1)![1];
    let t = 0;
    while (t < duration - 8) {
      const begin = t + freeze;
      messages.push({ t, text: 'Get ready', seconds: freeze - 0.6 });
      let [left, reserve] = [0, 0];
      const weapon = play.pick(Object.keys(MAGAZINES) as Gun[]);
      [left, reserve] = [MAGAZINES[weapon][0], MAGAZINES[weapon][0] * 3];
      gun.push([t, weapon]);
      ammo.push([t, `${left}/${reserve}`]);
      if (t > 0) {
        health.push([t, maxHealth]);
        for (const log of alive) log.push([t, 5]);
        money.push([t + 1, Math.max(0, last(money) - play.pick([500, 1200, 2700]))]);
      }
      const standing: [string[], string[]] = [[...mine], [...theirs]];
      let now = begin + play.between(1.5, 3);
      let isDead = false;
      let planted = false;
      while (standing[0].length > 0 && standing[1].length > 0 && now < duration - 5 && now - begin < roundLength) {
        const what = play.next();
        if (what < 0.5) {
          const team = play.chance(0.5) ? 0 : 1;
          const killer = play.pick(standing[team]);
          const other = team === 0 ? 1 : 0;
          const victim = play.pick(standing[other]);
          standing[other].splice(standing[other].indexOf(victim), 1);
          alive[other].push([now, standing[other].length]);
          const by = killer === me ? (play.chance(0.9) ? weapon : 'grenade') : play.pick(WEAPONS);
          kills.push({ t: now, killer, victim, weapon: by, team });
          if (killer === me) {
            events.push([now, 'player kills', { victim, weapon: by }]);
            money.push([now + 0.1, last(money) + 300]);
            messages.push({ t: now + 0.05, text: `${victim} eliminated`, seconds: 1.6, color: theme.colors.accent });
          }
          if (victim === me) {
            events.push([now, 'player dies', { killer, weapon: by }]);
            isDead = true;
            health.push([now, 0]);
            tints.push(now);
            killcams.push({ from: now + 0.8, to: Math.min(now + 3.4, duration - 2), name: killer });
          }
        } else if (what < 0.75 && !isDead) {
          const damage = play.whole(5, 45);
          const next = Math.max(1, last(health) - damage);
          if (next !== last(health)) {
            health.push([now, next]);
            tints.push(now);
            if (last(armor) > 0) armor.push([now, Math.max(0, last(armor) - play.whole(2, 12))]);
          }
        } else if (!isDead && weapon in MAGAZINES) {
          const [size, gap] = MAGAZINES[weapon];
          const shots = Math.min(left, play.whole(1, size > 12 ? 9 : 3));
          for (let shot = 0; shot < shots; shot++) ammo.push([now + shot * gap, `${--left}/${reserve}`]);
          now += shots * gap;
          if (left <= size * 0.25 && reserve > 0) {
            const filled = Math.min(size - left, reserve);
            left += filled;
            reserve -= filled;
            now += 1.8;
            ammo.push([now, `${left}/${reserve}`]);
          }
        }
        if (!planted && now - begin > 12 && play.chance(0.12)) {
          planted = true;
          messages.push({ t: now + 0.4, text: 'Bomb planted' });
          events.push([now + 0.4, 'plant', {}]);
        }
        now += play.between(0.9, 3.2);
      }
      const end = Math.min(now, duration - 3);
      const won = standing[1].length === 0 || (standing[0].length > 0 && play.chance(0.5));
      scores[won ? 0 : 1].push([end, last(scores[won ? 0 : 1]) + 1]);
      events.push([end, won ? 'round won' : 'round lost', {}]);
      messages.push({ t: end, text: won ? 'Round won' : 'Round lost', seconds: 3 });
      money.push([end + 0.5, last(money) + (won ? 3250 : 1900)]);
      clocks.push({ from: begin, to: end });
      t = end + 4;
    }
    for (const { from, to } of killcams) screens.push([from, 'killcam'], [to, 'play']);
    // A look at the scoreboard, where nothing else changes the screen.
    const look = play.between(0.35, 0.8) * duration;
    if (!killcams.some(({ from, to }) => look < to + 1 && look + 2.5 > from - 1))
      screens.push([look, 'scoreboard'], [look + 2.2, 'play']);
    const sorted = screens.toSorted((a, b) => a[0] - b[0]);
    const hud = new Hud(theme, design, duration, sorted);
    for (const [at, name, details] of events) hud.event(at, name, details);
    for (const at of tints) hud.tint(at, [200, 20, 10], play.between(0.2, 0.45));
    const reading = (now: number): number => {
      const round = clocks.findLast(({ from }) => now >= from - freeze) ?? clocks[0]!;
      return Math.ceil(Math.max(0, roundLength - Math.max(0, Math.min(now, round.to) - round.from)));
    };
    const size = design.pick([30, 36, 44]);
    const slash = design.pick(['/', ' / ', ' | ']);
    const healthNode = hud.figure({ id: 'health', caption: 'Health', values: health, size, low: 25 });
    const bar = design.chance(0.5)
      ? [
          hud.gauge({
            id: 'health bar',
            values: health.map(([at, value]) => [at, value / maxHealth] as const),
            height: 12,
          }),
        ]
      : [];
    const armorNode = hud.figure({ id: 'armor', caption: 'Armor', values: armor, size: size * 0.8 });
    const ammoNode = hud.figure({
      id: 'ammo',
      kind: 'fraction',
      values: ammo as Steps<string>,
      write: (value) => String(value).replace('/', slash),
      size: size * 1.1,
      captionAs: 'none',
    });
    const hasComma = design.chance(0.5);
    const gunNode = hud.icon('weapon', gun, 48);
    const moneyNode = hud.figure({
      id: 'money',
      ...(design.chance(0.5) ? { caption: 'Money' } : {}),
      values: money,
      write: (value) => `$${hasComma ? Number(value).toLocaleString('en') : value}`,
      size: 24,
      color: '#8fe388',
    });
    const clockNode = hud.clock({
      id: 'round clock',
      direction: 'down',
      reading,
      size: 34,
      isPadded: design.chance(0.3),
    });
    const scoreNode = (team: 0 | 1) =>
      hud.figure({
        id: team === 0 ? 'own score' : 'enemy score',
        values: scores[team],
        size: 34,
        color: theme.teams[team],
        captionAs: 'none',
      });
    const aliveNode = (team: 0 | 1) =>
      hud.figure({
        id: team === 0 ? 'own alive' : 'enemies alive',
        caption: 'Alive',
        captionAs: 'below',
        values: alive[team],
        size: 22,
      });
    const hasAlive = design.chance(0.5);
    hud.place(
      'top',
      hud.row(
        [
          ...(hasAlive ? [aliveNode(0)] : []),
          scoreNode(0),
          clockNode,
          scoreNode(1),
          ...(hasAlive ? [aliveNode(1)] : []),
        ],
        24,
      ),
    );
    const feedSide = design.pick(['top right', 'top right', 'top left'] as const);
    hud.place(feedSide, hud.feed('kill feed', kills, design.pick([18, 21, 24])));
    const [healthSide, ammoSide] = design.pick([
      ['bottom left', 'bottom right'],
      ['bottom left', 'bottom right'],
      ['bottom right', 'bottom left'],
    ] as const);
    hud.place(healthSide, hud.group([hud.row([healthNode, armorNode], 26), ...bar]));
    hud.place(ammoSide, hud.row([gunNode, ammoNode], 14));
    hud.place(design.pick(['left', healthSide] as const), moneyNode);
    hud.place('upper', hud.messages('message', messages, design.pick([30, 38, 46])));
    // Screens: killer's name in the killcam, table of players on the scoreboard.
    if (killcams.length > 0) {
      const cams = killcams.map(({ from, to, name }) => ({ t: from, seconds: to - from, text: `Killed by ${name}` }));
      hud.place('lower', hud.messages('killcam', cams, 30, ['killcam']));
    }
    const rows = [...mine, ...theirs].map((name) => [name, play.whole(0, 20), play.whole(0, 20), play.whole(0, 9)]);
    const column = (at: number) =>
      hud.column(
        rows.map((row) => hud.label(String(row[at]), 20, ['scoreboard'])),
        4,
        at === 0 ? 'start' : 'end',
      );
    hud.place('centre', hud.group([hud.row([column(0), column(1), column(2), column(3)], 40)]));
    return hud;
  },
};
