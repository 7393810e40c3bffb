import type { RecordDriver } from '../../../core/ports.js';
import type { RecordRef, RecordStart, RecordView } from '../../../core/records.js';
import type { Connection } from '../connection.js';
import { codeOf, noAnswer } from '../failures.js';
import { askerOf, type AskScript } from '../kinds/ask-script.js';
import { recordKey } from '../keys.js';
import type { Script } from '../script.js';
import { scripts } from '../scripts.generated.js';

/** What `record-begin` and `record-read` tell of a record. */
type Told = readonly [owner: unknown, fingerprint: unknown, ttl: unknown, value?: unknown];

/** Records as hashes that expire by the server's clock. */
export class RedisRecords implements RecordDriver {
  readonly #ask: AskScript;

  constructor(
    private readonly connection: Connection,
    private readonly start: () => void,
  ) {
    this.#ask = askerOf(connection);
  }

  async begin({ resource, owner, fingerprint, leaseMs }: RecordStart): Promise<RecordView | undefined> {
    const reply = await this.#run(scripts.recordBegin, resource, owner, fingerprint, whole(leaseMs));
    return Array.isArray(reply) ? viewOf(reply as unknown as Told) : undefined;
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

  /** Its reply: 0, 1 or a list. */
  async #run(script: Script, resource: string, ...args: readonly string[]): Promise<unknown> {
    this.start();
    if (!this.connection.isReady) await this.connection.whenServing();
    let reply: unknown;
    try {
      reply = await this.#ask(script, resource, [recordKey(resource)], ...args);
    } catch (error) {
      // The server has become a replica: the next connection may lead to the new primary. Nothing is sent again.
      if (codeOf((error as Error).cause) === 'READONLY') this.connection.reconnect();
      throw error;
    }
    if (reply === 0 || reply === 1 || Array.isArray(reply)) return reply;
    throw noAnswer('an unexpected reply');
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
