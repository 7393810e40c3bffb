import type { Prng } from '../world/prng.js';
import type { World } from '../world/world.js';

export interface NetworkPathSettings {
  /** One way, ms. */
  readonly leastMs: number;
  readonly meanJitterMs: number;
  /** How often something takes much longer, such as a packet that is sent again. */
  readonly slowShare: number;
  readonly slowestMs: number;
}

/** The network path between a process and a server, which may be closed for a time. */
export class NetworkPath {
  closedUntil = 0;
  readonly #prng: Prng;

  constructor(
    private readonly world: World,
    private readonly settings: NetworkPathSettings,
  ) {
    this.#prng = world.prng.fork();
  }

  /** When something that leaves at `from` arrives. */
  arrival(from: number): number {
    const { leastMs, meanJitterMs, slowShare, slowestMs } = this.settings;
    let at = from + leastMs + this.#prng.around(meanJitterMs);
    if (this.#prng.chance(slowShare)) at += this.#prng.between(0, slowestMs);
    // Data lost on a closed path is sent again some time after it has opened.
    if (from < this.closedUntil) at = this.closedUntil + this.#prng.between(1, 200);
    return at;
  }

  chance(share: number): boolean {
    return this.#prng.chance(share);
  }

  close(ms: number): void {
    this.closedUntil = Math.max(this.closedUntil, this.world.now + ms);
  }
}
