import type { RecordDriver } from '../../../core/ports/ports.js';
import type { RecordRef, RecordStart, RecordView } from '../../../core/ports/records.js';
import type { Connection } from '../connection/connection.js';
import { codeOf, noAnswer, notSent } from '../connection/failures.js';
import { askerOf, type AskScript } from '../protocol/ask-script.js';
import { recordKey } from '../protocol/keys.js';
import type { Script } from '../protocol/script.js';
import { scripts } from '../protocol/scripts.generated.js';
import type { ServerTime } from '../connection/server-time.js';

/** What `record-begin` and `record-read` tell of a record. */
type Told = readonly [owner: unknown, fingerprint: unknown, ttl: unknown, value?: unknown];

/** Records as hashes that expire by the server's clock. */
export class RedisRecords implements RecordDriver {
  readonly #ask: AskScript;

  constructor(
    private readonly connection: Connection,
    private readonly time: ServerTime,
    private readonly start: () => void,
  ) {
    this.#ask = askerOf(connection);
  }

  async begin(start: RecordStart): Promise<RecordView | undefined> {
    const { resource, owner, fingerprint, leaseMs, notAfter } = start;
    // Only a connection that serves knows the server's time.
    await this.#serving();
    // A refusal brings the time anew: what is known of it grows vague while nothing is sent.
    for (let tries = 1; tries <= 2; tries += 1) {
      const sentAt = this.time.localNow();
      const terms = [owner, fingerprint, whole(leaseMs), String(this.time.notLaterThan(notAfter))];
      const reply = await this.#run(scripts.recordBegin, resource, ...terms);
      if (Array.isArray(reply)) return viewOf(reply as unknown as Told);
      if (reply === 1) return undefined;
      this.time.learn(reply as number, sentAt);
    }
    throw notSent('it takes requests for stale: its clock steps, or requests take too long');
  }

  renew({ resource, owner }: RecordRef, leaseMs: number): Promise<boolean> {
    return this.#did(scripts.recordRenew, resource, owner, whole(leaseMs));
  }

  complete({ resource, owner }: RecordRef, value: string, keepMs: number): Promise<boolean> {
    return this.#did(scripts.recordComplete, resource, owner, value, whole(keepMs));
  }

  abandon({ resource, owner }: RecordRef): Promise<boolean> {
    return this.#did(scripts.recordAbandon, resource, owner);
  }

  async read(resource: string): Promise<RecordView | undefined> {
    const reply = await this.#run(scripts.recordRead, resource);
    return Array.isArray(reply) ? viewOf(reply as unknown as Told) : undefined;
  }

  remove(resource: string): Promise<boolean> {
    return this.#did(scripts.recordRemove, resource);
  }

  async #did(script: Script, resource: string, ...args: readonly string[]): Promise<boolean> {
    return (await this.#run(script, resource, ...args)) === 1;
  }

  /** Its reply: a number or a list. */
  async #run(script: Script, resource: string, ...args: readonly string[]): Promise<unknown> {
    await this.#serving();
    let reply: unknown;
    try {
      reply = await this.#ask(script, resource, [recordKey(resource)], ...args);
    } catch (error) {
      // The server has become a replica: the next connection may lead to the new primary. Nothing is sent again.
      if (codeOf((error as Error).cause) === 'READONLY') this.connection.reconnect();
      throw error;
    }
    if (typeof reply === 'number' || Array.isArray(reply)) return reply;
    throw noAnswer('an unexpected reply');
  }

  async #serving(): Promise<void> {
    this.start();
    if (!this.connection.isReady) await this.connection.whenServing();
  }
}

function viewOf([owner, fingerprint, ttl, value]: Told): RecordView {
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
