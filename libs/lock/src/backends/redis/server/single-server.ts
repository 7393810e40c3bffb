import type { ClaimRef } from '../../../core/claim.js';
import { InvalidOptionError } from '../../../core/errors.js';
import { AwaitedGrants } from '../presence/awaited-grants.js';
import { Connection } from '../connection/connection.js';
import { GuardAgreement } from './guard-agreement.js';
import { askerOf, type AskScript } from '../protocol/ask-script.js';
import { fencingCounter, TOKEN_KEY } from '../protocol/keys.js';
import { ProcessRows } from '../presence/process-rows.js';
import { RAISE } from '../protocol/script.js';
import { ServerDrivers } from './server-drivers.js';
import { ServerTime } from '../connection/server-time.js';
import type { Servers, Site } from './servers.js';
import { Wakes } from '../presence/wakes.js';

/** One Redis, or the primary that Sentinels name: a connection for commands and one for subscriptions. */
export class SingleServer implements Servers {
  readonly #commanding: Connection;
  readonly #listening: Connection;
  readonly #drivers: ServerDrivers;
  readonly #wakes: Wakes;
  readonly #rows: ProcessRows;
  readonly #ask: AskScript;
  readonly #hasOwnTokens: boolean;

  constructor(site: Site) {
    const { terms, processId, onSuspect } = site;
    const { links, clock, label } = terms;
    const time = new ServerTime(clock);
    const awaited = new AwaitedGrants(time);
    this.#commanding = new Connection(links.create(), clock, terms);
    this.#ask = askerOf(this.#commanding);
    this.#hasOwnTokens = terms.tokens === 'perLock';
    this.#listening = new Connection(links.create(), clock, terms);
    const { call } = this.#commanding;
    // The nodes of a combination are asked about by the combination.
    const isAlone = site.onServing === undefined;
    const agreement =
      terms.restartGuard && isAlone ? new GuardAgreement(terms.maxLeaseMs, call, clock) : undefined;
    this.#rows = new ProcessRows(processId, label, call, clock, agreement);
    this.#wakes = new Wakes(this.#listening, processId, clock, awaited, onSuspect);
    this.#drivers = new ServerDrivers({
      ...site,
      connection: this.#commanding,
      time,
      rows: this.#rows,
      agreement,
      wakes: this.#wakes,
      awaited,
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

  get commands(): number {
    return this.#commanding.commands + this.#listening.commands;
  }

  start(): void {
    this.#drivers.start();
    this.#listening.start(this.#wakes);
  }

  async whenReady(ms: number): Promise<void> {
    try {
      await Promise.all([this.#commanding.whenReady(ms), this.#listening.whenReady(ms)]);
    } catch (error) {
      throw disagreementIn(error) ?? error;
    }
  }

  async ping(): Promise<void> {
    await this.#commanding.whenServing();
    await this.#commanding.call('ping', []);
  }

  /** See `LockNode`. */
  async raiseToken({ id, resource }: ClaimRef, token: number): Promise<'raised' | 'lost'> {
    await this.#commanding.whenServing();
    const counter = this.#hasOwnTokens ? fencingCounter(resource) : TOKEN_KEY;
    const raised = await this.#ask(RAISE, resource, [resource, counter], id, String(token));
    return raised === 1 ? 'raised' : 'lost';
  }

  async close(): Promise<void> {
    await this.#rows.erase().catch(() => undefined);
    this.#wakes.close();
    await this.#drivers.close();
    this.#listening.close();
  }
}

/** What is wrong with an option of this process is no outage: waiting would not mend it. */
function disagreementIn(error: unknown): InvalidOptionError | undefined {
  for (let one = error; one instanceof Error; one = one.cause)
    if (one instanceof InvalidOptionError) return one;
  return undefined;
}
