import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Hud, type Leaf, type PlacedLeaf, spritePlace } from './hud.ts';
import type { Scene } from './scenes.ts';
import { type Sprite, toYuv } from './sprites.ts';
import type { Theme } from './theme.ts';
import type { Box } from './truth.ts';

/** Blends a sprite over a frame in YUV 4:2:0. `x` and `y` are even. */
function blend(
  frame: Uint8Array,
  width: number,
  height: number,
  sprite: Sprite,
  x: number,
  y: number,
  opacity: number,
): void {
  const share = Math.round(256 * Math.min(1, Math.max(0, opacity)));
  if (share === 0) return;
  const [left, right] = [Math.max(0, -x), Math.min(sprite.width, width - x)];
  const [top, bottom] = [Math.max(0, -y), Math.min(sprite.height, height - y)];
  for (let row = top; row < bottom; row++) {
    let from = row * sprite.width + left;
    let to = (y + row) * width + x + left;
    for (let column = left; column < right; column++, from++, to++) {
      const alpha = sprite.alpha[from]!;
      if (alpha === 0) continue;
      const a = (alpha * share) >> 8;
      frame[to] = ((sprite.y[from]! * share) >> 8) + Math.round((frame[to]! * (255 - a)) / 255);
    }
  }
  const pixels = width * height;
  const [halfWidth, spriteHalf] = [width >> 1, sprite.width >> 1];
  for (let row = top >> 1; row < bottom >> 1; row++) {
    let from = row * spriteHalf + (left >> 1);
    let to = pixels + ((y >> 1) + row) * halfWidth + (x >> 1) + (left >> 1);
    for (let column = left >> 1; column < right >> 1; column++, from++, to++) {
      const alpha = sprite.chromaAlpha[from]!;
      if (alpha === 0) continue;
      const keep = 255 - ((alpha * share) >> 8);
      const at = to + (pixels >> 2);
      frame[to] = 128 + Math.round((sprite.u[from]! * share) / 256 + ((frame[to]! - 128) * keep) / 255);
      frame[at] = 128 + Math.round((sprite.v[from]! * share) / 256 + ((frame[at]! - 128) * keep) / 255);
    }
  }
}

/** The even number next to a value, from 0 to `most`. */
function even(value: number, most: number): number {
  return Math.min(most, Math.max(0, 2 * Math.round(value / 2)));
}

/** Blends a colour over a part of a frame. */
function tint(
  frame: Uint8Array,
  width: number,
  height: number,
  box: Box,
  color: readonly [number, number, number],
  share: number,
): void {
  const [y, u, v] = toYuv(...color);
  const [left, right] = [even(box.x, width), even(box.x + box.width, width)];
  const [top, bottom] = [even(box.y, height), even(box.y + box.height, height)];
  const keep = 1 - share;
  for (let row = top; row < bottom; row++)
    for (let i = row * width + left; i < row * width + right; i++) frame[i] = frame[i]! * keep + y * share;
  const pixels = width * height;
  for (let row = top >> 1; row < bottom >> 1; row++)
    for (let i = pixels + row * (width >> 1) + (left >> 1); i < pixels + row * (width >> 1) + (right >> 1); i++) {
      frame[i] = frame[i]! * keep + (128 + u) * share;
      frame[i + pixels / 4] = frame[i + pixels / 4]! * keep + (128 + v) * share;
    }
}

/** Steps through the states of a leaf as time goes on. */
class LeafPlayer {
  readonly #leaf: Leaf;
  #at = -1;

  constructor(leaf: Leaf) {
    this.#leaf = leaf;
  }

