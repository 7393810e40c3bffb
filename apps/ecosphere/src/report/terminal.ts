import type { WriteStream } from 'node:tty';

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof CODES;

/** The part of a stream that a report needs; `process.stdout` is one. */
export type OutputStream = Pick<NodeJS.WritableStream, 'write'> &
  Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

/** Output of a report. Colour and a moving bar are for terminals only; NO_COLOR (no-color.org) is respected. */
export class Terminal {
  readonly isInteractive: boolean;
  readonly #stream: OutputStream;
  readonly #isColoured: boolean;

  constructor(stream: OutputStream, environment: NodeJS.ProcessEnv = process.env) {
    this.#stream = stream;
    this.isInteractive = stream.isTTY === true;
    this.#isColoured = this.isInteractive && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  }

  /** Characters in a line. */
  get columns(): number {
    // A pseudo-terminal without a size reports 0.
    return this.#stream.columns || 80;
  }

  line(text = ''): void {
    this.#stream.write(`${text}\n`);
  }

  /** Replaces the line that the cursor is on. For terminals. */
  redraw(text: string): void {
    this.#stream.write(`\r\u001b[K${text}`);
  }

  paint(style: Style, text: string): string {
    return this.#isColoured ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
  }
}
