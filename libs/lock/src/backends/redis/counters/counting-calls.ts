import type { OperationId } from '../../../core/ports/counting.js';
import { LockTypeMismatchError } from '../../../core/errors.js';
import type { Unsubscribe } from '../../../core/ports/ports.js';
import type { ClockOffset } from '../../kit/clock-offset.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import { codeOf, notSent } from '../connection/failures.js';
import { withResource, scriptCallerFor, type CallScript } from '../protocol/script-caller.js';
import type { Arg } from '../connection/link.js';
import type { Script } from '../protocol/script.js';
import type { WakeSubscriptions } from '../presence/wake-subscriptions.js';
import type { StoredAnswerCleanup } from './answer-cleanup.js';
import { storedAnswerKey } from './counter-keys.js';

/** A script with its keys and arguments. */
export interface CountingScript {
  readonly script: Script;
  readonly resource: string;
  readonly keys: readonly string[];
  readonly args: readonly Arg[];
}

const COUNT = /^(?:0|-?[1-9]\d{0,15})$/;

/**
 * How latches and semaphores reach the server. The first call of a process waits for its
 * connection.
 */
export class CountingCalls {
  readonly #callScript: CallScript;

  constructor(
    private readonly connection: RedisConnection,
    private readonly clockOffset: ClockOffset,
    private readonly answerCleanup: StoredAnswerCleanup,
    private readonly wakes: Pick<WakeSubscriptions, 'watch'>,
    private readonly start: () => void,
  ) {
    this.#callScript = scriptCallerFor(connection.calls);
  }

  /** The number stored under a name, 0 if there is none. */
  async read(resource: string): Promise<number> {
    await this.#whenServing();
    let text: unknown;
    try {
      text = await this.connection.calls.call('get', [resource]);
    } catch (error) {
      throw withResource(error as Error, resource);
    }
    if (text === null) return 0;
    if (typeof text === 'string' && COUNT.test(text)) return Number(text);
    throw new LockTypeMismatchError(resource, 'a text that is no count');
  }

  /** Runs a script. Returns its reply without the server time at its start. */
  async run({ script, resource, keys, args }: CountingScript): Promise<readonly unknown[]> {
    await this.#whenServing();
    const sentAt = this.clockOffset.localNow();
    try {
      const reply = await this.#callScript(script, resource, keys, ...args.map(String));
      const [now, ...answer] = reply as [number, ...unknown[]];
      this.clockOffset.addSample(now, sentAt);
      return answer;
    } catch (error) {
      // The server has become a replica: the next connection may lead to the new primary. The
      // request is not repeated.
      if (codeOf((error as Error).cause) === 'READONLY') this.connection.reconnect();
      throw error;
    }
  }

  /**
   * Runs a script that the server refuses after `notAfter`. The estimate of the server's clock
   * grows vague while nothing is sent. So the first refusal, which brings a new sample, leads to a
   * second try.
   * @throws BackendUnavailableError if the server refuses twice
   */
  async runInTime(call: CountingScript, { notAfter }: OperationId): Promise<readonly unknown[]> {
    // The server time is known only while a connection serves.
    await this.#whenServing();
    for (let tries = 1; tries <= 2; tries += 1) {
      const answer = await this.run({
        ...call,
        args: [this.clockOffset.earliestServerTime(notAfter), ...call.args],
      });
      if (answer.length > 0) return answer;
    }
    throw notSent('it rejects requests as stale: its clock jumps, or requests take too long');
  }

  /**
   * Runs a script that changes something once per operation. Its last key holds the stored answer.
   */
  async runOnce(call: CountingScript, operation: OperationId): Promise<readonly unknown[]> {
    const answerKey = storedAnswerKey(call.resource, operation.id);
    const keys = [...call.keys, answerKey];
    const args = [operation.keepMs, ...call.args];
    const answer = await this.runInTime({ ...call, keys, args }, operation);
    this.answerCleanup.schedule(call.resource, answerKey, operation);
    return answer;
  }

  /** Calls `wake` at each message of a channel, and after each re-subscription. */
  async watch(channel: string, wake: () => void): Promise<Unsubscribe> {
    this.start();
    return this.wakes.watch(channel, [channel], wake);
  }

  async #whenServing(): Promise<void> {
    this.start();
    await this.connection.whenServing();
  }
}