  /** The HTML at a time, which never goes back. */
  htmlAt(t: number): string | undefined {
    const { html } = this.#leaf;
    while (this.#at + 1 < html.length && html[this.#at + 1]![0] <= t + 1e-9) this.#at++;
    return html[this.#at]?.[1];
  }
}

function encoderArguments({ codec, bitrate, frameRate, isVariable }: Theme): readonly string[] {
  const rate = [
    '-b:v',
    String(bitrate),
    '-maxrate',
    String(Math.round(1.5 * bitrate)),
    '-bufsize',
    String(2 * bitrate),
  ];
  const group = ['-g', String(2 * frameRate)];
  // Recorders repeat no frame while the game is slow: a third of the frames is missing.
  const frames = isVariable ? ['-vf', 'select=gt(random(7)\\,0.34)', '-fps_mode', 'vfr'] : [];
  switch (codec) {
    case 'h264':
      return [...frames, '-c:v', 'libx264', '-preset', 'superfast', ...rate, ...group];
    case 'hevc':
      return [
        ...frames,
        '-c:v',
        'libx265',
        '-preset',
        'ultrafast',
        ...rate,
        ...group,
        '-x265-params',
        'log-level=error',
        '-tag:v',
        'hvc1',
      ];
    case 'av1':
      return [...frames, '-c:v', 'libsvtav1', '-preset', '12', '-b:v', String(bitrate), ...group];
  }
}

/** Draws a HUD over a scene and encodes it. */
export async function composeRecording(
  hud: Hud,
  {
    leaves,
    panels,
  }: {
    readonly leaves: readonly PlacedLeaf[];
    readonly panels: readonly (Box & { readonly screens: readonly string[] })[];
  },
  sprites: ReadonlyMap<string, Sprite>,
  scene: Scene,
  path: string,
): Promise<void> {
  const { theme, duration } = hud;
  const { width, height, frameRate } = theme;
  const command = [
    'ffmpeg',
    '-v',
    'error',
    '-nostdin',
    '-y',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'yuv420p',
    '-s',
    `${width}x${height}`,
    '-r',
    String(frameRate),
  ];
  const colors = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'];
  const full = [
    ...command,
    ...colors,
    '-i',
    '-',
    ...encoderArguments(theme),
    ...colors,
    '-movflags',
    '+faststart',
    path,
  ];
  // SVT-AV1 takes real-time priority where it may.
  const isRoot = process.platform === 'linux' && process.geteuid?.() === 0;
  const whole = theme.codec === 'av1' && isRoot ? ['setpriv', '--bounding-set', '-sys_nice', ...full] : full;
  const encoder = spawn(whole[0]!, whole.slice(1), {
    stdio: ['pipe', 'inherit', theme.codec === 'av1' ? 'ignore' : 'inherit'],
  });
  const ended = once(encoder, 'close');
  const players = leaves.map((placed) => ({ placed, player: new LeafPlayer(placed.leaf) }));
  const frameCount = Math.round(duration * frameRate);
  const wholeFrame = { x: 0, y: 0, width, height };
  try {
    for (let number = 0; number < frameCount; number++) {
      const t = number / frameRate;
      const frame = new Uint8Array((width * height * 3) / 2);
      await scene.next(frame);
      const screen = hud.screenAt(t);
      for (const one of hud.tints) {
        const age = t - one.t;
        if (age >= 0 && age < one.seconds)
          tint(frame, width, height, wholeFrame, one.color, one.strength * (1 - age / one.seconds));
      }
      if (screen === 'menu' || screen === 'loading') tint(frame, width, height, wholeFrame, [10, 12, 24], 0.8);
      for (const panel of panels)
        if (panel.screens.includes(screen)) tint(frame, width, height, panel, [8, 10, 14], Math.max(0.3, theme.panel));
      for (const { placed, player } of players) {
        const html = player.htmlAt(t);
        if (html === undefined || !placed.leaf.screens.includes(screen)) continue;
        const sprite = sprites.get(html)!;
        const move = placed.leaf.move?.(t) ?? { x: 0, y: 0, opacity: 1 };
        const { x, y } = spritePlace(placed, sprite);
        blend(
          frame,
          width,
          height,
          sprite,
          x + 2 * Math.round(move.x / 2),
          y + 2 * Math.round(move.y / 2),
          move.opacity,
        );
      }
      if (!encoder.stdin!.write(frame)) await once(encoder.stdin!, 'drain');
    }
    encoder.stdin!.end();
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`ffmpeg ended with ${code} at ${path}`);
  } finally {
    scene.close();
  }
}
