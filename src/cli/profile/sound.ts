import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { SoundFile } from '../../detectors/sound/print.ts';

import { learnSound, occurrencesIn } from '../../pipeline/authoring/learn-sound.ts';
import { parseTime } from '../../time.ts';
import { type CommandIo, usage } from '../command.ts';

export const soundHelp = `playbyplay profile sound <recording> --from <time> --to <time> --label <name> --out <sound.json>

Learns a sound for the sound detector from where it is heard in a recording. Begin just before it begins. Give several
occurrences by repeating --from and --to (three to twelve, with different things heard beside): what else was heard then drops
out, and where the game plays the same waveform every time it is recognised by that, through sounds louder than itself.

  --from, --to <time>  seconds, or minutes and seconds (1:02.5); up to 3 s apart
  --length <seconds>   how long it lasts: what lies between --from and --to then holds it again and again (a burst, or a minute),
                       and wherever something begins to sound counts as an occurrence
  --label <name>       what it is called
  --track <n>          the sound track, counted from 0 (default 0)

Examples:
  playbyplay profile sound arena.mp4 --from 26 --to 31 --length 0.25 --label "plasma gun" --out sounds/plasma.json
  playbyplay profile sound doom.mp4 --from 4.65 --to 5.05 --from 6.75 --to 7.15 --label shotgun --out sounds/shotgun.json
`;

const options = {
  from: { type: 'string', multiple: true },
  to: { type: 'string', multiple: true },
  length: { type: 'string' },
  label: { type: 'string' },
  track: { type: 'string', default: '0' },
  out: { type: 'string', short: 'o' },
} as const;

export async function soundCommand(args: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [media, ...more] = positionals;
  if (media === undefined || more.length > 0) throw usage('which recording?', 'Give one.');
  const { from = [], to = [], label, out } = values;
  if (from.length === 0 || from.length !== to.length)
    throw usage('where is it heard?', 'Give --from and --to, as many of each.');
  if (label === undefined) throw usage('what is it called?', 'Give --label.');
  if (out === undefined) throw usage('where to?', 'Give --out.');
  const track = Number(values.track);
  if (!Number.isInteger(track) || track < 0) throw usage(`--track needs a number from 0 on, not ${values.track}`);
  const given = from.map((start, i) => ({ media, from: timeOf(start), to: timeOf(to[i]!) }));
  const occurrences = values.length === undefined ? given : occurrencesIn(given, lengthOf(values.length), track);
  const sound = learnSound(label, occurrences, track);
  await writeFile(out, `${JSON.stringify(sound)}\n`);
  const count = occurrences.length === 1 ? 'one occurrence' : `${occurrences.length} occurrences`;
  io.stdout.write(`${out}: ${label}, ${(sound.frames / 100).toFixed(2)} s, from ${count}; ${knownBy(sound)}\n`);
  return 0;
}

/** How it will be recognised, and what would make it surer. */
function knownBy({ waves = [], examples }: SoundFile): string {
  if (waves.length > 0)
    return `known by ${waves.length === 1 ? 'its waveform' : `${waves.length} waveforms`}, the same in ${waves.map((one) => one.examples).join(' and ')} of them`;
  if (examples === 1)
    return 'known by its spectrogram only: give two more occurrences, and it is known by its waveform';
  return 'known by its spectrogram only: no waveform that they share was found (the game plays it differently each time, or they are too quiet)';
}

function lengthOf(text: string): number {
  const length = Number(text);
  if (!(length >= 0.03 && length <= 3)) throw usage(`--length needs 0.03 to 3 seconds, not ${text}`);
  return length;
}

function timeOf(text: string): number {
  const t = parseTime(text);
  if (t === undefined) throw usage(`${text} is no time`, `Write 12.3 or 1:02.5.`);
  return t;
}
