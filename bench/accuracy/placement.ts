// Measures placement on recordings that were resized, framed, moved or cropped: whether the HUD is found, how exactly, and what is then
// read; and that nothing is found where there is no HUD. Needs the ffmpeg command.
//   node bench/accuracy/placement.ts [--seconds 24] [--cost] [--only <regular expression for rows>] <game>=<recording>…
//     [--negative <recording>…] [--generated <count of recordings without HUD> [--from <first>] [--to <end>] [--quick]]
// `--quick` makes recordings of two pictures at half the size, which are searched in a tenth of the time.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadLog } from '../../src/events/reader.ts';
import type { HudSettings, Rect, Size } from '../../src/geometry.ts';
import { scanPackets } from '../../src/media/packets/scan-packets.ts';
import { openVideo } from '../../src/media/video.ts';
import { recordLog } from '../../src/pipeline/record-log.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { decidePlacement } from '../../src/pipeline/placement/decide-placement.ts';
import { makeNegatives } from './negative-recordings.ts';
import { placeRegion } from '../../src/regions/place.ts';
import { median } from '../../src/statistics.ts';

interface Change {
  readonly name: string;
  readonly frame: Size;
  /** Where the whole picture is afterwards, in pixels. */
  readonly content: Rect;
  /** The pixel aspect ratio afterwards, whether or not the file declares it. */
  readonly aspect?: number;
  /** Second inputs, and the filter from [0] (and those) to the result. */
  readonly inputs?: readonly string[];
  readonly filter: string;
}

const rect = (x: number, y: number, width: number, height: number): Rect => ({ x, y, width, height });
const HD = { width: 1920, height: 1080 };

