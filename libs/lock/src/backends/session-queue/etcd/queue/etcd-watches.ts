import type { Buffer } from 'node:buffer';
import type { IEvent, IWatchCreateRequest, IWatchResponse } from 'etcd3';
import type { Clock, Timer } from '../../../../core/clock.js';
import type { Unsubscribe } from '../../../../core/ports/ports.js';
import type { EtcdLink, WatchStream } from '../connection/etcd-link.js';

const RETRY_MS = { first: 50, last: 1_000 };

/** What is watched. */
export interface Watched {
  readonly key: Buffer;
  /** The first change that counts: nothing between the reading and the watching is missed. */
  readonly from: number;
  /** Whether the end of the key is all that matters. */
  readonly onlyItsEnd: boolean;
  /** `undefined`: what has happened is not known any more, since etcd has forgotten it. */
  readonly onEvent: (event: IEvent | undefined) => void;
}

/** Watches of single keys, on one stream, which is opened anew at the same changes when it breaks. */
export class EtcdWatches {
  readonly #watched = new Map<number, Watched>();
  #lastId = 0;
  #stream: WatchStream | undefined;
  #isOpening = false;
  #hasBroken = false;
  #retryMs = RETRY_MS.first;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(
    private readonly link: EtcdLink,
    private readonly clock: Clock,
    /** There is a stream again. */
    private readonly onRegained: () => void,
  ) {
    link.onMoved(() => this.#broken());
  }

  add(watched: Watched): Unsubscribe {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#watched.set(id, watched);
    if (this.#stream === undefined) void this.#open();
    else this.#create(this.#stream, id, watched);
    return () => this.#remove(id);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
    this.#watched.clear();
    this.#stream?.cancel();
    this.#stream = undefined;
  }

  #remove(id: number): void {
    if (this.#watched.delete(id)) this.#stream?.write({ cancel_request: { watch_id: id } });
  }

  async #open(): Promise<void> {
    if (this.#isClosed || this.#isOpening || this.#stream !== undefined || this.#watched.size === 0) return;
    this.#isOpening = true;
    try {
      const stream = await this.link.watch();
      stream.on('data', (reply) => this.#read(stream, reply));
      stream.on('error', () => this.#ended(stream));
      stream.on('end', () => this.#ended(stream));
      this.#isOpening = false;
      if (this.#isClosed) return stream.cancel();
      this.#stream = stream;
      for (const [id, watched] of this.#watched) this.#create(stream, id, watched);
    } catch {
      this.#isOpening = false;
      this.#retry();
    }
  }

  #create(stream: WatchStream, id: number, { key, from, onlyItsEnd }: Watched): void {
    const request: IWatchCreateRequest = { key, start_revision: from, watch_id: id };
    stream.write({ create_request: onlyItsEnd ? { ...request, filters: ['Noput'] } : request });
  }

  #read(
    stream: WatchStream,
    { watch_id, created, canceled, compact_revision, events }: IWatchResponse,
  ): void {
    if (stream !== this.#stream) return;
    const id = Number(watch_id);
    const watched = this.#watched.get(id);
    if (created && !canceled) {
      this.#retryMs = RETRY_MS.first;
      if (this.#hasBroken) {
        this.#hasBroken = false;
        this.onRegained();
      }
    }
    if (watched === undefined) return;
    for (const event of events) {
      // After a break it goes on behind what was told already.
      if (this.#watched.has(id))
        this.#watched.set(id, { ...watched, from: Number(event.kv.mod_revision) + 1 });
      watched.onEvent(event);
    }
    if (!canceled || !this.#watched.delete(id)) return;
    // Who goes on watching does so behind what was forgotten.
    const from = Number(compact_revision) + 1;
    if (from > watched.from) this.#watched.set(id, { ...watched, from });
    watched.onEvent(undefined);
    const again = this.#watched.get(id);
    if (again !== undefined && stream === this.#stream) this.#create(stream, id, again);
  }

  #ended(stream: WatchStream): void {
    if (stream === this.#stream) this.#broken();
  }

  #broken(): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.cancel();
    if (this.#isClosed || this.#watched.size === 0) return;
    this.#hasBroken = true;
    this.#retry();
  }

  #retry(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = this.clock.setTimer(() => {
      this.#timer = undefined;
      void this.#open();
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.last);
  }
}
