// Logs of strangers: names that are paths or controls, a million lines, lines that are no log.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeLog, writeRecording } from '../log-fixtures.ts';
import type { AttackCase, Outcome } from './case.ts';

const group = 'logs';
const CONTROLS = '\u0007\u001B]0;title\u0007\u001B[2J\u009B31m\u202Egpj.exe';
const GAME = '  0:00 InitGame: \\mapname\\q3dm17\n';

/** Kills of a server log, a second apart. */
function kills(count: number, name = 'Grunt'): string {
  const lines = Array.from(
    { length: count },
    (_, i) =>
      `  ${Math.floor(i / 60)}:${String(i % 60).padStart(2, '0')} Kill: ${i % 2} ${1 - (i % 2)} 10: ${name} killed Bob by MOD_RAILGUN`,
  );
  return `${GAME}${lines.join('\n')}\n`;
}

function hasControls({ stdout, stderr }: Outcome): string | undefined {
  return /(?![\t\n\r])[\p{Cc}\u202E]/u.test(stdout + stderr) ? 'prints control characters' : undefined;
}

function outside(name: string, media: string): AttackCase {
  return {
    group,
    name: `media.name ${name}`,
    make(folder) {
      writeRecording(folder, 'private.mp4');
      writeLog(join(folder, 'a', 'b'), { media: media.replace('FOLDER', folder) });
      return ['highlights', 'a/b/match.playbyplay', '-o', 'reel.mp4'];
    },
    expect: {
      exit: [1],
      says: /is not next to its log/,
      check: (folder) => (existsSync(join(folder, 'reel.mp4')) ? 'a reel was cut from a file elsewhere' : undefined),
    },
  };
}

function imported(name: string, content: string, more: Partial<AttackCase['expect']> = {}): AttackCase {
  return {
    group,
    name: `import ${name}`,
    make(folder) {
      writeFileSync(join(folder, 'games.log'), content);
      return ['import', 'games.log', '--format', 'quake3', '-o', 'out'];
    },
    expect: { exit: [0, 1], check: (_, outcome) => hasControls(outcome), ...more },
  };
}

/** A command on a damaged or hostile event log. */
function read(
  name: string,
  argv: readonly string[],
  change: (log: string) => string,
  exit: readonly number[] = [0, 1, 3],
): AttackCase {
  return {
    group,
    name,
    make(folder) {
      const log = join(folder, writeLog(folder), 'events.ndjson');
      writeFileSync(log, change(readFileSync(log, 'utf8')));
      return argv;
    },
    expect: { exit, check: (_, outcome) => hasControls(outcome) },
  };
}

const QUERY = ['query', 'kills', 'match.playbyplay'];

export const cases: readonly AttackCase[] = [
  outside('above the log', '../../private.mp4'),
  outside('with backslashes', '..\\..\\private.mp4'),
  outside('absolute', 'FOLDER/private.mp4'),
  outside('..', '..'),
  imported('with control characters in a name', kills(5, `Gru${CONTROLS}nt`), { exit: [0] }),
  imported('with a name of controls only', kills(5, CONTROLS.replaceAll(/[\w;.[\]]/g, ''))),
  imported('with a name of 10,000 characters', kills(5, 'x'.repeat(10_000)), { exit: [0] }),
  imported('with a name that is a path', kills(5, '../../etc/passwd'), { exit: [0] }),
  imported('with a line of 1 MB', `${GAME}  0:01 Kill: 0 1 10: ${'x'.repeat(1e6)}\n`),
  imported('with NUL bytes', kills(5).replaceAll('Grunt', 'Gr\0unt'), { exit: [0] }),
  imported('of nothing', ''),
  imported('of a million lines', kills(1_000_000), { exit: [0], seconds: 300, megabytes: 2500 }),
  imported('of a million other lines', 'x\n'.repeat(1_000_000), { exit: [1], seconds: 60 }),
  imported('of a million lines, interrupted', kills(1_000_000), {
    exit: [130],
    seconds: 60,
    interrupt: { signal: 'SIGTERM', after: 8 },
  }),
  read('query with controls in texts', QUERY, (log) =>
    log.replaceAll('Grunt', JSON.stringify(`Gr${CONTROLS}`).slice(1, -1)),
  ),
  read('query with controls in the game', QUERY, (log) => log.replaceAll('"openarena"', '"\\u001b[2Jopenarena"')),
  read('query with numbers out of range', QUERY, (log) => log.replaceAll('"t":1', '"t":1e308')),
  read('query with a negative time', QUERY, (log) => log.replaceAll('"t":1', '"t":-1')),
  read(
    'query with a statement that is an array',
    QUERY,
    (log) => log.replace(/"statement":\{.*?\},"conf/, '"statement":[],"conf'),
    [1],
  ),
  read(
    'query with nested owners',
    QUERY,
    (log) => log.replace('"name":"Grunt"', `"of":${'{"word":"flag","of":'.repeat(2000)}"flag"${'}'.repeat(2000)}`),
    [1],
  ),
  read('query with __proto__ as a key', QUERY, (log) => log.replace('"name":"Grunt"', '"__proto__":{"name":"x"}')),
  read('query with two headers', QUERY, (log) => log + log, [1]),
  read('query with a line of 2 MB', QUERY, (log) => `${log}${' '.repeat(2e6)}\n`, [1]),
  read('query with bytes that are no UTF-8', QUERY, (log) => log.replaceAll('Grunt', '\uFFFD\uFFFE')),
  read('query of a log cut in its header', QUERY, (log) => log.slice(0, 60), [1]),
  read('summary with controls in the session', ['summary', 'match.playbyplay'], (log) =>
    log.replaceAll('"session":"match"', '"session":"\\u001b[2Jm\\u0000"'),
  ),
  read('highlights of a duration of 1e300', ['export', 'match.playbyplay', '-f', 'json'], (log) =>
    log.replace('"duration":8', '"duration":1e300'),
  ),
  read('highlights of a picture of 0 × 0', ['export', 'match.playbyplay', '-f', 'fcpxml'], (log) =>
    log.replace('"width":320,"height":180', '"width":0,"height":0'),
  ),
  read(
    'evaluate a log as its own truth',
    ['evaluate', 'match.playbyplay', 'match.playbyplay/events.ndjson'],
    (log) => log,
  ),
];
