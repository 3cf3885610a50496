// Makes the recordings of a game that does not exist, with exact truth: one to learn from, one to judge by.
//   node bench/forge/make.ts --seed 1 --genre racing --out games/ [--seconds 60] [--footage footage/] [--codec h264]
// Needs the ffmpeg command. See bench/forge/README.md.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { composeRecording } from './compose.ts';
import { fontRules } from './fonts.ts';
import { GENRES } from './genres/index.ts';
import type { Genre } from './genres/genre.ts';
import { Random } from './random.ts';
import { findFootage, makeScene } from './scenes.ts';
import { drawSprites } from './sprites.ts';
import { makeTheme, type Theme } from './theme.ts';
import type { HeaderLine } from './truth.ts';

/** Seconds of a recording in a codec: those that take long to encode are shorter. */
const CODEC_SECONDS = { h264: 60, hevc: 40, av1: 60 } as const;
const MIN_SCALE = 0.5;

/** Makes one recording of a game: `<folder>/<part>.mp4` and `<folder>/<part>.ndjson`. */
async function makeRecording(
  genre: Genre,
  seed: number,
  part: HeaderLine['part'],
  theme: Theme,
  {
    folder,
    footage,
    seconds,
  }: { readonly folder: string; readonly footage: string | undefined; readonly seconds: number | undefined },
): Promise<void> {
  const game = `${genre.name}-${seed}`;
  const duration = seconds ?? CODEC_SECONDS[theme.codec];
  const hud = genre.make({
    theme,
    design: new Random(`${game} design`),
    play: new Random(`${game} ${part}`),
    duration,
  });
  const css = [...new Set(Object.values(theme.fonts))].map(fontRules).join('\n');
  const sprites = await drawSprites(css, hud.pieces());
  const layout = hud.layout(sprites);
  const clips = footage === undefined ? [] : findFootage(footage);
  const scene = makeScene(new Random(`${game} ${part} scene`), genre.scenes, clips, theme);
  const { width, height, frameRate, isVariable, codec, bitrate, language, scale } = theme;
  const header: HeaderLine = {
    type: 'header',
    format: 'playbyplay/forge/1',
    game,
    genre: genre.name,
    seed,
    part,
    width,
    height,
    frameRate,
    isVariable,
    codec,
    bitrate,
    duration,
    language,
    scale: Math.round(1000 * scale) / 1000,
    scene: scene.name,
  };
  await composeRecording(hud, layout, sprites, scene, join(folder, `${part}.mp4`));
  const lines = [header, ...hud.truth(layout, sprites)];
  writeFileSync(join(folder, `${part}.ndjson`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    genre: { type: 'string' },
    out: { type: 'string' },
    footage: { type: 'string' },
    seconds: { type: 'string' },
    codec: { type: 'string' },
  },
});
const genre = GENRES.find(({ name }) => name === values.genre);
if (values.seed === undefined || values.out === undefined || genre === undefined)
  throw new Error(
    `usage: node bench/forge/make.ts --seed 1 --genre ${GENRES.map(({ name }) => name).join('|')} --out <folder>`,
  );
const seed = Number(values.seed);
const folder = join(resolve(values.out), `${genre.name}-${seed}`);
mkdirSync(folder, { recursive: true });
const drawn = makeTheme(new Random(`${genre.name}-${seed} theme`));
const codec = (values.codec ?? drawn.codec) as Theme['codec'];
for (let scale = drawn.scale; ; scale *= 0.92) {
  // A HUD that does not fit is drawn smaller, in both recordings.
  const theme: Theme = { ...drawn, codec, scale, px: (length) => (length * drawn.height * scale) / 720 };
  const options = {
    folder,
    footage: values.footage,
    seconds: values.seconds === undefined ? undefined : Number(values.seconds),
  };
  try {
    await makeRecording(genre, seed, 'learn', theme, options);
    await makeRecording(genre, seed, 'judge', theme, options);
    break;
  } catch (error) {
    if (!(error instanceof RangeError) || scale < MIN_SCALE) throw error;
  }
}
console.log(folder);
