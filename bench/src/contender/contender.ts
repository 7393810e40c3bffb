import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { WordChannel } from './channel.js';
import type { Assignment } from './messages.js';
import { startProcess } from './start-process.js';

/** Longer than any turn, in ms: a library that hangs must not stop the bench. */
const GIVE_UP_MS = 60_000;
const END_WITHIN_MS = 4_000;

const living = new Set<ChildProcess>();
process.once('exit', () => living.forEach((child) => child.kill('SIGKILL')));

/** A library at work in a process of its own, as seen by the bench. */
export class Contender<A> {
  readonly #child: ChildProcess;
  readonly #channel: WordChannel;
  readonly #ended: Promise<void>;
  readonly #account: Promise<A>;
  readonly #failure: Promise<never>;

  constructor(assignment: Assignment) {
    const { child, tell, onMessage } = startProcess(assignment.library);
    living.add(child);
    this.#child = child;
    this.#channel = new WordChannel((word) => tell({ kind: 'word', word }));
    this.#ended = once(child, 'exit').then(() => void living.delete(child));
    const outcome = new Promise<A>((resolve, reject) => {
      onMessage((message) => {
        if (message.kind === 'word') this.#channel.arrived(message.word);
        if (message.kind === 'account') resolve(message.account as A);
        if (message.kind === 'failed') reject(new Error(message.reason));
      });
      const timer = setTimeout(() => {
        reject(new Error(`gave up after ${GIVE_UP_MS / 1_000} s`));
        child.kill('SIGKILL');
      }, GIVE_UP_MS);
      child.once('error', reject);
      // Its last message may be read after its exit.
      child.once('close', (code, signal) => {
        clearTimeout(timer);
        reject(new Error(`its process exited with ${signal ?? code}`));
      });
    });
    this.#account = outcome;
    this.#failure = outcome.then(() => new Promise<never>(() => undefined));
    this.#account.catch(() => undefined);
    this.#failure.catch(() => undefined);
    tell({ kind: 'begin', assignment });
  }

  send(word: unknown): void {
    this.#channel.send(word);
  }

  /** The next message. @throws the contender's error */
  receive(): Promise<unknown> {
    return Promise.race([this.#channel.receive(), this.#failure]);
  }

  /** The contender's measurements. @throws its error */
  account(): Promise<A> {
    return this.#account;
  }

  /** Resolves when the process has ended, by itself or by force. */
  async end(): Promise<void> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_WITHIN_MS);
    await this.#ended;
    clearTimeout(timer);
  }
}
