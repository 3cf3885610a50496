import { formatClock } from '../time.ts';
import type { CommandIo } from './command.ts';
import { style } from './terminal.ts';

/** Characters of the bar: with label, share, speed and remaining time it fits 80 columns. */
const WIDTH = 20;
/** Seconds over which the speed is measured. What came before, such as stored readings of an earlier run, says nothing about the rest. */
const SPEED_WINDOW_SECONDS = 20;
/** Seconds of work before a remaining time is shown: the first steps are rarely like the others. */
const MIN_MEASURED_SECONDS = 1;
/** The longest remaining time that is shown: beyond a few days an estimate means nothing. */
const MAX_SECONDS_LEFT = 99 * 3600;

/** Seconds between lines of progress of a job that takes a minute and more. */
export const PLAIN_INTERVAL_SECONDS = 5;

/** Settings of a {@link ProgressBar}. */
export interface ProgressBarOptions {
  /** Whether the unit of progress is seconds of a recording: the speed is then shown in multiples of real time. */
  readonly isRealTime?: boolean;
  /** Seconds between the lines that stand for the bar where stderr is no terminal; default: none are written. */
  readonly plainIntervalSeconds?: number;
  /** Seconds of a clock that never goes back. */
  readonly now?: () => number;
}

/**
 * A progress bar on stderr with speed and remaining time: `detecting ████░░░░ 42 %  12× real time  0:34 left`. It never goes back.
 * Without a terminal it prints nothing, or a line from time to time.
 */
export class ProgressBar {
  readonly #io: CommandIo;
  readonly #label: string;
  readonly #isRealTime: boolean;
  readonly #plainInterval: number;
  readonly #now: () => number;
  /** What was done when, oldest first. */
  readonly #steps: { readonly at: number; readonly done: number }[];
  #share = 0;
  #plainTime: number;
  #line = '';
  #isShown = false;

  constructor(
    io: CommandIo,
    label: string,
    {
      isRealTime = false,
      plainIntervalSeconds = Number.POSITIVE_INFINITY,
      now = () => performance.now() / 1000,
    }: ProgressBarOptions = {},
  ) {
    this.#io = io;
    this.#label = label;
    this.#isRealTime = isRealTime;
    this.#plainInterval = plainIntervalSeconds;
    this.#now = now;
    this.#plainTime = now();
    this.#steps = [{ at: this.#plainTime, done: 0 }];
  }

  /** Shows `done` of `total`, in any unit. Less than was shown before changes nothing. */
  show(done: number, total: number): void {
    if (!(total > 0)) return;
    const share = Math.min(1, Math.max(0, done / total));
    if (share < this.#share) return;
    this.#share = share;
    if (!this.#io.isTty) {
      if (this.#now() - this.#plainTime < this.#plainInterval) return;
      this.#plainTime = this.#now();
      this.#io.stderr.write(`${this.#label} ${Math.floor(share * 100)} %${this.#pace(done, total)}\n`);
      return;
    }
    const full = Math.round(share * WIDTH);
    const bar = style('green', '█'.repeat(full)) + '░'.repeat(WIDTH - full);
    const line = `${this.#label} ${bar} ${Math.floor(share * 100)} %${this.#pace(done, total)}`;
    if (line === this.#line && this.#isShown) return;
    this.#line = line;
    this.#draw();
  }

  /** Writes a line of output above the bar. */
  print(stream: NodeJS.WritableStream, text: string): void {
    const isShown = this.#isShown;
    this.clear();
    stream.write(text);
    if (isShown) this.#draw();
  }

  /** Removes the bar. */
  clear(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#io.control('\r\u001B[K');
  }

  #draw(): void {
    this.#isShown = true;
    this.#io.control('\r\u001B[K');
    this.#io.stderr.write(this.#line);
  }

  /** `  12× real time  0:34 left`, as far as it is known. */
  #pace(done: number, total: number): string {
    const steps = this.#steps;
    const at = this.#now();
    steps.push({ at, done });
    while (steps.length > 2 && at - steps[1]!.at >= SPEED_WINDOW_SECONDS) steps.shift();
    const seconds = at - steps[0]!.at;
    const speed = (done - steps[0]!.done) / seconds;
    if (seconds < MIN_MEASURED_SECONDS || !(speed > 0)) return '';
    const factor = speed < 0.1 ? '<0.1' : speed.toFixed(speed < 10 ? 1 : 0);
    const secondsLeft = (total - done) / speed;
    const realTime = this.#isRealTime ? `  ${factor}× real time` : '';
    return done < total && secondsLeft <= MAX_SECONDS_LEFT
      ? `${realTime}  ${formatClock(secondsLeft, 0)} left`
      : realTime;
  }
}
