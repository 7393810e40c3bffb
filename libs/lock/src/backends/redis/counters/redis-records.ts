import type { RecordDriver } from '../../../core/ports/ports.js';
import type { RecordRef, RecordStart, RecordView } from '../../../core/ports/records.js';
import type { ClockOffset } from '../../kit/clock-offset.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import { codeOf, noAnswer, notSent } from '../connection/failures.js';
import { scriptCallerFor, type CallScript } from '../protocol/script-caller.js';
import { recordKey } from '../protocol/keys.js';
import type { Script } from '../protocol/script.js';
import { scripts } from '../protocol/scripts.generated.js';

/** The reply of `record-begin` and `record-read` about a record. */
type RecordReply = readonly [owner: unknown, fingerprint: unknown, ttl: unknown, value?: unknown];

/** Records as hashes that expire by the server's clock. */
export class RedisRecords implements RecordDriver {
  readonly #callScript: CallScript;

  constructor(
    private readonly connection: RedisConnection,
    private readonly clockOffset: ClockOffset,
    private readonly start: () => void,
  ) {
    this.#callScript = scriptCallerFor(connection.calls);
  }

  async begin(start: RecordStart): Promise<RecordView | undefined> {
    const { resource, owner, fingerprint, leaseMs, notAfter } = start;
    // The server time is known only while a connection serves.
    await this.#whenServing();
    // The estimate of the server's clock grows vague while nothing is sent. A refusal brings a new
    // sample, so it leads to a second try.
    for (let tries = 1; tries <= 2; tries += 1) {
      const sentAt = this.clockOffset.localNow();
      const args = [
        owner,
        fingerprint,
        whole(leaseMs),
        String(this.clockOffset.earliestServerTime(notAfter)),
      ];
      const reply = await this.#run(scripts.recordBegin, resource, ...args);
      if (Array.isArray(reply)) return viewOf(reply as unknown as RecordReply);
      if (reply === 1) return undefined;
      this.clockOffset.addSample(reply as number, sentAt);
    }
    throw notSent('it rejects requests as stale: its clock jumps, or requests take too long');
  }

  renew({ resource, owner }: RecordRef, leaseMs: number): Promise<boolean> {
    return this.#runAsBoolean(scripts.recordRenew, resource, owner, whole(leaseMs));
  }

  complete({ resource, owner }: RecordRef, value: string, keepMs: number): Promise<boolean> {
    return this.#runAsBoolean(scripts.recordComplete, resource, owner, value, whole(keepMs));
  }

  abandon({ resource, owner }: RecordRef): Promise<boolean> {
    return this.#runAsBoolean(scripts.recordAbandon, resource, owner);
  }

  async read(resource: string): Promise<RecordView | undefined> {
    const reply = await this.#run(scripts.recordRead, resource);
    return Array.isArray(reply) ? viewOf(reply as unknown as RecordReply) : undefined;
  }

  remove(resource: string): Promise<boolean> {
    return this.#runAsBoolean(scripts.recordRemove, resource);
  }

  async #runAsBoolean(script: Script, resource: string, ...args: readonly string[]): Promise<boolean> {
    return (await this.#run(script, resource, ...args)) === 1;
  }

  /** Runs a script that replies with a number or a list. */
  async #run(script: Script, resource: string, ...args: readonly string[]): Promise<unknown> {
    await this.#whenServing();
    let reply: unknown;
    try {
      reply = await this.#callScript(script, resource, [recordKey(resource)], ...args);
    } catch (error) {
      // The server has become a replica: the next connection may lead to the new primary. The
      // request is not repeated.
      if (codeOf((error as Error).cause) === 'READONLY') this.connection.reconnect();
      throw error;
    }
    if (typeof reply === 'number' || Array.isArray(reply)) return reply;
    throw noAnswer('an unexpected reply');
  }

  async #whenServing(): Promise<void> {
    this.start();
    if (!this.connection.calls.isServing) await this.connection.whenServing();
  }
}

function viewOf([owner, fingerprint, ttl, value]: RecordReply): RecordView {
  return {
    owner: String(owner),
    fingerprint: String(fingerprint),
    remainingMs: Math.max(0, Number(ttl)),
    value: typeof value === 'string' ? value : undefined,
  };
}

function whole(ms: number): string {
  return String(Math.ceil(ms));
}
