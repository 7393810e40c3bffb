import type {
  Claim,
  ClaimRef,
  HeldRef,
  ProcessView,
  Shape,
  Wake,
  WithdrawOptions,
} from '../../core/claim.js';
import { randomUuid, systemClock, type Clock } from '../../core/clock.js';
import { BackendUnavailableError, InvalidOptionError } from '../../core/errors.js';
import { checkText } from '../../core/key.js';
import { checkClock, checkFields, checkWhole } from '../../core/checks.js';
import type {
  Backend,
  CounterDriver,
  LeaseDriver,
  PermitDriver,
  RecordDriver,
  Traits,
  Unsubscribe,
  Waker,
} from '../../core/ports/ports.js';
import type { AdminDriver, ListRequest } from '../../core/ports/admin.js';
import { NamedAdmin, namesPageOf, shapeOf } from '../kit/named-admin.js';
import { ownProcessView } from '../kit/process-view.js';
import { Suspicion } from '../kit/suspicion.js';
import { WakerMap } from '../kit/waker-map.js';
import { MemoryCountDrivers } from './memory-count-drivers.js';
import { MemoryRecordDriver } from './memory-records.js';
import { MemoryStore, type MemoryClient } from './memory-store.js';

export interface MemoryOptions {
  /** Share one store between backends to let them compete like processes. @default its own store */
  readonly store?: MemoryStore;
  /** Shown as the label of the holder. */
  readonly label?: string;
  /** Longest lease, in ms. @default 300000 */
  readonly maxLeaseMs?: number;
  /** @default the system clock */
  readonly clock?: Clock;
}

const FIELDS: ReadonlySet<string> = new Set<keyof MemoryOptions>(['store', 'label', 'maxLeaseMs', 'clock']);

/** Locks in this process: for tests, and for applications that run as one process. */
export function memory(options: MemoryOptions = {}): Backend {
  return new MemoryBackend(options);
}

class MemoryBackend implements Backend, LeaseDriver, MemoryClient {
  readonly name = 'memory';
  readonly leases = this;
  readonly counters: CounterDriver;
  readonly permits: PermitDriver;
  readonly records: RecordDriver;
  readonly admin: AdminDriver;
  readonly operationTimeoutMs = 1_000;
  readonly commands = 0;
  readonly processId: string;
  readonly traits: Traits;
  readonly view: ProcessView;
  readonly #store: MemoryStore;
  readonly #counting: MemoryCountDrivers;
  readonly #wakers = new WakerMap();
  readonly #suspicion = new Suspicion();
  #isClosed = false;

  readonly onSuspect = this.#suspicion.onSuspect;
  readonly suspect = this.#suspicion.report;

  constructor(options: MemoryOptions) {
    checkFields('options', options, FIELDS);
    const { clock: givenClock = systemClock, label, maxLeaseMs = 300_000 } = options;
    const clock = checkClock('clock', givenClock);
    const { store = new MemoryStore(clock) } = options;
    if (!(store instanceof MemoryStore)) throw new InvalidOptionError('store', 'a MemoryStore', store);
    if (label !== undefined) checkText('label', label);
    this.#store = store;
    this.processId = randomUuid(clock);
    this.view = ownProcessView(label);
    this.traits = Object.freeze({
      fifo: true,
      shared: true,
      weighted: true,
      fencing: true,
      push: true,
      holdAtLeast: true,
      inProcess: true,
      minLeaseMs: 10,
      maxLeaseMs: checkWhole('maxLeaseMs', maxLeaseMs, 10, 2 ** 31 - 1),
      lifetime: 'lease',
    });
    this.#counting = new MemoryCountDrivers(store.counts, () => this.#assertOpen());
    this.counters = this.#counting.counters;
    this.permits = this.#counting.permits;
    this.records = new MemoryRecordDriver(store.records, () => this.#assertOpen());
    const locks = {
      names: async (request: ListRequest) => (
        this.#assertOpen(),
        namesPageOf(store.queueLengths.keys(), request)
      ),
      find: async (resource: string) => {
        const holders = await this.inspect(resource);
        if (holders.length === 0) return [];
        return [
          { resource, shape: shapeOf(holders), holders, waiters: store.queueLengths.get(resource) ?? 0 },
        ];
      },
    };
    this.admin = new NamedAdmin(locks, clock, async () => (this.#assertOpen(), store.processes()));
    store.join(this);
  }

  get id(): string {
    return this.processId;
  }

  async ready(): Promise<void> {
    this.#assertOpen();
  }

  async ping(): Promise<number> {
    this.#assertOpen();
    return 0;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#store.leave(this);
    this.#wakers.clear();
    this.#counting.close();
  }

  async claim(claim: Claim) {
    this.#assertOpen();
    return this.#store.claim(claim, this);
  }

  async claimAll(claims: readonly Claim[]) {
    this.#assertOpen();
    return this.#store.claimAll(claims, this);
  }

  async renew(held: readonly HeldRef[]) {
    this.#assertOpen();
    return held.map((ref) => this.#store.renew(ref));
  }

  async withdraw(ref: ClaimRef, options: WithdrawOptions) {
    this.#assertOpen();
    return this.#store.withdraw(ref, options, this);
  }

  annotate(ref: ClaimRef, { depth }: { readonly depth: number }): void {
    this.#store.annotate(ref, depth);
  }

  async inspect(resource: string) {
    this.#assertOpen();
    return this.#store.inspect(resource);
  }

  async revoke(resource: string, _shape: Shape, how: 'atExpiry' | 'now', holder?: string) {
    this.#assertOpen();
    return this.#store.revoke(resource, how, holder);
  }

  async watch(resource: string, _shape: Shape, waker: Waker): Promise<Unsubscribe> {
    this.#assertOpen();
    return this.#wakers.add(resource, waker);
  }

  wake(resource: string, why?: Wake): void {
    this.#wakers.wake(resource, why);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new BackendUnavailableError('memory', 'it is closed', 'no');
  }
}
