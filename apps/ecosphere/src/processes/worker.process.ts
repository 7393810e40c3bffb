import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ResultOf, JobName, InputOf } from './jobs.js';
import type { FromWorker, ToWorker } from './messages.js';

const ENTRY = fileURLToPath(new URL('./worker.js', import.meta.url));
const LEAVE_WITHIN_MS = 15_000;

const living = new Set<ChildProcess>();
// SIGKILL also ends processes that a scenario has stopped.
process.once('exit', () => living.forEach((child) => child.kill('SIGKILL')));

/** The signal that ended a process, or its exit code. */
export type Ending = NodeJS.Signals | number;

/** A child process with a job, as seen by its parent. */
export class WorkerProcess<N extends JobName> {
  readonly #child: ChildProcess;
  readonly #exited: Promise<Ending>;
  readonly #onProgress: (done: number) => void;

  constructor(job: N, input: InputOf<N>, onProgress: (done: number) => void = () => undefined) {
    // 'advanced' sends typed arrays unchanged.
    this.#child = fork(ENTRY, { serialization: 'advanced' });
    this.#onProgress = onProgress;
    this.#exited = this.#watch();
    this.#tell({ kind: 'start', job, input });
  }

  /** Resolves when the worker is ready to begin, with its notice. */
  async ready(): Promise<string | undefined> {
    return (await this.#hear('ready')).notice;
  }

  async work(): Promise<ResultOf<N>> {
    this.#tell({ kind: 'go' });
    return (await this.#hear('result')).result as ResultOf<N>;
  }

  /** Starts the job without waiting for a result: its input kills the worker. Resolves with how it ended. */
  async workToDeath(): Promise<Ending> {
    this.#tell({ kind: 'go' });
    return this.#exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends the worker, gracefully if possible. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGCONT');
    if (this.#child.connected) this.#tell({ kind: 'leave' });
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), LEAVE_WITHIN_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  /** Resolves when the worker has ended. @throws if it could not be started */
  #watch(): Promise<Ending> {
    const child = this.#child;
    living.add(child);
    const exited = once(child, 'exit').then(([code, signal]) => (signal ?? code) as Ending);
    // Callers that wait for the worker get the error; a message to an ended worker must not end this process.
    child.on('error', () => undefined);
    void exited.catch(() => undefined).finally(() => living.delete(child));
    return exited;
  }

  #tell(message: ToWorker): void {
    this.#child.send(message);
  }

  /** The next message of a kind. @throws the worker's error, or that it has ended */
  #hear<K extends FromWorker['kind']>(kind: K): Promise<FromWorker & { readonly kind: K }> {
    let listen: (message: FromWorker) => void;
    const heard = new Promise<FromWorker & { readonly kind: K }>((resolve, reject) => {
      listen = (message) => {
        if (message.kind === 'progress') this.#onProgress(message.done);
        if (message.kind === 'failed') reject(new Error(`a worker failed: ${message.reason}`));
        if (message.kind === kind) resolve(message as FromWorker & { readonly kind: K });
      };
      this.#child.on('message', listen);
      this.#exited.then((ending) => reject(new Error(`a worker exited too early: ${ending}`)), reject);
    });
    return heard.finally(() => this.#child.off('message', listen));
  }
}
