import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers';
import { resetSocket } from './reset-socket.js';

export interface PipeFaults {
  readonly isDropping: boolean;
  readonly delayMs: number;
}

/** One direction of a proxied connection: bytes, end and reset arrive in order, late, or not at all. */
export class Pipe {
  readonly #to: Socket;
  readonly #faults: PipeFaults;
  readonly #held: { readonly dueAt: number; readonly deliver: () => void }[] = [];
  #isSilent = false;

  constructor(from: Socket, to: Socket, faults: PipeFaults) {
    this.#to = to;
    this.#faults = faults;
    from.on('data', (bytes) => this.#pass(() => to.write(bytes)));
    from.on('end', () => this.#pass(() => to.end()));
  }

  /** The sender is gone: the receiver hears of it after all that was sent before, unless bytes are lost. */
  close(hadError: boolean): void {
    this.#pass(() => (hadError ? resetSocket(this.#to) : this.#to.destroySoon()));
  }

  #pass(deliver: () => void): void {
    this.#isSilent ||= this.#faults.isDropping;
    if (this.#isSilent) return;
    const dueAt = performance.now() + this.#faults.delayMs;
    this.#held.push({ dueAt: Math.max(dueAt, this.#held.at(-1)?.dueAt ?? 0), deliver });
    if (this.#held.length === 1) this.#drain();
  }

  /** One timer at a time, for the first that is held: several could fire out of order. */
  #drain(): void {
    for (let first = this.#held[0]; first !== undefined; first = this.#held[0]) {
      const restMs = first.dueAt - performance.now();
      if (restMs > 0) return void setTimeout(() => this.#drain(), restMs);
      if (!this.#to.destroyed) first.deliver();
      this.#held.shift();
    }
  }
}
