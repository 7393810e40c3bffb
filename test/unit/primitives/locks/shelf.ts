import { Bedrock, type ClaimView, type LockOptions, type ReadWriteLock } from 'bedrock-lock';
import { READER } from 'bedrock-lock/backend';
import { memory } from 'bedrock-lock/memory';
import { Bench, OPERATION_MS, type BenchOptions } from '../../engine/bench.js';

/** A read-write lock on the bench, and the same in other processes. */
export class Shelf {
  readonly bench: Bench;
  readonly lock: ReadWriteLock;
  /** Another process. */
  readonly rival: ReadWriteLock;
  readonly #others: Bedrock[] = [];

  constructor(options: LockOptions = {}, benchOptions: BenchOptions = {}) {
    this.bench = new Bench(benchOptions);
    this.lock = this.bench.bedrock.readWriteLock('shelf', options);
    this.rival = this.another();
  }

  /** The lock in one more process. */
  another(): ReadWriteLock {
    const { store, clock } = this.bench;
    const bedrock = new Bedrock({ backend: memory({ store, clock }), clock });
    this.#others.push(bedrock);
    return bedrock.readWriteLock('shelf');
  }

  get clock() {
    return this.bench.clock;
  }

  /** The claims that were sent. */
  get claims() {
    return this.bench.backend.callsOf('claim').map(({ input }) => input);
  }

  /** Readers and writers, as the store knows them. */
  views(): Promise<readonly ClaimView[]> {
    return this.#others[0]!.backend.leases.inspect('shelf', READER);
  }

  async held(): Promise<string> {
    const modes = (await this.views()).map(({ mode }) => (mode === 'shared' ? 'r' : 'w'));
    return modes.join('');
  }

  async close(): Promise<void> {
    const others = this.#others.map((bedrock) => bedrock.close({ graceMs: 0 }));
    const closed = Promise.all([this.bench.close(), ...others]);
    await this.clock.advance(5 * OPERATION_MS);
    await closed;
  }
}
