import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A process beside the spec's, of another user where the spec runs as root. */
export class Neighbour {
  readonly #child: ChildProcess;

  static async start(): Promise<Neighbour> {
    const child = fork(new URL('neighbour-main.mjs', import.meta.url), { execArgv: [] });
    await once(child, 'message');
    return new Neighbour(child);
  }

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  async asks(what: 'uid' | 'reserve' | 'hold' | 'goOn', argument?: string | number): Promise<unknown> {
    const answer = once(this.#child, 'message');
    this.#child.send([what, argument]);
    return ((await answer) as unknown[])[0];
  }

  /** Lets it end the work that it holds a turn for, and gives the moment, by `process.hrtime`. */
  async goesOn(): Promise<bigint> {
    return BigInt((await this.asks('goOn')) as string);
  }

  async dies(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }
}
