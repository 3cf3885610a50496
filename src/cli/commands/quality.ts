import { runCompare } from '../quality/compare.ts';
import { runAdvise, runSimulate } from '../quality/control.ts';
import { runScore } from '../quality/score.ts';
import type { Command } from '../command.ts';

const help = `playbyplay quality <file>… [options]
playbyplay quality advise <file>… [options]
playbyplay quality compare <file>… [--json]
playbyplay quality simulate [options]

Scores how well a session was shown and felt: stutter, delay and picture, frame by frame, on 0–100.
Reads per-frame NDJSON or CSV (the halves of server and client may be two files), PresentMon, CapFrameX, MangoHud,
webrtc-internals dumps and OBS logs; any of them may be gzipped. Or a recording itself: repeated pictures, frozen
stretches, gaps of its timestamps, its bitrate. What a file is, is found out from its content.

  --fps <n>              target frame rate, where the file does not say it (or says it wrong)
  --size <w>x<h>         picture size in pixels, likewise
  --bitrate <bits/s>     target bitrate, likewise: 20000000, 20M, 800k
  --process <name>       of several processes in one file, the one of this name
  --constants <file>     JSON with other constants of the metric
  --events <log>         the event log of the same session: a copy is written that holds what happened to the stream as
                         well, and losses under bad quality are told from the others
  --offset <s>           time in the recording at which the session's clock begins (default 0)
  -o, --out <log>        write that copy here (default: events.stream.ndjson beside the log)
  --before <file>        another session to compare with those given; may stand several times (needs --report)
  --report <out.html>    a page with charts: of one session, or of many (distributions, worst minutes)
  --json                 the figures as JSON
  --series               with --json: the figures of every frame too
  --ascii                no other signs than ASCII in the summary

advise says which settings to lower or raise after such sessions, and why:
  --down <total>         mean total below which to take less (default 40)
  --up <total>           mean total above which to take more (default 70)
  --preset <name>        the encoder preset that they ran with

compare scores sessions by ITU-T G.1072 and in the manner of rtcscore as well, and says where they differ and why.

simulate plays streamed sessions on networks and machines drawn by chance, with a controller that adjusts bitrate, size,
frame rate and encoder preset, and with settings that stay:
  --seeds <n>            scenarios (default 10), from the seed --first <n> on (default 1)
  --minutes <n>          length of each (default 3)
  --network <name>       fibre, cable, wifi or mobile only
  --seed <n>             one scenario, every decision said

Exit code 3: scored, but something was wrong in the file (said on stderr).

Examples:
  playbyplay quality session.ndjson
  playbyplay quality server.ndjson client.ndjson --json
  playbyplay quality PresentMon-2026-11-20.csv --fps 60
  playbyplay quality webrtc_internals_dump.gz
  playbyplay quality monday/*.csv --before friday/a.csv --before friday/b.csv --report change.html
  playbyplay quality advise tuesday/*.ndjson
  playbyplay quality simulate --seeds 20
  playbyplay quality session.ndjson --report page.html --events match.playbyplay
`;

export const quality: Command = {
  name: 'quality',
  summary: 'score how well a session was shown and felt, frame by frame',
  help,
  run(args, io) {
    if (args[0] === 'advise') return runAdvise(args.slice(1), io);
    if (args[0] === 'compare') return runCompare(args.slice(1), io);
    if (args[0] === 'simulate') return runSimulate(args.slice(1), io);
    return runScore(args, io);
  },
};
