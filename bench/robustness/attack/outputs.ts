// Outputs that would replace an input, a file of another kind, or what a link points to.
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeLog, writeRecording } from '../log-fixtures.ts';
import type { AttackCase } from './case.ts';

const group = 'outputs';
const FRAMES = Array.from({ length: 60 }, (_, i) => `{"frame":${i},"captured":${i * 17}}`).join('\n');

/** Files by path with a hash of their content, without those that the runner keeps itself. */
function snapshot(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true);
  return new Map(
    files.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );
}

/** A command line that must be refused and leave every file as it was. */
function refused(name: string, argv: readonly string[], prepare: (folder: string) => void = () => {}): AttackCase {
  let before: ReadonlyMap<string, string> = new Map();
  return {
    group,
    name,
    make(folder) {
      writeRecording(folder);
      writeLog(folder);
      writeFileSync(join(folder, 'session.ndjson'), `{"fps":60}\n${FRAMES}\n`);
      writeFileSync(
        join(folder, 'words.json'),
        '{"format":"playbyplay/dictionary/1","name":"x","version":"1.0.0","extends":{"common":"^1.0.0"}}',
      );
      writeFileSync(join(folder, 'notes.txt'), 'my notes\n');
      prepare(folder);
      before = snapshot(folder);
      return argv;
    },
    expect: {
      exit: [1, 2],
      says: /is read, too|exists and is|symbolic link|is a folder|a file has that name|two outputs|is not empty/,
      check(folder) {
        const after = snapshot(folder);
        const changed = [...before].filter(([file, hash]) => after.get(file) !== hash).map(([file]) => file);
        const added = [...after.keys()].filter((file) => !before.has(file));
        return changed.length + added.length === 0
          ? undefined
          : `changed ${changed.join(', ')}; left ${added.join(', ')}`;
      },
    },
  };
}

const LOG = 'match.playbyplay';
const EVENTS = `${LOG}/events.ndjson`;
const link = (target: string, name: string) => (folder: string) =>
  symlinkSync(join(folder, target), join(folder, name));

export const cases: readonly AttackCase[] = [
  refused('export onto the recording', ['export', LOG, '-f', 'vtt', '-o', 'match.mp4']),
  refused('export onto the log', ['export', EVENTS, '-f', 'json', '-o', EVENTS]),
  refused('export onto the log in a named folder', ['export', LOG, '-f', 'json', '-o', EVENTS]),
  refused('export onto a hard link of the log', ['export', LOG, '-f', 'json', '-o', 'copy.json'], (folder) =>
    linkSync(join(folder, EVENTS), join(folder, 'copy.json')),
  ),
  refused('export through a link', ['export', LOG, '-f', 'vtt', '-o', 'out.vtt'], link('notes.txt', 'out.vtt')),
  refused('export onto a dictionary of another kind', ['export', LOG, '-f', 'vtt', '-o', 'words.json']),
  refused('two exports to one file', ['export', LOG, '-f', 'vtt', '-o', 'a', '-f', 'srt', '-o', './a']),
  refused('reel onto the recording', ['highlights', LOG, '-o', 'match.mp4']),
  refused('reel onto a link to the recording', ['highlights', LOG, '-o', 'reel.mp4'], link('match.mp4', 'reel.mp4')),
  refused('list of highlights onto a dictionary', ['highlights', LOG, '-o', 'words.json']),
  refused(
    'sheet onto the recording given by --media',
    ['highlights', LOG, '--media', 'copy.png', '-o', 'copy.png'],
    (folder) => linkSync(join(folder, 'match.mp4'), join(folder, 'copy.png')),
  ),
  refused('clips into a file', ['highlights', LOG, '--clips', 'notes.txt']),
  refused('report onto the session', ['quality', 'session.ndjson', '--report', 'session.ndjson']),
  refused('report onto a text', ['quality', 'session.ndjson', '--report', 'notes.txt']),
  refused('merged log onto the log', ['quality', 'session.ndjson', '--events', EVENTS, '-o', EVENTS]),
  refused('merged log onto the log of a folder', ['quality', 'session.ndjson', '--events', LOG, '-o', EVENTS]),
  refused('merged log onto the session', ['quality', 'session.ndjson', '--events', LOG, '-o', 'session.ndjson']),
  refused('dictionary page onto a dictionary', [
    'dictionary',
    'html',
    '--dictionary',
    'words.json',
    '-o',
    'words.json',
  ]),
  refused('dictionary page onto a text', ['dictionary', 'html', '-o', 'notes.txt']),
  refused('import onto its input', ['import', 'games.log', '-o', 'games.log'], (folder) =>
    writeFileSync(
      join(folder, 'games.log'),
      '  0:00 InitGame: \\mapname\\q3dm17\n  0:01 Kill: 0 1 10: A killed B by MOD_RAILGUN\n',
    ),
  ),
  refused('import over another log', ['import', 'games.log', '-o', 'imported'], (folder) => {
    writeFileSync(
      join(folder, 'games.log'),
      '  0:00 InitGame: \\mapname\\q3dm17\n  0:01 Kill: 0 1 10: A killed B by MOD_RAILGUN\n',
    );
    mkdirSync(join(folder, 'imported'));
    writeFileSync(join(folder, 'imported', 'events.ndjson'), 'my notes\n');
  }),
  refused('trace onto the recording', [
    'detect',
    'match.mp4',
    '--game',
    'openarena',
    '--place',
    'default',
    '--trace',
    'match.mp4',
  ]),
  refused(
    'trace through a link',
    ['detect', 'match.mp4', '--game', 'openarena', '--place', 'default', '-o', 'out', '--trace', 'trace.json'],
    (folder) => {
      link('notes.txt', 'trace.json')(folder);
      mkdirSync(join(folder, 'out'));
    },
  ),
  refused(
    'journal that is a link',
    ['detect', 'match.mp4', '--game', 'openarena', '--place', 'default', '-o', 'out'],
    (folder) => {
      mkdirSync(join(folder, 'out'));
      symlinkSync(join(folder, 'notes.txt'), join(folder, 'out', 'readings.journal'));
    },
  ),
  refused(
    'journal that is the recording',
    ['detect', 'match.mp4', '--game', 'openarena', '--place', 'default', '-o', 'out'],
    (folder) => {
      mkdirSync(join(folder, 'out'));
      linkSync(join(folder, 'match.mp4'), join(folder, 'out', 'readings.journal'));
    },
  ),
  refused(
    'log that is a link',
    ['detect', 'match.mp4', '--game', 'openarena', '--place', 'default', '-o', 'out', '--resume'],
    (folder) => {
      mkdirSync(join(folder, 'out'));
      symlinkSync(join(folder, 'notes.txt'), join(folder, 'out', 'events.ndjson'));
    },
  ),
  refused(
    'lock that is a link',
    ['detect', 'match.mp4', '--game', 'openarena', '--place', 'default', '-o', 'out'],
    (folder) => {
      mkdirSync(join(folder, 'out'));
      symlinkSync(join(folder, 'notes.txt'), join(folder, 'out', 'detect.lock'));
    },
  ),
  refused('placement onto the recording', [
    'profile',
    'place',
    'match.mp4',
    '--game',
    'openarena',
    '--write',
    'match.mp4',
  ]),
  refused('picture onto the recording', [
    'profile',
    'place',
    'match.mp4',
    '--game',
    'openarena',
    '--picture',
    'match.mp4',
  ]),
  refused('data set into a folder with files', ['profile', 'export', 'openarena', 'match.mp4', '-o', LOG]),
];
