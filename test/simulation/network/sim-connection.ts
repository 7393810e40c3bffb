import type { Reply } from '../node/reply.js';
import type { SimNode } from '../node/sim-node.js';
import type { SimProcess } from '../world/sim-process.js';
import type { NetworkPath } from './network-path.js';

/** Callbacks of the client's end of a connection. */
export interface ConnectionEnd {
  replied(reply: Reply): void;
  received(channel: string, message: string): void;
  closed(): void;
}

/**
 * A connection: both directions keep their order, and lose data only when it ends. It may also die unnoticed, or in one
 * direction alone.
 */
export class SimConnection {
  readonly channels = new Set<string>();
  readonly patterns = new Set<string>();
  isOpenHere = true;
  isOpenThere = true;
  /** Data sent in this direction from now on vanishes. */
  losesRequests = false;
  losesReplies = false;
  #upAt = 0;
  #downAt = 0;
  /** Requests that arrive later are gone. */
  #ignoresFrom = Infinity;

  constructor(
    readonly process: SimProcess,
    readonly node: SimNode,
    readonly path: NetworkPath,
    private readonly end: ConnectionEnd,
  ) {
    node.connections.add(this);
  }

  get isAlive(): boolean {
    return this.isOpenHere && this.isOpenThere;
  }

  request(words: readonly string[]): void {
    if (this.losesRequests) return;
    const { node, process } = this;
    this.#upAt = Math.max(this.path.arrival(process.time), this.#upAt);
    node.receive(this.#upAt, () => {
      if (!this.isOpenThere || process.world.now >= this.#ignoresFrom) return;
      const reply = node.serve(this, words);
      process.tell(() => `${node.name} ${shown(words)} -> ${JSON.stringify(reply)}`);
      this.#down(() => this.end.replied(reply));
    });
  }

  publish(channel: string, message: string): void {
    this.#down(() => this.end.received(channel, message));
  }

  /** The client has had enough of it. What it has sent may still be on its way, and arrive. */
  closeHere(): void {
    this.isOpenHere = false;
    const { process, path } = this;
    if (path.chance(0.5)) this.#ignoresFrom = process.time;
    this.node.receive(Math.max(path.arrival(process.time), this.#upAt), () => this.#endThere());
  }

  /** It breaks. Each end learns of it by itself. @param isSilent the client hears nothing */
  break(isSilent = false): void {
    const { process, path } = this;
    const now = process.world.now;
    this.#ignoresFrom = path.chance(0.5) ? now : path.arrival(now);
    this.losesReplies = true;
    process.world.at(Math.max(this.#ignoresFrom, now), () => this.#endThere());
    if (isSilent) return;
    process.receive(path.arrival(now), () => {
      if (!this.isOpenHere) return;
      this.isOpenHere = false;
      this.end.closed();
    });
  }

  #endThere(): void {
    this.isOpenThere = false;
    this.node.connections.delete(this);
  }

  #down(deliver: () => void): void {
    if (this.losesReplies) return;
    this.#downAt = Math.max(this.path.arrival(this.process.world.now), this.#downAt);
    this.process.receive(this.#downAt, () => {
      if (this.isOpenHere && !this.losesReplies) deliver();
    });
  }
}

function shown(words: readonly string[]): string {
  return words.map((word) => (word.length > 60 ? `${word.slice(0, 20)}…` : word)).join(' ');
}
