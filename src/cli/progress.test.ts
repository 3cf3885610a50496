import { array, assert, integer, nat, property, tuple } from 'fast-check';
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { ProgressBar } from './progress.ts';
import { escapedStream } from './terminal.ts';

/** A terminal that keeps what it shows, line by line as it is drawn. */
function terminal() {
  let screen = '';
  const lines: string[] = [];
  const raw = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const text = chunk.toString();
      if (text === '\r\u001B[K') screen = screen.slice(0, screen.lastIndexOf('\n') + 1);
      else screen += text;
      lines.push(screen.split('\n').at(-1)!);
      done();
    },
  });
  const stderr = escapedStream(raw);
  const io = {
    stdout: stderr,
    stderr,
    isTty: true,
    control: (sequence: string) => void raw.write(sequence),
    signal: new AbortController().signal,
  };
  return { io, lines, screen: () => screen };
}

it('shows share, speed and remaining time', () => {
  const { io, screen } = terminal();
  let time = 100;
  const bar = new ProgressBar(io, 'detecting', { isRealTime: true, now: () => time });
  time = 105;
  bar.show(60, 600);
  // 60 s of video in 5 s are 12 times real time; the other 540 s take 45 s.
  expect(screen()).toBe('detecting ██░░░░░░░░░░░░░░░░░░ 10 %  12× real time  00:45 left');
  bar.print(io.stdout, 'an event\n');
  expect(screen()).toBe('an event\ndetecting ██░░░░░░░░░░░░░░░░░░ 10 %  12× real time  00:45 left');
  time = 150;
  bar.show(600, 600);
  expect(screen()).toBe('an event\ndetecting ████████████████████ 100 %  12× real time');
  bar.clear();
  expect(screen()).toBe('an event\n');
});

it('writes a line from time to time without a terminal, where it is asked to', () => {
  const { io, screen } = terminal();
  let time = 0;
  const now = (): number => time;
  const [silent, plain] = [undefined, 5].map(
    (seconds) =>
      new ProgressBar({ ...io, isTty: false }, 'looking', { now, ...(seconds && { plainIntervalSeconds: seconds }) }),
  );
  for (time = 1; time <= 12; time++) for (const bar of [silent!, plain!]) bar.show(time, 100);
  expect(screen()).toBe('looking 5 %  01:35 left\nlooking 10 %  01:30 left\n');
});

it('measures the speed of the last steps, not of an earlier run', () => {
  const { io, screen } = terminal();
  let time = 0;
  const bar = new ProgressBar(io, 'detecting', { isRealTime: true, now: () => time });
  time = 1;
  bar.show(500, 1000);
  for (time = 11; time <= 61; time += 10) bar.show(500 + 2 * (time - 1), 1000);
  // 2 s of video a second, since the stored half.
  expect(screen()).toContain('62 %  2.0× real time  03:10 left');
});

it('never goes back, and fits a terminal of 80 columns', () => {
  assert(
    property(array(tuple(nat(9000), integer({ min: -10, max: 7_000_000 }))), (steps) => {
      const { io, lines } = terminal();
      let time = 0;
      const bar = new ProgressBar(io, 'looking for the HUD', { isRealTime: true, now: () => time });
      for (const [seconds, done] of steps) {
        time += seconds / 100;
        bar.show(done, 6_000_000);
      }
      const shares = lines.filter((line) => line !== '').map((line) => Number(/(\d+) %/.exec(line)![1]));
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      for (const line of lines) expect(line.length).toBeLessThan(80);
    }),
  );
});
