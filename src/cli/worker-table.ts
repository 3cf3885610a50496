import { basename } from 'node:path';
import type { JobFailure, Lease } from '../batch/queue.ts';
import type { WorkResult } from '../batch/work.ts';
import { formatClock } from '../time.ts';
import type { CommandIo } from './command.ts';
import { formatCount } from './describe-error.ts';
import { style } from './terminal.ts';

/** Milliseconds between two drawings at least. */
const DRAW_INTERVAL_MS = 100;
const BAR_WIDTH = 16;
const MAX_NAME_WIDTH = 40;

interface WorkerLine {
  readonly name: string;
  readonly attempt: number;
  share: number;
}

/**
 * What the workers of a batch do: on a terminal a line for each below the lines of what is done, which is drawn anew; elsewhere
 * only those lines. As JSON, a line for each job that is done or failed.
 */
export class WorkerTable {
  readonly #io: CommandIo;
  readonly #json: boolean;
  readonly #lines: (WorkerLine | undefined)[];
  #total: number;
  #done: number;
  #failed = 0;
  #drawn = 0;
  #drawnAt = 0;

  /** @param counts `total` and `done`: jobs of the batch, and those that earlier runs did. */
  constructor(
    io: CommandIo,
    workers: number,
    { json, total, done }: { readonly json: boolean; readonly total: number; readonly done: number },
  ) {
    this.#io = io;
    this.#json = json;
    this.#lines = Array.from({ length: workers }, () => undefined);
    this.#total = total;
    this.#done = done;
  }

  start(worker: number, { job, attempt }: Lease): void {
    this.#lines[worker] = { name: basename(job.name), attempt, share: 0 };
    this.#draw();
  }

  progress(worker: number, share: number): void {
    const line = this.#lines[worker];
    if (line) line.share = share;
    if (performance.now() - this.#drawnAt >= DRAW_INTERVAL_MS) this.#draw();
  }

  done(worker: number, { job, attempt }: Lease, { recording, seconds, cpuSeconds }: WorkResult): void {
    this.#lines[worker] = undefined;
    this.#done++;
    // The log of a divided recording is a job that follows from the last share.
    if (this.#done > this.#total) this.#total = this.#done;
    if (this.#json) this.#print({ type: 'done', name: job.name, attempt, seconds, cpuSeconds, ...recording });
    else if (recording) {
      const { events, gaps, duration, doubt } = recording;
      const remarks = [gaps > 0 ? formatCount(gaps, 'gap') : '', doubt ?? ''].filter((text) => text !== '');
      const speed = seconds > 0 ? `, ${(duration / seconds).toFixed(1)}× real time` : '';
      this.#write(
        `${job.name}: ${formatCount(events, 'event')} in ${formatClock(duration, 0)}${speed}${remarks.map((text) => `; ${text}`).join('')}\n`,
      );
    } else this.#write(`${job.name}: read\n`);
  }

  fail(worker: number, { job, attempt }: Lease, failure: JobFailure): void {
    this.#lines[worker] = undefined;
    this.#failed++;
    if (this.#json) this.#print({ type: 'failed', name: job.name, attempt, ...failure });
    else this.note(`${job.name}: ${failure.message}`);
  }

  /** Writes a line about a problem. */
  note(text: string): void {
    this.clear();
    this.#io.stderr.write(`${style('yellow', 'Warning:')} ${text}\n`);
    this.#draw();
  }

  /** Removes what is drawn anew. */
  clear(): void {
    if (this.#drawn === 0) return;
    this.#io.control(`\r\u001B[${this.#drawn}A\u001B[J`);
    this.#drawn = 0;
  }

  #print(line: object): void {
    this.clear();
    this.#io.stdout.write(`${JSON.stringify(line)}\n`);
    this.#draw();
  }

  #write(text: string): void {
    this.clear();
    this.#io.stdout.write(text);
    this.#draw();
  }

  #draw(): void {
    if (!this.#io.isTty) return;
    this.clear();
    this.#drawnAt = performance.now();
    const failed = this.#failed === 0 ? '' : `, ${formatCount(this.#failed, 'failure')}`;
    const lines = this.#lines.map((line, worker) => {
      if (!line) return `${worker + 1}  ${style('dim', 'waiting')}`;
      const full = Math.round(line.share * BAR_WIDTH);
      const bar = style('green', '█'.repeat(full)) + '░'.repeat(BAR_WIDTH - full);
      const name = line.name.length > MAX_NAME_WIDTH ? `${line.name.slice(0, MAX_NAME_WIDTH - 1)}…` : line.name;
      const again = line.attempt > 1 ? `  attempt ${line.attempt}` : '';
      return `${worker + 1}  ${name.padEnd(MAX_NAME_WIDTH)} ${bar} ${String(Math.floor(line.share * 100)).padStart(3)} %${again}`;
    });
    lines.push(style('dim', `${this.#done} of ${this.#total} done${failed}`));
    this.#io.stderr.write(lines.map((line) => `${line}\n`).join(''));
    this.#drawn = lines.length;
  }
}
