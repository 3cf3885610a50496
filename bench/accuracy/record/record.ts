// Records the accuracy corpus: `node bench/accuracy/record/record.ts <folder> [--only name,…] [--list]`.
//
// corpus.json names every clip with its script, seed and settings. Freedoom and NetHack clips are reproducible to the frame;
// OpenArena and Hedgewars opponents play in real time, so a new recording is a new match with the same settings.
// Needs the Debian packages that tools/record/README.md lists. A clip that exists is kept; a failed one does not stop the others.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

interface ClipBase {
  readonly name: string;
  readonly size: string;
  /** Environment variables of the recording script. */
  readonly settings?: Readonly<Record<string, string>>;
}

type Clip = ClipBase &
  (
    | { readonly game: 'freedoom'; readonly demo: string; readonly wad: string; readonly kbits: number }
    | {
        readonly game: 'openarena';
        readonly map: string;
        readonly follow: string;
        readonly seconds: number;
        readonly bots: readonly string[];
        readonly kbits: number;
      }
    | { readonly game: 'nethack'; readonly seconds: number; readonly seed: number }
    | {
        readonly game: 'hedgewars';
        readonly seed: string;
        readonly theme: string;
        readonly seconds: number;
        readonly kbits: number;
        readonly teams: readonly string[];
      }
    | ({ readonly seconds: number; readonly kbits: number; readonly part: 'learn' | 'judge' } & (
        | { readonly game: 'minetest'; readonly seed: number }
        | { readonly game: 'nexuiz'; readonly map: string }
        | { readonly game: PlayedGame; readonly seed: number }
      ))
  );

/** Games that a list of keys plays: folders of tools/record/played. Their truth is typed from pictures. */
type PlayedGame =
  | 'armagetron'
  | 'bzflag'
  | 'dustrac'
  | 'etr'
  | 'kolf'
  | 'redeclipse'
  | 'trackballs'
  | 'trigger-rally'
  | 'tuxfootball'
  | 'xmoto';

interface Corpus {
  /** Script and arguments that write a demo; the output path is inserted where the script expects it. */
  readonly demos: Readonly<Record<string, readonly [script: string, ...args: (string | number)[]]>>;
  readonly clips: readonly Clip[];
}

const WAD_FOLDER = '/usr/share/games/doom';
const scripts = resolve(import.meta.dirname, '../../../tools/record');
const corpus = JSON.parse(readFileSync(join(import.meta.dirname, 'corpus.json'), 'utf8')) as Corpus;

/** Runs a command and returns its standard output. Throws an Error with the end of its standard error if it fails. */
function run(
  command: string,
  args: readonly (string | number)[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args.map(String), {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} exited with ${status}: ${stderr.slice(-500)}`);
  return stdout;
}

/** Writes the demo with that name and returns its path. */
function writeDemo(name: string, work: string): string {
  const [script, first, ...rest] = corpus.demos[name]!;
  const out = join(work, `${name}.lmp`);
  const args = script === 'doom_lump.py' ? [join(WAD_FOLDER, String(first)), ...rest, out] : [out, first!, ...rest];
  run('/usr/bin/python3', [join(scripts, script), ...args], {}, work);
  return out;
}

/** Records a clip into `out`, working in `work`. */
function record(clip: Clip, out: string, work: string): void {
  const { size, settings = {} } = clip;
  switch (clip.game) {
    case 'freedoom': {
      const demo = writeDemo(clip.demo, work);
      run(join(scripts, 'freedoom.sh'), [join(WAD_FOLDER, clip.wad), demo, size, clip.kbits, out], settings, work);
      return;
    }
    case 'openarena': {
      const [width, height] = size.split('x');
      const script = join(scripts, 'openarena.sh');
      run(script, ['record', clip.name, clip.map, clip.follow, clip.seconds, ...clip.bots], settings, work);
      run(script, ['render', clip.name, width!, height!, clip.kbits, out], settings, work);
      return;
    }
    case 'nethack': {
      run(join(scripts, 'nethack.sh'), [size, clip.seconds, clip.seed, out], settings, work);
      const truth = run('/usr/bin/python3', [join(scripts, 'nethack_truth.py'), out], {}, work);
      writeFileSync(join(out, 'truth.ndjson'), truth);
      return;
    }
    case 'minetest':
    case 'nexuiz': {
      const what = clip.game === 'minetest' ? clip.seed : clip.map;
      run(join(scripts, `${clip.game}.sh`), [what, clip.seconds, size, clip.kbits, out, clip.part], settings, work);
      return;
    }
    case 'armagetron':
    case 'bzflag':
    case 'dustrac':
    case 'etr':
    case 'kolf':
    case 'redeclipse':
    case 'trackballs':
    case 'trigger-rally':
    case 'tuxfootball':
    case 'xmoto': {
      const args = [clip.game, clip.seed, clip.seconds, size, clip.kbits, out, clip.part];
      run(join(scripts, 'played.sh'), args, settings, work);
      return;
    }
    case 'hedgewars': {
      const args = [clip.seed, clip.theme, clip.seconds, size, clip.kbits, out, ...clip.teams];
      run(join(scripts, 'hedgewars.sh'), args, settings, work);
      const truth = run(
        '/usr/bin/python3',
        [join(scripts, 'hedgewars_truth.py'), out, settings['FPS'] ?? '30'],
        {},
        work,
      );
      writeFileSync(join(out, 'truth.ndjson'), truth);
    }
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, list: { type: 'boolean' } },
});
const [folder] = positionals;
if (values.list) for (const { name, game, size } of corpus.clips) console.log(`${name}  ${game}  ${size}`);
else if (folder === undefined) {
  console.error('usage: node bench/accuracy/record/record.ts <folder> [--only name,…] [--list]');
  process.exitCode = 2;
} else {
  const only = values.only?.split(',');
  const failed: string[] = [];
  for (const clip of corpus.clips) {
    // Games of which a draft is made are folders of two recordings, as the forge writes them.
    const isDrafted = 'part' in clip;
    const out = isDrafted ? resolve(folder, 'drafts', clip.game) : resolve(folder, clip.game, clip.name);
    const video = isDrafted ? `${clip.part}.mp4` : 'video.mp4';
    if ((only && !only.includes(clip.name)) || existsSync(join(out, video))) continue;
    mkdirSync(out, { recursive: true });
    const work = mkdtempSync(join(tmpdir(), 'playbyplay-record-'));
    const began = performance.now();
    try {
      record(clip, out, work);
      console.log(`${clip.name}: recorded in ${Math.round((performance.now() - began) / 1000)} s`);
    } catch (error) {
      failed.push(clip.name);
      rmSync(isDrafted ? join(out, video) : out, { recursive: true, force: true });
      console.error(`${clip.name}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  if (failed.length > 0) {
    console.error(`Not recorded: ${failed.join(', ')}`);
    process.exitCode = 1;
  }
}
