import type { OperationId } from '../../../core/ports/counting.js';
import { LockTypeMismatchError } from '../../../core/errors.js';
import type { Unsubscribe } from '../../../core/ports/ports.js';
import type { Connection } from '../connection/connection.js';
import { codeOf, notSent } from '../connection/failures.js';
import { aboutResource, askerOf, type AskScript } from '../protocol/ask-script.js';
import type { Arg } from '../connection/link.js';
import type { Script } from '../protocol/script.js';
import type { ServerTime } from '../connection/server-time.js';
import type { Wakes } from '../presence/wakes.js';
import type { Memos } from './memos.js';
import { memoKey } from './names.js';

/** A script and what it is run on. */
export interface CountingScript {
  readonly script: Script;
  readonly resource: string;
  readonly keys: readonly string[];
  readonly args: readonly Arg[];
}

const COUNT = /^(?:0|-?[1-9]\d{0,15})$/;

/** How latches and semaphores reach the server. The first call of a process waits for its connection. */
export class CountingCalls {
  readonly #askScript: AskScript;

  constructor(
    private readonly connection: Connection,
    private readonly time: ServerTime,
    private readonly memos: Memos,
    private readonly wakes: Pick<Wakes, 'watch'>,
    private readonly start: () => void,
  ) {
    this.#askScript = askerOf(connection);
  }

  /** The number that a name holds, 0 when there is none. */
  async read(resource: string): Promise<number> {
    await this.#serving();
    let text: unknown;
    try {
      text = await this.connection.call('get', [resource]);
    } catch (error) {
      throw aboutResource(error as Error, resource);
    }
    if (text === null) return 0;
    if (typeof text === 'string' && COUNT.test(text)) return Number(text);
    throw new LockTypeMismatchError(resource, 'a text that is no count');
  }

  /** Runs a script; gives its reply without the server's time, which it begins with. */
  async ask({ script, resource, keys, args }: CountingScript): Promise<readonly unknown[]> {
    await this.#serving();
    const sentAt = this.time.localNow();
    try {
      const reply = await this.#askScript(script, resource, keys, ...args.map(String));
      const [now, ...answer] = reply as [number, ...unknown[]];
      this.time.learn(now, sentAt);
      return answer;
    } catch (error) {
      // The server has become a replica: the next connection may lead to the new primary. Nothing is sent again.
      if (codeOf((error as Error).cause) === 'READONLY') this.connection.reconnect();
      throw error;
    }
  }

  /**
   * Runs a script that the server refuses after its time. What is known of the server's clock grows vague while nothing is sent,
   * so the first refusal, which brings a new sample, is answered by another try.
   * @throws BackendUnavailableError when it was refused twice
   */
  async askInTime(call: CountingScript, { notAfter }: OperationId): Promise<readonly unknown[]> {
    // Only a connection that serves knows the server's time.
    await this.#serving();
    for (let tries = 1; tries <= 2; tries += 1) {
      const answer = await this.ask({ ...call, args: [this.time.notLaterThan(notAfter), ...call.args] });
      if (answer.length > 0) return answer;
    }
    throw notSent('it takes requests for stale: its clock steps, or requests take too long');
  }

  /** Runs a script that changes something once per operation: its last key is the memo. */
  async change(call: CountingScript, operation: OperationId): Promise<readonly unknown[]> {
    const memo = memoKey(call.resource, operation.id);
    const keys = [...call.keys, memo];
    const args = [operation.keepMs, ...call.args];
    const answer = await this.askInTime({ ...call, keys, args }, operation);
    this.memos.answered(call.resource, memo, operation);
    return answer;
  }

  /** Calls `wake` at each message of a channel, and after each re-subscription. */
  async watch(channel: string, wake: () => void): Promise<Unsubscribe> {
    this.start();
    return this.wakes.watch(channel, [channel], wake);
  }

  async #serving(): Promise<void> {
    this.start();
    await this.connection.whenServing();
  }
}
