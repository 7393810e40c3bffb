import type { Clock, Timer } from '../../../core/clock.js';
import type { Unsubscribe, Waker } from '../../../core/ports/ports.js';
import { Backoff } from '../../../runtime/backoff.js';
import { Readiness } from '../../kit/readiness.js';
import { WakerMap } from '../../kit/waker-map.js';
import { BackendErrors, textOf } from '../connection/failures.js';
import type { SqlWakeSource } from '../sql-backend.js';
import { SUSPECTS_CHANNEL, processChannel } from './names.js';
import type { PgLink, PgLinkFactory } from './pg-link.js';

/** A lost connection is made again after this long, doubled each time, in ms. */
const RETRY_MS = { first: 50, longest: 1_000 };
/**
 * Interval of the heartbeat while locks are watched, in ms: nothing else is sent on this
 * connection.
 */
const HEARTBEAT_MS = 3_000;

export interface NotificationListenerDeps {
  readonly links: PgLinkFactory;
  readonly clock: Clock;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  onSuspect(resource: string | undefined): void;
}

/**
 * LISTEN on a connection of its own: one channel for this process, and one for all. A lost
 * connection is made again. Then every watcher is woken and every grant is suspect, since
 * notifications sent meanwhile are lost.
 */
export class NotificationListener implements SqlWakeSource {
  commands = 0;
  readonly #errors = new BackendErrors('postgres');
  readonly #wakers = new WakerMap();
  readonly #readiness: Readiness;
  #link: PgLink | undefined;
  #timer: Timer | undefined;
  readonly #retries = new Backoff(RETRY_MS);
  #wasLost = false;
  #isStarted = false;
  #isClosed = false;

  constructor(private readonly deps: NotificationListenerDeps) {
    const silence = 'the connection for wakes was not made in time';
    this.#readiness = new Readiness(deps.clock, (why) => why ?? this.#errors.notExecuted(silence));
  }

  start(): void {
    if (this.#isStarted || this.#isClosed) return;
    this.#isStarted = true;
    void this.#connect();
  }

  whenReady(ms: number): Promise<void> {
    if (this.#link !== undefined) return Promise.resolve();
    if (this.#isClosed) return Promise.reject(this.#errors.notExecuted('it is closed'));
    return this.#readiness.wait(ms);
  }

  async watch(resource: string, waker: Waker): Promise<Unsubscribe> {
    this.start();
    await this.whenReady(this.deps.operationTimeoutMs);
    return this.#wakers.add(resource, waker);
  }

  close(): void {
    this.#isClosed = true;
    this.#wakers.clear();
    this.#stopTimer();
    this.#readiness.failed(this.#errors.notExecuted('it is closed'), true);
    this.#link?.destroy();
    this.#link = undefined;
  }

  async #connect(): Promise<void> {
    const { links, processId, operationTimeoutMs } = this.deps;
    let link: PgLink | undefined;
    try {
      link = await links.open(operationTimeoutMs);
      link.onNotification((channel, message) => this.#received(channel, message));
      await this.#query(link, `LISTEN "${processChannel(processId)}"; LISTEN "${SUSPECTS_CHANNEL}"`);
    } catch (error) {
      link?.destroy();
      this.#readiness.failed(this.#errors.notExecuted(textOf(error), error), false);
      return this.#retry();
    }
    if (this.#isClosed) return link.destroy();
    this.#opened(link);
  }

  #opened(link: PgLink): void {
    this.#link = link;
    this.#retries.reset();
    link.onEnd(() => this.#lost(link));
    this.#readiness.succeeded();
    this.#scheduleHeartbeat(link);
    if (!this.#wasLost) return;
    this.#wakers.wakeAll();
    this.deps.onSuspect(undefined);
  }

  #lost(link: PgLink): void {
    if (this.#link !== link) return;
    link.destroy();
    this.#link = undefined;
    this.#wasLost = true;
    this.#stopTimer();
    this.#retry();
  }

  #retry(): void {
    if (this.#isClosed) return;
    this.#timer = this.deps.clock.setTimer(() => void this.#connect(), this.#retries.take());
  }

  #scheduleHeartbeat(link: PgLink): void {
    this.#timer = this.deps.clock.setTimer(() => {
      if (this.#wakers.size === 0) return this.#scheduleHeartbeat(link);
      this.#query(link, 'SELECT 1').then(
        () => this.#link === link && this.#scheduleHeartbeat(link),
        () => this.#lost(link),
      );
    }, HEARTBEAT_MS);
  }

  /** Bounded: a server that says nothing is taken for lost. */
  async #query(link: PgLink, text: string): Promise<void> {
    const { clock, operationTimeoutMs } = this.deps;
    this.commands += 1;
    // The statement fails when its connection is dropped.
    const timer = clock.setTimer(() => link.destroy(), operationTimeoutMs);
    try {
      await link.execute(text);
    } finally {
      clock.clearTimer(timer);
    }
  }

  #stopTimer(): void {
    if (this.#timer !== undefined) this.deps.clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  /** `<claim id, if it is for one> <resource>` */
  #received(channel: string, message: string): void {
    const space = message.indexOf(' ');
    const resource = message.slice(space + 1);
    if (channel === SUSPECTS_CHANNEL) this.deps.onSuspect(resource);
    else this.#wakers.wake(resource, space === 0 ? undefined : { claimId: message.slice(0, space) });
  }
}
