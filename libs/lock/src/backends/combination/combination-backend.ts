import { atMost, randomUuid, type Clock } from '../../core/clock.js';
import { BackendUnavailableError, InvalidOptionError } from '../../core/errors.js';
import type { Backend, Traits, Unsubscribe } from '../../core/ports/ports.js';
import { BACKEND, CombinationLeases } from './combination-leases.js';
import {
  MIN_LEASE_MS,
  resolveCombinationOptions,
  type CombinationOptions,
  type CombinationTerms,
} from './combination-options.js';
import { House } from './house.js';
import type { Member } from './member.js';

/** When enough nodes are ready, the others are waited for this many times `nodeTimeoutMs`. */
const OTHERS_PATIENCE = 10;

/**
 * Mutexes on several independent Redis nodes, which outlive the loss of some of them. Connections of its own are opened at
 * `ready()` or at the first call.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function combination(options: CombinationOptions): Backend {
  return new CombinationBackend(resolveCombinationOptions(options));
}

/** `combination()` on checked terms. */
export class CombinationBackend implements Backend {
  readonly name = BACKEND;
  readonly traits: Traits;
  readonly leases: CombinationLeases;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  readonly nodes: House;
  readonly #clock: Clock;
  #closed: Promise<void> | undefined;

  constructor(private readonly terms: CombinationTerms) {
    const { clock, attemptTimeoutMs, nodeTimeoutMs, fencing, maxLeaseMs, minNodes, isUnsafe } = terms;
    this.#clock = clock;
    // The last node of an attempt, and the tokens that are written back.
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
    this.nodes = new House(terms, this.processId);
    this.leases = new CombinationLeases(this.nodes);
    if (isUnsafe) {
      process.emitWarning(`minNodes ${minNodes} is below the majority: two holders are possible`, {
        code: 'BEDROCK_UNSAFE_MIN_NODES',
      });
    }
  }

  get commands(): number {
    return this.nodes.members.reduce((sum, { node }) => sum + node.commands, 0);
  }

  /** Resolves when enough nodes serve, and the others do too or are late. */
  async ready(): Promise<void> {
    const { minNodes, nodeTimeoutMs } = this.terms;
    const { members } = this.nodes;
    const readiness = members.map((member) => becomeReady(member));
    await enough(readiness, minNodes, this.nodes);
    await atMost(this.#clock, nodeTimeoutMs * OTHERS_PATIENCE, Promise.allSettled(readiness));
    const twins = members.flatMap((member) => {
      const twin = this.nodes.twinOf(member);
      return twin === undefined ? [] : [`${twin.id} and ${member.id} are one server`];
    });
    if (twins.length > 0) throw new InvalidOptionError('nodes', 'different servers', twins.join(', '));
  }

  /** Time until enough nodes have answered, in ms. */
  async ping(): Promise<number> {
    const { members } = this.nodes;
    const sentAt = this.#clock.now();
    const answers = members.map((member) => pingOf(member));
    await enough(answers, this.terms.minNodes, this.nodes);
    return this.#clock.now() - sentAt;
  }

  onSuspect(listener: (resource: string | undefined) => void): Unsubscribe {
    const stops = this.nodes.members.map(({ node }) => node.onSuspect(listener));
    return () => stops.forEach((stop) => stop());
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { members } = this.nodes;
    // One answer, and that of a second try; what a dead node keeps ends with its lease.
    const patienceMs = 2 * this.terms.nodeTimeoutMs;
    await Promise.all(members.map(({ withdrawals }) => withdrawals.drain(patienceMs)));
    this.nodes.isClosed = true;
    await Promise.all(members.map((member) => member.close()));
  }
}

/** What is found out about the node on the way is kept. */
async function pingOf(member: Member): Promise<void> {
  try {
    member.answered(member.now - (await member.node.ping()));
  } catch (error) {
    member.failed(error as Error);
    throw error;
  }
}

async function becomeReady(member: Member): Promise<void> {
  try {
    await member.node.ready();
  } catch (error) {
    member.failed(error as Error);
    throw error;
  }
}

/** Resolves when so many have. @throws BackendUnavailableError with what the others say */
async function enough(answers: readonly Promise<unknown>[], needed: number, house: House): Promise<void> {
  let open = answers.length;
  let good = 0;
  await new Promise<void>((resolve, reject) => {
    const settle = (): void => {
      open -= 1;
      if (good >= needed) resolve();
      else if (open === 0) {
        const detail = house.isClosed ? 'it is closed' : tooFewServe(good, needed, house.members);
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

function tooFewServe(good: number, needed: number, members: readonly Member[]): string {
  const troubles = members.filter(({ isAvailable }) => !isAvailable).map(({ trouble }) => trouble);
  return `${good} of ${members.length} nodes serve, and ${needed} are needed (${troubles.join('; ')})`;
}
