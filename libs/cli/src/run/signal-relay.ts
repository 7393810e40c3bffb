import type { CommandGroup } from './command-group.js';

/** Signals that would end or disturb this process, and that the command gets instead. */
const RELAYED = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGCONT',
  'SIGWINCH',
] as const;
const ENDING: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

/**
 * Takes the signals of this process. Before there is a command, one that asks to end ends the wait for the lock; later all go
 * to the command. Ctrl-Z has no effect, since a holder that is stopped cannot renew its lock.
 */
export class SignalRelay implements Disposable {
  readonly #wait = new AbortController();
  readonly #relay = (signal: NodeJS.Signals) => this.#receive(signal);
  readonly #ignore = () => undefined;
  #group: CommandGroup | undefined;
  #ending: NodeJS.Signals | undefined;

  constructor() {
    for (const signal of RELAYED) process.on(signal, this.#relay);
    process.on('SIGTSTP', this.#ignore);
  }

  /** Aborts when a signal asks to end before there is a command. */
  get wait(): AbortSignal {
    return this.#wait.signal;
  }

  /** The signal that asked to end before there was a command. */
  get ending(): NodeJS.Signals | undefined {
    return this.#ending;
  }

  /** From now on signals go to the command; first the one that came while it was being started. */
  sendTo(group: CommandGroup): void {
    this.#group = group;
    if (this.#ending !== undefined) group.send(this.#ending);
  }

  [Symbol.dispose](): void {
    for (const signal of RELAYED) process.off(signal, this.#relay);
    process.off('SIGTSTP', this.#ignore);
  }

  #receive(signal: NodeJS.Signals): void {
    if (this.#group !== undefined) return this.#group.send(signal);
    if (!ENDING.has(signal)) return;
    this.#ending = signal;
    this.#wait.abort();
  }
}
