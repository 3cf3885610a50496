// Texts that try to be commands for terminals, spreadsheets, players, browsers and editing programs.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeLog, writeRecording } from '../log-fixtures.ts';
import type { AttackCase } from './case.ts';

const group = 'text';

/** An export of one hostile text, and what the file must not contain. */
function exported(name: string, format: string, text: string, forbidden: RegExp): AttackCase {
  return {
    group,
    name: `${format}: ${name}`,
    make(folder) {
      writeLog(folder, { texts: [text, 'player kills opponent Grunt'] });
      return ['export', 'match.playbyplay', '-f', format, '-o', 'out.file'];
    },
    expect: {
      exit: [0],
      check(folder) {
        const written = readFileSync(join(folder, 'out.file'), 'utf8');
        const match = forbidden.exec(written)?.[0];
        return match === undefined ? undefined : `contains ${JSON.stringify(match)}`;
      },
    },
  };
}

/** An export of controls, quotes and brackets that another XML parser must accept. */
function wellFormed(format: string): AttackCase {
  const text = 'a\u0000\u0008\u001B\uFFFE]]>&lt;<!--"\'<x y="1"/>--><?php ?>&#0;\u{1F3AE}';
  return {
    group,
    name: `${format}: well-formed XML`,
    make(folder) {
      writeLog(folder, { texts: [text], media: `m&<>"'.mp4` });
      return ['export', 'match.playbyplay', '-f', format, '--title', text.replaceAll('\0', ''), '-o', 'out.xml'];
    },
    expect: {
      exit: [0],
      check(folder) {
        const parse = 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])';
        try {
          execFileSync('python3', ['-c', parse, join(folder, 'out.xml')], { stdio: 'pipe' });
          return undefined;
        } catch (error) {
          return `not well-formed: ${(error as Error).message.slice(-200)}`;
        }
      },
    },
  };
}

/** A reel of one hostile text; the stream of `kind` is read back by ffmpeg. */
function reel(name: string, text: string, more: readonly string[], forbidden: RegExp): AttackCase {
  return {
    group,
    name: `reel: ${name}`,
    make(folder) {
      writeRecording(folder);
      writeLog(folder, { texts: [text] });
      return ['highlights', 'match.playbyplay', '-o', 'reel.mkv', ...more];
    },
    expect: {
      exit: [0],
      check(folder) {
        const args = ['-v', 'error', '-i', join(folder, 'reel.mkv'), '-map', '0:s?', '-f', 'ass', '-'];
        const subtitles = more.includes('burn') ? '' : execFileSync('ffmpeg', args, { encoding: 'utf8' });
        const match = forbidden.exec(subtitles)?.[0];
        return match === undefined ? undefined : `the subtitles contain ${JSON.stringify(match)}`;
      },
    },
  };
}

const SCRIPT = '<script>alert(1)</script><img src=x onerror=alert(1)>';

export const cases: readonly AttackCase[] = [
  exported('formula', 'resolve-csv', '=HYPERLINK("http://evil.example","x")', /,"?=HYPERLINK/),
  exported('formula behind a tab', 'losslesscut-csv', '\t=1+1', /,"?\s*=1/),
  exported('formula of DDE', 'resolve-csv', "@SUM(1+1)*cmd|' /C calc'!A0", /,"?@SUM/),
  exported('another row', 'resolve-csv', 'a\r\n2,evil,,,,,', /\n2,evil/),
  exported('another cue', 'vtt', 'a\n\n00:00:09.000 --> 00:00:10.000\nevil', /00:00:09\.000 -->/),
  exported('markup', 'vtt', SCRIPT, /<script/),
  exported('another cue', 'srt', 'a\n\n9\n00:00:09,000 --> 00:00:10,000\nevil', /00:00:09,000 -->/),
  exported('override codes', 'srt', '{\\an8}{\\pos(0,0)}{ \\fs400}BIG\\Nline', /\{\s*\\|\\N/),
  exported('tags', 'srt', '<font size=400>BIG</font>', /<font/),
  exported('HTML', 'markdown', SCRIPT, /(?<!\\)<script|(?<!\\)<img/),
  exported('link', 'markdown', '[free](javascript:alert(1)) ![x](http://evil.example/x.png)', /(?<!\\)\]\(/),
  exported('another cell', 'markdown', 'one | two | three\n# heading', /\n# heading|[^\\]\| two/),
  exported('another line', 'edl', 'x\n* SOURCE FILE: /etc/passwd', /^\* SOURCE FILE: \/etc/m),
  exported('another field', 'resolve-edl', 'x |D:999 |M:evil', /\|D:999/),
  exported('another chapter', 'play-by-play', 'x\n00:00 evil', /^00:00 evil/m),
  exported('controls', 'text', '\u001B[2J\u0007', /(?!\n)\p{Cc}/u),
  wellFormed('fcpxml'),
  wellFormed('xmeml'),
  wellFormed('mlt'),
  reel('override codes', '{\\an8\\fs400}BIG', [], /\{\\an8/),
  reel('a text of 100,000 characters', 'x'.repeat(100_000), [], /x{1000}/),
  reel('burned markup', `</svg>${SCRIPT}&#0;\u0000`, ['--captions', 'burn'], /^never$/),
  reel(
    'title with markup and controls',
    'player kills opponent',
    ['--title', `</svg>%{pts}:'\\n;[0]${SCRIPT}\u0007`],
    /^never$/,
  ),
  {
    group,
    name: 'page: hostile names in a dictionary',
    make(folder) {
      const file = {
        format: 'playbyplay/dictionary/1',
        name: 'x',
        version: '1.0.0',
        title: SCRIPT,
        extends: { common: '^1.0.0' },
        objects: [{ name: 'zap gun', parent: 'weapon', definition: `A gun. </script>${SCRIPT}` }],
      };
      writeFileSync(join(folder, 'x.json'), JSON.stringify(file));
      return ['dictionary', 'html', '--dictionary', 'x.json', '-o', 'page.html'];
    },
    expect: {
      exit: [0],
      check(folder) {
        const page = readFileSync(join(folder, 'page.html'), 'utf8');
        if (!page.includes('Content-Security-Policy')) return 'no Content Security Policy';
        return page.includes('<script>alert') || page.includes('<img src=x')
          ? 'contains markup of the dictionary'
          : undefined;
      },
    },
  },
  {
    group,
    name: 'page: hostile name of a session',
    make(folder) {
      const frames = Array.from({ length: 60 }, (_, i) => `{"frame":${i},"captured":${i * 17}}`).join('\n');
      writeFileSync(join(folder, '<img src=x onerror=alert(1)>.ndjson'), `{"fps":60}\n${frames}\n`);
      return ['quality', '<img src=x onerror=alert(1)>.ndjson', '--report', 'page.html'];
    },
    expect: {
      exit: [0],
      check(folder) {
        const page = readFileSync(join(folder, 'page.html'), 'utf8');
        if (!page.includes('Content-Security-Policy')) return 'no Content Security Policy';
        return page.includes('<img src=x') ? 'contains the name as markup' : undefined;
      },
    },
  },
  {
    group,
    name: 'terminal: controls in an argument',
    make: () => ['query', 'kills', 'no\u001B[2Jsuch\u0007.playbyplay'],
    expect: {
      exit: [1],
      check: (_, { stderr }) => (/(?!\n)\p{Cc}/u.test(stderr) ? 'prints control characters' : undefined),
    },
  },
];