/** For recordings of 1280 × 720. */
const CHANGES: readonly Change[] = [
  { name: 'as it is', frame: { width: 1280, height: 720 }, content: rect(0, 0, 1280, 720), filter: '[0]null' },
  { name: 'resized to 1920×1080', frame: HD, content: rect(0, 0, 1920, 1080), filter: '[0]scale=1920:1080' },
  {
    name: 'letterboxed at 4:3',
    frame: { width: 1440, height: 1080 },
    content: rect(0, 135, 1440, 810),
    filter: '[0]scale=1440:810,pad=1440:1080:0:135',
  },
  {
    name: 'pillarboxed at 21:9',
    frame: { width: 1720, height: 720 },
    content: rect(220, 0, 1280, 720),
    filter: '[0]pad=1720:720:220:0',
  },
  {
    name: 'pillarboxed at 3440×1440',
    frame: { width: 3440, height: 1440 },
    content: rect(440, 0, 2560, 1440),
    filter: '[0]scale=2560:1440,pad=3440:1440:440:0',
  },
  {
    name: 'window on a desktop',
    frame: HD,
    content: rect(137, 61, 960, 540),
    inputs: ['-f', 'lavfi', '-i', 'color=0x2a6a8a:s=1920x1080:r=30'],
    filter:
      '[1]drawbox=x=129:y=31:w=976:h=578:c=0xdddddd:t=fill,drawbox=x=1300:y=80:w=480:h=640:c=white:t=fill,drawbox=y=1040:w=1920:h=40:c=0x202020:t=fill[d];[0]scale=960:540[g];[d][g]overlay=137:61:shortest=1',
  },
  {
    name: 'corner of a moving layout',
    frame: HD,
    content: rect(760, 410, 1120, 630),
    inputs: ['-f', 'lavfi', '-i', 'mandelbrot=s=1920x1080:r=30'],
    filter: '[0]scale=1120:630[g];[1][g]overlay=760:410:shortest=1',
  },
  {
    name: 'small in a corner of a moving layout',
    frame: { width: 1280, height: 720 },
    content: rect(600, 340, 640, 360),
    inputs: ['-f', 'lavfi', '-i', 'mandelbrot=s=1280x720:r=30'],
    filter: '[0]scale=640:360[g];[1][g]overlay=600:340:shortest=1',
  },
  {
    name: 'streamer: flush with a corner, a webcam over it, chat next to it',
    frame: HD,
    content: rect(0, 0, 1440, 810),
    inputs: [
      ['-f', 'lavfi', '-i', 'color=0x18181b:s=1920x1080:r=30'],
      ['-f', 'lavfi', '-i', 'cellauto=s=440x900:r=30'],
      ['-f', 'lavfi', '-i', 'mandelbrot=s=320x180:r=30'],
    ].flat(),
    filter:
      '[0]scale=1440:810[g];[1][g]overlay=0:0:shortest=1[a];[a][2]overlay=1460:90[b];[b][3]overlay=1120:0:shortest=1',
  },
  {
    name: 'squeezed to 4:3 in a window of a moving layout',
    frame: { width: 1280, height: 720 },
    content: rect(80, 60, 720, 540),
    aspect: 4 / 3,
    inputs: ['-f', 'lavfi', '-i', 'mandelbrot=s=1280x720:r=30'],
    filter: '[0]scale=720:540,setsar=1[g];[1][g]overlay=80:60:shortest=1',
  },
  {
    name: 'enlarged, edges cut off',
    frame: { width: 1280, height: 720 },
    content: rect(-32 / 0.95, -18 / 0.95, 1280 / 0.95, 720 / 0.95),
    filter: '[0]crop=1216:684:32:18,scale=1280:720',
  },
  {
    name: 'squeezed to 4:3, which the file says',
    frame: { width: 960, height: 720 },
    content: rect(0, 0, 960, 720),
    aspect: 4 / 3,
    filter: '[0]scale=960:720,setsar=4/3',
  },
  {
    name: 'squeezed to 4:3, which nothing says',
    frame: { width: 960, height: 720 },
    content: rect(0, 0, 960, 720),
    aspect: 4 / 3,
    filter: '[0]scale=960:720,setsar=1',
  },
  {
    name: 'squeezed, letterboxed, its pixels said to be oblong',
    frame: { width: 1440, height: 1080 },
    content: rect(0, 90, 1440, 900),
    aspect: (16 / 9 / 1440) * 900,
    filter: '[0]scale=1440:900,pad=1440:1080:0:90,setsar=10/9',
  },
  {
    name: 'resized, letterboxed and moved, an edge lost',
    frame: { width: 1440, height: 1080 },
    content: rect(-24, 131, 1440, 810),
    filter: '[0]scale=1440:810,crop=1416:810:24:0,pad=1440:1080:0:131,setsar=1',
  },
  {
    name: 'window on a desktop, scaled anew, bars around it',
    frame: { width: 1280, height: 1024 },
    content: rect((137 * 2) / 3, 152 + (61 * 2) / 3, 640, 360),
    inputs: ['-f', 'lavfi', '-i', 'color=0x2a6a8a:s=1920x1080:r=30'],
    filter:
      '[1]drawbox=x=129:y=31:w=976:h=578:c=0xdddddd:t=fill,drawbox=x=1300:y=80:w=480:h=640:c=white:t=fill,drawbox=y=1040:w=1920:h=40:c=0x202020:t=fill[d];[0]scale=960:540[g];[d][g]overlay=137:61:shortest=1,scale=1280:720,pad=1280:1024:0:152,setsar=1',
  },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '24' },
    negative: { type: 'string', multiple: true, default: [] },
    generated: { type: 'string', default: '0' },
    from: { type: 'string', default: '0' },
    to: { type: 'string' },
    quick: { type: 'boolean', default: false },
    cost: { type: 'boolean' },
    only: { type: 'string', default: '' },
  },
});
const folder = join(tmpdir(), 'playbyplay-placement-bench');
mkdirSync(folder, { recursive: true });

function make(media: string, change: Change): string {
  const path = join(folder, `${basename(dirname(media))}-${change.name.replaceAll(/\W+/g, '-')}-${values.seconds}.mp4`);
  if (!existsSync(path))
    execFileSync('ffmpeg', [
      '-v',
      'error',
      '-y',
      '-t',
      values.seconds,
      '-i',
      media,
      ...(change.inputs ?? []),
      '-filter_complex',
      change.filter,
      '-t',
      values.seconds,
      '-an',
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-crf',
      '18',
      '-g',
      '60',
      path,
    ]);
  return path;
}

const seconds = (): number => process.cpuUsage().user / 1e6;

