import { Hud } from '../hud.ts';
import { type Genre } from './genre.ts';

const CARDS = [
  'Fire Drake',
  'Mossy Golem',
  'Thief',
  'Holy Light',
  'Ice Lance',
  'Sea Giant',
  'Goblin Cook',
  'Mirror',
  'Dark Pact',
  'Squire',
] as const;

/** A duel with cards, turn by turn: life, mana, hand and deck, turn timer, a log of cards played. */
export const card: Genre = {
  name: 'card',
  scenes: ['table'],
  make: ({ theme, design, play, duration }) => {
    const most = design.pick([20, 30]);
    type Log<T> = [number, T][];
    const life: [Log<number>, Log<number>] = [[[0, most]], [[0, most]]];
    const mana: Log<string> = [[0, '0/0']];
    const [hand, deck, turn]: [Log<number>, Log<number>, Log<number>] = [[[0, 4]], [[0, 26]], [[0, 1]]];
    const rows: { t: number; text: string }[] = [];
    const messages: { t: number; text: string; seconds: number }[] = [];
    const turns: { from: number; to: number; own: boolean }[] = [];
    const events: [number, string, string][] = [];
    const last = <T>(log: Log<T>): T => log.at(-1)![1];
    let t = 0.5;
    let crystals = play.whole(1, 4);
    for (let n = 1; t < duration - 5; n++) {
      const own = n % 2 === 1;
      messages.push({ t, text: own ? 'Your turn' : 'Enemy turn', seconds: 1.6 });
      if (own) {
        turn.push([t, Math.ceil(n / 2)]);
        crystals = Math.min(10, crystals + 1);
        mana.push([t + 0.2, `${crystals}/${crystals}`]);
        hand.push([t + 0.4, last(hand) + 1]);
        deck.push([t + 0.4, last(deck) - 1]);
      }
      let left = crystals;
      let now = t + play.between(1.8, 3);
      const from = t;
      for (let plays = play.whole(1, 3); plays > 0; plays--) {
        const name = play.pick(CARDS);
        const who = own ? 'You' : 'Enemy';
        events.push([now, 'play', name]);
        rows.push({ t: now, text: `${who}: ${name}` });
        if (own && last(hand) > 0) {
          left = Math.max(0, left - play.whole(1, 3));
          mana.push([now, `${left}/${crystals}`]);
          hand.push([now, last(hand) - 1]);
        }
        if (play.chance(0.6)) {
          const target = own ? 1 : 0;
          life[target].push([now + 0.7, Math.max(1, last(life[target]) - play.whole(1, 5))]);
        }
        now += play.between(1.8, 3.4);
      }
      turns.push({ from, to: now, own });
      t = now + 0.5;
    }
    const hud = new Hud(theme, design, duration);
    for (const [at, name, text] of events) hud.event(at, name, { text });
    const limit = design.pick([15, 20, 30]);
    const reading = (now: number): number | undefined => {
      const one = turns.find(({ from, to, own }) => own && now >= from && now < to);
      return one && Math.ceil(Math.max(0, limit - (now - one.from)));
    };
    const size = design.pick([38, 46]);
    hud.place(
      'bottom left',
      hud.figure({ id: 'own life', caption: 'Health', values: life[0], size, low: 6 }),
      hud.figure({ id: 'turn', caption: 'Turn', values: turn, size: 22 }),
    );
    hud.place('top left', hud.figure({ id: 'enemy life', caption: 'Health', values: life[1], size, low: 6 }));
    hud.place(
      'bottom right',
      hud.figure({ id: 'mana', kind: 'fraction', caption: 'Mana', values: mana, size: 30, color: '#7ab8ff' }),
      hud.gauge({
        id: 'mana crystals',
        values: mana.map(([at, value]) => [at, Number(value.split('/')[0]) / 10] as const),
        form: 'cells',
        cells: 10,
        width: 220,
        color: '#4a8dff',
      }),
    );
    hud.place(
      'right',
      hud.group([
        hud.figure({ id: 'hand', caption: 'Hand', captionAs: 'before', values: hand, size: 22 }),
        hud.figure({ id: 'deck', caption: 'Deck', captionAs: 'before', values: deck, size: 22 }),
      ]),
    );
    hud.place('top right', hud.clock({ id: 'turn clock', direction: 'down', reading, size: 28 }));
    const drawn = rows.map(({ t: at, text }) => ({ t: at, text, html: hud.html(text, 'label', 18) }));
    hud.place('left', hud.rows('log', 'message', drawn, { seconds: 7, size: 18, most: 4 }));
    for (const { t: at, text } of drawn) hud.event(at, 'message', { element: 'log', text, until: at + 7 });
    hud.place('centre', hud.messages('message', messages, design.pick([44, 56])));
    return hud;
  },
};
