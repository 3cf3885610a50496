import type { CommandIo } from './command.ts';

/** Characters of the bar. */
const WIDTH = 24;

/** A progress bar on stderr. Prints nothing unless stderr is a terminal. */
export class ProgressBar {
  readonly #io: CommandIo;
  readonly #label: string;
  #shown = '';

  constructor(io: CommandIo, label: string) {
    this.#io = io;
    this.#label = label;
  }

  /** Shows `done` of `total`, in any unit. */
  show(done: number, total: number): void {
    if (!this.#io.isTty || !(total > 0)) return;
    const share = Math.min(1, Math.max(0, done / total));
    const full = Math.round(share * WIDTH);
    const line = `${this.#label} ${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${Math.floor(share * 100)} %`;
    if (line === this.#shown) return;
    this.#shown = line;
    this.#io.control('\r');
    this.#io.stderr.write(line);
  }

  /** Removes the bar, so that a line can be printed. */
  clear(): void {
    if (this.#shown === '') return;
    this.#shown = '';
    this.#io.control('\r\u001B[K');
  }
}