for (const positional of positionals) {
  const [name, media] = positional.split('=') as [string, string];
  const game = await openGame(name);
  const { regions, reference } = game.profile;
  let plain: string[] = [];
  process.stdout.write(
    `\n${name}, ${values.seconds} s\n| recording | found | confidence | error, pixels (mean, most) | search, CPU s | events as without |\n|---|---|---|---|---|---|\n`,
  );
  for (const change of CHANGES.filter(
    ({ name: row }) => new RegExp(values.only).test(row) || row === CHANGES[0]!.name,
  )) {
    const path = make(media, change);
    using file = openVideo(path);
    const before = seconds();
    const { hud, placement, doubt } = await decidePlacement({ file, index: scanPackets(file), game });
    const cost = seconds() - before;
    const { frame, content: box } = change;
    const truth: HudSettings = {
      content: rect(box.x / frame.width, box.y / frame.height, box.width / frame.width, box.height / frame.height),
      aspect: change.aspect ?? 1,
    };
    const errors = Object.values(regions)
      .filter(({ scale }) => scale !== 'none')
      .map((spec) => {
        const [is, should] = [hud ?? {}, truth].map(
          (one) => placeRegion(spec, { ...frame, pixelAspect: file.info.pixelAspect }, reference, one).inner,
        ) as [Rect, Rect];
        return Math.max(
          Math.abs(is.x - should.x),
          Math.abs(is.y - should.y),
          Math.abs(is.x + is.width - should.x - should.width),
          Math.abs(is.y + is.height - should.y - should.height),
        );
      });
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const out = `${path}.playbyplay`;
    await recordLog({ media: path, game: name, out, workers: 1, ...(hud ? { hud } : { place: 'default' }) });
    const events = (await loadLog(out)).events.map(({ t, text }) => `${t.toFixed(0)} ${text}`);
    if (change === CHANGES[0]) plain = events;
    const rest = [...plain];
    const same = events.filter((event) => {
      const at = rest.indexOf(event);
      if (at >= 0) rest.splice(at, 1);
      return at >= 0;
    });
    const found = doubt ? 'nothing' : hud ? 'yes' : 'fits as it is';
    process.stdout.write(
      `| ${change.name} | ${found} | ${placement?.confidence ?? ''} | ${mean.toFixed(1)}, ${Math.max(...errors).toFixed(1)} | ${cost.toFixed(1)} | ${same.length} of ${plain.length}, ${events.length - same.length} others |\n`,
    );
  }
  const gameplay = positionals.map((one) => one.split('=') as [string, string]);
  const generated = Number(values.generated);
  const kind = values.quick ? 'negative-quick' : 'negative';
  const format = values.quick ? { frames: 2, reduction: 2 } : undefined;
  const negatives = [
    ...values.negative,
    ...(generated > 0
      ? makeNegatives(join(folder, kind), generated, gameplay, format).slice(
          Number(values.from),
          values.to === undefined ? undefined : Number(values.to),
        )
      : []),
  ];
  let accepted = 0;
  for (const path of negatives) {
    using file = openVideo(path);
    const { hud, placement, doubt } = await decidePlacement({ file, index: scanPackets(file), game });
    if (!doubt) accepted++;
    if (doubt && generated > 0) continue;
    process.stdout.write(
      `| ${basename(dirname(path))}/${basename(path)} | ${doubt?.code ?? (hud ? 'PLACED' : 'FITS')} | ${placement?.confidence ?? ''} | | | ${doubt?.message ?? ''} |\n`,
    );
  }
  if (negatives.length > 0)
    process.stdout.write(`${name}: ${accepted} of ${negatives.length} recordings without HUD were placed\n`);
  if (values.cost) {
    const costs: Record<'auto' | 'default', number[]> = { auto: [], default: [] };
    for (let turn = 0; turn < 10; turn++) {
      const place = turn % 2 === 0 ? 'default' : 'auto';
      const before = seconds();
      await recordLog({ media, game: name, out: join(folder, `cost-${name}`), workers: 1, place });
      costs[place].push(seconds() - before);
    }
    const [auto, own] = [median(costs.auto), median(costs.default)];
    process.stdout.write(
      `cost of looking: ${auto.toFixed(2)} against ${own.toFixed(2)} CPU s, ratio ${(auto / own).toFixed(3)}\n`,
    );
  }
}
