import type { Bedrock } from 'bedrock-lock';
import type { ContractContext } from '../../context/contract-context.js';
import type { RequestMeter } from '../../context/request-meter.js';

/** Requests as the meter counts them at the server, and as the backends report them. */
export interface Requests {
  readonly atServer: number;
  readonly reported: number;
}

/** Looks for quiet, at most: a waiter that polls is never quiet for long. */
const MOST_LOOKS = 30;

/** Counts the requests of processes. */
export class RequestCount {
  /** Requests of one look. */
  #lookCosts: Requests = { atServer: 0, reported: 0 };
  #looks = 0;

  constructor(
    private readonly context: ContractContext,
    private readonly meter: RequestMeter,
    private readonly peers: readonly Bedrock[],
  ) {}

  /** Learns what its own looks cost. */
  async calibrate(rounds: number): Promise<void> {
    const looks: Requests[] = [];
    for (let i = 0; i < rounds; i += 1) {
      const before = this.#now();
      await this.#look();
      looks.push(difference(this.#now(), before));
    }
    this.#lookCosts = {
      atServer: Math.min(...looks.map(({ atServer }) => atServer)),
      reported: Math.min(...looks.map(({ reported }) => reported)),
    };
  }

  /** What `act` costs, with all that follows from it; more where requests of the background come at the same time. */
  async of(act: () => Promise<unknown>): Promise<Requests> {
    const before = this.#withoutLooks();
    await act();
    await this.settle();
    return difference(this.#withoutLooks(), before);
  }

  /** Resolves when nothing is in flight, and nothing follows from an answer any more. */
  async settle(): Promise<void> {
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      const before = this.#withoutLooks();
      await this.#look();
      if (difference(this.#withoutLooks(), before).atServer <= 0) return;
    }
  }

  /** Each process gets an answer to a request that it sends after all others. */
  async #look(): Promise<void> {
    // What follows from an answer is sent a turn later.
    await this.context.sleep(1);
    await this.context.eventually('nothing is withdrawn any more', () =>
      this.peers.every((peer) => peer.stats().pendingWithdrawals === 0),
    );
    await Promise.all(this.peers.map((peer) => peer.backend.ping()));
    this.#looks += 1;
  }

  #withoutLooks(): Requests {
    const { atServer, reported } = this.#now();
    return {
      atServer: atServer - this.#looks * this.#lookCosts.atServer,
      reported: reported - this.#looks * this.#lookCosts.reported,
    };
  }

  #now(): Requests {
    return {
      atServer: this.meter.requests(),
      reported: this.peers.reduce((sum, { backend }) => sum + backend.commands, 0),
    };
  }
}

function difference(after: Requests, before: Requests): Requests {
  return { atServer: after.atServer - before.atServer, reported: after.reported - before.reported };
}
