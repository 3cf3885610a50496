import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Random } from './random.ts';

/** A face of a @fontsource package. */
export interface Font {
  /** Name of the package after `@fontsource/`. */
  readonly name: string;
  readonly weight: number;
  readonly style: 'normal' | 'italic';
  /** Kind of design, for tables. */
  readonly design: 'condensed' | 'italic' | 'wide' | 'rounded' | 'slab' | 'mono' | 'heavy' | 'serif' | 'plain';
  readonly scripts: readonly Script[];
}

/** A subset of a font. */
export type Script = 'latin' | 'cyrillic' | 'chinese-simplified';

function font(name: string, weight: number, design: Font['design'], more: Partial<Font> = {}): Font {
  return { name, weight, style: 'normal', design, scripts: ['latin'], ...more };
}

/** The fonts of the games. */
export const FONTS: readonly Font[] = [
  font('rajdhani', 700, 'plain'),
  font('titillium-web', 600, 'plain'),
  font('chakra-petch', 600, 'plain'),
  font('teko', 500, 'condensed'),
  font('oswald', 600, 'condensed', { scripts: ['latin', 'cyrillic'] }),
  font('bebas-neue', 400, 'condensed'),
  font('barlow-condensed', 600, 'condensed'),
  font('barlow-condensed', 700, 'italic', { style: 'italic' }),
  font('exo-2', 700, 'italic', { style: 'italic', scripts: ['latin', 'cyrillic'] }),
  font('titillium-web', 700, 'italic', { style: 'italic' }),
  font('orbitron', 700, 'wide'),
  font('nunito', 800, 'rounded', { scripts: ['latin', 'cyrillic'] }),
  font('roboto-slab', 700, 'slab', { scripts: ['latin', 'cyrillic'] }),
  font('share-tech-mono', 400, 'mono'),
  font('black-ops-one', 400, 'heavy'),
  font('russo-one', 400, 'heavy', { scripts: ['latin', 'cyrillic'] }),
  font('cinzel', 700, 'serif'),
  font('zcool-qingke-huangyou', 400, 'plain', { scripts: ['latin', 'chinese-simplified'] }),
];

/** Name of a face, as truth and tables have it. */
export function fontName({ name, weight, style }: Font): string {
  return `${name} ${weight}${style === 'italic' ? ' italic' : ''}`;
}

/** The family by which CSS names a face. */
export function fontFamily(face: Font): string {
  return fontName(face).replaceAll(' ', '-');
}

const require = createRequire(import.meta.url);

/** `@font-face` rules of a face, with the font's bytes in them. */
export function fontRules(face: Font): string {
  return face.scripts
    .map((script) => {
      const file = `@fontsource/${face.name}/files/${face.name}-${script}-${face.weight}-${face.style}.woff2`;
      const data = readFileSync(require.resolve(file)).toString('base64');
      const range = script === 'cyrillic' ? 'unicode-range:U+0400-045F,U+0490-0491,U+2116;' : '';
      return `@font-face{font-family:"${fontFamily(face)}";font-weight:${face.weight};font-style:${face.style};${range}src:url(data:font/woff2;base64,${data}) format("woff2")}`;
    })
    .join('\n');
}

/** Effects that text is drawn with. */
export type Effect = 'plain' | 'shadow' | 'outline' | 'glow' | 'gradient';

/** CSS of an effect for text of a colour and height. */
export function effectCss(effect: Effect, color: string, size: number): string {
  const wide = Math.max(1, size * 0.06).toFixed(1);
  switch (effect) {
    case 'plain':
      return `color:${color};`;
    case 'shadow':
      return `color:${color};text-shadow:${wide}px ${wide}px ${wide}px rgba(0,0,0,.85);`;
    case 'outline':
      return `color:${color};-webkit-text-stroke:${(size * 0.13).toFixed(1)}px #101014;paint-order:stroke fill;`;
    case 'glow':
      return `color:${color};text-shadow:0 0 ${(size * 0.25).toFixed(1)}px ${color},0 0 1px #000;`;
    case 'gradient':
      return `color:transparent;background:linear-gradient(#fff 20%,${color} 75%);-webkit-background-clip:text;background-clip:text;filter:drop-shadow(${wide}px ${wide}px 1px rgba(0,0,0,.8));`;
  }
}

/** Picks a font that has a script. */
export function pickFont(random: Random, script: Script, designs?: readonly Font['design'][]): Font {
  const able = FONTS.filter(
    ({ scripts, design }) => scripts.includes(script) && (designs === undefined || designs.includes(design)),
  );
  return random.pick(able.length > 0 ? able : FONTS.filter(({ scripts }) => scripts.includes(script)));
}
