import { type Effect, effectCss, type Font, fontFamily, pickFont, type Script } from './fonts.ts';
import type { Random } from './random.ts';

/** How captions lie around their figures. */
export type CaptionStyle = 'inline' | 'before' | 'above' | 'below' | 'icon';

/** What text is for: each role has its own font. */
export type Role = 'figure' | 'label' | 'message';

/** The looks of a game, drawn by lot once: both of its recordings have them. */
export interface Theme {
  readonly width: number;
  readonly height: number;
  readonly frameRate: number;
  readonly isVariable: boolean;
  readonly codec: 'h264' | 'hevc' | 'av1';
  /** Bits a second. */
  readonly bitrate: number;
  readonly scale: number;
  readonly language: 'en' | 'ru' | 'zh';
  readonly fonts: Readonly<Record<Role, Font>>;
  readonly effects: Readonly<Record<Role, Effect>>;
  readonly hasSmallCaps: boolean;
  readonly colors: { readonly main: string; readonly accent: string; readonly label: string };
  readonly teams: readonly [string, string];
  readonly captionStyle: CaptionStyle;
  /** Opacity of dark panels behind groups; 0 for none. */
  readonly panel: number;
  /** Figures light up when they change. */
  readonly hasFlashes: boolean;
  /** Pixels of the recording for a length at 720 lines. */
  readonly px: (length: number) => number;
}

const LANGUAGES = { en: 'latin', ru: 'cyrillic', zh: 'chinese-simplified' } as const satisfies Record<string, Script>;
const MAIN_COLORS = ['#ffffff', '#f4f4e8', '#ffe27a', '#9fe8ff', '#d9ffcf', '#ffd0a0'] as const;
const ACCENT_COLORS = ['#ffcc33', '#55ddff', '#ff7755', '#88ff66', '#ff66cc'] as const;
const TEAMS = [
  ['#4aa8ff', '#ff6a4a'],
  ['#67d967', '#e85aff'],
  ['#ffd24a', '#5ac8ff'],
  ['#7affd2', '#ff5a6a'],
] as const;

/** An item, each as often as its weight says. */
function pickWeighted<T>(random: Random, items: readonly (readonly [item: T, weight: number])[]): T {
  let at = random.next() * items.reduce((sum, [, weight]) => sum + weight, 0);
  return (items.find(([, weight]) => (at -= weight) < 0) ?? items.at(-1)!)[0];
}

/** Draws the looks of a game. */
export function makeTheme(random: Random): Theme {
  const [width, height] = pickWeighted(random, [
    [[1280, 720], 70],
    [[1920, 1080], 12],
    [[2560, 1440], 3],
    [[960, 720], 7],
    [[1680, 720], 8],
  ] as const);
  const [frameRate, isVariable] = pickWeighted(random, [
    [[30, false], 65],
    [[60, false], 20],
    [[60, true], 15],
  ] as const);
  const codec = pickWeighted(random, [
    ['h264', 80],
    ['hevc', 10],
    ['av1', 10],
  ] as const);
  const pixels = Math.sqrt((width * height) / (1280 * 720));
  const bitrate = Math.round(1e5 * Math.min(200, 10 ** random.between(1.1, 2.2) * pixels));
  const language = pickWeighted(random, [
    ['en', 84],
    ['ru', 8],
    ['zh', 8],
  ] as const);
  const script = LANGUAGES[language];
  const effect = (): Effect =>
    pickWeighted(random, [
      ['plain', 15],
      ['shadow', 35],
      ['outline', 30],
      ['glow', 10],
      ['gradient', 10],
    ] as const);
  const main = random.pick(MAIN_COLORS);
  const scale = random.between(0.9, 1.25);
  const figure = pickFont(random, language === 'zh' ? 'chinese-simplified' : 'latin');
  return {
    width,
    height,
    frameRate,
    isVariable,
    codec,
    bitrate,
    scale,
    language,
    fonts: {
      figure,
      label: random.chance(0.4)
        ? pickFont(random, script)
        : figure.scripts.includes(script)
          ? figure
          : pickFont(random, script),
      message: pickFont(random, script),
    },
    effects: { figure: effect(), label: random.pick(['plain', 'shadow', 'outline']), message: effect() },
    hasSmallCaps: random.chance(0.15),
    colors: { main, accent: random.pick(ACCENT_COLORS), label: random.pick(['#ffffff', '#c8ccd0', main]) },
    teams: random.pick(TEAMS),
    captionStyle: random.pick(['inline', 'before', 'above', 'below', 'icon']),
    panel: random.chance(0.35) ? random.between(0.25, 0.6) : 0,
    hasFlashes: random.chance(0.3),
    px: (length) => (length * height * scale) / 720,
  };
}

