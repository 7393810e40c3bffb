import type { ClaimRef } from '../../../core/claim.js';
import { InvalidOptionError } from '../../../core/errors.js';
import { ClockOffset } from '../../kit/clock-offset.js';
import type { ProcessEntry } from '../../../core/ports/admin.js';
import { ProcessDirectory, type ProcessEntries } from '../../kit/process-directory.js';
import { ownProcessView } from '../../kit/process-view.js';
import { AwaitedGrants } from '../presence/awaited-grants.js';
import { RedisConnection } from '../connection/redis-connection.js';
import { GuardAgreement } from './guard-agreement.js';
import { scriptCallerFor, type CallScript } from '../protocol/script-caller.js';
import { fencingCounter, TOKEN_KEY } from '../protocol/keys.js';
import { processEntries, readProcesses } from '../presence/process-entries.js';
import { RAISE_TOKEN } from '../protocol/script.js';
import { ServerDrivers } from './server-drivers.js';
import type { Servers, RedisServerDeps } from './servers.js';
import { WakeSubscriptions } from '../presence/wake-subscriptions.js';

/**
 * One Redis, or the primary that Sentinels name: a connection for commands and one for
 * subscriptions.
 */
export class SingleServer implements Servers {
  readonly #commandConnection: RedisConnection;
  readonly #subscriptionConnection: RedisConnection;
  readonly #drivers: ServerDrivers;
  readonly #wakes: WakeSubscriptions;
  readonly #processes: ProcessDirectory;
  readonly #entries: ProcessEntries;
  readonly #callScript: CallScript;
  readonly #hasPerLockTokens: boolean;

  constructor(deps: RedisServerDeps) {
    const { settings, processId, onSuspect } = deps;
    const { links, clock, label } = settings;
    const clockOffset = new ClockOffset(clock, 'ms');
    const awaitedGrants = new AwaitedGrants(clockOffset);
    this.#commandConnection = new RedisConnection(links.create(), clock, settings);
    this.#callScript = scriptCallerFor(this.#commandConnection.calls);
    this.#hasPerLockTokens = settings.tokens === 'perLock';
    this.#subscriptionConnection = new RedisConnection(links.create(), clock, settings);
    const { call } = this.#commandConnection.calls;
    // A node of a combination makes no agreement: there, the options of the combination must be the
    // same in all processes.
    const isAlone = deps.onServing === undefined;
    const agreement =
      settings.restartGuard && isAlone ? new GuardAgreement(settings.maxLeaseMs, call, clock) : undefined;
    const entries = processEntries(processId, call);
    this.#entries = entries;
    this.#processes = new ProcessDirectory(processId, ownProcessView(label), entries, clock);
    this.#wakes = new WakeSubscriptions(
      this.#subscriptionConnection,
      processId,
      clock,
      awaitedGrants,
      onSuspect,
    );
    this.#drivers = new ServerDrivers({
      ...deps,
      connection: this.#commandConnection,
      clockOffset,
      processes: this.#processes,
      agreement,
      wakes: this.#wakes,
      awaitedGrants,
      start: () => this.start(),
    });
  }

  get leases() {
    return this.#drivers.leases;
  }

  get counters() {
    return this.#drivers.counters;
  }

  get permits() {
    return this.#drivers.permits;
  }

  get records() {
    return this.#drivers.records;
  }

  get lockNames() {
    return this.#drivers.lockNames;
  }

  get commands(): number {
    return this.#commandConnection.calls.sent + this.#subscriptionConnection.calls.sent;
  }

  start(): void {
    this.#drivers.start();
    this.#subscriptionConnection.start(this.#wakes);
  }

  async whenReady(ms: number): Promise<void> {
    try {
      await Promise.all([this.#commandConnection.whenReady(ms), this.#subscriptionConnection.whenReady(ms)]);
    } catch (error) {
      throw disagreementIn(error) ?? error;
    }
  }

  async ping(): Promise<void> {
    await this.#commandConnection.whenServing();
    await this.#commandConnection.calls.call('ping', []);
  }

  async processes(): Promise<readonly ProcessEntry[]> {
    return readProcesses(this.#entries, await this.lockNames.processIds());
  }

  /** See `LockNode`. */
  async raiseToken({ id, resource }: ClaimRef, token: number): Promise<'raised' | 'lost'> {
    await this.#commandConnection.whenServing();
    const counter = this.#hasPerLockTokens ? fencingCounter(resource) : TOKEN_KEY;
    const raised = await this.#callScript(RAISE_TOKEN, resource, [resource, counter], id, String(token));
    return raised === 1 ? 'raised' : 'lost';
  }

  async close(): Promise<void> {
    await this.#processes.remove().catch(() => undefined);
    this.#wakes.close();
    await this.#drivers.close();
    this.#subscriptionConnection.close();
  }
}

/** A wrong option of this process is not an outage: waiting would not fix it. */
function disagreementIn(error: unknown): InvalidOptionError | undefined {
  for (let one = error; one instanceof Error; one = one.cause)
    if (one instanceof InvalidOptionError) return one;
  return undefined;
}
