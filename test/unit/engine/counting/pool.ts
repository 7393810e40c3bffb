import { Bedrock, type ClaimView, type Semaphore, type SemaphoreOptions } from 'bedrock-lock';
import { permits } from 'bedrock-lock/backend';
import { memory } from 'bedrock-lock/memory';
import { Bench, OPERATION_MS, type BenchOptions } from '../bench.js';

/** A semaphore of 8 permits on the bench, and the same in another process. */
export class Pool {
  readonly bench: Bench;
  readonly semaphore: Semaphore;
  /** Another process. */
  readonly rival: Semaphore;
  readonly #others: Bedrock[] = [];

  constructor(
    { permits: count = 8, ...options }: Partial<SemaphoreOptions> = {},
    benchOptions: BenchOptions = {},
  ) {
    this.bench = new Bench(benchOptions);
    this.semaphore = this.bench.bedrock.semaphore('pool', { permits: count, ...options });
    this.rival = this.another(count);
  }

  /** The semaphore in one more process, which states its own number of permits. */
  another(count = this.semaphore.permits): Semaphore {
    const { store, clock } = this.bench;
    const bedrock = new Bedrock({ backend: memory({ store, clock }), clock });
    this.#others.push(bedrock);
    return bedrock.semaphore('pool', { permits: count });
  }

  get clock() {
    return this.bench.clock;
  }

  /** The claims that were sent, with when they were. */
  get claims() {
    return this.bench.backend.callsOf('claim').map(({ at, input }) => ({ at, ...input }));
  }

  /** What the store knows of the permits. */
  views(): Promise<readonly ClaimView[]> {
    return this.#others[0]!.backend.leases.inspect('pool', permits(1, 1));
  }

  /** Permits that the store knows as held, by all holders. */
  async held(): Promise<number> {
    return (await this.views()).reduce((sum, { units }) => sum + units, 0);
  }

  async close(): Promise<void> {
    const others = this.#others.map((bedrock) => bedrock.close({ graceMs: 0 }));
    const closed = Promise.all([this.bench.close(), ...others]);
    await this.clock.advance(5 * OPERATION_MS);
    await closed;
  }
}
