import { count, seconds } from './numbers.js';
import type { Terminal } from './terminal.js';

const REDRAW_MS = 50;
const PLAIN_STEPS = 4;

/** Progress of a run: a bar on a terminal, otherwise a line per quarter. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #total: number;
  readonly #what: string;
  #startedAt: number | undefined;
  #drawnAt = -Infinity;
  #step = 0;

  /** @param what the counted items, such as `purchases` */
  constructor(terminal: Terminal, total: number, what: string) {
    this.#terminal = terminal;
    this.#total = total;
    this.#what = what;
    terminal.line();
    this.show(0);
  }

  /** Cheap enough to be called for each item. */
  show(done: number): void {
    // Processes take time to start: the clock begins with the first item.
    if (done > 0) this.#startedAt ??= performance.now();
    if (this.#terminal.isInteractive) {
      if (performance.now() - this.#drawnAt >= REDRAW_MS || done === this.#total) this.#draw(done);
    } else {
      const step = Math.floor((done * PLAIN_STEPS) / this.#total);
      if (step > this.#step) this.#terminal.line(`  ${this.#text(done)}`);
      this.#step = Math.max(this.#step, step);
    }
  }

  /** Leaves the bar and continues below it. */
  end(): void {
    if (this.#terminal.isInteractive) this.#terminal.line();
  }

  #draw(done: number): void {
    this.#drawnAt = performance.now();
    const text = this.#text(done);
    const width = Math.max(0, Math.min(40, this.#terminal.columns - text.length - 6));
    const filled = Math.round((width * done) / this.#total);
    const bar = this.#terminal.paint('cyan', '█'.repeat(filled)) + '░'.repeat(width - filled);
    this.#terminal.redraw(`  ${bar} ${text}`);
  }

  #text(done: number): string {
    const elapsed = this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt;
    return `${count(done)} of ${count(this.#total)} ${this.#what}  ${seconds(elapsed)}`;
  }
}
