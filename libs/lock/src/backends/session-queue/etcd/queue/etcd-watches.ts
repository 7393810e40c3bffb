import type { Buffer } from 'node:buffer';
import type { IEvent, IWatchCreateRequest, IWatchResponse } from 'etcd3';
import type { Clock, Timer } from '../../../../core/clock.js';
import type { Unsubscribe } from '../../../../core/ports/ports.js';
import { Backoff } from '../../../../runtime/backoff.js';
import type { EtcdLink, WatchStream } from '../connection/etcd-link.js';

/** Pauses before a broken stream is opened again, in ms. */
const RETRY_MS = { first: 50, longest: 1_000 };

/** The watched key or range. */
export interface KeyWatch {
  readonly key: Buffer;
  /** The first change that counts: nothing between the reading and the watching is missed. */
  readonly startRevision: number;
  /** Whether the end of the key is all that matters. */
  readonly deleteOnly: boolean;
  /** `undefined`: events are missing, since etcd has compacted them away. */
  readonly onEvent: (event: IEvent | undefined) => void;
}

/** Watches of single keys, on one stream, which is opened anew at the same changes when it breaks. */
export class EtcdWatches {
  readonly #watches = new Map<number, KeyWatch>();
  #lastId = 0;
  #stream: WatchStream | undefined;
  #isOpening = false;
  #hasBroken = false;
  readonly #retries = new Backoff(RETRY_MS);
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(
    private readonly link: EtcdLink,
    private readonly clock: Clock,
    /** There is a stream again. */
    private readonly onReconnected: () => void,
  ) {
    link.onEndpointChanged(() => this.#broken());
  }

  add(watch: KeyWatch): Unsubscribe {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#watches.set(id, watch);
    if (this.#stream === undefined) void this.#open();
    else this.#create(this.#stream, id, watch);
    return () => this.#remove(id);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
    this.#watches.clear();
    this.#stream?.cancel();
    this.#stream = undefined;
  }

  #remove(id: number): void {
    if (this.#watches.delete(id)) this.#stream?.write({ cancel_request: { watch_id: id } });
  }

  async #open(): Promise<void> {
    if (this.#isClosed || this.#isOpening || this.#stream !== undefined || this.#watches.size === 0) return;
    this.#isOpening = true;
    try {
      const stream = await this.link.watch();
      stream.on('data', (reply) => this.#read(stream, reply));
      stream.on('error', () => this.#ended(stream));
      stream.on('end', () => this.#ended(stream));
      this.#isOpening = false;
      if (this.#isClosed) return stream.cancel();
      this.#stream = stream;
      for (const [id, watch] of this.#watches) this.#create(stream, id, watch);
    } catch {
      this.#isOpening = false;
      this.#retry();
    }
  }

  #create(stream: WatchStream, id: number, { key, startRevision, deleteOnly }: KeyWatch): void {
    const request: IWatchCreateRequest = { key, start_revision: startRevision, watch_id: id };
    stream.write({ create_request: deleteOnly ? { ...request, filters: ['Noput'] } : request });
  }

  #read(
    stream: WatchStream,
    { watch_id, created, canceled, compact_revision, events }: IWatchResponse,
  ): void {
    if (stream !== this.#stream) return;
    const id = Number(watch_id);
    const watch = this.#watches.get(id);
    if (created && !canceled) {
      this.#retries.reset();
      if (this.#hasBroken) {
        this.#hasBroken = false;
        this.onReconnected();
      }
    }
    if (watch === undefined) return;
    for (const event of events) {
      // After a break it goes on behind what was told already.
      if (this.#watches.has(id))
        this.#watches.set(id, { ...watch, startRevision: Number(event.kv.mod_revision) + 1 });
      watch.onEvent(event);
    }
    if (!canceled || !this.#watches.delete(id)) return;
    // A watcher that goes on resumes behind the compacted revisions.
    const startRevision = Number(compact_revision) + 1;
    if (startRevision > watch.startRevision) this.#watches.set(id, { ...watch, startRevision });
    watch.onEvent(undefined);
    const again = this.#watches.get(id);
    if (again !== undefined && stream === this.#stream) this.#create(stream, id, again);
  }

  #ended(stream: WatchStream): void {
    if (stream === this.#stream) this.#broken();
  }

  #broken(): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.cancel();
    if (this.#isClosed || this.#watches.size === 0) return;
    this.#hasBroken = true;
    this.#retry();
  }

  #retry(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = this.clock.setTimer(() => {
      this.#timer = undefined;
      void this.#open();
    }, this.#retries.take());
  }
}