/** CSS of text of a role. */
export function textCss(theme: Theme, role: Role, size: number, color?: string): string {
  const face = theme.fonts[role];
  const own = color ?? (role === 'label' ? theme.colors.label : theme.colors.main);
  const caps = role === 'label' && theme.hasSmallCaps ? 'font-variant-caps:small-caps;' : '';
  const height = theme.px(size);
  return `font:${face.style} ${face.weight} ${height.toFixed(1)}px '${fontFamily(face)}';font-variant-numeric:tabular-nums;${caps}${effectCss(theme.effects[role], own, height)}`;
}

/** The effects of a role, as truth lists them. */
export function effectsOf({ fonts, effects, hasSmallCaps }: Theme, role: Role): readonly string[] {
  return [
    ...(fonts[role].style === 'italic' ? ['italic'] : []),
    ...(effects[role] === 'plain' ? [] : [effects[role]]),
    ...(role === 'label' && hasSmallCaps ? ['small-caps'] : []),
  ];
}

/** Words of the HUDs in languages other than English. */
const WORDS: Readonly<Record<'ru' | 'zh', Readonly<Record<string, string>>>> = {
  ru: {
    Score: 'Счёт',
    Lap: 'Круг',
    Speed: 'Скорость',
    Time: 'Время',
    Position: 'Место',
    Best: 'Лучшее',
    Last: 'Прошлый',
    Boost: 'Ускорение',
    Health: 'Здоровье',
    Armor: 'Броня',
    Ammo: 'Патроны',
    Money: 'Деньги',
    Alive: 'Живы',
    Kills: 'Убийства',
    Shield: 'Щит',
    Gold: 'Золото',
    Level: 'Уровень',
    Mana: 'Мана',
    Round: 'Раунд',
    Turn: 'Ход',
    Deck: 'Колода',
    Hand: 'Рука',
    Coins: 'Монеты',
    Lives: 'Жизни',
    World: 'Мир',
    Day: 'День',
    Wood: 'Дерево',
    Stone: 'Камень',
    Food: 'Еда',
    Water: 'Вода',
    Hits: 'Удары',
    Supply: 'Лимит',
    Gear: 'Передача',
    'Final lap!': 'Последний круг!',
    'Wrong way': 'Неверный путь',
    'New record': 'Новый рекорд',
    'Round won': 'Раунд выигран',
    'Round lost': 'Раунд проигран',
    'Bomb planted': 'Бомба установлена',
    Checkpoint: 'Контрольная точка',
    Victory: 'Победа',
    Defeat: 'Поражение',
    'Your turn': 'Ваш ход',
    'Enemy turn': 'Ход врага',
    'Level up!': 'Новый уровень!',
    'Goal!': 'Гол!',
    'Get ready': 'Приготовьтесь',
    'Zone is closing': 'Зона сужается',
    'Night falls': 'Наступает ночь',
    'You are hungry': 'Вы голодны',
  },
  zh: {
    Score: '得分',
    Lap: '圈数',
    Speed: '速度',
    Time: '时间',
    Position: '名次',
    Best: '最佳',
    Last: '上圈',
    Boost: '加速',
    Health: '生命',
    Armor: '护甲',
    Ammo: '弹药',
    Money: '金钱',
    Alive: '存活',
    Kills: '击杀',
    Shield: '护盾',
    Gold: '金币',
    Level: '等级',
    Mana: '法力',
    Round: '回合',
    Turn: '回合',
    Deck: '牌库',
    Hand: '手牌',
    Coins: '金币',
    Lives: '生命',
    World: '世界',
    Day: '天数',
    Wood: '木材',
    Stone: '石头',
    Food: '食物',
    Water: '水',
    Hits: '连击',
    Supply: '人口',
    Gear: '档位',
    'Final lap!': '最后一圈',
    'Wrong way': '方向错误',
    'New record': '新纪录',
    'Round won': '回合胜利',
    'Round lost': '回合失败',
    'Bomb planted': '炸弹已安放',
    Checkpoint: '检查点',
    Victory: '胜利',
    Defeat: '失败',
    'Your turn': '你的回合',
    'Enemy turn': '敌方回合',
    'Level up!': '升级',
    'Goal!': '进球',
    'Get ready': '准备',
    'Zone is closing': '安全区缩小',
    'Night falls': '夜幕降临',
    'You are hungry': '你饿了',
  },
};

/** A word in the language of the game; English where it has none. */
export function say({ language }: Pick<Theme, 'language'>, text: string): string {
  return language === 'en' ? text : (WORDS[language][text] ?? text);
}
