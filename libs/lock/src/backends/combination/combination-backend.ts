import { atMost, randomUuid, type Clock } from '../../core/clock.js';
import { BackendUnavailableError, InvalidOptionError } from '../../core/errors.js';
import type { AdminDriver } from '../../core/ports/admin.js';
import type { Backend, Traits, Unsubscribe } from '../../core/ports/ports.js';
import { BACKEND, CombinationLeases } from './combination-leases.js';
import {
  MIN_LEASE_MS,
  resolveCombinationOptions,
  type CombinationOptions,
  type CombinationSettings,
} from './combination-options.js';
import { CombinationAdmin } from './inspect-nodes.js';
import { NodeSet } from './node-set.js';
import type { NodeHandle } from './node-handle.js';

/** Once enough nodes are ready, the others get this many times `nodeTimeoutMs`. */
const OTHERS_TIMEOUT_FACTOR = 10;

/**
 * Mutexes on several independent Redis nodes, which survive the loss of some of them. The backend
 * opens its own connections at `ready()` or at the first call.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function combination(options: CombinationOptions): Backend {
  return new CombinationBackend(resolveCombinationOptions(options));
}

/** `combination()` on checked settings. */
export class CombinationBackend implements Backend {
  readonly name = BACKEND;
  readonly traits: Traits;
  readonly leases: CombinationLeases;
  readonly admin: AdminDriver;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  readonly nodes: NodeSet;
  readonly #clock: Clock;
  #closed: Promise<void> | undefined;

  constructor(private readonly settings: CombinationSettings) {
    const { clock, attemptTimeoutMs, nodeTimeoutMs, fencing, maxLeaseMs, minNodes, isUnsafe } = settings;
    this.#clock = clock;
    // An attempt may overrun by its last node and by writing the tokens back.
    this.operationTimeoutMs = attemptTimeoutMs + 2 * nodeTimeoutMs;
    this.processId = randomUuid(clock);
    this.traits = Object.freeze({
      fifo: false,
      shared: false,
      weighted: false,
      fencing,
      push: true,
      holdAtLeast: true,
      inProcess: false,
      minLeaseMs: MIN_LEASE_MS,
      maxLeaseMs,
      lifetime: 'lease',
    });
    this.nodes = new NodeSet(settings, this.processId);
    this.leases = new CombinationLeases(this.nodes);
    this.admin = new CombinationAdmin(this.nodes.handles, minNodes);
    if (isUnsafe) {
      process.emitWarning(`minNodes ${minNodes} is below the majority: two holders are possible`, {
        type: 'BedrockWarning',
        code: 'BEDROCK_UNSAFE_MIN_NODES',
      });
    }
  }

  get commands(): number {
    return this.nodes.handles.reduce((sum, { node }) => sum + node.commands, 0);
  }

  /** Resolves when enough nodes serve and the others serve too or are late. */
  async ready(): Promise<void> {
    const { minNodes, nodeTimeoutMs } = this.settings;
    const { handles } = this.nodes;
    const readiness = handles.map((handle) => becomeReady(handle));
    await waitForEnough(readiness, minNodes, this.nodes);
    await atMost(this.#clock, nodeTimeoutMs * OTHERS_TIMEOUT_FACTOR, Promise.allSettled(readiness));
    const duplicates = handles.flatMap((handle) => {
      const duplicate = this.nodes.sameServerAs(handle);
      return duplicate === undefined ? [] : [`${duplicate.id} and ${handle.id} are one server`];
    });
    if (duplicates.length > 0)
      throw new InvalidOptionError('nodes', 'different servers', duplicates.join(', '));
  }

  /** Time until enough nodes have answered, in ms. */
  async ping(): Promise<number> {
    const { handles } = this.nodes;
    const sentAt = this.#clock.now();
    const answers = handles.map((handle) => pingNode(handle));
    await waitForEnough(answers, this.settings.minNodes, this.nodes);
    return this.#clock.now() - sentAt;
  }

  onSuspect(listener: (resource: string | undefined) => void): Unsubscribe {
    const stops = this.nodes.handles.map(({ node }) => node.onSuspect(listener));
    return () => stops.forEach((stop) => stop());
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { handles } = this.nodes;
    // A withdrawal takes one answer, or two where it is repeated. A dead node's grants end with
    // their leases.
    const timeoutMs = 2 * this.settings.nodeTimeoutMs;
    await Promise.all(handles.map(({ withdrawals }) => withdrawals.drain(timeoutMs)));
    this.nodes.isClosed = true;
    await Promise.all(handles.map((handle) => handle.close()));
  }
}

/** Also records the answer or the failure of the node. */
async function pingNode(handle: NodeHandle): Promise<void> {
  try {
    handle.recordAnswer(handle.now - (await handle.node.ping()));
  } catch (error) {
    handle.recordFailure(error as Error);
    throw error;
  }
}

async function becomeReady(handle: NodeHandle): Promise<void> {
  try {
    await handle.node.ready();
  } catch (error) {
    handle.recordFailure(error as Error);
    throw error;
  }
}

/**
 * Resolves when `needed` answers have come. @throws BackendUnavailableError listing the failures
 */
async function waitForEnough(
  answers: readonly Promise<unknown>[],
  needed: number,
  nodes: NodeSet,
): Promise<void> {
  let open = answers.length;
  let good = 0;
  await new Promise<void>((resolve, reject) => {
    const settle = (): void => {
      open -= 1;
      if (good >= needed) resolve();
      else if (open === 0) {
        const detail = nodes.isClosed ? 'it is closed' : tooFewServing(good, needed, nodes.handles);
        reject(new BackendUnavailableError(BACKEND, detail, 'no'));
      }
    };
    for (const answer of answers) {
      answer.then(
        () => {
          good += 1;
          settle();
        },
        () => settle(),
      );
    }
  });
}

function tooFewServing(good: number, needed: number, handles: readonly NodeHandle[]): string {
  const failures = handles.filter(({ isAvailable }) => !isAvailable).map(({ failureText }) => failureText);
  return `${good} of ${handles.length} nodes serve, and ${needed} are needed (${failures.join('; ')})`;
}
