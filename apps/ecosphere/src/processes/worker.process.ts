import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AccountOf, DutyName, OrderOf } from './duties.js';
import type { FromWorker, ToWorker } from './messages.js';

const ENTRY = fileURLToPath(new URL('./worker.js', import.meta.url));
const LEAVE_WITHIN_MS = 15_000;

/** The signal that ended a process, or its exit code. */
export type Ending = NodeJS.Signals | number;

/** A child process with a duty, as its parent sees it. */
export class WorkerProcess<N extends DutyName> {
  readonly #child: ChildProcess;
  readonly #exited: Promise<Ending>;
  readonly #onProgress: (done: number) => void;

  constructor(duty: N, order: OrderOf<N>, onProgress: (done: number) => void = () => undefined) {
    // 'advanced' sends typed arrays as they are.
    this.#child = fork(ENTRY, { serialization: 'advanced' });
    this.#onProgress = onProgress;
    this.#exited = once(this.#child, 'exit').then(([code, signal]) => (signal ?? code) as Ending);
    this.#tell({ kind: 'order', duty, order });
  }

  /** Resolves when it could begin. */
  async ready(): Promise<void> {
    await this.#hear('ready');
  }

  async work(): Promise<AccountOf<N>> {
    this.#tell({ kind: 'go' });
    return (await this.#hear('account')).account as AccountOf<N>;
  }

  /** Lets it go without waiting for an account: it is going to die of its order. Resolves with how it ended. */
  async workToDeath(): Promise<Ending> {
    this.#tell({ kind: 'go' });
    return this.#exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it, in order when it can be. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGCONT');
    if (this.#child.connected) this.#tell({ kind: 'leave' });
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), LEAVE_WITHIN_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  #tell(message: ToWorker): void {
    this.#child.send(message);
  }

  /** The next message of a kind. @throws what the worker failed of, or that it ended */
  #hear<K extends FromWorker['kind']>(kind: K): Promise<FromWorker & { readonly kind: K }> {
    return new Promise((resolve, reject) => {
      const listen = (message: FromWorker): void => {
        if (message.kind === 'progress') this.#onProgress(message.done);
        if (message.kind === 'failed') settle(() => reject(new Error(`worker: ${message.reason}`)));
        if (message.kind === kind) settle(() => resolve(message as FromWorker & { readonly kind: K }));
      };
      const ended = (code: unknown, signal: unknown): void =>
        settle(() => reject(new Error(`worker ended with ${String(signal ?? code)} before "${kind}"`)));
      const settle = (answer: () => void): void => {
        this.#child.off('message', listen);
        this.#child.off('exit', ended);
        answer();
      };
      this.#child.on('message', listen);
      this.#child.on('exit', ended);
    });
  }
}
