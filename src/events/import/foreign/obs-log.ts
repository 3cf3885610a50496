import type { Statement } from '../../statement.ts';
import type { ForeignFormat } from './format.ts';

const LINE = /^(\d\d):(\d\d):(\d\d(?:\.\d+)?): (.*)$/;
const DAY_SECONDS = 86_400;

/**
 * Logs of OBS Studio: the moments in which the player saved the replay buffer, as marks of a recording. Each recording of the
 * log is a session, whose clock starts with it; without a recording, the replay buffer's start counts.
 *
 * The lines are those of `UI/window-basic-main-outputs.cpp` ("==== Recording Start") and `plugins/obs-ffmpeg/obs-ffmpeg-mux.c`
 * ("Wrote replay buffer to"): https://github.com/obsproject/obs-studio
 */
export const obsLog: ForeignFormat = {
  name: 'obs',
  title: 'log of OBS Studio with saved replays',
  game: 'obs',
  dictionaries: ['broadcast'],
  recognize: (head) =>
    /^\d\d:\d\d:\d\d\.\d+: .*(?:OBS \d|obs-|CPU Name|Platform:|==== )/m.test(head) ||
    /Wrote replay buffer to '/.test(head),
  async read(file, { sessions }) {
    let start: number | undefined;
    let isRecording = false;
    let [last, days] = [0, 0];
    for await (const { text, number } of file.lines()) {
      const match = LINE.exec(text);
      if (!match) continue;
      const clock = Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
      // The log has no dates: a clock that goes back has passed midnight.
      if (clock < last - DAY_SECONDS / 2) days++;
      last = clock;
      const seconds = days * DAY_SECONDS + clock;
      const message = match[4]!;
      if (message.startsWith('==== Recording Start')) {
        sessions.start('recording');
        [start, isRecording] = [seconds, true];
      } else if (message.startsWith('==== Recording Stop')) isRecording = false;
      else if (message.startsWith('==== Replay Buffer Start') && !isRecording) {
        if (start !== undefined) sessions.start('replay buffer');
        start = seconds;
      } else if (start !== undefined && message.includes("Wrote replay buffer to '")) {
        const statement: Statement = { subject: 'player', action: 'broadcast:clip scene' };
        sessions.add(seconds - start, statement, text, String(number));
      }
    }
  },
};
