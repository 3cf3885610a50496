import type { CommandIo } from './command.ts';

const WIDTH = 24;

/** A bar on stderr while long work goes on; nothing where stderr is not a terminal. */
export class ProgressBar {
  readonly #io: CommandIo;
  readonly #what: string;
  #shown = '';

  constructor(io: CommandIo, what: string) {
    this.#io = io;
    this.#what = what;
  }

  /** `done` of `total`, in any unit. */
  show(done: number, total: number): void {
    if (!this.#io.isTty || !(total > 0)) return;
    const share = Math.min(1, Math.max(0, done / total));
    const full = Math.round(share * WIDTH);
    const line = `${this.#what} ${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${Math.floor(share * 100)} %`;
    if (line === this.#shown) return;
    this.#shown = line;
    this.#io.stderr.write(`\r${line}`);
  }

  /** Takes the bar away, so that a line of output can take its place. */
  clear(): void {
    if (this.#shown === '') return;
    this.#shown = '';
    this.#io.stderr.write('\r\u001B[K');
  }
}
