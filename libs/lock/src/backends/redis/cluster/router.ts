import { sleep, within, type Clock } from '../../../core/clock.js';
import { BackendUnavailableError } from '../../../core/errors.js';
import type { Send } from '../connection/redis-calls.js';
import { codeOf, noAnswer, notSent } from '../connection/failures.js';
import type { ServerDrivers } from '../server/server-drivers.js';
import type { ClusterNode } from './cluster-node.js';
import { slotOf } from '../protocol/slot.js';
import { parseRedirection, type NatMap } from '../configuration/slot-map.js';
import type { Topology } from './topology.js';

/**
 * Pause before a retry in ms, if keys of the slot are moving or servers redirect again and again.
 */
const REDIRECTION_PAUSE_MS = 20;
/** Redirections that are followed without a pause. */
const HOPS_AT_ONCE = 3;
/**
 * Part of the operation's time that is kept for the last answer, in ms; at most a quarter. With
 * less, a busy event loop takes a refusal for silence, and the claim must be withdrawn.
 */
const LAST_ANSWER_MS = 50;

/**
 * Sends a request to the server of the slot, and follows redirections within the time of one
 * operation.
 */
export class Router {
  constructor(
    private readonly topology: Topology,
    private readonly clock: Clock,
    private readonly timeoutMs: number,
    private readonly natMap: NatMap | undefined,
  ) {}

  /** @throws LockError like the drivers */
  route<T>(resource: string, ask: (drivers: ServerDrivers) => Promise<T>): Promise<T> {
    return this.follow(slotOf(resource), ({ drivers }) => ask(drivers));
  }

  /** The server of a resource, as far as known. */
  nodeOf(resource: string): ClusterNode | undefined {
    return this.topology.nodeOf(slotOf(resource));
  }

  /** Sends a command whose first argument is its only key. */
  readonly call: Send = (command, args) =>
    this.follow(slotOf(String(args[0])), async ({ connection }) => {
      await connection.whenServing();
      return connection.calls.call(command, args);
    });

  /** Asks the server of a slot. A request is repeated only if it was not executed. */
  async follow<T>(slot: number, ask: (node: ClusterNode) => Promise<T>): Promise<T> {
    const until = this.clock.now() + this.timeoutMs;
    let node = this.topology.nodeOf(slot) ?? (await this.#servingNode(slot));
    let answer = ask(node);
    for (let hop = 1; ; hop += 1) {
      try {
        return await answer;
      } catch (error) {
        node = await this.#nextNode(slot, node, error as Error, hop, until);
        answer = this.#askNext(node, ask, until, error as Error);
      }
    }
  }

  async #servingNode(slot: number): Promise<ClusterNode> {
    this.topology.start();
    await this.topology.whenKnown(this.timeoutMs);
    const node = this.topology.nodeOf(slot);
    if (node === undefined) {
      this.topology.refreshSoon();
      throw notSent(`no server of the cluster has slot ${slot}`);
    }
    return node;
  }

  /** The server to ask after this refusal. @throws the error if there is none */
  async #nextNode(
    slot: number,
    node: ClusterNode,
    error: Error,
    hop: number,
    until: number,
  ): Promise<ClusterNode> {
    if (!(error instanceof BackendUnavailableError) || error.executed !== 'no') throw error;
    const pauseMs = hop > HOPS_AT_ONCE ? REDIRECTION_PAUSE_MS : 0;
    const code = codeOf(error.cause);
    if (code === 'MOVED' || code === 'ASK') {
      await this.#pause(pauseMs, until, error);
      return this.#redirected(node, error);
    }
    if (code === 'TRYAGAIN') {
      await this.#pause(REDIRECTION_PAUSE_MS, until, error);
      return this.topology.nodeOf(slot) ?? node;
    }
    // The server or the cluster is down: another server may take the slot over.
    if (code === '' || code === 'CLUSTERDOWN') this.topology.refreshSoon();
    throw error;
  }

  #redirected(node: ClusterNode, error: BackendUnavailableError): ClusterNode {
    const redirection = parseRedirection((error.cause as Error).message, node.address, this.natMap);
    if (redirection === undefined) throw error;
    const { kind, slot, to } = redirection;
    if (kind === 'ASK') return this.topology.askingNodeAt(to);
    this.topology.moved(slot, to);
    return this.topology.nodeAt(to);
  }

  /** Asks a server whose connection may be new. @param refusal thrown if the time is over */
  async #askNext<T>(
    node: ClusterNode,
    ask: (node: ClusterNode) => Promise<T>,
    until: number,
    refusal: Error,
  ): Promise<T> {
    await this.#inTime(node.connection.whenServing(), until, refusal);
    return this.#inTime(ask(node), until, noAnswer(`no answer within ${this.timeoutMs} ms`));
  }

  async #pause(ms: number, until: number, error: Error): Promise<void> {
    const answerMs = ms > 0 ? Math.min(LAST_ANSWER_MS, this.timeoutMs / 4) : 0;
    if (this.clock.now() + ms + answerMs >= until) throw error;
    if (ms > 0) await sleep(this.clock, ms);
  }

  #inTime<T>(work: Promise<T>, until: number, late: Error): Promise<T> {
    return within(this.clock, until - this.clock.now(), work, () => late);
  }
}
